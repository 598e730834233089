"""Arguments of trigonometric functions reduced by quarter turns.

In: an `Arith` builder and a finite x.  Out: an integer-valued n and a pair r with
x = n * pi/2 + r, abs(r) <= pi/4, up to some 2**-30 (f32) or 2**-60 (f64) of r; n is right modulo 4.
Decides: up to where products with the parts of pi/2 serve (Cody and Waite, "Software Manual for
the Elementary Functions", 1980), and the digits of 2/pi that count beyond (Payne and Hanek,
"Radian reduction for trigonometric functions", 1983).  Leaves to others: the functions of r.

Both ways work on floats: a product and its rounding error are exact, so no wide integers are
needed.  Digits come in chunks of `chunk_bits`.  Where the product of x's last bit and a chunk's
last bit is a multiple of 4, the chunk only adds whole turns; the first one that counts is found
from the exponent of x, by a tree of selects instead of a table.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic

from certile.lower.math.arith import F32, F64, Arith, Format, V
from certile.lower.math.pairs import ordered_sum, product, sum_of
from certile.lower.math.shared import (
    at_least,
    exponent_of,
    integer_magic,
    inverse,
    nearest_integer,
    power_of_two,
)
from certile.records import record

# The first 1232 bits of the fraction of 2/pi.
TWO_OVER_PI_BITS = 1232
TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e0"
    "06492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f4"
    "9c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d"
    "7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cf",
    16,
)
# Chunks that a product needs: the first carries whole turns, the last what is left of a reduced
# argument as small as 2**-30 (f32) or 2**-62 (f64) after full cancellation.
CHUNKS = 5
# Chunk products that may exceed whole turns, and are taken modulo 4.
LARGE_CHUNKS = 2


@record
class Constants:
    """What the reduction of one format knows.

    `limit` is where products with the three `parts` of pi/2 stop to serve.
    """

    limit: float
    two_over_pi: float
    parts: tuple[float, float, float]
    chunk_bits: int


CONSTANTS: Mapping[Format, Constants] = {
    F32: Constants(
        2.0**16,
        0.6366197466850281,
        (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
        24,
    ),
    F64: Constants(
        2.0**28,
        0.6366197723675814,
        (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
        50,
    ),
}


@record
class Turned(Generic[V]):
    """x = quarters * pi/2 + high + low; the quarters are right modulo 4."""

    quarters: V
    high: V
    low: V


def reduce_by_quarters(b: Arith[V], x: V) -> Turned[V]:
    """Reduce x; an infinity or a NaN gives a NaN."""
    near = _near(b, x)
    size, zero = b.abs(x), b.const(0.0)
    finite = b.select(b.lt(size, b.const(float("inf"))), size, zero)
    far = b.gt(finite, b.const(CONSTANTS[b.format].limit))
    state = (x, near.quarters, near.high, near.low)
    _, *turned = b.where_any(far, state, lambda state: _far(b, state[0]))
    return Turned(*turned)


def _near(b: Arith[V], x: V) -> Turned[V]:
    """Reduce abs(x) <= limit by the three parts of pi/2.

    The first fma is exact: below 1 and a multiple of the last bit of the first part or of x's.
    """
    known = CONSTANTS[b.format]
    magic = b.const(integer_magic(b.format))
    n = b.sub(b.fma(x, b.const(known.two_over_pi), magic), magic)
    first, second, third = (b.const(part) for part in known.parts)
    left = b.fma(b.neg(n), first, x)
    taken, lost = product(b, n, second)
    high, rounding = sum_of(b, left, b.neg(taken))
    low = b.sub(rounding, b.fma(n, third, lost))
    return Turned(n, *ordered_sum(b, high, low))


def _far(b: Arith[V], x: V) -> tuple[V, V, V, V]:
    """Reduce abs(x) > limit by the chunks of 2/pi that count; return x again for the state."""
    known = CONSTANTS[b.format]
    scaled, digits = _window(b, x)
    large: list[V] = []
    small: list[V] = []
    for place, digit in enumerate(digits):
        weighted = b.mul(scaled, b.const(2.0 ** (-known.chunk_bits * place)))
        high, low = product(b, weighted, digit)
        (large if place < LARGE_CHUNKS else small).append(high)
        (large if place < LARGE_CHUNKS - 1 else small).append(low)
    # What the last chunk lost is beyond everything that counts.
    terms = [_modulo_four(b, term) for term in large] + small[:-1]
    total, *errors = _cascade(b, terms)
    n = nearest_integer(b, total)
    fraction, *rest = _cascade(b, [b.sub(total, n), *errors])
    tail = rest[0]
    for error in rest[1:]:
        tail = b.add(tail, error)
    high, low = ordered_sum(b, fraction, tail)
    first, second = b.const(known.parts[0]), b.const(known.parts[1])
    turned, lost = product(b, high, first)
    return x, n, turned, b.fma(low, first, b.fma(high, second, lost))


def _modulo_four(b: Arith[V], x: V) -> V:
    """Return x less a multiple of 4 beside it, exactly; at most 4 is left.

    Just below 2 the rounded sum would name the next multiple, and the difference had one bit too
    many; nothing has to be taken from what is that small.
    """
    turns = b.floor(b.fma(x, b.const(0.25), b.const(0.5)))
    return b.select(b.lt(b.abs(x), b.const(2.0)), x, b.fma(turns, b.const(-4.0), x))


def _cascade(b: Arith[V], terms: Sequence[V]) -> list[V]:
    """Return the rounded sum of the terms and what each addition lost."""
    total, *others = terms
    errors = []
    for other in others:
        total, error = sum_of(b, total, other)
        errors.append(error)
    return [total, *errors]


def _window(b: Arith[V], x: V) -> tuple[V, list[V]]:
    """Return x scaled down to the first chunk that counts, and the chunks from there on."""
    width = CONSTANTS[b.format].chunk_bits
    # A chunk counts unless its last bit times the last bit of x is 4 or more.
    skipped = b.format.fraction_bits + 2
    exponent = b.sub(exponent_of(b, b.abs(x)), b.const(skipped - 0.5))
    first = at_least(b, b.floor(b.mul(exponent, b.const(inverse(width)))), 0.0)
    scaled = b.mul(x, power_of_two(b, b.mul(first, b.const(-float(width)))))
    digits = [b.const(digit) for digit in _chunks(b.format)]
    for level in _levels(len(digits) - CHUNKS):
        taken, step = b.ge(first, b.const(float(level))), b.const(float(level))
        first = b.select(taken, b.sub(first, step), first)
        kept = digits[: CHUNKS + level - 1]
        moved = digits[level : level + len(kept)]
        moved += [b.const(0.0)] * (len(kept) - len(moved))
        digits = [b.select(taken, far, near) for far, near in zip(moved, kept, strict=True)]
    return scaled, digits


def _levels(last: int) -> Iterator[int]:
    """Give the powers of two that a position up to `last` is made of, largest first."""
    for bit in reversed(range(last.bit_length())):
        yield 1 << bit


def _chunks(form: Format) -> list[float]:
    """Cut 2/pi into chunks, each scaled to [0, 1), as many as the largest exponent needs."""
    width = CONSTANTS[form].chunk_bits
    last = (form.bias - form.fraction_bits - 2) // width
    cut = [TWO_OVER_PI_BITS - width * (place + 1) for place in range(last + CHUNKS)]
    return [float((TWO_OVER_PI >> low) % 2**width) / 2.0**width for low in cut]
