"""Folds of f16 rows in f32, of f32 rows in f64 and of f64 rows: NaN and infinities stay in place.

The rows hold the greatest, the least and the smallest numbers of their own type, and what
overflows or vanishes when it is squared.  Chains of arrays of two types, drawn from all there are,
are folded in a third and stored in a fourth.
"""

import operator
from random import Random

import ml_dtypes
import numpy as np
import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.ir.loads import merged_loads
from certile.ir.terms import Apply, Lit
from certile.reference.machine_numeric import storage
from tests.rewrites import forms
from tests.rewrites.grammar import parsed
from tests.rewrites.instances import INSTANCES
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


# Chains of every type.

LAWS = {"max": ct.maximum, "sum": ct.add, "absmax": ct.absmax}
FUNCTIONS = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul")},
    **{name: getattr(ct, name) for name in ("exp", "log", "sqrt")},
    "div": operator.truediv,
}
DRAWN = [name for name, chain in INSTANCES.items() if chain.row is None]
FLOATS = ("f16", "bf16", "f32", "f64")
SHARE = 6


def value(term, known):
    """What a term says, by the functions of the language."""
    if isinstance(term, Apply):
        return FUNCTIONS[term.fn](*(value(arg, known) for arg in term.args))
    return term.value if isinstance(term, Lit) else known[term.name]


def in_types(chain, types):
    """The kernel of a chain of x and y in types of their own, folded in one and stored in another.

    Integers are moved by one before they are converted, in their own type, where they may wrap.
    """
    folded = getattr(ct, types["folds"])

    def converted(tile):
        moves = BY_NAME[str(tile.dtype)].kind in ("int", "uint")
        return ct.cast(tile + 1 if moves else tile, folded)

    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View, z: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            both = converted(x[r, cols]), converted(y[r, cols])
            known = {"x": both[0], "y": both[1], "n": cols.extent}
            for k, fold in enumerate(chain.folds):
                term = value(parsed(fold.term), known)
                known[f"r{k}"] = ct.reduce(term, cols, LAWS[fold.law])
            for k, text in enumerate(chain.stored):
                z[r, k] = ct.cast(value(parsed(text), known), z.dtype)

    return kernel


def any_rows(name, shape, rng):
    """Rows of a type: all of it, its ends and small numbers, for floats what else is special."""
    dtype = np.dtype(storage(BY_NAME[name]))
    if dtype.kind == "b":
        return rng.random(shape) < rng.choice((0.0, 0.5, 1.0), (shape[0], 1))
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        made = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        made[1::4] = rng.integers(0, 4, made[1::4].shape)
        made[2::4] = rng.choice(np.array([ends.min, ends.max, 0, 1], dtype), made[2::4].shape)
        made[3::4] = rng.choice(np.array([ends.min, ends.max, 3], dtype), (len(made[3::4]), 1))
        return made
    ends = ml_dtypes.finfo(dtype)
    least, greatest = float(ends.smallest_subnormal), float(ends.max)
    special = (greatest, -greatest, least, float(ends.tiny), np.nan, np.inf, -np.inf, 0.0, -0.0)
    made = rng.standard_normal(shape)
    for at in range(shape[0]):
        edge, place = rng.choice(special), rng.choice((0, shape[1] // 2, shape[1] - 1))
        size = rng.standard_normal() * 2.0 ** rng.uniform(
            *np.clip(0.6 * np.log2([least, greatest]), -600, 600)
        )
        match at % SHARE:
            case 0:
                made[at, place] = edge
            case 1:
                made[at] = size * np.where(rng.random(shape[1]) < 0.5, 1.0, -1.0)
            case 2:
                made[at] = size
            case 3:
                made[at] = np.where(np.arange(shape[1]) == place, edge, size)
            case 4:
                made[at] = np.where(rng.random(shape[1]) < 0.5, -np.inf, made[at])
            case _:
                made[at] += size
    with np.errstate(over="ignore"):
        return made.astype(dtype)


@pytest.mark.parametrize(
    "number", [*range(10), *(pytest.param(k, marks=pytest.mark.fuzz) for k in range(10, 200))]
)
def test_chains_of_any_types_have_nan_and_infinities_where_they_are_written(number):
    draw, rng = Random(number), np.random.default_rng(number)
    types = {name: draw.choice(list(BY_NAME)) for name in "xy"}
    types |= {"folds": draw.choice(("f32", "f32", "f64")), "z": draw.choice(FLOATS)}
    chain = INSTANCES[DRAWN[number % len(DRAWN)]]
    length = draw.choice((1, 7, 8, 9, 16, 33, 65))
    shapes = {"x": (36, length), "y": (36, length), "z": (36, len(chain.stored))}
    given = {name: Shaped(BY_NAME[types[name]], shape) for name, shape in shapes.items()}
    made = forms.pair(merged_loads(in_types(chain, types).tile_ir(given)), shapes)
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    arguments = {name: any_rows(types[name], shapes[name], rng) for name in "xy"}
    arguments["z"] = np.zeros(shapes["z"], storage(BY_NAME[types["z"]]))
    with np.errstate(over="ignore"):
        plain = forms.by_interpreter(made.before, arguments)
    alike, watched = forms.on_cpu(made.before, arguments), forms.watched(made.after)
    found = forms.on_cpu(watched, forms.with_flags(watched, arguments))
    found, plain, alike = (masks(each["z"].astype(np.float64)) for each in (found, plain, alike))
    # Sums overflow in one order and not in another, also as they are written.
    assert not ((found != plain) & (found != alike)).any()
