"""Instances of a call that meet in memory: what is refused, before anything is written."""

import numpy as np

import certile as ct
from tests.unit.calls.calling import numbers, refused


def test_an_instance_must_keep_to_its_own_elements_in_place():
    @ct.tile_kernel
    def transposed(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[cols, r] = x[r, cols]

    @ct.tile_kernel
    def with_the_first(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] + x[0, cols]

    x = numbers(5, 5)
    before = x.copy()
    for kernel in (transposed, with_the_first):
        refused("A005", kernel, x, x)
    np.testing.assert_array_equal(x, before)
    transposed(x, y := np.empty_like(x))
    np.testing.assert_array_equal(y, x.T)
    # One instance has no other to meet.
    with_the_first(x[:1], x[:1])
    np.testing.assert_array_equal(x[0], before[0] * 2)


def test_instances_that_store_to_one_place():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[0, cols] = x[r, cols]

    x, y = numbers(3, 4), np.zeros((1, 4), np.float32)
    refused("K091", kernel, x, y)
    assert not y.any()


def test_an_input_that_is_stored_to_by_other_instances():
    @ct.tile_kernel
    def shifted(x: ct.InOut):
        rows, cols = ct.axis("rows", x.shape[0] - 1), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            x[r, cols] = x[r + 1, cols]

    x = numbers(60, 4)
    before = x.copy()
    for target in ("cpu", "metal-sim", "reference", "null"):
        with ct.target(target):
            message = str(refused("K091", shifted, x))
            assert "x[r + 1, cols]" in message
            assert "hint" in message
    np.testing.assert_array_equal(x, before)
    shifted(x[:2])
    np.testing.assert_array_equal(x[0], before[1])
