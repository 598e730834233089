"""The tables of kinds say exactly what evaluation gives on representatives of each kind."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from certile.proof.check import kinds

_REPRESENTATIVES = {
    kinds.NINF: [-math.inf],
    kinds.NEG: [-3.0, -1.0, -0.5],
    kinds.ZERO: [0.0, -0.0],
    kinds.POS: [0.5, 1.0, 3.0],
    kinds.PINF: [math.inf],
    kinds.NAN: [math.nan],
}
_BINARY = {
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "max": np.maximum,
    "min": np.minimum,
    "less": np.less,
    "same": lambda a, b: (a == b) | ((a != a) & (b != b)),
}
_UNARY = {"exp": np.exp, "log": np.log, "abs": np.abs}


def _kind(value):
    if np.isnan(value):
        return kinds.NAN
    if np.isinf(value):
        return kinds.PINF if value > 0 else kinds.NINF
    return kinds.POS if value > 0 else kinds.NEG if value < 0 else kinds.ZERO


def _union(masks):
    out = 0
    for mask in masks:
        out |= mask
    return out


def _seen(function, *given):
    """The kinds of the results over all representatives of the kinds given."""
    values = [
        [np.float64(v) for kind in kinds.single(m) for v in _REPRESENTATIVES[kind]] for m in given
    ]
    with np.errstate(all="ignore"):
        return _union(
            _kind(np.float64(function(*map(np.float64, each))))
            for each in itertools.product(*values)
        )


@pytest.mark.parametrize("op", _BINARY)
def test_binary_tables(op):
    for a, b in itertools.product(_REPRESENTATIVES, repeat=2):
        assert kinds.result(op, a, b) == _seen(_BINARY[op], a, b), (op, a, b)


@pytest.mark.parametrize("op", _UNARY)
def test_unary_tables(op):
    for a in _REPRESENTATIVES:
        assert kinds.result(op, a) == _seen(_UNARY[op], a), (op, a)


def test_a_choice_takes_the_second_for_zero_alone():
    for kind in _REPRESENTATIVES:
        taken, other = (2, 1) if kind == kinds.ZERO else (1, 2)
        masks = [kind, kinds.ANY, kinds.ANY, kinds.NEG]
        assert kinds.operand("choose", taken, *masks) == kinds.NEG
        assert kinds.operand("choose", other, *masks) == kinds.ANY
    by = kinds.ANY, kinds.NEG, kinds.POS
    assert kinds.operand("choose", 0, *by, kinds.POS) == kinds.ZERO
    assert kinds.operand("choose", 0, *by, kinds.NEG) == kinds.ANY & ~kinds.ZERO


def test_masks_are_lifted_kind_by_kind():
    for a, b in itertools.product(range(1, 64, 5), repeat=2):
        expected = _union(
            kinds.result("add", x, y) for x in kinds.single(a) for y in kinds.single(b)
        )
        assert kinds.result("add", a, b) == expected
    assert kinds.result("mul", 0, kinds.ANY) == 0
    assert kinds.result("mul", kinds.ANY, 0) == 0
    assert kinds.result("exp", 0) == 0


@pytest.mark.parametrize(
    ("op", "mask", "closed"),
    [
        ("add", kinds.POS, kinds.POS),
        ("add", kinds.ZERO, kinds.ZERO),
        ("add", kinds.POS | kinds.NEG, kinds.FINITE),
        ("add", kinds.NINF | kinds.PINF, kinds.NINF | kinds.PINF | kinds.NAN),
        ("mul", kinds.NEG, kinds.NEG | kinds.POS),
        ("mul", kinds.ZERO | kinds.PINF, kinds.ZERO | kinds.PINF | kinds.NAN),
        ("max", kinds.NEG | kinds.NAN, kinds.NEG | kinds.NAN),
        ("add", 0, 0),
    ],
)
def test_closure(op, mask, closed):
    assert kinds.closure(op, mask) == closed


def test_bounds_by_kind():
    numbers = [kinds.NINF, kinds.NEG, kinds.ZERO, kinds.POS, kinds.PINF]
    for place, kind in enumerate(numbers):
        at_most, at_least = _union(numbers[: place + 1]), _union(numbers[place:])
        # What is not above, and what is not below, a number of this kind.
        assert kinds.operand("less", 1, kind, at_least | at_most, kinds.ZERO) == at_most
        assert kinds.operand("less", 0, at_least | at_most, kind, kinds.ZERO) == at_least
        assert kinds.operand("max", 0, kinds.ANY, kinds.ANY, kind) == at_most
        assert kinds.operand("min", 1, kinds.ANY, kinds.ANY, kind) == at_least


def test_tests_and_constants():
    assert kinds.tested(kinds.NAN | kinds.POS, kinds.NAN) == kinds.ZERO | kinds.POS
    assert kinds.tested(kinds.NAN, kinds.NAN) == kinds.POS
    assert kinds.tested(kinds.POS, kinds.NAN) == kinds.ZERO
    for mask, value in (
        (kinds.NEG, Fraction(-1, 3)),
        (kinds.POS, Fraction(7)),
        (kinds.POS, Fraction(10**400)),
        (kinds.NEG, Fraction(-1, 10**400)),
        *kinds.ONLY.items(),
    ):
        assert kinds.of_number(value) == mask
