"""How often a program reads each place of its inputs from memory.

In: a `RowProgram`.  Out: for each view that it loads from, how many sweeps walk a row of it, and a
bound on how often one program reads a place: in every run, and further where fallbacks compute
again.  Decides by the sweeps that lowering makes: the steps of one sweep share what they load, a
kept tile is read where it is filled, a single element once in the region that wants it.  Rounds of
a loop count where they are not shown to read places of their own; views whose indices are not shown
to tell places apart have no bound.  Leaves caches and vector widths to the machine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import field
from math import prod

from certile.analysis.affine import Affine, Span, affine, apart, spans, undetermined
from certile.analysis.effects import Values, is_own, trips
from certile.analysis.loops import fused
from certile.analysis.nests import flat, step_reads
from certile.analysis.sharing import Anchors
from certile.ir.node import Node
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Fallback, Load, Parallel, Serial, Tile, View
from certile.records import record

__all__ = ["Reads", "reads", "swept"]

# How often a place is read; None where no bound is shown.
Bound = int | None


@record
class Reads:
    """How often one program reads each place of `view`, and how much oftener with fallbacks.

    `sweeps` is how many loops over elements walk a row of it that is the program's own; fallbacks
    are left out.  Of several loads, which have a row each, it is the most.  `rows` is the part of
    `usual` that whole rows make; single elements, as a gather of one, make the rest.
    """

    view: View
    usual: Bound
    again: Bound
    sweeps: int
    rows: Bound


def reads(program: RowProgram) -> tuple[Reads, ...]:
    """One entry for each view the program loads from, in the order of the kernel's arguments."""
    count = _Count(program)
    count.steps(program.steps, _Place())
    rows = {
        load: often if often is None else often - count.single.get(load, 0)
        for load, often in count.usual.items()
    }
    touched = {load.buffer for load in (*count.usual, *count.again)}
    return tuple(
        Reads(
            view,
            count.of(view, count.usual),
            count.of(view, count.again),
            max((often for load, often in count.sweeps.items() if load.buffer == view), default=0),
            count.of(view, rows),
        )
        for view in program.kernel.views
        if view in touched
    )


def swept(program: RowProgram) -> dict[str, int]:
    """How many sweeps walk a row of each view that programs have rows of, by the view's name."""
    return {read.view.name: read.sweeps for read in reads(program) if read.sweeps}


@record(slots=False)
class _Place:
    """The loops around some steps, how often uniform loops run them, and what is at hand there."""

    loops: tuple[Serial, ...] = ()
    rounds: int = 1
    known: set[Load] = field(default_factory=set)

    def inside(self, *loops: Serial, rounds: int = 1) -> _Place:
        """The place within further loops: what is loaded there is not known outside."""
        return _Place((*self.loops, *loops), self.rounds * rounds, set(self.known))


class _Count:
    """One walk over the steps, sweep by sweep."""

    def __init__(self, program: RowProgram) -> None:
        single = (step.node for step in flat(program.steps) if step.kind in ("load", "gather"))
        scalars = [node for node in single if isinstance(node, Tile)]
        values = Values(program.parallel)
        self._anchors = Anchors(values, program.materialized, scalars, program.inline)
        self.usual: dict[Load, Bound] = {}
        self.again: dict[Load, Bound] = {}
        # How many sweeps walk the row of a load.
        self.sweeps: dict[Load, int] = {}
        # How many of the usual reads of a load are of a single element.
        self.single: dict[Load, int] = {}
        self._into = self.usual
        self._over = frozenset(program.parallel.over)
        self._loops: dict[Load, tuple[Serial, ...]] = {}

    def steps(self, steps: Sequence[Step], at: _Place) -> None:
        """Count what some steps read."""
        for group in fused(steps):
            head = group[0]
            match head.node:
                case Serial() as loop:
                    inside = at.inside(loop)
                    self._scalars(loop.inits, at)
                    self.steps(head.body, inside)
                    self._scalars(loop.yields, inside)
                case Parallel() as nest:
                    self.steps(head.body, at.inside(rounds=nest.over[0].static))
                case Fallback() as fallback:
                    self._scalars(fallback.tried, at)
                    self._recomputed(fallback, head.body, at.inside())
                case _:
                    self._sweep(group, at)

    def _recomputed(self, fallback: Fallback, body: Sequence[Step], at: _Place) -> None:
        around, self._into = self._into, self.again
        self.steps(body, at)
        self._scalars(fallback.instead, at)
        self._into = around

    def _scalars(self, roots: Iterable[Tile], at: _Place) -> None:
        """Single values; tiles that a loop carries are assigned by steps of their own."""
        self._add(self._anchors.reads(None, [root for root in roots if not root.axes]), 1, at)

    def _sweep(self, group: Sequence[Step], at: _Place) -> None:
        """The steps that visit elements together, and those that walk an axis for each element."""
        together: dict[Node, None] = {}
        walked: dict[Node, None] = {}
        for step in group:
            found = self._evaluated(step)
            walked.update(dict.fromkeys(found))
            if step.kind == "fold":
                self._add(found, step.elements * step.repeats, at)
            else:
                together.update(dict.fromkeys(found))
        self._add(together, group[0].elements * group[0].repeats, at)
        if group[0].elements > 1 and self._into is self.usual:
            self._walk(walked)

    def _walk(self, nodes: Iterable[Node]) -> None:
        """Count one sweep for each load of a row that belongs to the program."""
        for load in nodes:
            if isinstance(load, Load) and load.axes and is_own(load, self._over):
                self.sweeps[load] = self.sweeps.get(load, 0) + 1

    def _evaluated(self, step: Step) -> list[Node]:
        found = step_reads(step, self._anchors)
        return [node for node in found if node is step.node or not self._anchors.stops(node)]

    def _add(self, nodes: Collection[Node], points: int, at: _Place) -> None:
        """Count the loads among some nodes that are evaluated at a number of points."""
        for load in nodes:
            if not isinstance(load, Load) or not isinstance(load.buffer, View):
                continue
            if not load.axes and load in at.known:
                continue
            at.known.add(load)
            visits = (points if load.axes else 1) * at.rounds * self._anchors.turns(load)
            places = max(1, prod(axis.static for axis in load.axes))
            before, often = self._into.get(load, 0), _rounds_alike(load, at.loops)
            if before is None or often is None:
                self._into[load] = None
            else:
                found = -(-visits // places) * often
                self._into[load] = before + found
                if self._into is self.usual and (not load.axes or visits == 1 < places):
                    self.single[load] = self.single.get(load, 0) + found
            self._loops[load] = max(at.loops, self._loops.get(load, ()), key=len)

    def of(self, view: View, found: dict[Load, Bound]) -> Bound:
        """The bound of a view: loads that are not shown to be apart may meet in one place."""
        loads = [load for load in found if load.buffer == view]
        met = [[found[b] for b in loads if a is b or not self._apart(a, b)] for a in loads]
        sums = [None if None in counts else sum(c or 0 for c in counts) for counts in met]
        known = [total for total in sums if total is not None]
        return max(known, default=0) if len(known) == len(sums) else None

    def _apart(self, a: Load, b: Load) -> bool:
        return apart(_forms(a), self._spans(a), _forms(b), self._spans(b))

    def _spans(self, load: Load) -> dict[Tile, Span]:
        return spans(load.axes, self._loops[load])


def _forms(load: Load) -> list[Affine | None]:
    return [affine(index) for index in load.indices]


def _rounds_alike(load: Load, loops: tuple[Serial, ...]) -> Bound:
    """In how many rounds of the loops a place may be read; None where elements may meet in one."""
    forms = _forms(load)
    if undetermined(forms, spans(load.axes)) is not None:
        return None
    often, telling = 1, list[Serial]()
    for loop in loops:
        if undetermined(forms, spans(load.axes, (*telling, loop))) is None:
            telling.append(loop)
        else:
            often *= trips(loop)
    return often
