"""Pieces that several expansions share: polynomials, signs, the reduction by ln 2.

In: an ``Arith`` builder and its values.  Out: values.  Decides: the order of evaluation, which is
part of every function's bits.  Leaves to others: coefficients (next to the function that uses
them; ``scripts/fit_math.py`` derives them).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic

from certile.lower.math.arith import Arith, V

SIGN_BIT = -(2**31)
EXPONENT_BIAS = 127
FRACTION_BITS = 23
# An f32 of this size counts in ones, and so does every sum with it up to 2**22 away.
INTEGER_MAGIC = 1.5 * 2**23

LOG2_E = 1.4426950216293335
# ln 2 as the nearest f32 and the nearest f32 to what is left.
LN2_HIGH = 0.6931471824645996
LN2_LOW = -1.9046542121259336e-09


def horner(b: Arith[V], x: V, coefficients: Sequence[float]) -> V:
    """Return c[0] + x * (c[1] + x * (...)), one fma per step, innermost first."""
    *rest, last = coefficients
    value = b.const(last)
    for coefficient in reversed(rest):
        value = b.fma(value, x, b.const(coefficient))
    return value


def with_sign_of(b: Arith[V], magnitude: V, signed: V) -> V:
    """Return ``magnitude``, whose sign bit is clear or agrees, with the sign bit of ``signed``."""
    sign = b.iand(b.bits(signed), b.iconst(SIGN_BIT))
    return b.float_of(b.ior(b.bits(magnitude), sign))


def at_least(b: Arith[V], x: V, low: float) -> V:
    """Return max(x, low); a NaN stays. The operand order is the one of x86's maxps."""
    bound = b.const(low)
    return b.select(b.gt(bound, x), bound, x)


def at_most(b: Arith[V], x: V, high: float) -> V:
    """Return min(x, high); a NaN stays. The operand order is the one of x86's minps."""
    bound = b.const(high)
    return b.select(b.lt(bound, x), bound, x)


def nearest_integer(b: Arith[V], x: V) -> V:
    """Return x rounded half to even, for abs(x) <= 2**22.

    A sum with 1.5 * 2**23 has no fraction bits left.  Two additions run at full rate everywhere,
    while rounding and conversion instructions do not: on NVIDIA GPUs they issue at an eighth.
    """
    return b.sub(b.add(x, b.const(INTEGER_MAGIC)), b.const(INTEGER_MAGIC))


def power_of_two(b: Arith[V], n: V) -> V:
    """Return 2**n for an integer-valued f32 in [-126, 127], where the result is normal.

    The last bits of n + 127 + 1.5 * 2**23 are the exponent field; the shift drops the others.
    """
    biased = b.bits(b.add(n, b.const(INTEGER_MAGIC + EXPONENT_BIAS)))
    return b.float_of(b.ishl(biased, FRACTION_BITS))


@dataclass(frozen=True, slots=True)
class Reduced(Generic[V]):
    """x = n * ln 2 + r with an integer n and abs(r) <= ln(2) / 2, up to the rounding of r."""

    n: V
    r: V


def multiple_of_ln2(b: Arith[V], x: V, sign: float) -> V:
    """Return the integer nearest to sign * x / ln 2 (see ``nearest_integer``)."""
    magic = b.const(INTEGER_MAGIC)
    return b.sub(b.fma(x, b.const(sign * LOG2_E), magic), magic)


def reduce_by_ln2(b: Arith[V], x: V) -> Reduced[V]:
    """Split a finite x, abs(x) <= 2**8, by the nearest multiple of ln 2.

    The first fma is exact: its result is below 1/2 and a multiple of 2**-24 or of x's last bit.
    """
    n = multiple_of_ln2(b, x, 1.0)
    r = b.fma(n, b.const(-LN2_HIGH), x)
    return Reduced(n, b.fma(n, b.const(-LN2_LOW), r))
