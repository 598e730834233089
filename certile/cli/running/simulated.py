"""A subject on simulated Metal: the generated text, compiled and run by metalsim.

In: the subject, planner options.  Out: a runner, which gives the simulator's findings.  Decides
what is known of the arrays' layout.  Leaves binding and checking to `certile.runtime.metal_sim`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from certile.cli.subject import Subject, facts_of
from certile.pipeline import CompiledLaunch, compile_program
from certile.plan.record import Options
from certile.runtime import metal_sim
from certile.targets import DEFAULTS

Arguments = dict[str, Any]


def simulator(subject: Subject, options: Options) -> Callable[[Arguments], list[str]]:
    """Return what runs the subject in checked mode."""
    facts = facts_of(subject.kernel, subject.shapes)
    compiled = compile_program(
        subject.kernel, facts, subject.programs, DEFAULTS["metal-sim"], options
    )

    def run(arguments: Arguments) -> list[str]:
        findings: list[str] = []
        for launch in compiled.launches:
            findings += _launched(subject, launch, arguments)
        return findings

    return run


def _launched(subject: Subject, launch: CompiledLaunch, arguments: Arguments) -> list[str]:
    buffers = [arguments[name] for name in launch.launch.buffers]
    scalars = [_value(value, subject, arguments) for value in launch.launch.scalars]
    programs = int(_value(launch.launch.programs, subject, arguments))
    report = metal_sim.run(launch.artifact, buffers, scalars, programs)
    return [] if report is None else [str(finding) for finding in report.findings]


def _value(value: Any, subject: Subject, arguments: Arguments) -> Any:  # noqa: ANN401 - a number
    return value.evaluate(
        lambda view, dim: subject.shapes[view][dim],
        lambda view, dim: arguments[view].strides[dim] // arguments[view].itemsize,
        lambda name: arguments[name],
    )
