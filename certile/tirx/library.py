"""Float functions that the library of a target has, as terms of TVM.

In: a function, carried operands of f32 or f64.  Out: a call of a function of the closed list of
`externs`, or an intrinsic of LLVM.  Decides which variant of a function serves.  Refuses by name
what a target's library lacks; `fast` allows its approximations.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.codegen.cuda.functions import FAST
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import DType, f32, f64
from certile.tirx import tvm
from certile.tirx.externs import EXTERNS, TirxTarget
from certile.tirx.numbers import Numbers
from certile.tirx.tvm import Term

__all__ = ["Library", "unknown"]

_LLVM = {
    "floor": "llvm.floor",
    "ceil": "llvm.ceil",
    "trunc": "llvm.trunc",
    "round": "llvm.roundeven",
    "sqrt": "llvm.sqrt",
    "fma": "llvm.fma",
    "fmax": "llvm.maxnum",
    "fmin": "llvm.minnum",
}
# Of these the float version of CUDA is too far off, or there is none.
_THROUGH_DOUBLE = frozenset({"tan", "erfc", "pow"})


def unknown(fn: str, dtype: DType, target: TirxTarget) -> UnsupportedError:
    """What to raise where a target has no such function."""
    return UnsupportedError("U321", f"there is no {fn} of {dtype} for {target} through TIRx")


class Library:
    """The functions of one target's library."""

    def __init__(self, numbers: Numbers, *, fast: bool) -> None:
        self._target = numbers.target
        self._keep = numbers.keep
        self.fast = fast

    def call(self, fn: str, dtype: DType, args: Sequence[Term]) -> Term:
        """`fn` of these operands; `dtype` is the type that a refusal names."""
        kind = args[0].dtype
        if self._target == "llvm":
            if fn in _LLVM:
                return tvm.intrinsic(_LLVM[fn], *args)
            if fn == "fmod":
                return self._each_lane("fmodf" if kind == f32 else "fmod", args)
            raise unknown(fn, dtype, self._target)
        if self._target == "cuda" and fn in _THROUGH_DOUBLE and kind == f32:
            wide = [self._keep(tvm.cast(arg, f64)) for arg in args]
            return tvm.cast(self._keep(tvm.call("cuda", fn, f64, wide)), f32)
        name = self._metal(fn) if self._target == "metal" else self._cuda(fn, kind)
        known = EXTERNS[self._target].get(name)
        if known is None or known.arity != len(args):
            raise unknown(fn, dtype, self._target)
        return tvm.call(self._target, name, kind, args)

    def _metal(self, fn: str) -> str:
        plain = {"round": "rint", "abs": "fabs"}.get(fn, fn)
        if plain in EXTERNS["metal"]:
            return plain
        return f"{'fast' if self.fast else 'precise'}::{fn}"

    def _cuda(self, fn: str, kind: DType) -> str:
        if self.fast and kind == f32 and fn in FAST:
            return FAST[fn]
        plain = {"round": "rint", "abs": "fabs"}.get(fn, fn)
        return plain if kind == f64 else f"{plain}f"

    def _each_lane(self, name: str, args: Sequence[Term]) -> Term:
        """A function of the C library, lane by lane."""
        first = args[0]
        if first.lanes == 1:
            return tvm.call("llvm", name, first.dtype, args)
        made = []
        for lane in range(first.lanes):
            scalars = [self._keep(tvm.lanes_of(arg, [lane])) for arg in args]
            made.append(self._keep(tvm.call("llvm", name, first.dtype, scalars)))
        return tvm.shuffled(made, range(first.lanes))
