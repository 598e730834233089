"""Constants, and what every target computes alike, as terms of TVM.

In: a target and a function that names a value.  Out: terms.  Decides how numbers are written where
a printer of TVM would round them or a pass of it would fail: by their bits, or from two's
complement.  Decides also that products never join a sum: TVM lets LLVM and NVRTC contract them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

from certile.codegen.threads.spelling import NARROW
from certile.ir.dtypes import BY_NAME, DType, f32, f64, u32
from certile.tirx import tvm
from certile.tirx.externs import TirxTarget
from certile.tirx.tvm import Term

__all__ = ["Keep", "Numbers", "carried", "unsigned"]

# Gives a term a name, so that it is computed once.
Keep = Callable[[Term], Term]

# Wide enough for every product of integers of so many bits, signed or not.
_TWICE = {32: DType("i96", "int", 96), 64: DType("i192", "int", 192)}


def carried(dtype: DType) -> DType:
    """The type in which values of `dtype` are held between operations."""
    return f32 if dtype.name in NARROW else dtype


def unsigned(dtype: DType) -> DType:
    """The unsigned type of the same width."""
    return BY_NAME[f"u{dtype.bits}"]


def _word(dtype: DType) -> DType:
    """The signed integer of a type's width."""
    return BY_NAME[f"i{dtype.bits}"]


class Numbers:
    """Arithmetic that differs from target to target only in its spelling."""

    def __init__(self, target: TirxTarget, keep: Keep) -> None:
        self.target = target
        self.keep = keep

    def number(self, value: bool | int | float, dtype: DType, lanes: int = 1) -> Term:
        """Exactly this value, in all lanes."""
        if dtype.is_float:
            return tvm.spread(self._float(float(value), dtype), lanes)
        return tvm.constant(int(value), dtype, lanes)

    def _float(self, value: float, dtype: DType) -> Term:
        # LLVM takes the number itself, CUDA reads hexadecimal digits, and Metal seven decimal ones.
        finite = value - value == 0.0
        printed = finite if self.target == "cuda" else tvm.prints_exactly(value, dtype)
        if self.target == "llvm" or printed:
            return tvm.constant(value, dtype)
        form, bits = ("<f", "<i") if dtype == f32 else ("<d", "<q")
        with_bits = struct.unpack(bits, struct.pack(form, value))[0]
        word = tvm.constant(with_bits, _word(dtype))
        if self.target == "cuda":
            # TVM reads other bits through a pointer, and a constant has no address.
            name = "__int_as_float" if dtype == f32 else "__longlong_as_double"
            made = tvm.call("cuda", name, dtype, [word])
        else:
            made = tvm.bits(word, dtype)
        return replace(made, named="fixed")

    def like(self, value: bool | int | float, term: Term) -> Term:
        """A constant of a term's type."""
        return self.number(value, term.dtype, term.lanes)

    def product(self, a: Term, b: Term) -> Term:
        """A product of floats that is rounded before anything is added to it."""
        if self.target == "cuda":
            name = "__fmul_rn" if a.dtype == f32 else "__dmul_rn"
            return tvm.call("cuda", name, a.dtype, [a, b])
        made = tvm.binary("mul", a, b)
        return tvm.intrinsic("llvm.arithmetic.fence", made) if self.target == "llvm" else made

    def wrapping(self, name: str, a: Term, b: Term) -> Term:
        """Sum, difference or product of integers, modulo their range."""
        wide = u32 if a.dtype.bits < 32 else unsigned(a.dtype)
        if self.target == "llvm":
            # TVM tells LLVM that no sum wraps, an unsigned one neither: so none does, in a type
            # that is wide enough, and LLVM finds the narrow sum again.
            wide = _TWICE[max(32, a.dtype.bits)]
        made = tvm.binary(name, tvm.cast(a, wide), tvm.cast(b, wide))
        return tvm.cast(made, a.dtype)

    def is_nan(self, a: Term) -> Term:
        """Whether a float is no number; `a != a` is what a simplifier calls false."""
        return tvm.negated(tvm.compare("le", a, self.like(float("inf"), a)))

    def magnitude(self, a: Term) -> Term:
        """The absolute value of a float."""
        match self.target:
            case "llvm":
                return tvm.intrinsic("llvm.fabs", a)
            case "metal":
                return tvm.call("metal", "fabs", a.dtype, [a])
            case "cuda":
                return tvm.call("cuda", "fabs" if a.dtype == f64 else "fabsf", a.dtype, [a])

    def nan(self, like: Term) -> Term:
        """A quiet NaN."""
        return self.like(float("nan"), like)
