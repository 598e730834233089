"""Each premise of a rewriting rule, tested where it is the only one that fails."""

import pytest

from certile.proof.check import kinds
from certile.proof.check.rules import RULES
from certile.proof.check.terms import UNIT, Refused
from tests.unit.proof.builder import AT_MOST, BELOW, Build, identical, in_order


@pytest.fixture
def b():
    return Build()


def rewritten(b, name, term, context=None):
    return RULES[name][1](context or b.context, term)


def refuses(b, name, term, reason, context=None):
    with pytest.raises(Refused, match=reason):
        rewritten(b, name, term, context)


def reached(b, name, term, to, context=None):
    return RULES[name][1](context or b.context, term, to)


def differs(b, name, term, to, reason, context=None):
    with pytest.raises(Refused, match=reason):
        reached(b, name, term, to, context)


def test_a_kind_of_one_value_is_a_constant(b):
    x = b.sym("e.x")
    for mask, value in kinds.ONLY.items():
        known = b.context.with_kind(x, mask)
        assert reached(b, "equality", x, b.num(value), known) == b.num(value)
        for other in kinds.ONLY.values():
            if other != value:
                differs(b, "equality", x, b.num(other), "may have another kind", known)
    for mask in (kinds.POS, kinds.NEG, kinds.ZERO | kinds.NAN, kinds.ANY):
        for value in (0, 1, -1, "nan"):
            known = b.context.with_kind(x, mask)
            differs(b, "equality", x, b.num(value), "may have another kind", known)


@pytest.mark.parametrize(("op", "unit"), [("add", 0), ("mul", 1), ("max", "-inf"), ("min", "inf")])
def test_a_unit_is_no_operand(b, op, unit):
    x, other = b.sym("e.x"), {0: 1, 1: 0, "-inf": "inf", "inf": "-inf"}[unit]
    make = b.table.make
    assert reached(b, "regroup", make(op, x, b.num(unit)), x) == x
    assert reached(b, "regroup", make(op, b.num(unit), x), x) == x
    reached(b, "regroup", make(op, b.num(unit), b.num(unit)), b.num(unit))
    reached(b, "regroup", make(op, x, b.num(unit)), make(op, make(op, b.num(unit), x), b.num(unit)))
    differs(b, "regroup", make(op, x, b.num(other)), x, "the operands differ")
    differs(b, "regroup", make(op, x, b.num(unit)), b.sym("y"), "the operands differ")
    differs(b, "regroup", make(op, x, b.num(unit)), b.num(unit), "the operands differ")


def test_distribute(b):
    x, y, f = b.sym("e.x"), b.sym("y"), b.sym("e.f")
    assert rewritten(b, "distribute", b.mul(f, b.add(x, y))) == b.add(b.mul(f, x), b.mul(f, y))
    refuses(b, "distribute", b.mul(y, b.add(x, y)), "c may have another kind")
    refuses(b, "distribute", b.mul(f, b.mul(x, y)), "the term is no add")
    refuses(b, "distribute", b.add(f, b.add(x, y)), "the term is no mul")


def simple(term, context):
    return context.simple(term)


def test_constants_and_units_are_simple(b):
    x, f = b.sym("e.x"), b.elem("f")
    assert b.context.simple(b.add(x, b.mul(b.num(0), b.num(2)))) == x
    for op, unit in UNIT.items():
        make = b.table.make
        for term in (make(op, x, b.num(unit)), make(op, b.num(unit), x)):
            assert b.context.simple(term) == x
        other = make(op, x, b.num(2))
        assert b.context.simple(other) == other
    # What one place knows of a list, or of an element, is not said of another.
    zero = b.over("sum", b.mul(f, b.num(0)))
    assert b.context.simple(zero) == b.num(0)
    known = b.context.with_kind(b.over("sum", f), kinds.ZERO).with_kind(f, kinds.ZERO)
    assert known.simple(f) == b.num(0)
    assert known.simple(b.over("top", f)) == b.over("top", f)
    assert known.simple(b.over("sum", f, "ys")) == b.over("sum", f, "ys")
    assert known.simple(b.over("sum", f)) == b.num(0)


def test_choices(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    term = b.choose(x, y, z)
    assert simple(term, b.context.with_kind(x, kinds.ZERO)) == z
    assert simple(term, b.context.with_kind(x, kinds.POS | kinds.NAN)) == y
    assert simple(b.choose(x, y, y), b.context) == y
    unsure = b.context.with_kind(x, kinds.ZERO | kinds.POS)
    assert simple(term, b.context) == simple(term, unsure) == term
    # Below a choice the branch that is not taken decides nothing.
    inner = b.choose(x, b.choose(x, y, z), z)
    assert simple(inner, b.context.with_kind(x, kinds.POS)) == y


def test_choices_by_comparisons(b):
    x, y, first, second = b.sym("x1"), b.sym("y1"), b.sym("p"), b.sym("q")
    less, same = b.choose(b.less(x, y), first, second), b.choose(b.same(x, y), first, second)
    below = in_order(b.context, x, y, BELOW)
    assert simple(less, below) == first
    assert simple(same, below) == second
    at_most = in_order(b.context, x, y, AT_MOST)
    positive = b.context.with_kind(x, kinds.POS).with_kind(y, kinds.POS)
    assert simple(less, at_most) == less
    assert simple(same, at_most) == same
    assert simple(same, positive) == same
    assert simple(b.choose(b.less(y, x), first, second), at_most) == second
    assert simple(same, identical(b.context, x, y)) == first
    assert simple(less, identical(b.context, x, y)) == second
    nan = b.context.with_kind(x, kinds.NAN).with_kind(y, kinds.NAN)
    assert simple(same, nan) == first
    assert simple(less, nan) == second


def test_extremes(b):
    x, y = b.sym("e.x"), b.sym("y")
    known = in_order(b.context, x, y, AT_MOST)
    assert simple(b.max(x, y), known) == simple(b.max(y, x), known) == y
    assert simple(b.min(x, y), known) == simple(b.min(y, x), known) == x
    assert simple(b.add(x, y), known) == b.add(x, y)
    # Where one may be NaN, not to be less says nothing.
    neither = b.context.with_kind(b.less(x, y), kinds.ZERO).with_kind(b.less(y, x), kinds.ZERO)
    number = kinds.ANY & ~kinds.NAN
    for op in ("max", "min"):
        term = b.table.make(op, x, y)
        assert simple(term, neither) == term
        for one in (x, y):
            assert simple(term, neither.with_kind(one, number)) == term
        both = neither.with_kind(x, number).with_kind(y, number)
        assert simple(term, both) in (x, y)
    assert simple(b.max(b.num(1), b.num(2)), b.context) == b.num(2)
    # -inf is at most every number; NaN is none.
    low = b.context.with_kind(x, kinds.NINF)
    assert simple(b.min(x, y), low) == b.min(b.num("-inf"), y)
    assert simple(b.min(x, y), low.with_kind(y, number)) == b.num("-inf")


def test_a_finite_summand_leaves_a_maximum(b):
    x, y, f, z = b.sym("e.x"), b.sym("y"), b.sym("e.f"), b.sym("z")
    made = rewritten(b, "max_of_sums", b.max(b.add(x, f), b.add(y, f)))
    assert made == b.add(b.max(x, y), f)
    refuses(b, "max_of_sums", b.max(b.add(x, z), b.add(y, z)), "c may have another kind")
    refuses(b, "max_of_sums", b.max(b.add(x, f), b.add(y, z)), "the term has another c")
    refuses(b, "max_of_sums", b.min(b.add(x, f), b.add(y, f)), "the term is no max")


def test_the_sign_of_a_difference_is_an_order(b):
    x, y, zero = b.sym("e.x"), b.sym("y"), b.num(0)
    minus = b.mul(b.num(-1), y)
    assert rewritten(b, "sign_of_difference", b.less(zero, b.add(x, minus))) == b.less(y, x)
    twice = b.mul(b.num(-2), y)
    refuses(b, "sign_of_difference", b.less(zero, b.add(x, twice)), "the term has another -1")
    refuses(b, "sign_of_difference", b.less(b.num(1), b.add(x, minus)), "the term has another 0")
    refuses(b, "sign_of_difference", b.less(b.add(x, minus), zero), "the term is no add")


def test_the_sign_of_a_multiple(b):
    x, c, zero = b.sym("e.x"), b.sym("c"), b.num(0)
    term = b.less(zero, b.mul(c, x))
    positive = b.context.with_kind(c, kinds.POS)
    assert rewritten(b, "sign_of_multiple", term, positive) == b.less(zero, x)
    for mask in (kinds.NEG, kinds.ZERO | kinds.POS, kinds.POS | kinds.PINF):
        refuses(b, "sign_of_multiple", term, "c may have", b.context.with_kind(c, mask))
    refuses(b, "sign_of_multiple", b.less(c, b.mul(c, x)), "the term has another 0", positive)


def test_a_list_with_elements_has_at_least_one(b):
    count, one, x = b.table.count("xs"), b.num(1), b.elem("x")
    nonempty = b.context.with_kind(count, kinds.POS)
    assert rewritten(b, "count_from_one", b.less(count, one), nonempty) == b.num(0)
    refuses(b, "count_from_one", b.less(count, one), "may have another kind")
    refuses(b, "count_from_one", b.less(count, b.num(2)), "the term has another 1", nonempty)
    refuses(b, "count_from_one", b.less(b.over("sum", x), one), "the term has another 1", nonempty)
    refuses(b, "count_from_one", b.less(b.table.count("ys"), one), "another kind", nonempty)


def test_a_sum_is_not_below_what_a_summand_is_not_below(b):
    n, rest, one = b.sym("n"), b.sym("rest"), b.num(1)
    term = b.less(b.add(n, rest), one)
    known = b.context.with_kind(b.less(n, one), kinds.ZERO)
    positive = known.with_kind(rest, kinds.ZERO | kinds.POS)
    assert rewritten(b, "sum_from_summand", term, positive) == b.num(0)
    for mask in (kinds.NEG, kinds.POS | kinds.NAN, kinds.POS | kinds.PINF, kinds.NINF):
        refuses(b, "sum_from_summand", term, "b may have", known.with_kind(rest, mask))
    only = b.context.with_kind(rest, kinds.POS)
    refuses(b, "sum_from_summand", term, "may have another kind", only)


def test_what_lies_between_tells_two_terms_apart(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    facts = {
        "apart_above": (b.less(y, x), b.less(y, z)),
        "apart_below": (b.less(x, y), b.less(z, y)),
    }
    for name, (not_beyond, beyond) in facts.items():
        first = b.context.with_kind(not_beyond, kinds.ZERO)
        second = b.context.with_kind(beyond, kinds.POS)
        both = first.with_kind(beyond, kinds.POS)
        assert reached(b, name, b.same(x, z), y, both) == b.num(0)
        for known in (first, second, b.context):
            differs(b, name, b.same(x, z), y, "may have another kind", known)
        differs(b, name, b.same(x, z), b.sym("w"), "may have another kind", both)
        differs(b, name, b.less(x, z), y, "the term is no same", both)


def test_logarithm(b):
    x, y = b.sym("e.x"), b.sym("y")
    assert rewritten(b, "log_of_exp", b.log(b.exp(x))) == x
    refuses(b, "log_of_exp", b.exp(b.exp(x)), "the term is no log")
    refuses(b, "log_of_exp", b.log(b.log(x)), "the term is no exp")
    term = b.log(b.mul(x, y))
    both = b.context.with_kind(x, kinds.POS).with_kind(y, kinds.ZERO | kinds.POS | kinds.PINF)
    assert rewritten(b, "log_of_product", term, both) == b.add(b.log(x), b.log(y))
    for mask in (kinds.POS | kinds.PINF, kinds.POS | kinds.ZERO, kinds.NEG):
        wrong = b.context.with_kind(x, mask).with_kind(y, kinds.POS)
        refuses(b, "log_of_product", term, "a may have another kind", wrong)
    refuses(b, "log_of_product", b.log(b.add(x, y)), "the term is no mul", both)
    refuses(b, "log_of_product", b.exp(b.mul(x, y)), "the term is no log", both)


def test_sums(b):
    x, f = b.elem("x"), b.sym("e.f")
    both = b.over("sum", b.add(x, f))
    assert rewritten(b, "split_sum", both) == b.add(b.over("sum", x), b.over("sum", f))
    refuses(b, "split_sum", b.over("top", b.add(x, f)), "the term is no sum")
    refuses(b, "split_sum", b.over("sum", b.mul(x, f)), "the term is no add")


def test_factors(b):
    x, f, y = b.elem("x"), b.sym("e.f"), b.sym("y")
    inside, outside = b.over("sum", b.mul(f, x)), b.mul(f, b.over("sum", x))
    assert rewritten(b, "factor_out", inside) == outside
    assert rewritten(b, "factor_in", outside) == inside
    refuses(b, "factor_out", b.over("sum", b.mul(y, x)), "c may have another kind")
    refuses(b, "factor_in", b.mul(y, b.over("sum", x)), "c may have another kind")
    element = b.elem("f")
    refuses(b, "factor_out", b.over("sum", b.mul(element, x)), "c speaks of an element")
    refuses(b, "factor_in", b.mul(element, b.over("sum", x)), "c speaks of an element")
    refuses(b, "factor_out", b.over("prod", b.mul(f, x)), "the term is no sum")
    refuses(b, "factor_out", b.over("sum", b.add(f, x)), "the term is no mul")
    refuses(b, "factor_in", b.mul(f, b.over("top", x)), "the term is no sum")


def test_ring(b):
    f, x, y = b.sym("e.f"), b.sym("e.x"), b.sym("y")
    ring = RULES["ring"][1]
    finite = b.context.with_kind(x, kinds.POS).with_kind(y, kinds.FINITE)
    square = b.mul(b.add(x, y), b.add(x, y))
    spread = b.add(b.mul(x, x), b.add(b.mul(b.num(2), b.mul(x, y)), b.mul(y, y)))
    ring(finite, square, spread)
    with pytest.raises(Refused, match="the fractions differ"):
        ring(finite, square, b.mul(x, x))
    with pytest.raises(Refused, match="an atom may not be finite"):
        ring(b.context.with_kind(x, kinds.POS), square, spread)
    # The premise covers what cancels, on either side.
    for left, right in ((b.add(y, b.mul(b.num(-1), y)), b.num(0)), (b.num(0), b.mul(b.num(0), y))):
        ring(finite, left, right)
        with pytest.raises(Refused, match="an atom may not be finite"):
            ring(b.context, left, right)
    ratio = b.div(b.mul(f, x), x)
    ring(finite, ratio, f)
    with pytest.raises(Refused, match="a denominator may be zero"):
        ring(b.context.with_kind(x, kinds.FINITE), ratio, f)
    ring(finite, b.mul(b.exp(x), b.exp(y)), b.exp(b.add(x, y)))
    with pytest.raises(Refused, match="an atom may not be finite"):
        ring(b.context, b.mul(b.exp(f), b.exp(y)), b.exp(b.add(f, y)))
    # An exponential of no polynomial over a product is an atom, equal to itself only.
    below = b.add(x, b.exp(x))
    inner = b.exp(b.div(f, below))
    ring(finite, b.add(inner, inner), b.mul(b.num(2), inner))
    with pytest.raises(Refused, match="the fractions differ"):
        ring(finite, b.mul(inner, inner), b.exp(b.add(b.div(f, below), b.div(f, below))))


def test_regroup(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    regroup = RULES["regroup"][1]
    for op in ("add", "mul", "max", "min"):
        make = getattr(b, op)
        regroup(b.context, make(x, make(y, z)), make(make(z, x), y))
        with pytest.raises(Refused, match="the operands differ"):
            regroup(b.context, make(x, y), make(x, z))
    regroup(b.context, b.max(x, b.max(y, x)), b.max(y, x))
    with pytest.raises(Refused, match="the operands differ"):
        regroup(b.context, b.add(x, b.add(y, x)), b.add(y, x))
    with pytest.raises(Refused, match="no sum, product"):
        regroup(b.context, b.div(x, y), b.div(x, y))
    with pytest.raises(Refused, match="the operands differ"):
        regroup(b.context, b.add(x, y), b.mul(x, y))


def test_equality(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    known = identical(b.context, x, y)
    RULES["equality"][1](known, x, y)
    RULES["equality"][1](known, y, x)
    with pytest.raises(Refused, match="may have another kind"):
        RULES["equality"][1](known, x, z)
    # Neither is less than the other, and both are numbers.
    both = in_order(in_order(b.context, x, y, AT_MOST), y, x, AT_MOST)
    assert RULES["equality"][1](both, x, y) == y
    ordered = in_order(b.context, x, y, AT_MOST)
    with pytest.raises(Refused, match="may have another kind"):
        RULES["equality"][1](ordered, x, y)
