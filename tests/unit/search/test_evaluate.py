"""Evaluation over the extended reals: the special values, and what has no value."""

import math
import random

import pytest

from certile.proof.check import kinds
from certile.search.evaluate import (
    Unspecified,
    World,
    agree,
    draw_element,
    draw_world,
    evaluate,
    kind_of,
)
from tests.unit.proof.builder import Build

INF, NAN = math.inf, math.nan


def value(b, term, xs=(), **symbols):
    lists = {"xs": [{"x": x} for x in xs], "ys": []}
    return evaluate(b.table, World(lists, symbols), term)


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        ("add", (INF, -INF), NAN),
        ("mul", (0.0, INF), NAN),
        ("div", (0.0, 0.0), NAN),
        ("div", (INF, 2.0), INF),
        ("exp", (-INF,), 0.0),
        ("exp", (INF,), INF),
        ("log", (0.0,), -INF),
        ("log", (-1.0,), NAN),
        ("max", (1.0, NAN), NAN),
        ("min", (NAN, 1.0), NAN),
        ("less", (NAN, 1.0), 0.0),
        ("less", (-INF, 1.0), 1.0),
        ("same", (NAN, NAN), 1.0),
        ("choose", (0.0, 1.0, 2.0), 2.0),
        ("abs", (-INF,), INF),
    ],
)
def test_operations(op, args, expected):
    b = Build()
    names = [b.sym(f"v{k}") for k in range(len(args))]
    symbols = {f"v{k}": arg for k, arg in enumerate(args)}
    assert agree(value(b, b.table.make(op, *names), **symbols), expected)


def test_aggregates_and_their_units():
    b = Build()
    x = b.elem("x")
    for op, expected, unit in (
        ("sum", 6.0, 0.0),
        ("prod", 6.0, 1.0),
        ("top", 3.0, -INF),
        ("bottom", 1.0, INF),
    ):
        assert value(b, b.over(op, x), [1.0, 2.0, 3.0]) == expected
        assert value(b, b.over(op, x)) == unit
    centred = b.over("sum", b.add(x, b.mul(b.num(-1), b.over("top", x))))
    assert value(b, centred, [1.0, 3.0]) == -2.0


@pytest.mark.parametrize("op", ["div", "exp", "elem"])
def test_what_has_no_value(op):
    b = Build()
    one, zero = b.num(1), b.num(0)
    term = {
        "div": b.div(one, zero),
        "exp": b.exp(b.num(10_000)),
        "elem": b.elem("x"),
    }[op]
    with pytest.raises(Unspecified):
        value(b, term)
    # A choice needs only the branch it takes.
    assert value(b, b.choose(zero, term, one)) == 1.0


def test_there_is_one_zero():
    b = Build()
    made = value(b, b.mul(b.num(-1), b.num(0)))
    assert math.copysign(1, made) == 1


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1.001, False),
        (INF, INF, True),
        (INF, 1e38, False),
        (INF, -INF, False),
        (NAN, NAN, True),
        (NAN, 0.0, False),
    ],
)
def test_agreement(a, b, same):
    assert agree(a, b) is agree(b, a) is same


def test_draws_are_of_the_domain():
    choose, domain = random.Random(0), {"x": kinds.NINF | kinds.NEG, "i": kinds.POS}
    drawn = [draw_element(choose, domain) for _ in range(200)]
    assert {kind_of(each["x"]) for each in drawn} == {kinds.NINF, kinds.NEG}
    assert {kind_of(each["i"]) for each in drawn} == {kinds.POS}
    world = draw_world(choose, domain | {"s.h": kinds.ZERO})
    assert set(world.symbols) == {"e.x", "e.i", "s.h"}
