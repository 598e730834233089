"""What the host knows of the arguments: their layouts, and where a scalar's value comes from.

A launch of code that an earlier process compiled needs these and nothing else of the IR.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Literal


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
