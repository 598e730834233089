"""Kinds: which of six sorts of value a term may have, as a mask of six bits.

    -inf | negative | zero | positive | +inf | nan

What an operation gives on kinds is what it gives on samples of them.  It depends on signs, on
which of two numbers is greater in size, and for `log` on which side of 1 a number lies, and the
samples hold every such case; so the tables are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, inf, isnan, log, nan
from typing import Final

from certile.proof.check.terms import Number

NINF, NEG, ZERO, POS, PINF, NAN = _KINDS = tuple(1 << bit for bit in range(6))
FINITE: Final = NEG | ZERO | POS
ANY: Final = 63
# The value of a kind with one value.
ONLY: Final[dict[int, int | str]] = {NINF: "-inf", ZERO: 0, PINF: "inf", NAN: "nan"}
_EACH: Final = ((-inf,), (-2.0, -1.0), (0.0,), (0.5, 1.0, 2.0), (inf,), (nan,))
_SAMPLES: Final = dict(zip(_KINDS, _EACH, strict=True))
# An operation -> the values it may have.  As there is one zero, a number divided by it is an
# infinity of either sign.
_VALUES: Final[dict[str, Callable[..., tuple[float, ...]]]] = {
    "add": lambda a, b: (a + b,),
    "mul": lambda a, b: (a * b,),
    "div": lambda a, b: (a / b,) if b else (-inf, inf) if abs(a) > 0 else (nan,),
    "max": lambda a, b: (nan if isnan(a) or isnan(b) else max(a, b),),
    "min": lambda a, b: (nan if isnan(a) or isnan(b) else min(a, b),),
    "less": lambda a, b: (float(a < b),),
    "same": lambda a, b: (float(a == b or (isnan(a) and isnan(b))),),
    "exp": lambda a: (exp(a),),
    "log": lambda a: (log(a) if a > 0 else -inf if a == 0 else nan,),
    "abs": lambda a: (abs(a),),
    "choose": lambda a, b, c: (c if a == 0 else b,),
}
OPERATIONS: Final = frozenset(_VALUES)


def single(mask: int) -> Iterator[int]:
    """The kinds of a mask."""
    return (1 << bit for bit in range(6) if mask >> bit & 1)


def within(mask: int, of: int) -> bool:
    """Whether a mask holds no kind outside another."""
    return not mask & ~of


def of_number(value: Number | float) -> int:
    """The kind of a constant."""
    number = value.numerator if isinstance(value, Fraction) else float(value)
    if number in (inf, -inf):
        return PINF if number == inf else NINF
    return NEG if number < 0 else POS if number > 0 else ZERO if number == 0 else NAN


@cache
def result(op: str, *masks: int) -> int:
    """The mask of an operation on values of some masks."""
    samples = ([value for kind in single(mask) for value in _SAMPLES[kind]] for mask in masks)
    found = {of_number(value) for values in product(*samples) for value in _VALUES[op](*values)}
    return sum(found)


@cache
def operand(op: str, place: int, *masks: int) -> int:
    """The kinds of the operand at a place with which the result may be of the last mask."""
    *given, wanted = masks
    tried = ((kind, [*given[:place], kind, *given[place + 1 :]]) for kind in single(given[place]))
    return sum(kind for kind, each in tried if result(op, *each) & wanted)


def closure(op: str, mask: int) -> int:
    """The mask of the operation over one or more values of a mask."""
    wider = mask | result(op, mask, mask)
    return mask if wider == mask else closure(op, wider)


def tested(mask: int, among: int) -> int:
    """The mask of the truth (one or zero) of "its kind is among"."""
    return (POS if mask & among else 0) | (ZERO if mask & ~among else 0)
