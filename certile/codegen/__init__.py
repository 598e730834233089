"""Machine IR as target text: one folder a target, legalisation and printing only."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from certile.codegen.artifact import Artifact
from certile.diagnostics import UnsupportedError
from certile.ir.machine import MachineKernel
from certile.targets.sheet import Sheet

__all__ = ["TARGETS", "Emit", "emitter_for"]

Emit = Callable[[MachineKernel, Sheet], Artifact]

# Each folder has `emit.emit`; it is loaded when its target is first compiled for.
TARGETS: tuple[str, ...] = ("cpu", "metal", "cuda")


def emitter_for(sheet: Sheet) -> Emit:
    """The emitter of a sheet's target.

    Raises `UnsupportedError` U032 for a kind of target without one.
    """
    if sheet.kind not in TARGETS:
        raise UnsupportedError("U032", f"no code generator for {sheet.kind}")
    emit: Emit = importlib.import_module(f"certile.codegen.{sheet.kind}.emit").emit
    return emit
