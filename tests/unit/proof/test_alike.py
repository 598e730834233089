"""Obligations that are left out since others say the same: each is named, with a true renaming."""

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import ACTIONS, MEANINGS
from certile.ir.terms import Var, app, substituted
from certile.proof import render
from certile.proof.alike import alike
from certile.proof.check import goals
from certile.proof.check.certificate import FUEL
from certile.proof.check.terms import Table
from certile.search.fusion import Chain, Fused, derive

WEIGHT = app("exp", app("sub", "x0", "r"))


def derived(columns, *more):
    """The chain max, sum of weights, and a sum of weights times each column, as a law."""
    sums = [app("mul", WEIGHT, f"x{k}") for k in range(1, columns + 1)]
    found = derive(Chain("max", Var("x0"), (WEIGHT, *sums, *more), operands=columns + 1))
    assert isinstance(found, Fused), found.text()
    return found


def every_name(law):
    parts = [f"{side}.{part.name}" for part in law.state for side in ("nil", "one", "cat")]
    return {*parts, *(f"finalize.{k}" for k in range(len(law.finalize)))}


def asked(law, meaning):
    return {name for name, _ in goals(Table(FUEL), law, meaning) if not name.startswith("bound.")}


@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_obligation_is_asked_for_or_named(count):
    found = derived(count)
    left = alike(found.law, found.meaning)
    named = [name for each in left for name in each.names]
    assert len(named) == len(set(named)) == 4 * (count - 1)
    assert asked(found.law, found.meaning).isdisjoint(named)
    assert asked(found.law, found.meaning) | set(named) == every_name(found.law)
    for each in left:
        assert set(each.of) <= asked(found.law, found.meaning)


def test_the_renaming_makes_the_one_of_the_other():
    found = derived(3)
    law, places = found.law, [part.name for part in found.law.state]
    for each in alike(found.law, found.meaning):
        ((new, old),) = each.renamed
        if each.names[0].startswith("finalize"):
            here, there = (int(names[0].partition(".")[2]) for names in (each.names, each.of))
            meant = found.meaning.specification
            assert substituted(meant[there], {old: Var(new)}) == meant[here]
            continue
        here, there = (places.index(names[0].partition(".")[2]) for names in (each.names, each.of))
        assert substituted(law.lift[there], {old: Var(new)}) == law.lift[here]
        assert substituted(law.closed[there], {old: Var(new)}) == law.closed[here]


def test_what_differs_in_more_than_a_name_is_asked_for():
    twice = app("mul", WEIGHT, app("mul", 2.0, "x2"))
    found = derived(2, twice)
    named = {name for each in alike(found.law, found.meaning) for name in each.names}
    assert named == every_name(found.law) - asked(found.law, found.meaning)
    assert "finalize.3" in named
    assert "finalize.4" not in named


@pytest.mark.parametrize("name", [*MEANINGS, *ACTIONS])
def test_a_built_in_law_asks_for_all(name):
    assert alike(BUILTIN[name], (MEANINGS | ACTIONS)[name]) == []


def test_a_proof_names_them():
    found = derived(2)
    said = render.text(found.law, found.meaning, found.certificate)
    assert "finalize.3: as finalize.2, with x2 for x1" in said
    assert "finalize.3: as finalize.2, with x2 for x1" in render.latex(found.law, found.meaning)
    written = render.document(found.law, found.meaning, found.certificate)["alike"]
    assert written[-1] == {"names": ["finalize.3"], "as": ["finalize.2"], "renamed": {"x1": "x2"}}
    assert len(render.results(found.law, found.meaning)) == 4
