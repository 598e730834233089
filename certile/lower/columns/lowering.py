"""The columns map of a CPU: a strip of neighbouring programs walks its rows together.

In: a plan whose mapping is of the family `columns`, and its row program.  Out: a Machine IR kernel,
or several where rows are taken in parts.  Decides where a value is made: once for a strip, a row,
or a vector.  Leaves the widths and the launches to the plan, the cut into strips to `strips`, what
launches pass on to `passing`.

Each lane has a program of its own.  A step over rows is a loop over rows with the vectors of the
strip inside, so that memory is read in runs as long as the strip; what a program keeps from row to
row (states of reductions, values that its rows share) lies in private arrays, one slot a vector.
Rows of a round meet in a tree and blocks of rows are merged apart: no sum adds row after row.  A
scan is a state that gives a result at every row: the blocks before, merged with its own so far.

In parts, a launch walks a part of the rows of a strip for each group and leaves the states, and the
next one merges them.  What a program has one of is made again by whichever launch reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from certile.analysis.loops import fused
from certile.analysis.nans import missed_by_none
from certile.diagnostics import InternalError
from certile.ir.dtypes import DType, i32, i64
from certile.ir.host import ViewFacts
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine.build import Builder
from certile.ir.node import Node, reach
from certile.ir.program import Launch, Program
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Fallback, Load, Reduce, Result, Scan, Store, Tile, View
from certile.ir.types import Axis
from certile.lower.ahead import LINE_BYTES, Ahead, ahead_of
from certile.lower.blocks import state_of
from certile.lower.columns.passing import Passed, Passing
from certile.lower.columns.reads import differing, is_index, read_elsewhere
from certile.lower.columns.states import Fold, Folds, StripStates
from certile.lower.columns.strips import Coordinates, ProgramVector, Segment, Strips
from certile.lower.combine import balanced
from certile.lower.coordinates import Coordinate, unflatten
from certile.lower.dependence import independent_of, largest
from certile.lower.evaluate import Evaluator
from certile.lower.interface import Interface
from certile.lower.state import State, StateMachine
from certile.plan.columns import asking, row_block, rows_of_round, vectors_of_round
from certile.plan.mapping import Mapping as ExecutionMapping
from certile.plan.parts import StripLaunch, launches_of, parts_of
from certile.plan.record import GroupPlan
from certile.records import record


@record
class Row:
    """One row of a round: its linear coordinate, and what is the same for all programs there."""

    linear: Value
    memo: dict[Node, Value]


@record
class Sweep:
    """One pass over the rows: its steps, what each program has one of, what each row has one of.

    `folds` are the states of the rows so far, in the block that is walked if there are blocks;
    `before` are then those of the blocks before it.  `ahead` says which loads ask for later rows.
    A round takes `at_once` rows at `width` vectors of the strip in one step.  Of several `parts` of
    the rows, the one in scope is walked.
    """

    steps: Sequence[Step]
    of_programs: Sequence[Tile]
    of_rows: Sequence[Tile]
    folds: Folds
    ahead: Ahead
    at_once: int
    width: int
    parts: int = 1
    before: Folds = field(default_factory=dict)

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.steps[0].axes

    @property
    def count(self) -> int:
        """The number of rows."""
        return self.steps[0].elements

    @property
    def backwards(self) -> bool:
        """Whether rows are walked from the last; scans that share a sweep agree."""
        return _backwards(self.steps)

    @property
    def reductions(self) -> list[tuple[Reduce, Fold]]:
        """The states that rows of a round are merged into."""
        return [(node, fold) for node, fold in self.folds.items() if isinstance(node, Reduce)]


def lower_columns(
    plan: GroupPlan,
    rows: RowProgram,
    mapping: ExecutionMapping,
    name: str,
    facts: Mapping[str, ViewFacts],
) -> Program:
    """Lower one row program under the columns map; `facts` says what is known of each layout."""
    takes, passed = launches_of(rows, mapping), Passed(name)
    launches = []
    for number, take in enumerate(takes):
        passed.launch = number
        lowering = ColumnsLowering(plan, rows, mapping, take, passed)
        later = [step for other in takes[number + 1 :] for step in other.steps]
        own_name = name if len(takes) == 1 else f"{name}_{number}"
        launches.append(lowering.run(own_name, facts, later))
    return Program(name, tuple(launches), passed.workspaces())


class ColumnsLowering:
    """Lowers one launch of a row program under the columns map."""

    def __init__(
        self,
        plan: GroupPlan,
        rows: RowProgram,
        mapping: ExecutionMapping,
        take: StripLaunch,
        passed: Passed,
    ) -> None:
        self._plan, self._rows, self._mapping = plan, rows, mapping
        self._take, self._passed = take, passed
        self._strip_axis = rows.parallel.over[-1]
        self._differing = differing(rows, self._strip_axis)
        self._missed_by_none = missed_by_none(rows)
        self.builder = Builder(plan.sheet.lanes, 1)
        self._held: dict[Node, PrivateArray] = {}
        self._kept: dict[Tile, tuple[PrivateArray, tuple[Axis, ...]]] = {}
        self._vector: ProgramVector | None = None

    def run(self, name: str, facts: Mapping[str, ViewFacts], later: Sequence[Step]) -> Launch:
        """The launch; `facts` says what is known of each layout, `later` what is to follow."""
        parallel, self._facts = self._rows.parallel, facts
        self._read, self._later = read_elsewhere(self._take.steps), read_elsewhere(later)
        interface = Interface(self._rows.kernel, parallel, facts, self.builder)
        self._evaluator = Evaluator(interface, self._plan.sheet, self._special)
        self._states = StripStates(self.builder, self._allocate, self._each)
        strips = Strips(
            self.builder,
            self._mapping,
            self._plan.sheet.cores,
            parallel.over,
            interface.programs(),
            lambda axis: interface.extent(axis.extent),
            self._take.parts,
        )
        self._passing = Passing(interface, self._passed, self._allocate, self._each)
        strips.run(self._segment)
        return interface.launch(name, strips.group, parts=self._take.parts)

    def _segment(self, part: Value, outer: Coordinates, segment: Segment) -> None:
        self._part, self._at = part, segment
        with self._evaluator.scope(outer):
            for group in self._take.before:
                self._recall(group)
            if self._take.merged:
                self._join(self._take.merged)
            for group in self._take.own:
                self._group(group)

    def _group(self, group: Sequence[Step]) -> None:
        head = group[0]
        if head.kind == "fallback":
            self._fallback(head)
        elif not head.axes:
            self._scalar(head)
        elif head.kind not in ("load", "gather"):
            self._sweep(group)

    # Values of other launches.

    def _recall(self, group: Sequence[Step]) -> None:
        """Have at hand what an earlier launch made and this one reads, given or made again."""
        for node in (step.node for step in group if step.node in self._read):
            if isinstance(node, Fallback | Reduce):
                self._hold_results(node, self._passing.results(node))
            elif isinstance(node, Tile) and not group[0].axes:
                self._hold(node)

    def _join(self, group: Sequence[Step]) -> None:
        """Merge the states of all parts of a sweep, in order, and hold the results."""
        nodes = [step.node for step in group if isinstance(step.node, Reduce)]
        folds: Folds = {
            node: self._states.fold(self._machine(node), backwards=False) for node in nodes
        }
        self._states.start(folds)
        parts = parts_of(group, self._mapping)
        self._rows_from(0, parts, 1, lambda part: self._passing.join(folds, self._states, part))
        for node in nodes:
            self._finish(node, folds[node])

    # Values that may be computed again.

    def _fallback(self, step: Step) -> None:
        """The whole strip computes again where a program of it has to; the others keep theirs."""
        node, builder, evaluator = step.node, self.builder, self._evaluator
        if not isinstance(node, Fallback):
            raise InternalError("M020", "a fallback step without a fallback", loc=step.node.loc)
        arrays = [self._allocate(value.dtype) for value in node.values]
        asked = evaluator.interface.array("asked", i32, 1)
        builder.array_store(asked, 0, builder.const(0, i32))

        def usual(at: ProgramVector) -> None:
            for array, value in zip(arrays, node.values, strict=True):
                builder.array_store(array, at.number, evaluator.value(value))
            when = evaluator.value(node.when)
            own = builder.convert(builder.and_(at.mask, when) or when, i32)
            before = builder.array_load(asked, 0)
            builder.array_store(asked, 0, builder.compute("maximum", before, own))

        def instead(at: ProgramVector) -> None:
            when = evaluator.value(node.when)
            for array, value in zip(arrays, node.instead, strict=True):
                kept = builder.array_load(array, at.number)
                chosen = builder.select(when, evaluator.value(value), kept)
                builder.array_store(array, at.number, chosen)

        def again() -> None:
            # What is held there is made on this path alone.
            held, kept = dict(self._held), dict(self._kept)
            with evaluator.scope({}):
                for group in fused(step.body):
                    self._group(group)
                self._each(instead)
            self._held, self._kept = held, kept

        self._each(usual)
        some = builder.compute("ne", builder.array_load(asked, 0), 0)
        builder.if_(builder.collective("any", some), again)
        self._hold_made(node, arrays)

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
            elif not is_index(node):
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
        return self._evaluator.interface.array("strip", dtype, slots)

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
        key = node.results()[0] if isinstance(node, Scan) else node
        if key not in self._kept:
            return None
        kept, axes = self._kept[key]
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
        for kept in self._kept_in(nodes):
            self._kept[kept] = (self._allocate(kept.dtype, count), axes)
        backwards = _backwards(steps)
        folds = {
            node: self._states.fold(self._machine(node), backwards)
            for node in nodes
            if isinstance(node, Reduce | Scan)
        }
        ahead = self._ahead(nodes, axes, backwards=backwards)
        at_once = rows_of_round(nodes, self._mapping)
        # Where rows are taken one by one, more vectors at once keep as many loads in flight.
        width = vectors_of_round(nodes, self._mapping) // at_once
        of_rows = self._of_rows(nodes, axes)
        parts = self._take.parts
        sweep = Sweep(steps, of_programs, of_rows, folds, ahead, at_once, width, parts)
        self._states.start(sweep.folds)
        self._walk(sweep)
        for reduction, fold in sweep.reductions:
            if parts > 1:
                self._passing.give_states(reduction, fold, self._states, self._part, parts)
            else:
                self._finish(reduction, fold)

    def _machine(self, node: Reduce | Scan) -> StateMachine:
        """The operations of the states that a node folds."""
        drops = node in self._missed_by_none
        return StateMachine(self._evaluator, _folded(node), drops_nan=drops)

    def _kept_in(self, nodes: Sequence[Node]) -> Iterator[Tile]:
        """What a sweep makes for others: tiles, and the results of its scans that others read."""
        for node in nodes:
            if isinstance(node, Scan):
                yield from (r for r in node.results() if r in self._rows.kept_scans)
            elif isinstance(node, Tile) and not isinstance(node, Reduce):
                yield node

    def _of_rows(self, nodes: Sequence[Node], axes: tuple[Axis, ...]) -> list[Tile]:
        """The largest values read that may differ from row to row but not between programs."""
        bound = {*axes, *self._evaluator.at.coordinates}
        return largest(nodes, lambda at: at not in self._differing and bound.issuperset(at.axes))

    def _walk(self, sweep: Sweep) -> None:
        """Take whole rounds, in blocks where there are many, then the rows that fill no round."""
        builder, count, at_once = self.builder, sweep.count, sweep.at_once
        whole = count // at_once * at_once
        start, end = self._walked(sweep, whole)
        most = count if sweep.parts == 1 else self._mapping.part_rows
        block = row_block(most, at_once)
        if min(whole, most) <= block or not sweep.folds:
            self._rows_from(start, end, at_once, lambda row: self._round(sweep, row, at_once))
        else:
            parts = {
                node: self._states.fold(fold.machine, fold.backwards)
                for node, fold in sweep.folds.items()
            }
            inside = replace(sweep, folds=parts, before=sweep.folds)

            def one(first: Value) -> None:
                self._states.start(parts)
                stop = builder.minimum(builder.add(first, block), end)
                self._rows_from(first, stop, at_once, lambda row: self._round(inside, row, at_once))
                self._states.merge(sweep.folds, parts)

            self._rows_from(start, end, block, one)
        if count > whole:
            self._rest(sweep, whole)

    def _rest(self, sweep: Sweep, whole: int) -> None:
        """Take the rows that fill no round, which the last part has."""
        builder = self.builder

        def rest() -> None:
            self._round(sweep, builder.const(whole, i64), sweep.count - whole)

        if sweep.parts == 1:
            rest()
        else:
            builder.if_(builder.eq(self._part, sweep.parts - 1), rest)

    def _walked(self, sweep: Sweep, whole: int) -> tuple[Value | int, Value | int]:
        """The first row of the part in scope, and where its whole rounds end."""
        if sweep.parts == 1:
            return 0, whole
        length = self._mapping.part_rows
        start = self.builder.mul(self._part, length)
        return start, self.builder.minimum(self.builder.add(start, length), whole)

    def _rows_from(
        self, start: Value | int, stop: Value | int, step: int, action: Callable[[Value], None]
    ) -> None:
        def body(row: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            action(row)
            return ()

        self.builder.for_(start, stop, step, (), body)

    def _round(self, sweep: Sweep, first: Value, count: int) -> None:
        """All steps at `count` rows, for every vector of the strip; rows meet in a tree."""
        rows = [self._row(sweep, self.builder.add(first, k)) for k in range(count)]

        def at_vector(vector: ProgramVector) -> None:
            if count == sweep.at_once and vector.mask is None and vector.position == 0:
                self._ask(sweep, first, vector)
            for node in sweep.of_programs:
                self._evaluator.value(node)
            leaves = [self._leaves(sweep, row, vector) for row in rows]
            for k, (_, fold) in enumerate(sweep.reductions):
                both = self._met(fold.machine, [values[k] for values in leaves], rows)
                self._states.write(fold, vector, fold.merge(self._states.read(fold, vector), both))

        self._each(at_vector, sweep.width)

    def _met(
        self, machine: StateMachine, leaves: Sequence[tuple[Value, ...]], rows: Sequence[Row]
    ) -> State:
        """The state of one leaf of each row."""
        if self._mapping.block > 1 and machine.forms is not None and len(leaves) > 1:
            return state_of(machine, [(values, None) for values in leaves])
        states = [
            machine.lift(values, row.linear) for values, row in zip(leaves, rows, strict=True)
        ]
        return balanced(states, machine.merge)

    def _row(self, sweep: Sweep, walked: Value) -> Row:
        """The row that comes after `walked` others, with what its programs share evaluated."""
        linear = self._linear(sweep, walked)
        with self._evaluator.scope(self._coordinates(sweep, linear)) as scope:
            for node in sweep.of_rows:
                self._evaluator.value(node)
            return Row(linear, dict(scope.memo))

    def _linear(self, sweep: Sweep, walked: Value) -> Value:
        return self.builder.sub(sweep.count - 1, walked) if sweep.backwards else walked

    def _coordinates(self, sweep: Sweep, linear: Value) -> Coordinates:
        return unflatten(self.builder, Coordinate(linear), sweep.axes)

    def _leaves(self, sweep: Sweep, row: Row, vector: ProgramVector) -> list[tuple[Value, ...]]:
        """Take all steps at one element of each program; the leaf of every reduction."""
        builder, evaluator = self.builder, self._evaluator
        slots = builder.mul(row.linear, self._mapping.strip_vectors)
        slot = builder.add(slots, vector.number)
        leaves = []
        coordinates = self._coordinates(sweep, row.linear)
        with evaluator.scope(coordinates, domain=sweep.axes, slot=slot) as scope:
            scope.memo.update(row.memo)
            for node in (step.node for step in sweep.steps):
                if isinstance(node, Reduce):
                    leaves.append(self._leaf(node))
                elif isinstance(node, Scan):
                    scope.memo |= self._scan(sweep, node, row, vector)
                elif isinstance(node, Store):
                    streaming = self._mapping.streaming
                    evaluator.store(node, streaming=streaming, divided=self._strip_axis)
                elif isinstance(node, Tile):
                    scope.memo[node] = evaluator.compute(node)
                for kept in self._kept_in([node]):
                    builder.array_store(self._kept[kept][0], slot, scope.memo[kept])
        return leaves

    def _ask(self, sweep: Sweep, first: Value, vector: ProgramVector) -> None:
        """Ask for a share of the rows of a later round in one step of this round.

        A run of the strip has as many steps as a round has rows, and each asks for the whole run of
        one row: memory gives neighbouring lines sooner than lines of different rows.  At the end of
        a strip, where no run is left, a step asks for its own vectors of every row.
        """
        builder, lanes = self.builder, self.builder.lanes
        if not sweep.ahead.distances:
            return

        def every_row() -> None:
            for k in range(sweep.at_once):
                self._ask_row(sweep, builder.add(first, k), builder.const(0, i64), sweep.width)

        run = sweep.at_once
        if run == 1:
            every_row()
            return
        # Rounds have a power of two of rows: a division would take as long as the sums of a step.
        past = builder.compute("bit_and", vector.number, run - 1)

        def one_row() -> None:
            moved = builder.sub(0, builder.mul(past, lanes))
            self._ask_row(sweep, builder.add(first, past), moved, run)

        end = builder.mul(builder.add(builder.sub(vector.number, past), run), lanes)
        builder.if_(builder.lt(self._at.count, end), every_row, one_row)

    def _ask_row(self, sweep: Sweep, walked: Value, moved: Value, vectors: int) -> None:
        """Ask for some vectors of a row, `moved` elements from those in scope."""
        builder, evaluator = self.builder, self._evaluator
        with evaluator.scope(self._coordinates(sweep, self._linear(sweep, walked))):
            for load, distance in sweep.ahead.distances.items():
                assert isinstance(load.buffer, View)
                place = builder.add(evaluator.first_place(load), builder.add(distance, moved))
                buffer = evaluator.interface.buffer(load.buffer)
                for line in range(0, vectors * builder.lanes, LINE_BYTES // load.buffer.dtype.size):
                    builder.ask(buffer, builder.add(place, line))

    def _ahead(self, nodes: Sequence[Node], axes: tuple[Axis, ...], *, backwards: bool) -> Ahead:
        """What the loads of a sweep over rows ask memory for."""
        rows = -self._mapping.ahead if backwards else self._mapping.ahead

        def is_kept(node: Node) -> bool:
            return (node in self._held or node in self._kept) and node not in nodes

        read = reach(nodes, lambda at: () if is_kept(at) else at.operands())
        asked = asking(self._rows, self._facts) if rows else frozenset()
        loads = [load for load in read if load in asked and not is_kept(load)]
        stride = self._evaluator.interface.stride
        return ahead_of(loads, axes[-1], rows, self.builder, stride)

    def _finish(self, node: Reduce, fold: Fold) -> None:
        """Hold the results of a reduction, one of each for every program."""
        dtypes = [type_.dtype for type_ in node.result_types()]
        self._hold_made(node, self._states.finish(fold, dtypes))

    def _hold_made(self, node: Fallback | Reduce, arrays: Sequence[PrivateArray]) -> None:
        """Hold what this launch made, and leave it to later ones that read it."""
        self._hold_results(node, arrays)
        if node in self._later:
            self._passing.give_results(node, arrays)

    def _hold_results(self, node: Fallback | Reduce, arrays: Sequence[PrivateArray]) -> None:
        self._held[node] = arrays[0]
        for k, (array, type_) in enumerate(zip(arrays, node.result_types(), strict=True)):
            self._held[Result(of=node, index=k, type=type_)] = array

    def _leaf(self, node: Reduce | Scan) -> tuple[Value, ...]:
        return tuple(self._evaluator.value(arg) for arg in node.args)

    def _scan(self, sweep: Sweep, node: Scan, row: Row, vector: ProgramVector) -> dict[Node, Value]:
        """Take one more row into a scan; the node and its results have these values at the row."""
        fold = sweep.folds[node]
        state = self._states.read(fold, vector)
        after = fold.merge(state, fold.machine.lift(self._leaf(node), row.linear))
        self._states.write(fold, vector, after)
        state = after if node.inclusive else state
        if node in sweep.before:
            state = fold.merge(self._states.read(sweep.before[node], vector), state)
        found = fold.machine.finalize(state)
        return {node: found[0], **dict(zip(node.results(), found, strict=True))}


def _folded(node: Reduce | Scan) -> Reduce:
    """The reduction whose states a node folds."""
    return node.total if isinstance(node, Scan) else node


def _backwards(steps: Sequence[Step]) -> bool:
    return any(isinstance(step.node, Scan) and step.node.reverse for step in steps)
