"""Element types and the one promotion table.

A `DType` is a value: two of one name are one object.  The table below is value-independent: the
types of two operands decide the type of the result, never their contents.  Python scalars are weak:
they take the other operand's type unless that type cannot hold their kind (`i32 * 0.5` is f32).

The 8-bit floats are formats of memory only (OCP 8-bit Floating Point Specification, 2023): they are
loaded, stored and converted, and count as f32 in every operation.
"""

from __future__ import annotations

from typing import Literal

from certile.records import record

Kind = Literal["bool", "int", "uint", "float"]


@record
class DType:
    """One element type: its name in IR, CLI and JSON, its kind and its width in bits."""

    name: str
    kind: Kind
    bits: int

    @property
    def size(self) -> int:
        """Bytes one element takes in memory."""
        return max(1, self.bits // 8)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """True for signed and unsigned integers, false for bool."""
        return self.kind in ("int", "uint")

    @property
    def is_signed(self) -> bool:
        return self.kind in ("int", "float")

    @property
    def is_storage(self) -> bool:
        """True for formats of memory, in which nothing is computed: the 8-bit floats."""
        return self.kind == "float" and self.bits == 8

    def __or__(self, other: DType | frozenset[DType]) -> frozenset[DType]:
        """The set of both, as annotations write it: `f32 | bf16`."""
        return frozenset((self,)) | (other if isinstance(other, frozenset) else frozenset((other,)))

    __ror__ = __or__

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


bool_ = DType("bool", "bool", 8)
i8, i16, i32, i64 = (DType(f"i{n}", "int", n) for n in (8, 16, 32, 64))
u8, u16, u32, u64 = (DType(f"u{n}", "uint", n) for n in (8, 16, 32, 64))
f16, f32, f64 = (DType(f"f{n}", "float", n) for n in (16, 32, 64))
bf16 = DType("bf16", "float", 16)

# Four exponent bits and no infinity, with NaN beyond 448; and five exponent bits, as in IEEE 754.
f8e4m3 = DType("f8e4m3", "float", 8)
f8e5m2 = DType("f8e5m2", "float", 8)

# What values are computed in; what else memory may hold.
ALL: tuple[DType, ...] = (bool_, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64)
STORAGE: tuple[DType, ...] = (f8e4m3, f8e5m2)
BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in (*ALL, *STORAGE)}


def arithmetic(dtype: DType) -> DType:
    """The type in which values of `dtype` are computed with: f32 for formats of memory."""
    return f32 if dtype.is_storage else dtype


def machine(dtype: DType) -> DType:
    """The type that holds the bits of `dtype` in a machine: a byte for formats of memory."""
    return u8 if dtype.is_storage else dtype


def _promote_integers(a: DType, b: DType) -> DType:
    if a.kind == b.kind:
        return a if a.bits >= b.bits else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    # One step wider holds both; 64-bit pairs have no wider integer and stay unsigned, never float.
    return u64 if unsigned.bits == 64 else BY_NAME[f"i{2 * unsigned.bits}"]


def promote(a: DType, b: DType) -> DType:
    """The type of an arithmetic result of `a` and `b`.

    Floats win over integers and keep their own width; f16 with bf16 is f32; bool yields to all.
    """
    a, b = arithmetic(a), arithmetic(b)
    if a == b:
        return a
    if a.is_float and b.is_float:
        if a.bits == b.bits:
            return f32
        return a if a.bits > b.bits else b
    if a.is_float or b.is_float:
        return a if a.is_float else b
    if a.kind == "bool":
        return b
    if b.kind == "bool":
        return a
    return _promote_integers(a, b)


def weak(dtype: DType, scalar: bool | int | float) -> DType:
    """The type of an arithmetic result of a `dtype` tile and a Python scalar."""
    dtype = arithmetic(dtype)
    if isinstance(scalar, bool) or dtype.is_float:
        return dtype
    if isinstance(scalar, int):
        return i32 if dtype.kind == "bool" else dtype
    return f32


def of_scalar(scalar: bool | int | float) -> DType:
    """The type a Python scalar takes on its own (two scalars meeting, a run-time argument)."""
    if isinstance(scalar, bool):
        return bool_
    if isinstance(scalar, int):
        return i32 if -(2**31) <= scalar < 2**31 else i64
    return f32


def accumulator(dtype: DType) -> DType:
    """The type a reduction accumulates in: f32 for narrow floats, at least i32 for integers."""
    if dtype.is_float:
        return f64 if dtype == f64 else f32
    if dtype.kind == "uint":
        return dtype if dtype.bits >= 32 else u32
    return dtype if dtype.bits >= 32 else i32


def lowest(dtype: DType) -> float | int:
    """The identity of maximum: -inf, or the least integer."""
    if dtype.is_float:
        return float("-inf")
    return -(1 << (dtype.bits - 1)) if dtype.kind == "int" else 0


def highest(dtype: DType) -> float | int:
    """The identity of minimum: +inf, or the greatest integer."""
    if dtype.is_float:
        return float("inf")
    if dtype.kind == "bool":
        return 1
    return (1 << (dtype.bits - (dtype.kind == "int"))) - 1
