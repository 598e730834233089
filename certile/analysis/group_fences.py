"""Where all threads of a group wait: before a phase that conflicts with one since the last wait.

In: the phases of a group's program, each with how its reductions are made.  Out: the same phases
with fences.  Decides by what each phase reads and writes: a fence is placed right before the later
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
from certile.ir.groups import Key, Phase, Staged, all_phases
from certile.ir.node import Node
from certile.ir.tile import Carried, Iota, Load, Serial, Store, View

__all__ = ["barriers", "fenced"]

# The phases around an access and its own, each with the round it is made in (0: before the first).
Path: TypeAlias = tuple[tuple[Phase, int], ...]
Accesses: TypeAlias = Mapping[Phase, tuple[Event, ...]]


def fenced(phases: tuple[Phase, ...]) -> tuple[Phase, ...]:
    """The phases with the fences they need and no others; fences they have are forgotten."""
    kept = {key for phase in all_phases(phases) for key in (*phase.targets, *phase.reductions)}
    accesses = {phase: tuple(_events(phase, kept)) for phase in all_phases(phases)}
    fences: dict[Phase, None] = {}
    while (before := _place(phases, accesses, fences)) is not None:
        fences[before] = None
    # Around loops a fence that was placed later may serve what an earlier one was placed for.
    for phase in tuple(fences) if any(phase.body for phase in phases) else ():
        del fences[phase]
        if unfenced(_trace(phases, accesses, fences)) is not None:
            fences[phase] = None
    return _placed(phases, fences)


def _place(
    phases: tuple[Phase, ...], accesses: Accesses, fences: dict[Phase, None]
) -> Phase | None:
    """Walk the accesses and put a fence before each phase that conflicts with an earlier one.

    Returns where a fence is needed that the walk has passed already.
    """
    since_fence: dict[object, list[Event]] = {}
    for event in _trace(phases, accesses, fences):
        if event.kind == "fence":
            since_fence.clear()
            continue
        earlier = conflicting(since_fence.get(event.resource, ()), event)
        if earlier is not None:
            before = _between(earlier, event)
            if before in fences:
                raise InternalError("M020", "a phase of a group conflicts with itself")
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


def _between(earlier: Event, later: Event) -> Phase:
    """The outermost phase that holds the later of two accesses and comes after the earlier one.

    Where two rounds of a loop conflict it stands in the body.
    """
    first, path = _path(earlier), _path(later)
    depth = next((k for k, (a, b) in enumerate(zip(first, path, strict=False)) if a != b), 0)
    same_loop = first[depth][0] is path[depth][0] and depth + 1 < len(path)
    return path[depth + 1 if same_loop else depth][0]


def barriers(phases: Iterable[Phase]) -> int:
    """How many fences there are, each counted once however often a loop comes to it."""
    return sum(phase.fence + barriers(phase.body) for phase in phases)


def _placed(phases: tuple[Phase, ...], fences: Collection[Phase]) -> tuple[Phase, ...]:
    return tuple(
        replace(phase, fence=phase in fences, body=_placed(phase.body, fences)) for phase in phases
    )


def _trace(
    phases: Sequence[Phase], accesses: Accesses, fences: Collection[Phase], around: Path = ()
) -> Iterator[Event]:
    """The accesses in order; two rounds of a loop show every way it meets itself."""
    for phase in phases:
        if phase in fences:
            yield FENCE
        yield from (replace(event, at=(*around, (phase, 0))) for event in accesses[phase])
        if isinstance(phase.effect, Serial):
            for number in range(min(2, trips(phase.effect))):
                inside = (*around, (phase, number + 1))
                yield from _trace(phase.body, accesses, fences, inside)


def _events(phase: Phase, kept: Container[Key]) -> Iterator[Event]:
    """What a phase reads, then what it writes; the body of a loop is left to the caller."""
    together = phase.kind == "reduce" and phase.collective
    # What has no axes is made by one thread, but any thread may read it before it is needed.
    domain = phase.axes if together or phase.axes else None
    for key, own in kept_reads(_read(phase), domain, kept):
        yield Event("read", key, (together, domain) if own else None)
    for target in phase.targets if phase.kind == "advance" else ():
        assert isinstance(target, Carried)
        yield Event("read", Staged(target), (together, domain))
    match phase.effect:
        case Load() as load:
            yield Event("read", load.buffer, _element(phase, load))
        case Store(buffer=View()) as store:
            yield Event("store", store.buffer, _element(phase, store))
        case Store() as store:
            yield Event("write", store.buffer, _element(phase, store))
        case _:
            pass
    written = phase.values if phase.kind == "reduce" else phase.targets
    for target in written:
        yield Event("write", target, None if domain is None else (together, domain))


def _read(phase: Phase) -> Iterator[Node]:
    """What a phase computes from."""
    if isinstance(phase.effect, Load | Store):
        yield from phase.effect.operands()
    elif phase.kind == "reduce":
        for reduction in phase.reductions:
            yield from reduction.operands()
    for value in phase.values if phase.kind in ("assign", "evaluate", "serial") else ():
        yield from value.operands() if phase.makes(value) else (value,)


def _element(phase: Phase, access: Load | Store) -> object:
    """Which thread makes an access: the same at equal indices over domains of one shape.

    That holds where the place tells which element of the domain it belongs to, so that nobody else
    ever touches it: every axis is the plain coordinate along a dimension.  Any other index may send
    another thread there, now or in another round.  Elements of a memory are told apart by its
    indices as those of a view are.
    """
    number = {axis: k for k, axis in enumerate(phase.axes)}
    at = tuple(number.get(i.axis, i) if isinstance(i, Iota) else i for i in access.indices)
    told = {index for index in at if isinstance(index, int)}
    if not phase.axes or any(number[axis] not in told for axis in phase.axes if axis.static > 1):
        return None
    return (tuple(axis.static for axis in phase.axes), at)
