"""Activation functions, element by element.

In: a view with one row dimension or more, and one column dimension.  Out: a view like it.  Decides
the formulas.  Leaves the split of an array into rows to `certile.ops.layout`.
"""

from __future__ import annotations

from math import pi, sqrt

import certile as ct
from certile.language.values import Tile
from certile.ops.kernels.domain import Axes, each, rows_and_columns, wide


@ct.tile_kernel
def copy_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """The elements themselves, in memory of another order."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        y[*r, *cols] = x[*r, *cols]


@ct.tile_kernel
def silu_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """x · sigmoid(x)."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
        y[*r, *cols] = _silu(v)


@ct.tile_kernel
def gelu_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """x · Φ(x), Φ the distribution function of the standard normal distribution."""
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
        y[*r, *cols] = _gelu(v)


@ct.tile_kernel
def gelu_tanh_kernel(x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """The approximation x · (1 + tanh(u)) / 2, u = √(2/π)(x + 0.044715x³).

    (1 + tanh(u)) / 2 is sigmoid(2u), which keeps its digits where tanh is near -1.
    """
    rows, cols = rows_and_columns(x, kept)
    for r in each(rows):
        v = wide(x[*r, *cols], y)
        u = (v + v * v * v * 0.044715) * (2.0 * sqrt(2.0 / pi))
        y[*r, *cols] = _gated(v, u)


@ct.tile_kernel
def swiglu_kernel(
    gate: ct.View, y: ct.View, up: ct.View | None = None, kept: ct.constexpr = 1
) -> None:
    """silu(gate) · up; without `up` a row of `gate` is two halves, the gate first."""
    rows, cols = rows_and_columns(y, kept)
    for r in each(rows):
        v, factor = _halves(gate, up, y, r, cols)
        y[*r, *cols] = _silu(v) * factor


@ct.tile_kernel
def geglu_kernel(
    gate: ct.View, y: ct.View, up: ct.View | None = None, kept: ct.constexpr = 1
) -> None:
    """gelu(gate) · up; without `up` a row of `gate` is two halves, the gate first."""
    rows, cols = rows_and_columns(y, kept)
    for r in each(rows):
        v, factor = _halves(gate, up, y, r, cols)
        y[*r, *cols] = _gelu(v) * factor


def _silu(v: Tile) -> Tile:
    return _gated(v, v)


def _gated(v: Tile, u: Tile) -> Tile:
    """v · sigmoid(u) by one exponential that cannot overflow and one division.

    A sigmoid of its own rounds its quotient before v multiplies it, and costs twice the arithmetic
    where a target has a fast exponential.
    """
    e = ct.exp(-abs(u))
    return ct.where(u < 0, v * e, v) / (e + 1.0)


def _gelu(v: Tile) -> Tile:
    return v * ct.fma(ct.erf(v * sqrt(0.5)), 0.5, 0.5)


def _halves(
    gate: ct.View, up: ct.View | None, y: ct.View, row: tuple[Tile, ...], cols: Axes
) -> tuple[Tile, Tile]:
    """Return gate and factor; halves of one array lie along a dimension of two before the last."""
    if up is not None:
        return wide(gate[*row, *cols], y), wide(up[*row, *cols], y)
    return wide(gate[*row, 0, *cols], y), wide(gate[*row, 1, *cols], y)
