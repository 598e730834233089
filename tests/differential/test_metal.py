"""Whole kernels as Metal text against the interpreter: numbers and no finding, under many plans.

A pairwise sample: every mapping meets every length, every kernel several of both.
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from certile.analysis.fences import second_fences
from certile.analysis.rows import analyse
from certile.diagnostics import Refusal
from certile.ir.dtypes import bf16, f16, f32, i32, i64
from certile.ir.machine import Barrier
from certile.ir.tile import View
from certile.plan.mapping import Mapping
from certile.plan.record import GroupPlan, Options
from certile.reference.machine_numeric import storage
from certile.runtime import metal_sim
from certile.runtime.launching import scalar_argument
from certile.targets.metal import METAL
from tests import kernels
from tests.differential.harness import Case
from tests.metal_units import Unit, ulps

PROGRAMS = 5
LENGTHS = (1, 31, 33, 257, 1025, 4097)
# (subgroups a program, programs a group, lane elements, unroll); None: the reference map.
MAPPINGS = (
    (1, 1, 1, 1),
    (1, 4, 2, 1),
    (3, 1, 1, 2),
    (2, 2, 4, 1),
    (3, 2, 8, 2),
    (8, 1, 2, 4),
    (4, 1, 1, 1),
    None,
)
EPS = 2.0**-24


@dataclass(frozen=True)
class Subject:
    """A kernel and what its results may differ by, in units of the last place of a magnitude.

    `scale` is that magnitude: "element", the result's own; "one", that of the data, where terms
    cancel; "sum", the sum of the data's magnitudes, where the order of a sum is free.
    """

    name: str
    kernel: object
    units: int = 0
    scale: str = "element"


def summing(policy):
    free = policy == "unordered_tree"
    kernel = kernels.sum_rows(policy=policy)
    return Subject(f"sum_{policy}", kernel, 16 if free else 0, "sum" if free else "element")


SUBJECTS = (
    Subject("softmax", kernels.softmax(), 8),
    Subject("softmax_f16", kernels.softmax(f16), 1),
    Subject("softmax_bf16", kernels.softmax(bf16), 1),
    Subject("softmax_ordered", kernels.softmax(policy="ordered_tree"), 8),
    Subject("layer_norm", kernels.layer_norm(), 16, "one"),
    Subject("layer_norm_bf16", kernels.layer_norm(bf16, residual=True, two_outputs=True), 1),
    Subject("rms_norm", kernels.rms_norm(), 8),
    Subject("cross_entropy", kernels.cross_entropy(), 16, "one"),
    *map(summing, ("ordered_tree", "reproducible", "unordered_tree")),
    Subject("sum_i32", kernels.sum_rows(i32)),
    Subject("argmax", kernels.argmax()),
    Subject("min_max", kernels.min_max()),
    Subject("mean_var", kernels.mean_var(), 16, "one"),
    Subject("logsumexp", kernels.logsumexp(), 8),
    Subject("gelu", replace(kernels.gelu(), math="portable")),
    Subject("scale_in_place", kernels.scale_in_place()),
    Subject("serial_sum", kernels.serial_sum()),
    Subject("serial_reduction", kernels.serial_reduction(), 16, "sum"),
    *map(summing, ("fold_left", "fold_right")),
    Subject("serial_tile", kernels.serial_tile()),
)
# What only the reference map takes: leaves in one order, and a carried row.
ONE_PROGRAM_A_LANE = ("sum_fold_left", "sum_fold_right", "serial_tile")
# Idle programs of a cooperating group repeat a row, which shows here; planning leaves them out.
ONE_PROGRAM_A_GROUP = ("scale_in_place", "serial_reduction")


def sample():
    """Each subject with four mappings and four lengths, spread so that all pairs of those occur."""
    for number, subject in enumerate(SUBJECTS):
        for turn in range(4):
            mapping = MAPPINGS[7 * (number + turn) % 8]
            if subject.name in ONE_PROGRAM_A_LANE:
                mapping = None
            elif subject.name in ONE_PROGRAM_A_GROUP and mapping is not None:
                mapping = (mapping[0], 1, *mapping[2:])
            length = LENGTHS[(5 * number + turn + (4 * number + turn) // 8) % 6]
            yield subject, mapping, length


def arguments(subject, length):
    """Random rows; outputs start as NaN or -1, so that what is not written shows."""
    rng = np.random.default_rng(length)
    made = {}
    for parameter in subject.kernel.params:
        if not isinstance(parameter, View):
            made[parameter.name] = 3.0
            continue
        row = length if parameter.name in ("weight", "bias") else PROGRAMS
        shape = {1: (row,), 2: (PROGRAMS, length), 3: (4, PROGRAMS, length)}[parameter.rank]
        if parameter.name == "labels":
            made["labels"] = rng.integers(0, length, shape)
        elif parameter.dtype in (i32, i64):
            array = rng.integers(-(2**31), 2**31, shape).astype(storage(parameter.dtype))
            made[parameter.name] = array
        else:
            made[parameter.name] = rng.standard_normal(shape).astype(storage(parameter.dtype))
    for view in subject.kernel.outputs:
        if subject.name != "scale_in_place":
            made[view.name][...] = np.nan if view.dtype.is_float else -1
    if subject.name in ("argmax", "min_max", "softmax"):
        made["x"][1, length // 2] = np.nan
    return made


class Aligned(Case):
    """A case under exactly the mapping given, whose rows are known to be aligned where they are."""

    def plan(self, region, sheet, mapping=None, materialization=None, options=None):
        plan = GroupPlan(None, sheet, Options(), self.programs(region), mapping, None)
        if mapping.family == "reference":
            return plan
        rows = analyse(self.specialised, region, target_kind=sheet.kind)
        assert not isinstance(rows, Refusal), rows
        cooperating = mapping.subgroups_per_program > 1
        return replace(plan, rows=rows, second_fences=second_fences(rows.steps) * cooperating)

    def facts(self):
        def alignment(view):
            array = self.arguments[view]
            rows = [step for step in array.strides if step != array.itemsize]
            return 16 if all(step % 16 == 0 for step in rows) else array.itemsize

        return {
            view: replace(known, alignment=alignment(view))
            for view, known in super().facts().items()
        }


@dataclass(frozen=True)
class Made:
    """One case of the sample, lowered."""

    subject: Subject
    case: Case
    launch: object
    plan: object


def make(number, subject, mapping, length):
    case = Aligned(subject.kernel, arguments(subject, length))
    chosen = Mapping("reference") if mapping is None else Mapping("subgroup", *mapping)
    if subject.name == "sum_reproducible" and mapping is not None:
        # The tree of this policy has 128 accumulators: one, two or four subgroups hold them.
        chosen = replace(chosen, lane_elements=1, subgroups_per_program=min(4, mapping[0] & 6 or 1))
    ((plan, launch),) = case.lower(METAL, chosen)
    return Made(subject, case, replace(launch, kernel=named(launch.kernel, number)), plan)


def named(kernel, number):
    return replace(kernel, name=f"{kernel.name}_{number}")


CASES = tuple(sample())


def shown(case):
    subject, mapping, length = case
    return f"{subject.name}-{'ref' if mapping is None else ','.join(map(str, mapping))}-{length}"


@pytest.fixture(scope="module")
def made():
    return [make(number, *case) for number, case in enumerate(CASES)]


@pytest.fixture(scope="module")
def unit(made):
    return Unit([case.launch.kernel for case in made])


def run_both(unit, case, seed):
    """The outputs of both runs, by name."""
    launch, arrays = case.launch, case.case.arguments
    buffers = {name: np.ascontiguousarray(arrays[name]).reshape(-1) for name in launch.buffers}
    names = [parameter.name for parameter in launch.kernel.scalars]
    scalars = dict(zip(names, case.case.scalars(launch), strict=True))
    ours, theirs = unit.both(launch.kernel.name, buffers, scalars, case.plan.programs, seed)
    return {view.name: (ours[view.name], theirs[view.name]) for view in case.case.kernel.outputs}


@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda n: shown(CASES[n]))
def test_kernels(unit, made, number):
    case = made[number]
    for name, (ours, theirs) in run_both(unit, case, seed=number % 3).items():
        assert close(case.subject, case.case, ours, theirs), name


def close(subject, case, ours, theirs):
    """Whether two outputs agree as far as the kernel's operations fix them."""
    if subject.scale == "element":
        return ulps(ours, theirs) <= subject.units
    size = np.abs(theirs).max()
    if subject.scale == "sum":
        size = np.abs(case.arguments["x"]).sum(axis=-1, dtype=np.float64).max()
    error = np.abs(ours.astype(np.float64) - theirs.astype(np.float64))
    return bool(np.all(error <= subject.units * EPS * max(1.0, size)))


def test_the_sample_is_pairwise():
    pairs = {(mapping, length) for _, mapping, length in CASES}
    assert pairs >= {(mapping, length) for mapping in MAPPINGS for length in LENGTHS}


def test_a_wrong_number_is_seen(unit, made):
    """The comparison can fail: one element of the input is changed for one of the two."""
    case = next(m for m in made if m.subject.name == "sum_ordered_tree")
    ((ours, theirs),) = run_both(unit, case, 0).values()
    assert close(case.subject, case.case, ours, theirs)
    moved = theirs + np.float32(2**-20)
    assert not close(case.subject, case.case, ours, moved)


def without_barriers(block):
    return replace(
        block, operations=tuple(o for o in block.operations if not isinstance(o, Barrier))
    )


def test_a_missing_barrier_is_found(made):
    """The reports can be bad: the same kernel without its barriers."""
    case = next(m for m in made if m.subject.name == "layer_norm" and _shares(m))
    kernel = replace(case.launch.kernel, body=without_barriers(case.launch.kernel.body))
    broken = Unit([kernel])
    buffers = {n: a.reshape(-1).copy() for n, a in case.case.arguments.items()}
    names = [parameter.name for parameter in kernel.scalars]
    scalars = dict(zip(names, case.case.scalars(case.launch), strict=True))
    report = broken.run(kernel.name, buffers, scalars, case.plan.programs)
    assert report.races or report.uninitialised


def _shares(case):
    body = case.launch.kernel.body
    return any(isinstance(operation, Barrier) for operation in body.operations)


def test_the_target_runs_an_artifact(unit, made):
    case = next(m for m in made if m.subject.name == "rms_norm")
    artifact = unit.artifacts[case.launch.kernel.name]
    arrays = [case.case.arguments[name].reshape(-1).copy() for name in case.launch.buffers]
    scalars = case.case.scalars(case.launch)
    report = metal_sim.run(artifact, arrays, scalars, case.plan.programs)
    assert report.ok
    x, y = case.case.arguments["x"].astype(np.float64), arrays[case.launch.buffers.index("y")]
    wanted = x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-6)
    wanted = wanted * case.case.arguments["weight"]
    np.testing.assert_allclose(y.reshape(x.shape), wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())
    assert metal_sim.run(artifact, arrays, scalars, 0) is None


def test_scalars_keep_their_type():
    assert scalar_argument(1.0, bf16).tolist() == [0x3F80]
    assert scalar_argument(1.00390625, bf16).tolist() == [0x3F80]
    assert scalar_argument(float("nan"), bf16).tolist() == [0x7FC0]
    assert scalar_argument(3, i64).dtype == np.int64
    assert scalar_argument(0.5, f32).dtype == np.float32
