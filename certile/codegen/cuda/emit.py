"""Print a Machine IR kernel as CUDA C++.

In: a verified `MachineKernel` with 32 lanes.  Out: an `Artifact` for NVRTC.  Decides spelling only:
a varying or uniform value is a scalar a thread holds, a group is a block, collectives are shuffles
over the full warp, proved neighbours are one vector access.  Leaves plans, masks, storage and order
as Machine IR has them.

Memory of a subgroup is ordered as its operations stand.  A warp's threads are not, so between a
load and a store of one writable array stands a warp barrier.
"""

from collections.abc import Sequence

from certile.codegen.artifact import Artifact, artifact_of
from certile.codegen.cuda.functions import Expressions
from certile.codegen.cuda.prelude import prelude
from certile.codegen.cuda.types import SPELLING
from certile.codegen.packs import Pack
from certile.codegen.threads.admission import require_private_memory
from certile.codegen.threads.emitter import Memory, ThreadEmitter
from certile.codegen.threads.entries import thread_table
from certile.codegen.threads.spelling import NARROW
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
    Store,
)
from certile.targets.sheet import Sheet

__all__ = ["TABLE", "emit"]

_FULL = "0xffffffffU"
_WARP = 32
_POSITIONS = {
    "lane": "threadIdx.x & 31",
    "subgroup": "threadIdx.x >> 5",
    "group": "blockIdx.x",
}


def emit(kernel: MachineKernel, sheet: Sheet) -> Artifact:
    """The kernel as CUDA C++, one `extern "C"` function of the kernel's name.

    Raises:
        UnsupportedError: U301, when a subgroup of the kernel or of the sheet is not a warp; U313,
            for too large private arrays.
    """
    if kernel.lanes != _WARP or sheet.lanes != _WARP:
        raise UnsupportedError("U301", f"a CUDA subgroup has 32 lanes, not {kernel.lanes}")
    require_private_memory(kernel, sheet)
    emitter = _Emitter(kernel)
    emitter.block(kernel.body)
    return artifact_of(
        kernel, "cuda", emitter.entry, emitter.text(), kernel.lanes * kernel.subgroups
    )


class _Emitter(ThreadEmitter):
    """The state of one CUDA kernel."""

    expressions: Expressions

    def __init__(self, kernel: MachineKernel) -> None:
        super().__init__(kernel, Expressions(fast=kernel.may_approximate))

    def operation(self, operation: Operation) -> None:
        TABLE.emit(self, operation)

    def text(self) -> str:
        kernel, head = self.kernel, Writer()
        parameters = [self._parameter(buffer) for buffer in kernel.buffers]
        parameters += [f"{SPELLING.element(s.dtype)} {self.scalars[s]}" for s in kernel.scalars]
        bound = f"__launch_bounds__({kernel.lanes * kernel.subgroups})"
        with head.block(
            f'extern "C" __global__ void {bound} {self.entry}({", ".join(parameters)})'
        ):
            self._declare(head)
            for line in self.writer.text().splitlines():
                head.line(line)
        return prelude(self.expressions.helpers) + head.text()

    def _parameter(self, buffer: Buffer) -> str:
        # Read as it is: of a copy of the pointer the compiler would not believe that it is alone,
        # and no load would pass a store.
        const = "" if buffer.written else "const "
        return f"{const}{SPELLING.element(buffer.dtype)}* __restrict__ {self.places[buffer]}"

    def _declare(self, head: Writer) -> None:
        """Proved multiples, positions and arrays."""
        for scalar in self.kernel.scalars:
            if scalar.multiple > 1:
                multiple = f"{self.scalars[scalar]} % {scalar.multiple} == 0"
                head.line(f"__builtin_assume({multiple});")
        used = self.positions()
        for name, text in _POSITIONS.items():
            if name in used:
                head.line(f"const {SPELLING.carried(used[name])} {name} = {text};")
        for shared in self.kernel.shared:
            kind = SPELLING.element(shared.dtype)
            head.line(f"__shared__ {kind} {self.places[shared]}[{shared.count}];")
        for own in self.kernel.arrays:
            head.line(f"{SPELLING.carried(own.dtype)} {self.places[own]}[{own.slots}];")

    # A warp barrier orders all memory.

    def order(self, memory: Memory) -> None:
        self.writer.line("__syncwarp();")
        self.ordered()

    # Vector accesses of up to 16 bytes.

    def pack_limit(self, dtype: DType) -> int:
        return 16 // dtype.size

    def pack_type(self, pack: Pack) -> str:
        stored = SPELLING.element(pack.accesses[0].buffer.dtype)
        return f"{self.expressions.helper('Pack')}<{stored}, {len(pack.accesses)}>"

    def read_pack(self, pack: Pack, mask: str | None) -> str:
        load = self.expressions.helper("load_pack")
        text = f"{load}<{len(pack.accesses)}>({self.pack_pointer(pack)})"
        return text if mask is None else f"{mask} ? {text} : {self.pack_type(pack)}{{}}"

    def pack_item(self, name: str, index: int) -> str:
        return f"{name}.item[{index}]"

    def pack_value(self, name: str, index: int, dtype: DType) -> str:
        if dtype.name != "bf16":
            return super().pack_value(name, index, dtype)
        # Half of a word is a float by one instruction; taken out first, it takes two.
        return f"{self.expressions.helper('bf16_item')}<{index}>({name})"

    def write_pack(self, pack: Pack, values: Sequence[str]) -> str:
        streaming = any(isinstance(a, Store) and a.streaming for a in pack.accesses[:1])
        how = self.expressions.helper("stream_pack" if streaming else "store_pack")
        dtype, pointer = pack.accesses[0].buffer.dtype, self.pack_pointer(pack)
        if dtype.name in NARROW:
            # One instruction rounds two floats to a word.
            pair = self.expressions.helper(f"{dtype.name}_pair")
            pairs = zip(values[::2], values[1::2], strict=True)
            words = ", ".join(f"{pair}({low}, {high})" for low, high in pairs)
            text = f"Pack<unsigned int, {len(values) // 2}>{{{{{words}}}}}"
            return f"{how}((unsigned int*)({pointer}), {text})"
        stored = ", ".join(self.expressions.store(value, dtype) for value in values)
        return f"{how}({pointer}, {self.pack_type(pack)}{{{{{stored}}}}})"

    # What lanes exchange: what is shorter than a register goes as int.

    def exchange(self, value: str, dtype: DType, mask: str) -> str:
        return _through_lanes(f"__shfl_xor_sync({_FULL}, {{}}, {mask})", value, dtype)

    def shifted(self, value: str, dtype: DType, distance: int) -> str:
        """The value of the lane `distance` below; the first lanes keep their own."""
        return _through_lanes(f"__shfl_up_sync({_FULL}, {{}}, {distance})", value, dtype)

    def of_lane(self, value: str, dtype: DType, lane: int) -> str:
        """The value of one lane."""
        return _through_lanes(f"__shfl_sync({_FULL}, {{}}, {lane})", value, dtype)


def _through_lanes(call: str, value: str, dtype: DType) -> str:
    if (dtype.is_integer and dtype.bits < 32) or dtype.kind == "bool":
        return f"({SPELLING.carried(dtype)})" + call.format(f"(int){value}")
    return call.format(value)


TABLE = thread_table("cuda", _Emitter)


@TABLE.on(Collective)
def _collective(emitter: _Emitter, operation: Collective) -> None:
    value, dtype = emitter.of(operation.value), operation.value.dtype
    emitter.ordered()
    if operation.fn in ("any", "all"):
        emitter.define(operation.result, f"__{operation.fn}_sync({_FULL}, {value}) != 0")
        return
    if dtype.is_integer and dtype.bits == 32 and operation.fn != "mul":
        name = {"add": "add", "maximum": "max", "minimum": "min"}[operation.fn]
        emitter.define(operation.result, f"__reduce_{name}_sync({_FULL}, {value})")
        return
    emitter.butterfly(operation.result, operation.fn, value)


@TABLE.on(Shuffle)
def _shuffle(emitter: _Emitter, operation: Shuffle) -> None:
    emitter.ordered()
    text = emitter.exchange(emitter.of(operation.value), operation.value.dtype, str(operation.mask))
    emitter.define(operation.result, text)


@TABLE.on(ShuffleUp)
def _shuffle_up(emitter: _Emitter, operation: ShuffleUp) -> None:
    emitter.ordered()
    value, dtype = emitter.of(operation.value), operation.value.dtype
    emitter.define(operation.result, emitter.shifted(value, dtype, operation.distance))


@TABLE.on(ReadLane)
def _read_lane(emitter: _Emitter, operation: ReadLane) -> None:
    emitter.ordered()
    value, dtype = emitter.of(operation.value), operation.value.dtype
    emitter.define(operation.result, emitter.of_lane(value, dtype, operation.lane))


@TABLE.on(Barrier)
def _barrier(emitter: _Emitter, operation: Barrier) -> None:
    emitter.writer.line("__syncthreads();")
    emitter.ordered()
