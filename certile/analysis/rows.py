"""From one parallel region to a row program, or to the reason why it is none.

In: a specialised kernel, a top-level region and how to treat shared tiles.  Out: a `RowProgram`
whose steps respect data and effects, or a `Refusal`.  Decides which way to lay kept axes out is
tried and what is made again where it is read; admission, sharing, the order of steps, late reads
and ownership are analyses of their own, asked in this order.  Leaves every choice of workers to the
planner.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from certile.analysis import ownership, sharing
from certile.analysis.admission import refusal_of
from certile.analysis.lanes import layouts
from certile.analysis.layout import Layout, is_held, wide
from certile.analysis.loops import outlasting
from certile.analysis.nests import (
    escaping,
    flat,
    nested,
    step_reads,
    stripes,
    units,
    words,
)
from certile.analysis.order import Order
from certile.analysis.region import Region
from certile.analysis.schedule import Schedule
from certile.analysis.sharing import Anchors, Materialization, Place
from certile.analysis.views import index_loads, snapshots
from certile.diagnostics import Refusal
from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram, Step, StepKind
from certile.ir.tile import (
    Fallback,
    Gather,
    Kernel,
    Load,
    Memory,
    Parallel,
    Reduce,
    Result,
    Scan,
    Sort,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis
from certile.records import record

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


@record(slots=False)
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
        whole = Order(region, anchors).steps()
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
        schedule = Schedule(region, anchors, steps, layout, units(whole))
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


def _program(
    region: Region, steps: tuple[Step, ...], schedule: Schedule, escaped: Collection[Node]
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
