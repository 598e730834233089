"""Terms of the checker evaluated on lists of numbers: what a proof must agree with.

Finite arithmetic is that of floats, so an identity of reals holds within rounding; lists are short
and their numbers small, so nothing overflows.  A nonzero number over zero has no value here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.terms import JOIN, RANKED, UNIT, Row, Table
from certile.records import record

Element = Mapping[str, float]

_TOLERANCE: Final = 1e-9
_NUMBERS: Final = (-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0)


class Unspecified(Exception):  # noqa: N818 - the term has no value, which is no fault
    """A number other than zero over zero, or a number too large here."""


@record
class World:
    """What the lists hold, and the values of symbols and of the element of a list around."""

    lists: Mapping[str, Sequence[Element]]
    symbols: Mapping[str, float]
    element: Element | None = None


def evaluate(table: Table, world: World, term: int) -> float:
    """The value of a term; raises `Unspecified`."""
    return _Evaluator(table, world).value(term, world.element)


def agree(a: float, b: float) -> bool:
    """Whether two values are equal within rounding; a NaN is a NaN."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= _TOLERANCE * (1 + abs(a) + abs(b))


def kind_of(value: float) -> int:
    """The kind of a value."""
    if math.isnan(value):
        return kinds.NAN
    if math.isinf(value):
        return kinds.PINF if value > 0 else kinds.NINF
    return kinds.POS if value > 0 else kinds.NEG if value < 0 else kinds.ZERO


def draw(choose: random.Random, mask: int) -> float:
    """A value of some kind of the mask."""
    kind = choose.choice(list(kinds.single(mask)))
    if kind in kinds.ONLY:
        return float(kinds.ONLY[kind])
    return abs(choose.choice(_NUMBERS)) * (1 if kind == kinds.POS else -1)


def draw_element(choose: random.Random, domain: Mapping[str, int]) -> Element:
    """An element; finite numbers are as likely as all special values together."""
    element = {}
    for name, mask in domain.items():
        finite = mask & kinds.FINITE
        element[name] = draw(choose, finite if finite and choose.random() < 0.5 else mask)
    return element


def draw_world(choose: random.Random, domain: Mapping[str, int], longest: int = 3) -> World:
    """Two lists, one element, and the symbols that have their own names, like `s.h`.

    No two elements of the lists have one place, `i`, as none have in a program.
    """
    lists = {
        name: [draw_element(choose, domain) for _ in range(choose.randint(0, longest))]
        for name in ("xs", "ys")
    }
    if "i" in domain:
        places = iter(choose.sample(range(4 * longest), 2 * longest))
        lists = {n: [{**e, "i": float(next(places))} for e in held] for n, held in lists.items()}
    one = draw_element(choose, domain)
    symbols = {name if "." in name else f"e.{name}": value for name, value in one.items()}
    return World(lists, symbols, draw_element(choose, domain))


class _Evaluator:
    def __init__(self, table: Table, world: World) -> None:
        self._table, self._world = table, world
        self._closed: dict[int, float] = {}

    def value(self, term: int, element: Element | None) -> float:
        if term in self._closed:
            return self._closed[term]
        row = self._table.rows[term]
        value = self._value(row, element) + 0.0  # one zero: -0.0 + 0.0 is 0.0
        if not self._table.free[term]:
            self._closed[term] = value
        return value

    def _value(self, row: Row, element: Element | None) -> float:
        if row.op in JOIN:
            return self._aggregate(row)
        if row.op in RANKED.values():
            return self._ranked(row)
        if row.op == "num":
            return float(row.value)  # type: ignore[arg-type]
        if row.op in ("elem", "sym"):
            held = self._world.symbols if row.op == "sym" else element
            if held is None or row.value not in held:
                raise Unspecified
            return held[str(row.value)]
        if row.op == "choose":
            condition, first, second = row.args
            return self.value(first if self.value(condition, element) else second, element)
        args = [self.value(arg, element) for arg in row.args]
        if row.op == "kind":
            return float(bool(kind_of(args[0]) & int(row.value)))  # type: ignore[arg-type]
        return _OPERATIONS[row.op](*args)

    def _aggregate(self, row: Row) -> float:
        join = JOIN[row.op]
        unit = UNIT[join]
        out = float(unit)
        for element in self._world.lists[str(row.value)]:
            out = _OPERATIONS[join](out, self.value(row.args[0], element))
        return out

    def _ranked(self, row: Row) -> float:
        """The first element that is not among the first k - 1, for the k of the element."""
        (first,) = (op for op, ranked in RANKED.items() if ranked == row.op)
        join, sign = JOIN[first], 1 if first == "top" else -1
        held = self._world.lists[str(row.value)]
        pairs = [[self.value(arg, element) for arg in row.args] for element in held]
        # NaN is the greatest of all upwards, and the least downwards.
        keys = [
            (math.isnan(value), 0.0 if math.isnan(value) else sign * value) for value, _ in pairs
        ]
        found = float(UNIT[join])
        for (value, rank), key in zip(pairs, keys, strict=True):
            if sum(other >= key for other in keys) >= rank:
                found = _OPERATIONS[join](found, value)
        return found


def _divide(a: float, b: float) -> float:
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        raise Unspecified
    return a / b


def _exp(a: float) -> float:
    try:
        return math.inf if a == math.inf else math.exp(a)
    except OverflowError:
        raise Unspecified from None


def _log(a: float) -> float:
    if a == 0:
        return -math.inf
    return math.nan if a < 0 else math.log(a)


def _max(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def _min(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


_OPERATIONS: Final[dict[str, Callable[..., float]]] = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "div": _divide,
    "exp": _exp,
    "log": _log,
    "abs": abs,
    "max": _max,
    "min": _min,
    "less": lambda a, b: float(a < b),
    "same": lambda a, b: float(a == b or (math.isnan(a) and math.isnan(b))),
}
