"""How far the addresses of an access reach, for views that the host has found near.

In: an access, the coordinates in scope, and the ranges of the terms of an address as it is built.
Out: ranges of those terms and of their sums.  A near view is one in which whole steps inside it
move no further than `certile.ir.host.NEAR_BYTES`; the indices of a checked access are inside it, so
its terms together move no further, whatever the strides are.  What lanes behind the end of an axis
compute is added, where strides are constants.  Decides nothing: `certile.lower.narrow` reads the
ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.ir.machine.fold import Range
from certile.ir.tile import (
    Broadcast,
    Cast,
    Const,
    ExtentValue,
    Iota,
    Load,
    LoopIndex,
    Map,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis, Dim
from certile.records import record

__all__ = ["Reach", "Span", "known_extent", "span_of"]


@record
class Span:
    """What is known of an access to a near view.

    Whole steps inside the view move `most` elements in all.  `inside[i]` says that index i is one
    of its dimension in every lane, whatever masks say; `extents[i]` is a length that the dimension
    has at least.
    """

    most: int
    inside: tuple[bool, ...]
    extents: tuple[int, ...]


def span_of(
    node: Load | Store, most: int, at: Sequence[Range], exists: Callable[[Axis], bool]
) -> Span:
    """The span of an access whose indices have the ranges `at` over all lanes.

    `exists` says of which axes all lanes have a coordinate that exists.  Without a mask the
    indices at all coordinates that exist are inside, which is checked when arguments are bound;
    with one, a coordinate that loops over the very dimension is.
    """
    view = node.buffer
    assert isinstance(view, View)
    extents = tuple(known_extent(node, dim) or 1 for dim in range(view.rank))
    inside = (
        (low >= 0 and high < extent)
        or (
            _is_coordinate(index, exists)
            and (node.mask is None or _loops_over(index, Dim(view.name, dim)))
        )
        for dim, (index, extent, (low, high)) in enumerate(
            zip(node.indices, extents, at, strict=True)
        )
    )
    return Span(most, tuple(inside), extents)


def known_extent(node: Load | Store, dim: int) -> int | None:
    """A length that a dimension has at least, as all coordinates of an axis are indices of it."""
    index = node.indices[dim]
    if node.mask is not None or not isinstance(index, Iota | LoopIndex):
        return None
    extent = index.axis.extent
    return extent if isinstance(extent, int) and extent else None


def _loops_over(index: Tile, dim: Dim) -> bool:
    return isinstance(index, LoopIndex) and index.axis.extent == dim


def _is_coordinate(index: Tile, exists: Callable[[Axis], bool]) -> bool:
    """Whether an index follows from coordinates that exist, and from nothing else."""
    match index:
        case LoopIndex(axis=axis) | Iota(axis=axis):
            return exists(axis)
        case Const() | ExtentValue():
            return True
        case Map() | Cast() | Broadcast():
            below = (tile for tile in index.operands() if isinstance(tile, Tile))
            return all(_is_coordinate(tile, exists) for tile in below)
        case _:
            return False


class Reach:
    """Follows an address, dimension by dimension; once lost it says nothing more."""

    def __init__(self, builder: Builder, span: Span | None) -> None:
        self._builder, self._span = builder, span
        # How far the terms so far may lie beyond the view, in elements.
        self._beyond = 0

    @property
    def furthest(self) -> int | None:
        """How far the terms so far may move together in any lane, in elements, if that is known."""
        return None if self._span is None else self._span.most + self._beyond

    def add(self, dim: int, at: Range, stride: int | Value) -> None:
        """Note that the address receives the stride times an index in the range `at`."""
        span = self._span
        if span is None or span.inside[dim]:
            return
        if isinstance(stride, int):
            beyond = max(0, at[1] - (span.extents[dim] - 1)) + max(0, -at[0])
            self._beyond += abs(stride) * beyond
        else:
            self._span = None

    def bound(self, *parts: Value) -> None:
        """Note that the address has these parts: a sum of terms so far, or one of them."""
        furthest = self.furthest
        for part in parts:
            if furthest is not None:
                self._builder.facts.meet(part, (-furthest, furthest))
