"""Rows longer than a cache: how near folds of one reading come to the bandwidth of reading.

In: nothing.  Out: figures by name, the share of the read bandwidth that each kernel reaches.  The
yardstick is our own maximum of the same rows, timed in turns with the kernel; every result is
checked against float64 first.  Decides the kernels, which are written as plain reductions.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from certile import View, add, axis, exp, maximum, ops, parallel, reduce, tile_kernel

ROWS, COLUMNS = 32, 1 << 20
_ROUNDS = 9

Array = np.ndarray[Any, Any]


@tile_kernel
def weighted_sum_kernel(x: View, v: View, y: View) -> None:
    """Store the mean of `v` weighted by exp(x) for each row: three reductions, as one writes it."""
    rows, cols = axis("rows", x.shape[0]), axis("cols", x.shape[1])
    for r in parallel(rows):
        scores = x[r, cols]
        weights = exp(scores - reduce(scores, cols, maximum))
        y[r] = reduce(weights * v[r, cols], cols, add) / reduce(weights, cols, add)


@tile_kernel
def greatest_kernel(x: View, y: View) -> None:
    """Store the greatest element of each row: a reading of the rows and next to nothing else."""
    rows, cols = axis("rows", x.shape[0]), axis("cols", x.shape[1])
    for r in parallel(rows):
        y[r] = reduce(x[r, cols], cols, maximum)


def figures() -> dict[str, float]:
    """Measure the folds of one reading, and softmax, which reads twice and writes once."""
    generator = np.random.default_rng(1)
    x = generator.standard_normal((ROWS, COLUMNS), np.float32) * 3
    labels = generator.integers(0, COLUMNS, ROWS)
    y = np.empty(ROWS, np.float32)
    wide = np.empty_like(x)
    read = greatest_kernel.prepare(x, y)
    found = {
        "cross_entropy read": _share(
            lambda: ops.cross_entropy(x, labels, reduction="none", out=y),
            lambda: _close(y, _logsumexp(x) - x[np.arange(ROWS), labels]),
            read,
        ),
        "logsumexp read": _share(
            lambda: ops.logsumexp(x, out=y), lambda: _close(y, _logsumexp(x)), read
        ),
        "softmax read": _share(
            lambda: ops.softmax(x, out=wide), lambda: _close(wide[:, ::4099], _softmax(x)), read
        ),
    }
    half = x[: ROWS // 2], x[ROWS // 2 :]
    ours = weighted_sum_kernel.prepare(*half, y[: ROWS // 2])
    found["weighted sum read"] = _share(
        ours, lambda: _close(y[: ROWS // 2], _weighted(*half)), read
    )
    return found


def _share(
    work: Callable[[], object], check: Callable[[], None], read: Callable[[], object]
) -> float:
    """Return the time of reading all rows over that of `work`, which reads as many bytes."""
    read()
    work()
    check()
    times: dict[Callable[[], object], list[float]] = {work: [], read: []}
    for number in range(_ROUNDS):
        for contestant in (work, read)[:: 1 if number % 2 else -1]:
            started = time.perf_counter()
            contestant()
            times[contestant].append(time.perf_counter() - started)
    return statistics.median(times[read]) / statistics.median(times[work])


def _close(found: Array, wanted: Array) -> None:
    """Require a relative error of 2e-5, far more than any order of a million terms makes here."""
    if not np.allclose(found, wanted, rtol=2e-5, atol=2e-5):
        raise RuntimeError(f"a streamed result is off by {np.abs(found - wanted).max():.3g}")


def _logsumexp(x: Array) -> Array:
    wide = x.astype(np.float64)
    top = wide.max(axis=1)
    return np.asarray(top + np.log(np.exp(wide - top[:, None]).sum(axis=1)))


def _softmax(x: Array) -> Array:
    """Return every 4099th column, which is enough to notice a wrong row."""
    return np.asarray(np.exp(x[:, ::4099].astype(np.float64) - _logsumexp(x)[:, None]))


def _weighted(x: Array, v: Array) -> Array:
    weights = np.exp(x.astype(np.float64) - _logsumexp(x)[:, None])
    return np.asarray((weights * v).sum(axis=1))
