"""Cost policies of a caller's: what they choose, what they may not do, and how they are kept."""

import dataclasses

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import ArgumentError, KernelError
from certile.plan.record import Options

X = np.random.default_rng(0).standard_normal((3, 5000)).astype(np.float32)


def sums(**options):
    @ct.tile_kernel(**options)
    def total(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, ct.add)

    return total


class Wanted:
    """Prefers one width; remembers what it saw."""

    def __init__(self, width, scored=None):
        self.width, self.scored, self.seen = width, scored, []

    def score(self, facts):
        self.seen.append(facts)
        if self.scored is not None:
            return self.scored
        return abs(facts.mapping.subgroups_per_program - self.width)


@dataclasses.dataclass
class Equal(Wanted):
    """A policy that equals every other and has no hash."""

    width: int
    seen: list = dataclasses.field(default_factory=list, compare=False)
    scored: float | None = None

    def __eq__(self, other):
        return True


def plan_of(kernel, plan=None):
    y = np.zeros(3, np.float32)
    prepared = kernel.prepare(X, y, plan=plan)
    prepared()
    np.testing.assert_allclose(y, X.sum(axis=1, dtype=np.float64), atol=1e-3)
    return prepared.plans[0]


@pytest.mark.parametrize("kind", [Wanted, Equal])
@pytest.mark.parametrize("width", [1, 3])
def test_a_policy_chooses_among_legal_candidates(kind, width):
    policy = kind(width)
    with ct.target("metal-sim"):
        plan = plan_of(sums(), {"policy": policy})
    assert plan.mapping.subgroups_per_program == width
    assert plan.options.policy.scorer is policy
    assert {facts.mapping for facts in policy.seen} >= {c.mapping for c in plan.candidates}
    assert all(isinstance(facts, ct.CandidateFacts) for facts in policy.seen)
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.seen[0].threads = 1


def test_a_kernel_has_a_policy_for_every_call():
    policy, other = Wanted(2), Wanted(4)
    kernel, y = sums(policy=policy), np.zeros(3, np.float32)
    with ct.target("metal-sim"):
        kernel(X, y)
        asked = len(policy.seen)
        assert asked
        kernel(X, y)
        assert len(policy.seen) == asked
        assert kernel.compilations == 1
        assert plan_of(kernel).mapping.subgroups_per_program == 2
        assert plan_of(kernel, {"policy": other}).mapping.subgroups_per_program == 4
        assert plan_of(kernel, {"unroll": 2}).mapping.subgroups_per_program == 2
        assert plan_of(sums(policy="analytic")).options.policy == "analytic"
    np.testing.assert_allclose(y, X.sum(axis=1, dtype=np.float64), atol=1e-3)


def test_plans_are_kept_by_the_identity_of_the_policy():
    first, second = Equal(1), Equal(1)
    assert Options(policy=first) == Options(policy=first)
    assert hash(Options(policy=first)) == hash(Options(policy=first))
    assert Options(policy=first) != Options(policy=second)
    kernel = sums()
    for policy in (first, second):
        plan_of(kernel, {"policy": policy})
        assert policy.seen


@pytest.mark.parametrize("target", ["cpu", "metal-sim", "null"])
@pytest.mark.parametrize(
    "scored",
    [
        *(float("nan"), float("inf"), -1, -1e-300, True, "3"),
        ct.Score(1.0, float("nan"), {}),
        ct.Score(-1.0, 1.0, {}),
    ],
)
def test_a_score_that_orders_nothing_is_an_error_of_the_compile(scored, target):
    y = np.full(3, np.nan, np.float32)
    with ct.target(target), pytest.raises(KernelError, match="Wanted scored") as raised:
        sums().prepare(X, y, plan={"policy": Wanted(1, scored)})
    assert raised.value.code == "P003"
    assert np.isnan(y).all()


@pytest.mark.parametrize("wrong", ["fastest", 3, Wanted, None, object()])
def test_what_is_no_policy(wrong):
    with pytest.raises(ArgumentError, match="policy") as raised:
        sums().prepare(X, np.zeros(3, np.float32), plan={"policy": wrong})
    assert raised.value.code == "A009"
    if wrong is not None:
        with pytest.raises(ArgumentError, match="policy"):
            sums(policy=wrong)
