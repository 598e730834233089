"""Private storage of the subgroup family: what a worker keeps of a value, slot by slot.

In: the stripes of a row program, and an evaluator that stands at an element.  Out: private arrays
and the operations that reach them.  A worker's own elements of the lane axes are numbered as in its
sweep; a stripe with outer axes holds them once for each coordinate of those.  Decides only slots;
who may read what is settled by `analysis.ownership`, and an access it could not have meant is an
internal error.
"""

from __future__ import annotations

from certile.diagnostics import InternalError
from certile.ir.dtypes import i64
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine.build import Builder
from certile.ir.rows import Stripe
from certile.ir.tile import Memory, Tile
from certile.lower.evaluate import Evaluator
from certile.lower.workers import Workers
from certile.plan.ownership.layout import slots


class Stripes:
    """The stripes of one kernel, by the value they keep."""

    def __init__(self, builder: Builder, evaluator: Evaluator, workers: Workers) -> None:
        self._builder, self._evaluator, self._workers = builder, evaluator, workers
        self._found: dict[Tile | Memory, tuple[Stripe, tuple[PrivateArray, ...]]] = {}

    def __contains__(self, key: Tile | Memory) -> bool:
        return key in self._found

    def declare(self, stripe: Stripe) -> None:
        """Allocate a stripe, once."""
        if stripe.key in self._found:
            return
        # An axis without elements keeps nothing; an array has one element all the same.
        count = max(1, self._slots(stripe) * stripe.copies)
        allocate = self._evaluator.interface.array
        made = tuple(allocate("stripe", dtype, count) for dtype in stripe.dtypes)
        self._found[stripe.key] = stripe, made

    def _slots(self, stripe: Stripe) -> int:
        workers = self._workers
        return slots(stripe.elements, workers.count, workers.lane_elements, phase=workers.phase)

    def owns(self, key: Tile | Memory) -> bool:
        """Whether the worker stands at an element of the stripe that it keeps."""
        stripe, _ = self._found[key]
        at = self._evaluator.at
        swept = not stripe.axes or (at.domain == stripe.axes and at.slot is not None)
        return swept and all(
            axis in at.coordinates and at.coordinates[axis].uniform for axis in stripe.outer
        )

    def _slot(self, key: Tile | Memory) -> Value:
        if not self.owns(key):
            raise InternalError("M021", "a kept tile is read at an element its worker may not own")
        stripe, _ = self._found[key]
        builder, at = self._builder, self._evaluator.at
        slot = builder.const(0, i64)
        for axis in stripe.outer:
            slot = builder.add(builder.mul(slot, axis.static), at.coordinates[axis].base)
        if not stripe.axes or at.slot is None:
            return slot
        return builder.add(builder.mul(slot, self._slots(stripe)), at.slot)

    def store(self, key: Tile | Memory, value: Value, part: int = 0) -> None:
        """Keep the element in scope; `part` numbers the results of a reduction."""
        _, arrays = self._found[key]
        self._builder.array_store(arrays[part], self._slot(key), value)

    def load(self, key: Tile | Memory, part: int = 0) -> Value:
        """The element in scope: uniform where all workers keep it."""
        stripe, arrays = self._found[key]
        found = self._builder.array_load(arrays[part], self._slot(key))
        return found if stripe.axes else self._builder.first_lane(found)
