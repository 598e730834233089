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
