"""Six hundred sampled plans as Metal text: no finding, and the values of the program."""

import pytest

from tests.metal_suite.sampled import COUNT, OPS, UNIT, one_hot, sample
from tests.metal_suite.suite import Suite


@pytest.mark.parametrize("number", range(COUNT // UNIT))
def test_a_hundred_plans(number):
    plans = sample()[UNIT * number : UNIT * (number + 1)]
    suite = Suite({str(plan): plan.request() for plan in plans})
    for seed, plan in enumerate(plans):
        check(suite, str(plan), seed % 3)


def check(suite, name, seed):
    """Integers, then one element a row; both exact wherever the operation is."""
    request = suite[name].request
    for given in (request.arguments, one_hot(request, suite[name].plan.mapping)):
        found = suite.judge(name, given, suite.run(name, given, seed))
        assert found, f"{name}: {found.worst}"
        # A code of a row may round either way when its quotient lies between two of them.
        quantised = "quantize" in name
        assert found.unchecked * 2 <= quantised * found.elements, name


def test_the_sample_is_wide():
    plans = sample()
    assert len(set(plans)) == len(set(map(str, plans))) == COUNT
    made = [plan.request().plan() for plan in plans[:UNIT]]
    assert {plan.options for plan in made} == {plan.options for plan in plans[:UNIT]}
    assert {plan.op for plan in plans} == set(OPS)
    for name, values in {
        "lane_elements": {1, 2, 4, 8},
        "unroll": {1, 2, 4, 16},
        "programs_per_group": {1, 2, 3, 8},
        "materialization": {"preserve", "expensive-only", "nothing"},
        "cache_inputs": {False, True},
    }.items():
        assert {getattr(plan.options, name) for plan in plans} == values
    widths = {plan.options.threads // (32 * plan.options.programs_per_group) for plan in plans}
    assert len(widths) > 20


def test_a_wrong_element_of_a_sampled_plan_is_seen():
    plan = next(p for p in sample() if p.op == "sum" and p.dtype == "f32" and p.length > 100)
    suite = Suite({str(plan): plan.request()})
    before = plan.request().arguments
    after = suite.run(str(plan))
    assert suite.judge(str(plan), before, after)
    after["y"][-1] += 1
    assert not suite.judge(str(plan), before, after)
