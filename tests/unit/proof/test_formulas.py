"""Formulas: brackets where they are needed, constants as decimals, choices that are decided."""

from fractions import Fraction

import numpy as np
import pytest

from certile.proof.check import kinds
from certile.proof.check.terms import Table
from certile.proof.formulas import Latex, Plain, decided, decimal, formulas


@pytest.fixture
def table():
    return Table(100_000)


def symbols(table, *names):
    return [table.make("sym", value=name) for name in names]


def written(table, term, notation=None, names=()):
    return formulas(table, term, dict(names), notation or Plain())[term].text


def is_nan(table, of):
    return table.make("kind", of, value=kinds.NAN)


def test_brackets_stand_where_the_grouping_is_not_the_usual_one(table):
    a, b, c = symbols(table, "a", "b", "c")

    def make(op, *operands):
        return table.make(op, *operands)

    minus = make("mul", table.num(-1), b)
    cases = {
        "a + b + c": make("add", make("add", a, b), c),
        "a + (b + c)": make("add", a, make("add", b, c)),
        "(a + b)·c": make("mul", make("add", a, b), c),
        "a - b": make("add", a, minus),
        "a - (b + c)": make("add", a, make("mul", table.num(-1), make("add", b, c))),
        "a - b / c": make("add", a, make("mul", table.num(-1), make("div", b, c))),
        "a·b / c": make("div", make("mul", a, b), c),
        "(a / b)·c": make("mul", make("div", a, b), c),
        "a / (b·c)": make("div", a, make("mul", b, c)),
        "(a - b)²": make("mul", make("add", a, minus), make("add", a, minus)),
        "exp(a + b)": make("exp", make("add", a, b)),
        "a + b < c": make("less", make("add", a, b), c),
        "(if a < b then a else b)·c": make("mul", make("choose", make("less", a, b), a, b), c),
    }
    assert [written(table, term) for term in cases.values()] == list(cases)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(float(np.float32(1e-5))), "1e-5"),
        (Fraction(float(np.float32(0.1))), "0.1"),
        (Fraction(0.1), "0.1"),
        (Fraction(1, 2), "0.5"),
        (Fraction(-3, 4), "-0.75"),
        (Fraction(1, 3), "1/3"),
        (Fraction(4096), "4096"),
        (Fraction(float(np.finfo(np.float32).max)), "3.4028235e38"),
    ],
)
def test_constants_are_short(value, text):
    assert decimal(value) == text


def test_a_short_constant_is_read_back_as_it_is():
    for value in np.random.default_rng(0).standard_normal(200).astype(np.float32):
        assert np.float32(decimal(Fraction(float(value)))) == value


def test_a_choice_that_asks_after_nan_first_is_one_choice(table):
    x, a = symbols(table, "x", "a")
    low = table.make("same", x, table.num("-inf"))
    inner = table.make("choose", low, table.num(0), a)
    assert written(table, table.make("choose", is_nan(table, x), a, inner)) == (
        "if x is -inf then 0 else a"
    )
    # Another value, another constant or another number of x is not the same question.
    for first in (table.num(1), low):
        whole = table.make("choose", is_nan(table, x), first, inner)
        assert written(table, whole).startswith("if x is NaN then ")
    other = table.make("choose", is_nan(table, a), a, inner)
    assert written(table, other).startswith("if a is NaN then ")
    same = table.make("choose", table.make("same", x, table.num("nan")), table.num(0), a)
    whole = table.make("choose", is_nan(table, x), a, same)
    assert written(table, whole).startswith("if x is NaN then ")


def test_choices_are_decided_by_those_around_them(table):
    x, y, a, b = symbols(table, "x", "y", "a", "b")
    less = table.make("less", x, y)
    again = table.make("choose", less, a, b)
    assert decided(table, table.make("choose", less, again, b), {}) == again
    assert decided(table, table.make("choose", table.make("same", x, x), a, b), {}) == a
    below = table.make("choose", is_nan(table, x), again, a)
    assert written(table, decided(table, below, {})) == "if x is NaN then b else a"
    # A choice with a name keeps it, and what holds of one element does not hold of another.
    assert decided(table, table.make("choose", less, again, b), {again: "n(xs)"}) != again
    element = table.make("elem", value="x")
    test = table.make("less", element, y)
    inside = table.make("sum", table.make("choose", test, a, b), value="xs")
    around = table.make("choose", test, inside, a)
    assert decided(table, around, {}) == around


def test_latex_has_fractions_powers_and_names(table):
    x, state = symbols(table, "x", "a.squares")
    mean = table.make("div", table.make("add", x, state), table.num(2))
    shown = written(table, table.make("mul", mean, mean), Latex())
    assert shown == r"\left(\frac{x + \mathit{a.squares}}{2}\right)^2"
    assert written(table, is_nan(table, x), Latex()) == r"x \text{ is NaN}"
    small = table.num(Fraction(float(np.float32(1e-5))))
    assert written(table, table.make("add", x, small), Latex()) == r"x + 10^{-5}"
    named = table.make("sum", table.make("elem", value="x"), value="xs")
    size = table.make("abs", named)
    assert written(table, size, Latex(), {named: "s(xs++ys)"}) == (
        r"\left|s(xs \mathbin{+\!+} ys)\right|"
    )
