"""TIRx for CPUs: a vector of lanes for every varying value of Machine IR.

In: a machine kernel with one subgroup a group (CPU plans have S = Q = 1), its arguments.  Out: a
loop over groups, parallel where the plan says so.  Decides spelling only.  A masked access touches
nothing outside its mask, so tails do not over-read; lanes that are no neighbours are read and
written one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, bool_, i8, i32, i64, u8
from certile.ir.machine import (
    Address,
    Barrier,
    Collective,
    Load,
    MachineKernel,
    Operation,
    ReadLane,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
)
from certile.tirx import tvm
from certile.tirx.emitter import Arguments, Emitter, shared_table
from certile.tirx.numbers import carried
from certile.tirx.tvm import Place, Term

__all__ = ["TABLE", "VectorsEmitter"]

_LOGIC = {"any": "or", "maximum": "or", "all": "and", "minimum": "and"}


class VectorsEmitter(Emitter):
    """The state of one kernel for a CPU."""

    # Of this TVM leaves what is small on the stack, where LLVM makes registers of it; the rest, and
    # all that is local, it takes from the heap.
    storage: tvm.Storage = "global"

    def __init__(self, kernel: MachineKernel, arguments: Arguments) -> None:
        super().__init__(kernel, "llvm", arguments)
        self.lanes = kernel.lanes
        self._group: Term | None = None

    def operation(self, operation: Operation) -> None:
        TABLE.emit(self, operation)

    def groups(self, count: int, *, parallel: bool) -> None:
        """Write the whole function."""
        start, extent = tvm.constant(0, i64), tvm.constant(count, i64)
        with self.program.loop(start, extent, parallel=parallel) as group:
            self._group = group
            self._declare()
            self.block(self.kernel.body)

    def _declare(self) -> None:
        for own in self.kernel.arrays:
            kind = i8 if own.dtype == bool_ else carried(own.dtype)
            stem = f"own_{own.name}"
            self.arrays[own] = self.program.allocate(
                kind, own.slots, self.storage, lanes=self.lanes, stem=stem
            )

    def special(self, operation: Special) -> Term:
        """Where a lane stands."""
        if operation.kind == "lane":
            return tvm.ramp(tvm.constant(0, i32), 1, self.lanes)
        if operation.kind == "subgroup":
            return tvm.constant(0, i32)
        assert self._group is not None
        return self._group if operation.result.dtype == i64 else tvm.cast(self._group, i32)

    # Lanes.

    def halves(self, fn: str, dtype: DType, value: Term) -> Term:
        """Merge the upper half of the lanes into the lower, until one is left."""
        width = self.lanes
        while width > 1:
            value, width = self.keep(value), width // 2
            low = self.keep(tvm.lanes_of(value, range(width)))
            high = self.keep(tvm.lanes_of(value, range(width, 2 * width)))
            value = self.functions.compute(fn, dtype, [low, high])
        return self.keep(value)

    def vote(self, fn: str, value: Term) -> Term:
        """Whether any or every lane holds true."""
        held = self.conversions.as_integer(value, u8)
        bit = "bit_or" if _LOGIC[fn] == "or" else "bit_and"
        made = self.halves(bit, u8, held)
        return tvm.compare("ne", made, self.numbers.like(0, made))

    def permuted(self, value: Value, sources: list[int]) -> Term:
        """Lane l receives the value of lane `sources[l]`."""
        term = self.at(value, varying=True)
        if term.dtype != bool_:
            return tvm.lanes_of(self.keep(term), sources)
        held = tvm.lanes_of(self.keep(self.conversions.as_integer(term, i8)), sources)
        return tvm.compare("ne", held, self.numbers.like(0, held))

    # Memory.

    def mask(self, mask: Value) -> Term:
        """A mask in every lane."""
        return self.at(mask, varying=True)

    def load(self, operation: Load) -> Term:
        """What a load gives, carried."""
        dtype = operation.buffer.dtype
        if not operation.result.varying:
            return self._uniform_load(operation)
        if operation.address.lane_stride == 1 and operation.address.offset is None:
            raw = self._vector_load(operation)
        else:
            raw = self._gather(operation)
        made = self.conversions.loaded(self.keep(raw), dtype)
        if operation.mask is None or operation.fill is None:
            return made
        fill = self.at(operation.fill, varying=True)
        return tvm.select(self.mask(operation.mask), self.keep(made), fill)

    def _uniform_load(self, operation: Load) -> Term:
        dtype = operation.buffer.dtype
        place = self.arguments.places[operation.buffer]
        raw = tvm.load(place, self.of(operation.address.base))
        if operation.mask is None or operation.fill is None:
            return self.conversions.loaded(self.keep(raw), dtype)
        condition = self.of(operation.mask)
        raw = self.keep(tvm.lazily(condition, raw, self.zero(dtype, 1)))
        made = self.keep(self.conversions.loaded(raw, dtype))
        return tvm.select(condition, made, self.of(operation.fill))

    def _vector_load(self, operation: Load) -> Term:
        place = self.arguments.places[operation.buffer]
        base = self.of(operation.address.base)
        if operation.mask is None:
            return tvm.load(place, tvm.ramp(base, 1, self.lanes))
        return tvm.masked_load(place, base, self.mask(operation.mask), self.lanes)

    def _indices(self, address: Address) -> Place:
        """The element of each lane, in memory."""
        index = self.at(address.base, varying=True)
        if address.lane_stride:
            lane = tvm.ramp(tvm.constant(0, i64), 1, self.lanes)
            stride = address.lane_stride
            step = self.of(stride) if isinstance(stride, Value) else tvm.constant(stride, i64)
            moved = tvm.binary("mul", lane, tvm.spread(step, self.lanes))
            index = tvm.binary("add", index, moved)
        if address.offset is not None:
            index = tvm.binary("add", index, self.at(address.offset, varying=True))
        return self._laid_out(index)

    def _laid_out(self, value: Term) -> Place:
        """The lanes of a value as an array of scalars."""
        held = self.conversions.as_integer(value, i8) if value.dtype == bool_ else value
        place = self.program.allocate(held.dtype, self.lanes, self.storage, stem="lanes")
        self.program.store(place, held, self._all)
        return place

    @property
    def _all(self) -> Term:
        return tvm.ramp(tvm.constant(0, i32), 1, self.lanes)

    def _each(self, mask: Value | None, written: Callable[[Term], None]) -> None:
        """Write something for each lane whose mask holds."""
        held = None if mask is None else self._laid_out(self.mask(mask))
        with self.program.loop(tvm.constant(0, i32), tvm.constant(self.lanes, i32)) as lane:
            if held is None:
                written(lane)
                return
            here = tvm.load(held, lane)
            with self.program.branch(tvm.compare("ne", here, self.numbers.like(0, here))):
                written(lane)

    def _gather(self, operation: Load) -> Term:
        place = self.arguments.places[operation.buffer]
        indices = self._indices(operation.address)
        made = self._laid_out(self.zero(operation.buffer.dtype, self.lanes))

        def read(lane: Term) -> None:
            self.program.store(made, tvm.load(place, tvm.load(indices, lane)), lane)

        self._each(operation.mask, read)
        return tvm.load(made, self._all)

    def store(self, operation: Store) -> None:
        """Write a buffer."""
        dtype = operation.buffer.dtype
        place = self.arguments.places[operation.buffer]
        varying = operation.address.varying or operation.value.varying
        value = self.at(operation.value, varying=varying)
        held = self.keep(self.conversions.stored(value, dtype))
        if not varying:
            self._uniform_store(operation, place, held)
        elif operation.address.lane_stride == 1 and operation.address.offset is None:
            base = self.of(operation.address.base)
            if operation.mask is None:
                self.program.store(place, held, tvm.ramp(base, 1, self.lanes))
            else:
                self.program.masked_store(place, held, base, self.mask(operation.mask))
        else:
            self._scatter(operation, place, held)

    def _uniform_store(self, operation: Store, place: Place, held: Term) -> None:
        base = self.of(operation.address.base)
        if operation.mask is None:
            self.program.store(place, held, base)
            return
        condition = self.of(operation.mask)
        if operation.mask.varying:
            condition = self.vote("any", condition)
        with self.program.branch(condition):
            self.program.store(place, held, base)

    def _scatter(self, operation: Store, place: Place, held: Term) -> None:
        indices, values = self._indices(operation.address), self._laid_out(held)

        def write(lane: Term) -> None:
            self.program.store(place, tvm.load(values, lane), tvm.load(indices, lane))

        self._each(operation.mask, write)


TABLE = shared_table("tirx vectors", VectorsEmitter)


@TABLE.on(Special)
def _special(emitter: VectorsEmitter, operation: Special) -> None:
    emitter.values[operation.result] = emitter.special(operation)


@TABLE.on(Load)
def _load(emitter: VectorsEmitter, operation: Load) -> None:
    emitter.define(operation.result, emitter.load(operation))


@TABLE.on(Store)
def _store(emitter: VectorsEmitter, operation: Store) -> None:
    emitter.store(operation)


@TABLE.on(Collective)
def _collective(emitter: VectorsEmitter, operation: Collective) -> None:
    dtype, value = operation.value.dtype, emitter.at(operation.value, varying=True)
    made = (
        emitter.vote(operation.fn, value)
        if dtype == bool_
        else emitter.halves(operation.fn, dtype, value)
    )
    emitter.define(operation.result, made)


@TABLE.on(Shuffle)
def _shuffle(emitter: VectorsEmitter, operation: Shuffle) -> None:
    sources = [lane ^ operation.mask for lane in range(emitter.lanes)]
    emitter.define(operation.result, emitter.permuted(operation.value, sources))


@TABLE.on(ShuffleUp)
def _shuffle_up(emitter: VectorsEmitter, operation: ShuffleUp) -> None:
    distance = operation.distance
    sources = [k if k < distance else k - distance for k in range(emitter.lanes)]
    emitter.define(operation.result, emitter.permuted(operation.value, sources))


@TABLE.on(ReadLane)
def _read_lane(emitter: VectorsEmitter, operation: ReadLane) -> None:
    emitter.define(operation.result, emitter.permuted(operation.value, [operation.lane]))


def _no_groups(_: VectorsEmitter, operation: SharedLoad | SharedStore | Barrier) -> None:
    raise UnsupportedError(
        "U031", f"a CPU runs one subgroup a group: no {type(operation).__name__}"
    )


TABLE.on(SharedLoad)(_no_groups)
TABLE.on(SharedStore)(_no_groups)
TABLE.on(Barrier)(_no_groups)
