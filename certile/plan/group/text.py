"""The steps of a group's program as a person and as a program read them.

In: a plan of the family `group`.  Out: a line, or a record, a step.  Decides wording only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from certile.ir.groups import GroupStep, Staged
from certile.ir.tile import Carried, Load, Memory, Serial, Store
from certile.plan.group.counts import collective_batches
from certile.plan.record import GroupPlan

__all__ = ["step_lines", "steps_json"]


def step_lines(plan: GroupPlan) -> Iterator[str]:
    """One line a step; the body of a loop is set in."""
    yield from _lines(plan, () if plan.group is None else plan.group.steps, "")


def steps_json(plan: GroupPlan) -> list[dict[str, object]]:
    """The steps as plain data; none where the plan is of another family."""
    return _records(plan, () if plan.group is None else plan.group.steps)


def _records(plan: GroupPlan, steps: Iterable[GroupStep]) -> list[dict[str, object]]:
    return [
        {
            "kind": step.kind,
            "elements": step.elements,
            "reduced": step.reductions[0].leaves if step.reductions else None,
            "laws": [node.law.name for node in step.reductions],
            "collective": step.collective,
            "batches": _batches(plan, step),
            "fence": step.fence,
            "body": _records(plan, step.body),
        }
        for step in steps
    ]


def _lines(plan: GroupPlan, steps: Iterable[GroupStep], indent: str) -> Iterator[str]:
    for step in steps:
        fence = "fence, " if step.fence else ""
        yield f"{indent}{fence}{_said(plan, step)}"
        yield from _lines(plan, step.body, indent + "  ")


def _said(plan: GroupPlan, step: GroupStep) -> str:
    if step.kind == "reduce":
        return _reduction(plan, step)
    match step.effect:
        case Serial(axis=axis, step=stride):
            return f"loop over {axis.name}, {axis.static} by {stride}"
        case Store(buffer=buffer):
            return f"store {buffer.name}, {_count(step.elements, 'element')}"
        case Load(buffer=Memory() as memory):
            return f"read {memory.name}, {_count(step.elements, 'element')}"
        case Load(buffer=buffer):
            return f"snapshot of {buffer.name}, {_count(step.elements, 'element')}"
        case _:
            pass
    if step.kind == "evaluate":
        return f"{_count(len(step.values), 'scalar')} in every subgroup"
    whose = "carried" if isinstance(step.targets[0], Carried | Staged) else "shared"
    tiles = _count(len(step.targets), f"{whose} tile")
    tiles = f"{tiles}, {_count(step.elements, 'element')}"
    if step.kind == "advance":
        return f"{tiles}: as staged"
    return f"{tiles}, staged" if isinstance(step.targets[0], Staged) else tiles


def _reduction(plan: GroupPlan, step: GroupStep) -> str:
    laws = " and ".join(node.law.name for node in step.reductions)
    first = step.reductions[0]
    said = f"{laws} over {first.leaves}, {_count(step.elements, 'result')}: "
    batches = _batches(plan, step)
    if batches is not None:
        return f"{said}a subgroup each, {_count(batches, 'batch', 'batches')}"
    return f"{said}a thread each, {first.policy}"


def _batches(plan: GroupPlan, step: GroupStep) -> int | None:
    """The batches of a reduction that subgroups make."""
    if not step.collective:
        return None
    return collective_batches(step.elements, plan.workers, plan.sheet.lanes)


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {several or noun + 's'}"
