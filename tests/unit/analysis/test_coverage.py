"""Which views a launch certainly stores to as a whole."""

import pytest

import certile as ct
from certile.analysis.coverage import fills
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.walk import parallel_regions


def whole(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols]


def transposed(x, y):
    rows, cols = ct.axis("rows", y.shape[1]), ct.axis("cols", y.shape[0])
    for r in ct.parallel(rows):
        y[cols, r] = x[r, cols]


def in_a_loop(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        for c in ct.serial(cols):
            y[r, c] = x[r, c]


def half(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1] // 2)
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols]


def shifted(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1] - 1)
    for r in ct.parallel(rows):
        y[r, ct.iota(cols) + 1] = x[r, cols]


def one_row(x, y):
    cols = ct.axis("cols", x.shape[1])
    for c in ct.parallel(cols):
        y[0, c] = x[0, c]


def diagonal(x, y):
    rows = ct.axis("rows", x.shape[0])
    for r in ct.parallel(rows):
        y[r, r] = x[r, r]


def masked(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        read = x.tile(ct.coord(r, 2), ct.shape(1, cols), bounds="zero").load()
        y.tile(ct.coord(r, 2), ct.shape(1, cols), bounds="zero").store(read)


@pytest.mark.parametrize(
    ("kernel", "filled"),
    [
        (whole, True),
        (transposed, True),
        (in_a_loop, True),
        (half, False),
        (shifted, False),
        (one_row, False),
        (diagonal, False),
        (masked, False),
    ],
)
def test_which_outputs_are_filled(kernel, filled):
    shapes = {"x": (6, 6), "y": (6, 6)}
    views = {name: Shaped(f32, shape) for name, shape in shapes.items()}
    special = ct.tile_kernel(kernel).tile_ir(views)
    (region,) = parallel_regions(special)
    found = {view.name: fills(region, view, shapes) for view in special.views}
    assert found == {"x": False, "y": filled}


def repeated(x, y):
    rows, cols = ct.axis("rows", y.shape[0]), ct.axis("cols", y.shape[1])
    for r in ct.parallel(rows):
        for t in ct.serial(ct.axis("times", x.shape[0])):
            y[r, cols] = x[t, cols]


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_loop_that_does_not_run_fills_nothing(times):
    shapes = {"x": (times, 6), "y": (6, 6)}
    views = {name: Shaped(f32, shape) for name, shape in shapes.items()}
    special = ct.tile_kernel(repeated).tile_ir(views)
    (region,) = parallel_regions(special)
    (y,) = [view for view in special.views if view.name == "y"]
    assert fills(region, y, shapes) == (times > 0)
