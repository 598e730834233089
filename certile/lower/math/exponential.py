"""exp, exp2, expm1, sigmoid and tanh as straight-line f32 expansions.

In: an ``Arith`` builder and one f32 value.  Out: the f32 result.  Decides: reduction, polynomial
and the treatment of special values; the error bounds stand in the table of the package.  Leaves
to others: coefficients come from ``scripts/fit_math.py``.

All of them use exp(x) = 2**n * exp(r) with r = x - n ln 2.  Clamping x first keeps n small, so
infinities need no case of their own: exp(-104) is below half of the least subnormal and exp(89)
is above the largest finite number.
"""

from certile.lower.math.arith import Arith, V
from certile.lower.math.shared import (
    at_least,
    at_most,
    horner,
    nearest_integer,
    power_of_two,
    reduce_by_ln2,
    with_sign_of,
)

EXP_LOWEST = -104.0
EXP_HIGHEST = 89.0

# exp(r) on abs(r) <= ln(2)/2.
EXP = (
    1.0,
    1.0,
    0.4999999403953552,
    0.1666652113199234,
    0.04166825860738754,
    0.00836866907775402,
    0.0013821304310113192,
)
# 2**r on abs(r) <= 1/2.
EXP2 = (
    1.0,
    0.6931471824645996,
    0.24022647738456726,
    0.05550359934568405,
    0.009618505835533142,
    0.0013390806270763278,
    0.0001532646274426952,
)
# Below this the next term, x**2 / 2, is less than a quarter of the last bit of x.
EXPM1_TINY = 2.0**-25
# (exp(r) - 1 - r) / r**2 on abs(r) <= ln(2)/2.
EXPM1 = (
    0.5,
    0.1666666567325592,
    0.04166649281978607,
    0.008333547040820122,
    0.0013932320289313793,
    0.0001976078492589295,
)
# (tanh(x) - x) / x**3 in x**2, for 0 <= x <= TANH_SPLIT.
TANH_SPLIT = 0.625
TANH = (
    -0.3333328068256378,
    0.13331405818462372,
    -0.05373651534318924,
    0.02062816731631756,
    -0.005692296661436558,
)
# tanh rounds to 1 from 9.011 on.
TANH_ONE = 9.125


def exp(b: Arith[V], x: V) -> V:
    """Return e**x: 0 for -inf, inf for inf and above 88.73, subnormal results rounded once."""
    clamped = at_most(b, at_least(b, x, EXP_LOWEST), EXP_HIGHEST)
    reduced = reduce_by_ln2(b, clamped)
    return b.scale2(horner(b, reduced.r, EXP), reduced.n)


def exp2(b: Arith[V], x: V) -> V:
    """Return 2**x, exact for integers; the reduction x - n is exact."""
    clamped = at_most(b, at_least(b, x, -151.0), 129.0)
    n = nearest_integer(b, clamped)
    return b.scale2(horner(b, b.sub(clamped, n), EXP2), n)


def expm1(b: Arith[V], x: V) -> V:
    """Return e**x - 1; x itself where that is the nearest value, so -0 and subnormals stay.

    With p = exp(r) - 1 the result is s*p + (s - 1) for s = 2**n.  Half of it is computed and
    doubled, because 2**128 is no f32 while e**88.7 is one.
    """
    clamped = at_most(b, at_least(b, x, -26.0), EXP_HIGHEST)
    reduced = reduce_by_ln2(b, clamped)
    r = reduced.r
    p = b.fma(b.mul(r, r), horner(b, r, EXPM1), r)
    half = power_of_two(b, b.sub(reduced.n, b.const(1.0)))
    result = b.fma(half, p, b.sub(half, b.const(0.5)))
    tiny = b.lt(b.abs(x), b.const(EXPM1_TINY))
    return b.select(tiny, x, b.add(result, result))


def sigmoid(b: Arith[V], x: V) -> V:
    """Return 1 / (1 + e**-x) through e**-abs(x), which cannot overflow.

    With e**-abs(x) = 2**n * (1 + w) and z = 1 / (1 + e**-abs(x)) the result is z for x >= 0 and
    2**n * (z + z*w) below, right down to subnormal results.  The rounding of the denominator is
    known exactly (``lost``) and taken out of z again: without it the error reaches 2.2 ulp.
    """
    one, zero = b.const(1.0), b.const(0.0)
    reduced = reduce_by_ln2(b, at_least(b, b.neg(b.abs(x)), EXP_LOWEST))
    r = reduced.r
    w = b.fma(b.mul(r, r), horner(b, r, EXP[2:]), r)
    # Far below 2**-24 the power does not change the denominator, so it may stay normal.
    power = power_of_two(b, at_least(b, reduced.n, -64.0))
    e = b.fma(power, w, power)
    denominator = b.add(one, e)
    lost = b.sub(e, b.sub(denominator, one))
    z = b.div(one, denominator)
    negative = b.lt(x, zero)
    change = b.fma(b.neg(z), lost, b.select(negative, w, zero))
    return b.scale2(b.fma(z, change, z), b.select(negative, reduced.n, zero))


def tanh(b: Arith[V], x: V) -> V:
    """Return the hyperbolic tangent with the sign of x, -0 included.

    Near zero an odd polynomial; beyond it 1 - 2 / (1 + e**(2a)) for a = abs(x), where the
    rounding of the quotient counts half.
    """
    a = at_most(b, b.abs(x), TANH_ONE)
    square = b.mul(a, a)
    near = b.fma(b.mul(a, square), horner(b, square, TANH), a)
    reduced = reduce_by_ln2(b, b.add(a, a))
    one = b.const(1.0)
    denominator = b.fma(horner(b, reduced.r, EXP), power_of_two(b, reduced.n), one)
    far = b.sub(one, b.div(b.const(2.0), denominator))
    return with_sign_of(b, b.select(b.gt(a, b.const(TANH_SPLIT)), far, near), x)
