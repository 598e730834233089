"""What the host knows of the arguments: their layouts, and where a scalar's value comes from.

A launch of code that an earlier process compiled needs these and nothing else of the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import gcd, prod
from typing import Literal

from certile.records import record

# The widest access of one lane of a GPU: what lies beyond it makes no difference to alignment.
RESIDUE_BYTES = 16
# A line of every cache: no access gains by a greater alignment.
ALIGNMENT_BYTES = 64

# How far, in bytes, the elements of a near view lie from its first: 32 bits hold that, and what
# lanes behind the end of a row compute and do not use.
NEAR_BYTES = 2**31 - 2**20
# The most programs of a launch whose numbers 32 bits hold, those of a last group that is not full
# among them.
NEAR_PROGRAMS = 2**31 - 2**16


@record
class ViewFacts:
    """What is known of a view argument's layout when code is generated: its stride class.

    `strides[i]` is a constant (`stride_class` says which) or None: a run-time scalar, in elements.
    `alignment` in bytes holds for the first element of every row: it divides the base address and
    every stride that is not 1.  `residues` are the base address and each stride in bytes, all
    modulo `RESIDUE_BYTES`, for rows that are aligned to less; without any, nothing is known.
    `dense` is told of a row-major array without gaps where it matters: how many elements lie
    between its first index and the next, and the alignment of its first element alone.  `near` says
    that `is_near` holds: the host tells near arrays from others, and neither gets the other's code.
    `large` is told on a CPU of arrays that its caches cannot hold, so that they come from memory.
    """

    strides: tuple[int | None, ...]
    alignment: int = 1
    residues: tuple[int, ...] = ()
    dense: tuple[int, int] | None = None
    near: bool = False
    large: bool = False


def is_near(shape: Sequence[int], strides: Sequence[int], size: int) -> bool:
    """Whether no sum of whole steps inside an array moves further than `NEAR_BYTES`.

    `strides` count elements of `size` bytes.  An extent counts as 2 at least and a stride as 1, so
    that each extent and each stride by itself is within the limit, too.
    """
    moves = (max(n - 1, 1) * max(abs(step), 1) for n, step in zip(shape, strides, strict=True))
    return sum(moves) * size <= NEAR_BYTES


def residues_of(
    address: int, shape: Sequence[int], strides: Sequence[int], size: int
) -> tuple[int, ...]:
    """The residues of an array whose strides count elements of `size` bytes.

    The stride of a dimension of one element moves nothing and counts as 0.
    """
    moves = (0 if n <= 1 else step * size for n, step in zip(shape, strides, strict=True))
    return tuple(value % RESIDUE_BYTES for value in (address, *moves))


def aligned(size: int) -> int:
    """A size or an address in bytes, rounded up to where code may rely on all its alignment."""
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


# Strides that code is made for; on a CPU of the last dimension also those of rows that are read
# backwards or in small steps: a whole vector holds several of their elements.
_TOLD_APART = frozenset({0, 1})
_TOLD_APART_LAST = frozenset({-1, 0, 1, 2, 3, 4})


def stride_class(
    shape: Sequence[int], strides: Sequence[int], *, steps: bool = True
) -> tuple[int | None, ...]:
    """The strides, in elements, that code is made for: 0 and 1, in the last place -1 to 4.

    The others are None.  An extent of 1 makes the stride of its dimension meaningless; it counts as
    1 in the last place, so that a column taken out of a matrix is not a case of its own.  Without
    `steps` the last place is told no more of than the others: a lane of a GPU takes one element of
    such a row at a time, whatever the step is.
    """
    if not shape:
        return ()
    before = (step if step in _TOLD_APART else None for step in strides[:-1])
    known = _TOLD_APART_LAST if steps else _TOLD_APART
    last = strides[-1] if strides[-1] in known else None
    return (*before, 1 if shape[-1] <= 1 else last)


def layout_facts(
    shape: Sequence[int],
    strides: Sequence[int],
    size: int,
    address: int = 0,
    *,
    steps: bool = True,
) -> ViewFacts:
    """What code may rely on of an array: strides (`stride_class`), and the alignment of every row.

    `strides` count elements of `size` bytes; `address` is that of the first element, 0 where it is
    aligned to whatever matters.  Of rows that no wide access suits, it is how far behind an aligned
    place each begins.
    """
    moves = [step * size for n, step in zip(shape, strides, strict=True) if n > 1 and step != 1]
    base = gcd(ALIGNMENT_BYTES, address)
    starts = gcd(base, *moves)
    residues = residues_of(address, shape, strides, size) if starts < RESIDUE_BYTES else ()
    return ViewFacts(
        stride_class(shape, strides, steps=steps),
        starts,
        residues,
        _dense(shape, strides, base),
        is_near(shape, strides, size),
    )


def _dense(shape: Sequence[int], strides: Sequence[int], alignment: int) -> tuple[int, int] | None:
    """The elements of a row and the alignment of the first, of a row-major array without gaps."""
    if len(shape) < 2 or 0 in shape:
        return None
    step = 1
    for n, stride in zip(reversed(shape[1:]), reversed(strides[1:]), strict=True):
        if n != 1 and stride != step:
            return None
        step *= n
    return (step, alignment) if shape[0] == 1 or strides[0] == step else None


def row_major_facts(shape: Sequence[int], size: int) -> ViewFacts:
    """The facts of a C-ordered, aligned array of elements of `size` bytes.

    Only the last stride is a constant: the others follow from run-time extents.
    """
    steps = [prod(shape[dim + 1 :]) for dim in range(len(shape))]
    strides = (*(None for _ in shape[1:]), 1) if shape else ()
    return replace(layout_facts(shape, steps, size), strides=strides)


@record
class HostValue:
    """Where a scalar parameter's value comes from when arguments are bound.

    `extent`: `view.shape[dim]`; `stride`: `view`'s stride along `dim`, in elements; `programs`: the
    product of the extents listed in `factors`; `groups`: the groups of `dim` programs that this
    product fills, the last perhaps in part; `argument`: the scalar argument `view`.
    """

    kind: Literal["extent", "stride", "programs", "groups", "argument"]
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
                return self._product(extent, stride, argument)
            case "groups":
                return -(-self._product(extent, stride, argument) // self.dim)

    def _product(
        self,
        extent: Callable[[str, int], int],
        stride: Callable[[str, int], int],
        argument: Callable[[str], int | float | bool],
    ) -> int:
        return prod(
            factor if isinstance(factor, int) else int(factor.evaluate(extent, stride, argument))
            for factor in self.factors
        )
