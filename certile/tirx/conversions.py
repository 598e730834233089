"""Conversions between dtypes as terms of TVM, with the rounding of the language.

In: carried terms (narrow floats as f32) or what memory holds.  Out: the same.  Decides how what a
target lacks is put together from integer operations: every conversion rounds once, to nearest even,
and a float becomes the nearest integer that the type holds, NaN 0.
"""

from __future__ import annotations

from certile.codegen.threads.spelling import NARROW
from certile.ir.dtypes import DType, bf16, bool_, f16, f32, f64, i32, u8, u16, u32, u64
from certile.ir.machine.fold import bounds
from certile.tirx import tvm
from certile.tirx.numbers import Numbers, carried, unsigned
from certile.tirx.tvm import Term

__all__ = ["Conversions", "stored_type"]


def stored_type(dtype: DType, target: str) -> DType:
    """The type by which TVM knows an element in memory: a bool is a byte, bf16 its 16 bits.

    CUDA's own half needs a header that need not be there, so f16 is its bits there too.
    """
    if dtype == bool_:
        return u8
    if dtype == bf16 or (dtype == f16 and target == "cuda"):
        return u16
    return dtype


class Conversions:
    """Conversions for one target."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._keep = numbers.keep

    # Memory.

    def loaded(self, raw: Term, dtype: DType) -> Term:
        """What memory holds, carried; `raw` has a name."""
        if dtype == bool_:
            return tvm.compare("ne", raw, self._numbers.like(0, raw))
        if dtype == bf16:
            return self._of_bf16(raw)
        if dtype == f16:
            return self._of_f16(raw) if raw.dtype == u16 else tvm.cast(raw, f32)
        return raw

    def stored(self, value: Term, dtype: DType) -> Term:
        """A carried value as memory holds it."""
        at = stored_type(dtype, self._numbers.target)
        if dtype == bool_:
            return self.as_integer(value, u8)
        if dtype == bf16:
            return self._to_bf16(value)
        if dtype == f16:
            return self._to_f16(value) if at == u16 else tvm.cast(value, f16)
        return value

    def as_integer(self, value: Term, dtype: DType) -> Term:
        """A truth value as 0 or 1."""
        zero, one = (self._numbers.number(k, dtype, value.lanes) for k in (0, 1))
        return tvm.select(value, one, zero)

    # Between dtypes.

    def convert(self, value: Term, source: DType, target: DType) -> Term:
        """A carried value of `source` as a carried value of `target`."""
        if source == target:
            return value
        if target == bool_:
            return tvm.compare("ne", value, self._numbers.like(0, value))
        if source == bool_:
            return tvm.cast(self.as_integer(value, i32), carried(target))
        if source.is_float and not target.is_float:
            return self._saturated(value, target)
        if target.name in NARROW:
            return self.rounded(self._before_rounding(value, source), target)
        return tvm.cast(value, target)

    def rounded(self, value: Term, dtype: DType) -> Term:
        """An f32 rounded to a narrow type, carried."""
        value = self._keep(value)
        return self.loaded(self._keep(self.stored(value, dtype)), dtype)

    def reinterpreted(self, value: Term, source: DType, target: DType) -> Term:
        """The bits of a carried value as a carried value of another type."""
        raw = value
        if source.name in NARROW:
            raw = self.stored(self._keep(value), source)
        bits = self._keep(tvm.bits(self._keep(raw), unsigned(source)))
        if target.name in NARROW:
            at = stored_type(target, self._numbers.target)
            return self.loaded(self._keep(tvm.bits(bits, at)), target)
        return tvm.bits(bits, target)

    def _saturated(self, value: Term, target: DType) -> Term:
        low, high = bounds(target)
        value = self._keep(value)
        below = tvm.compare("lt", value, self._numbers.like(float(low), value))
        above = tvm.compare("ge", value, self._numbers.like(float(high + 1), value))
        nan = self._numbers.is_nan(value)
        outside = self._keep(tvm.logic("or", nan, tvm.logic("or", below, above)))
        inside = tvm.select(outside, self._numbers.like(0.0, value), value)
        made = tvm.cast(inside, target)
        least, most = (self._numbers.like(end, made) for end in (low, high))
        made = tvm.select(below, least, self._keep(made))
        return tvm.select(above, most, self._keep(made))

    def _before_rounding(self, value: Term, source: DType) -> Term:
        """An f32 that rounds to a narrow type as the value itself does."""
        if source == f64:
            return self._odd_of_f64(self._keep(value))
        if source.is_float:
            return value
        if source.bits < 32:
            return tvm.cast(value, f32)
        return self._odd_of_integer(self._keep(value))

    def _odd_of_integer(self, value: Term) -> Term:
        """A wide integer as f32, rounded to odd: at most 24 bits stay, and whether any was lost."""
        numbers, keep = self._numbers, self._keep
        wide = u64
        signed = value.dtype.is_signed
        negative = tvm.compare("lt", value, numbers.like(0, value)) if signed else None
        bits = keep(tvm.cast(value, wide))
        if negative is not None:
            minus = numbers.wrapping("sub", numbers.like(0, bits), bits)
            bits = keep(tvm.select(negative, minus, bits))
        dropped = numbers.like(0, bits)
        for start, count in ((24, 14), (38, 28), (52, 40)):
            large = tvm.compare("ge", bits, numbers.like(1 << start, bits))
            dropped = tvm.select(large, numbers.like(count, bits), dropped)
        dropped = keep(dropped)
        high = keep(tvm.binary("shr", bits, dropped))
        back = tvm.binary("shl", high, dropped)
        lost = self.as_integer(tvm.compare("ne", back, bits), wide)
        short = tvm.cast(tvm.cast(tvm.binary("bit_or", high, lost), i32), f32)
        scale = numbers.number(1.0, f32, value.lanes)
        for count in (14, 28, 40):
            here = tvm.compare("eq", dropped, numbers.like(count, dropped))
            scale = tvm.select(here, numbers.number(2.0**count, f32, value.lanes), scale)
        made = keep(tvm.binary("mul", short, keep(scale)))
        if negative is None:
            return made
        return tvm.select(negative, tvm.binary("sub", numbers.like(-0.0, made), made), made)

    def _odd_of_f64(self, value: Term) -> Term:
        """f64 to f32, rounded to odd where bits are lost (Boldo and Melquiond, 2008)."""
        numbers, keep = self._numbers, self._keep
        nearest = keep(tvm.cast(value, f32))
        back = keep(tvm.cast(nearest, f64))
        bits = keep(tvm.bits(nearest, i32))
        sizes = [keep(numbers.magnitude(each)) for each in (value, back)]
        outward = tvm.compare("gt", sizes[0], sizes[1])
        inward = tvm.compare("lt", sizes[0], sizes[1])
        zero, one, minus = (numbers.like(k, bits) for k in (0, 1, -1))
        step = tvm.select(inward, minus, tvm.select(outward, one, zero))
        moved = numbers.wrapping("add", bits, step)
        last = tvm.binary("bit_and", bits, one)
        odd = keep(tvm.select(tvm.compare("eq", last, zero), moved, bits))
        return tvm.bits(odd, f32)

    # Narrow floats by their bits.

    def _of_bf16(self, raw: Term) -> Term:
        wide = tvm.cast(raw, u32)
        shifted = tvm.binary("shl", wide, self._numbers.like(16, wide))
        return tvm.bits(self._keep(shifted), f32)

    def _to_bf16(self, value: Term) -> Term:
        """Rounded to nearest even; a NaN stays one."""
        numbers, keep = self._numbers, self._keep
        value = keep(value)
        bits = keep(tvm.bits(value, u32))
        upper = keep(tvm.binary("shr", bits, numbers.like(16, bits)))
        odd = tvm.binary("bit_and", upper, numbers.like(1, bits))
        bias = tvm.binary("add", odd, numbers.like(0x7FFF, bits))
        moved = tvm.binary("shr", tvm.binary("add", bits, bias), numbers.like(16, bits))
        quiet = tvm.binary("bit_or", upper, numbers.like(0x40, bits))
        return tvm.cast(tvm.select(numbers.is_nan(value), quiet, moved), u16)

    def _of_f16(self, raw: Term) -> Term:
        """The exponent moves by a product, which is exact for subnormal numbers too."""
        numbers, keep = self._numbers, self._keep
        wide = keep(tvm.cast(raw, u32))

        def number(value: int) -> Term:
            return numbers.like(value, wide)

        sign = tvm.binary("shl", tvm.binary("bit_and", wide, number(0x8000)), number(16))
        shifted = tvm.binary("shl", tvm.binary("bit_and", wide, number(0x7FFF)), number(13))
        magnitude = tvm.bits(keep(shifted), f32)
        scaled = tvm.bits(keep(numbers.product(magnitude, numbers.like(2.0**112, magnitude))), u32)
        exponent = tvm.binary("bit_and", wide, number(0x7C00))
        special = tvm.compare("eq", exponent, number(0x7C00))
        whole = tvm.binary("bit_or", shifted, number(0x7F800000))
        made = tvm.binary("bit_or", sign, tvm.select(special, whole, keep(scaled)))
        return tvm.bits(keep(made), f32)

    def _to_f16(self, value: Term) -> Term:
        """Rounded to nearest even: by hand where the result is normal, else by adding 1/2."""
        numbers, keep = self._numbers, self._keep
        bits = keep(tvm.bits(keep(value), u32))

        def number(value: int) -> Term:
            return numbers.like(value, bits)

        sign = tvm.binary("bit_and", tvm.binary("shr", bits, number(16)), number(0x8000))
        size = keep(tvm.binary("bit_and", bits, number(0x7FFFFFFF)))
        odd = tvm.binary("bit_and", tvm.binary("shr", size, number(13)), number(1))
        based = tvm.binary("sub", size, number(0x38000000))
        bias = tvm.binary("add", odd, number(0xFFF))
        normal = tvm.binary("shr", tvm.binary("add", based, bias), number(13))
        small = tvm.bits(size, f32)
        # An ulp of 1/2 is the step between subnormal numbers, so the sum rounds to one of them.
        moved = keep(tvm.binary("add", small, numbers.like(0.5, small)))
        tiny = tvm.binary("sub", tvm.bits(moved, u32), number(0x3F000000))
        made = tvm.select(tvm.compare("ge", size, number(0x38800000)), normal, keep(tiny))
        infinite = tvm.compare("ge", size, number(0x477FF000))
        made = tvm.select(infinite, number(0x7C00), keep(made))
        nan = tvm.compare("gt", size, number(0x7F800000))
        made = tvm.select(nan, number(0x7E00), keep(made))
        return tvm.cast(tvm.binary("bit_or", sign, made), u16)
