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
from certile.proof.check.terms import JOIN, RANKED, UNIT, Pattern, Table, require

# The element that a list of one has: its fields are symbols with this before their names.
SINGLE: Final = "e"
_LISTS: Final = {"list.sum": "sum", "list.prod": "prod", "list.max": "top", "list.min": "bottom"}
# By rank: (list.largest 2 x) is the second greatest.
_BY_RANK: Final = {"list.largest": "top", "list.smallest": "bottom"}
_MOST: Final = 64
# What the later one of two elements is, where `top` or `bottom` is the first one.
_LATER: Final = {"top": "fmin", "bottom": "fmax"}
# With a NaN only `ne` holds.
_EQUAL: Final = ("choose", ("kind", "a"), 0, ("same", "a", "b"))
# What functions of two numbers a and b, or of one, mean; a `kind` without one of its own is NaN.
_MEANS: Final[dict[str, Pattern]] = {
    **{fn: (fn, "a", "b") for fn in ("add", "mul", "div")},
    **{fn: (fn, "a") for fn in ("exp", "log", "abs")},
    "maximum": ("max", "a", "b"),
    "minimum": ("min", "a", "b"),
    "fmax": ("choose", ("kind", "a"), "b", ("choose", ("kind", "b"), "a", ("max", "a", "b"))),
    "fmin": ("choose", ("kind", "a"), "b", ("choose", ("kind", "b"), "a", ("min", "a", "b"))),
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
_LITERALS: Final[dict[str, int | str]] = {
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
    _chosen: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def value(self, term: Term) -> int:
        """The checker's term for a term of a law."""
        num, lists = self.table.num, self.pieces is not None
        match term:
            case Lit(value) if not isinstance(value, str) and abs(value) < math.inf:
                return num(Fraction(value))
            case Lit(value):
                require(str(value) in _LITERALS, f"the literal {value} has no meaning here")
                return num(_LITERALS[str(value)])
            case Var(name):
                require(name in self.variables, f"{name} means nothing here")
                return self.variables[name]
            case Apply(fn, (body,)) if fn in _LISTS and lists:
                return self._list(_LISTS[fn], body)
            case Apply(fn, (Lit(int(rank)), body)) if fn in _BY_RANK and lists:
                require(0 < rank <= _MOST, f"a rank is from 1 to {_MOST}")
                return self._list(_BY_RANK[fn], body, rank)
            case Apply("where", (condition, a, b)):
                require(is_truth(condition, self.truths), "what a choice asks is no condition")
                return self._branch(condition, self.value(a), self.value(b))
            case Apply(fn, args):
                known = fn in _MEANS and len(args) == 2 - (fn in _UNARY) and (lists or fn != "is")
                known = known and (fn not in CONNECTIVES or is_truth(term, self.truths))
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

    def _list(self, op: str, body: Term, rank: int = 1) -> int:
        """An aggregate over the joined pieces, each read for its own element; by rank, the last."""
        make, parts, none = self.table.make, list[list[int]](), self.table.num(UNIT[JOIN[op]])
        for piece in self.pieces or ():
            kind, before = ("sym", f"{SINGLE}.") if piece == SINGLE else ("elem", "")
            element = {name: make(kind, value=before + name) for name in self.fields}
            reader = Reader(self.table, {**self.variables, **element}, self.pieces, self.fields)
            value, ranks = reader.value(body), map(self.table.num, range(2, rank + 1))
            if piece == SINGLE:
                parts.append([value, *(none for _ in ranks)])
            else:
                later = (make(RANKED[op], value, k, value=piece) for k in ranks)
                parts.append([make(op, value, value=piece), *later])
        return reduce(partial(self._joined, op), parts)[-1] if parts else none

    def _joined(self, op: str, a: list[int], b: list[int]) -> list[int]:
        """The first elements of two lists together, in order, from the first of each.

        The k-th is the first, over all j, of the later one of the j-th of one and the (k - j)-th of
        the other: so it is in every total order.
        """

        def later(*pair: int) -> int:
            known = dict(zip("ab", pair, strict=False))
            return self.table.build(_MEANS[_LATER[op]], known, NAN) if len(pair) == 2 else pair[0]

        made = []
        for k in range(1, len(a) + 1):
            each = [later(*a[j - 1 : j], *b[k - j - 1 : k - j]) for j in range(k, 0, -1)]
            made.append(reduce(partial(self.table.make, JOIN[op]), [*each, b[k - 1]]))
        return made


def is_truth(term: Term, truths: Container[str] = ()) -> bool:
    """Whether a term is one or zero because it is a condition."""
    match term:
        case Lit(value):
            return isinstance(value, bool)
        case Var(name):
            return name in truths
        case Apply("where", (_, first, second)):
            return is_truth(first, truths) and is_truth(second, truths)
        case Apply(fn, args) if fn in CONNECTIVES:
            return all(is_truth(arg, truths) for arg in args)
        case Apply(fn):
            return fn in _TRUTHS
