"""The flat map: every element of a launch is owned as if all programs were one row.

In: a plan of the family `flat`.  Out: a launch whose programs are the elements of all programs.  A
group takes S * L * V * U neighbouring elements: in packs of V, but one by one where the launch
ends within the group.  Views have no gaps, so the place of an element is its number; which
program it belongs to is never computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from certile.ir.dtypes import i64
from certile.ir.host import NEAR_BYTES, ViewFacts
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.ir.program import Launch
from certile.ir.rows import RowProgram
from certile.ir.tile import Load, Store, Tile
from certile.ir.types import Axis
from certile.lower.coordinates import Coordinate, value_of
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.interface import Interface
from certile.lower.narrow import most_programs
from certile.plan.flat import accesses
from certile.plan.mapping import Mapping as ExecutionMapping
from certile.plan.record import GroupPlan


class FlatLowering:
    """Lowers one element-wise row program under the flat mapping."""

    def __init__(self, plan: GroupPlan, rows: RowProgram, mapping: ExecutionMapping) -> None:
        self._plan, self._rows, self._mapping = plan, rows, mapping
        self.builder = Builder(plan.sheet.lanes, mapping.subgroups_per_program)
        self._stores = [step.node for step in rows.steps if isinstance(step.node, Store)]
        self._rounds = _rounds(self._stores)

    def run(self, name: str, facts: Mapping[str, ViewFacts]) -> Launch:
        """The launch; `facts` says that no view has gaps, and how its first element is aligned."""
        builder, mapping, rows = self.builder, self._mapping, self._rows
        flat = {name: _as_one_row(known) for name, known in facts.items()}
        most, programs = self._most_elements(facts), most_programs(self._plan)
        interface = Interface(rows.kernel, rows.parallel, flat, builder, most_programs=programs)
        interface.count_elements(rows.steps[0].elements, most)
        self._evaluator = Evaluator(interface, self._plan.sheet, _nothing_is_kept)
        pack = builder.lanes * mapping.lane_elements
        taken = pack * mapping.subgroups_per_program * mapping.unroll
        if most is not None:
            builder.groups = -(-most // taken)
        first = builder.mul(builder.group(), taken)
        with self._evaluator.scope({}):
            # A value that is loaded as it is has nothing below it but where it lies.
            values = [s.value for s in self._stores if not isinstance(s.value, Load)]
            self._evaluator.hoist(values, rows.steps[0].axes, lambda node: isinstance(node, Load))
            total = interface.programs()
            builder.if_(
                builder.compute("le", builder.add(first, taken), total),
                lambda: self._whole(first, pack),
                lambda: self._last(first, taken, total),
            )
        return interface.launch(name, taken)

    def _most_elements(self, facts: Mapping[str, ViewFacts]) -> int | None:
        """The most elements of the launch, where all that are stored lie in near views."""
        views = [store.buffer for store in self._stores]
        if most_programs(self._plan) is None or not all(facts[v.name].near for v in views):
            return None
        return min(NEAR_BYTES // view.dtype.size + 1 for view in views)

    def _whole(self, first: Value, pack: int) -> None:
        """A full group: each thread loads all its packs, then makes and stores their elements.

        Stores are made in order, each for all elements, after the loads that wait for earlier ones.
        """
        builder, evaluator, mapping = self.builder, self._evaluator, self._mapping
        own = builder.add(first, builder.mul(builder.convert(builder.subgroup(), i64), pack))
        scopes: list[Scope] = []
        for turn in range(mapping.unroll):
            for v in range(mapping.lane_elements):
                base = builder.add(own, turn * pack * mapping.subgroups_per_program + v)
                at = Coordinate(base, mapping.lane_elements)
                with evaluator.scope(self._coordinates(at)) as scope:
                    scopes.append(scope)
        for loads, store in self._rounds:
            for scope in scopes:
                with evaluator.within(scope):
                    for load in loads:
                        evaluator.value(load)
            for scope in scopes:
                with evaluator.within(scope):
                    evaluator.store(store)

    def _last(self, first: Value, taken: int, total: Value) -> None:
        """The last group takes one element a lane and round, those below `total`."""
        builder, lanes = self.builder, self.builder.lanes
        threads = lanes * self._mapping.subgroups_per_program
        own = builder.add(first, builder.mul(builder.convert(builder.subgroup(), i64), lanes))

        def round_(start: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            at = Coordinate(builder.add(own, start), 1)
            mask = builder.lt(value_of(builder, at), total)
            with self._evaluator.scope(self._coordinates(at), mask):
                for store in self._stores:
                    self._evaluator.store(store)
            return ()

        builder.for_(0, taken, threads, (), round_)

    def _coordinates(self, at: Coordinate) -> dict[Axis, Coordinate]:
        """The number of an element as the coordinate of the innermost axis, the others at 0."""
        axes = (*self._rows.parallel.over, *self._rows.steps[0].axes)
        zero = Coordinate(self.builder.const(0, i64))
        return {**dict.fromkeys(axes[:-1], zero), axes[-1]: at}


def _rounds(stores: Sequence[Store]) -> tuple[tuple[tuple[Load, ...], Store], ...]:
    """The stores in order, each with the loads that are made before it and not sooner.

    All loads are made before the first store, but those of a view that an earlier one has stored.
    """
    seen: set[Load] = set()
    rounds: list[list[Load]] = [[] for _ in stores]
    stored: set[object] = set()
    for number, store in enumerate(stores):
        loads = [node for node in accesses([store]) if isinstance(node, Load) and node not in seen]
        seen.update(loads)
        for load in loads:
            rounds[number if load.buffer in stored else 0].append(load)
        stored.add(store.buffer)
    return tuple((tuple(loads), store) for loads, store in zip(rounds, stores, strict=True))


def _as_one_row(known: ViewFacts) -> ViewFacts:
    """The facts of a view without gaps when only its innermost coordinate moves."""
    if known.dense is None:
        return known
    inner = len(known.strides) - 1
    return ViewFacts((*(0 for _ in range(inner)), 1), known.dense[1], near=known.near)


def _nothing_is_kept(_: Tile) -> None:
    return None
