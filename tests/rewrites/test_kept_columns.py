"""Chains whose reductions keep axes: one fold with columns, right on rows of every kind.

A row whose state is not finite in some column is computed again as written, in all of its columns.
"""

import random
from dataclasses import replace

import numpy as np
import pytest

import certile as ct
from certile.analysis.reads import reads
from certile.codegen import emitter_for
from certile.ir.dtypes import bool_
from certile.ir.machine import Compute, operations
from certile.ir.tile import LoopIndex, Store, View
from certile.ir.walk import parallel_regions
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.rounding.depth import depths
from certile.plan.text import plan_text
from certile.proof.check.regions import check_rewrite
from certile.runtime.cuda.toolchain import compile_cuda
from certile.search.regions import derived
from tests.differential.harness import REFERENCE, SHEETS, Case
from tests.differential.loads import machine_loads
from tests.metal_units import Unit
from tests.rewrites import edits, forms, rows
from tests.rewrites import kept_columns as columns

LENGTH = 19
# One subgroup a row, alone and in packs, wider lanes, unrolled.
WAYS = (Mapping("subgroup", 1, 1, 1), Mapping("subgroup", 1, 3, 1), Mapping("subgroup", 1, 1, 1, 2))
PLAIN = ("normal", "small", "same", "positive", "negative", "offset")
# The interpreter folds in float64: what overflows in a fold of f32 does not there.
MODERATE = tuple(rows.MODERATE)


def with_flags(kernel):
    """The kernel with one more output, `again`: which rows are computed again."""
    (region,) = parallel_regions(kernel)
    (axis,) = region.over
    (fallback,) = forms.fallbacks(kernel)
    flag = View("again", bool_, 1)
    store = Store(buffer=flag, indices=(LoopIndex(axis=axis),), value=fallback.when, mask=None)
    longer = region.with_(body=(*region.body, store))
    return replace(kernel, params=(*kernel.params, flag), body=(longer,))


@pytest.mark.parametrize("name", columns.PROGRAMS)
def test_the_interpreter_gives_the_same(name):
    made = columns.pair(name, LENGTH, len(MODERATE))
    for seed in range(2):
        given = columns.arguments(name, LENGTH, MODERATE, seed)
        forms.judge(forms.by_interpreter(made.after, given), made.before, given, name)


@pytest.mark.parametrize("name", columns.PROGRAMS)
@pytest.mark.parametrize("length", [0, 1, 150])
def test_compiled_code_gives_the_same(name, length):
    kernel, shapes = columns.PROGRAMS[name]
    found = columns.rewritten(kernel, shapes(rows.COUNT, length))
    given = columns.arguments(name, length, seed=1)
    forms.judge(forms.on_cpu(found.after, given), found.before, given, name)


@pytest.mark.parametrize("name", columns.PROGRAMS)
def test_lanes_give_the_same_and_bad_rows_are_computed_again(name):
    made = columns.pair(name, LENGTH)
    given = columns.arguments(name, LENGTH)
    flagged = {**given, "again": np.zeros(rows.COUNT, np.bool_)}
    for way in WAYS:
        ran = forms.on_machine(with_flags(made.after), flagged, way)
        assert ran is not None
        forms.judge(ran, made.before, given, (name, way))
        again = ran["again"]
        # What a query makes of an infinite key may be no weight at all.
        words = ("nan",) if name == "attention" else ("nan", "+inf")
        bad = [k for k, kind in enumerate(rows.KINDS) if any(word in kind for word in words)]
        assert again[bad].all()
        # Every third row has a column of a special kind.
        plain = [place for place in map(rows.KINDS.index, PLAIN) if place % 3 != 2]
        assert not again[plain].any()
        written = forms.on_machine(made.before, given, way)
        for output, array in written.outputs.items():
            same = np.isfinite(array) == np.isfinite(ran[output])
            assert same[again].all()
            np.testing.assert_array_equal(np.isnan(array)[again], np.isnan(ran[output])[again])


@pytest.mark.parametrize("name", columns.PROGRAMS)
def test_one_lane_a_program_gives_the_same(name):
    kinds = ("normal", "nan inside", "all -inf", "in turn 3e38", "+inf last")
    kernel, shapes = columns.PROGRAMS[name]
    made = columns.rewritten(kernel, shapes(len(kinds), 5))
    given = columns.arguments(name, 5, kinds)
    ran = forms.on_machine(made.after, given, REFERENCE)
    forms.judge(ran, made.before, given, name)


def test_values_are_read_once():
    """Of a row of keys and of one of values, each element is loaded once; the oracle counts loads.

    A lane has one column each; where a condition holds it loads every value once more.
    """
    cols = 32
    shapes = {"q": (3, 8), "x": (3, LENGTH, 8), "v": (3, LENGTH, cols), "out": (3, cols)}
    made = columns.rewritten(columns.attention, shapes)
    case = Case(made.after, {n: np.ones(shape, np.float32) for n, shape in shapes.items()})
    ((plan, launch),) = case.lower(SHEETS["metal"], WAYS[0], options=forms.AS_WRITTEN)
    assert machine_loads(launch.kernel, "v") == (LENGTH, LENGTH)
    assert machine_loads(launch.kernel, "x") == (LENGTH, 0)
    found = {each.view.name: (each.usual, each.again) for each in reads(plan.rows)}
    assert (found["v"], found["x"]) == ((1, 1), (1, 0))


def test_final_texts_compile_and_metal_agrees():
    made = columns.pair("with state", LENGTH)
    given = columns.arguments("with state", LENGTH)
    case = Case(made.after, given)
    ((_, launch),) = case.lower(SHEETS["metal"], WAYS[0], options=forms.AS_WRITTEN)
    names = [scalar.name for scalar in launch.kernel.scalars]
    scalars = dict(zip(names, case.scalars(launch), strict=True))
    buffers = {name: array.reshape(-1) for name, array in given.items()}
    ours, _ = Unit([launch.kernel]).both(launch.kernel.name, buffers, scalars, rows.COUNT)
    outputs = {name: array.reshape(given[name].shape) for name, array in ours.items()}
    forms.judge(forms.Ran(outputs, {}), made.before, given, "metal")
    ((plan, launch),) = case.lower(SHEETS["cuda"], WAYS[0], options=forms.AS_WRITTEN)
    artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
    assert artifact.entry in compile_cuda(artifact, form="ptx").decode()


@pytest.mark.parametrize("name", ["with state", "heads"])
def test_an_edited_kernel_is_refused_or_means_the_same(name):
    """As an adversary edits it, with a certificate that fits as well as one can make it."""
    choose, kinds = random.Random(name), ("normal", "wide", "half -inf", "nan inside", "falling")
    kernel, shapes = columns.PROGRAMS[name]
    made = columns.rewritten(kernel, shapes(len(kinds), 7))
    given = columns.arguments(name, 7, kinds)
    refused = set()
    for _ in range(60):
        found = edits.edited_kernel(choose, made.after)
        if found is None:
            continue
        kind, other = found
        certificate = edits.redressed(made.before, other, made.rewrite.certificate)
        if check_rewrite(made.before, other, certificate) is None:
            forms.judge(forms.by_interpreter(other, given), made.before, given, kind)
        else:
            refused.add(kind)
    assert len(refused) >= 6


@ct.tile_kernel
def by_column(x: ct.View, v: ct.View, total: ct.View, out: ct.View):
    """The weights keep the columns, the weighted sum has heads beside them, which lanes share."""
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[2])
    cols, head = ct.axis("cols", x.shape[1]), ct.axis("head", v.shape[1])
    for r in ct.parallel(rows):
        row, value = x[r, cols, keys], v[r, head, keys, cols]
        w = ct.exp(row - ct.reduce(row, keys, ct.maximum))
        s = ct.reduce(w, keys, ct.add)
        total[r, cols] = s
        out[r, head, cols] = ct.reduce(w * value, keys, ct.add) / s


def _ran(kernel, given, sheet):
    if sheet == "cpu":
        return forms.on_cpu(kernel, given)
    return forms.on_machine(kernel, given, WAYS[0], sheet)


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_result_that_keeps_fewer_axes_is_read_in_a_sweep_over_the_others(sheet):
    shapes = {"x": (4, 2, 5), "v": (4, 3, 5, 2), "total": (4, 2), "out": (4, 3, 2)}
    made = columns.rewritten(by_column, shapes)
    (fallback,) = forms.fallbacks(made.after)
    assert sorted(len(value.axes) for value in fallback.values) == [1, 2]
    rng = np.random.default_rng(0)
    given = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    given["x"][1, 1, 2], given["v"][2, 0, 1, 1], given["x"][3, 0] = np.inf, np.nan, -np.inf
    ran = _ran(made.after, given, sheet)
    assert ran is not None
    forms.judge(ran, made.before, given, sheet)


@pytest.mark.parametrize("sheet", SHEETS)
def test_no_columns_leave_what_keeps_none_as_it_is(sheet):
    """The other reductions of the row are made, and nothing is stored for columns."""
    shapes = {"x": (3, 7), "v": (3, 7, 0), "out": (3, 0), "top": (3,), "s": (3,)}
    kernel = columns.traced(columns.with_state, shapes)
    rng = np.random.default_rng(0)
    given = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    ran = _ran(kernel, given, sheet)
    assert ran is not None
    top = given["x"].max(axis=1, keepdims=True)
    np.testing.assert_array_equal(ran["top"], top[:, 0])
    weights = np.exp(given["x"].astype(np.float64) - top)
    np.testing.assert_allclose(ran["s"], weights.sum(axis=1), rtol=1e-5)


# Too few words for the weights of a row: each is made where it is read.
NO_ROOM = replace(forms.AS_WRITTEN, materialization="nothing", max_stripe=4)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("which", ["before", "after"])
def test_scores_that_no_worker_can_keep_are_made_where_they_are_read(sheet, which):
    made = columns.pair("attention", 150)
    given = columns.arguments("attention", 150, seed=2)
    case = Case(getattr(made, which), given).copy()
    lowered = case.lower(SHEETS[sheet], WAYS[0], options=NO_ROOM)
    ((plan, launch),) = lowered
    assert [node.law.name for node in plan.rows.inline] == ["add"]
    if sheet == "cpu":
        case.run_cpu(lowered)
    else:
        (report,) = case.run_machine(lowered)
        assert report.ok, report
    forms.judge(forms.Ran(case.outputs(), depths(plan)), made.before, given, sheet)
    # As written three folds make them, each for itself; the one fold makes them once.
    terms = 150 * columns.DIMS
    times = {"before": (3, 0), "after": (1, 3)}[which]
    assert machine_loads(launch.kernel, "x") == tuple(terms * count for count in times)
    (read,) = (each for each in reads(plan.rows) if each.view.name == "x")
    assert times[0] <= read.usual <= columns.COLS * 3


def test_a_plan_derives_where_scores_are_made_again():
    shapes = {"q": (64, 64), "x": (64, 4096, 64), "v": (64, 4096, 64), "out": (64, 64)}
    kernel = columns.traced(columns.attention, shapes)
    (region,) = parallel_regions(kernel)
    for sheet in (SHEETS["metal"], SHEETS["cuda"]):
        plan = choose(kernel, region, 64, sheet)
        assert plan.mapping.family == "subgroup"
        assert plan.derivation is not None
        assert [form.derived for form in plan.forms] == [False, False, True]
        assert len(plan.rows.inline) == 1
        assert "made where an element of it is read" in plan_text(plan)


def exponentials(kernel):
    """How many exponentials stand in the text of a kernel."""
    found = operations(kernel.body)
    return sum(isinstance(at, Compute) and at.fn == "exp" for at in found)


@pytest.mark.parametrize("sheet", ["metal", "cuda"])
def test_what_columns_share_is_made_once_for_all_that_a_lane_folds(sheet):
    """A lane folds one column, or two, or four: the weights are the same ones."""
    counts = set()
    for columns_of_a_lane in (1, 2, 4):
        shapes = {"x": (3, 40), "v": (3, 40, 32 * columns_of_a_lane)}
        shapes |= {"out": (3, 32 * columns_of_a_lane)}
        kernel = columns.traced(columns.pooled, shapes)
        (region,) = parallel_regions(kernel)
        made = derived(kernel, region).rewrite.kernel
        rng = np.random.default_rng(1)
        given = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
        case = Case(made, given).copy()
        lowered = case.lower(SHEETS[sheet], WAYS[0], options=forms.AS_WRITTEN)
        ((plan, launch),) = lowered
        (report,) = case.run_machine(lowered)
        assert report.ok, report
        forms.judge(forms.Ran(case.outputs(), depths(plan)), kernel, given, sheet)
        counts.add(exponentials(launch.kernel))
    assert len(counts) == 1
