"""Kernels that give one value, or two, for each row.

In: a view with `kept` row dimensions.  Out: a view of the rows.  Decides the formulas.  Leaves
dtypes and empty rows to `certile.ops.reductions`.
"""

from __future__ import annotations

from math import inf

import certile as ct
from certile.language.values import Tile
from certile.ops.kernels.domain import Axes, count, each, element, rows_and_columns, wide


@ct.tile_kernel
def sum_kernel(
    x: ct.View,
    y: ct.View,
    kept: ct.constexpr = 1,
    accumulate: ct.constexpr = ct.f32,
) -> None:
    """The sum of each row, kept in `accumulate`."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        total = ct.reduce(ct.cast(x[*r, *cols], accumulate), cols, ct.add, dtype=accumulate)
        y[*r] = ct.cast(total, y.dtype)


@ct.tile_kernel
def mean_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1, parts: ct.constexpr = 1) -> None:
    """The arithmetic mean of each row; an element may be the sum of `parts` numbers itself."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
        total = ct.reduce(v, cols, ct.add)
        y[*r] = total / (count(cols) if parts == 1 else int(count(cols)) * parts)


@ct.tile_kernel
def var_kernel(
    x: ct.View, y: ct.View, correction: ct.constexpr = 0, kept: ct.constexpr = 1
) -> None:
    """The squared deviations of each row from its mean, summed, over its length - `correction`."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        first = wide(x[*r, *(0 for _ in cols)], y)
        y[*r] = _variance(wide(x[*r, *cols], y) - first, cols, correction)


@ct.tile_kernel
def std_kernel(
    x: ct.View, y: ct.View, correction: ct.constexpr = 0, kept: ct.constexpr = 1
) -> None:
    """The square root of what `var_kernel` gives."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        first = wide(x[*r, *(0 for _ in cols)], y)
        y[*r] = ct.sqrt(_variance(wide(x[*r, *cols], y) - first, cols, correction))


def _variance(v: Tile, cols: Axes, correction: float) -> Tile:
    """Return the variance of a row less its first element, which has the same.

    The difference is exact where elements lie close together, which is where a mean rounded to f32
    would lose their deviations.  The divisor of too few elements is 0, which gives NaN or inf.
    """
    variance: Tile
    _, variance = ct.reduce(v, cols, ct.mean_var)
    if correction == 0:
        return variance
    length = int(count(cols))
    factor = length / (length - correction) if length > correction else inf
    return variance * factor


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
        y[*r] = ct.cast(ct.reduce(x[*r, *cols], cols, ct.argmax), y.dtype)


@ct.tile_kernel
def argmin_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """Where the least element of each row is first; the first NaN is less than all."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r] = ct.cast(ct.reduce(x[*r, *cols], cols, ct.argmin), y.dtype)


@ct.tile_kernel
def logsumexp_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """log(sum(exp(row))), without overflow.

    The greatest element is taken off first where it is finite.  Where it is not, nothing is: that
    gives -inf for a row of -inf, inf for a row with inf, and NaN for a row with NaN.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
        greatest = ct.reduce(v, cols, ct.maximum)
        shift = ct.where(ct.isfinite(greatest), greatest, 0.0)
        y[*r] = ct.log(ct.reduce(ct.exp(v - shift), cols, ct.add)) + shift
