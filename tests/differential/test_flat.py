"""The flat map of GPUs: element-wise programs over arrays without gaps, and what stays by rows."""

from dataclasses import replace

import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f16, f32, f64, i64, u8
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.reference.agrees import agrees
from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests import kernels
from tests.differential.checks import blank, random
from tests.differential.harness import Case
from tests.metal_units import Unit

SHAPES = [(1, 1), (3, 5), (1, 4096), (17, 257), (9, 1000), (40, 128)]
GROUPS = [Mapping("flat", 1, 1, 1), Mapping("flat", 2, 1, 4, unroll=2), Mapping("flat", 4, 1, 8)]


def element_wise(dtype, out=None):
    """y = x * exp(z), and w = x + 1 in a type of its own."""
    b = Builder("element_wise")
    x, z, y = (b.view(name, dtype, 2) for name in "xzy")
    w = b.view("w", out or dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        own = b.load(x, rows, cols)
        b.store(y, (rows, cols), b.map("mul", own, b.map("exp", b.load(z, rows, cols))))
        b.store(w, (rows, cols), b.cast(b.map("add", own, 1.0), out or dtype))
    return b.build()


class Dense(Case):
    """A case whose arrays are told to have no gaps and to begin at multiples of 16 bytes."""

    def copy(self):
        made = super().copy()
        return Dense(made.kernel, made.arguments, edges=made.edges)

    def facts(self):
        return {
            name: replace(known, dense=(int(np.prod(self.arguments[name].shape[1:])), 16))
            for name, known in super().facts().items()
        }

    def flat(self, sheet, mapping):
        """The one launch under a flat mapping, lowered."""
        (region,) = self.regions
        plan = choose(self.specialised, region, self.programs(region), sheet, facts=self.facts())
        assert plan.mapping is not None
        assert plan.mapping.family == "flat"
        plan = replace(plan, mapping=mapping or plan.mapping)
        return [
            (plan, lower_parallel("flat", self.specialised, region, plan, self.facts()).launches[0])
        ]


def arguments(shape, dtype, out=None):
    made = {"x": random(*shape, dtype=dtype), "z": random(*shape, dtype=dtype, seed=1)}
    return made | {"y": blank(*shape, dtype=dtype), "w": blank(*shape, dtype=out or dtype)}


def as_it_is(dtype):
    """y = x."""
    b = Builder("as_it_is")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.load(x, rows, cols))
    return b.build()


@pytest.mark.parametrize("mapping", [None, *GROUPS])
@pytest.mark.parametrize("dtype", [f32, u8])
def test_a_value_may_be_stored_as_it_was_loaded(dtype, mapping):
    shape = (17, 257)
    given = {"x": random(*shape, dtype=dtype), "y": blank(*shape, dtype=dtype)}
    case = Dense(as_it_is(dtype), given)
    ran = case.copy()
    for report in ran.run_machine(ran.flat(METAL, mapping)):
        assert report.ok, report
    assert agrees(ran.outputs(), case.specialised, case.arguments)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mapping", [None, *GROUPS])
def test_every_element_is_made_once(shape, mapping):
    case = Dense(element_wise(f32), arguments(shape, f32))
    for sheet in (CUDA_SM90, METAL):
        ran = case.copy()
        for report in ran.run_machine(ran.flat(sheet, mapping)):
            assert report.ok, report
        assert agrees(ran.outputs(), case.specialised, case.arguments)
        assert all((edge == 0xA5).all() for pair in ran.edges for edge in pair)


def test_one_view_that_is_read_and_written_and_a_scalar():
    case = Dense(kernels.scale_in_place(), {"x": random(23, 77), "factor": np.float32(1.5)})
    ran = case.copy()
    for report in ran.run_machine(ran.flat(CUDA_SM90, Mapping("flat", 2, 1, 4, unroll=2))):
        assert report.ok, report
    assert agrees(ran.outputs(), case.specialised, case.arguments)


def read_again(order):
    """Effects on x, y and z, one word each: what is stored and the values it is made of."""
    b = Builder("read_again")
    views = {name: b.view(name, f32, 2) for name in "xyz"}
    rows, cols = b.axis("rows", dim(views["x"], 0)), b.axis("cols", dim(views["x"], 1))
    with b.parallel(rows):
        for number, word in enumerate(order.split()):
            made = b.const(1.0 + number, f32)
            for name in word[1:]:
                made = b.map("add", b.map("mul", made, 0.5), b.load(views[name], rows, cols))
            b.store(views[word[0]], (rows, cols), b.broadcast(made, cols))
    return b.build()


@pytest.mark.parametrize("mapping", [None, *GROUPS])
@pytest.mark.parametrize(
    "order", ["yx zy yz", "xx xx xx", "x yx zxy xz", "zx yzx zy", "zxy zz yyz"]
)
def test_what_was_stored_is_read_again(order, mapping):
    made = {name: random(17, 250, seed=k) for k, name in enumerate("xyz")}
    case = Dense(read_again(order), made)
    for sheet in (CUDA_SM90, METAL):
        ran = case.copy()
        for report in ran.run_machine(ran.flat(sheet, mapping)):
            assert report.ok, report
        assert agrees(ran.outputs(), case.specialised, case.arguments)


def test_the_metal_text_keeps_the_order_of_accesses():
    case = Dense(read_again("yx zy yz xyz"), {name: random(17, 256) for name in "xyz"})
    ((plan, launch),) = case.flat(METAL, None)
    assert plan.mapping.lane_elements == 4
    ran = case.copy()
    buffers = {name: ran.arguments[name].reshape(-1) for name in launch.buffers}
    scalars = {p.name: v for p, v in zip(launch.kernel.scalars, case.scalars(launch), strict=True)}
    report = Unit([launch.kernel]).run("flat", buffers, scalars, plan.programs * 256)
    assert report.ok, report
    assert agrees(ran.outputs(), case.specialised, case.arguments)


@pytest.mark.parametrize("dtype", [f32, u8])
def test_a_copy(dtype):
    b = Builder("copy")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.load(x, rows, cols))
    made = {"x": random(9, 333, dtype=dtype), "y": blank(9, 333, dtype=dtype)}
    case = Dense(b.build(), made)
    for sheet in (CUDA_SM90, METAL):
        ran = case.copy()
        for report in ran.run_machine(ran.flat(sheet, None)):
            assert report.ok, report
        assert np.array_equal(ran.arguments["y"], case.arguments["x"])


def test_several_axes_of_programs_and_of_elements():
    b = Builder("several")
    x, y = b.view("x", f32, 4), b.view("y", f32, 4)
    axes = [b.axis(name, dim(x, k)) for k, name in enumerate("abcd")]
    axes[1] = b.axis("b", 6)
    with b.parallel(*axes[:2]):
        b.store(y, axes, b.map("neg", b.load(x, *axes)))
    case = Dense(b.build(), {"x": random(5, 6, 3, 7), "y": blank(5, 6, 3, 7)})
    ran = case.copy()
    for report in ran.run_machine(ran.flat(METAL, Mapping("flat", 1, 1, 2))):
        assert report.ok, report
    assert np.array_equal(ran.arguments["y"], -case.arguments["x"])


@pytest.mark.parametrize(("dtype", "out"), [(bf16, bf16), (f16, f32), (f32, u8), (f64, i64)])
def test_types(dtype, out):
    case = Dense(element_wise(dtype, out), arguments((7, 333), dtype, out))
    ran = case.copy()
    for report in ran.run_machine(ran.flat(CUDA_SM90, None)):
        assert report.ok, report
    assert agrees(ran.outputs(), case.specialised, case.arguments)


def test_the_metal_text_runs():
    case = Dense(element_wise(f16), arguments((5, 777), f16))
    ((plan, launch),) = case.flat(METAL, None)
    unit = Unit([launch.kernel])
    buffers = {name: case.arguments[name].reshape(-1) for name in launch.buffers}
    scalars = {p.name: v for p, v in zip(launch.kernel.scalars, case.scalars(launch), strict=True)}
    ours, theirs = unit.both("flat", buffers, scalars, plan.programs * 777)
    for name, made in ours.items():
        assert np.array_equal(made.view(np.uint16), theirs[name].view(np.uint16))


@pytest.mark.parametrize("dtype", [f32, bf16, u8])
def test_the_cuda_text_takes_whole_packs(dtype):
    case = Dense(element_wise(f32, dtype), arguments((64, 257), f32, dtype))
    ((plan, launch),) = case.flat(CUDA_SM90, None)
    artifact = emitter_for(CUDA_SM90)(launch.kernel, CUDA_SM90)
    assert plan.mapping.lane_elements == 4
    assert "load_pack<4>(p_x" in artifact.text
    assert "store_pack(" in artifact.text
    assert compile_cuda(artifact, "sm_90")


def family(case, **options):
    (region,) = case.regions
    facts = options.pop("facts", None) or case.facts()
    plan = choose(case.specialised, region, 64, CUDA_SM90, Options(**options), facts=facts)
    return plan.mapping.family


def test_what_was_asked_for_is_planned_row_by_row():
    case = Dense(element_wise(f32), arguments((64, 128), f32))
    assert family(case) == "flat"
    asked = ({"threads": 64}, {"lane_elements": 2}, {"policy": "analytic"}, {"cache_inputs": True})
    for options in asked:
        assert family(case, **options) == "subgroup"


def test_gaps_and_other_rows_are_not_flat():
    case = Dense(element_wise(f32), arguments((64, 128), f32))
    for dense in (None, (129, 16)):
        facts = case.facts()
        facts["z"] = replace(facts["z"], dense=dense)
        assert family(case, facts=facts) == "subgroup"


def weighted(index):
    """y = x * w, where w is read at its own place."""
    b = Builder("weighted")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    w = b.view("w", f32, 1 if index == "column" else 2)
    with b.parallel(rows):
        at = {"column": (cols,), "row": (rows, 0), "crossed": (cols, rows)}[index]
        b.store(y, (rows, cols), b.map("mul", b.load(x, rows, cols), b.load(w, *at)))
    return b.build()


@pytest.mark.parametrize("index", ["column", "row", "crossed"])
def test_what_reads_another_place_is_not_flat(index):
    shape = (64,) if index == "column" else (64, 64)
    case = Dense(
        weighted(index),
        {"x": random(64, 64), "y": blank(64, 64), "w": random(*shape)},
    )
    assert family(case) == "subgroup"


def test_coordinates_as_values_are_not_flat():
    b = Builder("numbered")
    y = b.view("y", f32, 2)
    rows, cols = b.axis("rows", dim(y, 0)), b.axis("cols", dim(y, 1))
    with b.parallel(rows):
        b.store(y, (rows, cols), b.cast(b.index(cols), f32))
    assert family(Dense(b.build(), {"y": blank(64, 64)})) == "subgroup"
