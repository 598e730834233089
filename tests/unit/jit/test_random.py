"""Random array programs give what NumPy gives in float64."""

import numpy as np
import pytest
from hypothesis import given, settings

import certile as ct
from tests.unit.jit.recipes import carry_out, recipes


def check(inputs, recipe, target):
    before = [each.copy() for each in inputs]
    wanted = carry_out(recipe, inputs)
    found = ct.jit(target=target)(lambda *arrays: carry_out(recipe, arrays))(*inputs)
    assert all(map(np.array_equal, inputs, before))
    for ours, theirs in zip(found, wanted, strict=True):
        assert np.shape(ours) == np.shape(theirs)
        assert np.asarray(ours).dtype == "f8"
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(recipes())
def test_the_interpreter_gives_what_numpy_gives(made):
    check(*made, "reference")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=10)
@given(recipes())
def test_compiled_programs_give_what_numpy_gives(made):
    check(*made, "cpu")
