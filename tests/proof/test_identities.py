"""Identities of V that a simplifier likes, and for which numbers they are true."""

from dataclasses import replace

import pytest

from certile.ir.laws import ADD, MAXIMUM, Component, Law
from certile.ir.meanings import MEANINGS, Meaning
from certile.ir.terms import Lit, Var, app
from certile.proof.check import check, kinds
from certile.proof.check.context import Context
from certile.proof.check.elaborate import Reader
from certile.proof.check.rules import Goal, Replay
from certile.search import Unproved, prove, refute
from certile.search.prover import prove_goal, search_table

MINUS_A, MINUS_B = app("neg", "a"), app("neg", "b")
LIFTED_MAXIMUM = app("maximum", app("add", "a", "c"), app("add", "b", "c"))
MAXIMUM_LIFTED = app("add", app("maximum", "a", "b"), "c")
ALL = dict.fromkeys("abcx", kinds.ANY)


def goal(left, right, domain):
    table = search_table()
    variables = {name: table.make("sym", value=name) for name in domain}
    reader = Reader(table, variables, None)
    return table, Goal(Context(table, domain), reader.value(left), reader.value(right))


def proved(left, right, domain=ALL):
    """Whether a proof was found; it is replayed on another table."""
    _, claim = goal(left, right, domain)
    steps = prove_goal(claim)
    if steps is None:
        return False
    replay = Replay(claim)
    for step in steps:
        replay.apply(step)
    assert not replay.goals
    return True


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(app("add", "x", "x"), app("mul", 2.0, "x"), id="x+x=2x"),
        pytest.param(app("neg", app("add", "a", "b")), app("sub", MINUS_A, "b"), id="-(a+b)=-a-b"),
        pytest.param(app("mul", "a", MINUS_B), app("neg", app("mul", "a", "b")), id="a*-b=-(a*b)"),
        pytest.param(app("maximum", 1.0, 2.0), Lit(2.0), id="max(1,2)=2"),
    ],
)
def test_true_of_all_numbers(left, right):
    assert proved(left, right)


def test_a_shift_leaves_a_maximum_if_it_is_finite():
    finite = {**ALL, "c": kinds.FINITE}
    assert proved(LIFTED_MAXIMUM, MAXIMUM_LIFTED, finite)


@pytest.mark.parametrize("shift", [kinds.PINF, kinds.ANY])
def test_an_infinite_shift_is_refused_and_refuted(shift):
    """max(-inf + inf, 0 + inf) is NaN, and max(-inf, 0) + inf is inf."""
    domain = {**ALL, "c": shift}
    assert not proved(LIFTED_MAXIMUM, MAXIMUM_LIFTED, domain)
    table = search_table()
    own = {f"s.{name}": mask for name, mask in domain.items()}
    variables = {name: table.make("sym", value=f"s.{name}") for name in domain}
    reader = Reader(table, variables, None)
    claim = Goal(Context(table, own), *map(reader.value, (LIFTED_MAXIMUM, MAXIMUM_LIFTED)))
    assert refute(table, claim, own) is not None


@pytest.mark.parametrize("factor", [5.0, -5.0, 0.0, "-0.0"])
def test_a_sum_of_products_does_not_depend_on_a_sign(factor):
    product = app("mul", "x", Lit(factor))
    law = replace(ADD, lift=(product,))
    form = app("list.sum", product)
    meaning = Meaning((form,), (form,), {"x": "any"})
    certificate = prove(law, meaning)
    assert not isinstance(certificate, Unproved)
    assert check(certificate, law, meaning) is None


def test_a_scale_leaves_a_maximum_if_it_is_not_negative():
    """The maximum of c · x is c times that of x for c >= 0; for c < 0 it is that of the least."""
    law = Law(
        name="scaled",
        state=(Component("s"),),
        identity=(Lit("lowest"),),
        lift=(app("mul", "c", "x"),),
        merge=(app("maximum", "a.s", "b.s"),),
        finalize=(Var("s"),),
        parameters=("c",),
    )
    outside = app("mul", "c", app("list.max", "x"))
    closed = (app("list.max", app("mul", "c", "x")),)
    for kind in ("any", "finite"):
        meaning = Meaning(
            closed, (outside,), {"x": "finite"}, parameters={"c": kind}, nonempty=True
        )
        refusal = prove(law, meaning)
        assert isinstance(refusal, Unproved)
        assert refusal.obligation == "finalize.0"
        assert refusal.counterexample is not None


def test_a_nan_is_found_at_every_split():
    """max of [1, nan, 2] is NaN however it is cut; the certificate is for all of V."""
    assert MEANINGS["maximum"].domain == {"x": "any"}
    certificate = prove(MAXIMUM, MEANINGS["maximum"])
    assert certificate["domain"] == {"x": "any"}
    ignoring = replace(MAXIMUM, merge=(app("where", app("lt", "a.s", "b.s"), "b.s", "a.s"),))
    refusal = prove(ignoring, MEANINGS["maximum"])
    assert isinstance(refusal, Unproved)
    assert refusal.obligation == "cat.s"


def test_nonempty_is_no_part_of_a_proof_for_lists_that_may_be_empty():
    """Where the last of nothing is claimed, a proof for lists with elements does not serve."""
    law = replace(MAXIMUM, finalize=(app("where", app("eq", "s", Lit("-inf")), 0.0, "s"),))
    form = app("list.max", "x")
    claimed = app("where", app("is", form, Lit("-inf")), 0.0, form)
    assert not isinstance(prove(law, Meaning((form,), (claimed,), {"x": "any"})), Unproved)
    counted = app("div", app("mul", app("list.sum", 1.0), form), app("list.sum", 1.0))
    meaning = Meaning((form,), (counted,), {"x": "finite"}, nonempty=True)
    certificate = prove(MAXIMUM, meaning)
    assert not isinstance(certificate, Unproved), certificate.text()
    assert check(certificate, MAXIMUM, meaning) is None
    empty = replace(meaning, nonempty=False)
    assert "finalize.0" in check(certificate, MAXIMUM, empty)
    refusal = prove(MAXIMUM, empty)
    assert isinstance(refusal, Unproved)
    assert refusal.counterexample is not None
    assert "on []" in refusal.shown
