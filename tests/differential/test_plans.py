"""Every kind of legal plan gives the operation's values, and no access that it may not make."""

import numpy as np
import pytest

from tests.differential import oracles, plans
from tests.differential.harness import REFERENCE, SHEETS, Case


def run(point, given, mapping=None):
    """Lower one operation under one plan, interpret it, and return its main output."""
    case = Case(plans.KERNELS[point.kernel](), given).copy()
    lowered = case.lower(SHEETS["metal"], mapping or point.mapping, point.materialization)
    (report,) = case.run_machine(lowered)
    assert report.ok, report
    return case.arguments["y"]


def check(point, mapping=None, depth=None):
    """Random rows against float64; one-hot rows at the plan's thresholds, bit for bit."""
    rng = np.random.default_rng(point.length)
    x = rng.standard_normal((plans.ROWS, point.length)).astype(np.float32)
    given = oracles.arguments(point.kernel, x, rng)
    result = run(point, given, mapping)
    oracles.check(point.kernel, given, result, depth or point.depth)
    workers = plans.LANES * point.subgroups
    places = plans.thresholds(point.length, workers, point.lane_elements)
    given = oracles.arguments(point.kernel, plans.one_hot(places, point.length, 1000.0), rng)
    want = oracles.exact(point.kernel, given)
    if want is not None:
        np.testing.assert_array_equal(run(point, given, mapping), want)


@pytest.mark.parametrize("point", plans.sample(), ids=str)
def test_plan(point):
    check(point)


@pytest.mark.parametrize("length", plans.LENGTHS)
@pytest.mark.parametrize("name", plans.KERNELS)
def test_reference_map(name, length):
    check(plans.Point(name, length, 1, 1, 1, 1, "preserve"), REFERENCE, depth=length + 4)


def test_the_sample_is_wide_enough():
    points = plans.sample()
    assert {point.kernel for point in points} == set(plans.KERNELS)
    assert {point.lane_elements for point in points} == set(plans.LANE_ELEMENTS)
    assert {point.subgroups for point in points} == set(range(1, 33))
    assert len(points) >= 150


def test_small_integers_are_exact_under_every_unrolling_and_pack():
    rng = np.random.default_rng(2)
    for point in plans.sample():
        if point.kernel == "sum":
            x = rng.integers(-8, 9, (plans.ROWS, point.length)).astype(np.float32)
            given = oracles.arguments("sum", x, rng)
            np.testing.assert_array_equal(run(point, given), oracles.exact("sum", given))
