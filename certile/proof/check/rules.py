"""Rewriting rules: each turns one term into another of the same value in a context, or refuses.

A rule gets the context at the place of the term, the term, and for `ring`, `regroup` and `equality`
the term to reach.  `AXIOMS` are equations with their premises, as data.  All premises are asked of
the context; none is taken from a certificate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.field import Field
from certile.proof.check.order import compare
from certile.proof.check.terms import UNIT, Table, Value, require

Rule = Callable[[Context, int], int]
Target = Callable[[Context, int, int], None]
# A variable, or an operation and its operands; every sum of an axiom is over the same list.
Pattern = str | tuple[Any, ...]

_IDEMPOTENT: Final = frozenset({"max", "min"})


class Axiom(NamedTuple):
    """`left` is `right` where variables are of some kinds, and `closed` speaks of no element."""

    left: Pattern
    right: Pattern
    kinds: Mapping[str, int] = {}
    closed: str | None = None


_FINITE: Final = {"c": kinds.FINITE}
_INSIDE: Final = ("sum", ("mul", "c", "a"))
_OUTSIDE: Final = ("mul", "c", ("sum", "a"))
AXIOMS: Final = {
    "distribute": Axiom(
        ("mul", "c", ("add", "a", "b")), ("add", ("mul", "c", "a"), ("mul", "c", "b")), _FINITE
    ),
    "split_sum": Axiom(("sum", ("add", "a", "b")), ("add", ("sum", "a"), ("sum", "b"))),
    "factor_out": Axiom(_INSIDE, _OUTSIDE, _FINITE, "c"),
    "factor_in": Axiom(_OUTSIDE, _INSIDE, _FINITE, "c"),
    "log_of_exp": Axiom(("log", ("exp", "a")), "a"),
    "log_of_product": Axiom(
        ("log", ("mul", "a", "b")),
        ("add", ("log", "a"), ("log", "b")),
        {"a": kinds.POS, "b": kinds.ZERO | kinds.POS | kinds.PINF},
    ),
}


def _by_axiom(axiom: Axiom, context: Context, term: int) -> int:
    """The right of an axiom for the term that its left is."""
    table, found, name = context.table, dict[str, int](), None
    waiting: list[tuple[Pattern, int]] = [(axiom.left, term)]
    while waiting:
        pattern, here = waiting.pop()
        if isinstance(pattern, str):
            found[pattern] = here
            continue
        row = table.rows[here]
        require(row.op == pattern[0], f"the term is no {pattern[0]}")
        name = row.value if row.op == "sum" else name
        waiting += zip(pattern[1:], row.args, strict=True)
    for variable, mask in axiom.kinds.items():
        fits = kinds.within(context.kind(found[variable]), mask)
        require(fits, f"{variable} may have another kind")
    free = axiom.closed is not None and table.free[found[axiom.closed]]
    require(not free, f"{axiom.closed} speaks of an element")
    return _instance(table, axiom.right, found, name)


def _instance(table: Table, pattern: Pattern, found: Mapping[str, int], name: Value) -> int:
    if isinstance(pattern, str):
        return found[pattern]
    args = (_instance(table, each, found, name) for each in pattern[1:])
    return table.make(pattern[0], *args, value=name if pattern[0] == "sum" else None)


def _is(context: Context, term: int, *ops: str) -> tuple[int, ...]:
    row = context.table.rows[term]
    require(row.op in ops, f"the term is no {' or '.join(ops)}")
    return row.args


def constant(context: Context, term: int) -> int:
    """A term becomes the only value of its kind: -inf, 0, +inf or NaN."""
    kind = context.kind(term)
    require(kind in kinds.ONLY, "the kind of the term has more than one value")
    return context.table.num(kinds.ONLY[kind])


def unit(context: Context, term: int) -> int:
    """x + 0, x * 1, max(x, -inf), min(x, +inf) become x, from either side."""
    a, b = _is(context, term, *UNIT)
    neutral = context.table.num(UNIT[context.table.rows[term].op])
    require(neutral in (a, b), "no operand is the unit")
    return b if a == neutral else a


def branch(context: Context, term: int) -> int:
    """A choice becomes the branch its condition takes, or either one when they are equal."""
    condition, first, second = _is(context, term, "choose")
    kind = context.kind(condition)
    if first == second or (kind and not kind & kinds.ZERO):
        return first
    require(kind == kinds.ZERO, "the condition is not decided")
    return second


def extreme(context: Context, term: int) -> int:
    """max(a, b) becomes b where a <= b; min(a, b) becomes a."""
    a, b = _is(context, term, "max", "min")
    low, high = (a, b) if compare(context, a, b) else (b, a)
    require(bool(compare(context, low, high)), "the order of the operands is not known")
    return high if context.table.rows[term].op == "max" else low


def ring(context: Context, term: int, to: int) -> None:
    """Equal as fractions, every atom finite and every denominator nonzero."""
    field = Field(context.table)
    require(field.equal(term, to), "the fractions differ")
    finite = all(kinds.within(context.kind(atom), kinds.FINITE) for atom in field.atoms)
    require(finite, "an atom may not be finite")
    nonzero = all(not context.kind(each) & kinds.ZERO for each in field.denominators)
    require(nonzero, "a denominator may be zero")


def regroup(context: Context, term: int, to: int) -> None:
    """The same operands of one associative, commutative operation; max and min also idempotent."""
    op = context.table.rows[term].op
    require(op in UNIT, "the term is no sum, product, maximum or minimum")
    a, b = Counter(context.table.flat(op, term)), Counter(context.table.flat(op, to))
    same = a.keys() == b.keys() if op in _IDEMPOTENT else a == b
    require(same, "the operands differ")


def equality(context: Context, term: int, to: int) -> None:
    """A term becomes what it is known to be identical to."""
    require((term, to) in context.equal, "the identity is not known")


RULES: Final[dict[str, Rule]] = {
    **{each.__name__: each for each in (constant, unit, branch, extreme)},
    **{name: partial(_by_axiom, axiom) for name, axiom in AXIOMS.items()},
}
TARGETS: Final[dict[str, Target]] = {"ring": ring, "regroup": regroup, "equality": equality}
