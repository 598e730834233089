"""Activation functions, element by element.

In: a view with one row dimension or more, and one column dimension.  Out: a view like it.  Decides
the formulas.  Leaves the split of an array into rows to `certile.ops.layout`.
"""

from __future__ import annotations

from math import pi, sqrt

import certile as ct
from certile.ops.kernels.domain import each, rows_and_columns, wide


@ct.tile_kernel
def silu_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """x · sigmoid(x)."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        y[*r, *cols] = v * ct.sigmoid(v)


@ct.tile_kernel
def gelu_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """x · Φ(x), Φ the distribution function of the standard normal distribution."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        y[*r, *cols] = v * (ct.erf(v * sqrt(0.5)) * 0.5 + 0.5)


@ct.tile_kernel
def gelu_tanh_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """The approximation x · (1 + tanh(u)) / 2, u = √(2/π)(x + 0.044715x³).

    (1 + tanh(u)) / 2 is sigmoid(2u), which keeps its digits where tanh is near -1.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols])
        u = (v + v * v * v * 0.044715) * (2.0 * sqrt(2.0 / pi))
        y[*r, *cols] = v * ct.sigmoid(u)
