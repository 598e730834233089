"""From one parallel region to a row program, or to the reason why it is none.

In: a specialised kernel, a top-level region and how to treat shared tiles.  Out: a `RowProgram`
whose steps respect data and effects, or a `Refusal`.  Decides the order of steps and where each is
done; admission, sharing, late reads and ownership are analyses of their own, asked in this order.
Leaves every choice of workers to the planner.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeVar

from certile.analysis import ownership, sharing
from certile.analysis.admission import Region, refusal_of
from certile.analysis.effects import trips
from certile.analysis.lanes import layouts
from certile.analysis.layout import Layout, is_held, wide
from certile.analysis.loops import outlasting
from certile.analysis.nests import (
    advance,
    escaping,
    flat,
    nested,
    step_reads,
    step_roots,
    stripes,
    units,
    words,
)
from certile.analysis.sharing import Anchors, Materialization, Place, domain_of
from certile.analysis.views import Evaluation, index_loads, snapshots
from certile.diagnostics import Refusal
from certile.ir.folds import tiles_of
from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram, Step, StepKind, Traffic
from certile.ir.tile import (
    Effect,
    Fallback,
    Gather,
    Kernel,
    Load,
    Memory,
    Parallel,
    Reduce,
    Result,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis
from certile.ir.walk import at_once

__all__ = ["Materialization", "analyse"]

Made = TypeVar("Made", bound=Tile)


def analyse(
    kernel: Kernel,
    parallel: Parallel,
    *,
    materialization: Materialization = "preserve",
    cache_inputs: bool = False,
    target_kind: str = "metal",
    budget: int = sys.maxsize,
) -> RowProgram | Refusal:
    """The row program of a region, or the first requirement it is not shown to meet.

    `preserve` keeps every pure tile with distributed axes and two consumers; `expensive-only` those
    that hold a transcendental function, `nothing` none but what a store overtakes.  `cache_inputs`
    keeps loads with two consumers as well.
    Of several ways to lay kept axes out, the best is taken that keeps at most `budget` words.
    Where none does, what is kept of every round of a loop may be made where it is read instead.
    """
    region = Region(kernel, parallel, target_kind)
    refusal = refusal_of(region)
    if refusal is not None:
        return refusal
    wanted = sharing.select(region.values, materialization, cache_inputs)
    stores = [access.effect for access in region.accesses if isinstance(access.effect, Store)]
    given = _Given(region, tuple(wanted), _scalar_steps(region, stores), tuple(stores))
    made = _ways(given, budget)
    found = [way for way in made if not isinstance(way, Refusal)]
    if not found or words(found[-1].stripes) <= budget:
        return found[-1] if found else made[0]
    for inline in dict.fromkeys(_made_at_leaves(way, given) for way in found):
        again = _ways(replace(given, inline=inline), budget)[-1] if inline else found[0]
        if not isinstance(again, Refusal) and words(again.stripes) <= budget:
            return again
    return found[0]


@dataclass(frozen=True)
class _Given:
    """A region, the tiles worth keeping, its scalar steps and stores, and what has no step."""

    region: Region
    wanted: tuple[Tile, ...]
    scalars: frozenset[Tile]
    stores: tuple[Store, ...]
    inline: frozenset[Reduce] = frozenset()

    def anchors(self, kept: Collection[Tile] = ()) -> Anchors:
        """Where its domains are evaluated."""
        return Anchors(self.region.values, kept, self.scalars, self.inline)

    def places(self) -> list[Place]:
        """Every place but those of kept tiles."""
        region = self.region
        return sharing.places(region.values, self.stores, self.scalars, region.loops, self.inline)


def _ways(given: _Given, budget: int) -> list[RowProgram | Refusal]:
    """The row program of each layout, up to the first that keeps at most `budget` words."""
    places = given.places()
    found = layouts(given.anchors(), places)
    if isinstance(found, Refusal):
        return [found]
    made: list[RowProgram | Refusal] = []
    for layout in found:
        program = _laid_out(given, places, layout)
        made.append(program)
        if not isinstance(program, Refusal) and words(program.stripes) <= budget:
            break
    return made


def _made_at_leaves(program: RowProgram, given: _Given) -> frozenset[Reduce]:
    """Reductions that are kept of every round of a loop, and may be made where they are read.

    Only reductions along the axes of that loop read one, so that it is made again once for each of
    these, and all that it reads itself is at hand: views, and values without axes.
    """
    held = {stripe.key for stripe in program.stripes}
    found: dict[Node, frozenset[Axis]] = {}
    for key in (stripe.key for stripe in program.stripes if stripe.copies > 1):
        # The accumulators of a reproducible tree would be storage as well.
        if not isinstance(key, Reduce) or key.policy == "reproducible":
            continue
        if not any(node in held or is_held(node) for node in reach(key.args)):
            found[key] = frozenset(wide(key.spanned))
    anchors = given.anchors()
    for place in given.places():
        leaves = place.anchor.over if isinstance(place.anchor, Reduce) else ()
        for node in anchors.reads(place.anchor, place.roots):
            if node is not place.anchor and not found.get(node, frozenset()) <= set(leaves):
                del found[node]
    return frozenset(key for key in found if isinstance(key, Reduce))


def _laid_out(given: _Given, places: Sequence[Place], layout: Layout) -> RowProgram | Refusal:
    """The row program under one layout, unless what it keeps cannot be kept."""
    region, wanted, scalars = given.region, list(given.wanted), given.scalars
    forced: frozenset[Tile] = frozenset((*region.nodes(Scan), *region.nodes(Sort)))
    while True:
        kept = sharing.settle(region.values, wanted, forced, scalars, places, layout, given.inline)
        if isinstance(kept, Refusal):
            return kept
        anchors = given.anchors(kept)
        whole = _Order(region, anchors).steps()
        steps = nested(whole, layout)
        escaped = escaping(steps, anchors)
        # Elements of lanes that leave the loop that makes them would be kept for all its rounds:
        # they are made again.  What is one value for all lanes needs keeping only if it leaves.
        again = {
            tile
            for tile in kept - forced
            if layout.lanes is not None and (tile in escaped) == bool(layout.of(tile.axes))
        }
        if again:
            wanted = [tile for tile in wanted if tile not in again]
            continue
        schedule = _Schedule(region, anchors, steps, layout, units(whole))
        overtaken = snapshots(schedule.timeline, region.accesses, kept)
        if isinstance(overtaken, Refusal):
            return overtaken
        if not overtaken:
            break
        forced |= overtaken
    program = _program(region, steps, schedule, escaped)
    return ownership.audit(program) or program


def _scalar_steps(region: Region, stores: list[Store]) -> frozenset[Tile]:
    """Gathers and index-feeding loads without distributed axes: one element each."""
    gathers: list[Tile] = [node for node in region.values.nodes if isinstance(node, Gather)]
    labels = index_loads(region.values.nodes, stores)
    return frozenset(node for node in (*gathers, *labels) if not node.axes)


class _Order:
    """Puts steps where their value is first wanted, in the outermost loop they do not vary with.

    What a fallback alone wants is a step of its body, wherever else it could be made.
    """

    def __init__(self, region: Region, anchors: Anchors) -> None:
        self._region, self._anchors = region, anchors
        self._kept, self._scalars = anchors.kept, anchors.scalars
        self._read = {a.buffer for a in region.accesses if isinstance(a.effect, Load)}
        self._done: set[Node] = set()
        self._open: list[list[Step]] = [[]]
        # What the steps under way are for: what every run needs, or one fallback; and its body.
        self._wanted = region.values.always
        self._body: list[Step] | None = None

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
        for param, init in zip(loop.params, loop.inits, strict=True):
            self._demand(init)
            if param.axes:
                self._open[-1].append(Step("assign", param, param.axes, value=init))
        self._open.append([])
        for inner in loop.body:
            self._effect(inner)
        for after in loop.yields:
            self._demand(after)
        self._open[-1] += advance(loop, self._anchors)
        body = tuple(self._open.pop())
        self._open[-1].append(Step("serial", loop, (), body))

    def _demand(self, root: Node) -> None:
        """Append the steps `root` needs and that are not there yet, operands first."""
        for node in at_once([root]):
            self._make(node)

    def _make(self, node: Node) -> None:
        kind = self._kind(node)
        if kind is None or node in self._done:
            return
        assert isinstance(node, Tile)
        made = self._fallback(node) if isinstance(node, Fallback) else ()
        self._done.add(node)
        home = self._region.values.home(node)
        steps = self._open[len(home)] if self._body is None else self._body
        for step in made or (Step(kind, node, domain_of(node)),):
            steps.insert(self._place(steps), step)

    def _fallback(self, node: Fallback) -> tuple[Step, ...]:
        """A fallback, after the steps that keep the tiles that it may replace."""
        first = (Step("assign", at, at.axes, value=node.values[at.index]) for at in tiles_of(node))
        again = (Step("assign", at, at.axes, value=node.instead[at.index]) for at in tiles_of(node))
        return (*first, Step("fallback", node, (), (*self._instead(node), *again)))

    def _instead(self, fallback: Fallback) -> tuple[Step, ...]:
        """The steps that only a fallback needs; what something else needs too is made before."""
        needed = list(at_once(fallback.instead))
        for node in needed:
            if node in self._wanted:
                self._make(node)
        around = self._wanted, self._done, self._body
        self._wanted, self._done, self._body = frozenset(needed), set(self._done), []
        for node in needed:
            self._make(node)
        made = tuple(self._body)
        self._wanted, self._done, self._body = around
        return made

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
            return None if node in self._anchors.inline else "reduce"
        if isinstance(node, Fallback):
            return "fallback"
        if isinstance(node, Scan):
            return "scan"
        if isinstance(node, Sort):
            return "sort"
        if node in self._kept:
            return "materialize"
        if node in self._scalars:
            return "gather" if isinstance(node, Gather) else "load"
        return None


@dataclass
class _Counts:
    """What some steps do: elements and rounds of domains, of reductions, and memory touched."""

    domains: list[tuple[int, int]] = field(default_factory=list)
    reductions: list[tuple[Reduce, int, int]] = field(default_factory=list)
    traffic: list[Traffic] = field(default_factory=list)
    traffic_known: bool = True
    inlined: set[Node] = field(default_factory=set)


@dataclass
class _Schedule:
    """The steps as a line of evaluations, with the counts that planners read.

    What fallbacks do is counted `apart`.
    """

    region: Region
    anchors: Anchors
    steps: tuple[Step, ...]
    layout: Layout
    units: tuple[Axis, ...]
    timeline: list[Evaluation] = field(default_factory=list)
    usual: _Counts = field(default_factory=_Counts)
    apart: _Counts = field(default_factory=_Counts)

    def __post_init__(self) -> None:
        values = self.region.values
        stores = [a.effect for a in self.region.accesses if isinstance(a.effect, Store)]
        self._labels = frozenset(index_loads(values.nodes, stores))
        self._counts = self.usual
        self._run(self.steps, (), 1)

    def _run(self, steps: tuple[Step, ...], loops: tuple[Serial, ...], times: int) -> None:
        """Walk the steps that `loops` and uniform loops around them run `times` times."""
        for step in steps:
            if isinstance(step.node, Serial):
                loop, rounds = step.node, times * trips(step.node)
                scalar = Step("serial", loop, ())
                self._evaluate(scalar, [init for init in loop.inits if not init.axes], loops, times)
                self._run(step.body, (*loops, loop), rounds)
                after = [value for value in loop.yields if not value.axes]
                self._evaluate(scalar, after, (*loops, loop), rounds)
            elif step.kind == "nest":
                assert isinstance(step.node, Parallel)
                self._run(step.body, loops, times * step.node.over[0].static)
            elif isinstance(step.node, Fallback):
                self._recompute(step.node, step.body, loops, times)
            else:
                self._evaluate(step, step_roots(step), loops, times * step.repeats)
                self._count(step, times * step.repeats)

    def _recompute(
        self, node: Fallback, body: tuple[Step, ...], loops: tuple[Serial, ...], times: int
    ) -> None:
        scalar = Step("fallback", node, ())
        self._evaluate(scalar, [tile for tile in node.tried if not tile.axes], loops, times)
        around, self._counts = self._counts, self.apart
        self._run(body, loops, times)
        self._evaluate(scalar, [tile for tile in node.instead if not tile.axes], loops, times)
        self._counts = around

    def _evaluate(
        self, step: Step, roots: Sequence[Node], loops: tuple[Serial, ...], times: int
    ) -> None:
        anchor = step.node
        reads = self.anchors.reads(None if step.kind == "assign" else anchor, roots)
        self._inline_domains(anchor, reads, times)
        for node in reads:
            if isinstance(node, Load) and (node is anchor or not self.anchors.stops(node)):
                self._touch(node, step.elements, times * self.anchors.turns(node))
        alike = self.layout.lanes is not None and not step.axes and not isinstance(anchor, Store)
        self.timeline.append(
            Evaluation(len(self.timeline), anchor, domain_of(anchor), loops, reads, alike)
        )

    def _inline_domains(self, anchor: Tile | Effect, reads: Collection[Node], times: int) -> None:
        """Count gathers and index loads with distributed axes, once each, where first evaluated."""
        for node in reads:
            inline = (isinstance(node, Gather) or node in self._labels) and node is not anchor
            if inline and not self.anchors.stops(node) and node not in self._counts.inlined:
                assert isinstance(node, Tile)
                self._counts.inlined.add(node)
                elements = prod(axis.static for axis in self.layout.of(node.axes))
                self._counts.domains.append((elements, times))

    def _touch(self, load: Load, elements: int, times: int) -> None:
        """A distributed load reads one element a domain element; a scalar one is read once."""
        if load.mask is not None:
            self._counts.traffic_known = False
        if isinstance(load.buffer, View):
            count = elements if load.axes else 1
            made = Traffic(len(self.timeline), count, load.dtype.size, False, times)
            self._counts.traffic.append(made)

    def _count(self, step: Step, times: int) -> None:
        node = step.node
        if step.kind == "reduce":
            assert isinstance(node, Reduce)
            shared = node.leaves if self.layout.lanes is None else step.elements
            self._counts.reductions.append((node, shared, times))
            return
        self._counts.domains.append((step.elements, times))
        if isinstance(node, Store) and isinstance(node.buffer, View):
            if node.mask is not None:
                self._counts.traffic_known = False
            size, at = node.buffer.dtype.size, len(self.timeline) - 1
            self._counts.traffic.append(Traffic(at, step.elements, size, True, times))


def _program(
    region: Region, steps: tuple[Step, ...], schedule: _Schedule, escaped: Collection[Node]
) -> RowProgram:
    """Collect what the steps are into the record that planners and lowering read."""
    layout, usual, apart = schedule.layout, schedule.usual, schedule.apart
    made = _nodes(steps, "materialize", Tile)
    loaded = {a.buffer for a in region.accesses if isinstance(a.effect, Load)}
    stored = {a.buffer for a in region.accesses_of(View) if isinstance(a.effect, Store)}
    return RowProgram(
        kernel=region.kernel,
        parallel=region.parallel,
        steps=steps,
        materialized=made,
        domains=tuple(count for count, _ in usual.domains),
        reductions=tuple(reduction for reduction, _, _ in usual.reductions),
        reduction_extents=tuple(extent for _, extent, _ in usual.reductions),
        read_and_written=not loaded.isdisjoint(stored),
        kept_inputs=tuple(tile for tile in made if isinstance(tile, Load)),
        memories=tuple(_memories(region)),
        sorts=_nodes(steps, "sort", Sort),
        scans=_nodes(steps, "scan", Scan),
        kept_scans=tuple(_kept_scans(region, steps, schedule.anchors)),
        domain_trips=tuple(count for _, count in usual.domains),
        reduction_trips=tuple(count for _, _, count in usual.reductions),
        traffic=tuple(usual.traffic),
        traffic_known=usual.traffic_known and not _selects(region),
        stripes=stripes(steps, layout, escaped, schedule.anchors),
        lanes=layout.lanes,
        units=() if layout.lanes is None else schedule.units,
        folds=_nodes(steps, "fold", Reduce),
        inline=schedule.anchors.inline,
        fallbacks=_nodes(steps, "fallback", Fallback),
        apart=tuple(reduction for reduction, _, _ in apart.reductions),
        apart_extents=tuple(extent for _, extent, _ in apart.reductions),
        apart_traffic=tuple(apart.traffic),
    )


def _nodes(steps: tuple[Step, ...], kind: StepKind, of: type[Made]) -> tuple[Made, ...]:
    """The nodes of all steps of one kind."""
    nodes = (step.node for step in flat(steps) if step.kind == kind)
    return tuple(node for node in nodes if isinstance(node, of))


def _memories(region: Region) -> Iterator[Memory]:
    """The placed memories that the region uses, in the kernel's order."""
    touched = {access.buffer for access in region.accesses_of(Memory)}
    return (memory for memory in region.kernel.memories if memory in touched)


def _kept_scans(region: Region, steps: tuple[Step, ...], anchors: Anchors) -> Iterator[Result]:
    """The live results of the scans that a loop other than their own reads."""
    live, consumers = frozenset(region.values.nodes), region.values.consumers
    wanted = outlasting(steps, lambda step: step_reads(step, anchors))
    for scan in (node for node in region.nodes(Scan) if node in wanted):
        first = any(not isinstance(reader, Result) for reader in consumers.get(scan, ()))
        yield from (r for r in scan.results() if r in live or (first and r.index == 0))


def _selects(region: Region) -> bool:
    """Whether a gather decides at run time what is read by every run."""
    return any(isinstance(node, Gather) for node in region.values.always)
