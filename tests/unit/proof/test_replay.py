"""Each premise of a goal step and of entering a list, where it is the only one that fails."""

import pytest

from certile.proof.check import kinds
from certile.proof.check.context import AT_MOST, BELOW, UNKNOWN
from certile.proof.check.replay import attained
from certile.proof.check.terms import Refused
from tests.unit.proof.builder import Build, identical, in_order, step


@pytest.fixture
def b():
    return Build()


def refuses(replay, taken, reason):
    before = list(replay.goals)
    with pytest.raises(Refused, match=reason):
        replay.apply(taken)
    assert replay.goals == before


def test_close(b):
    x, y = b.sym("e.x"), b.sym("y")
    replay = b.replay(x, x)
    replay.apply(step("close"))
    assert replay.goals == []
    refuses(replay, step("close"), "no goal left")
    refuses(b.replay(x, y), step("close"), "the sides differ")
    # Identical by a fact is not one term: it takes a step to say so.
    refuses(b.replay(x, y, identical(b.context, x, y)), step("close"), "the sides differ")


def test_a_split_without_cases_needs_a_contradiction(b):
    x, y = b.sym("e.x"), b.sym("y")
    nothing = b.context.with_kind(x, kinds.NAN).with_kind(x, kinds.ZERO)
    replay = b.replay(x, y, nothing)
    refuses(replay, step("split", terms=(y,)), "a kind is left out")
    replay.apply(step("split", terms=(x,)))
    assert replay.goals == []


def test_split(b):
    x, y = b.sym("e.x"), b.sym("y")
    replay = b.replay(x, y)
    refuses(replay, step("split", terms=(x,), masks=(31,)), "a kind is left out")
    refuses(replay, step("split", terms=(x,)), "a kind is left out")
    replay.apply(step("split", terms=(x,), masks=(32, 31)))
    # The first mask is the goal on top.
    assert [goal.context.kind(x) for goal in replay.goals] == [31, 32]
    assert b.context.kind(x) == kinds.ANY


def test_a_split_of_a_relation_orders_numbers(b):
    x, y = b.sym("e.x"), b.sym("y")
    less = step("split", terms=(b.less(x, y),), masks=(kinds.POS, kinds.ZERO))
    replay = b.replay(x, y, b.context.with_kind(x, 31).with_kind(y, 31))
    replay.apply(less)
    at_least, below = (goal.context for goal in replay.goals)
    assert below.compare(x, y) == BELOW
    assert below.compare(y, x) == UNKNOWN
    assert at_least.compare(x, y) == UNKNOWN
    assert at_least.compare(y, x) == AT_MOST
    assert at_least.kind(b.same(x, y)) == kinds.ZERO | kinds.POS
    # Neither is less: they are one number.
    both = at_least.with_kind(b.less(y, x), kinds.ZERO)
    assert both.kind(b.same(x, y)) == kinds.POS
    # Where one may be NaN, not to be less says nothing, and to be less says that none is.
    for missing in (b.context.with_kind(x, 31), b.context.with_kind(y, 31)):
        replay = b.replay(x, y, missing)
        replay.apply(less)
        unsure, below = (goal.context for goal in replay.goals)
        assert unsure.compare(y, x) == UNKNOWN
        assert not (below.kind(x) | below.kind(y)) & kinds.NAN
        assert unsure.with_kind(b.less(y, x), kinds.ZERO).kind(b.same(x, y)) & kinds.ZERO


def test_operands_of_one_aggregate_of_one_list(b):
    x, y = b.elem("x"), b.sym("y")
    replay = b.replay(b.over("sum", x), b.over("sum", y))
    replay.apply(step("operands"))
    (goal,) = replay.goals
    assert (goal.left, goal.right, goal.context.bound) == (x, y, True)
    # Facts of an element outside are of another one.
    known = b.context.with_kind(x, kinds.NAN)
    replay = b.replay(b.over("sum", x), b.over("sum", y), known)
    replay.apply(step("operands"))
    assert replay.goals[0].context.kind(x) == kinds.ANY
    assert replay.goals[0].context.kind(b.table.count("xs")) == kinds.POS
    for other in (b.over("sum", y, "ys"), b.over("prod", y), b.exp(y)):
        refuses(b.replay(b.over("sum", x), other), step("operands"), "the operations differ")


def test_operands_need_one_operation(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    replay = b.replay(b.add(x, y), b.add(y, z))
    replay.apply(step("operands"))
    assert not any(goal.context.bound for goal in replay.goals)
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
    replay.apply(step("have", terms=(x, y)))
    assert [(goal.left, goal.right) for goal in replay.goals] == [(x, z), (x, y)]
    known = [goal.context.kind(b.same(x, y)) for goal in replay.goals]
    assert known == [kinds.POS, kinds.ZERO | kinds.POS]


def test_count_needs_elements(b):
    count, x = b.table.count("xs"), b.elem("x")
    nonempty = b.context.with_kind(count, kinds.POS)
    assert nonempty.compare(b.num(1), count) == AT_MOST
    assert b.context.compare(b.num(1), count) == UNKNOWN
    for least in (2, 0):
        assert nonempty.compare(b.num(least), count) == (BELOW if least == 0 else UNKNOWN)
    assert nonempty.compare(b.num(1), b.table.count("ys")) == UNKNOWN
    for other in (b.over("sum", b.num(2)), b.over("prod", b.num(1)), b.over("sum", x)):
        assert nonempty.compare(b.num(1), other) == UNKNOWN


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
    assert attained(finite, top, b.over("sum", b.exp(x), "ys")) is None
    assert attained(finite, top, b.over("prod", b.exp(x))) is None
    assert attained(finite, b.over("prod", x), total) is None
    # That element is the extreme itself.
    assert attained(finite, top, b.over("sum", b.same(x, top))) == kinds.POS
    infinite = b.over("sum", x)
    assert attained(b.context.with_kind(infinite, kinds.PINF), infinite, total) == (kinds.PINF)
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
    one = b.num(1)
    refuses(b.replay(one, one), step("attain", terms=(top, total)), "no element is known")


def test_attain_narrows_the_sum_to_what_is_attained(b):
    x, one = b.elem("x"), b.num(1)
    top, total = b.over("top", x), b.over("sum", b.exp(x))
    replay = b.replay(one, one, b.context.with_kind(top, kinds.FINITE | kinds.PINF))
    replay.apply(step("attain", terms=(top, total)))
    assert replay.goals[0].context.kind(total) == kinds.POS | kinds.PINF
    assert replay.goals[0].context.kind(top) == kinds.FINITE | kinds.PINF


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
    assert inside.compare(f, y) == UNKNOWN
    assert inside.kind(b.table.count("xs")) == kinds.POS
    assert inside.kind(b.table.count("ys")) == kinds.ZERO | kinds.POS
    low = kinds.NINF | kinds.NEG
    assert b.context.with_kind(top, low).inside("xs").kind(x) == low
    assert b.context.with_kind(top, low).inside("xs").compare(x, top) == AT_MOST
    assert b.context.with_kind(bottom, low).inside("xs").compare(bottom, x) == AT_MOST
    # Of another list, or perhaps NaN: nothing follows.
    assert b.context.with_kind(top, low).inside("ys").kind(x) == kinds.ANY
    unsure = b.context.with_kind(top, low | kinds.NAN).inside("xs")
    assert unsure.kind(x) == kinds.ANY
    assert unsure.compare(x, top) == UNKNOWN
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
    chain = in_order(in_order(b.context, x, y, AT_MOST), y, z, BELOW)
    assert chain.compare(x, z) == BELOW
    assert chain.compare(z, x) == UNKNOWN
    through = identical(in_order(b.context, x, y, BELOW), y, z)
    assert through.compare(x, z) == BELOW


def test_order_by_constants_kinds_and_identity(b):
    x, y, z = b.sym("e.x"), b.sym("y"), b.sym("z")
    one, two, low, high, nan = map(b.num, (1, 2, "-inf", "inf", "nan"))
    assert b.context.compare(one, two) == b.context.compare(low, high) == BELOW
    assert b.context.compare(low, one) == b.context.compare(two, high) == BELOW
    for a, c in ((two, one), (high, low), (nan, one), (one, nan), (low, nan), (nan, high)):
        assert b.context.compare(a, c) == UNKNOWN
    assert b.context.compare(x, x) == AT_MOST
    assert b.context.kind(b.same(x, x)) == kinds.POS
    signs = b.context.with_kind(x, kinds.NEG).with_kind(y, kinds.POS)
    assert signs.compare(x, y) == BELOW
    assert signs.compare(y, x) == UNKNOWN
    zeros = b.context.with_kind(x, kinds.NINF | kinds.ZERO).with_kind(y, kinds.ZERO | kinds.POS)
    assert zeros.compare(x, y) == AT_MOST
    negative = b.context.with_kind(x, kinds.NEG).with_kind(y, kinds.NEG)
    assert negative.compare(x, y) == UNKNOWN
    # A fact about others says nothing, and neither does a contradiction.
    assert in_order(b.context, z, y, BELOW).compare(x, y) == UNKNOWN
    nothing = b.context.with_kind(x, kinds.NAN).with_kind(x, kinds.ZERO)
    for other in (y, one):
        assert nothing.compare(x, other) == nothing.compare(other, x) == UNKNOWN
    assert identical(b.context, x, y).compare(x, y) == AT_MOST


def test_a_choice_has_the_kinds_of_the_branches_it_may_take(b):
    x, one, nan = b.sym("e.x"), b.num(1), b.num("nan")
    term = b.choose(x, one, nan)
    assert b.context.kind(term) == kinds.POS | kinds.NAN
    assert b.context.with_kind(x, kinds.ZERO).kind(term) == kinds.NAN
    assert b.context.with_kind(x, kinds.NAN | kinds.NEG).kind(term) == kinds.POS


def test_a_summand_bounds_a_sum_only_by_a_finite_rest(b):
    one, n, rest = b.num(1), b.sym("n"), b.sym("rest")
    known = in_order(b.context, one, n, AT_MOST)
    total = b.add(n, rest)
    assert known.with_kind(rest, kinds.ZERO | kinds.POS).compare(one, total) == AT_MOST
    assert known.with_kind(rest, kinds.POS).compare(one, b.add(rest, n)) == AT_MOST
    # Any of the summands may be the one that is known.
    positive = known.with_kind(rest, kinds.POS).with_kind(n, kinds.POS)
    assert positive.compare(one, b.add(rest, n)) == positive.compare(one, total) == AT_MOST
    for mask in (kinds.NEG, kinds.POS | kinds.NAN, kinds.POS | kinds.PINF, kinds.NINF):
        assert known.with_kind(rest, mask).compare(one, total) == UNKNOWN
    assert known.with_kind(rest, kinds.POS).compare(one, b.mul(n, rest)) == UNKNOWN


def test_equal_summands_cancel_only_if_they_are_finite(b):
    x, y, c, d = b.sym("e.x"), b.sym("y"), b.sym("e.f"), b.sym("d")
    for rank in (AT_MOST, BELOW):
        known = in_order(b.context, x, y, rank)
        assert known.compare(b.add(x, c), b.add(c, y)) == rank
        assert known.compare(b.add(c, b.add(x, c)), b.add(b.add(c, y), c)) == rank
        assert known.compare(b.add(x, d), b.add(y, d)) == UNKNOWN
        assert known.compare(b.add(y, c), b.add(x, c)) == UNKNOWN
        assert known.compare(b.add(x, x), b.add(y, c)) == UNKNOWN
        assert known.compare(x, b.add(y, c)) == UNKNOWN
        assert known.compare(b.add(x, c), y) == UNKNOWN


def test_the_number_of_goals_is_bounded(b):
    x, y = b.sym("e.x"), b.sym("y")
    split = step("split", terms=(x,), masks=(32, 31))
    replay = b.replay(x, y)
    replay.goals *= 3_999
    replay.apply(split)
    assert len(replay.goals) == 4_000
    refuses(replay, split, "too many goals")


@pytest.mark.parametrize("path", [(), (2,), (-1,), (0, 2), (0, -1), (0, 0, 0)])
def test_paths_lead_to_terms(b, path):
    x, y = b.sym("e.x"), b.sym("y")
    refuses(b.replay(b.add(x, y), y), step("branch", *path), "leads nowhere")


def test_a_step_takes_its_own_parameters(b):
    x, y = b.sym("e.x"), b.sym("y")
    replay = b.replay(b.choose(x, y, y), x)
    wrong = [
        step("branch", 0, terms=(x,)),
        step("branch", 0, masks=(1,)),
        step("ring", 0),
        step("ring", 0, terms=(x, y)),
        step("close", 0),
        step("close", terms=(x,)),
        step("have", terms=(x, y), masks=(1,)),
        step("split", terms=(x, y), masks=(63,)),
    ]
    for each in wrong:
        refuses(replay, each, "other parameters")
    refuses(replay, step("trust"), "no such step")


def test_the_element_is_spoken_of_only_below_its_list(b):
    element, zero = b.elem("f"), b.num(0)
    nothing = b.add(element, b.mul(b.num(-1), element))
    refuses(b.replay(zero, zero), step("ring", 0, terms=(nothing,)), "where there is none")
    refuses(b.replay(zero, zero), step("have", terms=(element, zero)), "where there is none")
    inside = b.replay(b.over("sum", zero), b.over("sum", zero))
    inside.apply(step("ring", 0, 0, terms=(nothing,)))
    assert inside.goals[0].left == b.over("sum", nothing)
    inside = b.context.inside("xs")
    b.replay(zero, zero, inside).apply(step("ring", 0, terms=(nothing,)))
    b.replay(zero, zero, inside).apply(step("have", terms=(element, zero)))
    b.replay(zero, zero).apply(step("ring", 0, terms=(b.mul(zero, b.sym("e.f")),)))


def test_a_rule_sees_the_facts_of_its_place(b):
    x, total = b.elem("x"), b.over("sum", b.elem("x"))
    top = b.over("top", x)
    term = b.over("bottom", b.max(x, top))
    replay = b.replay(term, total)
    refuses(replay, step("extreme", 0, 0), "order of the operands")
    known = b.replay(term, total, b.context.with_kind(top, kinds.FINITE))
    known.apply(step("extreme", 0, 0))
    assert known.goals[0].left == b.over("bottom", top)
