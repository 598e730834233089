"""The columns map of a CPU: a strip of neighbouring programs walks its rows together.

In: a plan whose mapping is of the family `columns`, and its row program.  Out: a Machine IR kernel.
Decides where a value is made: once for a strip, a row, or a vector.  Leaves the widths to the plan,
the cut into strips to `strips`.

Each lane has a program of its own.  A step over rows is a loop over rows with the vectors of the
strip inside, so that memory is read in runs as long as the strip; what a program keeps from row to
row (states of reductions, values that its rows share) lies in private arrays, one slot a vector.
Rows of a round meet in a tree and blocks of rows are merged apart: no sum adds row after row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from certile.analysis.instances import is_coordinate
from certile.analysis.loops import fused
from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, i64
from certile.ir.host import ViewFacts
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine_build import Builder
from certile.ir.node import Node, reach
from certile.ir.program import Launch
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Gather, Load, Reduce, Result, Store, Tile
from certile.ir.types import Axis
from certile.lower.combine import balanced
from certile.lower.coordinates import Coordinate, unflatten
from certile.lower.dependence import independent_of, largest
from certile.lower.evaluate import Evaluator
from certile.lower.interface import Interface
from certile.lower.state import State, StateMachine
from certile.lower.strips import Coordinates, ProgramVector, Segment, Strips
from certile.plan.columns import row_block
from certile.plan.record import GroupPlan
from certile.plan.record import Mapping as ExecutionMapping


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a round: its linear coordinate, and what is the same for all programs there."""

    linear: Value
    memo: dict[Node, Value]


@dataclass(frozen=True, slots=True)
class Fold:
    """A reduction that a sweep makes: its machine and the arrays that hold one state a vector."""

    machine: StateMachine
    arrays: tuple[PrivateArray, ...]


@dataclass(frozen=True, slots=True)
class Sweep:
    """One pass over the rows: its steps, what each program has one of, what each row has one of."""

    steps: Sequence[Step]
    of_programs: Sequence[Tile]
    of_rows: Sequence[Tile]

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.steps[0].axes


class ColumnsLowering:
    """Lowers one row program under the columns map."""

    def __init__(self, plan: GroupPlan, rows: RowProgram, mapping: ExecutionMapping) -> None:
        self._plan, self._rows, self._mapping = plan, rows, mapping
        self._strip_axis = rows.parallel.over[-1]
        self._differing = _differing(rows, self._strip_axis)
        self.builder = Builder(plan.sheet.lanes, 1)
        self._arrays: list[PrivateArray] = []
        self._held: dict[Node, PrivateArray] = {}
        self._kept: dict[Tile, tuple[PrivateArray, tuple[Axis, ...]]] = {}
        self._vector: ProgramVector | None = None

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> Launch:
        """The launch; `facts` says what is known of each view's layout."""
        parallel = self._rows.parallel
        interface = Interface(self._rows.kernel, parallel, facts, self.builder)
        self._evaluator = Evaluator(interface, self._plan.sheet, self._special)
        strips = Strips(
            self.builder,
            self._mapping,
            self._plan.pool_threads,
            parallel.over,
            interface.programs(),
            lambda axis: interface.extent(axis.extent),
        )
        strips.run(self._segment)
        return interface.launch(name, strips.group, self._arrays)

    def _segment(self, outer: Coordinates, segment: Segment) -> None:
        self._at = segment
        with self._evaluator.scope(outer):
            for group in fused(self._rows.steps):
                if not group[0].axes:
                    self._scalar(group[0])
                elif group[0].kind not in ("load", "gather"):
                    self._sweep(group)

    # Values that a program has one of.

    def _scalar(self, step: Step) -> None:
        """Keep a value of each program, or store it."""
        node = step.node
        if isinstance(node, Tile):
            self._hold(node)
        elif isinstance(node, Store):
            store = node
            self._prepare([store], ())
            self._each(lambda _: self._evaluator.store(store))
        else:
            raise InternalError("M020", f"a scalar step of kind {step.kind}", loc=node.loc)

    def _prepare(self, nodes: Sequence[Node], axes: tuple[Axis, ...]) -> list[Tile]:
        """Evaluate before a loop over `axes` what all programs share; return what each has one of.

        Indices that are made of coordinates are left where they are read: addresses follow there.
        """
        own = []
        for node in independent_of(nodes, axes, self._evaluator.at.coordinates):
            if node not in self._differing:
                self._evaluator.value(node)
            elif not _is_index(node):
                own.append(node)
        return own

    def _hold(self, node: Tile) -> None:
        """Evaluate a value of each program into an array; one that all share, once."""
        if node not in self._differing:
            self._evaluator.value(node)
        elif node not in self._held:
            array = self._allocate(node.dtype)
            builder, value = self.builder, self._evaluator.value
            self._each(lambda at: builder.array_store(array, at.number, value(node)))
            self._held[node] = array

    def _allocate(self, dtype: DType, rows: int = 1) -> PrivateArray:
        slots = rows * self._mapping.strip_vectors
        made = PrivateArray(f"strip{len(self._arrays)}", dtype, slots)
        self._arrays.append(made)
        return made

    def _each(self, action: Callable[[ProgramVector], None], width: int = 1) -> None:
        """Run `action` in the scope of every vector of the strip, `width` vectors a round."""

        def run(vectors: Sequence[ProgramVector]) -> None:
            for vector in vectors:
                self._vector = vector
                with self._evaluator.scope({self._strip_axis: vector.at}, vector.mask):
                    action(vector)
            self._vector = None

        self._at.each(width, run)

    def _special(self, node: Tile) -> Value | None:
        """What this map keeps: values of programs, tiles of their rows."""
        array = self._held.get(node)
        if array is not None and self._vector is not None:
            return self.builder.array_load(array, self._vector.number)
        if node not in self._kept:
            return None
        kept, axes = self._kept[node]
        scope = self._evaluator.at
        if scope.domain == axes and scope.slot is not None:
            return self.builder.array_load(kept, scope.slot)
        if isinstance(node, Load):
            return None  # a cached input read elsewhere is read from its immutable view
        raise InternalError("M021", "a kept tile is read at an element its program may not own")

    # Passes over the rows.

    def _sweep(self, steps: Sequence[Step]) -> None:
        axes, count = steps[0].axes, steps[0].elements
        nodes = [step.node for step in steps]
        of_programs = self._prepare(nodes, axes)
        for node in of_programs:
            self._hold(node)
        for kept in nodes:
            if isinstance(kept, Tile) and not isinstance(kept, Reduce):
                self._kept[kept] = (self._allocate(kept.dtype, count), axes)
        folds = [
            self._fold(StateMachine(self._evaluator, node, count))
            for node in nodes
            if isinstance(node, Reduce)
        ]
        sweep = Sweep(steps, of_programs, self._of_rows(nodes, axes))
        self._start(folds)
        if len(folds) == len(steps):
            self._fold_rows(sweep, folds, count)
        else:
            # Who writes rows finishes one before the next, so that lines of memory fill at once.
            width = self._mapping.unroll * self._mapping.rows_at_once
            self._rows_from(0, count, 1, lambda row: self._round(sweep, folds, row, 1, width))
        for fold in folds:
            self._finish(fold)

    def _of_rows(self, nodes: Sequence[Node], axes: tuple[Axis, ...]) -> list[Tile]:
        """The largest values read that may differ from row to row but not between programs."""
        bound = {*axes, *self._evaluator.at.coordinates}
        return largest(nodes, lambda at: at not in self._differing and bound.issuperset(at.axes))

    def _fold_rows(self, sweep: Sweep, folds: Sequence[Fold], count: int) -> None:
        """Fold whole rounds, in blocks where there are many, then the rows that fill no round."""
        builder, at_once, width = self.builder, self._mapping.rows_at_once, self._mapping.unroll
        whole = count // at_once * at_once
        block = row_block(count, at_once)
        if whole <= block:
            self._rows_from(
                0, whole, at_once, lambda row: self._round(sweep, folds, row, at_once, width)
            )
        else:
            parts = [self._fold(fold.machine) for fold in folds]

            def one(first: Value) -> None:
                self._start(parts)
                stop = builder.minimum(builder.add(first, block), whole)
                self._rows_from(
                    first, stop, at_once, lambda row: self._round(sweep, parts, row, at_once, width)
                )
                self._merge(folds, parts)

            self._rows_from(0, whole, block, one)
        if count > whole:
            self._round(sweep, folds, builder.const(whole, i64), count - whole, width)

    def _rows_from(
        self, start: Value | int, stop: Value | int, step: int, action: Callable[[Value], None]
    ) -> None:
        def body(row: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            action(row)
            return ()

        self.builder.for_(start, stop, step, (), body)

    def _round(
        self, sweep: Sweep, folds: Sequence[Fold], first: Value, count: int, width: int
    ) -> None:
        """All steps at `count` rows, for every vector of the strip; rows meet in a tree."""
        rows = [self._row(sweep, self.builder.add(first, k)) for k in range(count)]

        def at_vector(vector: ProgramVector) -> None:
            for node in sweep.of_programs:
                self._evaluator.value(node)
            leaves = [self._leaves(sweep, folds, row, vector) for row in rows]
            for k, fold in enumerate(folds):
                both = balanced([states[k] for states in leaves], fold.machine.merge)
                self._write(fold, vector, fold.machine.merge(self._read(fold, vector), both))

        self._each(at_vector, width)

    def _row(self, sweep: Sweep, linear: Value) -> Row:
        """A row, with what its programs share evaluated."""
        with self._evaluator.scope(self._coordinates(sweep, linear)) as scope:
            for node in sweep.of_rows:
                self._evaluator.value(node)
            return Row(linear, dict(scope.memo))

    def _coordinates(self, sweep: Sweep, linear: Value) -> Coordinates:
        return unflatten(self.builder, Coordinate(linear), sweep.axes)

    def _leaves(
        self, sweep: Sweep, folds: Sequence[Fold], row: Row, vector: ProgramVector
    ) -> list[State]:
        """Take all steps at one element of each program; the lifted leaf of every fold."""
        builder, evaluator = self.builder, self._evaluator
        slots = builder.mul(row.linear, self._mapping.strip_vectors)
        slot = builder.add(slots, vector.number)
        machines = {fold.machine.reduction: fold.machine for fold in folds}
        leaves = []
        coordinates = self._coordinates(sweep, row.linear)
        with evaluator.scope(coordinates, domain=sweep.axes, slot=slot) as scope:
            scope.memo.update(row.memo)
            for node in (step.node for step in sweep.steps):
                if isinstance(node, Reduce):
                    values = tuple(evaluator.value(arg) for arg in node.args)
                    leaves.append(machines[node].lift(values, row.linear))
                elif isinstance(node, Store):
                    evaluator.store(node)
                elif isinstance(node, Tile):
                    scope.memo[node] = evaluator.compute(node)
                    builder.array_store(self._kept[node][0], slot, scope.memo[node])
        return leaves

    # States of the strip.

    def _fold(self, machine: StateMachine) -> Fold:
        return Fold(machine, tuple(map(self._allocate, machine.dtypes)))

    def _start(self, folds: Sequence[Fold]) -> None:
        """Give every program the state of no rows."""

        def one(vector: ProgramVector) -> None:
            for fold in folds:
                self._write(fold, vector, fold.machine.identity())

        if folds:
            self._each(one)

    def _merge(self, folds: Sequence[Fold], parts: Sequence[Fold]) -> None:
        """Merge the states of a block of rows into those of the blocks before it."""

        def one(vector: ProgramVector) -> None:
            for fold, part in zip(folds, parts, strict=True):
                before, block = self._read(fold, vector), self._read(part, vector)
                self._write(fold, vector, fold.machine.merge(before, block))

        self._each(one)

    def _finish(self, fold: Fold) -> None:
        """Make the results of a reduction, one of each for every program."""
        node = fold.machine.reduction
        types = node.result_types()
        arrays = [self._allocate(type_.dtype) for type_ in types]

        def one(vector: ProgramVector) -> None:
            results = fold.machine.finish(self._read(fold, vector))
            for array, value in zip(arrays, results, strict=True):
                self.builder.array_store(array, vector.number, value)

        self._each(one)
        self._held[node] = arrays[0]
        for k, (array, type_) in enumerate(zip(arrays, types, strict=True)):
            self._held[Result(of=node, index=k, type=type_)] = array

    def _read(self, fold: Fold, vector: ProgramVector) -> State:
        return tuple(self.builder.array_load(array, vector.number) for array in fold.arrays)

    def _write(self, fold: Fold, vector: ProgramVector, state: State) -> None:
        for array, value in zip(fold.arrays, state, strict=True):
            self.builder.array_store(array, vector.number, value)


def _differing(rows: RowProgram, strip: Axis) -> set[Node]:
    """The nodes that are kept for each program: coordinates along the strip decide, or reductions.

    A reduction or a kept tile that all programs share lies in arrays like any other.
    """
    kept = set(rows.materialized)
    found: set[Node] = set()
    for node in reach(step.node for step in rows.steps):
        own = is_coordinate(node, strip) or isinstance(node, Reduce)
        if own or node in kept or not found.isdisjoint(node.operands()):
            found.add(node)
    return found


def _is_index(node: Tile) -> bool:
    """Whether a value is made of coordinates and numbers only."""
    read = any(isinstance(below, Gather | Load | Reduce) for below in reach([node]))
    return node.dtype == i64 and not read
