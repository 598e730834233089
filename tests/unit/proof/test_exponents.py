"""What is asked of an exponent: that it is no NaN, and that no overflow in it comes back."""

import pytest

from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.proof.check.exponents import asked_of
from certile.proof.check.shown import Shown
from certile.proof.check.sizes import plain_size

X, Y, C, T = Var("x0"), Var("x1"), Var("c0"), Var("c1")
PRODUCT = app("mul", X, Y)
FAR = 2.0**64
SHIFTED = app("sub", X, C)
# The greatest product is kept, which shows no product that is -inf.
LAW = Law(
    name="made",
    state=(Component("m"),),
    identity=(Lit("lowest"),),
    lift=(PRODUCT,),
    merge=(app("maximum", "a.m", "b.m"),),
    finalize=(),
    results=(),
    operands=2,
    parameters=("c0", "c1"),
    closed=(app("list.max", PRODUCT),),
)


def asked(term):
    return asked_of(term, Shown(LAW, ()), plain_size)


def size(term):
    return app("abs", term)


@pytest.mark.parametrize("term", [X, app("neg", X), PRODUCT, app("neg", PRODUCT), Lit(-1.0)])
def test_what_the_state_shows_is_asked_nothing(term):
    assert asked(term) == ([], None)


@pytest.mark.parametrize(
    "term",
    [
        app("add", X, Y),
        app("div", C, X),
        app("exp", X),
        app("add", PRODUCT, X),
        app("mul", app("add", X, Y), PRODUCT),
    ],
)
def test_what_is_of_no_one_operand_is_finite_as_a_whole(term):
    assert asked(term) == ([], term)


@pytest.mark.parametrize(
    "term", [SHIFTED, app("sub", C, X), app("add", X, C), app("add", C, X), app("neg", SHIFTED)]
)
def test_a_shift_is_finite(term):
    assert asked(term) == ([size(C)], None)


def test_a_shift_of_what_may_have_overflowed_is_far_from_overflow():
    for one in (SHIFTED, app("neg", SHIFTED), app("neg", app("neg", app("add", C, X)))):
        assert asked(app("sub", one, T)) == ([app("mul", FAR, size(T)), size(C)], None)


def test_a_scale_by_a_number_is_a_power_of_two():
    for scaled, far in (
        (app("mul", SHIFTED, 2.0), 2.0**63),
        (app("mul", -2.0, SHIFTED), 2.0**63),
        (app("mul", SHIFTED, 0.7), 2.0**65),
        (app("div", SHIFTED, 2.0), 2.0**66),
        (app("div", SHIFTED, 0.7), 2.0**64),
        (app("mul", SHIFTED, 2.0**-48), 2.0**112),
        (app("div", SHIFTED, -(2.0**47)), 2.0**112),
    ):
        assert asked(scaled) == ([Lit(far), size(C)], None)
    slow = app("mul", app("mul", SHIFTED, 0.5), 0.25)
    assert asked(slow) == ([Lit(2.0**66), Lit(2.0**67), size(C)], None)


@pytest.mark.parametrize(
    "scaled",
    [
        app("mul", SHIFTED, 2.0**-49),
        app("mul", 2.0**-1074, SHIFTED),
        app("div", SHIFTED, 2.0**48),
        app("div", SHIFTED, -1.7e308),
    ],
)
def test_a_tiny_number_scales_nothing_that_may_overflow(scaled):
    assert asked(scaled) == ([], scaled)
    assert asked(app("sub", scaled, T)) == ([size(T)], scaled)


@pytest.mark.parametrize("number", [Lit(0.0), Lit("inf"), Lit("nan")])
def test_a_scale_that_is_no_number_or_0_is_asked_like_any_other(number):
    told = plain_size(number)
    assert asked(app("mul", SHIFTED, number)) == ([told, app("div", FAR, told), size(C)], None)


def test_scales_that_are_given():
    wanted = [size(T), app("div", FAR, size(T)), size(C)]
    assert asked(app("mul", SHIFTED, T)) == asked(app("mul", T, SHIFTED)) == (wanted, None)
    wanted = [app("div", 1.0, size(T)), app("mul", FAR, size(T)), size(C)]
    assert asked(app("div", SHIFTED, T)) == (wanted, None)
    both = app("mul", app("div", SHIFTED, C), T)
    far = app("div", FAR, size(T))
    wanted = [size(T), far, app("div", 1.0, size(C)), app("mul", far, size(C)), size(C)]
    assert asked(both) == (wanted, None)


def test_below_a_shift_only_what_is_as_it_is_written_is_scaled():
    assert asked(app("sub", app("mul", X, 2.0), C)) == ([size(C), Lit(0.5)], None)
    scaled = app("mul", X, T)
    assert asked(app("sub", scaled, C)) == ([size(C), size(T), app("div", 1.0, size(T))], None)
    for one in (SHIFTED, PRODUCT, app("mul", X, 2.0)):
        scaled = app("mul", one, T)
        assert asked(app("sub", scaled, C)) == ([size(C)], scaled)
        assert asked(scaled)[1] is None
