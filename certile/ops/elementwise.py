"""Activation functions of arrays of any rank and strides.

In: an array.  Out: an array of its shape.  Decides how the elements are cut into rows, so that all
cores and full vectors are used.  Leaves the formulas to `certile.ops.kernels.elementwise`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from certile.ops import checks
from certile.ops.call import Operation, Plan, Result
from certile.ops.kernels import elementwise as kernels
from certile.ops.launch import Launch, Seen
from certile.ops.layout import elementwise
from certile.runtime.arrays import ArrayInfo

__all__ = ["gelu", "silu"]

Array = Any

_KERNELS = {
    "silu": kernels.silu_kernel,
    "gelu": kernels.gelu_kernel,
    "gelu_tanh": kernels.gelu_tanh_kernel,
}


@dataclass(frozen=True, slots=True)
class Activation(Plan):
    """A call of a function of single elements."""

    kernel: str
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        if self.dtype is None:
            checks.require_dtype(self.kernel, "x", x, checks.REAL)
        dtype = checks.result_dtype(self.kernel, self.dtype, x.dtype)
        return (Result(x.shape, dtype, 0.0 if prod(x.shape) == 0 else None),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, y = arrays
        pieces = elementwise(x.shape or (1,), (x.strides or (1,), y.strides or (1,)))
        return tuple(
            Launch(
                _KERNELS[self.kernel],
                {
                    "x": Seen(0, piece.arrangement.arrays[0], piece.offsets[0]),
                    "y": Seen(1, piece.arrangement.arrays[1], piece.offsets[1]),
                    "kept": piece.arrangement.kept,
                },
            )
            for piece in pieces
        )


_silu = Operation("silu", Activation)
_gelu = Operation("gelu", Activation)
_GELU = {"none": "gelu", "tanh": "gelu_tanh"}


def silu(x: Array, *, out: Array = None, dtype: object = None, guard: object = None) -> Array:
    """Return x · sigmoid(x) for each element."""
    checks.require_no_guard(guard)
    return _silu((x,), out, ("silu", dtype))


def gelu(
    x: Array,
    *,
    approximate: str = "none",
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return x · Φ(x) for each element, Φ the normal distribution function.

    `approximate="tanh"` computes x · (1 + tanh(√(2/π)(x + 0.044715x³))) / 2 instead.
    """
    checks.require_no_guard(guard)
    checks.require_choice("gelu", "approximate", approximate, ("none", "tanh"))
    return _gelu((x,), out, (_GELU[approximate], dtype))
