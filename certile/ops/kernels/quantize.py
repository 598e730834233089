"""Kernels that give rows of 8-bit codes, and a scale for each row.

In: a view with `kept` row dimensions.  Out: i8 codes like it, f32 scales of the rows.  Decides the
scale: the greatest magnitude over 127, so that codes are symmetric; and the rounding, half to even,
of the row over the scale as it is stored.  A row without a finite greatest magnitude has the scale
NaN, one of zeros the scale 0; the codes of both are 0.  Leaves shapes to `certile.ops`.
"""

from __future__ import annotations

from math import nan

import certile as ct
from certile.language.values import Tile
from certile.ops.kernels.domain import Axes, each, rows_and_columns, wide
from certile.ops.kernels.rows import affine, root_mean_scaled, standardised, summed

_GREATEST_CODE = 127.0


@ct.tile_kernel
def quantize_rows_kernel(x: ct.View, q: ct.View, scale: ct.View, kept: ct.constexpr = 1) -> None:
    """round(row / scale), scale = max(|row|) / 127."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        step = _step(v, cols)
        q[*r, *cols] = _codes(v, step)
        scale[*r] = step


@ct.tile_kernel
def norm_quantize_kernel(  # noqa: PLR0913 - one view each
    x: ct.View,
    q: ct.View,
    scale: ct.View,
    eps: float,
    weight: ct.View | None = None,
    residual: ct.View | None = None,
    h: ct.View | None = None,
    centred: ct.constexpr = False,
    kept: ct.constexpr = 1,
) -> None:
    """The normalised row, quantised without being stored or rounded in between.

    Normalised by its root mean square, or if `centred` by mean and variance; times `weight`.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        first = None
        if centred:
            first = wide(summed(x, residual, None, (*r, *(0 for _ in cols))))
        v = wide(summed(x, residual, h, (*r, *cols)))
        v = root_mean_scaled(v, cols, eps) if first is None else standardised(v, first, cols, eps)
        v = affine(v, weight, None, (*r, *cols))
        step = _step(v, cols)
        q[*r, *cols] = _codes(v, step)
        scale[*r] = step


def _step(v: Tile, cols: Axes) -> Tile:
    """Return the scale, rounded to f32: codes are made with the scale that the reader will use."""
    greatest = ct.reduce(ct.abs(v), cols, ct.maximum)
    step = ct.cast(greatest / _GREATEST_CODE, ct.f32)
    return ct.where(ct.isfinite(step), step, nan)


def _codes(v: Tile, step: Tile) -> Tile:
    """Return the codes; a step of f32 may be so small that a quotient lies beyond the last code."""
    quotient = ct.clamp(ct.round(v / ct.cast(step, v.dtype)), -_GREATEST_CODE, _GREATEST_CODE)
    return ct.cast(ct.where(step > 0, quotient, 0.0), ct.i8)
