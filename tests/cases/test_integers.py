"""Integers: floor division, wrapping, wide addresses and loop steps have Python's exact values."""

import itertools

import numpy as np
import pytest

import certile as ct
from tests.cases.everywhere import everywhere

SIGNED = (np.int8, np.int16, np.int32, np.int64)
DIVIDENDS = (-21, -7, -1, 0, 7, 21)


@ct.tile_kernel
def divided(x, d, y):
    rows, kinds = ct.axis("rows", x.shape[0]), ct.axis("kinds", d.shape[0])
    for r in ct.parallel(rows):
        y[r, 0, kinds] = x[r] // d[kinds]
        y[r, 1, kinds] = x[r] % d[kinds]


@pytest.mark.parametrize("dtype", SIGNED)
def test_floor_division_by_run_time_values(dtype):
    x, d = np.array(DIVIDENDS, dtype), np.array([2, -2, 5, -5, 64, 127, -128], dtype)
    y = everywhere(divided, x, d, np.zeros((len(x), 2, len(d)), dtype))
    for i, j in itertools.product(range(len(x)), range(len(d))):
        assert y[i, 0, j] == int(x[i]) // int(d[j])
        assert y[i, 1, j] == int(x[i]) % int(d[j])


@pytest.mark.parametrize("dtype", SIGNED[2:])
def test_floor_division_by_constants(dtype):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r, 0] = x[r] // 2
            y[r, 1] = x[r] % 2
            y[r, 2] = x[r] // -2
            y[r, 3] = x[r] // 512
            y[r, 4] = x[r] % 5
            y[r, 5] = x[r] // 5

    x = np.array(DIVIDENDS, dtype)
    y = everywhere(kernel, x, np.zeros((6, 6), dtype))
    assert y[1].tolist() == [-4, 1, 3, -1, 3, -2]
    assert y[0, 5] == -5
    assert y[2, 3] == -1
    assert y.tolist() == [[v // 2, v % 2, v // -2, v // 512, v % 5, v // 5] for v in DIVIDENDS]


def test_floor_division_of_scalars_and_coordinates():
    @ct.tile_kernel
    def kernel(y, a: ct.i32, b: ct.i32):
        rows = ct.axis("rows", y.shape[0])
        for r in ct.parallel(rows):
            shifted = ct.cast(r, ct.i32) - 3
            y[r, 0] = a // b
            y[r, 1] = a % b
            y[r, 2] = shifted // 2
            y[r, 3] = shifted % 2

    for a, b in ((-7, 2), (7, -2), (-21, 5), (6, 3), (-(2**31), 3)):
        y = everywhere(kernel, np.zeros((5, 4), np.int32), a, b, out=0)
        expected = [[a // b, a % b, (r - 3) // 2, (r - 3) % 2] for r in range(5)]
        assert y.tolist() == expected


def test_ceiling_division_on_both_sides():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.cdiv(x[r], 5)

    x = np.array([-36, 0, 36], np.int32)
    assert everywhere(kernel, x, np.zeros(3, np.int32)).tolist() == [-7, 0, 8]
    assert [ct.cdiv(v, 5) for v in (-36, 0, 36)] == [-7, 0, 8]


def test_negative_divisors_that_follow_each_other():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r, 0] = (x[r] // -1) // -71
            y[r, 1] = (-8040 * (-73 + x[r])) // 69

    x = np.array([-128, -207, -85], np.int32)
    y = everywhere(kernel, x, np.zeros((3, 2), np.int32))
    assert y[:2, 0].tolist() == [-2, -3]
    assert y[2, 1] == 18410


def test_index_arithmetic_agrees_with_python_over_a_range():
    # Each divisor and offset is a constant that the index simplifier sees.
    for divisor, offset in itertools.product((-7, -3, -1, 2, 5, 8), (-40, -1, 0, 3)):

        @ct.tile_kernel
        def kernel(y, divisor: ct.constexpr, offset: ct.constexpr):
            rows = ct.axis("rows", 81)
            for one in ct.parallel(ct.axis("one", 1)):
                y[one, rows] = (ct.iota(rows) + offset) // divisor * divisor + (
                    (ct.iota(rows) + offset) % divisor
                )

        y = np.zeros((1, 81), np.int64)
        everywhere(kernel, y, divisor, offset, out=0, targets=("cpu", "reference"))
        with ct.target("cpu"):
            kernel(y, divisor, offset)
        assert y[0].tolist() == [v + offset for v in range(81)]


@pytest.mark.parametrize(
    ("values", "dtype", "stored", "expected"),
    [
        (np.ones(256, bool), ct.i32, np.int32, 256),
        (np.ones(200, np.int8), ct.i32, np.int32, 200),
        (np.ones(2, bool), ct.i32, np.int32, 2),
        (np.full(300, 255, np.uint8), ct.u32, np.uint32, 76500),
    ],
)
def test_sums_of_narrow_integers_do_not_wrap(values, dtype, stored, expected):
    @ct.tile_kernel
    def kernel(x, y):
        cols = ct.axis("cols", x.shape[0])
        for one in ct.parallel(ct.axis("one", 1)):
            total = ct.reduce(x[cols], cols, ct.add)
            assert total.dtype == dtype
            y[one] = total

    assert everywhere(kernel, values, np.zeros(1, stored))[0] == expected


def test_a_sum_of_bools_as_a_bool():
    @ct.tile_kernel
    def kernel(x, y):
        cols = ct.axis("cols", x.shape[0])
        for one in ct.parallel(ct.axis("one", 1)):
            y[one] = ct.cast(ct.reduce(x[cols], cols, ct.add), ct.bool_)

    result = everywhere(kernel, np.ones(256, bool), np.zeros(1, bool))
    assert result.view(np.uint8).tolist() == [1]


def test_addresses_beyond_32_bits():
    @ct.tile_kernel
    def kernel(y, batch: ct.i64):
        for r in ct.parallel(ct.axis("rows", y.shape[0])):
            y[r, 0] = (r + batch) * 7864320
            y[r, 1] = (r + 63) * 67108864

    y = everywhere(kernel, np.zeros((2, 2), np.int64), 319, out=0)
    assert y[0].tolist() == [2508718080, 4227858432]


def test_an_element_beyond_2_to_the_31():
    # Memory that nobody touches costs nothing: two pages are real.
    x = np.zeros((320, 7864320), np.uint8)
    x[319, 7864319], x[300, 7864319] = 7, 5

    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r, x.shape[1] - 1]

    y = np.zeros(320, np.uint8)
    for target in ("cpu", "reference"):
        y[:] = 0
        with ct.target(target):
            kernel(x, y)
        assert {int(i): int(y[i]) for i in np.flatnonzero(y)} == {300: 5, 319: 7}


@pytest.mark.parametrize(("extent", "step"), [(10, 3), (7, 7), (3, 5), (0, 3), (1, 2**40), (9, 1)])
def test_serial_steps(extent, step):
    @ct.tile_kernel
    def kernel(y, extent: ct.constexpr, step: ct.constexpr):
        places = ct.axis("places", extent)
        for one in ct.parallel(ct.axis("one", 1)):
            count, total = ct.carry(0, dtype=ct.i64), ct.carry(0, dtype=ct.i64)
            for k in ct.serial(places, step=step):
                y.tile((count.value + 2,), bounds="zero").store(k)
                total.value = total.value + k
                count.value = count.value + 1
            y[one] = count.value
            y[1] = total.value

    y = everywhere(kernel, np.full(14, -1, np.int64), extent, step, out=0)
    visited = list(range(0, extent, step))
    assert y.tolist() == [len(visited), sum(visited), *visited, *[-1] * (12 - len(visited))]


def test_unrolled_python_loops():
    @ct.tile_kernel
    def kernel(y):
        for one in ct.parallel(ct.axis("one", 1)):
            places = (*range(0, 10, 3), *range(5, 0, -2), *range(7, 0, -3), *range(3, 3))
            for position, value in enumerate(places):
                y[one + position] = ct.cast(value, ct.i32)

    y = everywhere(kernel, np.full(10, -1, np.int32), out=0)
    assert y.tolist() == [0, 3, 6, 9, 5, 3, 1, 7, 4, 1]


@pytest.mark.parametrize("step", [0, -1, 1.5, True, None])
def test_steps_that_are_none(step):
    @ct.tile_kernel
    def kernel(y):
        places = ct.axis("places", 4)
        for one in ct.parallel(ct.axis("one", 1)):
            for _ in ct.serial(places, step=step):
                y[one] = 1

    with pytest.raises(ct.KernelError, match="K019"):
        kernel(np.zeros(1, np.int32))


def test_any_byte_but_zero_is_true():
    @ct.tile_kernel
    def kernel(x, y, counts):
        places = ct.axis("places", x.shape[0])
        for _ in ct.parallel(ct.axis("one", 1)):
            y[places] = x[places]
            counts[places] = x[places] + x[places]

    x = np.array([0, 1, 2, 128, 255], np.uint8).view(np.bool_)
    arguments = (x, np.zeros(5, np.bool_), np.zeros(5, np.int32))
    kept = everywhere(kernel, *arguments, out=1, targets=("cpu", "reference"))
    assert kept.view(np.uint8).tolist() == [0, 1, 1, 1, 1]
    counts = everywhere(kernel, *arguments, out=2, targets=("cpu", "reference"))
    assert counts.tolist() == [0, 2, 2, 2, 2]


@pytest.mark.parametrize("exponent", [0, 1, 3])
def test_powers_of_integers_are_real_but_squares_are_not(exponent):
    @ct.tile_kernel
    def kernel(x, square, power):
        places = ct.axis("places", x.shape[0])
        for _ in ct.parallel(ct.axis("one", 1)):
            assert (x[places] ** exponent).dtype == ct.f32
            square[places] = x[places] ** 2
            power[places] = x[places] ** exponent

    x = np.array([-3, 0, 7, 1000], np.int16)
    arguments = (x, np.zeros(4, np.int16), np.zeros(4, np.float32))
    assert everywhere(kernel, *arguments, out=1).tolist() == [9, 0, 49, 1000 * 1000 - 15 * 65536]
    power = everywhere(kernel, *arguments, targets=("cpu", "reference"))
    np.testing.assert_allclose(power, x.astype(np.float64) ** exponent, rtol=3e-7)
