"""Floats of 8 bits as integer operations: decoding to f32 and rounding from every dtype.

In: Machine IR values, bytes where a dtype is a format of memory.  Out: the same.  Decides the
sequence of operations, which is the one for every target: no branch, no table, every code exact.
Rounding is to nearest even and happens once; beyond the greatest finite value f8e4m3 is NaN, as it
has no infinity, and f8e5m2 is infinite.  Leaves all other conversions to the targets.

The formats are those of the OCP 8-bit Floating Point Specification (2023): E4M3 and E5M2.
"""

from __future__ import annotations

import math
import struct

from certile.ir.build import rounded
from certile.ir.dtypes import DType, f8e4m3, f8e5m2, f32, f64, i32, u8
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.records import record

# No integer beyond is finite in 8 bits, and f32 holds every integer up to it.
_FAR = 1 << 20

_INFINITY, _NAN, _MAGNITUDE = 0x7F800000, 0x7FC00000, 0x7FFFFFFF


@record
class _Format:
    """Mantissa bits and bias; the code of what is too large, and that of NaN, without sign."""

    mantissa: int
    bias: int
    beyond: int
    nan: int

    @property
    def dropped(self) -> int:
        """How many bits of an f32's mantissa do not fit."""
        return 23 - self.mantissa

    @property
    def rebias(self) -> int:
        """What an f32's exponent is more."""
        return 127 - self.bias

    @property
    def least(self) -> float:
        """The least subnormal: the unit of all of them."""
        return math.ldexp(1.0, 1 - self.bias - self.mantissa)


_FORMATS = {f8e4m3: _Format(3, 7, 0x7F, 0x7F), f8e5m2: _Format(2, 15, 0x7C, 0x7E)}


def convert(builder: Builder, value: Value, source: DType, target: DType) -> Value:
    """A value of `source` as one of `target`; formats of memory are bytes."""
    if source == target:
        return value
    if source.is_storage:
        value, source = _decoded(builder, value, _FORMATS[source]), f32
    if target.is_storage:
        return _encoded(builder, _as_f32(builder, value, source), _FORMATS[target])
    return builder.convert(value, target)


def code(value: float, dtype: DType) -> int:
    """The byte of a constant, rounded as at run time."""
    held, kind = rounded(value, dtype), _FORMATS[dtype]
    sign = 0x80 if math.copysign(1.0, held) < 0 else 0
    if math.isnan(held) or math.isinf(held):
        return sign | (kind.nan if math.isnan(held) else kind.beyond)
    magnitude = abs(held)
    if magnitude < math.ldexp(1.0, 1 - kind.bias):
        return sign | int(magnitude / kind.least)
    bits: int = struct.unpack("<I", struct.pack("<f", magnitude))[0]
    return sign | ((bits >> kind.dropped) - (kind.rebias << kind.mantissa))


def _decoded(builder: Builder, value: Value, kind: _Format) -> Value:
    """A byte as f32."""
    compute = builder.compute
    byte = builder.convert(value, i32)
    sign = compute("shl", compute("bit_and", byte, 0x80), 24)
    body = compute("bit_and", byte, 0x7F)
    normal = compute("add", compute("shl", body, kind.dropped), kind.rebias << 23)
    whole = builder.convert(body, f32)
    small = builder.reinterpret(compute("mul", whole, builder.const(kind.least, f32)), i32)
    bits = builder.select(builder.lt(body, 1 << kind.mantissa), small, normal)
    if kind.beyond != kind.nan:
        infinite = builder.eq(body, kind.beyond)
        bits = builder.select(infinite, builder.const(_INFINITY, i32), bits)
    number = builder.lt(body, kind.beyond + (kind.beyond != kind.nan))
    bits = builder.select(number, bits, builder.const(_NAN, i32))
    return builder.reinterpret(compute("bit_or", bits, sign), f32)


def _encoded(builder: Builder, value: Value, kind: _Format) -> Value:
    """An f32 as a byte: a sum of integers rounds what is normal, one of floats what is not."""
    compute = builder.compute
    bits = builder.reinterpret(value, i32)
    sign = compute("bit_and", compute("shr", bits, 24), 0x80)
    magnitude = compute("bit_and", bits, _MAGNITUDE)
    odd = compute("bit_and", compute("shr", magnitude, kind.dropped), 1)
    half = (1 << (kind.dropped - 1)) - 1
    nearest = compute("shr", compute("add", compute("add", magnitude, half), odd), kind.dropped)
    normal = compute("sub", nearest, kind.rebias << kind.mantissa)
    # The unit in the last place of the anchor is the least subnormal.
    anchor = builder.const(math.ldexp(kind.least, 23), f32)
    moved = builder.reinterpret(compute("add", builder.reinterpret(magnitude, f32), anchor), i32)
    small = compute("sub", moved, builder.reinterpret(anchor, i32))
    body = builder.select(builder.lt(magnitude, (kind.rebias + 1) << 23), small, normal)
    body = compute("minimum", body, kind.beyond)
    nan = builder.lt(builder.const(_INFINITY, i32), magnitude)
    body = builder.select(nan, builder.const(kind.nan, i32), body)
    return builder.convert(compute("bit_or", body, sign), u8)


def _as_f32(builder: Builder, value: Value, source: DType) -> Value:
    """A value as an f32 that rounds on to 8 bits as the value itself would."""
    if source == f64:
        return _rounded_to_odd(builder, value)
    if not source.is_float and source.bits >= 32:
        value = builder.compute("minimum", value, _FAR)
        if source.is_signed:
            value = builder.compute("maximum", value, -_FAR)
    return builder.convert(value, f32)


def _rounded_to_odd(builder: Builder, value: Value) -> Value:
    """f64 to f32, to odd where bits are lost (Boldo and Melquiond, 2008)."""
    compute = builder.compute
    nearest = builder.convert(value, f32)
    wanted, made = (compute("abs", each) for each in (value, builder.convert(nearest, f64)))
    bits = builder.reinterpret(nearest, i32)
    zero, one = builder.const(0, i32), builder.const(1, i32)
    outward = builder.select(builder.lt(made, wanted), one, zero)
    step = builder.select(builder.lt(wanted, made), builder.const(-1, i32), outward)
    even = builder.eq(compute("bit_and", bits, 1), 0)
    odd = builder.select(even, compute("add", bits, step), bits)
    return builder.reinterpret(odd, f32)
