"""Print a Machine IR kernel as Metal Shading Language 3.1.

In: a verified `MachineKernel` with 32 lanes.  Out: an `Artifact`.  Decides spelling only: a value
is a scalar a thread holds, a group is a threadgroup, a subgroup a SIMD group.  Arguments are bound
by index, buffers in order and then scalars in order.  Leaves plans, masks, storage and order as
Machine IR has them, and to the runtime that a text with `requires_precise_math` is compiled without
fast math; nothing is ever contracted.
"""

from collections.abc import Iterator, Sequence

from certile.codegen.artifact import Artifact, artifact_of
from certile.codegen.metal.functions import MetalExpressions
from certile.codegen.metal.prelude import prelude
from certile.codegen.metal.types import SPELLING, WIDE
from certile.codegen.packs import Pack
from certile.codegen.threads.admission import require_private_memory
from certile.codegen.threads.emitter import Memory, ThreadEmitter
from certile.codegen.threads.entries import thread_table
from certile.codegen.writer import Writer
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType
from certile.ir.machine import (
    Barrier,
    Buffer,
    Collective,
    MachineKernel,
    Operation,
    ReadLane,
    Shuffle,
    ShuffleUp,
    Value,
    operations,
)
from certile.targets import SHEETS
from certile.targets.sheet import Sheet

__all__ = ["TABLE", "MetalEmitter", "admit", "emit"]

_LANES = 32
# Indices of arguments that a compute function has.
_ARGUMENTS = 31
_VOTES = {"any": "simd_any", "maximum": "simd_any", "all": "simd_all", "minimum": "simd_all"}
_POSITIONS = {
    "lane": "thread_index_in_simdgroup",
    "subgroup": "simdgroup_index_in_threadgroup",
    "group": "threadgroup_position_in_grid",
}


def emit(kernel: MachineKernel, sheet: Sheet) -> Artifact:
    """The kernel as MSL, one compute function of the kernel's name.

    Raises:
        UnsupportedError: U301, when a subgroup is not a SIMD group of 32; U310, for a dtype that
            the sheet lacks; U311, for a function that MSL lacks; U312, for too many arguments;
            U313, for too large private arrays.
    """
    admit(kernel, sheet)
    emitter = MetalEmitter(kernel)
    emitter.block(kernel.body)
    threads = kernel.lanes * kernel.subgroups
    return artifact_of(kernel, "msl", emitter.entry, emitter.text(), threads)


def admit(kernel: MachineKernel, sheet: Sheet) -> None:
    """Refuse what no Metal kernel can be; raises as `emit` does."""
    if kernel.lanes != _LANES:
        raise UnsupportedError("U301", f"a SIMD group has {_LANES} lanes, not {kernel.lanes}")
    for dtype in _dtypes(kernel):
        if dtype not in sheet.dtypes or dtype.name not in SPELLING.stored:
            able = {other.kind for other in SHEETS.values() if dtype in other.dtypes}
            elsewhere = (
                f"use f32, or a target that has {dtype}: {', '.join(sorted(able - {'null'}))}"
            )
            raise UnsupportedError("U310", f"{sheet.name} has no {dtype}", hint=elsewhere)
    require_private_memory(kernel, sheet)
    buffers, scalars = len(kernel.buffers), len(kernel.scalars)
    if buffers + scalars > _ARGUMENTS:
        message = (
            f"kernel {kernel.name} takes {buffers} arrays and {scalars} numbers; "
            f"Metal binds {_ARGUMENTS} arguments"
        )
        few = buffers < _ARGUMENTS
        hint = None if few else "pass fewer arrays, or several as one"
        raise UnsupportedError("U312", message, hint=hint)


def _dtypes(kernel: MachineKernel) -> Iterator[DType]:
    """Every dtype that the text would name."""
    yield from (buffer.dtype for buffer in kernel.buffers)
    yield from (scalar.dtype for scalar in kernel.scalars)
    yield from (array.dtype for array in kernel.arrays)
    yield from (array.dtype for array in kernel.shared)
    for operation in operations(kernel.body):
        for result in operation.results_():
            yield result.dtype


class MetalEmitter(ThreadEmitter):
    """The state of one Metal kernel."""

    expressions: MetalExpressions

    def __init__(self, kernel: MachineKernel) -> None:
        super().__init__(kernel, MetalExpressions(fast=kernel.may_approximate))

    def operation(self, operation: Operation) -> None:
        TABLE.emit(self, operation)

    def text(self) -> str:
        """The whole text: what it includes, its helpers, the kernel."""
        kernel, head = self.kernel, Writer()
        positions = self.positions()
        used = [name for name in _POSITIONS if name in positions]
        head.line(f"[[max_total_threads_per_threadgroup({kernel.lanes * kernel.subgroups})]]")
        parameters = ",\n    ".join([*self._arguments(), *map(_position, used)])
        with head.block(f"kernel void {self.entry}(\n    {parameters})"):
            self.declare_shared(head)
            for name in used:
                head.line(f"const {SPELLING.carried(positions[name])} {name} = {name}_;")
            self.declare_private(head)
            for line in self.writer.text().splitlines():
                head.line(line)
        return self.preamble() + head.text()

    def preamble(self) -> str:
        """What stands before the kernel: its include, the rule of contraction, its helpers."""
        start = (
            "#include <metal_stdlib>\nusing namespace metal;\n\n#pragma METAL fp contract(off)\n\n"
        )
        return start + prelude(self.expressions.helpers)

    def _arguments(self) -> Iterator[str]:
        for index, buffer in enumerate(self.kernel.buffers):
            const = "" if buffer.written else "const "
            kind = f"device {const}{SPELLING.element(buffer.dtype)}*"
            yield f"{kind} {self.places[buffer]} [[buffer({index})]]"
        for index, scalar in enumerate(self.kernel.scalars, len(self.kernel.buffers)):
            kind = f"constant {SPELLING.element(scalar.dtype)}&"
            yield f"{kind} {self.scalars[scalar]} [[buffer({index})]]"

    def declare_shared(self, head: Writer) -> None:
        """Threadgroup memory."""
        for shared in self.kernel.shared:
            kind = SPELLING.element(shared.dtype)
            head.line(f"threadgroup {kind} {self.places[shared]}[{shared.count}];")

    def declare_private(self, head: Writer) -> None:
        """Private arrays."""
        for own in self.kernel.arrays:
            head.line(f"{SPELLING.carried(own.dtype)} {self.places[own]}[{own.slots}];")

    # The order of memory.

    def order(self, memory: Memory) -> None:
        flag = "mem_device" if isinstance(memory, Buffer) else "mem_threadgroup"
        self.writer.line(f"simdgroup_barrier(mem_flags::{flag});")
        self.ordered(other for other in self.exchanged if type(other) is type(memory))

    def group_barrier(self) -> None:
        """All threads arrive; device memory is ordered too where threads exchange values in it."""
        flags = ["mem_flags::mem_threadgroup"]
        if any(isinstance(memory, Buffer) for memory in self.exchanged):
            flags.append("mem_flags::mem_device")
        self.writer.line(f"threadgroup_barrier({' | '.join(flags)});")
        self.ordered()

    # Vector accesses: MSL has vectors of two and four components.

    def pack_limit(self, dtype: DType) -> int:
        return min(4, 16 // dtype.size)

    def pack_type(self, pack: Pack) -> str:
        return f"{SPELLING.element(pack.accesses[0].buffer.dtype)}{len(pack.accesses)}"

    def read_pack(self, pack: Pack, mask: str | None) -> str:
        kind = self.pack_type(pack)
        const = "" if pack.accesses[0].buffer.written else "const "
        text = f"*(device {const}{kind}*)({self.pack_pointer(pack)})"
        if mask is None:
            return text
        zero = f"{SPELLING.element(pack.accesses[0].buffer.dtype)}(0)"
        return f"{mask} ? {text} : {kind}({zero})"

    def pack_item(self, name: str, index: int) -> str:
        return f"{name}.{'xyzw'[index]}"

    def write_pack(self, pack: Pack, values: Sequence[str]) -> str:
        kind, dtype = self.pack_type(pack), pack.accesses[0].buffer.dtype
        stored = ", ".join(self.expressions.store(value, dtype) for value in values)
        return f"*(device {kind}*)({self.pack_pointer(pack)}) = {kind}({stored})"

    # What lanes exchange: no bool, and 64 bits as two halves.

    def exchange(self, value: str, dtype: DType, mask: str) -> str:
        if dtype.name in WIDE:
            return f"{self.expressions.helper(f'other_{SPELLING.element(dtype)}')}({value}, {mask})"
        return _through_lanes("simd_shuffle_xor({}, " + mask + ")", value, dtype)

    def shifted(self, value: str, dtype: DType, distance: int) -> str:
        """The value of the lane `distance` below; the first lanes keep their own."""
        if dtype.name in WIDE:
            name = self.expressions.helper(f"below_{SPELLING.element(dtype)}")
            return f"{name}({value}, {distance})"
        return _through_lanes("simd_shuffle_up({}, " + str(distance) + ")", value, dtype)

    def of_lane(self, value: str, dtype: DType, lane: int) -> str:
        """The value of one lane."""
        if dtype.name in WIDE:
            name = self.expressions.helper(f"lane_{SPELLING.element(dtype)}")
            return f"{name}({value}, {lane})"
        return _through_lanes("simd_broadcast({}, " + str(lane) + ")", value, dtype)

    def collective(self, fn: str, value: str, result: Value) -> str | None:
        """The SIMD-group function of a reduction, None where MSL has none."""
        dtype = result.dtype
        if dtype.kind == "bool":
            return f"{_VOTES[fn]}({value})"
        if dtype.name in WIDE:
            return None
        if fn in ("maximum", "minimum"):
            if dtype.is_float:
                return f"{self.expressions.helper(f'lanes_{fn}')}({value})"
            return f"simd_{fn[:3]}({value})"
        name = {"add": "simd_sum", "mul": "simd_product"}[fn]
        if dtype.is_float:
            text = f"{name}({value})"
            return self.expressions.rounded(text, dtype) if dtype.bits == 16 else text
        # Unsigned, so that a sum wraps.
        return f"({SPELLING.element(dtype)}){name}((uint){value})"


def _position(name: str) -> str:
    return f"uint {name}_ [[{_POSITIONS[name]}]]"


def _through_lanes(call: str, value: str, dtype: DType) -> str:
    if dtype.kind == "bool":
        return call.format(f"(ushort){value}") + " != 0"
    return call.format(value)


TABLE = thread_table("metal", MetalEmitter)


@TABLE.on(Collective)
def _collective(emitter: MetalEmitter, operation: Collective) -> None:
    value = emitter.of(operation.value)
    text = emitter.collective(operation.fn, value, operation.result)
    if text is None:
        emitter.butterfly(operation.result, operation.fn, value)
    else:
        emitter.define(operation.result, text)


@TABLE.on(Shuffle)
def _shuffle(emitter: MetalEmitter, operation: Shuffle) -> None:
    value = emitter.of(operation.value)
    text = emitter.exchange(value, operation.value.dtype, str(operation.mask))
    emitter.define(operation.result, text)


@TABLE.on(ShuffleUp)
def _shuffle_up(emitter: MetalEmitter, operation: ShuffleUp) -> None:
    value, dtype = emitter.of(operation.value), operation.value.dtype
    emitter.define(operation.result, emitter.shifted(value, dtype, operation.distance))


@TABLE.on(ReadLane)
def _read_lane(emitter: MetalEmitter, operation: ReadLane) -> None:
    value, dtype = emitter.of(operation.value), operation.value.dtype
    emitter.define(operation.result, emitter.of_lane(value, dtype, operation.lane))


@TABLE.on(Barrier)
def _barrier(emitter: MetalEmitter, operation: Barrier) -> None:
    emitter.group_barrier()
