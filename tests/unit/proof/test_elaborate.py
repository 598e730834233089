"""How terms of laws are read, where the reading is a premise of what is proved."""

import math
from dataclasses import replace

import pytest

from certile.ir.laws import LOGSUMEXP, Component
from certile.ir.terms import Apply, Lit, Var, app
from certile.proof.check import goals, kinds
from certile.proof.check.elaborate import Reader
from certile.proof.check.finite import Parts
from certile.proof.check.terms import Refused
from tests.proof.laws import affine
from tests.unit.proof.builder import Build

_POSITIVE = app("gt", "x", 0.0)


@pytest.fixture
def b():
    return Build()


def reader(b, pieces=()):
    return Reader(b.table, {"x": b.sym("x")}, pieces)


@pytest.mark.parametrize(
    ("name", "mask"),
    [
        ("isinf", kinds.NINF | kinds.PINF),
        ("isnan", kinds.NAN),
        ("isfinite", kinds.NEG | kinds.ZERO | kinds.POS),
    ],
)
def test_tests_are_of_kinds(b, name, mask):
    test = b.kind(b.sym("x"), value=mask)
    assert reader(b).value(app(name, "x")) == b.choose(test, b.num(1), b.num(0))


@pytest.mark.parametrize("kind", ["bool", "acc"])
def test_components_of_truths_may_be_joined_as_truths(b, kind):
    state = (Component("s", kind), Component("t", "bool" if kind == "acc" else "acc"))
    law = replace(LOGSUMEXP, state=state)
    held = {name: b.sym(name) for name in ("a.s", "b.s", "s")}
    for term, joined in (
        (app("bit_or", "a.s", "b.s"), b.max(held["a.s"], held["b.s"])),
        (app("bit_and", "s", "s"), b.min(held["s"], held["s"])),
    ):
        if kind == "bool":
            assert Parts(b.table, law).read([term], held) == [joined]
        else:
            with pytest.raises(Refused, match="no meaning"):
                Parts(b.table, law).read([term], held)


def test_connectives_as_values(b):
    x, zero = b.sym("x"), b.num(0)
    above, below = (b.choose(b.less(*pair), b.num(1), zero) for pair in ((zero, x), (x, zero)))
    both = app("gt", "x", 0.0), app("lt", "x", 0.0)
    assert reader(b).value(app("bit_and", *both)) == b.min(above, below)
    assert reader(b).value(app("bit_or", *both)) == b.max(above, below)
    negated = b.add(b.num(1), b.mul(b.num(-1), above))
    assert reader(b).value(app("bit_not", both[0])) == negated


def test_a_literal_that_nothing_names_is_refused(b):
    with pytest.raises(Refused, match="the literal epsilon has no meaning"):
        reader(b).value(Lit("epsilon"))


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_special_value_is_a_number_or_a_name(b, value):
    assert reader(b).value(Lit(value)) == reader(b).value(Lit(str(value))) == b.num(str(value))


def test_a_variable_that_nothing_gives_is_refused(b):
    with pytest.raises(Refused, match="y means nothing here"):
        reader(b).value(Var("y"))


@pytest.mark.parametrize(
    "term",
    [
        app("list.sum", "x"),
        app("list.largest", 2, "x"),
        app("is", "x", 0.0),
        app("where", app("is", "x", 0.0), 1.0, 0.0),
    ],
)
def test_terms_of_a_law_see_no_list_and_no_identity(b, term):
    reader(b).value(term)
    with pytest.raises(Refused, match=r"no meaning|is no condition"):
        reader(b, None).value(term)


def test_a_number_that_is_no_rank_is_an_operand(b):
    assert reader(b).value(app("add", 2, "x")) == b.add(b.num(2), b.sym("x"))


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
        app("fmod", "x", "x"),
        app("where", app("add", "x", True), 1.0, 0.0),
    ],
)
def test_what_is_no_truth_or_has_no_meaning(b, term):
    with pytest.raises(Refused, match=r"no meaning|is no condition"):
        reader(b).value(term)


@pytest.mark.parametrize(
    "term", [app("exp", "x", "x"), app("add", "x"), app("add", "x", "x", "x"), Apply("neg", ())]
)
def test_a_function_has_its_number_of_operands(b, term):
    with pytest.raises(Refused, match="has no meaning"):
        reader(b).value(term)


def test_a_choice_by_many_comparisons_is_read_in_time(b):
    """Each comparison has three cases, and all of them meet again."""
    condition = _POSITIVE
    for place in range(200):
        condition = app("bit_and", condition, app("le", "x", float(place)))
    reader(b).value(app("where", condition, 1.0, 0.0))
    assert len(b.table.rows) < 10_000


def test_a_choice_between_truths_is_a_truth(b):
    chosen = app("where", _POSITIVE, app("lt", "x", 2.0), False)
    both = reader(b).value(app("where", app("bit_and", _POSITIVE, app("lt", "x", 2.0)), "x", 0.0))
    assert reader(b).value(app("where", chosen, "x", 0.0)) == both


def test_a_number_is_no_truth_although_it_equals_one(b):
    read = reader(b)
    read.value(app("bit_not", True))
    read.value(app("where", True, "x", 0.0))
    for term in (app("bit_not", 1), app("where", 1, "x", 0.0), app("where", 1.0, "x", 0.0)):
        with pytest.raises(Refused, match=r"no meaning|is no condition"):
            read.value(term)


@pytest.mark.parametrize("change", [{"parts": {"c": "any", "k": "finite"}}, {"act": ()}])
def test_an_action_gives_every_component(b, change):
    law, action = affine()
    with pytest.raises(Refused, match="must give each component"):
        goals(b.table, law, replace(action, **change))


def test_a_literal_that_is_a_truth(b):
    assert reader(b).value(app("where", Lit(True), "x", 0.0)) == b.sym("x")
    assert reader(b).value(app("where", Lit(False), "x", 0.0)) == b.num(0)
