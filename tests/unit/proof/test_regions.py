"""`check_rewrite`: each premise has a rewrite in which it alone is false."""

import copy
import json
from dataclasses import replace

import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import bool_, f16, f32, f64, i32, i64
from certile.ir.fingerprint import fingerprint
from certile.ir.folds import fold_of, unproved, value_of_fold
from certile.ir.laws import Component
from certile.ir.meanings import MEANINGS, OF_REWRITES
from certile.ir.terms import Lit, Var, app, to_json
from certile.ir.tile import Broadcast, Cast, Const, Gather, Load, Map, Reduce, Result
from certile.ir.types import Axis, TileType
from certile.ir.walk import substitute
from certile.proof.check.limits import Limit
from certile.proof.check.regions import (
    SCHEMA,
    RegionReader,
    check_rewrite,
    conjunction,
)
from certile.search.laws import prove
from tests.unit.proof.rewrites import SCALAR, Case, by_hand, law_named, of_kind, traced
from tests.unit.search import region_kernels as kernels

ILL_FORMED = "the kernel after is not well formed"
NO_CONDITION = "the condition of a fallback is not that some state of a fold is not finite"
OVERFLOWS = "the last result does not say whether the state is finite and nothing overflows"


@pytest.fixture(scope="module")
def softmax():
    return Case(kernels.softmax)


@pytest.fixture(scope="module")
def variance():
    return Case(kernels.mean_and_variance)


def test_a_rewrite_is_accepted(softmax, variance):
    assert softmax.answer() is None
    assert variance.answer() is None


@pytest.mark.parametrize("place", [0, 1])
def test_every_reduction_of_the_chain_may_be_regrouped(softmax, place):
    at = softmax.chain[place]
    for policy in ("ordered_tree", "fold_left", "fold_right", "reproducible"):
        assert softmax.both(at, at.with_(policy=policy)) == f"a reduction has the policy {policy}"
    start = Const(value=1.0, type=SCALAR)
    assert softmax.both(at, at.with_(init=(start,))) == "a reduction has a start value"
    for dtype in (i32, f16):
        assert softmax.both(at, at.with_(accumulate=dtype)) == ILL_FORMED


def test_the_derived_reduction_may_be_regrouped(softmax):
    fused = softmax.fused
    other = fused.with_(policy="ordered_tree")
    assert softmax.other(fused, other) == "a reduction has the policy ordered_tree"
    start = (Const(value=1.0, type=SCALAR),) * 2
    assert softmax.other(fused, fused.with_(init=start)) == "a reduction has a start value"
    alone = replace(fused.law, identity=None)
    folded = fused.with_(law=alone, init=start, policy="fold_left")
    assert softmax.other(fused, folded) == "a reduction has the policy fold_left"


@ct.tile_kernel
def two_numbers(x: ct.View, out: ct.View, warm: float, cold: float):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(d * abs(warm)) + ct.exp(d * ct.sqrt(cold)), cols, ct.add)


def test_parameters_are_given_in_the_order_of_their_names():
    """By others, a law that is proved of one number would be computed with another one."""
    case = Case(two_numbers)
    assert case.answer() is None
    law = case.fused.law
    assert law.parameters == ("c0", "c1")
    for names in (("c1", "c0"), ("c0", "c2")):
        wrong = case.with_law(parameters=names)
        assert wrong == "a derived law has other names for its parameters"


def test_all_accumulate_in_one_type(variance):
    """A count of ones, which is exact in f16 up to 2048 only."""
    at = variance.chain[1]
    (square,) = at.args
    (off, _) = square.args
    (x, mean) = off.args
    wrong = []
    for dtype in (f32, f16):
        ones = Broadcast(
            value=Const(value=1.0, type=TileType(dtype)), type=TileType(dtype, at.over)
        )
        counted = Reduce(
            args=(ones,),
            init=(),
            over=at.over,
            law=law_named("add"),
            policy="unordered_tree",
            accumulate=dtype,
            type=TileType(dtype),
        )
        count = counted if dtype == f32 else Cast(value=counted, type=SCALAR)
        other = off.with_(args=(x, mean.with_(args=(mean.args[0], count))))
        wrong.append(variance.both(at, at.with_(args=(square.with_(args=(other, other)),))))
    assert wrong == [None, "a reduction accumulates in another type"]


def test_the_order_of_axes_counts():
    case = Case(kernels.two_axes)
    assert case.answer() is None
    turned = case.fused.with_(over=case.fused.over[::-1])
    assert case.other(case.fused, turned) == "a reduction is over other axes"


def test_no_axis_is_kept(softmax):
    at = softmax.chain[1]
    kept = Axis.fresh("kept", 2)
    (arg,) = at.args
    wide = Broadcast(value=arg, type=TileType(f32, (*arg.axes, kept)))
    wrong = softmax.both(at, at.with_(args=(wide,), type=TileType(f32, (kept,))))
    assert wrong == ILL_FORMED


def test_no_element_is_repeated(softmax):
    at = softmax.chain[1]
    one = Const(value=1.0, type=TileType(f32))
    wrong = softmax.both(at, at.with_(args=(one,)))
    assert wrong == "a reduction repeats its elements along an axis"


def _first_load(case):
    return of_kind(case.before, Load)[0]


@pytest.mark.parametrize("kind", ["load", "gather"])
def test_nothing_but_element_wise_functions_of_the_operands_is_read(kind):
    case = Case(kernels.weighted_plainly)
    at, (x, v) = case.chain[2], of_kind(case.before, Load)
    (product,) = at.args
    if kind == "load":
        inside = case.fused.with_(args=(x, Map(fn="neg", args=(v,), type=v.type)))
        wrong = case.other(case.fused, inside)
    else:
        index = Cast(value=v, type=TileType(i64, v.axes))
        fill = Const(value=0.0, type=SCALAR)
        found = Gather(value=x, index=index, fill=fill, axis=v.axes[0], type=v.type)
        other = Map(fn="mul", args=(product.args[0], found), type=v.type)
        wrong = case.both(at, at.with_(args=(other,)))
    assert wrong == f"tile.{kind} is no element-wise function of the operands"


def test_no_conversion_inside_rounds(softmax):
    at = softmax.chain[1]
    (arg,) = at.args
    narrow = Cast(value=arg, type=TileType(f16, arg.axes))
    again = Cast(value=narrow, type=arg.type)
    wrong = softmax.both(at, at.with_(args=(again,)))
    assert wrong == "a conversion of f32 to f16 rounds"


def test_no_function_inside_rounds_to_half_a_word(softmax):
    at = softmax.chain[1]
    (x,) = of_kind(softmax.before, Load)
    half = Cast(value=Const(value=1.0, type=TileType(f64)), type=SCALAR)
    wrong = softmax.both(at, at.with_(args=(Map(fn="add", args=(x, half), type=x.type),)))
    assert wrong == "a conversion of f64 to f32 rounds"
    small = Const(value=1.0, type=TileType(f16))
    sum_of_halves = Map(fn="add", args=(small, small), type=small.type)
    widened = Cast(value=sum_of_halves, type=SCALAR)
    wrong = softmax.both(at, at.with_(args=(Map(fn="add", args=(x, widened), type=x.type),)))
    assert wrong == "add of f16 rounds, or is of integers"


def test_the_condition_is_that_the_state_is_not_finite(softmax):
    when = softmax.fallback.when
    others = [
        Const(value=False, type=TileType(bool_)),
        when.args[0],
        Map(fn="bit_not", args=(when,), type=when.type),
    ]
    for other in others:
        changed = softmax.fallback.with_(when=other)
        wrong = softmax.other(softmax.fallback, changed)
        assert wrong == NO_CONDITION
    for index in (0, 1, 3):
        result = Result(of=softmax.fused, index=index, type=TileType(bool_))
        changed = softmax.fallback.with_(when=when.with_(args=(result,)))
        assert softmax.other(softmax.fallback, changed) == ILL_FORMED


def test_the_values_are_the_results_in_order(softmax):
    one, two = softmax.fallback.values
    constant = Const(value=1.0, type=SCALAR)
    alike = one.with_(of=softmax.fused.with_(scope="group"))
    others = ((two, one), (one, one), (one, constant), (one, softmax.chain[1]), (alike, two))
    for other in others:
        wrong = softmax.other(softmax.fallback, softmax.fallback.with_(values=other))
        assert wrong == "a fallback tries other values than the results of its reduction"


def test_the_condition_speaks_of_every_component(softmax):
    law = softmax.fused.law
    tests = [app("isfinite", component.name) for component in law.state]
    for condition in (*tests, app("bit_or", *tests), app("bit_and", *tests[::-1]), Lit(True)):
        wrong = softmax.with_law(finalize=(*law.finalize[:-1], condition))
        assert wrong == OVERFLOWS
    alone = replace(law, finalize=law.finalize[:-1], results=law.results[:-1])
    # The row is divided by the second result.
    assert softmax.with_law(finalize=(*law.finalize[:-1], conjunction(alone))) == OVERFLOWS
    apart = app("le", 2.0**-80, app("abs", alone.finalize[1]))
    assert law.finalize[-1] == app("bit_and", conjunction(alone), apart)
    assert conjunction(alone) == conjunction(replace(alone, closed=None))


def test_the_last_result_is_a_truth(softmax):
    """As a number it would be one or zero, and its opposite no condition."""
    fused = softmax.fused
    for kind in ("acc", "index"):
        law = replace(fused.law, results=(*fused.law.results[:-1], kind))
        numbers = fused.with_(law=law)
        values = [value_of_fold(numbers, k, ()) for k in range(2)]
        changed = softmax.fallback.with_(values=tuple(values), when=unproved(numbers))
        assert fold_of(changed) is numbers
        assert softmax.other(softmax.fallback, changed) == ILL_FORMED


def test_a_fallback_has_no_more_values_than_the_law_has_results(softmax):
    for more in (1, 2):
        instead = (*softmax.chain, *softmax.chain[:1] * more)
        values = softmax.fallback.values
        lengthened = (*values, *values[:1] * more)
        changed = softmax.fallback.with_(values=lengthened, instead=instead)
        said = softmax.other(softmax.fallback, changed)
        assert said == "a fallback tries other values than the results of its reduction"


def test_each_value_has_something_in_its_stead(softmax):
    values, instead = softmax.fallback.values, softmax.fallback.instead
    for change in ({"values": values[:1]}, {"values": (*values, values[0])}, {"values": ()}):
        assert softmax.other(softmax.fallback, softmax.fallback.with_(**change)) == ILL_FORMED
    longer = softmax.fallback.with_(instead=(*instead, instead[0]))
    assert softmax.other(softmax.fallback, longer) == ILL_FORMED


def test_the_law_has_nothing_beside_its_terms(softmax):
    law = softmax.fused.law
    words = "a derived law has a type or a merge of its own"
    state = (Component("m"), Component(law.state[1].name, f64))
    changes = (
        {"builtin": "add"},
        {"state": state},
        {"state": (), "identity": (), "lift": (), "merge": (), "closed": ()},
    )
    for change in changes:
        assert softmax.with_law(**change) == words
    assert softmax.with_law(indexed=True) == "the domain must speak of x, i"
    types = (("acc", "acc", "acc"), ("acc", "index", "bool"))
    for change in ({"commutative": False}, *({"results": each} for each in types)):
        assert softmax.with_law(**change) == ILL_FORMED


def test_a_law_without_results_has_none_that_is_the_last(softmax):
    fused = softmax.fused.with_(law=replace(softmax.fused.law, results=()))
    last = Result(of=fused, index=-1, type=TileType(bool_))
    changed = softmax.fallback.with_(when=softmax.fallback.when.with_(args=(last,)))
    assert softmax.other(softmax.fallback, changed) == ILL_FORMED


def test_the_terms_of_the_law_are_proved(softmax):
    law = softmax.fused.law
    assert "another after" in softmax.with_law(merge=(law.merge[0], app("add", "a.s1", "b.s1")))
    swapped = (Var("s1"), Var("m"))
    apart = app("le", 2.0**-80, app("abs", "m"))
    tested = app("bit_and", conjunction(replace(law, finalize=swapped)), apart)
    assert "another after" in softmax.with_law(finalize=(*swapped, tested))


def test_the_law_has_one_term_of_each_kind_for_each_component(softmax):
    law = softmax.fused.law
    number = "components share a name, or have another number"
    untyped = "a result has no type, or a type no result"
    for words, change in (
        (ILL_FORMED, {"identity": None}),
        (number, {"identity": law.identity[:1]}),
        ("a component has no closed form", {"lift": law.lift[:1]}),
        ("a component has no closed form", {"merge": (*law.merge, law.merge[0])}),
        (OVERFLOWS, {"state": (law.state[0], law.state[0])}),
        ("the closed forms are not the law's", {"closed": law.closed[:1]}),
        (OVERFLOWS, {"finalize": ()}),
        (OVERFLOWS, {"finalize": law.finalize[1:]}),
        (untyped, {"finalize": (*law.finalize[:-1], Var("m"), law.finalize[-1])}),
        (ILL_FORMED, {"parameters": ("c0",)}),
    ):
        assert softmax.with_law(**change).startswith(words), change


def test_the_closed_forms_are_those_of_the_law(softmax):
    law = softmax.fused.law
    words = "the closed forms are not the law's"
    other = (law.closed[0], app("list.sum", "x"))
    assert softmax.with_law(closed=None) == words
    assert softmax.with_law(closed=other) == words
    told = [{**softmax.laws[0], "closed": list(map(to_json, other))}]
    assert softmax.answer(laws=told) == words
    fused = softmax.fused.with_(law=replace(law, closed=other))
    after = substitute(softmax.after, {softmax.fused: fused})
    assert "another after" in softmax.answer(after=after, laws=told)


def test_a_domain_is_finite_only_where_the_state_shows_it(softmax, variance):
    wrong = softmax.answer(laws=[{**softmax.laws[0], "domain": {"x": "finite"}}])
    assert wrong == "a finite state does not show that x is finite"
    for kind in ("natural", 1, None, []):
        wrong = softmax.answer(laws=[{**softmax.laws[0], "domain": {"x": kind}}])
        assert wrong is None
    for fields in ({}, {"x": "any", "i": "any"}, [], None):
        wrong = softmax.answer(laws=[{**softmax.laws[0], "domain": fields}])
        assert wrong.startswith("the domain must have the fields x ")
    narrowed = variance.answer(laws=[{**variance.laws[0], "domain": {"x": "finite"}}])
    assert "another domain" in narrowed


def test_no_reader_of_the_chain_is_left_behind(softmax):
    """The sum is read as it was written: right, and computed for every row."""
    reader = next(
        at
        for at in of_kind(softmax.after, Map)
        if at.fn == "div" and any(isinstance(arg, Result) for arg in at.args)
    )
    left = reader.with_(args=(reader.args[0], softmax.chain[1]))
    wrong = softmax.other(reader, left)
    assert wrong == "a reduction of the chain is read beside the fallback"


def test_without_fallbacks_the_program_is_the_one_before(softmax):
    words = "without its fallbacks the kernel after is not the one before"
    least = softmax.chain[0].with_(law=law_named("minimum"))
    assert softmax.answer(before=substitute(softmax.before, {softmax.chain[0]: least})) == words
    swapped = softmax.fallback.with_(instead=softmax.fallback.instead[::-1])
    assert softmax.other(softmax.fallback, swapped) == words
    assert (
        softmax.answer(after=softmax.before, laws=[]) == "there must be one law for each fallback"
    )


def test_what_is_computed_instead_is_read_from_the_program(softmax):
    """Both programs take another sum; the law and its proof are those of the first one."""
    at = softmax.chain[1]
    (arg,) = at.args
    twice = Map(fn="add", args=(arg, arg), type=arg.type)
    assert "another before" in softmax.both(at, at.with_(args=(twice,)))


def test_what_is_computed_instead_are_reductions():
    case = Case(kernels.log_softmax)
    top, total = case.chain
    logarithm = next(at for at in of_kind(case.before, Map) if at.fn == "log")
    assert case.answer(after=by_hand(case.before, case.fused, (top, total))) is None
    after = by_hand(case.before, case.fused, (top, logarithm))
    assert case.answer(after=after) == "what is computed instead is no reduction"


def test_a_sum_over_another_array_is_another_sum():
    """The law is that of exp(2x - 2 max x), and the sum one of another array."""
    case = Case(kernels.doubled)
    before = traced(kernels.doubled_of_another)
    outer, later = of_kind(before, Reduce)
    fused = case.fused.with_(args=outer.args, over=outer.over)
    after = by_hand(before, fused, (later,))
    assert "is no element-wise function" in case.answer(before, after)
    fused = case.fused.with_(args=(of_kind(before, Load)[1],), over=outer.over)
    assert "is no element-wise function" in case.answer(before, by_hand(before, fused, (later,)))


def test_a_right_certificate_of_another_region(softmax):
    other = Case(kernels.doubled)
    assert other.answer(laws=softmax.laws) is not None
    assert softmax.answer(laws=other.laws) is not None
    assert softmax.answer(laws=softmax.laws * 2) == "there must be one law for each fallback"


def test_a_mean_divides_by_the_number_of_elements(variance):
    divisor = next(at for at in of_kind(variance.before, Cast) if isinstance(at.value, Const))
    assert divisor.value.value == 8
    other = divisor.with_(value=Const(value=9, type=divisor.value.type))
    assert variance.both(divisor, other) == OVERFLOWS


def test_the_number_of_elements_is_known(softmax):
    before = traced(kernels.softmax, generic=True)
    chain = tuple(of_kind(before, Reduce))
    fused = softmax.fused.with_(args=chain[0].args, over=chain[0].over)
    after = by_hand(before, fused, chain)
    assert softmax.answer(before, after) == "the number of elements is not known"


def test_the_number_of_elements_is_known_along_every_axis():
    case = Case(kernels.two_axes)
    before = traced(kernels.two_axes, generic=True)
    chain = tuple(of_kind(before, Reduce))
    assert [isinstance(axis.extent, int) for axis in chain[0].over] == [False, True]
    fused = case.fused.with_(args=chain[0].args, over=chain[0].over)
    after = by_hand(before, fused, chain)
    assert case.answer(before, after) == "the number of elements is not known"


def test_rows_without_elements_are_no_rows_with_some(softmax):
    """The law gives NaN where the maximum is -inf, which of no elements is not what is written."""
    given = {name: Shaped(f32, (3, 0)) for name in ("x", "y")}
    before = kernels.softmax.tile_ir(given)
    chain = tuple(of_kind(before, Reduce))
    fused = softmax.fused.with_(args=chain[0].args, over=chain[0].over)
    assert softmax.answer(before, by_hand(before, fused, chain)).startswith("finalize.1")


def test_results_of_one_reduction_may_be_computed_instead():
    """A reduction with two results, by its own law with the test of its state."""
    before = traced(kernels.both_moments)
    (written,) = of_kind(before, Reduce)
    law = replace(written.law, closed=MEANINGS["mean_var"].closed)
    results = tuple(Result(of=written, index=k, type=SCALAR) for k in (0, 1))
    reader = RegionReader(written.over, written.args)
    mean, variance = map(reader.term, results)
    size, squares = app("abs", mean), variance.args[0]
    meaning = replace(
        MEANINGS["mean_var"],
        specification=(mean, variance, squares),
        discharges=OF_REWRITES,
        nonempty=True,
        bounded=True,
    )
    law = replace(law, finalize=(*law.finalize, Var("m2")), results=("acc",) * 3)
    limits = [Limit(squares, None), Limit(app("mul", size, size), None)]
    test = conjunction(law, meaning.specification, limits)
    assert test.args[1] == app("isfinite", app("mul", *[app("abs", law.finalize[0])] * 2))
    tested = replace(law, finalize=(*law.finalize, test), results=(*law.results, "bool"))
    after = by_hand(before, written.with_(law=tested), results)
    certificate = {
        "schema": SCHEMA,
        "before": fingerprint(before),
        "after": fingerprint(after),
        "laws": [
            {
                "closed": list(map(to_json, law.closed)),
                "domain": {"x": "any"},
                "certificate": prove(law, meaning),
            }
        ],
    }
    assert check_rewrite(before, after, certificate) is None


def test_kernels_say_what_they_allow(softmax):
    words = "the kernel may not be rewritten: rewrites are off, or its math is fast"
    for change in ({"rewrites": "off"}, {"math": "fast"}):
        changed = [replace(each, **change) for each in (softmax.before, softmax.after)]
        assert softmax.answer(*changed) == words


def _good(case):
    return {
        "schema": SCHEMA,
        "before": fingerprint(case.before),
        "after": fingerprint(case.after),
        "laws": case.laws,
    }


def test_digests_name_both_kernels(softmax):
    good = _good(softmax)
    for name, words in (("before", "another kernel"), ("after", "another rewrite")):
        for digest in ("", "0" * 64, None, good["before"] + " "):
            wrong = check_rewrite(softmax.before, softmax.after, {**good, name: digest})
            assert wrong == f"the certificate is of {words}"


def test_certificates_that_are_edited_or_cut(softmax):
    good = _good(softmax)
    text = json.dumps(good)
    assert check_rewrite(softmax.before, softmax.after, text) is None
    for cut in range(0, len(text), 97):
        assert check_rewrite(softmax.before, softmax.after, text[:cut]) is not None
    for name in good:
        less = {key: value for key, value in good.items() if key != name}
        assert "must have the fields" in check_rewrite(softmax.before, softmax.after, less)
    edited = copy.deepcopy(good)
    proofs = edited["laws"][0]["certificate"]["obligations"]
    next(each for each in proofs if each["steps"])["steps"].pop()
    assert check_rewrite(softmax.before, softmax.after, edited) is not None
    for other in (None, 3, "[" * 100_000, [], {}, {**good, "laws": 3}, {**good, "schema": "2"}):
        assert isinstance(check_rewrite(softmax.before, softmax.after, other), str)


def test_a_certificate_may_be_large_and_no_larger(softmax):
    text = json.dumps(_good(softmax)).ljust(4_000_001)
    assert check_rewrite(softmax.before, softmax.after, text[:-1]) is None
    wrong = check_rewrite(softmax.before, softmax.after, text)
    assert wrong == "the certificate is too long"
