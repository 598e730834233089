"""What the caller's framework does itself: its operations, and its conventions for results.

In: the name of an operation and of a framework ("numpy", "torch"; arrays of others are treated as
NumPy's).  Out: the framework's own callables, and the dtype a result has.  Decides which native
form stands beside which operation: the usual one, and the one that fills a given output where
there is one.  Leaves the choice between native and generated code to others.

NumPy has no softmax and no norms; there its form is what a careful user writes, in place where
that saves a pass.  PyTorch is not imported before one of its operations is asked for.

Where the frameworks differ: the sum of integers and bools is i64 (NumPy: u64 for unsigned ones);
the mean of integers is refused (PyTorch refuses it, NumPy gives f64); an index is i64; an empty
axis has no greatest element, and asking for it raises `ValueError` as NumPy does.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["NativeOp", "index_dtype", "native", "sum_dtype"]

Array = Any
Form = Callable[..., Array]


@dataclass(frozen=True, slots=True)
class NativeOp:
    """A framework's own operation.

    `usual` takes the inputs in the order of `certile.ops`.  `given` takes them and, last, the
    output to fill; None where the framework has no such form.
    """

    usual: Form
    given: Form | None = None


def sum_dtype(framework: str, dtype: str) -> str:
    """Return the dtype of a sum of `dtype` elements when the caller names none."""
    if dtype in ("f16", "bf16", "f32", "f64"):
        return dtype
    return "u64" if framework != "torch" and dtype.startswith("u") else "i64"


def index_dtype(framework: str) -> str:
    """Return the dtype of positions."""
    del framework  # NumPy's intp and PyTorch's positions are both 64 bits wide
    return "i64"


def native(op: str, framework: str) -> NativeOp | None:
    """Return the framework's own form of an operation, or None when it has none."""
    table = _torch_ops() if framework == "torch" else _NUMPY_OPS
    return table.get(op)


def _softmax(x: Array, out: Array | None = None) -> Array:
    shifted = np.subtract(x, x.max(axis=-1, keepdims=True), out=out)
    np.exp(shifted, out=shifted)
    shifted /= shifted.sum(axis=-1, keepdims=True)
    return shifted


def _log_softmax(x: Array, out: Array | None = None) -> Array:
    shifted = np.subtract(x, x.max(axis=-1, keepdims=True), out=out)
    shifted -= np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return shifted


def _logsumexp(x: Array) -> Array:
    top = x.max(axis=-1, keepdims=True)
    return np.log(np.exp(x - top).sum(axis=-1)) + top[..., 0]


def _rms_norm(x: Array, weight: Array | None = None, out: Array | None = None) -> Array:
    scale = 1 / np.sqrt(np.einsum("...i,...i->...", x, x)[..., None] / x.shape[-1] + 1e-6)
    y = np.multiply(x, scale.astype(x.dtype), out=out)
    if weight is not None:
        y *= weight
    return y


def _layer_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None, out: Array | None = None
) -> Array:
    d = np.subtract(x, x.mean(axis=-1, keepdims=True), out=out)
    variance = np.einsum("...i,...i->...", d, d)[..., None] / x.shape[-1]
    d /= np.sqrt(variance + 1e-5).astype(x.dtype)
    if weight is not None:
        d *= weight
    if bias is not None:
        d += bias
    return d


def _residual_layer_norm(x: Array, residual: Array, weight: Array, bias: Array) -> Array:
    h = x + residual
    return _layer_norm(h, weight, bias), h


def _cross_entropy(logits: Array, labels: Array) -> Array:
    top = logits.max(axis=-1)
    total = np.log(np.exp(logits - top[..., None]).sum(axis=-1)) + top
    return total - np.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]


def _gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def _silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def _l2_norm(x: Array, out: Array | None = None) -> Array:
    length = np.sqrt(np.einsum("...i,...i->...", x, x))[..., None]
    return np.divide(x, np.maximum(length, 1e-12), out=out)


def _last_axis(function: Callable[..., Array]) -> NativeOp:
    """Return a reduction of NumPy over the last axis, which takes an output as it is."""
    return NativeOp(lambda x: function(x, axis=-1), lambda x, out: function(x, axis=-1, out=out))


# No `gelu` without approximation: NumPy has no error function.
_NUMPY_OPS: dict[str, NativeOp] = {
    "sum": _last_axis(np.sum),
    "mean": _last_axis(np.mean),
    "max": _last_axis(np.max),
    "min": _last_axis(np.min),
    "argmax": _last_axis(np.argmax),
    "argmin": _last_axis(np.argmin),
    "softmax": NativeOp(_softmax, _softmax),
    "log_softmax": NativeOp(_log_softmax, _log_softmax),
    "logsumexp": NativeOp(_logsumexp),
    "rms_norm": NativeOp(_rms_norm),
    "layer_norm": NativeOp(_layer_norm),
    "residual_layer_norm": NativeOp(_residual_layer_norm),
    "cross_entropy": NativeOp(_cross_entropy),
    "gelu_tanh": NativeOp(_gelu_tanh),
    "silu": NativeOp(_silu),
    "l2_norm": NativeOp(_l2_norm),
}


def _torch_ops() -> dict[str, NativeOp]:
    torch: Any = importlib.import_module("torch")
    functional = torch.nn.functional

    def residual_layer_norm(x: Array, residual: Array, weight: Array, bias: Array) -> Array:
        h = x + residual
        return functional.layer_norm(h, h.shape[-1:], weight, bias), h

    def residual_rms_norm(x: Array, residual: Array, weight: Array) -> Array:
        h = x + residual
        return functional.rms_norm(h, h.shape[-1:], weight, 1e-6), h

    return {
        "sum": NativeOp(lambda x: x.sum(-1), lambda x, out: torch.sum(x, -1, out=out)),
        "mean": NativeOp(lambda x: x.mean(-1), lambda x, out: torch.mean(x, -1, out=out)),
        "max": NativeOp(lambda x: x.amax(-1), lambda x, out: torch.amax(x, -1, out=out)),
        "min": NativeOp(lambda x: x.amin(-1), lambda x, out: torch.amin(x, -1, out=out)),
        "argmax": NativeOp(lambda x: x.argmax(-1), lambda x, out: torch.argmax(x, -1, out=out)),
        "argmin": NativeOp(lambda x: x.argmin(-1), lambda x, out: torch.argmin(x, -1, out=out)),
        "min_max": NativeOp(lambda x: torch.aminmax(x, dim=-1)),
        "logsumexp": NativeOp(
            lambda x: x.logsumexp(-1), lambda x, out: torch.logsumexp(x, -1, out=out)
        ),
        "softmax": NativeOp(
            lambda x: torch.softmax(x, -1), lambda x, out: torch.softmax(x, -1, out=out)
        ),
        "log_softmax": NativeOp(
            lambda x: torch.log_softmax(x, -1), lambda x, out: torch.log_softmax(x, -1, out=out)
        ),
        "rms_norm": NativeOp(
            lambda x, weight=None: functional.rms_norm(x, x.shape[-1:], weight, 1e-6)
        ),
        "layer_norm": NativeOp(
            lambda x, weight=None, bias=None: functional.layer_norm(x, x.shape[-1:], weight, bias)
        ),
        "residual_layer_norm": NativeOp(residual_layer_norm),
        "residual_rms_norm": NativeOp(residual_rms_norm),
        "cross_entropy": NativeOp(
            lambda logits, labels: functional.cross_entropy(logits, labels, reduction="none")
        ),
        "gelu": NativeOp(functional.gelu),
        "gelu_tanh": NativeOp(lambda x: functional.gelu(x, approximate="tanh")),
        "silu": NativeOp(functional.silu),
        "l2_norm": NativeOp(lambda x: functional.normalize(x, dim=-1)),
    }
