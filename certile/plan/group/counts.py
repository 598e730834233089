"""What one program of a group costs, in the terms in which every cost policy reads a candidate.

In: the steps of a program and how many threads it gets.  Out: its `CandidateFacts`.  A step
counts as a sweep of the whole group.  A reduction that subgroups make counts as one sweep a batch,
in which each subgroup has a row to itself; one that single threads make counts as one sweep a leaf.
Decides nothing.  Arrays of group memory count for its size and not for the time of their accesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from certile.analysis.effects import is_own, trips
from certile.analysis.group_fences import barriers
from certile.ir.groups import GroupProgram, GroupStep, all_steps, place_of
from certile.ir.node import Node, reach
from certile.ir.tile import Load, Reduce, Serial, Store, View
from certile.plan.classes import ANALYTIC_WAVE
from certile.plan.cost.policy import CandidateFacts
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import slots
from certile.plan.subgroup.space import tree_words
from certile.plan.work import Access, Arithmetic, Sweep, Work, arithmetic_of, merge_of
from certile.targets.sheet import Sheet

__all__ = ["collective_batches", "facts_of_group", "private_words", "useful_threads"]


def collective_batches(outputs: int, threads: int, lanes: int = 32) -> int | None:
    """The rounds in which a group's subgroups make all outputs, one an output.

    None when the group is no whole number of subgroups: its lanes reduce in order instead.
    """
    if threads < lanes or threads % lanes:
        return None
    return -(-outputs // (threads // lanes))


def useful_threads(outputs: int, threads: int, lanes: int) -> int:
    """The threads that outputs can use, `lanes` each, of the `threads` that a group may have."""
    return min(outputs * lanes, threads)


def private_words(program: GroupProgram) -> int:
    """The 4-byte words of a thread's own arrays: the trees that it makes alone."""
    alone = [
        node
        for step in all_steps(program.steps)
        if step.kind == "reduce" and not step.collective
        for node in step.reductions
    ]
    return sum(tree_words(node) for node in alone if node.policy == "reproducible")


def facts_of_group(
    program: GroupProgram, mapping: Mapping, sheet: Sheet, programs: int
) -> CandidateFacts:
    """The facts of one candidate."""
    counter = _Counter(program, mapping.group_threads, sheet.lanes)
    counter.count(program.steps, 1)
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
        barriers=barriers(program.steps),
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
    """Counts the steps of a program for one number of threads."""

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
        )

    def count(self, steps: Iterable[GroupStep], times: int) -> None:
        """Count each step as often as it is come to."""
        for step in steps:
            if isinstance(step.effect, Serial):
                self.count(step.body, times * trips(step.effect))
            elif step.kind != "evaluate":
                self._step(step, times)

    def _step(self, step: GroupStep, times: int) -> None:
        elements = step.elements
        evaluated = [node for node in reach(_roots(step), self._below) if not self._is_kept(node)]
        arithmetic, merges = arithmetic_of(evaluated), tuple(map(merge_of, step.reductions))
        spread, rounds, each = elements, times, 1
        if step.kind == "reduce":
            each = step.reductions[0].leaves
            batches = collective_batches(elements, self.threads, self.lanes)
            if step.collective and batches is not None:
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
                writes=tuple(self._written(step, count)),
                arithmetic=arithmetic if elements * each > 1 else Arithmetic(),
                merges=merges,
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
        own = is_own(node, self._over)
        if own:
            self._bytes["row" if first else "again"] += count * size
        return Access(size, own, first, 1)

    def _written(self, step: GroupStep, count: int) -> Iterator[Access]:
        store = step.effect
        if isinstance(store, Store) and isinstance(store.buffer, View):
            self._bytes["out"] += count * store.buffer.dtype.size
            yield Access(store.buffer.dtype.size, is_own(store, self._over), True, 1)


def _roots(step: GroupStep) -> Iterator[Node]:
    """What a step evaluates at an element: a tile that is made to be kept, by its operands."""
    if isinstance(step.effect, Store | Load):
        yield from step.effect.operands()
        return
    for value in step.values:
        made = step.makes(value) or isinstance(value, Reduce)
        yield from value.operands() if made else (value,)
