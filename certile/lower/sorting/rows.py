"""Sorts: a row that is kept is ordered where it lies; of a row that streams by the first stay.

In: a `Sort`, and a source that evaluates one vector of its elements after another.  Out: private
arrays with the order, element e in lane e mod lanes of slot e / lanes, and the results read from
them.  Decides what is done for each vector of a row that streams by: it is looked at further only
if one of its elements comes before the last of those kept.  Leaves evaluation to the execution maps
and the exchanges to `network`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certile.ir.dtypes import DType, i64, lowest
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine.build import Builder, Operand
from certile.ir.tile import Sort
from certile.lower.coordinates import Coordinate, value_of
from certile.lower.sorting.keys import Keys, State
from certile.lower.sorting.network import Network
from certile.plan.subgroup.sorting import sort_layout
from certile.records import record

Allocate = Callable[[DType, int], PrivateArray]


@record
class ElementVector:
    """Elements to be ordered, one a lane, where in the row they are, and which of them exist."""

    value: Value
    position: Coordinate
    mask: Value | None = None


# Evaluates a vector by its number; the flag is set for a last one that the row does not fill.
Source = Callable[[Value, bool], ElementVector]


class Sorter:
    """One sort: its arrays, which hold `orders` rows side by side, and how they are filled.

    `lanes` of a vector belong to one row; with 1 each lane has rows of its own.
    """

    def __init__(
        self, builder: Builder, node: Sort, lanes: int, allocate: Allocate, orders: int = 1
    ) -> None:
        self._builder, self._node, self._lanes = builder, node, lanes
        self.layout = sort_layout(node, lanes, streams=lanes > 1)
        self._keys = Keys(builder, node.dtype, self.layout, node.descending)
        self._arrays = self._allocate(allocate, orders * self.layout.vectors)
        if self.layout.streamed:
            self._fresh = self._network(self._allocate(allocate, self.layout.vectors))
            self._limit = allocate(self.layout.rank, 1)

    def _allocate(self, allocate: Allocate, slots: int) -> list[PrivateArray]:
        return [allocate(dtype, max(1, slots)) for dtype in self.layout.components]

    def _network(self, arrays: Sequence[PrivateArray], base: Operand = 0) -> Network:
        return Network(self._keys, arrays, self._lanes, self.layout.vectors, base)

    def run(self, source: Source, base: Operand = 0) -> None:
        """Order one row, into the slots from `base`."""
        if self.layout.streamed:
            self._select(source, self._network(self._arrays))
        else:
            self._sort(source, self._network(self._arrays, base))

    def result(self, index: int, state: State) -> Value:
        """Result `index` of the sort, of a state."""
        return self._keys.position(state) if index else self._keys.value(state)

    def read(self, load: Callable[[PrivateArray], Value]) -> State:
        """The state that `load` finds in each of the arrays."""
        return tuple(load(array) for array in self._arrays)

    # A row that is kept.

    def _sort(self, source: Source, network: Network) -> None:
        full, rest = divmod(self._node.over.static, self._lanes)

        def vector(number: Value, partial: bool) -> None:
            made = source(number, partial)
            state = self._state(made, self._keys.rank(made.value))
            network.write(number, network.sorted_vector(state))

        self._each(full, network, lambda number: vector(number, False))
        if rest:
            vector(self._builder.const(full, i64), True)
        network.sort()

    def _state(self, vector: ElementVector, rank: Value) -> State:
        state = self._keys.state(rank, value_of(self._builder, vector.position))
        if vector.mask is None:
            return state
        return self._builder.select_all(vector.mask, state, self._keys.padding())

    def _each(self, count: int, network: Network, body: Callable[[Value], None]) -> None:
        """Run `body` for 0, 1, ... below `count`; without a loop where the network has none."""
        builder = self._builder
        if network.written_out and count <= network.count:
            for number in range(count):
                body(builder.const(number, i64))
            return

        def round_(number: Value, _: tuple[Value, ...]) -> Sequence[Value]:
            body(number)
            return ()

        builder.for_(0, count, 1, (), round_)

    # A row of which the first elements are kept.

    def _select(self, source: Source, best: Network) -> None:
        """Keep the first elements in order, and look at as many vectors as hold them at a time."""
        builder, group = self._builder, self.layout.vectors
        for number in range(group):
            best.write(builder.const(number, i64), self._keys.padding())
        builder.array_store(self._limit, 0, self._keys.greatest_rank())
        full, rest = divmod(self._node.over.static, self._lanes)
        rounds, left = divmod(full, group)

        def take(number: Value) -> None:
            start = builder.mul(number, group)
            vectors = [source(builder.add(start, k), False) for k in range(group)]
            # What pads the order is no element: the first round always replaces it.
            self._take(vectors, best, builder.eq(number, 0))

        self._each(rounds, best, take)
        last = [source(builder.const(rounds * group + k, i64), False) for k in range(left)]
        if rest:
            last.append(source(builder.const(full, i64), True))
        if last:
            self._take(last, best, None)

    def _take(self, vectors: Sequence[ElementVector], best: Network, first: Value | None) -> None:
        """Merge some vectors into the order if an element comes before the last that is wanted.

        Of equal elements the earlier is kept, so later ones have to be less.
        """
        builder = self._builder
        limit = builder.array_load(self._limit, 0)
        ranks = [self._keys.rank(vector.value) for vector in vectors]
        found: Value | None = None
        for vector, rank in zip(vectors, ranks, strict=True):
            less = builder.and_(vector.mask, builder.lt(rank, limit))
            assert less is not None
            found = less if found is None else builder.or_(found, less)
        assert found is not None
        wanted = builder.collective("any", found)
        states = list(zip(vectors, ranks, strict=True))
        if first is not None:
            wanted = builder.or_(wanted, first)
        builder.if_(wanted, lambda: self._improve(states, best))

    def _improve(self, vectors: Sequence[tuple[ElementVector, Value]], best: Network) -> None:
        """Order the vectors; of each element and its mirror image in the order the lesser stays."""
        builder, group = self._builder, self.layout.vectors
        for number in range(group):
            state = self._keys.padding()
            if number < len(vectors):
                state = self._fresh.sorted_vector(self._state(*vectors[number]))
            self._fresh.write(builder.const(number, i64), state)
        self._fresh.sort()
        for number in range(group):
            at, image = builder.const(number, i64), builder.const(group - 1 - number, i64)
            other = self._fresh.mirrored(self._fresh.read(image))
            best.write(at, self._keys.ordered(best.read(at), other)[0])
        best.merge()
        builder.array_store(self._limit, 0, self._last(best))

    def _last(self, best: Network) -> Value:
        """The rank of the last element that is wanted: the greatest in its vector up to there."""
        builder, rank = self._builder, self.layout.rank
        slot, lane = divmod(self._node.into.static - 1, self._lanes)
        ranks = self._keys.rank_of(best.read(builder.const(slot, i64)))
        if lane < self._lanes - 1:
            inside = builder.lt(builder.lane(), lane + 1)
            ranks = builder.select(inside, ranks, builder.const(int(lowest(rank)), rank))
        return builder.collective("maximum", ranks)
