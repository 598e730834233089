"""Group memory of a group's program: what one thread writes there, any thread may read.

In: the places that the program keeps, and an evaluator that stands at an element.  Out: shared
arrays, and loads and stores of them.  Decides where an element lies: at its row-major position, and
in a placed memory where its layout says.  A thread that stands at an element it owns knows the
position already.  Leaves it to fences that a value is there when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.ir.dtypes import DType, bool_, i64
from certile.ir.groups import Key, Place, held, place_of
from certile.ir.layouts import row_major
from certile.ir.machine import SharedArray, Value
from certile.ir.node import Node
from certile.ir.tile import Load, Memory, Store
from certile.ir.types import Axis
from certile.lower.coordinates import value_of
from certile.lower.evaluate import Evaluator
from certile.lower.reference.memories import slot_of
from certile.records import record


@record
class _Array:
    """A shared array, and the type of the values that it holds."""

    shared: SharedArray
    dtype: DType


class GroupMemory:
    """The shared arrays of one kernel."""

    def __init__(self, evaluator: Evaluator, places: Sequence[Place]) -> None:
        self._evaluator, self._builder = evaluator, evaluator.builder
        self._arrays: dict[Key, tuple[_Array, ...]] = {}
        for place in places:
            first = len(self.shared)
            self._arrays[place.key] = tuple(
                _Array(SharedArray(f"kept{first + k}", held(dtype), max(1, place.elements)), dtype)
                for k, dtype in enumerate(place.dtypes)
            )

    @property
    def shared(self) -> tuple[SharedArray, ...]:
        """All arrays, in order."""
        return tuple(each.shared for arrays in self._arrays.values() for each in arrays)

    def holds(self, node: Node) -> bool:
        """Whether a node is read from here."""
        found = place_of(node)
        return found is not None and found[0] in self._arrays

    def read(self, node: Node, axes: tuple[Axis, ...]) -> Value | None:
        """A node at the element in scope, or None where it is not kept."""
        found = place_of(node)
        if found is None or found[0] not in self._arrays:
            return None
        return self.element(*found, axes)

    # Elements at their row-major position.

    def element(self, key: Key, part: int, axes: tuple[Axis, ...]) -> Value:
        """What is kept for the element in scope; anything outside the mask of the scope."""
        mask = self._evaluator.at.mask if axes else None
        return self._load(self._arrays[key][part], self._position(axes), mask)

    def keep(self, key: Key, part: int, axes: tuple[Axis, ...], value: Value) -> None:
        """Write the element that the thread owns, where it exists."""
        at = self._evaluator.at
        index = at.slot if at.slot is not None and at.domain == axes else self._position(axes)
        self._store(self._arrays[key][part], index, value, at.mask)

    def publish(self, key: Key, part: int, position: Value, value: Value) -> None:
        """Write a value that is the same in a subgroup: its first lane does."""
        self._store(self._arrays[key][part], position, value, None)

    def _position(self, axes: tuple[Axis, ...]) -> Value:
        builder, at = self._builder, self._evaluator.at
        if axes and at.slot is not None and at.domain == axes:
            return at.slot
        position = builder.const(0, i64)
        for axis in axes:
            here = value_of(builder, at.coordinates[axis])
            position = builder.add(builder.mul(position, axis.static), here)
        return position

    # Placed memories.

    def load(self, load: Load) -> Value:
        """The element that a load of a memory reads, its fill where its mask is off."""
        array, index, mask = self._access(load)
        found = self._load(array, index, mask)
        if load.mask is None or load.fill is None:
            return found
        own = self._evaluator.value(load.mask)
        return self._builder.select(own, found, self._evaluator.value(load.fill))

    def store(self, store: Store) -> None:
        """Write an element of a memory where the mask is on."""
        value = self._evaluator.value(store.value)
        array, index, mask = self._access(store)
        self._store(array, index, value, mask)

    def _access(self, access: Load | Store) -> tuple[_Array, Value, Value | None]:
        memory, evaluator, builder = access.buffer, self._evaluator, self._builder
        assert isinstance(memory, Memory)
        own = None if access.mask is None else evaluator.value(access.mask)
        indices = [evaluator.value(index) for index in access.indices]
        layout = memory.layout or row_major([axis.static for axis in memory.axes])
        index = slot_of(builder, layout, indices)
        return self._arrays[memory][0], index, builder.and_(evaluator.at.mask, own)

    # Values as they are held.

    def _load(self, array: _Array, index: Value, mask: Value | None) -> Value:
        fill = None if mask is None else self._builder.const(0, array.shared.dtype)
        found = self._builder.shared_load(array.shared, index, mask, fill)
        if array.dtype == bool_:
            return self._builder.compute("ne", found, self._builder.const(0, array.shared.dtype))
        return found

    def _store(self, array: _Array, index: Value, value: Value, mask: Value | None) -> None:
        made = self._builder.convert(value, array.shared.dtype)
        self._builder.shared_store(array.shared, index, made, mask)
