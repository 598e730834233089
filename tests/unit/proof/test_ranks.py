"""The k-th element of a list in an order: what the checker reads, against sorting."""

import json
import math
from dataclasses import replace
from itertools import product

import pytest

from certile.cli.proving import laws as prove_command
from certile.diagnostics import ArgumentError
from certile.ir.dtypes import f32, i32, u8
from certile.ir.laws import MOST_VALUES, bottom_values, top_values
from certile.ir.meanings import meaning_of
from certile.ir.terms import Apply, Lit, Var, app
from certile.proof import render
from certile.proof.check import check, goals
from certile.proof.check.elaborate import Reader
from certile.proof.check.kinds import ANY, POS
from certile.proof.check.terms import Refused, Table
from certile.proof.registry import certificate_of, certificate_text
from certile.search import Unproved, prove
from certile.search.evaluate import World, agree, evaluate
from tests.unit.proof.builder import Build, step

INF, NAN = math.inf, math.nan
EDGES = (-INF, -1.0, 0.0, 2.0, INF, NAN)
MAKERS = (top_values, bottom_values)
HEADS = {"list.largest": top_values, "list.smallest": bottom_values}
RANKS = (1, 2, 3, 4, 5)


def in_order(head, values):
    """The values, the first one first, then what stands for no element."""
    if head == "list.largest":
        ordered = sorted(values, key=lambda v: (not math.isnan(v), 0.0 if math.isnan(v) else -v))
        return [*ordered, *[-INF] * 5]
    ordered = sorted(values, key=lambda v: (not math.isnan(v), 0.0 if math.isnan(v) else v))
    return [*ordered, *[INF] * 5]


def read(head, pieces):
    """A table, and the term of each rank over joined lists of `x`, or over one element."""
    table = Table(10**6)
    reader = Reader(table, {}, pieces, ("x",))
    return table, [reader.value(Apply(head, (Lit(rank), Var("x")))) for rank in RANKS]


@pytest.mark.parametrize("head", HEADS)
def test_the_rank_of_joined_lists_is_that_of_all_their_elements(head):
    table, terms = read(head, ("xs", "ys"))
    for length in range(5):
        for values in product(EDGES, repeat=length):
            # Lists of one multiset are alike, whatever their order.
            cut = sum(value > 0 for value in values)
            lists = {"xs": [{"x": v} for v in values[:cut]], "ys": [{"x": v} for v in values[cut:]]}
            wanted = in_order(head, values)
            for term, expected in zip(terms, wanted, strict=False):
                assert agree(evaluate(table, World(lists, {}), term), expected), (values, cut)


@pytest.mark.parametrize("head", HEADS)
def test_every_split_of_three_elements(head):
    table, terms = read(head, ("xs", "ys"))
    for values in product(EDGES, repeat=3):
        wanted = in_order(head, values)
        for cut in range(4):
            lists = {"xs": [{"x": v} for v in values[:cut]], "ys": [{"x": v} for v in values[cut:]]}
            found = [evaluate(table, World(lists, {}), term) for term in terms]
            assert all(map(agree, found, wanted))


@pytest.mark.parametrize("head", HEADS)
def test_no_element_and_one(head):
    table, terms = read(head, ())
    assert {table.rows[term].value for term in terms} == {"-inf" if head[5] == "l" else "inf"}
    table, terms = read(head, ("e",))
    for value in EDGES:
        found = [evaluate(table, World({}, {"e.x": value}), term) for term in terms]
        assert all(map(agree, found, in_order(head, [value])))


@pytest.mark.parametrize("head", HEADS)
def test_one_list_by_its_meaning(head):
    """The first element with so many at least as far on, which needs no joining."""
    table, terms = read(head, ("xs",))
    for values in product(EDGES, repeat=4):
        lists = {"xs": [{"x": value} for value in values], "ys": []}
        found = [evaluate(table, World(lists, {}), term) for term in terms]
        assert all(map(agree, found, in_order(head, values))), values


@pytest.mark.parametrize("rank", [0, -1, 65, 10**9])
def test_a_rank_is_a_small_number(rank):
    with pytest.raises(Refused, match="a rank is from 1 to 64"):
        Reader(Table(10**6), {}, ("xs",), ("x",)).value(
            Apply("list.largest", (Lit(rank), Var("x")))
        )


@pytest.mark.parametrize("term", [app("list.largest", "x"), app("list.largest", "x", "x")])
def test_a_rank_is_written_down(term):
    with pytest.raises(Refused, match="no meaning"):
        Reader(Table(10**6), {}, ("xs",), ("x",)).value(term)


def test_nothing_is_taken_from_a_rank():
    """A second greatest that is finite says nothing of the greatest, nor that it is one."""
    b = Build()
    second = b.largest(b.elem(), b.num(2), value="xs")
    assert b.context.kind(second) == ANY
    known = b.context.with_kind(second, 8)
    assert known.kind(b.over("top", b.elem())) == ANY
    assert known.inside("xs").kind(b.elem()) == ANY


def test_a_rank_binds_the_element():
    b = Build()
    second = b.largest(b.elem(), b.num(2), value="xs")
    assert not b.table.free[second]
    tripled = b.largest(b.add(b.elem("f"), b.add(b.elem("f"), b.elem("f"))), b.num(2), value="xs")
    by_three = b.largest(b.mul(b.num(3), b.elem("f")), b.num(2), value="xs")
    replay = b.replay(tripled, by_three)
    replay.apply(step("operands"))
    # The ranks are one term, so that it is the bodies that are left.
    (body,) = replay.goals
    assert body.context.size("xs") == POS
    replay.apply(step("ring", *body[1:]))
    assert not replay.goals


def test_lists_and_ranks_are_told_apart():
    b = Build()
    for left, right in (
        (b.largest(b.elem(), b.num(2), value="xs"), b.largest(b.elem(), b.num(2), value="ys")),
        (b.largest(b.elem(), b.num(2), value="xs"), b.smallest(b.elem(), b.num(2), value="xs")),
    ):
        with pytest.raises(Refused, match="the operations differ"):
            b.replay(left, right).apply(step("operands"))
    replay = b.replay(
        b.largest(b.elem(), b.num(2), value="xs"), b.largest(b.elem(), b.num(3), value="xs")
    )
    replay.apply(step("operands"))
    assert [(goal.left, goal.right) for goal in replay.goals] == [(b.num(2), b.num(3))]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("count", [2, 3, 8, MOST_VALUES])
def test_any_number_of_values_has_a_certificate(make, count):
    law = make(count)
    text, meaning = certificate_text(law), meaning_of(law)
    assert check(text, law, meaning) is None
    for dtype in (f32, i32, u8):
        assert len(certificate_of(law, dtype)) == 64
    if count <= 3:
        assert prove(law, meaning) == json.loads(text)


@pytest.mark.parametrize("make", MAKERS)
def test_a_law_of_another_number_is_another(make):
    law, other = make(3), make(4)
    refused = check(certificate_text(other), law, meaning_of(law))
    assert refused == "the certificate is of another before"
    assert certificate_of(make(MOST_VALUES + 1), f32) is None
    assert certificate_of(replace(law, merge=(*law.merge[:2], law.merge[1])), f32) is None


def wrong(law, place, term):
    merge = list(law.merge)
    merge[place] = term
    return replace(law, merge=tuple(merge))


@pytest.mark.parametrize(
    ("place", "term"),
    [
        # One pair is left out: right where no two lists share the second place.
        (1, app("maximum", "a.t2", "b.t2")),
        (2, app("maximum", app("maximum", "a.t3", "b.t3"), app("fmin", "a.t1", "b.t2"))),
        # The later of two with NaN as the last: a NaN is lost, or found twice.
        (1, app("maximum", app("maximum", "a.t2", app("minimum", "a.t1", "b.t1")), "b.t2")),
        (1, app("fmax", app("fmax", "a.t2", app("fmin", "a.t1", "b.t1")), "b.t2")),
        # The first of both lists is taken for the second.
        (1, app("maximum", app("maximum", "a.t2", app("fmax", "a.t1", "b.t1")), "b.t2")),
        (0, app("maximum", "a.t1", "b.t2")),
    ],
)
def test_a_wrong_merge_is_refused_with_its_obligation(place, term):
    law = wrong(top_values(3), place, term)
    found = prove(law, meaning_of(top_values(3)))
    assert isinstance(found, Unproved)
    assert found.obligation == f"cat.t{place + 1}"
    assert found.counterexample is not None


@pytest.mark.parametrize(
    ("changes", "obligation"),
    [
        ({"identity": (Lit("lowest"), Lit(0.0))}, "nil.t2"),
        ({"lift": (Var("x"), Var("x"))}, "one.t2"),
        ({"finalize": (Var("t2"), Var("t1"))}, "finalize.0"),
    ],
)
def test_other_terms_are_refused_with_their_obligation(changes, obligation):
    found = prove(replace(top_values(2), **changes), meaning_of(top_values(2)))
    assert isinstance(found, Unproved)
    assert (found.obligation, found.counterexample is not None) == (obligation, True)


def test_a_script_of_the_right_law_does_not_prove_a_wrong_one():
    law = wrong(top_values(2), 1, app("maximum", "a.t2", "b.t2"))
    meaning, content = meaning_of(top_values(2)), json.loads(certificate_text(top_values(2)))
    table = Table(10**6)
    sides = dict(goals(table, law, meaning))["cat.t2"]
    assert sides.left != sides.right
    refused = check(content | {"after": "0" * 64}, law, meaning)
    assert refused == "the certificate is of another after"


def test_formulas():
    law, meaning = top_values(3), meaning_of(top_values(3))
    shown = render.text(law, meaning, json.loads(certificate_text(law)))
    assert "  t3(xs) = Max(3)_xs[x]" in shown
    assert "    both sides are max(max(t2(xs), fmin(t1(xs), t1(ys))), t2(ys))" in shown
    assert r"\max^{(3)}_{xs} \left[x\right]" in render.latex(law, meaning)
    assert r"\mathrm{fmin}\left(\mathit{t1}(xs), \mathit{t1}(ys)\right)" in render.latex(
        law, meaning
    )


@pytest.mark.parametrize(
    ("name", "law"), [("top_values(3)", top_values(3)), ("bottom_values(16)", bottom_values(16))]
)
def test_the_command_names_a_law_by_its_number(name, law):
    proof = prove_command.checked(prove_command.subject(name))
    assert (proof.law, proof.refusal) == (law, None)


@pytest.mark.parametrize(
    "name", ["top_values(17)", "top_values(1)", "top_values()", "middle_values(3)"]
)
def test_the_command_knows_no_other_number(name):
    with pytest.raises(ArgumentError, match="is no law of a reduction"):
        prove_command.subject(name)
