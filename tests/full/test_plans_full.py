"""The whole space of legal plans; a pairwise sample of it is in tests/differential."""

import pytest

from certile.ir.machine_print import print_kernel
from tests.differential import oracles, plans
from tests.differential.harness import SHEETS, Case
from tests.differential.test_plans import check

pytestmark = pytest.mark.full


@pytest.mark.parametrize("length", plans.LENGTHS)
@pytest.mark.parametrize("name", plans.KERNELS)
def test_every_legal_plan(name, length):
    """Plans that lower to the same kernel are run once."""
    points = [p for p in plans.every_point() if (p.kernel, p.length) == (name, length)]
    assert points
    seen = set()
    for point in points:
        text = machine_text(point)
        if text not in seen:
            seen.add(text)
            check(point)


def machine_text(point):
    shapes = plans.shapes(plans.KERNELS[point.kernel](), plans.ROWS, point.length)
    given = oracles.empty_arguments(point.kernel, shapes)
    case = Case(plans.KERNELS[point.kernel](), given)
    lowered = case.lower(SHEETS["metal"], point.mapping, point.materialization)
    return "".join(print_kernel(launch.kernel) for _, launch in lowered)
