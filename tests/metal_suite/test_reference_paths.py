"""What the family declines runs as written, one program a lane, whatever else was asked for."""

from dataclasses import replace

import numpy as np
import pytest

from certile.codegen.metal.emit import emit
from certile.ir.machine import Barrier, Collective, Shuffle, operations
from certile.ir.machine.printer import print_kernel
from certile.targets.metal import METAL
from tests import kernels
from tests.differential import oracles
from tests.differential.harness import HOST_SHEET, Case
from tests.metal_suite.suite import Request, Suite, asked, blank, normal

ROWS, COLUMNS = 37, 257
KERNELS = {
    "sum": kernels.sum_rows,
    "softmax": kernels.softmax,
    "layer_norm": kernels.layer_norm,
    "cross_entropy": kernels.cross_entropy,
}
FOLDS = ("fold_left", "fold_right")
OFF = {"subgroup_reductions": "off"}


def arguments(name):
    return oracles.arguments(name, normal(ROWS, COLUMNS), np.random.default_rng(1))


def fold(policy):
    given = {"x": normal(ROWS, COLUMNS), "y": blank(ROWS)}
    return Request(kernels.sum_rows(policy=policy), given)


@pytest.fixture(scope="module")
def suite():
    requests = {name: Request(KERNELS[name](), arguments(name), asked(**OFF)) for name in KERNELS}
    return Suite(requests | {policy: fold(policy) for policy in FOLDS})


@pytest.mark.parametrize("name", KERNELS)
def test_the_reference_map_uses_no_neighbour(suite, name):
    made = suite[name]
    assert made.plan.mapping.family == "reference"
    assert made.plan.declined.code == "off"
    meeting = Collective | Shuffle | Barrier
    assert not [o for o in operations(made.machine.body) if isinstance(o, meeting)]
    assert made.machine.shared == ()
    assert "simd_" not in "\n".join(made.body).replace("thread_index_in_simdgroup", "")
    assert "threadgroup_barrier" not in made.artifact.text
    oracles.check(name, made.request.arguments, suite.run(name, seed=1)["y"], COLUMNS + 4)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(
    "more", [{"lane_elements": 4}, {"cache_inputs": True}, {"threads": 64}, {"unroll": 2}], ids=str
)
def test_options_of_the_family_do_not_change_it(name, more):
    plain, other = (
        Request(KERNELS[name](), arguments(name), asked(**OFF, **options)) for options in ({}, more)
    )
    texts = [print_kernel(request.lowered("k")[1].kernel) for request in (plain, other)]
    assert texts[0] == texts[1]


def in_order(x, policy):
    """Each row added up in single precision, one element after the other."""
    total = np.zeros(len(x), np.float32)
    for column in x.T[:: 1 if policy == "fold_left" else -1]:
        total = total + column
    return total


@pytest.mark.parametrize("policy", FOLDS)
def test_a_fold_gives_the_bits_of_its_order_everywhere(suite, policy):
    x = suite[policy].request.arguments["x"]
    want = in_order(x, policy)
    assert (want != in_order(x, FOLDS[policy == "fold_left"])).any()
    np.testing.assert_array_equal(suite.run(policy)["y"], want)
    assert suite[policy].artifact.requires_precise_math
    on_cpu = Case(kernels.sum_rows(policy=policy), {"x": x, "y": blank(ROWS)}).copy()
    on_cpu.run_cpu(on_cpu.lower(HOST_SHEET))
    np.testing.assert_array_equal(on_cpu.arguments["y"], want)


@pytest.mark.parametrize("policy", ["ordered_tree", "reproducible", "fold_left", "fold_right"])
def test_an_order_forbids_fast_math(policy):
    """The machine compiler may not undo it, whatever the author says of the functions."""
    given = {"x": normal(ROWS, COLUMNS), "y": blank(ROWS)}
    for order, precise in ((policy, True), ("unordered_tree", False)):
        kernel = replace(kernels.sum_rows(policy=order), math="fast")
        _, launch = Request(kernel, given).lowered("k")
        assert emit(launch.kernel, METAL).requires_precise_math == precise


@pytest.mark.parametrize("name", KERNELS)
def test_a_cpu_runs_it_too(name):
    given = arguments(name)
    case = Case(KERNELS[name](), given).copy()
    lowered = case.lower(HOST_SHEET, options=asked(**OFF))
    assert [plan.mapping.family for plan, _ in lowered] == ["reference"]
    case.run_cpu(lowered)
    oracles.check(name, given, case.arguments["y"], COLUMNS + 4)
