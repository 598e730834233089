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
        v = wide(x[*r, *cols], y)
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        # One division a row: vectors divide at a tenth of the speed at which they multiply.
        y[*r, *cols] = e * (1.0 / ct.reduce(e, cols, ct.add))


@ct.tile_kernel
def log_softmax_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """row - log(sum(exp(row)))."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
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
        v = wide(x[*r, *cols], total)
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
        d = wide(x[*r, *cols], y) - top
        y[*r, *cols] = d - ct.log(s) if logarithm else ct.exp(d) * (1.0 / s)


@ct.tile_kernel
def l2_norm_kernel(x: ct.View, y: ct.View, eps: float, kept: ct.constexpr = 1) -> None:
    """row / max(length of row, eps)."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
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
        v = wide(summed(x, residual, h, (*r, *cols)), y)
        y[*r, *cols] = affine(root_mean_scaled(v, cols, eps), weight, None, (*r, *cols))


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

    The row is x + residual where there is one; `h`, if given, takes that sum.  `weight` and `bias`
    span the columns, or all of x where they differ between rows.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        first = wide(summed(x, residual, None, (*r, *(0 for _ in cols))), y)
        v = wide(summed(x, residual, h, (*r, *cols)), y)
        y[*r, *cols] = affine(standardised(v, first, cols, eps), weight, bias, (*r, *cols))


@ct.tile_kernel
def channels_norm_kernel(  # noqa: PLR0913 - one view each
    x: ct.View,
    y: ct.View,
    eps: float,
    weight: ct.View | None = None,
    bias: ct.View | None = None,
    residual: ct.View | None = None,
    h: ct.View | None = None,
    channels_inside: ct.constexpr = False,
    kept: ct.constexpr = 1,
) -> None:
    """`layer_norm_kernel` of two column dimensions, one of them the channels, in loops over one.

    A tile over both would need the channel of each lane; here a loop knows it, or it is the lane.
    `h` is stored last, as it may be x or `residual` itself, which every loop reads.
    """
    rows, (outer, inner) = rows_and_columns(x, kept)
    elements = count((outer, inner))
    for r in each(rows):
        first = wide(summed(x, residual, None, (*r, 0, 0)), y)
        total, squares = ct.carry(0.0, first.dtype), ct.carry(0.0, first.dtype)
        for o in ct.serial(outer):
            v = wide(summed(x, residual, None, (*r, o, inner)), y)
            total.value = total.value + ct.reduce(v - first, inner, ct.add)
        mean = total.value / elements
        for o in ct.serial(outer):
            d = wide(summed(x, residual, None, (*r, o, inner)), y) - first - mean
            squares.value = squares.value + ct.reduce(d * d, inner, ct.add)
        scale = ct.rsqrt(squares.value / elements + eps)
        for o in ct.serial(outer):
            d = wide(summed(x, residual, h, (*r, o, inner)), y) - first - mean
            channel = inner if channels_inside else 0
            y[*r, o, inner] = affine(d * scale, weight, bias, (*r, o, channel))


def summed(
    x: ct.View, residual: ct.View | None, h: ct.View | None, place: tuple[Tile | Axis | int, ...]
) -> Tile:
    """Return the row that is normalised; the sum is rounded to x's dtype, as `h` holds it."""
    v = x[place]
    if residual is not None:
        v = ct.cast(wide(v) + wide(residual[place]), v.dtype)
    if h is not None:
        h[place] = v
    return v


def root_mean_scaled(v: Tile, cols: Axes, eps: Tile | float) -> Tile:
    """Return the row divided by the root of its mean square."""
    mean_square: Tile = ct.reduce(v * v, cols, ct.add) / count(cols)
    return v * ct.rsqrt(mean_square + eps)


def standardised(v: Tile, first: Tile, cols: Axes, eps: Tile | float) -> Tile:
    """Return the row less its mean, divided by the root of its variance.

    Deviations start from an element of the row, `first`: exact where all lie close together, which
    is where a mean rounded to f32 would lose them.  fma makes the same difference a value of its
    own, so the row is read again and not kept twice.
    """
    mean: Tile = ct.reduce(v - first, cols, ct.add) / count(cols)
    d = ct.fma(v, 1.0, -first) - mean
    variance = ct.reduce(d * d, cols, ct.add) / count(cols)
    return d * ct.rsqrt(variance + eps)


def affine(
    v: Tile, weight: ct.View | None, bias: ct.View | None, place: tuple[Tile | Axis | int, ...]
) -> Tile:
    """Return the normalised row, scaled and moved where there are vectors for it.

    `place` is that in x; a vector has the last of its dimensions.
    """
    if weight is not None:
        v = v * wide(weight[place[-len(weight.shape) :]])
    if bias is not None:
        v = v + wide(bias[place[-len(bias.shape) :]])
    return v
