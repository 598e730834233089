"""Inputs on which other libraries went wrong: infinities, NaN, ties, narrow types, bad labels."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import certile as ct
from certile import ops

pytestmark = pytest.mark.usefixtures("on_target")

INF, NAN = np.inf, np.nan


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize("size", [4, 64, 8193, 131072])
def test_softmax_of_infinite_rows(size: int) -> None:
    rows = np.full((4, size), -INF, np.float32)
    rows[1, 1] = 0
    rows[2, :2] = INF, 0
    rows[3, :3] = NAN, 0, 1
    # One at a time: a single long row is shared by all cores.
    y = np.concatenate([ops.softmax(row[None]) for row in rows])
    np.testing.assert_array_equal(ops.softmax(rows), y)
    assert np.isnan(y[0]).all()
    assert y[1, 1] == 1
    assert y[1].sum() == 1
    assert np.isnan(y[2]).all()
    assert np.isnan(y[3]).all()


@pytest.mark.parametrize("size", [1, 2, 3, 31, 33])
def test_softmax_where_most_lanes_own_nothing(size: int) -> None:
    x = np.linspace(-3, 3, 2 * size, dtype=np.float32).reshape(2, size)
    x[1, : size // 2] = -INF
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(ops.softmax(x), e / e.sum(axis=1, keepdims=True), rtol=1e-6)


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ((INF, 2, 3), INF),
        ((4, 5, 6), 6.407605964),
        ((-INF, -INF), -INF),
        ((1000, 1000), 1000.693147181),
        ((-1000, -1000.5), -999.525923016),
        ((NAN, INF), NAN),
    ],
)
def test_logsumexp(row: tuple[float, ...], value: float) -> None:
    np.testing.assert_allclose(ops.logsumexp(f32(*row)), value, rtol=2e-7)


@ct.tile_kernel
def pairwise_kernel(a: ct.View, b: ct.View, log_sum: ct.View, greater: ct.View) -> None:
    rows, cols = ct.axis("rows", a.shape[0]), ct.axis("cols", a.shape[1])
    for r in ct.parallel(rows):
        log_sum[r, cols] = ct.logaddexp(a[r, cols], b[r, cols])
        greater[r, cols] = ct.maximum(a[r, cols], b[r, cols])


def test_binary_functions_keep_nan() -> None:
    a, b = f32(NAN, 0.2, 0.3, 1)[None], f32(1, 2, 3, NAN)[None]
    log_sum, greater = np.empty_like(a), np.empty_like(a)
    pairwise_kernel(a, b, log_sum, greater)
    np.testing.assert_allclose(log_sum[0], [NAN, 2.152978, 3.065044, NAN], rtol=1e-6)
    np.testing.assert_array_equal(greater[0], f32(NAN, 2, 3, NAN))


def test_max_keeps_nan_wherever_it_stands() -> None:
    for row in ((1, NAN), (NAN, 1), (NAN, NAN)):
        assert np.isnan(ops.max(f32(*row)))
        assert np.isnan(ops.min(f32(*row)))
    for length, place in ((33, 32), (1000, 999), (4097, 4096)):
        x = np.zeros(length, np.float32)
        x[place] = NAN
        assert np.isnan(ops.max(x))
        assert ops.argmax(x) == place


@pytest.mark.parametrize(("row", "place"), [((NAN, 6, 8), 0), ((INF, NAN), 1), ((NAN, INF), 0)])
def test_the_first_nan_is_the_greatest(row: tuple[float, ...], place: int) -> None:
    assert ops.argmax(f32(*row)) == place
    assert ops.argmin(f32(*row)) == place


def test_ties_go_to_the_first() -> None:
    row = f32(INF, INF, 1.2, INF)
    taken = []
    for _ in range(4):
        taken.append(int(ops.argmax(row)))
        row[taken[-1]] = -INF
    assert taken == [0, 1, 3, 2]
    assert ops.argmax(f32(2, 9, 9, 1)) == 1
    assert ops.argmin(np.zeros((1, 1000), np.float32), -1)[0] == 0


def test_sums_of_bool_and_small_integers_do_not_wrap() -> None:
    assert ops.sum(np.ones(256, np.bool_)) == 256
    assert ops.sum(np.ones(2, np.bool_)) == 2
    assert ops.sum(np.full(200, 255, np.uint8)) == 51000
    assert ops.sum(np.ones(200, np.int8)) == 200
    assert ops.sum(np.full(3, 2**31 - 1, np.int32)) == 3 * (2**31 - 1)
    assert ops.max(np.ones(256, np.bool_))
    assert ops.argmax(np.array([3, 200, 200], np.uint8)) == 1
    assert ops.sum(np.ones(2, np.uint8)).dtype == np.uint64


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
def test_narrow_floats_are_summed_in_f32(dtype: type) -> None:
    x = np.ones(4096, dtype)
    assert float(ops.sum(x)) == 4096
    assert float(ops.mean(x)) == 1.0


def test_a_long_f32_sum_does_not_stall(on_target: str) -> None:
    if on_target == "cpu":
        assert ops.sum(np.ones(2**24 + 8, np.float32)) == 16777224


def test_bf16_is_not_summed_as_bits() -> None:
    assert np.isnan(float(ops.sum(np.array([NAN, 2, 3, 4, 5, 6, 7, 8], ml_dtypes.bfloat16))))
    assert float(ops.sum(np.array([1, 2, 3], ml_dtypes.bfloat16))) == 6


@pytest.mark.parametrize("base", [0, 100, 1000, 10000])
def test_layer_norm_of_rows_far_from_zero(base: float) -> None:
    x = (base + np.arange(16) * 1e-3).astype(np.float32)
    first = {0: -1.341641, 100: -1.341528, 1000: -1.341508, 10000: -1.331333}[base]
    assert ops.layer_norm(x)[0] == pytest.approx(first, abs=2e-6)


def test_layer_norm_of_a_huge_mean() -> None:
    x = (1e6 + np.arange(256) % 4 * 0.25).astype(np.float32)
    wanted = np.tile([-1.341555, -0.447185, 0.447185, 1.341555], 64)
    np.testing.assert_allclose(ops.layer_norm(x), wanted, rtol=1e-5)


def test_layer_norm_counts_no_padding() -> None:
    np.testing.assert_allclose(
        ops.layer_norm(f32(1, 2, 3)), [-1.224736, 0, 1.224736], rtol=1e-5, atol=1e-7
    )
    for n in (3, 5, 17, 769, 1536):
        y = ops.layer_norm(np.arange(n, dtype=np.float32), eps=0.0)
        assert float((y.astype(np.float64) ** 2).mean()) == pytest.approx(1, rel=1e-5)


def test_f16_statistics_do_not_overflow() -> None:
    x = np.tile(np.array([512, -512], np.float16), 32)
    np.testing.assert_array_equal(ops.layer_norm(x), np.sign(x))
    np.testing.assert_array_equal(ops.rms_norm(x), np.sign(x))


def test_an_f32_variance_that_overflows_gives_what_pytorch_gives() -> None:
    x = torch.tensor([1e30, -1e30])
    ours = ops.layer_norm(x)
    assert torch.equal(ours, torch.zeros(2))
    assert torch.equal(torch.nn.functional.layer_norm(x, (2,)), ours)


def test_an_f32_variance_that_overflows_is_no_nan_where_pytorch_has_one() -> None:
    x = torch.tensor([1e20, 1e20, -1e20, 0])
    assert ops.layer_norm(x).eq(0).all()
    assert torch.nn.functional.layer_norm(x, (4,)).isnan().all()


@pytest.mark.parametrize("scale", [1e14, -1e14, 0, 1e-30])
def test_softmax_of_scaled_rows(scale: float) -> None:
    row = f32(1, 2, 3) * np.float32(scale)
    wanted = {1e14: [0, 0, 1], -1e14: [1, 0, 0]}.get(scale, [1 / 3] * 3)
    np.testing.assert_allclose(ops.softmax(row), wanted, rtol=1e-6)


def test_softmax_along_each_axis() -> None:
    x = np.array([[0, 2], [3, 1]], np.float32)
    along = [[0.11920292, 0.88079708], [0.88079708, 0.11920292]]
    down = [[0.04742587, 0.73105858], [0.95257413, 0.26894142]]
    np.testing.assert_allclose(ops.softmax(x, axis=1), along, rtol=1e-6)
    np.testing.assert_allclose(ops.softmax(x, axis=0), down, rtol=1e-6)
    for shape in ((2, 3), (3, 2), (1, 4), (4, 1)):
        y = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        for axis in (0, 1, -1):
            np.testing.assert_allclose(ops.softmax(y, axis).sum(axis=axis), 1, rtol=1e-6)


@ct.tile_kernel
def special_tests_kernel(
    x: ct.View, nan: ct.View, unequal: ct.View, finite: ct.View, y: ct.View
) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        nan[r, cols] = ct.isnan(v)
        unequal[r, cols] = v != v
        finite[r, cols] = ct.isfinite(v)
        y[r, cols] = ct.where(ct.isnan(v), 0.0, v)


def test_tests_for_nan_are_not_optimised_away() -> None:
    x = f32(NAN, INF, -INF, 1)[None]
    nan, unequal, finite = (np.empty(x.shape, np.bool_) for _ in range(3))
    y = np.empty_like(x)
    special_tests_kernel(x, nan, unequal, finite, y)
    np.testing.assert_array_equal(nan[0], [True, False, False, False])
    np.testing.assert_array_equal(unequal, nan)
    np.testing.assert_array_equal(finite[0], [False, False, False, True])
    np.testing.assert_array_equal(y[0], f32(0, INF, -INF, 1))


@ct.tile_kernel
def strict_kernel(x: ct.View, n: ct.View, p: ct.View, q: ct.View, r: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for row in ct.parallel(rows):
        a, b = x[row, cols], n[row, cols]
        p[row, cols] = (a + 1.0) * b - b
        q[row, cols] = (a + b) - a
        r[row, cols] = a * a - b


def test_nothing_is_reassociated_or_contracted() -> None:
    x = np.float32(1 + 2.0**-12)
    a = f32(2.0**-25, 1e8, x)[None]
    b = f32(2.0**25, 1, x * x)[None]
    p, q, r = (np.empty_like(a) for _ in range(3))
    strict_kernel(a, b, p, q, r)
    assert (p[0, 0], q[0, 1], r[0, 2]) == (0, 0, 0)


@ct.tile_kernel
def subnormal_kernel(x: ct.View, power: ct.View, log_sigmoid: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        power[r, cols] = ct.exp2(x[r, cols])
        log_sigmoid[r, cols] = -ct.log1p(ct.exp(x[r, cols]))


def test_subnormal_results_are_not_flushed() -> None:
    x = f32(-127, -149, -88)[None]
    power, log_sigmoid = np.empty_like(x), np.empty_like(x)
    subnormal_kernel(x, power, log_sigmoid)
    np.testing.assert_array_equal(power[0, :2], f32(5.877472e-39, 1.401298e-45))
    assert log_sigmoid[0, 2] == pytest.approx(-6.054602e-39, rel=1e-6)


def test_cross_entropy_of_ignored_rows() -> None:
    logits, ignored = f32(1, 2, 3)[None], np.array([-100])
    assert np.isnan(ops.cross_entropy(logits, ignored))
    assert ops.cross_entropy(logits, ignored, reduction="sum") == 0
    assert ops.cross_entropy(logits, ignored, reduction="none").tolist() == [0]
    assert ops.cross_entropy(logits, np.array([2])) == pytest.approx(0.407606, abs=1e-6)
    assert ops.cross_entropy(logits, np.array([0])) == pytest.approx(2.407606, abs=1e-6)


@pytest.mark.parametrize("size", [1e2, 1e6, 1e30, 3.4e38])
def test_cross_entropy_keeps_its_digits_for_large_logits(size: float) -> None:
    logits, labels = np.full((1, 5), size, np.float32), np.array([4])
    assert ops.cross_entropy(logits, labels) == pytest.approx(np.log(5), rel=1e-6)
    smoothed = ops.cross_entropy(logits, labels, label_smoothing=0.5)
    assert smoothed == pytest.approx(np.log(5), rel=1e-6)


def test_cross_entropy_of_infinite_logits() -> None:
    inf = np.inf
    logits = np.array([[1, inf, 2], [1, inf, 2], [1, -inf, 2], [-inf] * 3], np.float32)
    losses = ops.cross_entropy(logits, np.array([2, 1, 1, 0]), reduction="none")
    np.testing.assert_array_equal(losses, [inf, np.nan, inf, np.nan])


def test_cross_entropy_of_labels_out_of_range() -> None:
    logits = np.random.default_rng(0).standard_normal((6, 3), dtype=np.float32)
    labels = np.array([0, 1, 255, 0, 1, 2])
    losses = ops.cross_entropy(logits, labels, ignore_index=255, reduction="none")
    assert losses[2] == 0
    assert np.isfinite(losses).all()
    out = np.full(6, 7, np.float32)
    for wrong in (3, -1):
        with pytest.raises(
            ct.ArgumentError, match=rf"label {wrong} at \(1,\) is no class"
        ) as found:
            ops.cross_entropy(logits, np.array([0, wrong, 0, 0, 0, 0]), reduction="none", out=out)
        assert found.value.code == "A307"
        assert (out == 7).all()


def test_cross_entropy_does_not_depend_on_gradients() -> None:
    logits = torch.tensor([[0.1, 0.2, 0.3], [1.0, -1.0, 0.5], [0.0, 0.0, 0.0], [2.0, 1.0, 0.0]])
    labels = torch.zeros(4, dtype=torch.int64)
    wanted = torch.nn.functional.cross_entropy(logits, labels).item()
    plain = ops.cross_entropy(logits, labels)
    recorded = ops.cross_entropy(logits.clone().requires_grad_(), labels)
    assert plain.item() == pytest.approx(wanted, rel=1e-6)
    assert recorded.item() == plain.item()
    with pytest.raises(ct.UnsupportedError, match="no gradient"):
        recorded.backward()
    assert ops.cross_entropy(torch.zeros(4, 1), labels).item() == 0
