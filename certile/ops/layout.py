"""How a caller's arrays are seen as rows and columns, without a copy.

In: extents, which dimensions are columns, and the strides of every array of a call.  Out: for each
array a shape and strides of the fewest dimensions: rows first, then columns.  Decides which
dimensions are stepped through as one, and how element-wise work is cut into rows.  Leaves
addresses, and what is computed, to others.

An array need not span every dimension: a vector along the columns has no strides for the rows, a
result of a reduction none for the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Final, NamedTuple

from certile.records import record

# One stride a dimension, in elements; None where the array does not span the dimension.
Steps = tuple[int | None, ...]

# A row of element-wise work: long enough for full vectors and cheap row changes, short enough that
# a megabyte gives every core several rows.
_LONGEST_ROW: Final = 4096
_SHORTEST_ROW: Final = 256
_USUAL_ROW: Final = 2048

# A row this long is worth a second launch, and chunks of it stay in a core's own cache.
_WORTH_SHARING: Final = 1 << 17
_LONGEST_CHUNK: Final = 1 << 14

# Rows of memory that are read as one are this long: a run for every thread, sums in a nearby cache.
_WIDEST_TURN: Final = 4096

# Programs that share a group where neighbours in memory belong to neighbouring programs.
_ADJOINING: Final = 64


class Strided(NamedTuple):
    """One array as a kernel is to see it."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @classmethod
    def contiguous(cls, *shape: int) -> Strided:
        """A C-ordered array."""
        return cls(shape, contiguous_strides(shape))


@record
class Arrangement:
    """The arrays of one call as rows and columns; `kept` counts the row dimensions."""

    kept: int
    arrays: tuple[Strided, ...]


def arrange(
    extents: Sequence[int],
    columns: Sequence[int],
    arrays: Sequence[Steps],
    *,
    in_order: bool = True,
) -> Arrangement:
    """Return the arrays with their rows first.

    Rows stand in the order in which the first array lies in memory, so that neighbouring rows are
    neighbours there.  `columns` are dimensions in the order in which a reduction takes them; one
    that may take them in any order says so by `in_order`, and they stand as in memory too.  At
    least one dimension is a row's and one a column's; the caller puts in one of extent 1 where the
    array lacks it.
    """
    rows = [dim for dim in range(len(extents)) if dim not in columns]
    rows = _as_in_memory(rows, arrays[0])
    columns = list(columns) if in_order else _as_in_memory(columns, arrays[0])
    row_dims = collapsed(extents, rows, arrays)
    column_dims = collapsed(extents, columns, arrays)
    views = []
    for at in range(len(arrays)):
        spanned = [(n, steps[at]) for n, steps in (*row_dims, *column_dims)]
        present = [(n, step) for n, step in spanned if step is not None]
        views.append(Strided(tuple(n for n, _ in present), tuple(step for _, step in present)))
    return Arrangement(len(row_dims), tuple(views))


def _as_in_memory(dims: Sequence[int], steps: Steps) -> list[int]:
    """Return dimensions with the longest steps outermost; those that take no step come first."""
    return sorted(dims, key=lambda dim: -abs(steps[dim] or 0) if steps[dim] else -inf)


def memory_order(shape: Sequence[int], strides: Sequence[int]) -> tuple[int, ...] | None:
    """Return the dimensions as they follow each other in memory, the outermost first.

    None where that is C order, and where elements repeat or there are none: they have no order.
    Dimensions of one element stay in their places.
    """
    spanned = [dim for dim, n in enumerate(shape) if n != 1]
    if any(shape[dim] == 0 or strides[dim] == 0 for dim in spanned):
        return None
    moved = iter(sorted(spanned, key=lambda dim: -abs(strides[dim])))
    order = tuple(next(moved) if n != 1 else dim for dim, n in enumerate(shape))
    return None if order == tuple(range(len(shape))) else order


class Parts(NamedTuple):
    """A reduction in two launches: of each part into scratch, and of the parts into results.

    `cut` is the array as the first launch sees it, with `cut_kept` dimensions of rows, and `made`
    what it writes; `read` is that as the second launch sees it, with `kept` dimensions of rows.
    """

    kept: int
    cut_kept: int
    cut: Strided
    made: Strided
    read: Strided


def in_parts(arrangement: Arrangement, threads: int) -> Parts | None:
    """Return few rows of many columns cut into parts, each part of a row a row of its own.

    None where there are rows for all `threads`, or no useful length divides the outermost columns.
    The first array is the one that is reduced.
    """
    kept = arrangement.kept
    shape, strides = arrangement.arrays[0]
    rows, n, step = shape[:kept], shape[kept], strides[kept]
    adjoin = strides[kept - 1] == 1 and strides[-1] != 1
    few = -(-prod(rows) // _ADJOINING) if adjoin else prod(rows)
    if few >= threads or prod(shape) < _WORTH_SHARING:
        return None
    if adjoin and len(shape) == kept + 1 and step == rows[-1]:
        return _in_turns(arrangement)
    length = _part(n, _LONGEST_CHUNK // (prod(shape) // n), whole_vectors=not adjoin)
    if length is None:
        return None
    parts = n // length
    return Parts(
        kept,
        kept + 1,
        Strided(
            (parts, *rows, length, *shape[kept + 1 :]),
            (step * length, *strides[:kept], step, *strides[kept + 1 :]),
        ),
        Strided.contiguous(parts, *rows),
        Strided((*rows, parts), (*contiguous_strides(rows), prod(rows))),
    )


def _in_turns(arrangement: Arrangement) -> Parts | None:
    """Return columns dealt to parts in turn, where rows of memory follow each other without a gap.

    Some rows of memory are then one longer row, and a part of it belongs to each of them.
    """
    kept = arrangement.kept
    shape, strides = arrangement.arrays[0]
    rows, n, width = shape[: kept - 1], shape[kept], shape[kept - 1]
    most = _WIDEST_TURN // width
    parts = next((p for p in range(most, max(1, most // 8), -1) if n % p == 0 and n > p), None)
    if parts is None:
        return None
    wide = width * parts
    outer = tuple(step * wide for step in contiguous_strides(rows))
    return Parts(
        kept,
        kept,
        Strided((*rows, wide, n // parts), (*strides[: kept - 1], 1, wide)),
        Strided.contiguous(*rows, wide),
        Strided((*rows, width, parts), (*outer, 1, width)),
    )


def _part(n: int, longest: int, *, whole_vectors: bool) -> int | None:
    """Return a divisor of `n`, below it, of `longest` or little less; None if there is none."""
    longest = min(longest, n // 2)
    for step in (16, 1) if whole_vectors else (1,):
        found = range(longest // step * step, max(1, longest // 8), -step)
        length = next((part for part in found if n % part == 0), None)
        if length is not None:
            return length
    return None


def in_chunks(arrangement: Arrangement, threads: int) -> Arrangement | None:
    """Return long rows cut into chunks, the chunks being rows of their own.

    None where there are rows for all `threads`, or no useful length divides them.  All arrays span
    rows and columns.
    """
    shape = arrangement.arrays[0].shape
    few = prod(shape[: arrangement.kept]) < threads
    if not few or len(shape) != arrangement.kept + 1 or shape[-1] < _WORTH_SHARING:
        return None
    tried = range(_LONGEST_CHUNK, _LONGEST_CHUNK // 8, -16)
    length = next((chunk for chunk in tried if shape[-1] % chunk == 0), None)
    if length is None:
        return None
    cut = tuple(
        Strided(
            (*each.shape[:-1], shape[-1] // length, length),
            (*each.strides[:-1], each.strides[-1] * length, each.strides[-1]),
        )
        for each in arrangement.arrays
    )
    return Arrangement(arrangement.kept + 1, cut)


def collapsed(
    extents: Sequence[int], dims: Sequence[int], arrays: Sequence[Steps]
) -> list[tuple[int, Steps]]:
    """Join neighbouring dimensions that every array steps through as if they were one."""
    joined: list[tuple[int, Steps]] = []
    for dim in dims:
        n, steps = extents[dim], tuple(array[dim] for array in arrays)
        if n == 1:
            continue
        if joined and _continues(joined[-1][1], steps, n):
            joined[-1] = (joined[-1][0] * n, steps)
        else:
            joined.append((n, steps))
    return joined or [(1, _of_one_element(dims, arrays))]


def _continues(outer: Steps, inner: Steps, n: int) -> bool:
    return all(
        far is near is None or (far is not None and near is not None and far == near * n)
        for far, near in zip(outer, inner, strict=True)
    )


def _of_one_element(dims: Sequence[int], arrays: Sequence[Steps]) -> Steps:
    """Return strides for a dimension of extent 1, which nobody steps along: 1, the usual one."""
    return tuple(None if array[dims[0]] is None else 1 for array in arrays)


class Piece(NamedTuple):
    """A part of element-wise work: an offset in elements for each array, and the arrangement."""

    offsets: tuple[int, ...]
    arrangement: Arrangement


def elementwise(
    extents: Sequence[int], arrays: Sequence[tuple[int, ...]], *, on_host: bool = True
) -> tuple[Piece, ...]:
    """Return element-wise work as one or two pieces of rows.

    The last array decides the order of dimensions: it is written, so its neighbours are to be
    neighbours in a row.  Arrays that are one run of memory are cut into rows of a length that
    divides them, or into rows of a usual length and the rest.  A GPU shares such a run among its
    threads whatever its rows are, so there it is one piece, of rows of one element.
    """
    order = sorted(range(len(extents)), key=lambda dim: -abs(arrays[-1][dim]))
    dims = collapsed(extents, order, arrays)
    if len(dims) > 1:
        return (Piece((0,) * len(arrays), _as_rows(dims)),)
    n, steps = dims[0]
    if not on_host and all(step == 1 for step in steps):
        return (Piece((0,) * len(arrays), _as_rows([(n, steps), (1, steps)])),)
    length = row_length(n)
    whole = n // length
    pieces = []
    for first, rows, columns in ((0, whole, length), (whole * length, 1, n - whole * length)):
        if rows and columns:
            cut = [(rows, _scaled(steps, columns)), (columns, steps)]
            pieces.append(Piece(tuple(int(s or 0) * first for s in steps), _as_rows(cut)))
    return tuple(pieces)


def _scaled(steps: Steps, factor: int) -> Steps:
    return tuple(None if step is None else step * factor for step in steps)


def _as_rows(dims: Sequence[tuple[int, Steps]]) -> Arrangement:
    """Return the dimensions with the last as columns and all others as rows."""
    shape = tuple(n for n, _ in dims)
    arrays = zip(*(steps for _, steps in dims), strict=True)
    views = tuple(Strided(shape, tuple(int(s or 0) for s in steps)) for steps in arrays)
    return Arrangement(len(dims) - 1, views)


def row_length(n: int) -> int:
    """Return the length of the rows that `n` elements in one run are cut into.

    The longest divisor in a useful range, if possible one of whole vectors; a usual length where
    there is none, which leaves a rest.
    """
    if n <= _SHORTEST_ROW:
        return n
    for step in (64, 16, 1):
        for length in range(_LONGEST_ROW // step * step, _SHORTEST_ROW - 1, -step):
            if n % length == 0:
                return length
    return _USUAL_ROW if n >= _USUAL_ROW else n


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of a C-ordered array, in elements."""
    return tuple(prod(shape[dim + 1 :]) for dim in range(len(shape)))
