"""TIRx for GPUs: one scalar a thread for every value of Machine IR.

In: a verified `MachineKernel` of 32 lanes, its arguments.  Out: statements over blockIdx and
threadIdx.  Decides spelling only: a group is a block or threadgroup, a subgroup a warp or SIMD
group, proved neighbours are one vector access.  Leaves to `lanes` what lanes exchange.  Refuses by
name the order that TVM's Metal printer cannot write: of lanes that meet in device memory.
"""

from __future__ import annotations

from certile.codegen.packs import Pack, packs
from certile.codegen.threads.order import Memory, MemoryOrder
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, bool_, i8, i32, i64
from certile.ir.machine import (
    Address,
    Barrier,
    Block,
    Buffer,
    Collective,
    Load,
    MachineKernel,
    Operation,
    ReadLane,
    SharedArray,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
    operations,
)
from certile.tirx import tvm
from certile.tirx.conversions import stored_type
from certile.tirx.emitter import Arguments, Emitter, shared_table
from certile.tirx.externs import TirxTarget
from certile.tirx.lanes import WARP, Lanes
from certile.tirx.numbers import carried
from certile.tirx.tvm import Place, Term
from certile.tirx.tvm_program import positions

__all__ = ["TABLE", "ThreadsEmitter"]

# Elements of these types in memory are read and written several at once.
_PACKED = frozenset({"f32", "i32", "u32", "f16", "u16"})
_MOST_PACKED = 4


class ThreadsEmitter(Emitter):
    """The state of one kernel for a GPU."""

    def __init__(
        self, kernel: MachineKernel, target: TirxTarget, arguments: Arguments, groups: int
    ) -> None:
        super().__init__(kernel, target, arguments)
        self.launched = positions(groups, kernel.lanes * kernel.subgroups)
        self.warp = Lanes(self.numbers, self.conversions, self.functions)
        self.order = MemoryOrder(kernel, self._meet)
        self.packs: dict[Operation, Pack] = {}
        self.loaded_packs: dict[Pack, Term] = {}
        self.shared: dict[SharedArray, Place] = {
            array: self.program.allocate(
                stored_type(array.dtype, target), array.count, "shared", stem=f"shared_{array.name}"
            )
            for array in kernel.shared
        }
        for own in kernel.arrays:
            kind = i8 if own.dtype == bool_ else carried(own.dtype)
            self.arrays[own] = self.program.allocate(kind, own.slots, stem=f"own_{own.name}")
        thread = self.launched.thread
        last = tvm.constant(WARP - 1, i32)
        self.lane = self.program.bind(tvm.binary("bit_and", thread, last), "lane")
        five = tvm.constant(5, i32)
        self.subgroup = self.program.bind(tvm.binary("shr", thread, five), "subgroup")
        self.group = {i32: self.launched.group}
        if _has_wide_group(kernel):
            self.group[i64] = self.program.bind(tvm.cast(self.launched.group, i64), "group")

    def operation(self, operation: Operation) -> None:
        TABLE.emit(self, operation)

    def block(self, block: Block) -> None:
        self.packs.update(packs(block, self.facts, self._pack_limit))
        super().block(block)

    def _pack_limit(self, dtype: DType) -> int:
        kind = stored_type(dtype, self.target)
        return min(_MOST_PACKED, 16 // kind.size) if kind.name in _PACKED else 1

    def _meet(self, memory: Memory) -> None:
        if isinstance(memory, Buffer) and self.target == "metal":
            message = (
                f"lanes of {self.kernel.name} meet in {memory.name}, and TVM's Metal text orders "
                "threadgroup memory only"
            )
            raise UnsupportedError("U321", message)
        self.program.synchronise("warp")
        if self.target == "cuda":
            # A warp barrier orders all memory.
            self.order.ordered()
        else:
            self.order.ordered(m for m in self.order.exchanged if isinstance(m, SharedArray))

    # Memory.

    def element(self, address: Address, base: Term) -> Term:
        """The index of the element that an address names."""
        index = base
        if address.lane_stride is not None:
            lane = tvm.cast(self.lane, address.dtype)
            stride = address.lane_stride
            if stride != 1:
                factor = (
                    self.of(stride)
                    if isinstance(stride, Value)
                    else tvm.constant(stride, address.dtype)
                )
                lane = tvm.binary("mul", lane, factor)
            index = tvm.binary("add", index, lane)
        if address.offset is not None:
            index = tvm.binary("add", index, self.of(address.offset))
        return index

    def read(self, place: Place, index: Term, dtype: DType, operation: Load | SharedLoad) -> Term:
        """An element, carried, or the fill where the mask does not hold."""
        raw = tvm.load(place, index)
        mask, fill = operation.mask, operation.fill
        if mask is None or fill is None:
            return self.conversions.loaded(self.keep(raw), dtype)
        condition = self.of(mask)
        if stored_type(dtype, self.target) == carried(dtype):
            return tvm.lazily(condition, raw, self.of(fill))
        raw = self.keep(tvm.lazily(condition, raw, self.zero(dtype, 1)))
        made = self.keep(self.conversions.loaded(raw, dtype))
        return tvm.select(condition, made, self.of(fill))

    def packed(self, pack: Pack, operation: Load) -> Term:
        """An element of a pack, which is read where its first load stands."""
        if pack not in self.loaded_packs:
            buffer = operation.buffer
            self.order.before_load(buffer)
            width = len(pack.accesses)
            raw = tvm.load(self.arguments.places[buffer], self._pack_index(pack))
            if operation.mask is not None:
                nothing = self.zero(buffer.dtype, width)
                raw = tvm.lazily(self.of(operation.mask), raw, nothing)
            self.loaded_packs[pack] = self.keep(raw)
        item = tvm.lanes_of(self.loaded_packs[pack], [pack.accesses.index(operation)])
        made = self.conversions.loaded(self.keep(item), operation.buffer.dtype)
        if operation.mask is None or operation.fill is None:
            return made
        return tvm.select(self.of(operation.mask), self.keep(made), self.of(operation.fill))

    def _pack_index(self, pack: Pack) -> Term:
        base = self.of(pack.core)
        if pack.constant:
            base = tvm.binary("add", base, tvm.constant(pack.constant, base.dtype))
        first, width = self.element(pack.accesses[0].address, base), len(pack.accesses)
        if not pack.accesses[0].buffer.skew:
            # Proved to be a multiple; TVM takes several elements at once where it sees a factor.
            far = tvm.constant(width.bit_length() - 1, first.dtype)
            first = tvm.binary("shr", self.keep(first), far)
            first = tvm.binary("mul", first, tvm.constant(width, first.dtype))
        return tvm.ramp(first, 1, width)

    def write(
        self, place: Place, index: Term, value: Term, mask: Value | None, *, once: bool
    ) -> None:
        """A store under its mask; `once` is by lane 0 alone."""
        conditions = [tvm.compare("eq", self.lane, tvm.constant(0, i32))] if once else []
        if mask is not None:
            conditions.append(self.of(mask))
        # A compiler of CUDA takes a plain store of several elements apart.
        at_once = self.target == "cuda" and value.lanes > 1
        store = self.program.store_at_once if at_once else self.program.store
        if not conditions:
            store(place, value, index)
            return
        with self.program.branch(self.together(conditions)):
            store(place, value, index)

    def write_pack(self, pack: Pack) -> None:
        """Write a pack where its last store stands: every element is known there."""
        stores = [access for access in pack.accesses if isinstance(access, Store)]
        buffer = stores[0].buffer
        self.order.before_store(buffer)
        values = [
            self.keep(self.conversions.stored(self.of(store.value), buffer.dtype))
            for store in stores
        ]
        whole = tvm.shuffled(values, range(len(values)))
        place, index = self.arguments.places[buffer], self._pack_index(pack)
        self.write(place, index, whole, stores[0].mask, once=False)


def _has_wide_group(kernel: MachineKernel) -> bool:
    """Whether a kernel reads the number of its group in 64 bits."""
    read = (o for o in operations(kernel.body) if isinstance(o, Special))
    return any(o.kind == "group" and o.result.dtype == i64 for o in read)


TABLE = shared_table("tirx threads", ThreadsEmitter)


@TABLE.on(Special)
def _special(emitter: ThreadsEmitter, operation: Special) -> None:
    match operation.kind:
        case "lane":
            value = emitter.lane
        case "subgroup":
            value = emitter.subgroup
        case "group":
            value = emitter.group[operation.result.dtype]
    emitter.values[operation.result] = value


@TABLE.on(Load)
def _load(emitter: ThreadsEmitter, operation: Load) -> None:
    pack = emitter.packs.get(operation)
    if pack is not None:
        emitter.define(operation.result, emitter.packed(pack, operation))
        return
    emitter.order.before_load(operation.buffer)
    place = emitter.arguments.places[operation.buffer]
    index = emitter.element(operation.address, emitter.of(operation.address.base))
    made = emitter.read(place, index, operation.buffer.dtype, operation)
    emitter.define(operation.result, made)


@TABLE.on(Store)
def _store(emitter: ThreadsEmitter, operation: Store) -> None:
    pack = emitter.packs.get(operation)
    if pack is not None:
        if operation is pack.last:
            emitter.write_pack(pack)
        return
    emitter.order.before_store(operation.buffer)
    value = emitter.keep(
        emitter.conversions.stored(emitter.of(operation.value), operation.buffer.dtype)
    )
    place = emitter.arguments.places[operation.buffer]
    index = emitter.element(operation.address, emitter.of(operation.address.base))
    once = not operation.address.varying
    emitter.write(place, index, value, operation.mask, once=once)


@TABLE.on(SharedLoad)
def _shared_load(emitter: ThreadsEmitter, operation: SharedLoad) -> None:
    emitter.order.before_load(operation.array)
    place, index = emitter.shared[operation.array], emitter.of(operation.index)
    made = emitter.read(place, index, operation.array.dtype, operation)
    emitter.define(operation.result, made)


@TABLE.on(SharedStore)
def _shared_store(emitter: ThreadsEmitter, operation: SharedStore) -> None:
    emitter.order.before_store(operation.array)
    value = emitter.keep(
        emitter.conversions.stored(emitter.of(operation.value), operation.array.dtype)
    )
    place, index = emitter.shared[operation.array], emitter.of(operation.index)
    once = not operation.index.varying
    emitter.write(place, index, value, operation.mask, once=once)


def _lanes_met(emitter: ThreadsEmitter) -> None:
    """What lanes exchange on CUDA orders their memory too."""
    if emitter.target == "cuda":
        emitter.order.ordered()


@TABLE.on(Collective)
def _collective(emitter: ThreadsEmitter, operation: Collective) -> None:
    _lanes_met(emitter)
    value = emitter.keep(emitter.of(operation.value))
    made = emitter.warp.collective(operation.fn, operation.value.dtype, value)
    emitter.define(operation.result, made)


def _exchange(
    emitter: ThreadsEmitter, operation: Shuffle | ShuffleUp | ReadLane, how: str, number: int
) -> None:
    _lanes_met(emitter)
    value = emitter.keep(emitter.of(operation.value))
    emitter.define(operation.result, emitter.warp.exchange(how, value, number))


@TABLE.on(Shuffle)
def _shuffle(emitter: ThreadsEmitter, operation: Shuffle) -> None:
    _exchange(emitter, operation, "xor", operation.mask)


@TABLE.on(ShuffleUp)
def _shuffle_up(emitter: ThreadsEmitter, operation: ShuffleUp) -> None:
    _exchange(emitter, operation, "up", operation.distance)


@TABLE.on(ReadLane)
def _read_lane(emitter: ThreadsEmitter, operation: ReadLane) -> None:
    _exchange(emitter, operation, "of", operation.lane)


@TABLE.on(Barrier)
def _barrier(emitter: ThreadsEmitter, operation: Barrier) -> None:
    if emitter.target == "metal" and any(isinstance(m, Buffer) for m in emitter.order.exchanged):
        message = f"groups of {emitter.kernel.name} meet in device memory, which TVM's Metal text"
        raise UnsupportedError("U321", f"{message} does not order")
    emitter.program.synchronise("shared")
    emitter.order.ordered()
