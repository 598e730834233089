"""erf and erfc as straight-line expansions.

In: an `Arith` builder and one value.  Out: the result in its format.  Decides: ranges,
polynomials and the treatment of special values.  Leaves to others: coefficients come from
`scripts/fit_math.py`.
"""

from collections.abc import Mapping

from certile.lower.math.arith import F32, F64, Arith, Format, V
from certile.lower.math.exponential import EXP
from certile.lower.math.pairs import ordered_sum
from certile.lower.math.shared import (
    LN2_HIGH,
    LN2_LOW,
    Table,
    at_most,
    horner,
    multiple_of_ln2,
    with_sign_of,
)
from certile.records import record

# (erf(x) - x) / x in x**2, for 0 <= x <= 1.
NEAR_LIMIT = 1.0
ERF_NEAR: Table = {
    # Relative error 0.74 * 2**-24.  The last coefficient is negative: see `erf`.
    F32: (
        0.12837916612625122,
        -0.37612417340278625,
        0.11280694603919983,
        -0.026723066344857216,
        0.00492927385494113,
        -0.0005673904670402408,
    ),
    # Relative error 2**-56.3.
    F64: (
        0.1283791670955126,
        -0.3761263890318374,
        0.11283791670950576,
        -0.026866170643923163,
        0.005223977611734464,
        -0.0008548326164050878,
        0.00012055299833800746,
        -1.4924821114772599e-05,
        1.644836135796917e-06,
        -1.6215020569485152e-07,
        1.3746057417132904e-08,
        -7.840830207395569e-10,
    ),
}
# In f32: erfc(a)**(1/4) for 1 <= a <= 4.1875, so that its fourth power errs by 0.40 * 2**-24; at
# the end that power is below half of the last bit of 1.  Such a root is so much smoother than erfc
# that 7 terms do for 14.
FAR_LIMIT = 4.1875
ERFC_ROOT = (
    1.0039770603179932,
    -0.3025718927383423,
    -0.07408573478460312,
    -0.04053031653165817,
    0.06066950410604477,
    -0.020459918305277824,
    0.0029279275331646204,
    -0.00015709197032265365,
)


@record
class Far:
    """How erfc of one format goes on: exp(a**2) * erfc(a) * (a + shift) for t = 1 / (a + shift).

    The polynomial is in t - `centre`.  `sensitivity` is about d log(exp(a**2) * erfc(a)) /
    d log(t), how much a relative error of t counts; in f64 at t = 0.  At `zero` erfc is below
    half of the least subnormal.
    """

    shift: float
    centre: float
    sensitivity: float
    zero: float


FAR: Mapping[Format, Far] = {
    F32: Far(1.0, 0.384521484375, 1.15625, 10.0625),
    F64: Far(2.0, 0.1699972152709961, 1.0, 27.25),
}
# In f64: how the sensitivity grows with t, and 1 / (1/2 + v) as a line in t, to a tenth.
SENSITIVITY_SLOPE = 2.625
INVERSE_FACTOR = 1.75
INVERSE_SLOPE = -2.75
# Up to here erfc is 1 - erf, whose error counts more than where it is the result.
ERFC_NEAR_LIMIT = 0.5
ERFC_NEAR: Table = {
    F32: (
        0.12837916612625122,
        -0.37612611055374146,
        0.11282850801944733,
        -0.026758259162306786,
        0.004719160031527281,
    ),
    F64: ERF_NEAR[F64],
}
# The factor less 1/2, for 1/2 <= a.
ERFC_FAR: Table = {
    F32: (
        0.29542553424835205,
        0.55643230676651,
        -0.3069160282611847,
        -0.33363258838653564,
        0.5340494513511658,
        -0.06679212301969528,
        -0.6879713535308838,
        0.9925890564918518,
        -0.1402331292629242,
        -1.618302345275879,
        1.8740242719650269,
    ),
    # Relative error 2**-60.8.
    F64: (
        0.32890842162919876,
        2.087655781842004,
        3.740815975505248,
        3.567264210258898,
        -1.9952194596766288,
        -9.802011576024247,
        -1.0287507232811506,
        29.60894964750988,
        7.2735340752910815,
        -112.8161154939191,
        5.707259702949269,
        495.95131879502173,
        -373.57861006649836,
        -2148.8798930045605,
        4188.1432997496795,
        6840.7554562484565,
        -33138.93075165484,
        7818.642674758532,
        190722.29708002208,
        -367829.04052591353,
        -545800.4991492089,
        3174019.3100043135,
        -2642188.323443774,
        -10500916.68968822,
        28517851.096283615,
        -22108716.62924778,
    ),
}
# erf rounds to 1 here in f64.
ERF_ONE = 6.0


def _near(b: Arith[V], x: V, table: Table) -> V:
    """Return erf(x) where a table of (erf(x) - x) / x serves."""
    return b.fma(x, horner(b, b.mul(x, x), table[b.format]), x)


def erf(b: Arith[V], x: V) -> V:
    """Return the error function with the sign of x, -0 included: -1 and 1 for infinities.

    Beyond 1 it is 1 - erfc.  In f32 that is 1 - p**4 with a polynomial p, whose error counts
    little there; and as each of the two falls below erf where the other one serves, the larger is
    taken.  In f64 p would take more terms than erfc, whose error does not count there.
    """
    if b.format is F32:
        a = at_most(b, b.abs(x), FAR_LIMIT)
        root = horner(b, a, ERFC_ROOT)
        square = b.mul(root, root)
        far = b.fma(b.neg(square), square, b.const(1.0))
        return with_sign_of(b, b.larger(far, _near(b, a, ERF_NEAR)), x)
    a = at_most(b, b.abs(x), ERF_ONE)
    far = b.sub(b.const(1.0), _tail(b, a))
    return with_sign_of(b, b.select(b.gt(a, b.const(NEAR_LIMIT)), far, _near(b, a, ERF_NEAR)), x)


def _reciprocal_of_shifted(b: Arith[V], a: V) -> tuple[V, V]:
    """Return t near 1 / (a + shift) and the relative error still in it, for a >= 1/2.

    The true value is t * (1 + error): what the sum and the quotient lost is known exactly.
    """
    one, shift = b.const(1.0), b.const(FAR[b.format].shift)
    total = b.add(a, shift)
    lost = b.sub(a, b.sub(total, shift))
    t = b.div(one, total)
    minus = b.neg(t)
    return t, b.fma(minus, lost, b.fma(minus, total, one))


def _tail(b: Arith[V], a: V) -> V:
    """Return erfc(a) for 1/2 <= a: exp(-a**2) * t * (1/2 + v), v a polynomial.

    Nothing is rounded where it would count fully: the square of a keeps its error, the error of t
    (and in f64 that of v) goes into the exponent, and 1 + w = exp(r) and 1/2 + v are never
    multiplied as rounded numbers.
    """
    form = b.format
    t, error = _reciprocal_of_shifted(b, a)
    square = b.mul(a, a)
    lost = b.fma(a, a, b.neg(square))
    n = multiple_of_ln2(b, square, -1.0)
    remainder = b.fma(n, b.const(-LN2_HIGH[form]), b.neg(square))
    small = b.fma(n, b.const(-LN2_LOW[form]), b.neg(lost))
    inner = _wide_factor if form is F64 else _factor
    half = b.const(0.5)
    return b.scale2(b.fma(t, inner(b, t, error, remainder, small), b.mul(t, half)), n)


def _factor(b: Arith[V], t: V, error: V, remainder: V, small: V) -> V:
    """Return (1/2 + v) * exp(remainder + small) - 1/2 in f32, with the error of t made up for."""
    far = FAR[b.format]
    r = b.add(remainder, b.fma(error, b.const(far.sensitivity), small))
    w = b.fma(b.mul(r, r), horner(b, r, EXP[b.format][2:]), r)
    v = horner(b, b.sub(t, b.const(far.centre)), ERFC_FAR[b.format])
    return b.fma(b.add(b.const(0.5), v), w, v)


def _wide_factor(b: Arith[V], t: V, error: V, remainder: V, small: V) -> V:
    """Return the same in f64, with what was lost of v, of r and of w made up for, too.

    Each of them rounds to a quarter of a unit or more, where f32 has room for that: there the
    bound of erfc is far from 2 because the polynomial is short.
    """
    far, half = FAR[b.format], b.const(0.5)
    centre, first = b.const(far.centre), b.const(ERFC_FAR[b.format][0])
    offset = b.sub(t, centre)
    slope = horner(b, offset, ERFC_FAR[b.format][1:])
    v = b.fma(slope, offset, first)
    rounding = b.fma(b.sub(t, b.add(offset, centre)), slope, b.sub(first, v))
    inverse = b.fma(t, b.const(INVERSE_SLOPE), b.const(INVERSE_FACTOR))
    effect = b.fma(t, b.const(SENSITIVITY_SLOPE), b.const(far.sensitivity))
    small = b.fma(b.fma(slope, offset, rounding), inverse, small)
    r, left = ordered_sum(b, remainder, b.fma(error, effect, small))
    w, rest = ordered_sum(b, r, b.mul(b.mul(r, r), horner(b, r, EXP[b.format][2:])))
    tail = b.mul(b.add(half, v), b.add(left, rest))
    return b.add(v, b.fma(v, w, b.fma(half, w, tail)))


def erfc(b: Arith[V], x: V) -> V:
    """Return 1 - erf(x) without cancellation: 2 for -inf, 0 from 10.06 (27.25 in f64) on."""
    a = at_most(b, b.abs(x), FAR[b.format].zero)
    positive = _tail(b, a)
    negative = b.lt(x, b.const(0.0))
    far = b.select(negative, b.sub(b.const(2.0), positive), positive)
    near = b.sub(b.const(1.0), _near(b, x, ERFC_NEAR))
    return b.select(b.gt(a, b.const(ERFC_NEAR_LIMIT)), far, near)
