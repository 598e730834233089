"""`reproducible` is one tree: equal bits in both interpreters, on the CPU and as Metal text.

Here every subject meets half of the lengths, in plans that together show every pair of packs with
subgroups and unrolling; vector widths come in turn.  tests/full holds the product.
"""

from dataclasses import replace

import numpy as np
import pytest

from certile.ir.machine.verify import check_machine
from certile.plan.record import Options
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests.differential.harness import HOST_SHEET, REFERENCE
from tests.metal_units import Unit
from tests.pairwise import covering
from tests.sweeps import trees


def pairs(point):
    return (
        (point.subject, point.length),
        (point.subject, f"S{point.subgroups}"),
        (f"Q{point.packed}", f"S{point.subgroups}"),
        (f"Q{point.packed}", f"U{point.unroll}"),
    )


POINTS = tuple(covering(trees.every_other_point(), pairs))


@pytest.fixture(scope="module")
def made():
    return {point: trees.lowered(point) for point in POINTS}


@pytest.fixture(scope="module")
def metal(made):
    return MetalRuns(made)


class MetalRuns:
    """Launches of many points as one Metal text."""

    def __init__(self, made):
        self.renamed = {}
        for number, (point, launches) in enumerate(made.items()):
            ((plan, launch),) = launches
            self.renamed[point] = (plan, launch, _named(launch.kernel, f"k{number}"))
        self.unit = Unit([kernel for _, _, kernel in self.renamed.values()])

    def __call__(self, point, seed=0):
        plan, launch, kernel = self.renamed[point]
        ran = trees.case_of(point.subject, point.length, point.rows).copy()
        buffers = {name: ran.arguments[name].reshape(-1) for name in launch.buffers}
        names = [parameter.name for parameter in kernel.scalars]
        scalars = dict(zip(names, ran.scalars(launch), strict=True))
        report = self.unit.run(kernel.name, buffers, scalars, plan.programs, seed)
        assert report.ok, f"{point}\n{report}"
        return ran.outputs()


def _named(kernel, name):
    return check_machine(replace(kernel, name=name))


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_one_tree_everywhere(point, made, metal):
    wanted = trees.meant(point.subject, point.length, point.rows)
    trees.same_bits(trees.on_machine(point, made[point]), wanted, "machine")
    trees.same_bits(metal(point, seed=point.length % 3), wanted, "metal")
    sheet = trees.CPUS[POINTS.index(point) % len(trees.CPUS)]
    wanted = trees.meant(point.subject, point.length)
    trees.same_bits(trees.on_cpu(point.subject, point.length, sheet), wanted, sheet.name)


@pytest.mark.parametrize("subject", trees.SUBJECTS)
def test_the_reference_map_has_the_same_tree(subject):
    wanted = trees.meant(subject, 4097)
    found = trees.on_cpu(subject, 4097, HOST_SHEET, REFERENCE)
    trees.same_bits(found, wanted, "reference map")


def test_the_sample_meets_every_plan():
    assert {point.subgroups for point in POINTS} == {1, 2, 4}
    assert {point.packed for point in POINTS} == set(trees.PACKS)
    assert {point.length for point in POINTS} == set(trees.LENGTHS)
    assert {point.unroll for point in POINTS} == set(trees.UNROLLS)
    packs = [(point.rows, point.packed) for point in POINTS if point.packed > 1]
    assert all(rows > packed and rows % packed for rows, packed in packs)


def test_legal_plans_are_those_of_the_tree():
    for subject in trees.SUBJECTS:
        assert {subgroups for subgroups, _ in trees.legal(subject, 8193)} == {1, 2, 4}
    for packed in trees.PACKS:
        fits = 4 * packed * METAL.lanes <= METAL.max_threads
        assert ((4, packed) in trees.legal("add", 8193)) == fits
    case = trees.case_of("add", 8193)
    wide = case.plan(case.regions[0], METAL, options=Options(lane_elements=2))
    assert wide.mapping is None
    assert wide.refusals[0].rule == "lane_elements"
    three = case.plan(case.regions[0], METAL, options=Options(threads=96))
    assert three.mapping is None
    assert three.declined.code == "threads"


def test_the_planners_own_choice_has_the_same_tree():
    for subject in ("add", "logsumexp"):
        case = trees.case_of(subject, 8193)
        for sheet in (METAL, CUDA_SM90, HOST_SHEET):
            ran = case.copy()
            for report in ran.run_machine(ran.lower(sheet)):
                assert report.ok, report
            trees.same_bits(ran.outputs(), trees.meant(subject, 8193), sheet.name)


def test_another_tree_has_other_bits():
    """The inputs tell trees apart: NumPy's own sum differs."""
    for length in (257, 4097):
        found = trees.meant("add", length)["y"]
        plain = trees.spread(length).cumsum(axis=1, dtype=np.float32)[:, -1]
        assert (found != plain).any()


@pytest.mark.parametrize("subject", trees.SUBJECTS)
def test_a_target_that_divides_in_its_own_way_refuses(subject):
    """Quotients and roots of leaves, of a law, and of portable functions; nothing else."""
    sheet = replace(METAL, name="rough", exact_division=False)
    case = trees.case_of(subject, 257)
    found = case.plan(case.regions[0], sheet)
    divides = subject not in ("add", "mul", "maximum", "argmax", "add_i32")
    assert (found.mapping is None) == divides
    assert [refusal.rule for refusal in found.refusals] == ["exact_division"] * divides
    off = case.plan(case.regions[0], sheet, options=Options(subgroup_reductions="off"))
    assert (off.mapping is None) == divides
