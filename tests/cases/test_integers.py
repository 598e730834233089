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


@pytest.mark.parametrize("dtype", SIGNED)
def test_floor_division_by_constants(dtype):
    # 512 is no number of 8 bits; 64 shifts as well.
    power = 64 if dtype == np.int8 else 512

    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r, 0] = x[r] // 2
            y[r, 1] = x[r] % 2
            y[r, 2] = x[r] // -2
            y[r, 3] = x[r] // power
            y[r, 4] = x[r] % 5
            y[r, 5] = x[r] // 5

    x = np.array(DIVIDENDS, dtype)
    y = everywhere(kernel, x, np.zeros((6, 6), dtype))
    assert y[1].tolist() == [-4, 1, 3, -1, 3, -2]
    assert y[0, 5] == -5
    assert y[2, 3] == -1
    assert y.tolist() == [[v // 2, v % 2, v // -2, v // power, v % 5, v // 5] for v in DIVIDENDS]


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
                v = ct.iota(rows) + offset
                y[one, rows] = v // divisor
                y[1, rows] = v % divisor
                y[2, rows] = v // divisor * divisor + v % divisor

        y = np.zeros((3, 81), np.int64)
        found = everywhere(kernel, y, divisor, offset, out=0, targets=("cpu", "reference"))
        values = range(offset, offset + 81)
        wanted = [[v // divisor for v in values], [v % divisor for v in values], [*values]]
        assert found.tolist() == wanted


DIVISORS = [d for d in range(-40, 41) if d]
PAIRS = [(a, b) for a in (-40, -7, -2, -1, 1, 2, 7, 40) for b in (-71, -3, -1, 1, 3, 69)]


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_every_small_number_by_every_small_constant(target):
    """Floor, remainder, and both behind another constant: what a simplifier has rules for."""

    @ct.tile_kernel
    def kernel(y, z):
        values = ct.axis("values", y.shape[2])
        for _ in ct.parallel(ct.axis("one", 1)):
            v = ct.iota(values) - 40
            for at, d in enumerate(DIVISORS):
                y[0, at, values] = v // d
                y[1, at, values] = v % d
                y[2, at, values] = (v * d + 3) // d
            for at, (a, b) in enumerate(PAIRS):
                z[0, at, values] = v // a // b
                z[1, at, values] = (v * a) // b
                z[2, at, values] = v % a % b

    y, z = np.zeros((3, 80, 81), np.int64), np.zeros((3, len(PAIRS), 81), np.int64)
    with ct.target(target):
        kernel(y, z)
    numbers = range(-40, 41)
    rows = [[(v // d, v % d, (v * d + 3) // d) for v in numbers] for d in DIVISORS]
    np.testing.assert_array_equal(y, np.moveaxis(np.array(rows), 2, 0))
    rows = [[(v // a // b, v * a // b, v % a % b) for v in numbers] for a, b in PAIRS]
    np.testing.assert_array_equal(z, np.moveaxis(np.array(rows), 2, 0))


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


# Exact division, where a float reciprocal would not do.


@ct.tile_kernel
def all_quotients(x, d, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", d.shape[0])
    for r in ct.parallel(rows):
        y[0, r, cols] = x[r] // d[cols]
        y[1, r, cols] = x[r] % d[cols]


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_every_quotient_of_small_numbers(target):
    x = np.arange(1, 2001, dtype=np.int32)
    y = np.zeros((2, 2000, 2000), np.int32)
    with ct.target(target):
        all_quotients(x, x, y)
    assert np.array_equal(y[0] * x + y[1], np.broadcast_to(x[:, None], y[0].shape))
    assert (y[1] >= 0).all()
    assert (y[1] < x).all()
    assert (y[0, 109, 54], y[1, 109, 54]) == (2, 0)


def test_quotients_of_large_numbers():
    x = np.array([110, 299999, 2**31 - 1, -(2**31), -(2**31)], np.int32)
    d = np.array([55, 100000, 3, 3, 2**31 - 1], np.int32)
    y = everywhere(all_quotients, x, d, np.zeros((2, 5, 5), np.int32))
    wanted = [[[int(a) // int(b) for b in d] for a in x], [[int(a) % int(b) for b in d] for a in x]]
    assert y.tolist() == wanted
    assert np.diag(y[0])[:3].tolist() == [2, 2, 715827882]


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_a_divisor_of_zero_gives_zero_whatever_stands_beside_it(dtype):
    def kernel(quotient, remainder):
        @ct.tile_kernel
        def kernel(x, d, y):
            rows = ct.axis("rows", x.shape[0])
            for r in ct.parallel(rows):
                if quotient:
                    y[0, r] = x[r] // d[r]
                if remainder:
                    y[1, r] = x[r] % d[r]

        return kernel

    x, d = np.array([2, -2, 0, 7], dtype), np.array([0, 0, 0, 2], dtype)
    untouched = np.full((2, 4), 77, dtype)
    both = everywhere(kernel(True, True), x, d, untouched)
    assert both.tolist() == [[0, 0, 0, 3], [0, 0, 0, 1]]
    assert everywhere(kernel(True, False), x, d, untouched)[0].tolist() == both[0].tolist()
    assert everywhere(kernel(False, True), x, d, untouched)[1].tolist() == both[1].tolist()


# Conversions, shifts and wrapping.


@pytest.mark.parametrize(
    ("values", "source", "stored", "expected"),
    [
        ([np.inf, 510, -200, np.nan], np.float16, np.int8, [127, 127, -128, 0]),
        ([-2.5, -1, 0, 255.9, 256], np.float32, np.uint8, [0, 0, 0, 255, 255]),
        ([2.0**31, -(2.0**31), 2.0**63], np.float32, np.int32, [2**31 - 1, -(2**31), 2**31 - 1]),
        ([2.0**63, -(2.0**63), np.nan], np.float32, np.int64, [2**63 - 1, -(2**63), 0]),
        ([2.0**64, -1.0, 2.0**63], np.float32, np.uint64, [2**64 - 1, 0, 2**63]),
    ],
)
def test_floats_outside_an_integer_saturate(values, source, stored, expected):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.cast(x[r], y.dtype)

    x = np.array(values, source)
    assert everywhere(kernel, x, np.zeros(len(x), stored)).tolist() == expected


@pytest.mark.parametrize(
    ("values", "counts", "dtype", "left", "right"),
    [
        ([1000, 1000, -1], [64, 63, 64], np.int64, [0, 0, 0], [0, 0, -1]),
        ([-8, 8, 1, 1], [33, -1, 31, 32], np.int32, [0, 0, -(2**31), 0], [-1, 0, 0, 0]),
        ([200, 200, 200], [8, 7, 255], np.uint8, [0, 0, 0], [0, 1, 0]),
    ],
)
def test_shifts_by_the_width_and_more(values, counts, dtype, left, right):
    @ct.tile_kernel
    def kernel(x, n, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[0, r] = x[r] << n[r]
            y[1, r] = x[r] >> n[r]

    x, n = np.array(values, dtype), np.array(counts, dtype)
    assert everywhere(kernel, x, n, np.zeros((2, len(x)), dtype)).tolist() == [left, right]


@pytest.mark.parametrize(
    ("dtype", "start", "count"),
    [(np.uint32, 2552764644, 2), (np.uint8, 250, 6), (np.int8, -128, 3)],
)
def test_loops_over_numbers_beyond_the_signed_half(dtype, start, count):
    @ct.tile_kernel
    def kernel(first, y, wide):
        turns = ct.axis("turns", y.shape[0])
        for one in ct.parallel(ct.axis("one", 1)):
            for k in ct.serial(turns):
                y[k] = first[one] + ct.cast(k, first.dtype)
                wide[k] = first[one] + k

    first = np.array([start], dtype)
    arguments = (first, np.zeros(count, dtype), np.zeros(count, np.int64))
    wanted = list(range(start, start + count))
    assert everywhere(kernel, *arguments, out=1).tolist() == wanted
    assert everywhere(kernel, *arguments, out=2).tolist() == wanted


def test_unsigned_with_signed_is_never_a_float():
    @ct.tile_kernel
    def kernel(x, i, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[0, r] = x[r] * 1000
            y[1, r] = x[r] + i[r]
            y[2, r] = 7 + x[r] - 7

    x = np.array([1000000000234567, 2**53 + 1, 2**53 + 2], np.uint64)
    i = np.array([-1, 0, 1], np.int64)
    y = everywhere(kernel, x, i, np.zeros((3, 3), np.uint64))
    assert y[0, 0] == 1000000000234567000
    assert y[1].tolist() == [1000000000234566, 2**53 + 1, 2**53 + 3]
    assert y[2].tolist() == x.tolist()


def test_an_unsigned_index():
    @ct.tile_kernel
    def kernel(x, place, y):
        for r in ct.parallel(ct.axis("rows", place.shape[0])):
            y[r] = x.tile((place[r] - 1 + 1,), (1,), bounds="zero").load()

    x, place = np.arange(5, dtype=np.float32), np.array([4, 0, 3], np.uint64)
    assert everywhere(kernel, x, place, np.zeros(3, np.float32)).tolist() == [4, 0, 3]


def test_narrow_integers_wrap_in_their_own_type():
    @ct.tile_kernel
    def kernel(u8, i8, u32, y_u8, y_i8, y_u32):
        for one in ct.parallel(ct.axis("one", 1)):
            y_u8[one] = u8[0] - u8[1]
            y_u8[1] = u8[2] + 10
            y_i8[one] = -i8[0]
            y_i8[1] = ct.abs(i8[0])
            y_u32[one] = u32[0] // 2

    arguments = (
        np.array([3, 5, 250], np.uint8),
        np.array([-128], np.int8),
        np.array([4_000_000_000], np.uint32),
        np.zeros(2, np.uint8),
        np.zeros(2, np.int8),
        np.zeros(1, np.uint32),
    )
    assert everywhere(kernel, *arguments, out=3).tolist() == [254, 4]
    assert everywhere(kernel, *arguments, out=4).tolist() == [-128, -128]
    assert everywhere(kernel, *arguments, out=5).tolist() == [2_000_000_000]


def test_a_comparison_is_stored_as_zero_or_one():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] <= 0

    x = np.random.default_rng(3).standard_normal((3, 70)).astype(np.float32)
    stored = everywhere(kernel, x, np.zeros(x.shape, np.bool_)).view(np.uint8)
    assert set(stored.ravel().tolist()) == {0, 1}
    assert stored.sum() == np.count_nonzero(x <= 0)
