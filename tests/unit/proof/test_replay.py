"""Each premise of a goal step and of entering a list, where it is the only one that fails."""

import pytest

from certile.proof.check import kinds
from certile.proof.check.terms import Refused
from tests.unit.proof.builder import (
    AT_MOST,
    BELOW,
    UNKNOWN,
    Build,
    attained,
    identical,
    in_order,
    order,
    step,
)


@pytest.fixture
def b():
    return Build()


def refuses(replay, taken, reason):
    before = list(replay.goals)
    with pytest.raises(Refused, match=reason):
        replay.apply(taken)
    assert replay.goals == before


def test_a_goal_is_shown_once_its_sides_are_one_term(b):
    x, y = b.sym("e.x"), b.sym("y")
    replay = b.replay(b.add(x, b.num(0)), x)
    assert replay.goals == []
    refuses(replay, step("operands"), "no goal left")
    assert [goal[1:] for goal in b.replay(x, y).goals] == [(x, y)]
    # Identical by a fact is not one term: it takes a step to say so.
    replay = b.replay(x, y, identical(b.context, x, y))
    assert len(replay.goals) == 1
    replay.apply(step("equality", x, y))
    assert replay.goals == []


def test_a_split_without_cases_needs_a_contradiction(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    nothing = b.context.with_kind(x, kinds.NAN).with_kind(x, kinds.ZERO)
    replay = b.replay(y, z, nothing)
    refuses(replay, step("split", y), "a kind is left out")
    replay.apply(step("split", x))
    assert replay.goals == []


def test_split(b):
    x, y = b.sym("e.x"), b.sym("y")
    replay = b.replay(x, y)
    refuses(replay, step("split", x, masks=(31,)), "a kind is left out")
    refuses(replay, step("split", x), "a kind is left out")
    replay.apply(step("split", x, masks=(32, 31)))
    # The first mask is the goal on top.
    assert [goal.context.kind(x) for goal in replay.goals] == [31, 32]
    assert b.context.kind(x) == kinds.ANY
    # What is left of it is simple.
    assert [goal[1:] for goal in replay.goals] == [(x, y), (b.num("nan"), y)]
    replay.apply(step("split", y, masks=(63,)))
    assert len(replay.goals) == 2


def test_a_split_of_a_relation_orders_numbers(b):
    x, y = b.sym("e.x"), b.sym("y")
    less = step("split", b.less(x, y), masks=(kinds.POS, kinds.ZERO))
    replay = b.replay(x, y, b.context.with_kind(x, 31).with_kind(y, 31))
    replay.apply(less)
    at_least, below = (goal.context for goal in replay.goals)
    assert order(below, x, y) == BELOW
    assert order(below, y, x) == UNKNOWN
    assert order(at_least, x, y) == UNKNOWN
    assert order(at_least, y, x) == AT_MOST
    assert at_least.kind(b.same(x, y)) == kinds.ZERO | kinds.POS
    # Neither is less: they are one number.
    both = at_least.with_kind(b.less(y, x), kinds.ZERO)
    assert both.kind(b.same(x, y)) == kinds.POS
    # Where one may be NaN, not to be less says nothing, and to be less says that none is.
    for missing in (b.context.with_kind(x, 31), b.context.with_kind(y, 31)):
        replay = b.replay(x, y, missing)
        replay.apply(less)
        unsure, below = (goal.context for goal in replay.goals)
        assert order(unsure, y, x) == UNKNOWN
        assert not (below.kind(x) | below.kind(y)) & kinds.NAN
        assert unsure.with_kind(b.less(y, x), kinds.ZERO).kind(b.same(x, y)) & kinds.ZERO


def test_operands_of_one_aggregate_of_one_list(b):
    x, y = b.elem("x"), b.sym("y")
    replay = b.replay(b.over("sum", x), b.over("sum", y))
    replay.apply(step("operands"))
    (goal,) = replay.goals
    assert (goal.left, goal.right) == (x, y)
    # Facts of an element outside are of another one.
    known = b.context.with_kind(x, kinds.NAN)
    replay = b.replay(b.over("sum", x), b.over("sum", y), known)
    replay.apply(step("operands"))
    assert replay.goals[0].context.kind(x) == kinds.ANY
    assert replay.goals[0].context.kind(b.table.count("xs")) == kinds.POS
    for other in (b.over("sum", y, "ys"), b.over("prod", y), b.exp(y)):
        refuses(b.replay(b.over("sum", x), other), step("operands"), "the operations differ")


def test_a_list_of_equal_elements_is_compared_with_what_it_comes_to(b):
    x, nan = b.elem("x"), b.num("nan")
    some = b.context.with_kind(b.table.count("xs"), kinds.POS)
    for op, value in (("sum", 0), ("prod", 1), ("top", "-inf"), ("bottom", "inf")):
        replay = b.replay(b.over(op, b.exp(x)), b.num(value))
        if value == 1:
            refuses(replay, step("operands"), "the operations differ")
            continue
        replay.apply(step("operands"))
        assert [goal[1:] for goal in replay.goals] == [(b.exp(x), b.num(value))]
    # A sum of NaN is 0 where there is no element, and a sum of ones is not one.
    refuses(b.replay(b.over("sum", x), nan), step("operands"), "the operations differ")
    refuses(b.replay(b.over("sum", x), b.num(1), some), step("operands"), "the operations differ")
    replay = b.replay(b.over("sum", x), nan, some)
    replay.apply(step("operands"))
    assert [goal[1:] for goal in replay.goals] == [(x, nan)]
    # What is right of it is no list of this kind.
    refuses(b.replay(b.num(0), b.over("sum", x)), step("operands"), "the operations differ")


def test_operands_need_one_operation(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    replay = b.replay(b.add(x, y), b.add(y, z))
    replay.apply(step("operands"))
    assert [(goal.left, goal.right) for goal in replay.goals] == [(y, z), (x, y)]
    unlike = [
        (b.add(x, y), b.mul(x, y)),
        (x, y),
        (b.kind(x, value=1), b.kind(x, value=2)),
    ]
    for left, right in unlike:
        refuses(b.replay(left, right), step("operands"), "the operations differ")


def test_have_is_proved_before_it_is_used(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    replay = b.replay(x, z)
    replay.apply(step("have", x, y))
    assert [(goal.left, goal.right) for goal in replay.goals] == [(x, z), (x, y)]
    known = [goal.context.kind(b.same(x, y)) for goal in replay.goals]
    assert known == [kinds.POS, kinds.ZERO | kinds.POS]


def test_attained_needs_the_list_and_an_element(b):
    x, total = b.elem("x"), b.over("sum", b.exp(b.elem("x")))
    top = b.over("top", x)
    nonempty = b.context.with_kind(b.table.count("xs"), kinds.POS)
    finite = nonempty.with_kind(top, kinds.FINITE)
    assert attained(finite, top, total) == kinds.POS
    assert finite.kind(total) == kinds.ZERO | kinds.POS
    assert attained(b.context.with_kind(top, kinds.FINITE), top, total) == kinds.POS
    # A maximum may be -inf for want of elements, and then nothing attains it.
    assert attained(b.context.with_kind(top, kinds.NINF | kinds.FINITE), top, total) is None
    assert attained(finite, b.over("prod", x), total) is None
    # Only sums over the same list are told of.
    for other in (b.over("sum", b.exp(x), "ys"), b.over("prod", b.exp(x))):
        assert attained(finite, top, other) == finite.kind(other)
        assert finite.kind(other) & kinds.ZERO
    # That element is the extreme itself.
    assert attained(finite, top, b.over("sum", b.same(x, top))) == kinds.POS
    infinite = b.over("sum", x)
    assert attained(b.context.with_kind(infinite, kinds.PINF), infinite, total) == kinds.PINF
    lowest = b.context.with_kind(infinite, kinds.NINF)
    assert attained(lowest, infinite, b.over("sum", b.abs(x))) == kinds.PINF
    for mask in (kinds.NAN, kinds.FINITE, kinds.NINF | kinds.PINF, kinds.ANY):
        assert attained(b.context.with_kind(infinite, mask), infinite, total) is None
    # A symbol may have the name of a list.
    assert attained(finite, b.sym("xs"), total) is None
    # A product may be infinite by another sign, and a maximum be -inf for want of elements.
    for other, mask in ((b.over("prod", x), kinds.PINF), (top, kinds.NINF)):
        assert attained(b.context.with_kind(other, mask), other, total) is None
    # The other summands count too: -inf elsewhere makes NaN of +inf.
    centred = b.over("sum", x)
    mixed = nonempty.with_kind(top, kinds.PINF)
    assert attained(mixed, top, centred) == kinds.PINF | kinds.NAN
    one, two = b.num(1), b.num(2)
    refuses(b.replay(one, two), step("attain", top), "no element is known")


def test_attain_narrows_the_sums_of_the_goal_to_what_is_attained(b):
    x, one = b.elem("x"), b.num(1)
    top, total, other = b.over("top", x), b.over("sum", b.exp(x)), b.over("sum", b.abs(x))
    known = b.context.with_kind(top, kinds.FINITE | kinds.PINF)
    replay = b.replay(b.add(total, other), one, known)
    replay.apply(step("attain", top))
    assert replay.goals[0].context.kind(total) == kinds.POS | kinds.PINF
    assert replay.goals[0].context.kind(other) == known.kind(other)
    assert replay.goals[0].context.kind(top) == kinds.FINITE | kinds.PINF
    above = b.replay(b.add(total, other), one, b.context.with_kind(top, kinds.PINF))
    above.apply(step("attain", top))
    assert [above.goals[0].context.kind(each) for each in (total, other)] == [kinds.PINF] * 2


def test_entering_a_list_keeps_and_drops_the_right_facts(b):
    x, f, y = b.elem("x"), b.elem("f"), b.sym("y")
    top, bottom, total = b.over("top", x), b.over("bottom", x), b.over("sum", x)
    facts = in_order(b.context.with_kind(y, kinds.POS).with_kind(x, kinds.NAN), f, y, BELOW)
    facts = identical(facts, b.exp(x), b.sym("w"))
    inside = facts.inside("xs")
    assert inside.kind(b.same(b.exp(x), b.sym("w"))) == kinds.ZERO | kinds.POS
    # A symbol may have the name of a list.
    assert b.context.with_kind(b.sym("xs"), kinds.POS).inside("xs").kind(x) == kinds.ANY
    assert inside.kind(y) == kinds.POS
    assert inside.kind(x) == kinds.ANY
    assert order(inside, f, y) == UNKNOWN
    assert inside.kind(b.table.count("xs")) == kinds.POS
    assert inside.kind(b.table.count("ys")) == kinds.ZERO | kinds.POS
    low = kinds.NINF | kinds.NEG
    assert b.context.with_kind(top, low).inside("xs").kind(x) == low
    assert order(b.context.with_kind(top, low).inside("xs"), x, top) == AT_MOST
    assert order(b.context.with_kind(bottom, low).inside("xs"), bottom, x) == AT_MOST
    # Of another list, or perhaps NaN: nothing follows.
    assert b.context.with_kind(top, low).inside("ys").kind(x) == kinds.ANY
    unsure = b.context.with_kind(top, low | kinds.NAN).inside("xs")
    assert unsure.kind(x) == kinds.ANY
    assert order(unsure, x, top) == UNKNOWN
    assert b.context.with_kind(total, kinds.FINITE).inside("xs").kind(x) == kinds.FINITE
    assert b.context.with_kind(total, kinds.PINF).inside("xs").kind(x) == 30
    assert b.context.with_kind(total, kinds.NAN).inside("xs").kind(x) == kinds.ANY
    # An infinite factor makes a product infinite, or NaN; a zero among them makes it 0, or NaN.
    product = b.over("prod", x)
    assert b.context.with_kind(product, kinds.ZERO).inside("xs").kind(x) == kinds.FINITE
    assert b.context.with_kind(product, kinds.NINF).inside("xs").kind(x) == 31 & ~kinds.ZERO


def test_aggregates_of_lists_that_are_empty_or_not(b):
    x, count = b.elem("f"), b.table.count("xs")
    exponentials = b.over("sum", b.exp(x))
    assert b.context.kind(exponentials) == kinds.ZERO | kinds.POS
    assert b.context.with_kind(count, kinds.POS).kind(exponentials) == kinds.POS
    assert b.context.with_kind(count, kinds.ZERO).kind(exponentials) == kinds.ZERO
    assert b.context.with_kind(count, kinds.ZERO).kind(b.over("top", x)) == kinds.NINF
    # A maximum that is not that of the empty list shows an element.
    shown = b.context.with_kind(b.over("top", x), kinds.FINITE)
    assert shown.kind(exponentials) == kinds.POS
    assert shown.kind(b.over("sum", b.exp(x), "ys")) == kinds.ZERO | kinds.POS


def test_facts_narrow_what_they_speak_of(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    ordered = in_order(b.context, x, y, AT_MOST)
    assert ordered.kind(x) == ordered.kind(y) == 31
    assert ordered.with_kind(x, kinds.PINF).kind(y) == kinds.PINF
    assert ordered.with_kind(y, kinds.NEG).kind(x) == kinds.NINF | kinds.NEG
    assert ordered.with_kind(x, kinds.NEG).kind(y) == 31 & ~kinds.NINF
    equal = identical(identical(b.context, x, y), y, z)
    assert equal.with_kind(x, kinds.NAN).kind(z) == kinds.NAN
    # Others are left alone.
    p, q = b.sym("p"), b.sym("q")
    both = identical(in_order(ordered, p, q, AT_MOST), z, b.sym("w"))
    narrow = both.with_kind(x, kinds.PINF)
    assert [narrow.kind(each) for each in (p, q, z)] == [31, 31, kinds.ANY]
    narrow = both.with_kind(y, kinds.NINF)
    assert [narrow.kind(each) for each in (p, q, z)] == [31, 31, kinds.ANY]


def test_order_by_constants_kinds_and_identity(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    one, two, low, high, nan = map(b.num, (1, 2, "-inf", "inf", "nan"))
    assert order(b.context, one, two) == order(b.context, low, high) == BELOW
    assert order(b.context, low, one) == order(b.context, two, high) == BELOW
    for a, c in ((two, one), (high, low), (nan, one), (one, nan), (low, nan), (nan, high)):
        assert order(b.context, a, c) == UNKNOWN
    assert order(b.context, x, x) == AT_MOST
    assert b.context.kind(b.same(x, x)) == kinds.POS
    signs = b.context.with_kind(x, kinds.NEG).with_kind(y, kinds.POS)
    assert order(signs, x, y) == BELOW
    assert order(signs, y, x) == UNKNOWN
    zeros = b.context.with_kind(x, kinds.NINF | kinds.ZERO).with_kind(y, kinds.ZERO | kinds.POS)
    assert order(zeros, x, y) == AT_MOST
    negative = b.context.with_kind(x, kinds.NEG).with_kind(y, kinds.NEG)
    assert order(negative, x, y) == UNKNOWN
    # A fact about others says nothing, and neither does a contradiction.
    assert order(in_order(b.context, z, y, BELOW), x, y) == UNKNOWN
    nothing = b.context.with_kind(x, kinds.NAN).with_kind(x, kinds.ZERO)
    for other in (y, one):
        assert order(nothing, x, other) == order(nothing, other, x) == UNKNOWN
    assert order(identical(b.context, x, y), x, y) == AT_MOST


def test_a_choice_has_the_kinds_of_the_branches_it_may_take(b):
    x, one, nan = b.sym("e.x"), b.num(1), b.num("nan")
    term = b.choose(x, one, nan)
    assert b.context.kind(term) == kinds.POS | kinds.NAN
    assert b.context.with_kind(x, kinds.ZERO).kind(term) == kinds.NAN
    assert b.context.with_kind(x, kinds.NAN | kinds.NEG).kind(term) == kinds.POS


def test_a_rule_rewrites_a_side_or_a_term_wherever_the_goal_has_it(b):
    x, y, f = b.sym("e.x"), b.sym("y"), b.elem("f")
    known = identical(b.context, x, y)
    inside = b.over("sum", b.mul(f, x))
    replay = b.replay(b.add(x, inside), b.mul(x, x), known)
    replay.apply(step("equality", x, y))
    goal = replay.goals[0]
    assert goal[1:] == (b.add(y, b.over("sum", b.mul(f, y))), b.mul(y, y))
    refuses(replay, step("equality", x, y), "the goal has no such term")
    refuses(replay, step("equality", y, b.sym("z")), "may have another kind")
    # A side is rewritten alone, so that it can become the other one.
    total = b.add(b.sym("e.f"), b.num(1))
    replay = b.replay(b.sym("e.f"), b.add(total, b.num(-1)))
    replay.apply(step("ring", *replay.goals[0][1:]))
    assert replay.goals == []


def test_what_speaks_of_an_element_is_rewritten_for_that_element_alone(b):
    x, f, top = b.elem("x"), b.elem("f"), b.over("top", b.elem("x"))
    within = b.over("sum", b.mul(x, f))
    body = b.add(x, within)
    # Of this element it is known, of those of the inner list it is not.
    known = identical(b.context, x, b.sym("y"))
    assert b.table.replaced(body, x, b.sym("y")) == b.add(b.sym("y"), within)
    replay = b.replay(body, b.sym("z"), known)
    replay.apply(step("equality", x, b.sym("y")))
    assert replay.goals[0].left == b.add(b.sym("y"), within)
    # Nor does a term take what speaks of an element with it into a list.
    turned = b.table.replaced(b.add(top, b.over("sum", b.mul(top, f))), top, x)
    assert turned == b.add(x, b.over("sum", b.mul(top, f)))


def test_a_step_takes_its_own_parameters(b):
    x, y = b.sym("e.x"), b.sym("y")
    replay = b.replay(b.log(b.exp(x)), y)
    wrong = [
        step("log_of_exp"),
        step("log_of_exp", x, y),
        step("log_of_exp", x, masks=(1,)),
        step("ring", x),
        step("ring", x, y, y),
        step("operands", x),
        step("attain"),
        step("have", x, y, masks=(1,)),
        step("split", x, y, masks=(63,)),
    ]
    for each in wrong:
        refuses(replay, each, "other parameters")
    refuses(replay, step("trust"), "no such step")


def test_what_is_known_of_an_element_is_not_known_of_another(b):
    element, y = b.elem("f"), b.sym("y")
    replay = b.replay(b.over("sum", element), b.over("sum", b.mul(element, y)))
    # Outside a list it is any one number, which need not be that of the list.
    replay.apply(step("split", element, masks=(kinds.ZERO, kinds.NEG | kinds.POS)))
    zero, other = replay.goals[::-1]
    assert zero[1:] == other[1:]
    replay.apply(step("operands"))
    (*_, goal) = replay.goals
    assert goal[1:] == (element, b.mul(element, y))
    assert goal.context.kind(element) == kinds.FINITE
    refuses(b.replay(y, element), step("have", element), "other parameters")


def test_each_place_is_simplified_by_the_facts_of_its_own(b):
    x, total = b.elem("x"), b.over("sum", b.elem("x"))
    top = b.over("top", x)
    term = b.over("bottom", b.max(x, top))
    assert b.replay(term, total).goals[0].left == term
    known = b.replay(term, total, b.context.with_kind(top, kinds.FINITE))
    assert known.goals[0].left == b.over("bottom", top)
    # Outside the list nothing is known of the order of an element.
    outside = b.replay(b.max(x, top), total, b.context.with_kind(top, kinds.FINITE))
    assert outside.goals[0].left == b.max(x, top)
