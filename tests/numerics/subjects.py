"""Arrays of every layout and dtype, and the operations under one signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from certile import ops
from certile.cli import oracles

Array = np.ndarray[Any, Any]

DTYPES = {"f32": np.dtype(np.float32), "f16": np.dtype(np.float16), "bf16": ml_dtypes.bfloat16}
DTYPES = {name: np.dtype(dtype) for name, dtype in DTYPES.items()}
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
    made = np.random.default_rng(seed).standard_normal((rows, cols), dtype=np.float32)
    return made.astype(DTYPES[dtype])


def vector(cols: int, dtype: str, seed: int) -> Array:
    """Return values around 1."""
    made = np.random.default_rng(seed).uniform(0.5, 1.5, cols).astype(np.float32)
    return made.astype(DTYPES[dtype])


def _cross_entropy(x: Array) -> tuple[Any, tuple[Array, ...]]:
    labels = np.arange(len(x), dtype=np.int64) * 7 % x.shape[1]
    return (
        ops.cross_entropy(x, labels, reduction="none"),
        oracles.cross_entropy(x.astype(np.float64), labels),
    )


def _norm(op: Callable[..., Any], oracle: Any, vectors: int) -> Callable[[Array], Any]:
    def run(x: Array) -> tuple[Any, tuple[Array, ...]]:
        name = {dtype: name for name, dtype in DTYPES.items()}[x.dtype]
        given = [vector(x.shape[1], name, 11 + i) for i in range(vectors)]
        exact = oracle(x.astype(np.float64), *(each.astype(np.float64) for each in given))
        return op(x, *given), exact

    return run


def _plain(op: Callable[..., Any], oracle: Any) -> Callable[[Array], Any]:
    return lambda x: (op(x), oracle(x.astype(np.float64)))


def _along(name: str) -> Callable[[Array], Any]:
    return _plain(partial(getattr(ops, name), axis=-1), oracles.ORACLES[name])


# Each takes an array and gives certile's result beside the float64 ones.
SUBJECTS: dict[str, Callable[[Array], tuple[Any, tuple[Array, ...]]]] = {
    **{
        name: _along(name)
        for name in (
            *("sum", "mean", "max", "min", "argmax", "argmin", "min_max"),
            *("logsumexp", "softmax", "log_softmax", "l2_norm"),
        )
    },
    "rms_norm": _norm(ops.rms_norm, oracles.rms_norm, 1),
    "layer_norm": _norm(ops.layer_norm, oracles.layer_norm, 2),
    "cross_entropy": _cross_entropy,
    "gelu": _plain(ops.gelu, oracles.gelu),
    "gelu_tanh": _plain(partial(ops.gelu, approximate="tanh"), oracles.gelu_tanh),
    "silu": _plain(ops.silu, oracles.silu),
}


def check(name: str, x: Array, dtype: str) -> None:
    """Compare every element of an operation's results with float64."""
    results, exact = SUBJECTS[name](x)
    results = results if isinstance(results, tuple) else (results,)
    assert len(results) == len(exact)
    for result, wanted in zip(results, exact, strict=True):
        assert result.shape == wanted.shape
        found = result.astype(np.float64)
        allowed = oracles.tolerance(name, x.astype(np.float64), wanted, dtype, dtype)
        # The least subnormal of f16 is the best that a result below it can be off by.
        floor = 2.0**-25 if dtype == "f16" else 0.0
        worst = np.abs(found - wanted) - allowed - floor
        assert (worst <= 0).all(), (name, x.shape, dtype, float(worst.max()))
