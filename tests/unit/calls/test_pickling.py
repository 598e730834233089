"""Kernels and the functions made of them are pickled by name, and copies of them are themselves."""

import copy
import pickle

import numpy as np
import pytest

import certile as ct

X = np.arange(12, dtype=np.float32).reshape(3, 4)


@ct.tile_kernel
def tripled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 3


@ct.jit
def raised(x):
    return x + 1


triple = ct.op(tripled, outputs={"y": ct.like("x")})


@pytest.mark.parametrize("function", [tripled, raised])
def test_a_function_is_pickled_by_name(function):
    tripled(X, np.empty_like(X))  # what it has compiled is no part of it
    raised(X)
    assert pickle.loads(pickle.dumps(function)) is function
    assert copy.deepcopy([function])[0] is function
    assert copy.copy(function) is function


def test_an_op_is_pickled_with_its_outputs():
    triple(X)
    for again in (pickle.loads(pickle.dumps(triple)), copy.deepcopy(triple)):
        assert again.kernel is tripled
        assert np.array_equal(again(X), X * 3)


def test_a_function_without_a_name_to_be_found_by_is_refused():
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(ct.jit(lambda x: x + 1))
