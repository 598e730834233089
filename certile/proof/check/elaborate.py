"""Terms of laws and of meanings, read as terms of the checker.

Comparisons are those of IEEE 754, truths are one and zero, and a conversion, like any function that
is not named here, has no meaning and is refused.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce
from typing import Final

from certile.ir.terms import Apply, Lit, Term, Var
from certile.proof.check.kinds import FINITE, NAN, NINF, PINF
from certile.proof.check.terms import JOIN, SINGLE, UNIT, Pattern, Table, require

_LISTS: Final = {"list.sum": "sum", "list.prod": "prod", "list.max": "top", "list.min": "bottom"}
# With a NaN only `ne` holds.
_EQUAL: Final = ("choose", ("kind", "a"), 0, ("same", "a", "b"))
# What functions of two numbers a and b, or of one, mean; a `kind` without one of its own is NaN.
_MEANS: Final[dict[str, Pattern]] = {
    **{fn: (fn, "a", "b") for fn in ("add", "mul", "div")},
    **{fn: (fn, "a") for fn in ("exp", "log", "abs")},
    "maximum": ("max", "a", "b"),
    "minimum": ("min", "a", "b"),
    "sub": ("add", "a", ("mul", -1, "b")),
    "neg": ("mul", -1, "a"),
    "lt": ("less", "a", "b"),
    "gt": ("less", "b", "a"),
    "le": ("choose", ("less", "a", "b"), 1, _EQUAL),
    "ge": ("choose", ("less", "b", "a"), 1, _EQUAL),
    "eq": _EQUAL,
    "ne": ("choose", ("kind", "a"), 1, ("choose", ("same", "a", "b"), 0, 1)),
    "is": ("same", "a", "b"),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), ("kind", "a")),
    "bit_and": ("min", "a", "b"),
    "bit_or": ("max", "a", "b"),
    "bit_not": ("add", 1, ("mul", -1, "a")),
}
_UNARY: Final = frozenset({"exp", "log", "abs", "neg", "isnan", "isinf", "isfinite", "bit_not"})
_TESTS: Final = {"isinf": NINF | PINF, "isfinite": FINITE}
CONNECTIVES: Final = frozenset({"bit_and", "bit_or", "bit_not"})
_TRUTHS: Final = frozenset({"lt", "gt", "le", "ge", "eq", "ne", "is", "isnan", *_TESTS})
# The order of an index or of integers is that of V with its bounds as the infinities.
_LITERALS: Final = {
    **dict.fromkeys(("lowest", "-inf"), "-inf"),
    **dict.fromkeys(("highest", "inf", "last_index"), "inf"),
    "nan": "nan",
    "-0.0": 0,
}


@dataclass(slots=True)
class Reader:
    """Reads terms.

    `pieces` are what list operations range over: lists by name, and `SINGLE` for a list of one
    element, whose fields are `fields`.  None: the terms hold no list operation.  `truths` are the
    variables that are one or zero.
    """

    table: Table
    variables: Mapping[str, int]
    pieces: tuple[str, ...] | None
    fields: tuple[str, ...] = ()
    truths: frozenset[str] = frozenset()
    _read: dict[int, tuple[Term, int]] = field(default_factory=dict)
    _chosen: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def value(self, term: Term) -> int:
        """The checker's term for a term of a law."""
        # By identity, as True equals 1 and differs in meaning; what is kept keeps its identity.
        if id(term) not in self._read:
            self._read[id(term)] = (term, self._value(term))
        return self._read[id(term)][1]

    def _value(self, term: Term) -> int:
        num, lists = self.table.num, self.pieces is not None
        match term:
            case Lit(value) if not isinstance(value, str):
                whole = isinstance(value, int) or math.isfinite(value)
                return num(Fraction(value) if whole else str(value))
            case Lit(value):
                require(value in _LITERALS, f"the literal {value} has no meaning here")
                return num(_LITERALS[str(value)])  # type: ignore[arg-type]
            case Var(name):
                require(name in self.variables, f"{name} means nothing here")
                return self.variables[name]
            case Apply(fn, (body,)) if fn in _LISTS and lists:
                return self._list(_LISTS[fn], body)
            case Apply("where", (condition, a, b)):
                require(is_truth(condition, self.truths), f"{condition} is no condition")
                return self._branch(condition, self.value(a), self.value(b))
            case Apply(fn, args):
                truths = fn not in CONNECTIVES or all(is_truth(arg, self.truths) for arg in args)
                known = truths and fn in _MEANS and (lists or fn != "is")
                known = known and len(args) == 2 - (fn in _UNARY)
                require(known, f"{fn} has no meaning over the extended reals")
                named = dict(zip("ab", map(self.value, args), strict=False))
                made = self.table.build(_MEANS[fn], named, _TESTS.get(fn, NAN))
                return self._choice(made, num(1), num(0)) if fn in _TRUTHS else made

    def _branch(self, condition: Term, first: int, second: int) -> int:
        """A choice by a condition; connectives become nested choices."""
        match condition:
            case Apply("bit_and", (a, b)):
                return self._branch(a, self._branch(b, first, second), second)
            case Apply("bit_or", (a, b)):
                return self._branch(a, first, self._branch(b, first, second))
            case Apply("bit_not", (a,)):
                return self._branch(a, second, first)
            case _:
                return self._choice(self.value(condition), first, second)

    def _choice(self, test: int, first: int, second: int) -> int:
        """A choice; one by a choice is a choice between choices."""
        key = (test, first, second)
        op, value, args = self.table.rows[test]
        if op == "num":
            return second if value == 0 else first
        if key not in self._chosen:
            inner = [self._choice(each, first, second) for each in args[1:] if op == "choose"]
            self._chosen[key] = self.table.make("choose", *((args[0], *inner) if inner else key))
        return self._chosen[key]

    def _list(self, op: str, body: Term) -> int:
        """An aggregate over the joined pieces, each read for its own element."""
        make, parts = self.table.make, list[int]()
        for piece in self.pieces or ():
            single = piece == SINGLE
            element = {
                name: make("sym", value=f"{SINGLE}.{name}") if single else make("elem", value=name)
                for name in self.fields
            }
            reader = Reader(self.table, {**self.variables, **element}, self.pieces, self.fields)
            value = reader.value(body)
            parts.append(value if single else make(op, value, value=piece))
        return reduce(partial(make, JOIN[op]), parts) if parts else self.table.num(UNIT[JOIN[op]])


def is_truth(term: Term, truths: Container[str] = ()) -> bool:
    """Whether a term is one or zero because it is a condition."""
    match term:
        case Var(name):
            return name in truths
        case Lit(value):
            return isinstance(value, bool)
        case Apply(fn, args):
            parts = args if fn in CONNECTIVES else args[1:] if fn == "where" else ()
            return fn in _TRUTHS or (len(parts) > 0 and all(is_truth(arg, truths) for arg in parts))
