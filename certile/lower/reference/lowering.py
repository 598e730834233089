"""The reference map: one program a lane, every loop serial, order kept as written.

In: a launch of Tile IR, admitted or not.  Out: a Machine IR kernel.  It serves what the subgroup
family declines: folds of a whole row, element-wise programs without an element domain, reads of
derived rows, carried tiles and kept results at other elements.  Values vary between lanes because
programs do; loops are uniform.  Tiles are recomputed where they are read; only what later stores
would change, and what a loop carries, is kept in private arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod

from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, i64
from certile.ir.host import ViewFacts
from certile.ir.machine import PrivateArray, Value
from certile.ir.node import reach
from certile.ir.program import Launch
from certile.ir.tile import (
    Carried,
    Effect,
    Fallback,
    Kernel,
    Load,
    Memory,
    Parallel,
    Reduce,
    Result,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
    effects,
)
from certile.ir.types import Axis
from certile.ir.walk import evaluated
from certile.lower.coordinates import Coordinate, unflatten, value_of
from certile.lower.evaluate import Evaluator
from certile.lower.interface import Interface
from certile.lower.narrow import builder_of, most_programs
from certile.lower.reference.folds import Folds
from certile.lower.reference.memories import Placed, look_up
from certile.lower.reference.scans import Place, SerialScans
from certile.lower.sorting.rows import ElementVector, Sorter
from certile.lower.state import StateMachine
from certile.plan.record import GroupPlan


class ReferenceLowering:
    """Lowers one top-level parallel with a program in every lane."""

    def __init__(self, kernel: Kernel, parallel: Parallel, plan: GroupPlan) -> None:
        self._kernel, self._parallel, self._sheet = kernel, parallel, plan.sheet
        self._most = most_programs(plan)
        self.builder = builder_of(plan, 1, plan.sheet.lanes)
        self._arrays: dict[Tile, PrivateArray] = {}
        self._sorters: dict[Sort, Sorter] = {}
        read = list(evaluated(parallel))
        self._has_sorts = any(isinstance(node, Sort) for node in read)
        self._has_scans = any(isinstance(node, Scan) for node in read)
        self._stored = {e.buffer for e in effects((parallel,)) if isinstance(e, Store)}

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> Launch:
        """The launch; `facts` says what is known of each view's layout."""
        builder = self.builder
        interface = Interface(
            self._kernel, self._parallel, facts, builder, most_programs=self._most
        )
        self._evaluator = Evaluator(interface, self._sheet, self._special)
        place = Place(self._allocate, self._each, self._slot, self._at, self._hoist)
        self._scans = SerialScans(self._evaluator, place) if self._has_scans else None
        self._placed = Placed(self._evaluator, self._allocate)
        first = builder.mul(builder.group(), builder.lanes)
        number = builder.add(first, builder.convert(builder.lane(), i64))
        active = builder.lt(number, interface.programs())
        over, program = self._parallel.over, self._program(first, number, interface)
        coordinates = unflatten(builder, program, over, lambda axis: interface.extent(axis.extent))
        with self._evaluator.scope(coordinates, active):
            self._body(self._parallel.body)
        return interface.launch(name, builder.lanes)

    def _program(self, first: Value, number: Value, interface: Interface) -> Coordinate:
        """The program of a lane; lanes behind the last one stop there where indices have 32 bits.

        They access nothing, but their addresses have to fit, too.
        """
        if self._most is None:
            return Coordinate(first, 1)
        builder = self.builder
        program = builder.minimum(number, builder.sub(interface.programs(), 1))
        # A group is launched for programs that exist.
        builder.facts.meet(program, (0, self._most - 1))
        return Coordinate(builder.const(0, i64), offset=program, exists=True)

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
        self._order([load])
        if self._scans is not None:
            self._scans.prepare([load])
        array = self._array(load, load.axes)
        self._keep(array, load.axes, lambda: self._read(load))

    def _read(self, load: Load) -> Value:
        if isinstance(load.buffer, Memory):
            return self._placed.load(load)
        return self._evaluator.load(load)

    def _array(self, key: Tile, axes: tuple[Axis, ...]) -> PrivateArray:
        if key not in self._arrays:
            self._arrays[key] = self._allocate(key.dtype, prod(axis.static for axis in axes))
        return self._arrays[key]

    def _allocate(self, dtype: DType, slots: int) -> PrivateArray:
        return self._evaluator.interface.array("kept", dtype, max(1, slots))

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
            with self._evaluator.scope({axes[0]: Coordinate(index, exists=True)}):
                self._each(axes[1:], action)
            return ()

        self.builder.for_(0, axes[0].static, 1, (), body)

    def _hoist(self, nodes: Sequence[Tile | Effect], axes: tuple[Axis, ...]) -> None:
        """Evaluate once, before a loop over `axes`, what needs no coordinate of them."""
        if self._scans is not None:
            self._scans.prepare(nodes)
        self._order(nodes)
        self._evaluator.hoist(nodes, axes)

    def _store(self, store: Store) -> None:
        self._hoist([store], store.axes)

        def write() -> None:
            evaluator = self._evaluator
            if isinstance(store.buffer, Memory):
                self._placed.store(store)
            else:
                evaluator.store(store)

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
            with evaluator.scope({loop.axis: Coordinate(index, exists=True)}) as scope:
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
        """The kept element in scope."""
        return look_up(self.builder, array, self._slot(axes))

    # Sorts: each lane orders whole rows of its own before their elements are read.

    def _order(self, nodes: Sequence[Tile | Effect]) -> None:
        """Do the sorts that values rest on, where no scope around this one has."""
        if not self._has_sorts:
            return
        for node in reach(nodes):
            if isinstance(node, Sort) and not self._is_ordered(node):
                self._sort(node)

    def _is_ordered(self, node: Sort) -> bool:
        return self._evaluator.remembers(node)

    def _sort(self, node: Sort) -> None:
        evaluator, builder = self._evaluator, self.builder
        rows, length = node.spanned, node.over.static
        self._hoist([node.value], node.value.axes)
        if node not in self._sorters:
            orders = prod(axis.static for axis in rows)
            self._sorters[node] = Sorter(builder, node, 1, self._allocate, orders)
        sorter = self._sorters[node]

        def source(number: Value, _: bool) -> ElementVector:
            with evaluator.scope({node.over: Coordinate(number)}):
                return ElementVector(evaluator.value(node.value), Coordinate(number))

        self._each(rows, lambda: sorter.run(source, builder.mul(self._slot(rows), length)))
        evaluator.at.memo[node] = builder.true()

    def _sorted(self, result: Result, node: Sort) -> Value:
        """A result of a sort at the element in scope."""
        if not self._is_ordered(node):
            self._sort(node)
        builder, sorter = self.builder, self._sorters[node]
        row = builder.mul(self._slot(node.spanned), node.over.static)
        kept = (node.into,) if node.into in node.axes else ()
        slot = builder.add(row, self._slot(kept))
        return sorter.result(result.index, sorter.read(lambda array: look_up(builder, array, slot)))

    # What this map keeps or makes on demand.

    def _special(self, node: Tile) -> Value | None:
        scan = node.of if isinstance(node, Result) else node
        if isinstance(scan, Scan) and self._scans is not None:
            return self._scans.value(scan, node.index if isinstance(node, Result) else 0)
        if isinstance(node, Reduce):
            return self._reduce(node)
        if isinstance(node, Fallback):
            return self._fallback(node, [k for k, v in enumerate(node.values) if not v.axes])
        key: Tile = node
        if isinstance(node, Result) and isinstance(node.of, Sort):
            return self._sorted(node, node.of)
        if isinstance(node, Result):
            if isinstance(node.of, Fallback) and node.axes:
                return self._fallback(node.of, [node.index])
            if isinstance(node.of, Fallback | Reduce):
                # The reduction leaves all its results in the scope it is evaluated in.
                self._evaluator.value(node.of)
                return self._evaluator.at.memo[node]
            if not (node.axes and isinstance(node.of, Serial)):
                return None
            key = node.of.params[node.index]
        if key in self._arrays:
            return self._at(self._arrays[key], key.axes)
        return None

    def _fallback(self, node: Fallback, which: Sequence[int]) -> Value:
        """Compute some results again where a lane asks for it; returns the first of them.

        It is a loop of no or one round for all lanes.
        """
        evaluator, builder = self._evaluator, self.builder
        values = [evaluator.value(node.values[k]) for k in which]
        when = evaluator.value(node.when)
        asked = builder.collective("any", builder.and_(evaluator.at.mask, when) or when)

        def body(_: Value, usual: tuple[Value, ...]) -> Sequence[Value]:
            with evaluator.scope({}):
                made = [evaluator.value(node.instead[k]) for k in which]
            return [builder.select(when, a, b) for a, b in zip(made, usual, strict=True)]

        results = builder.for_(0, builder.convert(asked, i64), 1, values, body, varying=True)
        types = node.result_types()
        for k, value in zip(which, results, strict=True):
            evaluator.at.memo[Result(of=node, index=k, type=types[k])] = value
        return results[0]

    def _reduce(self, node: Reduce) -> Value:
        """Fold one reduction for the element in scope, and remember every result of it there."""
        machine = StateMachine(self._evaluator, node)
        machine.start()  # computed outside of what the leaves need
        self._hoist(node.args, node.over)
        results = Folds(self._evaluator, machine, self._allocate).results()
        for k, (value, type_) in enumerate(zip(results, node.result_types(), strict=True)):
            self._evaluator.at.memo[Result(of=node, index=k, type=type_)] = value
        return results[0]
