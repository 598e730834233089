"""Kernels that give a row for each row: softmax, normalisations.

In: views with `kept` row dimensions, vectors along the columns, and an optional residual.  Out: a
view like the first.  Decides the formulas.  Leaves shapes and dtypes to `certile.ops`.

The variance is the mean of squared deviations, in a second reduction: the mean of squares less
the square of the mean loses every digit where the mean is large.
"""

from __future__ import annotations

import certile as ct
from certile.language.values import Axis, Tile
from certile.ops.kernels.domain import Axes, count, each, rows_and_columns, wide


@ct.tile_kernel
def softmax_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """exp(row) / sum(exp(row))."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[*r, *cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def log_softmax_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """row - log(sum(exp(row)))."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        d = v - ct.reduce(v, cols, ct.maximum)
        y[*r, *cols] = d - ct.log(ct.reduce(ct.exp(d), cols, ct.add))


@ct.tile_kernel
def chunks_kernel(x: ct.View, greatest: ct.View, total: ct.View, kept: ct.constexpr = 2) -> None:
    """For each chunk of a row its greatest element, and the sum of exp(element - greatest).

    The last row dimension counts the chunks.  Where the greatest is not finite it is not taken off,
    so that infinities and NaN reach the whole row as they do in `softmax_kernel`.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        top = ct.reduce(v, cols, ct.maximum)
        greatest[*r] = top
        total[*r] = ct.reduce(ct.exp(v - ct.where(ct.isfinite(top), top, 0.0)), cols, ct.add)


@ct.tile_kernel
def from_chunks_kernel(
    x: ct.View,
    greatest: ct.View,
    total: ct.View,
    y: ct.View,
    kept: ct.constexpr = 2,
    logarithm: ct.constexpr = False,
) -> None:
    """Softmax, or its logarithm, of a row whose chunks `chunks_kernel` has summed up."""
    rows, cols = rows_and_columns(x, kept)
    chunks = ct.axis("chunks", greatest.shape[kept - 1])
    for r in each(rows):
        tops = greatest[*r[:-1], chunks]
        top = ct.reduce(tops, chunks, ct.maximum)
        s = ct.reduce(total[*r[:-1], chunks] * ct.exp(tops - top), chunks, ct.add)
        d = wide(x[*r, *cols]) - top
        y[*r, *cols] = d - ct.log(s) if logarithm else ct.exp(d) / s


@ct.tile_kernel
def l2_norm_kernel(x: ct.View, y: ct.View, eps: float, kept: ct.constexpr = 1) -> None:
    """row / max(length of row, eps)."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        length = ct.sqrt(ct.reduce(v * v, cols, ct.add))
        y[*r, *cols] = v / ct.maximum(length, eps)


@ct.tile_kernel
def rms_norm_kernel(
    x: ct.View,
    y: ct.View,
    eps: float,
    weight: ct.View | None = None,
    residual: ct.View | None = None,
    h: ct.View | None = None,
    kept: ct.constexpr = 1,
) -> None:
    """row / sqrt(mean(row²) + eps), times `weight`; the row is x + residual where there is one."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = _summed(x, residual, h, (*r, *cols))
        mean_square = ct.reduce(v * v, cols, ct.add) / count(cols)
        y[*r, *cols] = _affine(v * ct.rsqrt(mean_square + eps), weight, None, cols)


@ct.tile_kernel
def layer_norm_kernel(  # noqa: PLR0913 - one view each
    x: ct.View,
    y: ct.View,
    eps: float,
    weight: ct.View | None = None,
    bias: ct.View | None = None,
    residual: ct.View | None = None,
    h: ct.View | None = None,
    kept: ct.constexpr = 1,
) -> None:
    """(row - mean) / sqrt(variance + eps), times `weight`, plus `bias`.

    The row is x + residual where there is one; `h`, if given, takes that sum.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = _summed(x, residual, h, (*r, *cols))
        # Deviations start from the row's first element: exact where all lie close together, which
        # is where a mean rounded to f32 would lose them.  fma makes the same difference a value of
        # its own, so the row is read again and not kept twice.
        first = wide(x[*r, *(0 for _ in cols)])
        mean = ct.reduce(v - first, cols, ct.add) / count(cols)
        d = ct.fma(v, 1.0, -first) - mean
        variance = ct.reduce(d * d, cols, ct.add) / count(cols)
        y[*r, *cols] = _affine(d * ct.rsqrt(variance + eps), weight, bias, cols)


def _summed(
    x: ct.View, residual: ct.View | None, h: ct.View | None, place: tuple[Tile | Axis, ...]
) -> Tile:
    """Return the row that is normalised; the sum is rounded to x's dtype, as `h` holds it."""
    v = x[place]
    if residual is not None:
        v = ct.cast(wide(v) + wide(residual[place]), v.dtype)
    if h is not None:
        h[place] = v
    return wide(v)


def _affine(v: Tile, weight: ct.View | None, bias: ct.View | None, cols: Axes) -> Tile:
    """Return the normalised row, scaled and moved where there are vectors for it."""
    if weight is not None:
        v = v * wide(weight[*cols])
    if bias is not None:
        v = v + wide(bias[*cols])
    return v
