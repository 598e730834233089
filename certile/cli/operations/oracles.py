"""What each operation means, in NumPy float64.

In: arrays of any dtype, converted to float64 element by element.  Out: results in float64, and how
far a result in a narrower type may be off.  Decides nothing: these are the textbook formulas, two
passes where they are needed.  Rows are the last axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Oracle = Callable[..., tuple[Array, ...]]

# Unit roundoff of each float type.
ROUNDOFF = {"f64": 2.0**-53, "f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}

_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x: Array) -> Array:
    """Return the error function of each element."""
    found: Array = np.asarray(_erf(x), np.float64)
    return found


def softmax(x: Array) -> tuple[Array, ...]:
    """exp(x) / sum(exp(x))."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return (e / e.sum(axis=-1, keepdims=True),)


def log_softmax(x: Array) -> tuple[Array, ...]:
    """x - log(sum(exp(x)))."""
    d = x - x.max(axis=-1, keepdims=True)
    return (d - np.log(np.exp(d).sum(axis=-1, keepdims=True)),)


def logsumexp(x: Array) -> tuple[Array, ...]:
    """log(sum(exp(x))), inf and -inf as the limits."""
    top = x.max(axis=-1, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0.0)
    return (np.log(np.exp(x - shift).sum(axis=-1)) + shift[..., 0],)


def l2_norm(x: Array) -> tuple[Array, ...]:
    """x / max(length, 1e-12)."""
    return (x / np.maximum(np.sqrt((x * x).sum(axis=-1, keepdims=True)), 1e-12),)


def rms_norm(x: Array, weight: Array | None = None) -> tuple[Array, ...]:
    """x / sqrt(mean(x²) + 1e-6) · weight."""
    y = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)
    return (y if weight is None else y * weight,)


def layer_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None
) -> tuple[Array, ...]:
    """(x - mean) / sqrt(variance + 1e-5) · weight + bias."""
    d = x - x.mean(axis=-1, keepdims=True)
    y = d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)
    y = y if weight is None else y * weight
    return (y if bias is None else y + bias,)


def cross_entropy(logits: Array, labels: Array) -> tuple[Array, ...]:
    """logsumexp(row) - row[label]."""
    own = np.take_along_axis(logits, labels.astype(np.int64)[..., None], axis=-1)[..., 0]
    return (logsumexp(logits)[0] - own,)


def gelu(x: Array) -> tuple[Array, ...]:
    """x · Φ(x)."""
    return (0.5 * x * (1.0 + erf(x / math.sqrt(2.0))),)


def gelu_tanh(x: Array) -> tuple[Array, ...]:
    """x · (1 + tanh(√(2/π)(x + 0.044715x³))) / 2."""
    return (0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3))),)


def silu(x: Array) -> tuple[Array, ...]:
    """x / (1 + exp(-x))."""
    return (x / (1.0 + np.exp(-x)),)


def swiglu(gate: Array, up: Array) -> tuple[Array, ...]:
    """silu(gate) · up."""
    return (silu(gate)[0] * up,)


def geglu(gate: Array, up: Array) -> tuple[Array, ...]:
    """gelu(gate) · up."""
    return (gelu(gate)[0] * up,)


def group_norm(x: Array, groups: int) -> tuple[Array, ...]:
    """Layer norm of each group of channels, which lie along axis 1."""
    return (layer_norm(x.reshape(len(x), groups, -1))[0].reshape(x.shape),)


def quantize_rows(
    x: Array, quotient_type: type[np.floating[Any]] = np.float32
) -> tuple[Array, ...]:
    """round(x / scale) and scale = max(abs(x)) / 127, rounded to f32 as it is stored.

    Rows of up to 32 bits are divided in f32, those of f64 in f64.  The quotient of two f32 numbers,
    rounded to f64 and then to f32, is what f32 division gives.
    """
    greatest = np.abs(x).max(axis=-1)
    with np.errstate(over="ignore", invalid="ignore"):
        scale = (greatest / 127.0).astype(np.float32)
    scale = np.where(np.isfinite(scale), scale, np.float32(np.nan))
    usable = scale > 0
    quotient = (x / np.where(usable, scale, 1.0)[..., None]).astype(quotient_type)
    codes = np.where(usable[..., None], np.clip(np.rint(quotient), -127, 127), 0.0)
    return codes.astype(np.float64), scale.astype(np.float64)


def norm_quantize(x: Array, weight: Array | None = None) -> tuple[Array, ...]:
    """The normalised row over its scale, not rounded to a code, and the scale."""
    (y,) = rms_norm(x, weight)
    scale = np.abs(y).max(axis=-1) / 127.0
    return y / np.where(scale > 0, scale, 1.0)[..., None], scale


def rope(x: Array, cos: Array, sin: Array) -> tuple[Array, ...]:
    """(a + ib)(cos + i sin), a and b the halves of the last axis."""
    half = x.shape[-1] // 2
    turned = (x[..., :half] + 1j * x[..., half:]) * (cos + 1j * sin)
    return (np.concatenate([turned.real, turned.imag], axis=-1),)


def embedding(weight: Array, indices: Array) -> tuple[Array, ...]:
    """weight[indices]."""
    return (weight[indices],)


def topk(x: Array, k: int) -> tuple[Array, ...]:
    """The k greatest, the greatest first, and where they are; the first of equal ones first."""
    found = np.argsort(-x, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, found, axis=-1), found.astype(np.float64)


def _row(function: Callable[..., Array]) -> Oracle:
    return lambda x: (np.asarray(function(x, axis=-1)),)


ORACLES: dict[str, Oracle] = {
    "sum": _row(np.sum),
    "mean": _row(np.mean),
    "var": _row(np.var),
    "std": _row(np.std),
    "max": _row(np.max),
    "min": _row(np.min),
    "argmax": _row(np.argmax),
    "argmin": _row(np.argmin),
    "min_max": lambda x: (x.min(axis=-1), x.max(axis=-1)),
    "softmax": softmax,
    "log_softmax": log_softmax,
    "logsumexp": logsumexp,
    "l2_norm": l2_norm,
    "rms_norm": rms_norm,
    "layer_norm": layer_norm,
    "cross_entropy": cross_entropy,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "cumsum": _row(np.cumsum),
    "cummax": _row(np.maximum.accumulate),
    "swiglu": swiglu,
    "geglu": geglu,
    "quantize_rows": quantize_rows,
    "norm_quantize": norm_quantize,
    "rope": rope,
    "embedding": embedding,
}


# Results that are elements, positions or copies of elements; codes of rows as they are.
_EXACT = (
    "argmax",
    "argmin",
    "max",
    "min",
    "min_max",
    "cummax",
    "topk",
    "quantize_rows",
    "embedding",
)


# Least distances of a computed result: two of f32 and f64, half of one where f32 is rounded.
_LEAST = {"f64": 2.0**-1073, "f32": 2.0**-148, "f16": 2.0**-25, "bf16": 2.0**-134}

_ELEMENTWISE = ("gelu", "gelu_tanh", "silu", "swiglu", "geglu", "rope")


def tolerance(op: str, x: Array, expected: Array, result_dtype: str) -> Array | float:
    """Return how far each element of a result may be off.

    8 · sqrt(depth) · u of f32 on the scale of the element (`_scale`), plus one rounding to the
    result's type; inputs are exact, whatever they are.  Positions, chosen and copied elements are
    exact, and so are codes and scales of rows as they are; a code of a normalised row is within
    half of what it rounds.  The depth is that of a sum whose 32 parts are folded in order and then
    merged in a tree.
    """
    name = op.removeprefix("residual ").partition(" ")[0]
    if name in _EXACT:
        return 0.0
    length = max(x.shape[-1], 1) if x.ndim else 1
    depth = 1.0 if name in _ELEMENTWISE else 1.0 + math.log2(length) + length / 32
    if result_dtype == "i8":
        return 0.5 + 127.0 * 8.0 * math.sqrt(depth) * ROUNDOFF["f32"]
    unit = ROUNDOFF["f64" if result_dtype == "f64" else "f32"]
    computed = 8.0 * math.sqrt(depth) * unit * _scale(name, x, expected)
    rounded = ROUNDOFF[result_dtype] * np.abs(expected)
    return np.asarray(computed + rounded + _LEAST[result_dtype])


def _scale(op: str, x: Array, expected: Array) -> Array | float:
    """Return what the error of each element is relative to.

    The element itself where it is a product; what is summed where it is a sum; the greatest of its
    row or of all elements where elements cancel against others.
    """
    match op:
        case "softmax":
            # The exponent is rounded relative to its own size.
            with np.errstate(invalid="ignore"):
                exponent = x.max(axis=-1, keepdims=True, initial=-np.inf) - x
            return np.abs(expected) * (1.0 + np.where(np.isfinite(exponent), exponent, 0.0))
        case "l2_norm" | "rms_norm" | "silu" | "swiglu":
            return np.abs(expected)
        case "gelu" | "gelu_tanh":
            return np.abs(x)
        case "layer_norm" | "rope":
            return _greatest(expected)
        case "log_softmax":
            return np.maximum(_greatest(expected), _greatest(x))
        case "logsumexp" | "cross_entropy":
            return np.maximum(np.abs(expected), _greatest(x)[..., 0])
        case "sum" | "mean" | "cumsum":
            return _summed(op, x)
        case "var" | "std":
            # Rounding an element moves its deviation, however small that is beside the element.
            root = np.sqrt((x * x).mean(axis=-1))
            moved = root if op == "std" else root * np.sqrt(np.abs(expected))
            return np.asarray(np.abs(expected) + moved)
        case _:
            return float(np.abs(expected).max(initial=0.0, where=np.isfinite(expected)))


def _greatest(x: Array) -> Array:
    """The greatest finite size in each row, as a column."""
    x = np.atleast_1d(x)
    found: Array = np.abs(x).max(axis=-1, keepdims=True, initial=0.0, where=np.isfinite(x))
    return found


def _summed(op: str, x: Array) -> Array:
    """The sizes of all that is summed."""
    sizes = np.abs(x)
    found: Array = sizes.cumsum(axis=-1) if op == "cumsum" else sizes.sum(axis=-1)
    return found / max(x.shape[-1], 1) if op == "mean" else found
