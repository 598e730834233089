"""Limits: where all are met, nothing that was written for an element overflows."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app, replaced
from certile.proof.check.divided import divided_by
from certile.proof.check.limits import Limit, Unmeasured, divisors, limits, measure, unknown
from certile.proof.check.regions import claimed, conjunction
from certile.proof.check.terms import Refused
from certile.search.sizes import finite_fields
from tests.terms import FUNCTIONS, computed
from tests.unit.proof.rewrites import Case
from tests.unit.search import region_kernels as kernels

X, Y = Var("x0"), Var("x1")
TOP, TOTAL = app("list.max", X), app("list.sum", X)
COUNT = app("list.sum", 1.0)
MEAN = app("div", TOTAL, COUNT)
WEIGHT = app("exp", app("sub", X, TOP))
LEAST = Lit(2.0**-80)


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
    finite, limit, apart = asked(law_of(X, Y), share)
    assert finite == Limit(app("abs", weights))
    assert limit == Limit(app("div", 1.0, app("abs", weights)), Y)
    assert limit.test == app("le", limit.size, 1.0)
    assert apart == Limit(app("abs", weights), least=LEAST)
    _, limit, _ = asked(law_of(X, Y, measured=(Y,)), share)
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


def test_a_factor_that_the_state_tests_is_at_most_one_as_well():
    assert asked(law_of(X, Y), app("mul", Y, TOTAL)) == [Limit(app("abs", TOTAL), Y)]


def test_a_square_of_what_differs_by_what_all_share_is_bounded_by_its_sum():
    law = law_of(X, Y)

    def squared(a, b):
        off = app("sub", a, b)
        return app("mul", off, off)

    size = app("abs", MEAN)
    summed = app("list.sum", squared(X, MEAN))
    found = limits(law, [app("div", summed, COUNT)], finite_fields(law))
    assert [limit.size for limit in found] == [summed, app("mul", size, size)]
    # Over V this is the square of a field; as written it may be one of an infinity.
    far = app("mul", app("mul", X, 2.0**100), 2.0**-100)
    for body in (
        squared(far, TOP),
        app("add", squared(X, Y), TOP),
        squared(X, app("add", Y, TOP)),
        app("mul", app("sub", X, TOP), app("sub", X, MEAN)),
    ):
        with pytest.raises(Unmeasured):
            asked(law, body)


def test_a_size_is_measured_by_the_state_as_it_is_written():
    """A component may be the largest size over V and be made of something else."""
    far = app("mul", app("mul", Y, 2.0**100), 2.0**-100)
    law = law_of(X, measured=(far,))
    body = app("mul", far, TOP)
    assert len(asked(law, body)) == 1
    for lift in (app("abs", Y), app("maximum", app("abs", far), 0.0)):
        with pytest.raises(Unmeasured):
            asked(replace(law, lift=(*law.lift[:-1], lift)), body)
    # A sum of sizes shows as much, but there is no number to test.
    with pytest.raises(Unmeasured):
        asked(law_of(X, app("abs", far)), body)
    # Without the 0 it is another number, of no element.
    highest = app("list.max", app("abs", far))
    assert limits(replace(law, closed=(*law.closed[:-1], highest)), [highest], ()) == []
    with pytest.raises(Unmeasured):
        asked(replace(law, closed=(*law.closed[:-1], highest)), body)


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
    law, product = law_of(X, Y, measured=(X, Y)), app("mul", X, Y)
    second = app("list.largest", 2, product)
    for each in (*(app(f"list.{fn}", product) for fn in ("max", "min", "prod")), second):
        with pytest.raises(Refused, match="that the state does not keep"):
            limits(law, [each], finite_fields(law))
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
    # That bounds all that it is made of.
    shifted = app("mul", app("add", X, 1.0), 2.0)
    later = app("where", app("lt", shifted, TOP), Y, TOP)
    assert asked(law_of(X, Y, measured=(Y, shifted)), later)


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


def test_nothing_is_asked_of_what_a_number_is_made_of_that_is_tested():
    """The greatest size is a component; without its 0 it would be a number that nothing gives."""
    law = law_of(X, Y, measured=(X,))
    scale = app("div", 127.0, measure(X))
    size = app("mul", measure(X), app("abs", scale))
    assert asked(law, app("mul", X, scale)) == [Limit(app("mul", 2.0, size))]


def test_a_scale_of_an_exponent_is_neither_infinite_nor_zero():
    law = law_of(X, Y)
    size, far = app("abs", MEAN), 2.0**64
    for scaled, limits_of_scale in (
        ("mul", [size, app("div", far, size)]),
        ("div", [app("div", 1.0, size), app("mul", far, size)]),
    ):
        body = app("exp", app(scaled, app("sub", X, TOP), size))
        scale, far_enough, apart = asked(law, body)
        assert [scale.size, far_enough.size] == limits_of_scale
        assert apart == Limit(app("abs", TOTAL), least=LEAST)


def test_sums_that_something_is_divided_by_are_not_near_0():
    """Wherever a size divides by one or has its logarithm, each sum once, and no extreme."""
    law, weights = law_of(X, Y, measured=(X, Y)), app("list.sum", WEIGHT)
    apart = [Limit(app("abs", weights), least=LEAST)]
    for body in (
        app("div", X, weights),
        app("mul", X, app("div", 1.0, weights)),
        app("div", X, app("mul", weights, app("mul", TOP, weights))),
        app("mul", app("sub", X, app("log", weights)), Y),
        app("mul", X, app("maximum", app("div", TOP, weights), TOP)),
    ):
        assert [limit for limit in asked(law, body) if limit.least] == apart
    for body in (app("div", X, TOP), app("mul", X, weights)):
        assert not [limit for limit in asked(law, body) if limit.least]
    # A mean that is a result is a divisor itself; what it is made of is none.
    mean = limits(law, [app("list.sum", app("div", X, MEAN)), MEAN], finite_fields(law))
    assert mean[-1] == Limit(app("abs", MEAN), least=LEAST)


def test_a_reciprocal_that_a_target_takes_0_for_has_a_size():
    """max x / x is 1 where x is so great that 1 / x is subnormal: no size of 0 bounds it."""
    law = law_of(X, Y, measured=(Y, app("div", 1.0, X)))
    body = app("mul", app("div", TOP, X), Y)
    (limit,) = asked(law, body)
    great = np.full(_N, 2.0**127, np.float32)
    row = {"x0": great, "x1": great, "c0": np.float32(0)}

    def flushing(a, b):
        found = np.divide(a, b)
        return np.where(abs(found) < 2.0**-126, np.float32(0), found)

    functions = {**_FUNCTIONS, "div": flushing}
    with np.errstate(over="ignore"):
        size = computed(limit.size, row, np.float32, functions)
    assert size >= abs(computed(body, row, np.float32, functions)).max() == great[0]


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


def test_a_state_without_closed_forms_has_no_limits():
    with pytest.raises(Refused, match="closed form"):
        asked(replace(law_of(X), closed=None), X)


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
        (app("div", "c0", 2.0), set()),
        (app("div", 1.0, app("abs", app("div", "c0", 2.0))), set()),
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


def test_what_a_divisor_has_to_reach_is_given_as_well():
    limit = Limit(app("abs", SUMMED), least=app("add", SQUARED, 1.0))
    assert unknown([limit], ()) == (SQUARED, SUMMED)
    assert unknown([Limit(app("abs", SUMMED), least=Lit(1.0))], ()) == (SUMMED,)


def test_an_aggregate_that_a_limit_speaks_of_is_a_result_and_proved():
    case = Case(kernels.weighted)
    law = case.fused.law
    assert law.results == ("acc", "acc", "bool")
    wanted, weights, condition = law.finalize
    alone = case.with_law(finalize=(wanted, condition), results=("acc", "bool"))
    # The condition asks for a third result.
    assert alone == "the kernel after is not well formed"
    read, meaning = claimed(case.fallback, case.laws[0], list(divided_by(case.after)))
    asked = limits(read, meaning.specification[:1], ["x1"])
    assert condition == conjunction(read, meaning.specification, asked)
    smaller = replace(read, finalize=(wanted, app("div", weights, 2.0)))
    tested = conjunction(smaller, meaning.specification, asked)
    answer = case.with_law(finalize=(*smaller.finalize, tested))
    assert answer == "the certificate is of another after"
