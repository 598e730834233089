"""What a launch is bound to by the scopes that its author wrote.

In: a launch and the kind of its target.  Out: the level of the machine that has to run a program,
"auto" where none is named, or a refusal.  Decides what a scope means on a target, and which scopes
contradict each other.  A scope is an order: a level that no map gives is refused, never replaced.
Leaves to the planner whether the map of a level is legal for the program.

A subgroup of a CPU is the vector register of a thread, so "vector" is "subgroup" there; and a group
is a thread, which every map of a CPU gives to a program, so "group" asks for nothing more there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from certile.diagnostics import Refusal
from certile.ir.rows import RowProgram
from certile.ir.tile import Parallel, Reduce, Serial, effects
from certile.ir.walk import evaluated
from certile.source import Loc

__all__ = ["Level", "bound_to", "bound_to_one_subgroup", "made_alone", "scoped"]

Level = Literal["auto", "group", "subgroup", "worker"]

_NAMES = {Parallel: "an instance", Serial: "a loop", Reduce: "a result of a reduction"}
_CPU = {"vector": "subgroup", "group": "auto"}


def bound_to(parallel: Parallel, target_kind: str) -> Level | Refusal:
    """The level that the programs of a launch are bound to, by its own scope and those inside."""
    level: Level = "auto"
    for node in (parallel, *scoped(parallel)):
        asked = _meaning(node, target_kind)
        if isinstance(asked, Refusal):
            return asked
        if asked == "group" and node is not parallel and level != "group":
            missing = 'the parallel around it has no scope="group"'
            return _refusal(f"{_NAMES[type(node)]} belongs to a group", missing, node.loc)
        # What is made by a subgroup is so in a group as well; the planner of groups sees to it.
        if asked == "auto" or (level == "group" and asked in ("group", "subgroup")):
            continue
        if level not in ("auto", asked):
            missing = f"its program is bound to a {level}"
            claim = f'{_NAMES[type(node)]} may have scope="{node.scope}"'
            return _refusal(claim, missing, node.loc)
        level = asked
    return level


def scoped(parallel: Parallel) -> Iterator[Parallel | Serial | Reduce]:
    """The loops, inner regions and reductions of a launch that name a scope."""
    for step in effects(parallel.body):
        if isinstance(step, Parallel | Serial) and step.scope != "auto":
            yield step
    for node in evaluated(parallel):
        if isinstance(node, Reduce) and node.scope != "auto":
            yield node


def bound_to_one_subgroup(parallel: Parallel) -> bool:
    """Whether a program, or a part of it, is bound to a subgroup, and so to no second one."""
    return parallel.scope == "subgroup" or any(at.scope == "subgroup" for at in scoped(parallel))


def made_alone(rows: RowProgram) -> Refusal | None:
    """A reduction whose results are bound to a subgroup, and are made by single lanes."""
    for reduction in (*rows.folds, *rows.inline):
        if reduction.scope in ("subgroup", "vector"):
            claim = f'{_NAMES[Reduce]} may have scope="{reduction.scope}"'
            return _refusal(claim, "each lane makes results of its own", reduction.loc)
    return None


def _meaning(node: Parallel | Serial | Reduce, target_kind: str) -> Level | Refusal:
    """The level that a scope names on a target."""
    scope = _CPU.get(node.scope, node.scope) if target_kind == "cpu" else node.scope
    match scope:
        case "auto" | "group" | "subgroup" | "worker":
            return scope
        case "device":
            missing = "no map gives a whole device to one of them"
        case _:
            missing = "the vector accesses of a worker are no place that runs anything"
    claim = f'{_NAMES[type(node)]} may have scope="{node.scope}" on {target_kind}'
    return _refusal(claim, missing, node.loc)


def _refusal(claim: str, missing: str, loc: Loc) -> Refusal:
    return Refusal("admission", "target_binding", claim, missing, loc=loc)
