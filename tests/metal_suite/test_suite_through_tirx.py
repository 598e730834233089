"""The list of this folder through TIRx: numbers on LLVM, TVM's Metal text in the simulator.

The plan of every export is the one that native code generation follows; what TVM prints is run as
the native text is, in checked mode.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import certile.tirx
from certile.diagnostics import ArgumentError
from certile.metalsim import Library
from tests import kernels
from tests.differential import oracles
from tests.metal_suite import (
    test_layer_norm_rows,
    test_losses,
    test_packings,
    test_row_sums,
    test_softmax_layouts,
)
from tests.metal_suite.suite import Made, Request, Suite, asked, blank, normal
from tests.metal_units import unit

SUMS = tuple(test_row_sums.SUMS)
DECLARED = {"capability": True, "noalias": True}
ROWS = {
    "softmax": ("softmax", 3, 4096),
    "layer_norm": ("layer_norm", 3, 4096),
    "cross_entropy": ("cross_entropy", 7, 4096),
    "min_max": ("min_max", 7, 1024),
} | {("sum", *shape): ("sum", *shape) for shape in SUMS}
KERNELS = test_packings.KERNELS | {
    "layer_norm": kernels.layer_norm,
    "cross_entropy": kernels.cross_entropy,
}


@dataclass(frozen=True)
class Fixed:
    """A kernel for the shapes of a request, as an export takes it."""

    kernel: object
    shapes: dict
    programs: tuple


def exported(request, target, number=0, **declared):
    """The export of a request; the number keeps the entries of one text apart."""
    case = request.case
    kernel = replace(case.specialised, name=f"{case.kernel.name}_{number}")
    programs = tuple(case.programs(region) for region in case.regions)
    fixed = Fixed(kernel, request.shapes, programs)
    return certile.tirx.export(fixed, request.shapes, target, plan=request.options, **declared)


class ThroughTirx(Suite):
    """Requests by name, as one text of what TVM prints."""

    def __init__(self, requests):
        self.made = {}
        for number, (name, request) in enumerate(requests.items()):
            found = exported(request, "metal", number, **DECLARED)
            (launch,) = found.launches
            self.made[name] = Made(request, launch.plan, launch, found.artifact())
        texts = [Text(made.artifact.source) for made in self.made.values()]
        self.library = Library(unit(texts), "checked")

    def launch(self, name, arrays, seed=0):
        artifact = self.made[name].artifact
        bound = {argument.index: arrays[argument.name] for argument in artifact.arguments}
        kernel = self.library.kernel(artifact.entry)
        return kernel.run(bound, artifact.grid, artifact.block, seed=seed)


@dataclass(frozen=True)
class Text:
    text: str


def row(name):
    op, rows, columns = ROWS[name]
    if op == "min_max":
        given = {"x": normal(rows, columns), "low": blank(rows), "high": blank(rows)}
    else:
        given = oracles.arguments(op, normal(rows, columns), np.random.default_rng(2))
    return Request(KERNELS[op](), given)


def check(name, given, result, depth):
    op = ROWS[name][0]
    if op == "min_max":
        np.testing.assert_array_equal(result["low"], given["x"].min(axis=1))
        np.testing.assert_array_equal(result["high"], given["x"].max(axis=1))
    else:
        oracles.check(op, given, result["y"], depth)


# LLVM.


@pytest.mark.parametrize("name", ROWS, ids=str)
def test_numbers_on_llvm(name):
    request = row(name)
    made = exported(request, "llvm", noalias=True)
    arrays = {n: a.copy() for n, a in request.arguments.items()}
    made.compile()(**arrays)
    assert made.launches[0].plan.mapping.family == "subgroup"
    check(name, request.arguments, arrays, ROWS[name][2] // 8 + 16)


def test_what_is_not_declared_is_not_used():
    request = row("softmax")
    for target, declared in (
        ("llvm", {}),
        ("metal", {}),
        ("metal", {"noalias": True}),
        ("metal", {"capability": True}),
        ("cuda", {"noalias": True}),
    ):
        made = exported(request, target, **declared)
        assert [launch.plan.mapping.family for launch in made.launches] == ["reference"]
        assert "simd_" not in made.script()
    demanded = Request(request.kernel, request.arguments, asked(subgroup_reductions="on"))
    with pytest.raises(ArgumentError, match="A321"):
        exported(demanded, "metal", noalias=True)
    assert exported(demanded, "metal", **DECLARED).launches[0].plan.mapping.family == "subgroup"


# Metal.


@pytest.fixture(scope="module")
def suite():
    requests = {name: row(name) for name in ROWS}
    for mode in test_layer_norm_rows.MODES:
        given, options = test_layer_norm_rows.arguments(), asked(materialization=mode)
        requests[mode] = Request(kernels.layer_norm(), given, options)
    for layout in test_softmax_layouts.LAYOUTS:
        request = test_softmax_layouts.request(*layout)
        requests[layout] = Request(request.kernel, request.arguments, request.options)
    for case in test_packings.CASES:
        name, columns, (subgroups, packed) = case
        options = asked(
            programs_per_group=packed,
            threads=32 * subgroups * packed,
            cache_inputs=test_packings.cached(case),
        )
        given = test_packings.arguments(name, 2 * packed + 1, columns)
        requests[case] = Request(test_packings.KERNELS[name](), given, options)
    return ThroughTirx(requests)


def same_plan(suite, name):
    """The export follows the plan of native code generation; the mapping."""
    made = suite[name]
    assert made.plan.mapping == made.request.plan().mapping
    assert made.artifact.block == (made.plan.threads, 1, 1)
    assert made.artifact.grid == (made.plan.blocks, 1, 1)
    return made.plan.mapping


@pytest.mark.parametrize("name", ROWS, ids=str)
def test_the_metal_text_of_tvm(suite, name):
    mapping = same_plan(suite, name)
    source = suite[name].artifact.source
    barriers = len(suite[name].plan.rows.reductions) * (mapping.subgroups_per_program > 1)
    assert source.count("threadgroup_barrier(") == barriers
    assert "[4096]" not in source
    given = suite[name].request.arguments
    for seed in (0, 1):
        check(name, given, suite.run(name, seed=seed), ROWS[name][2] // 32 + 16)


@pytest.mark.parametrize("mode", test_layer_norm_rows.MODES)
def test_kept_and_made_again(suite, mode):
    same_plan(suite, mode)
    share = -(-4096 // suite[mode].plan.workers)
    assert (f"[{share}]" in suite[mode].artifact.source) == (mode == "preserve")
    given = suite[mode].request.arguments
    oracles.check("layer_norm", given, suite.run(mode)["y"], share + 14)


@pytest.mark.parametrize("layout", test_softmax_layouts.LAYOUTS, ids=str)
def test_a_layout(suite, layout):
    assert same_plan(suite, layout).lane_elements == layout[0]
    kept = test_softmax_layouts.share(suite[layout].plan.workers, layout[0])
    given = suite[layout].request.arguments
    oracles.check("softmax", given, suite.run(layout, seed=1)["y"], kept + 14)


@pytest.mark.parametrize("case", test_packings.CASES, ids=str)
def test_a_packing_between_sentinels(suite, case):
    name, columns, (subgroups, packed) = case
    mapping = same_plan(suite, case)
    assert (mapping.subgroups_per_program, mapping.programs_per_group) == (subgroups, packed)
    share = -(-columns // (32 * subgroups))
    test_packings.run_between_sentinels(suite, case, name, columns, packed, share)


def test_a_gather_from_a_kept_row_is_declined_here_too():
    request = Request(test_losses.derived_logits(), test_losses.arguments())
    (launch,) = exported(request, "metal", **DECLARED).launches
    assert launch.plan.mapping.family == "reference"
    assert [refusal.rule for refusal in launch.plan.refusals] == ["private_storage"]
