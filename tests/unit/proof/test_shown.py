"""What a finite state shows of the terms that it folds."""

from dataclasses import replace

import pytest

from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.proof.check.shown import Shown
from certile.proof.check.terms import Refused

X, Y = Var("x0"), Var("x1")
PRODUCT = app("mul", X, Y)
FOLDS = {"list.sum": "add", "list.max": "maximum", "list.min": "minimum"}


def law_of(closed, lift, merge):
    return Law(
        name="made",
        state=(Component("s"),),
        identity=(Lit(0.0),),
        lift=(lift,),
        merge=(app(merge, "a.s", "b.s"),),
        finalize=(),
        results=(),
        operands=2,
        closed=(closed,),
    )


def exact_for(law, term=PRODUCT):
    """The folds, none among them, for which a term is as it is written."""
    shown = Shown(law, ())
    return [fold for fold in ("", *FOLDS) if shown.exact(term, fold)]


EVERY = ["", *FOLDS]
SIZE = app("abs", PRODUCT)


def test_a_sum_shows_every_overflow_and_an_extreme_one_of_them():
    for fold, merge in FOLDS.items():
        law = law_of(app(fold, PRODUCT), PRODUCT, merge)
        assert exact_for(law) == (EVERY if fold == "list.sum" else [fold])
        assert Shown(law, ["x1"]).finite == {Y, *[PRODUCT] * (fold == "list.sum")}
        for other in FOLDS.values():
            if other != merge:
                assert exact_for(replace(law, merge=(app(other, "a.s", "b.s"),))) == []
        assert exact_for(replace(law, merge=(app(merge, "a.s", "a.s"),))) == []
        assert exact_for(replace(law, lift=(app("mul", Y, X),))) == []


def test_the_greatest_size_shows_every_overflow():
    for closed in (app("list.max", SIZE), app("maximum", 0.0, app("list.max", SIZE))):
        law = law_of(closed, SIZE, "maximum")
        assert exact_for(law, SIZE) == EVERY
        assert exact_for(law) == []
        assert exact_for(law_of(closed, SIZE, "add"), SIZE) == []
    assert (
        exact_for(law_of(app("maximum", 1.0, app("list.max", SIZE)), SIZE, "maximum"), SIZE) == []
    )
    assert exact_for(law_of(app("list.min", SIZE), SIZE, "minimum"), SIZE) == ["list.min"]
    opposite = app("neg", PRODUCT)
    assert exact_for(law_of(app("list.max", opposite), opposite, "maximum"), opposite) == [
        "list.max"
    ]


def test_fields_and_numbers_are_as_they_are_written():
    law = law_of(app("list.sum", PRODUCT), PRODUCT, "add")
    opposites = [app(fn, each) for fn in ("abs", "neg") for each in (X, Lit(2.0), PRODUCT)]
    for term in (X, Lit("inf"), *opposites):
        assert exact_for(law, term) == EVERY
    for term in (app("exp", X), app("mul", X, X), app("list.max", X), Var("c0")):
        assert exact_for(law, term) == []


def test_what_differs_between_elements():
    law = law_of(app("list.sum", PRODUCT), PRODUCT, "add")
    reads = Shown(law, ()).reads
    assert all(map(reads, (X, PRODUCT, app("add", Var("c0"), Y))))
    shared = (Var("c0"), Lit(1.0), app("list.sum", X), app("mul", "c0", app("list.max", Y)))
    assert not any(map(reads, shared))


def test_every_component_has_a_closed_form():
    law = law_of(app("list.sum", X), X, "add")
    for closed in (None, (), law.closed * 2):
        with pytest.raises(Refused, match="closed form"):
            Shown(replace(law, closed=closed), ())
