"""Placed memories of the reference map: private arrays of a program, element by element.

In: loads and stores of memories, at the element in scope.  Out: array accesses.  Decides which slot
an element has: the memory's layout says so, row-major where it has none.  Slots that are the same
in every lane are addressed; lanes that want different ones look through all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from math import prod

from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, i64
from certile.ir.layouts import BitLinear, Layout, MixedRadix, Table, row_major
from certile.ir.machine import PrivateArray, Value
from certile.ir.machine.build import Builder
from certile.ir.tile import Load, Memory, Store
from certile.lower.evaluate import Evaluator
from certile.records import record

# A look through more slots than these would cost more than any kernel that wants it is worth.
MOST_SLOTS_LOOKED_THROUGH = 256


@record(slots=False)
class Placed:
    """The memories of one program; `allocate` gives private arrays."""

    evaluator: Evaluator
    allocate: Callable[[DType, int], PrivateArray]
    arrays: dict[Memory, PrivateArray] = field(default_factory=dict)

    @property
    def builder(self) -> Builder:
        """What operations are written with."""
        return self.evaluator.builder

    def load(self, load: Load) -> Value:
        """The element that a load reads, its fill where its mask is off."""
        array, slot, mask = self._place(load)
        found = look_up(self.builder, array, slot)
        if mask is None or load.fill is None:
            return found
        return self.builder.select(mask, found, self.evaluator.value(load.fill))

    def store(self, store: Store) -> None:
        """Write an element where the mask is on."""
        builder = self.builder
        value = self.evaluator.value(store.value)
        array, slot, mask = self._place(store)

        def write(at: Value, here: Value | None) -> None:
            guard = builder.and_(mask, here)
            kept = value
            if guard is not None:
                kept = builder.select(guard, value, builder.array_load(array, at))
            builder.array_store(array, at, kept)

        if not slot.varying:
            write(slot, None)
            return

        def body(at: Value, _: tuple[Value, ...]) -> tuple[Value, ...]:
            write(at, builder.eq(slot, at))
            return ()

        builder.for_(0, array.slots, 1, (), body)

    def _place(self, access: Load | Store) -> tuple[PrivateArray, Value, Value | None]:
        """The array, the slot and the mask of an access."""
        memory, evaluator = access.buffer, self.evaluator
        assert isinstance(memory, Memory)
        indices = [evaluator.value(index) for index in access.indices]
        mask = None if access.mask is None else evaluator.value(access.mask)
        if mask is not None:
            # Outside the mask an index may be anything; the slot it stands for must exist.
            zero = self.builder.const(0, i64)
            indices = [self.builder.select(mask, index, zero) for index in indices]
        array = self._array(memory)
        slot = slot_of(self.builder, _layout(memory), indices)
        if slot.varying and array.slots > MOST_SLOTS_LOOKED_THROUGH:
            message = f"{array.slots} elements are indexed by a value that depends on data"
            hint = f"memories of at most {MOST_SLOTS_LOOKED_THROUGH} elements are looked through"
            raise UnsupportedError("U021", message, loc=access.loc, hint=hint)
        return array, slot, mask

    def _array(self, memory: Memory) -> PrivateArray:
        if memory not in self.arrays:
            self.arrays[memory] = self.allocate(memory.dtype, _layout(memory).cosize)
        return self.arrays[memory]


def look_up(builder: Builder, array: PrivateArray, slot: Value) -> Value:
    """A slot of an array.  Lanes that want different slots look through all of them."""
    if not slot.varying:
        return builder.array_load(array, slot)

    def body(at: Value, found: tuple[Value, ...]) -> tuple[Value, ...]:
        here = builder.array_load(array, at)
        return (builder.select(builder.eq(slot, at), here, found[0]),)

    start = (builder.const(0, array.dtype),)
    return builder.for_(0, array.slots, 1, start, body, varying=True)[0]


def _layout(memory: Memory) -> Layout:
    if memory.layout is not None:
        return memory.layout
    return row_major([axis.static for axis in memory.axes])


def slot_of(builder: Builder, layout: Layout, indices: Sequence[Value]) -> Value:
    """The offset of a coordinate under a layout, as an i64 value."""
    match layout:
        case MixedRadix():
            return _by_digits(builder, layout, indices)
        case BitLinear():
            return _by_bits(builder, layout, indices)
        case Table():
            return _by_table(builder, layout, indices)


def _by_digits(builder: Builder, layout: MixedRadix, indices: Sequence[Value]) -> Value:
    total = builder.const(0, i64)
    for digits, index in zip(layout.digits, indices, strict=True):
        below = 1
        for number, digit in enumerate(reversed(digits)):
            value = builder.floordiv(index, below)
            if number < len(digits) - 1:
                value = builder.mod(value, digit.extent)
            total = builder.add(total, builder.mul(value, digit.stride))
            below *= digit.extent
    return total


def _by_bits(builder: Builder, layout: BitLinear, indices: Sequence[Value]) -> Value:
    total = builder.const(0, i64)
    one = builder.const(1, i64)
    for columns, index in zip(layout.columns, indices, strict=True):
        for bit, column in enumerate(columns):
            shifted = builder.compute("shr", index, builder.const(bit, i64))
            is_set = builder.compute("bit_and", shifted, one)
            total = builder.compute("bit_xor", total, builder.mul(is_set, column))
    return total


def _by_table(builder: Builder, layout: Table, indices: Sequence[Value]) -> Value:
    """The entry for a coordinate, picked from all: Machine IR has no constant arrays."""
    if prod(layout.extents) > MOST_SLOTS_LOOKED_THROUGH:
        message = f"a layout by a table of {len(layout.offsets)} offsets"
        hint = f"tables of at most {MOST_SLOTS_LOOKED_THROUGH} entries are generated"
        raise UnsupportedError("U022", message, hint=hint)
    number = slot_of(builder, row_major(layout.extents), indices)
    total = builder.const(0, i64)
    for at, offset in enumerate(layout.offsets):
        entry = builder.const(0 if offset is None else offset, i64)
        total = builder.select(builder.eq(number, at), entry, total)
    return total
