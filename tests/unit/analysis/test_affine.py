"""Affine forms and the two proofs they carry, checked against enumeration."""

import itertools
import random

import pytest

from certile.analysis.affine import (
    affine,
    apart,
    instance_spans,
    interval,
    iota,
    moves_with_instance,
    spans,
    undetermined,
)
from certile.ir.build import Builder
from certile.ir.dtypes import i32, i64
from certile.ir.tile import LoopIndex
from certile.ir.types import Dim


@pytest.fixture
def b():
    return Builder("affine")


def test_forms(b):
    i, j = b.axis("i", 3), b.axis("j", 5)
    tile = b.map("sub", b.map("add", b.map("mul", b.index(i), 5), b.index(j)), 7)
    form = affine(tile)
    assert form.constant == -7
    assert form.terms == {iota(i): 5, iota(j): 1}
    assert affine(b.map("neg", b.index(i))).terms == {iota(i): -1}
    assert affine(b.map("sub", b.index(i), b.index(i))).terms == {}
    assert affine(b.map("mul", b.index(i), b.index(j))) is None
    assert affine(b.map("floordiv", b.index(i), 2)) is None


def test_narrow_arithmetic_may_wrap_and_has_no_form(b):
    i = b.axis("i", 3)
    narrow = b.cast(b.index(i), i32)
    assert affine(b.cast(b.map("mul", narrow, 2), i64)) is None


def test_a_relabelled_index_follows_the_new_axis(b):
    i, j = b.axis("i", 3), b.axis("j", 3)
    assert affine(b.relabel(b.map("add", b.index(i), 1), i, j)).terms == {iota(j): 1}


def test_a_scalar_of_unknown_value_is_a_symbol_unless_iterations_change_it(b):
    rows, k = b.axis("rows", 4), b.axis("k", 4)
    x = b.view("x", i64, 1)
    with b.parallel(rows):
        loaded = b.load(x, rows)
        assert affine(b.map("add", loaded, 1)).terms == {loaded: 1}
        with b.serial(k, carry=[b.const(0, i64)]) as loop:
            assert affine(loop.carried[0]) is None
            loop.yields(b.map("add", loop.carried[0], loaded))
        assert affine(loop.results[0]) is None


def test_distinct_elements_agree_with_enumeration():
    """Random two-dimensional affine maps: every proof of distinctness is true."""
    random_ = random.Random(11)
    proved = 0
    for _ in range(400):
        b = Builder("random")
        axes = [b.axis(f"a{k}", random_.randint(1, 5)) for k in range(3)]
        coefficients = [[random_.choice((0, 0, 1, 2, 3, 5, -4)) for _ in axes] for _ in range(2)]
        forms = []
        for row in coefficients:
            tile = b.const(0, i64)
            for axis, coefficient in zip(axes, row, strict=True):
                index = iota(axis)
                tile = b.map("add", tile, b.map("mul", index, coefficient))
            forms.append(affine(tile))
        points = itertools.product(*(range(axis.extent) for axis in axes))
        images = [
            tuple(sum(c * p for c, p in zip(row, point, strict=True)) for row in coefficients)
            for point in points
        ]
        if undetermined(forms, spans(axes)) is None:
            proved += 1
            assert len(set(images)) == len(images)
    assert proved > 20


def test_a_digit_of_unknown_extent_may_only_be_the_last(b):
    rows, cols = b.axis("rows", Dim("x", 0)), b.axis("cols", 8)
    of = {**spans([cols]), **instance_spans([rows])}
    row = LoopIndex(axis=rows)
    outer = b.map("add", b.map("mul", row, 8), iota(cols))
    inner = b.map("add", b.map("mul", iota(cols), 8), row)
    assert undetermined([affine(outer)], of) is None
    assert undetermined([affine(inner)], of) is not None


def test_an_unknown_value_that_moves_with_an_element_hides_it(b):
    rows, k, cols = b.axis("rows", 4), b.axis("k", 3), b.axis("cols", 8)
    with b.parallel(rows), b.serial(k) as _:
        loop_index = b.index(k)
        odd = b.map("mod", loop_index, 2)
        of = {iota(cols): spans([cols])[iota(cols)], loop_index: spans([k])[iota(k)]}
        address = affine(b.map("add", odd, b.index(cols)))
    assert undetermined([address], of) is not None
    # The loop's own coordinate in another dimension settles it first.
    assert undetermined([address, affine(loop_index)], of) is None


def test_instances_that_choose_their_place_from_data(b):
    rows, x = b.axis("rows", 4), b.view("x", i64, 1)
    with b.parallel(rows):
        assert moves_with_instance([affine(b.load(x, rows))], [rows])
        assert not moves_with_instance([affine(b.index(rows))], [rows])


def test_separate_ranges(b):
    i, j = b.axis("i", 4), b.axis("j", 4)
    low, high = affine(b.index(i)), affine(b.map("add", b.index(j), 4))
    near = affine(b.map("add", b.index(j), 3))
    assert apart([low], spans([i]), [high], spans([j]))
    assert not apart([low], spans([i]), [near], spans([j]))
    assert interval(high, spans([j])) == (4, 7)


def test_what_the_instance_fixes_cancels(b):
    rows = b.axis("rows", Dim("x", 0))
    x = b.view("x", i64, 1)
    with b.parallel(rows):
        place = b.load(x, rows)
        one, other = affine(place), affine(b.map("add", place, 1))
    assert apart([one], {}, [other], {})
    assert not apart([one], {}, [one], {})
    assert not apart([one], {}, [affine(b.const(0, i64))], {})
