"""The laws of the language that take several tiles or keep an order, on every target."""

import numpy as np
import pytest

import certile as ct
from certile.ir.dtypes import f32
from certile.ir.laws import BUILTIN, SOFTMAX_SUM, is_built_in, softmax_sums
from certile.ir.meanings import closed_forms, meaning_of
from certile.ir.parser import parse_kernel
from certile.ir.printer import print_kernel
from certile.proof.check import check
from certile.proof.registry import certificate_of, certificate_text, shipped
from tests.cases.everywhere import refused
from tests.unit.frontend.test_trace import traced

TARGETS = ("cpu", "reference", "metal-sim")
RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("columns", [1, 2, 3, 16])
def test_the_certificate_of_one_column_serves_any_number(columns):
    law = softmax_sums(columns)
    assert is_built_in(law)
    text = certificate_text(law)
    assert check(text, law, meaning_of(law)) is None
    assert certificate_of(law, f32) is not None
    assert len(closed_forms(law)) == len(law.state) == 2 + columns
    assert (text == shipped("softmax_sum")) == (columns == 1)


def test_a_wrong_column_has_no_certificate():
    from dataclasses import replace

    law = softmax_sums(3)
    merge = (*law.merge[:3], law.merge[2], law.merge[4])
    wrong = replace(law, merge=merge)
    assert not is_built_in(wrong)
    assert certificate_of(wrong, f32) is None
    assert check(certificate_text(law), wrong, meaning_of(law)) is not None
    with pytest.raises(KeyError):
        certificate_text(wrong)


@pytest.mark.parametrize("columns", [2, 5])
def test_several_columns_in_one_reduction(columns):
    @ct.tile_kernel
    def kernel(x, v, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            values = [v[k, r, cols] for k in range(columns)]
            sums = ct.reduce((x[r, cols], *values), cols, ct.softmax_sum)
            for k, each in enumerate(sums):
                y[k, r] = each

    x = RANDOM.standard_normal((3, 75)).astype(np.float32)
    x[1] = -np.inf
    x[1, 5] = 2.0
    v = RANDOM.standard_normal((columns, 3, 75)).astype(np.float32)
    weights = np.exp(x.astype(np.float64))
    wanted = (weights * v).sum(-1) / weights.sum(-1)
    for target in TARGETS:
        y = np.zeros((columns, 3), np.float32)
        with ct.target(target):
            kernel(x, v, y)
        np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-6)


def test_a_law_of_several_columns_is_printed_in_full_and_parsed():
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            v = x[r, cols]
            y[r] = ct.reduce((v, v, v), cols, ct.softmax_sum)[1]

    text = print_kernel(traced(kernel, (f32, 2), (f32, 1)).kernel)
    assert "@softmax_sum" not in text
    assert print_kernel(parse_kernel(text)) == text
    assert BUILTIN["softmax_sum"] == SOFTMAX_SUM


def test_sums_and_variances():
    @ct.tile_kernel
    def kernel(x, total, variance):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            total[r], variance[r] = ct.reduce(x[r, cols], cols, ct.sum_var)

    x = (RANDOM.standard_normal((3, 133)) + 50).astype(np.float32)
    exact = x.astype(np.float64)
    for target in TARGETS:
        total, variance = np.zeros(3, np.float32), np.zeros(3, np.float32)
        with ct.target(target):
            kernel(x, total, variance)
        np.testing.assert_allclose(total, exact.sum(1), rtol=1e-6)
        np.testing.assert_allclose(variance, exact.var(1), rtol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_a_recurrence_as_a_scan(dtype):
    @ct.tile_kernel
    def kernel(factor, value, h, end):
        rows, cols = ct.axis("rows", h.shape[0]), ct.axis("cols", h.shape[1])
        for r in ct.parallel(rows):
            pair = factor[r, cols], value[r, cols]
            h[r, cols] = ct.scan(pair, cols, ct.affine)
            end[r] = ct.reduce(pair, cols, ct.affine, policy="ordered_tree")

    factor = RANDOM.integers(-1, 2, (3, 70)).astype(dtype)
    value = RANDOM.integers(-9, 10, (3, 70)).astype(dtype)
    wanted, state = np.zeros((3, 70), dtype), np.zeros(3, dtype)
    for k in range(70):
        state = factor[:, k] * state + value[:, k]
        wanted[:, k] = state
    for target in TARGETS:
        h, end = np.zeros((3, 70), dtype), np.zeros(3, dtype)
        with ct.target(target):
            kernel(factor, value, h, end)
        assert np.array_equal(h, wanted)
        assert np.array_equal(end, wanted[:, -1])


@pytest.mark.parametrize("policy", ["unordered_tree", "reproducible"])
def test_the_order_of_a_recurrence_is_kept(policy):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            v = x[r, cols]
            y[r] = ct.reduce((v, v), cols, ct.affine, policy=policy)

    text = refused("K020", kernel, np.ones((2, 4), np.float32), np.ones(2, np.float32))
    assert "ordered_tree" in text
