"""What PyTorch has for each operation.

In: nothing.  Out: `ops()`, a table by the name of the operation; rows are the last axis.  Decides
which of its functions is meant.  PyTorch is imported when the table is asked for.
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
    """Return PyTorch's forms of the operations."""
    torch: Any = importlib.import_module("torch")
    functional = torch.nn.functional
    return {
        **_of_rows(torch),
        **_norms(functional),
        **_functions(functional),
        **_composed(torch, functional),
    }


def _of_rows(torch: Any) -> dict[str, NativeOp]:  # noqa: ANN401 - a module
    """Return reductions, scans and what else PyTorch itself has for a row."""
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
        "var": _spread(torch.var),
        "std": _spread(torch.std),
        "cumsum": NativeOp(lambda x: x.cumsum(-1), lambda x, out: torch.cumsum(x, -1, out=out)),
        "cummax": NativeOp(lambda x: x.cummax(-1).values),
        "topk": NativeOp(lambda x, k: tuple(x.topk(k))),
    }


def _spread(function: Callable[..., Array]) -> NativeOp:
    """Return a variance without correction, so that all frameworks compute the same number."""
    return NativeOp(
        lambda x: function(x, -1, correction=0),
        lambda x, out: function(x, -1, correction=0, out=out),
    )


def _norms(functional: Any) -> dict[str, NativeOp]:  # noqa: ANN401 - a module
    """Return the norms, of a row or of groups of channels."""

    def layer_norm(x: Array, weight: Array = None, bias: Array = None) -> Array:
        return functional.layer_norm(x, x.shape[-1:], weight, bias)

    def rms_norm(x: Array, weight: Array = None) -> Array:
        return functional.rms_norm(x, x.shape[-1:], weight, 1e-6)

    return {
        "rms_norm": NativeOp(rms_norm),
        "layer_norm": NativeOp(layer_norm),
        "residual_layer_norm": with_residual(layer_norm),
        "residual_rms_norm": with_residual(rms_norm),
        "l2_norm": NativeOp(lambda x: functional.normalize(x, dim=-1)),
        "group_norm": NativeOp(functional.group_norm),
    }


def _functions(functional: Any) -> dict[str, NativeOp]:  # noqa: ANN401 - a module
    """Return activations, alone and of a gate, and what reads by labels or indices."""
    return {
        "gelu": NativeOp(functional.gelu),
        "gelu_tanh": NativeOp(lambda x: functional.gelu(x, approximate="tanh")),
        "silu": NativeOp(functional.silu),
        "swiglu": NativeOp(lambda gate, up: functional.silu(gate) * up),
        "geglu": NativeOp(lambda gate, up: functional.gelu(gate) * up),
        "cross_entropy": NativeOp(
            lambda logits, labels: functional.cross_entropy(logits, labels, reduction="none")
        ),
        "embedding": NativeOp(lambda weight, indices: functional.embedding(indices, weight)),
    }


def _composed(torch: Any, functional: Any) -> dict[str, NativeOp]:  # noqa: ANN401 - modules
    """Return operations that PyTorch has in parts only, as a user puts them together."""

    def quantize_rows(x: Array) -> Array:
        scale = x.abs().amax(-1).float() / 127
        safe = torch.where(scale > 0, scale, 1.0)
        return (x / safe[..., None]).round().to(torch.int8), scale

    def norm_quantize(x: Array, weight: Array) -> Array:
        return quantize_rows(functional.rms_norm(x, x.shape[-1:], weight, 1e-6))

    def rope(x: Array, cos: Array, sin: Array) -> Array:
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    return {
        "quantize_rows": NativeOp(quantize_rows),
        "norm_quantize": NativeOp(norm_quantize),
        "rope": NativeOp(rope),
    }
