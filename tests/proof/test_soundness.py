"""What the checker believes holds in the worlds where its facts hold: kinds, order, every rule."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import pytest

from certile.proof.check import kinds
from certile.proof.check.rules import RULES
from certile.proof.check.terms import JOIN, Refused
from certile.proof.goal_text import text
from certile.search.algebra import product
from certile.search.evaluate import agree, kind_of
from tests.proof.worlds import Sample
from tests.unit.proof.builder import BELOW, attained, order

_SAMPLES = 50
_OF_ONE_TERM = [name for name, (count, _) in RULES.items() if not count]
_MANY = 1_000


def sampled(seeds):
    return [Sample(random.Random(seed)) for seed in seeds]


@pytest.fixture(scope="module")
def samples():
    return sampled(range(_SAMPLES))


def _places(sample, context):
    """Each context with the element it speaks of: outside the lists, and for each element."""
    yield context, None, sample.closed
    for name in ("xs", "ys"):
        for element in sample.elements(name):
            yield context.inside(name), element, [*sample.free, *sample.closed]


def test_kinds_hold_the_kind_of_the_value(samples):
    seen = Counter()
    for sample in samples:
        for context, element, terms in _places(sample, sample.context(facts=6)):
            for term in terms:
                value = sample.value(term, element)
                if value is not None:
                    mask = context.kind(term)
                    assert mask & kind_of(value), (text(sample.table, term), value, mask)
                    seen[mask.bit_count()] += 1
    # Neither vacuous nor coarse: most masks say something.
    assert seen[1] > 1_500
    assert seen[6] < sum(seen.values()) / 3


def test_comparisons_hold(samples):
    seen = Counter()
    for sample in samples:
        for context, element, terms in _places(sample, sample.context(facts=12)):
            some = sample.choose.sample(terms, min(len(terms), 16))
            for a, b in itertools.product(some, some):
                x, y = sample.value(a, element), sample.value(b, element)
                if x is None or y is None:
                    continue
                rank = order(context, a, b)
                seen[rank] += 1
                if rank:
                    below = x < y if rank == BELOW else x <= y or agree(x, y)
                    assert below, (text(sample.table, a, b), x, y)
    assert min(seen[rank] for rank in (0, 1, 2)) > 200


def test_rules_keep_the_value(samples):
    taken = Counter()
    for sample in samples:
        context = sample.context(facts=8)
        for place, element, terms in _places(sample, context):
            for term in {*terms, *_products_and_sums(sample, terms)}:
                value = sample.value(term, element)
                for name in _OF_ONE_TERM if value is not None else ():
                    try:
                        made = RULES[name][1](place, term)
                    except Refused:
                        continue
                    after = sample.value(made, element)
                    if after is not None:
                        assert agree(value, after), (name, text(sample.table, term, made))
                        taken[name] += 1
    assert set(taken) == set(_OF_ONE_TERM)
    assert min(taken.values()) >= 4, taken


def test_simplification_keeps_the_value(samples):
    taken = Counter()
    for sample in samples:
        for context, element, terms in _places(sample, sample.context(facts=12)):
            for term in terms:
                value, made = sample.value(term, element), context.simple(term)
                after = sample.value(made, element)
                if value is not None and after is not None:
                    assert agree(value, after), text(sample.table, term, made)
                    if made != term:
                        taken[sample.table.rows[term].op] += 1
                assert context.simple(made) == made
    for op in ("choose", "max", "min", "add", "mul", "sum", "top", "less", "same", "exp"):
        assert taken[op] >= 4, taken


def test_replacing_a_term_by_an_equal_one_keeps_the_value(samples):
    taken = Counter()
    for sample in samples:
        table, world = sample.table, sample.world
        elements = [each for held in world.lists.values() for each in held]
        for old in sample.closed:
            value = sample.value(old)
            equal = value is not None and math.isfinite(value) and table.num(Fraction(value))
            for term in [*sample.closed, *sample.free] if equal else ():
                made = table.replaced(term, old, equal)
                for element in elements[:2] if table.free[term] else [None]:
                    pair = sample.value(term, element), sample.value(made, element)
                    if made != term and None not in pair:
                        assert agree(*pair), text(table, term, old, made)
                        taken[table.free[term]] += 1
    assert min(taken[True], taken[False]) > 50, taken


def _products_and_sums(sample, terms):
    """Terms of the shapes that the rarer rules ask for."""
    table, choose = sample.table, sample.choose
    if not sample.free:
        return
    for _ in range(12):
        c, a, b = choose.choice(sample.closed), *(choose.choice(terms) for _ in range(2))
        name = choose.choice(("xs", "ys"))
        f, g = choose.choice(sample.free), choose.choice(sample.free)
        yield table.make("mul", c, table.make("add", a, b))
        yield table.make("mul", c, table.make("sum", f, value=name))
        yield table.make("sum", table.make("mul", c, f), value=name)
        yield table.make("sum", table.make("add", f, g), value=name)
        yield table.make("log", table.make("mul", a, b))
        yield table.make("log", table.make("exp", a))
        yield table.make("choose", c, a, a)
        shifted = (table.make("add", each, c) for each in (a, b))
        yield table.make("max", *shifted)
        minus = table.make("mul", table.num(-1), b)
        for of in (table.make("add", a, minus), table.make("mul", b, a)):
            yield table.make("less", table.num(0), of)
        yield table.make("less", table.count(name), table.num(1))
        yield table.make("less", table.make("add", a, b), choose.choice(sample.closed))
        yield table.make(choose.choice(list(JOIN)), f, value=name)


def test_ring_and_regrouping_keep_the_value(samples):
    taken = Counter()
    for sample in samples:
        table, choose = sample.table, sample.choose
        context = sample.context(facts=4)
        for _ in range(20):
            a, b, c = (choose.choice(sample.closed) for _ in range(3))
            left = table.make("mul", a, table.make("add", b, c))
            right = table.make("add", table.make("mul", c, a), table.make("mul", a, b))
            ratio = table.make("div", table.make("mul", a, b), b)
            powers = (table.make("exp", table.make("add", a, b)), table.make("exp", a))
            exps = table.make("mul", powers[1], table.make("exp", b))
            pairs = [
                (left, right),
                (ratio, a),
                (powers[0], exps),
                (product(table, (a, b, c)), left),
            ]
            pairs += [(product(table, (a, b, c)), product(table, (c, a, b)))]
            for op in ("max", "add"):
                regrouped = table.make(op, b, table.make(op, a, b))
                pairs.append((table.make(op, a, b), regrouped))
            for name in ("ring", "regroup"):
                for old, new in pairs:
                    taken[name] += _same_after(sample, context, name, old, new)
    assert min(taken["ring"], taken["regroup"]) > 100, taken


def _same_after(sample, context, name, old, new):
    try:
        assert RULES[name][1](context, old, new) == new
    except Refused:
        return 0
    x, y = sample.value(old), sample.value(new)
    if x is None or y is None:
        return 0
    assert agree(x, y), (name, text(sample.table, old, new))
    return 1


def test_an_attained_extreme_bounds_a_sum(samples):
    narrowed = 0
    for sample in samples:
        rows = sample.table.rows
        lists = [term for term in sample.closed if rows[term].op in JOIN]
        sums = [
            sample.table.make("sum", sample.choose.choice(sample.free), value=name)
            for name in ("xs", "ys")
            for _ in range(3)
        ]
        context = sample.context(facts=6)
        for term in lists:
            value = sample.value(term)
            context = context if value is None else context.with_kind(term, kind_of(value))
        for over in sums:
            value = sample.value(over)
            for extreme in lists if value is not None else ():
                mask = attained(context, extreme, over)
                if mask is not None:
                    assert mask & kind_of(value), text(sample.table, extreme, over)
                    narrowed += mask != context.kind(over)
    assert narrowed > 10


def test_the_algebra_of_the_extended_reals():
    edge = [float("-inf"), -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, float("inf"), float("nan")]
    add, mul = (lambda a, b: a + b), (lambda a, b: a * b)
    broken = 0
    for a in edge:
        for b in edge:
            for c in edge:
                assert agree(add(a, add(b, c)), add(add(a, b), c))
                assert agree(mul(a, mul(b, c)), mul(mul(a, b), c))
                holds = agree(mul(c, add(a, b)), add(mul(c, a), mul(c, b)))
                assert holds or kind_of(c) & ~kinds.FINITE
                broken += not holds
    # The premise of distribution is needed.
    assert broken > 0


@pytest.mark.full
@pytest.mark.parametrize(
    "check",
    [
        test_kinds_hold_the_kind_of_the_value,
        test_comparisons_hold,
        test_rules_keep_the_value,
        test_simplification_keeps_the_value,
        test_ring_and_regrouping_keep_the_value,
        test_an_attained_extreme_bounds_a_sum,
    ],
)
def test_in_many_more_worlds(check):
    check(sampled(range(_SAMPLES, _SAMPLES + _MANY)))
