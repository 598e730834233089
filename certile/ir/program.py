"""The compiler's result: launches in order, each with a machine kernel, and the workspace they
share.

A launch's grid and scalars are expressions over what the caller passes (extents, strides, scalar
arguments), evaluated on the host when arguments are bound.  A program of one kernel without
workspace is the common case; conditions that choose between launches belong to later stages and
have their field here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal

from certile.ir.machine import MachineKernel


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """What is known of a view argument's layout when code is generated: its stride class.

    `strides[i]` is a constant (0 and 1 are specialised) or None: a run-time scalar, in elements.
    `alignment` in bytes holds for the first element of every row: it divides the base address and
    every stride that is not 1.
    """

    strides: tuple[int | None, ...]
    alignment: int = 1


@dataclass(frozen=True, slots=True)
class HostValue:
    """Where a scalar parameter's value comes from when arguments are bound.

    `extent`: `view.shape[dim]`; `stride`: `view`'s stride along `dim`, in elements; `programs`: the
    product of the extents listed in `factors`; `argument`: the scalar argument `view`.
    """

    kind: Literal["extent", "stride", "programs", "argument"]
    view: str = ""
    dim: int = 0
    factors: tuple[int | HostValue, ...] = ()

    def evaluate(
        self,
        extent: Callable[[str, int], int],
        stride: Callable[[str, int], int],
        argument: Callable[[str], int | float | bool],
    ) -> int | float | bool:
        """The value for one call."""
        match self.kind:
            case "extent":
                return extent(self.view, self.dim)
            case "stride":
                return stride(self.view, self.dim)
            case "argument":
                return argument(self.view)
            case "programs":
                return prod(
                    factor
                    if isinstance(factor, int)
                    else int(factor.evaluate(extent, stride, argument))
                    for factor in self.factors
                )


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch: groups = ceil(programs / kernel.programs_per_group).

    `buffers[i]` names the view argument or workspace bound to `kernel.buffers[i]`; `scalars[i]`
    says where `kernel.scalars[i]` comes from.  `condition` (a scalar of a host expression) is
    None: always.
    """

    kernel: MachineKernel
    buffers: tuple[str, ...]
    scalars: tuple[HostValue, ...]
    programs: HostValue
    condition: HostValue | None = None


@dataclass(frozen=True, slots=True)
class Workspace:
    """Scratch memory a program needs between launches: `bytes_a_program` for every program."""

    name: str
    bytes_a_program: int


@dataclass(frozen=True, slots=True)
class Program:
    """Launches in order and the workspace they share."""

    name: str
    launches: tuple[Launch, ...]
    workspace: tuple[Workspace, ...] = ()
