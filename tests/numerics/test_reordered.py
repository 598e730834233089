"""Rows of an array whose elements lie in another order than those of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from certile import ArgumentError, ops
from certile.ops.reordered import reordered
from certile.runtime.arrays import describe

Array = np.ndarray[Any, Any]


def exact_softmax(x: Array, axis: int) -> Array:
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def copied(x: Array, axis: int, y: Array | None = None) -> bool:
    y = np.empty(x.shape, x.dtype) if y is None else y
    return reordered(describe(x), describe(y), (axis,)) is not None


OPERATIONS: dict[str, tuple[Callable[..., Array], Callable[[Array, int], Array]]] = {
    "softmax": (ops.softmax, exact_softmax),
    "log_softmax": (ops.log_softmax, lambda x, axis: np.log(exact_softmax(x, axis))),
    "l2_norm": (
        ops.l2_norm,
        lambda x, axis: x / np.linalg.norm(x.astype(np.float64), axis=axis, keepdims=True),
    ),
    "cumsum": (ops.cumsum, lambda x, axis: np.cumsum(x.astype(np.float64), axis)),
    "cummax": (ops.cummax, lambda x, axis: np.maximum.accumulate(x, axis)),
}


def laid(shape: tuple[int, ...], order: tuple[int, ...], dtype: type = np.float32) -> Array:
    """An array whose dimensions follow each other in memory in this order."""
    drawn = np.random.default_rng(1).standard_normal([shape[dim] for dim in order])
    return drawn.astype(dtype).transpose(np.argsort(order))


# Last dimensions of whole runs, of none, short ones and long odd ones; gaps; a row along what
# neither holds in one piece, and along what x holds.
ARRAYS = [
    (laid((2, 32, 16, 32), (0, 2, 3, 1)), 2),
    (laid((2, 32, 16, 32), (0, 2, 3, 1)), 1),
    (laid((3, 24, 33, 21), (0, 2, 3, 1)), 2),
    (laid((5, 7, 20, 36), (2, 3, 1, 0)), 1),
    (laid((40, 31, 49), (1, 2, 0)), 1),
    (laid((8, 64, 64), (2, 0, 1))[::2, :, ::-1], 0),
    (laid((64, 40, 32), (2, 1, 0))[:, :-1, 1:], 1),
    (laid((4, 128, 512), (0, 2, 1), np.float64), 1),
    (laid((3, 64, 1024), (0, 2, 1), np.float16), 1),
]


@pytest.mark.parametrize("name", list(OPERATIONS))
@pytest.mark.parametrize("case", range(len(ARRAYS)))
def test_rows_of_another_order(name: str, case: int) -> None:
    x, axis = ARRAYS[case]
    assert copied(x, axis)
    op, wanted = OPERATIONS[name]
    found = op(x, axis)
    assert found.flags.c_contiguous
    scale = 1e-3 if x.dtype == np.float16 else 2e-6
    np.testing.assert_allclose(found, wanted(x, axis), rtol=scale, atol=16 * scale)


def test_what_is_copied() -> None:
    x = laid((2, 32, 32, 32), (0, 2, 3, 1))
    assert copied(x, 2)
    # Results 4 KB apart are scattered, others are not worth a copy.
    assert copied(x, 1)
    assert not copied(laid((2, 32, 30, 30), (0, 2, 3, 1)), 1)
    # Rows that the result holds in one piece are gathered.
    assert not copied(x, 3)
    # One order, no order, few elements, a result in an order of its own.
    assert not copied(np.ascontiguousarray(x), 2)
    assert not copied(laid((2, 32, 32, 64), (0, 2, 3, 1))[:, ::2], 2)
    assert not copied(x[:, :, :8, :8], 2)
    assert not copied(x, 2, laid((2, 32, 32, 32), (0, 1, 3, 2)))
    # A long last dimension that no run divides.
    assert not copied(laid((8, 16, 257), (0, 2, 1)), 0)


def test_a_result_that_is_the_array_in_another_order() -> None:
    x = np.ones((512, 512), np.float32)
    with pytest.raises(ArgumentError, match="shares memory"):
        ops.softmax(x.T, 0, out=x)
    assert ops.softmax(x.T, 0, out=x.T).base is x
    np.testing.assert_array_equal(x, np.full_like(x, 1 / 512))


@pytest.mark.parametrize("dtype", ["f64", "f16"])
def test_a_result_of_another_type_takes_no_copy(dtype: str) -> None:
    x, axis = ARRAYS[0]
    found = ops.softmax(x, axis, dtype=dtype)
    rtol = 1e-3 if dtype == "f16" else 2e-6
    np.testing.assert_allclose(found, exact_softmax(x, axis), rtol=rtol, atol=1e-6)
