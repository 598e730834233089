"""Fences between subgroups that exchange partial results through group memory.

In: the steps of a row program.  Out: the reductions whose scratch is written again before a fence
has ended the reading of it, so that they need a second one.  Decides by walking the accesses in
order; only a fence orders two accesses, never traffic of something else in between.  Also out:
whether a condition needs a fence before all subgroups act on it.  Leaves placing the fences to
lowering.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from typing import Literal

from certile.analysis.effects import trips
from certile.ir.node import Node, reach
from certile.ir.rows import Step
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Cast,
    Const,
    ExtentValue,
    Fallback,
    LoopIndex,
    Map,
    Reduce,
    Result,
    ScalarArg,
    Serial,
)
from certile.records import record


@record
class Event:
    """What is done to memory of a group: write or read `resource`, or arrive at a fence.

    A `store` is a write that no other store of the resource meets.  Accesses of one `owner` (None:
    of anybody) are made by the thread that owns the element, the same one for all of them.  `at` is
    who makes the access.
    """

    kind: Literal["write", "store", "read", "fence"]
    resource: object = None
    owner: object = None
    at: object = field(default=None, compare=False)


FENCE = Event("fence")


def unfenced(trace: Iterable[Event]) -> tuple[Event, Event] | None:
    """The first two accesses of one resource that conflict without a fence between, or None.

    Two accesses conflict when one of them writes, unless one thread makes both.
    """
    since_fence: dict[object, list[Event]] = {}
    for event in trace:
        if event.kind == "fence":
            since_fence.clear()
            continue
        met = since_fence.setdefault(event.resource, [])
        earlier = conflicting(met, event)
        if earlier is not None:
            return earlier, event
        met.append(event)
    return None


def conflicting(met: Iterable[Event], event: Event) -> Event | None:
    """The first of some accesses of a resource that another one must be kept apart from."""
    return next((earlier for earlier in met if _conflict(earlier, event)), None)


def _conflict(a: Event, b: Event) -> bool:
    """Whether two accesses of one resource must not be made in either order."""
    if a.owner is not None and a.owner == b.owner:
        return False
    kinds = {a.kind, b.kind}
    return "write" in kinds or kinds == {"store", "read"}


def second_fences(steps: tuple[Step, ...]) -> tuple[Reduce, ...]:
    """The reductions that need one more fence between reading partials and writing them again.

    With two reductions in a loop, the fence of one ends the reading of the other.  A fence of a
    fallback ends nothing outside, as the fallback may be passed over.
    """
    found: dict[Reduce, None] = {}
    for taken in _ways(steps):
        while (conflict := unfenced(_trace(steps, found, taken))) is not None:
            resource = conflict[0].resource
            assert isinstance(resource, Reduce)
            found[resource] = None
    return tuple(found)


def _ways(
    steps: tuple[Step, ...], around: frozenset[Node] = frozenset()
) -> Iterator[frozenset[Node]]:
    """Which fallbacks may be taken where fences are fewest: none, or one with those around it."""
    if not around:
        yield around
    for step in steps:
        inside = around | {step.node} if isinstance(step.node, Fallback) else around
        if inside != around:
            yield inside
        yield from (way for way in _ways(step.body, inside) if way not in (around, inside))


def _trace(
    steps: tuple[Step, ...], second: Collection[Reduce], taken: Collection[Node]
) -> Iterator[Event]:
    """The accesses in execution order; two rounds of a loop show every way it meets itself."""
    for step in steps:
        if isinstance(step.node, Serial):
            for _ in range(min(2, trips(step.node))):
                yield from _trace(step.body, second, taken)
        elif isinstance(step.node, Fallback) and step.node in taken:
            yield from _trace(step.body, second, taken)
        elif isinstance(step.node, Reduce):
            if step.node in second:
                yield FENCE
            yield Event("write", step.node)
            yield FENCE
            yield Event("read", step.node)


# What all subgroups of a program hold alike because they computed it of the same.
_ALIKE = (
    *(Const, ScalarArg, ExtentValue, LoopIndex, Map, Cast, Bitcast, Broadcast),
    *(Fallback, Reduce, Result),
)


def agrees_unasked(fallback: Fallback) -> bool:
    """Whether all subgroups of a program see one condition, without a word through group memory.

    They do where it is computed from results of reductions, which are read back from there, and
    from arguments.  What is read from a view or carried by a loop is not known to be alike.
    """
    return all(isinstance(node, _ALIKE) for node in reach([fallback.when], _unmade))


def _unmade(node: Node) -> Iterable[Node]:
    """What a node is computed from: a reduction has been made, a condition has been agreed upon."""
    match node:
        case Reduce():
            return ()
        case Fallback(values=values, instead=instead):
            return (*values, *instead)
        case _:
            return node.operands()
