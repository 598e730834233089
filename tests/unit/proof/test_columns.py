"""Columns of values: what differs in the name of a field only is proved once."""

from dataclasses import replace

import pytest

from certile.ir.terms import Var, app
from certile.proof.check import check, goals, heading
from certile.proof.check.certificate import FUEL
from certile.proof.check.terms import Table
from certile.search import Unproved, prove
from certile.search.fusion import Chain, Fused, derive

WEIGHT = app("exp", app("sub", "x0", "r"))


def weighted(columns, *more):
    """The chain max, sum of weights, and a sum of weights times each column."""
    sums = [app("mul", WEIGHT, f"x{k}") for k in range(1, columns + 1)]
    return Chain("max", Var("x0"), (WEIGHT, *sums, *more), operands=columns + 1)


def derived(chain):
    found = derive(chain)
    assert isinstance(found, Fused), found.text()
    return found


@pytest.fixture(scope="module")
def fused():
    return {columns: derived(weighted(columns)) for columns in (1, 2, 16)}


def names(law, meaning):
    return [name for name, _ in goals(Table(FUEL), law, meaning)]


def least_fuel(found):
    low, high = 1, FUEL
    while low < high:
        middle = (low + high) // 2
        enough = check(found.certificate, found.law, found.meaning, middle) is None
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def test_columns_share_obligations(fused):
    listed = {
        columns: [each["name"] for each in found.certificate["obligations"]]
        for columns, found in fused.items()
    }
    assert listed[1] == listed[2] == listed[16]
    for found in fused.values():
        assert check(found.certificate, found.law, found.meaning) is None
    assert len(fused[16].law.state) == 19


def test_sixteen_columns_take_at_most_twice_the_work_of_one(fused):
    found = fused[16]
    twice = 2 * least_fuel(fused[1])
    assert check(found.certificate, found.law, found.meaning, twice) is None


def test_a_column_that_differs_has_its_own_obligations():
    other = app("mul", WEIGHT, app("mul", 2.0, "x2"))
    same, differs = derived(weighted(2)), derived(weighted(2, other))
    more = [
        name
        for name in names(differs.law, differs.meaning)
        if name not in names(same.law, same.meaning)
    ]
    assert {"one.s5", "cat.s5", "finalize.4"} <= set(more)


def test_a_column_with_another_domain_has_its_own_obligations(fused):
    found = fused[2]
    narrower = replace(found.meaning, domain={"x0": "any", "x1": "any", "x2": "finite"})
    assert len(names(found.law, narrower)) == len(names(found.law, found.meaning)) + 4


def _with_merge(law, name, term):
    place = [component.name for component in law.state].index(name)
    return replace(law, merge=(*law.merge[:place], term, *law.merge[place + 1 :]))


@pytest.mark.parametrize(
    "change",
    [
        lambda law, old: app("sub", *old.args),
        # It reads the column after it.
        lambda law, old: app("add", old.args[0], law.merge[11].args[1]),
        lambda law, old: law.merge[11],
    ],
    ids=["subtracts", "half of another", "another"],
)
def test_a_wrong_column_in_the_middle_is_refused(fused, change):
    law, meaning = fused[16].law, fused[16].meaning
    name = law.state[10].name
    wrong = _with_merge(law, name, change(law, law.merge[10]))
    refused = prove(wrong, meaning)
    assert isinstance(refused, Unproved)
    assert refused.obligation == f"cat.{name}"
    edited = fused[16].certificate | heading(wrong, meaning)
    answer = check(edited, wrong, meaning)
    assert answer is not None
    assert "obligations" in answer


def test_a_wrong_result_in_the_middle_is_refused(fused):
    law, meaning = fused[16].law, fused[16].meaning
    finalize = (*law.finalize[:9], law.finalize[8], *law.finalize[10:])
    refused = prove(replace(law, finalize=finalize), meaning)
    assert isinstance(refused, Unproved)
    assert refused.obligation == "finalize.9"


def test_a_wrong_lift_or_identity_in_the_middle_is_refused(fused):
    law, meaning = fused[16].law, fused[16].meaning
    for part, side in (("lift", "one"), ("identity", "nil")):
        terms = getattr(law, part)
        wrong = (*terms[:10], app("add", terms[10], 1.0), *terms[11:])
        refused = prove(replace(law, **{part: wrong}), meaning)
        assert isinstance(refused, Unproved)
        assert refused.obligation == f"{side}.{law.state[10].name}"
