"""Pieces that several expansions share: polynomials, signs, the reduction by ln 2.

In: an `Arith` builder and its values.  Out: values.  Decides: the order of evaluation, which is
part of every function's bits.  Leaves to others: coefficients (next to the function that uses
them; `scripts/fit_math.py` derives them).
"""

from collections.abc import Mapping, Sequence
from typing import Generic, TypeAlias

from certile.lower.math.arith import F32, F64, Arith, Format, V
from certile.records import record

# What an expansion knows by format: coefficients, or one number.
Table: TypeAlias = Mapping[Format, tuple[float, ...]]
Number: TypeAlias = Mapping[Format, float]

LOG2_E: Number = {F32: 1.4426950216293335, F64: 1.4426950408889634}
# ln 2 as the nearest number of the format and the nearest to what is left.
LN2_HIGH: Number = {F32: 0.6931471824645996, F64: 0.6931471805599453}
LN2_LOW: Number = {F32: -1.9046542121259336e-09, F64: 2.3190468138462996e-17}


def integer_magic(form: Format) -> float:
    """Return a number that counts in ones, and so does every sum with it up to half its size."""
    return 1.5 * 2.0**form.fraction_bits


def inverse(count: int) -> float:
    """Return 1 / count to 20 bits: enough for a floor that stays half a unit off every whole."""
    return round(2.0**20 / count) / 2.0**20


def horner(b: Arith[V], x: V, coefficients: Sequence[float]) -> V:
    """Return c[0] + x * (c[1] + x * (...)), one fma per step, innermost first."""
    *rest, last = coefficients
    value = b.const(last)
    for coefficient in reversed(rest):
        value = b.fma(value, x, b.const(coefficient))
    return value


def with_sign_of(b: Arith[V], magnitude: V, signed: V) -> V:
    """Return `magnitude`, whose sign bit is clear or agrees, with the sign bit of `signed`."""
    return b.float_of(b.ior(b.bits(magnitude), sign_of(b, signed)))


def sign_of(b: Arith[V], x: V) -> V:
    """Return the sign bit of a float where it stands in an integer, the other bits clear."""
    return b.iand(b.bits(x), b.iconst(-(1 << (b.format.bits - 1))))


def at_least(b: Arith[V], x: V, low: float) -> V:
    """Return max(x, low); a NaN stays. The operand order is the one of x86's maxps."""
    bound = b.const(low)
    return b.select(b.gt(bound, x), bound, x)


def at_most(b: Arith[V], x: V, high: float) -> V:
    """Return min(x, high); a NaN stays. The operand order is the one of x86's minps."""
    bound = b.const(high)
    return b.select(b.lt(bound, x), bound, x)


def below_two(b: Arith[V], x: V) -> V:
    """Return an x below 2 in size as it is, and a number below 2 for anything else, NaN too.

    The exponent field of such an x begins with a 0 bit, which is all that this makes sure of.
    """
    form = b.format
    return b.float_of(b.iand(b.bits(x), b.iconst(~(1 << (form.bits - 2)))))


def nearest_integer(b: Arith[V], x: V) -> V:
    """Return x rounded half to even, for abs(x) <= 2**22 (2**51 in f64).

    A sum with 1.5 * 2**23 (2**52) has no fraction bits left.  Two additions run at full rate
    everywhere, while rounding and conversion instructions do not: on NVIDIA GPUs they issue at an
    eighth.
    """
    magic = b.const(integer_magic(b.format))
    return b.sub(b.add(x, magic), magic)


def power_of_two(b: Arith[V], n: V) -> V:
    """Return 2**n for an integer-valued float, where the result is normal.

    The last bits of n + 127 + 1.5 * 2**23 are the exponent field of an f32 (of an f64 those of
    n + 1023 + 1.5 * 2**52); the shift drops the others.
    """
    form = b.format
    biased = b.bits(b.add(n, b.const(integer_magic(form) + form.bias)))
    return b.float_of(b.ishl(biased, form.fraction_bits))


def low_bits(b: Arith[V], n: V) -> V:
    """Return an integer that ends in the bits of an integer-valued float, as two's complement."""
    return b.bits(b.add(n, b.const(integer_magic(b.format))))


def exponent_of(b: Arith[V], x: V) -> V:
    """Return as a float the e of 2**e <= x < 2**(e + 1), for a positive finite x."""
    form = b.format
    subnormal = b.lt(x, b.const(form.least_normal))
    normal = b.select(subnormal, b.mul(x, b.const(2.0**form.fraction_bits)), x)
    least, usual = b.iconst(form.bias + form.fraction_bits), b.iconst(form.bias)
    biased = b.ishr(b.bits(normal), form.fraction_bits)
    return b.to_float(b.isub(biased, b.select(subnormal, least, usual)))


@record
class Reduced(Generic[V]):
    """x = n * ln 2 + r with an integer n and abs(r) <= ln(2) / 2, up to the rounding of r."""

    n: V
    r: V


def multiple_of_ln2(b: Arith[V], x: V, sign: float) -> V:
    """Return the integer nearest to sign * x / ln 2 (see `nearest_integer`)."""
    magic = b.const(integer_magic(b.format))
    return b.sub(b.fma(x, b.const(sign * LOG2_E[b.format]), magic), magic)


def reduce_by_ln2(b: Arith[V], x: V) -> Reduced[V]:
    """Split a finite x, abs(x) <= 2**10, by the nearest multiple of ln 2.

    The first fma is exact: its result is below 1/2 and a multiple of the last bit of the constant
    (2**-24 in f32, 2**-53 in f64) or of that of x.
    """
    n = multiple_of_ln2(b, x, 1.0)
    r = b.fma(n, b.const(-LN2_HIGH[b.format]), x)
    return Reduced(n, b.fma(n, b.const(-LN2_LOW[b.format]), r))
