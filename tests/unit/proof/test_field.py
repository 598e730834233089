"""Fractions of polynomials and exponentials: what they identify, and how large they may grow."""

from fractions import Fraction

import pytest

from certile.proof.check.field import Field
from certile.proof.check.terms import Refused
from tests.unit.proof.builder import Build


@pytest.fixture
def b():
    return Build()


def equal(b, left, right):
    return Field(b.table).equal(left, right)


def test_algebra(b):
    x, y, z = (b.sym(name) for name in "xyz")
    minus = b.num(-1)
    half = b.div(b.num(1), b.num(2))
    assert equal(b, b.add(x, b.mul(minus, x)), b.num(0))
    assert equal(b, b.add(b.mul(half, x), b.mul(half, x)), x)
    assert equal(b, b.num(Fraction(1, 2)), half)
    assert not equal(b, b.num(Fraction(1, 2)), b.num(1))
    assert not equal(b, b.num(Fraction(3, 2)), b.num(Fraction(5, 2)))
    assert equal(b, b.div(x, b.div(y, z)), b.div(b.mul(x, z), y))
    assert equal(b, b.add(b.div(x, z), b.div(y, z)), b.div(b.add(x, y), z))
    assert equal(
        b, b.add(b.div(x, y), b.div(y, x)), b.div(b.add(b.mul(x, x), b.mul(y, y)), b.mul(x, y))
    )
    assert not equal(b, b.div(x, y), b.div(y, x))
    assert not equal(b, b.mul(x, x), x)
    # Zero over zero is caught by the denominator's premise, which this collects.
    field = Field(b.table)
    field.equal(b.div(x, b.add(y, z)), x)
    assert field.denominators == {b.add(y, z)}
    assert field.atoms == {x, y, z}


def test_exponentials(b):
    x, y = b.sym("x"), b.sym("y")
    minus = b.num(-1)
    assert equal(b, b.mul(b.exp(x), b.exp(b.mul(minus, x))), b.num(1))
    assert equal(b, b.exp(b.num(0)), b.num(1))
    twice = b.exp(b.mul(b.num(2), b.add(x, y)))
    square = b.mul(b.exp(b.add(x, y)), b.exp(b.add(y, x)))
    assert equal(b, twice, square)
    assert equal(b, b.exp(b.mul(x, y)), b.exp(b.mul(y, x)))
    assert not equal(b, b.exp(x), b.exp(y))
    assert not equal(b, b.add(b.exp(x), b.exp(y)), b.exp(b.add(x, y)))
    # Below another exponential it is a term like any other.
    nested = b.exp(b.exp(x))
    assert equal(b, b.mul(nested, y), b.mul(y, nested))
    assert not equal(b, b.mul(nested, nested), b.exp(b.mul(b.num(2), b.exp(x))))


def test_exponents_that_a_product_divides(b):
    x, y, z = (b.sym(name) for name in "xyz")
    half, minus = b.num(2), b.num(-1)
    whole = b.exp(b.div(b.add(x, y), b.mul(z, half)))
    parts = b.mul(b.exp(b.div(b.div(x, half), z)), b.exp(b.div(b.div(y, z), half)))
    assert equal(b, whole, parts)
    assert equal(b, b.mul(b.exp(b.div(x, z)), b.exp(b.div(b.mul(minus, x), z))), b.num(1))
    assert not equal(b, b.exp(b.div(x, z)), b.exp(b.div(z, x)))
    assert not equal(b, b.exp(b.div(x, z)), b.exp(b.mul(x, z)))
    # A sum that divides is not multiplied out, and the premise speaks of all that divides.
    assert not equal(b, b.exp(b.div(x, b.add(y, z))), b.exp(b.div(b.div(x, y), z)))
    field = Field(b.table)
    field.equal(whole, parts)
    assert field.denominators == {half, z, b.mul(z, half)}


def test_what_is_no_arithmetic_is_an_atom(b):
    x, y = b.sym("x"), b.sym("y")
    larger = b.max(x, y)
    assert equal(b, b.add(larger, larger), b.mul(b.num(2), larger))
    assert not equal(b, larger, b.max(y, x))
    field = Field(b.table)
    field.read(b.mul(larger, b.num("inf")))
    assert field.atoms == {larger, b.num("inf")}


def power(b, base, doublings):
    for _ in range(doublings):
        base = b.mul(base, base)
    return base


def test_powers_and_coefficients_are_bounded(b):
    x, three = b.sym("x"), b.num(3)
    Field(b.table).read(power(b, x, 2_047))
    with pytest.raises(Refused, match="power"):
        Field(b.table).read(power(b, x, 2_048))
    Field(b.table).read(power(b, three, 10))
    with pytest.raises(Refused, match="coefficient"):
        Field(b.table).read(power(b, three, 11))
    Field(b.table).read(power(b, b.exp(x), 100))
    with pytest.raises(Refused, match="coefficient"):
        Field(b.table).read(power(b, b.exp(x), 2_100))
