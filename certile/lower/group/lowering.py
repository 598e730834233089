"""Programs of one group: steps over all threads, and a subgroup a result of a reduction.

In: a plan whose mapping is of the family `group`, and the steps of its program.  Out: a Machine IR
kernel.  Of T threads, thread t owns the elements e = T * chunk + t of a step; subgroup s of S
makes the results batch * S + s of a reduction, its lanes taking the elements chunk * L + lane, and
its first lane publishes what all lanes have found.  So a collective is entered by all lanes of a
subgroup or by none.  Fences stand where the steps say; all that is kept lies in group memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import prod

from certile.analysis.layout import ORDERED_TREES
from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, i64
from certile.ir.groups import GroupProgram, GroupStep, Key, Staged
from certile.ir.host import ViewFacts
from certile.ir.machine import PrivateArray, Value
from certile.ir.node import Node
from certile.ir.program import Launch
from certile.ir.tile import Carried, Load, Memory, Serial, Store, Tile
from certile.ir.types import Axis
from certile.lower.combine import lanes_any_order
from certile.lower.coordinates import Coordinate, unflatten, value_of
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.group.memory import GroupMemory
from certile.lower.interface import Interface
from certile.lower.loops import walk
from certile.lower.narrow import builder_of, most_programs
from certile.lower.reductions import Partials, Reducer
from certile.lower.reference.folds import Folds
from certile.lower.state import State, StateMachine
from certile.lower.workers import Element, Workers
from certile.plan.mapping import Mapping as ExecutionMapping
from certile.plan.record import GroupPlan

# How a subgroup that makes a result by itself is described to those who serve whole programs.
_ONE_SUBGROUP = ExecutionMapping("subgroup")


class GroupLowering:
    """Lowers one program of a group."""

    def __init__(self, plan: GroupPlan, program: GroupProgram, mapping: ExecutionMapping) -> None:
        self._plan, self._program, self._mapping = plan, program, mapping
        self.builder = builder_of(plan, mapping.subgroups_per_program, 1)

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> Launch:
        """The launch; `facts` says what is known of each view's layout."""
        builder, parallel = self.builder, self._program.parallel
        interface = Interface(
            self._program.kernel, parallel, facts, builder, most_programs=most_programs(self._plan)
        )
        self._evaluator = Evaluator(interface, self._plan.sheet, self._special)
        self._memory = GroupMemory(self._evaluator, self._program.places)
        self._lanes = Workers(builder, 1, 1, builder.const(0, i64))
        program = Coordinate(builder.group(), exists=True)
        coordinates = unflatten(
            builder, program, parallel.over, lambda axis: interface.extent(axis.extent)
        )
        with self._evaluator.scope(coordinates):
            self._steps(self._program.steps)
        return interface.launch(name, 1, self._memory.shared)

    def _steps(self, steps: Sequence[GroupStep]) -> None:
        for step in steps:
            if step.fence:
                self.builder.barrier()
            match step.kind:
                case "advance":
                    self._advance(step)
                case "assign":
                    self._assign(step)
                case "evaluate":
                    self._evaluate(step)
                case "reduce":
                    (self._together if step.collective else self._alone)(step)
                case "serial":
                    self._serial(step)
                case "store":
                    self._store(step)

    # Elements: thread t of T owns those that are t modulo T.

    def _first(self) -> Value:
        """The number of the subgroup's first thread."""
        builder = self.builder
        return builder.mul(builder.convert(builder.subgroup(), i64), builder.lanes)

    def _each(
        self,
        axes: tuple[Axis, ...],
        read: Iterable[Node],
        action: Callable[[], None],
        making: Collection[Key] = (),
    ) -> None:
        """Run `action` at every element of a domain, each in the thread that owns it.

        What is `read`, or what that is made of which is `making`, is computed before where it does
        not depend on the element.
        """
        builder, threads = self.builder, self._mapping.group_threads
        full, rest = divmod(prod(axis.static for axis in axes), threads)
        self._hoist(read, axes, making)

        def chunk(index: Value, working: int) -> None:
            own = Coordinate(self._first(), 1)
            linear = Coordinate(builder.add(builder.mul(index, threads), own.base), own.step)
            mask = builder.lt(value_of(builder, own), working)
            at = unflatten(builder, linear, axes)
            with self._evaluator.scope(at, mask, axes, value_of(builder, linear)):
                action()

        def whole(index: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            chunk(index, threads)
            return ()

        builder.for_(0, full, 1, (), whole)
        if rest:
            chunk(builder.const(full, i64), rest)

    def _hoist(
        self, read: Iterable[Node], axes: tuple[Axis, ...], making: Collection[Key] = ()
    ) -> None:
        nodes = [node for node in read if node in making or not self._memory.holds(node)]
        self._evaluator.hoist(nodes, axes, self._memory.holds)

    def _assign(self, step: GroupStep) -> None:
        """Give targets their elements; all values of an element are made before any is kept."""

        def action() -> None:
            values = [self._value(step, value) for value in step.values]
            for target, value in zip(step.targets, values, strict=True):
                self._memory.keep(target, 0, step.axes, value)

        making = [value for value in step.values if step.makes(value)]
        self._each(step.axes, step.values, action, making)

    def _advance(self, step: GroupStep) -> None:
        """Let carried tiles become what was staged for them."""

        def action() -> None:
            for target in step.targets:
                assert isinstance(target, Carried)
                staged = self._memory.element(Staged(target), 0, step.axes)
                self._memory.keep(target, 0, step.axes, staged)

        self._each(step.axes, (), action)

    def _value(self, step: GroupStep, value: Tile) -> Value:
        """A value; one that is about to be kept is computed, or read for a snapshot."""
        if step.effect is not value:
            made = step.makes(value)
            return self._evaluator.compute(value) if made else self._evaluator.value(value)
        assert isinstance(value, Load)
        memory = isinstance(value.buffer, Memory)
        return self._memory.load(value) if memory else self._evaluator.load(value)

    def _evaluate(self, step: GroupStep) -> None:
        for value in step.values:
            self._evaluator.at.memo[value] = self._value(step, value)

    def _store(self, step: GroupStep) -> None:
        store, evaluator = step.effect, self._evaluator
        if not isinstance(store, Store):
            raise InternalError("M020", "a store step without its store")

        def write() -> None:
            if isinstance(store.buffer, Memory):
                self._memory.store(store)
            else:
                evaluator.store(store)

        def once() -> None:
            with evaluator.scope({}):
                write()

        if step.axes:
            self._each(step.axes, [store], write)
            return
        self._hoist([store], ())
        self.builder.if_(self.builder.eq(self.builder.subgroup(), 0), once)

    # Reductions.

    def _together(self, step: GroupStep) -> None:
        """A subgroup makes a result: batches of as many results as there are subgroups."""
        builder, subgroups = self.builder, self._mapping.subgroups_per_program

        def batch(index: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            own = builder.convert(builder.subgroup(), i64)
            output = builder.add(builder.mul(index, subgroups), own)
            guard = builder.lt(output, step.elements)
            builder.if_(guard, partial(self._output, step, output))
            return ()

        builder.for_(0, -(-step.elements // subgroups), 1, (), batch)

    def _output(self, step: GroupStep, output: Value) -> None:
        evaluator = self._evaluator
        with evaluator.scope(unflatten(self.builder, Coordinate(output, exists=True), step.axes)):
            self._hoist(step.reductions, step.inner, step.reductions)
            machines = [StateMachine(evaluator, node) for node in step.reductions]
            if machines[0].reduction.policy in ORDERED_TREES:
                made = [self._in_its_order(machine) for machine in machines]
            else:
                made = self._in_any_order(step, machines)
            for machine, results in zip(machines, made, strict=True):
                for part, value in enumerate(results):
                    self._memory.publish(machine.reduction, part, output, value)

    def _in_any_order(self, step: GroupStep, machines: Sequence[StateMachine]) -> list[State]:
        """The results of reductions of one domain, whose elements a subgroup visits once."""
        evaluator, builder = self._evaluator, self.builder
        partials = Partials(machines, 1, 1)

        def body(elements: Sequence[Element], carried: tuple[Value, ...]) -> tuple[Value, ...]:
            for at in elements:
                with evaluator.scope(unflatten(builder, at.linear, step.inner), at.mask):
                    for node in step.reductions:
                        values = tuple(evaluator.value(arg) for arg in node.args)
                        carried = partials.add(node, at, values, carried)
            return carried

        leaves, unroll = step.reductions[0].leaves, self._mapping.unroll
        states = partials.merged(self._lanes.sweep(leaves, unroll, partials.start(), body))
        return [
            machine.finish(lanes_any_order(builder, machine, state))
            for machine, state in zip(machines, states, strict=True)
        ]

    def _in_its_order(self, machine: StateMachine) -> State:
        """The results of a reduction whose tree the language fixes."""
        evaluator, node = self._evaluator, machine.reduction
        reducer = Reducer(evaluator, self._lanes, _ONE_SUBGROUP, self.builder.const(0, i64))

        def scope(at: Element) -> AbstractContextManager[Scope]:
            return evaluator.scope(unflatten(self.builder, at.linear, node.over), at.mask)

        reducer.in_its_order(machine, node.leaves, scope, 0)
        return evaluator.taken(node)

    def _alone(self, step: GroupStep) -> None:
        """A thread makes a result, in the order of the policy."""

        def action() -> None:
            for node in step.reductions:
                machine = StateMachine(self._evaluator, node)
                machine.start()  # computed outside of what the leaves need
                self._hoist([node], node.over, [node])
                results = Folds(self._evaluator, machine, self._allocate).results()
                for part, value in enumerate(results):
                    self._memory.keep(node, part, step.axes, value)

        args = [arg for node in step.reductions for arg in node.operands()]
        self._each(step.axes, args, action)

    def _allocate(self, dtype: DType, slots: int) -> PrivateArray:
        return self._evaluator.interface.array("tree", dtype, slots)

    # Loops.

    def _serial(self, step: GroupStep) -> None:
        loop, evaluator = step.effect, self._evaluator
        if not isinstance(loop, Serial):
            raise InternalError("M020", "a serial step without its loop")
        inits = [evaluator.value(value) for value in step.values]
        walk(evaluator, loop, inits, partial(self._steps, step.body))

    def _special(self, node: Tile) -> Value | None:
        """What is kept in group memory."""
        found = self._memory.read(node, node.axes)
        if found is None and isinstance(node, Carried):
            raise InternalError("M020", "a carried value outside its loop", loc=node.loc)
        return found
