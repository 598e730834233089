"""What attacks on the checker found.

A truth taken for a count, work that no fuel counted, and limits that say less than they seem to.
"""

import json
from dataclasses import replace
from functools import reduce

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.ir.terms import Var, app, replaced
from certile.ir.walk import substitute
from certile.proof.check import check
from certile.proof.check.context import Context
from certile.proof.check.finite import Parts
from certile.proof.check.kinds import POS
from certile.proof.check.regions import claimed
from certile.proof.check.replay import Goal, Replay, Step
from certile.proof.check.terms import Refused, Table
from certile.proof.registry import shipped
from tests.rewrites import forms
from tests.rewrites.instances import chain


def test_a_truth_of_an_element_is_not_counted_in_another_list():
    table = Table(10_000)
    test = table.make("kind", table.make("elem", value="x"), value=1)
    counted = table.make("sum", test, value="xs")
    known = Context(table, {}).with_kind(table.count("xs"), POS)
    left = table.make("top", table.make("max", test, counted), value="ys")
    replay = Replay(table, [Goal(known, left, table.make("top", counted, value="ys"))])
    with pytest.raises(Refused, match="may have another kind"):
        replay.apply(Step("max_second", (0, 0)))


def test_long_sums_are_work():
    content = json.loads(shipped("add"))
    terms = content["terms"]
    first = len(terms)
    terms += [["sym", "z"], ["sym", "a0"]]
    for number in range(1, 9_000):
        whole = len(terms) - 1
        terms += [["sym", f"a{number}"], ["add", whole, whole + 1]]
    terms.append(["add", len(terms) - 1, first])
    steps = [["have", [], {"terms": [len(terms) - 1, first]}], ["ring", [0], {"terms": [first]}]]
    content["obligations"][0]["steps"] = steps
    found = check(content, BUILTIN["add"], MEANINGS["add"])
    assert found is not None
    assert "more work than it may" in found


def test_a_limit_is_no_simpler_than_what_is_written():
    """Over V (m * 2^100) * 2^-100 is m, which is finite where the product is not."""
    far = f"(mul (mul r0 {2.0**100}) {2.0**-100})"
    written = chain("max x", f"sum (mul x {far})")
    made = forms.pair(written.kernel(), written.shapes(2, 8))
    (fallback,) = forms.fallbacks(made.after)
    fold, claim = forms.folded(fallback), made.rewrite.certificate["laws"][0]
    product = app("mul", app("mul", "m", 2.0**100), 2.0**-100)
    *tests, limit = forms.tests(fold.law)
    nearer = replaced(limit, {product: Var("m")})
    assert nearer != limit
    condition = reduce(lambda a, b: app("bit_and", a, b), [*tests, nearer])
    law = replace(fold.law, finalize=(*fold.law.finalize[:-1], condition))
    after = substitute(made.after, {fold: fold.with_(law=law)})
    (fallback,) = forms.fallbacks(after)
    with pytest.raises(Refused, match="a limit is not computed as the program would"):
        claimed(fallback, claim)


def test_a_field_with_the_name_of_a_truth_is_a_number():
    law, component = BUILTIN["any"], replace(BUILTIN["any"].state[0], name="x")
    parts = Parts(Table(10_000), replace(law, state=(component,), lift=(app("bit_not", "x"),)))
    state, element = parts.symbols("a", parts.names), parts.symbols("e", parts.fields)
    assert len(parts.read([app("bit_not", "x")], state)) == 1
    with pytest.raises(Refused, match="bit_not has no meaning"):
        parts.read(parts.law.lift, element)


def test_terms_that_grow_by_sharing_are_not_written_out():
    long = Var("x")
    for _ in range(60):
        long = app("add", long, long)
    law, meaning = BUILTIN["add"], MEANINGS["add"]
    made = replace(law, lift=(long,)), replace(meaning, specification=(long,))
    for each in ((made[0], meaning), (law, made[1])):
        assert check(shipped("add"), *each) == "the terms of the law are too long"
