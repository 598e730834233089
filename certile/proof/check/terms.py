"""Terms of the checker: one table of interned rows over the extended reals and NaN.

A row is an operation, a value that belongs to it and the rows it applies to, all earlier in the
table; two terms that say the same are one row, so `==` of two numbers is equality of terms and
every walk is a loop.  Values are V = R + {-inf, +inf, nan} with one zero and one NaN, and every
operation is total.  A list operation (`sum prod top bottom` of a named list) binds the element:
`elem` below it means the element of the innermost list.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

Value = Fraction | str | int | None

# Operation -> number of operands; None: any number.
ARITY: Final[dict[str, int | None]] = {
    **dict.fromkeys(("num", "elem", "sym"), 0),
    **dict.fromkeys(("exp", "log", "abs", "kind"), 1),
    **dict.fromkeys(("add", "mul", "div", "max", "min", "same", "less"), 2),
    "choose": 3,
    "call": None,
    **dict.fromkeys(("sum", "prod", "top", "bottom"), 1),
}
VALUED: Final = frozenset({"num", "elem", "sym", "kind", "call", "sum", "prod", "top", "bottom"})
# A list operation -> what joins two lists, and its value for no element.
JOIN: Final = {"sum": "add", "prod": "mul", "top": "max", "bottom": "min"}
UNIT: Final[dict[str, Fraction | str]] = {
    "add": Fraction(0),
    "mul": Fraction(1),
    "max": "-inf",
    "min": "inf",
}
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
    """One term: `value` is a number, a name (element field, symbol, function, list) or a mask."""

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
        self._known: dict[Row, int] = {}

    def make(self, op: str, *args: int, value: Value = None) -> int:
        """The term; raises `Refused` when lists nest too deeply."""
        row = Row(op, value, args)
        found = self._known.get(row)
        if found is not None:
            return found
        self.fuel.spend()
        nesting = max((self._nesting[arg] for arg in args), default=0) + (op in JOIN)
        require(nesting <= _NESTING, "lists are nested too deeply")
        self._known[row] = len(self.rows)
        self.rows.append(row)
        self._nesting.append(nesting)
        self.free.append(op == "elem" or (op not in JOIN and any(self.free[arg] for arg in args)))
        return len(self.rows) - 1

    def num(self, value: Fraction | int | str) -> int:
        """A constant: a rational number or the name of a special value."""
        return self.make("num", value=value if isinstance(value, str) else Fraction(value))

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
