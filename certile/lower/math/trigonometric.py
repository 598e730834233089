"""sin, cos and tan as expansions.

In: an `Arith` builder and one value.  Out: the result, for every finite argument.  Decides:
polynomials and special values: NaN for infinities, and the sign of zero is kept.  Leaves to
others: the reduction by quarter turns; coefficients come from `scripts/fit_math.py`.

The reduced argument is a pair, because the rounding of its high part alone would count half a
unit, and in tan more.
"""

from certile.lower.math.arith import F32, F64, Arith, V
from certile.lower.math.pairs import Pair, ordered_sum
from certile.lower.math.reduction import Turned, reduce_by_quarters
from certile.lower.math.shared import Table, horner, low_bits

# What sin(r) - r is of r**3, in r**2, for abs(r) <= pi/4.
SIN: Table = {
    # Relative error 2**-27.8.
    F32: (
        -0.16666655242443085,
        0.00833218265324831,
        -0.00019516826432663947,
    ),
    # Relative error 2**-57.8.
    F64: (
        -0.16666666666666635,
        0.008333333333323025,
        -0.00019841269830211185,
        2.7557313811685163e-06,
        -2.5050774587182778e-08,
        1.58976502577433e-10,
    ),
}
# What cos(r) - 1 + r**2 / 2 is of r**4, in r**2, on the same range.
COS: Table = {
    # Relative error 2**-32.8.
    F32: (
        0.04166664555668831,
        -0.0013887304812669754,
        2.4431399651803076e-05,
    ),
    # Relative error 2**-63.9.
    F64: (
        0.041666666666666595,
        -0.0013888888888873379,
        2.4801587289036845e-05,
        -2.755731422886363e-07,
        2.0875707127663944e-09,
        -1.1358841856872432e-11,
    ),
}


def _sine(b: Arith[V], turned: Turned[V], square: V) -> Pair[V]:
    """Return sin of the reduced argument as its high part and what is to be added."""
    high, low = turned.high, turned.low
    cubic = b.mul(b.mul(high, square), horner(b, square, SIN[b.format]))
    return high, b.add(cubic, b.fma(low, b.mul(square, b.const(-0.5)), low))


def _cosine(b: Arith[V], turned: Turned[V], square: V) -> Pair[V]:
    """Return cos of the reduced argument as 1 - r**2/2, rounded, and what is to be added."""
    one, half = b.const(1.0), b.mul(square, b.const(0.5))
    near = b.sub(one, half)
    lost = b.fma(b.neg(turned.high), turned.low, b.sub(b.sub(one, near), half))
    return near, b.fma(b.mul(square, square), horner(b, square, COS[b.format]), lost)


def _is_odd(b: Arith[V], n: V) -> V:
    """Return whether an integer-valued float is odd."""
    half = b.mul(n, b.const(0.5))
    return b.ne(b.floor(half), half)


def _wave(b: Arith[V], turned: Turned[V], quarters: V) -> V:
    """Return the sine after `quarters` quarter turns and the reduced argument."""
    square = b.mul(turned.high, turned.high)
    sine, cosine = _sine(b, turned, square), _cosine(b, turned, square)
    value = b.select(_is_odd(b, quarters), b.add(*cosine), b.add(*sine))
    # Bit 1 of the quarters is the sign; added to the sign bit, it flips it.
    turned_over = b.iand(low_bits(b, quarters), b.iconst(2))
    return b.float_of(b.iadd(b.bits(value), b.ishl(turned_over, b.format.bits - 2)))


def sin(b: Arith[V], x: V) -> V:
    """Return the sine; -0 for -0, NaN for infinities."""
    turned = reduce_by_quarters(b, x)
    return b.select(b.eq(x, b.const(0.0)), x, _wave(b, turned, turned.quarters))


def cos(b: Arith[V], x: V) -> V:
    """Return the cosine; NaN for infinities."""
    turned = reduce_by_quarters(b, x)
    return _wave(b, turned, b.add(turned.quarters, b.const(1.0)))


def tan(b: Arith[V], x: V) -> V:
    """Return the tangent; -0 for -0, NaN for infinities.

    It is sin/cos of the reduced argument, or -cos/sin after an odd number of quarter turns, with
    both as pairs and one correction of the quotient, so that no rounding but the last counts.
    """
    turned = reduce_by_quarters(b, x)
    square = b.mul(turned.high, turned.high)
    sine = ordered_sum(b, *_sine(b, turned, square))
    cosine = ordered_sum(b, *_cosine(b, turned, square))
    odd = _is_odd(b, turned.quarters)
    top = [b.select(odd, b.neg(c), s) for s, c in zip(sine, cosine, strict=True)]
    bottom = [b.select(odd, s, c) for s, c in zip(sine, cosine, strict=True)]
    inverse = b.div(b.const(1.0), bottom[0])
    quotient = b.mul(top[0], inverse)
    minus = b.neg(quotient)
    left = b.fma(minus, bottom[1], b.add(b.fma(minus, bottom[0], top[0]), top[1]))
    return b.select(b.eq(x, b.const(0.0)), x, b.fma(left, inverse, quotient))
