"""Every legal plan of five operations as Metal text, a hundred in a translation unit, checked."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from certile.ir.machine.printer import print_kernel
from certile.plan.options import Options
from certile.targets.metal import METAL
from tests.differential import oracles, plans
from tests.metal_suite.suite import Request, Suite, launch_name, made

pytestmark = pytest.mark.full

UNIT = 100


@pytest.mark.parametrize("length", plans.LENGTHS)
@pytest.mark.parametrize("name", plans.KERNELS)
def test_every_legal_plan_as_metal_text(name, length):
    """Plans that lower to the same kernel are run once."""
    kernels = distinct(plans.points_of(name, length))
    some = False
    while unit := dict(islice(kernels, UNIT)):
        some = True
        suite = Suite.of(unit)
        for number, point in enumerate(unit):
            check(suite, point, number % 3)
    assert some


def asking(point):
    """The request for exactly a point's plan, on random rows."""
    rng = np.random.default_rng(point.length)
    x = rng.standard_normal((point.rows, point.length)).astype(np.float32)
    options = Options(
        policy="analytic",
        threads=METAL.lanes * point.subgroups * point.packed,
        programs_per_group=point.packed,
        lane_elements=point.lane_elements,
        unroll=point.unroll,
        materialization=point.materialization,
    )
    arguments = oracles.arguments(point.kernel, x, rng)
    return Request(plans.KERNELS[point.kernel](), arguments, options)


def distinct(points):
    """The points whose kernels differ from those before, with their kernels."""
    seen = set()
    for point in points:
        kernel = made(launch_name(point), asking(point))
        text = print_kernel(replace(kernel.machine, name=""))
        if text not in seen:
            seen.add(text)
            yield point, kernel


def check(suite, point, seed):
    """Random rows against float64; rows with one element at the plan's thresholds, bit for bit."""
    given = suite[point].request.arguments
    oracles.check(point.kernel, given, suite.run(point, seed=seed)["y"], point.depth)
    workers = plans.LANES * point.subgroups
    places = plans.thresholds(point.length, workers, point.lane_elements)
    # As many rows at a time as were planned for; the last places come round again.
    for first in range(0, len(places), point.rows):
        rows = [places[row % len(places)] for row in range(first, first + point.rows)]
        hot = given | {"x": plans.one_hot(rows, point.length, 1000.0)}
        want = oracles.exact(point.kernel, hot)
        if want is not None:
            np.testing.assert_array_equal(suite.run(point, hot, seed)["y"], want)
