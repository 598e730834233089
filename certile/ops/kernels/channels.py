"""Kernels that normalise groups of channels where the channels of a place adjoin in memory.

In: an array as places by channels, which may be `channels_last` or have its channels last.  Out: a
view like it.  Decides the formulas: three launches, each of which reads and writes memory in long
runs, while the elements of one group are many short ones.  Leaves which places stand side by side
to `certile.ops.channels`.

A variance of parts is the mean of theirs and of the squared deviations of their means (Chan, Golub
and LeVeque, 1983), parts of one length having one weight.
"""

from __future__ import annotations

import certile as ct
from certile.ops.kernels.domain import count, each, rows_and_columns, wide
from certile.ops.kernels.rows import summed


@ct.tile_kernel
def moments_kernel(
    x: ct.View,
    first: ct.View,
    mean: ct.View,
    variance: ct.View,
    residual: ct.View | None = None,
    kept: ct.constexpr = 3,
) -> None:
    """The first element of each row, and the mean and variance of the row less that element.

    The difference is exact where elements lie close together, which is where a mean rounded to f32
    would lose their deviations.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        start = wide(summed(x, residual, None, (*r, *(0 for _ in cols))), first)
        v = wide(summed(x, residual, None, (*r, *cols)), first)
        mu, squares = ct.reduce(v - start, cols, ct.mean_var)
        first[*r] = start
        mean[*r] = mu
        variance[*r] = squares


@ct.tile_kernel
def factors_kernel(  # noqa: PLR0913 - one view each
    first: ct.View,
    mean: ct.View,
    variance: ct.View,
    start: ct.View,
    factor: ct.View,
    summand: ct.View,
    eps: float,
    weight: ct.View | None = None,
    bias: ct.View | None = None,
    kept: ct.constexpr = 2,
) -> None:
    """What makes the normalised v of a group: (v - start) · factor + summand, for each channel.

    A row holds what `moments_kernel` gave for the parts of a group.  `start` is the first element
    of the group, from which all deviations are counted as in `standardised`.  Results stand once
    for each place that is taken together with others.
    """
    rows, cols = rows_and_columns(first, kept)
    together, channel = rows_and_columns(start, kept)[1]
    for r in each(rows):
        origin = first[*r, *(0 for _ in cols)]
        means = first[*r, *cols] - origin + mean[*r, *cols]
        middle = ct.reduce(means, cols, ct.add) / count(cols)
        d = means - middle
        spread = ct.reduce(ct.fma(d, d, variance[*r, *cols]), cols, ct.add) / count(cols)
        scale = ct.rsqrt(spread + eps)
        by = scale if weight is None else scale * wide(weight[r[-1], channel])
        moved = -middle * by
        start[*r, together, channel] = origin
        factor[*r, together, channel] = by
        summand[*r, together, channel] = (
            moved if bias is None else moved + wide(bias[r[-1], channel])
        )


@ct.tile_kernel
def scaled_kernel(  # noqa: PLR0913 - one view each
    x: ct.View,
    y: ct.View,
    start: ct.View,
    factor: ct.View,
    summand: ct.View,
    residual: ct.View | None = None,
    h: ct.View | None = None,
    kept: ct.constexpr = 2,
) -> None:
    """(x - start) · factor + summand, of vectors that all rows of an example share.

    The first row dimension counts examples.  `h`, if given, takes x + residual.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(summed(x, residual, h, (*r, *cols)), y)
        d = v - start[r[0], *cols]
        y[*r, *cols] = ct.fma(d, factor[r[0], *cols], summand[r[0], *cols])
