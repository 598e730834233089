"""log, log2 and log1p as straight-line f32 expansions.

In: an ``Arith`` builder and one f32 value.  Out: the f32 result.  Decides: reduction, polynomial
and special values.  Leaves to others: coefficients come from ``scripts/fit_math.py``.

A positive x is m * 2**e with sqrt(1/2) <= m < sqrt(2), so that the logarithm of m never cancels
against that of 2**e down to nothing.  f = m - 1 is exact.
"""

from dataclasses import dataclass
from typing import Generic

from certile.lower.math.arith import Arith, V
from certile.lower.math.shared import (
    FRACTION_BITS,
    LN2_HIGH,
    LN2_LOW,
    horner,
    with_sign_of,
)

# The bits of the f32 next to sqrt(1/2), where the range of m begins.
ROOT_HALF_BITS = 0x3F3504F3
LEAST_NORMAL = 2.0**-126
# Takes every subnormal to a normal number.
SUBNORMAL_SCALE = 2.0**23

# (log(1 + f) - f) / f**2 on sqrt(1/2) - 1 <= f <= sqrt(2) - 1.
LOG = (
    -0.49999988079071045,
    0.33333322405815125,
    -0.2500160336494446,
    0.20002205669879913,
    -0.16608870029449463,
    0.14177437126636505,
    -0.13240014016628265,
    0.12929800152778625,
    -0.0765954852104187,
)
# (log2(1 + f) - f * log2(e)) / f**2 on the same range.
LOG2 = (
    -0.7213473320007324,
    0.4808982014656067,
    -0.3606986701488495,
    0.28857141733169556,
    -0.2395673543214798,
    0.20448657870292664,
    -0.19139081239700317,
    0.18708819150924683,
    -0.11025597900152206,
)
LOG2_E_HIGH = 1.4426950216293335
LOG2_E_LOW = 1.925963033500011e-08


@dataclass(frozen=True, slots=True)
class Split(Generic[V]):
    """x = (1 + f) * 2**exponent; the exponent is an i32."""

    exponent: V
    f: V


def _exponent_bits(b: Arith[V], x: V) -> V:
    """Return e * 2**23 as i32 for a positive normal x = m * 2**e."""
    offset = b.isub(b.bits(x), b.iconst(ROOT_HALF_BITS))
    return b.ishl(b.ishr(offset, FRACTION_BITS), FRACTION_BITS)


def _split(b: Arith[V], x: V) -> Split[V]:
    """Split a positive finite x; other values give a finite or NaN result that is not used."""
    subnormal = b.lt(x, b.const(LEAST_NORMAL))
    normal = b.select(subnormal, b.mul(x, b.const(SUBNORMAL_SCALE)), x)
    shifted = _exponent_bits(b, normal)
    m = b.float_of(b.isub(b.bits(normal), shifted))
    correction = b.select(subnormal, b.iconst(-FRACTION_BITS), b.iconst(0))
    exponent = b.iadd(b.ishr(shifted, FRACTION_BITS), correction)
    return Split(exponent, b.sub(m, b.const(1.0)))


def _outside(b: Arith[V], x: V, zero: V, regular: V) -> V:
    """Fix the result where x - zero is not positive and finite: -inf, NaN, inf."""
    below = b.select(b.eq(x, zero), b.const(float("-inf")), b.const(float("nan")))
    finite = b.select(b.lt(x, b.const(float("inf"))), regular, x)
    return b.select(b.le(x, zero), below, finite)


def _natural(b: Arith[V], exponent: V, f: V) -> V:
    """Return exponent * ln 2 + log(1 + f).

    log(1 + f) is rounded on its own before the fma: it is the small part, so its rounding
    counts less than that of a sum that begins with exponent * ln 2.
    """
    e = b.to_float(exponent)
    tail = b.fma(b.mul(f, f), horner(b, f, LOG), b.mul(e, b.const(LN2_LOW)))
    return b.fma(e, b.const(LN2_HIGH), b.add(f, tail))


def log(b: Arith[V], x: V) -> V:
    """Return the natural logarithm: -inf for zeros, NaN below, inf for inf."""
    split = _split(b, x)
    return _outside(b, x, b.const(0.0), _natural(b, split.exponent, split.f))


def log2(b: Arith[V], x: V) -> V:
    """Return the binary logarithm, exact for powers of two: -inf for zeros, NaN below."""
    split = _split(b, x)
    f = split.f
    tail = b.fma(b.mul(f, f), horner(b, f, LOG2), b.mul(f, b.const(LOG2_E_LOW)))
    regular = b.add(b.to_float(split.exponent), b.fma(f, b.const(LOG2_E_HIGH), tail))
    return _outside(b, x, b.const(0.0), regular)


def log1p(b: Arith[V], x: V) -> V:
    """Return log(1 + x) with the sign of x, -0 included: -inf for -1, NaN below.

    The exponent is that of 1 + x, but f = x * 2**-e + (2**-e - 1) is taken from x itself, with
    one rounding.  2**-e is built as 4 * 2**-e and the scaling of x is done on its exponent, so
    that e = 128, which the largest x reach, stays within normal numbers.
    """
    shifted = _exponent_bits(b, b.add(x, b.const(1.0)))
    scaled = b.float_of(b.isub(b.bits(x), shifted))
    four_over = b.float_of(b.isub(b.bits(b.const(4.0)), shifted))
    f = b.add(scaled, b.fma(b.const(0.25), four_over, b.const(-1.0)))
    regular = _natural(b, b.ishr(shifted, FRACTION_BITS), f)
    return _outside(b, x, b.const(-1.0), with_sign_of(b, regular, x))
