"""From one parallel region to a row program, or to the reason why it is none.

In: a specialised kernel, a top-level region and how to treat shared tiles.  Out: a `RowProgram`
whose steps respect data and effects, or a `Refusal`.  Decides the order of steps and where each is
done; admission, sharing, late reads and ownership are analyses of their own, asked in this order.
Leaves every choice of workers to the planner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from math import prod

from certile.analysis import ownership, sharing
from certile.analysis.admission import Region, refusal_of
from certile.analysis.effects import trips
from certile.analysis.sharing import Anchors, Materialization, domain_of, roots_of
from certile.analysis.views import Evaluation, index_loads, snapshots
from certile.diagnostics import Refusal
from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram, Step, StepKind, Traffic
from certile.ir.tile import (
    Effect,
    Gather,
    Kernel,
    Load,
    Memory,
    Parallel,
    Reduce,
    Serial,
    Store,
    Tile,
    View,
)

__all__ = ["Materialization", "analyse"]


def analyse(
    kernel: Kernel,
    parallel: Parallel,
    *,
    materialization: Materialization = "preserve",
    cache_inputs: bool = False,
    target_kind: str = "metal",
) -> RowProgram | Refusal:
    """The row program of a region, or the first requirement it is not shown to meet.

    `preserve` keeps every pure tile with distributed axes and two consumers; `expensive-only` those
    that hold a transcendental function.  `cache_inputs` keeps loads with two consumers as well.
    """
    region = Region(kernel, parallel, target_kind)
    refusal = refusal_of(region)
    if refusal is not None:
        return refusal
    wanted = sharing.select(region.values, materialization, cache_inputs)
    stores = [access.effect for access in region.accesses if isinstance(access.effect, Store)]
    scalars = _scalar_steps(region, stores)
    forced: frozenset[Load] = frozenset()
    while True:
        kept = sharing.settle(region.values, wanted, forced, scalars, stores)
        if isinstance(kept, Refusal):
            return kept
        steps = _Order(region, kept, scalars).steps()
        schedule = _Schedule(region, Anchors(region.values, kept, scalars), steps)
        overtaken = snapshots(schedule.timeline, region.accesses, kept)
        if isinstance(overtaken, Refusal):
            return overtaken
        if not overtaken:
            break
        forced |= overtaken
    program = _program(region, steps, schedule)
    return ownership.audit(program) or program


def _scalar_steps(region: Region, stores: list[Store]) -> frozenset[Tile]:
    """Gathers and index-feeding loads without distributed axes: one element each."""
    gathers: list[Tile] = [node for node in region.values.nodes if isinstance(node, Gather)]
    labels = index_loads(region.values.nodes, stores)
    return frozenset(node for node in (*gathers, *labels) if not node.axes)


class _Order:
    """Puts steps where their value is first wanted, in the outermost loop they do not vary with."""

    def __init__(self, region: Region, kept: Collection[Tile], scalars: Collection[Tile]) -> None:
        self._region, self._kept, self._scalars = region, kept, scalars
        self._read = {a.buffer for a in region.accesses if isinstance(a.effect, Load)}
        self._done: set[Node] = set()
        self._open: list[list[Step]] = [[]]

    def steps(self) -> tuple[Step, ...]:
        """The steps of the whole region."""
        for effect in self._region.parallel.body:
            self._effect(effect)
        return tuple(self._open[0])

    def _effect(self, effect: Effect) -> None:
        if isinstance(effect, Load) and effect in self._kept:
            # A snapshot is taken where the program takes it: a later store must not reach it.
            self._demand(effect)
        elif isinstance(effect, Store):
            for root in effect.operands():
                self._demand(root)
            self._open[-1].append(Step("store", effect, effect.axes))
        elif isinstance(effect, Serial):
            self._serial(effect)

    def _serial(self, loop: Serial) -> None:
        for init in loop.inits:
            self._demand(init)
        self._open.append([])
        for inner in loop.body:
            self._effect(inner)
        for after in loop.yields:
            self._demand(after)
        body = tuple(self._open.pop())
        self._open[-1].append(Step("serial", loop, (), body))

    def _demand(self, root: Node) -> None:
        """Append the steps `root` needs and that are not there yet, operands first."""
        for node in reach([root]):
            kind = self._kind(node)
            if kind is None or node in self._done:
                continue
            assert isinstance(node, Tile)
            self._done.add(node)
            steps = self._open[len(self._region.values.home(node))]
            steps.insert(self._place(steps), Step(kind, node, domain_of(node)))

    def _place(self, steps: list[Step]) -> int:
        """In front of the stores of one element at the end, so that sweeps over a row meet.

        A store to memory that nothing loads may wait: no pure step can tell.
        """
        place = len(steps)
        while place and self._may_wait(steps[place - 1]):
            place -= 1
        return place

    def _may_wait(self, step: Step) -> bool:
        return isinstance(step.node, Store) and not step.axes and step.node.buffer not in self._read

    def _kind(self, node: Node) -> StepKind | None:
        if isinstance(node, Reduce):
            return "reduce"
        if node in self._kept:
            return "materialize"
        if node in self._scalars:
            return "gather" if isinstance(node, Gather) else "load"
        return None


@dataclass
class _Schedule:
    """The steps as a line of evaluations, with the counts that planners read."""

    region: Region
    anchors: Anchors
    steps: tuple[Step, ...]
    timeline: list[Evaluation] = field(default_factory=list)
    domains: list[tuple[int, int]] = field(default_factory=list)
    reductions: list[tuple[Reduce, int]] = field(default_factory=list)
    traffic: list[Traffic] = field(default_factory=list)
    known: bool = True

    def __post_init__(self) -> None:
        values = self.region.values
        stores = [a.effect for a in self.region.accesses if isinstance(a.effect, Store)]
        self._labels = frozenset(index_loads(values.nodes, stores))
        self._counted: set[Node] = set()
        self._run(self.steps, ())

    def _run(self, steps: tuple[Step, ...], loops: tuple[Serial, ...]) -> None:
        for step in steps:
            if isinstance(step.node, Serial):
                loop = step.node
                self._evaluate(loop, loop.inits, loops)
                self._run(step.body, (*loops, loop))
                self._evaluate(loop, loop.yields, (*loops, loop))
                continue
            self._evaluate(step.node, roots_of(step.node), loops)
            self._count(step, loops)

    def _evaluate(
        self, anchor: Tile | Effect, roots: tuple[Node, ...], loops: tuple[Serial, ...]
    ) -> None:
        reads = self.anchors.reads(anchor, roots)
        axes = domain_of(anchor)
        self._inline_domains(anchor, reads, loops)
        for node in reads:
            if isinstance(node, Load) and (node is anchor or not self.anchors.stops(node)):
                self._touch(node, prod(axis.static for axis in axes), loops)
        self.timeline.append(Evaluation(len(self.timeline), anchor, axes, loops, reads))

    def _inline_domains(
        self, anchor: Tile | Effect, reads: Collection[Node], loops: tuple[Serial, ...]
    ) -> None:
        """Count gathers and index loads with distributed axes, once each, where first evaluated."""
        for node in reads:
            inline = (isinstance(node, Gather) or node in self._labels) and node is not anchor
            if inline and not self.anchors.stops(node) and node not in self._counted:
                assert isinstance(node, Tile)
                self._counted.add(node)
                self.domains.append((node.type.elements, _trips(loops)))

    def _touch(self, load: Load, elements: int, loops: tuple[Serial, ...]) -> None:
        """A distributed load reads one element a domain element; a scalar one is read once."""
        if load.mask is not None:
            self.known = False
        if isinstance(load.buffer, View):
            count = elements if load.axes else 1
            made = Traffic(len(self.timeline), count, load.dtype.size, False, _trips(loops))
            self.traffic.append(made)

    def _count(self, step: Step, loops: tuple[Serial, ...]) -> None:
        node = step.node
        if isinstance(node, Reduce):
            self.reductions.append((node, _trips(loops)))
            return
        self.domains.append((step.elements, _trips(loops)))
        if isinstance(node, Store) and isinstance(node.buffer, View):
            if node.mask is not None:
                self.known = False
            size, at = node.buffer.dtype.size, len(self.timeline) - 1
            self.traffic.append(Traffic(at, step.elements, size, True, _trips(loops)))


def _trips(loops: tuple[Serial, ...]) -> int:
    return prod(trips(loop) for loop in loops)


def _program(region: Region, steps: tuple[Step, ...], schedule: _Schedule) -> RowProgram:
    """Collect what the steps are into the record that planners and lowering read."""
    made = tuple(
        step.node
        for step in _flat(steps)
        if step.kind == "materialize" and isinstance(step.node, Tile)
    )
    loaded = {a.buffer for a in region.accesses if isinstance(a.effect, Load)}
    stored = {a.buffer for a in region.accesses_of(View) if isinstance(a.effect, Store)}
    reductions = tuple(reduction for reduction, _ in schedule.reductions)
    return RowProgram(
        kernel=region.kernel,
        parallel=region.parallel,
        steps=steps,
        materialized=made,
        domains=tuple(count for count, _ in schedule.domains),
        reductions=reductions,
        reduction_extents=tuple(reduced_elements(reduction) for reduction in reductions),
        read_and_written=not loaded.isdisjoint(stored),
        kept_inputs=tuple(tile for tile in made if isinstance(tile, Load)),
        memories=tuple(_memories(region)),
        domain_trips=tuple(count for _, count in schedule.domains),
        reduction_trips=tuple(count for _, count in schedule.reductions),
        traffic=tuple(schedule.traffic),
        traffic_known=schedule.known and not _selects(region),
    )


def _memories(region: Region) -> Iterator[Memory]:
    """The placed memories that the region uses, in the kernel's order."""
    touched = {access.buffer for access in region.accesses_of(Memory)}
    return (memory for memory in region.kernel.memories if memory in touched)


def _selects(region: Region) -> bool:
    """Whether a gather decides at run time what is read."""
    return any(isinstance(node, Gather) for node in region.values.nodes)


def reduced_elements(reduction: Reduce) -> int:
    """The number of elements a reduction folds."""
    return prod(axis.static for axis in reduction.over)


def _flat(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _flat(step.body)
