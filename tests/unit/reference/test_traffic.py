"""The bytes that a kernel has to touch, against what is written down for each kernel."""

import numpy as np
import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.reference.traffic import least_traffic


@ct.tile_kernel
def twice_read(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        peak = ct.reduce(x[r, cols], cols, ct.maximum)
        y[r, cols] = x[r, cols] - peak


@ct.tile_kernel
def first_half(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1] // 2)
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.add)


@ct.tile_kernel
def in_place(x: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        x[r, cols] = x[r, cols] * 2.0


@ct.tile_kernel
def picked(table: ct.View[ct.f32, 2], index: ct.View[ct.i64, 1], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", index.shape[0]), ct.axis("cols", table.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = table[index[r], cols]


@ct.tile_kernel
def shared_vector(x: ct.View[ct.f16, 2], w: ct.View[ct.f16, 1], y: ct.View[ct.f16, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * w[cols]


def ones(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.ones(shape, dtype)


CASES = (
    (twice_read, {"x": ones(3, 10), "y": ones(3, 10)}, 4 * (30 + 30)),
    (first_half, {"x": ones(3, 10), "y": ones(3)}, 4 * (15 + 3)),
    (in_place, {"x": ones(3, 10)}, 4 * (30 + 30)),
    # Two programs read one row of the table, and most rows are read by none.
    (
        picked,
        {"table": ones(100, 8), "index": np.array([7, 7, 2]), "y": ones(3, 8)},
        4 * (2 * 8 + 3 * 8) + 8 * 3,
    ),
    (
        shared_vector,
        {
            "x": ones(3, 8, dtype=np.float16),
            "w": ones(8, dtype=np.float16),
            "y": ones(3, 8, dtype=np.float16),
        },
        2 * (24 + 8 + 24),
    ),
    (in_place, {"x": ones(0, 10)}, 0),
)


@pytest.mark.parametrize(("kernel", "arguments", "size"), CASES)
def test_every_element_counts_once_for_loads_and_once_for_stores(kernel, arguments, size):
    shaped = {n: Shaped(BY_NAME[_name(at)], at.shape) for n, at in arguments.items()}
    before = {name: at.copy() for name, at in arguments.items()}
    assert least_traffic(kernel.tile_ir(shaped), arguments) == size
    assert all(np.array_equal(before[name], at) for name, at in arguments.items())


def _name(array: np.ndarray) -> str:
    return {"float32": "f32", "float16": "f16", "int64": "i64"}[array.dtype.name]


@ct.tile_kernel
def shifted(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        after = x.tile(ct.coord(r, 4), ct.shape(1, cols), bounds="zero", fill=0.0).load()
        y.tile(ct.coord(r, 7), ct.shape(1, cols), bounds="zero").store(after)


def test_what_a_mask_leaves_out_is_not_touched():
    """Of ten columns the last six are read, and the last three stored."""
    arguments = {"x": ones(3, 10), "y": ones(3, 10)}
    shaped = {name: Shaped(BY_NAME["f32"], (3, 10)) for name in arguments}
    assert least_traffic(shifted.tile_ir(shaped), arguments) == 4 * 3 * (6 + 3)
