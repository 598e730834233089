"""The order of a program's steps: each where its value is first wanted, as far out as it may be.

In: a region, and where its domains are evaluated.  Out: the steps as written, before axes are laid
out over lanes.  Decides which loop makes a value, and that what a fallback alone wants is a step of
its body.  Leaves uniform loops over kept axes to `nests`.
"""

from __future__ import annotations

from certile.analysis.nests import advance
from certile.analysis.region import Region
from certile.analysis.sharing import Anchors, domain_of
from certile.ir.folds import tiles_of
from certile.ir.node import Node
from certile.ir.rows import Step, StepKind
from certile.ir.tile import (
    Effect,
    Fallback,
    Gather,
    Load,
    Reduce,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
)
from certile.ir.walk import at_once

__all__ = ["Order"]


class Order:
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
