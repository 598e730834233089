"""Reductions that no worker can keep: which are made where they are read, and how often."""

import pytest

from certile.analysis.reads import reads
from certile.analysis.rows import analyse
from certile.diagnostics import Refusal
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f32
from certile.ir.walk import parallel_regions

KEYS, DIMS, COLS = 4096, 8, 64
# What `certile.targets.metal.METAL` allows.
BUDGET = 64


def scores(*, stored=False, policy="unordered_tree", repeated=False):
    """The greatest and the sum of scores s[key] = sum of x[row, key, dim], and a weighted sum."""
    b = Builder("scores")
    x, v, y = b.view("x", f32, 3), b.view("v", f32, 2), b.view("y", f32, 2)
    rows, keys = b.axis("rows", 3), b.axis("keys", KEYS)
    dims, cols = b.axis("dims", DIMS), b.axis("cols", COLS)
    with b.parallel(rows):
        elements, weights = b.load(x, rows, keys, dims), b.load(v, keys, cols)
        score = b.reduce(elements, dims, laws.ADD, policy=policy)
        if repeated:
            score = b.reduce(b.map("mul", elements, score), dims, laws.ADD)
        top = b.reduce(score, keys, laws.MAXIMUM)
        total = b.reduce(b.map("mul", b.map("sub", score, top), weights), keys, laws.ADD)
        b.store(y, (rows, cols), total)
        if stored:
            z = b.view("z", f32, 2)
            b.store(z, (rows, keys), score)
    return b.build()


def analysed(kernel, budget=BUDGET):
    (region,) = parallel_regions(kernel)
    found = analyse(kernel, region, materialization="nothing", budget=budget)
    assert not isinstance(found, Refusal), found
    return found


def test_what_fits_is_kept():
    assert not analysed(scores(), budget=KEYS + 2).inline


def test_what_does_not_fit_is_made_where_it_is_read():
    found = analysed(scores())
    (inline,) = found.inline
    assert [axis.extent for axis in inline.over] == [DIMS]
    assert inline not in (stripe.key for stripe in found.stripes)
    assert inline not in (*found.reductions, *found.folds)
    assert {axis.extent for axis in found.lanes} == {COLS}
    counted = {each.view.name: each.usual for each in reads(found)}
    # Once for the greatest, and by a lane for each of its columns.
    assert counted == {"x": 1 + COLS, "v": 1}


@pytest.mark.parametrize(
    "change", [{"stored": True}, {"policy": "reproducible"}, {"repeated": True}], ids=str
)
def test_what_would_be_made_for_each_element_is_not(change):
    """A store reads it too, its tree has 128 accumulators, or it reads what is kept itself."""
    assert not analysed(scores(**change)).inline
