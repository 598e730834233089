"""Rows as 8-bit codes: rounding, scales, rows that have none, and normalised rows."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

from certile import ops

pytestmark = pytest.mark.usefixtures("on_target")

NAN, INF = np.nan, np.inf


def test_codes_are_rounded_half_to_even() -> None:
    x = np.array([[127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5]], np.float32)
    q, scale = ops.quantize_rows(x)
    assert q.dtype == np.int8
    assert scale.tolist() == [1.0]
    assert q.tolist() == [[127, 0, 2, 2, 0, -2, -2, 126]]


def test_rows_of_f64_are_divided_in_f64() -> None:
    """A quotient just above a half, which f32 would round to the half."""
    x = np.array([[127.0, 92.5, 92.5 + 2.0**-30, 93.5 - 2.0**-30]])
    q, scale = ops.quantize_rows(x)
    assert scale.tolist() == [1.0]
    assert q.tolist() == [[127, 92, 93, 93]]
    assert ops.quantize_rows(x.astype(np.float32))[0].tolist() == [[127, 92, 92, 94]]


def test_the_greatest_magnitude_has_the_last_code() -> None:
    x = np.random.default_rng(0).standard_normal((64, 33), dtype=np.float32)
    x *= np.logspace(-30, 30, 64, dtype=np.float32)[:, None]
    q, scale = ops.quantize_rows(x)
    rows = np.arange(64)
    at = np.abs(x).argmax(axis=1)
    np.testing.assert_array_equal(q[rows, at], np.sign(x[rows, at]) * 127)
    assert q.min() >= -127
    # Half a step, and the rounding of the scale and of the quotient.
    error = np.abs(q * scale[:, None].astype(np.float64) - x)
    assert (error <= scale[:, None] * (0.5 + 1e-4)).all()


def test_rows_without_a_scale() -> None:
    x = np.ones((6, 5), np.float32)
    x[0] = 0
    x[1, 3] = NAN
    x[2, 1] = INF
    x[3, 2] = -INF
    x[4] = -0.0
    q, scale = ops.quantize_rows(x)
    np.testing.assert_array_equal(scale[:5], np.float32([0, NAN, NAN, NAN, 0]))
    assert (q[:5] == 0).all()
    assert (q[5] == 127).all()


def test_subnormal_rows() -> None:
    tiny = 2.0**-149
    x = np.array([[tiny, 0, -tiny], [100 * tiny, tiny, 0], [190 * tiny, -190 * tiny, 0]], "f4")
    q, scale = ops.quantize_rows(x)
    assert scale.tolist() == [0, tiny, tiny]
    assert q.tolist() == [[0, 0, 0], [100, 1, 0], [127, -127, 0]]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_and_layouts(axis: int) -> None:
    x = np.random.default_rng(1).standard_normal((6, 5, 7), dtype=np.float32).transpose(2, 0, 1)
    q, scale = ops.quantize_rows(x, axis=axis)
    moved, rows = ops.quantize_rows(np.ascontiguousarray(np.moveaxis(x, axis, -1)))
    np.testing.assert_array_equal(np.moveaxis(q, axis, -1), moved)
    np.testing.assert_array_equal(scale, rows)


def test_narrow_and_wide_types() -> None:
    x = np.random.default_rng(2).standard_normal((4, 40))
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float64):
        rounded = x.astype(dtype)
        q, scale = ops.quantize_rows(rounded)
        exact = np.abs(rounded.astype(np.float64)).max(axis=1) / 127
        np.testing.assert_array_equal(scale, exact.astype(np.float32))
        assert np.abs(q * exact[:, None] - rounded.astype(np.float64)).max() <= exact.max() * 0.51
    # A scale that f32 does not hold is none.
    _, scale = ops.quantize_rows(np.array([1e300, 1.0]))
    assert np.isnan(scale)


def test_empty_rows_and_given_outputs() -> None:
    q, scale = ops.quantize_rows(np.empty((3, 0), np.float32))
    assert q.shape == (3, 0)
    assert scale.tolist() == [0, 0, 0]
    x = torch.tensor([[1.0, -2.0]], dtype=torch.bfloat16)
    out = (torch.empty(1, 2, dtype=torch.int8), torch.empty(1))
    found = ops.quantize_rows(x, out=out)
    assert found[0] is out[0]
    assert out[0].tolist() == [[64, -127]]
    assert out[1].tolist() == [pytest.approx(2 / 127)]


@pytest.mark.parametrize("norm", ["rms", "layer"])
def test_a_normalised_row_is_quantised_without_rounding_in_between(norm: str) -> None:
    x = np.random.default_rng(3).standard_normal((5, 33), dtype=np.float32)
    weight = np.linspace(0.5, 2, 33, dtype=np.float32)
    narrow = x.astype(np.float16)
    plain = ops.rms_norm if norm == "rms" else ops.layer_norm
    q, scale = ops.norm_quantize(narrow, weight, norm=norm)
    # In f32 the same two steps give the same codes, but for quotients beside a half.
    codes, scales = ops.quantize_rows(plain(narrow.astype(np.float32), weight))
    np.testing.assert_allclose(scale, scales, rtol=1e-6)
    assert np.abs(q.astype(int) - codes).max() <= 1
    assert (q != codes).mean() < 0.02


def test_a_normalised_sum_with_a_residual() -> None:
    x = np.random.default_rng(4).standard_normal((3, 17), dtype=np.float32).astype(np.float16)
    residual = (x[::-1] * np.float16(3)).copy()
    q, scale, h = ops.norm_quantize(x, residual=residual, eps=1e-3)
    np.testing.assert_array_equal(h, x + residual)
    again = ops.norm_quantize(h, eps=1e-3)
    np.testing.assert_array_equal(q, again[0])
    np.testing.assert_array_equal(scale, again[1])


def test_default_eps_is_that_of_the_norm() -> None:
    x = np.full((1, 4), 1e-3, np.float32)
    _, scale = ops.norm_quantize(x)
    np.testing.assert_allclose(scale * 127, 1e-3 / np.sqrt(1e-6 + 1e-6), rtol=1e-5)
    _, scale = ops.norm_quantize(np.float32([[0, 1e-3]]), norm="layer")
    np.testing.assert_allclose(scale * 127, 5e-4 / np.sqrt(2.5e-7 + 1e-5), rtol=1e-5)
