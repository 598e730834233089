"""Rows of the columns map in parts: the states of each part, and what merges them.

The planner takes parts of long columns of large arrays; here mappings ask for short ones.
"""

from dataclasses import replace

import numpy as np
import pytest

from certile import reference
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f16, f32, f64, i8, i32, i64
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.parts import LEAST_ROWS, MOST_PARTS, in_parts, launches_of
from certile.plan.record import Options
from certile.plan.rounding.depth import depths, tree_of
from certile.plan.text import plan_text
from certile.targets.cpu import CPU_AVX2, CPU_NEON
from tests import kernels
from tests.differential.checks import blank, random
from tests.differential.harness import HOST_SHEET, Case
from tests.differential.test_column_fallbacks import SMALL, flagged, tall
from tests.differential.test_columns import Across, bools, check, middle, sharing, weights

# Parts of one round and of several, of one block of rounds and of several.
PARTS = (
    Mapping("columns", group_vectors=1, strip_vectors=1, rows_at_once=1, part_rows=1),
    Mapping("columns", group_vectors=1, strip_vectors=4, rows_at_once=3, part_rows=6),
    Mapping("columns", group_vectors=2, strip_vectors=2, rows_at_once=4, part_rows=16, block=4),
    Mapping("columns", group_vectors=1, strip_vectors=64, rows_at_once=2, part_rows=66),
)


def sums(programs, rows, law=laws.ADD, dtype=f32, result=f32):
    arguments = {"x": random(programs, rows, dtype=dtype), "y": blank(programs, dtype=result)}
    return Across(kernels.sum_rows(dtype, law=law), arguments)


def launches(case, mapping, options=None):
    """How many launches a case is, and in how many parts each takes its rows."""
    plan = case.plan(case.regions[0], HOST_SHEET, mapping, options=options)
    return [take.parts for take in launches_of(plan.rows, plan.mapping)]


@pytest.mark.parametrize("rows", [2, 5, 6, 7, 12, 13, 70])
@pytest.mark.parametrize("programs", [8, 64, 77])
def test_sums_of_every_shape(programs, rows):
    case = sums(programs, rows)
    parts = -(-rows // 6)
    assert launches(case, PARTS[1]) == ([parts, 1] if parts > 1 else [1])
    check(case, PARTS if (programs, rows) == (77, 70) else PARTS[1:2])


@pytest.mark.parametrize("rows", [131, 132, 200])
def test_parts_of_several_blocks(rows):
    check(sums(37, rows), PARTS[3:])


@pytest.mark.parametrize("dtype", [f16, bf16, f64, i8, i32, i64], ids=str)
def test_dtypes(dtype):
    law = laws.MAXIMUM if dtype in (f16, bf16, i8) else laws.ADD
    check(sums(37, 9, law, dtype, dtype), PARTS[1:2])


@pytest.mark.parametrize("law", [laws.ARGMAX, laws.ARGMIN], ids=lambda a: a.name)
def test_positions_count_through_all_parts(law):
    case = sums(37, 70, law, result=i64)
    x = case.arguments["x"]
    best = np.max if law is laws.ARGMAX else np.min
    x[3, [5, 60]] = best(x[3]) * 2  # the first of equals wins, in another part too
    x[4, [50, 66]] = np.nan
    x[5] = 0.0
    check(case, PARTS)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET, PARTS[1]))
    assert ran.arguments["y"][[3, 4, 5]].tolist() == [5, 50, 0]


SPECIAL = {
    "an infinity": [(7, 11, np.inf)],
    "both": [(7, 11, np.inf), (7, 60, -np.inf)],
    "NaN in the last part": [(7, 69, np.nan)],
    "a part of -inf": [(7, slice(0, 6), -np.inf)],
    "all -inf": [(7, slice(None), -np.inf)],
    "great ones": [(7, slice(0, 2), 3e38)],
}


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("law", [laws.ADD, laws.MAXIMUM, laws.LOGSUMEXP], ids=lambda a: a.name)
def test_special_values(law, name):
    case = sums(37, 70, law)
    for program, rows, value in SPECIAL[name]:
        case.arguments["x"][program, rows] = value
    check(case, PARTS[1:3])


SEVERAL = {
    "three sweeps": (kernels.softmax, {"x": (33, 13), "y": (33, 13)}, [3, 1, 3, 1, 3]),
    "shared weights": (kernels.layer_norm, {"x": (33, 13), "y": (33, 13)}, [3, 1, 3, 1, 3]),
    "a sweep that stores": (
        kernels.residual_layer_norm,
        {"x": (33, 13), "y": (33, 13), "residual": (33, 13)},
        [3, 1, 3, 1, 3],
    ),
    "two reductions": (kernels.min_max, {"x": (33, 70), "low": 33, "high": 33}, [12, 1]),
    "a law of two results": (kernels.mean_var, {"x": (33, 70), "mean": 33, "var": 33}, [12, 1]),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_sweeps(name):
    make, shapes, taken = SEVERAL[name]
    made = make()
    arguments = {
        key: random(*np.atleast_1d(shape), seed=k) for k, (key, shape) in enumerate(shapes.items())
    }
    arguments |= {k: v for k, v in weights(13).items() if k in {p.name for p in made.params}}
    case, again = Across(made, arguments), Options(materialization="nothing")
    assert launches(case, PARTS[1], again) == taken
    check(case, PARTS[1:3], again)


def test_scalars_between_sweeps_are_made_once_or_again():
    """A label is read by two launches, a scalar is stored by one."""
    labels = np.arange(33) % 13
    labels[3] = 13  # out of range: its result is the fill
    arguments = {"x": random(33, 13), "labels": labels, "y": blank(33)}
    case = Across(kernels.cross_entropy(), arguments)
    check(case, PARTS[1:3], Options(materialization="nothing"))


@pytest.mark.parametrize("shape", [(3, 5, 4, 7), (2, 6, 3, 40)])
@pytest.mark.parametrize("law", [laws.ADD, laws.ARGMAX], ids=lambda law: law.name)
def test_strips_that_cross_the_last_axis(shape, law):
    y = blank(shape[0], shape[3], dtype=f32 if law is laws.ADD else i64)
    case = Case(middle(law, ("b", "d")), {"x": random(*shape), "y": y})
    check(case, PARTS)


def test_a_reduction_that_all_programs_share():
    check(sharing(), PARTS[1:3])


def test_bool_columns():
    check(bools(), PARTS[1:3])


@pytest.mark.parametrize("asking", [[], [3, 18, 36], list(range(37))], ids=len)
def test_what_is_made_again_takes_all_rows(asking):
    x, flag = random(37, 21), np.zeros(37, np.int32)
    flag[asking] = 1
    case = Across(flagged(), {"x": x, "flag": flag, "z": np.ones(37, np.float32)})
    assert launches(case, PARTS[1]) == [4, 1]
    for sheet in (CPU_NEON, HOST_SHEET):
        ran = case.copy()
        lowered = ran.lower(sheet, PARTS[1])
        for report in ran.run_machine(lowered):
            assert report.ok, report
        wanted = np.where(flag, x.max(-1), x.sum(-1, dtype=np.float64))
        np.testing.assert_allclose(ran.arguments["z"], wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("special", "at"),
    [(0.0, 0), (np.inf, 5), (-np.inf, slice(None)), (np.nan, 11), (3e38, slice(0, 2))],
)
def test_derived_programs_pass_on_what_a_fallback_gives(special, at):
    """Fold in parts, as written where its state is not finite, and results by rows in parts."""
    case = tall()
    case.arguments["x"][7, at] = special
    region = case.regions[0]
    plan = choose(case.specialised, region, 37, SMALL, facts=case.facts())
    assert plan.derivation is not None
    mapping = replace(plan.mapping, part_rows=16)
    plan = replace(plan, mapping=mapping)
    assert [take.parts for take in launches_of(plan.rows, mapping)] == [3, 1, 3]
    made, again = case.copy(), case.copy()
    for report in made.run_machine(made.lower(SMALL, mapping)):
        assert report.ok, report
    again.run_cpu(again.lower(SMALL, mapping))
    for each in (made, again):
        found = reference.agrees(each.outputs(), case.specialised, case.arguments, depths(plan))
        assert found, found.worst


# What the planner takes, and what it says of it.


def planned(made, programs, rows, *, large=True, sheet=CPU_AVX2):
    """The plan of a kernel over matrices that lie across."""
    names = [view.name for view in made.views if view.rank == 2]
    shapes = dict.fromkeys(names, (programs, rows))
    arguments = {n: np.zeros(s, np.float32, order="F") for n, s in shapes.items()}
    arguments |= {v.name: blank(programs) for v in made.views if v.name not in names}
    case = Across(made, arguments)
    facts = {name: replace(fact, large=large) for name, fact in case.facts().items()}
    plan = choose(case.specialised, case.regions[0], programs, sheet, facts=facts)
    assert plan.mapping.family == "columns"
    return plan


@pytest.mark.parametrize(
    ("rows", "length"),
    [
        (2 * LEAST_ROWS - 1, 0),
        (2 * LEAST_ROWS, LEAST_ROWS),
        (MOST_PARTS * LEAST_ROWS, LEAST_ROWS),
        (MOST_PARTS * LEAST_ROWS + 1, 2 * LEAST_ROWS),
    ],
)
def test_how_long_parts_are(rows, length):
    plan = planned(kernels.sum_rows(), 8, rows)
    assert plan.mapping.part_rows == length
    if length:
        parts = -(-rows // length)
        assert 2 <= parts <= MOST_PARTS
        assert plan.launched_groups == (parts * plan.blocks, plan.blocks)
        assert f"in parts of {length} rows" in plan_text(plan)
        assert f"launch       {parts * plan.blocks} groups of" in plan_text(plan)
        assert f", then {plan.blocks}" in plan_text(plan)
    else:
        assert "parts" not in plan_text(plan)


def test_of_large_arrays_neither_programs_nor_threads_change_the_tree():
    plans = [
        planned(kernels.sum_rows(), programs, 5000, sheet=replace(CPU_AVX2, cores=cores))
        for programs in (16, 4096)
        for cores in (1, 2, 64)
    ]
    assert len({plan.mapping for plan in plans}) == 1
    assert plans[0].mapping.part_rows


def test_another_number_of_threads_gives_the_same_bits():
    found = []
    for cores in (1, 2, 64):
        case = sums(640, 70)
        case.run_cpu(case.lower(replace(HOST_SHEET, cores=cores), PARTS[1]))
        found.append(case.arguments["y"].tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize(
    ("make", "rows", "large"),
    [
        (kernels.sum_rows, 5000, False),
        (kernels.softmax, 40, True),
        (kernels.scale_in_place, 5000, True),
    ],
    ids=["near", "short", "in place"],
)
def test_rows_that_are_taken_as_a_whole(make, rows, large):
    assert planned(make(), 64, rows, large=large).mapping.part_rows == 0


def test_rows_that_stay_in_a_cache_are_taken_as_a_whole():
    """What a sweep reads again is near only for the thread that read it before."""
    roomy = replace(CPU_AVX2, cache_bytes=(1 << 15, 1 << 30, 1 << 31))
    assert planned(kernels.softmax(), 64, 5000, sheet=roomy).mapping.part_rows == 0
    assert planned(kernels.softmax(), 64, 5000).mapping.part_rows == LEAST_ROWS


def test_a_scan_needs_its_rows_in_order():
    b = Builder("running")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.scan(b.load(x, rows, cols), cols, laws.ADD))
    assert planned(b.build(), 64, 5000).mapping.part_rows == 0


@pytest.mark.parametrize("rows", [5000, 70000])
def test_trees_of_parts_are_shallow(rows):
    plan = planned(kernels.sum_rows(), 64, rows)
    whole = replace(plan, mapping=replace(plan.mapping, part_rows=0))
    (node,) = in_parts(plan.rows, plan.mapping)
    assert depths(plan)[node] <= depths(whole)[node]
    assert tree_of(plan, node).depth == depths(plan)[node]


def test_the_workspace_holds_a_state_of_each_part_and_program():
    case = sums(37, 70, laws.ARGMAX, result=i64)
    plan = case.plan(case.regions[0], HOST_SHEET, PARTS[1])
    made = lower_parallel("k", case.specialised, case.regions[0], plan, case.facts())
    sizes = [case._value(each.size) for each in made.workspace]
    state = plan.rows.reductions[0].law.state_dtypes(f32, 70)
    assert sorted(sizes) == sorted(12 * 37 * dtype.size for dtype in state)
    assert {(each.first_launch, each.last_launch) for each in made.workspace} == {(0, 1)}
