"""What becomes of a law and its meaning: obligations, and each premise false by itself."""

from dataclasses import replace

import pytest

from certile.ir.laws import ADD, ARGMAX, LOGSUMEXP, Component, Law
from certile.ir.meanings import MEANINGS, Meaning
from certile.ir.terms import Lit, Var, app
from certile.proof.check import check, goals, kinds
from certile.proof.check.reader import DOMAINS
from certile.proof.check.terms import Refused, Table
from certile.proof.goal_text import goal_text
from certile.search import Unproved, prove
from tests.proof.laws import affine

MEANING = MEANINGS["logsumexp"]


def read(law, meaning):
    table = Table(10**5)
    return {name: goal_text(table, goal) for name, goal in goals(table, law, meaning)}


def test_the_obligations_of_closed_forms():
    assert read(ADD, MEANINGS["add"]) == {
        "nil.s": "(is 0 0)",
        "one.s": "(is e.x e.x)",
        "cat.s": "(is (add (sum xs x) (sum ys x)) (add (sum xs x) (sum ys x)))",
        "finalize.0": "(is (sum xs x) (sum xs x))",
    }


def test_the_obligations_of_an_action():
    law, action = affine()
    names = list(read(law, action))
    assert names == ["nil.h", "one.h", "cat.h", "finalize.0"]
    assert list(read(replace(law, commutative=True), action))[3] == "unordered.h"


def test_an_action_is_proved_and_checked():
    law, action = affine()
    certificate = prove(law, action)
    assert not isinstance(certificate, Unproved), certificate.text()
    assert check(certificate, law, action) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"identity": None}, "another number of identities"),
        ({"identity": (Lit(0.0),)}, "another number of identities"),
        ({"lift": (Var("x"),)}, "another number of identities"),
        ({"merge": (*LOGSUMEXP.merge, Lit(0.0))}, "another number of identities"),
        ({"state": (Component("m"), Component("m"))}, "share a name"),
        ({"results": ("acc", "acc")}, "a result has no type"),
        ({"results": ()}, "a result has no type"),
        ({"parameters": ("c",)}, "other parameters than its meaning"),
        ({"operands": 2}, "the domain must speak of"),
    ],
)
def test_a_law_has_what_its_state_has(change, reason):
    with pytest.raises(Refused, match=reason):
        read(replace(LOGSUMEXP, **change), MEANING)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"domain": {}}, "the domain must speak of x"),
        ({"domain": {"x": "any", "y": "any"}}, "the domain must speak of x"),
        ({"closed": MEANING.closed[:1]}, "no closed form"),
        ({"closed": (*MEANING.closed, Lit(0.0))}, "no closed form"),
        ({"specification": ()}, "no specification"),
        ({"specification": MEANING.specification * 2}, "no specification"),
        ({"parameters": {"x": "any"}}, "has the name of a field"),
        ({"parameters": {"m": "any"}}, "has the name of a field or of a component"),
        ({"parameters": {"c": "any"}}, "other parameters than its meaning"),
    ],
)
def test_a_meaning_has_what_its_law_has(change, reason):
    with pytest.raises(Refused, match=reason):
        read(LOGSUMEXP, replace(MEANING, **change))


def test_the_index_of_an_element_is_a_field():
    meaning = MEANINGS["argmax"]
    assert read(ARGMAX, meaning)
    with pytest.raises(Refused, match="the domain must speak of x, i"):
        read(ARGMAX, replace(meaning, domain={"x": "any"}))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"parts": {"c": "any", "k": "finite"}}, "must give each component"),
        ({"act": ()}, "must give each component"),
        ({"step": ()}, "must give each component"),
        ({"start": ()}, "must give each component"),
        ({"result": ()}, "no specification"),
        ({"result": (Var("s.h"), Var("s.h"))}, "no specification"),
        ({"domain": {"x0": "any", "x1": "any"}}, "may leave the kinds"),
        ({"domain": {"x0": "finite"}}, "must speak of x0, x1"),
        ({"parts": {"k": "natural", "c": "any"}}, "may leave the kinds"),
        ({"loop": {"h": "finite"}}, "may leave the kinds"),
    ],
)
def test_an_action_fits_its_law(change, reason):
    law, action = affine()
    with pytest.raises(Refused, match=reason):
        read(law, replace(action, **change))


def test_parameters_are_read_everywhere():
    """c · Sum x as a sum of c · x, which is 0 · c of nothing, given back over c."""
    law = Law(
        name="scaled",
        state=(Component("s"),),
        identity=(Lit(0.0),),
        lift=(app("mul", "c", "x"),),
        merge=(app("mul", "c", app("div", app("add", "a.s", "b.s"), "c")),),
        finalize=(app("mul", "s", "c"),),
        parameters=("c",),
    )
    closed = app("list.sum", app("mul", "c", "x"))
    meaning = Meaning((closed,), (app("mul", closed, "c"),), {"x": "any"}, parameters={"c": "any"})
    found = read(law, meaning)
    assert all("c.c" in found[name] for name in ("one.s", "cat.s", "finalize.0"))
    assert found["finalize.0"] == "(is {0} {0})".format("(mul (sum xs (mul c.c x)) c.c)")


def test_the_domains():
    natural, nonzero = kinds.ZERO | kinds.POS, kinds.NEG | kinds.POS
    numbers = {"natural": natural, "nonzero": nonzero, "positive": kinds.POS}
    assert {"any": kinds.ANY, "finite": kinds.NEG | natural, **numbers} == DOMAINS
