"""The products of which tests/sweeps runs a part: default plans, and the reproducible tree."""

import pytest

from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from tests.platforms import nvrtc
from tests.sweeps import trees
from tests.sweeps.forms import DTYPES, LENGTHS, OPS, Form, MetalForms
from tests.sweeps.test_reproducible import MetalRuns

pytestmark = pytest.mark.full


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("length", LENGTHS)
def test_every_default_plan_as_metal_text(length, dtype):
    forms = [Form(op, length, dtype) for op in OPS]
    metal = MetalForms(forms)
    for form in forms:
        for seed in range(3):
            metal.check(form, seed)


@nvrtc
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", OPS)
def test_every_default_plan_as_cuda_text(op, dtype):
    for length in LENGTHS:
        for launch in Form(op, length, dtype).compiled(CUDA_SM90):
            assert compile_cuda(launch.artifact, "sm_90")


@pytest.mark.parametrize("length", trees.LENGTHS)
@pytest.mark.parametrize("subject", trees.SUBJECTS)
def test_every_reproducible_plan(subject, length):
    """Every legal (S, Q); unrolling changes no order, and is met with each pack in turn."""
    points = [
        trees.Point(subject, length, *plan, trees.UNROLLS[number % len(trees.UNROLLS)])
        for number, plan in enumerate(trees.legal(subject, length))
    ]
    made = {point: trees.lowered(point) for point in points}
    metal = MetalRuns(made)
    for point in points:
        wanted = trees.meant(subject, length, point.rows)
        trees.same_bits(trees.on_machine(point, made[point]), wanted, f"machine {point}")
        trees.same_bits(metal(point), wanted, f"metal {point}")
    wanted = trees.meant(subject, length)
    for sheet in trees.CPUS:
        trees.same_bits(trees.on_cpu(subject, length, sheet), wanted, sheet.name)
