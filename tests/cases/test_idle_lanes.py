"""Rows shorter than the lanes that share them: a lane without an element changes nothing."""

import numpy as np
import pytest

from certile.plan.mapping import Mapping
from tests import kernels
from tests.differential.harness import SHEETS, Case

# Eight subgroups of 32 lanes.
SUBGROUPS = 8
KERNELS = {"softmax": kernels.softmax, "logsumexp": kernels.logsumexp}


def rows_of(length):
    """Ordinary rows, rows whose beginning or end is -inf, and what has no finite result."""
    x = np.random.default_rng(length).standard_normal((7, length)).astype(np.float32)
    x[1, : length // 2] = -np.inf
    x[2, length - length // 2 :] = -np.inf
    x[3] -= 1000
    x[4] = -np.inf
    x[5, length // 2] = np.inf
    x[6, length - 1] = np.nan
    return x


def exact(name, x):
    with np.errstate(invalid="ignore", divide="ignore"):
        top = x.astype(np.float64).max(axis=1, keepdims=True)
        e = np.exp(x - np.where(np.isinf(top) & (name == "logsumexp"), 0, top))
        total = e.sum(axis=1, keepdims=True)
        if name == "softmax":
            return e / total
        return (np.log(total) + np.where(np.isinf(top), 0, top))[:, 0]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("length", [1, 2, 3, 31, 33])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_lanes_that_own_no_element(name, length, width):
    kernel, x = KERNELS[name](), rows_of(length)
    out = np.zeros_like(x) if name == "softmax" else np.zeros(len(x), np.float32)
    case = Case(kernel, {"x": x, "y": out})
    launches = case.lower(SHEETS["metal"], Mapping("subgroup", SUBGROUPS, 1, width))
    assert launches is not None
    ran = case.copy()
    for report in ran.run_machine(launches):
        assert report.ok, report
    np.testing.assert_allclose(ran.arguments["y"], exact(name, x), rtol=2e-6)
