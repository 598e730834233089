"""Reductions of the subgroup family: worker folds, then the tree of the policy.

In: the reductions of a sweep, the workers, and a way to each element's leaves.  Out: the values of
their results, in every worker.  Decides where partials lie and where barriers stand.  Leaves the
trees to `combine`.

A worker folds its own elements into accumulators; lanes merge by a collective or a butterfly; with
S > 1 lane 0 of each subgroup writes its partial to shared memory, one barrier makes them visible,
and every subgroup merges them again, so that all workers hold the result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from functools import cached_property, partial
from itertools import accumulate

from certile.ir.dtypes import i32, i64
from certile.ir.machine import SharedArray, Value
from certile.ir.tile import REPRODUCIBLE_ACCUMULATORS, REPRODUCIBLE_BLOCK, Reduce
from certile.lower.blocks import Member, fold_block
from certile.lower.combine import (
    balanced,
    in_order,
    lanes_any_order,
    lanes_in_order,
    reproducible_lanes,
    reproducible_subgroups,
)
from certile.lower.coordinates import value_of
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.state import State, StateMachine
from certile.lower.workers import Element, Workers
from certile.plan.mapping import Mapping
from certile.records import record

ElementScope = Callable[[Element], AbstractContextManager[Scope]]


@record(slots=False)
class Partials:
    """The accumulators of several reductions over one domain, as one flat tuple of values.

    Where `block` is more than 1, elements of reductions that make blocks wait until the round has
    given all of its elements: `settle` then merges one state a block.
    """

    machines: Sequence[StateMachine]
    accumulators: int
    lane_elements: int
    block: int = 1
    _waiting: dict[tuple[int, int], list[Member]] = field(default_factory=dict)

    @cached_property
    def _number(self) -> dict[Reduce, int]:
        return {machine.reduction: number for number, machine in enumerate(self.machines)}

    @cached_property
    def _offsets(self) -> list[int]:
        widths = (len(machine.dtypes) * self.accumulators for machine in self.machines)
        return list(accumulate(widths, initial=0))

    def start(self) -> tuple[Value, ...]:
        """Every accumulator at the identity."""
        return tuple(
            value for machine in self.machines for value in machine.identity() * self.accumulators
        )

    @property
    def has_blocks(self) -> bool:
        """Whether some elements wait for others."""
        return self.block > 1 and any(machine.forms is not None for machine in self.machines)

    def add(
        self, node: Reduce, at: Element, values: tuple[Value, ...], carried: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """Merge one element into its accumulator, unless the element does not exist or waits."""
        number = self._number[node]
        machine = self.machines[number]
        if self.block > 1 and machine.forms is not None:
            members = self._waiting.setdefault((number, at.position // self.block), [])
            members.append((values, at.mask))
            return carried
        turn = at.position // self.lane_elements % self.accumulators
        return self._changed(number, turn, carried, lambda s: fold_one(machine, s, at, values))

    def settle(self, carried: tuple[Value, ...]) -> tuple[Value, ...]:
        """Merge the blocks of the elements that wait, each into an accumulator."""
        for (number, block), members in self._waiting.items():
            machine, turn = self.machines[number], block % self.accumulators
            fold = partial(fold_block, machine, members=members)
            carried = self._changed(number, turn, carried, fold)
        self._waiting.clear()
        return carried

    def _changed(
        self,
        number: int,
        turn: int,
        carried: tuple[Value, ...],
        change: Callable[[State], State],
    ) -> tuple[Value, ...]:
        """The accumulators with one of them changed."""
        width = len(self.machines[number].dtypes)
        place = self._offsets[number] + turn * width
        after = change(carried[place : place + width])
        return (*carried[:place], *after, *carried[place + width :])

    def renewed(self, carried: tuple[Value, ...]) -> tuple[Value, ...]:
        """The accumulators of reductions that make blocks at the identity, all others as before."""
        made = list(carried)
        for number, machine in enumerate(self.machines):
            if machine.forms is not None:
                fresh = machine.identity() * self.accumulators
                place = self._offsets[number]
                made[place : place + len(fresh)] = fresh
        return tuple(made)

    def joined(self, before: tuple[Value, ...], run: tuple[Value, ...]) -> tuple[Value, ...]:
        """The accumulators after a run that began with `renewed` ones."""
        made = list(run)
        for number, machine in enumerate(self.machines):
            width, place = len(machine.dtypes), self._offsets[number]
            for k in range(self.accumulators if machine.forms is not None else 0):
                own = slice(place + k * width, place + (k + 1) * width)
                made[own] = machine.merge(before[own], run[own])
        return tuple(made)

    def merged(self, carried: tuple[Value, ...]) -> list[State]:
        """One state of the worker for each reduction."""
        made = []
        for number, machine in enumerate(self.machines):
            width, place = len(machine.dtypes), self._offsets[number]
            states = [
                carried[place + k * width : place + (k + 1) * width]
                for k in range(self.accumulators)
            ]
            made.append(balanced(states, machine.merge))
        return made


def leaf_or_identity(machine: StateMachine, at: Element, values: tuple[Value, ...]) -> State:
    """One element's own state; the identity where the element does not exist."""
    builder = machine.builder
    index = value_of(builder, at.linear) if machine.law.indexed else None
    leaf = machine.lift(values, index)
    return leaf if at.mask is None else builder.select_all(at.mask, leaf, machine.identity())


def fold_one(machine: StateMachine, before: State, at: Element, values: tuple[Value, ...]) -> State:
    """`before` with one more element, or `before` where the element does not exist."""
    builder = machine.builder
    index = value_of(builder, at.linear) if machine.law.indexed else None
    after = machine.merge(before, machine.lift(values, index))
    return after if at.mask is None else builder.select_all(at.mask, after, before)


class Reducer:
    """Finishes reductions of one kernel and allocates the shared memory they need.

    `slot` is the program's number within its group.  `second_fences` are the reductions in loops
    whose scratch needs one more barrier before it is written again.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        workers: Workers,
        mapping: Mapping,
        slot: Value,
        second_fences: Collection[Reduce] = (),
    ) -> None:
        self._evaluator, self._builder = evaluator, evaluator.builder
        self._workers, self._mapping, self._slot = workers, mapping, slot
        self._second_fences = frozenset(second_fences)
        self.shared: list[SharedArray] = []

    def partials(self, machines: Sequence[StateMachine]) -> Partials:
        """The accumulators for reductions that share a loop."""
        mapping = self._mapping
        return Partials(machines, mapping.accumulators, mapping.lane_elements, mapping.block)

    # Shared scratch.

    def _scratch(self, machine: StateMachine, entries: int) -> list[SharedArray]:
        """`entries` states for each program of the group; one array a component."""
        number = len(self.shared)
        made = [
            SharedArray(f"partial{number + k}", dtype, self._mapping.programs_per_group * entries)
            for k, dtype in enumerate(machine.dtypes)
        ]
        self.shared += made
        if machine.reduction in self._second_fences:
            self._builder.barrier()
        return made

    def word(self) -> SharedArray:
        """One word of group memory, for what a program of the group tells all its subgroups."""
        made = SharedArray(f"told{len(self.shared)}", i32, 1)
        self.shared.append(made)
        return made

    def _entry(self, entries: int, entry: Value | int) -> Value:
        base = self._builder.mul(self._slot, entries)
        return self._builder.add(base, entry)

    def _write(self, arrays: list[SharedArray], index: Value, state: State) -> None:
        for array, value in zip(arrays, state, strict=True):
            self._builder.shared_store(array, index, value)

    def _read(self, arrays: list[SharedArray], index: Value) -> State:
        return tuple(self._builder.shared_load(array, index) for array in arrays)

    def _own(self) -> Value:
        return self._builder.convert(self._workers.subgroup, i64)

    # Any order.

    def across(self, machine: StateMachine, state: State) -> None:
        """Merge the workers' states in any order and record the results."""
        builder, count = self._builder, self._mapping.subgroups_per_program
        total = lanes_any_order(builder, machine, state)
        if count > 1:
            arrays = self._scratch(machine, count)
            self._write(arrays, self._entry(count, self._own()), total)
            builder.barrier()
            lane = builder.convert(builder.lane(), i64)
            present = builder.lt(lane, count)
            at = self._entry(count, lane)
            partial = tuple(
                builder.shared_load(array, at, present, empty)
                for array, empty in zip(arrays, machine.identity(), strict=True)
            )
            total = lanes_any_order(builder, machine, partial)
        self._record(machine, total)

    def _record(self, machine: StateMachine, state: State) -> None:
        for k, value in enumerate(machine.finish(state)):
            self._evaluator.results[machine.reduction, k] = value

    # Orders that are fixed.

    def in_its_order(
        self, machine: StateMachine, elements: int, scope: ElementScope, unroll_up_to: int
    ) -> None:
        """An ordered or reproducible reduction over the whole domain."""
        if elements == 0:
            self._record(machine, machine.identity())
        elif machine.reduction.policy == "ordered_tree":
            self._record(machine, self._ordered(machine, elements, scope))
        else:
            self._record(machine, self._reproducible(machine, elements, scope, unroll_up_to))

    def _values(self, machine: StateMachine) -> tuple[Value, ...]:
        return tuple(self._evaluator.value(arg) for arg in machine.reduction.args)

    def _ordered(self, machine: StateMachine, elements: int, scope: ElementScope) -> State:
        """Per chunk a left-to-right tree over the lanes; chunks in order by a balanced tree."""
        builder, workers = self._builder, self._workers
        full, rest = divmod(elements, workers.chunk)

        def chunk(packs: Sequence[Element]) -> State:
            leaves = []
            for at in packs:
                with scope(at):
                    leaves.append(leaf_or_identity(machine, at, self._values(machine)))
            return lanes_in_order(builder, machine, balanced(leaves, machine.merge))

        def whole(index: Value) -> State:
            return chunk(workers.pack(index, 0))

        def last() -> State:
            return chunk(workers.tail(builder.const(full, i64), rest, 0))

        ending = last if rest else None
        if workers.subgroups == 1:
            return in_order(builder, machine, full, whole, ending)
        arrays, entries = self._shared_parts(machine, full, whole, ending)
        return in_order(
            builder, machine, entries, lambda k: self._read(arrays, self._entry(entries, k))
        )

    def _shared_parts(
        self,
        machine: StateMachine,
        full: int,
        whole: Callable[[Value], State],
        last: Callable[[], State] | None,
    ) -> tuple[list[SharedArray], int]:
        """Let each subgroup write its share of `full` parts and of a last one, if there is one.

        Returns the arrays, readable by all, and how many shares they hold: those of a part adjoin.
        """
        builder = self._builder
        entries = (full + (last is not None)) * self._workers.subgroups
        arrays = self._scratch(machine, entries)
        self._each(full, lambda index: self._write(arrays, self._at(entries, index), whole(index)))
        if last is not None:
            self._write(arrays, self._at(entries, builder.const(full, i64)), last())
        builder.barrier()
        return arrays, entries

    def _at(self, entries: int, part: Value) -> Value:
        """The entry of this subgroup's share of a part (a chunk or a block)."""
        builder = self._builder
        within = builder.add(builder.mul(part, self._workers.subgroups), self._own())
        return self._entry(entries, within)

    def _each(self, count: int, action: Callable[[Value], None]) -> None:
        def body(index: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            with self._evaluator.scope({}):
                action(index)
            return ()

        self._builder.for_(0, count, 1, (), body)

    def _reproducible(
        self, machine: StateMachine, elements: int, scope: ElementScope, unroll_up_to: int
    ) -> State:
        """The tree the language fixes by the extent alone (see `combine`)."""
        builder, parts = self._builder, self._workers.subgroups
        full, rest = divmod(elements, REPRODUCIBLE_BLOCK)

        def whole(index: Value) -> State:
            return self._block(machine, scope, index, REPRODUCIBLE_BLOCK, unroll_up_to)

        def last() -> State:
            return self._block(machine, scope, builder.const(full, i64), rest, unroll_up_to)

        ending = last if rest else None
        if parts == 1:
            return in_order(builder, machine, full, whole, ending)
        arrays, entries = self._shared_parts(machine, full, whole, ending)

        def joined(index: Value) -> State:
            base = builder.mul(index, parts)
            states = [
                self._read(arrays, self._entry(entries, builder.add(base, k))) for k in range(parts)
            ]
            return reproducible_subgroups(machine, states)

        return in_order(builder, machine, entries // parts, joined)

    def _block(
        self,
        machine: StateMachine,
        scope: ElementScope,
        number: Value,
        elements: int,
        unroll_up_to: int,
    ) -> State:
        """The subgroup's share of a block of the reproducible tree."""
        builder, workers = self._builder, self._workers
        held = REPRODUCIBLE_ACCUMULATORS // workers.count
        width = len(machine.dtypes)

        def body(packs: Sequence[Element], carried: tuple[Value, ...]) -> tuple[Value, ...]:
            for at in packs:
                place = at.position * width
                with scope(at):
                    values = self._values(machine)
                    after = fold_one(machine, carried[place : place + width], at, values)
                carried = (*carried[:place], *after, *carried[place + width :])
            return carried

        first = builder.mul(number, REPRODUCIBLE_BLOCK // workers.count)
        start = machine.identity() * held
        flat = workers.sweep(
            elements, held, start, body, first_chunk=first, unroll_up_to=unroll_up_to
        )
        states = [flat[k * width : (k + 1) * width] for k in range(held)]
        return reproducible_lanes(builder, machine, states, workers.subgroups)
