"""Values that are computed again where a condition holds: for every share of lanes and target.

The kernels divide exp(x) by a row's sum.  A plain sum overflows where an element is large; there,
and nowhere else, the row is read twice more, for its greatest element and for a sum relative to it.
The oracle is the two-pass formula in float64.
"""

from dataclasses import replace

import numpy as np
import pytest

from certile import reference
from certile.analysis.reads import reads
from certile.codegen import emitter_for
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i32
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.rounding.depth import levels_of
from certile.plan.text import plan_text
from certile.runtime.cuda.toolchain import compile_cuda
from tests.differential.harness import REFERENCE, SHEETS, Case
from tests.differential.loads import machine_loads
from tests.metal_units import Unit
from tests.platforms import nvrtc

SHARES = [(1, 1, 1), (1, 3, 1), (1, 2, 4), (2, 1, 1), (3, 1, 2), (8, 1, 1), (32, 1, 1)]
ROWS, WIDTH = 7, 205
# A row is read from memory whenever it is needed, so that what computes it again loads it too.
AS_WRITTEN = Options(policy="analytic", materialization="preserve", cache_inputs=False)
LARGE = {"none": [], "some": [1, 2, 5], "all": list(range(ROWS))}


def again(b, v, cols, policy="unordered_tree"):
    """Shift and sum of exp(v): by 0 where that sum is finite, else by the greatest element."""
    total = b.reduce(b.map("exp", v), cols, laws.ADD)
    top = b.reduce(v, cols, laws.MAXIMUM, policy=policy)
    shifted = b.reduce(b.map("exp", b.map("sub", v, top)), cols, laws.ADD, policy=policy)
    infinite = b.map("bit_not", b.map("isfinite", total))
    return b.fallback((b.const(0.0, f32), total), (top, shifted), infinite)


def normalised(policy="unordered_tree"):
    """y = exp(x - shift) / sum and s = sum, a row."""
    b = Builder("normalised")
    x, y, s = b.view("x", f32, 2), b.view("y", f32, 2), b.view("s", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        shift, total = again(b, v, cols, policy)
        b.store(s, rows, total)
        b.store(y, (rows, cols), b.map("div", b.map("exp", b.map("sub", v, shift)), total))
    return b.build()


def told():
    """The condition is read from memory: z asks for the sum of the row of x, else gets 0."""
    b = Builder("told")
    x, flag, z = b.view("x", f32, 2), b.view("flag", i32, 1), b.view("z", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        summed = b.reduce(b.load(x, rows, cols), cols, laws.ADD)
        asked = b.map("ne", b.load(flag, rows), 0)
        (chosen,) = b.fallback((b.const(0.0, f32),), (summed,), asked)
        b.store(z, rows, chosen)
    return b.build()


def looped():
    """Three rounds, each with a row of its own, a reduction of all and one of large rows only."""
    b = Builder("looped")
    x, z = b.view("x", f32, 3), b.view("z", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 2))
    turns = b.axis("turns", 3)
    with b.parallel(rows):
        with b.serial(turns, carry=(b.const(0.0, f32),)) as loop:
            shift, total = again(b, b.load(x, rows, turns, cols), cols)
            logged = b.map("add", shift, b.map("log", total))
            loop.yields(b.map("add", loop.carried[0], logged))
        b.store(z, rows, loop.results[0])
    return b.build()


def repeated():
    """Where the sum of the first plane is negative, the greatest elements of all planes."""
    b = Builder("repeated")
    x, z = b.view("x", f32, 3), b.view("z", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 2))
    turns = b.axis("turns", 3)
    with b.parallel(rows):
        total = b.reduce(b.load(x, rows, 0, cols), cols, laws.ADD)
        with b.serial(turns, carry=(b.const(0.0, f32),)) as loop:
            top = b.reduce(b.load(x, rows, turns, cols), cols, laws.MAXIMUM)
            (chosen,) = b.fallback((b.const(1.0, f32),), (top,), b.map("lt", total, 0.0))
            loop.yields(b.map("add", loop.carried[0], chosen))
        b.store(z, rows, loop.results[0])
    return b.build()


def overwritten():
    """x is doubled; then t is the sum as it was, or the greatest element where that is negative."""
    b = Builder("overwritten")
    x, s, t = b.view("x", f32, 2), b.view("s", f32, 1), b.view("t", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        total, top = b.reduce(v, cols, laws.ADD), b.reduce(v, cols, laws.MAXIMUM)
        b.store(s, rows, total)
        b.store(x, (rows, cols), b.map("mul", v, 2.0))
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
        b.store(t, rows, chosen)
    return b.build()


def nested():
    """The sum; where it is negative the greatest element; where that is too, the least one."""
    b = Builder("nested")
    x, t = b.view("x", f32, 2), b.view("t", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        total = b.reduce(v, cols, laws.ADD)
        least, most = (b.reduce(v, cols, law) for law in (laws.MINIMUM, laws.MAXIMUM))
        (inner,) = b.fallback((most,), (least,), b.map("lt", most, 0.0))
        (outer,) = b.fallback((total,), (inner,), b.map("lt", total, 0.0))
        b.store(t, rows, outer)
    return b.build()


def down_columns(*, fall_back):
    """y[c] = the sum of exp along the rows of x, made again where asked."""
    b = Builder("down_columns")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(cols):
        v = b.load(x, rows, cols)
        total = b.reduce(v, rows, laws.ADD)
        if fall_back:
            _, total = again(b, v, rows)
        b.store(y, cols, total)
    return b.build()


def large_rows(which, rows=ROWS, width=WIDTH, seed=3):
    """Rows that need the shift are those of `which`."""
    x = np.random.default_rng(seed).standard_normal((rows, width)).astype(np.float32)
    x[LARGE[which]] += 150.0
    return x


def softmax64(x):
    shifted = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def case_of(kernel, x):
    s = np.zeros(x.shape[0], np.float32)
    return Case(kernel, {"x": x, "y": np.zeros_like(x), "s": s})


def judged(case, before):
    """What ran agrees with the interpreter of Tile IR, and with the formula in float64."""
    results = case.outputs()
    verdict = reference.agrees(results, case.specialised, before)
    assert verdict, verdict
    np.testing.assert_allclose(results["y"], softmax64(before["x"]), rtol=2e-6, atol=0)


def on_machine(case, mapping, sheet, options=AS_WRITTEN):
    lowered = case.lower(sheet, mapping, None, options)
    assert lowered is not None, mapping
    for report in case.run_machine(lowered):
        assert report.ok, report
    return lowered


@pytest.mark.parametrize("which", LARGE)
@pytest.mark.parametrize("share", SHARES)
def test_every_share_of_lanes(share, which):
    case = case_of(normalised(), large_rows(which))
    on_machine(case, Mapping("subgroup", *share), SHEETS["cuda" if share[0] % 2 else "metal"])
    judged(case, case.arguments)


@pytest.mark.parametrize("which", LARGE)
@pytest.mark.parametrize("target", ["metal", "cpu"])
@pytest.mark.parametrize("mapping", [None, REFERENCE], ids=["chosen", "reference"])
def test_chosen_plan_and_one_program_a_lane(mapping, target, which):
    case = case_of(normalised(), large_rows(which, rows=41 if mapping else ROWS))
    on_machine(case, mapping, SHEETS[target], None)
    judged(case, case.arguments)


@pytest.mark.parametrize("mapping", [None, REFERENCE], ids=["chosen", "reference"])
def test_code_for_this_processor(mapping):
    case = case_of(normalised(), large_rows("some", rows=41)).copy()
    before = {name: array.copy() for name, array in case.arguments.items()}
    case.run_cpu(case.lower(SHEETS["cpu"], mapping))
    judged(case, before)


@pytest.mark.parametrize("policy", ["ordered_tree", "reproducible"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_orders_of_what_is_computed_again(width, policy):
    case = case_of(normalised(policy), large_rows("some", width=70))
    on_machine(case, Mapping("subgroup", width), SHEETS["metal"])
    judged(case, case.arguments)


@pytest.mark.parametrize("share", [(1, 1, 1), (1, 2, 1), (2, 1, 1), (8, 1, 1), None])
def test_condition_from_memory_reaches_all_subgroups(share):
    x = large_rows("none")
    asked = np.array([0, 1, 1, 0, 0, 0, 2], np.int32)
    case = Case(told(), {"x": x, "flag": asked, "z": np.zeros(ROWS, np.float32)})
    mapping = Mapping("subgroup", *share) if share else REFERENCE
    ((plan, _),) = on_machine(case, mapping, SHEETS["metal"])
    exact = np.where(asked != 0, x.astype(np.float64).sum(-1), 0.0)
    np.testing.assert_allclose(case.arguments["z"], exact, rtol=0, atol=3e-5)
    if share and share[0] > 1:
        assert plan.barriers == 2


@pytest.mark.parametrize("share", [(1, 1, 1), (1, 3, 1), (2, 1, 1), (3, 1, 2), None])
def test_rounds_of_a_loop_choose_each_for_itself(share):
    x = np.random.default_rng(5).standard_normal((ROWS, 3, WIDTH)).astype(np.float32)
    for row, turn in ((0, 0), (0, 2), (1, 1), (1, 2), (4, 0), (4, 1), (4, 2), (6, 2)):
        x[row, turn] += 120.0
    case = Case(looped(), {"x": x, "z": np.zeros(ROWS, np.float32)})
    on_machine(case, Mapping("subgroup", *share) if share else REFERENCE, SHEETS["metal"])
    wide = x.astype(np.float64)
    exact = np.log(np.exp(wide).sum(-1)).sum(-1)
    np.testing.assert_allclose(case.arguments["z"], exact, rtol=1e-5)


@pytest.mark.parametrize("share", [(1, 3, 1), (2, 1, 1), (3, 1, 2), None])
def test_a_loop_repeats_what_is_computed_again(share):
    """Nothing but the fence in front of a round keeps partial results of two rounds apart."""
    x = np.random.default_rng(6).standard_normal((ROWS, 3, WIDTH)).astype(np.float32)
    case = Case(repeated(), {"x": x, "z": np.zeros(ROWS, np.float32)})
    on_machine(case, Mapping("subgroup", *share) if share else REFERENCE, SHEETS["metal"])
    negative = x[:, 0].astype(np.float64).sum(-1) < 0
    assert 0 < negative.sum() < ROWS
    exact = np.where(negative, x.max(-1).astype(np.float64).sum(-1), 3.0)
    np.testing.assert_allclose(case.arguments["z"], exact, rtol=1e-6)


@pytest.mark.parametrize("share", [(1, 3, 1), (2, 1, 1), (3, 1, 1), None])
def test_elements_are_those_before_a_store(share):
    x = large_rows("none")
    case = Case(overwritten(), {"x": x.copy(), **{n: np.zeros(ROWS, np.float32) for n in "st"}})
    on_machine(case, Mapping("subgroup", *share) if share else REFERENCE, SHEETS["metal"])
    total = x.astype(np.float64).sum(-1)
    assert 0 < (total < 0).sum() < ROWS
    exact = np.where(total < 0, x.max(-1), total)
    np.testing.assert_allclose(case.arguments["t"], exact, rtol=0, atol=3e-5)
    np.testing.assert_array_equal(case.arguments["x"], 2 * x)


@pytest.mark.parametrize("share", [(1, 3, 1), (2, 1, 1), (5, 1, 1), None])
def test_a_fallback_inside_a_fallback(share):
    x = large_rows("none")
    x[:2] = -1 - abs(x[:2])
    x[2] -= 0.25
    case = Case(nested(), {"x": x, "t": np.zeros(ROWS, np.float32)})
    on_machine(case, Mapping("subgroup", *share) if share else REFERENCE, SHEETS["metal"])
    total, least, most = x.astype(np.float64).sum(-1), x.min(-1), x.max(-1)
    assert (most[:2] < 0).all()
    assert total[2] < 0 < most[2]
    exact = np.where(total < 0, np.where(most < 0, least, most), total)
    np.testing.assert_allclose(case.arguments["t"], exact, rtol=0, atol=3e-5)


def test_values_that_are_made_again_leave_strips_of_programs_as_they_are():
    x = np.zeros((64, 4096), np.float32)
    for fall_back in (False, True):
        case = Case(down_columns(fall_back=fall_back), {"x": x, "y": np.zeros(4096, np.float32)})
        (region,) = case.regions
        plan = choose(case.specialised, region, 4096, SHEETS["cpu"], facts=case.facts())
        assert plan.mapping.family == "columns"
        assert bool(plan.rows.fallbacks) == fall_back


def test_depth_of_what_is_computed_again():
    case = case_of(normalised(), large_rows("some"))
    ((plan, _),) = case.lower(SHEETS["metal"], Mapping("subgroup", 2))
    found = levels_of(plan)
    assert {*plan.rows.reductions, *plan.rows.apart} == set(found)
    # Four elements a lane, five levels of lanes, and as many for the partial results.
    assert set(found.values()) == {4 + 1 + 5 + 5}


def test_programs_of_one_group_need_barriers_equally_often():
    case = case_of(normalised(), large_rows("some"))
    assert case.lower(SHEETS["metal"], Mapping("subgroup", 2, 3)) is None


def test_metal_text_in_the_simulator():
    """P is no multiple of Q; rows that compute again stand beside rows that do not."""
    x = large_rows("some")
    launches = {}
    for width, packed in ((1, 3), (3, 1)):
        case = case_of(normalised(), x)
        ((plan, launch),) = case.lower(SHEETS["metal"], Mapping("subgroup", width, packed))
        launches[f"share{width}"] = (case, plan, launch)
    made = {name: replace(launch.kernel, name=name) for name, (_, _, launch) in launches.items()}
    unit = Unit(made.values())
    for name, (case, plan, launch) in launches.items():
        buffers = {key: case.arguments[key].reshape(-1) for key in launch.buffers}
        names = [parameter.name for parameter in launch.kernel.scalars]
        scalars = dict(zip(names, case.scalars(launch), strict=True))
        ours, _ = unit.both(name, buffers, scalars, plan.programs)
        np.testing.assert_allclose(
            ours["y"].reshape(x.shape), softmax64(x), rtol=2e-6, atol=0, err_msg=name
        )


@nvrtc
@pytest.mark.parametrize("share", [(1, 2), (4, 1)])
def test_cuda_text_compiles(share):
    case = case_of(normalised(), large_rows("some"))
    sheet = SHEETS["cuda"]
    ((_, launch),) = case.lower(sheet, Mapping("subgroup", *share))
    artifact = emitter_for(sheet)(launch.kernel, sheet)
    assert artifact.entry in compile_cuda(artifact, form="ptx").decode()


@pytest.mark.parametrize(("kept", "usual", "more"), [(False, 2, 2), (True, 1, 0)])
@pytest.mark.parametrize("share", [(1, 1), (2, 1), (4, 1)])
def test_elements_are_loaded_once_a_sweep(share, kept, usual, more):
    """In every run one sweep makes the sum, one makes y; a row that is kept is loaded once."""
    case = case_of(normalised(), large_rows("some", width=512))
    options = replace(AS_WRITTEN, cache_inputs=kept)
    ((plan, launch),) = case.lower(SHEETS["metal"], Mapping("subgroup", *share), None, options)
    each = 512 // plan.workers
    assert machine_loads(launch.kernel, "x") == (usual * each, more * each)
    (read,) = reads(plan.rows)
    assert (read.view.name, read.usual, read.again) == ("x", usual, more)
    again = "; a row computed again reads x twice more" * (not kept)
    assert f"  reads        x {'once' if kept else 'twice'}{again}\n" in plan_text(plan)
