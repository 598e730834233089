"""Variances and means: corrections, means far from zero, types, too few elements."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import certile as ct
from certile import ops

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*[Dd]egrees of freedom"),
    pytest.mark.usefixtures("on_target"),
]


@pytest.mark.parametrize("base", [0, 100, 1000, 10000, 1e6])
def test_a_mean_far_from_zero_costs_no_digits(base: float) -> None:
    x = (base + np.arange(16) * 1e-3).astype(np.float32)[None]
    exact = x.astype(np.float64).var(axis=1)
    np.testing.assert_allclose(ops.var(x, 1), exact, rtol=2e-6, atol=1e-12)
    np.testing.assert_allclose(ops.std(x, 1), np.sqrt(exact), rtol=2e-6, atol=1e-12)


@pytest.mark.parametrize("length", [256, 1000, 4096])
def test_a_huge_mean(length: int) -> None:
    x = (1e6 + np.arange(length) % 4 * 0.25).astype(np.float32)
    assert ops.var(x) == pytest.approx(0.078125, rel=1e-5)
    assert ops.std(x[None], axis=0).tolist() == [0] * length


def test_narrow_types_are_computed_in_f32() -> None:
    x = np.resize(np.array([512, -512]), 64)
    assert ops.var(x.astype(np.float16), dtype="f32") == 262144
    assert ops.std(x.astype(np.float16)) == 512
    assert ops.std(x.astype(ml_dtypes.bfloat16)) == 512
    assert np.isinf(ops.var(x.astype(np.float16)))


def test_f64_keeps_its_digits() -> None:
    x = 1e8 + np.arange(1000) * 1e-4
    np.testing.assert_allclose(ops.var(x), x.var(), rtol=1e-12)
    # The result's type decides how it is computed.
    narrow = np.arange(1000, dtype=np.float32) * np.float32(0.1)
    np.testing.assert_allclose(
        ops.var(narrow, dtype="f64"), narrow.astype(np.float64).var(), rtol=1e-14
    )


@pytest.mark.parametrize("correction", [None, 0, 1, 0.5, 3])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (2, 1)])
def test_corrections(axis: object, correction: float | None) -> None:
    x = np.random.default_rng(0).standard_normal((3, 4, 5), dtype=np.float32)
    tensor = torch.from_numpy(x)
    for mine, numpys, torchs in ((ops.var, np.var, torch.var), (ops.std, np.std, torch.std)):
        np.testing.assert_allclose(
            mine(x, axis, correction=correction, keepdims=True),
            numpys(x.astype(np.float64), axis, ddof=correction or 0, keepdims=True),
            rtol=2e-6,
        )
        options = {} if correction is None else {"correction": correction}
        torch.testing.assert_close(
            mine(tensor, axis, correction=correction), torchs(tensor, dim=axis, **options)
        )


def test_too_few_elements() -> None:
    one = torch.tensor([[3.0]])
    assert torch.isnan(ops.var(one, 1)).all()
    assert ops.var(one, 1, correction=0).tolist() == [0]
    two = torch.tensor([[3.0, 4.0]])
    assert torch.equal(ops.var(two, 1, correction=2), torch.var(two, 1, correction=2))
    assert torch.equal(ops.std(two, 1, correction=5), torch.std(two, 1, correction=5))
    empty = np.empty((2, 0), np.float32)
    assert np.isnan(ops.var(empty, 1)).all()
    assert ops.var(empty, 0).shape == (0,)


def test_special_values() -> None:
    x = np.array([[1, np.nan, 2], [1, np.inf, 2], [-np.inf, np.inf, 0], [2, 2, 2]], np.float32)
    found = ops.var(x, 1)
    assert np.isnan(found[:3]).all()
    assert found[3] == 0


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "int64", "uint64"])
def test_integers_as_the_framework_has_them(dtype: str) -> None:
    x = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    for mine, numpys in ((ops.mean, np.mean), (ops.var, np.var), (ops.std, np.std)):
        found = mine(x, 1)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, numpys(x, 1), rtol=1e-15)
        assert mine(x, 1, dtype="f32").dtype == np.float32
        if dtype != "uint64":
            with pytest.raises(ct.ArgumentError, match="real numbers"):
                mine(torch.from_numpy(x), 1)


def test_large_integers_have_an_f64_mean() -> None:
    x = np.array([2**53, 2**53 + 2, 2**53 + 4])
    assert ops.mean(x) == 2**53 + 2
    assert ops.var(x) == pytest.approx(8 / 3)


def test_results_do_not_share_memory() -> None:
    first, second = ops.var(np.float32([[1, 3]]), 1), ops.var(np.float32([[1, 5]]), 1)
    assert (first.tolist(), second.tolist()) == ([1.0], [4.0])


@pytest.mark.parametrize("name", ["layer_norm", "group_norm"])
def test_a_residual_that_cancels_the_first_element(name: str) -> None:
    """Deviations are taken from an element of the row that is normalised, not of its summands."""
    rng = np.random.default_rng(9)
    h = rng.standard_normal((2, 6, 35), dtype=np.float32)
    residual = np.zeros_like(h)
    residual[:, 0, 0] = h[:, 0, 0] = 2.0**30
    residual[:, 0, 0] *= -1
    row = h + residual
    wide = row.astype(np.float64)
    if name == "layer_norm":
        y, total = ops.layer_norm(h, residual=residual)
        rows = wide
    else:
        y, total = ops.group_norm(h, 1, residual=residual)
        rows = wide.reshape(2, 1, -1)
    d = rows - rows.mean(axis=-1, keepdims=True)
    wanted = d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + 1e-5)
    np.testing.assert_array_equal(total, row)
    np.testing.assert_allclose(y, wanted.reshape(y.shape), rtol=2e-6, atol=2e-6)


def test_codes_of_a_row_whose_residual_cancels_the_first_element() -> None:
    rng = np.random.default_rng(9)
    x, residual = rng.standard_normal((2, 35), dtype=np.float32), np.zeros((2, 35), np.float32)
    x[:, 0], residual[:, 0] = 2.0**30, -(2.0**30)
    codes, scale, _ = ops.norm_quantize(x, norm="layer", residual=residual)
    wanted, wanted_scale = ops.norm_quantize(x + residual, norm="layer")
    np.testing.assert_array_equal(codes, wanted)
    np.testing.assert_allclose(scale, wanted_scale, rtol=1e-6)
