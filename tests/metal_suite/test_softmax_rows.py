"""Softmax of 3 rows of 4096: the width of least cost, the stripe it needs, every element."""

import re

import numpy as np
import pytest

from certile.ir.machine import Barrier, Collective
from tests import kernels
from tests.metal_suite.suite import Request, Suite, blank, normal, times, unconditional

ROWS, COLUMNS = 3, 4096
# What the published model of cost says: rounds, collectives and setup, and what a worker may keep.
ALPHA, BETA, GAMMA, BUDGET = 1, 2, 16, 64


def cheapest_width():
    """The least cost over all widths, counted without the planner: two domains, two reductions.

    One row of exponentials is kept.  Ties go to the narrower.
    """
    scores = {}
    for width in range(1, 33):
        share = -(-COLUMNS // (32 * width))
        if share <= BUDGET:
            scores[width] = ALPHA * 4 * share + BETA * 2 * width + GAMMA
    return min(scores, key=lambda width: (scores[width], width)), scores


@pytest.fixture(scope="module")
def suite():
    arguments = {"x": 4 * normal(ROWS, COLUMNS), "y": blank(ROWS, COLUMNS)}
    return Suite({"softmax": Request(kernels.softmax(), arguments)})


def test_the_width_is_the_one_of_least_cost(suite):
    width, scores = cheapest_width()
    plan = suite["softmax"].plan
    assert suite["softmax"].mapping == (width, 1)
    assert plan.score == scores[width]
    assert {c.mapping.subgroups_per_program: c.score for c in plan.candidates} == scores
    assert plan.mapping.subgroups_per_program > 1


def test_a_worker_keeps_exactly_its_share_and_no_row(suite):
    made = suite["softmax"]
    share = -(-COLUMNS // made.plan.workers)
    assert sum(made.stripes().values()) == made.plan.stripe_scalars == share
    declared = re.findall(r"\bfloat \w+\[(\d+)\];", "\n".join(made.body))
    assert sorted(map(int, declared)) == sorted([share, *[made.mapping[0]] * 2])
    assert f"[{COLUMNS}]" not in made.artifact.text


def test_both_reductions_are_collectives(suite):
    made = suite["softmax"]
    assert len(made.plan.rows.reductions) == 2
    assert times(made.machine, lambda o: isinstance(o, Collective)) == 4
    assert times(made.machine, lambda o: isinstance(o, Barrier)) == 2
    assert "simd_max(" in made.artifact.text
    assert unconditional(made, "simd_sum(") == 2
    assert unconditional(made, "threadgroup_barrier(") == 2


def test_every_element_is_right(suite):
    x = suite["softmax"].request.arguments["x"].astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    want = e / e.sum(axis=1, keepdims=True)
    for seed in (0, 1):
        result = suite.run("softmax", seed=seed)["y"]
        # Of the argument of exp, whose size is below 32; of exp; of a tree of 13 + 14 levels.
        assert (np.abs(result - want) <= (32 + 8 + 27) * 2.0**-24 * want + 2.0**-149).all()
