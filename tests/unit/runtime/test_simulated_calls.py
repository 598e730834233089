"""Calls on simulated Metal whose arrays lie between each other in memory."""

from __future__ import annotations

import numpy as np
import pytest

import certile as ct


@ct.tile_kernel
def twice(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


@ct.tile_kernel
def sum_and_difference(x: ct.View, y: ct.View, z: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        a, b = x[r, cols], y[r, cols]
        y[r, cols] = a - b
        z[r, cols] = a + b


@pytest.mark.parametrize("first", [0, 1])
def test_every_other_element_is_read_and_the_others_are_stored(first: int) -> None:
    memory = np.arange(60, dtype=np.float32).reshape(3, 20)
    expected = memory.copy()
    expected[:, 1 - first :: 2] = 2 * expected[:, first::2]
    with ct.target("metal-sim"):
        twice(memory[:, first::2], memory[:, 1 - first :: 2])
    assert np.array_equal(memory, expected)


@pytest.mark.parametrize(("target", "kernels"), [("metal-sim", 1), ("cpu", 4)])
def test_steps_along_a_row_have_kernels_of_their_own_only_where_vectors_hold_them(
    target: str, kernels: int
) -> None:
    @ct.tile_kernel
    def shifted(x: ct.View, y: ct.View) -> None:
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] + 1.0

    memory = np.arange(3 * 256, dtype=np.float32).reshape(3, 256)
    for step in (-1, 2, 3, 4):
        read, result = memory[:, ::step][:, :64], np.zeros((3, 64), np.float32)
        with ct.target(target):
            shifted(read, result)
        assert np.array_equal(result, read + 1)
    assert shifted.compilations == kernels


def test_three_interleaved_views_one_of_them_read_and_stored() -> None:
    memory = np.arange(96, dtype=np.float32).reshape(2, 48)
    expected = memory.copy()
    a, b = expected[:, 0::4].copy(), expected[:, 2::4].copy()
    expected[:, 2::4], expected[:, 3::4] = a - b, a + b
    with ct.target("metal-sim"):
        sum_and_difference(memory[:, 0::4], memory[:, 2::4], memory[:, 3::4])
    assert np.array_equal(memory, expected)


def test_views_that_share_an_element_are_refused_still() -> None:
    memory = np.zeros((2, 20), np.float32)
    with ct.target("metal-sim"), pytest.raises(ct.ArgumentError, match="A005"):
        twice(memory[:, :10], memory[:, 5:15])


SLICES = (
    (slice(None, None, -1), slice(None)),
    (slice(None), slice(None, None, -1)),
    (slice(None, None, -1), slice(None, None, -1)),
    (slice(None, None, -2), slice(3, None, 2)),
    (slice(4, 1, -1), slice(None, 2, -3)),
)


@pytest.mark.parametrize("order", SLICES)
@pytest.mark.parametrize("stored", SLICES)
def test_strides_of_either_sign(order: tuple[slice, ...], stored: tuple[slice, ...]) -> None:
    """Of what is read and of what is stored; nothing between the elements changes."""
    x = np.arange(7 * 70, dtype=np.float32).reshape(7, 70)[order]
    memory = np.full((14, 280), -1, np.float32)
    x = x[: len(memory[stored])]
    y = memory[stored][: x.shape[0], : x.shape[1]]
    assert y.shape == x.shape
    expected = np.full_like(memory, -1)
    expected[stored][: x.shape[0], : x.shape[1]] = 2 * x
    with ct.target("metal-sim"):
        twice(x, y)
    np.testing.assert_array_equal(memory, expected)


def test_two_views_of_one_memory_that_run_against_each_other() -> None:
    memory = np.arange(60, dtype=np.float32).reshape(3, 20)
    expected = memory.copy()
    expected[:, 1::2] = 2 * expected[::-1, ::2][:, ::-1]
    with ct.target("metal-sim"):
        twice(memory[::-1, ::2][:, ::-1], memory[:, 1::2])
    np.testing.assert_array_equal(memory, expected)


def test_rows_that_are_reduced_backwards() -> None:
    """Sums of exact numbers, whose packs and tails begin at the end of a row."""
    x = np.random.default_rng(1).integers(-9, 9, (5, 333)).astype(np.float32)
    with ct.target("metal-sim"):
        for view in (x[:, ::-1], x[::-1], x[:, ::-3], x.T[::-1], x.T[:, ::-1]):
            for axis in (0, 1):
                np.testing.assert_array_equal(ct.ops.sum(view, axis=axis), view.sum(axis))
            np.testing.assert_array_equal(ct.ops.argmax(view, axis=1), view.argmax(1))
