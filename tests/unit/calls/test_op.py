"""Kernels as functions: which outputs are allocated, and which calls are refused."""

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import ArgumentError


@ct.tile_kernel
def sum_and_double(x: ct.View, total: ct.View, twice: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        total[r] = ct.reduce(v, cols, ct.add)
        twice[r, cols] = v * 2.0


@ct.tile_kernel
def double(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_one_output():
    op = ct.op(double, outputs={"y": ct.like("x")})
    first, second = op(X), op(x=X + 1)
    np.testing.assert_array_equal(first, X * 2)
    np.testing.assert_array_equal(second, X * 2 + 2)
    assert op.__name__ == "double"


def test_several_outputs():
    op = ct.op(
        sum_and_double,
        outputs={"total": ct.like("x", shape=(("x", 0),), dtype="f64"), "twice": ct.like("x")},
    )
    total, twice = op(X)
    assert (total.dtype, total.shape) == (np.float64, (2,))
    np.testing.assert_array_equal(total, X.sum(1))
    np.testing.assert_array_equal(twice, X * 2)


def test_out_and_dtype():
    op = ct.op(double, outputs={"y": ct.like("x")})
    out = np.zeros((2, 3), np.float16)
    assert op(X, out=out) is out
    np.testing.assert_array_equal(out, X * 2)
    assert op(X, dtype=np.float64).dtype == np.float64
    ours = X.copy()
    assert op(ours, out=ours) is ours
    np.testing.assert_array_equal(ours, X * 2)


def test_the_framework_of_the_input():
    import torch

    op = ct.op(double, outputs={"y": ct.like("x")})
    made = op(torch.from_numpy(X).to(torch.bfloat16))
    assert made.dtype == torch.bfloat16
    assert made.tolist() == (X * 2).tolist()


def test_refusals():
    for outputs in ({"z": ct.like("x")}, {"y": ct.like("y")}, {"y": ct.like("w")}):
        with pytest.raises(ArgumentError, match="A011"):
            ct.op(double, outputs=outputs)
    with pytest.raises(ArgumentError, match="A011"):
        ct.like("x", dtype="complex64")
    op = ct.op(double, outputs={"y": ct.like("x")})
    for args, keywords, code in (
        ((), {}, "A001"),
        ((X, X), {}, "A001"),
        ((X,), {"x": X}, "A001"),
        ((X,), {"out": (X, X)}, "A011"),
    ):
        with pytest.raises(ArgumentError, match=code):
            op(*args, **keywords)
