"""A fold with columns stands for reductions that keep them, or fewer: each premise alone false."""

import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir import laws
from certile.ir.dtypes import f32
from certile.ir.fingerprint import fingerprint
from certile.ir.folds import deciding, fold_of, unproved, value_of_fold
from certile.ir.tile import Cast, Map, Reduce, Result
from certile.ir.types import TileType
from certile.ir.walk import parallel_regions, substitute
from certile.proof.check.regions import check_rewrite
from certile.search import regions
from tests.rewrites import forms
from tests.rewrites import kept_columns as columns

OTHER_VALUES = "a fallback tries other values than the results of its reduction"
SIZES = {"x": (3, 6), "v": (3, 6, 4), "out": (3, 4), "top": (3,), "s": (3,)}
HEADS = {"x": (3, 2, 6), "v": (3, 6, 4), "out": (3, 2, 4)}
NOT_ALL = "the condition of a fallback is not that some state of a fold is not finite"


class Case:
    """A program whose fold keeps columns that the maximum and the sum of weights do not."""

    def __init__(self, kernel=columns.with_state, sizes=SIZES):
        self.made = columns.rewritten(kernel, sizes)
        assert self.made.rewrite is not None, [refusal.text for refusal in self.made.refusals]
        (self.fallback,) = forms.fallbacks(self.made.after)
        self.fold = fold_of(self.fallback)

    def answer(self, **changes):
        """What the checker says where the fallback has other parts; digests are right."""
        after = self.made.after
        if changes:
            after = substitute(after, {self.fallback: self.fallback.with_(**changes)})
        certificate = {**self.made.rewrite.certificate, "after": fingerprint(after)}
        return check_rewrite(self.made.before, after, certificate)


@pytest.fixture(scope="module")
def case():
    return Case()


def test_what_stands_for_each_reduction(case):
    """The greatest of equal results where a reduction keeps no column, else the result itself."""
    assert case.answer() is None
    (cols,) = case.fold.spanned
    kinds = [(type(value), value.axes) for value in case.fallback.values]
    assert sorted(kinds, key=str) == sorted(
        [(Result, (cols,)), (Reduce, ()), (Reduce, ())], key=str
    )
    assert all(value.law == laws.MAXIMUM for value in case.fallback.values if not value.axes)
    assert deciding(case.fallback.when) == (case.fold, len(case.fallback.values))
    assert unproved(case.fold) is case.fallback.when


@pytest.mark.parametrize("law", [laws.ADD, laws.FMAX, laws.ABSMAX])
def test_another_law_along_the_columns_is_another_value(case, law):
    values = list(case.fallback.values)
    place = next(k for k, value in enumerate(values) if not value.axes)
    values[place] = values[place].with_(law=law)
    assert case.answer(values=tuple(values)) == OTHER_VALUES


def test_the_value_is_that_of_its_own_reduction(case):
    values = list(case.fallback.values)
    first, second = (k for k, value in enumerate(values) if not value.axes)
    values[first], values[second] = values[second], values[first]
    assert case.answer(values=tuple(values)) == OTHER_VALUES


def test_the_condition_is_of_every_column(case):
    when = case.fallback.when
    (number,) = when.args
    others = (
        when.with_(law=laws.ALL),
        when.with_(policy="fold_left"),
        when.with_(args=(number.with_(type=TileType(f32, number.axes)),), accumulate=f32),
    )
    for other in others:
        assert case.answer(when=other) == NOT_ALL
    finite = Map(fn="bit_not", args=(number.value,), type=number.value.type)
    turned = when.with_(args=(Cast(value=finite, type=number.type),))
    wrong = case.answer(when=turned)
    assert wrong == "the condition of a fallback is not that some state of a fold is not finite"


def test_a_condition_along_some_columns_is_not_of_all():
    case = Case(columns.heads, HEADS)
    assert case.answer() is None
    when = case.fallback.when
    head, cols = case.fold.spanned
    part = when.with_(over=(cols,), type=TileType(when.dtype, (head,)))
    whole = part.with_(args=(Cast(value=part, type=TileType(when.args[0].dtype, (head,))),))
    again = whole.with_(over=(head,), type=when.type)
    assert (
        case.answer(when=again)
        == "the condition of a fallback is not that some state of a fold is not finite"
    )


def test_columns_without_an_element_say_nothing_of_the_rest(monkeypatch):
    """The greatest of no results is -inf; the maximum of the row is not."""
    sizes = {**SIZES, "v": (3, 6, 0), "out": (3, 0)}
    (said, *_) = columns.rewritten(columns.with_state, sizes).refusals
    assert said.missing == "an axis that one of the reductions keeps has no element"
    monkeypatch.setattr(regions, "_columns", lambda reading: None)
    (said, *_) = columns.rewritten(columns.with_state, sizes).refusals
    assert said.missing == "an axis that the fold alone keeps may have no element"


@ct.tile_kernel
def of_any_columns(x: ct.View[ct.f32, 2], v: ct.View[ct.f32, 3], out: ct.View[ct.f32, 2]):
    """The length of a row is known, how many columns there are is not."""
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", 6)
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row = x[r, keys]
        w = ct.exp(row - ct.reduce(row, keys, ct.maximum))
        total = ct.reduce(w, keys, ct.add)
        out[r, cols] = ct.reduce(w * v[r, keys, cols], keys, ct.add) / total


def test_columns_of_which_nothing_is_known_may_have_no_element():
    sizes = {"x": (3, 6), "v": (3, 6, 4), "out": (3, 4)}
    shaped = {name: Shaped(f32, shape) for name, shape in sizes.items()}
    kernel = of_any_columns.tile_ir(shaped, generic=True)
    (said, *_) = regions.derived(kernel, parallel_regions(kernel)[0]).refusals
    assert said.missing == "an axis that the fold alone keeps may have no element"


def test_columns_of_all_reductions_may_have_no_element():
    made = columns.rewritten(columns.variances, {"v": (3, 6, 0), "out": (3, 0)})
    assert made.rewrite is not None


def test_a_value_of_fewer_axes_is_taken_along_the_others():
    case = Case(columns.heads, HEADS)
    head, cols = case.fold.spanned
    value = value_of_fold(case.fold, 0, (head,))
    assert (value.over, value.axes) == ((cols,), (head,))
    assert value_of_fold(case.fold, 0, (head, cols)).axes == (head, cols)
