"""Arrays of NumPy on a Metal device: results, what is copied, and what is refused."""

from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

import certile as ct
from certile import ops
from certile.diagnostics import UnsupportedError
from certile.runtime.metal import fake, memory
from certile.runtime.metal.memory import Span, merged
from tests.metal_launch.kernels import (
    at_page,
    beside_a_page,
    first_half,
    is_softmax,
    numbers,
    on_fake,
    plus,
    refused,
    softmax,
    twice,
    two_launches,
)


def test_a_kernel_on_plain_arrays():
    x, y = (beside_a_page(350).reshape(5, 70) for _ in range(2))
    x[:] = numbers(5, 70)
    with on_fake() as device:
        softmax(x, y)
    is_softmax(y, x)
    assert device.done["buffer"] == 2
    assert "wrap" not in device.done


def test_memory_at_a_page_is_lent_and_never_copied():
    x, y = at_page(3000), at_page(3000)
    x[:] = numbers(3000)
    with on_fake() as device:
        plus(x, y, 1.5)
    np.testing.assert_array_equal(y, x + np.float32(1.5))
    assert device.done["wrap"] == 2
    assert "buffer" not in device.done


def test_what_metal_does_not_lend_is_copied():
    x, y = at_page(64), at_page(64)
    x[:] = numbers(64)
    with on_fake(fake.Fault("wrap"), fake.Fault("wrap")) as device:
        plus(x, y, 1.0)
    np.testing.assert_array_equal(y, x + np.float32(1))
    assert device.done["buffer"] == 2


def test_what_lies_between_the_elements_stays():
    held = np.full((5, 140), 7, np.float32)
    x = numbers(5, 70)
    with on_fake():
        softmax(x, held[:, ::2])
    is_softmax(held[:, ::2], x)
    assert (held[:, 1::2] == 7).all()


def test_arrays_that_meet_share_one_buffer():
    held = beside_a_page(5 * 128).reshape(5, 128)
    held[:] = numbers(5, 128)
    before = held.copy()
    with on_fake() as device:
        softmax(held[:, :64], held[:, 64:])
    assert device.done["buffer"] == 1
    is_softmax(held[:, 64:], before[:, :64])
    np.testing.assert_array_equal(held[:, :64], before[:, :64])


def test_a_kernel_in_place():
    x = numbers(33)
    before = x.copy()
    with on_fake():
        plus(x, x, 2.0)
    np.testing.assert_array_equal(x, before + np.float32(2))


def test_an_output_keeps_what_no_instance_stores():
    x, y = numbers(4, 32), np.full((4, 32), 9, np.float32)
    with on_fake():
        first_half(x, y)
    np.testing.assert_array_equal(y[:, :16], x[:, :16] * 2)
    assert (y[:, 16:] == 9).all()


@pytest.mark.parametrize(
    ("dtype", "number"), [("i32", -3), ("u8", 5), ("i64", 1 << 40), ("f16", 0.5), ("bf16", 0.5)]
)
def test_every_kind_of_element_and_number(dtype, number):
    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bf16" else np.dtype(_NAMES[dtype])

    def kernel(x, y, value):
        items = ct.axis("items", x.shape[0])
        for i in ct.parallel(items):
            y[i] = x[i] + value

    kernel.__annotations__["value"] = getattr(ct, dtype)
    x = np.arange(40).astype(kind)
    y = np.zeros_like(x)
    with on_fake():
        ct.tile_kernel(kernel)(x, y, number)
    np.testing.assert_array_equal(y.astype(np.float64), (x + kind.type(number)).astype(np.float64))


_NAMES = {"i32": "int32", "u8": "uint8", "i64": "int64", "f16": "float16"}


def test_an_operation_of_several_launches():
    x = numbers(3, 40)
    with on_fake(mode="fast"):
        y = ops.softmax(x)
        total = ops.sum(x)
    is_softmax(y, x)
    np.testing.assert_allclose(total, x.astype(np.float64).sum(), rtol=1e-5)


def test_launches_of_one_kernel_see_each_other():
    x = numbers(50)
    between, y = np.zeros(50, np.float32), np.zeros(50, np.float32)
    with on_fake() as device:
        twice(x, between, y)
    np.testing.assert_array_equal(y, (x + np.float32(1)) * 2)
    assert device.done["commit"] == 1


def test_a_prepared_call_runs_again():
    x, y = numbers(20), np.zeros(20, np.float32)
    with on_fake():
        call = plus.prepare(x, y, 1.0)
        call()
        x += 1
        call()
    np.testing.assert_array_equal(y, x + np.float32(1))


def test_no_instances_are_no_launch():
    x = np.zeros((0, 8), np.float32)
    with on_fake() as device:
        softmax(x, x.copy())
        call = plus.prepare(np.zeros(0, np.float32), np.zeros(0, np.float32), 1.0)
        call()
    assert "commit" not in device.done


def test_a_launch_without_groups_beside_one_with_some():
    y, z = numbers(9), np.zeros(9, np.float32)
    with on_fake():
        two_launches(np.zeros(0, np.float32), y, z)
    np.testing.assert_array_equal(z, y + np.float32(1))


@ct.tile_kernel
def sum_of_both(x: ct.View[ct.f32, 1], more: ct.View[ct.f32, 1], y: ct.View[ct.f32, 1]):
    items, others = ct.axis("items", x.shape[0]), ct.axis("others", more.shape[0])
    for i in ct.parallel(items):
        y[i] = x[i] + ct.reduce(more[others], others, ct.add)


@pytest.mark.parametrize("at", [0, 3, 128, 200, 250, 256])
def test_an_array_without_elements_is_bound_inside_a_buffer(at):
    # The stand-in refuses an offset at the end of a buffer, as Metal does.
    held = np.zeros(512, np.float32)
    start = -(held.ctypes.data // 4) % 64
    x, y = numbers(12), np.zeros(12, np.float32)
    with on_fake():
        sum_of_both(x, held[start + at : start + at], y)
        np.testing.assert_array_equal(y, x)
        # Right behind the last element of another, and right before the first.
        sum_of_both(x, x[12:], y)
        np.testing.assert_array_equal(y, x)
        sum_of_both(x, x[:0], y)
    np.testing.assert_array_equal(y, x)


def test_an_array_that_begins_after_its_elements():
    x, y = numbers(8), np.zeros((2, 8), np.float32)
    with on_fake():
        plus(x[::-1], y[1, ::-1], 1.0)
        # In one buffer with what lies between its elements.
        plus(y[1], y[0, ::-1], 1.0)
    np.testing.assert_array_equal(y[1], x + np.float32(1))
    np.testing.assert_array_equal(y[0, ::-1], y[1] + np.float32(1))


@ct.tile_kernel
def widened(x: ct.View[ct.u8, 1], y: ct.View[ct.f32, 1]):
    items = ct.axis("items", x.shape[0])
    for i in ct.parallel(items):
        y[i] = ct.cast(x[i], ct.f32) + 1.0


def test_the_fields_of_a_record():
    """Arrays of two element types in one buffer, whose bytes are no whole number of the larger."""
    records = np.zeros(9, [("y", np.float32), ("x", np.uint8), ("rest", np.uint8, 3)])
    records["x"] = np.arange(9)
    records["rest"] = 7
    with on_fake():
        widened(records["x"], records["y"])
    np.testing.assert_array_equal(records["y"], np.arange(9) + np.float32(1))
    np.testing.assert_array_equal(records["x"], np.arange(9))
    assert (records["rest"] == 7).all()


def test_arrays_between_each_other_that_run_both_ways():
    y = numbers(18)
    meant = y.copy()
    meant[1::2] = y[::2][::-1] + np.float32(1)
    with on_fake():
        plus(y[::2][::-1], y[1::2], 1.0)
    np.testing.assert_array_equal(y, meant)


def test_an_array_larger_than_a_buffer():
    x, y = numbers(64), np.zeros(64, np.float32)
    with on_fake(facts=replace(fake.FACTS, max_buffer_bytes=128)):
        error = refused("U406", lambda: plus(x, y, 1.0))
    assert "128" in str(error)
    assert not y.any()


def test_more_groups_than_a_grid_has(monkeypatch):
    from certile.runtime.metal import launcher

    monkeypatch.setattr(launcher, "_MOST_GROUPS", 1)
    x = numbers(500, 33)
    with on_fake():
        refused("U403", lambda: softmax(x, np.zeros_like(x)))


def test_ranges_that_meet_are_one():
    spans = [Span(0, 8, False), Span(8, 12, True), Span(10, 20, False), Span(3, 5, True)]
    assert merged(spans) == [(0, 8), (8, 20)]
    assert merged([Span(5, 5, False)]) == [(5, 5)]


def test_a_copy_is_as_aligned_as_the_array():
    device = fake.FakeDevice()
    held = np.zeros(400, np.uint8)
    low = held.ctypes.data + (4 - held.ctypes.data) % 64
    region = memory.lend(device, low, low + 100)
    assert (region.buffer.address + region.low - region.base) % 64 == 4
    with pytest.raises(UnsupportedError):
        memory.lend(fake.FakeDevice([fake.Fault("buffer")]), low, low + 100)
