"""What the exporter may call by name: closed lists, one a target.

In: nothing.  Out: `EXTERNS` by target, and the LLVM intrinsics.  Decides which names exist.  TVM
prints any name it is given, and one that the target's library lacks ends a process when it is
called, so nothing else is ever written.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from certile.records import record

__all__ = ["CUDA_STORE", "EXTERNS", "INTRINSICS", "Extern", "TirxTarget"]

TirxTarget = Literal["llvm", "metal", "cuda"]


@record
class Extern:
    """A function of a target's library; `together`: all lanes of a subgroup call it at once."""

    arity: int
    together: bool = False


def _of(arity: int, names: Iterable[str], *, together: bool = False) -> dict[str, Extern]:
    return dict.fromkeys(names, Extern(arity, together))


_METAL_FUNCTIONS = ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "tanh", "sqrt", "rsqrt")

_METAL: dict[str, Extern] = {
    **_of(1, ("floor", "ceil", "rint", "trunc", "fabs", "popcount")),
    **_of(2, ("fmax", "fmin", "ldexp")),
    **_of(3, ("fma",)),
    **_of(1, (f"{space}::{name}" for space in ("precise", "fast") for name in _METAL_FUNCTIONS)),
    **_of(2, (f"{space}::{name}" for space in ("precise", "fast") for name in ("pow", "fmod"))),
    **_of(
        1,
        ("simd_sum", "simd_product", "simd_max", "simd_min", "simd_any", "simd_all"),
        together=True,
    ),
    **_of(2, ("simd_shuffle_xor", "simd_shuffle_up", "simd_broadcast"), together=True),
}

_CUDA_UNARY = (
    *("floor", "ceil", "rint", "trunc", "sqrt", "fabs"),
    *("exp", "expm1", "log", "log2", "log1p", "tanh", "erf", "sin", "cos"),
)
_CUDA: dict[str, Extern] = {
    **_of(1, (name + end for name in _CUDA_UNARY for end in ("f", ""))),
    **_of(2, (name + end for name in ("fmax", "fmin", "fmod", "ldexp") for end in ("f", ""))),
    **_of(3, ("fmaf", "fma")),
    **_of(1, ("__frsqrt_rn", "rsqrtf", "__expf", "__logf", "__log2f", "__sinf", "__cosf", "exp2f")),
    **_of(1, ("__popc", "__popcll", "tan", "erfc", "__int_as_float", "__longlong_as_double")),
    **_of(2, ("pow", "__fmul_rn", "__dmul_rn")),
    **_of(3, ("__shfl_xor_sync", "__shfl_up_sync", "__shfl_sync"), together=True),
    **_of(
        2,
        (
            *("__any_sync", "__all_sync"),
            *("__reduce_add_sync", "__reduce_max_sync", "__reduce_min_sync"),
        ),
        together=True,
    ),
}

# Writes all of a vector to device memory, by the address of the vector.
CUDA_STORE = "__stwb"

# The C library of the process.
_LLVM: dict[str, Extern] = _of(2, ("fmodf", "fmod"))

EXTERNS: dict[TirxTarget, dict[str, Extern]] = {"llvm": _LLVM, "metal": _METAL, "cuda": _CUDA}

# Intrinsics with the number of their operands; the types of all are one.
INTRINSICS: dict[str, int] = {
    **dict.fromkeys(("llvm.floor", "llvm.ceil", "llvm.trunc", "llvm.roundeven"), 1),
    **dict.fromkeys(("llvm.sqrt", "llvm.fabs", "llvm.ctpop", "llvm.arithmetic.fence"), 1),
    **dict.fromkeys(("llvm.maxnum", "llvm.minnum"), 2),
    "llvm.fma": 3,
}
