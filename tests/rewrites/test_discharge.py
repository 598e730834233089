"""Rows whose folded state is not finite are computed again as written, in the same launch.

Good rows and bad ones stand side by side.  On the rows computed again every output has the bits
that the program as written gives under the same mapping; on all others NaN and infinities stand
where they stand there, and values are within the bounds of the interpreter.
"""

from functools import cache

import numpy as np
import pytest

from certile.plan.mapping import Mapping
from tests import kernels
from tests.rewrites import forms, rows
from tests.rewrites.instances import INSTANCES, chain

LENGTH = 77
KINDS = rows.KINDS
# Rows of these have an element that no state of any law here takes in.
BAD = [kind for kind in KINDS if "nan" in kind or "+inf" in kind or kind == "all -inf"]
# -inf among numbers: nothing to a maximum and its weights, too much for a sum.
LOW = ("half -inf", "-inf first", "-inf last")
# Their components are finite for every law here.
PLAIN = ("normal", "small", "same", "positive", "negative", "offset")

# Chains whose weights overflow unless they are scaled in the order that was written.
MORE = {
    "scaled up": chain("max (mul x 1e+30)", "sum (exp (sub (mul x 1e+30) r0))"),
    "four moments": chain(
        "sum x",
        *(
            f"sum {term}"
            for term in (
                "(mul (sub x (div r0 n)) (sub x (div r0 n)))",
                "(mul (mul (sub x (div r0 n)) (sub x (div r0 n))) (sub x (div r0 n)))",
            )
        ),
    ),
}
EVERY = {**INSTANCES, **MORE}


@cache
def pair(name, length=LENGTH):
    made = forms.pair(EVERY[name].kernel(), EVERY[name].shapes(len(KINDS), length))
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    return made


def same_bits(a, b):
    """Equal, a NaN to any NaN."""
    np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
    kept = ~np.isnan(a)
    np.testing.assert_array_equal(a[kept].view(np.uint32), b[kept].view(np.uint32))


def check(made, given, run, what):
    """One way to run both programs; answers which rows were computed again, and what was finite."""
    written = run(made.before, given)
    watched = forms.watched(made.after)
    outputs = run(watched, forms.with_flags(watched, given))
    if written is None or outputs is None:
        assert (written is None) == (outputs is None), what
        return None
    again = outputs["again"]
    for name, array in written.outputs.items():
        same_bits(outputs[name][again], array[again])
    # `agrees` leaves open what an order of summation may make infinite; two runs under one mapping
    # sum in one order each, and differ there only if the program as written does between mappings.
    forms.judge(outputs, made.before, given, what)
    finite = [array for name, array in outputs.outputs.items() if name.startswith("finite")]
    finite = np.stack(finite)
    np.testing.assert_array_equal(again, ~finite.all(axis=0))
    return again, finite


def places(kinds):
    return [KINDS.index(kind) for kind in kinds]


CPU_WAYS = (Mapping("subgroup"), Mapping("subgroup", accumulators=4))
WAYS = {str(way.subgroups_per_program) + "x" + str(way.lane_elements): way for way in forms.WAYS}


@pytest.mark.parametrize("name", EVERY)
def test_bad_rows_are_computed_again_and_good_ones_are_not(name):
    made = pair(name)
    given = rows.arguments(EVERY[name], LENGTH, KINDS)
    seen = None
    for what, way in WAYS.items():
        found = check(
            made, given, lambda kernel, at, way=way: forms.on_machine(kernel, at, way), what
        )
        if found is not None:
            seen = found
    assert seen is not None
    again, finite = seen
    assert again[places(BAD)].all()
    if "y" not in EVERY[name].inputs:
        assert not again[places(PLAIN)].any()
        weighs = EVERY[name].folds[0].law == "max"
        assert (again[places(LOW)] != weighs).all() or name == "entropy"
    # Every component is what stops some row, but counts of elements.
    counts = [c for c in finite if c.all()]
    assert len(counts) <= 1
    assert 0 < again.sum() < len(KINDS)


@pytest.mark.parametrize("name", EVERY)
def test_compiled_code_computes_bad_rows_again(name):
    made = pair(name)
    given = rows.arguments(EVERY[name], LENGTH, KINDS, seed=1)
    for way in CPU_WAYS:
        # The same number of partial results in both, so that sums have one order.
        check(made, given, lambda kernel, at, way=way: forms.on_cpu(kernel, at, way), "cpu")


@pytest.mark.parametrize("name", ["softmax", "variance"])
def test_no_row_or_all_rows_are_bad(name):
    made = pair(name)
    for kinds, all_bad in ((PLAIN, False), (["nan inside"] * 5, True), (["all -inf"] * 3, True)):
        given = rows.arguments(EVERY[name], LENGTH, kinds)
        for way in forms.WAYS[:2]:
            again, _ = check(
                made, given, lambda kernel, at, way=way: forms.on_machine(kernel, at, way), kinds
            )
            assert (again == all_bad).all()


def test_a_shift_that_is_a_function_of_the_maximum():
    """The maximum where it is finite, else 0; an element of the row is chosen beside the folds."""
    x, _ = rows.pairs(LENGTH, KINDS)
    given = {
        "x": x,
        "labels": np.arange(len(KINDS), dtype=np.int64) % LENGTH,
        "y": np.zeros(len(KINDS), np.float32),
    }
    made = forms.pair(kernels.cross_entropy(), {name: at.shape for name, at in given.items()})
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    for way in forms.WAYS:
        found = check(
            made, given, lambda kernel, at, way=way: forms.on_machine(kernel, at, way), str(way)
        )
        if found is not None:
            again, _ = found
            assert again[places(BAD)].all()
            assert not again[places((*PLAIN, *LOW))].any()
    check(made, given, lambda kernel, at: forms.on_cpu(kernel, at, CPU_WAYS[0]), "cpu")
