"""The steps of a program as a line of evaluations, and what planners count of them.

In: steps in order, their layout, and where domains are evaluated.  Out: a `Schedule`: what is read
at each point of the line, how many elements and rounds every domain and reduction has, and what
memory is touched, fallbacks apart.  Decides nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import prod

from certile.analysis.effects import trips
from certile.analysis.layout import Layout
from certile.analysis.nests import step_roots
from certile.analysis.region import Region
from certile.analysis.sharing import Anchors, domain_of
from certile.analysis.views import Evaluation, index_loads
from certile.ir.node import Node
from certile.ir.rows import Step, Traffic
from certile.ir.tile import (
    Effect,
    Fallback,
    Gather,
    Load,
    Parallel,
    Reduce,
    Serial,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis

__all__ = ["Counts", "Schedule"]


@dataclass
class Counts:
    """What some steps do: elements and rounds of domains, of reductions, and memory touched."""

    domains: list[tuple[int, int]] = field(default_factory=list)
    reductions: list[tuple[Reduce, int, int]] = field(default_factory=list)
    traffic: list[Traffic] = field(default_factory=list)
    traffic_known: bool = True
    inlined: set[Node] = field(default_factory=set)


@dataclass
class Schedule:
    """The steps as a line of evaluations, with the counts that planners read.

    What fallbacks do is counted `apart`.
    """

    region: Region
    anchors: Anchors
    steps: tuple[Step, ...]
    layout: Layout
    units: tuple[Axis, ...]
    timeline: list[Evaluation] = field(default_factory=list)
    usual: Counts = field(default_factory=Counts)
    apart: Counts = field(default_factory=Counts)

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
