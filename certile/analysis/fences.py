"""Fences between subgroups that exchange partial results through group memory.

In: the steps of a row program.  Out: the reductions whose scratch is written again before a fence
has ended the reading of it, so that they need a second one.  Decides by walking the accesses in
order; only a fence orders two accesses, never traffic of something else in between.  Leaves placing
the fences to lowering.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from certile.analysis.effects import trips
from certile.ir.rows import Step
from certile.ir.tile import Reduce, Serial


@dataclass(frozen=True, slots=True)
class Event:
    """What one subgroup does to group memory: write or read `resource`, or arrive at a fence."""

    kind: Literal["write", "read", "fence"]
    resource: object = None


FENCE = Event("fence")


def unfenced(trace: Iterable[Event]) -> tuple[Event, Event] | None:
    """The first two accesses of one resource that conflict without a fence between, or None.

    Two accesses conflict when one of them writes, whoever makes them.
    """
    since_fence: list[Event] = []
    for event in trace:
        if event.kind == "fence":
            since_fence.clear()
            continue
        for earlier in since_fence:
            if earlier.resource == event.resource and "write" in (earlier.kind, event.kind):
                return earlier, event
        since_fence.append(event)
    return None


def second_fences(steps: tuple[Step, ...]) -> tuple[Reduce, ...]:
    """The reductions that need one more fence between reading partials and writing them again.

    With two reductions in a loop, the fence of one ends the reading of the other.
    """
    found: dict[Reduce, None] = {}
    while True:
        conflict = unfenced(_trace(steps, found))
        if conflict is None:
            return tuple(found)
        resource = conflict[0].resource
        assert isinstance(resource, Reduce)
        found[resource] = None


def _trace(steps: tuple[Step, ...], second: Collection[Reduce]) -> Iterator[Event]:
    """The accesses in execution order; two rounds of a loop show every way it meets itself."""
    for step in steps:
        if isinstance(step.node, Serial):
            for _ in range(min(2, trips(step.node))):
                yield from _trace(step.body, second)
        elif isinstance(step.node, Reduce):
            if step.node in second:
                yield FENCE
            yield Event("write", step.node)
            yield FENCE
            yield Event("read", step.node)
