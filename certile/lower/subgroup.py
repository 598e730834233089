"""The subgroup family: S subgroups cooperate on a program, Q programs share a group.

In: a plan whose mapping is of this family, and its row program.  Out: a Machine IR kernel.  Follows
the steps of the row program: neighbours over one element domain share a loop, reductions end in the
tree of their policy, kept tiles become worker stripes.  Decides nothing about ownership: `workers`
does, from the mapping.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

from certile.diagnostics import InternalError
from certile.ir.dtypes import i64
from certile.ir.host import ViewFacts
from certile.ir.machine import MachineKernel, PrivateArray, Value
from certile.ir.machine_build import Builder
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Carried, Effect, Load, Memory, Reduce, Serial, Store, Tile
from certile.ir.types import Axis
from certile.lower.coordinates import Coordinate, unflatten
from certile.lower.dependence import fused, independent_of, needs_precise_math
from certile.lower.evaluate import Evaluator, Scope, native_functions
from certile.lower.interface import Interface
from certile.lower.reductions import Partials, Reducer
from certile.lower.state import StateMachine
from certile.lower.workers import Element, Workers
from certile.plan.record import GroupPlan
from certile.plan.record import Mapping as ExecutionMapping

# A domain of at most this many chunks is written out on a CPU, where slots that are constants
# become vector registers (32 of them on AVX-512, half left to the expressions).
UNROLLED_CHUNKS = 16


class SubgroupLowering:
    """Lowers one row program under one mapping of the subgroup family."""

    def __init__(self, plan: GroupPlan, rows: RowProgram, mapping: ExecutionMapping) -> None:
        self._plan, self._rows, self._mapping = plan, rows, mapping
        self._cpu = plan.sheet.kind == "cpu"
        share = mapping.subgroups_per_program * mapping.programs_per_group
        self.builder = Builder(plan.sheet.lanes, share)
        self._stripes: dict[Tile | Memory, tuple[PrivateArray, tuple[Axis, ...]]] = {}
        self._active: Value | None = None
        self._loops = 0

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> tuple[MachineKernel, Interface]:
        """The kernel, and the interface that says what its scalars are."""
        kernel, parallel = self._rows.kernel, self._rows.parallel
        builder, mapping = self.builder, self._mapping
        interface = Interface(kernel, parallel, facts, builder)
        native = native_functions(self._plan.sheet, kernel.math)
        self._evaluator = Evaluator(
            builder, interface, native, self._special, portable=kernel.math == "portable"
        )
        self._place(interface)
        body = MachineKernel(
            name=name,
            lanes=builder.lanes,
            subgroups=builder.subgroups,
            programs_per_group=mapping.programs_per_group,
            buffers=interface.buffers,
            scalars=interface.scalars,
            arrays=tuple(array for array, _ in self._stripes.values()),
            shared=tuple(self._reducer.shared),
            body=builder.block(),
            precise_math=needs_precise_math(kernel, parallel),
            math=kernel.math,
        )
        return body, interface

    def _place(self, interface: Interface) -> None:
        """Find the program a subgroup works on, and guard the group that is not full."""
        builder, mapping = self.builder, self._mapping
        cooperating, packed = mapping.subgroups_per_program, mapping.programs_per_group
        number = builder.subgroup()
        within = builder.mod(number, cooperating)
        slot = builder.convert(builder.floordiv(number, cooperating), i64)
        self._workers = Workers(builder, cooperating, mapping.lane_elements, within)
        self._reducer = Reducer(
            self._evaluator, self._workers, mapping, slot, self._plan.second_fences
        )
        program = builder.add(builder.mul(builder.group(), packed), slot)
        over = self._rows.parallel.over
        if packed == 1:
            self._program(interface, program)
            return
        programs = interface.programs(over)
        inside = builder.lt(program, programs)
        if cooperating == 1:
            builder.if_(inside, lambda: self._program(interface, program))
            return
        # Barriers must stay uniform: a slot without a program replays the last and stores nothing.
        self._active = inside
        last = builder.sub(programs, 1)
        self._program(interface, builder.minimum(program, last))

    def _program(self, interface: Interface, program: Value) -> None:
        over = self._rows.parallel.over
        coordinates = unflatten(
            self.builder, Coordinate(program), over, lambda axis: interface.extent(axis.extent)
        )
        with self._evaluator.scope(coordinates):
            self._steps(self._rows.steps)

    # Steps.

    def _steps(self, steps: Sequence[Step]) -> None:
        for group in fused(steps):
            head = group[0]
            if head.kind == "serial":
                self._serial(head)
            elif head.kind in ("load", "gather"):
                if not head.axes and isinstance(head.node, Tile):
                    self._evaluator.value(head.node)
            elif head.axes:
                self._sweep(group)
            else:
                self._scalar(head)

    def _scalar(self, step: Step) -> None:
        """A store of one element: the first worker of the program makes it."""
        store = step.node
        if not isinstance(store, Store):
            raise InternalError("M020", f"a scalar step of kind {step.kind}", loc=step.node.loc)
        evaluator, builder = self._evaluator, self.builder
        self._hoist([store], ())
        first = None
        if self._mapping.subgroups_per_program > 1:
            first = builder.eq(self._workers.subgroup, 0)
        condition = builder.and_(first, self._active)
        if condition is None:
            evaluator.store(store)
            return

        def write() -> None:
            with evaluator.scope({}):
                evaluator.store(store)

        builder.if_(condition, write)

    def _serial(self, step: Step) -> None:
        loop = step.node
        if not isinstance(loop, Serial):
            raise InternalError("M020", "a serial step without a loop", loc=step.node.loc)
        evaluator = self._evaluator
        inits = [evaluator.value(init) for init in loop.inits]

        def body(index: Value, params: tuple[Value, ...]) -> Sequence[Value]:
            with evaluator.scope({loop.axis: Coordinate(index)}) as scope:
                scope.memo.update(zip(loop.params, params, strict=True))
                self._steps(step.body)
                return [evaluator.value(after) for after in loop.yields]

        results = self.builder.for_(0, loop.axis.static, loop.step, inits, body)
        evaluator.results.update({(loop, k): value for k, value in enumerate(results)})

    def _hoist(self, nodes: Sequence[Tile | Effect], axes: tuple[Axis, ...]) -> None:
        """Evaluate once, before a loop over `axes`, what does not depend on them."""
        for node in independent_of(nodes, axes, self._evaluator.at.coordinates):
            self._evaluator.value(node)

    # Element domains.

    def _element_scope(self, axes: tuple[Axis, ...], at: Element) -> AbstractContextManager[Scope]:
        def extent(axis: Axis) -> Value:
            return self.builder.const(axis.static, i64)

        coordinates = unflatten(self.builder, at.linear, axes, extent)
        return self._evaluator.scope(coordinates, at.mask, axes, at.slot)

    def _sweep(self, group: Sequence[Step]) -> None:
        """One loop over an element domain for all steps of the group."""
        axes, count = group[0].axes, group[0].elements
        self._hoist([step.node for step in group], axes)
        for step in group:
            self._declare(step, count)
        reduces = [step.node for step in group if isinstance(step.node, Reduce)]
        machines = [StateMachine(self._evaluator, node, count) for node in reduces]
        if machines and machines[0].reduce.policy in ("ordered_tree", "reproducible"):
            self._reducer.in_its_order(
                machines[0], count, lambda at: self._element_scope(axes, at), self._unrolled
            )
            return

        partial = self._reducer.partials(machines)

        def body(elements: Sequence[Element], carried: tuple[Value, ...]) -> tuple[Value, ...]:
            for at in elements:
                with self._element_scope(axes, at):
                    for step in group:
                        carried = self._element(step, at, partial, carried)
            return carried

        width = self._mapping.accumulators * self._mapping.unroll
        carried = self._workers.sweep(
            count, width, partial.start(), body, unroll_up_to=self._unrolled
        )
        for machine, state in zip(machines, partial.merged(carried), strict=True):
            self._reducer.across(machine, state)

    @property
    def _unrolled(self) -> int:
        return UNROLLED_CHUNKS if self._cpu else 0

    def _declare(self, step: Step, count: int) -> None:
        """Allocate the stripe of a kept tile or of a memory placed on workers."""
        node = step.node
        target: Tile | Memory | None = None
        if step.kind == "materialize" and isinstance(node, Tile):
            target = node
        elif isinstance(node, Store) and isinstance(node.buffer, Memory):
            target = node.buffer
        if target is None or target in self._stripes:
            return
        full, rest = divmod(count, self._workers.chunk)
        width = self._mapping.lane_elements
        slots = full * width + min(rest, width)
        name = f"stripe{len(self._stripes)}"
        self._stripes[target] = (PrivateArray(name, target.dtype, slots), step.axes)

    def _element(
        self, step: Step, at: Element, partial: Partials, carried: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """One step at one element; returns the carried accumulators."""
        node, evaluator = step.node, self._evaluator
        if isinstance(node, Reduce):
            values = tuple(evaluator.value(arg) for arg in node.args)
            return partial.add(node, at, values, carried)
        if isinstance(node, Store):
            self._store(node, at)
        elif isinstance(node, Tile):
            array, _ = self._stripes[node]
            value = self._kept(node)
            self.builder.array_store(array, at.slot, value)
            evaluator.at.memo[node] = value
        return carried

    def _kept(self, node: Tile) -> Value:
        """The value of a tile that is about to be kept: computed, not read from its stripe."""
        slot = self._evaluator.at.slot
        if isinstance(node, Load) and isinstance(node.buffer, Memory) and slot is not None:
            array, _ = self._stripes[node.buffer]
            return self.builder.array_load(array, slot)
        return self._evaluator.compute(node)

    def _store(self, node: Store, at: Element) -> None:
        if isinstance(node.buffer, Memory):
            array, _ = self._stripes[node.buffer]
            self.builder.array_store(array, at.slot, self._evaluator.value(node.value))
            return
        self._evaluator.store(node, self._active, streaming=self._mapping.streaming)

    def _special(self, node: Tile) -> Value | None:
        """What this map keeps: results of reductions, stripes, memories."""
        if isinstance(node, Reduce):
            return self._evaluator.results[node, 0]
        key: Tile | Memory = node
        if key not in self._stripes and isinstance(node, Load) and isinstance(node.buffer, Memory):
            key = node.buffer
        if key not in self._stripes:
            if isinstance(node, Carried):
                raise InternalError("M020", "a carried value outside its loop", loc=node.loc)
            return None
        array, axes = self._stripes[key]
        scope = self._evaluator.at
        if scope.domain == axes and scope.slot is not None:
            return self.builder.array_load(array, scope.slot)
        if isinstance(node, Load) and not isinstance(key, Memory):
            return None  # a cached input read elsewhere is read from its immutable view
        raise InternalError("M021", "a kept tile is read at an element its worker may not own")
