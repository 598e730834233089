"""The columns map: neighbouring programs as lanes, on every shape of strip, and what it declines.

The ready-made kernels reduce the second axis of x[row, column].  In arrays that lie the other way
round neighbouring rows are neighbours in memory, so the same kernels serve here.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, bool_, f16, f32, f64, i8, i32, i64
from certile.plan.choose import choose
from certile.plan.columns import row_block
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.rounding.depth import depths
from certile.plan.text import plan_text, why_text
from certile.reference.agrees import agrees
from certile.targets.cpu import CPU_AVX2, CPU_NEON
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests import kernels
from tests.differential.checks import blank, random
from tests.differential.harness import EDGE, HOST_SHEET, Case

# Strips of one vector and of several, rounds of one row and of several, vectors alone and in pairs.
STRIPS = (
    Mapping("columns", unroll=1, group_vectors=1, strip_vectors=1, rows_at_once=1),
    Mapping("columns", unroll=2, group_vectors=1, strip_vectors=4, rows_at_once=3),
    Mapping("columns", unroll=2, group_vectors=2, strip_vectors=2, rows_at_once=4),
    Mapping("columns", unroll=3, group_vectors=1, strip_vectors=64, rows_at_once=2),
)


@dataclass
class Across(Case):
    """A case whose matrices lie the other way round: the first axis has stride 1."""

    def __post_init__(self):
        self.arguments = {
            name: np.asfortranarray(a) if isinstance(a, np.ndarray) and a.ndim == 2 else a
            for name, a in self.arguments.items()
        }
        super().__post_init__()

    def copy(self):
        made = Across(self.kernel, self.arguments)
        for name, array in self.arguments.items():
            if isinstance(array, np.ndarray):
                raw = np.full(array.nbytes + 2 * EDGE, 0xA5, np.uint8)
                inside = raw[EDGE : EDGE + array.nbytes].view(array.dtype)
                made.arguments[name] = inside.reshape(array.shape[::-1]).T
                made.arguments[name][...] = array
                made.edges.append((raw[:EDGE], raw[EDGE + array.nbytes :]))
        return made


def judge(case, ran, lowered, what):
    """Hold results to the envelope of the trees that were built."""
    trees = {}
    for plan, _ in lowered:
        trees.update(depths(plan))
    found = agrees(ran.outputs(), case.specialised, case.arguments, trees)
    assert found, f"{what}: {found.worst}"
    assert 2 * found.unchecked < found.elements


def check(case, strips=STRIPS, options=None):
    """Interpret on two vector widths, run as code, and agree within the depth of the trees."""
    for ran, lowered, what in runs(case, strips, options):
        judge(case, ran, lowered, what)


def runs(case, strips=STRIPS, options=None):
    """Every way to run a case: what it left in its arrays, what ran, and the way's name."""
    for sheet in (CPU_NEON, HOST_SHEET):
        for mapping in strips:
            ran = case.copy()
            lowered = ran.lower(sheet, mapping, options=options)
            assert lowered is not None
            for report in ran.run_machine(lowered):
                assert report.ok, (mapping, report)
            yield ran, lowered, f"{sheet.name} {mapping}"
    for mapping in strips:
        ran = case.copy()
        lowered = ran.lower(HOST_SHEET, mapping, options=options)
        ran.run_cpu(lowered)
        yield ran, lowered, f"code of {mapping}"
    planned = case.copy()
    region = case.regions[0]
    plan = choose(case.specialised, region, case.programs(region), HOST_SHEET, facts=case.facts())
    assert plan.mapping.family == "columns"
    lowered = planned.lower(HOST_SHEET, plan.mapping)
    planned.run_cpu(lowered)
    yield planned, lowered, "the planner's own"


@pytest.mark.parametrize("rows", [2, 7, 70])
@pytest.mark.parametrize("programs", [8, 64, 77])
def test_sums_of_every_shape(programs, rows):
    strips = STRIPS if (programs, rows) == (77, 70) else STRIPS[1:2]
    arguments = {"x": random(programs, rows), "y": blank(programs)}
    check(Across(kernels.sum_rows(), arguments), strips)


@pytest.mark.parametrize("dtype", [f16, bf16, f64, i8, i32, i64], ids=str)
def test_dtypes(dtype):
    law = laws.MAXIMUM if dtype in (f16, bf16, i8) else laws.ADD
    arguments = {"x": random(37, 9, dtype=dtype), "y": blank(37, dtype=dtype)}
    check(Across(kernels.sum_rows(dtype, law=law), arguments), STRIPS[1:2])


@pytest.mark.parametrize("law", [laws.ARGMAX, laws.ARGMIN, laws.LOGSUMEXP], ids=lambda a: a.name)
def test_laws_with_states(law):
    x = random(37, 70)
    x[3, [5, 60]] = x[3].max() + 1  # the first of equals wins, in another block too
    x[4, 50] = np.nan
    reduced = laws.LOGSUMEXP is law
    arguments = {"x": x, "y": blank(37, dtype=f32 if reduced else i64)}
    check(Across(kernels.sum_rows(law=law), arguments), STRIPS[1:3])


def weights(count):
    return {"weight": random(count, seed=5), "bias": random(count, seed=6)}


SEVERAL = {
    "a row kept and read again": (kernels.softmax, {"x": (33, 9), "y": (33, 9)}),
    "values that all programs share": (kernels.layer_norm, {"x": (33, 9), "y": (33, 9)}),
    "three sweeps, two results": (
        kernels.residual_layer_norm,
        {"x": (33, 9), "y": (33, 9), "residual": (33, 9)},
    ),
    "two reductions in one sweep": (kernels.min_max, {"x": (33, 70), "low": 33, "high": 33}),
    "a law of two results": (kernels.mean_var, {"x": (33, 70), "mean": 33, "var": 33}),
    "a view read and written": (kernels.scale_in_place, {"x": (33, 9)}),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_sweeps(name):
    make, shapes = SEVERAL[name]
    made = make()
    arguments = {
        key: random(*np.atleast_1d(shape), seed=k) for k, (key, shape) in enumerate(shapes.items())
    }
    arguments |= {k: v for k, v in weights(9).items() if k in {p.name for p in made.params}}
    arguments |= {"factor": np.float32(1.5)} if name == "a view read and written" else {}
    check(Across(made, arguments), STRIPS[1:])


def test_values_that_are_made_again():
    case = Across(kernels.softmax(), {n: random(33, 9) for n in "xy"})
    again = planned(case, HOST_SHEET, Options(materialization="nothing"))
    assert again.rows.materialized == ()
    check(case, STRIPS[1:2], Options(materialization="nothing"))


def test_an_element_that_data_selects():
    labels = np.arange(33) % 9
    labels[3] = 9  # out of range: its result is the fill
    arguments = {"x": random(33, 9), "labels": labels, "y": blank(33)}
    check(Across(kernels.cross_entropy(), arguments), STRIPS[1:3])


def middle(law=laws.ADD, reduced=("b",), over=("a", "c")):
    """y[over] = x reduced along some of its axes, which neighbouring programs see as rows."""
    b = Builder("middle")
    x = b.view("x", f32, 4)
    axes = {name: b.axis(name, dim(x, k)) for k, name in enumerate("abdc")}
    with b.parallel(*(axes[name] for name in over)):
        loaded = b.load(x, *axes.values())
        found = b.reduce(loaded, tuple(axes[name] for name in reduced), law)
        y = b.view("y", f32 if law is laws.ADD else i64, len(over))
        b.store(y, tuple(axes[name] for name in over), found)
    return b.build()


@pytest.mark.parametrize("shape", [(3, 5, 4, 7), (2, 6, 3, 40), (5, 2, 2, 16), (40, 3, 2, 1)])
@pytest.mark.parametrize("law", [laws.ADD, laws.ARGMAX], ids=lambda law: law.name)
def test_strips_that_cross_the_last_axis(shape, law):
    made = middle(law, ("b", "d"))
    arguments = {"x": random(*shape), "y": blank(shape[0], shape[3], dtype=f32)}
    arguments["y"] = arguments["y"].astype(np.int64) if law is laws.ARGMAX else arguments["y"]
    case = Case(made, arguments)
    if shape[3] == 1:
        # Every stride of one element is 1, and the rows are neighbours then.
        assert case.plan(case.regions[0], HOST_SHEET, STRIPS[0]) is None
        return
    check(case, STRIPS[1:])


def test_three_axes_of_programs():
    made = middle(reduced=("d",), over=("a", "b", "c"))
    check(Case(made, {"x": random(2, 3, 5, 9), "y": blank(2, 3, 9)}), STRIPS[1:3])


def sharing():
    """Sums over weights, and of the weights, which are one for all programs."""
    b = Builder("shared")
    x, w, y = b.view("x", f32, 2), b.view("w", f32, 1), b.view("y", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(cols):
        scaled = b.map("mul", b.load(x, rows, cols), b.load(w, rows))
        total = b.reduce(b.load(w, rows), rows, laws.ADD)
        b.store(y, cols, b.map("div", b.reduce(scaled, rows, laws.ADD), total))
    w = np.abs(random(9)) + 1
    return Case(b.build(), {"x": random(9, 37), "w": w, "y": blank(37)})


def bools():
    """How many elements of each column hold."""
    b = Builder("any")
    x, y = b.view("x", bool_, 2), b.view("y", i32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(cols):
        b.store(y, cols, b.reduce(b.cast(b.load(x, rows, cols), i32), rows, laws.ADD))
    arguments = {"x": random(9, 37, dtype=bool_), "y": blank(37, dtype=i32)}
    return Case(b.build(), arguments)


def test_a_reduction_that_all_programs_share():
    check(sharing(), STRIPS[1:3])


def test_bool_columns():
    check(bools(), STRIPS[1:3])


# What the planner takes, and what it leaves to others.


def planned(case, sheet=CPU_AVX2, options=None, facts=True):
    region = case.regions[0]
    known = case.facts() if facts else None
    return choose(
        case.specialised, region, case.programs(region), sheet, options or Options(), facts=known
    )


def sums(programs=64, rows=40, **options):
    return Across(kernels.sum_rows(**options), {"x": random(programs, rows), "y": blank(programs)})


def test_the_planner_takes_what_lies_side_by_side():
    plan = planned(sums())
    assert plan.mapping.family == "columns"
    assert plan.group_programs == CPU_AVX2.lanes * plan.mapping.group_vectors
    assert plan.blocks == -(-64 // plan.group_programs)
    assert "columns map" in plan_text(plan)
    assert "neighbouring programs" in why_text(plan)


@pytest.mark.parametrize(
    ("case", "sheet", "options"),
    [
        (Case(kernels.sum_rows(), {"x": random(64, 40), "y": blank(64)}), CPU_AVX2, {}),
        (sums(programs=7), CPU_AVX2, {}),
        (sums(policy="ordered_tree"), CPU_AVX2, {}),
        (sums(policy="reproducible"), CPU_AVX2, {}),
        (sums(), CPU_AVX2, {"subgroup_reductions": "on"}),
        (sums(), CPU_AVX2, {"subgroup_reductions": "off"}),
        (sums(), METAL, {}),
        (sums(), CUDA_SM90, {}),
        (Across(kernels.serial_sum(), {"x": random(64, 40), "y": blank(64)}), CPU_AVX2, {}),
    ],
    ids=["rows", "few", "ordered", "reproducible", "on", "off", "metal", "cuda", "serial"],
)
def test_the_planner_leaves_the_rest(case, sheet, options):
    assert planned(case, sheet, Options(**options)).mapping.family != "columns"


def test_layouts_that_nobody_told_are_not_guessed():
    assert planned(sums(), facts=False).mapping.family != "columns"


def softmax(programs, rows):
    shapes = dict.fromkeys("xy", (programs, rows))
    return Across(
        kernels.softmax(), {n: np.zeros(s, np.float32, order="F") for n, s in shapes.items()}
    )


def test_a_row_that_is_read_again_stays_in_the_cache():
    once = planned(sums(64, 500)).mapping
    again = planned(softmax(64, 500)).mapping
    assert once.strip_vectors * CPU_AVX2.lanes * 4 == 4096
    assert again.strip_vectors < once.strip_vectors
    for programs, rows in ((64, 3000), (16, 1 << 20)):
        # No strip stays: wide ones read memory in long runs.
        far = planned(softmax(programs, rows))
        assert far.mapping.strip_vectors == once.strip_vectors
        assert (far.mapping.family, far.materialization) == ("columns", "nothing")
        assert not far.rows.materialized


@pytest.mark.parametrize("count", [1, 63, 64, 65, 4096, 1_000_000])
def test_blocks_keep_trees_shallow(count):
    block = row_block(count, 4)
    assert block % 4 == 0
    assert block & (block - 1) == 0
    assert block // 4 + count // block <= max(20, 3 * count**0.5)
    case = sums(8, count) if count <= 4096 else None
    if case is not None and count > 1:
        plan = planned(case)
        (depth,) = depths(plan).values()
        assert depth <= max(25, 3 * count**0.5)


def test_a_mapping_prints_its_numbers():
    plan = planned(sums())
    mapping = replace(plan.mapping, rows_at_once=plan.mapping.rows_at_once + 3)
    assert f"{mapping.rows_at_once} rows at once" in plan_text(replace(plan, mapping=mapping))
