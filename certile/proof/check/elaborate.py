"""Terms of laws and of meanings, read as terms of the checker.

Comparisons are those of IEEE 754, truths are one and zero, and a conversion, like any function that
is not named here, has no meaning and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from typing import Final

from certile.ir.laws import Law
from certile.ir.terms import Apply, Lit, Term, Var
from certile.proof.check import kinds
from certile.proof.check.terms import JOIN, SINGLE, UNIT, Table, require

_LISTS: Final = {"list.sum": "sum", "list.prod": "prod", "list.max": "top", "list.min": "bottom"}
_PLAIN: Final = {
    **{name: name for name in ("add", "mul", "div", "exp", "log", "abs")},
    "maximum": "max",
    "minimum": "min",
}
_TESTS: Final = {
    "isnan": kinds.NAN,
    "isinf": kinds.NINF | kinds.PINF,
    "isfinite": kinds.FINITE,
}
_COMPARISONS: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
# The order of an index or of integers is that of V with its bounds as the infinities.
_LITERALS: Final[dict[str, Fraction | str]] = {
    "lowest": "-inf",
    "-inf": "-inf",
    "highest": "inf",
    "inf": "inf",
    "last_index": "inf",
    "nan": "nan",
    "-0.0": Fraction(0),
}
_DEPTH: Final = 64


@dataclass(slots=True)
class Reader:
    """Reads terms.

    `pieces` are what list operations range over: lists by name, and `SINGLE` for a list of one
    element.  None: the terms hold no list operation.
    """

    table: Table
    variables: Mapping[str, int]
    pieces: tuple[str, ...] | None
    fields: tuple[str, ...] = ()
    truths: frozenset[str] = frozenset()
    _depth: int = 0
    _memo: dict[Term, int] = field(default_factory=dict)

    def value(self, term: Term) -> int:
        """The checker's term for a term of a law."""
        if term not in self._memo:
            self._depth += 1
            require(self._depth <= _DEPTH, "a term of the law is nested too deeply")
            self._memo[term] = self._value(term)
            self._depth -= 1
        return self._memo[term]

    def _value(self, term: Term) -> int:
        match term:
            case Lit(value):
                return self._literal(value)
            case Var(name):
                require(name in self.variables, f"{name} means nothing here")
                return self.variables[name]
            case Apply(fn, args) if fn in _PLAIN:
                return self.table.make(_PLAIN[fn], *map(self.value, args))
            case Apply("sub", (a, b)):
                return self.table.make("add", self.value(a), self._negated(b))
            case Apply("neg", (a,)):
                return self._negated(a)
            case Apply("where", (condition, a, b)):
                return self.branch(condition, self.value(a), self.value(b))
            case Apply(fn, (body,)) if fn in _LISTS and self.pieces is not None:
                return self._list(_LISTS[fn], body)
            case Apply():
                truth = self._is_truth(term)
                require(truth, f"{term.fn} has no meaning over the extended reals")
                return self._truth(term)

    def _literal(self, value: bool | int | float | str) -> int:
        if isinstance(value, str):
            known = value in _LITERALS
            require(known, f"the literal {value} has no meaning over the extended reals")
            return self.table.num(_LITERALS[value])
        return self.table.num(Fraction(value) if math.isfinite(value) else str(value))

    def _negated(self, term: Term) -> int:
        return self.table.make("mul", self.table.num(-1), self.value(term))

    def _truth(self, term: Apply) -> int:
        """A condition as one or zero; conjunction is the smaller, disjunction the greater."""
        one = self.table.num(1)
        match term:
            case Apply("bit_and" | "bit_or" as fn, (a, b)):
                joined = "min" if fn == "bit_and" else "max"
                return self.table.make(joined, self.value(a), self.value(b))
            case Apply("bit_not", (a,)):
                return self.table.make("add", one, self._negated(a))
            case _:
                return self.branch(term, one, self.table.num(0))

    def branch(self, condition: Term, then: int, otherwise: int) -> int:
        """The choice between two terms by a condition; connectives become nested choices."""
        make = self.table.make
        match condition:
            case Apply("bit_and" | "bit_or" | "bit_not" as fn, args):
                truths = self._is_truth(condition)
                require(truths, f"{fn} of numbers has no meaning over the extended reals")
                if fn == "bit_not":
                    return self.branch(args[0], otherwise, then)
                inner = self.branch(args[1], then, otherwise)
                first = (inner, otherwise) if fn == "bit_and" else (then, inner)
                return self.branch(args[0], *first)
            case Apply(fn, (a, b)) if fn in _COMPARISONS:
                return self._comparison(fn, (self.value(a), self.value(b)), then, otherwise)
            case Apply(fn, (a,)) if fn in _TESTS:
                test = make("kind", self.value(a), value=_TESTS[fn])
            case Apply("is", (a, b)) if self._is_truth(condition):
                test = make("same", self.value(a), self.value(b))
            case _:
                require(self._is_truth(condition), f"{condition} is no condition")
                test = self.value(condition)
        return make("choose", test, then, otherwise)

    def _comparison(self, fn: str, pair: tuple[int, int], then: int, otherwise: int) -> int:
        """A comparison as IEEE 754 has it: with a NaN only `ne` holds."""
        make, (a, b) = self.table.make, pair
        low, high = (a, b) if fn in ("lt", "le") else (b, a)
        if fn in ("lt", "gt"):
            return make("choose", make("less", low, high), then, otherwise)
        same, differ = (otherwise, then) if fn == "ne" else (then, otherwise)
        identical = make("choose", make("same", a, b), same, differ)
        equal = make("choose", make("kind", a, value=kinds.NAN), differ, identical)
        if fn in ("eq", "ne"):
            return equal
        return make("choose", make("less", low, high), then, equal)

    def _is_truth(self, term: Term) -> bool:
        match term:
            case Var(name):
                return name in self.truths
            case Lit(value):
                return isinstance(value, bool)
            case Apply("where", (_, a, b)):
                return self._is_truth(a) and self._is_truth(b)
            case Apply(fn, args):
                if fn in ("bit_and", "bit_or", "bit_not"):
                    return all(map(self._is_truth, args))
                identity = fn == "is" and self.pieces is not None
                return identity or fn in _COMPARISONS or fn in _TESTS

    def _list(self, op: str, body: Term) -> int:
        """An aggregate over the joined pieces, each read for its own element."""
        parts = [self._over(piece, op, body) for piece in self.pieces or ()]
        if not parts:
            return self.table.num(UNIT[JOIN[op]])
        return reduce(partial(self.table.make, JOIN[op]), parts)

    def _over(self, piece: str, op: str, body: Term) -> int:
        single = piece == SINGLE
        element = {
            name: symbol(self.table, name) if single else self.table.make("elem", value=name)
            for name in self.fields
        }
        reader = Reader(self.table, {**self.variables, **element}, self.pieces, self.fields)
        value = reader.value(body)
        return value if single else self.table.make(op, value, value=piece)


def symbol(table: Table, name: str) -> int:
    """A field of the one element that a singleton holds."""
    return table.make("sym", value=f"{SINGLE}.{name}")


def read_terms(
    table: Table, law: Law, terms: Sequence[Term] | None, variables: Mapping[str, int]
) -> list[int]:
    """Terms of a law itself: they see states and one element, but no list."""
    truths = {component.name for component in law.state if component.type == "bool"}
    held = frozenset(name for name in variables if name.rpartition(".")[2] in truths)
    return list(map(Reader(table, variables, None, (), held).value, terms or ()))


def require_parts(law: Law) -> None:
    """That each component has a name of its own and a term in each part of the law."""
    require(law.identity is not None, "a fold without an identity has no state of no elements")
    names = {component.name for component in law.state}
    sizes = {len(names), *map(len, (law.state, law.identity or (), law.lift, law.merge))}
    require(len(sizes) == 1, "components share a name, or have another number of terms")
