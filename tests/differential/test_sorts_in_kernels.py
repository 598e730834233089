"""What kernels do with sorted rows: read them elsewhere, in loops, along any axis."""

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import UnsupportedError

ROWS, COLS = 5, 37


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(0).standard_normal((ROWS, COLS)).astype(np.float32)


def axes_of(x):
    return ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])


@ct.tile_kernel
def values_alone(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    for r in ct.parallel(rows):
        y[r, cols] = ct.sort(x[r, cols], cols, descending=True)


def test_values_without_indices(x):
    y = np.empty_like(x)
    values_alone(x, y)
    assert np.array_equal(y, -np.sort(-x))


@ct.tile_kernel
def median(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    for r in ct.parallel(rows):
        y[r] = ct.at(ct.sort(x[r, cols], cols), cols, 18)


def test_one_element_of_a_sorted_row(x):
    y = np.empty(ROWS, np.float32)
    median(x, y)
    assert np.array_equal(y, np.median(x, axis=1))


@ct.tile_kernel
def chosen(x: ct.View, place: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    for r in ct.parallel(rows):
        y[r] = ct.gather(ct.sort(x[r, cols], cols), place[r], cols, fill=-1.0)


def test_an_element_that_data_chooses(x):
    place = np.array([0, 36, 7, 40, -1])
    y = np.empty(ROWS, np.float32)
    chosen(x, place, y)
    expected = np.sort(x)[np.arange(3), place[:3]]
    assert np.array_equal(y, [*expected, -1.0, -1.0])


@ct.tile_kernel
def columns(x: ct.View, y: ct.View, p: ct.View):
    rows, cols = axes_of(x)
    one = ct.axis("one", 1)
    for _ in ct.parallel(one):
        y[rows, cols], p[rows, cols] = ct.sort(x[rows, cols], rows, indices=True)


def test_a_sort_along_the_outer_axis_of_a_tile(x):
    y, p = np.empty_like(x), np.empty(x.shape, np.int64)
    columns(x, y, p)
    assert np.array_equal(y, np.sort(x, axis=0))
    assert np.array_equal(p, np.argsort(x, axis=0, kind="stable"))


@ct.tile_kernel
def two_greatest_of_columns(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    one, top = ct.axis("one", 1), ct.axis("top", 2)
    for _ in ct.parallel(one):
        y[top, cols], _ = ct.topk(x[rows, cols], top, rows)


def test_a_selection_along_the_outer_axis_of_a_tile(x):
    y = np.empty((2, COLS), np.float32)
    two_greatest_of_columns(x, y)
    assert np.array_equal(y, -np.sort(-x, axis=0)[:2])


@ct.tile_kernel
def share_of_the_greatest(x: ct.View, weights: ct.View, again: ct.View):
    rows, cols = axes_of(x)
    top = ct.axis("top", 4)
    for r in ct.parallel(rows):
        row = x[r, cols]
        values, positions = ct.topk(row, top, cols)
        weights[r, top] = values / ct.reduce(ct.abs(values), top, ct.add)
        again[r, top] = ct.gather(row, positions, cols, fill=0.0)


def test_a_selection_is_a_tile_like_any_other(x):
    weights, again = np.empty((ROWS, 4), np.float32), np.empty((ROWS, 4), np.float32)
    share_of_the_greatest(x, weights, again)
    best = -np.sort(-x)[:, :4]
    assert np.array_equal(again, best)
    wide = best.astype(np.float64)
    np.testing.assert_allclose(weights, wide / np.abs(wide).sum(1, keepdims=True), rtol=1e-6)


@ct.tile_kernel
def greatest(x: ct.View, y: ct.View, p: ct.View):
    rows, cols = axes_of(x)
    first = ct.axis("first", 1)
    for r in ct.parallel(rows):
        y[r, first], p[r, first] = ct.topk(x[r, cols], first, cols)


@pytest.mark.parametrize("columns", [1, COLS])
def test_a_selection_of_one(x, columns):
    row = np.ascontiguousarray(x[:, :columns])
    y, p = np.empty((ROWS, 1), np.float32), np.empty((ROWS, 1), np.int64)
    greatest(row, y, p)
    assert np.array_equal(y[:, 0], row.max(1))
    assert np.array_equal(p[:, 0], row.argmax(1))


@ct.tile_kernel
def in_a_loop(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    three, top = ct.axis("three", 3), ct.axis("top", 2)
    for r in ct.parallel(rows):
        total = ct.carry(0.0, ct.f32)
        for k in ct.serial(three):
            values, _ = ct.topk(x[r, cols] * ct.cast(k - 1, ct.f32), top, cols)
            total.value = total.value + ct.reduce(values, top, ct.add)
        y[r] = total.value


def test_a_selection_in_a_serial_loop(x):
    y = np.empty(ROWS, np.float32)
    in_a_loop(x, y)
    wide = x.astype(np.float64)
    expected = sum((-np.sort(-wide * (k - 1)))[:, :2].sum(1) for k in range(3))
    np.testing.assert_allclose(y, expected, rtol=1e-5)


@ct.tile_kernel
def carried(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    three = ct.axis("three", 3)
    for r in ct.parallel(rows):
        row = ct.carry(x[r, cols])
        for k in ct.serial(three):
            row.value = ct.cast(k, ct.f32) - ct.sort(row.value, cols)
        y[r, cols] = row.value


def test_a_row_that_a_loop_carries_is_sorted_again(x):
    y = np.empty_like(x)
    carried(x, y)
    expected = x
    for k in range(3):
        expected = np.float32(k) - np.sort(expected)
    assert np.array_equal(y, expected)


@ct.tile_kernel
def sorted_twice(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    for r in ct.parallel(rows):
        first = ct.sort(x[r, cols], cols)
        y[r, cols] = ct.sort(ct.abs(first - 0.5), cols)


def test_a_sort_of_a_sorted_row(x):
    y = np.empty_like(x)
    sorted_twice(x, y)
    assert np.array_equal(y, np.sort(np.abs(np.sort(x) - np.float32(0.5))))


@ct.tile_kernel
def in_place(x: ct.InOut):
    rows, cols = axes_of(x)
    for r in ct.parallel(rows):
        x[r, cols] = ct.sort(x[r, cols], cols)


def test_rows_are_sorted_where_they_are(x):
    y = x.copy()
    in_place(y)
    assert np.array_equal(y, np.sort(x))


def test_an_input_of_any_strides(x):
    wide = np.zeros((COLS, 2 * ROWS), np.float32)
    wide[:, ::2] = x.T
    y = np.empty_like(x)
    # The row repeats nothing, steps over gaps, and lies across memory.
    values_alone(wide[:, ::2].T, y)
    assert np.array_equal(y, -np.sort(-x))


def test_rows_without_elements():
    y = np.empty((3, 0), np.float32)
    values_alone(np.empty((3, 0), np.float32), y)
    with pytest.raises(ct.KernelError, match="K037"):
        greatest(np.empty((3, 0), np.float32), np.empty((3, 1), np.float32), np.empty((3, 1), "i8"))


@ct.tile_kernel
def one_selected(x: ct.View, y: ct.View):
    rows, cols = axes_of(x)
    top, other = ct.axis("top", 1), ct.axis("other", 1)
    for r in ct.parallel(rows):
        best, where = ct.topk(x[r, cols], top, cols)
        y[r, 0] = ct.at(best, top, 0)
        y[r, 1] = ct.gather(best, r - r, top, fill=0.0)
        y[r, 2] = ct.gather(best, r - r + 1, top, fill=-7.0)
        y[r, 3 + ct.iota(other)] = ct.relabel(best, top, other)
        y[r, 4 + ct.iota(top)] = ct.cast(where, ct.f32)


@pytest.mark.parametrize("target", ["cpu", "reference", "metal-sim"])
def test_one_selected_element_lies_along_its_axis(x, target):
    y = np.zeros((ROWS, 5), np.float32)
    with ct.target(target):
        one_selected(x, y)
    best = x.max(axis=1)
    assert np.array_equal(y, np.stack([best, best, best * 0 - 7, best, x.argmax(axis=1)], axis=1))


def test_the_simulated_gpu_sorts_too(x):
    y, p = np.empty_like(x), np.empty(x.shape, np.int64)
    with ct.target("metal-sim"):
        columns(x, y, p)
    assert np.array_equal(y, np.sort(x, axis=0))


def test_a_row_too_long_for_a_gpu_thread_is_refused_with_a_reason():
    row = np.zeros((2, 40_000), np.float32)
    with ct.target("metal-sim"), pytest.raises(UnsupportedError, match="U313"):
        values_alone(row, np.empty_like(row))
