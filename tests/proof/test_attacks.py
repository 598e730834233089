"""What attacks on the checker found.

A truth taken for a count, work that no fuel counted, and limits that say less than they seem to.
"""

import json
from dataclasses import replace
from functools import reduce

import numpy as np
import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.ir.terms import Var, app, replaced
from certile.ir.walk import substitute
from certile.proof.check import check
from certile.proof.check.context import Context
from certile.proof.check.divided import divided_by
from certile.proof.check.finite import Parts
from certile.proof.check.kinds import ANY, POS, ZERO
from certile.proof.check.limits import Unmeasured, divisors, limits
from certile.proof.check.regions import claimed
from certile.proof.check.rules import Goal, Replay, Step
from certile.proof.check.terms import Refused, Table
from certile.proof.registry import shipped
from certile.search.sizes import finite_fields
from tests.rewrites import forms
from tests.rewrites.instances import chain
from tests.unit.proof.test_limits import law_of


def test_a_truth_of_an_element_is_not_counted_in_another_list():
    table = Table(10_000)
    test = table.make("kind", table.make("elem", value="x"), value=1)
    counted = table.make("sum", test, value="xs")
    known = Context(table, {}).with_kind(table.count("xs"), POS)
    left = table.make("top", table.make("max", test, counted), value="ys")
    assert known.simple(left) == left


def test_long_sums_are_work():
    content = json.loads(shipped("absmax"))
    terms = content["terms"]
    first = len(terms)
    terms.append(["sym", "z"])
    for number in range(200):
        # Sixty-four symbols are added to what was added up before.
        whole, begun = len(terms) - 1, len(terms)
        terms += [["sym", f"a{number}.{each}"] for each in range(64)]
        terms += [["add", begun + 2 * k, begun + 2 * k + 1] for k in range(63)]
        terms.append(["add", whole, len(terms) - 1])
    steps = [["have", [len(terms) - 1, first], []], ["ring", [len(terms) - 1, first], []]]
    content["obligations"][1]["steps"] = steps
    found = check(content, BUILTIN["absmax"], MEANINGS["absmax"])
    assert found is not None
    assert found.startswith("one.s, step 1 ring: ")
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
    with pytest.raises(Refused, match="does not say whether the state is finite and nothing over"):
        claimed(fallback, claim, list(divided_by(after)))


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
        assert check(shipped("add"), *each) == "terms are too long when written out"


def test_what_is_known_of_this_element_says_nothing_of_others():
    """The element is 0 here, and the sum of the list around it is that of other elements."""
    table = Table(10_000)
    element, zero = table.make("elem", value="x"), table.num(0)
    whole = table.make("sum", element, value="xs")
    both = table.make("add", element, whole)
    assert table.replaced(whole, element, zero) == whole
    assert table.replaced(both, element, zero) == table.make("add", zero, whole)
    # The greatest of "the whole sum where x is 0, else 0" is not 0.
    chosen = table.make("choose", table.make("same", element, zero), whole, zero)
    left = table.make("top", chosen, value="xs")
    context = Context(table, {}).with_kind(table.count("xs"), POS)
    replay = Replay(Goal(context, left, zero))
    replay.apply(Step("operands"))
    replay.apply(Step("split", (element,), (ZERO, ANY & ~ZERO)))
    with pytest.raises(Refused, match="the goal has no such term"):
        replay.apply(Step("equality", (element, zero)))


X, TOP = Var("x0"), app("list.max", "x0")


def sizes(body):
    """What is asked where a law keeps the maximum and the sum of the elements."""
    law = law_of(X)
    return [str(each.size) for each in limits(law, [app("list.sum", body)], finite_fields(law))]


def test_a_product_of_a_finite_number_is_bounded_on_the_way():
    """1e20 times 1e30 overflows, whatever it is divided by in the end."""
    far, near = app("mul", TOP, 2.0**100), app("div", 1.0, TOP)
    assert sizes(app("mul", app("mul", X, far), near)) == [
        str(app("abs", far)),
        str(app("mul", app("abs", far), app("abs", near))),
    ]
    assert str(app("div", 1.0, app("abs", TOP))) in sizes(app("mul", app("div", X, TOP), TOP))


def test_numbers_are_not_multiplied_beyond_what_floats_hold():
    weight = app("exp", app("sub", X, TOP))
    far = app("mul", app("mul", app("mul", weight, 2.0**100), 2.0**100), 2.0**-150)
    (size,) = sizes(far)
    assert str(app("mul", 2.0**100, 2.0**100)) in size


FAR = app("mul", app("mul", TOP, 2.0**100), 2.0**-100)


@pytest.mark.parametrize(
    "shared",
    [
        app("minimum", FAR, 2.0),
        app("exp", app("neg", app("abs", FAR))),
        app("where", app("lt", FAR, 3.0), 1.0, 2.0),
        app("div", 1.0, app("add", 1.0, app("exp", app("neg", app("abs", FAR))))),
    ],
)
def test_what_all_elements_share_hides_no_infinity(shared):
    asked = sizes(app("mul", X, shared))
    assert str(app("abs", FAR)) in asked or str(app("abs", app("neg", app("abs", FAR)))) in asked


def test_a_number_that_overflows_is_no_divisor():
    over = app("mul", 2.0**127, 2.0)
    assert str(app("abs", over)) in sizes(app("mul", X, app("div", TOP, over)))


def test_an_exponent_that_overflowed_does_not_come_back():
    """The difference of -3e38 and 3e38 is -inf, and a millionth of it is not what was written."""
    off, far = app("sub", X, TOP), 2.0**64
    assert sizes(app("exp", app("mul", off, 2.0**-20))) == []
    for slow in (app("mul", off, 2.0**-90), app("div", off, 2.0**90)):
        with pytest.raises(Unmeasured):
            sizes(app("exp", slow))
    twice = app("div", app("mul", off, 2.0**-40), 2.0**40)
    assert sizes(app("exp", twice)) == [str(app("mul", 2.0**40, 2.0**105))]
    scale = app("abs", TOP)
    assert str(app("mul", far, scale)) in sizes(app("exp", app("div", off, scale)))
    assert str(app("div", far, scale)) in sizes(app("exp", app("mul", off, scale)))
    shift = app("mul", TOP, scale)
    asked = sizes(app("exp", app("sub", app("mul", X, scale), shift)))
    assert asked == [str(app("abs", shift)), str(app("div", 1.0, scale))]
    back = app("add", app("sub", off, TOP), TOP)
    assert sizes(app("exp", back)) == [str(app("mul", far, scale))]
    with pytest.raises(Unmeasured):
        sizes(app("exp", app("add", app("mul", off, 2.0**-20), TOP)))


def test_a_law_is_no_witness_that_its_own_parameter_is_not_0():
    """Where c is 0 a state may be 1 in place of |c| Sum x, as the proof is for other c."""
    told = app("mul", app("abs", "c0"), app("list.sum", "x0"))
    size = app("div", 1.0, app("abs", told))
    assert divisors([size]) == {"c0"}
    assert divisors([size], {told}) == divisors([size], {size}) == set()
    assert divisors([app("div", size, "c1")], {told}) == {"c1"}


def test_a_slow_scale_of_an_overflow_is_computed_as_written():
    """exp(-inf) is 0 as written; in a fold, -3e38 and 0, then 0 and 3e38, are exp(-3) each."""
    written = chain("max x", "sum (exp (mul (sub x r0) (abs s)))")
    made = forms.pair(written.kernel(), written.shapes(1, 3))
    given = {name: np.zeros(shape, np.float32) for name, shape in written.shapes(1, 3).items()}
    given["x"][0] = (-3e38, 0.0, 3e38)
    watched = forms.watched(made.after)
    for scale, again in ((1e-38, True), (1e-18, False)):
        held = {**given, "s": scale}
        found = forms.on_cpu(watched, forms.with_flags(watched, held))
        assert found["again"].tolist() == [again]
        wanted = forms.by_interpreter(made.before, held)["o1"]
        assert np.allclose(found["o1"], wanted, rtol=1e-6)
