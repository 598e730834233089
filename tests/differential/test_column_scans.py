"""Scans along a leading axis under the columns map: every law, direction and shape of strip.

The kernels scan the second axis of x[row, column]; in arrays that lie the other way round their
rows are neighbours in memory, so each lane walks one.  NumPy folds each prefix in float64.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from certile import ops
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f32, f64, i32
from certile.plan.choose import choose
from certile.plan.columns import keeps_too_much, row_block
from certile.plan.rounding.depth import depths, scan_depth
from certile.plan.text import plan_text
from certile.targets.cpu import CPU_AVX2
from tests.differential.checks import blank, random
from tests.differential.harness import HOST_SHEET, Case
from tests.differential.test_columns import STRIPS, Across, judge, planned, runs
from tests.differential.test_scans import AFFINE, DIRECTIONS, assert_right, chained, kernel_of

SINGLE, PARTLY, WIDE = STRIPS[0], STRIPS[1], STRIPS[2]
LAWS = (laws.ADD, laws.MAXIMUM, laws.ARGMAX, laws.LOGSUMEXP, laws.MEAN_VAR, AFFINE)
# Lengths of rows: one block, its last row, several blocks with a shorter last one.
BLOCK = row_block(70, 1)
LENGTHS = (2, BLOCK, BLOCK + 1, 70)


def case_of(law, dtype, programs, length, how):
    """Rows with a NaN, with infinities, with equal extrema, and ordinary ones."""
    kernel = kernel_of(law, dtype, **how)
    x = random(programs, length, dtype=dtype, seed=length)
    if not dtype.is_float:
        x %= 7
    elif length > 3 and law is not AFFINE:  # there 0 * inf depends on the grouping
        x[0, length // 2] = np.nan
        x[1, length // 3], x[1, -1] = np.inf, -np.inf
        x[2, [0, length // 2, length - 1]] = x[2].max() + 1
    outputs = {view.name: blank(programs, length, dtype=view.dtype) for view in kernel.outputs}
    return Across(kernel, {"x": x, **outputs})


def check(law, direction, programs, length, dtype=f32, strips=(PARTLY,)):
    how = dict(zip(("inclusive", "reverse"), direction, strict=True))
    case = case_of(law, dtype, programs, length, how)
    for ran, lowered, what in runs(case, strips):
        judge(case, ran, lowered, what)
        ((plan, _),) = lowered
        assert_right(ran, law, how, max(depths(plan).values()), dtype)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("direction", DIRECTIONS, ids=str)
def test_laws_in_every_direction(law, direction):
    turn = LAWS.index(law) + DIRECTIONS.index(direction)
    check(law, direction, (9, 13, 16)[turn % 3], BLOCK + 3, strips=(STRIPS[turn % 3],))


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("reverse", [False, True])
def test_lengths(length, reverse):
    check(laws.ADD, (True, reverse), 8, length, strips=(SINGLE,))
    check(laws.ARGMAX, (False, reverse), 8, length, strips=(WIDE,))


@pytest.mark.parametrize("programs", [8, 15, 64, 77])
def test_tails_of_strips(programs):
    check(laws.ADD, (False, True), programs, BLOCK + 1, strips=STRIPS)


@pytest.mark.parametrize("dtype", [bf16, i32, f64], ids=str)
@pytest.mark.parametrize("law", [laws.ADD, laws.MAXIMUM, laws.ARGMAX], ids=lambda law: law.name)
def test_dtypes(dtype, law):
    directions = DIRECTIONS if dtype == bf16 else DIRECTIONS[1:3]
    for direction in directions:
        check(law, direction, 9, BLOCK + 2, dtype)


@pytest.mark.parametrize("reverse", list(product((False, True), repeat=2)), ids=str)
def test_scans_meet_other_steps(reverse):
    """A scan of a scan, a reduction of one, and a scan that another sweep reads."""
    length, programs = 2 * BLOCK + 7, 13
    x = np.random.default_rng(0).integers(-9, 10, (programs, length)).astype(np.float32)
    case = Across(chained(reverse), {"x": x, **{name: np.zeros_like(x) for name in "yzw"}})
    once = along(np.add, x.astype(np.float64), reverse[0])
    top = np.abs(once).max(1, keepdims=True) + 1
    wanted = {
        "y": along(np.maximum, once, reverse[1]),
        "z": once.astype(np.float32) / top.astype(np.float32),
        "w": 2 * x,
    }
    assert planned(case, HOST_SHEET).rows.kept_scans
    for ran, _, what in runs(case, STRIPS[1:3]):
        for name, each in wanted.items():
            assert np.array_equal(ran.arguments[name], each), (what, name)


def along(function, values, backwards):
    """The running values of a NumPy function along the last axis."""
    step = -1 if backwards else 1
    return function.accumulate(values[:, ::step], 1)[:, ::step]


@pytest.mark.parametrize("reverse", [False, True])
def test_in_place(reverse):
    """Every element is read before its place is written."""
    b = Builder("in_place")
    x = b.view("x", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(x, (rows, cols), b.scan(b.load(x, rows, cols), cols, laws.ADD, reverse=reverse))
    values = np.random.default_rng(0).integers(-9, 10, (13, 40)).astype(np.float32)
    for ran, _, what in runs(Across(b.build(), {"x": values}), STRIPS[1:3]):
        assert np.array_equal(ran.arguments["x"], along(np.add, values, reverse)), what


def test_a_middle_axis():
    """x[a, b, c] along b: strips cross the end of the last axis."""
    b = Builder("middle")
    x, y = b.view("x", f32, 3), b.view("y", f32, 3)
    a, over, c = (b.axis(name, dim(x, k)) for k, name in enumerate("abc"))
    with b.parallel(a, c):
        b.store(y, (a, over, c), b.scan(b.load(x, a, over, c), over, laws.ADD, reverse=True))
    values = np.random.default_rng(0).integers(-9, 10, (5, 20, 7)).astype(np.float32)
    wanted = np.flip(np.cumsum(np.flip(values, 1), 1), 1)
    for ran, _, what in runs(
        Case(b.build(), {"x": values, "y": np.zeros_like(values)}), STRIPS[:3]
    ):
        assert np.array_equal(ran.arguments["y"], wanted), what


def test_depth_grows_with_the_root_of_the_length():
    """Equal numbers whose sum is not exact: errors of a plain left fold add up."""
    x = np.full((8, 4096), 0.1, np.float32)
    case = Across(kernel_of(laws.ADD), {"x": x, "y0": blank(8, 4096)})
    plan = planned(case, HOST_SHEET)
    (depth,) = depths(plan).values()
    assert depth == scan_depth(plan.rows.scans[0], plan.mapping, HOST_SHEET.lanes) < 3 * 64
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET, plan.mapping))
    wanted = np.cumsum(x, axis=1, dtype=np.float64)
    assert (np.abs(ran.arguments["y0"] - wanted) <= 1.01 * depth * 2.0**-24 * wanted).all()
    left = np.cumsum(x, axis=1)
    assert not (np.abs(left - wanted) <= 1.01 * depth * 2.0**-24 * wanted).all()


def test_sums_beside_stores_are_as_shallow():
    """A sum that shares its sweep with a store takes single rows, in blocks all the same."""
    b = Builder("beside")
    x, y, z = b.view("x", f32, 2), b.view("y", f32, 1), b.view("z", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        tile = b.load(x, rows, cols)
        b.store(z, (rows, cols), b.map("mul", tile, 2.0))
        b.store(y, rows, b.reduce(tile, cols, laws.ADD))
    values = np.full((8, 4096), 0.1, np.float32)
    case = Across(b.build(), {"x": values, "y": blank(8), "z": np.zeros_like(values)})
    plan = planned(case, HOST_SHEET)
    ran = case.copy()
    lowered = ran.lower(HOST_SHEET, plan.mapping)
    ran.run_cpu(lowered)
    judge(case, ran, lowered, "one sweep")
    (depth,) = depths(plan).values()
    wanted = values[0].astype(np.float64).sum()
    assert (np.abs(ran.arguments["y"] - wanted) <= 1.01 * depth * 2.0**-24 * wanted).all()


def test_the_plan_says_so():
    case = Across(kernel_of(laws.ADD), {"x": random(64, 40), "y0": blank(64, 40)})
    text = plan_text(planned(case))
    assert "columns map" in text
    assert "add over 40, inclusive; read as it is made" in text


def test_kept_results_count_as_storage():
    """A strip keeps what another sweep reads; where that fits no cache, the map is declined."""
    arrays = {name: np.zeros((64, 40), np.float32, order="F") for name in "xyzw"}
    fits = planned(Across(chained(), arrays))
    assert fits.mapping.family == "columns"
    small = replace(CPU_AVX2, cache_bytes=(512, 1024, 1024))
    assert keeps_too_much(fits.rows, small)
    case = Across(chained(), arrays)
    region = case.regions[0]
    plan = choose(case.specialised, region, case.programs(region), small, facts=case.facts())
    assert plan.mapping.family != "columns"


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_the_operations(axis, reverse, dtype):
    x = np.random.default_rng(axis).integers(-99, 100, (21, 18, 11)).astype(dtype)
    turned = np.flip(x, axis).astype(np.float64) if reverse else x.astype(np.float64)
    for operation, function in ((ops.cumsum, np.add), (ops.cummax, np.maximum)):
        wanted = function.accumulate(turned, axis)
        wanted = np.flip(wanted, axis) if reverse else wanted
        assert np.array_equal(operation(x, axis, reverse=reverse), wanted)
