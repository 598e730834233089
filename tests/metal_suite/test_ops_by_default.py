"""Every operation that takes integers or flags, in each of them, under the plan chosen by default.

The float types of Metal at every operation and length are in tests/sweeps/test_default_plans.py.
"""

import numpy as np
import pytest

from certile.cli.catalogue import listing
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.ops.kernels import BARE_OPS, COMMAND_FORMS, bare
from certile.plan.options import Options
from certile.reference.machine_numeric import storage
from certile.reference.probes import index_ranges
from certile.targets.metal import METAL
from tests.metal_suite.suite import Request, Suite
from tests.sweeps.forms import DTYPES, OPS

ROWS, LENGTHS = 5, (33, 257, 1025)
FRACTIONS = ("mean", "var", "std")
ON_METAL = {each["name"]: each["targets"]["metal"] for each in listing()}
CASES = tuple(
    (op, dtype, LENGTHS[(number + turn) % len(LENGTHS)])
    for number, op in enumerate(OPS)
    for turn, dtype in enumerate(ON_METAL.get(op, ()))
    if dtype not in DTYPES
)


def form(op, dtype, length):
    """The kernel and its stand-ins; a mean of integers is a number of single precision."""
    if op not in FRACTIONS:
        made = bare(op, (ROWS, length), dtype)
        return made.kernel, made.shapes, made.arguments
    made = bare(op, (ROWS, length), "f32")
    arguments = {**made.arguments, "x": Shaped(BY_NAME[dtype], made.shapes["x"])}
    return made.function.tile_ir(arguments), made.shapes, arguments


def request(op, dtype, length):
    """Values all over the type; outputs are poisoned."""
    kernel, shapes, given = form(op, dtype, length)
    rng = np.random.default_rng(length)
    ranges = index_ranges(kernel, shapes)
    arguments = {p.name: given[p.name] for p in kernel.params}
    for view in kernel.views:
        shape, kind = shapes[view.name], storage(view.dtype)
        if view.dtype.kind == "bool":
            arguments[view.name] = rng.integers(0, 2, shape).astype(kind)
            continue
        if view.dtype.is_float:
            arguments[view.name] = np.full(shape, np.nan, kind)
            continue
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
        if view.name in ranges:
            low, high = 0, ranges[view.name] - 1
        arguments[view.name] = rng.integers(low, high, shape, kind, endpoint=True)
    return Request(kernel, arguments, Options())


@pytest.fixture(scope="module")
def suite():
    return Suite({case: request(*case) for case in CASES})


@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_operation_on_integers(suite, case):
    given = suite[case].request.arguments
    found = suite.judge(case, given, suite.run(case, seed=case[2] % 3))
    assert found, f"{case}: {found.worst}"


def test_every_operation_meets_every_type_that_metal_has_for_it():
    met = {(op, dtype) for op, dtype, _ in CASES} | {(op, d) for op in OPS for d in DTYPES}
    wanted = {(op, dtype) for op, dtypes in ON_METAL.items() for dtype in dtypes}
    assert wanted <= met
    assert {op for op in BARE_OPS if op not in OPS} <= {*COMMAND_FORMS}
    assert {dtype for _, dtype in wanted} == {dtype.name for dtype in METAL.dtypes}
