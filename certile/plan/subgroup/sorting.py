"""What a sort keeps: how its elements are coded, and in how many vectors.

In: a `Sort` of static extents and a number of lanes.  Out: a `SortLayout`, from which planners
count storage and lowering allocates it.  Decides the integers that stand for elements and their
positions, and whether the row is kept whole or only its first elements are, as it streams by.
Leaves the codes themselves and the exchanges to lowering.
"""

from __future__ import annotations

from certile.ir.dtypes import DType, i32, i64
from certile.ir.tile import Sort
from certile.records import record

# Bits of the signed rank of an element, where they are not those of its dtype.
_RANK_BITS = {"bool": 2, "u8": 9, "u16": 17}


@record
class SortLayout:
    """How the elements of one sort are kept.

    `rank` is the signed integer that orders elements.  `components` are the integers kept for an
    element: the rank; or the rank above `shift` bits of position; or the rank and the position,
    where no integer holds both.  `vectors` are kept of the order: all, or, when it is `streamed`,
    a power of two that holds the first elements asked for.
    """

    rank: DType
    components: tuple[DType, ...]
    shift: int
    vectors: int
    streamed: bool

    @property
    def words(self) -> int:
        """The 4-byte words a lane keeps; a streamed row needs vectors of candidates and a limit."""
        held = self.vectors * sum(dtype.size // 4 for dtype in self.components)
        return 2 * held + self.rank.size // 4 if self.streamed else held


def sort_layout(node: Sort, lanes: int, *, streams: bool = True) -> SortLayout:
    """The layout of a sort over vectors of `lanes` elements; without `streams` it is kept whole."""
    extent, wanted = node.over.static, node.into.static
    rank = i64 if node.dtype.bits == 64 else i32
    components, shift = _components(node, rank)
    vectors = -(-extent // lanes)
    best = 1
    while best * lanes < wanted:
        best *= 2
    if streams and node.into != node.over and best * lanes < extent:
        return SortLayout(rank, components, shift, best, True)
    return SortLayout(rank, components, shift, vectors, False)


def _components(node: Sort, rank: DType) -> tuple[tuple[DType, ...], int]:
    """The integers of an element, and the bits below the rank that hold its position."""
    if not node.positions:
        return (rank,), 0
    if rank == i64:
        return (i64, i32), 0
    free = 32 - _RANK_BITS.get(node.dtype.name, node.dtype.bits)
    if free and node.over.static <= 1 << free:
        return (i32,), free
    return (i64,), 32
