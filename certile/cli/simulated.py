"""An operation's bare form on simulated Metal: the generated text, compiled and run by metalsim.

In: the form, planner options.  Out: a runner, which gives the simulator's findings.  Decides how
arguments meet the text's buffer indices: an artifact's buffers in order, then its scalars.  Leaves
checking to the simulator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certile.cli.subject import row_major_facts
from certile.metalsim import Library
from certile.ops.kernels import Bare
from certile.pipeline import CompiledLaunch, compile_program
from certile.plan.record import Options
from certile.reference import machine_numeric as numeric
from certile.targets import DEFAULTS

Arguments = dict[str, Any]


def simulator(subject: Bare, options: Options) -> Callable[[Arguments], list[str]]:
    """Return what runs the form in checked mode."""
    facts = {
        view.name: row_major_facts(subject.shapes[view.name], view.dtype.size)
        for view in subject.kernel.views
    }
    compiled = compile_program(
        subject.kernel, facts, subject.programs, DEFAULTS["metal-sim"], options
    )
    libraries = [Library(each.artifact.text, "checked") for each in compiled.launches]

    def run(arguments: Arguments) -> list[str]:
        findings: list[str] = []
        for launch, library in zip(compiled.launches, libraries, strict=True):
            findings += _launched(subject, launch, library, arguments)
        return findings

    return run


def _launched(
    subject: Bare, launch: CompiledLaunch, library: Library, arguments: Arguments
) -> list[str]:
    artifact = launch.artifact
    bound: list[Any] = [arguments[name] for name in launch.launch.buffers]
    programs = int(_value(launch.launch.programs, subject, arguments))
    for value, scalar in zip(launch.launch.scalars, artifact.scalars, strict=True):
        number = _value(value, subject, arguments)
        bound.append(np.asarray(number).astype(numeric.storage(scalar.dtype))[()])
    groups = -(-programs // artifact.programs_per_group)
    report = library.kernel(artifact.entry).run(
        dict(enumerate(bound)), (groups, 1, 1), (artifact.threads, 1, 1)
    )
    return [str(finding) for finding in report.findings]


def _value(value: Any, subject: Bare, arguments: Arguments) -> Any:  # noqa: ANN401 - a number
    return value.evaluate(
        lambda view, dim: subject.shapes[view][dim],
        lambda view, dim: arguments[view].strides[dim] // arguments[view].itemsize,
        lambda name: arguments[name],
    )
