"""Fourteen more layouts of a softmax row of 4099; every legal candidate is asked what it costs."""

from dataclasses import dataclass, field

import pytest

from certile.diagnostics import ArgumentError
from certile.ir.machine import Collective
from certile.plan.cost.analytic import AnalyticPolicy
from tests import kernels
from tests.differential import oracles
from tests.metal_suite.suite import (
    Request,
    Suite,
    asked,
    blank,
    normal,
    times,
    unconditional,
)

ROWS, COLUMNS = 5, 4099
BUDGET = 64
WIDTHS = ("automatic", 96, 160, 224, 288, 512, 1024)
LAYOUTS = tuple((v, width) for v in (1, 4) for width in WIDTHS)


@dataclass
class Recorder:
    """A backend's own policy: it notes what it is asked about, and scores like the analytic one."""

    seen: list = field(default_factory=list)

    def score(self, facts):
        self.seen.append(facts)
        return AnalyticPolicy().score(facts)


def share(workers, lane_elements):
    """The slots of the longest worker."""
    chunk = workers * lane_elements
    return COLUMNS // chunk * lane_elements + min(COLUMNS % chunk, lane_elements)


def legal(lane_elements, width):
    """Every (S, Q, V) that fits, counted without the planner."""
    found = set()
    for subgroups in range(1, 33) if width == "automatic" else [width // 32]:
        if share(32 * subgroups, lane_elements) <= BUDGET:
            # Programs of one subgroup may be packed, when no group is asked for.
            most = min(ROWS, 8) if subgroups == 1 and width == "automatic" else 1
            found |= {(subgroups, packed, lane_elements) for packed in range(1, most + 1)}
    return found


def request(lane_elements, width, **more):
    options = {"lane_elements": lane_elements} | more
    if width != "automatic":
        options["threads"] = width
    arguments = {"x": normal(ROWS, COLUMNS), "y": blank(ROWS, COLUMNS)}
    return Request(kernels.softmax(), arguments, asked(**options), Recorder())


@pytest.fixture(scope="module")
def suite():
    return Suite({layout: request(*layout) for layout in LAYOUTS})


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_a_layout_owns_every_element_once(suite, layout):
    lane_elements, width = layout
    made = suite[layout]
    assert made.plan.mapping.lane_elements == lane_elements
    assert width == "automatic" or made.artifact.threads == width
    kept = share(made.plan.workers, lane_elements)
    assert sum(made.stripes().values()) == made.plan.stripe_scalars == kept
    shared = made.plan.mapping.subgroups_per_program > 1
    assert times(made.machine, lambda o: isinstance(o, Collective)) == 2 * (1 + shared)
    assert unconditional(made, "simd_sum(") == 1 + shared
    assert "simd_max(" in made.artifact.text
    given = made.request.arguments
    for seed in (0, 1):
        oracles.check("softmax", given, suite.run(layout, seed=seed)["y"], kept + 14)
    x = given["x"] * 0
    x[range(ROWS), [0, COLUMNS - 1, COLUMNS - 4, 96 * lane_elements, 2048]] = 1000
    hot = given | {"x": x}
    assert (suite.run(layout, hot)["y"] == oracles.exact("softmax", hot)).all()


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_every_legal_candidate_reaches_the_policy(suite, layout):
    made = suite[layout]
    seen = [
        (
            facts.mapping.subgroups_per_program,
            facts.mapping.programs_per_group,
            facts.mapping.lane_elements,
        )
        for facts in made.request.policy.seen
    ]
    assert len(seen) == len(set(seen)) == made.plan.considered
    assert set(seen) == legal(*layout)
    rejected = {no.subgroups_per_program for no in made.plan.rejected}
    assert not rejected & {subgroups for subgroups, _, _ in seen}


def test_a_policy_of_ones_own_decides(suite):
    class Widest:
        def score(self, facts):
            score = AnalyticPolicy().score(facts)
            return type(score)(32.0 - facts.mapping.subgroups_per_program, 0.0, {})

    widest = request(1, "automatic")
    widest.policy = Widest()
    assert widest.plan().mapping.subgroups_per_program == 32
    assert suite[1, "automatic"].mapping[0] < 32


@pytest.mark.parametrize("budget", [1, 31])
def test_a_search_that_is_too_large_is_refused_and_not_cut_short(budget):
    with pytest.raises(ArgumentError) as caught:
        request(1, "automatic", max_thread_candidates=budget).plan()
    assert caught.value.code == "P002"
    assert request(1, 96, max_thread_candidates=1).plan().considered == 1
