"""What the lanes of a warp or SIMD group exchange and make together, as terms of TVM.

In: a carried term that every lane has, and which lanes meet.  Out: a term of every lane.  Decides
what a target has no function for: a truth value and a short integer travel as i32, 64 bits on Metal
as two halves, and what no instruction reduces meets lane by lane.  Leaves to `threads` what memory
a meeting of lanes orders.
"""

from __future__ import annotations

from certile.ir.dtypes import DType, bool_, f32, i32, u32, u64
from certile.tirx import tvm
from certile.tirx.conversions import Conversions
from certile.tirx.functions import Functions
from certile.tirx.numbers import Numbers, unsigned
from certile.tirx.tvm import Term

__all__ = ["WARP", "Lanes"]

WARP = 32
_FULL = 0xFFFFFFFF
_METAL_REDUCTIONS = {
    "add": "simd_sum",
    "mul": "simd_product",
    "maximum": "simd_max",
    "minimum": "simd_min",
}
# Reductions of 32-bit integers that a warp makes at once.
_CUDA_REDUCTIONS = {
    "add": "__reduce_add_sync",
    "maximum": "__reduce_max_sync",
    "minimum": "__reduce_min_sync",
}
_EXCHANGES = {
    "metal": {"xor": "simd_shuffle_xor", "up": "simd_shuffle_up", "of": "simd_broadcast"},
    "cuda": {"xor": "__shfl_xor_sync", "up": "__shfl_up_sync", "of": "__shfl_sync"},
}


class Lanes:
    """The lanes of one subgroup, for one target."""

    def __init__(self, numbers: Numbers, conversions: Conversions, functions: Functions) -> None:
        self._numbers = numbers
        self._conversions = conversions
        self._functions = functions
        self._target = numbers.target
        self._keep = numbers.keep

    def exchange(self, how: str, value: Term, number: int) -> Term:
        """The value of another lane: `xor`, `up` or `of` a number."""
        dtype = value.dtype
        if dtype == bool_:
            moved = self.exchange(how, self._conversions.as_integer(value, i32), number)
            return tvm.compare("ne", moved, self._numbers.like(0, moved))
        if dtype.is_integer and dtype.bits < 32:
            return tvm.cast(self.exchange(how, tvm.cast(value, i32), number), dtype)
        name, where = _EXCHANGES[self._target][how], tvm.constant(number, i32)
        if self._target == "cuda":
            return self._keep(tvm.call("cuda", name, dtype, [self._everyone(), value, where]))
        if dtype.bits < 64:
            return self._keep(tvm.call("metal", name, dtype, [value, where]))
        return tvm.cast(self._exchange_halves(name, value, where), dtype)

    def _exchange_halves(self, name: str, value: Term, where: Term) -> Term:
        """A word of 64 bits, by a function of Metal for 32."""
        whole = self._keep(tvm.cast(value, u64))
        far = self._numbers.like(32, whole)
        halves = [tvm.cast(each, u32) for each in (whole, tvm.binary("shr", whole, far))]
        low, high = (
            tvm.cast(self._keep(tvm.call("metal", name, u32, [self._keep(half), where])), u64)
            for half in halves
        )
        return tvm.binary("bit_or", tvm.binary("shl", high, far), low)

    def collective(self, fn: str, dtype: DType, value: Term) -> Term:
        """What all lanes make together of values of type `dtype`, which `value` carries by name."""
        if dtype == bool_:
            return self._vote(fn, value)
        if self._target == "cuda":
            return self._cuda_collective(fn, dtype, value)
        if dtype.bits == 64:
            return self._butterfly(fn, dtype, value)
        return self._metal_collective(fn, dtype, value)

    def _butterfly(self, fn: str, dtype: DType, value: Term) -> Term:
        """Lane l meets lane l xor 16, 8, 4, 2, 1; every lane ends with the same bits."""
        distance = WARP // 2
        while distance:
            other = self._keep(self.exchange("xor", value, distance))
            value = self._keep(self._functions.compute(fn, dtype, [value, other]))
            distance //= 2
        return value

    def _vote(self, fn: str, value: Term) -> Term:
        every = fn in ("all", "minimum")
        if self._target == "metal":
            name = "simd_all" if every else "simd_any"
            return self._keep(tvm.call("metal", name, bool_, [value]))
        name = "__all_sync" if every else "__any_sync"
        held = self._conversions.as_integer(value, i32)
        voted = self._keep(tvm.call("cuda", name, i32, [self._everyone(), held]))
        return tvm.compare("ne", voted, self._numbers.like(0, voted))

    def _cuda_collective(self, fn: str, dtype: DType, value: Term) -> Term:
        if dtype.is_integer and dtype.bits == 32 and fn in _CUDA_REDUCTIONS:
            made = tvm.call("cuda", _CUDA_REDUCTIONS[fn], dtype, [self._everyone(), value])
            return self._keep(made)
        return self._butterfly(fn, dtype, value)

    def _metal_collective(self, fn: str, dtype: DType, value: Term) -> Term:
        name = _METAL_REDUCTIONS[fn]
        if dtype.is_integer and fn in ("add", "mul"):
            # Unsigned, so that a sum wraps.
            wide = tvm.cast(tvm.cast(value, unsigned(dtype)), u32)
            return tvm.cast(self._keep(tvm.call("metal", name, u32, [self._keep(wide)])), dtype)
        made = self._keep(tvm.call("metal", name, value.dtype, [value]))
        if not dtype.is_float:
            return made
        if fn in ("maximum", "minimum"):
            # Metal's extrema give way to numbers; here a NaN anywhere is the result.
            lost = self._keep(tvm.call("metal", "simd_any", bool_, [self._numbers.is_nan(value)]))
            return tvm.select(lost, self._keep(self._numbers.nan(made)), made)
        return made if dtype == f32 else self._conversions.rounded(made, dtype)

    def _everyone(self) -> Term:
        """The mask by which CUDA is told that all lanes take part."""
        return self._numbers.number(_FULL, u32)
