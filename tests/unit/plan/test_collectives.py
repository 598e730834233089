"""Reductions inside a bound group: one subgroup an output, where a collective may serve."""

import pytest

from certile.analysis.groups import collective_refusal
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f64
from certile.ir.tile import Reduce
from certile.plan.group.counts import collective_batches, useful_threads


def reduction(law=laws.ADD, **options) -> Reduce:
    b = Builder("collectives")
    rows, cols = b.axis("rows", 32), b.axis("cols", 100)
    x = b.view("x", rank=2)
    with b.parallel(rows):
        made = b.reduce(b.load(x, rows, cols), cols, law, **options)
    assert isinstance(made, Reduce)
    return made


def test_batches_of_32_outputs():
    assert collective_batches(32, 64) == 16
    assert collective_batches(32, 1024) == 1
    assert collective_batches(33, 1024) == 2


@pytest.mark.parametrize("threads", [16, 48, 100])
def test_a_group_that_is_no_whole_number_of_subgroups_has_no_batches(threads):
    assert collective_batches(32, threads) is None


def test_work_is_a_subgroup_an_output_where_lanes_work_together():
    assert useful_threads(8, 1024, 32) == 256
    assert useful_threads(64, 1024, 32) == 1024
    assert useful_threads(8, 1024, 1) == 8


@pytest.mark.parametrize("policy", ["ordered_tree", "fold_left", "fold_right", "reproducible"])
def test_an_ordered_policy_is_never_a_collective(policy):
    assert collective_refusal(reduction(), "metal") is None
    refusal = collective_refusal(reduction(policy=policy), "metal")
    assert refusal.rule == "reduction_type"
    assert policy in refusal.missing


def test_the_matcher_is_that_of_single_reductions():
    assert collective_refusal(reduction(init=[-0.0]), "metal").rule == "canonical_state"
    assert (
        collective_refusal(reduction(laws.MAXIMUM, init=[0.0]), "metal").rule == "canonical_state"
    )
    # A state of several components is exchanged by shuffles.
    assert collective_refusal(reduction(laws.ARGMAX), "metal") is None
    assert collective_refusal(reduction(accumulate=f64), "metal").rule == "reduction_type"
