"""Where an equality of the extended reals is none of floating point, row by row.

Each row is one on which merging partial results gives something else than the program as written,
in at least one order.  The kernel gives what the interpreter gives, or the row was computed again,
or there is no rewriting.
"""

import numpy as np
import pytest

from certile import ops
from tests.rewrites import forms
from tests.rewrites.instances import INSTANCES, OFF, chain

# What is written, the row, what the second fold must be (None: see the comment), and whether the
# row has to be computed again.
ROWS = {
    # A partial sum of one order overflows.
    "sums that overflow in one order": (
        INSTANCES["variance"],
        [3e38, -3e38, 3e38, -3e38],
        None,
        True,
    ),
    # The difference of the two means squared is infinite, times 1/2 is not.
    "a square that overflows": (
        chain("sum x", f"sum (mul {OFF} {OFF})"),
        [1.2e19, -1.2e19],
        2.88e38,
        None,
    ),
    # The scaled row has an infinite maximum.
    "a scale that overflows": (
        chain("max (mul x 1e+38)", "sum (exp (sub (mul x 1e+38) r0))"),
        [1.0, 2.0, 300.0],
        np.nan,
        True,
    ),
    "a great finite scale": (
        chain("max (mul x 1e+36)", "sum (exp (sub (mul x 1e+36) r0))"),
        [1.0, 2.0, 300.0],
        1.0,
        False,
    ),
    # -1e38 is no minus infinity.
    "values below -1e38": (INSTANCES["softmax"], [-2e38, -2e38, -2e38], 3.0, False),
    "steps that underflow": (INSTANCES["softmax"], [-3e38, 3e38, 3e38], 2.0, False),
    "nothing but -inf": (INSTANCES["softmax"], [-np.inf] * 3, np.nan, True),
    "one -inf": (INSTANCES["softmax"], [-np.inf, 1.0, 1.0], 2.0, False),
    "+inf": (INSTANCES["softmax"], [np.inf, 1.0], np.nan, True),
    "nan last": (INSTANCES["softmax"], [1.0, np.nan], np.nan, True),
    "zero times nothing": (INSTANCES["absmax-scaled"], [0.0, 0.0, 0.0], np.nan, None),
    "the least number": (INSTANCES["absmax-scaled"], [1e-45, 1e-45], None, None),
    "moments that overflow": (
        INSTANCES["third moment"],
        [1e13, -1e13, 5e12, 1e13],
        None,
        None,
    ),
    "a huge mean": (INSTANCES["variance"], [2e38, 2e38, 2e38, 2e38], None, True),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_right_or_computed_again(name):
    written, row, second, again = ROWS[name]
    x = np.array([row, np.linspace(-1, 1, len(row))], np.float32)
    shapes = written.shapes(2, len(row))
    made = forms.pair(written.kernel(), shapes)
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    given = {key: np.zeros(shape, np.float32) for key, shape in shapes.items()} | {"x": x}
    kernel = forms.watched(made.after)
    for run in (
        forms.on_cpu,
        *(lambda k, g, way=way: forms.on_machine(k, g, way) for way in forms.WAYS[:2]),
    ):
        outputs = run(kernel, forms.with_flags(kernel, given))
        forms.judge(outputs, made.before, given, name)
        if second is not None:
            np.testing.assert_allclose(outputs["o1"][0], np.float32(second), rtol=1e-6)
        if again is not None:
            assert outputs["again"][0] == again
        assert not outputs["again"][1]


UNBOUNDED = {
    # In a stream, exp(2·95 - 95) comes before 250 does.
    "too steep": (chain("max x", "sum (exp (sub (mul x 2.0) r0))"), [95.0, 250.0], None),
    # exp(95 - 0) comes before 90 does.
    "another array": (chain("max x", "sum (exp (sub y r0))"), [0.0, 90.0], [95.0, 95.0]),
    "a scale of unknown sign": (
        chain("max x", "sum (exp (mul s (sub x r0)))"),
        [0.0, 90.0],
        None,
    ),
}


@pytest.mark.parametrize("name", UNBOUNDED)
def test_an_exponent_without_a_bound_is_refused(name):
    written, row, beside = UNBOUNDED[name]
    shapes = written.shapes(1, len(row))
    made = forms.pair(written.kernel(), shapes)
    assert made.rewrite is None
    assert any(refusal.obligation.startswith("bound") for refusal in made.refusals)
    # The program as written has a value where a stream of partial results has none.
    given = {key: np.zeros(shape, np.float32) for key, shape in shapes.items()}
    given |= {"x": np.array([row], np.float32), "s": -1.0}
    if beside:
        given["y"] = np.array([beside], np.float32)
    names = {param.name for param in made.before.params}
    given = {key: value for key, value in given.items() if key in names}
    outputs = forms.by_interpreter(made.before, given)
    forms.judge(forms.on_machine(made.before, given, forms.WAYS[0]), made.before, given, name)
    assert np.isfinite(outputs["o0"]).all()


@pytest.mark.parametrize("ends", [(0, 3), (-40, 40), (80, -60)])
def test_a_row_that_rises_all_along_loses_no_digits(ends):
    """Each block has another maximum: a rounding of its rescaling is that of all before it."""
    x = np.linspace(*ends, 1 << 19, dtype=np.float32)[None].repeat(2, axis=0)
    wide = x.astype(np.float64)
    exact = np.log(np.exp(wide - wide.max()).sum(axis=1)) + wide.max()
    found = ops.softmax(x).astype(np.float64)
    meant = np.exp(wide - exact[:, None])
    shown = meant > 1e-30
    assert np.abs(found[shown] / meant[shown] - 1).max() < 1e-5
    np.testing.assert_allclose(ops.logsumexp(x), exact, rtol=1e-6, atol=1e-6)
