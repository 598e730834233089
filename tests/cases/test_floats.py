"""Floats: NaN, infinity, written order and subnormals, the same on every target."""

import ml_dtypes
import numpy as np
import pytest

import certile as ct
from tests.cases.everywhere import everywhere, refused

NAN, INF = np.nan, np.inf


def over_row(law, **options):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, law, **options)

    return kernel


greatest, least, first_greatest, total = map(over_row, (ct.maximum, ct.minimum, ct.argmax, ct.add))


@pytest.mark.parametrize("kernel", [greatest, least], ids=["max", "min"])
@pytest.mark.parametrize("row", [[1, NAN], [NAN, 1], [NAN, NAN], [-INF, NAN], [NAN, INF]])
def test_extrema_keep_nan(kernel, row):
    assert np.isnan(everywhere(kernel, np.array([row], np.float32), np.zeros(1, np.float32)))


@pytest.mark.parametrize("length", [33, 70, 1030])
def test_extrema_keep_one_nan_at_any_place(length):
    places = sorted({0, 1, 31, 32, length // 2, length - 1})
    x = np.zeros((len(places), length), np.float32)
    x[np.arange(len(places)), places] = NAN
    y = everywhere(greatest, x, np.zeros(len(places), np.float32))
    assert np.isnan(y).all()
    where = everywhere(first_greatest, x, np.zeros(len(places), np.int64))
    assert where.tolist() == places


def test_argmax_with_nan_and_ties():
    rows = [[NAN, 6, 8], [INF, NAN, INF], [NAN, INF, NAN], [2, 9, 9], [-INF, -INF, -INF]]
    x = np.array(rows, np.float32)
    assert everywhere(first_greatest, x, np.zeros(5, np.int64)).tolist() == [0, 1, 0, 1, 0]


def test_the_four_largest_by_repeated_argmax():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            left, taken = x[r, cols], ct.full(cols, False)
            for position in range(4):
                # A place that was taken competes no more, even against -inf and NaN.
                best = ct.reduce(ct.where(taken, -np.inf, left), cols, ct.argmax)
                y[r, position] = best
                taken = taken | (ct.iota(cols) == best)

    x = np.array([[INF, INF, 1.2, INF]], np.float32)
    assert everywhere(kernel, x, np.zeros((1, 4), np.int64)).tolist() == [[0, 1, 3, 2]]


def test_sums_of_bf16():
    bf16 = ml_dtypes.bfloat16
    for row, expected in (([NAN, 2, 3, 4, 5, 6, 7, 8], NAN), ([1, 2, 3], 6.0), ([1] * 4096, 4096)):
        x = np.array([row], np.float32).astype(bf16)
        result = everywhere(total, x, np.zeros(1, np.float32))
        np.testing.assert_array_equal(result, np.float32(expected))


def test_tests_of_special_values_survive():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            v = x[r]
            y[r, 0] = ct.cast(ct.isnan(v), ct.f32)
            y[r, 1] = ct.cast(v != v, ct.f32)
            y[r, 2] = ct.cast(ct.isfinite(v), ct.f32)
            y[r, 3] = ct.where(ct.isnan(v), 0.0, v)
            y[r, 4] = ct.exp(-ct.abs(v))
            y[r, 5] = ct.cast(ct.isinf(v), ct.f32)

    x = np.array([NAN, INF, -INF, 1.0], np.float32)
    y = everywhere(kernel, x, np.zeros((4, 6), np.float32))[:3]
    np.testing.assert_array_equal(y[:, 0], [1, 0, 0])
    np.testing.assert_array_equal(y[:, 1], [1, 0, 0])
    np.testing.assert_array_equal(y[:, 2], [0, 0, 0])
    np.testing.assert_array_equal(y[:, 3], [0, INF, -INF])
    np.testing.assert_array_equal(y[:, 4], [NAN, 0, 0])
    np.testing.assert_array_equal(y[:, 5], [0, 1, 1])
    refused("K035", ct.tile_kernel(math="fast")(kernel.function), x, y)


def test_the_written_order_is_kept():
    @ct.tile_kernel
    def kernel(x, n, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r, 0] = (x[r] + 1.0) * n[r] - n[r]
            y[r, 1] = (x[r] + n[r]) - x[r]
            y[r, 2] = x[r] * x[r] - n[r]

    near = np.float32(1 + 2**-12)
    x = np.array([2**-25, 1e8, near], np.float32)
    n = np.array([2**25, 1, near * near], np.float32)
    y = everywhere(kernel, x, n, np.zeros((3, 3), np.float32))
    assert y[0, 0] == 0.0
    assert y[1, 1] == 0.0
    # A contraction would give what the product lost.
    assert y[2, 2] == 0.0


def test_subnormals_are_kept_on_a_cpu():
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r, 0] = ct.exp2(x[r])
            y[r, 1] = x[r] * 1e-40
            y[r, 2] = -ct.log1p(ct.exp(-x[r]))

    x = np.array([-127, -149, 88, 1], np.float32)
    for target in ("cpu", "reference"):
        y = np.zeros((4, 3), np.float32)
        with ct.target(target):
            kernel(x, y)
        assert y[0, 0] == np.float32(2.0**-127)
        assert y[1, 0] == np.float32(2.0**-149)
        assert y[3, 1] == np.float32(1e-40) != 0
        # Two units in the last place of exp, and the last place of a subnormal is 2**-149.
        assert abs(float(y[2, 2]) + 6.054602e-39) <= 3e-45 + 2e-7 * 6.054602e-39


def test_maxima_of_two_operands():
    @ct.tile_kernel
    def kernel(a, b, y):
        for r in ct.parallel(ct.axis("rows", a.shape[0])):
            y[r, 0] = ct.maximum(a[r], b[r])
            y[r, 1] = ct.minimum(a[r], b[r])
            y[r, 2] = ct.fmax(a[r], b[r])
            y[r, 3] = ct.fmin(a[r], b[r])

    a = np.array([NAN, 1, NAN, -INF], np.float32)
    b = np.array([1, NAN, NAN, INF], np.float32)
    y = everywhere(kernel, a, b, np.zeros((4, 4), np.float32))
    expected = [[NAN, NAN, 1, 1], [NAN, NAN, 1, 1], [NAN] * 4, [INF, -INF, INF, -INF]]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("kind", ["constant", "number", "element"])
@pytest.mark.parametrize("target", ["cpu", "reference", "metal-sim"])
def test_a_factor_inside_a_softmax(kind, target):
    """Moved across the maximum, a factor below zero would find the wrong one."""

    @ct.tile_kernel
    def kernel(x, factors, y, constant: ct.constexpr, number: ct.f32):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            factor = {"constant": constant, "number": number, "element": factors[0]}[kind]
            v = x[r, cols] * factor
            e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
            y[r, cols] = e / ct.reduce(e, cols, ct.add)

    third = [1 / 3] * 3
    wanted = {1e14: [0, 0, 1], -1e14: [1, 0, 0], 0.0: third, 1e-30: third, -1.0: None}
    x = np.array([[1, 2, 3]], np.float32)
    for factor, shares in wanted.items():
        y = np.zeros_like(x)
        with ct.target(target):
            kernel(x, np.array([factor], np.float32), y, factor, factor)
        e = np.exp(-np.arange(3.0))
        np.testing.assert_allclose(y[0], e / e.sum() if shares is None else shares, rtol=1e-6)


def test_logaddexp_keeps_nan():
    @ct.tile_kernel
    def kernel(a, b, y):
        for r in ct.parallel(ct.axis("rows", a.shape[0])):
            y[r] = ct.logaddexp(a[r], b[r])

    a = np.array([NAN, 0.2, 0.3], np.float32)
    b = np.array([1, 2, 3], np.float32)
    for target in ("cpu", "reference", "metal-sim"):
        y = np.zeros(3, np.float32)
        with ct.target(target):
            kernel(a, b, y)
        np.testing.assert_allclose(y, [NAN, 2.152978, 3.065044], rtol=1e-6)


def test_fma_of_narrow_floats_rounds_as_f32_first():
    @ct.tile_kernel
    def kernel(x, y, z, out):
        places = ct.axis("places", x.shape[0])
        for _ in ct.parallel(ct.axis("one", 1)):
            out[places] = ct.fma(x[places], y[places], z[places])

    # The exact value is a little off the middle of two f16; the f32 between is that middle.
    x, y, z = (np.array([value], np.float16) for value in (1.001, -3.0, 1e-7))
    fused = np.float32(x) * np.float32(y) + np.float32(z)
    once = np.float16(np.float64(x) * np.float64(y) + np.float64(z))
    result = everywhere(kernel, x, y, z, np.zeros(1, np.float16))
    assert result == fused.astype(np.float16) != once
