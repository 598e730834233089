"""What MLX has for each operation.

In: nothing.  Out: `ops()`, a table by the name of the operation; rows are the last axis.  Decides
which of its functions is meant.  MLX is imported when the table is asked for.  Its arrays are
computed when somebody looks at them, so a result is evaluated before it is returned.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from certile.ops.native_form import NativeOp, with_residual

__all__ = ["ops"]

Array = Any


@functools.cache
def ops() -> dict[str, NativeOp]:
    """Return MLX's forms of the operations."""
    mx: Any = importlib.import_module("mlx.core")
    nn: Any = importlib.import_module("mlx.nn")
    tables = (_reductions(mx), _rows(mx), _elementwise(mx, nn), _composed(mx))
    return {name: _evaluated(mx, form) for table in tables for name, form in table.items()}


def _evaluated(mx: Any, form: Callable[..., Array]) -> NativeOp:  # noqa: ANN401 - a module
    def usual(*inputs: Array) -> Array:
        result = form(*inputs)
        mx.eval(result)
        return result

    return NativeOp(usual)


def _reductions(mx: Any) -> dict[str, Callable[..., Array]]:  # noqa: ANN401 - a module
    names = ("sum", "mean", "max", "min", "argmax", "argmin", "logsumexp", "var", "std")
    found = {name: functools.partial(getattr(mx, name), axis=-1) for name in names}
    return {
        **found,
        "min_max": lambda x: (mx.min(x, axis=-1), mx.max(x, axis=-1)),
        "cumsum": lambda x: mx.cumsum(x, axis=-1),
        "cummax": lambda x: mx.cummax(x, axis=-1),
    }


def _rows(mx: Any) -> dict[str, Callable[..., Array]]:  # noqa: ANN401 - a module
    def layer_norm(x: Array, weight: Array = None, bias: Array = None) -> Array:
        return mx.fast.layer_norm(x, weight, bias, 1e-5)

    def rms_norm(x: Array, weight: Array = None) -> Array:
        return mx.fast.rms_norm(x, weight, 1e-6)

    def group_norm(x: Array, groups: int) -> Array:
        return layer_norm(x.reshape(x.shape[0], groups, -1)).reshape(x.shape)

    return {
        "softmax": lambda x: mx.softmax(x, axis=-1),
        "log_softmax": lambda x: x - mx.logsumexp(x, axis=-1, keepdims=True),
        "l2_norm": lambda x: x / mx.maximum(mx.linalg.norm(x, axis=-1, keepdims=True), 1e-12),
        "rms_norm": rms_norm,
        "layer_norm": layer_norm,
        "residual_rms_norm": with_residual(rms_norm).usual,
        "residual_layer_norm": with_residual(layer_norm).usual,
        "group_norm": group_norm,
    }


def _elementwise(mx: Any, nn: Any) -> dict[str, Callable[..., Array]]:  # noqa: ANN401 - modules
    def rope(x: Array, cos: Array, sin: Array) -> Array:
        a, b = mx.split(x, 2, axis=-1)
        return mx.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)

    return {
        "silu": nn.silu,
        "gelu": nn.gelu,
        "gelu_tanh": nn.gelu_approx,
        "swiglu": lambda gate, up: nn.silu(gate) * up,
        "geglu": lambda gate, up: nn.gelu(gate) * up,
        "rope": rope,
    }


def _composed(mx: Any) -> dict[str, Callable[..., Array]]:  # noqa: ANN401 - a module
    def cross_entropy(logits: Array, labels: Array) -> Array:
        own = mx.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]
        return mx.logsumexp(logits, axis=-1) - own

    def quantize_rows(x: Array) -> Array:
        scale = mx.max(mx.abs(x), axis=-1).astype(mx.float32) / 127
        safe = mx.where(scale > 0, scale, 1.0)
        return mx.round(x / safe[..., None]).astype(mx.int8), scale

    def topk(x: Array, k: int) -> Array:
        found = mx.argsort(-x, axis=-1)[..., :k]
        return mx.take_along_axis(x, found, axis=-1), found

    return {
        "cross_entropy": cross_entropy,
        "quantize_rows": quantize_rows,
        "norm_quantize": lambda x, weight: quantize_rows(mx.fast.rms_norm(x, weight, 1e-6)),
        "embedding": lambda weight, indices: weight[indices],
        "topk": topk,
    }
