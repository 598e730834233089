"""Kinds: which of six sorts of value a term may have, as a mask of six bits.

    -inf | negative | zero | positive | +inf | nan

The tables are exact: for single kinds the result holds the kinds that some operands of these kinds
give, and no other.  A nonzero number divided by zero is an infinity of unknown sign, since there is
one zero.  Masks are lifted bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, reduce
from operator import or_
from typing import Final

NINF, NEG, ZERO, POS, PINF, NAN = (1 << bit for bit in range(6))
FINITE: Final = NEG | ZERO | POS
ANY: Final = 63
NAMES: Final = ("-inf", "neg", "zero", "pos", "inf", "nan")
# The value of a kind with one value.
ONLY: Final[dict[int, Fraction | str]] = {
    NINF: "-inf",
    ZERO: Fraction(0),
    PINF: "inf",
    NAN: "nan",
}
_SIGN: Final = {NINF: -1, NEG: -1, ZERO: 0, POS: 1, PINF: 1}
_INFINITE: Final = NINF | PINF


def single(mask: int) -> Iterator[int]:
    """The kinds of a mask."""
    return (1 << bit for bit in range(6) if mask >> bit & 1)


def within(mask: int, of: int) -> bool:
    """Whether a mask holds no kind outside another."""
    return not mask & ~of


def of_number(value: Fraction | str) -> int:
    """The kind of a constant."""
    if isinstance(value, str):
        return {"-inf": NINF, "inf": PINF, "nan": NAN}[value]
    return NEG if value < 0 else POS if value > 0 else ZERO


def _signed(sign: int, *, infinite: bool) -> int:
    if sign == 0:
        return ZERO
    return (PINF if infinite else POS) if sign > 0 else (NINF if infinite else NEG)


def _add(a: int, b: int) -> int:
    if a & _INFINITE:
        return NAN if b & _INFINITE and a != b else a
    if b & _INFINITE or a == ZERO:
        return b
    return a if b in (a, ZERO) else FINITE


def _mul(a: int, b: int) -> int:
    if ZERO in (a, b) and (a | b) & _INFINITE:
        return NAN
    return _signed(_SIGN[a] * _SIGN[b], infinite=bool((a | b) & _INFINITE))


def _div(a: int, b: int) -> int:
    if b == ZERO:
        return NAN if a == ZERO else _INFINITE
    if b & _INFINITE:
        return NAN if a & _INFINITE else ZERO
    return _signed(_SIGN[a] * _SIGN[b], infinite=bool(a & _INFINITE))


def _less(a: int, b: int) -> int:
    if a == b:
        return ZERO | POS if a & (NEG | POS) else ZERO
    return POS if a < b else ZERO


def _same(a: int, b: int) -> int:
    if a != b:
        return ZERO
    return ZERO | POS if a & (NEG | POS) else POS


_BINARY: Final[dict[str, Callable[[int, int], int]]] = {
    "add": _add,
    "mul": _mul,
    "div": _div,
    "max": max,
    "min": min,
    "less": _less,
}
_UNARY: Final[dict[str, tuple[int, ...]]] = {
    "exp": (ZERO, POS, POS, POS, PINF, NAN),
    "log": (NAN, NAN, NINF, FINITE, PINF, NAN),
    "abs": (PINF, POS, ZERO, POS, PINF, NAN),
}


@cache
def unary(op: str, a: int) -> int:
    """The mask of exp, log or abs of a mask."""
    return reduce(or_, (_UNARY[op][kind.bit_length() - 1] for kind in single(a)), 0)


@cache
def binary(op: str, a: int, b: int) -> int:
    """The mask of a binary operation on two masks."""
    if op == "same":
        return reduce(or_, (_same(x, y) for x in single(a) for y in single(b)), 0)
    unordered = ZERO if op == "less" else NAN
    nan = unordered if a and b and (a | b) & NAN else 0
    numbers = ((x, y) for x in single(a & ~NAN) for y in single(b & ~NAN))
    return reduce(or_, (_BINARY[op](x, y) for x, y in numbers), nan)


@cache
def closure(op: str, mask: int) -> int:
    """The mask of the operation over one or more values of a mask."""
    wider = mask | binary(op, mask, mask)
    return mask if wider == mask else closure(op, wider)


def tested(mask: int, among: int) -> int:
    """The mask of the truth (one or zero) of "its kind is among"."""
    return (POS if mask & among else 0) | (ZERO if mask & ~among else 0)


def at_most(mask: int) -> int:
    """The kinds of numbers that are at most some number of a mask."""
    mask &= ~NAN
    return (1 << mask.bit_length()) - 1


def at_least(mask: int) -> int:
    """The kinds of numbers that are at least some number of a mask."""
    mask &= ~NAN
    return (ANY & ~NAN) & ~((mask & -mask) - 1) if mask else 0
