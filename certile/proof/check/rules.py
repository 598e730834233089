"""Rewriting rules: each turns one term into another of the same value in a context, or refuses.

`AXIOMS` are equations with their premises, as data.  All premises are asked of the context at the
place of the term; none is taken from a certificate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple

from certile.proof.check.context import Context
from certile.proof.check.field import Field
from certile.proof.check.kinds import ANY, FINITE, NAN, POS, ZERO, within
from certile.proof.check.terms import JOIN, UNIT, Pattern, require

# Gets the context at the place of a term, the term, and the terms that the step gives.
Rule = Callable[..., int]


class Axiom(NamedTuple):
    """`left` is `right` where terms are of some kinds, and `closed` speaks of no element.

    The variables of `given` are terms that a step names; every sum is over the same list.
    """

    left: Pattern
    right: Pattern
    kinds: Mapping[Pattern, int] = {}
    closed: str | None = None
    given: tuple[str, ...] = ()


# "a < b", and so on.
_AB, _BA, _AC, _BC, _CB = (("less", *pair) for pair in ("ab", "ba", "ac", "bc", "cb"))
_NUMBER: Final = ANY & ~NAN
_CHOICE: Final = ("choose", "c", "a", "b")
_SPREAD: Final = ("add", ("mul", "c", "a"), ("mul", "c", "b"))
_SHIFTED: Final = ("max", ("add", "a", "c"), ("add", "b", "c"))
_INSIDE: Final = ("sum", ("mul", "c", "a"))
_OUTSIDE: Final = ("mul", "c", ("sum", "a"))
_LOGS: Final = ("add", ("log", "a"), ("log", "b"))
AXIOMS: Final[Mapping[str, Axiom]] = {
    "equality": Axiom("a", "b", {("same", "a", "b"): POS}, given=("b",)),
    "choose_first": Axiom(_CHOICE, "a", {"c": ANY & ~ZERO}),
    "choose_second": Axiom(_CHOICE, "b", {"c": ZERO}),
    "choose_either": Axiom(("choose", "c", "a", "a"), "a"),
    "max_first": Axiom(("max", "a", "b"), "a", {_AB: ZERO, "b": _NUMBER}),
    "max_second": Axiom(("max", "a", "b"), "b", {_BA: ZERO, "a": _NUMBER}),
    "min_first": Axiom(("min", "a", "b"), "a", {_BA: ZERO, "b": _NUMBER}),
    "min_second": Axiom(("min", "a", "b"), "b", {_AB: ZERO, "a": _NUMBER}),
    "max_of_sums": Axiom(_SHIFTED, ("add", ("max", "a", "b"), "c"), {"c": FINITE}),
    "distribute": Axiom(("mul", "c", ("add", "a", "b")), _SPREAD, {"c": FINITE}),
    "split_sum": Axiom(("sum", ("add", "a", "b")), ("add", ("sum", "a"), ("sum", "b"))),
    "factor_out": Axiom(_INSIDE, _OUTSIDE, {"c": FINITE}, closed="c"),
    "factor_in": Axiom(_OUTSIDE, _INSIDE, {"c": FINITE}, closed="c"),
    "log_of_exp": Axiom(("log", ("exp", "a")), "a"),
    "log_of_product": Axiom(("log", ("mul", "a", "b")), _LOGS, {"a": POS}),
    # Nothing is less than NaN, and NaN is less than nothing.
    "sign_of_difference": Axiom(("less", 0, ("add", "a", ("mul", -1, "b"))), _BA),
    "sign_of_multiple": Axiom(("less", 0, ("mul", "c", "a")), ("less", 0, "a"), {"c": POS}),
    "count_from_one": Axiom(("less", ("sum", 1), 1), 0, {("sum", 1): POS}),
    "sum_from_summand": Axiom(("less", ("add", "a", "b"), "c"), 0, {_AC: ZERO, "b": ZERO | POS}),
    "not_below": Axiom(("less", "a", "c"), 0, {_AB: ZERO, _BC: ZERO, "b": _NUMBER}, given=("b",)),
    "apart_above": Axiom(("same", "a", "c"), 0, {_BA: ZERO, _BC: POS}, given=("b",)),
    "apart_below": Axiom(("same", "a", "c"), 0, {_AB: ZERO, _CB: POS}, given=("b",)),
}


def by_axiom(axiom: Axiom, context: Context, term: int, *given: int) -> int:
    """The right of an axiom for the term that its left is."""
    table, found, name = context.table, dict(zip(axiom.given, given, strict=True)), None
    waiting: list[tuple[Pattern, int]] = [(axiom.left, term)]
    while waiting:
        part, here = waiting.pop()
        if isinstance(part, tuple):
            row = table.rows[here]
            require(row.op == part[0], f"the term is no {part[0]}")
            name = row.value if row.op in JOIN else name
            waiting += zip(part[1:], row.args, strict=True)
        else:
            known = table.num(part) if isinstance(part, int) else found.setdefault(part, here)
            require(known == here, f"the term has another {part}")
    for premise, mask in axiom.kinds.items():
        fits = within(context.kind(table.build(premise, found, name)), mask)
        require(fits, f"{premise} may have another kind")
    free = axiom.closed is not None and table.free[found[axiom.closed]]
    require(not free, f"{axiom.closed} speaks of an element")
    return table.build(axiom.right, found, name)


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


# Name -> how many terms it takes beside the one it turns into another, and what it does.
RULES: Final[dict[str, tuple[int, Rule]]] = {
    **{name: (len(axiom.given), partial(by_axiom, axiom)) for name, axiom in AXIOMS.items()},
    **{each.__name__: (1, each) for each in (ring, regroup)},
}
