"""What a launch says about itself: arguments, host values, math, and what it refuses."""

import pytest

from certile.analysis.loops import fused
from certile.diagnostics import InternalError, Refusal
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f32
from certile.ir.host import HostValue, ViewFacts
from certile.ir.machine import Compute, operations
from certile.ir.machine.printer import print_kernel
from certile.ir.walk import parallel_regions, specialise
from certile.lower import lower_parallel
from certile.lower.dependence import needs_precise_math
from certile.pipeline import compile_program
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.record import GroupPlan, Options
from certile.targets.cpu import CPU_AVX512
from certile.targets.metal import METAL
from tests import kernels

SHAPES = {"x": (5, 70), "y": (5, 70)}


def lowered(kernel, shapes, facts=None, sheet=METAL, **options):
    made = specialise(kernel, shapes)
    (region,) = parallel_regions(made)
    plan = choose(made, region, 5, sheet, Options(**options))
    strides = {v.name: ViewFacts((None,) * (v.rank - 1) + (1,)) for v in made.views}
    return lower_parallel("k", made, region, plan, facts or strides).launches[0], made, region


def test_rows_stay_a_parameter():
    launch, made, _ = lowered(kernels.softmax(), SHAPES)
    assert launch.programs == HostValue("programs", factors=(HostValue("extent", "x", 0),))
    names = [scalar.name for scalar in launch.kernel.scalars]
    assert names == [s.name for s in launch.kernel.scalars]
    assert set(names) <= {"x_stride0", "y_stride0", "programs"}
    assert launch.buffers == tuple(view.name for view in made.views)
    assert [buffer.written for buffer in launch.kernel.buffers] == [False, True]


@pytest.mark.parametrize(
    ("kernel", "asks"),
    [(kernels.softmax(), False), (kernels.min_max(), True)],
    ids=["softmax", "min_max"],
)
def test_a_cpu_looks_for_nan_in_an_extreme_only_where_it_would_be_missed(kernel, asks):
    shapes = {view.name: SHAPES["x"][: view.rank] for view in kernel.views}
    launch, *_ = lowered(kernel, shapes, sheet=CPU_AVX512)
    named = {op.fn for op in operations(launch.kernel.body) if isinstance(op, Compute)}
    assert ("maximum" in named) is asks


def test_known_strides_are_no_parameters():
    facts = {"x": ViewFacts((0, 1)), "y": ViewFacts((None, 1))}
    launch, *_ = lowered(kernels.softmax(), SHAPES, facts)
    names = [scalar.name for scalar in launch.kernel.scalars]
    assert "x_stride0" not in names
    assert "y_stride0" in names


def test_buffers_that_a_launch_does_not_touch_are_not_its_arguments():
    b = Builder("two")
    x, y, z = (b.view(name, f32, 1) for name in "xyz")
    one, two = b.axis("one", 3), b.axis("two", 3)
    with b.parallel(one):
        b.store(y, one, b.load(x, one))
    with b.parallel(two):
        b.store(z, two, b.load(y, two))
    made = specialise(b.build(), {"x": (3,), "y": (3,), "z": (3,)})
    facts = {v.name: ViewFacts((1,)) for v in made.views}
    buffers = []
    for region in parallel_regions(made):
        plan = choose(made, region, 3, METAL)
        buffers.append(lower_parallel("k", made, region, plan, facts).launches[0].buffers)
    assert buffers == [("x", "y"), ("y", "z")]


def test_a_plan_without_a_mapping_is_refused():
    made = specialise(kernels.softmax(), SHAPES)
    (region,) = parallel_regions(made)
    facts = {v.name: ViewFacts((None, 1)) for v in made.views}
    for mapping in (None, Mapping("subgroup")):
        plan = GroupPlan(None, METAL, Options(), 5, mapping, None)
        with pytest.raises(InternalError, match="M020"):
            lower_parallel("k", made, region, plan, facts).launches[0]


@pytest.mark.parametrize(
    ("kernel", "precise"),
    [
        (kernels.softmax(), False),
        (kernels.softmax(policy="ordered_tree"), True),
        (kernels.cross_entropy(), True),
        (kernels.argmax(), True),
        (kernels.logsumexp(), True),
        (kernels.sum_rows(law=laws.MAXIMUM), False),
        (kernels.sum_rows(math="portable"), True),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_precise_math_is_asked_for_where_fast_math_changes_the_meaning(kernel, precise):
    (region,) = parallel_regions(kernel)
    assert needs_precise_math(kernel, region) == precise


def test_neighbours_over_one_domain_share_a_loop():
    made = specialise(kernels.min_max(), {"x": (5, 70), "low": (5,), "high": (5,)})
    (region,) = parallel_regions(made)
    steps = choose(made, region, 5, METAL, Options(policy="analytic")).rows.steps
    sizes = [len(group) for group in fused(steps)]
    assert sizes[0] == 2
    assert sum(sizes) == len(steps)


def test_a_reduction_does_not_share_the_loop_that_reads_it():
    made = specialise(kernels.softmax(), SHAPES)
    (region,) = parallel_regions(made)
    groups = fused(choose(made, region, 5, METAL).rows.steps)
    reductions = [[s for s in group if s.kind == "reduce"] for group in groups]
    assert [len(found) for found in reductions if found] == [1, 1]


def test_lowering_gives_equal_kernels_for_equal_plans():
    texts = set()
    for _ in range(2):
        launch, *_ = lowered(kernels.layer_norm(), {
            "x": (5, 70), "y": (5, 70), "weight": (70,), "bias": (70,),
        })  # fmt: skip
        texts.add(print_kernel(launch.kernel))
    assert len(texts) == 1


def test_each_stage_can_be_audited_again(monkeypatch):
    monkeypatch.setenv("CERTILE_VERIFY", "each")
    made = specialise(kernels.softmax(), {"x": (3, 300), "y": (3, 300)})
    strides = {v.name: ViewFacts((None, 1)) for v in made.views}
    assert compile_program(made, strides, [3], METAL).launches

    # An audit that finds fault must stop the compile, so that the setting is no empty promise.
    refusal = Refusal("admission", "private_storage", "claim", "missing")
    monkeypatch.setattr("certile.pipeline.audit", lambda _: refusal)
    with pytest.raises(InternalError) as caught:
        compile_program(made, strides, [3], METAL)
    assert caught.value.code == "M021"
    monkeypatch.setenv("CERTILE_VERIFY", "ends")
    assert compile_program(made, strides, [3], METAL).launches
