"""Memory accesses of Machine IR in LLVM: vectors where lanes are contiguous, gathers where not.

In: loads and stores of buffers and private arrays.  Out: the lines that make them.  Decides which
accesses are vectors, and which private arrays are registers.

A masked access touches nothing outside its mask, so tails do not over-read.  Private arrays whose
every slot is a constant, outside loops and branches, never reach memory: their slots are SSA
values.  The others live in the scratch block of the running thread.
"""

from __future__ import annotations

from certile.codegen.cpu.writer import STREAMED, Writer, memory_type, scalar_type
from certile.ir.dtypes import bool_, i64
from certile.ir.machine import (
    Address,
    ArrayLoad,
    ArrayStore,
    Ask,
    Buffer,
    Constant,
    Load,
    MachineKernel,
    PrivateArray,
    Store,
    Value,
    operations,
)

STREAM_BYTES = 64
# Where what is asked for lies until it is read, in LLVM's numbers: in the first cache, for one
# read, or in the second.  Requests of the first wait where loads wait, and there is room for few.
_ONE_READ, _SECOND_CACHE = 0, 2
# The stride up to which strided lanes are picked out of vectors: with more, few lanes share one.
_NEAR_STRIDE = 4
# The least a store past the cache writes.
_LEAST_STREAMED = 16


def promoted(kernel: MachineKernel) -> set[PrivateArray]:
    """The private arrays whose accesses are all in the outermost block, at constant slots."""
    constants = {op.result for op in operations(kernel.body) if isinstance(op, Constant)}
    top = set(map(id, kernel.body.operations))
    bad: set[PrivateArray] = set()
    for op in operations(kernel.body):
        if isinstance(op, ArrayLoad | ArrayStore) and (
            id(op) not in top or op.slot not in constants
        ):
            bad.add(op.array)
    return set(kernel.arrays) - bad


def scratch_layout(kernel: MachineKernel) -> tuple[dict[PrivateArray, int], int]:
    """The byte offset of every array kept in scratch, each 64-byte aligned, and the total."""
    offsets: dict[PrivateArray, int] = {}
    total = 0
    registers = promoted(kernel)
    for array in kernel.arrays:
        if array not in registers:
            offsets[array] = total
            size = array.slots * kernel.lanes * array.dtype.size
            total += -(-size // STREAM_BYTES) * STREAM_BYTES
    return offsets, total


class Memory:
    """Emits loads and stores.  `pointers` names each buffer's base pointer."""

    def __init__(self, writer: Writer, kernel: MachineKernel, pointers: dict[Buffer, str]) -> None:
        self._writer = writer
        self._lanes = kernel.lanes
        self._pointers = pointers
        self._registers = promoted(kernel)
        self._offsets, self.scratch_bytes = scratch_layout(kernel)
        self._slots: dict[tuple[PrivateArray, int], str] = {}
        self._constants: dict[Value, int] = {
            op.result: int(op.value)
            for op in operations(kernel.body)
            if isinstance(op, Constant) and not op.result.dtype.is_float
        }

    # Global memory.

    def _pointer(self, buffer: Buffer, index: str) -> str:
        kind = memory_type(buffer.dtype)
        base = self._pointers[buffer]
        return self._writer.op(f"getelementptr inbounds {kind}, ptr {base}, i64 {index}")

    def _pointers_of(self, buffer: Buffer, address: Address) -> str:
        """One pointer a lane: base + lane * stride + offset."""
        writer, words = self._writer, self._writer.vector("i64")
        index = writer.spread(writer.name(address.base), "i64")
        if address.lane_stride is not None:
            lane = "<" + ", ".join(f"i64 {k}" for k in range(self._lanes)) + ">"
            if isinstance(address.lane_stride, int):
                step = f"splat (i64 {address.lane_stride})"
            else:
                step = writer.spread(writer.name(address.lane_stride), "i64")
            moved = writer.op(f"mul {words} {lane}, {step}")
            index = writer.op(f"add {words} {index}, {moved}")
        if address.offset is not None:
            index = writer.op(f"add {words} {index}, {writer.at(address.offset, True)}")
        kind, base = memory_type(buffer.dtype), self._pointers[buffer]
        return writer.op(f"getelementptr {kind}, ptr {base}, {words} {index}")

    def load(self, op: Load) -> None:
        """Read a buffer into `op.result`."""
        dtype, varying = op.buffer.dtype, op.result.varying
        if not varying:
            raw = self._uniform_load(op)
        elif op.address.lane_stride == 1 and op.address.offset is None:
            raw = self._vector_load(op)
        elif (stride := op.address.lane_stride) and op.address.offset is None and op.mask is None:
            raw = self._strided_load(op.buffer, self._writer.name(op.address.base), stride)
        else:
            raw = self._gather(op)
        if dtype == bool_ and not (op.mask is not None and not varying):
            raw = self._truth(raw, varying)
        self._writer.define(op.result, raw)

    def _truth(self, raw: str, varying: bool) -> str:
        kind = self._writer.vector("i8") if varying else "i8"
        zero = "zeroinitializer" if varying else "0"
        return self._writer.op(f"icmp ne {kind} {raw}, {zero}")

    def _uniform_load(self, op: Load) -> str:
        writer, kind = self._writer, memory_type(op.buffer.dtype)

        def read() -> str:
            pointer = self._pointer(op.buffer, writer.name(op.address.base))
            raw = writer.op(f"load {kind}, ptr {pointer}, align {op.buffer.dtype.size}")
            guarded = op.mask is not None and op.buffer.dtype == bool_
            return self._truth(raw, False) if guarded else raw

        if op.mask is None or op.fill is None:
            return read()
        mask, fill = writer.name(op.mask), writer.name(op.fill)
        return writer.branch(mask, read, fill, writer.type_of(op.result))

    def _mask(self, mask: Value | None) -> str:
        if mask is None:
            return "splat (i1 true)"
        return self._writer.at(mask, True)

    def _fill(self, op: Load) -> str:
        """What masked-off lanes receive, as memory holds it."""
        if op.fill is None:
            return "poison"
        name = self._writer.at(op.fill, True)
        if op.buffer.dtype != bool_:
            return name
        kind = self._writer.vector("i1")
        return self._writer.op(f"zext {kind} {name} to {self._writer.vector('i8')}")

    def _vector_load(self, op: Load) -> str:
        writer, dtype = self._writer, op.buffer.dtype
        kind = writer.vector(memory_type(dtype))
        pointer = self._pointer(op.buffer, writer.name(op.address.base))
        if op.mask is None:
            return writer.op(f"load {kind}, ptr {pointer}, align {dtype.size}")
        name = f"llvm.masked.load.v{self._lanes}{_code(memory_type(dtype))}.p0"
        bits = writer.vector("i1")
        guard = f"{bits} {self._mask(op.mask)}, {kind} {self._fill(op)}"
        args = f"ptr align {dtype.size} {pointer}, {guard}"
        return writer.call(kind, name, args, f"ptr, {bits}, {kind}")

    def _strided_load(self, buffer: Buffer, base: str, stride: int | Value) -> str:
        """Lanes that lie evenly apart, all of them: vectors and shuffles where they are near.

        Elsewhere one load a lane.  A gather of as many takes longer where it was measured (Zen 4),
        and waits for all its lines where single loads do not.
        """
        if isinstance(stride, int) and abs(stride) <= _NEAR_STRIDE:
            return self._picked(buffer, base, stride)
        writer, kind = self._writer, memory_type(buffer.dtype)
        step = str(stride) if isinstance(stride, int) else writer.name(stride)
        pointer, whole = self._pointer(buffer, base), "poison"
        for lane in range(self._lanes):
            if lane:
                pointer = writer.op(f"getelementptr {kind}, ptr {pointer}, i64 {step}")
            one = writer.op(f"load {kind}, ptr {pointer}, align {buffer.dtype.size}")
            whole = writer.op(
                f"insertelement {writer.vector(kind)} {whole}, {kind} {one}, i64 {lane}"
            )
        return whole

    def _picked(self, buffer: Buffer, base: str, stride: int) -> str:
        """Every `stride`-th element from `base` on, picked out of whole vectors.

        The last vector ends with the last element, so that nothing beyond the lanes is read.
        """
        writer, lanes, dtype = self._writer, self._lanes, buffer.dtype
        span = (lanes - 1) * abs(stride) + 1
        first = base if stride > 0 else writer.op(f"add i64 {base}, {(lanes - 1) * stride}")
        kind, made = writer.vector(memory_type(dtype)), "poison"
        places = range(0, span, abs(stride))[:: 1 if stride > 0 else -1]
        done = 0
        for begin in [*range(0, span - lanes, lanes), span - lanes]:
            index = writer.op(f"add i64 {first}, {begin}")
            pointer = self._pointer(buffer, index)
            vector = writer.op(f"load {kind}, ptr {pointer}, align {dtype.size}")
            # What earlier vectors hold stays where it is.
            picked = ", ".join(
                f"i32 {lane if place < done else lanes + place - begin}"
                if place < begin + lanes
                else "i32 poison"
                for lane, place in enumerate(places)
            )
            made = writer.op(
                f"shufflevector {kind} {made}, {kind} {vector}, <{lanes} x i32> <{picked}>"
            )
            done = begin + lanes
        return made

    def ask(self, op: Ask) -> None:
        """Ask memory for a line."""
        writer, kind = self._writer, memory_type(op.buffer.dtype)
        index = f"ptr {self._pointers[op.buffer]}, i64 {writer.name(op.place)}"
        pointer = writer.op(f"getelementptr {kind}, {index}")
        kept = _ONE_READ if op.near else _SECOND_CACHE
        writer.declarations.add("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        writer.line(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 {kept}, i32 1)")

    def _gather(self, op: Load) -> str:
        writer, dtype = self._writer, op.buffer.dtype
        element = memory_type(dtype)
        kind, bits = writer.vector(element), writer.vector("i1")
        pointers, many = self._pointers_of(op.buffer, op.address), writer.vector("ptr")
        name = f"llvm.masked.gather.v{self._lanes}{_code(element)}.v{self._lanes}p0"
        args = (
            f"{many} align {dtype.size} {pointers}, {bits} {self._mask(op.mask)}, "
            f"{kind} {self._fill(op)}"
        )
        return writer.call(kind, name, args, f"{many}, {bits}, {kind}")

    def store(self, op: Store) -> None:
        """Write a buffer."""
        if not op.address.varying and not op.value.varying:
            self._uniform_store(op)
        elif op.address.lane_stride == 1 and op.address.offset is None:
            self._vector_store(op)
        else:
            self._scatter(op)

    def _bytes(self, value: Value, varying: bool) -> str:
        """A value as memory holds it: bool as a byte 0 or 1."""
        name = self._writer.at(value, varying)
        if value.dtype != bool_:
            return name
        source = self._writer.vector("i1") if varying else "i1"
        target = self._writer.vector("i8") if varying else "i8"
        return self._writer.op(f"zext {source} {name} to {target}")

    def _uniform_store(self, op: Store) -> None:
        writer, dtype = self._writer, op.buffer.dtype

        def write() -> None:
            pointer = self._pointer(op.buffer, writer.name(op.address.base))
            value = self._bytes(op.value, False)
            writer.line(f"store {memory_type(dtype)} {value}, ptr {pointer}, align {dtype.size}")

        if op.mask is None:
            write()
            return
        condition = writer.name(op.mask)
        if op.mask.varying:
            condition = any_lane(writer, condition)
        then, join = writer.label("write"), writer.label("join")
        writer.line(f"br i1 {condition}, label %{then}, label %{join}")
        writer.begin(then)
        write()
        writer.line(f"br label %{join}")
        writer.begin(join)

    def _vector_store(self, op: Store) -> None:
        writer, dtype = self._writer, op.buffer.dtype
        kind = writer.vector(memory_type(dtype))
        pointer = self._pointer(op.buffer, writer.name(op.address.base))
        value = self._bytes(op.value, True)
        if op.mask is None:
            if op.streaming and op.buffer.alignment >= _LEAST_STREAMED:
                self._stream(op, value, pointer)
            else:
                writer.line(f"store {kind} {value}, ptr {pointer}, align {dtype.size}")
            return
        name = f"llvm.masked.store.v{self._lanes}{_code(memory_type(dtype))}.p0"
        bits = writer.vector("i1")
        writer.declarations.add(f"declare void @{name}({kind}, ptr, {bits})")
        writer.line(
            f"call void @{name}({kind} {value}, ptr align {dtype.size} {pointer}, "
            f"{bits} {self._store_mask(op)})"
        )

    def _stream(self, op: Store, value: str, pointer: str) -> None:
        """Store past the cache, in the widest parts that the proved alignment allows.

        Large NumPy arrays begin 16 bytes after a page: their lines fill from parts of 16 bytes.
        """
        writer, dtype = self._writer, op.buffer.dtype
        element = memory_type(dtype)
        whole = writer.vector(element)
        size = min(op.buffer.alignment, self._lanes * dtype.size)
        lanes = size // dtype.size
        for first in range(0, self._lanes, lanes):
            part, place, kind = value, pointer, whole
            if lanes < self._lanes:
                kind = f"<{lanes} x {element}>"
                picked = ", ".join(f"i32 {first + k}" for k in range(lanes))
                part = writer.op(
                    f"shufflevector {whole} {value}, {whole} poison, <{lanes} x i32> <{picked}>"
                )
                place = writer.op(f"getelementptr i8, ptr {pointer}, i64 {first * dtype.size}")
            writer.line(f"store {kind} {part}, ptr {place}, align {size}, {STREAMED}")

    def _store_mask(self, op: Store) -> str:
        """The mask of a vector store; of narrow integers, one that LLVM cannot see through.

        On AVX-512, LLVM 22 turns a masked store of truncated integers whose mask is known to have
        one lane into a scalar store of the wide integer, which writes past the element.  An empty
        piece of assembly hides the constant and costs no instruction.
        """
        mask, dtype = self._mask(op.mask), op.buffer.dtype
        if dtype.bits == 64 or memory_type(dtype) in ("half", "float"):
            return mask
        writer, word = self._writer, f"i{self._lanes}"
        bits = writer.op(f"bitcast {writer.vector('i1')} {mask} to {word}")
        wide = writer.op(f"zext {word} {bits} to i32")
        hidden = writer.op(f'call i32 asm "", "=r,0"(i32 {wide})')
        back = writer.op(f"trunc i32 {hidden} to {word}")
        return writer.op(f"bitcast {word} {back} to {writer.vector('i1')}")

    def _scatter(self, op: Store) -> None:
        writer, dtype = self._writer, op.buffer.dtype
        element = memory_type(dtype)
        kind, bits, many = writer.vector(element), writer.vector("i1"), writer.vector("ptr")
        pointers = self._pointers_of(op.buffer, op.address)
        name = f"llvm.masked.scatter.v{self._lanes}{_code(element)}.v{self._lanes}p0"
        writer.declarations.add(f"declare void @{name}({kind}, {many}, {bits})")
        writer.line(
            f"call void @{name}({kind} {self._bytes(op.value, True)}, "
            f"{many} align {dtype.size} {pointers}, {bits} {self._mask(op.mask)})"
        )

    # Private arrays.

    def _slot(self, array: PrivateArray, slot: Value) -> str:
        writer = self._writer
        index = writer.name(slot)
        if slot.dtype != i64:
            index = writer.op(f"sext {scalar_type(slot.dtype)} {index} to i64")
        base = writer.op(f"getelementptr i8, ptr %scratch, i64 {self._offsets[array]}")
        kind = writer.vector(memory_type(array.dtype))
        return writer.op(f"getelementptr {kind}, ptr {base}, i64 {index}")

    def array_store(self, op: ArrayStore) -> None:
        """Write each lane's slot."""
        writer = self._writer
        if op.array in self._registers:
            self._slots[op.array, self._constants[op.slot]] = writer.at(op.value, True)
            return
        kind = writer.vector(memory_type(op.array.dtype))
        value, pointer = self._bytes(op.value, True), self._slot(op.array, op.slot)
        writer.line(f"store {kind} {value}, ptr {pointer}, align {op.array.dtype.size}")

    def array_load(self, op: ArrayLoad) -> None:
        """Read each lane's slot."""
        writer = self._writer
        if op.array in self._registers:
            writer.define(op.result, self._slots[op.array, self._constants[op.slot]])
            return
        kind, pointer = writer.vector(memory_type(op.array.dtype)), self._slot(op.array, op.slot)
        raw = writer.op(f"load {kind}, ptr {pointer}, align {op.array.dtype.size}")
        writer.define(op.result, self._truth(raw, True) if op.array.dtype == bool_ else raw)


def _code(kind: str) -> str:
    """How intrinsic names spell an element type."""
    return {"half": "f16", "float": "f32", "double": "f64"}.get(kind, kind)


def any_lane(writer: Writer, mask: str) -> str:
    """Whether any lane of a mask is set."""
    word = f"i{writer.lanes}"
    bits = writer.op(f"bitcast {writer.vector('i1')} {mask} to {word}")
    return writer.op(f"icmp ne {word} {bits}, 0")


def all_lanes(writer: Writer, mask: str) -> str:
    """Whether every lane of a mask is set."""
    word = f"i{writer.lanes}"
    bits = writer.op(f"bitcast {writer.vector('i1')} {mask} to {word}")
    return writer.op(f"icmp eq {word} {bits}, -1")
