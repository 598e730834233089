"""The table of terms: interning, what binds an element, fuel and nesting."""

from fractions import Fraction

import pytest

from certile.proof.check.reader import shape
from certile.proof.check.terms import Refused, Table
from certile.proof.goal_text import text
from tests.unit.proof.builder import Build


def test_what_says_the_same_is_one_term():
    b = Build()
    assert b.add(b.sym("x"), b.num(1)) == b.add(b.sym("x"), b.num(1))
    assert b.num(1) == b.table.num(Fraction(2, 2))
    assert b.sym("x") != b.elem("x")
    assert b.kind(b.sym("x"), value=1) != b.kind(b.sym("x"), value=2)


def test_a_list_binds_the_element():
    b = Build()
    x = b.elem()
    assert b.table.free[x]
    assert b.table.free[b.add(x, b.num(1))]
    assert not b.table.free[b.over("sum", x)]
    assert b.table.free[b.mul(x, b.over("sum", x))]


def test_fuel_ends():
    table = Table(3)
    table.spend(3)
    with pytest.raises(Refused, match="more work"):
        table.spend()
    table = Table(1)
    table.num(0)
    table.num(0)
    with pytest.raises(Refused, match="more work"):
        table.num(1)


def test_flattening_keeps_order_and_other_operations():
    b = Build()
    x, y, z = (b.sym(name) for name in "xyz")
    product = b.mul(x, y)
    assert b.table.flat("add", b.add(b.add(x, product), b.add(z, x))) == [x, product, z, x]
    assert b.table.flat("add", product) == [product]


def test_text():
    b = Build()
    term = b.choose(b.kind(b.sym("x"), value=32), b.num("-inf"), b.over("sum", b.elem("v")))
    assert text(b.table, term, b.num(0)) == ["(choose (kind 32 x) -inf (sum xs v))", "0"]


def test_shapes_are_equal_up_to_the_names_of_fields():
    b, fields = Build(), dict.fromkeys("xyz", "any")

    def shaped(*terms):
        return shape(b.table, terms, fields)

    x, y, z = map(b.elem, "xyz")
    assert shaped(b.add(x, y)) == shaped(b.add(y, z)) == shaped(b.add(x, z))
    assert shaped(b.add(x, y)) != shaped(b.add(x, x))
    assert shaped(b.add(x, y)) != shaped(b.mul(x, y))
    assert shaped(x, y) != shaped(x, x)
    assert shaped(x, b.over("sum", x)) == shaped(y, b.over("sum", y))
    assert shaped(b.over("sum", x)) != shaped(b.over("sum", x, "ys"))
    assert shaped(b.num(1)) != shaped(b.num(2))
    # The field of a list of one element is the same field.
    assert shaped(x, b.sym("e.x")) == shaped(y, b.sym("e.y")) != shaped(x, b.sym("e.y"))
    assert shaped(b.sym("c.x")) != shaped(b.sym("c.y"))
    assert shape(b.table, [x], fields) != shape(b.table, [x], {"x": "finite"})


def test_shapes_tell_what_is_shared_from_what_is_equal_in_form():
    b, fields = Build(), dict.fromkeys("xy", "any")
    x, y = b.exp(b.elem("x")), b.exp(b.elem("y"))
    assert shape(b.table, [b.add(x, x)], fields) != shape(b.table, [b.add(x, y)], fields)
    assert shape(b.table, [b.exp(x), y], fields) != shape(b.table, [b.exp(x), x], fields)
