"""The phases of a group's program as a person and as a program read them.

In: a plan of the family `group`.  Out: a line, or a record, a phase.  Decides wording only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from certile.ir.groups import Phase, Staged
from certile.ir.tile import Carried, Load, Memory, Serial, Store
from certile.plan.composed import composed_batches
from certile.plan.record import GroupPlan

__all__ = ["phase_lines", "phases_json"]


def phase_lines(plan: GroupPlan) -> Iterator[str]:
    """One line a phase; the body of a loop is set in."""
    yield from _lines(plan, () if plan.group is None else plan.group.phases, "")


def phases_json(plan: GroupPlan) -> list[dict[str, object]]:
    """The phases as plain data; none where the plan is of another family."""
    return _records(plan, () if plan.group is None else plan.group.phases)


def _records(plan: GroupPlan, phases: Iterable[Phase]) -> list[dict[str, object]]:
    return [
        {
            "kind": phase.kind,
            "elements": phase.elements,
            "reduced": phase.reductions[0].leaves if phase.reductions else None,
            "laws": [node.law.name for node in phase.reductions],
            "collective": phase.collective,
            "batches": _batches(plan, phase),
            "fence": phase.fence,
            "body": _records(plan, phase.body),
        }
        for phase in phases
    ]


def _lines(plan: GroupPlan, phases: Iterable[Phase], indent: str) -> Iterator[str]:
    for phase in phases:
        fence = "fence, " if phase.fence else ""
        yield f"{indent}{fence}{_said(plan, phase)}"
        yield from _lines(plan, phase.body, indent + "  ")


def _said(plan: GroupPlan, phase: Phase) -> str:
    if phase.kind == "reduce":
        return _reduction(plan, phase)
    match phase.effect:
        case Serial(axis=axis, step=step):
            return f"loop over {axis.name}, {axis.static} by {step}"
        case Store(buffer=buffer):
            return f"store {buffer.name}, {_count(phase.elements, 'element')}"
        case Load(buffer=Memory() as memory):
            return f"read {memory.name}, {_count(phase.elements, 'element')}"
        case Load(buffer=buffer):
            return f"snapshot of {buffer.name}, {_count(phase.elements, 'element')}"
        case _:
            pass
    if phase.kind == "evaluate":
        return f"{_count(len(phase.values), 'scalar')} in every subgroup"
    whose = "carried" if isinstance(phase.targets[0], Carried | Staged) else "shared"
    tiles = _count(len(phase.targets), f"{whose} tile")
    tiles = f"{tiles}, {_count(phase.elements, 'element')}"
    if phase.kind == "advance":
        return f"{tiles}: as staged"
    return f"{tiles}, staged" if isinstance(phase.targets[0], Staged) else tiles


def _reduction(plan: GroupPlan, phase: Phase) -> str:
    laws = " and ".join(node.law.name for node in phase.reductions)
    first = phase.reductions[0]
    said = f"{laws} over {first.leaves}, {_count(phase.elements, 'result')}: "
    batches = _batches(plan, phase)
    if batches is not None:
        return f"{said}a subgroup each, {_count(batches, 'batch', 'batches')}"
    return f"{said}a thread each, {first.policy}"


def _batches(plan: GroupPlan, phase: Phase) -> int | None:
    """The batches of a reduction that subgroups make."""
    if not phase.collective:
        return None
    return composed_batches(phase.elements, plan.workers, plan.sheet.lanes)


def _count(number: int, noun: str, several: str = "") -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {several or noun + 's'}"
