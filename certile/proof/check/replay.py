"""Replaying a proof: goals "left is right" on a stack, one step at a time on the top goal.

A step is a name, a path and parameters.  A path leads from the goal to a term: the side (0 or 1),
then operands; crossing a list enters its context.  A search drives the same object, so a script it
records is a script that replays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, Final, NamedTuple

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.kinds import POS
from certile.proof.check.rules import RULES
from certile.proof.check.terms import JOIN, Refused, Table, require

_GOALS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Goal:
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


@dataclass(slots=True)
class Replay:
    """A proof under way; done when no goal is left."""

    table: Table
    goals: list[Goal]

    def apply(self, step: Step) -> None:
        """Take one step on the top goal; raises `Refused` and changes nothing if it may not."""
        require(bool(self.goals), "there is no goal left")
        require(step.name in STEP_NAMES, "there is no such step")
        self.table.spend(1 + len(step.path))
        goal, rule, split = self.goals[-1], step.name in RULES, step.name == "split"
        count, act = (RULES if rule else _STEPS)[step.name]
        fits = len(step.terms) == count and (rule or not step.path) and (split or not step.masks)
        require(fits, "the step has other parameters")
        context, along = self.place(goal, step.path) if rule else (goal.context, [])
        spoken = context.bound or not any(self.table.free[term] for term in step.terms)
        require(spoken, "a term speaks of an element where there is none")
        if rule:
            term = act(context, along[-1], *step.terms)
            for parent, child in zip(along[-2::-1], step.path[:0:-1], strict=True):
                row = self.table.rows[parent]
                term = self.table.apply(row, (*row.args[:child], term, *row.args[child + 1 :]))
            sides = (goal.left, term) if step.path[0] else (term, goal.right)
            made = [Goal(goal.context, *sides)]
        else:
            made = act(goal, *step.terms, *([step.masks] if split else []))
        require(len(self.goals) + len(made) <= _GOALS + 1, "there are too many goals")
        self.goals[-1:] = reversed(made)

    def place(self, goal: Goal, path: tuple[int, ...]) -> tuple[Context, list[int]]:
        """The context at the end of a path, and the terms along it."""
        require(bool(path) and path[0] in (0, 1), "the path leads nowhere")
        context, along = goal.context, [(goal.left, goal.right)[path[0]]]
        for child in path[1:]:
            op, value, args = self.table.rows[along[-1]]
            require(0 <= child < len(args), "the path leads nowhere")
            context = context.inside(str(value)) if op in JOIN else context
            along.append(args[child])
        return context, along


def _close(goal: Goal) -> list[Goal]:
    """Both sides are one term."""
    require(goal.left == goal.right, "the sides differ")
    return []


def _split(goal: Goal, term: int, masks: tuple[int, ...]) -> list[Goal]:
    """One goal for each mask; together they hold every kind of the term, none if facts clash."""
    covered = kinds.within(goal.context.kind(term), reduce(or_, masks, 0))
    require(covered, "a kind is left out")
    return [replace(goal, context=goal.context.with_kind(term, mask)) for mask in masks]


def attained(context: Context, extreme: int, over: int) -> int | None:
    """The mask of a sum, given that some element has an extreme or infinite value.

    `extreme` is a maximum or minimum of the same list, which has elements, or a sum that is
    infinite: then an element is.  None: these premises do not hold.
    """
    row, target, mask = (
        *(context.table.rows[each] for each in (extreme, over)),
        context.kind(extreme),
    )
    if target.op != "sum" or row.value != target.value:
        return None
    extremal = row.op in ("top", "bottom") and context.has_elements(str(row.value))
    if not extremal and not (row.op == "sum" and mask in (kinds.NINF, kinds.PINF)):
        return None
    around, (element,), (summand,) = context.inside(str(row.value)), row.args, target.args
    there = around.with_kind(element, mask)
    if extremal:
        there = there.with_kind(context.table.make("same", element, extreme), POS)
    others = kinds.closure("add", around.kind(summand)) | kinds.ZERO
    return context.kind(over) & kinds.result("add", there.kind(summand), others)


def _attain(goal: Goal, extreme: int, over: int) -> list[Goal]:
    """Narrow a sum by the element that has an extreme value of its list."""
    mask = attained(goal.context, extreme, over)
    if mask is None:
        raise Refused("no element is known to have that value")
    return [replace(goal, context=goal.context.with_kind(over, mask))]


def _operands(goal: Goal) -> list[Goal]:
    """The same operation: compare the operands, pair by pair; of a list, for each element."""
    left, right = (goal.context.table.rows[side] for side in (goal.left, goal.right))
    require(left[:2] == right[:2], "the operations differ")
    inner = goal.context.inside(str(left.value)) if left.op in JOIN else goal.context
    return [Goal(inner, a, b) for a, b in zip(left.args, right.args, strict=True)]


def _have(goal: Goal, a: int, b: int) -> list[Goal]:
    """Prove an identity first, then use it."""
    known = goal.context.with_kind(goal.context.table.make("same", a, b), POS)
    return [replace(goal, left=a, right=b), replace(goal, context=known)]


# Name -> number of terms it takes, and what it does.
_STEPS: Final[dict[str, tuple[int, Callable[..., Any]]]] = {
    "close": (0, _close),
    "split": (1, _split),
    "attain": (2, _attain),
    "operands": (0, _operands),
    "have": (2, _have),
}
STEP_NAMES: Final = frozenset({*RULES, *_STEPS})
