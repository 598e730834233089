"""The plan that an operation gets when nobody asks for one: as Metal text, and as CUDA text.

Here every operation meets every length, and types in turn; tests/full holds the product.
"""

import numpy as np
import pytest

from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from tests.platforms import nvrtc
from tests.sweeps.forms import DTYPES, LENGTHS, OPS, Form, MetalForms


def sample():
    for number, op in enumerate(OPS):
        for turn, length in enumerate(LENGTHS):
            yield Form(op, length, DTYPES[(number + turn) % len(DTYPES)])


FORMS = tuple(sample())
# Lengths at which a subgroup has nothing left over, and a row one element too many.
EDGES = tuple(
    Form(op, length, "f32")
    for op in ("softmax", "layer_norm", "cross_entropy", "sum", "argmax")
    for length in (32, 4097)
)


@pytest.fixture(scope="module")
def metal():
    return MetalForms((*FORMS, *EDGES))


@pytest.mark.parametrize("form", [*FORMS, *EDGES], ids=str)
def test_metal_text(metal, form):
    metal.check(form, seed=form.length % 3)


def test_the_sample_has_every_pair():
    found = {(form.op, form.length) for form in FORMS} | {(form.op, form.dtype) for form in FORMS}
    found |= {(form.length, form.dtype) for form in FORMS}
    assert len(found) == len(OPS) * (len(LENGTHS) + len(DTYPES)) + len(LENGTHS) * len(DTYPES)


def test_plans_that_cooperate_and_lanes_that_own_several_elements_are_among_them(metal):
    plans = [(form, each.plan.mapping) for form in FORMS for each in metal.launches[form]]
    # A row of one element without a reduction has nothing for lanes to share.
    assert {form.length for form, mapping in plans if mapping.family == "reference"} == {1}
    mappings = [mapping for _, mapping in plans]
    assert any(mapping.subgroups_per_program > 4 for mapping in mappings)
    assert {1, 2, 4} <= {mapping.lane_elements for mapping in mappings}


def test_a_wrong_element_is_seen(metal):
    """The judge can say no: one element moves by a few units in the last place."""
    form = next(form for form in FORMS if (form.op, form.dtype) == ("softmax", "f32"))
    before = form.arguments()
    after = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in before.items()}
    metal.run(form, after)
    assert metal.judge(form, before, after)
    after["y"][0, 0] *= 1 + 2.0**-12
    assert not metal.judge(form, before, after)


@nvrtc
@pytest.mark.parametrize("op", OPS)
def test_cuda_text_compiles(op):
    """Each operation at two lengths: one with a tail, one that fills subgroups."""
    for length, dtype in ((257, "f32"), (4096, "bf16"), (1025, "f16")):
        for launch in Form(op, length, dtype).compiled(CUDA_SM90):
            assert compile_cuda(launch.artifact, "sm_90")
