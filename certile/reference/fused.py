"""Fused multiply-add of float64 arrays, with the one rounding that NumPy does not offer.

In: float64 arrays of shapes that broadcast.  Out: a * b + c, rounded once.  Decides: which
elements the vectorised way serves; the others, near the ends of the exponent range, are computed
as fractions.  The interpreters and the vector math of `certile.lower` share it.

The way is that of Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums: proved
algorithms using rounding to odd" (2008): the product as an exact pair, the sum of its low part
and c rounded to odd, then one rounded addition.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["fma_f64"]

Array: TypeAlias = npt.NDArray[Any]

# Veltkamp's factor halves the digits of a float64.
_SPLITTER = 2.0**27 + 1
# Below, no step overflows.
_LARGEST = 2.0**990
# Above, the low part of a product is exact.
_LEAST_PRODUCT = 2.0**-900


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
