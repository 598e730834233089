"""Lines of an LLVM function: names, blocks, splats and the spelling of types and constants.

A uniform value is an LLVM scalar, a varying one a vector of the kernel's lanes.  bf16 is carried as
its 16 bits (i16), bool as i1; both are bytes or halfwords in memory.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from certile.ir.dtypes import DType, bf16, bool_
from certile.ir.machine import Value
from certile.records import record

# The f32 of a register that AVX-512's own instructions take.
FULL_LANES = 16
# What a store is told that goes past the cache, a branch that is taken once in a thousand times,
# and the metadata of the module that these name.
STREAMED, RARELY = "!nontemporal !0", "!prof !1"
METADATA = ("!0 = !{i32 1}", '!1 = !{!"branch_weights", i32 1, i32 1000}')
_FLOATS = {16: "half", 32: "float", 64: "double"}


def scalar_type(dtype: DType) -> str:
    """The LLVM type of one element in a register."""
    if dtype == bool_:
        return "i1"
    if dtype == bf16:
        return "i16"
    return _FLOATS[dtype.bits] if dtype.is_float else f"i{dtype.bits}"


def memory_type(dtype: DType) -> str:
    """The LLVM type of one element in memory."""
    return "i8" if dtype == bool_ else scalar_type(dtype)


def literal(value: bool | int | float, dtype: DType) -> str:
    """A constant of a dtype in LLVM's spelling; floats are written by their bits."""
    if dtype == bool_:
        return "true" if value else "false"
    if dtype == bf16:
        (bits,) = struct.unpack("<I", struct.pack("<f", float(value)))
        # Constants of the IR are exact bf16 numbers (or NaN), so the low half is empty.
        return str(bits >> 16)
    if not dtype.is_float:
        return str(int(value))
    if dtype.bits == 16:
        (half,) = struct.unpack("<H", struct.pack("<e", float(value)))
        return f"0xH{half:04X}"
    (bits,) = struct.unpack("<Q", struct.pack("<d", float(value)))
    return f"0x{bits:016X}"


@record
class Instructions:
    """What a target does in one instruction of AVX-512, for a register of f32.

    `scales` multiplies by a power of two; `narrows_bf16` rounds to bf16, flushing subnormals.
    """

    scales: bool = False
    narrows_bf16: bool = False


NO_INSTRUCTIONS = Instructions()


class Writer:
    """Collects the lines of one function body and remembers where splats stand.

    Splats of uniform values are made once, where the value is defined, so they dominate every use.
    """

    def __init__(self, lanes: int, instructions: Instructions = NO_INSTRUCTIONS) -> None:
        self.lanes = lanes
        self.instructions = instructions
        self.lines: list[str] = []
        self.block = "entry"
        self.declarations: set[str] = set()
        self._names: dict[Value, str] = {}
        self._splats: dict[Value, str] = {}
        self._count = 0

    def fresh(self, stem: str = "v") -> str:
        """A new local name."""
        self._count += 1
        return f"%{stem}{self._count}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def op(self, text: str) -> str:
        """Append `name = text` and return the name."""
        name = self.fresh()
        self.line(f"{name} = {text}")
        return name

    def label(self, stem: str) -> str:
        """A new block label, without the percent sign."""
        self._count += 1
        return f"{stem}{self._count}"

    def begin(self, label: str) -> None:
        """Start a block."""
        self.lines.append(f"{label}:")
        self.block = label

    def branch(
        self, condition: str, make: Callable[[], str], other: str, kind: str, hint: str = ""
    ) -> str:
        """`make()` where a uniform condition holds, else `other`, with a real branch.

        Both are of type `kind`; `hint` is what the branch is told of its condition.
        """
        then, join, before = self.label("then"), self.label("join"), self.block
        told = f", {hint}" if hint else ""
        self.line(f"br i1 {condition}, label %{then}, label %{join}{told}")
        self.begin(then)
        made = make()
        inner = self.block
        self.line(f"br label %{join}")
        self.begin(join)
        return self.op(f"phi {kind} [ {made}, %{inner} ], [ {other}, %{before} ]")

    def call(self, result: str, name: str, args: str, types: str) -> str:
        """Call an intrinsic and return the result's name; `types` are those of its declaration."""
        self.declarations.add(f"declare {result} @{name}({types})")
        return self.op(f"call {result} @{name}({args})")

    # Types and values.

    def vector(self, element: str) -> str:
        """The vector of all lanes."""
        return f"<{self.lanes} x {element}>"

    def type_of(self, value: Value) -> str:
        scalar = scalar_type(value.dtype)
        return self.vector(scalar) if value.varying else scalar

    def define(self, value: Value, name: str) -> None:
        """Bind a value to an LLVM name or constant."""
        self._names[value] = name

    def constant(self, value: Value, number: bool | int | float) -> None:
        """Bind a value to a constant, and its splat to a vector constant."""
        text = literal(number, value.dtype)
        self._names[value] = text
        self._splats[value] = f"splat ({scalar_type(value.dtype)} {text})"

    def splat(self, value: Value) -> None:
        """Make the vector of a uniform value here, once."""
        if value not in self._splats and not value.varying:
            self._splats[value] = self.spread(self._names[value], scalar_type(value.dtype))

    def spread(self, name: str, element: str) -> str:
        """A vector whose lanes all hold `name`."""
        kind = self.vector(element)
        one = self.op(f"insertelement {kind} poison, {element} {name}, i64 0")
        return self.op(
            f"shufflevector {kind} {one}, {kind} poison, <{self.lanes} x i32> zeroinitializer"
        )

    def name(self, value: Value) -> str:
        """The scalar of a uniform value or the vector of a varying one."""
        return self._names[value]

    def at(self, value: Value, varying: bool) -> str:
        """A value as a vector where `varying`, else as it is."""
        if not varying or value.varying:
            return self._names[value]
        return self._splats[value]
