"""What the caller's framework does itself: its conventions for results, and its operations.

In: the name of a framework ("numpy", "torch", "mlx"; arrays of others are treated as NumPy's), of
an operation, and an element type.  Out: the element type of a result, the default correction of a
variance, the framework's own callables.  Leaves the choice between native and generated code to
others.

| | NumPy | PyTorch | MLX |
|---|---|---|---|
| sum of bool and narrow integers | i64 | i64 | i32 |
| sum of narrow unsigned integers | u64 | i64 | u32 |
| cumulative sum of integers | as their sum | i64 | their own, of bool i32 |
| mean and variance of integers | f64 | refused | f32 |
| log(sum(exp)) of integers | refused | f32 | f32 |
| other functions of real numbers, of integers | refused | refused | f32, norms refused |
| positions | i64 | i64 | u32 |
| correction of a variance | 0 | 1 | 0 |
"""

from __future__ import annotations

from certile.ops import native_mlx, native_numpy, native_torch
from certile.ops.native_form import NativeOp

__all__ = [
    "NativeOp",
    "cumulative_dtype",
    "default_correction",
    "index_dtype",
    "mean_dtype",
    "native",
    "real_dtype",
    "sum_dtype",
]

_FLOATS = ("f16", "bf16", "f32", "f64")
_WIDE = ("i32", "i64", "u32", "u64")
# What MLX computes of integers too, in f32; its norms of rows take none.
_MLX_REAL = (
    *("softmax", "log_softmax", "logsumexp", "l2_norm"),
    *("silu", "gelu", "gelu_tanh", "swiglu", "geglu"),
)


def sum_dtype(framework: str, dtype: str) -> str:
    """Return the dtype of a sum of `dtype` elements when the caller names none."""
    if dtype in _FLOATS:
        return dtype
    unsigned = dtype.startswith("u")
    if framework == "mlx":
        return dtype if dtype in _WIDE else "u32" if unsigned else "i32"
    return "u64" if framework != "torch" and unsigned else "i64"


def cumulative_dtype(framework: str, dtype: str) -> str:
    """Return the dtype of a cumulative sum when the caller names none."""
    if framework == "mlx" and dtype != "bool":
        return dtype
    return sum_dtype(framework, dtype)


def mean_dtype(framework: str, dtype: str) -> str | None:
    """Return the dtype of a mean or variance; None where the framework refuses integers."""
    if dtype in _FLOATS:
        return dtype
    return {"torch": None, "mlx": "f32"}.get(framework, "f64")


def real_dtype(op: str, framework: str, dtype: str) -> str | None:
    """Return the dtype of a function of real numbers; None where the framework refuses integers.

    NumPy has none of these functions, and takes no integers here.
    """
    if dtype in _FLOATS:
        return dtype
    taken = {"torch": ("logsumexp",), "mlx": _MLX_REAL}
    return "f32" if op in taken.get(framework, ()) else None


def index_dtype(framework: str) -> str:
    """Return the dtype of positions."""
    return "u32" if framework == "mlx" else "i64"


def default_correction(framework: str) -> int:
    """Return what the divisor of a variance is less than the number of elements, by default."""
    return 1 if framework == "torch" else 0


def native(op: str, framework: str) -> NativeOp | None:
    """Return the framework's own form of an operation, or None when it has none."""
    match framework:
        case "torch":
            return native_torch.ops().get(op)
        case "mlx":
            return native_mlx.ops().get(op)
        case _:
            return native_numpy.OPS.get(op)
