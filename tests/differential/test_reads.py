"""What a plan says of reads is what the lowered kernel does, load by load."""

from itertools import product

import numpy as np
import pytest

from certile.analysis.reads import reads
from certile.ir.dtypes import f32, i64
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from tests import kernels
from tests.differential.harness import HOST_SHEET, SHEETS, Case
from tests.differential.loads import machine_loads
from tests.differential.plans import shapes

# All workers of each share take whole chunks of these rows.
ROWS, LENGTH = 5, 512
KERNELS = {
    "softmax": kernels.softmax,
    "layer_norm": kernels.layer_norm,
    "two_outputs": lambda: kernels.layer_norm(residual=True, two_outputs=True),
    "rms_norm": kernels.rms_norm,
    "sum": kernels.sum_rows,
    "min_max": kernels.min_max,
    "gelu": kernels.gelu,
    "in_place": kernels.scale_in_place,
}
MATERIALIZATIONS = ("preserve", "expensive-only", "nothing")


def case_of(name):
    kernel = KERNELS[name]()
    assert all(parameter.dtype in (f32, i64) for parameter in kernel.views)
    arrays = {n: np.ones(shape, np.float32) for n, shape in shapes(kernel, ROWS, LENGTH).items()}
    arguments = {p.name: arrays.get(p.name, np.float32(1)) for p in kernel.params}
    return Case(kernel, arguments)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("sheet", [SHEETS["metal"], HOST_SHEET], ids=["metal", "cpu"])
def test_places_are_read_as_often_as_the_plan_says(name, sheet):
    case = case_of(name)
    widths = (1, 4) if sheet.kind == "metal" else (1,)
    for width, kept, cached in product(widths, MATERIALIZATIONS, (False, True)):
        options = Options(policy="analytic", materialization=kept, cache_inputs=cached)
        ((plan, launch),) = case.lower(sheet, Mapping("subgroup", width), None, options)
        for read in reads(plan.rows):
            loaded, again = machine_loads(launch.kernel, read.view.name)
            assert (loaded * plan.workers, again) == (read.usual * LENGTH, 0), (read, options)
