"""Indices that stay inside are found to, and each that may leave is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.analysis.bounds import check_bounds
from certile.diagnostics import KernelError
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64, u8
from certile.ir.walk import specialise
from certile.reference import run
from certile.reference.generate import corpus
from tests import kernels
from tests.unit.ir.test_text import READY, shapes_of


def kernel(index, *, mask=None, assume=False, serial=None):
    """y[r, c] = x[index]; `index(b, r, c, n, u)` gives the place in x: row, column, label, byte."""
    b = Builder("case")
    x, y = b.view("x", f32, 1), b.view("y", f32, 2)
    labels, codes = b.view("labels", i64, 1), b.view("codes", u8, 1)
    rows, cols = b.axis("rows", dim(y, 0)), b.axis("cols", dim(y, 1))
    with b.parallel(rows):
        r, c = b.index(rows), b.index(cols)
        place = index(b, r, c, b.load(labels, rows), b.load(codes, rows))
        on = None if mask is None else mask(b, place, b.extent(dim(x, 0)))
        fill = None if mask is None else 0.0
        b.store(y, [rows, cols], b.load(x, place, mask=on, fill=fill, assume=assume))
    return b.build()


def found(made, length, rows=4, cols=5):
    shapes = {"x": (length,), "y": (rows, cols), "labels": (rows,), "codes": (rows,)}
    return check_bounds(specialise(made, shapes), shapes)


# What the greatest index of 4 rows and 5 columns is, by how it is computed.
AFFINE = {
    "sum": (lambda b, r, c, n, u: b.map("add", r, c), 7),
    "row major": (lambda b, r, c, n, u: b.map("add", b.map("mul", r, 5), c), 19),
    "reversed": (lambda b, r, c, n, u: b.map("sub", 4, c), 4),
    "cancelling": (lambda b, r, c, n, u: b.map("sub", b.map("add", r, c), r), 4),
    "quotient": (lambda b, r, c, n, u: b.map("floordiv", b.map("add", r, c), 2), 3),
    "remainder": (lambda b, r, c, n, u: b.map("mod", n, 6), 5),
    "small remainder": (lambda b, r, c, n, u: b.map("mod", c, 100), 4),
    "clamped": (lambda b, r, c, n, u: b.map("minimum", b.map("maximum", n, 0), 2), 2),
    "selected": (lambda b, r, c, n, u: b.map("where", b.map("lt", r, 2), r, c), 4),
    "size": (lambda b, r, c, n, u: b.map("abs", b.map("sub", r, c)), 4),
    "byte": (lambda b, r, c, n, u: b.cast(u, i64), 255),
    "low bits": (lambda b, r, c, n, u: b.map("bit_and", n, 7), 7),
    "half": (lambda b, r, c, n, u: b.map("shr", c, 1), 4),
    "constant": (lambda b, r, c, n, u: b.const(3, i64), 3),
}  # fmt: skip


@pytest.mark.parametrize("name", AFFINE)
def test_the_greatest_index(name):
    index, greatest = AFFINE[name]
    assert found(kernel(index), greatest + 1) == []
    (complaint,) = found(kernel(index), greatest)
    assert complaint.code == "K090"
    assert "dimension 0 of x" in complaint.message
    assert f"the length there is {greatest}" in complaint.message


def test_a_negative_index():
    (complaint,) = found(kernel(lambda b, r, c, n, u: b.map("sub", c, 1)), 100)
    assert "may reach -1" in complaint.message


@pytest.mark.parametrize("rows", [2**31 + 1, 2**40])
def test_an_index_of_a_long_array_has_a_range(rows):
    (complaint,) = found(kernel(lambda b, r, c, n, u: r), 100, rows=rows)
    assert f"may reach {rows - 1};" in complaint.message


def test_a_label_has_no_range():
    (complaint,) = found(kernel(lambda b, r, c, n, u: n), 100)
    assert "has no known range" in complaint.message
    assert "zero" in complaint.hint
    assert found(kernel(lambda b, r, c, n, u: n, assume=True), 100) == []


def zero(b, place, extent):
    return b.map("bit_and", b.map("ge", place, 0), b.map("lt", place, extent))


def test_a_mask_counts():
    def label(b, r, c, n, u):
        return b.map("add", n, c)

    assert found(kernel(label, mask=zero), 10) == []
    only_above = kernel(label, mask=lambda b, place, extent: b.map("lt", place, extent))
    assert len(found(only_above, 10)) == 1
    one_more = kernel(
        label,
        mask=lambda b, place, extent: b.map(
            "bit_and", b.map("ge", place, 0), b.map("le", place, extent)
        ),
    )
    assert len(found(one_more, 10)) == 1
    shifted = kernel(
        lambda b, r, c, n, u: b.map("add", n, 1),
        mask=lambda b, place, extent: b.map(
            "bit_and",
            b.map("ge", b.map("sub", place, 1), -1),
            b.map("gt", extent, b.map("add", place, 0)),
        ),
    )
    assert found(shifted, 10) == []


def test_a_winner_is_inside():
    b = Builder("winner")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows, cols = kernels.matrix(b, x)
    with b.parallel(rows):
        best = b.reduce(b.load(x, rows, cols), cols, laws.ARGMAX)
        b.store(y, rows, b.load(x, rows, best))
    made = b.build()
    for width, complaints in ((4, 0), (0, 1)):
        shapes = {"x": (3, width), "y": (3,)}
        assert len(check_bounds(specialise(made, shapes), shapes)) == complaints


def test_serial_steps_end_where_they_end():
    made = kernels.serial_sum(step=4)
    b = Builder("ahead")
    x, y = b.view("x", f32, 1), b.view("y", f32, 1)
    rows, steps = b.axis("rows", dim(y, 0)), b.axis("steps", dim(x, 0))
    with b.parallel(rows):
        with b.serial(steps, step=4, carry=[b.const(0.0, f32)]) as loop:
            ahead = b.map("add", b.index(steps), 3)
            loop.yields(b.map("add", loop.carried[0], b.load(x, ahead)))
        b.store(y, rows, loop.results[0])
    ahead = b.build()
    for length, complaints in ((8, 0), (9, 1), (0, 0)):
        shapes = {"x": (length,), "y": (2,)}
        assert len(check_bounds(specialise(ahead, shapes), shapes)) == complaints
    assert check_bounds(made, {"x": (2, 9), "y": (2,)}) == []


def test_what_does_not_run_is_not_checked():
    made = kernel(lambda b, r, c, n, u: n)
    assert found(made, 10, rows=0) == []
    assert found(made, 10, cols=0) != []  # the label's row is still read for no column
    assert found(kernel(lambda b, r, c, n, u: c), 1, cols=0) == []


def test_memory_has_bounds_too():
    b = Builder("scratch")
    x = b.view("x", f32, 2)
    rows, cols = kernels.matrix(b, x)
    scratch = b.memory("scratch", f32, [cols])
    with b.parallel(rows):
        b.store(scratch, cols, b.load(x, rows, cols))
        b.store(x, [rows, cols], b.load(scratch, b.map("add", b.index(cols), 1)))
    shapes = {"x": (2, 3)}
    (complaint,) = check_bounds(specialise(b.build(), shapes), shapes)
    assert "scratch" in complaint.message


@pytest.mark.parametrize("make", READY, ids=lambda make: make.__name__)
def test_ready_kernels_stay_inside(make):
    made = make()
    shapes = shapes_of(made)
    for view in made.views:
        if made.name == "layer_norm" and view.rank == 1:
            shapes[view.name] = (5,)
        if made.name == "rms_norm" and view.rank == 1:
            shapes[view.name] = (5,)
    assert check_bounds(specialise(made, shapes), shapes) == []


def test_a_short_weight_is_named():
    made = kernels.rms_norm()
    shapes = {"x": (3, 5), "y": (3, 5), "weight": (4,)}
    (complaint,) = check_bounds(specialise(made, shapes), shapes)
    assert "of weight may reach 4; the length there is 4" in complaint.message


def test_generated_programs_stay_inside():
    for program in corpus(40):
        assert check_bounds(specialise(program.kernel, program.shapes), program.shapes) == []


@given(
    factors=st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-4, 12)),
    length=st.integers(1, 24),
)
def test_affine_indices_are_decided_exactly(factors, length):
    """The check complains exactly where running the kernel does."""
    by_row, by_column, start = factors

    def index(b, r, c, n, u):
        return b.map(
            "add", b.map("add", b.map("mul", r, by_row), b.map("mul", c, by_column)), start
        )

    made = kernel(index)
    arguments = {
        "x": np.zeros(length, np.float32),
        "y": np.zeros((4, 5), np.float32),
        "labels": np.zeros(4, np.int64),
        "codes": np.zeros(4, np.uint8),
    }
    try:
        run(made, arguments)
        leaves = False
    except KernelError as error:
        leaves = error.code == "K090"
    assert bool(found(made, length)) is leaves
