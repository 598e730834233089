"""What the host knows of the arguments: their layouts, and where a scalar's value comes from.

A launch of code that an earlier process compiled needs these and nothing else of the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Literal

# The widest access of one lane of a GPU: what lies beyond it makes no difference to alignment.
RESIDUE_BYTES = 16


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """What is known of a view argument's layout when code is generated: its stride class.

    `strides[i]` is a constant (0 and 1 are specialised) or None: a run-time scalar, in elements.
    `alignment` in bytes holds for the first element of every row: it divides the base address and
    every stride that is not 1.  `residues` are the base address and each stride in bytes, all
    modulo `RESIDUE_BYTES`, for rows that are aligned to less; without any, nothing is known.
    `dense` is told of a row-major array without gaps where it matters: how many elements lie
    between its first index and the next, and the alignment of its first element alone.
    """

    strides: tuple[int | None, ...]
    alignment: int = 1
    residues: tuple[int, ...] = ()
    dense: tuple[int, int] | None = None


def residues_of(
    address: int, shape: Sequence[int], strides: Sequence[int], size: int
) -> tuple[int, ...]:
    """The residues of an array whose strides count elements of `size` bytes.

    The stride of a dimension of one element moves nothing and counts as 0.
    """
    moves = (0 if n <= 1 else step * size for n, step in zip(shape, strides, strict=True))
    return tuple(value % RESIDUE_BYTES for value in (address, *moves))


def row_major_facts(shape: tuple[int, ...], size: int) -> ViewFacts:
    """Return the facts of a C-ordered, aligned array of elements of `size` bytes.

    Only the last stride is a constant: the others follow from run-time extents.
    """
    strides = (*(None for _ in shape[1:]), 1) if shape else ()
    row = shape[-1] * size if len(shape) > 1 else 64
    dense = (prod(shape[1:]), 64) if len(shape) > 1 and 0 not in shape else None
    alignment = gcd(row, 64) if row else 64
    if alignment >= RESIDUE_BYTES:
        return ViewFacts(strides, alignment, dense=dense)
    steps = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    return ViewFacts(strides, alignment, residues_of(0, shape, steps, size), dense)


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
