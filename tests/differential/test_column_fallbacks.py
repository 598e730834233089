"""Strips of programs that compute again: where any program asks, and no result of another changes.

Derived programs come to the columns map where no strip stays in a cache between its passes.  A
sheet with small caches stands for rows that are long.
"""

from dataclasses import replace

import numpy as np
import pytest

from certile import reference
from certile.analysis.reads import swept
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i32
from certile.plan import columns
from certile.plan.choose import choose
from certile.plan.record import Options
from certile.plan.rounding.depth import depths
from certile.plan.text import why_text
from certile.targets.cpu import CPU_NEON
from tests import kernels
from tests.differential.harness import HOST_SHEET
from tests.differential.test_columns import STRIPS, Across
from tests.differential.test_fallbacks import nested, normalised, softmax64

PROGRAMS, ROWS = 37, 21
LARGE = {"none": [], "one": [36], "some": [0, 5, 17], "all": list(range(PROGRAMS))}
SHEETS = (CPU_NEON, HOST_SHEET)
# The narrowest strip of 40 rows that are read and written has 20480 bytes.
SMALL, EXACT, TIGHT = (
    replace(HOST_SHEET, cache_bytes=(1 << 10, second, 1 << 20))
    for second in (1 << 12, 2 * 20480, 2 * 20480 - 2)
)


def rows_of(which, seed=3):
    x = np.random.default_rng(seed).standard_normal((PROGRAMS, ROWS)).astype(np.float32)
    x[LARGE[which]] += 150.0
    return x


def ran(case, mapping):
    """The case after its machine code was interpreted on two widths, then run as code."""
    for sheet in SHEETS:
        made = case.copy()
        lowered = made.lower(sheet, mapping)
        assert lowered is not None
        for report in made.run_machine(lowered):
            assert report.ok, report
        yield made
    made = case.copy()
    made.run_cpu(made.lower(HOST_SHEET, mapping))
    yield made


@pytest.mark.parametrize("which", LARGE)
@pytest.mark.parametrize("mapping", STRIPS[1:3], ids=lambda mapping: f"{mapping.strip_vectors}")
def test_a_strip_is_made_again_where_one_program_asks(mapping, which):
    x = rows_of(which)
    case = Across(normalised(), {"x": x, "y": np.zeros_like(x), "s": np.zeros(PROGRAMS, "f4")})
    for made in ran(case, mapping):
        np.testing.assert_allclose(made.arguments["y"], softmax64(x), rtol=2e-6, atol=0)
        verdict = reference.agrees(made.outputs(), case.specialised, case.arguments)
        assert verdict, verdict


def flagged():
    """z is the sum of a row of x or, where its flag asks for that, the greatest element."""
    b = Builder("flagged")
    x, flag, z = b.view("x", f32, 2), b.view("flag", i32, 1), b.view("z", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        total, top = b.reduce(v, cols, laws.ADD), b.reduce(v, cols, laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("ne", b.load(flag, rows), 0))
        b.store(z, rows, chosen)
    return b.build()


@pytest.mark.parametrize("asking", [[], [3, 18, 36], list(range(PROGRAMS))], ids=len)
def test_programs_that_do_not_ask_keep_what_they_have(asking):
    """A program's flag is its own: its neighbours in the vector get the other value."""
    x, flag = rows_of("none"), np.zeros(PROGRAMS, np.int32)
    flag[asking] = 1
    case = Across(flagged(), {"x": x, "flag": flag, "z": np.ones(PROGRAMS, np.float32)})
    for made in ran(case, STRIPS[1]):
        wanted = np.where(flag, x.max(-1), x.sum(-1, dtype=np.float64))
        np.testing.assert_allclose(made.arguments["z"], wanted, rtol=1e-5, atol=1e-5)


def test_one_fallback_in_another():
    x = np.abs(rows_of("none"))
    x[1::3, 1:] *= -1  # a negative sum, and a positive element
    x[2::3] *= -1
    case = Across(nested(), {"x": x, "t": np.zeros(PROGRAMS, "f4")})
    sums, most = x.sum(-1, dtype=np.float64), x.max(-1)
    wanted = np.where(sums >= 0, sums, np.where(most >= 0, most, x.min(-1)))
    assert set(zip(sums >= 0, most >= 0, strict=True)) == {
        (True, True),
        (False, True),
        (False, False),
    }
    for made in ran(case, STRIPS[1]):
        np.testing.assert_allclose(made.arguments["t"], wanted, rtol=1e-5)


def test_an_order_that_only_a_fallback_fixes_is_kept_by_others():
    x = rows_of("some")
    made = normalised(policy="ordered_tree")
    case = Across(made, {"x": x, "y": np.zeros_like(x), "s": np.zeros(PROGRAMS, np.float32)})
    region = case.regions[0]
    plan = choose(case.specialised, region, PROGRAMS, HOST_SHEET, facts=case.facts())
    assert {node.policy for node in plan.rows.reductions} == {"unordered_tree"}
    assert {node.policy for node in plan.rows.apart} == {"ordered_tree"}
    assert plan.mapping.family != "columns"


def tall(make=kernels.softmax, rows=40):
    x = np.random.default_rng(5).standard_normal((PROGRAMS, rows)).astype(np.float32)
    return Across(make(), {"x": x, "y": np.zeros_like(x)})


def planned(case, sheet, options=None):
    region = case.regions[0]
    programs = case.programs(region)
    plan = choose(case.specialised, region, programs, sheet, options, facts=case.facts())
    assert plan.mapping.family == "columns"
    return plan


@pytest.mark.parametrize(
    ("special", "at"),
    [(np.inf, 5), (-np.inf, slice(None)), (np.nan, 36), (3e38, slice(0, 2))],
)
def test_derived_programs_of_long_rows(special, at):
    """The fold of one sweep, and the passes as written where its state is not finite."""
    case = tall()
    case.arguments["x"][7, at if at != 36 else 11] = special
    plan = planned(case, SMALL)
    assert plan.derivation is not None
    assert "no strip of programs stays in a cache" in why_text(plan)
    made = case.copy()
    lowered = made.lower(SMALL, plan.mapping)
    for report in made.run_machine(lowered):
        assert report.ok, report
    again = case.copy()
    again.run_cpu(again.lower(SMALL, plan.mapping))
    for each in (made, again):
        found = reference.agrees(each.outputs(), case.specialised, case.arguments, depths(plan))
        assert found, found.worst


def test_derivation_is_for_rows_that_leave_the_cache():
    derived = planned(tall(), SMALL)
    assert derived.derivation is not None
    assert planned(tall(), HOST_SHEET).derivation is None
    written = planned(tall(), SMALL, Options(materialization="nothing"))
    assert written.derivation is None
    assert (swept(derived.rows)["x"], swept(written.rows)["x"]) == (2, 3)


def test_strips_are_narrow_where_that_keeps_them_near_and_only_there():
    case, options = tall(), Options(materialization="nothing")
    narrow = planned(case, EXACT, options).mapping
    assert narrow.strip_vectors == narrow.group_vectors
    wide = planned(case, TIGHT, options).mapping
    assert wide.strip_vectors * HOST_SHEET.lanes * 4 == columns.LONGEST_RUN
    assert planned(case, HOST_SHEET, options).mapping.strip_vectors > narrow.strip_vectors
