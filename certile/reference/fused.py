"""Fused multiply-add of float32 and float64 arrays, with the one rounding that NumPy lacks.

In: arrays of one of the formats, of shapes that broadcast.  Out: a * b + c, rounded once.  Decides:
which float64 elements the vectorised way serves; the others, near the ends of the exponent range,
are computed as fractions.  The interpreters and the vector math of `certile.lower` share it.

The way is that of Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
algorithms using rounding to odd" (2008).  In float64: the product as an exact pair, the sum of its
low part and c rounded to odd, then one rounded addition.  In float32 the product is exact in
float64; the sum is rounded to odd there, and a value rounded to odd with at least two spare bits
rounds on to float32 as the exact sum would.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["fma_f32", "fma_f64"]

Array: TypeAlias = npt.NDArray[Any]

# Veltkamp's factor halves the digits of a float64.
_SPLITTER = 2.0**27 + 1
# Below, no step overflows.
_LARGEST = 2.0**990
# Above, the low part of a product is exact.
_LEAST_PRODUCT = 2.0**-900


def fma_f32(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of float32 arrays with one rounding.

    Shapes broadcast; the result is float32.  Infinities and NaN follow IEEE arithmetic.
    """
    product = a.astype(np.float64) * b
    addend = c.astype(np.float64)
    total = np.asarray(product + addend)
    # Two-sum: the exact error of `total`, NaN where it is not finite.
    high = total - product
    error = (product - (total - high)) + (addend - high)
    pattern = total.view(np.int64)
    # Towards zero or away from it, by one step, where the last bit is even and bits were lost.
    step = np.where((error > 0) == (total > 0), 1, -1)
    inexact = (error != 0) & (np.abs(total) < np.inf) & ((pattern & 1) == 0)
    odd = (pattern + np.where(inexact, step, 0)).view(np.float64)
    return np.asarray(odd.astype(np.float32))


def fma_f64(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of float64 arrays with one rounding.

    Shapes broadcast.  Infinities and NaN follow IEEE arithmetic.
    """
    a, b, c = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (a, b, c)))
    plain = np.asarray(a * b)
    naive = np.asarray(plain + c)
    size = np.abs(plain)
    # A zero factor, an infinity or a NaN: the product is exact, or there is nothing to round.
    exact = (a == 0) | (b == 0) | ~np.isfinite(a) | ~np.isfinite(b) | ~np.isfinite(c)
    # A product that no c brings back from infinity.
    exact |= np.frexp(a)[1] + np.frexp(b)[1] > 1027
    # A product too small to move c by half a unit.
    vanishing = (size < _LEAST_PRODUCT) & (np.abs(c) > 2.0**-800)
    sizes = (np.abs(a), np.abs(b), np.abs(c), size)
    small = np.logical_and.reduce([at < _LARGEST for at in sizes])
    regular = small & (size >= _LEAST_PRODUCT)
    result = np.where(exact, naive, np.where(vanishing, c, _by_pairs(a, b, c)))
    left = np.nonzero(~(exact | vanishing | regular))
    if left[0].size:
        result[left] = [_one(*args) for args in zip(a[left], b[left], c[left], strict=True)]
    return result


def _two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    total = x + y
    other = total - x
    return total, (x - (total - other)) + (y - other)


def _halves(x: Array) -> tuple[Array, Array]:
    scaled = x * _SPLITTER
    high = scaled - (scaled - x)
    return high, x - high


def _by_pairs(a: Array, b: Array, c: Array) -> Array:
    """The sum where neither it nor a step of it leaves the normal numbers."""
    high = a * b
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    low = ((ah * bh - high) + ah * bl + al * bh) + al * bl
    upper, lower = _two_sum(c, low)
    total, rest = _two_sum(high, upper)
    return np.asarray(total + _odd_sum(rest, lower))


def _odd_sum(x: Array, y: Array) -> Array:
    """x + y rounded to odd: towards or away from zero to an odd last bit where bits are lost."""
    total, error = _two_sum(x, y)
    pattern = np.asarray(total).view(np.int64)
    step = np.where((error > 0) == (total > 0), 1, -1)
    inexact = (error != 0) & np.isfinite(total) & ((pattern & 1) == 0)
    return np.asarray((pattern + np.where(inexact, step, 0)).view(np.float64))


def _one(a: float, b: float, c: float) -> float:
    """One finite sum, as a fraction."""
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if exact == 0:
        # The sign of a sum of nothing is that of the rounded one.
        return a * b + c
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
