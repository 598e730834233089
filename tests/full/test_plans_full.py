"""The whole space of legal plans; a pairwise sample of it is in tests/differential."""

import pytest

from certile.ir.machine.printer import print_kernel
from tests.differential import plans
from tests.differential.test_plans import check, lowered

pytestmark = pytest.mark.full


@pytest.mark.parametrize("length", plans.LENGTHS)
@pytest.mark.parametrize("name", plans.KERNELS)
def test_every_legal_plan(name, length):
    """Plans that lower to the same kernel are run once."""
    points = list(plans.points_of(name, length))
    assert points
    seen = set()
    for point in points:
        launches = lowered(point)
        text = "".join(print_kernel(launch.kernel) for _, launch in launches)
        if text not in seen:
            seen.add(text)
            check(point, launches)
