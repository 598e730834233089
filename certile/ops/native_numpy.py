"""What a careful user of NumPy writes for each operation.

In: arrays whose rows are the last axis.  Out: `OPS`, by the name of the operation.  Decides the
form: in place where that saves a pass, and without copies that a user would not make.  NumPy has no
error function, so `gelu` without approximation and `geglu` are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from certile.ops.native_form import NativeOp, with_residual

__all__ = ["OPS"]

Array = Any


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


def _swiglu(gate: Array, up: Array) -> Array:
    return _silu(gate) * up


def _group_norm(x: Array, groups: int) -> Array:
    grouped = x.reshape(len(x), groups, -1)
    return _layer_norm(grouped).reshape(x.shape)


def _quantize_rows(x: Array) -> tuple[Array, Array]:
    scale = np.abs(x).max(axis=-1).astype(np.float32) / np.float32(127)
    safe = np.where(scale > 0, scale, np.float32(1))
    return np.rint(x / safe[..., None]).astype(np.int8), scale


def _norm_quantize(x: Array, weight: Array) -> tuple[Array, Array]:
    return _quantize_rows(_rms_norm(x, weight))


def _rope(x: Array, cos: Array, sin: Array) -> Array:
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def _topk(x: Array, k: int) -> tuple[Array, Array]:
    found = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, found, axis=-1), found


def _last_axis(function: Callable[..., Array]) -> NativeOp:
    """Return a reduction of NumPy over the last axis, which takes an output as it is."""
    return NativeOp(lambda x: function(x, axis=-1), lambda x, out: function(x, axis=-1, out=out))


OPS: dict[str, NativeOp] = {
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
    "residual_layer_norm": with_residual(_layer_norm),
    "cross_entropy": NativeOp(_cross_entropy),
    "gelu_tanh": NativeOp(_gelu_tanh),
    "silu": NativeOp(_silu),
    "l2_norm": NativeOp(_l2_norm),
    "var": _last_axis(np.var),
    "std": _last_axis(np.std),
    "min_max": NativeOp(lambda x: (x.min(axis=-1), x.max(axis=-1))),
    "residual_rms_norm": with_residual(_rms_norm),
    "group_norm": NativeOp(_group_norm),
    "swiglu": NativeOp(_swiglu),
    "quantize_rows": NativeOp(_quantize_rows),
    "norm_quantize": NativeOp(_norm_quantize),
    "rope": NativeOp(_rope),
    "embedding": NativeOp(lambda weight, indices: weight[indices]),
    "cumsum": _last_axis(np.cumsum),
    "cummax": _last_axis(np.maximum.accumulate),
    "topk": NativeOp(_topk),
}
