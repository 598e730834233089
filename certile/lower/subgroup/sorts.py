"""Sorts of the subgroup family: the lanes of one subgroup order the row of their program.

In: the `sort` steps of a row program.  Out: private arrays in which element e of an order belongs
to the worker of e, and the results read there.  Decides nothing about ownership: `workers` does.
Leaves the order itself to `lower.sorting`, and to admission that each sort has one row a program.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

from certile.diagnostics import InternalError
from certile.ir.machine import Value
from certile.ir.rows import Step
from certile.ir.tile import Result, Sort
from certile.ir.types import Axis
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.sorting.rows import ElementVector, Sorter
from certile.lower.workers import Element, Workers

ElementScope = Callable[[tuple[Axis, ...], Element], AbstractContextManager[Scope]]


class RowSorts:
    """The sorts of one kernel."""

    def __init__(self, evaluator: Evaluator, workers: Workers, scope: ElementScope) -> None:
        self._evaluator, self._workers, self._scope = evaluator, workers, scope
        self._sorters: dict[Sort, Sorter] = {}
        self._allocate = partial(evaluator.interface.array, "order")

    def run(self, step: Step) -> None:
        """Order the row of a step."""
        node, workers = step.node, self._workers
        if not isinstance(node, Sort) or workers.subgroups > 1 or workers.lane_elements > 1:
            raise InternalError("M020", "a sort among several subgroups", loc=step.node.loc)

        def source(number: Value, partial: bool) -> ElementVector:
            rest = step.elements % workers.chunk
            full = workers.pack(number, 0)
            (at,) = workers.tail(number, rest, 0) if partial else full
            with self._scope(step.axes, at):
                return ElementVector(self._evaluator.value(node.value), at.linear, at.mask)

        sorter = Sorter(self._evaluator.builder, node, workers.chunk, self._allocate)
        self._sorters[node] = sorter
        sorter.run(source)

    def value(self, result: Result, node: Sort) -> Value:
        """A result at the element in scope, which its worker owns."""
        builder, scope, sorter = self._evaluator.builder, self._evaluator.at, self._sorters[node]
        if not result.axes:
            first = sorter.read(lambda array: builder.first_lane(builder.array_load(array, 0)))
            return sorter.result(result.index, first)
        slot = scope.slot
        if scope.domain != result.axes or slot is None:
            raise InternalError("M021", "a sorted row is read elsewhere", loc=result.loc)
        own = sorter.read(lambda array: builder.array_load(array, slot))
        return sorter.result(result.index, own)
