"""The subgroup family: S subgroups cooperate on a program, Q programs share a group.

In: a plan whose mapping is of this family, and its row program.  Out: a Machine IR kernel.  Follows
the steps of the row program: neighbours over one element domain share a loop, reductions end in the
tree of their policy, kept tiles become worker stripes.  Decides nothing about ownership: `workers`
does, from the mapping.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial

from certile.analysis.fences import agrees_unasked
from certile.analysis.layout import ORDERED_TREES, keeps
from certile.analysis.loops import fused
from certile.analysis.nans import missed_by_none
from certile.analysis.nests import is_step_of_its_own
from certile.diagnostics import InternalError
from certile.ir.dtypes import i64
from certile.ir.host import ViewFacts
from certile.ir.machine import Value
from certile.ir.program import Launch
from certile.ir.rows import RowProgram, Step, Stripe
from certile.ir.tile import (
    Carried,
    Effect,
    Fallback,
    Load,
    Memory,
    Reduce,
    Result,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
)
from certile.ir.types import Axis
from certile.lower.ahead import Ahead, ahead_of
from certile.lower.coordinates import Coordinate, Shift, unflatten
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.interface import Interface
from certile.lower.loops import carried_scalars, walk
from certile.lower.narrow import builder_of, most_programs
from certile.lower.phases import settle, shift_of
from certile.lower.reductions import Partials, Reducer
from certile.lower.state import StateMachine
from certile.lower.subgroup.kept_axes import KeptAxes
from certile.lower.subgroup.scans import Running
from certile.lower.subgroup.sorts import RowSorts
from certile.lower.subgroup.stripes import Stripes
from certile.lower.workers import Element, Runs, Workers
from certile.plan.blocks import RUN, chunks_of_folds, chunks_of_round
from certile.plan.mapping import Mapping as ExecutionMapping
from certile.plan.ownership.phases import Phases, phases_of
from certile.plan.record import GroupPlan
from certile.plan.subgroup.ahead import asking, rows_are_near

# A domain of at most this many chunks is written out on a CPU, where slots that are constants
# become vector registers (32 of them on AVX-512, half left to the expressions).
UNROLLED_CHUNKS = 16


class SubgroupLowering:
    """Lowers one row program under one mapping of the subgroup family."""

    def __init__(self, plan: GroupPlan, rows: RowProgram, mapping: ExecutionMapping) -> None:
        self._plan, self._rows, self._mapping = plan, rows, mapping
        self._cpu = plan.sheet.kind == "cpu"
        share = mapping.subgroups_per_program * mapping.programs_per_group
        self._most = most_programs(plan)
        self.builder = builder_of(plan, share, mapping.programs_per_group)
        self._missed_by_none = missed_by_none(rows) if self._cpu else frozenset()
        self._active: Value | None = None
        self._shifts: dict[tuple[Axis, ...], Shift] = {}

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> Launch:
        """The launch; `facts` says what is known of each view's layout."""
        interface = Interface(
            self._rows.kernel,
            self._rows.parallel,
            facts,
            self.builder,
            phased=self._mapping.phase,
            most_programs=self._most,
        )
        self._evaluator = Evaluator(interface, self._plan.sheet, self._special)
        self._place(interface)
        return interface.launch(name, self._mapping.programs_per_group, self._reducer.shared)

    def _place(self, interface: Interface) -> None:
        """Find the program a subgroup works on, and guard the group that is not full."""
        builder, mapping = self.builder, self._mapping
        cooperating, packed = mapping.subgroups_per_program, mapping.programs_per_group
        number = builder.subgroup()
        within = builder.mod(number, cooperating)
        slot = builder.convert(builder.floordiv(number, cooperating), i64)
        self._workers = Workers(builder, cooperating, mapping.lane_elements, within, mapping.phase)
        self._reducer = Reducer(
            self._evaluator, self._workers, mapping, slot, self._plan.second_fences
        )
        self._stripes = Stripes(builder, self._evaluator, self._workers)
        for stripe in self._rows.stripes:
            self._stripes.declare(stripe)
        self._kept_axes = KeptAxes(self._evaluator, self._stripes)
        self._sorts = RowSorts(self._evaluator, self._workers, self._element_scope)
        program = builder.add(builder.mul(builder.group(), packed), slot)
        if packed == 1:
            self._program(interface, program)
            return
        programs = interface.programs()
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
            self.builder,
            Coordinate(program, exists=True),
            over,
            lambda axis: interface.extent(axis.extent),
        )
        only = Coordinate(self.builder.const(0, i64), exists=True)
        coordinates.update(dict.fromkeys(self._rows.units, only))
        with self._evaluator.scope(coordinates):
            self._shifts = {
                axes: shift_of(lead, self.builder, self._evaluator.index)
                for axes, lead in self._phases().items()
            }
            self._steps(self._rows.steps)

    def _phases(self) -> Phases:
        """The domains whose ownership has a phase."""
        mapping, work = self._mapping, self._plan.work
        return phases_of(work, mapping.lane_elements) if mapping.phase and work else {}

    # Steps.

    def _steps(self, steps: Sequence[Step]) -> None:
        for group in fused(steps):
            head = group[0]
            if head.kind == "serial":
                self._serial(head)
            elif head.kind == "fallback":
                self._fallback(head)
            elif head.kind == "nest":
                self._kept_axes.nest(head, partial(self._steps, head.body))
            elif head.kind in ("load", "gather"):
                if not head.axes and isinstance(head.node, Tile):
                    self._evaluator.value(head.node)
            elif head.kind == "sort":
                self._hoist([head.node], head.axes)
                self._sorts.run(head)
            elif head.axes:
                self._sweep(group)
            else:
                self._scalar(head)

    def _scalar(self, step: Step) -> None:
        """A step of one element, which all workers make; the first worker stores it to a view."""
        node = step.node
        if isinstance(node, Reduce):
            self._kept_axes.fold(node, [self._evaluator.at], alike=True)
        elif isinstance(node, Store) and isinstance(node.buffer, Memory):
            self._stripes.store(node.buffer, self._evaluator.value(node.value))
        elif isinstance(node, Store):
            self._store_once(node)
        elif isinstance(node, Tile) and step.kind in ("materialize", "assign"):
            value = self._kept(node, step.value)
            self._stripes.store(node, value)
            if step.value is None:
                self._evaluator.at.memo[node] = value
        else:
            raise InternalError("M020", f"a scalar step of kind {step.kind}", loc=node.loc)

    def _store_once(self, store: Store) -> None:
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
        inits = [evaluator.value(loop.inits[k]) for k in carried_scalars(loop)]
        walk(evaluator, loop, inits, partial(self._steps, step.body))

    # Values that may be computed again.

    def _fallback(self, step: Step) -> None:
        """A loop of one round where the condition holds, else of none: all lanes go together."""
        node = step.node
        if not isinstance(node, Fallback):
            raise InternalError("M020", "a fallback step without a fallback", loc=step.node.loc)
        evaluator = self._evaluator
        scalars = [k for k, value in enumerate(node.values) if not value.axes]
        values = [evaluator.value(node.values[k]) for k in scalars]
        when = self._agreed(node)

        def body(_: Value, __: tuple[Value, ...]) -> Sequence[Value]:
            with evaluator.scope({}):
                self._steps(step.body)
                return [evaluator.value(node.instead[k]) for k in scalars]

        results = self.builder.for_(0, self.builder.convert(when, i64), 1, values, body)
        for inner in step.body:
            if isinstance(inner.node, Fallback | Reduce):
                evaluator.taken(inner.node)
        evaluator.results.update({(node, k): v for k, v in zip(scalars, results, strict=True)})

    def _agreed(self, node: Fallback) -> Value:
        """The condition, the same in all subgroups of the program: barriers stand behind it."""
        builder, when = self.builder, self._evaluator.value(node.when)
        if self._mapping.subgroups_per_program == 1 or agrees_unasked(node):
            return when
        word = self._reducer.word()
        builder.barrier()
        told = builder.convert(when, word.dtype)
        first = builder.eq(self._workers.subgroup, 0)
        builder.if_(first, lambda: builder.shared_store(word, 0, told))
        builder.barrier()
        return builder.compute("ne", builder.shared_load(word, 0), 0)

    def _hoist(self, nodes: Sequence[Tile | Effect], axes: tuple[Axis, ...]) -> None:
        """Evaluate once, before a loop over `axes`, what does not depend on them."""
        self._evaluator.hoist(nodes, axes, is_step_of_its_own)

    # Element domains.

    def _element_scope(self, axes: tuple[Axis, ...], at: Element) -> AbstractContextManager[Scope]:
        coordinates = unflatten(self.builder, at.linear, axes)
        return self._evaluator.scope(coordinates, at.mask, axes, at.slot, at.edge)

    def _sweep(self, group: Sequence[Step]) -> None:
        """One loop over an element domain for all steps of the group."""
        axes = group[0].axes
        self._hoist([step.value or step.node for step in group], axes)
        for step in group:
            for result in self._kept_results(step):
                self._stripes.declare(Stripe(result, (result.dtype,), (), step.axes))
        reduces = [step.node for step in group if step.kind == "reduce"]
        machines = [
            StateMachine(self._evaluator, node, drops_nan=node in self._missed_by_none)
            for node in reduces
            if isinstance(node, Reduce)
        ]
        if machines and machines[0].reduction.policy in ORDERED_TREES:
            self._reducer.in_its_order(
                machines[0],
                group[0].elements,
                lambda at: self._element_scope(axes, at),
                self._unrolled,
            )
        else:
            partials = self._reducer.partials(machines)
            states = self._sweep_elements(group, partials)
            for machine, state in zip(machines, partials.merged(states), strict=True):
                self._reducer.across(machine, state)
        for machine in machines:
            if keeps(machine.reduction):
                # A result belongs to one round of the loops over kept axes, not to the program.
                self._kept_axes.record(machine.reduction, self._evaluator.taken(machine.reduction))

    def _sweep_elements(self, group: Sequence[Step], partials: Partials) -> tuple[Value, ...]:
        """Run the steps of a group at every element; returns the accumulators."""
        axes, count = group[0].axes, group[0].elements
        alone = any(step.kind == "fold" for step in group)
        walked = () if alone else group[0].inner
        scans = [step.node for step in group if isinstance(step.node, Scan)]
        running = Running.of(self._evaluator, scans, len(partials.start()))
        ahead = self._ahead(group[0])

        def folding(elements: Sequence[Element], carried: tuple[Value, ...]) -> tuple[Value, ...]:
            return partials.settle(self._folded(group, elements, partials, carried))

        def body(elements: Sequence[Element], carried: tuple[Value, ...]) -> tuple[Value, ...]:
            for at in elements:
                self._evaluator.ahead = ahead.at(at.position, at.mask)
                with self._element_scope(axes, at):
                    for step in group:
                        if isinstance(step.node, Scan):
                            carried = self._scan(step.node, at, running, carried)
                        else:
                            carried = self._element(step, at, partials, carried)
            self._evaluator.ahead = {}
            settle(at.edge for at in elements)
            return partials.settle(carried)

        def sweep(carried: tuple[Value, ...]) -> tuple[Value, ...]:
            if walked:
                self._hoist([step.node for step in group], axes)
            return self._workers.sweep(
                count,
                self._chunks(group, partials),
                carried,
                folding if alone else body,
                unroll_up_to=0 if running.is_long or alone else self._unrolled,
                backwards=running.backwards,
                runs=Runs(RUN, partials.renewed, partials.joined) if partials.has_blocks else None,
                shift=self._shifts.get(axes),
            )

        return self._kept_axes.walk(walked, (*partials.start(), *running.start()), sweep)

    def _folded(
        self,
        group: Sequence[Step],
        elements: Sequence[Element],
        partials: Partials,
        carried: tuple[Value, ...],
    ) -> tuple[Value, ...]:
        """Run the steps of a group that folds, each at all elements before the next step."""
        scopes = []
        for at in elements:
            with self._element_scope(group[0].axes, at) as scope:
                scopes.append(scope)
        for step in group:
            if step.kind == "fold" and isinstance(step.node, Reduce):
                self._kept_axes.fold(step.node, scopes, alike=False)
                continue
            for at, scope in zip(elements, scopes, strict=True):
                with self._evaluator.within(scope):
                    carried = self._element(step, at, partials, carried)
        return carried

    def _chunks(self, group: Sequence[Step], partials: Partials) -> int:
        """The chunks of elements that one round of a sweep takes."""
        folds = [s.node for s in group if s.kind == "fold" and isinstance(s.node, Reduce)]
        if folds:
            return chunks_of_folds(folds, group[0].axes, self._mapping, self._workers.count)
        return chunks_of_round(self._mapping, blocks=partials.has_blocks)

    def _ahead(self, head: Step) -> Ahead:
        """What the loads of a sweep ask for, by its first step."""
        rows, work = self._mapping.ahead, self._plan.work
        loads = asking(work).get(head, ()) if rows and work else ()
        interface, over = self._evaluator.interface, self._rows.parallel.over
        near = work is not None and rows_are_near(work)
        return ahead_of(loads, over[-1], rows, self.builder, interface.stride, near=near)

    @property
    def _unrolled(self) -> int:
        return UNROLLED_CHUNKS if self._cpu else 0

    def _kept_results(self, step: Step) -> Iterator[Result]:
        """The results of a scan that another loop reads, and that are kept for it."""
        if isinstance(step.node, Scan):
            yield from (r for r in step.node.results() if r in self._rows.kept_scans)

    def _element(
        self, step: Step, at: Element, partials: Partials, carried: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """One step at one element; returns the carried accumulators."""
        node, evaluator = step.node, self._evaluator
        if step.kind == "reduce" and isinstance(node, Reduce):
            values = tuple(evaluator.value(arg) for arg in node.args)
            if step.inner and node.law.indexed:
                at = replace(at, linear=self._kept_axes.leaf(node))
            return partials.add(node, at, values, carried)
        if isinstance(node, Store):
            self._store(node)
        elif isinstance(node, Tile):
            value = self._kept(node, step.value)
            self._stripes.store(node, value)
            if step.value is None:
                evaluator.at.memo[node] = value
        return carried

    def _scan(
        self, node: Scan, at: Element, running: Running, carried: tuple[Value, ...]
    ) -> tuple[Value, ...]:
        """A scan at one element: its results are known there, and kept where others read them."""
        evaluator = self._evaluator
        values = tuple(evaluator.value(arg) for arg in node.args)
        found, carried = running.element(node, at, values, carried)
        evaluator.at.memo[node] = found[0]
        for result, value in zip(node.results(), found, strict=True):
            evaluator.at.memo[result] = value
            if result in self._stripes:
                self._stripes.store(result, value)
        return carried

    def _kept(self, node: Tile, value: Tile | None) -> Value:
        """What goes into a stripe: a carried tile's `value`, or a tile that is about to be kept."""
        if value is not None:
            return self._evaluator.value(value)
        if isinstance(node, Load) and isinstance(node.buffer, Memory):
            return self._stripes.load(node.buffer)
        return self._evaluator.compute(node)

    def _store(self, node: Store) -> None:
        if isinstance(node.buffer, Memory):
            self._stripes.store(node.buffer, self._evaluator.value(node.value))
            return
        self._evaluator.store(node, self._active, streaming=self._mapping.streaming)

    def _special(self, node: Tile) -> Value | None:
        """What this map keeps: results of reductions, stripes, memories."""
        if isinstance(node, Result) and isinstance(node.of, Sort):
            return self._sorts.value(node, node.of)
        key, part = _kept_in(node)
        if key in self._stripes:
            if self._stripes.owns(key) or not isinstance(node, Load) or isinstance(key, Memory):
                return self._stripes.load(key, part)
            return None  # a cached input read elsewhere is read from its immutable view
        made = node.of if isinstance(node, Result) else node
        if isinstance(made, Reduce) and made in self._rows.inline:
            lanes = self._rows.lanes or frozenset()
            results = self._kept_axes.inline(made, alike=lanes.isdisjoint(made.spanned))
            return results[node.index if isinstance(node, Result) else 0]
        if isinstance(node, Fallback | Reduce):
            return self._evaluator.results[node, 0]
        if isinstance(node, Carried):
            raise InternalError("M020", "a carried value outside its loop", loc=node.loc)
        return None


def _kept_in(node: Tile) -> tuple[Tile | Memory, int]:
    """The value whose stripe holds a node, if there is one, and which of its arrays."""
    match node:
        case Scan():
            return node.results()[0], 0
        case Result(of=Reduce() as reduction, index=index):
            return reduction, index
        case Result(of=Serial(params=params), index=index):
            return params[index], 0
        case Load(buffer=Memory() as memory):
            return memory, 0
        case _:
            return node, 0
