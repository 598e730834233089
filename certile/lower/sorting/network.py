"""A bitonic sorting network over vectors in private arrays.

In: vectors of states, one in each slot, and how many lanes of a vector hold elements of one order.
Out: the states in order, element e in lane e mod lanes of slot e / lanes.  Every exchange puts the
lesser state at the lower place (a merge starts by comparing a run with the mirror of the next), so
states that do not exist lie behind all others, and are neither kept nor compared.  Slots are
uniform, so one network serves the lanes of a subgroup that share an order, and lanes that each have
an order of their own (`lanes` = 1).  Loops keep the code short; few vectors are written out.

The network is K. E. Batcher's (Sorting networks and their applications, 1968) in the form whose
comparators all point one way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.dtypes import i64
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine.build import Builder, Operand
from certile.lower.sorting.keys import Keys, State
from certile.records import record

Body = Callable[[Value], None]

# So many vectors of states, counted once a component, are sorted without loops.
_WRITTEN_OUT = 4


@record(slots=False)
class Network:
    """A network over `count` vectors from slot `base` of the arrays, one array a component."""

    keys: Keys
    arrays: Sequence[PrivateArray]
    lanes: int
    count: int
    base: Operand = 0

    @property
    def _builder(self) -> Builder:
        return self.keys.builder

    def read(self, vector: Operand) -> State:
        """The states of a vector."""
        slot = self._builder.add(vector, self.base)
        return tuple(self._builder.array_load(array, slot) for array in self.arrays)

    def write(self, vector: Operand, state: State) -> None:
        """Keep the states of a vector."""
        slot = self._builder.add(vector, self.base)
        for array, value in zip(self.arrays, state, strict=True):
            self._builder.array_store(array, slot, value)

    # Within a vector.

    def sorted_vector(self, state: State) -> State:
        """The lanes of one vector in order."""
        run = 2
        while run <= self.lanes:
            state = self._lanes(state, run - 1, run // 2)
            state = self._spread(state, run // 4)
            run *= 2
        return state

    def mirrored(self, state: State) -> State:
        """The lanes of one vector from the last to the first."""
        return tuple(self._builder.shuffle(value, self.lanes - 1) for value in state)

    def _spread(self, state: State, distance: int) -> State:
        """Exchange lanes at this distance, half of it and so on."""
        while distance:
            state = self._lanes(state, distance, distance)
            distance //= 2
        return state

    def _lanes(self, state: State, mask: int, bit: int) -> State:
        """Exchange lanes whose numbers differ by `mask`, the lane with `bit` keeps the greater."""
        builder = self._builder
        other = tuple(builder.shuffle(value, mask) for value in state)
        upper = builder.compute("ne", builder.compute("bit_and", builder.lane(), bit), 0)
        return self.keys.one_of(upper, state, other)

    # Among vectors.

    def sort(self) -> None:
        """Put vectors that are sorted each in themselves in one order."""
        builder = self._builder
        levels = max(0, self.count - 1).bit_length()

        def merge(level: Value, half: Value) -> None:
            """Make runs of `half` = 2^level vectors that are in order runs of twice as many."""
            self._mirror(half)
            self._apart(builder.compute("shr", half, 1), level)
            self._within()

        if self.written_out:
            for level in range(levels):
                merge(builder.const(level, i64), builder.const(1 << level, i64))
            return

        def step(level: Value, carried: tuple[Value, ...]) -> Sequence[Value]:
            (half,) = carried
            merge(level, half)
            return (builder.add(half, half),)

        builder.for_(0, levels, 1, (1,), step)

    def merge(self) -> None:
        """Put a bitonic sequence (states rise and then fall) over 2^k vectors in order."""
        distance = self.count // 2
        self._apart(self._builder.const(distance, i64), distance.bit_length())
        self._within()

    @property
    def written_out(self) -> bool:
        """Whether the vectors are so few that loops would not make less text."""
        return self.count * len(self.arrays) <= _WRITTEN_OUT

    def _each(self, start: Operand, stop: Operand, step: Operand, body: Body) -> None:
        """Run `body` for each index; few vectors without a loop."""
        known = [self._known(number) for number in (start, stop, step)]
        first, last, stride = known
        if self.written_out and first is not None and last is not None and stride is not None:
            for index in range(first, last, stride):
                body(self._builder.const(index, i64))
            return

        def round_(index: Value, _: tuple[Value, ...]) -> Sequence[Value]:
            body(index)
            return ()

        self._builder.for_(start, stop, step, (), round_)

    def _known(self, number: Operand) -> int | None:
        if isinstance(number, Value):
            return self._builder.facts.integer(number)
        return int(number)

    def _within(self) -> None:
        """Put each vector, a bitonic sequence of its own, in order."""
        if self.lanes > 1:
            self._each(
                0,
                self.count,
                1,
                lambda at: self.write(at, self._spread(self.read(at), self.lanes // 2)),
            )

    def _mirror(self, half: Value) -> None:
        """Exchange each run of 2 * half vectors with its own mirror image."""
        builder = self._builder

        def run(start: Value) -> None:
            last = builder.add(builder.add(start, builder.add(half, half)), -1)
            # Partners at `count` and beyond do not exist.
            first = builder.compute("maximum", builder.sub(last, self.count - 1), 0)

            def pair(within: Value) -> None:
                low, high = builder.add(start, within), builder.sub(last, within)
                lesser, greater = self.keys.ordered(self.read(low), self.mirrored(self.read(high)))
                self.write(low, lesser)
                self.write(high, self.mirrored(greater))

            self._each(first, half, 1, pair)

        self._each(0, self.count, builder.add(half, half), run)

    def _apart(self, distance: Value, steps: Operand) -> None:
        """Exchange vectors at this distance, half of it and so on, `steps` distances in all."""
        builder = self._builder
        count = self._known(steps)
        if count is not None:
            for _ in range(count):
                self._at_distance(distance)
                distance = builder.compute("shr", distance, 1)
            return

        def step(_: Value, carried: tuple[Value, ...]) -> Sequence[Value]:
            (here,) = carried
            self._at_distance(here)
            return (builder.compute("shr", here, 1),)

        builder.for_(0, steps, 1, (distance,), step)

    def _at_distance(self, distance: Value) -> None:
        builder = self._builder

        def run(start: Value) -> None:
            present = builder.sub(builder.sub(self.count, distance), start)

            def pair(within: Value) -> None:
                low = builder.add(start, within)
                high = builder.add(low, distance)
                lesser, greater = self.keys.ordered(self.read(low), self.read(high))
                self.write(low, lesser)
                self.write(high, greater)

            self._each(0, builder.minimum(distance, present), 1, pair)

        self._each(0, self.count, builder.add(distance, distance), run)
