"""Sums that are divided by: where rounding alone may say whether one is 0, rows are not folded.

A quotient is infinite or NaN where its divisor is 0.  The squared distances of equal elements are 0
as they are folded, and not as they are written where the mean is rounded; products of small numbers
underflow in one form and not in the other.  Such a sum has to be well above 0 (`limits.apart`), or
the row is computed as written.
"""

from functools import cache

import numpy as np
import pytest

from certile.ir.walk import parallel_regions, specialise
from certile.proof.check import limits as sizes
from certile.proof.check import regions as checker
from certile.search import regions as search
from certile.search.fusion import derive
from certile.search.regions import derived
from tests.rewrites import forms
from tests.rewrites.instances import INSTANCES, OFF, chain
from tests.rewrites.test_overflow import RUNS, masks

LENGTH, COUNT = 45, 40
WEIGHT = "(exp (sub x r0))"
SQUARES = f"sum (mul {OFF} {OFF})"
DIVIDED = {
    "standard": chain("sum x", SQUARES, row=f"(div {OFF} (sqrt (div r1 n)))"),
    "a reciprocal": chain("sum x", SQUARES, stored=("r0", "(div 1.0 r1)")),
    "a logarithm": chain("sum x", SQUARES, stored=("r0", "(log (div r1 n))")),
    "beside a number": chain("sum x", SQUARES, row=f"(mul {OFF} (rsqrt (maximum r1 s)))"),
    "a correlation": chain(
        "sum x", "sum y", SQUARES, f"sum (mul {OFF} (sub y (div r1 n)))", row=f"(div {OFF} r2)"
    ),
    "weights": chain("max x", f"sum (mul {WEIGHT} {WEIGHT})", stored=("r0", "(div r0 r1)")),
    "weighted squares": chain("max x", f"sum (mul {WEIGHT} (mul y y))", row="(div y r1)"),
    "in a later sum": chain(
        "max x", f"sum (mul {WEIGHT} (mul y y))", f"sum (div (mul {WEIGHT} y) r1)"
    ),
    "a logarithm in a later sum": chain(
        "max x", f"sum (mul {WEIGHT} (mul y y))", f"sum (mul {WEIGHT} (sub (sub x r0) (log r1)))"
    ),
}


def row(rng, kind):
    """Equal elements, some a unit in the last place apart, or elements near the least number."""
    if kind == 0:
        return np.full(LENGTH, rng.standard_normal())
    if kind == 1:
        return np.full(LENGTH, 10.0 ** rng.uniform(-45, -3))
    if kind == 2:
        near = np.full(LENGTH, np.float32(rng.standard_normal() + 2))
        near[rng.integers(LENGTH)] = np.nextafter(near[0], np.float32(9))
        return near
    if kind == 3:
        return np.where(rng.random(LENGTH) < 0.3, 3.2e-23, 0.0)
    low, high = (-23.5, -21.5) if kind == 4 else (-1, 1)
    return rng.standard_normal(LENGTH) * 10.0 ** rng.uniform(low, high)


def arguments(written, seed):
    """Rows of each kind, x and y by turns."""
    rng = np.random.default_rng(seed)
    given = {
        name: np.array(
            [row(rng, at % 6 if name == "x" else 3 + at // 6 % 3) for at in range(COUNT)]
        )
        if name in ("x", "y")
        else np.zeros(shape)
        for name, shape in written.shapes(COUNT, LENGTH).items()
    }
    given = {name: array.astype(np.float32) for name, array in given.items()}
    # Squares of one unit: weights of less than a half make each of them 0, and not their sum.
    given["x"][-1] = np.where(np.arange(LENGTH), -1, 0)
    if "y" in given:
        given["y"][-1] = np.where(np.arange(LENGTH), 3.2e-23, 0)
    return {**given, "s": 0.0} if "s" in written.inputs else given


def differing(made, given, run):
    """Which rows were folded, and which of them have other NaN or infinities than as written."""
    alike = run(made.before, given)
    watched = forms.watched(made.after)
    outputs = run(watched, forms.with_flags(watched, given))
    if outputs is None:
        return None
    wrong = np.zeros(COUNT, bool)
    for name, array in alike.outputs.items():
        other = masks(outputs[name]) != masks(array)
        wrong |= other.reshape(COUNT, -1).any(axis=1)
    return ~outputs["again"], wrong


@cache
def made_of(written):
    return forms.pair(written.kernel(), written.shapes(COUNT, LENGTH))


@pytest.mark.parametrize("name", DIVIDED)
def test_no_divisor_is_0_in_one_form_alone(name):
    written = DIVIDED[name]
    made = made_of(written)
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    for seed, (what, run) in enumerate(RUNS.items()):
        found = differing(made, arguments(written, seed), run)
        if found is not None:
            folded, wrong = found
            assert not wrong.any(), (what, np.flatnonzero(wrong))
            assert folded.any()
            # A sum of weights is no less than 1.
            assert folded.all() == (name == "weights")


@pytest.mark.parametrize(
    "name", ["standard", "a reciprocal", "weighted squares", "a logarithm in a later sum"]
)
def test_without_the_limit_masks_would_differ(name, monkeypatch):
    """The rows are such: the same rewriting without this limit gives other NaN and infinities."""
    for module in (sizes, checker, search):
        monkeypatch.setattr(module, "apart", lambda divisors: [])
    written = DIVIDED[name]
    kernel = specialise(written.kernel(), written.shapes(COUNT, LENGTH))
    found = derived(kernel, parallel_regions(kernel)[0], derive)
    made = forms.Pair(kernel, found.rewrite, found.refusals)
    wrong = 0
    for seed, run in enumerate((RUNS["one lane"], RUNS["cpu"])):
        found = differing(made, arguments(written, seed), run)
        wrong += 0 if found is None else found[1].sum()
    assert wrong > 0


def asked_of(name):
    """The tests of the law of an instance, as text."""
    made = forms.pair(INSTANCES[name].kernel(), INSTANCES[name].shapes(2, LENGTH))
    (fallback,) = forms.fallbacks(made.after)
    return [str(test) for test in forms.tests(forms.folded(fallback).law)]


def test_only_what_is_divided_by_has_a_limit():
    assert any("(le 8.27" in test for test in asked_of("softmax"))
    for name in ("entropy", "variance", "standardised"):
        assert not any("(le 8.27" in test for test in asked_of(name)), name
