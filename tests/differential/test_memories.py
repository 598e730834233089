"""Placed memories: a layout changes no value, and every index means the element it names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import certile as ct
from certile.ir.layouts import BitLinear, Digit, Layout, MixedRadix, Table, row_major, strided

TARGETS = ("reference", "cpu", "metal-sim")

LAYOUTS: dict[str, Layout] = {
    "row major": row_major((4, 8)),
    "column major": strided((4, 8), (1, 4)),
    "padded": strided((4, 8), (9, 1)),
    "by digits": MixedRadix((4, 8), ((Digit(4, 8),), (Digit(2, 4), Digit(4, 1))), 40),
    "tiled": MixedRadix((4, 8), ((Digit(2, 16), Digit(2, 2)), (Digit(4, 4), Digit(2, 1))), 32),
    "swizzled": BitLinear((4, 8), ((8 + 1, 16 + 2), (1, 2, 4)), 32),
    "table": Table((4, 8), tuple((7 * k + 3) % 37 for k in range(32)), 37),
}


def transposed_sums(layout: Layout | None) -> Callable[..., object]:
    """A kernel that writes a tile by rows and reads it by columns."""

    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View) -> None:
        rows = ct.axis("rows", x.shape[0])
        a, b = ct.axis("a", x.shape[1]), ct.axis("b", x.shape[2])
        for r in ct.parallel(rows):
            kept = ct.memory((a, b), ct.f32, "worker", layout=layout)
            kept[a, b] = x[r, a, b] * 2.0
            for k in ct.serial(b):
                y[r, k] = ct.reduce(kept[a, k], a, ct.add)

    return kernel


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", [*LAYOUTS, "none"])
def test_a_layout_changes_no_value(name: str, target: str) -> None:
    x = np.random.default_rng(5).integers(-99, 99, (19, 4, 8)).astype(np.float32)
    y = np.full((19, 8), np.nan, np.float32)
    with ct.target(target):
        transposed_sums(LAYOUTS.get(name))(x, y)
    assert np.array_equal(y, 2 * x.sum(1))


@ct.tile_kernel
def permuted(x: ct.View, order: ct.View, y: ct.View) -> None:
    """Scatter into memory, then gather back by the same indices."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        kept = ct.memory(cols, ct.f32, "worker", layout=ct.layouts.strided((12,), (3,)))
        kept[cols] = ct.zeros(cols, ct.f32)
        for k in ct.serial(cols):
            kept.tile((order[r, k],), (1,), bounds="zero").store(x[r, k])
        for k in ct.serial(cols):
            y[r, k] = kept.tile((order[r, k],), (1,), bounds="zero", fill=-1.0).load()


@pytest.mark.parametrize("target", TARGETS)
def test_indices_that_depend_on_data(target: str) -> None:
    """Each lane has its own index; one outside the memory writes nothing and reads the fill."""
    rng = np.random.default_rng(6)
    x = rng.standard_normal((21, 12)).astype(np.float32)
    order = np.stack([rng.permutation(12) for _ in range(21)]).astype(np.int64)
    order[::3, 4] = 12
    order[1::3, 7] = -1
    y = np.full_like(x, np.nan)
    with ct.target(target):
        permuted(x, order, y)
    outside = (order < 0) | (order >= 12)
    assert outside.sum() == 14
    assert np.array_equal(y, np.where(outside, -1.0, x).astype(np.float32))


def test_memory_of_a_layout_has_its_own_axes() -> None:
    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View) -> None:
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            kept = ct.memory(ct.layouts.strided((6,), (2,)), ct.f32)
            kept[cols] = x[r, cols]
            y[r, cols] = kept[cols] + 1.0

    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    y = np.zeros_like(x)
    kernel(x, y)
    assert np.array_equal(y, x + 1)


@pytest.mark.parametrize(
    ("layout", "shown"),
    [
        (strided((4, 8), (8, 0)), r"injective: disproved: .* at \(0, 0\) and \(0, 1\)"),
        (strided((4, 8), (8, 1), cosize=31), "in bounds: disproved"),
        (MixedRadix((4, 8), ((Digit(4, 8),), (Digit(4, 1),)), 40), "total: disproved"),
        (row_major((8, 4)), "the layout has extents"),
        ("by rows", "is no layout"),
    ],
)
def test_layouts_that_are_not_proved_are_refused(layout: object, shown: str) -> None:
    x = np.zeros((2, 4, 8), np.float32)
    kernel = transposed_sums(layout)  # type: ignore[arg-type]
    with pytest.raises(ct.KernelError, match=shown):
        kernel(x, np.zeros((2, 8), np.float32))


def test_large_memories_with_indices_from_data_are_refused() -> None:
    x, order = np.zeros((2, 300), np.float32), np.zeros((2, 300), np.int64)

    @ct.tile_kernel
    def kernel(x: ct.View, order: ct.View, y: ct.View) -> None:
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            kept = ct.memory(cols, ct.f32, "worker")
            kept[cols] = x[r, cols]
            for k in ct.serial(cols):
                y[r, k] = kept.tile((order[r, k],), (1,), bounds="zero").load()

    with pytest.raises(ct.UnsupportedError, match="U021"):
        kernel(x, order, np.zeros_like(x))
