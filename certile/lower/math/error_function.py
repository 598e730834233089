"""erf and erfc as straight-line f32 expansions.

In: an ``Arith`` builder and one f32 value.  Out: the f32 result.  Decides: ranges, polynomials
and the treatment of special values.  Leaves to others: coefficients come from
``scripts/fit_math.py``.
"""

from certile.lower.math.arith import Arith, V
from certile.lower.math.exponential import EXP
from certile.lower.math.shared import (
    LN2_HIGH,
    LN2_LOW,
    at_most,
    horner,
    multiple_of_ln2,
    with_sign_of,
)

# (erf(x) - x) / x in x**2, for 0 <= x <= 1.
NEAR_LIMIT = 1.0
ERF_NEAR = (
    0.12837916612625122,
    -0.3761262595653534,
    0.11283578723669052,
    -0.026853347197175026,
    0.005187162198126316,
    -0.0007997853099368513,
    7.806903158780187e-05,
)
# erf(centre + t) for 1 <= centre + t <= 3.9375; from 3.92 on it rounds to 1.  The centre is
# chosen among the f32 near 2.5 so that erf there is nearly an f32 itself.
FAR_LIMIT = 3.9375
FAR_CENTRE = 2.5000152587890625
ERF_FAR = (
    0.9995930790901184,
    0.0021780491806566715,
    -0.005445205140858889,
    0.008350799791514874,
    -0.008622998371720314,
    0.006110670976340771,
    -0.0027948070783168077,
    0.0005572246154770255,
    0.000254740531090647,
    -0.00026794130099005997,
    8.406079723499715e-05,
    1.6687685274519026e-05,
    -1.6808662621770054e-05,
    6.630878601754375e-07,
    1.0468935442986549e-06,
)

# Up to here erfc is 1 - erf.
ERFC_NEAR_LIMIT = 0.5
# exp(a**2) * erfc(a) * (a + shift) - 1/2 in t - centre for t = 1 / (a + shift), 1/2 <= a.
ERFC_SHIFT = 1.0
ERFC_CENTRE = 0.384521484375
ERFC_FAR = (
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
)
# d log(erfc factor / t) / d log(t), about: how much a relative error of t counts.
ERFC_SENSITIVITY = 1.15625
# erfc is below half of the least subnormal here.
ERFC_ZERO = 10.0625


def _near(b: Arith[V], x: V) -> V:
    """Return erf(x) for abs(x) <= 1."""
    return b.fma(x, horner(b, b.mul(x, x), ERF_NEAR), x)


def erf(b: Arith[V], x: V) -> V:
    """Return the error function with the sign of x, -0 included."""
    a = at_most(b, b.abs(x), FAR_LIMIT)
    far = horner(b, b.sub(a, b.const(FAR_CENTRE)), ERF_FAR)
    return with_sign_of(b, b.select(b.gt(a, b.const(NEAR_LIMIT)), far, _near(b, a)), x)


def _reciprocal_of_shifted(b: Arith[V], a: V) -> tuple[V, V]:
    """Return t near 1 / (a + shift) and the relative error still in it, for a >= 1/2.

    The true value is t * (1 + error): what the sum and the quotient lost is known exactly.
    """
    one = b.const(1.0)
    total = b.add(a, b.const(ERFC_SHIFT))
    lost = b.sub(a, b.sub(total, b.const(ERFC_SHIFT)))
    t = b.div(one, total)
    minus = b.neg(t)
    return t, b.fma(minus, lost, b.fma(minus, total, one))


def erfc(b: Arith[V], x: V) -> V:
    """Return 1 - erf(x) without cancellation: 2 for -inf, 0 from 10.06 on.

    Beyond 1/2 it is exp(-a**2) * t * (1/2 + v) for a = abs(x), t = 1 / (a + 1) and a polynomial
    v; below -1/2 that is taken from 2.  Nothing is rounded where it would count fully: the
    square of a keeps its error, the error of t goes into the exponent, and 1 + w = exp(r) and
    1/2 + v are never multiplied as rounded numbers.
    """
    a = at_most(b, b.abs(x), ERFC_ZERO)
    t, error = _reciprocal_of_shifted(b, a)
    square = b.mul(a, a)
    lost = b.fma(a, a, b.neg(square))
    n = multiple_of_ln2(b, square, -1.0)
    remainder = b.fma(n, b.const(-LN2_HIGH), b.neg(square))
    small = b.fma(n, b.const(-LN2_LOW), b.neg(lost))
    r = b.add(remainder, b.fma(error, b.const(ERFC_SENSITIVITY), small))
    w = b.fma(b.mul(r, r), horner(b, r, EXP[2:]), r)
    half = b.const(0.5)
    v = horner(b, b.sub(t, b.const(ERFC_CENTRE)), ERFC_FAR)
    tail = b.fma(t, b.fma(b.add(half, v), w, v), b.mul(t, half))
    positive = b.scale2(tail, n)
    negative = b.lt(x, b.const(0.0))
    far = b.select(negative, b.sub(b.const(2.0), positive), positive)
    near = b.sub(b.const(1.0), _near(b, x))
    return b.select(b.gt(a, b.const(ERFC_NEAR_LIMIT)), far, near)
