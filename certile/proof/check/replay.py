"""Replaying a proof: goals "left is right" on a stack, one step at a time on the top goal.

A step is a name, a path and parameters.  A path leads from the goal to a term: the side (0 or 1),
then operands; crossing a list enters its context.  A search drives the same object, so a script it
records is a script that replays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.order import AT_MOST, BELOW
from certile.proof.check.rules import RULES, TARGETS
from certile.proof.check.terms import JOIN, Refused, Table, require

_GOALS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Goal:
    """Show that two terms have the same value wherever the facts of the context hold."""

    context: Context
    left: int
    right: int
    bound: bool = False  # whether the sides may speak of an element of a list around them


@dataclass(frozen=True, slots=True)
class Step:
    """A rule or a goal step; `terms` and `masks` are its parameters, `path` its place."""

    name: str
    path: tuple[int, ...] = ()
    terms: tuple[int, ...] = ()
    masks: tuple[int, ...] = ()


@dataclass(slots=True)
class Replay:
    """A proof under way; done when no goal is left."""

    table: Table
    goals: list[Goal] = field(default_factory=list)

    def apply(self, step: Step) -> None:
        """Take one step on the top goal; raises `Refused` and changes nothing if it may not."""
        require(bool(self.goals), "there is no goal left")
        require(step.name in STEP_NAMES, "there is no such step")
        self.table.fuel.spend()
        goal = self.goals[-1]
        count, make = _STEPS.get(step.name, (step.name in TARGETS, None))
        fits = len(step.terms) == count and not (step.masks and step.name != "split")
        require(fits and (make is None or not step.path), "the step has other parameters")
        if make is None:
            made = [self._rewritten(goal, step)]
        else:
            spoken = goal.bound or not any(self.table.free[term] for term in step.terms)
            require(spoken, "a term speaks of an element where there is none")
            made = make(goal, step)
        require(len(self.goals) + len(made) <= _GOALS + 1, "there are too many goals")
        self.goals[-1:] = reversed(made)

    def place(self, goal: Goal, path: tuple[int, ...]) -> tuple[Context, list[int]]:
        """The context at the end of a path, and the terms along it."""
        require(bool(path) and path[0] in (0, 1), "the path leads nowhere")
        context, along = goal.context, [(goal.left, goal.right)[path[0]]]
        for child in path[1:]:
            row = self.table.rows[along[-1]]
            require(0 <= child < len(row.args), "the path leads nowhere")
            context = context.inside(str(row.value)) if row.op in JOIN else context
            along.append(row.args[child])
        self.table.fuel.spend(len(path))
        return context, along

    def _rewritten(self, goal: Goal, step: Step) -> Goal:
        context, along = self.place(goal, step.path)
        if step.name in TARGETS:
            (term,) = step.terms
            bound = goal.bound or any(self.table.rows[each].op in JOIN for each in along[:-1])
            spoken = bound or not self.table.free[term]
            require(spoken, "a term speaks of an element where there is none")
            TARGETS[step.name](context, along[-1], term)
        else:
            term = RULES[step.name](context, along[-1])
        for parent, child in zip(reversed(along[:-1]), reversed(step.path[1:]), strict=True):
            row = self.table.rows[parent]
            term = self.table.apply(row, (*row.args[:child], term, *row.args[child + 1 :]))
        return replace(goal, left=term) if step.path[0] == 0 else replace(goal, right=term)


def _close(goal: Goal, step: Step) -> list[Goal]:
    """Both sides are one term."""
    require(goal.left == goal.right, "the sides differ")
    return []


def _split(goal: Goal, step: Step) -> list[Goal]:
    """One goal for each mask; together they hold every kind of the term, none if facts clash."""
    covered, (term,) = reduce(or_, step.masks, 0), step.terms
    require(kinds.within(goal.context.kind(term), covered), "a kind is left out")
    return [replace(goal, context=goal.context.with_kind(term, mask)) for mask in step.masks]


def _compare(goal: Goal, step: Step) -> list[Goal]:
    """Three goals: a < b, a is b, b < a; neither may be NaN."""
    a, b = step.terms
    context = goal.context
    numbers = not (context.kind(a) | context.kind(b)) & kinds.NAN
    require(numbers, "one of the two may be NaN")
    cases = (
        context.with_order(a, b, BELOW),
        context.with_equal(a, b),
        context.with_order(b, a, BELOW),
    )
    return [replace(goal, context=case) for case in cases]


def attained(context: Context, extreme: int, over: int) -> int | None:
    """The mask of a sum, given that some element has an extreme or infinite value.

    `extreme` is a maximum or minimum of the same list, which has elements, or a sum that is
    infinite: then an element is.  None: these premises do not hold.
    """
    row, target = context.table.rows[extreme], context.table.rows[over]
    if target.op != "sum" or row.op not in JOIN or row.value != target.value:
        return None
    name, element, summand = str(row.value), row.args[0], target.args[0]
    around = context.inside(name)
    if row.op in ("top", "bottom") and context.has_elements(name):
        there = around.with_kind(element, context.kind(extreme)).with_equal(element, extreme)
    elif row.op == "sum" and context.kind(extreme) in (kinds.NINF, kinds.PINF):
        there = around.with_kind(element, context.kind(extreme))
    else:
        return None
    others = kinds.closure("add", around.kind(summand)) | kinds.ZERO
    return context.kind(over) & kinds.binary("add", there.kind(summand), others)


def _attain(goal: Goal, step: Step) -> list[Goal]:
    """Narrow a sum by the element that has an extreme value of its list."""
    _, over = step.terms
    mask = attained(goal.context, *step.terms)
    if mask is None:
        raise Refused("no element is known to have that value")
    return [replace(goal, context=goal.context.with_kind(over, mask))]


def _count(goal: Goal, step: Step) -> list[Goal]:
    """A list with elements has at least one."""
    (count,) = step.terms
    table = goal.context.table
    row = table.rows[count]
    require(row.op == "sum" and row.args == (table.num(1),), "the term counts no list")
    require(goal.context.has_elements(str(row.value)), "the list may be empty")
    return [replace(goal, context=goal.context.with_order(table.num(1), count, AT_MOST))]


def _under(goal: Goal, step: Step) -> list[Goal]:
    """The same aggregate of one list: compare what it is of, for each element."""
    rows = goal.context.table.rows
    left, right = rows[goal.left], rows[goal.right]
    same = left.op in JOIN and (left.op, left.value) == (right.op, right.value)
    require(same, "the sides are not the same aggregate of one list")
    inner = goal.context.inside(str(left.value))
    return [Goal(inner, left.args[0], right.args[0], bound=True)]


def _congruence(goal: Goal, step: Step) -> list[Goal]:
    """The same operation: compare the operands, pair by pair."""
    rows = goal.context.table.rows
    left, right = rows[goal.left], rows[goal.right]
    same = (left.op, left.value) == (right.op, right.value)
    require(same and left.op not in JOIN, "the operations differ")
    pairs = zip(left.args, right.args, strict=True)
    return [replace(goal, left=a, right=b) for a, b in pairs]


def _have(goal: Goal, step: Step) -> list[Goal]:
    """Prove an identity first, then use it."""
    a, b = step.terms
    lemma = replace(goal, left=a, right=b)
    return [lemma, replace(goal, context=goal.context.with_equal(a, b))]


# Name -> number of terms it takes, and what it does.
_STEPS: Final[dict[str, tuple[int, Callable[[Goal, Step], list[Goal]]]]] = {
    "close": (0, _close),
    "split": (1, _split),
    "compare": (2, _compare),
    "attain": (2, _attain),
    "count": (1, _count),
    "under": (0, _under),
    "congruence": (0, _congruence),
    "have": (2, _have),
}
STEP_NAMES: Final = frozenset({*RULES, *TARGETS, *_STEPS})
