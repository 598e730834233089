"""The commands' `--backend tirx`: an operation's bare form through TVM.

In: a form, a target, planner options.  Out: a runner, the stages that an explanation adds, or the
contestant of a race.  Decides what is declared: the arrays are our own, so none overlaps another,
and the simulator has 32 lanes and their functions.  Leaves writing and building to `certile.tirx`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from certile.cli.running.on_cuda import device_runner
from certile.cli.subject import Subject
from certile.diagnostics import ArgumentError
from certile.ops.kernels import Bare, bare
from certile.plan.record import Options
from certile.runtime import metal_sim
from certile.targets import Sheet
from certile.tirx import Compiled, Exported, export
from certile.tirx.externs import TirxTarget

__all__ = ["contestant", "runner", "texts"]

Arguments = dict[str, Any]
Array = Any

_TARGETS: dict[str, TirxTarget] = {
    "cpu": "llvm",
    "metal": "metal",
    "metal-sim": "metal",
    "cuda": "cuda",
}
_SUFFIXES: dict[TirxTarget, str] = {"llvm": "ll", "metal": "metal", "cuda": "cu"}


def _exported(
    subject: Bare | Subject, target: str, options: Options, sheet: Sheet | None
) -> Exported:
    """Return the form as functions of TVM; raises A311 for a target that TVM has no part in."""
    if target not in _TARGETS:
        known = ", ".join(_TARGETS)
        message = f"--backend tirx has no target {target}"
        raise ArgumentError("A311", message, hint=f"use one of {known}")
    return export(
        subject, {}, _TARGETS[target], plan=options, capability=True, noalias=True, sheet=sheet
    )


def machine() -> Sheet:
    """Return this machine's sheet."""
    found: Sheet = importlib.import_module("certile.runtime.cpu.device").machine_sheet()
    return found


def runner(subject: Subject, target: str, options: Options) -> Callable[[Arguments], list[str]]:
    """Return what runs the form in place, and gives the findings of the simulator.

    Raises ArgumentError A311 for a Metal device, which TVM does not drive here, and
    UnsupportedError U303 where there is no CUDA device.
    """
    if target == "metal":
        message = "--backend tirx runs Metal text in the simulator"
        raise ArgumentError("A311", message, hint="pass --target metal-sim")
    exported = _exported(subject, target, options, machine() if target == "cpu" else None)
    if target == "cpu":
        compiled = exported.compile()

        def run(arguments: Arguments) -> list[str]:
            compiled(**arguments)
            return []

        return run
    artifacts = [exported.artifact(at) for at in range(len(exported.launches))]
    if target == "cuda":
        return device_runner(subject, artifacts)

    def simulate(arguments: Arguments) -> list[str]:
        reports = [metal_sim.run_device(artifact, arguments) for artifact in artifacts]
        return [str(finding) for report in reports if report for finding in report.findings]

    return simulate


def texts(
    subject: Subject, target: str, options: Options, sheet: Sheet
) -> Iterator[tuple[str, str]]:
    """Return the functions as TVMScript and what TVM makes of them, each with its suffix."""
    exported = _exported(subject, target, options, sheet)
    yield "py", exported.script()
    compiled: Compiled = exported.compile()
    yield _SUFFIXES[exported.target], compiled.source()


def contestant(
    op: str, shape: Sequence[int], dtype: str, inputs: Sequence[Array], outputs: Sequence[Array]
) -> Callable[[Sequence[Array], Sequence[Array]], None] | None:
    """Return what computes a case from inputs into outputs; None where its bare form is another."""
    vectors = [each for each in inputs if each.ndim == 1]
    flags = {"weight": len(vectors) > 0, "bias": len(vectors) > 1}
    try:
        form = bare(op, (prod(shape[:-1]), shape[-1]), dtype, **flags)
    except ArgumentError:
        return None
    reads, writes = form.kernel.inputs, form.kernel.outputs
    pairs = [*zip(reads, inputs, strict=False), *zip(writes, outputs, strict=False)]
    fits = len(reads) == len(inputs) and len(writes) == len(outputs)
    if not fits or any(prod(form.shapes[v.name]) != array.size for v, array in pairs):
        return None
    compiled = _exported(form, "cpu", Options(), machine()).compile()
    numbers = {
        param.name: form.arguments[param.name]
        for param in form.kernel.params
        if param.name in form.arguments and param.name not in form.shapes
    }

    def compute(given: Sequence[Array], results: Sequence[Array]) -> None:
        arrays = zip((*reads, *writes), (*given, *results), strict=True)
        shaped = {v.name: array.reshape(form.shapes[v.name]) for v, array in arrays}
        compiled(**shaped, **numbers)

    return compute
