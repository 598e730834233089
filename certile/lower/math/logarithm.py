"""log, log2 and log1p as straight-line expansions.

In: an `Arith` builder and one value.  Out: the result in its format.  Decides: reduction,
polynomial and special values.  Leaves to others: coefficients come from `scripts/fit_math.py`.

A positive x is m * 2**e with sqrt(1/2) <= m < sqrt(2), so that the logarithm of m never cancels
against that of 2**e down to nothing.  f = m - 1 is exact.  In f32 log(1 + f) is a polynomial in
f; f64 would need one of degree 25, so there it is a polynomial in the square of s = f / (2 + f).
"""

from collections.abc import Mapping
from typing import Generic

from certile.lower.math.arith import F32, F64, Arith, Format, V
from certile.lower.math.shared import (
    LN2_HIGH,
    LN2_LOW,
    Number,
    horner,
    with_sign_of,
)
from certile.records import record

# The bits of the number next to sqrt(1/2), where the range of m begins.
ROOT_HALF_BITS: Mapping[Format, int] = {F32: 0x3F3504F3, F64: 0x3FE6A09E667F3BCD}

# In f32: (log(1 + f) - f) / f**2 on sqrt(1/2) - 1 <= f <= sqrt(2) - 1.
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
# In f64: (log(1 + f) - 2 * s) / s**3 in s**2 for s = f / (2 + f). Relative error 2**-59.4.
LOG_OF_RATIO = (
    0.6666666666666725,
    0.3999999999947012,
    0.2857142873098006,
    0.22222199672232018,
    0.18183510179138793,
    0.15315372906129468,
    0.14783254006529384,
)
LOG2_E_HIGH: Number = {F32: 1.4426950216293335, F64: 1.4426950408889634}
LOG2_E_LOW: Number = {F32: 1.925963033500011e-08, F64: 2.0355273740931033e-17}


@record
class Split(Generic[V]):
    """x = (1 + f) * 2**exponent; the exponent is an integer."""

    exponent: V
    f: V


def _exponent_bits(b: Arith[V], x: V) -> V:
    """Return the integer e * 2**fraction_bits for a positive normal x = m * 2**e."""
    offset = b.isub(b.bits(x), b.iconst(ROOT_HALF_BITS[b.format]))
    return b.ishl(b.ishr(offset, b.format.fraction_bits), b.format.fraction_bits)


def split(b: Arith[V], x: V) -> Split[V]:
    """Split a positive finite x; other values give a finite or NaN result that is not used."""
    width = b.format.fraction_bits
    subnormal = b.lt(x, b.const(b.format.least_normal))
    # The factor takes every subnormal to a normal number.
    normal = b.select(subnormal, b.mul(x, b.const(2.0**width)), x)
    shifted = _exponent_bits(b, normal)
    m = b.float_of(b.isub(b.bits(normal), shifted))
    correction = b.select(subnormal, b.iconst(-width), b.iconst(0))
    exponent = b.iadd(b.ishr(shifted, width), correction)
    return Split(exponent, b.sub(m, b.const(1.0)))


def _outside(b: Arith[V], x: V, zero: V, regular: V) -> V:
    """Fix the result where x - zero is not positive and finite: -inf, NaN, inf."""
    below = b.select(b.eq(x, zero), b.const(float("-inf")), b.const(float("nan")))
    finite = b.select(b.lt(x, b.const(float("inf"))), regular, x)
    return b.select(b.le(x, zero), below, finite)


def _curved(b: Arith[V], f: V) -> V:
    """Return log(1 + f) - f in f64: s * (f**2/2 + r) - f**2/2, where 2 * s + s * r is the log."""
    s = b.div(f, b.add(b.const(2.0), f))
    square, half = b.mul(s, s), b.mul(b.mul(f, f), b.const(0.5))
    r = b.mul(square, horner(b, square, LOG_OF_RATIO))
    return b.fma(s, b.add(half, r), b.neg(half))


def _natural(b: Arith[V], exponent: V, f: V) -> V:
    """Return exponent * ln 2 + log(1 + f).

    log(1 + f) is rounded on its own before the fma: it is the small part, so its rounding
    counts less than that of a sum that begins with exponent * ln 2.
    """
    e = b.to_float(exponent)
    low = b.mul(e, b.const(LN2_LOW[b.format]))
    if b.format is F32:
        tail = b.fma(b.mul(f, f), horner(b, f, LOG), low)
    else:
        tail = b.add(_curved(b, f), low)
    return b.fma(e, b.const(LN2_HIGH[b.format]), b.add(f, tail))


def log(b: Arith[V], x: V) -> V:
    """Return the natural logarithm: -inf for zeros, NaN below, inf for inf."""
    parts = split(b, x)
    return _outside(b, x, b.const(0.0), _natural(b, parts.exponent, parts.f))


def log2(b: Arith[V], x: V) -> V:
    """Return the base-2 logarithm, exact for powers of two: -inf for 0, NaN below, inf for inf."""
    parts = split(b, x)
    f = parts.f
    slope, low = b.const(LOG2_E_HIGH[b.format]), b.mul(f, b.const(LOG2_E_LOW[b.format]))
    if b.format is F32:
        tail = b.fma(b.mul(f, f), horner(b, f, LOG2), low)
    else:
        tail = b.fma(_curved(b, f), slope, low)
    regular = b.add(b.to_float(parts.exponent), b.fma(f, slope, tail))
    return _outside(b, x, b.const(0.0), regular)


def log1p(b: Arith[V], x: V) -> V:
    """Return log(1 + x) with the sign of x, -0 included: -inf for -1, NaN below, inf for inf.

    The exponent is that of 1 + x, but f = x * 2**-e + (2**-e - 1) is taken from x itself, with
    one rounding.  2**-e is built as 4 * 2**-e and the scaling of x is done on its exponent, so
    that e = 128 (1024 in f64), which the largest x reach, stays within normal numbers.
    """
    shifted = _exponent_bits(b, b.add(x, b.const(1.0)))
    scaled = b.float_of(b.isub(b.bits(x), shifted))
    four_over = b.float_of(b.isub(b.bits(b.const(4.0)), shifted))
    f = b.add(scaled, b.fma(b.const(0.25), four_over, b.const(-1.0)))
    regular = _natural(b, b.ishr(shifted, b.format.fraction_bits), f)
    return _outside(b, x, b.const(-1.0), with_sign_of(b, regular, x))
