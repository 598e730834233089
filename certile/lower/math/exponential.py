"""exp, exp2, expm1, sigmoid and tanh as straight-line expansions.

In: an `Arith` builder and one value.  Out: the result in its format.  Decides: reduction,
polynomial and the treatment of special values; the error bounds stand in the table of the package.
Leaves to others: coefficients come from `scripts/fit_math.py`.

All of them use exp(x) = 2**n * exp(r) with r = x - n ln 2.  Clamping x first keeps n small, so
infinities need no case of their own.  Where scaling by a power of two takes any exponent, exp and
exp2 leave the limits to that.  In f32 exp(-104) is below half of the least subnormal and
exp(89) is above the largest finite number; in f64 exp(-746) and exp(710) are.
"""

from collections.abc import Mapping, Sequence

from certile.lower.math.arith import F32, F64, Arith, Format, V
from certile.lower.math.shared import (
    Reduced,
    Table,
    at_least,
    at_most,
    below_two,
    horner,
    nearest_integer,
    power_of_two,
    reduce_by_ln2,
    with_sign_of,
)
from certile.records import record


@record
class Limits:
    """Where the functions of one format reach their limits.

    Below `expm1_tiny` the next term, x**2 / 2, is less than a quarter of the last bit of x, and
    below `expm1_lowest` e**x does not count beside -1.  A power of two below `power_lowest`
    does not change a sum with 1.  From `tanh_one` on tanh rounds to 1.
    """

    exp_lowest: float
    exp_highest: float
    exp2_lowest: float
    exp2_highest: float
    expm1_tiny: float
    expm1_lowest: float
    power_lowest: float
    tanh_one: float


LIMITS: Mapping[Format, Limits] = {
    F32: Limits(-104.0, 89.0, -151.0, 129.0, 2.0**-25, -26.0, -64.0, 9.125),
    F64: Limits(-746.0, 710.0, -1077.0, 1025.0, 2.0**-54, -55.0, -128.0, 20.0),
}

# exp(r) on abs(r) <= ln(2)/2.
EXP: Table = {
    F32: (
        1.0,
        1.0,
        0.4999999403953552,
        0.1666652113199234,
        0.04166825860738754,
        0.00836866907775402,
        0.0013821304310113192,
    ),
    # Relative error 2**-57.8.
    F64: (
        1.0,
        1.0,
        0.5000000000000012,
        0.16666666666666471,
        0.04166666666651975,
        0.008333333333458665,
        0.0013888888945921057,
        0.00019841269581196487,
        2.4801491030993337e-05,
        2.755752164644174e-06,
        2.763090755114223e-07,
        2.5020074850572813e-08,
    ),
}
# 2**r on abs(r) <= 1/2.
EXP2: Table = {
    F32: (
        1.0,
        0.6931471824645996,
        0.24022647738456726,
        0.05550359934568405,
        0.009618505835533142,
        0.0013390806270763278,
        0.0001532646274426952,
    ),
    # Relative error 2**-57.3.
    F64: (
        1.0,
        0.6931471805599453,
        0.24022650695910133,
        0.05550410866482226,
        0.009618129107593498,
        0.0013333558146380658,
        0.00015403530457765014,
        1.5252733805508415e-05,
        1.3215435001110848e-06,
        1.0178086773687693e-07,
        7.073826046303358e-09,
        4.449955477539561e-10,
    ),
}
# (exp(r) - 1 - r) / r**2 on abs(r) <= ln(2)/2.
EXPM1: Table = {
    F32: (
        0.5,
        0.1666666567325592,
        0.04166649281978607,
        0.008333547040820122,
        0.0013932320289313793,
        0.0001976078492589295,
    ),
    # Relative error 2**-61.5.
    F64: (
        0.5,
        0.16666666666666677,
        0.0416666666666666,
        0.008333333333321468,
        0.0013888888888928326,
        0.0001984126988646235,
        2.4801587227576575e-05,
        2.755724392383305e-06,
        2.7557361928014977e-07,
        2.5109122929206796e-08,
        2.0886594362820896e-09,
    ),
}
# (tanh(x) - x) / x**3 in x**2, for 0 <= x <= TANH_SPLIT.
TANH_SPLIT = 0.625
TANH: Table = {
    F32: (
        -0.3333328068256378,
        0.13331405818462372,
        -0.05373651534318924,
        0.02062816731631756,
        -0.005692296661436558,
    ),
    # Relative error 2**-61.2.
    F64: (
        -0.33333333333333315,
        0.1333333333333002,
        -0.05396825396619173,
        0.021869488471930768,
        -0.008863234358183605,
        0.0035921144094384202,
        -0.00145572837137185,
        0.0005894613789088909,
        -0.00023703678917196485,
        9.160005359265546e-05,
        -3.022703840590956e-05,
        6.059151328716094e-06,
    ),
}


def exp(b: Arith[V], x: V) -> V:
    """Return e**x: 0 for -inf, inf for inf, subnormal results rounded once."""
    if b.scales_widely:
        return _scaled_widely(b, reduce_by_ln2(b, x), EXP[b.format])
    limits = LIMITS[b.format]
    clamped = at_most(b, at_least(b, x, limits.exp_lowest), limits.exp_highest)
    reduced = reduce_by_ln2(b, clamped)
    return b.scale2(horner(b, reduced.r, EXP[b.format]), reduced.n)


def _scaled_widely(b: Arith[V], reduced: Reduced[V], coefficients: Sequence[float]) -> V:
    """Return p(r) * 2**n where `scale2` takes any n, of an argument that was not clamped.

    Where n is within the exponents, r is what it would be with a clamp.  Elsewhere r is any
    number; made one below 2 it keeps p(r) between 0.1 and 8, so that n alone decides: 0, infinity,
    or NaN for the n of a NaN.  One logical operation does the work of two comparisons.
    """
    return b.scale2(horner(b, below_two(b, reduced.r), coefficients), reduced.n)


def exp2(b: Arith[V], x: V) -> V:
    """Return 2**x, exact for integers: 0 for -inf, inf for inf.  The reduction x - n is exact."""
    if b.scales_widely:
        n = nearest_integer(b, x)
        return _scaled_widely(b, Reduced(n, b.sub(x, n)), EXP2[b.format])
    limits = LIMITS[b.format]
    clamped = at_most(b, at_least(b, x, limits.exp2_lowest), limits.exp2_highest)
    n = nearest_integer(b, clamped)
    return b.scale2(horner(b, b.sub(clamped, n), EXP2[b.format]), n)


def expm1(b: Arith[V], x: V) -> V:
    """Return e**x - 1: -1 for -inf, inf for inf, x itself where that is the nearest value.

    With p = exp(r) - 1 the result is s*p + (s - 1) for s = 2**n.  Half of it is computed and
    doubled, because 2**128 is no f32 while e**88.7 is one, and so in f64.
    """
    limits = LIMITS[b.format]
    clamped = at_most(b, at_least(b, x, limits.expm1_lowest), limits.exp_highest)
    reduced = reduce_by_ln2(b, clamped)
    r = reduced.r
    p = b.fma(b.mul(r, r), horner(b, r, EXPM1[b.format]), r)
    half = power_of_two(b, b.sub(reduced.n, b.const(1.0)))
    result = b.fma(half, p, b.sub(half, b.const(0.5)))
    tiny = b.lt(b.abs(x), b.const(limits.expm1_tiny))
    return b.select(tiny, x, b.add(result, result))


def sigmoid(b: Arith[V], x: V) -> V:
    """Return 1 / (1 + e**-x): 0 for -inf, 1 for inf, subnormal results rounded once.

    It goes through e**-abs(x), which cannot overflow.  With e**-abs(x) = 2**n * (1 + w) and
    z = 1 / (1 + e**-abs(x)) the result is z for x >= 0 and 2**n * (z + z*w) below.  The rounding of
    the denominator is known exactly (`lost`) and taken out of z again: without it the error
    reaches 2.2 ulp.
    """
    limits, one, zero = LIMITS[b.format], b.const(1.0), b.const(0.0)
    reduced = reduce_by_ln2(b, at_least(b, b.neg(b.abs(x)), limits.exp_lowest))
    r = reduced.r
    w = b.fma(b.mul(r, r), horner(b, r, EXP[b.format][2:]), r)
    # Far below the last bit of 1 the power does not count, so it may stay normal.
    power = power_of_two(b, at_least(b, reduced.n, limits.power_lowest))
    e = b.fma(power, w, power)
    denominator = b.add(one, e)
    lost = b.sub(e, b.sub(denominator, one))
    z = b.div(one, denominator)
    negative = b.lt(x, zero)
    change = b.fma(b.neg(z), lost, b.select(negative, w, zero))
    return b.scale2(b.fma(z, change, z), b.select(negative, reduced.n, zero))


def tanh(b: Arith[V], x: V) -> V:
    """Return the hyperbolic tangent with the sign of x, -0 included: -1 and 1 for infinities.

    Near zero an odd polynomial; beyond it 1 - 2 / (1 + e**(2a)) for a = abs(x), where the
    rounding of the quotient counts half.
    """
    a = at_most(b, b.abs(x), LIMITS[b.format].tanh_one)
    square = b.mul(a, a)
    near = b.fma(b.mul(a, square), horner(b, square, TANH[b.format]), a)
    reduced = reduce_by_ln2(b, b.add(a, a))
    one = b.const(1.0)
    denominator = b.fma(horner(b, reduced.r, EXP[b.format]), power_of_two(b, reduced.n), one)
    far = b.sub(one, b.div(b.const(2.0), denominator))
    return with_sign_of(b, b.select(b.gt(a, b.const(TANH_SPLIT)), far, near), x)
