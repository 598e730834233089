"""Machine IR to LLVM IR text for a CPU: a group is an iteration, a varying value a vector.

In: a machine kernel with one subgroup a group and no shared memory (CPU plans have S = Q = 1).
Out: a module with `void NAME(ptr args, i64 first, i64 last, ptr scratch)` that runs groups first to
last - 1.  `args` holds 8-byte slots: buffer pointers, then scalars, in the kernel's order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from certile.codegen.artifact import Artifact, artifact_of
from certile.codegen.cpu.conversions import Conversions
from certile.codegen.cpu.functions import Functions
from certile.codegen.cpu.memory import Memory, all_lanes, any_lane
from certile.codegen.cpu.writer import METADATA, Instructions, Writer, scalar_type
from certile.codegen.table import Table
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, bool_, i64
from certile.ir.machine import (
    ArrayLoad,
    ArrayStore,
    Ask,
    Barrier,
    Collective,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    MachineKernel,
    Operation,
    Parameter,
    ReadLane,
    Reinterpret,
    SharedLoad,
    SharedStore,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
    operations,
)
from certile.targets.sheet import Sheet

# Bytes that a thread's arrays may take; addresses of more, times the threads, would wrap around.
_MOST_SCRATCH = 1 << 40


class Emitter:
    """Emits one kernel."""

    def __init__(self, kernel: MachineKernel, instructions: Instructions) -> None:
        self._kernel = kernel
        self._writer = Writer(kernel.lanes, instructions)
        self._spread = set(_spread_values(kernel))
        self._pointers = {buffer: f"%b{k}" for k, buffer in enumerate(kernel.buffers)}
        self.memory = Memory(self._writer, kernel, self._pointers)

    def text(self) -> str:
        """The module."""
        self._arguments()
        self._groups()
        parameters = "ptr %args, i64 %first, i64 %last, ptr %scratch"
        head = f"define void @{self._kernel.name}({parameters}) #0 {{"
        bits = 32 * self._kernel.lanes
        widths = f'"prefer-vector-width"="{bits}" "min-legal-vector-width"="{bits}"'
        tail = [f"attributes #0 = {{ nounwind {widths} }}", *METADATA]
        declarations = sorted(self._writer.declarations)
        return "\n".join([*declarations, head, "entry:", *self._writer.lines, "}", *tail, ""])

    def _arguments(self) -> None:
        """Read the argument block once, before the loop over groups."""
        writer, kernel = self._writer, self._kernel
        for k, buffer in enumerate(kernel.buffers):
            slot = writer.op(f"getelementptr i64, ptr %args, i64 {k}")
            writer.line(f"{self._pointers[buffer]} = load ptr, ptr {slot}, align 8")
        self._parameters: dict[str, str] = {}
        for k, scalar in enumerate(kernel.scalars, start=len(kernel.buffers)):
            slot = writer.op(f"getelementptr i64, ptr %args, i64 {k}")
            kind = "i8" if scalar.dtype == bool_ else scalar_type(scalar.dtype)
            name = writer.op(f"load {kind}, ptr {slot}, align 8")
            self._parameters[scalar.name] = (
                writer.op(f"icmp ne i8 {name}, 0") if scalar.dtype == bool_ else name
            )

    def _groups(self) -> None:
        """The loop over groups; what does not depend on the group stands before it."""
        writer = self._writer
        body = self._kernel.body.operations
        early = (Constant, Parameter)
        self._block([op for op in body if isinstance(op, early)])
        before = writer.block
        head, inside, done = (writer.label(stem) for stem in ("group", "body", "done"))
        writer.line(f"br label %{head}")
        writer.begin(head)
        back = writer.label("next")
        writer.line(f"%group = phi i64 [ %first, %{before} ], [ %following, %{back} ]")
        more = writer.op("icmp slt i64 %group, %last")
        writer.line(f"br i1 {more}, label %{inside}, label %{done}")
        writer.begin(inside)
        self._block([op for op in body if not isinstance(op, early)])
        writer.line(f"br label %{back}")
        writer.begin(back)
        writer.line("%following = add i64 %group, 1")
        writer.line(f"br label %{head}")
        writer.begin(done)
        writer.line("ret void")

    def _block(self, body: list[Operation] | tuple[Operation, ...]) -> None:
        for op in body:
            TABLE.emit(self, op)
            for value in op.results_():
                if value in self._spread:
                    self._writer.splat(value)

    # Values.

    def constant(self, op: Constant) -> None:
        self._writer.constant(op.result, op.value)

    def parameter(self, op: Parameter) -> None:
        self._writer.define(op.result, self._parameters[op.parameter.name])

    def special(self, op: Special) -> None:
        if op.kind == "lane":
            lanes = ", ".join(f"i32 {k}" for k in range(self._kernel.lanes))
            self._writer.define(op.result, f"<{lanes}>")
        else:
            self._writer.define(op.result, self._group(op) if op.kind == "group" else "0")

    def _group(self, op: Special) -> str:
        wide = op.result.dtype == i64
        return "%group" if wide else self._writer.op("trunc i64 %group to i32")

    def _functions(self, dtype: DType, width: int | None) -> Functions:
        return Functions(self._writer, dtype, width)

    def compute(self, op: Compute) -> None:
        varying = op.result.varying
        width = self._kernel.lanes if varying else None
        if op.fn == "where":
            self._where(op)
            return
        args = tuple(self._writer.at(arg, varying) for arg in op.args)
        made = self._functions(op.args[0].dtype, width).emit(op.fn, args)
        self._writer.define(op.result, made)

    def _where(self, op: Compute) -> None:
        """Select; a uniform condition stays a scalar."""
        writer, (condition, a, b) = self._writer, op.args
        varying = op.result.varying
        kind = writer.type_of(op.result)
        bit = writer.vector("i1") if condition.varying else "i1"
        made = writer.op(
            f"select {bit} {writer.name(condition)}, {kind} {writer.at(a, varying)}, "
            f"{kind} {writer.at(b, varying)}"
        )
        writer.define(op.result, made)

    def convert(self, op: Convert) -> None:
        width = self._kernel.lanes if op.result.varying else None
        name = self._writer.name(op.value)
        made = Conversions(self._writer, width).emit(name, op.value.dtype, op.result.dtype)
        self._writer.define(op.result, made)

    def reinterpret(self, op: Reinterpret) -> None:
        writer = self._writer
        source, target = writer.type_of(op.value), writer.type_of(op.result)
        name = writer.name(op.value)
        same = source == target
        made = name if same else writer.op(f"bitcast {source} {name} to {target}")
        writer.define(op.result, made)

    # Lanes.

    def collective(self, op: Collective) -> None:
        writer, name = self._writer, self._writer.at(op.value, True)
        if op.fn in ("any", "all"):
            merged = any_lane(writer, name) if op.fn == "any" else all_lanes(writer, name)
            writer.define(op.result, merged)
            return
        writer.define(op.result, self._halves(op.fn, name, op.value.dtype))

    def _halves(self, fn: str, name: str, dtype: DType) -> str:
        """Merge the upper half of the lanes into the lower, until one is left."""
        writer, width = self._writer, self._kernel.lanes
        element = scalar_type(dtype)
        while width > 1:
            half = width // 2
            kind = f"<{width} x {element}>"
            low = ", ".join(f"i32 {k}" for k in range(half))
            high = ", ".join(f"i32 {k}" for k in range(half, width))
            parts = [
                writer.op(f"shufflevector {kind} {name}, {kind} poison, <{half} x i32> <{part}>")
                for part in (low, high)
            ]
            name = self._functions(dtype, half).emit(fn, (parts[0], parts[1]))
            width = half
        return writer.op(f"extractelement <1 x {element}> {name}, i64 0")

    def shuffle(self, op: Shuffle) -> None:
        self._permute(op, [k ^ op.mask for k in range(self._kernel.lanes)])

    def shuffle_up(self, op: ShuffleUp) -> None:
        lanes, distance = range(self._kernel.lanes), op.distance
        self._permute(op, [k if k < distance else k - distance for k in lanes])

    def _permute(self, op: Shuffle | ShuffleUp, sources: list[int]) -> None:
        writer = self._writer
        kind, name = writer.type_of(op.result), writer.at(op.value, True)
        order = ", ".join(f"i32 {k}" for k in sources)
        made = writer.op(
            f"shufflevector {kind} {name}, {kind} poison, <{len(sources)} x i32> <{order}>"
        )
        writer.define(op.result, made)

    def read_lane(self, op: ReadLane) -> None:
        kind, name = self._writer.type_of(op.value), self._writer.name(op.value)
        made = self._writer.op(f"extractelement {kind} {name}, i64 {op.lane}")
        self._writer.define(op.result, made)

    # Control.

    def for_(self, op: For) -> None:
        writer = self._writer
        kind = scalar_type(op.index.dtype)
        before = writer.block
        head, inside, back, done = (writer.label(s) for s in ("loop", "body", "next", "done"))
        index, bump = writer.fresh("i"), writer.fresh("i")
        starts = [writer.at(i, p.varying) for i, p in zip(op.inits, op.params, strict=True)]
        writer.line(f"br label %{head}")
        writer.begin(head)
        start = writer.name(op.start)
        writer.line(f"{index} = phi {kind} [ {start}, %{before} ], [ {bump}, %{back} ]")
        writer.define(op.index, index)
        # What the body yields has a name only after the body: the phi lines are filled in then.
        phis = len(writer.lines)
        for param in op.params:
            writer.define(param, writer.fresh("p"))
            writer.line("")
        more = writer.op(f"icmp slt {kind} {index}, {writer.name(op.stop)}")
        writer.line(f"br i1 {more}, label %{inside}, label %{done}")
        writer.begin(inside)
        for value in (op.index, *op.params):
            if value in self._spread:
                writer.splat(value)
        self._block(op.body.operations)
        ends = [writer.at(y, p.varying) for y, p in zip(op.yields, op.params, strict=True)]
        for k, (param, first, end) in enumerate(zip(op.params, starts, ends, strict=True)):
            kind_, name = writer.type_of(param), writer.name(param)
            phi = f"phi {kind_} [ {first}, %{before} ], [ {end}, %{back} ]"
            writer.lines[phis + k] = f"  {name} = {phi}"
        writer.line(f"br label %{back}")
        writer.begin(back)
        writer.line(f"{bump} = add {kind} {index}, {writer.name(op.step)}")
        writer.line(f"br label %{head}")
        writer.begin(done)
        for result, param in zip(op.results, op.params, strict=True):
            writer.define(result, writer.name(param))

    def if_(self, op: If) -> None:
        writer = self._writer
        then, other, join = (writer.label(stem) for stem in ("then", "else", "join"))
        writer.line(f"br i1 {writer.name(op.condition)}, label %{then}, label %{other}")
        for label, block in ((then, op.then), (other, op.otherwise)):
            writer.begin(label)
            self._block(block.operations)
            writer.line(f"br label %{join}")
        writer.begin(join)


def _spread_values(kernel: MachineKernel) -> Iterator[Value]:
    """The uniform values some operation reads as a vector."""
    for op in operations(kernel.body):
        match op:
            case Compute(result=result, args=args) if result.varying:
                first = 1 if op.fn == "where" else 0
                yield from args[first:]
            case Load(fill=fill, mask=mask) if op.result.varying:
                yield from (value for value in (fill, mask) if value is not None)
            case Store(value=value, mask=mask):
                yield value
                if mask is not None:
                    yield mask
            case ArrayStore(value=value) | Collective(value=value):
                yield value
            case Shuffle(value=value) | ShuffleUp(value=value):
                yield value
            case For():
                for param, init, after in zip(op.params, op.inits, op.yields, strict=True):
                    if param.varying:
                        yield from (init, after)
            case _:
                pass


TABLE: Table[Emitter] = Table("cpu")
TABLE.on(Constant)(Emitter.constant)
TABLE.on(Parameter)(Emitter.parameter)
TABLE.on(Special)(Emitter.special)
TABLE.on(Compute)(Emitter.compute)
TABLE.on(Convert)(Emitter.convert)
TABLE.on(Reinterpret)(Emitter.reinterpret)
TABLE.on(Load)(lambda emitter, op: emitter.memory.load(op))
TABLE.on(Ask)(lambda emitter, op: emitter.memory.ask(op))
TABLE.on(Store)(lambda emitter, op: emitter.memory.store(op))
TABLE.on(ArrayLoad)(lambda emitter, op: emitter.memory.array_load(op))
TABLE.on(ArrayStore)(lambda emitter, op: emitter.memory.array_store(op))
TABLE.on(Collective)(Emitter.collective)
TABLE.on(Shuffle)(Emitter.shuffle)
TABLE.on(ShuffleUp)(Emitter.shuffle_up)
TABLE.on(ReadLane)(Emitter.read_lane)
TABLE.on(For)(Emitter.for_)
TABLE.on(If)(Emitter.if_)


def _no_groups(_: Emitter, op: SharedLoad | SharedStore | Barrier) -> None:
    raise UnsupportedError(
        "U031", f"the CPU target runs one subgroup a group: no {type(op).__name__}"
    )


TABLE.on(SharedLoad)(_no_groups)
TABLE.on(SharedStore)(_no_groups)
TABLE.on(Barrier)(_no_groups)


def emit(kernel: MachineKernel, sheet: Sheet) -> Artifact:
    """The LLVM module of a kernel, for the vector width of the sheet.

    Raises:
        UnsupportedError: U031, for more than one subgroup a group, shared memory or barriers;
            U313, for arrays of one thread that no machine has room for.
    """
    if kernel.shared or kernel.subgroups != 1:
        raise UnsupportedError("U031", "the CPU target runs one subgroup a group, without barriers")
    emitter = Emitter(kernel, Instructions(sheet.scales_widely, sheet.narrows_bf16))
    if emitter.memory.scratch_bytes > _MOST_SCRATCH:
        message = f"kernel {kernel.name} keeps {emitter.memory.scratch_bytes} bytes a thread"
        raise UnsupportedError("U313", message)
    made = artifact_of(kernel, "llvm-ir", kernel.name, emitter.text(), threads=1)
    return replace(made, scratch_bytes=emitter.memory.scratch_bytes)
