"""What one program does, counted once for all mappings: sweeps, reads, arithmetic, merges.

In: a row program and what is known of its views' layouts.  Out: a `Work`, sweep by sweep in the
order of execution, each sweep being one loop over an element domain that neighbouring steps share.
Decides nothing; costs and lanes are the cost model's matter.  A body that runs only where a result
has to be made again is left out: it is the exception.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from certile.analysis.effects import is_own, trips
from certile.analysis.loops import fused
from certile.analysis.nests import step_roots
from certile.analysis.views import visit
from certile.ir.folds import alike_variables
from certile.ir.functions import FUNCTIONS
from certile.ir.host import ViewFacts
from certile.ir.node import Node
from certile.ir.rows import RowProgram, Step
from certile.ir.terms import Apply, Term, variables
from certile.ir.tile import (
    Bitcast,
    Buffer,
    Cast,
    Effect,
    Fallback,
    Gather,
    Iota,
    Load,
    LoopIndex,
    Map,
    Parallel,
    Reduce,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis
from certile.plan.blocks import folded_together, forms_of
from certile.plan.congruence import Congruence, congruence
from certile.records import record

__all__ = ["Access", "Arithmetic", "Merge", "Sweep", "Work", "arithmetic_of", "merge_of", "work_of"]


Place = tuple[Buffer, tuple[Tile, ...]]


@record
class Arithmetic:
    """Element-wise work: plain operations, and calls of transcendental functions."""

    plain: int = 0
    calls: int = 0

    def __add__(self, other: Arithmetic) -> Arithmetic:
        return Arithmetic(self.plain + other.plain, self.calls + other.calls)


@record
class Access:
    """A load or store of each element of a sweep.

    `own` is whether other programs touch other elements (a row, as against a weight of all rows),
    `first` whether no sweep before this one read them.  `widest` is the most consecutive elements
    that one access is proved to take.  `congruence` is where the rows of `node` begin.  The array
    of a `large` one comes from memory.
    """

    size: int
    own: bool
    first: bool
    widest: int
    congruence: Congruence | None = None
    node: Load | Store | None = None
    large: bool = False


@record
class Merge:
    """What a reduction does to elements: `lift` makes a state of one, `merge` joins two states.

    `closed` is the work of an element where elements at hand together become a state by the law's
    closed forms, None where none are made.  Where lanes fold alone, `alike` is the part of it that
    is the same for all elements, made once for those that are folded together.
    """

    words: int
    lift: Arithmetic
    merge: Arithmetic
    closed: Arithmetic | None
    alike: Merge | None = None


@record
class Sweep:
    """One loop over an element domain, run `trips` times by a program.

    A worker keeps the tiles `kept` of its elements, and reads those of `recalled` that it kept
    before.  `axes` is the element domain, `head` the first step.  A worker folds `together`
    elements at once; `alike` is the work of a leaf that these share.
    """

    elements: int
    trips: int
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    arithmetic: Arithmetic
    merges: tuple[Merge, ...]
    kept: tuple[Tile, ...] = ()
    recalled: tuple[Tile, ...] = ()
    axes: tuple[Axis, ...] = ()
    head: Step | None = None
    alike: Arithmetic = Arithmetic()
    together: int = 1

    @property
    def kept_words(self) -> int:
        """The words that a worker keeps of each of its elements."""
        return sum(map(_words, self.kept))

    @property
    def recalled_words(self) -> int:
        """The words of each of its elements that a worker kept before and reads here."""
        return sum(map(_words, self.recalled))

    @property
    def alone(self) -> bool:
        """Whether each lane folds its own elements, so that no lanes meet."""
        return self.head is not None and self.head.kind == "fold"


@record
class Work:
    """The sweeps of a program in order, and the bytes of rows that they move.

    `row_bytes` are read for the first time, `again_bytes` once more.  `kept_bytes` lie in stripes.
    `held` says what later sweeps recall, after each sweep: the elements of a tile, and its words
    of each.  It is empty where that is not followed: in loops, with scans, with fallbacks.
    """

    sweeps: tuple[Sweep, ...]
    row_bytes: int
    again_bytes: int
    written_bytes: int
    kept_bytes: int
    held: tuple[tuple[tuple[int, int], ...], ...] = ()


def work_of(
    rows: RowProgram, facts: Mapping[str, ViewFacts] | None = None, widest: int = 0
) -> Work:
    """The work of one program; an access takes `widest` bytes at most.

    Without `facts` no access is taken to be wide.
    """
    counter = _Counter(rows, facts or {}, widest)
    sweeps = tuple(counter.sweeps(rows.steps, 1))
    swept = [(sweep, sweep.elements * sweep.trips) for sweep in sweeps]
    read = [(access, count) for sweep, count in swept for access in sweep.reads if access.own]
    return Work(
        sweeps,
        row_bytes=sum(count * access.size for access, count in read if access.first),
        again_bytes=sum(count * access.size for access, count in read if not access.first),
        written_bytes=sum(count * a.size for sweep, count in swept for a in sweep.writes),
        kept_bytes=sum(4 * sweep.kept_words * sweep.elements for sweep in sweeps),
        held=tuple(_held(sweeps)) if _is_followed(rows) else (),
    )


def _is_followed(rows: RowProgram) -> bool:
    """Whether all that a worker keeps is made by one sweep of a list and recalled by later ones."""
    if rows.lanes is not None or rows.fallbacks or any(step.body for step in rows.steps):
        return False
    return {stripe.key for stripe in rows.stripes} == set(rows.materialized)


def _held(sweeps: Sequence[Sweep]) -> Iterator[tuple[tuple[int, int], ...]]:
    """After each sweep, the elements and words of the tiles that later ones recall."""
    for position in range(1, len(sweeps) + 1):
        kept = dict.fromkeys(tile for sweep in sweeps[:position] for tile in sweep.kept)
        later = {tile for sweep in sweeps[position:] for tile in sweep.recalled}
        live = [tile for tile in kept if tile in later]
        yield tuple((tile.type.elements, _words(tile)) for tile in live)


class _Counter:
    """Counts the steps of one row program."""

    def __init__(self, rows: RowProgram, facts: Mapping[str, ViewFacts], widest: int) -> None:
        self._facts, self._limit = facts, widest
        self._kept = frozenset(rows.materialized)
        self._inline = rows.inline
        self._over = frozenset(rows.parallel.over)
        # The places whose row a sweep has read, whichever of their loads did.
        self._seen: set[Place] = set()

    def sweeps(self, steps: Sequence[Step], times: int) -> Iterator[Sweep]:
        for group in fused(steps):
            head = group[0]
            if not head.body:
                yield self._sweep(group, times)
                yield from self._inside(group, times)
            elif isinstance(head.node, Serial):
                yield from self.sweeps(head.body, times * trips(head.node))
            elif isinstance(head.node, Parallel):
                yield from self.sweeps(head.body, times * head.node.over[0].static)

    def _sweep(self, group: Sequence[Step], times: int) -> Sweep:
        head, made = group[0], {step.node for step in group}
        evaluated: dict[Node, None] = {}
        recalled: dict[Tile, None] = {}
        for step in group:
            for node, _ in visit(step_roots(step), self._stops, enter=step.node):
                if node is step.node or not self._stops(node):
                    evaluated[node] = None
                elif node not in made and isinstance(node, Tile) and node in self._kept:
                    recalled[node] = None
        stores = [s.node for s in group if isinstance(s.node, Store)]
        folds = [s.node for s in group if s.kind == "fold" and isinstance(s.node, Reduce)]
        own = set(head.axes) if folds and head.elements > 1 else set()
        alike = [n for n in evaluated if own and isinstance(n, Tile) and own.isdisjoint(n.axes)]
        merges = tuple(merge_of(s.node, own) for s in group if isinstance(s.node, Reduce))
        return Sweep(
            elements=head.elements,
            trips=times * head.repeats,
            reads=tuple(self._reads(evaluated, head)),
            writes=tuple(self._access(s) for s in stores if isinstance(s.buffer, View)),
            arithmetic=arithmetic_of(node for node in evaluated if node not in alike),
            merges=merges,
            kept=tuple(
                s.node for s in group if s.kind == "materialize" and isinstance(s.node, Tile)
            ),
            recalled=tuple(recalled),
            axes=head.axes,
            head=head,
            alike=arithmetic_of(alike),
            together=min((folded_together(fold, head.axes) for fold in folds), default=1),
        )

    def _inside(self, group: Sequence[Step], times: int) -> Iterator[Sweep]:
        """The reductions that are made where the elements of a sweep read them, as loops."""
        found = (node for s in group for node, _ in visit(step_roots(s), self._stops, enter=s.node))
        # In the order in which they are met, so that a program has one list of sweeps.
        for node in dict.fromkeys(found):
            if isinstance(node, Reduce) and node in self._inline:
                inside = Step("reduce", node, group[0].axes, inner=(*group[0].inner, *node.over))
                yield self._sweep((inside,), times)

    def _stops(self, node: Node) -> bool:
        return isinstance(node, Fallback | Reduce | Scan | Sort) or node in self._kept

    def _reads(self, evaluated: Iterable[Node], step: Step) -> Iterator[Access]:
        for node in evaluated:
            if isinstance(node, Load) and node.axes and isinstance(node.buffer, View):
                made = self._access(node)
                if made.own and step.elements > 1:
                    self._seen.add(_place(node))
                yield made

    def _access(self, node: Load | Store) -> Access:
        size = node.buffer.dtype.size
        own = is_own(node, self._over)
        known = self._facts.get(node.buffer.name)
        begins = congruence(node, known, self._over)
        first, widest = _place(node) not in self._seen, self._widest(node, size)
        return Access(size, own, first, widest, begins, node, known is not None and known.large)

    def _widest(self, node: Load | Store, size: int) -> int:
        known = self._facts.get(node.buffer.name)
        if known is None or node.mask is not None:
            return 1
        unit = [
            index
            for index, stride in zip(node.indices, known.strides, strict=True)
            if stride == 1 and not isinstance(index, LoopIndex)
        ]
        if len(unit) != 1 or not isinstance(unit[0], Iota):
            return 1
        width = self._limit // size
        while width > 1 and known.alignment % (width * size):
            width //= 2
        return max(1, width)


def arithmetic_of(evaluated: Iterable[Node]) -> Arithmetic:
    """The functions of an element; what has no axes is made once and not counted."""
    total = Arithmetic()
    for node in evaluated:
        if isinstance(node, Map | Cast | Bitcast | Gather) and node.axes:
            call = isinstance(node, Map) and FUNCTIONS[node.fn].expensive
            total += Arithmetic(calls=1) if call else Arithmetic(plain=1)
    return total


def _place(node: Load | Store) -> Place:
    return node.buffer, node.indices


def _words(node: Tile | Effect) -> int:
    return max(1, node.dtype.size // 4) if isinstance(node, Tile) and node.axes else 0


def merge_of(node: Reduce, own: Collection[Axis] = ()) -> Merge:
    """What a reduction does to its elements; with `own`, to elements of these axes by one lane."""
    law = node.law
    dtypes = law.state_dtypes(node.accumulate, node.leaves)
    closed = forms_of(node)
    known = alike_variables(node, own) if own else frozenset()

    def work(terms: Iterable[Term], *, alike: bool) -> Arithmetic:
        found = _applied(terms)
        return _functions(at for at in found if alike == (bool(own) and variables([at]) <= known))

    def part(*, alike: bool) -> Merge:
        return Merge(
            words=sum(max(1, dtype.size // 4) for dtype in dtypes),
            lift=work(law.lift, alike=alike),
            merge=work(law.merge, alike=alike),
            closed=None if closed is None else work(closed, alike=alike),
        )

    return replace(part(alike=False), alike=part(alike=True) if own else None)


def _applied(terms: Iterable[Term]) -> dict[Apply, None]:
    """The applications in some terms, equal ones once."""
    found: dict[Apply, None] = {}
    pending = list(terms)
    while pending:
        term = pending.pop()
        if isinstance(term, Apply) and term not in found:
            found[term] = None
            pending += term.args
    return found


def _functions(applied: Iterable[Apply]) -> Arithmetic:
    total = Arithmetic()
    for at in applied:
        function = FUNCTIONS.get(at.fn)
        call = function is not None and function.expensive
        total += Arithmetic(calls=1) if call else Arithmetic(plain=1)
    return total
