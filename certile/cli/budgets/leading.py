"""Reductions over a leading axis beside the same ones over the last.

In: nothing.  Out: figures by name, the bandwidth over the leading axis over that over the last.
Both move the bytes of the matrix and of their own result.  Every result is checked against float64
first, a position exactly.  Decides which reductions stand for the laws: one of a plain state, one
that keeps its elements, one of three numbers, one of a position, and one with a function.
"""

from __future__ import annotations

import statistics
import timeit
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from certile import ops
from certile.cli.options import parse_shape
from certile.records import record

SHAPES = ("4096x4096", "65536x256")
_ROUNDS, _CALLS = 9, 5

Array = np.ndarray[Any, Any]


@record
class Reduced:
    """An operation by name, what its results are in float64, and the dtype that they have."""

    op: str
    oracle: Callable[[Array, int], Array]
    dtype: str = "float32"


def _logsumexp(x: Array, axis: int) -> Array:
    top = x.max(axis, keepdims=True).astype(np.float64)
    return np.asarray(np.log(np.exp(x - top).sum(axis)) + top.squeeze(axis))


REDUCED = (
    Reduced("sum", lambda x, axis: x.sum(axis, np.float64)),
    Reduced("max", lambda x, axis: x.max(axis)),
    Reduced("var", lambda x, axis: x.var(axis, np.float64)),
    Reduced("argmax", lambda x, axis: x.argmax(axis), "int64"),
    Reduced("logsumexp", _logsumexp),
)


def name_of(op: str, shape: str) -> str:
    """Return the name of a figure."""
    return f"{op} {shape} f32 leading axis"


def figures() -> dict[str, float]:
    """Measure every reduction at both shapes."""
    found: dict[str, float] = {}
    for shape in SHAPES:
        x = np.random.default_rng(1).standard_normal(parse_shape(shape), np.float32)
        found |= {name_of(each.op, shape): leading_beside_last(each, x) for each in REDUCED}
    return found


def leading_beside_last(reduced: Reduced, x: Array) -> float:
    """Return the bandwidth over axis 0 of a matrix over that over axis 1.

    Raises RuntimeError for a wrong result.
    """
    results = [np.empty(x.shape[1 - axis], reduced.dtype) for axis in (0, 1)]
    calls = [
        partial(getattr(ops, reduced.op), x, axis, out=result)
        for axis, result in enumerate(results)
    ]
    for axis, (call, result) in enumerate(zip(calls, results, strict=True)):
        call()
        if not np.allclose(result, reduced.oracle(x, axis), rtol=1e-4, atol=1e-2):
            raise RuntimeError(f"{reduced.op} over axis {axis} is wrong")
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(_ROUNDS):
        for taken, call in zip(times, calls, strict=True):
            taken.append(timeit.timeit(call, number=_CALLS))
    speeds = [
        (x.nbytes + result.nbytes) / statistics.median(taken)
        for result, taken in zip(results, times, strict=True)
    ]
    return speeds[0] / speeds[1]
