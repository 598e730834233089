"""Sizes of terms as the limits of a rewrite are made of them."""

import pytest

from certile.ir.terms import Lit, Var, app
from certile.proof.check.sizes import ONE, hidden, is_small, joined, plain_size

X, Y = Var("x"), Var("y")


def test_one_is_left_out_of_products_only():
    assert joined("mul", ONE, X) == joined("mul", X, ONE) == X
    assert joined("add", ONE, X) == app("add", ONE, X)


def test_numbers_are_joined_where_every_type_holds_the_result():
    assert joined("mul", Lit(2.0), Lit(3.0)) == Lit(6.0)
    assert joined("add", Lit(2.0), Lit(3.0)) == Lit(5.0)
    big = Lit(2.0**100)
    assert joined("mul", big, big) == app("mul", big, big)


@pytest.mark.parametrize(("value", "small"), [(1.0, True), (2.0**127, False), ("inf", False)])
def test_small_numbers(value, small):
    assert is_small(Lit(value)) == small


@pytest.mark.parametrize("term", [Lit(2.0), Lit(0.0), app("abs", X)])
def test_what_is_its_own_size(term):
    assert plain_size(term) == term


@pytest.mark.parametrize("term", [Lit(-2.0), Lit("inf"), X])
def test_what_has_another_size(term):
    assert plain_size(term) == app("abs", term)


def test_operands_of_which_a_finite_result_says_nothing():
    assert list(hidden(app("maximum", X, 1.0))) == [X, Lit(1.0)]
    assert list(hidden(app("lt", X, Lit("inf")))) == [X]
    assert list(hidden(app("div", X, Y))) == [Y]
    assert list(hidden(app("exp", X))) == [X]
    assert list(hidden(app("add", X, Y))) == []
    less = app("lt", X, Y)
    assert list(hidden(app("bit_and", less, less))) == []
