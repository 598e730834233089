"""Laws that are not what they claim are refused, with the obligation that fails and a witness."""

from dataclasses import replace

import pytest

from certile.ir.laws import LOGSUMEXP, MAXIMUM
from certile.ir.meanings import MEANINGS, Meaning
from certile.ir.terms import Apply, Lit, Var, app
from certile.proof.check import check, goals
from certile.search import Unproved, prove
from certile.search.prover import prove_goal, search_table
from tests.proof.laws import affine, finite, moments, wrong

WRONG = wrong()


@pytest.mark.parametrize("name", WRONG)
def test_the_failed_obligation_is_named_and_refuted(name):
    law, meaning, obligation = WRONG[name]
    refusal = prove(law, meaning)
    assert isinstance(refusal, Unproved)
    assert refusal.obligation == obligation
    assert refusal.counterexample is not None
    assert f"{obligation} is not proved; on " in refusal.text()
    assert " against " in refusal.text()


@pytest.mark.parametrize("name", WRONG)
def test_no_proof_is_found_without_the_counterexample_either(name):
    law, meaning, obligation = WRONG[name]
    table = search_table(300_000)
    goal = dict(goals(table, law, meaning))[obligation]
    assert prove_goal(goal) is None


def test_a_refusal_without_counterexample_says_so():
    # log(x²) = 2 log |x| is true, and there is no rule for it.
    body = app("log", app("mul", "x", "x"))
    law = replace(MAXIMUM, lift=(body,))
    claimed = app("mul", 2.0, app("log", app("abs", "x")))
    meaning = Meaning((app("list.max", claimed),), (app("list.max", claimed),), {"x": "any"})
    refusal = prove(law, meaning)
    assert isinstance(refusal, Unproved)
    assert refusal.obligation == "one.s"
    assert "no counterexample was found" in refusal.text()


@pytest.mark.parametrize(
    ("law", "meaning"),
    [
        pytest.param(*moments(), id="moments"),
        pytest.param(*affine(), id="affine"),
        pytest.param(*moments()[:1], finite(moments()[1]), id="finite-moments"),
        pytest.param(*WRONG["unguarded moments"][:2], id="unguarded-moments-of-finite"),
    ],
)
def test_true_laws_are_proved_and_checked(law, meaning):
    meaning = finite(meaning) if law.name == "mean_var" else meaning
    certificate = prove(law, meaning)
    assert not isinstance(certificate, Unproved), certificate.text()
    assert check(certificate, law, meaning) is None


def test_claimed_kinds_must_be_kept():
    law, action = affine()
    refusal = prove(law, replace(action, parts={"k": "natural", "c": "any"}))
    assert isinstance(refusal, Unproved)
    assert "may leave the kinds" in refusal.goal


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"identity": None}, "another number of identities"),
        ({"merge": (app("list.max", "x"), Var("a.s"))}, "has no meaning"),
        ({"merge": (Var("state.m"), Var("a.s"))}, "means nothing here"),
        ({"lift": (Apply("as_f16", (Var("x"),)), Lit(1.0))}, "has no meaning"),
        ({"lift": (app("bit_and", "x", 3), Lit(1.0))}, "has no meaning"),
        ({"lift": (app("where", "x", 1.0, 0.0), Lit(1.0))}, "is no condition"),
        ({"lift": (Lit("epsilon"), Lit(1.0))}, "epsilon has no meaning"),
        ({"lift": (Var("y"), Lit(1.0))}, "means nothing here"),
    ],
)
def test_what_the_reader_refuses(change, reason):
    refusal = prove(replace(LOGSUMEXP, **change), MEANINGS["logsumexp"])
    assert isinstance(refusal, Unproved)
    assert refusal.obligation == "read"
    assert reason in refusal.goal


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"domain": {}}, "must speak of x"),
        ({"domain": {"x": "any", "assume": "any"}}, "must speak of x"),
        ({"closed": ()}, "no closed form"),
        ({"specification": ()}, "no specification"),
    ],
)
def test_a_meaning_must_fit_its_law(change, reason):
    refusal = prove(MAXIMUM, replace(MEANINGS["maximum"], **change))
    assert isinstance(refusal, Unproved)
    assert reason in refusal.goal
