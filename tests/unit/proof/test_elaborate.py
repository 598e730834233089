"""How terms of laws are read, where the reading is a premise of what is proved."""

from dataclasses import replace

import pytest

from certile.ir.terms import Apply, Lit, Var, app
from certile.proof.check import goals, kinds
from certile.proof.check.elaborate import Reader
from certile.proof.check.terms import Refused
from tests.proof.laws import affine
from tests.unit.proof.builder import Build

_POSITIVE = app("gt", "x", 0.0)


@pytest.fixture
def b():
    return Build()


def reader(b, pieces=()):
    return Reader(b.table, {"x": b.sym("x")}, pieces)


def test_isinf_is_of_both_infinities(b):
    test = b.kind(b.sym("x"), value=kinds.NINF | kinds.PINF)
    assert reader(b).value(app("isinf", "x")) == b.choose(test, b.num(1), b.num(0))


def test_identity_is_a_truth(b):
    same = b.choose(b.same(b.sym("x"), b.num(0)), b.num(1), b.num(0))
    assert reader(b).value(app("is", "x", 0.0)) == same


@pytest.mark.parametrize(
    "term",
    [
        app("bit_and", _POSITIVE, "x"),
        app("where", app("bit_and", _POSITIVE, "x"), 1.0, 0.0),
        app("where", app("where", _POSITIVE, True, "x"), 1.0, 0.0),
        app("where", app("where", _POSITIVE, "x", True), 1.0, 0.0),
        Apply("as_f16", (Var("x"),)),
    ],
)
def test_what_is_no_truth_or_has_no_meaning(b, term):
    with pytest.raises(Refused, match=r"no meaning|is no condition"):
        reader(b).value(term)


def test_terms_nest_sixty_four_deep(b):
    term = Var("x")
    for _ in range(63):
        term = app("exp", term)
    reader(b).value(term)
    with pytest.raises(Refused, match="nested too deeply"):
        reader(b).value(app("exp", term))


@pytest.mark.parametrize("change", [{"parts": {"c": "any", "k": "finite"}}, {"act": ()}])
def test_an_action_gives_every_component(b, change):
    law, action = affine()
    with pytest.raises(Refused, match="must give each component"):
        goals(b.table, law, replace(action, **change))


def test_a_literal_that_is_a_truth(b):
    chosen = b.choose(b.num(1), b.num(1), b.num(0))
    assert reader(b).value(app("where", Lit(True), 1.0, 0.0)) == chosen
