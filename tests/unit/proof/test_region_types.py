"""A derived law computes what was proved of it: types that literals, truths and values have."""

import math
from dataclasses import replace

import pytest

from certile.ir.dtypes import bool_, f16, f32, f64, i32
from certile.ir.fingerprint import fingerprint
from certile.ir.laws import Component, Law
from certile.ir.meanings import MEANINGS, OF_REWRITES, Meaning
from certile.ir.terms import Lit, Var, app, to_json
from certile.ir.tile import Cast, Const, Load, Map, Reduce, Result
from certile.ir.types import TileType
from certile.ir.walk import parallel_regions, substitute
from certile.proof.check import check, goals, region_terms
from certile.proof.check.limits import apart
from certile.proof.check.region_terms import parameter_domain, require_numbers
from certile.proof.check.regions import SCHEMA, check_rewrite, conjunction
from certile.proof.check.terms import Refused, Table
from certile.search import regions
from certile.search.laws import prove
from tests.unit.proof.rewrites import SCALAR, Case, by_hand, of_kind, traced
from tests.unit.search import region_kernels as kernels


@pytest.fixture(scope="module")
def softmax():
    return Case(kernels.softmax)


def _summed(lift, body=None):
    """A sum of terms of the elements, in its closed form of `body`."""
    return Law(
        name="summed",
        state=(Component("s"),),
        identity=(Lit(0.0),),
        lift=(lift,),
        merge=(app("add", "a.s", "b.s"),),
        finalize=(Var("s"),),
        closed=(app("list.sum", body or lift),),
    )


def _sum_of(element, lift, specification, body=None, domain="any"):
    """What is said of a sum in a softmax that is one of `element`, and is tried as one of `lift`.

    The certificate is right: in numbers both are the same.
    """
    before = traced(kernels.softmax)
    (x,) = of_kind(before, Load)
    at = of_kind(before, Reduce)[1]
    written = at.with_(args=(element(x),))
    before = substitute(before, {at: written})
    law, meant = _summed(lift, body), (app("list.sum", specification),)
    # The program divides by the sum.
    tests = conjunction(law, meant, apart(meant))
    tested = replace(law, finalize=(*law.finalize, tests), results=("acc", "bool"))
    meaning = Meaning(
        closed=law.closed,
        specification=meant,
        domain={"x": domain},
        discharges=OF_REWRITES,
        nonempty=True,
        bounded=True,
    )
    certificate = prove(law, meaning)
    assert check(certificate, law, meaning) is None
    fused = written.with_(args=(x,), law=tested)
    after = by_hand(before, fused, (written,))
    content = {
        "schema": SCHEMA,
        "before": fingerprint(before),
        "after": fingerprint(after),
        "laws": [
            {
                "closed": list(map(to_json, law.closed)),
                "domain": {"x": domain},
                "certificate": certificate,
            }
        ],
    }
    return check_rewrite(before, after, content)


def _weighed(x):
    """2.5 where x is positive, else 0."""
    of = TileType(bool_, x.axes)
    positive = Map(fn="gt", args=(x, Const(value=0.0, type=SCALAR)), type=of)
    numbers = (Const(value=value, type=SCALAR) for value in (2.5, 0.0))
    return Map(fn="where", args=(positive, *numbers), type=x.type)


POSITIVE = app("gt", "x", 0.0)
WEIGHED = app("where", POSITIVE, 2.5, 0.0)


def test_a_literal_beside_a_truth_would_be_one():
    """`2.5 * (x > 0)` is right over numbers; as code it is a product of two truths."""
    assert _sum_of(_weighed, WEIGHED, WEIGHED) is None
    wrong = _sum_of(_weighed, app("mul", POSITIVE, 2.5), WEIGHED)
    assert wrong == "mul of a derived law computes with truths"


def test_a_closed_form_does_not_hide_an_infinity():
    """Of finite elements both forms are one sum; of others a block would have a finite state."""
    finite = app("where", app("isfinite", "x"), "x", 0.0)
    assert _sum_of(lambda x: x, Var("x"), Var("x"), domain="finite") is None
    law = _summed(Var("x"), finite)
    meaning = Meaning(law.closed, (app("list.sum", "x"),), {"x": "finite"}, bounded=True)
    with pytest.raises(Refused, match="a finite state does not show that x is finite"):
        goals(Table(10_000), law, meaning)
    goals(Table(10_000), law, replace(meaning, bounded=False))


def test_a_literal_has_no_type_of_its_own():
    """As an i32 both numbers are 2, and the choice is another one."""
    above = app("gt", Lit(2.5, "i32"), Lit(2.25, "i32"))
    wrong = _sum_of(lambda x: x, app("where", above, "x", 0.0), Var("x"))
    assert wrong == "a literal of a derived law has a type of its own"
    assert _sum_of(lambda x: x, app("where", app("gt", 2.5, 2.25), "x", 0.0), Var("x")) is None


@pytest.mark.parametrize(
    "term",
    [
        app("where", POSITIVE, POSITIVE, 2.5),
        app("where", POSITIVE, True, 2.5),
        app("list.sum", POSITIVE),
        app("eq", POSITIVE, 1.0),
        app("bit_not", "x"),
        app("is", "x", 0.0),
    ],
)
def test_truths_only_decide(term):
    with pytest.raises(Refused, match="computes with truths"):
        require_numbers((app("add", "x", term),))


@pytest.mark.parametrize("term", [Lit(2.5, "f16"), app("mul", "x", Lit(2.5, "f16"))])
def test_literals_are_found_wherever_they_stand(term):
    with pytest.raises(Refused, match="a type of its own"):
        require_numbers((term,))
    require_numbers((Lit(2.5, "acc"), app("mul", "x", Lit(2.5, "acc"))))


@pytest.mark.parametrize(
    ("value", "dtype", "holds"),
    [
        (0.5, f32, True),
        (0.1, f32, False),
        (0.1, f64, True),
        (2**24 + 1, f32, False),
        (2**53, f64, True),
        (2**53 + 1, f64, False),
        (2.0**999, f64, True),
        (2.0**1000, f64, False),
        (2**2000, f64, False),
        (math.inf, f32, True),
        (math.nan, f32, True),
        ("highest", f32, True),
    ],
)
def test_a_literal_is_a_number_of_the_type_of_the_fold(value, dtype, holds):
    """In Python an integer may be none of a float's numbers, and be equal to no other."""
    terms = (app("mul", "x", Lit(value)),)
    if holds:
        require_numbers(terms, dtype)
    else:
        with pytest.raises(Refused, match=f"is no number of {dtype}"):
            require_numbers(terms, dtype)
    require_numbers(terms)


@pytest.mark.parametrize("part", ["identity", "lift", "merge", "finalize", "closed"])
def test_every_part_of_a_law_is_looked_at(softmax, part):
    terms = getattr(softmax.fused.law, part)
    wrong = softmax.with_law(**{part: (Lit(2.5, "f16"), *terms[1:])})
    assert wrong == "a literal of a derived law has a type of its own"


def test_a_lift_computes_in_the_type_of_its_operands(softmax):
    """Of an f16 the law would take the exponential as one."""
    (x,) = of_kind(softmax.before, Load)
    half = Cast(value=x, type=TileType(f16, x.axes))
    wrong = softmax.other(softmax.fused, softmax.fused.with_(args=(half,)))
    assert wrong == "the kernel after is not well formed"


@pytest.mark.parametrize(
    ("literal", "refusal"),
    [
        (0.1, "a literal of a derived law is no number of f32"),
        (0.5, "a value is not computed in f32, as the law is"),
    ],
)
def test_a_comparison_in_a_wider_type_is_another_one(literal, refusal):
    """No f32 is 0.1, but one is the f32 that a law in f32 has in its place."""

    def element(x):
        wide = Cast(value=x, type=TileType(f64, x.axes))
        other = Const(value=literal, type=TileType(f64))
        found = Map(fn="eq", args=(wide, other), type=TileType(bool_, x.axes))
        numbers = (Const(value=1000.0, type=SCALAR), x)
        return Map(fn="where", args=(found, *numbers), type=x.type)

    read = app("where", app("eq", "x", literal), 1000.0, "x")
    assert _sum_of(element, read, read) == refusal


def test_what_is_tried_is_well_formed(monkeypatch):
    """That a fold reads what is loaded later is seen in the kernel after alone."""
    monkeypatch.setattr(regions, "verify", lambda kernel: [])
    before = traced(kernels.stored_early)
    (refusal,) = regions.derived(before, parallel_regions(before)[0]).refusals
    assert refusal.missing == "the kernel after is not well formed"


def test_the_types_of_values_are_those_of_the_fold(softmax):
    one, two = softmax.fallback.values
    for kind in (f16, i32, f64):
        other = one.with_(type=TileType(kind))
        wrong = softmax.other(softmax.fallback, softmax.fallback.with_(values=(other, two)))
        assert wrong == "the kernel after is not well formed"


def test_values_are_results_and_nothing_beside_them(softmax):
    constant = Const(value=1.0, type=TileType(f32))
    result = Result(of=softmax.fused, index=0, type=SCALAR)
    for values in ((constant, result), (result, constant)):
        wrong = softmax.other(softmax.fallback, softmax.fallback.with_(values=values))
        assert wrong == "a fallback tries other values than the results of its reduction"


@pytest.mark.parametrize(
    ("fn", "domain", "divisor"),
    [("sqrt", "natural", "positive"), ("exp", "natural", "positive")]
    + [(fn, "finite", "nonzero") for fn in ("abs", "neg", "maximum", "log", None)],
)
def test_what_a_number_is_that_all_elements_share(fn, domain, divisor):
    """A root or an exponential of one is not negative, whatever it is."""
    number = Const(value=-2.0, type=SCALAR)
    tile = number if fn is None else Map(fn=fn, args=(number,), type=SCALAR)
    assert parameter_domain(tile, divides=False) == domain
    assert parameter_domain(tile, divides=True) == divisor


def test_a_law_that_means_something_of_some_elements_only_is_not_read(softmax, monkeypatch):
    meant = replace(MEANINGS["add"], domain={"x": "finite"})
    monkeypatch.setattr(region_terms, "meaning_of", lambda law: meant)
    assert softmax.answer() == "maximum means what it says of some elements only"
