"""Replaying a proof: goals "left is right" on a stack, one step at a time on the top goal.

A step is a name, a path and parameters.  A path leads from the goal to a term: the side (0 or 1),
then operands; crossing a list enters its context.  A search drives the same object, so a script it
records is a script that replays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import or_
from typing import Final, NamedTuple

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.kinds import NINF, PINF, POS, ZERO
from certile.proof.check.rules import RULES, Rule
from certile.proof.check.terms import LISTS, Table, require

# What a step costs beside its work, so that fuel bounds the number of steps.
_STEP: Final = 20


class Goal(NamedTuple):
    """Show that two terms have the same value wherever the facts of the context hold."""

    context: Context
    left: int
    right: int


class Step(NamedTuple):
    """A rule or a goal step; `terms` and `masks` are its parameters, `path` its place."""

    name: str
    path: tuple[int, ...] = ()
    terms: tuple[int, ...] = ()
    masks: tuple[int, ...] = ()


class Replay(NamedTuple):
    """A proof under way; done when no goal is left."""

    table: Table
    goals: list[Goal]

    def apply(self, step: Step) -> None:
        """Take one step on the top goal; raises `Refused` and changes nothing if it may not."""
        self.table.spend(_STEP + len(step.path))
        require(bool(self.goals), "there is no goal left")
        require(step.name in STEPS, "there is no such step")
        count, act = STEPS[step.name]
        fits = len(step.terms) == count and bool(step.path) == (step.name in RULES)
        require(fits and (step.name == "split" or not step.masks), "the step has other parameters")
        self.goals[-1:] = reversed(act(self.goals[-1], step))


def place(goal: Goal, path: tuple[int, ...]) -> tuple[Context, list[int]]:
    """The context at the end of a path, and the terms along it."""
    side, *children = path
    require(side in (0, 1), "the path leads nowhere")
    context, along = goal.context, [goal.right if side else goal.left]
    for child in children:
        op, value, args = context.table.rows[along[-1]]
        require(0 <= child < len(args), "the path leads nowhere")
        context = context.inside(str(value)) if op in LISTS else context
        along.append(args[child])
    return context, along


def _rewrite(rule: Rule, goal: Goal, step: Step) -> list[Goal]:
    """Turn the term at the end of the path into another one."""
    table, (context, along) = goal.context.table, place(goal, step.path)
    term = rule(context, along[-1], *step.terms)
    for parent, child in zip(along[-2::-1], step.path[:0:-1], strict=True):
        row = table.rows[parent]
        term = table.apply(row, (*row.args[:child], term, *row.args[child + 1 :]))
    return [goal._replace(right=term) if step.path[0] else goal._replace(left=term)]


def _close(goal: Goal, step: Step) -> list[Goal]:
    """Both sides are one term."""
    require(goal.left == goal.right, "the sides differ")
    return []


def _split(goal: Goal, step: Step) -> list[Goal]:
    """One goal for each mask; together they hold every kind of the term, none if facts clash."""
    (term,) = step.terms
    covered = kinds.within(goal.context.kind(term), reduce(or_, step.masks, 0))
    require(covered, "a kind is left out")
    return [goal._replace(context=goal.context.with_kind(term, mask)) for mask in step.masks]


def _attain(goal: Goal, step: Step) -> list[Goal]:
    """Narrow a sum by an element that is the extreme of its list, or infinite as a sum of it is."""
    table, context, (extreme, over) = goal.context.table, goal.context, step.terms
    row, target, mask = table.rows[extreme], table.rows[over], context.kind(extreme)
    extremal = row.op in ("top", "bottom") and context.has_elements(str(row.value))
    there_is = extremal or (row.op == "sum" and mask in (NINF, PINF))
    same = target.op == "sum" and target.value == row.value
    require(there_is and same, "no element is known to have that value")
    around, (element,), (summand,) = context.inside(str(row.value)), row.args, target.args
    there = around.with_kind(element, mask)
    if extremal:
        there = there.with_kind(table.make("same", element, extreme), POS)
    others = kinds.closure("add", around.kind(summand)) | ZERO
    narrower = kinds.result("add", there.kind(summand), others)
    return [goal._replace(context=context.with_kind(over, narrower))]


def _operands(goal: Goal, step: Step) -> list[Goal]:
    """The same operation: compare the operands, pair by pair; of a list, for each element."""
    left, right = (goal.context.table.rows[side] for side in (goal.left, goal.right))
    require(left[:2] == right[:2], "the operations differ")
    inner = goal.context.inside(str(left.value)) if left.op in LISTS else goal.context
    return [Goal(inner, *pair) for pair in zip(left.args, right.args, strict=True)]


def _have(goal: Goal, step: Step) -> list[Goal]:
    """Prove an identity first, then use it."""
    known = goal.context.with_kind(goal.context.table.make("same", *step.terms), POS)
    return [Goal(goal.context, *step.terms), goal._replace(context=known)]


# Name -> number of terms it takes, and the goals that are to be shown instead.
STEPS: Final[dict[str, tuple[int, Callable[[Goal, Step], list[Goal]]]]] = {
    **{name: (count, partial(_rewrite, rule)) for name, (count, rule) in RULES.items()},
    "close": (0, _close),
    "split": (1, _split),
    "attain": (2, _attain),
    "operands": (0, _operands),
    "have": (2, _have),
}
