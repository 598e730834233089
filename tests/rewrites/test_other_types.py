"""Folds of f16 rows in f32, of f32 rows in f64 and of f64 rows: NaN and infinities stay in place.

The rows hold the greatest, the least and the smallest numbers of their own type, and what
overflows or vanishes when it is squared.
"""

import numpy as np
import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from tests.rewrites import forms
from tests.rewrites.test_overflow import masks

LENGTH = 40


@ct.tile_kernel
def weighted(x: ct.View, first: ct.View, second: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = ct.cast(x[r, cols], first.dtype)
        weight = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        first[r] = ct.reduce(weight, cols, ct.add)
        second[r] = ct.reduce(weight * v, cols, ct.add) / ct.reduce(weight, cols, ct.add)


@ct.tile_kernel
def precision(x: ct.View, first: ct.View, second: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = ct.cast(x[r, cols], first.dtype)
        first[r] = ct.reduce(v, cols, ct.add) / cols.extent
        off = v - ct.reduce(v, cols, ct.add) / cols.extent
        second[r] = 1.0 / ct.reduce(off * off, cols, ct.add)


@ct.tile_kernel
def by_size(x: ct.View, first: ct.View, second: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = ct.cast(x[r, cols], first.dtype)
        part = v / ct.reduce(v, cols, ct.absmax)
        first[r] = ct.reduce(v, cols, ct.absmax)
        second[r] = 1.0 / ct.reduce(part * part, cols, ct.add)


def _rows(dtype, rng):
    """Each edge alone, everywhere, in turns of sign and among equal elements; then sizes."""
    info = np.finfo(dtype)
    greatest, least = float(info.max), float(info.tiny)
    edges = (
        *(greatest, -greatest, least, float(info.smallest_subnormal), np.inf, -np.inf, np.nan, 0.0),
        *(1.1 * greatest**0.5, least**0.5),
    )
    made = []
    for edge in edges:
        alone = rng.standard_normal(LENGTH)
        among = np.full(LENGTH, rng.standard_normal())
        alone[rng.integers(LENGTH)] = among[rng.integers(LENGTH)] = edge
        turns = edge * np.where(np.arange(LENGTH) % 2, 1.0, -1.0)
        made += [alone, among, turns, np.full(LENGTH, edge)]
    powers = np.geomspace(least**0.6, greatest**0.6, 12)
    made += [np.full(LENGTH, power * rng.standard_normal()) for power in powers]
    made += [power * rng.standard_normal(LENGTH) for power in powers]
    return np.array(made).astype(dtype)


@pytest.mark.parametrize("kernel", [weighted, precision, by_size], ids=lambda each: each.name)
@pytest.mark.parametrize(
    ("given", "folds"), [("f16", "f32"), ("f32", "f64"), ("f64", "f64")], ids="-".join
)
def test_edges_of_a_type_are_where_they_were(kernel, given, folds):
    x = _rows(np.dtype(given.replace("f", "float")), np.random.default_rng(0))
    shapes = {"x": x.shape, "first": x.shape[:1], "second": x.shape[:1]}
    types = {"x": given, "first": folds, "second": folds}
    traced = kernel.tile_ir({name: Shaped(BY_NAME[types[name]], shapes[name]) for name in shapes})
    made = forms.pair(traced, shapes)
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    arrays = {name: np.zeros(shapes[name], folds.replace("f", "float")) for name in shapes}
    arguments = {**arrays, "x": x}
    written = forms.on_cpu(made.before, arguments)
    watched = forms.watched(made.after)
    found = forms.on_cpu(watched, forms.with_flags(watched, arguments))
    folded = ~found["again"]
    assert folded.any()
    assert not folded.all()
    for name in ("first", "second"):
        other = folded & (masks(found[name]) != masks(written[name]))
        assert not other.any(), (name, np.flatnonzero(other))
