"""The compiler's result: launches in order, each with a machine kernel.

A launch's grid and scalars are expressions over what the caller passes (extents, strides, scalar
arguments), evaluated on the host when arguments are bound.
"""

from __future__ import annotations

from dataclasses import dataclass

from certile.ir.host import HostValue
from certile.ir.machine import MachineKernel


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch: groups = ceil(programs / kernel.programs_per_group).

    `buffers[i]` names the view argument bound to `kernel.buffers[i]`; `scalars[i]` says where
    `kernel.scalars[i]` comes from.
    """

    kernel: MachineKernel
    buffers: tuple[str, ...]
    scalars: tuple[HostValue, ...]
    programs: HostValue


@dataclass(frozen=True, slots=True)
class Program:
    """The launches of a kernel, in order."""

    name: str
    launches: tuple[Launch, ...]
