"""Reductions that keep axes and loops that carry tiles, on every way to run them without a GPU."""

from dataclasses import replace

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import bf16, f32, i32, i64
from certile.ir.tile import Iota
from certile.ir.types import TileType
from certile.plan.mapping import Mapping
from certile.reference.agrees import agrees
from certile.targets.metal import METAL
from tests.differential import kept_axes
from tests.differential.harness import HOST_SHEET, SHEETS, Case
from tests.metal_units import Unit

L = METAL.lanes
POLICIES = ("unordered_tree", "ordered_tree", "reproducible", "fold_left", "fold_right")


def judge(case, ran, what):
    found = agrees(ran.outputs(), case.specialised, case.arguments)
    assert found, f"{what}: {found.worst}"
    assert found.unchecked == 0


def run_everywhere(kernel, arguments, *, served=("metal", "cpu")):
    """Interpret for a GPU and a CPU, run the CPU text; `served` says where lanes must share it."""
    case = Case(kernel, arguments)
    for name in ("metal", "cpu"):
        lowered = case.lower(SHEETS[name])
        for plan, _ in lowered:
            family = "subgroup" if name in served else "reference"
            assert plan.mapping.family == family, (name, plan.declined)
        ran = case.copy()
        for report in ran.run_machine(lowered):
            assert report.ok, (name, report)
        judge(case, ran, name)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET))
    judge(case, ran, "cpu text")
    return case


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("law", kept_axes.LAWS)
def test_every_law_along_both_axes(law, last):
    made = kept_axes.reduced(kept_axes.LAWS[law], last=last, centred=law != "argmax")
    run_everywhere(*made)


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_along_both_axes(policy, last):
    kernel, arguments = kept_axes.reduced(laws.ADD, last=last, policy=policy, centred=True)
    # A reproducible tree has 128 accumulators: more than a lane of a GPU may keep for itself.
    alone = policy == "reproducible" and not last
    run_everywhere(kernel, arguments, served=("cpu",) if alone else ("metal", "cpu"))


SHAPES = ((1, 3), (3, 1), (L, L + 1), (L + 1, L), (3, 4 * L + 5), (70, 3), (2, 150))


@pytest.mark.parametrize("dtype", [f32, bf16, i32], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_width(shape, dtype):
    for last in (True, False):
        kernel, arguments = kept_axes.reduced(
            laws.ADD, last=last, dtype=dtype, shape=(2, *shape), centred=True
        )
        run_everywhere(kernel, arguments)


PROGRAMS = {
    "groups as programs": kept_axes.group_norm(groups_parallel=True),
    "groups as an axis": kept_axes.group_norm(groups_parallel=False),
    "one place a channel": kept_axes.group_norm(groups_parallel=False, s=1),
    "exponentials of rows": kept_axes.exponentials(last=True),
    "exponentials of columns": kept_axes.exponentials(last=False),
    "attention": kept_axes.attended(),
    "attention to many keys": kept_axes.attended(keys=33, width=8),
    "a product": kept_axes.product(),
    "a product of integers": kept_axes.product(dtype=i32),
    "a narrow product": kept_axes.product(width=2),
    "online": kept_axes.online(),
    "two carried domains": kept_axes.carried_matrix(),
    "rows that trade places": kept_axes.exchanged(),
    "a carried row that is reduced": kept_axes.carried_sums(),
    "guarded": kept_axes.guarded(),
    "lines in place": kept_axes.in_place(last=True),
    "loops in loops": kept_axes.loops_in_loops(),
    "narrow loops in loops": kept_axes.loops_in_loops(dtype=bf16),
    "no round at all": kept_axes.loops_in_loops(inner=0),
    "placed memory": kept_axes.placed(),
    **{f"stages, {policy}": kept_axes.folded_stages(policy) for policy in POLICIES},
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    run_everywhere(*PROGRAMS[name])


WIDE = (
    Mapping("subgroup", 1, 3, 2, 2),
    Mapping("subgroup", 1, 1, 4, 1),
    Mapping("subgroup", 1, 2, 1, 16),
)


@pytest.mark.parametrize(
    "mapping", WIDE, ids=lambda m: f"Q{m.programs_per_group}V{m.lane_elements}"
)
def test_other_owners(mapping):
    """Lanes that own several elements, several programs in a group, shared tiles kept or not."""
    met = 0
    for name, (kernel, arguments) in PROGRAMS.items():
        case = Case(kernel, arguments)
        for kept in ("preserve", "nothing"):
            lowered = case.lower(METAL, mapping, kept)
            if lowered is None:
                continue
            ran = case.copy()
            for report in ran.run_machine(lowered):
                assert report.ok, (name, report)
            judge(case, ran, f"{name}, {kept}")
            met += 1
    assert met > len(PROGRAMS)


def test_columns_in_place_are_shared_where_inputs_are_kept():
    """What a lane adds up lies in the order of columns, what it stores in that of lines.

    So it may not read again what it stored; on a CPU, where no form keeps inputs, one lane is left.
    """
    run_everywhere(*kept_axes.in_place(last=False), served=("metal",))


def bytes_of(array):
    """Bools as Metal sees them."""
    return array.view(np.uint8) if array.dtype == np.bool_ else array


@pytest.mark.parametrize("last", [True, False])
def test_one_element_needs_no_lanes(last):
    made = kept_axes.reduced(laws.ADD, last=last, shape=(3, 1, 1), centred=True)
    run_everywhere(*made, served=("metal",))


def test_metal_text():
    """The Metal text of all programs, checked for races and divergence while it runs."""
    launches = {}
    for number, (name, (kernel, arguments)) in enumerate(PROGRAMS.items()):
        case = Case(kernel, arguments)
        ((plan, launch),) = case.lower(METAL)
        launches[name] = (
            case,
            plan,
            replace(launch, kernel=replace(launch.kernel, name=f"k{number}")),
        )
    unit = Unit([launch.kernel for _, _, launch in launches.values()])
    for name, (case, plan, launch) in launches.items():
        ran = case.copy()
        buffers = {view: bytes_of(ran.arguments[view].reshape(-1)) for view in launch.buffers}
        names = [parameter.name for parameter in launch.kernel.scalars]
        scalars = dict(zip(names, case.scalars(launch), strict=True))
        report = unit.run(launch.kernel.name, buffers, scalars, plan.programs)
        assert report.ok, f"{name}\n{report}"
        judge(case, ran, name)


def test_results_against_double_precision():
    """Not the interpreter but NumPy in float64 says what attention block by block is."""
    kernel, arguments = kept_axes.online()
    case = run_everywhere(kernel, arguments)
    ran = case.copy()
    ran.run_cpu(ran.lower(HOST_SHEET))
    q, k, v = (arguments[name].astype(np.float64) for name in "qkv")
    score = np.einsum("rd,tad->rta", q, k).reshape(len(q), -1)
    e = np.exp(score - score.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True) @ v.reshape(-1, v.shape[-1])
    assert np.abs(ran.arguments["y"] - want).max() < 1e-4 * np.abs(want).max()


@pytest.mark.parametrize("policy", ["unordered_tree", "fold_right"])
def test_what_a_lane_folded_along_one_element_is_read_along_it(policy):
    """A kept axis of one element is reduced afterwards: its one coordinate is no other one."""
    b = Builder("one")
    x, v, y = b.view("x", f32, 3), b.view("v", f32, 3), b.view("y", f32, 2)
    rows, keys, dims, cols = (
        b.axis("rows", 3),
        b.axis("keys", 1),
        b.axis("dims", 5),
        b.axis("c", 33),
    )
    one = TileType(i64, (keys,))
    with b.parallel(rows):
        inside = b.map("lt", Iota(axis=keys, type=one), b.const(1, i64))
        elements = b.load(x, rows, keys, dims, mask=inside, fill=0.0)
        score = b.reduce(elements, dims, laws.MAXIMUM, policy=policy)
        top = b.reduce(score, keys, laws.MAXIMUM)
        weighed = b.map("mul", b.map("add", score, top), b.load(v, rows, keys, cols))
        b.store(y, (rows, cols), b.reduce(weighed, keys, laws.ADD))
    rng = np.random.default_rng(0)
    shapes = {"x": (3, 1, 5), "v": (3, 1, 33), "y": (3, 33)}
    given = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    run_everywhere(b.build(), given)
