"""Reductions over leading, middle and several axes, on every target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import certile as ct
from certile import ops
from tests.cases.everywhere import everywhere

Array = np.ndarray[Any, Any]


def whole(*shape: int, seed: int = 0) -> Array:
    """Whole numbers, whose sums are exact in every order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float32)


@ct.tile_kernel
def column_sums(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for c in ct.parallel(cols):
        y[c] = ct.reduce(x[rows, c], rows, ct.add)


@pytest.mark.parametrize("shape", [(1, 20), (2, 16), (70, 33), (300, 5), (9, 700)])
def test_columns_are_summed(shape: tuple[int, int]) -> None:
    x = whole(*shape)
    found = everywhere(column_sums, x, np.zeros(shape[1], np.float32))
    np.testing.assert_array_equal(found, x.sum(axis=0))


def test_the_compiler_chooses_the_map_from_the_layout() -> None:
    x, y = whole(70, 200), np.zeros(200, np.float32)
    turned, z = np.asfortranarray(whole(70, 200)), np.zeros(200, np.float32)
    for array, result, family in ((x, y, "columns"), (turned, z, "subgroup")):
        prepared = column_sums.prepare(array, result)
        assert prepared.plans[0].mapping is not None
        assert prepared.plans[0].mapping.family == family
        prepared()
        np.testing.assert_array_equal(result, array.sum(axis=0))


@pytest.mark.parametrize("axis", [(0, 1), (1, 2), (0, 2), (0,), (1,), (2,), (0, 1, 2)])
def test_several_axes_of_one_kernel(axis: tuple[int, ...]) -> None:
    @ct.tile_kernel
    def reduced(x: ct.View, y: ct.View, where: ct.View) -> None:
        axes = tuple(ct.axis(name, x.shape[k]) for k, name in enumerate("abc"))
        over = [axes[k] for k in range(3) if k not in axis] or [ct.axis("one", 1)]
        gone = tuple(axes[k] for k in axis)
        for at in ct.parallel(*over):
            place = at if isinstance(at, tuple) else (at,)
            rest = iter(place)
            index = [axes[k] if k in axis else next(rest) for k in range(3)]
            y[place] = ct.reduce(x[tuple(index)], gone, ct.add)
            where[place] = ct.reduce(x[tuple(index)], gone, ct.argmax)

    x = whole(4, 5, 18)
    x.reshape(-1)[:] += np.arange(x.size) / 1024.0  # no two are equal, and sums are exact still
    kept = [n for k, n in enumerate(x.shape) if k not in axis] or [1]
    y, where = np.zeros(kept, np.float32), np.zeros(kept, np.int64)
    moved = np.moveaxis(x, axis, range(-len(axis), 0)).reshape(*kept, -1)
    np.testing.assert_array_equal(everywhere(reduced, x, y, where, out=1), moved.sum(axis=-1))
    np.testing.assert_array_equal(everywhere(reduced, x, y, where), moved.argmax(axis=-1))


def views(shape: tuple[int, ...]) -> dict[str, Array]:
    """Arrays of every order: as C and Fortran have it, backwards, repeated, with gaps."""
    x = whole(*shape)
    wide = whole(*shape[:-1], 2 * shape[-1])
    return {
        "c": x,
        "fortran": np.asfortranarray(x),
        "backwards": x[::-1],
        "backwards inside": x[..., ::-1],
        "repeated": np.broadcast_to(x[:1], shape),
        "repeated inside": np.broadcast_to(x[..., :1], shape),
        "gaps": wide[..., ::2],
        "turned": np.ascontiguousarray(x.swapaxes(0, -1)).swapaxes(0, -1),
    }


@pytest.mark.parametrize("layout", list(views((2, 2))))
@pytest.mark.parametrize("axis", [None, 0, 1, (2, 1), (0, 2), (1, 0)], ids=str)
def test_operations_over_any_axes(layout: str, axis: Any) -> None:
    x = views((6, 5, 20))[layout]
    np.testing.assert_array_equal(ops.sum(x, axis=axis), x.sum(axis=axis))
    if axis in (0, 1):
        np.testing.assert_array_equal(ops.argmin(x, axis=axis), x.argmin(axis=axis))
        greatest = ops.max(x, axis=axis, keepdims=True)
        np.testing.assert_array_equal(greatest, x.max(axis=axis, keepdims=True))


@pytest.mark.parametrize(
    ("shape", "axis"), [((1 << 18,), None), ((20000, 16), 0), ((30, 1000, 9), 1), ((2, 70000), 1)]
)
@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_few_long_rows(shape: tuple[int, ...], axis: int | None, dtype: str) -> None:
    x = whole(*shape).astype(dtype)
    exact = x.astype(np.float64)
    np.testing.assert_array_equal(ops.sum(x, axis=axis), exact.sum(axis=axis))
    mean = ops.mean(x, axis=axis, dtype=np.float32)
    np.testing.assert_allclose(mean, exact.mean(axis=axis), rtol=1e-6, atol=1e-7)
    low, high = ops.min_max(x, axis=axis)
    np.testing.assert_array_equal(low, x.min(axis=axis))
    np.testing.assert_array_equal(high, x.max(axis=axis))


def test_log_sums_of_few_long_rows_keep_infinities() -> None:
    x = np.full((20000, 16), -np.inf, np.float32)
    x[7, 1], x[5, 3] = np.inf, np.nan
    x[:, 4] = np.linspace(-3, 3, 20000)
    found = ops.logsumexp(x, axis=0)
    assert found[[0, 1]].tolist() == [-np.inf, np.inf]
    assert np.isnan(found[3])
    np.testing.assert_allclose(found[4], np.log(np.exp(x[:, 4].astype(np.float64)).sum()), 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_log_sums_down_many_long_columns(dtype: str) -> None:
    """Columns that no cache holds are taken in parts; infinities of a part are the column's."""
    x = np.random.default_rng(8).uniform(-30, 30, (3000, 300)).astype(dtype)
    x[:, 0], x[:250, 1] = -np.inf, -np.inf
    x[2999, 2], x[0, 3], x[1000, 3] = np.inf, np.nan, np.inf
    found = ops.logsumexp(x, axis=0)
    assert found[[0, 2]].tolist() == [-np.inf, np.inf]
    assert np.isnan(found[3])
    wide = np.delete(x, [0, 2, 3], axis=1).astype(np.float64)
    exact = np.log(np.exp(wide - 40).sum(axis=0)) + 40
    unit = np.finfo(dtype).eps
    np.testing.assert_allclose(np.delete(found, [0, 2, 3]), exact, rtol=2 * unit)
    kept = ops.logsumexp(x, axis=0, keepdims=True)
    np.testing.assert_array_equal(kept[0], found)
