"""Every kind of legal plan gives the operation's values, and no access that it may not make."""

import numpy as np
import pytest

from tests.differential import oracles, plans
from tests.differential.harness import REFERENCE, SHEETS, Case


def lowered(point, mapping=None):
    """One operation, lowered under one plan for any number of rows."""
    kernel = plans.KERNELS[point.kernel]()
    given = oracles.empty_arguments(point.kernel, plans.shapes(kernel, point.rows, point.length))
    case = Case(kernel, given)
    return case.lower(SHEETS["metal"], mapping or point.mapping, point.materialization)


def run(point, given, launches):
    """Interpret the launches of one operation and return its main output."""
    case = Case(plans.KERNELS[point.kernel](), given).copy()
    (report,) = case.run_machine(launches)
    assert report.ok, report
    return case.arguments["y"]


def check(point, launches, depth=None):
    """Random rows against float64; one-hot rows at the plan's thresholds, bit for bit."""
    rng = np.random.default_rng(point.length)
    x = rng.standard_normal((point.rows, point.length)).astype(np.float32)
    given = oracles.arguments(point.kernel, x, rng)
    oracles.check(point.kernel, given, run(point, given, launches), depth or point.depth)
    workers = plans.LANES * point.subgroups
    places = plans.thresholds(point.length, workers, point.lane_elements)
    given = oracles.arguments(point.kernel, plans.one_hot(places, point.length, 1000.0), rng)
    want = oracles.exact(point.kernel, given)
    if want is not None:
        np.testing.assert_array_equal(run(point, given, launches), want)


@pytest.mark.parametrize("point", plans.sample(), ids=str)
def test_plan(point):
    check(point, lowered(point))


@pytest.mark.parametrize("length", plans.LENGTHS)
@pytest.mark.parametrize("name", plans.KERNELS)
def test_reference_map(name, length):
    point = plans.Point(name, length, 1, 1, 1, 1, "preserve")
    check(point, lowered(point, REFERENCE), depth=length + 4)


def test_the_sample_is_wide_enough():
    points = plans.sample()
    assert {point.kernel for point in points} == set(plans.KERNELS)
    assert {point.lane_elements for point in points} == set(plans.LANE_ELEMENTS)
    assert {point.subgroups for point in points} == set(range(1, 33))
    assert {point.packed for point in points} == set(plans.PACKS)
    packs = [(point.rows, point.packed) for point in points if point.packed > 1]
    assert all(rows > packed and rows % packed for rows, packed in packs)
    assert len(points) >= 150


def test_small_integers_are_exact_under_every_unrolling_and_pack():
    rng = np.random.default_rng(2)
    for point in plans.sample():
        if point.kernel == "sum":
            x = rng.integers(-8, 9, (point.rows, point.length)).astype(np.float32)
            given = oracles.arguments("sum", x, rng)
            result = run(point, given, lowered(point))
            np.testing.assert_array_equal(result, oracles.exact("sum", given))
