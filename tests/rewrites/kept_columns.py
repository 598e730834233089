"""Programs whose chains keep axes: a row of weights, and columns of values that they weigh.

`PROGRAMS` holds a kernel each with the shapes of its views for some rows and a length.
"""

from functools import cache

import numpy as np

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.walk import parallel_regions
from certile.search.regions import derived
from tests.rewrites import forms, rows

COLS, DIMS, HEADS = 5, 3, 2


@ct.tile_kernel
def pooled(x: ct.View, v: ct.View, out: ct.View):
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row = x[r, keys]
        w = ct.exp(row - ct.reduce(row, keys, ct.maximum))
        total = ct.reduce(w, keys, ct.add)
        out[r, cols] = ct.reduce(w * v[r, keys, cols], keys, ct.add) / total


@ct.tile_kernel
def with_state(x: ct.View, v: ct.View, out: ct.View, top: ct.View, s: ct.View):
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row, value = x[r, keys], v[r, keys, cols]
        m = ct.reduce(row, keys, ct.maximum)
        w = ct.exp(row - m)
        top[r] = m
        s[r] = ct.reduce(w, keys, ct.add)
        out[r, cols] = ct.reduce(w * value, keys, ct.add)


@ct.tile_kernel
def attention(q: ct.View, x: ct.View, v: ct.View, out: ct.View):
    """x are the keys of each query; a row of weights is a reduction over `dims`."""
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    dims, cols = ct.axis("dims", x.shape[2]), ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        score = ct.reduce(q[r, dims] * x[r, keys, dims], dims, ct.add)
        w = ct.exp(score - ct.reduce(score, keys, ct.maximum))
        total = ct.reduce(w, keys, ct.add)
        out[r, cols] = ct.reduce(w * v[r, keys, cols], keys, ct.add) / total


@ct.tile_kernel
def heads(x: ct.View, v: ct.View, out: ct.View):
    """The maximum and the sum keep the heads, the weighted sum the columns as well."""
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[2])
    head, cols = ct.axis("head", x.shape[1]), ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row = x[r, head, keys]
        w = ct.exp(row - ct.reduce(row, keys, ct.maximum))
        total = ct.reduce(w, keys, ct.add)
        out[r, head, cols] = ct.reduce(w * v[r, keys, cols], keys, ct.add) / total


@ct.tile_kernel
def covariances(x: ct.View, v: ct.View, out: ct.View):
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row = x[r, keys]
        mean = ct.reduce(row, keys, ct.add) / ct.cast(x.shape[1], ct.f32)
        out[r, cols] = ct.reduce((row - mean) * v[r, keys, cols], keys, ct.add)


@ct.tile_kernel
def covariances_of_both(x: ct.View, v: ct.View, out: ct.View):
    """One mean is the same for all columns, the other one keeps them."""
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row, value = x[r, keys], v[r, keys, cols]
        count = ct.cast(x.shape[1], ct.f32)
        off = row - ct.reduce(row, keys, ct.add) / count
        out[r, cols] = ct.reduce(
            off * (value - ct.reduce(value, keys, ct.add) / count), keys, ct.add
        )


@ct.tile_kernel
def variances(v: ct.View, out: ct.View):
    """All reductions keep the columns."""
    rows, keys = ct.axis("rows", v.shape[0]), ct.axis("keys", v.shape[1])
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row = v[r, keys, cols]
        mean = ct.reduce(row, keys, ct.add) / ct.cast(v.shape[1], ct.f32)
        off = row - mean
        out[r, cols] = ct.reduce(off * off, keys, ct.add)


@ct.tile_kernel
def shifted(x: ct.View, v: ct.View, b: ct.View, out: ct.View):
    """What has columns alone is one number for all elements of a list."""
    rows, keys = ct.axis("rows", x.shape[0]), ct.axis("keys", x.shape[1])
    cols = ct.axis("cols", v.shape[2])
    for r in ct.parallel(rows):
        row = x[r, keys]
        w = ct.exp(row - ct.reduce(row, keys, ct.maximum))
        out[r, cols] = ct.reduce(w * (v[r, keys, cols] + b[r, cols]), keys, ct.add)


def _row(n, length):
    return {"x": (n, length), "v": (n, length, COLS), "out": (n, COLS)}


PROGRAMS = {
    "pooled": (pooled, _row),
    "with state": (with_state, lambda n, length: _row(n, length) | {"top": (n,), "s": (n,)}),
    "attention": (
        attention,
        lambda n, length: _row(n, length) | {"q": (n, DIMS), "x": (n, length, DIMS)},
    ),
    "heads": (
        heads,
        lambda n, length: _row(n, length) | {"x": (n, HEADS, length), "out": (n, HEADS, COLS)},
    ),
    "covariances": (covariances, _row),
    "covariances of both": (covariances_of_both, _row),
    "variances": (variances, lambda n, length: {"v": (n, length, COLS), "out": (n, COLS)}),
    "shifted": (shifted, lambda n, length: _row(n, length) | {"b": (n, COLS)}),
}


def traced(kernel, shapes):
    """The kernel for arrays of f32 of these shapes."""
    return kernel.tile_ir({name: Shaped(f32, shape) for name, shape in shapes.items()})


def rewritten(kernel, shapes):
    """The kernel for these shapes and its rewriting, if there is one."""
    made = traced(kernel, shapes)
    found = derived(made, parallel_regions(made)[0])
    return forms.Pair(made, found.rewrite, found.refusals)


@cache
def pair(name, length, count=rows.COUNT):
    """A program of `PROGRAMS` as written and rewritten."""
    kernel, shapes = PROGRAMS[name]
    made = rewritten(kernel, shapes(count, length))
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    return made


def arguments(name, length, kinds=rows.KINDS, seed=0):
    """A row of each kind along the keys, with one column of another kind; outputs are zeros."""
    _, shapes = PROGRAMS[name]
    x, y = rows.pairs(length, kinds, seed)
    rng = np.random.default_rng(seed)
    made = {}
    for view, shape in shapes(len(kinds), length).items():
        if view == "v":
            array = rng.normal(size=shape)
            array[:, :, seed % COLS] = y
            if "x" not in shapes(1, 1):
                array[:, :, (seed + 1) % COLS] = x
        elif view == "x":
            array = rng.normal(size=shape)
            # The row of weights itself, that of one head, or one of the dimensions of each key.
            own = {"heads": np.s_[:, seed % HEADS], "attention": np.s_[:, :, seed % DIMS]}
            array[own.get(name, np.s_[:])] = x
        else:
            array = rng.normal(size=shape) if view in ("q", "b") else np.zeros(shape)
        made[view] = array.astype(np.float32)
    return made
