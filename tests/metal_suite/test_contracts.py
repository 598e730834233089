"""What switches the family of subgroup reductions on: the option, the target, and no aliasing."""

from dataclasses import replace

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import ArgumentError, KernelError
from certile.plan.choose import required
from certile.plan.options import Options
from certile.targets import SHEETS
from certile.targets.metal import METAL
from tests import kernels
from tests.metal_suite.suite import Request, Suite, asked, blank, normal

ROWS, COLUMNS = 6, 1000


def row_sums(policy="unordered_tree", **options):
    arguments = {"x": normal(ROWS, COLUMNS), "y": blank(ROWS)}
    return Request(kernels.sum_rows(policy=policy), arguments, asked(**options))


# The option gives permission to search, never permission to reorder.


def test_nothing_asked_for_means_subgroups_where_they_are_proved():
    for options in (Options(), Options(policy="analytic")):
        request = row_sums()
        request.options = options
        assert request.plan().mapping.family == "subgroup"


@pytest.mark.parametrize("switch", ["auto", "on", "off"])
def test_the_switch(switch):
    plan = row_sums(subgroup_reductions=switch).plan()
    assert plan.mapping.family == ("reference" if switch == "off" else "subgroup")
    assert (plan.declined.code if plan.declined else None) == ("off" if switch == "off" else None)


@pytest.mark.parametrize("policy", ["fold_left", "fold_right"])
def test_an_order_that_was_asked_for_is_kept_or_refused(policy):
    plan = row_sums(policy).plan()
    assert plan.mapping.family == "reference"
    assert [refusal.rule for refusal in plan.refusals] == ["reduction_type"]
    bound = row_sums(policy, subgroup_reductions="on").plan()
    assert bound.mapping is None
    with pytest.raises(KernelError, match=r"P004.*reduction_type"):
        required(bound)


@pytest.mark.parametrize(
    "options",
    [{"lane_elements": 3}, {"unroll": 0}, {"threads": 0}, {"max_threads": 2048}, {"alpha": -1.0}],
    ids=str,
)
def test_a_value_outside_its_domain_is_an_error(options):
    with pytest.raises(ArgumentError, match="P001"):
        row_sums(**options).plan()


# The target.


def test_every_target_with_subgroups_has_the_family():
    for name in ("metal", "cuda-sm90", "cpu-avx2"):
        assert row_sums().plan(SHEETS[name]).mapping.family == "subgroup"


def test_a_target_of_an_unknown_kind_is_refused():
    plan = row_sums().plan(replace(METAL, kind="other"))
    assert plan.mapping.family == "reference"
    assert [refusal.rule for refusal in plan.refusals] == ["target_binding"]


def test_a_smaller_device_is_obeyed():
    small = row_sums(max_threads=64).plan()
    assert max(c.mapping.subgroups_per_program for c in small.candidates) == 2
    assert row_sums().plan(replace(METAL, max_threads=96)).threads <= 96


# No aliasing: read-only arguments are read late, which only separate memory allows.


@ct.tile_kernel
def centred(x: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        row = x[r, cols]
        y[r, cols] = row - ct.reduce(row, cols, ct.maximum)


def test_arguments_that_overlap_are_refused_before_anything_runs():
    memory = np.arange(80, dtype=np.float32).reshape(2, 40)
    before = memory.copy()
    with ct.target("metal-sim"), pytest.raises(ct.ArgumentError, match="A005"):
        centred(memory[:, :20], memory[:, 10:30])
    np.testing.assert_array_equal(memory, before)


def test_one_array_given_twice_is_one_view_that_is_read_in_time():
    memory = np.arange(80, dtype=np.float32).reshape(2, 40)
    expected = memory - memory.max(axis=1, keepdims=True)
    with ct.target("metal-sim"):
        centred(memory, memory)
    np.testing.assert_array_equal(memory, expected)


def test_separate_arguments_are_declared_so():
    suite = Suite({"sum": row_sums()})
    head = "\n".join(suite["sum"].body[:8])
    assert "device const float* p_x" in head
    assert "device float* p_y" in head
    buffers = suite["sum"].machine.buffers
    assert [(b.name, b.written) for b in buffers] == [("x", False), ("y", True)]
