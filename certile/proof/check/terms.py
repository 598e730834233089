"""Terms of the checker: one table of interned rows over the extended reals and NaN.

A row is an operation, a value of its own and earlier rows that it applies to; two terms that say
the same are one row, so a term is a number and every walk is a loop.  Values are V = R + {-inf,
+inf, nan} with one zero and one NaN, and every operation is total; a truth is one or zero, and
`choose` takes any but zero for true.  A list operation (`sum prod top bottom` of a named list)
binds `elem`, the element of the innermost list.  `largest` of a list has two operands, a and k: it
is the greatest a of an element with at least k elements whose a is not less, in the order in which
NaN is the greatest value, and -inf where there is none; so it is the k-th greatest for a constant
k.  `smallest` is the same downwards, where NaN is the least value, with inf.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

# A rational number, or the name of a special value.
Number = Fraction | str
Value = Number | int | None
# A variable, a number, or an operation and its operands.
Pattern = str | int | tuple[Any, ...]

# A list operation -> what joins two lists, and the value of that for no element.
JOIN: Final = {"sum": "add", "prod": "mul", "top": "max", "bottom": "min"}
# The operation that is the first element in an order -> that of the k-th.
RANKED: Final = {"top": "largest", "bottom": "smallest"}
LISTS: Final = frozenset({*JOIN, *RANKED.values()})
UNIT: Final[dict[str, int | str]] = {"add": 0, "mul": 1, "max": "-inf", "min": "inf"}
# Operation -> number of operands; those of `VALUED` have a value of their own.
ARITY: Final = {
    **dict.fromkeys(("num", "elem", "sym"), 0),
    **dict.fromkeys(("exp", "log", "abs", "kind", *JOIN), 1),
    **dict.fromkeys(("div", "same", "less", *UNIT, *RANKED.values()), 2),
    "choose": 3,
}
VALUED: Final = frozenset({"num", "elem", "sym", "kind", *LISTS})


class Refused(Exception):  # noqa: N818 - it is an answer, not an error
    """A certificate does not prove what it says; the message is the reason."""


def require(holds: bool, reason: str) -> None:
    """Refuse unless something holds."""
    if not holds:
        raise Refused(reason)


class Row(NamedTuple):
    """One term: `value` is a number, a name (element field, symbol, list) or a mask."""

    op: str
    value: Value
    args: tuple[int, ...]


class Table:
    """Interned terms, each its row number, and the fuel that bounds all work on them."""

    def __init__(self, fuel: int) -> None:
        self.fuel = fuel
        self.rows: list[Row] = []
        self.free: list[bool] = []  # whether the row speaks of the element of a list around it
        self._known: dict[tuple[object, ...], int] = {}
        self._numbers: dict[Fraction | int | str, int] = {}

    def spend(self, amount: int = 1) -> None:
        """Count work; raises `Refused` when there has been too much of it."""
        self.fuel -= amount
        if self.fuel < 0:
            raise Refused("the certificate takes more work than it may")

    def make(self, op: str, *args: int, value: Value = None) -> int:
        """The term."""
        key = (op, value, args)
        made = self._known.get(key)
        if made is None:
            self.spend()
            made = self._known[key] = len(self.rows)
            self.rows.append(Row(op, value, args))
            below = op not in LISTS and any(self.free[arg] for arg in args)
            self.free.append(op == "elem" or below)
        return made

    def num(self, value: Fraction | int | str) -> int:
        """A constant: a rational number or the name of a special value."""
        if value not in self._numbers:
            number = value if isinstance(value, str) else Fraction(value)
            self._numbers[value] = self.make("num", value=number)
        return self._numbers[value]

    def count(self, name: str) -> int:
        """The number of elements of a list."""
        return self.make("sum", self.num(1), value=name)

    def apply(self, row: Row, args: tuple[int, ...]) -> int:
        """The row with other operands."""
        return self.make(row.op, *args, value=row.value)

    def build(self, pattern: Pattern, named: Mapping[str, int], value: Value = None) -> int:
        """The term of a pattern; `value` belongs to each operation there that has one."""
        if isinstance(pattern, tuple):
            args = [self.build(part, named, value) for part in pattern[1:]]
            return self.make(pattern[0], *args, value=value if pattern[0] in VALUED else None)
        return named[pattern] if isinstance(pattern, str) else self.num(pattern)

    def replaced(self, term: int, old: int, new: int) -> int:
        """The term with another one for an old one; in lists where that speaks of no element."""
        made = {old: new}
        closed = LISTS if self.free[old] or self.free[new] else ()
        for each in self.reach(term, closed=closed):
            row = self.rows[each]
            if each != old and row.op not in closed and any(arg in made for arg in row.args):
                made[each] = self.apply(row, tuple(made.get(arg, arg) for arg in row.args))
        return made.get(term, term)

    def flat(self, op: str, term: int) -> list[int]:
        """The operands of nested applications of a binary operation, from left to right."""
        out, stack = [], [term]
        while stack:
            self.spend()
            top = stack.pop()
            if self.rows[top].op == op:
                stack += reversed(self.rows[top].args)
            else:
                out.append(top)
        return out

    def reach(self, *terms: int, closed: Container[str] = ()) -> list[int]:
        """The terms and what is below them, operands first; nothing below operations `closed`."""
        found, waiting = set[int](), list(terms)
        while waiting:
            each = waiting.pop()
            if each not in found:
                found.add(each)
                waiting += () if self.rows[each].op in closed else self.rows[each].args
        self.spend(len(found))
        return sorted(found)
