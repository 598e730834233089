"""Which worker owns which element: the chunk loops of the subgroup family.

Worker w of W = S * L owns e = (W * chunk + w) * V + v, kept in slot chunk * V + v.  In: the sizes
and a body.  Out: a loop over rounds of full chunks, then those left over with a masked last one.
A phase moves all elements up by a in [0, V): the first chunk is masked, too, and stands before the
loop, since it lacks the first a places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from certile.ir.dtypes import i32, i64
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.lower.coordinates import Coordinate, Shift, value_of
from certile.lower.phases import EdgePack
from certile.records import record


@record
class Element:
    """One element a worker owns: its linear coordinate, its slot, and the mask if it may not exist.

    `position` counts the worker's elements within one round of the loop; it selects an
    accumulator.  `edge` is its pack and its place there, where the pack may not exist as a whole.
    """

    linear: Coordinate
    slot: Value
    mask: Value | None
    position: int
    edge: tuple[EdgePack, int] | None = None


Carried = tuple[Value, ...]


@record
class Runs:
    """Rounds that are made in runs: what a run starts with, and what it adds to those before it."""

    rounds: int
    renewed: Callable[[Carried], Carried]
    joined: Callable[[Carried, Carried], Carried]


Part = Callable[[Carried], Carried]
Round = Callable[[Value, Carried], Carried]
Last = Callable[[int], list[Element]]
Body = Callable[[Sequence[Element], Carried], Carried]


@record
class _Chunks:
    """A domain as `full` whole chunks from `start`; `last` makes masked elements at a position.

    `head` are masked elements before them.
    """

    start: Value
    full: int
    head: list[Element]
    last: Last | None


@record
class Workers:
    """The workers of one program: S subgroups of the builder's lanes, V elements each a chunk.

    `subgroup` is the subgroup's number within its program; with a `phase` the ownership of some
    domains has one.
    """

    builder: Builder
    subgroups: int
    lane_elements: int
    subgroup: Value
    phase: bool = False

    @property
    def count(self) -> int:
        return self.builder.lanes * self.subgroups

    @property
    def chunk(self) -> int:
        """Elements of one chunk: W * V."""
        return self.count * self.lane_elements

    def _own(self, v: int) -> Coordinate:
        """Where element v of the worker lies within a chunk."""
        builder, width = self.builder, self.lane_elements
        own = builder.mul(builder.convert(self.subgroup, i64), builder.lanes * width)
        return Coordinate(builder.add(own, v), width)

    def pack(self, chunk: Value, position: int) -> list[Element]:
        """The V elements a worker owns of a full chunk."""
        builder, made = self.builder, []
        for v in range(self.lane_elements):
            own = self._own(v)
            base = builder.add(builder.mul(chunk, self.chunk), own.base)
            slot = builder.add(builder.mul(chunk, self.lane_elements), v)
            made.append(Element(Coordinate(base, own.step), slot, None, position + v))
        return made

    def tail(self, chunk: Value, elements: int, position: int) -> list[Element]:
        """The elements of a last chunk of fewer than W * V, masked; unowned packs are left out."""
        full = self.pack(chunk, position)[: min(self.lane_elements, elements)]
        return [
            replace(at, mask=self.builder.lt(value_of(self.builder, self._own(v)), elements))
            for v, at in enumerate(full)
        ]

    def edge(self, chunks: range, elements: int, shift: Shift, position: int = 0) -> list[Element]:
        """The elements of chunks that need not lie within a domain whose ownership has a phase.

        Only the first chunk of all begins before the domain.  What no phase reaches is left out.
        """
        builder, found = self.builder, list[Element]()
        # Places within a program are 32-bit numbers, which GPUs compare in one instruction.
        start = builder.convert(shift.value, i32)
        stop = builder.add(start, elements)
        own = builder.mul(self.subgroup, builder.lanes * self.lane_elements)
        own = builder.add(own, builder.mul(builder.lane(), self.lane_elements))
        for number in chunks:
            reached = elements + shift.lead.modulus - 1 - number * self.chunk
            pack = self.pack(builder.const(number, i64), position + len(found))[:reached]
            first = number * self.chunk
            places = [builder.add(own, first + v) for v in range(len(pack))]
            begins, ends = number == 0, (number + 1) * self.chunk > elements
            masks = [
                builder.and_(
                    builder.ge(place, start) if begins else None,
                    builder.lt(place, stop) if ends else None,
                )
                for place in places
            ]
            inside = [builder.true() if mask is None else mask for mask in masks]
            whole, some = self._extent(inside, begins=begins, ends=ends)
            if elements < self.lane_elements:
                # A row may lie between the two ends of a pack.
                for mask in inside[1:-1]:
                    some = builder.or_(some, mask)
            edge = EdgePack(
                builder, whole, builder.compute("bit_and", some, builder.not_(whole)), inside
            )
            found += [
                replace(at, mask=mask, edge=(edge, v))
                for v, (at, mask) in enumerate(zip(self.shifted(pack, shift), inside, strict=True))
            ]
        return found

    def _extent(self, inside: Sequence[Value], *, begins: bool, ends: bool) -> tuple[Value, Value]:
        """Whether all elements of a pack exist, and whether the first or the last one does.

        Where a domain only begins, all after one that exists do, too; where it ends, all before.
        """
        first, last = inside[0], inside[-1]
        if begins and ends:
            return self.builder.compute("bit_and", first, last), self.builder.or_(first, last)
        return (first, last) if begins else (last, first)

    def shifted(self, pack: Sequence[Element], shift: Shift | None) -> list[Element]:
        """The elements at coordinates that are less by a phase."""
        return [replace(at, linear=replace(at.linear, shift=shift)) for at in pack]

    def _plan(self, elements: int, first: Value | None, shift: Shift | None) -> _Chunks:
        """The whole chunks of a domain, and what stands before and after them."""
        builder = self.builder
        full, rest = divmod(elements, self.chunk)
        if shift is None:
            start = builder.const(0, i64) if first is None else first

            def last(position: int) -> list[Element]:
                return self.tail(builder.add(start, full), rest, position)

            return _Chunks(start, full, [], last if rest else None)
        ended = max(1, full)
        after = range(ended, -(-(elements + shift.lead.modulus - 1) // self.chunk))

        def ends(position: int) -> list[Element]:
            return self.edge(after, elements, shift, position)

        head = self.edge(range(1), elements, shift)
        return _Chunks(builder.const(1, i64), ended - 1, head, ends if after else None)

    def loop(
        self, stop: int, step: int, carried: Carried, one: Round, runs: Runs | None
    ) -> Carried:
        """`one` from chunk 0 to `stop`, `step` chunks a round; `runs` cut a long loop."""
        builder = self.builder
        if runs is None or stop <= (length := runs.rounds * step):
            return builder.for_(0, stop, step, carried, one, varying=True)

        def run_of(first: Value, values: Carried) -> Carried:
            end = builder.minimum(builder.add(first, length), stop)
            made = builder.for_(first, end, step, runs.renewed(values), one, varying=True)
            return runs.joined(values, made)

        return builder.for_(0, stop, length, carried, run_of, varying=True)

    def sweep(  # noqa: PLR0913 - a loop sets few of them
        self,
        elements: int,
        chunks_a_round: int,
        inits: Carried,
        body: Body,
        *,
        first_chunk: Value | None = None,
        unroll_up_to: int = 0,
        backwards: bool = False,
        runs: Runs | None = None,
        shift: Shift | None = None,
    ) -> Carried:
        """Run `body` over `elements` elements from `first_chunk`, `chunks_a_round` chunks at once.

        Carried values vary between lanes.  A domain of at most `unroll_up_to` chunks has no loop,
        so its slots are constants.  `backwards` takes chunks from the last to the first.  `runs`
        cut a longer loop.  `shift` is the phase of the domain, which is walked forwards then.
        """
        chunks = self._plan(elements, first_chunk, shift)
        walk = _Walk(self, chunks, chunks_a_round, body, backwards, shift)
        looped = chunks.full // chunks_a_round * chunks_a_round
        if chunks.full <= max(unroll_up_to, chunks_a_round):
            looped = 0
        parts: list[Part] = [partial(walk.rounds, looped, runs)] if looped else []
        parts += walk.after(looped)
        carried = tuple(body(chunks.head, inits)) if chunks.head else inits
        for part in reversed(parts) if backwards else parts:
            carried = part(carried)
        return carried


@record
class _Walk:
    """One way through the chunks of a domain: which, how many at once, and what each does."""

    workers: Workers
    chunks: _Chunks
    at_once: int
    body: Body
    backwards: bool
    shift: Shift | None

    def rounds(self, looped: int, runs: Runs | None, carried: Carried) -> Carried:
        """The loop over the first `looped` whole chunks."""
        builder = self.workers.builder

        def one(index: Value, values: Carried) -> Carried:
            first = builder.sub(looped - self.at_once, index) if self.backwards else index
            return self._run(builder.add(self.chunks.start, first), self.at_once, None, values)

        return self.workers.loop(looped, self.at_once, carried, one, runs)

    def after(self, looped: int) -> list[Part]:
        """What comes after the loop, in order; the last of it takes the masked elements along."""
        builder, chunks = self.workers.builder, self.chunks
        parts: list[Part] = []
        for done in range(looped, chunks.full + (chunks.last is not None), self.at_once):
            count = min(self.at_once, chunks.full - done)
            masked = chunks.last if count < self.at_once else None
            parts.append(partial(self._run, builder.add(chunks.start, done), count, masked))
        return parts

    def _run(self, chunk: Value, count: int, last: Last | None, carried: Carried) -> Carried:
        """`count` chunks, and with `last` masked ones after them."""
        workers, builder = self.workers, self.workers.builder
        packs: list[Element] = []
        for k in range(count):
            packs += workers.pack(builder.add(chunk, k), k * workers.lane_elements)
        packs = packs if self.shift is None else workers.shifted(packs, self.shift)
        if last is not None:
            packs += last(count * workers.lane_elements)
        return tuple(self.body(packs[::-1] if self.backwards else packs, carried))
