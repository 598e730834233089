"""Row sums of 127, 257, 1024 and 4096 elements; minimum and maximum together."""

import numpy as np
import pytest

from certile.ir.machine import Barrier, Collective
from tests import kernels
from tests.differential import oracles
from tests.metal_suite.suite import Request, Suite, blank, normal, times

# Rows, columns: subgroups a program, programs a group.
SUMS = {(1, 127): (1, 1), (17, 257): (1, 8), (128, 1024): (4, 1), (64, 4096): (8, 1)}


@pytest.fixture(scope="module")
def suite():
    requests = {}
    for rows, columns in SUMS:
        arguments = {"x": normal(rows, columns), "y": blank(rows)}
        requests[rows, columns] = Request(kernels.sum_rows(), arguments)
    extremes = {"x": normal(7, 1024), "low": blank(7), "high": blank(7)}
    requests["min_max"] = Request(kernels.min_max(), extremes)
    return Suite(requests)


@pytest.mark.parametrize("shape", SUMS, ids=str)
def test_a_sum_has_the_expected_groups(suite, shape):
    made = suite[shape]
    subgroups, packed = SUMS[shape]
    assert made.mapping == (subgroups, packed)
    assert made.artifact.threads == 32 * subgroups * packed
    assert made.plan.blocks == -(-shape[0] // packed)
    assert made.machine.shared_bytes == made.plan.shared_bytes == (subgroups > 1) * 4 * subgroups
    barriers = times(made.machine, lambda o: isinstance(o, Barrier))
    assert barriers == made.plan.barriers == int(subgroups > 1)
    assert times(made.machine, lambda o: isinstance(o, Collective)) == 1 + (subgroups > 1)


@pytest.mark.parametrize("shape", SUMS, ids=str)
def test_a_sum_is_right(suite, shape):
    given = suite[shape].request.arguments
    depth = shape[1] // (32 * SUMS[shape][0]) + 12
    oracles.check("sum", given, suite.run(shape)["y"], depth)
    # Integers of any order have one sum.
    whole = np.rint(8 * given["x"]).astype(np.float32)
    exact = whole.sum(axis=1, dtype=np.float64)
    np.testing.assert_array_equal(suite.run(shape, given | {"x": whole}, seed=1)["y"], exact)


def test_minimum_and_maximum_together(suite):
    made = suite["min_max"]
    assert made.mapping == (4, 1)
    collectives = [o.fn for o in made.machine.body.operations if isinstance(o, Collective)]
    assert collectives == ["minimum", "minimum", "maximum", "maximum"]
    assert times(made.machine, lambda o: isinstance(o, Barrier)) == 2
    ran, x = suite.run("min_max"), made.request.arguments["x"]
    np.testing.assert_array_equal(ran["low"], x.min(axis=1))
    np.testing.assert_array_equal(ran["high"], x.max(axis=1))
