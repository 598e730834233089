"""Sums that are divided by: where rounding alone may say whether one is 0, rows are not folded.

Moments that cancel are no divisors of a fold at all.

A quotient is infinite or NaN where its divisor is 0.  The squared distances of equal elements are 0
as they are folded, and not as they are written where the mean is rounded; products of small numbers
underflow in one form and not in the other.  Such a sum has to be well above 0 (`limits.apart`), or
the row is computed as written.
"""

from functools import cache

import numpy as np
import pytest

from certile.ir.walk import parallel_regions, specialise
from certile.proof.check import divisors
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
BACK = "(mul (sub (div r0 n) x) (sub (div r0 n) x))"
DIVIDED = {
    "standard": chain("sum x", SQUARES, row=f"(div {OFF} (sqrt (div r1 n)))"),
    "a root": chain("sum x", SQUARES, stored=("r0", "(sqrt (div r1 n))")),
    "a mean less an element": chain("sum x", f"sum {BACK}", stored=("r0", "(div 1.0 r1)")),
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
    "name",
    [
        *("standard", "a reciprocal", "a mean less an element"),
        *("weighted squares", "a logarithm in a later sum"),
    ],
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


MOMENTS = {
    "weighted squares": f"(mul (mul {OFF} {OFF}) y)",
    "fourth powers": f"(mul (mul {OFF} {OFF}) (mul {OFF} {OFF}))",
}
READ = {"a root": "(sqrt r1)", "a logarithm": "(log r1)", "a reciprocal": "(div 1.0 r1)"}


def of_moments(name, read):
    return chain("sum x", f"sum {MOMENTS[name]}", stored=("r0", READ[read]))


def balanced(written, seed, size):
    """Rows whose mean is one of the elements, or is moved from equal ones; y counts these alone."""
    rng = np.random.default_rng(seed)
    given = {name: np.zeros(shape) for name, shape in written.shapes(COUNT, LENGTH).items()}
    y = np.zeros((COUNT, LENGTH))
    for at in range(COUNT):
        middle, off = size * rng.standard_normal(), rng.standard_normal(LENGTH // 2)
        row = np.concatenate([middle + off, middle - off, [middle]]) if at % 2 else middle
        chosen = rng.integers(LENGTH)
        given["x"][at] = rng.permutation(row) if at % 2 else row
        given["x"][at, chosen], y[at, chosen] = middle, 1
    if "y" in given:
        given["y"] = y
    return {name: array.astype(np.float32) for name, array in given.items()}


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("name", MOMENTS)
def test_moments_that_cancel_are_no_divisors(name, read):
    written = of_moments(name, read)
    made = forms.pair(written.kernel(), written.shapes(2, LENGTH))
    assert made.rewrite is None
    assert any("nothing tells whether" in refusal.text for refusal in made.refusals)
    # It is what is made of the sum, which others may be folded without.
    plain = chain("sum x", f"sum {MOMENTS[name]}")
    assert forms.pair(plain.kernel(), plain.shapes(2, LENGTH)).rewrite is not None
    beside = chain("sum x", SQUARES, f"sum {MOMENTS[name]}", stored=("r0", "r1", "(log r2)"))
    made = forms.pair(beside.kernel(), beside.shapes(2, LENGTH))
    assert made.rewrite is not None
    assert len(forms.fallbacks(made.after)[0].values) == 2


@pytest.mark.parametrize(
    ("name", "read", "size"),
    [("weighted squares", read, 1.0) for read in READ] + [("fourth powers", "a logarithm", 1e4)],
)
def test_divided_by_moments_would_differ(name, read, size, monkeypatch):
    """The rows are such: where moments are divisors, there are other NaN and infinities."""
    monkeypatch.setattr(divisors, "_is_distance", lambda at: False)
    written = of_moments(name, read)
    kernel = specialise(written.kernel(), written.shapes(COUNT, LENGTH))
    found = derived(kernel, parallel_regions(kernel)[0], derive)
    made = forms.Pair(kernel, found.rewrite, found.refusals)
    wrong = 0
    for seed in range(4):
        for run in (RUNS["four subgroups"], RUNS["cpu"]):
            rows = differing(made, balanced(written, seed, size), run)
            wrong += 0 if rows is None else rows[1].sum()
    assert wrong > 0
