"""Each premise of a rewriting rule, tested where it is the only one that fails."""

import pytest

from certile.proof.check import kinds
from certile.proof.check.context import AT_MOST, BELOW
from certile.proof.check.rules import RULES
from certile.proof.check.terms import Refused
from tests.unit.proof.builder import Build, identical, in_order


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
                differs(b, "equality", x, b.num(other), "identity is not known", known)
    for mask in (kinds.POS, kinds.NEG, kinds.ZERO | kinds.NAN, kinds.ANY):
        for value in (0, 1, -1, "nan"):
            known = b.context.with_kind(x, mask)
            differs(b, "equality", x, b.num(value), "identity is not known", known)
    # Contradictory facts leave no kind: that closes a goal, it makes no constant.
    nothing = b.context.with_kind(x, kinds.NAN).with_kind(x, kinds.ZERO)
    differs(b, "equality", x, b.num(0), "identity is not known", nothing)


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


def test_branch(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    term = b.choose(x, y, z)
    assert rewritten(b, "branch", term, b.context.with_kind(x, kinds.ZERO)) == z
    assert rewritten(b, "branch", term, b.context.with_kind(x, kinds.POS | kinds.NAN)) == y
    assert rewritten(b, "branch", b.choose(x, y, y)) == y
    refuses(b, "branch", term, "not decided")
    refuses(b, "branch", term, "not decided", b.context.with_kind(x, kinds.ZERO | kinds.POS))
    nothing = b.context.with_kind(x, kinds.NAN).with_kind(x, kinds.ZERO)
    refuses(b, "branch", term, "not decided", nothing)


def test_branch_by_comparisons(b):
    x, y = b.sym("x1"), b.sym("y1")
    less, same = b.choose(b.less(x, y), 0, 1), b.choose(b.same(x, y), 0, 1)
    below = in_order(b.context, x, y, BELOW)
    assert rewritten(b, "branch", less, below) == 0
    assert rewritten(b, "branch", same, below) == 1
    at_most = in_order(b.context, x, y, AT_MOST)
    refuses(b, "branch", less, "not decided", at_most)
    refuses(b, "branch", same, "not decided", at_most)
    assert rewritten(b, "branch", b.choose(b.less(y, x), 0, 1), at_most) == 1
    assert rewritten(b, "branch", same, identical(b.context, x, y)) == 0
    assert rewritten(b, "branch", less, identical(b.context, x, y)) == 1
    positive = b.context.with_kind(x, kinds.POS).with_kind(y, kinds.POS)
    refuses(b, "branch", same, "not decided", positive)
    nan = b.context.with_kind(x, kinds.NAN).with_kind(y, kinds.NAN)
    assert rewritten(b, "branch", same, nan) == 0
    assert rewritten(b, "branch", less, nan) == 1


def test_extreme(b):
    x, y = b.sym("e.x"), b.sym("y")
    for a, c in ((x, y), (y, x)):
        known = in_order(b.context, x, y, AT_MOST)
        assert rewritten(b, "extreme", b.max(a, c), known) == y
        assert rewritten(b, "extreme", b.min(a, c), known) == x
        refuses(b, "extreme", b.max(a, c), "order of the operands")
    refuses(b, "extreme", b.add(x, y), "the term is no", in_order(b.context, x, y, AT_MOST))
    assert rewritten(b, "extreme", b.max(b.num(1), b.num(2))) == b.num(2)
    # -inf is at most every number; NaN is none.
    low = b.context.with_kind(x, kinds.NINF)
    refuses(b, "extreme", b.min(x, y), "order of the operands", low)
    numbers = low.with_kind(y, kinds.ANY & ~kinds.NAN)
    assert rewritten(b, "extreme", b.min(x, y), numbers) == x


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
    for mask in (kinds.POS | kinds.NAN, kinds.POS | kinds.NEG, kinds.NINF):
        wrong = b.context.with_kind(x, kinds.POS).with_kind(y, mask)
        refuses(b, "log_of_product", term, "b may have another kind", wrong)
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
    # An exponential of no polynomial is an atom, equal to itself only.
    inner = b.exp(b.div(f, x))
    ring(finite, b.add(inner, inner), b.mul(b.num(2), inner))
    with pytest.raises(Refused, match="the fractions differ"):
        ring(finite, b.mul(inner, inner), b.exp(b.add(b.div(f, x), b.div(f, x))))


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
    with pytest.raises(Refused, match="not known"):
        RULES["equality"][1](known, x, z)
    # Neither is less than the other, and both are numbers.
    both = in_order(in_order(b.context, x, y, AT_MOST), y, x, AT_MOST)
    assert RULES["equality"][1](both, x, y) == y
    ordered = in_order(b.context, x, y, AT_MOST)
    with pytest.raises(Refused, match="not known"):
        RULES["equality"][1](ordered, x, y)


def test_the_sign_of_a_difference_follows_from_the_order():
    b = Build()
    x, y = b.sym("x"), b.sym("y")
    difference, swapped = b.add(x, b.mul(b.num(-1), y)), b.add(b.mul(b.num(-1), x), y)
    positive, negative = kinds.POS | kinds.PINF, kinds.NEG | kinds.NINF
    assert b.context.kind(difference) == kinds.ANY
    at_most = in_order(b.context, x, y, AT_MOST)
    assert not at_most.kind(difference) & positive
    assert at_most.kind(difference) & kinds.ZERO
    # Both may be the same infinity.
    assert at_most.kind(difference) & kinds.NAN
    assert not at_most.kind(swapped) & negative
    below = in_order(b.context, x, y, BELOW)
    assert not below.kind(difference) & (positive | kinds.ZERO)
    assert below.kind(difference) & negative == negative
    assert not below.kind(swapped) & (negative | kinds.ZERO)


def test_the_order_says_nothing_of_other_sums():
    b = Build()
    x, y = b.sym("x"), b.sym("y")
    at_most = in_order(b.context, x, y, AT_MOST)
    for other in (b.add(x, y), b.add(x, b.mul(b.num(-2), y)), b.add(b.mul(b.num(-1), x), b.num(0))):
        assert at_most.kind(other) & kinds.POS
