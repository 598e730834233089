"""Cascaded serial loops with a policy: they become one fold, or it is said what failed.

Rows are of all kinds, as for chains of reductions; what a loop means in plain terms is in
`tests/unit/frontend/test_regrouped.py`.
"""

import json
import math

import numpy as np
import pytest

import certile as ct
from certile.analysis.reads import reads
from certile.frontend.spec import KernelSpec, ViewSpec
from certile.frontend.trace import trace
from certile.ir.dtypes import f32
from certile.ir.loads import merged_loads
from certile.ir.walk import parallel_regions, specialise
from certile.plan.choose import choose
from certile.proof.check.regions import check_rewrite
from tests.differential.harness import SHEETS
from tests.rewrites import forms, rows

LENGTH = 77
LONG = 1 << 20
TREE = "unordered_tree"


def traced(function, *names, rank=2):
    """The Tile IR of a function of views of f32 with these names, equal loads merged."""
    views = tuple((name, ViewSpec(f32, rank)) for name in names)
    return merged_loads(trace(function, KernelSpec(views)).kernel)


def largest(held, x, y, r, c):
    return ct.maximum(held, x[r, c])


def weights(held, x, y, r, c, top):
    return held + ct.exp(x[r, c] - top)


def stored(z, r, top):
    z[r, 1] = top
    return top


def cascade(
    first=largest, second=weights, *, start=-math.inf, steps=(1, 1), policies=(TREE, TREE), use=None
):
    """A kernel of two loops: the second reads what the first gave, or what `use` makes of it."""

    def kernel(x, y, z):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            top = ct.carry(start, ct.f32)
            for c in ct.serial(cols, steps[0], policy=policies[0]):
                top.value = first(top.value, x, y, r, c)
            between = top.value if use is None else use(z, r, top.value)
            total = ct.carry(0.0)
            for c in ct.serial(cols, steps[1], policy=policies[1]):
                total.value = second(total.value, x, y, r, c, between)
            z[r, 0], z[r, 1] = top.value, total.value

    return kernel


def weighted(x, y, z):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        top = ct.carry(-math.inf, ct.f32)
        for c in ct.serial(cols, policy=TREE):
            top.value = ct.maximum(top.value, x[r, c])
        total, values = ct.carry(0.0), ct.carry(0.0)
        for c in ct.serial(cols, policy=TREE):
            weight = ct.exp(x[r, c] - top.value)
            total.value += weight
            values.value += weight * y[r, c]
        z[r, 0], z[r, 1] = total.value, values.value / total.value


def variance(x, y, z):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        total, squares = ct.carry(0.0), ct.carry(0.0)
        for c in ct.serial(cols, policy=TREE):
            total.value += x[r, c]
        mean = total.value / cols.extent
        for c in ct.serial(cols, policy=TREE):
            off = x[r, c] - mean
            squares.value += off * off
        z[r, 0], z[r, 1] = mean, squares.value / cols.extent


FUSED = {
    "weighted sum": weighted,
    "variance": variance,
    "another start": cascade(start=0.5),
    "every second": cascade(steps=(2, 2)),
    "stored between": cascade(use=stored),
}


def found(function, length=LENGTH, count=rows.COUNT):
    shapes = {"x": (count, length), "y": (count, length), "z": (count, 2)}
    views = tuple((name, ViewSpec(f32, 2)) for name in shapes)
    kernel = merged_loads(trace(function, KernelSpec(views), shapes).kernel)
    return forms.pair(kernel, shapes)


@pytest.fixture(scope="module")
def fused():
    return {name: found(function) for name, function in FUSED.items()}


@pytest.mark.parametrize("name", FUSED)
def test_cascaded_loops_are_one_fold_with_a_certificate(fused, name):
    pair = fused[name]
    assert pair.rewrite is not None, pair.refusals
    assert check_rewrite(pair.before, pair.after, json.dumps(pair.rewrite.certificate)) is None
    assert len(forms.fallbacks(pair.after)) == 1


@pytest.mark.parametrize("way", ["interpreter", "cpu", "machine"])
@pytest.mark.parametrize("name", FUSED)
def test_rows_of_all_kinds_give_what_the_loops_say(fused, name, way):
    pair = fused[name]
    kinds = rows.MODERATE if way == "interpreter" else rows.KINDS
    if way == "interpreter":
        pair = found(FUSED[name], count=len(kinds))
    x, y = rows.pairs(LENGTH, kinds)
    given = {"x": x, "y": y, "z": np.zeros((len(kinds), 2), np.float32)}
    if way == "machine":
        ran = forms.on_machine(pair.after, given, forms.WAYS[1])
    else:
        ran = {"interpreter": forms.by_interpreter, "cpu": forms.on_cpu}[way](pair.after, given)
    assert ran is not None
    forms.judge(ran, pair.before, given, name)


@pytest.mark.parametrize("sheet", SHEETS)
def test_long_rows_are_read_once(sheet):
    shapes = {"x": (64, LONG), "y": (64, LONG), "z": (64, 2)}
    kernel = specialise(traced(weighted, "x", "y", "z"), shapes)
    (region,) = parallel_regions(kernel)
    plan = choose(kernel, region, 64, SHEETS[sheet])
    assert plan.derivation is not None
    assert {each.view.name: each.usual for each in reads(plan.rows)} == {"x": 1, "y": 1}


def attention(queries, keys, values, out):
    rows, along = ct.axis("rows", queries.shape[0]), ct.axis("keys", keys.shape[0])
    dims, cols = ct.axis("dims", keys.shape[1]), ct.axis("cols", values.shape[1])
    for r in ct.parallel(rows):
        top = ct.carry(-math.inf, ct.f32)
        for k in ct.serial(along, policy=TREE):
            score = ct.reduce(queries[r, dims] * keys[k, dims], dims, ct.add)
            top.value = ct.maximum(top.value, score)
        total, mixed = ct.carry(0.0), ct.carry(ct.zeros(cols, ct.f32))
        for k in ct.serial(along, policy=TREE):
            score = ct.reduce(queries[r, dims] * keys[k, dims], dims, ct.add)
            weight = ct.exp(score - top.value)
            total.value += weight
            mixed.value += weight * values[k, cols]
        out[r, cols] = mixed.value / total.value


def test_attention_of_two_loops_is_one_fold_that_keeps_columns():
    rng = np.random.default_rng(4)
    shapes = {"queries": (5, 8), "keys": (33, 8), "values": (33, 6), "out": (5, 6)}
    given = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    given["keys"][7] = np.inf
    pair = forms.pair(traced(attention, *shapes), shapes)
    assert pair.rewrite is not None, pair.refusals
    forms.judge(forms.on_cpu(pair.after, given), pair.before, given, "attention")


def beyond(x, r, c):
    return x.tile(ct.coord(r, c + 1), ct.shape(1, 1), bounds="zero", fill=-math.inf).load()


def picked(x, r, c):
    return x[r, ct.cast(x[r, c], ct.i64)]


# What differs, the obligation that fails, and words of the refusal.
REFUSED = {
    "another array": (
        cascade(second=lambda s, x, y, r, c, top: s + ct.exp(y[r, c] - top)),
        "bound.0",
        "it is positive",
    ),
    "other elements": (
        cascade(first=lambda s, x, y, r, c: ct.maximum(s, beyond(x, r, c))),
        "bound.0",
        "it is positive",
    ),
    "another step": (cascade(steps=(1, 2)), "read", "other axes"),
    "a start that is no number of the row": (
        cascade(first=lambda s, x, y, r, c: s + x[r, c], start=1.0),
        "bound.0",
        "it is positive",
    ),
    "rounded between": (cascade(use=lambda z, r, top: ct.round(top)), "read", "round"),
    "not a factor": (cascade(use=lambda z, r, top: ct.exp(top)), "ratio", "factor"),
    "a place between": (
        cascade(use=lambda z, r, top: z[r, ct.cast(top, ct.i64)]),
        "read",
        "tile.load stands between",
    ),
    "stored before all is loaded": (
        cascade(
            second=lambda s, x, y, r, c, top: s + ct.exp(x[r, c] - top) * y[r, c],
            use=stored,
        ),
        "read",
        "stored before",
    ),
    "a gather": (
        cascade(second=lambda s, x, y, r, c, top: s + ct.exp(picked(x, r, c) - top)),
        "bound.0",
        "it is positive",
    ),
    "an ordered policy": (cascade(policies=(TREE, "ordered_tree")), "read", "ordered_tree"),
    "reproducible": (cascade(policies=("reproducible", TREE)), "read", "reproducible"),
    "no policy on the first": (cascade(policies=("fold_left", TREE)), "read", "a reduction"),
    "no policy on the second": (cascade(policies=(TREE, "fold_left")), "read", "a reduction"),
    "no policy": (
        cascade(policies=("fold_left", "fold_left")),
        "read",
        'policy="unordered_tree"',
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_loops_that_are_no_one_fold_are_left_and_it_is_said_why(name):
    function, obligation, words = REFUSED[name]
    pair = found(function, count=4)
    assert pair.rewrite is None
    assert pair.refusals[0].obligation == obligation
    assert words in pair.refusals[0].text
