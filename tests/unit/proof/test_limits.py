"""Limits: where all are met, nothing that was written for an element overflows."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app, replaced
from certile.proof.check.limits import Limit, Unmeasured, divisors, limits, measure, unknown
from certile.proof.check.regions import claimed, conjunction
from certile.proof.check.terms import Refused
from certile.search.sizes import finite_fields
from tests.terms import FUNCTIONS, computed
from tests.unit.proof.rewrites import Case
from tests.unit.search import region_kernels as kernels

X, Y = Var("x0"), Var("x1")
TOP, TOTAL = app("list.max", X), app("list.sum", X)
MEAN = app("div", TOTAL, app("list.sum", 1.0))
WEIGHT = app("exp", app("sub", X, TOP))


def law_of(*sums, measured=()):
    """A law of two fields that keeps these sums as they are, the maximum, and some sizes."""
    parts = [("m", TOP, X, "maximum")]
    parts += [(f"s{k}", app("list.sum", each), each, "add") for k, each in enumerate(sums)]
    parts += [(f"a{k}", measure(u), app("abs", u), "maximum") for k, u in enumerate(measured)]
    return Law(
        name="made",
        state=tuple(Component(name) for name, *_ in parts),
        identity=tuple(Lit("lowest" if name == "m" else 0.0) for name, *_ in parts),
        lift=tuple(lift for _, _, lift, _ in parts),
        merge=tuple(app(fn, f"a.{name}", f"b.{name}") for name, _, _, fn in parts),
        finalize=(),
        results=(),
        operands=2,
        parameters=("c0",),
        closed=tuple(closed for _, closed, _, _ in parts),
    )


def asked(law, *bodies):
    return limits(law, [app("list.sum", body) for body in bodies], finite_fields(law))


@pytest.mark.parametrize(
    "body",
    [
        X,
        app("neg", X),
        app("abs", X),
        Lit(1.0),
        WEIGHT,
        app("mul", WEIGHT, Y),
        app("mul", Y, app("exp", app("mul", 2.0, app("sub", X, TOP)))),
    ],
)
def test_what_cannot_overflow_asks_for_nothing(body):
    assert asked(law_of(X, Y), body) == []


def test_a_sum_that_the_state_keeps_as_it_is_written_asks_for_nothing():
    product = app("mul", X, Y)
    assert asked(law_of(X, Y, product), product) == []
    with pytest.raises(Unmeasured):
        asked(law_of(X, Y), product)
    kept = law_of(X, Y, product)
    for change in (
        {"lift": (*kept.lift[:-1], app("mul", Y, X))},
        {"merge": (*kept.merge[:-1], app("sub", "a.s2", "b.s2"))},
        {"closed": (*kept.closed[:-1], app("list.sum", app("mul", Y, X)))},
    ):
        with pytest.raises(Unmeasured):
            asked(replace(kept, **change), product)


def test_a_factor_of_a_finite_number_is_at_most_one():
    weights = app("list.sum", WEIGHT)
    share = app("mul", app("div", WEIGHT, weights), Y)
    finite, limit = asked(law_of(X, Y), share)
    assert finite == Limit(app("abs", weights))
    assert limit == Limit(app("div", 1.0, app("abs", weights)), Y)
    assert limit.test == app("le", limit.size, 1.0)
    _, limit = asked(law_of(X, Y, measured=(Y,)), share)
    assert limit.factor_of is None
    assert limit.test == app("isfinite", limit.size)


@pytest.mark.parametrize(
    "body",
    [
        app("mul", app("sub", X, TOP), Y),
        app("add", app("mul", WEIGHT, Y), X),
        app("mul", app("mul", WEIGHT, X), Y),
        app("mul", WEIGHT, app("exp", app("mul", app("sub", X, TOP), Y))),
    ],
)
def test_more_than_one_factor_has_to_be_measured(body):
    law = law_of(X, Y)
    with pytest.raises(Unmeasured):
        asked(law, body)
    assert asked(law_of(X, Y, measured=(X, Y)), body)


def test_what_is_not_finite_wherever_the_state_is_has_to_be_measured():
    with pytest.raises(Unmeasured) as refusal:
        asked(law_of(X), app("mul", WEIGHT, Y))
    assert refusal.value.own == Y


@pytest.mark.parametrize(
    "body", [app("log", app("sub", X, TOP)), app("div", 1.0, app("sub", X, TOP))]
)
def test_what_has_no_bound_is_refused(body):
    with pytest.raises(Refused, match="nothing bounds"):
        asked(law_of(X, Y, measured=(X, Y)), body)


def test_only_sums_have_limits():
    law = law_of(X, Y, measured=(X, Y))
    for fn in ("list.max", "list.min", "list.prod"):
        with pytest.raises(Refused, match="that the state does not keep"):
            limits(law, [app(fn, app("mul", X, Y))], finite_fields(law))
    assert limits(law, [TOP, app("list.min", Y)], finite_fields(law)) == []


def test_an_extreme_shows_one_infinity_only():
    """What overflows to -inf is in no maximum, and may be in a sum that is kept another way."""
    product = app("mul", X, Y)
    for fn, merge, other in (("max", "maximum", "min"), ("min", "minimum", "max")):
        law, extreme = law_of(X, Y), app(f"list.{fn}", product)
        law = replace(
            law,
            state=(*law.state, Component("q")),
            identity=(*law.identity, Lit("lowest" if fn == "max" else "highest")),
            lift=(*law.lift, product),
            merge=(*law.merge, app(merge, "a.q", "b.q")),
            closed=(*law.closed, extreme),
        )
        finite = finite_fields(law)
        assert limits(law, [extreme], finite) == []
        with pytest.raises(Refused, match="that the state does not keep"):
            limits(law, [app(f"list.{other}", product)], finite)
        with pytest.raises(Unmeasured):
            limits(law, [app("list.sum", product)], finite)


def test_what_a_condition_compares_does_not_overflow():
    far, top = app("mul", X, 2.0**100), app("mul", TOP, 2.0**100)
    chosen = app("where", app("bit_not", app("lt", far, top)), Y, TOP)
    with pytest.raises(Unmeasured):
        asked(law_of(X, Y, measured=(X, Y)), chosen)
    sizes = [limit.size for limit in asked(law_of(X, Y, measured=(X, Y, far)), chosen)]
    assert app("abs", top) in sizes
    near = app("where", app("lt", X, TOP), Y, TOP)
    assert len(asked(law_of(X, Y, measured=(X, Y)), near)) == 1


def test_a_divisor_that_may_underflow_has_no_bound():
    """x * max x may be 0 where neither is, and y / x / max x is finite then."""
    law = law_of(X, Y, measured=(X, Y, app("div", Y, X), app("div", 1.0, X)))
    with pytest.raises(Refused, match="nothing bounds"):
        asked(law, app("div", Y, app("mul", X, TOP)))


def test_a_divisor_of_what_is_shared_is_finite():
    law = law_of(X, Y, measured=(X, Y))
    squared = app("mul", TOP, TOP)
    for body in (app("div", X, squared), app("mul", X, app("div", 1.0, squared))):
        assert Limit(app("abs", squared)) in asked(law, body)


def test_a_scale_of_an_exponent_is_neither_infinite_nor_zero():
    law = law_of(X, Y)
    size, far = app("abs", MEAN), 2.0**64
    for scaled, limits_of_scale in (
        ("mul", [size, app("div", far, size)]),
        ("div", [app("div", 1.0, size), app("mul", far, size)]),
    ):
        body = app("exp", app(scaled, app("sub", X, TOP), size))
        assert [limit.size for limit in asked(law, body)] == limits_of_scale


# Every way to write a sum: sizes that pass bound all that is written, in the worst rows.

_CENTRES = (TOP, MEAN, TOTAL, app("list.sum", WEIGHT), Var("c0"), Lit(0.5), Lit(-3.0))


def _written(random, depth):
    """A random summand over both fields and what is the same for all elements."""
    if depth == 0:
        return random.choice((X, Y, random.choice(_CENTRES), app("sub", X, TOP), WEIGHT))
    fn = random.choice(("add", "sub", "mul", "mul", "div", "neg", "maximum", "square"))
    a, b = _written(random, depth - 1), _written(random, depth - 1)
    match fn:
        case "neg":
            return app("neg", a)
        case "div":
            return app("div", a, random.choice((*_CENTRES, X, app("mul", Y, TOP))))
        case "square":
            off = app("sub", X, random.choice(_CENTRES))
            return app("mul", off, off)
        case _:
            return app(fn, a, b)


_N = 6
_FUNCTIONS = {
    **FUNCTIONS,
    "list.sum": lambda a: np.float32(np.broadcast_to(a, _N).sum(dtype=np.float64)),
    "list.max": np.max,
}


def _value(term, row):
    """A term's value in every element, each operation rounded to f32 once."""
    return computed(term, row, np.float32, _FUNCTIONS)


def _rows(random):
    rng = np.random.default_rng(random.getrandbits(32))
    for _ in range(12):
        low = random.choice((-3, 10, 17, 25, 36))
        sizes = 10.0 ** rng.uniform(low, min(low + random.choice((1, 4)), 38.4), (2, _N))
        x, y = (np.minimum(sizes, 3.4e38) * rng.choice((-1, 1), (2, _N))).astype(np.float32)
        if random.random() < 0.4:
            x, y = np.repeat(x[::2], 2), np.repeat(y[::2], 2) * np.array([1, -1] * 3, np.float32)
        yield {"x0": x, "x1": y, "c0": np.float32(random.choice((0.5, 3e30)))}


def test_what_meets_its_limits_does_not_overflow():
    random, met = Random(5), 0
    inverse = app("div", 1.0, X)
    law = law_of(X, Y, measured=(X, Y, inverse))
    for _ in range(400):
        body = _written(random, random.choice((1, 2, 3)))
        try:
            found = asked(law, body)
        except Refused:
            continue
        for row in _rows(random):
            tested = [_value(term, row) for term in (*law.closed, app("list.sum", body))]
            if all(np.isfinite(each).all() for each in tested) and all(
                _value(limit.test, row) for limit in found
            ):
                met += 1
                assert np.isfinite(_value(body, row)).all(), (str(body), row)
    assert met > 500


OVERFLOWS = "the last result does not say whether the state is finite and nothing overflows"


def test_a_condition_without_a_limit_is_refused():
    """The proof is that of the law with its limit, and holds; the condition asks for less."""
    case = Case(kernels.mean_and_variance)
    law = case.fused.law
    *results, condition = law.finalize
    alone = replace(law, finalize=tuple(results), results=law.results[:-1])
    assert condition.args[0] == conjunction(alone)
    assert case.answer() is None
    assert case.with_law(finalize=(*results, condition.args[0])) == OVERFLOWS
    other = app("bit_and", condition.args[0], app("le", condition.args[1].args[0], 1.0))
    assert case.with_law(finalize=(*results, other)) == OVERFLOWS


def test_the_number_that_is_tested_is_the_limit():
    case = Case(kernels.mean_and_variance)
    law = case.fused.law
    *results, condition = law.finalize
    own = condition.args[1].args[0]
    turned = replaced(own, {app("div", "t", "n"): app("div", "n", "t")})
    assert turned != own
    for size in (turned, app("mul", "t", "t"), Var("t"), Lit(1.0)):
        tested = app("bit_and", condition.args[0], app("isfinite", size))
        assert case.with_law(finalize=(*results, tested)) == OVERFLOWS


def test_an_exponent_is_of_one_operand_and_has_no_scale_that_is_zero():
    def weighted(exponent):
        return asked(law_of(X, Y), app("mul", app("exp", exponent), Y))

    near = app("sub", X, TOP)
    assert weighted(near) == weighted(app("mul", near, 2.0)) == []
    scale, far = app("abs", "c0"), 2.0**64
    assert Limit(app("div", far, Lit(0.0))) in weighted(app("mul", near, 0.0))
    for scaled in (app("mul", near, "c0"), app("mul", "c0", near)):
        assert weighted(scaled) == [Limit(app("div", far, scale))]
    wanted = [Limit(app("div", 1.0, scale)), Limit(app("mul", far, scale))]
    assert weighted(app("div", near, "c0")) == wanted
    with pytest.raises(Unmeasured):
        weighted(app("div", TOP, X))


@pytest.mark.parametrize(
    ("size", "names"),
    [
        (app("div", 1.0, app("abs", "c0")), {"c0"}),
        (app("div", 1.0, app("mul", app("abs", "c0"), "c1")), {"c0", "c1"}),
        (app("div", 1.0, app("add", "c0", "c1")), set()),
        (app("div", 2.0, "c0"), {"c0"}),
        (app("div", app("div", 2.0, "c0"), app("abs", "c1")), {"c0", "c1"}),
        (app("mul", 1.0, "c0"), set()),
        (Var("c0"), set()),
    ],
)
def test_reciprocals_tell_which_parameters_are_not_0(size, names):
    assert divisors([size]) == names


SUMMED, SQUARED = app("list.sum", X), app("list.sum", app("mul", X, X))


@pytest.mark.parametrize(
    ("size", "wanted"),
    [
        (app("abs", "c0"), ()),
        (app("mul", 2.0, app("abs", SUMMED)), (SUMMED,)),
        (app("add", SUMMED, app("div", SUMMED, SQUARED)), (SQUARED, SUMMED)),
        (app("list.sum", app("mul", X, SUMMED)), (app("list.sum", app("mul", X, SUMMED)),)),
    ],
)
def test_a_law_gives_the_aggregates_that_its_limits_speak_of(size, wanted):
    assert sorted(map(str, unknown([Limit(size)], ()))) == sorted(map(str, wanted))
    assert unknown([Limit(size)], (size,)) == ()
    less = unknown([Limit(size)], (SUMMED,))
    assert SUMMED not in less
    assert set(less) == set(wanted) - {SUMMED}


def test_an_aggregate_that_a_limit_speaks_of_is_a_result_and_proved():
    case = Case(kernels.weighted)
    law = case.fused.law
    assert law.results == ("acc", "acc", "bool")
    wanted, weights, condition = law.finalize
    alone = case.with_law(finalize=(wanted, condition), results=("acc", "bool"))
    assert alone == "the condition of a fallback is not that some state of a fold is not finite"
    read, meaning = claimed(case.fallback, case.laws[0])
    asked = limits(read, meaning.specification[:1], ["x1"])
    assert condition == conjunction(read, meaning.specification, asked)
    smaller = replace(read, finalize=(wanted, app("div", weights, 2.0)))
    tested = conjunction(smaller, meaning.specification, asked)
    answer = case.with_law(finalize=(*smaller.finalize, tested))
    assert answer == "the certificate is of another after"
