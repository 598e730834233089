"""Activation functions of arrays of any rank and strides, and gated ones of two arrays.

In: an array; for a gated function a gate and what it lets through, or both as halves of one array.
Out: an array of its shape.  Decides how the elements are cut into rows, so that all cores and full
vectors are used.  Leaves the formulas to `certile.ops.kernels.elementwise`.
"""

from __future__ import annotations

from typing import Any

from certile.ops import checks
from certile.ops.call import Operation, Recipe, Result
from certile.ops.kernels import elementwise as kernels
from certile.ops.launch import Launch, Seen
from certile.ops.layout import elementwise, memory_order
from certile.ops.views import arranged, in_twos, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["geglu", "gelu", "silu", "swiglu"]

Array = Any

_KERNELS = {
    "silu": kernels.silu_kernel,
    "gelu": kernels.gelu_kernel,
    "gelu_tanh": kernels.gelu_tanh_kernel,
    "swiglu": kernels.swiglu_kernel,
    "geglu": kernels.geglu_kernel,
}


@record
class Activation(Recipe):
    """A call of a function of single elements: of one array, or of arrays of one shape."""

    kernel: str
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x = inputs[0]
        dtypes = []
        for name, array in zip(self._names(), inputs, strict=False):
            dtypes.append(checks.real_dtype(self.kernel, name, array, self.dtype))
            checks.require_shape(name, array, x.shape, f"{self._names()[0]} has")
        return (Result(x.shape, dtypes[0], order=memory_order(x.shape, x.strides)),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        shape = arrays[0].shape or (1,)
        steps = [array.strides or (1,) for array in arrays]
        pieces = elementwise(shape, steps, on_host=arrays[0].device == "cpu")
        return tuple(
            Launch(
                _KERNELS[self.kernel],
                {
                    "kept": piece.arrangement.kept,
                    **{
                        name: Seen(at, piece.arrangement.arrays[at], piece.offsets[at])
                        for at, name in enumerate(self._names())
                    },
                },
            )
            for piece in pieces
        )

    def _names(self) -> tuple[str, ...]:
        return ("gate", "up", "y") if self.kernel in ("swiglu", "geglu") else ("x", "y")


@record
class Halves(Recipe):
    """A call of a gated function whose two arguments are the halves of the last axis."""

    kernel: str
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (gate,) = inputs
        dtype = checks.real_dtype(self.kernel, "gate", gate, self.dtype)
        half = checks.require_halves(self.kernel, "gate", gate)
        shape = (*gate.shape[:-1], half)
        return (Result(shape, dtype),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        y = arrays[1]
        arrangement = arranged(y.shape, (len(y.shape) - 1,), ("full", "full"), arrays)
        views = seen(("gate", "y"), arrangement)
        # The second half begins where the first ends.
        both = in_twos(arrangement.arrays[0], arrays[0].strides[-1] * y.shape[-1])
        return (Launch(_KERNELS[self.kernel], {**views, "gate": Seen(0, both)}),)


_silu = Operation("silu", Activation)
_gelu = Operation("gelu", Activation)
_swiglu = Operation("swiglu", Activation)
_geglu = Operation("geglu", Activation)
_swiglu_halves = Operation("swiglu", Halves)
_geglu_halves = Operation("geglu", Halves)
_GELU = {"none": "gelu", "tanh": "gelu_tanh"}


def silu(x: Array, *, out: Array = None, dtype: object = None, guard: object = None) -> Array:
    """Return x · sigmoid(x) for each element."""
    if guard is not None:
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
    if guard is not None:
        checks.require_no_guard(guard)
    if approximate.__class__ is not str or approximate not in _GELU:
        checks.require_choice("gelu", "approximate", approximate, tuple(_GELU))
    return _gelu((x,), out, (_GELU[approximate], dtype))


def swiglu(
    gate: Array,
    up: Array = None,
    *,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return silu(gate) · up for each element (Shazeer, 2020), computed in f32 and rounded once.

    Without `up`, `gate` holds both: the first half of its last axis is the gate, the second is what
    it is multiplied by.  Raises `ArgumentError` A303 for halves of an odd number of elements.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    if up is None:
        return _swiglu_halves((gate,), out, ("swiglu", dtype))
    return _swiglu((gate, up), out, ("swiglu", dtype))


def geglu(
    gate: Array,
    up: Array = None,
    *,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return gelu(gate) · up for each element (Shazeer, 2020), computed in f32 and rounded once.

    Without `up`, `gate` holds both: the first half of its last axis is the gate, the second is what
    it is multiplied by.  Raises `ArgumentError` A303 for halves of an odd number of elements.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    if up is None:
        return _geglu_halves((gate,), out, ("geglu", dtype))
    return _geglu((gate, up), out, ("geglu", dtype))
