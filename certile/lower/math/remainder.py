"""fmod, exact for every quotient, as an expansion in rounds of long division.

In: an `Arith` builder and two values.  Out: the remainder with the sign of the dividend.
Decides: how many bits of the quotient a round takes.  Leaves to others: the rounds themselves,
which a target runs as often as the lane needs that needs the most.
"""

from collections.abc import Sequence

from certile.lower.math.arith import Arith, V
from certile.lower.math.shared import (
    at_least,
    at_most,
    exponent_of,
    integer_magic,
    inverse,
    low_bits,
    power_of_two,
    with_sign_of,
)


def fmod(b: Arith[V], x: V, y: V) -> V:
    """Return x - y * trunc(x / y), exact, with the sign of x; NaN for infinite x or zero y.

    Quotients of at most `fraction_bits` bits, which nearly all are, take one round; the
    farthest take 13 in f32 and 42 in f64.
    """
    step = b.format.fraction_bits - 1
    a, c = b.abs(x), b.abs(y)
    zero, infinity = b.const(0.0), b.const(float("inf"))
    apart = b.sub(exponent_of(b, a), exponent_of(b, c))
    shift = at_least(b, b.sub(apart, b.const(step)), 0.0)
    rounds = b.floor(b.mul(b.add(shift, b.const(2.0 * step - 0.5)), b.const(inverse(step))))
    regular = b.select(b.lt(a, infinity), b.select(b.gt(c, zero), rounds, zero), zero)
    count = b.select(b.ge(a, c), regular, zero)
    whole = b.isub(low_bits(b, count), b.bits(b.const(integer_magic(b.format))))
    rest, _, _ = b.repeat(whole, (a, c, shift), lambda state: _round(b, state))
    nan = b.const(float("nan"))
    valid = b.select(b.lt(a, infinity), b.select(b.gt(c, zero), rest, nan), nan)
    return with_sign_of(b, valid, x)


def _round(b: Arith[V], state: Sequence[V]) -> tuple[V, V, V]:
    """Take c * 2**shift out of the rest as often as it fits, and lower the shift.

    The quotient has at most `fraction_bits` bits, so it rounds to its whole part or to the next
    whole number; the rest is a multiple of the last bit of the divisor and smaller than it, hence
    exact, and one divisor too many is put back exactly.
    """
    rest, c, shift = state
    low = at_most(b, shift, float(b.format.bias))
    scaled = b.mul(c, power_of_two(b, low))
    divisor = b.mul(scaled, power_of_two(b, b.sub(shift, low)))
    quotient = b.floor(b.div(rest, divisor))
    left = b.fma(b.neg(quotient), divisor, rest)
    fixed = b.select(b.lt(left, b.const(0.0)), b.add(left, divisor), left)
    step = b.const(float(b.format.fraction_bits - 1))
    return (
        b.select(b.ge(rest, divisor), fixed, rest),
        c,
        at_least(b, b.sub(shift, step), 0.0),
    )
