"""Strips of the columns map: which programs a group takes, and the loops over their vectors.

In: the group's number, the launch's programs and the parts that rows are taken in.  Out: calls with
the part and with segments, which are runs of neighbours along the last axis of the launch, and
within a segment with vectors of programs.
Decides how many groups one leads and where vectors are masked.  Leaves what is done with them to
others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.dtypes import i64
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.ir.types import Axis
from certile.lower.coordinates import Coordinate, unflatten, value_of
from certile.plan.mapping import Mapping
from certile.records import record

# Strips that each thread should find: one more than its own evens out threads that start late.
_STRIPS_A_THREAD = 2
# Strips of fewer groups (2 KB of a row) read memory in short runs: then one for each thread.
_SHORT_STRIP = 8

Coordinates = dict[Axis, Coordinate]


@record
class ProgramVector:
    """One vector of neighbouring programs: its number in the segment, where it is, its mask.

    `position` counts the vectors of a round, `first` is the number of its first program in the
    launch.
    """

    number: Value
    at: Coordinate
    mask: Value | None
    position: int
    first: Value


@record
class Segment:
    """Neighbouring programs: `count` of them from `first`, along the last axis of the launch.

    `number` is that of the first of them in the launch.
    """

    builder: Builder
    first: Value
    count: Value
    number: Value

    def each(self, width: int, body: Callable[[Sequence[ProgramVector]], None]) -> None:
        """Run `body` on all vectors, `width` at once; those left over are masked, one by one."""
        builder, lanes = self.builder, self.builder.lanes
        whole = builder.floordiv(self.count, lanes * width)
        done = builder.mul(whole, width)

        def full(number: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            body([self._vector(builder.add(number, k), position=k) for k in range(width)])
            return ()

        def rest(number: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            lane = value_of(builder, Coordinate(builder.mul(number, lanes), 1))
            body([self._vector(number, builder.lt(lane, self.count))])
            return ()

        builder.for_(0, done, width, (), full)
        builder.for_(done, self.vectors, 1, (), rest)

    @property
    def vectors(self) -> Value:
        """The number of vectors, a partial one included."""
        lanes = self.builder.lanes
        return self.builder.floordiv(self.builder.add(self.count, lanes - 1), lanes)

    def _vector(self, number: Value, mask: Value | None = None, position: int = 0) -> ProgramVector:
        builder = self.builder
        past = builder.mul(number, builder.lanes)
        at = Coordinate(builder.add(self.first, past), 1)
        return ProgramVector(number, at, mask, position, builder.add(self.number, past))


@record
class Strips:
    """The strips of a launch over `over`; `extent` gives the extent of an axis.

    Each is taken once for each of `parts`.  Groups count through the strips of one part and then of
    the next, so that a thread's range of groups is a range of rows.
    """

    builder: Builder
    mapping: Mapping
    threads: int
    over: tuple[Axis, ...]
    programs: Value
    extent: Callable[[Axis], Value]
    parts: int = 1

    @property
    def group(self) -> int:
        """The programs of one group."""
        return self.builder.lanes * self.mapping.group_vectors

    def run(self, body: Callable[[Value, Coordinates, Segment], None]) -> None:
        """Run `body` on the part and every segment of the strip that this group leads.

        A group that does not lead has nothing to do: how many groups make a strip follows from the
        number of programs, which no plan knows.
        """
        builder, group = self.builder, self.builder.group()
        part = builder.const(0, i64)
        if self.parts > 1:
            groups = builder.floordiv(builder.add(self.programs, self.group - 1), self.group)
            part = builder.floordiv(group, groups)
            group = builder.sub(group, builder.mul(part, groups))
        self._led(group, lambda outer, segment: body(part, outer, segment))

    def _led(self, group: Value, body: Callable[[Coordinates, Segment], None]) -> None:
        builder = self.builder
        first = builder.mul(group, self.group)
        most = self.mapping.strip_vectors // self.mapping.group_vectors
        if most == 1:
            self._strip(first, builder.const(self.group, i64), body)
            return
        led = builder.compute("maximum", builder.minimum(self._fair(), most), 1)
        leads = builder.eq(builder.mod(group, led), 0)
        builder.if_(leads, lambda: self._strip(first, builder.mul(led, self.group), body))

    def _fair(self) -> Value:
        """The groups of a strip that give every thread its share."""
        builder = self.builder
        programs = builder.mul(self.programs, self.parts)
        own = builder.floordiv(programs, self.group * self.threads)
        if self.threads == 1:
            return own
        several = builder.floordiv(programs, self.group * _STRIPS_A_THREAD * self.threads)
        return builder.compute("maximum", several, builder.minimum(own, _SHORT_STRIP))

    def _strip(
        self, first: Value, length: Value, body: Callable[[Coordinates, Segment], None]
    ) -> None:
        """Cut a run of programs where the last axis of the launch begins anew."""
        builder = self.builder
        stop = builder.minimum(builder.add(first, length), self.programs)
        outer = self.over[:-1]
        if not outer:
            body({}, Segment(builder, first, builder.sub(stop, first), first))
            return
        along = self.extent(self.over[-1])

        def cut(number: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            start = builder.mul(number, along)
            low = builder.compute("maximum", builder.sub(first, start), 0)
            high = builder.minimum(builder.sub(stop, start), along)
            coordinates = unflatten(builder, Coordinate(number), outer, self.extent)
            held = builder.sub(high, low)
            body(coordinates, Segment(builder, low, held, builder.add(start, low)))
            return ()

        last = builder.floordiv(builder.sub(stop, 1), along)
        builder.for_(builder.floordiv(first, along), builder.add(last, 1), 1, (), cut)
