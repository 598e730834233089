"""Arrays of every layout and dtype, and the operations under one signature.

An operation that takes other arrays beside the first makes them up; one that halves its rows leaves
the last element of an odd row out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from certile import ops
from certile.cli.operations import oracles

Array = np.ndarray[Any, Any]

DTYPES = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f64": np.dtype(np.float64),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
NAMES |= {np.dtype(np.int8): "i8", np.dtype(np.int64): "i64"}
LAYOUTS = ("contiguous", "strided", "transposed", "unaligned", "zero-stride")


def laid_out(values: Array, layout: str) -> Array:
    """Return an array that holds `values` (for zero strides: its first row, in every row)."""
    rows, cols = values.shape
    match layout:
        case "contiguous":
            return values.copy()
        case "strided":
            room = np.zeros((rows, 2 * cols + 1), values.dtype)
            room[:, 1::2][:, :cols] = values
            return room[:, 1::2][:, :cols]
        case "transposed":
            return values.T.copy().T
        case "unaligned":
            room = np.zeros(values.size + 1, values.dtype)
            room[1:] = values.ravel()
            return room[1:].reshape(rows, cols)
        case "zero-stride":
            return np.broadcast_to(values[0].copy(), values.shape)
    raise AssertionError(layout)


def random(rows: int, cols: int, dtype: str, seed: int) -> Array:
    """Return standard normal values, rounded to the dtype."""
    wide = np.float64 if dtype == "f64" else np.float32
    made = np.random.default_rng(seed).standard_normal((rows, cols), dtype=wide)
    return made.astype(DTYPES[dtype])


def vector(cols: int, dtype: str, seed: int) -> Array:
    """Return values around 1."""
    made = np.random.default_rng(seed).uniform(0.5, 1.5, cols)
    return made.astype(DTYPES[dtype])


def _wide(x: Array) -> Array:
    """Return what an oracle of a norm is given: float64, and for f64 the widest type there is.

    Where elements differ by less than their size, their mean rounded to f64 takes more digits from
    the oracle than an operation may be off.
    """
    return x.astype(np.longdouble if x.dtype == np.float64 else np.float64)


def _cross_entropy(x: Array) -> tuple[Any, tuple[Array, ...]]:
    labels = np.arange(len(x), dtype=np.int64) * 7 % x.shape[1]
    return (
        ops.cross_entropy(x, labels, reduction="none"),
        oracles.cross_entropy(x.astype(np.float64), labels),
    )


def _norm(op: Callable[..., Any], oracle: Any, vectors: int) -> Callable[[Array], Any]:
    def run(x: Array) -> tuple[Any, tuple[Array, ...]]:
        given = [vector(x.shape[1], NAMES[x.dtype], 11 + i) for i in range(vectors)]
        return op(x, *given), oracle(_wide(x), *map(_wide, given))

    return run


def _gated(op: Callable[..., Any], oracle: Any) -> Callable[[Array], Any]:
    def run(x: Array) -> tuple[Any, tuple[Array, ...]]:
        up = random(*x.shape, NAMES[x.dtype], seed=17)
        return op(x, up), oracle(x.astype(np.float64), up.astype(np.float64))

    return run


def _halves(op: Callable[..., Any], oracle: Any) -> Callable[[Array], Any]:
    def run(x: Array) -> tuple[Any, tuple[Array, ...]]:
        half = x.shape[1] // 2
        whole = x[:, : 2 * half]
        gate, up = np.split(whole.astype(np.float64), 2, axis=1)
        return op(whole), oracle(gate, up)

    return run


def _group_norm(x: Array) -> tuple[Any, tuple[Array, ...]]:
    """Channels are the rows, in one group where they divide into no others."""
    channels = len(x)
    groups = next(n for n in (3, 11, 1) if channels % n == 0)
    weight, bias = (vector(channels, NAMES[x.dtype], seed) for seed in (3, 4))
    (normalised,) = oracles.group_norm(_wide(x)[None], groups)
    scale, shift = (_wide(each)[:, None] for each in (weight, bias))
    return ops.group_norm(x[None], groups, weight, bias)[0], (normalised[0] * scale + shift,)


def _residual(op: Callable[..., Any], oracle: Any) -> Callable[[Array], Any]:
    """The sum is rounded to the dtype of x before it is normalised."""

    def run(x: Array) -> tuple[Any, tuple[Array, ...]]:
        residual = random(*x.shape, NAMES[x.dtype], seed=23)
        total = x.astype(np.float64) + residual.astype(np.float64)
        h = total.astype(x.dtype if x.dtype == np.float64 else np.float32).astype(x.dtype)
        (y,) = oracle(_wide(h))
        return op(x, residual=residual), (y, h.astype(np.float64))

    return run


def _rope(interleaved: bool) -> Callable[[Array], Any]:
    def run(x: Array) -> tuple[Any, tuple[Array, ...]]:
        half = x.shape[1] // 2
        pairs = x[:, : 2 * half]
        angles = np.random.default_rng(half).uniform(0, 6, (1, half))
        cos, sin = (f(angles).astype(x.dtype) for f in (np.cos, np.sin))
        order = np.arange(2 * half)
        order = np.concatenate([order[::2], order[1::2]]) if interleaved else order
        wide = (each.astype(np.float64) for each in (pairs[:, order], cos, sin))
        (turned,) = oracles.rope(*wide)
        exact = np.empty_like(turned)
        exact[:, order] = turned
        return ops.rope(pairs, cos, sin, interleaved=interleaved), (exact,)

    return run


def _embedding(x: Array) -> tuple[Any, tuple[Array, ...]]:
    indices = np.arange(len(x) + 3, dtype=np.int32)[::-1] * 5 % len(x)
    return ops.embedding(x, indices), (x.astype(np.float64)[indices],)


def _quantize_rows(x: Array) -> tuple[Any, tuple[Array, ...]]:
    quotient = np.float64 if x.dtype == np.float64 else np.float32
    return ops.quantize_rows(x), oracles.quantize_rows(x.astype(np.float64), quotient)


def _topk(x: Array) -> tuple[Any, tuple[Array, ...]]:
    k = min(x.shape[1], 5)
    return ops.topk(x, k), oracles.topk(x.astype(np.float64), k)


def _plain(op: Callable[..., Any], oracle: Any) -> Callable[[Array], Any]:
    return lambda x: (op(x), oracle(x.astype(np.float64)))


def _along(name: str) -> Callable[[Array], Any]:
    return _plain(partial(getattr(ops, name), axis=-1), oracles.ORACLES[name])


# Each takes an array and gives certile's result beside the float64 ones.
SUBJECTS: dict[str, Callable[[Array], tuple[Any, tuple[Array, ...]]]] = {
    **{
        name: _along(name)
        for name in (
            *("sum", "mean", "var", "std", "max", "min", "argmax", "argmin", "min_max"),
            *("logsumexp", "softmax", "log_softmax", "l2_norm"),
        )
    },
    "rms_norm": _norm(ops.rms_norm, oracles.rms_norm, 1),
    "layer_norm": _norm(ops.layer_norm, oracles.layer_norm, 2),
    "cross_entropy": _cross_entropy,
    "gelu": _plain(ops.gelu, oracles.gelu),
    "gelu_tanh": _plain(partial(ops.gelu, approximate="tanh"), oracles.gelu_tanh),
    "silu": _plain(ops.silu, oracles.silu),
    "swiglu": _gated(ops.swiglu, oracles.swiglu),
    "swiglu halves": _halves(ops.swiglu, oracles.swiglu),
    "geglu": _gated(ops.geglu, oracles.geglu),
    "geglu halves": _halves(ops.geglu, oracles.geglu),
    "residual rms_norm": _residual(ops.rms_norm, oracles.rms_norm),
    "residual layer_norm": _residual(ops.layer_norm, oracles.layer_norm),
    "group_norm": _group_norm,
    "quantize_rows": _quantize_rows,
    "norm_quantize": _norm(ops.norm_quantize, oracles.norm_quantize, 1),
    "rope": _rope(interleaved=False),
    "rope interleaved": _rope(interleaved=True),
    "embedding": _embedding,
    "cumsum": _plain(ops.cumsum, oracles.ORACLES["cumsum"]),
    "cummax": _plain(ops.cummax, oracles.ORACLES["cummax"]),
    "topk": _topk,
}


def check(name: str, x: Array, dtype: str) -> None:
    """Compare every element of an operation's results with float64."""
    results, exact = SUBJECTS[name](x)
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(exact)
    for result, wanted in zip(results, exact, strict=True):
        assert result.shape == wanted.shape
        found = result.astype(np.float64)
        # Halves and pairs leave the last element of an odd row out.
        cols = wanted.shape[-1] if wanted.ndim == x.ndim else x.shape[-1]
        given = x[:, :cols].astype(np.float64)
        allowed = oracles.tolerance(name, given, wanted, NAMES[result.dtype])
        worst = np.abs(found - wanted) - allowed
        assert (worst <= 0).all(), (name, x.shape, dtype, float(worst.max(initial=0)))
