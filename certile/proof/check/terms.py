"""Terms of the checker: one table of interned rows over the extended reals and NaN.

A row is an operation, a value that belongs to it and the rows it applies to, all earlier in the
table; two terms that say the same are one row, so `==` of two numbers is equality of terms and
every walk is a loop.  Values are V = R + {-inf, +inf, nan} with one zero and one NaN, and every
operation is total.  A list operation (`sum prod top bottom` of a named list) binds the element:
`elem` below it means the element of the innermost list.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

Value = Fraction | str | int | None

# Operation -> number of operands.
ARITY: Final[dict[str, int]] = {
    **dict.fromkeys(("num", "elem", "sym"), 0),
    **dict.fromkeys(("exp", "log", "abs", "kind"), 1),
    **dict.fromkeys(("add", "mul", "div", "max", "min", "same", "less"), 2),
    "choose": 3,
    **dict.fromkeys(("sum", "prod", "top", "bottom"), 1),
}
VALUED: Final = frozenset({"num", "elem", "sym", "kind", "sum", "prod", "top", "bottom"})
# A list operation -> what joins two lists, and its value for no element.
JOIN: Final = {"sum": "add", "prod": "mul", "top": "max", "bottom": "min"}
UNIT: Final[dict[str, Fraction | str]] = {
    "add": Fraction(0),
    "mul": Fraction(1),
    "max": "-inf",
    "min": "inf",
}
# The element that a list of one has: its fields are symbols with this before their names.
SINGLE: Final = "e"
SPECIAL: Final = ("-inf", "inf", "nan")
_NESTING: Final = 6


class Refused(Exception):  # noqa: N818 - it is an answer, not an error
    """A certificate does not prove what it says; the message is the reason."""


def require(holds: bool, reason: str) -> None:
    """Refuse unless something holds."""
    if not holds:
        raise Refused(reason)


class Fuel:
    """One counter for a whole certificate: terms visited and monomials made."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.spent = 0

    def spend(self, amount: int = 1) -> None:
        """Count work; raises `Refused` when there has been too much of it."""
        self.spent += amount
        require(self.spent <= self._limit, "the certificate takes more work than it may")


@dataclass(frozen=True, slots=True)
class Row:
    """One term: `value` is a number, a name (element field, symbol, list) or a mask."""

    op: str
    value: Value
    args: tuple[int, ...]


class Table:
    """Interned terms; a term is its row number."""

    def __init__(self, fuel: Fuel) -> None:
        self.fuel = fuel
        self.rows: list[Row] = []
        self.free: list[bool] = []  # whether the row speaks of the element of a list around it
        self._nesting: list[int] = []
        self._known: dict[tuple[object, ...], int] = {}
        self._numbers: dict[str | tuple[int, int], int] = {}

    def make(self, op: str, *args: int, value: Value = None) -> int:
        """The term; raises `Refused` when lists nest too deeply."""
        key = (op, value, args)
        found = self._known.get(key)
        if found is not None:
            return found
        self.fuel.spend()
        nesting = max((self._nesting[arg] for arg in args), default=0) + (op in JOIN)
        require(nesting <= _NESTING, "lists are nested too deeply")
        self._known[key] = len(self.rows)
        self.rows.append(Row(op, value, args))
        self._nesting.append(nesting)
        self.free.append(op == "elem" or (op not in JOIN and any(self.free[arg] for arg in args)))
        return len(self.rows) - 1

    def num(self, value: Fraction | int | str) -> int:
        """A constant: a rational number or the name of a special value."""
        special = isinstance(value, str)
        # Fractions hash slowly, and few of them are asked for again and again.
        key = value if isinstance(value, str) else (value.numerator, value.denominator)
        if key not in self._numbers:
            self._numbers[key] = self.make("num", value=value if special else Fraction(value))
        return self._numbers[key]

    def count(self, name: str) -> int:
        """The number of elements of a list."""
        return self.make("sum", self.num(1), value=name)

    def apply(self, row: Row, args: tuple[int, ...]) -> int:
        """The row with other operands."""
        return self.make(row.op, *args, value=row.value)

    def flat(self, op: str, term: int) -> list[int]:
        """The operands of nested applications of a binary operation, from left to right."""
        out, stack = [], [term]
        while stack:
            self.fuel.spend()
            top = stack.pop()
            row = self.rows[top]
            if row.op == op:
                stack.extend(reversed(row.args))
            else:
                out.append(top)
        return out

    def reach(
        self, *terms: int, known: Container[int] = (), closed: Container[str] = ()
    ) -> list[int]:
        """The terms and what is below them, operands first; not known terms, nor below `closed`."""
        seen, stack = set(terms), list(terms)
        while stack:
            self.fuel.spend()
            row = self.rows[stack.pop()]
            below = set() if row.op in closed else {arg for arg in row.args if arg not in known}
            stack += below - seen
            seen |= below
        return sorted(seen)

    def shape(self, terms: Iterable[int], fields: Mapping[str, object]) -> tuple[object, ...]:
        """The terms up to the names of fields, each of which becomes its number and what it is.

        Where two are equal, terms become the others by a renaming of fields, alike everywhere.
        """
        place: dict[int, int] = {}
        numbers: dict[str, int] = {}
        out: list[object] = []
        stack = [*terms][::-1]
        while stack:
            self.fuel.spend()
            term = stack.pop()
            if term in place:
                out.append(place[term])
                continue
            place[term] = len(place)
            row = self.rows[term]
            value: object = row.value
            name = str(value).removeprefix(f"{SINGLE}.")
            if row.op == "elem" or (row.op == "sym" and value != name):
                value = (numbers.setdefault(name, len(numbers)), fields[name])
            out.append((row.op, value, len(row.args)))
            stack += reversed(row.args)
        return tuple(out)

    def text(self, *terms: int) -> list[str]:
        """S-expressions; the fuel bounds their length."""
        made: dict[int, str] = {}
        for term in self.reach(*terms):
            row = self.rows[term]
            words = [row.op] * (row.op not in ("num", "elem", "sym"))
            words += [str(row.value)] * (row.value is not None)
            words += [made[arg] for arg in row.args]
            self.fuel.spend(1 + sum(map(len, words)) // 64)
            made[term] = words[0] if len(words) == 1 else f"({' '.join(words)})"
        return [made[term] for term in terms]
