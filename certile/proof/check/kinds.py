"""Kinds: which of six sorts of value a term may have, as a mask of six bits.

    -inf | negative | zero | positive | +inf | nan

What an operation gives on kinds is what it gives on samples of them.  It depends on signs, on
which of two numbers is greater in size, and for `log` on which side of 1 a number lies, and the
samples hold every such case; so the tables are exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Final

NINF, NEG, ZERO, POS, PINF, NAN = (1 << bit for bit in range(6))
FINITE: Final = NEG | ZERO | POS
ANY: Final = 63
# The value of a kind with one value.
ONLY: Final[dict[int, Fraction | str]] = {NINF: "-inf", ZERO: Fraction(0), PINF: "inf", NAN: "nan"}
_SAMPLES: Final = {
    NINF: (-math.inf,),
    NEG: (-2.0, -1.0),
    ZERO: (0.0,),
    POS: (0.5, 1.0, 2.0),
    PINF: (math.inf,),
    NAN: (math.nan,),
}


def _div(a: float, b: float) -> tuple[float, ...]:
    """There is one zero: a nonzero number divided by it is an infinity of unknown sign."""
    if b != 0:
        return (a / b,)
    return (-math.inf, math.inf) if abs(a) > 0 else (math.nan,)


def _log(a: float) -> float:
    return -math.inf if a == 0 else math.nan if a < 0 else math.log(a)


def _extreme(choose: Callable[[float, float], float], a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else choose(a, b)


# An operation -> the values it may have.
_VALUES: Final[dict[str, Callable[..., tuple[float, ...]]]] = {
    "add": lambda a, b: (a + b,),
    "mul": lambda a, b: (a * b,),
    "div": _div,
    "max": lambda a, b: (_extreme(max, a, b),),
    "min": lambda a, b: (_extreme(min, a, b),),
    "less": lambda a, b: (float(a < b),),
    "same": lambda a, b: (float(a == b or (math.isnan(a) and math.isnan(b))),),
    "exp": lambda a: (math.exp(a),),
    "log": lambda a: (_log(a),),
    "abs": lambda a: (abs(a),),
}
OPERATIONS: Final = frozenset(_VALUES)


def single(mask: int) -> Iterator[int]:
    """The kinds of a mask."""
    return (1 << bit for bit in range(6) if mask >> bit & 1)


def within(mask: int, of: int) -> bool:
    """Whether a mask holds no kind outside another."""
    return not mask & ~of


def of_number(value: Fraction | float | str) -> int:
    """The kind of a constant."""
    number = float(value) if isinstance(value, str) else value
    if isinstance(number, float) and not math.isfinite(number):
        return NAN if math.isnan(number) else PINF if number > 0 else NINF
    return NEG if number < 0 else POS if number > 0 else ZERO


@cache
def result(op: str, *masks: int) -> int:
    """The mask of an operation on values of some masks: the union over single kinds."""
    for place, mask in enumerate(masks):
        if mask & (mask - 1):
            before, after = masks[:place], masks[place + 1 :]
            first = result(op, *before, mask & -mask, *after)
            return first | result(op, *before, mask & (mask - 1), *after)
    found = 0
    for values in product(*(_SAMPLES.get(mask, ()) for mask in masks)):
        for value in _VALUES[op](*values):
            found |= of_number(value)
    return found


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
