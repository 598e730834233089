"""Which worker owns which element: the chunk loops of the subgroup family.

Worker w of W = S * L owns e = (W * chunk + w) * V + v, kept in slot chunk * V + v.  In: the sizes
and a body.  Out: a loop over rounds of full chunks, then those left over with a masked last one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from certile.ir.dtypes import i64
from certile.ir.machine import Value
from certile.ir.machine_build import Builder
from certile.lower.coordinates import Coordinate, value_of


@dataclass(frozen=True, slots=True)
class Element:
    """One element a worker owns: its linear coordinate, its slot, and the mask if it may not exist.

    `position` counts the worker's elements within one round of the loop; it selects an
    accumulator.
    """

    linear: Coordinate
    slot: Value
    mask: Value | None
    position: int


Carried = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """Rounds that are made in runs: what a run starts with, and what it adds to those before it."""

    rounds: int
    renewed: Callable[[Carried], Carried]
    joined: Callable[[Carried, Carried], Carried]


Part = Callable[[Carried], Carried]
Body = Callable[[Sequence[Element], Carried], Carried]


@dataclass(frozen=True, slots=True)
class Workers:
    """The workers of one program: S subgroups of the builder's lanes, V elements each a chunk.

    `subgroup` is the subgroup's number within its program.
    """

    builder: Builder
    subgroups: int
    lane_elements: int
    subgroup: Value

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
    ) -> Carried:
        """Run `body` over `elements` elements from `first_chunk`, `chunks_a_round` chunks at once.

        Carried values vary between lanes.  A domain of at most `unroll_up_to` chunks has no loop,
        so its slots are constants.  `backwards` takes chunks from the last to the first.  `runs`
        cut a longer loop.
        """
        builder = self.builder
        start = builder.const(0, i64) if first_chunk is None else first_chunk
        full, rest = divmod(elements, self.chunk)

        def run(chunk: Value, count: int, carried: Carried, last: int = 0) -> Carried:
            """`count` chunks, and with `last` a masked one of so many elements after them."""
            packs: list[Element] = []
            for k in range(count):
                packs += self.pack(builder.add(chunk, k), k * self.lane_elements)
            if last:
                packs += self.tail(builder.add(chunk, count), last, count * self.lane_elements)
            return tuple(body(packs[::-1] if backwards else packs, carried))

        looped = full // chunks_a_round * chunks_a_round
        if full <= max(unroll_up_to, chunks_a_round):
            looped = 0

        def rounds(carried: Carried) -> Carried:
            def one(index: Value, values: Carried) -> Carried:
                first = builder.sub(looped - chunks_a_round, index) if backwards else index
                return run(builder.add(start, first), chunks_a_round, values)

            if runs is None or looped <= (length := runs.rounds * chunks_a_round):
                return builder.for_(0, looped, chunks_a_round, carried, one, varying=True)

            def run_of(first: Value, values: Carried) -> Carried:
                stop = builder.minimum(builder.add(first, length), looped)
                fresh = runs.renewed(values)
                made = builder.for_(first, stop, chunks_a_round, fresh, one, varying=True)
                return runs.joined(values, made)

            return builder.for_(0, looped, length, carried, run_of, varying=True)

        parts: list[Part] = [rounds] if looped else []
        for done in range(looped, full + (rest > 0), chunks_a_round):
            count = min(chunks_a_round, full - done)
            masked = rest if count < chunks_a_round else 0
            parts.append(partial(run, builder.add(start, done), count, last=masked))
        carried = inits
        for part in reversed(parts) if backwards else parts:
            carried = part(carried)
        return carried
