"""Folds of the reference map: one lane folds all leaves of its program itself.

In: a state machine, and an evaluator that stands at the reduction.  Out: the final state.  Leaves
are visited in leaf order by one uniform loop, or in the tree the policy asks for.
"""

from __future__ import annotations

from collections.abc import Callable

from certile.ir.dtypes import DType, i64
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine.build import Builder
from certile.ir.tile import (
    REPRODUCIBLE_ACCUMULATORS,
    REPRODUCIBLE_BLOCK,
    REPRODUCIBLE_DISTANCES,
)
from certile.lower.combine import in_blocks, in_order
from certile.lower.coordinates import Coordinate, unflatten
from certile.lower.evaluate import Evaluator
from certile.lower.state import State, StateMachine
from certile.plan.ownership.layout import ORDERED_RUN
from certile.records import record


@record(slots=False)
class Folds:
    """The folds of one reduction; `allocate` gives private arrays.

    `varying` says that lanes stand at different elements.
    """

    evaluator: Evaluator
    machine: StateMachine
    allocate: Callable[[DType, int], PrivateArray]
    varying: bool = True

    @property
    def builder(self) -> Builder:
        """What builds the loops."""
        return self.evaluator.builder

    @property
    def count(self) -> int:
        """The number of leaves."""
        return self.machine.reduction.leaves

    def results(self) -> State:
        """The results of the reduction, in the order of its policy."""
        machine, policy = self.machine, self.machine.reduction.policy
        match policy:
            case "fold_left" | "fold_right":
                first = machine.start() or machine.identity()
                return machine.finalize(self.serial(first, reverse=policy == "fold_right"))
            case "ordered_tree":
                return machine.finish(self.ordered())
            case "reproducible":
                return machine.finish(self.reproducible())
            case _:
                return machine.finish(self.any_order())

    def leaf(self, linear: Value) -> State:
        """The lifted leaf at a uniform position in leaf order."""
        reduction = self.machine.reduction
        coordinates = unflatten(self.builder, Coordinate(linear), reduction.over)
        with self.evaluator.scope(coordinates):
            values = tuple(self.evaluator.value(arg) for arg in reduction.args)
            return self.machine.lift(values, linear)

    def serial(self, first: State, *, reverse: bool = False) -> State:
        """Fold from the left starting with `first`, or from the right ending at the first leaf."""
        builder, machine = self.builder, self.machine

        def body(index: Value, state: tuple[Value, ...]) -> State:
            if not reverse:
                return machine.merge(state, self.leaf(index))
            return machine.merge(self.leaf(builder.sub(self.count - 1, index)), state)

        return builder.for_(0, self.count, 1, first, body, varying=self.varying)

    def any_order(self) -> State:
        """Blocks of leaves folded from the identity, and the blocks merged in order."""
        machine, identity = self.machine, self.machine.identity()
        return in_blocks(
            self.builder, self.count, identity, self._run, machine.merge, varying=self.varying
        )

    def _run(self, start: Value, count: int) -> State:
        """The left fold of `count` consecutive leaves from the identity."""
        machine = self.machine

        def body(index: Value, state: tuple[Value, ...]) -> State:
            return machine.merge(state, self.leaf(self.builder.add(start, index)))

        return self.builder.for_(0, count, 1, machine.identity(), body, varying=self.varying)

    def ordered(self) -> State:
        """Short runs folded in order, then a balanced tree over the runs."""
        builder = self.builder
        full, rest = divmod(self.count, ORDERED_RUN)
        if self.count == 0:
            return self.machine.identity()

        def run(number: Value) -> State:
            return self._run(builder.mul(number, ORDERED_RUN), ORDERED_RUN)

        def last() -> State:
            return self._run(builder.const(full * ORDERED_RUN, i64), rest)

        ending = last if rest else None
        return in_order(builder, self.machine, full, run, ending, varying=self.varying)

    def reproducible(self) -> State:
        """The tree the language fixes by the extent alone (see `combine`)."""
        if self.count == 0:
            return self.machine.identity()
        arrays = [self.allocate(dtype, REPRODUCIBLE_ACCUMULATORS) for dtype in self.machine.dtypes]
        full, rest = divmod(self.count, REPRODUCIBLE_BLOCK)

        def block(number: Value) -> State:
            start = self.builder.mul(number, REPRODUCIBLE_BLOCK)
            return self._block(arrays, start, REPRODUCIBLE_BLOCK)

        def last() -> State:
            return self._block(arrays, self.builder.const(full * REPRODUCIBLE_BLOCK, i64), rest)

        ending = last if rest else None
        return in_order(self.builder, self.machine, full, block, ending, varying=self.varying)

    def _read(self, arrays: list[PrivateArray], slot: Value) -> State:
        return tuple(self.builder.array_load(array, slot) for array in arrays)

    def _write(self, arrays: list[PrivateArray], slot: Value, state: State) -> None:
        for array, value in zip(arrays, state, strict=True):
            self.builder.array_store(array, slot, value)

    def _block(self, arrays: list[PrivateArray], start: Value, count: int) -> State:
        builder, machine = self.builder, self.machine

        def clear(slot: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            self._write(arrays, slot, machine.identity())
            return ()

        def add(index: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            slot = builder.mod(index, REPRODUCIBLE_ACCUMULATORS)
            merged = machine.merge(self._read(arrays, slot), self.leaf(builder.add(start, index)))
            self._write(arrays, slot, merged)
            return ()

        builder.for_(0, REPRODUCIBLE_ACCUMULATORS, 1, (), clear)
        builder.for_(0, count, 1, (), add)
        for bit in REPRODUCIBLE_DISTANCES:
            self._halve(arrays, bit)
        return self._read(arrays, builder.const(0, i64))

    def _halve(self, arrays: list[PrivateArray], bit: int) -> None:
        """Merge accumulators that differ in one bit of their index, the lower on the left.

        Those that earlier bits already merged away are merged too; nobody reads them.
        """
        builder, machine = self.builder, self.machine

        def outer(high: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            def inner(low: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
                slot = builder.add(high, low)
                upper = self._read(arrays, builder.add(slot, bit))
                self._write(arrays, slot, machine.merge(self._read(arrays, slot), upper))
                return ()

            builder.for_(0, bit, 1, (), inner)
            return ()

        builder.for_(0, REPRODUCIBLE_ACCUMULATORS, 2 * bit, (), outer)
