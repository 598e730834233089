"""Fused folds by derivation: what is proved, what is refused and why, and the laws on numbers."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from certile.ir.terms import Var, app, evaluate
from certile.proof.check import check
from certile.search import Unproved
from certile.search.fusion import Beside, Chain, Fused, derive
from tests.terms import computed

X, X0, X1 = Var("x"), Var("x0"), Var("x1")
FROM_R = app("sub", "x", "r")
WEIGHT = app("exp", FROM_R)
PAIR_WEIGHT = app("exp", app("sub", "x0", "r"))
SQUARE = app("mul", FROM_R, FROM_R)
SCALED = app("exp", app("sub", app("mul", "c", "x"), app("mul", "c", "r")))
DOUBLED = app("exp", app("sub", app("mul", 2.0, "x"), app("mul", 2.0, "r")))
INF, NAN = math.inf, math.nan

# Chain, whether it is proved for all numbers, and the later sums in NumPy.
PROVED = {
    "weights": (Chain("max", X, (WEIGHT,)), True, (lambda x, r: np.exp(x - r),)),
    "doubled": (Chain("max", X, (DOUBLED,)), True, (lambda x, r: np.exp(2 * x - 2 * r),)),
    "rows": (
        Chain("max", X, (WEIGHT,), nonempty=True),
        True,
        (lambda x, r: np.exp(x - r),),
    ),
    "weighted": (
        Chain("max", X0, (PAIR_WEIGHT, app("mul", PAIR_WEIGHT, "x1")), operands=2),
        True,
        (lambda x, y, r: np.exp(x - r), lambda x, y, r: np.exp(x - r) * y),
    ),
    "entropy": (
        Chain("max", X, (app("mul", WEIGHT, "x"),)),
        True,
        (lambda x, r: np.exp(x - r) * x,),
    ),
    "minimum": (
        Chain("min", X, (app("exp", app("sub", "r", "x")),)),
        True,
        (lambda x, r: np.exp(r - x),),
    ),
    "two summands": (
        Chain("max", X, (app("add", WEIGHT, "x"),)),
        True,
        (lambda x, r: np.exp(x - r) + x,),
    ),
    "moments and weights": (
        Chain(
            "max", X0, (app("mul", app("sub", "x0", "r"), "x1"), app("add", PAIR_WEIGHT, "x1")), 2
        ),
        False,
        (lambda x, y, r: (x - r) * y, lambda x, y, r: np.exp(x - r) + y),
    ),
    "spread": (Chain("mean", X, (SQUARE,)), True, (lambda x, r: (x - r) ** 2,)),
    "cube": (
        Chain("mean", X, (app("mul", SQUARE, FROM_R),)),
        True,
        (lambda x, r: (x - r) ** 3,),
    ),
    "covariance": (
        Chain("mean", X0, (app("mul", app("sub", "x0", "r"), "x1"),), operands=2),
        False,
        (lambda x, y, r: (x - r) * y,),
    ),
    "from the maximum": (Chain("max", X, (SQUARE,)), False, (lambda x, r: (x - r) ** 2,)),
    "by the size": (
        Chain("absmax", X, (app("div", app("mul", "x", 127.0), "r"),)),
        True,
        (lambda x, r: x * 127 / r,),
    ),
    "squares by the size": (
        Chain("absmax", X, (app("mul", app("div", "x", "r"), app("div", "x", "r")),)),
        True,
        (lambda x, r: (x / r) ** 2,),
    ),
}

OFF_X, OFF_Y = app("sub", "x0", "r"), app("sub", "x1", "r_1")
MEANS = Chain("mean", X0, (), operands=2, beside=(Beside("mean", X1),))
# Sums that read two reductions, r of the first field and q of the second.
TOGETHER = {
    "covariance of both": (
        replace(MEANS, later=(app("mul", OFF_X, OFF_Y),)),
        True,
        (lambda x, y, r, q: (x - r) * (y - q),),
    ),
    "correlation": (
        replace(
            MEANS, later=tuple(app("mul", *by) for by in (2 * [OFF_X], 2 * [OFF_Y], (OFF_X, OFF_Y)))
        ),
        True,
        (
            lambda x, y, r, q: (x - r) ** 2,
            lambda x, y, r, q: (y - q) ** 2,
            lambda x, y, r, q: (x - r) * (y - q),
        ),
    ),
    "a sum of both": (
        replace(MEANS, later=(app("mul", app("add", OFF_X, OFF_Y), app("add", OFF_X, OFF_Y)),)),
        True,
        (lambda x, y, r, q: (x - r + y - q) ** 2,),
    ),
    "two maxima": (
        Chain(
            "max",
            X0,
            (app("mul", PAIR_WEIGHT, app("exp", OFF_Y)), app("mul", PAIR_WEIGHT, OFF_Y)),
            operands=2,
            beside=(Beside("max", X1),),
        ),
        False,
        (lambda x, y, r, q: np.exp(x - r + y - q), lambda x, y, r, q: np.exp(x - r) * (y - q)),
    ),
    "greatest and least": (
        Chain(
            "max",
            X,
            (app("mul", app("sub", "r", "x"), app("sub", "x", "r_1")),),
            beside=(Beside("min", X),),
        ),
        False,
        (lambda x, r, q: (r - x) * (x - q),),
    ),
}
PROVED |= TOGETHER

REFUSED = {
    "exponent times r": (Chain("max", X, (app("exp", app("mul", "x", "r")),)), "ratio", True),
    "bell": (Chain("mean", X, (app("exp", app("neg", SQUARE)),)), "ratio", True),
    "clipped": (Chain("max", X, (app("maximum", "x", "r"),)), "ratio", True),
    "rounded": (Chain("absmax", X, (app("round", app("div", "x", "r")),)), "read", False),
    "too steep": (
        Chain("max", X, (app("exp", app("sub", app("mul", 2.0, "x"), "r")),)),
        "bound.0",
        True,
    ),
    "another array": (
        Chain("max", X0, (app("exp", app("sub", "x1", "r")),), operands=2),
        "bound.0",
        True,
    ),
    # r of a part is near 0, far from elements that are all near their mean.
    "a mean by a factor": (
        Chain("add", X, (app("mul", *[app("sub", "x", app("mul", "r", 0.125))] * 2),)),
        "near",
        False,
    ),
    # r of a part grows and falls.
    "about a sum": (Chain("add", X, (SQUARE,)), "near", False),
    "about the mean of others": (Chain("mean", app("mul", "x", "x"), (SQUARE,)), "near", False),
    # All but a few digits of both sums are those of the number of elements.
    "a difference": (Chain("absmax", X, (app("sub", app("div", "x", "r"), 1.0),)), "near", False),
    "unknown sign": (Chain("max", X, (SCALED,), parameters={"c": "finite"}), "bound.0", True),
    # The second r is subtracted from what it is no mean of.
    "means the wrong way round": (
        replace(MEANS, later=(app("mul", OFF_X, app("sub", "x0", "r_1")),)),
        "near",
        False,
    ),
    "a product of two results": (
        replace(MEANS, later=(app("exp", app("mul", app("mul", "x0", "r"), "r_1")),)),
        "ratio",
        True,
    ),
}


@pytest.fixture(scope="module")
def fused():
    return {name: derive(chain, name) for name, (chain, _, _) in PROVED.items()}


@pytest.mark.parametrize("name", PROVED)
def test_a_chain_becomes_a_law_that_the_checker_accepts(fused, name):
    chain, everywhere, _ = PROVED[name]
    found = fused[name]
    assert isinstance(found, Fused), found.text()
    assert check(found.certificate, found.law, found.meaning) is None
    wanted = "any" if everywhere else "finite"
    assert dict(found.meaning.domain) == dict.fromkeys(chain.fields(), wanted)
    assert found.meaning.bounded


@pytest.mark.parametrize("name", REFUSED)
def test_a_chain_is_refused_with_the_obligation(name):
    chain, obligation, shown = REFUSED[name]
    found = derive(chain, name)
    assert isinstance(found, Unproved)
    assert found.obligation == obligation
    assert (found.counterexample is not None) == shown


def test_a_scale_that_is_not_negative_is_bounded():
    chain = Chain("max", X, (SCALED,), parameters={"c": "natural"})
    found = derive(chain)
    assert isinstance(found, Fused), found.text()
    assert check(found.certificate, found.law, found.meaning) is None


def test_a_scale_in_the_key_may_have_any_sign():
    key = app("mul", "c", "x")
    weight = app("exp", app("sub", key, "r"))
    found = derive(Chain("max", key, (weight,), parameters={"c": "finite"}))
    assert isinstance(found, Fused), found.text()


def test_a_certificate_needs_the_bound(fused):
    found = fused["weights"]
    proofs = [each for each in found.certificate["obligations"] if "bound" not in each["name"]]
    assert len(proofs) < len(found.certificate["obligations"])
    answer = check({**found.certificate, "obligations": proofs}, found.law, found.meaning)
    assert answer is not None
    assert "obligations" in answer


def test_a_middle_sum_that_is_zero_is_not_kept(fused):
    assert len(fused["spread"].law.state) == 3
    assert len(fused["cube"].law.state) == 4
    assert len(fused["from the maximum"].law.state) == 4
    assert len(fused["covariance of both"].law.state) == 4
    assert len(fused["correlation"].law.state) == 6


def _values(terms, variables):
    return [computed(term, variables, np.float64) for term in terms]


def _state(law, elements):
    names = [component.name for component in law.state]
    state = _values(law.identity, {})
    for element in elements:
        fields = dict(zip(law.lift_variables(), map(np.float64, element), strict=True))
        state = _merged(law, names, state, _values(law.lift, fields))
    return state


def _merged(law, names, a, b):
    sides = {f"a.{name}": value for name, value in zip(names, a, strict=True)}
    sides |= {f"b.{name}": value for name, value in zip(names, b, strict=True)}
    return _values(law.merge, sides)


_OUTER = {
    "max": lambda key: np.max(key, initial=-INF),
    "min": lambda key: np.min(key, initial=INF),
    "absmax": lambda key: np.max(np.abs(key), initial=0.0),
    "mean": lambda key: key.sum() / np.float64(len(key)),
}


def _rows(width, everywhere):
    random = np.random.default_rng(5)
    rows = [random.normal(size=(n, width)) * scale for n, scale in ((1, 1), (6, 3), (9, 20))]
    rows += [np.zeros((3, width)), np.ones((2, width)), np.zeros((0, width))]
    special = list(itertools.product((-INF, INF, NAN, 0.0, -2.0), repeat=3))
    if everywhere:
        first = special if width == 1 else special[::3]
        rows += [np.stack([np.array(row)] + [np.ones(3)] * (width - 1), 1) for row in first]
        rows += [np.stack([np.arange(3.0), row], 1) for row in special[::9] if width == 2]
        rows += [np.full((2, width), value) for value in (-INF, INF, NAN)]
    return rows


@pytest.mark.parametrize("name", PROVED)
def test_every_split_of_a_row_gives_what_two_passes_give(fused, name):
    chain, everywhere, later = PROVED[name]
    law = fused[name].law
    names = [component.name for component in law.state]
    for row in _rows(chain.operands, everywhere):
        if chain.nonempty and not len(row):
            continue
        fields = row.T
        with np.errstate(all="ignore"):
            keys = dict(zip(chain.fields(), fields, strict=True))
            outers = [
                _OUTER[each.outer](keys.get(str(each.key), fields[0])) for each in chain.outers()
            ]
            wanted = [*outers, *(np.sum(term(*fields, *outers)) for term in later)]
        size = 1 + np.sum(np.abs(row[np.isfinite(row)]) ** 3)
        for split in range(len(row) + 1):
            merged = _merged(law, names, _state(law, row[:split]), _state(law, row[split:]))
            got = _values(law.finalize, dict(zip(names, merged, strict=True)))
            np.testing.assert_allclose(got, wanted, rtol=1e-11, atol=1e-13 * size)


def test_moments_are_exact_over_fractions(fused):
    """The cube of differences, merged over rational numbers, has no error at all."""
    law = fused["cube"].law
    names = [component.name for component in law.state]
    functions = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b if b else Fraction(0),
        "eq": lambda a, b: a == b,
        "where": lambda c, a, b: a if c else b,
    }

    def values(terms, variables):
        return [
            evaluate(
                term,
                variables,
                lambda lit, beside: Fraction(lit.value),
                lambda fn, args: functions[fn](*args),
            )
            for term in terms
        ]

    elements = [Fraction(k * k - 7, 3) for k in range(7)]
    state = values(law.identity, {})
    for element in elements:
        sides = {f"a.{name}": value for name, value in zip(names, state, strict=True)}
        one = values(law.lift, {"x": element})
        sides |= {f"b.{name}": value for name, value in zip(names, one, strict=True)}
        state = values(law.merge, sides)
    mean = sum(elements) / len(elements)
    assert values(law.finalize, dict(zip(names, state, strict=True))) == [
        mean,
        sum((each - mean) ** 3 for each in elements),
    ]


def test_a_claim_for_rows_with_elements_is_none_for_empty_ones(fused):
    found = fused["rows"]
    answer = check(found.certificate, found.law, replace(found.meaning, nonempty=False))
    assert answer is not None
    assert answer.startswith("finalize.1")


def test_a_parameter_may_not_have_the_name_of_a_field(fused):
    found = fused["weights"]
    clash = replace(found.meaning, parameters={"x": "finite"})
    answer = "a parameter has the name of a field or of a component"
    assert check(found.certificate, found.law, clash) == answer


def test_a_parameter_may_not_have_the_name_of_a_component(fused):
    found = fused["weights"]
    clash = replace(found.meaning, parameters={"m": "finite"})
    answer = "a parameter has the name of a field or of a component"
    assert check(found.certificate, found.law, clash) == answer


def test_a_law_has_the_parameters_of_its_meaning(fused):
    found = fused["weights"]
    more = replace(found.meaning, parameters={"c0": "finite"})
    answer = "the law has other parameters than its meaning"
    assert check(found.certificate, found.law, more) == answer
