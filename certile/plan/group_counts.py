"""What one program of a group costs, in the terms in which every cost policy reads a candidate.

In: the phases of a program and how many threads it gets.  Out: its `CandidateFacts`.  A phase
counts as a sweep of the whole group.  A reduction that subgroups make counts as one sweep a batch,
in which each subgroup has a row to itself; one that single threads make counts as one sweep a leaf.
Decides nothing.  Arrays of group memory count for its size and not for the time of their accesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from certile.analysis.effects import trips
from certile.analysis.group_fences import barriers
from certile.ir.groups import GroupProgram, Phase, all_phases, place_of
from certile.ir.node import Node, reach
from certile.ir.tile import Load, LoopIndex, Reduce, Serial, Store, View
from certile.plan.classes import ANALYTIC_WAVE
from certile.plan.composed import composed_batches
from certile.plan.cost import CandidateFacts
from certile.plan.layout import slots
from certile.plan.record import Mapping
from certile.plan.space import tree_words
from certile.plan.work import Access, Arithmetic, Sweep, Work, arithmetic_of, merge_of
from certile.targets.sheet import Sheet

__all__ = ["facts_of_group", "private_words"]


def private_words(program: GroupProgram) -> int:
    """The 4-byte words of a thread's own arrays: the trees that it makes alone."""
    alone = [
        node
        for phase in all_phases(program.phases)
        if phase.kind == "reduce" and not phase.collective
        for node in phase.reductions
    ]
    return sum(tree_words(node) for node in alone if node.policy == "reproducible")


def facts_of_group(
    program: GroupProgram, mapping: Mapping, sheet: Sheet, programs: int
) -> CandidateFacts:
    """The facts of one candidate."""
    counter = _Counter(program, mapping.group_threads, sheet.lanes)
    counter.count(program.phases, 1)
    work, threads = counter.work(), mapping.group_threads
    walked = sum(slots(sweep.elements, threads) * sweep.trips for sweep in counter.sweeps)
    moved = work.row_bytes + work.again_bytes + work.written_bytes
    return CandidateFacts(
        mapping=mapping,
        lanes=sheet.lanes,
        programs=programs,
        workers=threads,
        threads=sheet.lanes * mapping.subgroups_per_program,
        groups=programs,
        active_programs_last_group=min(programs, 1),
        rounds=walked,
        useful_elements=counter.useful,
        lane_utilization=counter.useful / (walked * threads) if walked else 0.0,
        reductions=counter.collectives,
        collectives=counter.collectives,
        barriers=barriers(program.phases),
        stripe_scalars=private_words(program),
        shared_bytes=program.shared_bytes,
        read_bytes=work.row_bytes + work.again_bytes,
        written_bytes=work.written_bytes,
        worker_bytes=-(-moved // threads),
        bytes_known=False,
        waves=max(1, -(-programs // ANALYTIC_WAVE)),
        work=work,
    )


@dataclass
class _Counter:
    """Counts the phases of a program for one number of threads."""

    program: GroupProgram
    threads: int
    lanes: int
    sweeps: list[Sweep] = field(default_factory=list)
    useful: int = 0
    collectives: int = 0
    _seen: set[Load] = field(default_factory=set)
    _bytes: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("row", "again", "out"), 0)
    )

    def __post_init__(self) -> None:
        self._kept = {place.key for place in self.program.places}
        self._over = frozenset(self.program.parallel.over)

    def work(self) -> Work:
        """The sweeps, and the bytes that they move."""
        moved = self._bytes
        return Work(
            tuple(self.sweeps),
            row_bytes=moved["row"],
            again_bytes=moved["again"],
            written_bytes=moved["out"],
            kept_bytes=0,
            reads=(),
        )

    def count(self, phases: Iterable[Phase], times: int) -> None:
        """Count each phase as often as it is come to."""
        for phase in phases:
            if isinstance(phase.effect, Serial):
                self.count(phase.body, times * trips(phase.effect))
            elif phase.kind != "evaluate":
                self._phase(phase, times)

    def _phase(self, phase: Phase, times: int) -> None:
        elements = phase.elements
        evaluated = [node for node in reach(_roots(phase), self._below) if not self._is_kept(node)]
        arithmetic, merges = arithmetic_of(evaluated), tuple(map(merge_of, phase.reductions))
        spread, rounds, each = elements, times, 1
        if phase.kind == "reduce":
            each = phase.reductions[0].leaves
            batches = composed_batches(elements, self.threads, self.lanes)
            if phase.collective and batches is not None:
                spread, rounds = each * (self.threads // self.lanes), batches * times
                self.collectives += rounds * len(merges)
            else:
                rounds = each * times
                arithmetic = sum((m.lift + m.merge for m in merges), arithmetic)
                merges = ()
        count = elements * each * times
        self.useful += count
        loads = [node for node in evaluated if isinstance(node, Load) and node.axes]
        reads = tuple(self._read(node, count) for node in loads if isinstance(node.buffer, View))
        self.sweeps.append(
            Sweep(
                elements=spread,
                trips=rounds,
                reads=reads,
                writes=tuple(self._written(phase, count)),
                arithmetic=arithmetic if elements * each > 1 else Arithmetic(),
                merges=merges,
                kept_words=0,
                recalled_words=0,
            )
        )

    def _is_kept(self, node: Node) -> bool:
        found = place_of(node)
        return found is not None and found[0] in self._kept

    def _below(self, node: Node) -> Iterable[Node]:
        return () if self._is_kept(node) else node.operands()

    def _read(self, node: Load, count: int) -> Access:
        first, size = node not in self._seen, node.buffer.dtype.size
        self._seen.add(node)
        own = self._is_own(node)
        if own:
            self._bytes["row" if first else "again"] += count * size
        return Access(size, own, first, 1)

    def _written(self, phase: Phase, count: int) -> Iterator[Access]:
        store = phase.effect
        if isinstance(store, Store) and isinstance(store.buffer, View):
            self._bytes["out"] += count * store.buffer.dtype.size
            yield Access(store.buffer.dtype.size, self._is_own(store), True, 1)

    def _is_own(self, access: Load | Store) -> bool:
        """Whether other programs touch other elements."""
        found = (n for n in reach(access.indices) if isinstance(n, LoopIndex))
        return any(at.axis in self._over for at in found)


def _roots(phase: Phase) -> Iterator[Node]:
    """What a phase evaluates at an element: a tile that is made to be kept, by its operands."""
    if isinstance(phase.effect, Store | Load):
        yield from phase.effect.operands()
        return
    for value in phase.values:
        made = phase.makes(value) or isinstance(value, Reduce)
        yield from value.operands() if made else (value,)
