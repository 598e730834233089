"""The bound that a plan states, and the walk through its tree behind it."""

import math

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.dtypes import f32, i32
from certile.ir.tile import Reduce
from certile.ir.walk import parallel_regions, specialise, values
from certile.plan.choose import choose
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from certile.plan.rounding.bounds import rounding_of
from certile.plan.rounding.trees import walked
from certile.plan.text import plan_text
from certile.reference.merges import parts_of
from certile.reference.trees import Tree
from certile.targets.cpu import CPU_AVX2
from certile.targets.cuda import CUDA_SM90
from tests import kernels


def plan(kernel, length, sheet=CUDA_SM90):
    made = specialise(kernel, {view.name: (8, length)[: view.rank] for view in kernel.views})
    return choose(made, parallel_regions(made)[0], 8, sheet, Options(policy="analytic"))


def node(length, policy="unordered_tree", law=laws.MEAN_VAR):
    kernel = kernels.mean_var(policy=policy) if law == laws.MEAN_VAR else kernels.sum_rows(law=law)
    made = specialise(kernel, {view.name: (8, length)[: view.rank] for view in kernel.views})
    return next(at for at in values(made) if isinstance(at, Reduce))


def merged(a, b):
    """The definition, for one merge of (elements, drift, coupling, weight)."""
    if a[0] == 0 or b[0] == 0:
        return a if b[0] == 0 else b
    share = b[0] / (a[0] + b[0])
    heavy = a[0] * share
    drift = (1 - share) * a[1] + share * b[1] + 2 + 6 * share
    return a[0] + b[0], drift, a[2] + b[2] + heavy * (a[1] + b[1]) ** 2, a[3] + b[3] + heavy


LEAF, NOTHING = (1, 0.0, 0.0, 0.0), (0, 0.0, 0.0, 0.0)


def balanced(states):
    states = list(states)
    while len(states) > 1:
        pairs = [merged(a, b) for a, b in zip(states[::2], states[1::2], strict=False)]
        states = pairs + states[len(states) & ~1 :]
    return states[0]


def by_hand(length, lanes, mapping):
    """The tree of the subgroup family, one merge after the other, as lowering writes it."""
    parts, width, held = (
        mapping.subgroups_per_program,
        mapping.lane_elements,
        mapping.accumulators,
    )
    workers = lanes * parts
    owned = [[NOTHING] * held for _ in range(workers)]
    for element in range(length):
        chunk, worker = divmod(element // width, workers)
        owned[worker][chunk % held] = merged(owned[worker][chunk % held], LEAF)
    states = [balanced(each) for each in owned]
    return balanced(balanced(states[s * lanes : (s + 1) * lanes]) for s in range(parts))


@pytest.mark.parametrize("length", [1, 31, 64, 700])
@pytest.mark.parametrize(
    "mapping",
    [
        Mapping("subgroup"),
        Mapping("subgroup", accumulators=4),
        Mapping("subgroup", 4, 1, 2),
        Mapping("subgroup", 2, 1, 4),
    ],
    ids=str,
)
def test_the_walk_is_the_tree_that_is_built(length, mapping):
    found = walked(node(length), mapping, 8, 1, swept=length)
    _, _, coupling, weight = by_hand(length, 8, mapping)
    assert found.coupling == pytest.approx(coupling)
    assert found.weight == pytest.approx(weight)


@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "reproducible"])
@pytest.mark.parametrize(
    "mapping",
    [
        Mapping("subgroup", accumulators=2, block=4),
        Mapping("subgroup", 2, 1, 4, block=8),
        Mapping("subgroup", 4, 1, 2),
        Mapping("columns", rows_at_once=4),
        Mapping("reference"),
    ],
    ids=str,
)
@pytest.mark.parametrize("length", [1, 63, 1000, 9001])
def test_every_tree_has_all_leaves_and_no_more_weight_than_any(policy, mapping, length):
    """The walk itself checks its number of leaves."""
    found = walked(node(length, policy), mapping, 16, 64, swept=length)
    most = Tree.any_of(length, length)
    assert found.weight <= most.weight
    assert found.drift <= most.drift


def test_a_serial_fold_weighs_what_its_definition_says():
    """Each merge of j elements with one weighs j / (j + 1)."""
    length = 500
    found = walked(node(length, "fold_left"), Mapping("reference"), 8, length, swept=length)
    assert found.weight == pytest.approx(math.fsum(j / (j + 1) for j in range(1, length)))


def test_a_plan_states_the_bound_of_each_reduction():
    made = plan(kernels.softmax(), 1000)
    most, total = (rounding_of(made, each) for each in made.rows.reductions)
    assert (most.formula, most.constant) == ("exact", 0)
    assert total.formula == f"s: g({total.depth}) sum |x|"
    assert total.to_json() == {
        "depth": total.depth,
        "dtype": "f32",
        "constant": 1.0,
        "formula": total.formula,
    }
    assert f"rounding     {total}" in plan_text(made)


def test_a_bound_follows_the_depth_of_its_plan():
    x = np.random.default_rng(0).random((1, 4096)).astype(np.float32)
    found = [
        rounding_of(made, made.rows.reductions[0])
        for made in (plan(kernels.sum_rows(), 4096), plan(kernels.sum_rows(), 4096, CPU_AVX2))
    ]
    (shallow,), (deep,) = (each.bound(x) for each in sorted(found, key=lambda each: each.depth))
    assert shallow < deep
    unit = 2.0**-24
    for stated in found:
        (bound,) = stated.bound(x)
        assert stated.depth * unit * x.sum(dtype=np.float64) <= bound
        assert bound <= 1.01 * (stated.depth + 4) * unit * x.sum(dtype=np.float64)


@pytest.mark.parametrize("kernel", [kernels.sum_rows(i32), kernels.least_in_order()])
def test_where_no_bound_is_stated_there_is_none(kernel):
    made = plan(kernel, 64)
    for each in made.rows.reductions:
        stated = rounding_of(made, each)
        assert stated is None or stated.formula == "exact"


def test_laws_that_are_understood():
    known = {name for name, law in laws.BUILTIN.items() if parts_of(law) is not None}
    assert {"mean_var", "sum_var", "logsumexp", "softmax_sum", "add", "absmax"} <= known
    assert {"mul", "argmax", "any", "affine"}.isdisjoint(known)


def test_a_sum_that_subtracts_at_merges_is_not_understood():
    """A merge that cancels is exact over the reals, and rounds by more than a bound knows."""
    from dataclasses import replace

    from certile.ir.terms import app

    law = laws.SUM_VAR
    assert parts_of(replace(law, name="same", closed=_closed(law))) is not None
    there_and_back = app("sub", app("add", law.merge[2], 1e6), 1e6)
    spoiled = replace(law, merge=(*law.merge[:2], there_and_back), closed=_closed(law))
    assert parts_of(spoiled) is None


def _closed(law):
    from certile.ir.meanings import closed_forms

    return closed_forms(law)


def test_the_accumulation_decides_the_unit():
    made = plan(kernels.sum_rows(), 64)
    assert rounding_of(made, made.rows.reductions[0]).dtype == f32
