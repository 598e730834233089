"""Kernels that give one value, or two, for each row.

In: a view with `kept` row dimensions.  Out: a view of the rows.  Decides the formulas.  Leaves
dtypes and empty rows to `certile.ops.reductions`.
"""

from __future__ import annotations

import certile as ct
from certile.language.values import Tile
from certile.ops.kernels.domain import Axes, count, each, element, rows_and_columns, wide


@ct.tile_kernel
def sum_kernel(
    x: ct.View,
    y: ct.View,
    kept: ct.constexpr = 1,
    accumulate: ct.constexpr = ct.f32,
    blocked: ct.constexpr = False,
) -> None:
    """The sum of each row, kept in `accumulate`."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r] = _total(ct.cast(x[*r, *cols], accumulate), cols, accumulate, blocked)


@ct.tile_kernel
def mean_kernel(
    x: ct.View, y: ct.View, kept: ct.constexpr = 1, blocked: ct.constexpr = False
) -> None:
    """The arithmetic mean of each row."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        y[*r] = _total(v, cols, v.dtype, blocked) / count(cols)


def _total(v: Tile, cols: Axes, accumulate: object, blocked: bool) -> Tile:
    """Return the sum over the columns; `blocked` sums the last axis first, then its sums.

    A lane that has a row of its own adds one element after the other.  Sums of blocks keep the
    error at that of the longest block, not of the whole row.
    """
    if blocked:
        v, cols = ct.reduce(v, cols[-1], ct.add, dtype=accumulate), cols[:-1]
    total: Tile = ct.reduce(v, cols, ct.add, dtype=accumulate)
    return total


@ct.tile_kernel
def max_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """The greatest element of each row; NaN if there is one."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r] = element(ct.reduce(x[*r, *cols], cols, ct.maximum), y)


@ct.tile_kernel
def min_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """The least element of each row; NaN if there is one."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r] = element(ct.reduce(x[*r, *cols], cols, ct.minimum), y)


@ct.tile_kernel
def min_max_kernel(x: ct.View, low: ct.View, high: ct.View, kept: ct.constexpr = 1) -> None:
    """The least and the greatest element of each row, from one reading of it."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = x[*r, *cols]
        low[*r] = element(ct.reduce(v, cols, ct.minimum), low)
        high[*r] = element(ct.reduce(v, cols, ct.maximum), high)


@ct.tile_kernel
def argmax_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """Where the greatest element of each row is first; the first NaN is greater than all."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r] = ct.reduce(x[*r, *cols], cols, ct.argmax)


@ct.tile_kernel
def argmin_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """Where the least element of each row is first; the first NaN is less than all."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r] = ct.reduce(x[*r, *cols], cols, ct.argmin)


@ct.tile_kernel
def logsumexp_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """log(sum(exp(row))), without overflow.

    The greatest element is taken off first where it is finite.  Where it is not, nothing is: that
    gives -inf for a row of -inf, inf for a row with inf, and NaN for a row with NaN.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        greatest = ct.reduce(v, cols, ct.maximum)
        shift = ct.where(ct.isfinite(greatest), greatest, 0.0)
        y[*r] = ct.log(ct.reduce(ct.exp(v - shift), cols, ct.add)) + shift
