"""What a finite final state says of states and elements, and where exponents are bounded."""

import itertools
import math
import random
from dataclasses import replace

import numpy as np
import pytest

from certile.ir.laws import BUILTIN, Component, Law
from certile.ir.meanings import Meaning
from certile.ir.terms import Lit, Var, app
from certile.proof.check import FUEL, check, goals, kinds
from certile.proof.check.finite import Parts, kinds_of_states, positive_exponents
from certile.proof.check.terms import Refused, Table
from certile.proof.goal_text import goal_text, text
from certile.search import Unproved, prove
from certile.search.evaluate import Unspecified, World, kind_of
from certile.search.evaluate import evaluate as value_of
from certile.search.fusion import Chain, Fused, derive
from certile.search.sizes import finite_fields
from tests.proof.worlds import Sample
from tests.terms import computed
from tests.unit.proof.builder import Build

X = Var("x")
BELOW_INF = kinds.NINF | kinds.FINITE
ABOVE_NINF = kinds.FINITE | kinds.PINF
INF, NAN = math.inf, math.nan


def law_of(**parts):
    """A law of a state with these components: name -> (lift, merge)."""
    state = tuple(map(Component, parts))
    return Law(
        name="some",
        state=state,
        identity=tuple(Lit(0.0) for _ in parts),
        lift=tuple(lift for lift, _ in parts.values()),
        merge=tuple(merge for _, merge in parts.values()),
        finalize=tuple(map(Var, parts)),
        operands=2 if "x0" in str(parts) else 1,
    )


def joined(name, op="add"):
    """A merge of one operation."""
    return app(op, f"a.{name}", f"b.{name}")


SUM = joined("s")
WEIGHED = app("where", app("isnan", "a.m"), 0.0, app("exp", app("sub", "a.m", "b.m")))


@pytest.mark.parametrize(
    ("law", "fields"),
    [
        (law_of(s=(X, SUM)), {"x"}),
        (law_of(s=(X, joined("s", "mul"))), {"x"}),
        (law_of(s=(app("neg", "x"), SUM)), {"x"}),
        (law_of(s=(app("mul", "x0", "x1"), SUM)), {"x0", "x1"}),
        (law_of(s=(app("sub", "x0", "x1"), SUM)), {"x0", "x1"}),
        (law_of(s=(app("div", "x0", "x1"), SUM)), {"x0"}),
        (law_of(s=(app("abs", "x"), joined("s", "maximum"))), {"x"}),
        (law_of(s=(app("maximum", app("abs", "x"), 0.0), joined("s", "maximum"))), {"x"}),
        (law_of(s=(app("minimum", app("neg", app("abs", "x")), 0.0), SUM)), {"x"}),
        (law_of(s=(app("minimum", app("neg", "x"), 0.0), SUM)), set()),
        (law_of(s=(X, joined("s", "maximum"))), set()),
        (law_of(s=(X, joined("s", "minimum"))), set()),
        (law_of(m=(X, joined("m", "maximum")), s=(X, joined("s", "minimum"))), {"x"}),
        (law_of(s=(app("exp", "x"), SUM)), set()),
        (law_of(s=(app("where", app("isfinite", "x"), "x", 0.0), SUM)), set()),
        (law_of(s=(X, Var("a.s"))), set()),
        (law_of(s=(X, app("where", app("isfinite", "b.s"), SUM, "a.s"))), set()),
        (law_of(s=(X, app("add", app("mul", "a.s", 2.0), "b.s"))), {"x"}),
        (
            law_of(m=(Lit(0.0), joined("m")), s=(X, app("add", app("mul", WEIGHED, "a.s"), "b.s"))),
            {"x"},
        ),
        # A component that another one's merge keeps finite, and one that only looks so.
        (law_of(s=(X, app("add", "a.t", "b.t")), t=(X, joined("s"))), {"x"}),
        (law_of(s=(X, app("add", "a.t", "b.t")), t=(X, Var("a.s"))), set()),
    ],
)
def test_fields_that_a_finite_state_shows_to_be_finite(law, fields):
    assert finite_fields(law) == fields


@pytest.mark.parametrize(
    ("merge", "mask"),
    [
        (SUM, kinds.FINITE),
        (Var("a.s"), kinds.ANY),
        (Var("b.s"), kinds.ANY),
        (joined("s", "maximum"), BELOW_INF),
        # The final state is one of the states, although only positive ones are merged into it.
        (app("add", app("log", "a.s"), app("log", "b.s")), kinds.FINITE),
        (app("add", app("log", "a.s"), app("exp", "b.s")), BELOW_INF),
    ],
)
def test_kinds_of_states_that_end_finite(merge, mask):
    assert kinds_of_states(Parts(Table(10_000), law_of(s=(X, merge)))) == [mask]


HIDDEN = app("where", app("isfinite", "x"), "x", 0.0)


@pytest.mark.parametrize(
    ("closed", "fields"),
    [
        ((app("list.sum", "x"),), {"x"}),
        ((app("list.sum", app("abs", app("neg", "x"))),), {"x"}),
        ((app("list.sum", HIDDEN),), set()),
        ((app("list.max", "x"),), set()),
        ((Lit(0.0),), set()),
    ],
)
def test_the_state_of_a_block_shows_it_as_well(closed, fields):
    """Elements that lie in registers together become a state by closed forms, without a lift."""
    law = law_of(s=(X, SUM))
    assert finite_fields(law) == {"x"}
    assert finite_fields(replace(law, closed=closed)) == fields


def test_a_closed_form_may_read_one_before_it():
    both = law_of(m=(X, joined("m", "maximum")), s=(X, SUM))
    body = app("sub", "x", "state.m")
    closed = (app("list.max", "x"), app("list.sum", app("mul", body, body)))
    assert finite_fields(replace(both, closed=closed)) == {"x"}
    with pytest.raises(Refused, match="closed form"):
        finite_fields(replace(both, closed=closed[:1]))


def test_terms_without_a_meaning_are_refused():
    with pytest.raises(Refused):
        finite_fields(law_of(s=(app("round", "x"), SUM)))


def test_what_a_kind_says_of_operands():
    b = Build()
    x, y = b.sym("x"), b.sym("y")

    def told(term, mask, of=x):
        return b.context.with_kind(term, mask).kind(of)

    for op in ("add", "mul"):
        assert told(getattr(b, op)(x, y), kinds.FINITE) == kinds.FINITE
        assert told(getattr(b, op)(x, y), kinds.ANY & ~kinds.NAN) == kinds.ANY & ~kinds.NAN
    assert told(b.add(x, y), ABOVE_NINF) == ABOVE_NINF
    assert told(b.add(x, y), kinds.NAN) == kinds.ANY
    quotient, size = b.div(x, y), b.abs(x)
    assert told(quotient, kinds.FINITE) == kinds.FINITE
    assert told(quotient, kinds.FINITE, y) == kinds.ANY & ~(kinds.ZERO | kinds.NAN)
    assert told(size, BELOW_INF) == kinds.FINITE
    assert told(size, kinds.ZERO) == kinds.ZERO
    assert told(size, ABOVE_NINF) == kinds.ANY & ~kinds.NAN
    for extreme, mask in ((b.max(x, y), BELOW_INF), (b.min(x, y), ABOVE_NINF)):
        assert told(extreme, kinds.FINITE) == told(extreme, kinds.FINITE, y) == mask
        assert told(extreme, kinds.ANY & ~kinds.NAN) == kinds.ANY & ~kinds.NAN
    assert told(b.less(x, y), kinds.POS) == BELOW_INF
    assert told(b.less(x, y), kinds.POS, y) == ABOVE_NINF
    assert told(b.less(x, y), kinds.ZERO) == kinds.ANY
    # In turn, also when the other operand is known later.
    assert told(b.exp(b.add(x, y)), kinds.FINITE) == BELOW_INF
    known = b.context.with_kind(b.log(b.add(x, y)), kinds.PINF)
    assert known.kind(x) == ABOVE_NINF
    assert known.with_kind(y, kinds.FINITE).kind(x) == kinds.PINF


def test_what_an_aggregate_says_of_each_element():
    b = Build()
    x, y = b.elem(), b.elem("v")

    def told(*facts, of=x):
        known = b.context
        for term, mask in facts:
            known = known.with_kind(term, mask)
        return known.inside("xs").kind(of)

    total, highest, lowest = b.over("sum", b.add(x, y)), b.over("top", x), b.over("bottom", x)
    assert told((total, kinds.FINITE)) == told((total, kinds.FINITE), of=y) == kinds.FINITE
    assert told((total, ABOVE_NINF)) == ABOVE_NINF
    assert told((highest, kinds.FINITE)) == told((highest, BELOW_INF)) == BELOW_INF
    assert told((highest, ABOVE_NINF)) == kinds.ANY & ~kinds.NAN
    assert told((lowest, kinds.FINITE)) == ABOVE_NINF
    assert told((lowest, BELOW_INF)) == kinds.ANY & ~kinds.NAN
    assert told((highest, kinds.FINITE), (lowest, kinds.FINITE)) == kinds.FINITE


def test_a_list_that_may_be_empty_says_nothing_of_what_stands_beside_its_element():
    b = Build()
    c, x = b.sym("c.c"), b.elem()
    inner = b.over("top", x)
    total = b.over("sum", b.mul(c, b.add(x, inner)))
    known = b.context.with_kind(total, kinds.FINITE)
    assert known.kind(c) == kinds.ANY
    # A maximum of finite elements, or of none.
    assert known.kind(inner) == BELOW_INF
    inside = known.inside("xs")
    assert inside.kind(x) == inside.kind(c) == inside.kind(inner) == kinds.FINITE
    assert known.inside("ys").kind(c) == kinds.ANY
    assert b.context.with_kind(b.mul(c, total), kinds.FINITE).kind(c) == kinds.FINITE
    assert b.context.with_kind(b.over("sum", c), kinds.FINITE).kind(c) == kinds.ANY


def values(terms, variables):
    return [np.float64(computed(term, variables, np.float64)) for term in terms]


def random_tree(choose, law, elements, seen):
    """The state of elements merged in a random tree; `seen` gets every state on the way."""
    names = [component.name for component in law.state]
    if len(elements) == 0:
        state = values(law.identity, {})
    elif len(elements) == 1:
        fields = dict(zip(law.lift_variables(), map(np.float64, elements[0]), strict=True))
        state = values(law.lift, fields)
    else:
        cut = choose.randrange(1, len(elements))
        sides = (("a", elements[:cut]), ("b", elements[cut:]))
        held = {
            f"{side}.{name}": value
            for side, part in sides
            for name, value in zip(names, random_tree(choose, law, part, seen), strict=True)
        }
        state = values(law.merge, held)
    seen.append(state)
    return state


WEIGHT = app("exp", app("sub", "x", "r"))
DERIVED = {
    "weights": Chain("max", X, (WEIGHT,)),
    "by the size": Chain("absmax", X, (app("div", app("mul", "x", 127.0), "r"),)),
    "spread": Chain("mean", X, (app("mul", app("sub", "x", "r"), app("sub", "x", "r")),)),
}


@pytest.mark.parametrize("name", [*DERIVED, "add", "maximum", "absmax", "logsumexp", "mean_var"])
def test_states_and_elements_of_trees_that_end_finite_are_what_is_said(name):
    if name in DERIVED:
        fused = derive(DERIVED[name])
        assert isinstance(fused, Fused)
        law = fused.law
    else:
        law = BUILTIN[name]
    masks, fields = kinds_of_states(Parts(Table(100_000), law)), finite_fields(law)
    choose, ended = random.Random(3), 0
    numbers = (-INF, INF, NAN, 0.0, 1.0, -2.0, 3.0)
    for row in itertools.chain(
        itertools.product(numbers, repeat=2),
        ([choose.choice(numbers) for _ in range(5)] for _ in range(300)),
    ):
        seen = []
        final = random_tree(choose, law, [(value,) for value in row], seen)
        if not np.isfinite(final).all():
            continue
        ended += 1
        assert not fields or np.isfinite(row).all()
        for state in seen:
            assert all(kind_of(v) & mask for v, mask in zip(state, masks, strict=True))
    assert ended > 10


def _positive(table, world, term, element=None):
    """Whether an exponent that is evaluated is positive, by evaluating as a program would."""
    row = table.rows[term]
    if row.op in ("sum", "prod", "top", "bottom"):
        elements = world.lists[str(row.value)]
        parts = [_positive(table, world, row.args[0], each) for each in elements]
        return any(parts)
    here = World(world.lists, world.symbols, element)
    if row.op == "choose":
        taken = row.args[1 if value_of(table, here, row.args[0]) else 2]
        parts = [_positive(table, world, each, element) for each in (row.args[0], taken)]
        return any(parts)
    parts = [_positive(table, world, each, element) for each in row.args]
    return any(parts) or (row.op == "exp" and value_of(table, here, row.args[0]) > 0)


def test_an_exponent_counts_where_it_is_evaluated():
    seen = {True: 0, False: 0}
    for seed in range(60):
        sample = Sample(random.Random(seed))
        table, rows = sample.table, sample.table.rows
        terms = [t for t in sample.closed if any(rows[u].op == "exp" for u in table.reach(t))]
        for term in terms:
            try:
                wanted = _positive(table, sample.world, term)
                claims = positive_exponents(table, [term])
                found = any(value_of(table, sample.world, claim) != 0 for claim in claims)
            except Unspecified:
                continue
            # A closed exponent of a list without elements is claimed although nothing asks.
            empty = not all(sample.world.lists.values())
            assert found == wanted or (found and empty), text(table, term)
            seen[wanted] += 1
    assert min(seen.values()) > 40


def test_exponents_below_closed_operations_are_left_out():
    b = Build()
    inner = b.over("sum", b.exp(b.elem()))
    term = b.exp(inner)
    below = b.over("sum", b.less(b.num(0), b.elem()))
    above = b.less(b.num(0), inner)
    assert positive_exponents(b.table, [term]) == [b.max(below, above)]
    assert positive_exponents(b.table, [term], closed=("sum",)) == [above]
    # What speaks of an element without a list is claimed of each one of xs.
    assert positive_exponents(b.table, [b.exp(b.elem())]) == [below]
    assert positive_exponents(b.table, [term, term]) == [b.max(below, above)]


def test_one_claim_for_an_exponent_of_both_branches():
    b = Build()
    grown = b.exp(b.sym("c.c"))
    less = b.less(b.num(0), b.sym("c.c"))
    condition, other = b.sym("c.d"), b.num(1)
    assert positive_exponents(b.table, [b.choose(condition, grown, grown)]) == [less]
    either = b.choose(condition, grown, other)
    guarded = b.choose(condition, less, b.num(0))
    assert positive_exponents(b.table, [either]) == [guarded]
    assert positive_exponents(b.table, [b.add(either, grown)]) == [b.max(guarded, less)]
    assert positive_exponents(b.table, [b.choose(grown, other, other)]) == [less]


def _finite_or_zero(term):
    return app("where", app("isfinite", term), term, 0.0)


def shifted(*, guard=True, merge="maximum"):
    """Sum exp(x - m) with 0 for a maximum m that is not finite, as cross entropies have it."""
    m = app(merge, "a.m", "b.m")

    def moved(side):
        factor = app("exp", app("sub", _finite_or_zero(Var(f"{side}.m")), _finite_or_zero(m)))
        if guard:
            factor = app("where", app("eq", f"{side}.m", Lit("lowest")), 0.0, factor)
        return app("mul", factor, f"{side}.s")

    def sums(r):
        return app("list.sum", app("exp", app("sub", "x", _finite_or_zero(r))))

    law = Law(
        name="shifted",
        state=(Component("m"), Component("s")),
        identity=(Lit("lowest"), Lit(0.0)),
        lift=(X, app("exp", app("sub", "x", _finite_or_zero(X)))),
        merge=(m, app("add", moved("a"), moved("b"))),
        finalize=(Var("m"), Var("s")),
        results=("acc", "acc"),
    )
    highest = app("list.max", "x")
    closed, wanted = (highest, sums(Var("state.m"))), (highest, sums(highest))
    return law, Meaning(closed, wanted, {"x": "any"}, bounded=True)


def test_exponents_are_bounded_where_the_final_state_is_finite():
    law, meaning = shifted()
    certificate = prove(law, meaning)
    assert not isinstance(certificate, Unproved), certificate.text()
    assert check(certificate, law, meaning) is None
    # An element of +inf has the exponent +inf: there the final state is not finite.
    table = Table(FUEL)
    bounds = [goal for name, goal in goals(table, law, meaning) if name.startswith("bound.")]
    assert any("sum xs (less 0 (add x" in goal_text(table, goal) for goal in bounds)


def test_an_exponent_in_a_branch_that_is_taken_has_to_be_bounded():
    law, meaning = shifted(guard=False)
    refused = prove(law, meaning)
    assert isinstance(refused, Unproved)
    assert refused.obligation.startswith("bound.")
    # It is as true as the other law; only the bound fails.
    assert not isinstance(prove(law, replace(meaning, bounded=False)), Unproved)


def nested(depth):
    term = X
    for _ in range(depth):
        term = app("add", term, 1.0)
    return term


def shared(depth):
    """A choice by a condition that is written once and read 2**depth times."""
    condition = app("lt", "x", 1.0)
    for _ in range(depth):
        condition = app("bit_and", condition, condition)
    return app("where", condition, "x", 1.0)


def repeated(depth):
    """Choices each of which reads the one before three times."""
    term = X
    for _ in range(depth):
        term = app("where", app("lt", term, 1.0), term, term)
    return term


def test_terms_that_are_too_large_when_written_out_are_refused():
    law = law_of(s=(X, SUM))
    with pytest.raises(Refused, match="nested too deeply"):
        finite_fields(replace(law, lift=(nested(3000),)))
    for large in (shared, repeated):
        with pytest.raises(Refused, match="terms are too long when written out"):
            finite_fields(replace(law, lift=(large(40),)))
    few, many = (finite_fields(replace(law, lift=(repeated(depth),))) for depth in (2, 8))
    assert few == many


def test_no_parameter_stands_for_a_component():
    law = law_of(s=(X, app("add", "a.s", "b.s")))
    assert finite_fields(replace(law, parameters=("c0",))) == {"x"}
    with pytest.raises(Refused, match="a name has a dot"):
        finite_fields(replace(law, parameters=("a.s",)))
