"""pow as a straight-line expansion: 2**(y * log2(x)) with the logarithm as a pair.

In: an `Arith` builder, a base and an exponent.  Out: the power, with the special values of IEEE
754 (9.2.1, pow).  Decides: how much of the logarithm is kept.  Leaves to others: coefficients
come from `scripts/fit_math.py`.

The exponent y * log2(x) reaches 150 (1075 in f64), and what is lost of it is lost of the result
in units of its last place.  So the logarithm is kept to some 2**-36 (2**-67) of itself: log2(m) is
a series in s = (m - 1) / (m + 1) whose first two terms are pairs.
"""

from certile.lower.math.arith import F32, F64, Arith, V
from certile.lower.math.exponential import EXP2
from certile.lower.math.logarithm import split
from certile.lower.math.pairs import Pair, ordered_sum, pair_product, product
from certile.lower.math.shared import (
    Number,
    Table,
    at_least,
    at_most,
    horner,
    nearest_integer,
    sign_of,
)

# 2 / ln 2 and a third of it, each as the nearest number and the nearest to what is left.
LINEAR: Table = {
    F32: (2.885390043258667, 3.851926067000022e-08),
    F64: (2.8853900817779268, 4.0710547481862066e-17),
}
CUBIC: Table = {
    F32: (0.9617967009544373, -7.028461812552678e-09),
    F64: (0.9617966939259756, 5.0577616648125907e-17),
}
# The rest of log2(m) / s: s**4 times a polynomial in s**2.
LOG2_OF_RATIO: Table = {
    # Relative error 2**-36.8.
    F32: (
        0.5770801901817322,
        0.41185009479522705,
        0.3378143310546875,
    ),
    # Relative error 2**-73.4.
    F64: (
        0.5770780163555851,
        0.41219858311134355,
        0.3205988979135619,
        0.26230819854773024,
        0.22195227831465267,
        0.19240101121575057,
        0.16845779209286074,
        0.17276596142850434,
    ),
}
# Beyond this the power is 0 or infinite.
MOST_EXPONENT: Number = {F32: 160.0, F64: 1100.0}
# A larger exponent gives 0, 1 or infinity as this one does, and no product with it is undefined.
MOST_POWER: Number = {F32: 2.0**64, F64: 2.0**128}


def _ratio(b: Arith[V], f: V) -> Pair[V]:
    """Return f / (2 + f) as a pair."""
    two = b.const(2.0)
    total, lost = ordered_sum(b, two, f)
    inverse = b.div(b.const(1.0), total)
    high = b.mul(f, inverse)
    minus = b.neg(high)
    left = b.fma(minus, lost, b.fma(minus, total, f))
    return high, b.mul(left, inverse)


def _log2(b: Arith[V], x: V) -> Pair[V]:
    """Return log2 of a positive finite x as a pair."""
    parts = split(b, x)
    ratio = _ratio(b, parts.f)
    square = pair_product(b, ratio, ratio)
    cubic, cubic_low = (b.const(part) for part in CUBIC[b.format])
    rest = horner(b, square[0], LOG2_OF_RATIO[b.format])
    high = b.fma(square[0], rest, cubic)
    low = b.fma(square[0], rest, b.sub(cubic, high))
    tail = (high, b.add(b.fma(square[1], rest, cubic_low), low))
    above = pair_product(b, square, tail)
    linear, linear_low = (b.const(part) for part in LINEAR[b.format])
    slope, lost = ordered_sum(b, linear, above[0])
    series = pair_product(b, ratio, (slope, b.add(lost, b.add(linear_low, above[1]))))
    total, lost = ordered_sum(b, b.to_float(parts.exponent), series[0])
    return ordered_sum(b, total, b.add(lost, series[1]))


def _magnitude(b: Arith[V], a: V, y: V) -> V:
    """Return a**y for a >= 0, where neither a nor a**y tells a sign."""
    form, infinity = b.format, b.const(float("inf"))
    log, lost = _log2(b, a)
    finite = b.select(b.lt(a, infinity), log, a)
    log = b.select(b.eq(a, b.const(0.0)), b.neg(infinity), finite)
    power = at_most(b, at_least(b, y, -MOST_POWER[form]), MOST_POWER[form])
    exact, low = product(b, power, log)
    most = MOST_EXPONENT[form]
    inside = b.lt(b.abs(exact), b.const(most))
    low = b.select(inside, b.fma(power, lost, low), b.const(0.0))
    high = at_most(b, at_least(b, exact, -most), most)
    n = nearest_integer(b, high)
    return b.scale2(horner(b, b.add(b.sub(high, n), low), EXP2[form]), n)


def pow(b: Arith[V], x: V, y: V) -> V:  # noqa: A001 - the name of the function in the table
    """Return x**y: 1 for y = 0 or x = 1 even beside NaN, NaN for x < 0 where y is no integer."""
    zero, one = b.const(0.0), b.const(1.0)
    whole = b.floor(y)
    half = b.mul(y, b.const(0.5))
    none = b.iconst(0)
    negative = b.select(b.eq(whole, y), sign_of(b, x), none)
    flip = b.select(b.ne(b.floor(half), half), negative, none)
    # Added to a sign bit that is clear, the bit sets it.
    size = _magnitude(b, b.abs(x), y)
    signed = b.float_of(b.iadd(b.bits(size), flip))
    undefined = b.select(b.gt(x, b.const(float("-inf"))), b.const(float("nan")), signed)
    real = b.select(b.lt(x, zero), b.select(b.ne(whole, y), undefined, signed), signed)
    return b.select(b.eq(y, zero), one, b.select(b.eq(x, one), one, real))
