"""Programs of one group: phases over all threads, and a subgroup a result of a reduction.

In: a plan whose mapping is of the family `group`, and the phases of its program.  Out: a Machine IR
kernel.  Of T threads, thread t owns the elements e = T * chunk + t of a phase; subgroup s of S
makes the results batch * S + s of a reduction, its lanes taking the elements chunk * L + lane, and
its first lane publishes what all lanes have found.  So a collective is entered by all lanes of a
subgroup or by none.  Fences stand where the phases say; all that is kept lies in group memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from math import prod

from certile.analysis.layout import ORDERED_TREES
from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, i64
from certile.ir.groups import GroupProgram, Key, Phase, Staged
from certile.ir.host import ViewFacts
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine_build import Builder
from certile.ir.node import Node
from certile.ir.program import Launch
from certile.ir.tile import Carried, Load, Memory, Serial, Store, Tile
from certile.ir.types import Axis
from certile.lower.combine import lanes_any_order
from certile.lower.coordinates import Coordinate, unflatten, value_of
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.folds import Folds
from certile.lower.group_memory import GroupMemory
from certile.lower.interface import Interface
from certile.lower.reductions import Partials, Reducer
from certile.lower.state import State, StateMachine
from certile.lower.workers import Element, Workers
from certile.plan.record import GroupPlan
from certile.plan.record import Mapping as ExecutionMapping

# How a subgroup that makes a result by itself is described to those who serve whole programs.
_ONE_SUBGROUP = ExecutionMapping("subgroup")


class GroupLowering:
    """Lowers one program of a group."""

    def __init__(self, plan: GroupPlan, program: GroupProgram, mapping: ExecutionMapping) -> None:
        self._plan, self._program, self._mapping = plan, program, mapping
        self.builder = Builder(plan.sheet.lanes, mapping.subgroups_per_program)

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> Launch:
        """The launch; `facts` says what is known of each view's layout."""
        builder, parallel = self.builder, self._program.parallel
        interface = Interface(self._program.kernel, parallel, facts, builder)
        self._evaluator = Evaluator(interface, self._plan.sheet, self._special)
        self._memory = GroupMemory(self._evaluator, self._program.places)
        self._lanes = Workers(builder, 1, 1, builder.const(0, i64))
        program = Coordinate(builder.group())
        coordinates = unflatten(
            builder, program, parallel.over, lambda axis: interface.extent(axis.extent)
        )
        with self._evaluator.scope(coordinates):
            self._phases(self._program.phases)
        return interface.launch(name, 1, self._memory.shared)

    def _phases(self, phases: Sequence[Phase]) -> None:
        for phase in phases:
            if phase.fence:
                self.builder.barrier()
            match phase.kind:
                case "advance":
                    self._advance(phase)
                case "assign":
                    self._assign(phase)
                case "evaluate":
                    self._evaluate(phase)
                case "reduce":
                    (self._together if phase.collective else self._alone)(phase)
                case "serial":
                    self._serial(phase)
                case "store":
                    self._store(phase)

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

    def _assign(self, phase: Phase) -> None:
        """Give targets their elements; all values of an element are made before any is kept."""

        def action() -> None:
            values = [self._value(phase, value) for value in phase.values]
            for target, value in zip(phase.targets, values, strict=True):
                self._memory.keep(target, 0, phase.axes, value)

        making = [value for value in phase.values if phase.makes(value)]
        self._each(phase.axes, phase.values, action, making)

    def _advance(self, phase: Phase) -> None:
        """Let carried tiles become what was staged for them."""

        def action() -> None:
            for target in phase.targets:
                assert isinstance(target, Carried)
                staged = self._memory.element(Staged(target), 0, phase.axes)
                self._memory.keep(target, 0, phase.axes, staged)

        self._each(phase.axes, (), action)

    def _value(self, phase: Phase, value: Tile) -> Value:
        """A value; one that is about to be kept is computed, or read for a snapshot."""
        if phase.effect is not value:
            made = phase.makes(value)
            return self._evaluator.compute(value) if made else self._evaluator.value(value)
        assert isinstance(value, Load)
        memory = isinstance(value.buffer, Memory)
        return self._memory.load(value) if memory else self._evaluator.load(value)

    def _evaluate(self, phase: Phase) -> None:
        for value in phase.values:
            self._evaluator.at.memo[value] = self._value(phase, value)

    def _store(self, phase: Phase) -> None:
        store, evaluator = phase.effect, self._evaluator
        if not isinstance(store, Store):
            raise InternalError("M020", "a store phase without its store")

        def write() -> None:
            if isinstance(store.buffer, Memory):
                self._memory.store(store)
            else:
                evaluator.store(store)

        def once() -> None:
            with evaluator.scope({}):
                write()

        if phase.axes:
            self._each(phase.axes, [store], write)
            return
        self._hoist([store], ())
        self.builder.if_(self.builder.eq(self.builder.subgroup(), 0), once)

    # Reductions.

    def _together(self, phase: Phase) -> None:
        """A subgroup makes a result: batches of as many results as there are subgroups."""
        builder, subgroups = self.builder, self._mapping.subgroups_per_program

        def batch(index: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            own = builder.convert(builder.subgroup(), i64)
            output = builder.add(builder.mul(index, subgroups), own)
            guard = builder.lt(output, phase.elements)
            builder.if_(guard, partial(self._output, phase, output))
            return ()

        builder.for_(0, -(-phase.elements // subgroups), 1, (), batch)

    def _output(self, phase: Phase, output: Value) -> None:
        evaluator = self._evaluator
        with evaluator.scope(unflatten(self.builder, Coordinate(output), phase.axes)):
            self._hoist(phase.reductions, phase.inner, phase.reductions)
            machines = [StateMachine(evaluator, node) for node in phase.reductions]
            if machines[0].reduction.policy in ORDERED_TREES:
                made = [self._in_its_order(machine) for machine in machines]
            else:
                made = self._in_any_order(phase, machines)
            for machine, results in zip(machines, made, strict=True):
                for part, value in enumerate(results):
                    self._memory.publish(machine.reduction, part, output, value)

    def _in_any_order(self, phase: Phase, machines: Sequence[StateMachine]) -> list[State]:
        """The results of reductions of one domain, whose elements a subgroup visits once."""
        evaluator, builder = self._evaluator, self.builder
        partials = Partials(machines, 1, 1)

        def body(elements: Sequence[Element], carried: tuple[Value, ...]) -> tuple[Value, ...]:
            for at in elements:
                with evaluator.scope(unflatten(builder, at.linear, phase.inner), at.mask):
                    for node in phase.reductions:
                        values = tuple(evaluator.value(arg) for arg in node.args)
                        carried = partials.add(node, at, values, carried)
            return carried

        leaves, unroll = phase.reductions[0].leaves, self._mapping.unroll
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

    def _alone(self, phase: Phase) -> None:
        """A thread makes a result, in the order of the policy."""

        def action() -> None:
            for node in phase.reductions:
                machine = StateMachine(self._evaluator, node)
                machine.start()  # computed outside of what the leaves need
                self._hoist([node], node.over, [node])
                results = Folds(self._evaluator, machine, self._allocate).results()
                for part, value in enumerate(results):
                    self._memory.keep(node, part, phase.axes, value)

        args = [arg for node in phase.reductions for arg in node.operands()]
        self._each(phase.axes, args, action)

    def _allocate(self, dtype: DType, slots: int) -> PrivateArray:
        return self._evaluator.interface.array("tree", dtype, slots)

    # Loops.

    def _serial(self, phase: Phase) -> None:
        loop, evaluator = phase.effect, self._evaluator
        if not isinstance(loop, Serial):
            raise InternalError("M020", "a serial phase without its loop")
        scalars = [k for k, param in enumerate(loop.params) if not param.axes]
        inits = [evaluator.value(value) for value in phase.values]

        def body(index: Value, params: tuple[Value, ...]) -> Sequence[Value]:
            with evaluator.scope({loop.axis: Coordinate(index)}) as scope:
                scope.memo.update({loop.params[k]: v for k, v in zip(scalars, params, strict=True)})
                self._phases(phase.body)
                return [evaluator.value(loop.yields[k]) for k in scalars]

        results = self.builder.for_(0, loop.axis.static, loop.step, inits, body)
        evaluator.results.update({(loop, k): v for k, v in zip(scalars, results, strict=True)})

    def _special(self, node: Tile) -> Value | None:
        """What is kept in group memory."""
        found = self._memory.read(node, node.axes)
        if found is None and isinstance(node, Carried):
            raise InternalError("M020", "a carried value outside its loop", loc=node.loc)
        return found
