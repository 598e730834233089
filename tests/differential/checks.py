"""Run a kernel every way there is and let the interpreter of Tile IR judge each result."""

import numpy as np

from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case

WIDE = (Mapping("subgroup", 2, 1, 2), Mapping("subgroup", 1, 3, 1, 2), Mapping("subgroup", 3, 2, 4))

# The other treatment of shared tiles than a target's own, and inputs held in stripes.
KEPT = (
    ("metal", Options(materialization="expensive-only")),
    ("metal", Options(cache_inputs=True)),
    ("cpu", Options(materialization="preserve")),
)


def judge(case, ran, what):
    found = agrees(ran.outputs(), case.specialised, case.arguments)
    assert found, f"{what}: {found.worst}"
    assert found.unchecked == 0 or found.elements > found.unchecked


def check(kernel, arguments, *, admitted=None):
    """Run under the planner's choice on each sheet, the reference map, wide mappings, and as code.

    `admitted` says whether the subgroup map must take it, or must not.
    """
    case = Case(kernel, arguments)
    plans = [(name, sheet, None, None) for name, sheet in SHEETS.items()]
    plans += [(f"{name} reference", SHEETS[name], REFERENCE, None) for name in ("metal", "cpu")]
    plans += [(str(mapping), SHEETS["metal"], mapping, None) for mapping in WIDE]
    plans += [(f"{name} {how}", SHEETS[name], None, how) for name, how in KEPT]
    for what, sheet, mapping, options in plans:
        ran = case.copy()
        lowered = ran.lower(sheet, mapping, options=options)
        if lowered is None:
            assert mapping.family == "subgroup"
            continue
        for report in ran.run_machine(lowered):
            assert report.ok, (what, report)
        judge(case, ran, what)
    for what, mapping in (("cpu text", None), ("cpu text of the reference map", REFERENCE)):
        ran = case.copy()
        ran.run_cpu(ran.lower(HOST_SHEET, mapping))
        judge(case, ran, what)
    if admitted is not None:
        plan = case.plan(case.regions[0], SHEETS["metal"], WIDE[0])
        assert (plan is not None) == admitted


def random(*shape, dtype=f32, seed=0):
    rng = np.random.default_rng(seed)
    if dtype.kind == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_float:
        return rng.standard_normal(shape).astype(storage(dtype))
    limits = np.iinfo(storage(dtype))
    return rng.integers(limits.min, limits.max, shape, storage(dtype), endpoint=True)


def blank(*shape, dtype=f32):
    return np.zeros(shape, storage(dtype))


def matrix_kernel(name, *views):
    b = Builder(name)
    made = [b.view(*view) for view in views]
    rows, cols = b.axis("rows", dim(made[0], 0)), b.axis("cols", dim(made[0], 1))
    return b, made, rows, cols
