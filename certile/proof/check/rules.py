"""Steps of a proof: each turns the goal on top into what is to be shown instead, or refuses.

A goal is simplified when it is made, and shown when both its sides are one term.  A rewriting step
turns a term into another one of the same value wherever the goal has it; `AXIOMS` are the equations
that do so, as data.  All premises are asked of the context of the goal; none is taken from
a certificate.  A search drives the same `Replay`, so a script it records is one that replays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce
from operator import or_
from typing import Final, NamedTuple

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.field import Field
from certile.proof.check.kinds import ANY, FINITE, NAN, NINF, PINF, POS, ZERO, within
from certile.proof.check.terms import JOIN, LISTS, UNIT, Pattern, require

# What a step costs beside its work, so that fuel bounds the number of steps.
_STEP: Final = 20


class Goal(NamedTuple):
    """Show that two terms have the same value wherever the facts of the context hold."""

    context: Context
    left: int
    right: int


class Step(NamedTuple):
    """A rule or a goal step; `terms`, of which a rule rewrites the first, and `masks` are given."""

    name: str
    terms: tuple[int, ...] = ()
    masks: tuple[int, ...] = ()


class Replay:
    """A proof under way; `goals` are what is left, the next one last."""

    def __init__(self, goal: Goal) -> None:
        self.table, self.goals = goal.context.table, _opened([goal])

    def apply(self, step: Step) -> None:
        """Take one step on the top goal; raises `Refused` and changes nothing if it may not."""
        self.table.spend(_STEP)
        require(bool(self.goals), "there is no goal left")
        require(step.name in STEPS, "there is no such step")
        count, act = STEPS[step.name]
        fits = len(step.terms) == count and (step.name == "split" or not step.masks)
        require(fits, "the step has other parameters")
        self.goals[-1:] = _opened(act(self.goals[-1], step))


def _opened(goals: Iterable[Goal]) -> list[Goal]:
    """The goals that are left to show, simplified, the first one last."""
    simple = [Goal(it, it.simple(left), it.simple(right)) for it, left, right in goals]
    return [goal for goal in reversed(simple) if goal.left != goal.right]


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
_SPREAD: Final = ("add", ("mul", "c", "a"), ("mul", "c", "b"))
_SHIFTED: Final = ("max", ("add", "a", "c"), ("add", "b", "c"))
_INSIDE: Final = ("sum", ("mul", "c", "a"))
_OUTSIDE: Final = ("mul", "c", ("sum", "a"))
_LOGS: Final = ("add", ("log", "a"), ("log", "b"))
AXIOMS: Final[Mapping[str, Axiom]] = {
    "equality": Axiom("a", "b", {("same", "a", "b"): POS}, given=("b",)),
    "max_of_sums": Axiom(_SHIFTED, ("add", ("max", "a", "b"), "c"), {"c": FINITE}),
    "distribute": Axiom(("mul", "c", ("add", "a", "b")), _SPREAD, {"c": FINITE}),
    "split_sum": Axiom(("sum", ("add", "a", "b")), ("add", ("sum", "a"), ("sum", "b"))),
    "factor_out": Axiom(_INSIDE, _OUTSIDE, {"c": FINITE}, closed="c"),
    "factor_in": Axiom(_OUTSIDE, _INSIDE, {"c": FINITE}, closed="c"),
    "sum_of_equals": Axiom(("sum", "c"), ("mul", "c", ("sum", 1)), {"c": FINITE}, closed="c"),
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


# Gets the context of the goal, a term of it, and the terms that the step gives.
Rule = Callable[..., int]
# Name -> how many terms it takes beside the one it turns into another, and what it does.
RULES: Final[dict[str, tuple[int, Rule]]] = {
    **{name: (len(axiom.given), partial(by_axiom, axiom)) for name, axiom in AXIOMS.items()},
    **{each.__name__: (1, each) for each in (ring, regroup)},
}


def _rewrite(rule: Rule, goal: Goal, step: Step) -> list[Goal]:
    """Turn a side of the goal, or else a term wherever the goal has it, into another one."""
    context, *sides = goal
    (term, *_), to = step.terms, rule(context, *step.terms)
    if term in sides:
        made = [to if side == term else side for side in sides]
    else:
        made = [context.table.replaced(side, term, to) for side in sides]
    require(made != sides, "the goal has no such term")
    return [Goal(context, *made)]


def _split(goal: Goal, step: Step) -> list[Goal]:
    """One goal for each mask; together they hold every kind of the term, none if facts clash."""
    (term,) = step.terms
    covered = within(goal.context.kind(term), reduce(or_, step.masks, 0))
    require(covered, "a kind is left out")
    return [goal._replace(context=goal.context.with_kind(term, mask)) for mask in step.masks]


def _attain(goal: Goal, step: Step) -> list[Goal]:
    """Some element is the extreme of its list, or infinite as a sum is: so sums are narrower."""
    table, context, (extreme,) = goal.context.table, goal.context, step.terms
    op, name, args = table.rows[extreme]
    infinite = op == "sum" and context.kind(extreme) in (NINF, PINF)
    extremal = op in ("top", "bottom") and not context.size(str(name)) & ZERO
    require(infinite or extremal, "no element is known to have that value")
    each = context.inside(str(name))
    that = each.with_kind(table.make("same", *args, extreme), POS)
    below = table.reach(goal.left, goal.right)
    sums = [term for term in below if table.rows[term][:2] == ("sum", name)]
    # That summand and more of them, or it alone: a kind added to itself is the same one.
    masks = [
        kinds.result("add", that.kind(summand), kinds.closure("add", each.kind(summand)))
        for (summand,) in (table.rows[term].args for term in sums)
    ]
    return [goal._replace(context=context.with_kinds(sums, masks))]


def _operands(goal: Goal, step: Step) -> list[Goal]:
    """The same operation: compare the operands, pair by pair; of a list, for each element."""
    context, table = goal.context, goal.context.table
    left, right = (table.rows[side] for side in (goal.left, goal.right))
    if left.op in JOIN and context.simple(table.apply(left, (goal.right,))) == goal.right:
        # What a list of equal elements comes to, as a sum of zeros does to 0.
        right = left._replace(args=(goal.right,))
    require(left[:2] == right[:2], "the operations differ")
    inner = context.inside(str(left.value)) if left.op in LISTS else context
    return [Goal(inner, *pair) for pair in zip(left.args, right.args, strict=True)]


def _have(goal: Goal, step: Step) -> list[Goal]:
    """Prove an identity first, then use it."""
    known = goal.context.with_kind(goal.context.table.make("same", *step.terms), POS)
    return [Goal(goal.context, *step.terms), goal._replace(context=known)]


# Name -> number of terms it takes, and the goals that are to be shown instead.
STEPS: Final[dict[str, tuple[int, Callable[[Goal, Step], list[Goal]]]]] = {
    **{name: (1 + count, partial(_rewrite, rule)) for name, (count, rule) in RULES.items()},
    "split": (1, _split),
    "attain": (1, _attain),
    "operands": (0, _operands),
    "have": (2, _have),
}
