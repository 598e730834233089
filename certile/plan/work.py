"""What one program does, counted once for all mappings: sweeps, reads, arithmetic, merges.

In: a row program and what is known of its views' layouts.  Out: a `Work`, sweep by sweep in the
order of execution, each sweep being one loop over an element domain that neighbouring steps share.
Decides nothing; costs and lanes are the cost model's matter.  A body that runs only where a result
has to be made again is left out: it is the exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from certile.analysis.effects import trips
from certile.analysis.loops import fused
from certile.analysis.nests import step_roots
from certile.analysis.views import visit
from certile.ir.functions import FUNCTIONS
from certile.ir.host import ViewFacts
from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram, Step
from certile.ir.terms import Apply, Term
from certile.ir.tile import (
    Bitcast,
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
from certile.plan.blocks import forms_of
from certile.plan.congruence import Congruence, congruence

__all__ = ["Access", "Arithmetic", "Merge", "Sweep", "Work", "arithmetic_of", "merge_of", "work_of"]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """Element-wise work: plain operations, and calls of transcendental functions."""

    plain: int = 0
    calls: int = 0

    def __add__(self, other: Arithmetic) -> Arithmetic:
        return Arithmetic(self.plain + other.plain, self.calls + other.calls)


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store of each element of a sweep.

    `own` is whether other programs touch other elements (a row, as against a weight of all rows),
    `first` whether no sweep before this one read them.  `widest` is the most consecutive elements
    that one access is proved to take.  `congruence` is where the rows of `node` begin.
    """

    size: int
    own: bool
    first: bool
    widest: int
    congruence: Congruence | None = None
    node: Load | Store | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """What a reduction does to elements: `lift` makes a state of one, `merge` joins two states.

    `closed` is the work of an element where elements at hand together become a state by the law's
    closed forms, None where none are made.
    """

    words: int
    lift: Arithmetic
    merge: Arithmetic
    closed: Arithmetic | None


@dataclass(frozen=True, slots=True)
class Sweep:
    """One loop over an element domain, run `trips` times by a program.

    `kept_words` are the words that a worker keeps of each of its elements, `recalled_words` those
    that it kept before and reads here.  `axes` is the element domain.
    """

    elements: int
    trips: int
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    arithmetic: Arithmetic
    merges: tuple[Merge, ...]
    kept_words: int
    recalled_words: int
    axes: tuple[Axis, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """The sweeps of a program in order, and the bytes of rows that they move.

    `row_bytes` are read for the first time, `again_bytes` once more; `reads` says of each view how
    often its row is read.  `kept_bytes` lie in stripes.
    """

    sweeps: tuple[Sweep, ...]
    row_bytes: int
    again_bytes: int
    written_bytes: int
    kept_bytes: int
    reads: tuple[tuple[str, int], ...]

    @property
    def most_reads(self) -> int:
        """How often the row is read that is read most."""
        return max((times for _, times in self.reads), default=0)


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
        reads=tuple(_by_view(counter.reads).items()),
    )


def _by_view(reads: Mapping[Load, int]) -> dict[str, int]:
    """How often a row of each view is read: of several loads, which have a row each, the most."""
    found: dict[str, int] = {}
    for node, times in reads.items():
        found[node.buffer.name] = max(times, found.get(node.buffer.name, 0))
    return found


class _Counter:
    """Counts the steps of one row program."""

    def __init__(self, rows: RowProgram, facts: Mapping[str, ViewFacts], widest: int) -> None:
        self._facts, self._limit = facts, widest
        self._kept = frozenset(rows.materialized)
        self._inline = rows.inline
        self._over = frozenset(rows.parallel.over)
        # How often the row of a load is read.
        self.reads: dict[Load, int] = {}

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
        return Sweep(
            elements=head.elements,
            trips=times * head.repeats,
            reads=tuple(self._reads(evaluated, head)),
            writes=tuple(self._access(s) for s in stores if isinstance(s.buffer, View)),
            arithmetic=arithmetic_of(evaluated),
            merges=tuple(merge_of(s.node) for s in group if isinstance(s.node, Reduce)),
            kept_words=sum(_words(s.node) for s in group if s.kind == "materialize"),
            recalled_words=sum(map(_words, recalled)),
            axes=head.axes,
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
                    self.reads[node] = self.reads.get(node, 0) + 1
                yield made

    def _access(self, node: Load | Store) -> Access:
        size = node.buffer.dtype.size
        coordinates = [n for n in reach(node.indices) if isinstance(n, LoopIndex)]
        own = any(at.axis in self._over for at in coordinates)
        begins = congruence(node, self._facts.get(node.buffer.name), self._over)
        return Access(size, own, node not in self.reads, self._widest(node, size), begins, node)

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


def _words(node: Tile | Effect) -> int:
    return max(1, node.dtype.size // 4) if isinstance(node, Tile) and node.axes else 0


def merge_of(node: Reduce) -> Merge:
    """What a reduction does to its elements."""
    law = node.law
    dtypes = law.state_dtypes(node.accumulate, node.leaves)
    closed = forms_of(node)
    return Merge(
        words=sum(max(1, dtype.size // 4) for dtype in dtypes),
        lift=_terms(law.lift),
        merge=_terms(law.merge),
        closed=None if closed is None else _terms(closed),
    )


def _terms(terms: Iterable[Term]) -> Arithmetic:
    """The functions of terms, equal subterms counted once."""
    total, seen = Arithmetic(), set[Term]()
    pending = list(terms)
    while pending:
        term = pending.pop()
        if not isinstance(term, Apply) or term in seen:
            continue
        seen.add(term)
        pending += term.args
        function = FUNCTIONS.get(term.fn)
        call = function is not None and function.expensive
        total += Arithmetic(calls=1) if call else Arithmetic(plain=1)
    return total
