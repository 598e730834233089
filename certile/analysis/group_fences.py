"""Where all threads of a group wait: before a step that conflicts with one since the last wait.

In: the steps of a group's program, each with how its reductions are made.  Out: the same steps
with fences.  Decides by what each step reads and writes: a fence is placed right before the later
of two accesses that conflict, which is as late as it may stand, so one fence serves all that came
before it; and before a loop rather than in it, unless rounds of the loop conflict.  Two accesses of
one thread need none.  Nor do two of the subgroup that makes one result after another of the same
elements: its lanes are ordered by what the target puts between a store and a load of theirs.  Only
a fence orders two accesses; traffic of something else between them proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from certile.analysis.effects import trips
from certile.analysis.fences import FENCE, Event, conflicting, unfenced
from certile.analysis.groups import kept_reads
from certile.diagnostics import InternalError
from certile.ir.groups import GroupStep, Key, Staged, all_steps
from certile.ir.node import Node
from certile.ir.tile import Carried, Iota, Load, Serial, Store, View

__all__ = ["barriers", "fenced"]

# The steps around an access and its own, each with the round it is made in (0: before the first).
Path: TypeAlias = tuple[tuple[GroupStep, int], ...]
Accesses: TypeAlias = Mapping[GroupStep, tuple[Event, ...]]


def fenced(steps: tuple[GroupStep, ...]) -> tuple[GroupStep, ...]:
    """The steps with the fences they need and no others; fences they have are forgotten."""
    kept = {key for step in all_steps(steps) for key in (*step.targets, *step.reductions)}
    accesses = {step: tuple(_events(step, kept)) for step in all_steps(steps)}
    fences: dict[GroupStep, None] = {}
    while (before := _place(steps, accesses, fences)) is not None:
        fences[before] = None
    # Around loops a fence that was placed later may serve what an earlier one was placed for.
    for step in tuple(fences) if any(step.body for step in steps) else ():
        del fences[step]
        if unfenced(_trace(steps, accesses, fences)) is not None:
            fences[step] = None
    return _placed(steps, fences)


def _place(
    steps: tuple[GroupStep, ...], accesses: Accesses, fences: dict[GroupStep, None]
) -> GroupStep | None:
    """Walk the accesses and put a fence before each step that conflicts with an earlier one.

    Returns where a fence is needed that the walk has passed already.
    """
    since_fence: dict[object, list[Event]] = {}
    for event in _trace(steps, accesses, fences):
        if event.kind == "fence":
            since_fence.clear()
            continue
        earlier = conflicting(since_fence.get(event.resource, ()), event)
        if earlier is not None:
            before = _between(earlier, event)
            if before in fences:
                raise InternalError("M020", "a step of a group conflicts with itself")
            if before is not _path(event)[-1][0]:
                return before
            fences[before] = None
            own = [each for met in since_fence.values() for each in met if each.at == event.at]
            since_fence = {each.resource: [each] for each in own}
        since_fence.setdefault(event.resource, []).append(event)
    return None


def _path(event: Event) -> Path:
    assert isinstance(event.at, tuple)
    return event.at


def _between(earlier: Event, later: Event) -> GroupStep:
    """The outermost step that holds the later of two accesses and comes after the earlier one.

    Where two rounds of a loop conflict it stands in the body.
    """
    first, path = _path(earlier), _path(later)
    depth = next((k for k, (a, b) in enumerate(zip(first, path, strict=False)) if a != b), 0)
    same_loop = first[depth][0] is path[depth][0] and depth + 1 < len(path)
    return path[depth + 1 if same_loop else depth][0]


def barriers(steps: Iterable[GroupStep]) -> int:
    """How many fences there are, each counted once however often a loop comes to it."""
    return sum(step.fence + barriers(step.body) for step in steps)


def _placed(steps: tuple[GroupStep, ...], fences: Collection[GroupStep]) -> tuple[GroupStep, ...]:
    return tuple(
        replace(step, fence=step in fences, body=_placed(step.body, fences)) for step in steps
    )


def _trace(
    steps: Sequence[GroupStep], accesses: Accesses, fences: Collection[GroupStep], around: Path = ()
) -> Iterator[Event]:
    """The accesses in order; two rounds of a loop show every way it meets itself."""
    for step in steps:
        if step in fences:
            yield FENCE
        yield from (replace(event, at=(*around, (step, 0))) for event in accesses[step])
        if isinstance(step.effect, Serial):
            for number in range(min(2, trips(step.effect))):
                inside = (*around, (step, number + 1))
                yield from _trace(step.body, accesses, fences, inside)


def _events(step: GroupStep, kept: Container[Key]) -> Iterator[Event]:
    """What a step reads, then what it writes; the body of a loop is left to the caller."""
    together = step.kind == "reduce" and step.collective
    # What has no axes is made by one thread, but any thread may read it before it is needed.
    domain = step.axes if together or step.axes else None
    for key, own in kept_reads(_read(step), domain, kept):
        yield Event("read", key, (together, domain) if own else None)
    for target in step.targets if step.kind == "advance" else ():
        assert isinstance(target, Carried)
        yield Event("read", Staged(target), (together, domain))
    match step.effect:
        case Load() as load:
            yield Event("read", load.buffer, _element(step, load))
        case Store(buffer=View()) as store:
            yield Event("store", store.buffer, _element(step, store))
        case Store() as store:
            yield Event("write", store.buffer, _element(step, store))
        case _:
            pass
    written = step.values if step.kind == "reduce" else step.targets
    for target in written:
        yield Event("write", target, None if domain is None else (together, domain))


def _read(step: GroupStep) -> Iterator[Node]:
    """What a step computes from."""
    if isinstance(step.effect, Load | Store):
        yield from step.effect.operands()
    elif step.kind == "reduce":
        for reduction in step.reductions:
            yield from reduction.operands()
    for value in step.values if step.kind in ("assign", "evaluate", "serial") else ():
        yield from value.operands() if step.makes(value) else (value,)


def _element(step: GroupStep, access: Load | Store) -> object:
    """Which thread makes an access: the same at equal indices over domains of one shape.

    That holds where the place tells which element of the domain it belongs to, so that nobody else
    ever touches it: every axis is the plain coordinate along a dimension.  Any other index may send
    another thread there, now or in another round.  Elements of a memory are told apart by its
    indices as those of a view are.
    """
    number = {axis: k for k, axis in enumerate(step.axes)}
    at = tuple(number.get(i.axis, i) if isinstance(i, Iota) else i for i in access.indices)
    told = {index for index in at if isinstance(index, int)}
    if not step.axes or any(number[axis] not in told for axis in step.axes if axis.static > 1):
        return None
    return (tuple(axis.static for axis in step.axes), at)
