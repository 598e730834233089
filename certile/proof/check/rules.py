"""Rewriting rules: each turns one term into another of the same value in a context, or refuses.

A rule gets the context at the place of the term, the term, and where it takes one, the term to
reach.  `AXIOMS` are equations with their premises, as data.  All premises are asked of the context;
none is taken from a certificate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.field import Field
from certile.proof.check.kinds import FINITE, POS, ZERO, within
from certile.proof.check.terms import JOIN, UNIT, Pattern, require


class Axiom(NamedTuple):
    """`left` is `right` where variables are of some kinds, and `closed` speaks of no element.

    Every sum of an axiom is over the same list.
    """

    left: Pattern
    right: Pattern
    kinds: Mapping[str, int] = {}
    closed: str | None = None


_SPREAD: Final = ("add", ("mul", "c", "a"), ("mul", "c", "b"))
_INSIDE: Final = ("sum", ("mul", "c", "a"))
_OUTSIDE: Final = ("mul", "c", ("sum", "a"))
_LOG: Final = {"a": POS, "b": ZERO | POS | kinds.PINF}
AXIOMS: Final = {
    "distribute": Axiom(("mul", "c", ("add", "a", "b")), _SPREAD, {"c": FINITE}),
    "split_sum": Axiom(("sum", ("add", "a", "b")), ("add", ("sum", "a"), ("sum", "b"))),
    "factor_out": Axiom(_INSIDE, _OUTSIDE, {"c": FINITE}, "c"),
    "factor_in": Axiom(_OUTSIDE, _INSIDE, {"c": FINITE}, "c"),
    "log_of_exp": Axiom(("log", ("exp", "a")), "a"),
    "log_of_product": Axiom(("log", ("mul", "a", "b")), ("add", ("log", "a"), ("log", "b")), _LOG),
}


def _by_axiom(axiom: Axiom, context: Context, term: int) -> int:
    """The right of an axiom for the term that its left is."""
    table, found, name = context.table, dict[str, int](), None
    waiting: list[tuple[Pattern, int]] = [(axiom.left, term)]
    while waiting:
        pattern, here = waiting.pop()
        row = table.rows[here]
        if isinstance(pattern, str):
            found[pattern] = here
        elif isinstance(pattern, tuple):
            require(row.op == pattern[0], f"the term is no {pattern[0]}")
            name = row.value if row.op in JOIN else name
            waiting += zip(pattern[1:], row.args, strict=True)
    for variable, mask in axiom.kinds.items():
        fits = within(context.kind(found[variable]), mask)
        require(fits, f"{variable} may have another kind")
    free = axiom.closed is not None and table.free[found[axiom.closed]]
    require(not free, f"{axiom.closed} speaks of an element")
    return table.build(axiom.right, found, name)


def _operands(context: Context, term: int, *ops: str) -> tuple[int, ...]:
    row = context.table.rows[term]
    require(row.op in ops, f"the term is no {' or '.join(ops)}")
    return row.args


def branch(context: Context, term: int) -> int:
    """A choice becomes the branch its condition takes, or either one when they are equal."""
    condition, first, second = _operands(context, term, "choose")
    kind = context.kind(condition)
    if first == second or (kind and not kind & ZERO):
        return first
    require(kind == ZERO, "the condition is not decided")
    return second


def extreme(context: Context, term: int) -> int:
    """max(a, b) becomes b where a <= b; min(a, b) becomes a."""
    a, b = _operands(context, term, "max", "min")
    low, high = (a, b) if context.compare(a, b) else (b, a)
    require(bool(context.compare(low, high)), "the order of the operands is not known")
    return high if context.table.rows[term].op == "max" else low


def ring(context: Context, term: int, to: int) -> int:
    """Equal as fractions, every atom finite and every denominator nonzero."""
    field = Field(context.table)
    require(field.equal(term, to), "the fractions differ")
    finite = all(within(context.kind(atom), FINITE) for atom in field.atoms)
    require(finite, "an atom may not be finite")
    nonzero = all(not context.kind(each) & ZERO for each in field.denominators)
    require(nonzero, "a denominator may be zero")
    return to


def regroup(context: Context, term: int, to: int) -> int:
    """The same operands of one associative, commutative operation, its unit apart.

    Operands of max and min may also be repeated.
    """
    op = context.table.rows[term].op
    require(op in UNIT, "the term is no sum, product, maximum or minimum")
    a, b = (Counter(context.table.flat(op, side)) for side in (term, to))
    neutral = context.table.num(UNIT[op])
    a[neutral] = b[neutral] = 0
    same = a.keys() == b.keys() if op in ("max", "min") else a == b
    require(same, "the operands differ")
    return to


def equality(context: Context, term: int, to: int) -> int:
    """A term becomes what it is identical to, by facts or as the only value of its kind."""
    same = context.kind(context.table.make("same", term, to)) == POS
    require(same, "the identity is not known")
    return to


# Name -> how many terms it takes beside the one it turns into another, and what it does.
RULES: Final[dict[str, tuple[int, Callable[..., Any]]]] = {
    **{each.__name__: (0, each) for each in (branch, extreme)},
    **{name: (0, partial(_by_axiom, axiom)) for name, axiom in AXIOMS.items()},
    **{each.__name__: (1, each) for each in (ring, regroup, equality)},
}
