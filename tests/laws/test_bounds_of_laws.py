"""Results of the laws whose states are not the elements are within the reference's bounds."""

import numpy as np
import pytest

from certile import reference
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bool_, f32
from certile.reference.agrees import agrees

LAWS = ("fmax", "fmin", "absmax", "all", "any", "softmax_sum")


def program(law, *, scanned):
    """A law over rows of exp(x), which is inexact on every target, and of w."""
    b = Builder(f"{law.name}_bounds")
    out = bool_ if law.results == ("bool",) else f32
    x, w, y = b.view("x", f32, 2), b.view("w", f32, 2), b.view("y", out, 2 if scanned else 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        v = b.map("exp", b.load(x, rows, cols))
        operands = (v, b.load(w, rows, cols))[: law.operands]
        if scanned:
            b.store(y, (rows, cols), b.scan(operands, cols, law))
        else:
            b.store(y, rows, b.reduce(operands, cols, law))
    return b.build()


@pytest.mark.parametrize("scanned", [False, True])
@pytest.mark.parametrize("name", LAWS)
def test_what_is_near_agrees_and_what_is_far_does_not(name, scanned):
    law = laws.BUILTIN[name]
    kernel = program(law, scanned=scanned)
    random = np.random.default_rng(0)
    x = random.standard_normal((3, 40)).astype(np.float32)
    x[1, 7], x[2] = np.nan, -200.0
    shape = x.shape if scanned else x.shape[:1]
    out = np.zeros(shape, np.bool_ if law.results == ("bool",) else np.float32)
    inputs = {"x": x, "w": random.standard_normal(x.shape).astype(np.float32), "y": out}
    results = {key: value.copy() for key, value in inputs.items()}
    reference.run(kernel, results)
    assert agrees(results, kernel, inputs).ok
    near = {**results, "y": results["y"] if out.dtype == bool else results["y"] * (1 + 2.0**-23)}
    assert agrees(near, kernel, inputs).ok
    far = {**results, "y": ~results["y"] if out.dtype == bool else results["y"] * 1.01 + 0.01}
    assert not agrees(far, kernel, inputs).ok
