"""Kernels of running totals, and of the first elements in order.

In: a view with `kept` row dimensions and one column dimension.  Out: a view like it, or one of the
rows and the places in order.  Decides the formulas.  Leaves dtypes to `certile.ops.scans`.
"""

from __future__ import annotations

import certile as ct
from certile.ops.kernels.domain import each, element, rows_and_columns


@ct.tile_kernel
def cumsum_kernel(
    x: ct.View,
    y: ct.View,
    reverse: ct.constexpr = False,
    accumulate: ct.constexpr = ct.f32,
    kept: ct.constexpr = 1,
) -> None:
    """The sum of each element and all before it, or after it, kept in `accumulate`."""
    rows, (cols,) = rows_and_columns(x, kept)
    for r in each(rows):
        v = ct.cast(x[*r, cols], accumulate)
        total = ct.scan(v, cols, ct.add, reverse=reverse, dtype=accumulate)
        y[*r, cols] = ct.cast(total, y.dtype)


@ct.tile_kernel
def cummax_kernel(
    x: ct.View, y: ct.View, reverse: ct.constexpr = False, kept: ct.constexpr = 1
) -> None:
    """The greatest of each element and all before it, or after it; NaN from the first NaN on."""
    rows, (cols,) = rows_and_columns(x, kept)
    for r in each(rows):
        greatest = ct.scan(x[*r, cols], cols, ct.maximum, reverse=reverse)
        y[*r, cols] = element(greatest, y)


@ct.tile_kernel
def topk_kernel(
    x: ct.View,
    values: ct.View,
    indices: ct.View,
    largest: ct.constexpr = True,
    kept: ct.constexpr = 1,
) -> None:
    """The first elements of each row in descending or ascending order, and where they are."""
    rows, (cols,) = rows_and_columns(x, kept)
    top = ct.axis("top", int(values.shape[kept]))
    for r in each(rows):
        found, places = ct.topk(x[*r, cols], top, cols, largest=largest)
        values[*r, top] = found
        indices[*r, top] = ct.cast(places, indices.dtype)
