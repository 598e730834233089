"""Rows whose terms as written overflow although no state does: NaN and infinities stay in place.

A fold may keep a sum without a factor that the program multiplies by first, or moments in which
terms cancel.  What the program makes of single elements is bounded by limits that each row has to
meet (`proof.check.limits`), or the row is computed as written.  The rows here are made to overflow
in a term and in no sum.
"""

from functools import cache

import numpy as np
import pytest

from certile.ir.walk import parallel_regions, specialise
from certile.plan.mapping import Mapping
from certile.proof.check import regions as checker
from certile.search import sizes
from certile.search.fusion import derive
from certile.search.regions import derived
from tests.rewrites import forms, grammar
from tests.rewrites.instances import INSTANCES, OFF, chain

LENGTH = 48
WEIGHT = "(exp (sub x r0))"
# What leaves a sum, or cancels in one.
WRITTEN = {
    "a factor": chain("max x", "sum (mul x r0)"),
    "a factor of another array": chain("max x", "sum (mul y r0)"),
    "a divisor": chain("absmax x", "sum (div x r0)"),
    "a quotient of factors": chain("absmax x", "sum (div (mul x 3.0) (mul r0 r0))"),
    "a factor of factors": chain("max x", "sum (mul y (mul r0 r0))"),
    "a share of weights": chain(
        "max x", f"sum {WEIGHT}", f"sum (mul (div {WEIGHT} r1) y)", stored=("r0", "r1", "r2")
    ),
    "a scaled weight": chain("max x", f"sum (mul (mul {WEIGHT} r0) y)"),
    "two moments": chain("sum x", f"sum (mul {OFF} y)", f"sum (mul {OFF} {OFF})"),
    "a third moment": chain("sum x", f"sum (mul (mul {OFF} {OFF}) {OFF})"),
    "a moment about a maximum": chain("max x", "sum (mul (sub r0 x) y)"),
    "an earlier sum": chain("max x", f"sum {WEIGHT}", "sum (mul (add (sub r0 x) (log r1)) y)"),
    "an element as well": chain("max x", f"sum (add {WEIGHT} x)"),
    "weights as well": chain("max x", f"sum (add {WEIGHT} (mul {WEIGHT} y))"),
    "a slow exponent": chain("max x", "sum (exp (mul (sub x r0) 1e-38))"),
    "a given scale": chain("max x", "sum (exp (mul (sub x r0) (abs s)))"),
}
RANDOM = grammar.chains()
# Some that are derived in little time.
FEW = (0, 1, 2, 3, 5, 6, 7, 8)


def _sizes(rng, low, high):
    return np.minimum(10.0 ** rng.uniform(low, high, LENGTH), 3.3e38)


def _signs(rng, run):
    """+ and - by turns, each for a run of elements; half of the runs begin with -."""
    signs = np.where(np.arange(LENGTH) // run % 2, -1.0, 1.0)
    return signs * rng.choice((-1.0, 1.0))


def _held(values, run):
    return np.repeat(values[::run], run)[:LENGTH]


def pair(rng):
    """Two rows: great numbers, of which one may cancel in pairs, blocks or lanes."""
    low = rng.choice((-2.0, 8.0, 12.0, 18.0, 25.0, 30.0, 37.0), 2)
    x, y = (_sizes(rng, at, at + rng.choice((0.0, 0.5, 3.0))) for at in low)
    run = rng.choice((1, 2, 4, 8, 16))
    kind = rng.integers(6)
    if kind == 0:
        return _held(x, 2 * run), _held(y, 2 * run) * _signs(rng, run)
    if kind == 1:
        return _held(x, 2 * run) * _signs(rng, run), _held(y, 2 * run)
    if kind == 2:
        return x * _signs(rng, run), y * _signs(rng, 1)
    if kind == 3:
        return _held(x, LENGTH), y * rng.choice((-1.0, 1.0), LENGTH)
    if kind == 4:
        return _held(x, 2 * run) * _signs(rng, run), _held(y, 2 * run) * _signs(rng, run)
    lonely = np.zeros(LENGTH)
    lonely[rng.integers(LENGTH)] = x[0]
    return lonely, y * rng.choice((-1.0, 1.0), LENGTH)


def arguments(written, count, seed, scale=0.0):
    rng = np.random.default_rng(seed)
    x, y = np.array([pair(rng) for _ in range(count)]).transpose(1, 0, 2).astype(np.float32)
    known = {"x": x, "y": y}
    given = {
        name: known.get(name, np.zeros(shape, np.float32))
        for name, shape in written.shapes(count, LENGTH).items()
    }
    return {**given, "s": scale} if "s" in written.inputs else given


COUNT = 60


@cache
def made_of(written):
    return forms.pair(written.kernel(), written.shapes(COUNT, LENGTH))


def masks(array):
    """0 where a number is finite; else which of NaN and the infinities it is."""
    return np.where(np.isnan(array), 1, np.where(np.isinf(array), 2 * np.sign(array), 0))


def differing(made, given, run):
    """The rows that were folded and have other NaN or infinities than the program as written.

    That is what the interpreter makes of it, or the same way to run it: what reads a result, and
    is no part of the fold, may overflow by how the result was rounded.
    """
    plain = forms.by_interpreter(made.before, given)
    alike = run(made.before, given)
    watched = forms.watched(made.after)
    outputs = run(watched, forms.with_flags(watched, given))
    if outputs is None:
        return None
    folded = ~outputs["again"]
    wrong = np.zeros(COUNT, bool)
    for name, array in plain.outputs.items():
        found = masks(outputs[name])
        other = (found != masks(array)) & (found != masks(alike[name]))
        wrong |= other.reshape(COUNT, -1).any(axis=1)
    return folded, wrong & folded


RUNS = {
    "one lane": lambda kernel, given: forms.on_machine(kernel, given, forms.WAYS[0]),
    "four subgroups": lambda kernel, given: forms.on_machine(kernel, given, forms.WAYS[3]),
    "cpu": lambda kernel, given: forms.on_cpu(kernel, given),
    "cpu in turns": lambda kernel, given: forms.on_cpu(
        kernel, given, Mapping("subgroup", accumulators=4)
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_no_row_hides_an_overflow(name):
    written = WRITTEN[name]
    made = made_of(written)
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    seen = 0
    for seed, run in enumerate(RUNS.values()):
        given = arguments(written, COUNT, seed)
        found = differing(made, given, run)
        if found is not None:
            folded, wrong = found
            seen += folded.sum()
            assert not wrong.any(), (name, seed, np.flatnonzero(wrong))
    assert seen > 0 or "s" in written.inputs


# Chains in which an earlier sum or factor takes an overflow out of sight.
HIDDEN = (
    "a factor",
    "a factor of another array",
    "a factor of factors",
    "a scaled weight",
    "two moments",
    "a moment about a maximum",
)


@pytest.mark.parametrize("name", HIDDEN)
def test_without_limits_overflows_would_hide(name, monkeypatch):
    """The rows are such: the same rewriting with no limit asked gives other NaN and infinities."""
    monkeypatch.setattr(checker, "limits", lambda *given: [])
    monkeypatch.setattr(sizes, "limits", lambda *given: [])
    written = WRITTEN[name]
    kernel = specialise(written.kernel(), written.shapes(COUNT, LENGTH))
    found = derived(kernel, parallel_regions(kernel)[0], derive)
    made = forms.Pair(kernel, found.rewrite, found.refusals)
    wrong = 0
    for seed, run in enumerate(RUNS.values()):
        found = differing(made, arguments(written, COUNT, seed), run)
        wrong += 0 if found is None else found[1].sum()
    assert wrong > 0


@pytest.mark.parametrize("name", INSTANCES)
def test_programs_that_people_write_hide_none(name):
    made = made_of(INSTANCES[name])
    for seed, run in enumerate(RUNS.values()):
        found = differing(made, arguments(INSTANCES[name], COUNT, seed), run)
        assert found is None or not found[1].any(), (seed, np.flatnonzero(found[1]))


@pytest.mark.parametrize(
    "number", [*FEW, *(pytest.param(k, marks=pytest.mark.full) for k in range(len(RANDOM)))]
)
def test_random_chains_hide_none(number):
    # The results themselves: a logarithm of one tells a sum of 0 from one of what was rounded.
    chain = RANDOM[number]
    stored = tuple(f"r{k}" for k in range(len(chain.folds)))
    written = grammar.Chain(chain.number, chain.folds, stored)
    made = made_of(written)
    if made.rewrite is None or len(forms.fallbacks(made.after)) != 1:
        return
    for seed, run in enumerate(RUNS.values()):
        found = differing(made, arguments(written, COUNT, seed, scale=0.75), run)
        assert found is None or not found[1].any(), (str(written), seed, np.flatnonzero(found[1]))
