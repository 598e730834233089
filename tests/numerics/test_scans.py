"""Running sums and maxima, and the first elements in order, beside NumPy and PyTorch."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import certile as ct
from certile import ops

pytestmark = pytest.mark.usefixtures("on_target")

NAN, INF = np.nan, np.inf


def reversed_along(x: np.ndarray, axis: int, function: object) -> np.ndarray:
    return np.flip(function(np.flip(x, axis), axis), axis)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("reverse", [False, True])
def test_axes_and_directions(axis: int, reverse: bool) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (3, 35, 4)).astype(np.float32)
    for mine, numpys in ((ops.cumsum, np.cumsum), (ops.cummax, np.maximum.accumulate)):
        wanted = reversed_along(x, axis, numpys) if reverse else numpys(x, axis)
        for laid_out in (x, np.asfortranarray(x)):
            np.testing.assert_array_equal(mine(laid_out, axis, reverse=reverse), wanted)
        out = x.copy()
        assert mine(out, axis, reverse=reverse, out=out) is out
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "uint64", "float16"])
def test_dtypes_are_those_of_the_framework(dtype: str) -> None:
    x = (np.arange(80).reshape(2, 40) % 7).astype(dtype)
    found = ops.cumsum(x)
    assert found.dtype == x.cumsum(1).dtype
    np.testing.assert_array_equal(found, x.cumsum(1))
    np.testing.assert_array_equal(ops.cummax(x), np.maximum.accumulate(x, 1))
    if dtype != "uint64":
        tensor = torch.from_numpy(x)
        assert torch.equal(ops.cumsum(tensor), tensor.cumsum(1))
        assert torch.equal(ops.cummax(tensor), tensor.cummax(1).values)
    assert ops.cumsum(x, dtype="f32").dtype == np.float32


def test_narrow_sums_do_not_stall() -> None:
    assert ops.cumsum(np.ones(3000, np.float16))[-1] == 3000
    assert ops.cumsum(np.ones(512, ml_dtypes.bfloat16))[-1] == 512
    assert ops.cumsum(np.full(300, 127, np.int8))[-1] == 300 * 127
    assert ops.cumsum(np.full(4, 2**62, np.int64))[-1] == 0


def test_special_values_stay_where_they_are() -> None:
    x = np.array([[1, NAN, 2, 3], [1, INF, 2, -INF], [-INF, -5, NAN, 9]], np.float32)
    np.testing.assert_array_equal(ops.cumsum(x), np.cumsum(x, axis=1))
    np.testing.assert_array_equal(ops.cummax(x), np.maximum.accumulate(x, axis=1))
    np.testing.assert_array_equal(
        ops.cummax(x, reverse=True), reversed_along(x, 1, np.maximum.accumulate)
    )


def test_arrays_without_elements_or_dimensions() -> None:
    assert ops.cumsum(np.empty((0, 3), np.float32)).shape == (0, 3)
    assert ops.cummax(np.empty((3, 0), np.float32)).shape == (3, 0)
    assert ops.cumsum(np.float32(2.5)) == 2.5
    values, indices = ops.topk(torch.tensor(2.5), 1)
    assert (values.shape, indices.shape) == ((), ())
    assert (float(values), int(indices)) == (2.5, 0)
    values, _ = ops.topk(np.empty((0, 3), np.float32), 2)
    assert values.shape == (0, 2)


@pytest.mark.parametrize("k", [1, 2, 7, 33, 64])
@pytest.mark.parametrize("largest", [True, False])
def test_the_first_in_order(k: int, largest: bool) -> None:
    x = np.random.default_rng(1).integers(-20, 20, (5, 70)).astype(np.float32)
    order = np.argsort(-x if largest else x, axis=1, kind="stable")[:, :k]
    values, indices = ops.topk(x, k, largest=largest)
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1))
    values, indices = ops.topk(x.T, k, 0, largest=largest)
    np.testing.assert_array_equal(indices, order.T)
    found = ops.topk(torch.from_numpy(x), k, largest=largest)
    wanted = torch.from_numpy(x).topk(k, largest=largest)
    assert torch.equal(found[0], wanted.values)


def test_nan_is_the_greatest_and_ties_go_to_the_first() -> None:
    x = np.array([INF, INF, 1.2, INF], np.float32)
    assert ops.topk(x, 4)[1].tolist() == [0, 1, 3, 2]
    x = np.array([1, NAN, -INF, NAN, 5], np.float32)
    values, indices = ops.topk(x, 3)
    assert indices.tolist() == [1, 3, 4]
    np.testing.assert_array_equal(values, np.float32([NAN, NAN, 5]))
    assert ops.topk(x, 5, largest=False)[1].tolist() == [2, 0, 4, 1, 3]


def test_integers_are_compared_as_integers() -> None:
    x = np.array([2**63 - 1, 2**63 - 2, -(2**63), 0])
    assert ops.topk(x, 2)[1].tolist() == [0, 1]
    unsigned = np.array([3, 2**64 - 1, 2**64 - 2], np.uint64)
    assert ops.topk(unsigned, 2)[1].tolist() == [1, 2]
    values, _ = ops.topk(np.array([True, False, True]), 3)
    assert values.tolist() == [True, True, False]


@pytest.mark.parametrize("k", [0, -1, 65, 6, 2.0, True, None])
def test_counts_that_are_none(k: object) -> None:
    out = np.full((2, 5), 7, np.float32), np.full((2, 5), 7)
    with pytest.raises(ct.ArgumentError) as found:
        ops.topk(np.ones((2, 5), np.float32), k, out=out)
    assert found.value.code == "A305"
    assert (out[0] == 7).all()
