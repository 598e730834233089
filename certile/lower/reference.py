"""The reference map: one program a lane, every loop serial, order kept as written.

In: a launch of Tile IR, admitted or not.  Out: a Machine IR kernel.  It serves what the subgroup
family declines: folds, element-wise programs without an element domain, reductions with kept axes,
reads of derived rows at other elements.  Values vary between lanes because programs do; loops are
uniform.  Tiles are recomputed where they are read; only what later stores would change, and what a
loop carries, is kept in private arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod

from certile.diagnostics import InternalError, UnsupportedError
from certile.ir.dtypes import DType, i64
from certile.ir.host import ViewFacts
from certile.ir.machine import MachineKernel, PrivateArray, Value
from certile.ir.machine_build import Builder
from certile.ir.tile import (
    Carried,
    Effect,
    Kernel,
    Load,
    Memory,
    Parallel,
    Reduce,
    Result,
    Serial,
    Store,
    Tile,
    effects,
)
from certile.ir.types import Axis
from certile.lower.coordinates import Coordinate, unflatten, value_of
from certile.lower.dependence import independent_of, needs_precise_math
from certile.lower.evaluate import Evaluator, native_functions
from certile.lower.folds import Folds
from certile.lower.interface import Interface
from certile.lower.state import StateMachine
from certile.targets.sheet import Sheet


class ReferenceLowering:
    """Lowers one top-level parallel with a program in every lane."""

    def __init__(self, kernel: Kernel, parallel: Parallel, sheet: Sheet) -> None:
        self._kernel, self._parallel, self._sheet = kernel, parallel, sheet
        self.builder = Builder(sheet.lanes, 1)
        self._arrays: dict[Tile | Memory, PrivateArray] = {}
        self._made: list[PrivateArray] = []
        self._stored = {e.buffer for e in effects((parallel,)) if isinstance(e, Store)}

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> tuple[MachineKernel, Interface]:
        """The kernel, and the interface that says what its scalars are."""
        builder = self.builder
        interface = Interface(self._kernel, self._parallel, facts, builder)
        native = native_functions(self._sheet, self._kernel.math)
        self._evaluator = Evaluator(
            builder, interface, native, self._special, portable=self._kernel.math == "portable"
        )
        first = builder.mul(builder.group(), builder.lanes)
        over = self._parallel.over
        program = Coordinate(first, 1)
        coordinates = unflatten(builder, program, over, lambda axis: interface.extent(axis.extent))
        lane = builder.convert(builder.lane(), i64)
        active = builder.lt(builder.add(first, lane), interface.programs(over))
        with self._evaluator.scope(coordinates, active):
            self._body(self._parallel.body)
        made = MachineKernel(
            name=name,
            lanes=builder.lanes,
            subgroups=1,
            programs_per_group=builder.lanes,
            buffers=interface.buffers,
            scalars=interface.scalars,
            arrays=tuple(self._made),
            shared=(),
            body=builder.block(),
            precise_math=needs_precise_math(self._kernel, self._parallel),
            math=self._kernel.math,
        )
        return made, interface

    # Effects, in program order.

    def _body(self, body: Sequence[Effect]) -> None:
        for step in body:
            match step:
                case Load():
                    self._load(step)
                case Store():
                    self._store(step)
                case Serial():
                    self._serial(step)
                case Parallel():
                    self._each(step.over, partial(self._body, step.body))
                case _:
                    raise InternalError("M020", f"no lowering for {step.mnemonic}", loc=step.loc)

    def _load(self, load: Load) -> None:
        """Take the snapshot now if a store of this program could change it; else read lazily."""
        if load.buffer not in self._stored and not isinstance(load.buffer, Memory):
            return
        if not load.axes:
            self._evaluator.at.memo[load] = self._read(load)
            return
        array = self._array(load, load.axes)
        self._keep(array, load.axes, lambda: self._read(load))

    def _read(self, load: Load) -> Value:
        if isinstance(load.buffer, Memory):
            array = self._array(load.buffer, load.buffer.axes)
            at = self._flat(load, [self._evaluator.value(index) for index in load.indices])
            return self.builder.array_load(array, at)
        return self._evaluator.load(load)

    def _flat(self, access: Load | Store, indices: Sequence[Value]) -> Value:
        """The slot of an access to a memory: row-major, the same in every lane."""
        memory = access.buffer
        at = self.builder.const(0, i64)
        for axis, index in zip(
            memory.axes if isinstance(memory, Memory) else (), indices, strict=True
        ):
            if index.varying:
                raise UnsupportedError(
                    "U021", "a memory is indexed by a value that depends on data", loc=access.loc
                )
            at = self.builder.add(self.builder.mul(at, axis.static), index)
        return at

    def _array(self, key: Tile | Memory, axes: tuple[Axis, ...]) -> PrivateArray:
        if key not in self._arrays:
            self._arrays[key] = self._allocate(key.dtype, prod(axis.static for axis in axes))
        return self._arrays[key]

    def _allocate(self, dtype: DType, slots: int) -> PrivateArray:
        made = PrivateArray(f"kept{len(self._made)}", dtype, max(1, slots))
        self._made.append(made)
        return made

    def _keep(
        self, array: PrivateArray, axes: tuple[Axis, ...], value: Callable[[], Value]
    ) -> None:
        """Evaluate a value at every element of `axes` into a private array."""
        self._each(axes, lambda: self.builder.array_store(array, self._slot(axes), value()))

    def _slot(self, axes: tuple[Axis, ...]) -> Value:
        """The row-major position of the element in scope; it varies where a coordinate does."""
        at = self.builder.const(0, i64)
        for axis in axes:
            here = value_of(self.builder, self._evaluator.at.coordinates[axis])
            at = self.builder.add(self.builder.mul(at, axis.static), here)
        return at

    def _each(self, axes: tuple[Axis, ...], action: Callable[[], None]) -> None:
        """Run `action` for every element of the axes, outermost first, coordinates uniform."""
        if not axes:
            with self._evaluator.scope({}):
                action()
            return

        def body(index: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            with self._evaluator.scope({axes[0]: Coordinate(index)}):
                self._each(axes[1:], action)
            return ()

        self.builder.for_(0, axes[0].static, 1, (), body)

    def _hoist(self, nodes: Sequence[Tile | Effect], axes: tuple[Axis, ...]) -> None:
        """Evaluate once, before a loop over `axes`, what does not depend on them."""
        for node in independent_of(nodes, axes, self._evaluator.at.coordinates):
            self._evaluator.value(node)

    def _store(self, store: Store) -> None:
        self._hoist([store], store.axes)

        def write() -> None:
            evaluator = self._evaluator
            if not isinstance(store.buffer, Memory):
                evaluator.store(store)
                return
            array = self._array(store.buffer, store.buffer.axes)
            at = self._flat(store, [evaluator.value(index) for index in store.indices])
            self.builder.array_store(array, at, evaluator.value(store.value))

        self._each(store.axes, write)

    # Serial loops.

    def _serial(self, loop: Serial) -> None:
        evaluator = self._evaluator
        tiles = [k for k, param in enumerate(loop.params) if param.axes]
        scalars = [k for k, param in enumerate(loop.params) if not param.axes]
        for k in tiles:
            self._compute_into(self._array(loop.params[k], loop.params[k].axes), loop.inits[k])
        inits = [evaluator.value(loop.inits[k]) for k in scalars]

        def body(index: Value, params: tuple[Value, ...]) -> Sequence[Value]:
            with evaluator.scope({loop.axis: Coordinate(index)}) as scope:
                scope.memo.update({loop.params[k]: v for k, v in zip(scalars, params, strict=True)})
                self._body(loop.body)
                after = [evaluator.value(loop.yields[k]) for k in scalars]
                self._advance([(loop.params[k], loop.yields[k]) for k in tiles])
            return after

        results = self.builder.for_(0, loop.axis.static, loop.step, inits, body, varying=True)
        evaluator.results.update({(loop, k): v for k, v in zip(scalars, results, strict=True)})

    def _compute_into(self, array: PrivateArray, value: Tile) -> None:
        self._hoist([value], value.axes)
        self._keep(array, value.axes, lambda: self._evaluator.value(value))

    def _advance(self, pairs: Sequence[tuple[Carried, Tile]]) -> None:
        """Compute all new carried tiles before any old one is overwritten."""
        made = [self._allocate(p.dtype, prod(a.static for a in p.axes)) for p, _ in pairs]
        for (_, after), array in zip(pairs, made, strict=True):
            self._compute_into(array, after)
        for (param, _), array in zip(pairs, made, strict=True):
            axes, held = param.axes, self._arrays[param]
            self._keep(held, axes, partial(self._at, array, axes))

    def _at(self, array: PrivateArray, axes: tuple[Axis, ...]) -> Value:
        """The kept element in scope.  Lanes that want different slots look through all of them."""
        builder, wanted = self.builder, self._slot(axes)
        if not wanted.varying:
            return builder.array_load(array, wanted)

        def look(slot: Value, found: tuple[Value, ...]) -> tuple[Value, ...]:
            here = builder.array_load(array, slot)
            return (builder.select(builder.eq(wanted, slot), here, found[0]),)

        start = (builder.const(0, array.dtype),)
        return builder.for_(0, array.slots, 1, start, look, varying=True)[0]

    # What this map keeps or makes on demand.

    def _special(self, node: Tile) -> Value | None:
        if isinstance(node, Reduce):
            return self._reduce(node)
        key: Tile = node
        if isinstance(node, Result):
            if isinstance(node.of, Reduce):
                # The reduction leaves all its results in the scope it is evaluated in.
                self._evaluator.value(node.of)
                return self._evaluator.at.memo[node]
            if not (node.axes and isinstance(node.of, Serial)):
                return None
            key = node.of.params[node.index]
        if key in self._arrays:
            return self._at(self._arrays[key], key.axes)
        return None

    def _reduce(self, node: Reduce) -> Value:
        """Fold one reduction for the element in scope, and remember every result of it there."""
        count = prod(axis.static for axis in node.over)
        machine = StateMachine(self._evaluator, node, count)
        start = machine.start()
        self._hoist(node.args, node.over)
        folds = Folds(self.builder, self._evaluator, machine, count, self._allocate)
        match node.policy:
            case "fold_left" | "fold_right":
                first = machine.identity() if start is None else start
                results = machine.finalize(folds.serial(first, reverse=node.policy == "fold_right"))
            case "ordered_tree":
                results = machine.finish(folds.ordered())
            case "reproducible":
                results = machine.finish(folds.reproducible())
            case _:
                results = machine.finish(folds.serial(machine.identity()))
        for k, (value, type_) in enumerate(zip(results, node.result_types(), strict=True)):
            self._evaluator.at.memo[Result(of=node, index=k, type=type_)] = value
        return results[0]
