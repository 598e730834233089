"""`ct.reshape` against NumPy's, alone and inside reductions."""

from __future__ import annotations

import numpy as np
import pytest

import certile as ct

CASES = [
    ((6,), (2, 3)),
    ((2, 3), (6,)),
    ((4, 6), (3, 8)),
    ((2, 3, 4), (2, 12)),
    ((2, 12), (2, 3, 4)),
    ((3, 4, 5), (5, 4, 3)),
    ((7,), (7,)),
    ((1, 40), (40,)),
    ((40,), (8, 1, 5)),
    ((2, 2, 2, 2), (4, 4)),
]


@ct.tile_kernel
def reshaped(x: ct.View, y: ct.View, old: ct.constexpr, new: ct.constexpr) -> None:
    rows = ct.axis("rows", x.shape[0])
    before = tuple(ct.axis(f"b{k}", x.shape[k + 1]) for k in range(old))
    after = tuple(ct.axis(f"a{k}", y.shape[k + 1]) for k in range(new))
    for r in ct.parallel(rows):
        y[r, *after] = ct.reshape(x[r, *before] * 2, after)


@ct.tile_kernel
def block_sums(x: ct.View, y: ct.View, block: ct.constexpr) -> None:
    """The sums of neighbouring elements, `block` at a time."""
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    blocks, inside = ct.axis("blocks", y.shape[1]), ct.axis("inside", block)
    for r in ct.parallel(rows):
        tile = ct.reshape(x[r, cols], (blocks, inside))
        y[r, blocks] = ct.reduce(tile, inside, ct.add)


@pytest.mark.parametrize("target", ["reference", "cpu", "metal-sim"])
@pytest.mark.parametrize(("old", "new"), CASES, ids=str)
def test_as_numpy(old: tuple[int, ...], new: tuple[int, ...], target: str) -> None:
    x = np.arange(5 * np.prod(old), dtype=np.int32).reshape(5, *old)
    y = np.full((5, *new), -1, np.int32)
    with ct.target(target):
        reshaped(x, y, len(old), len(new))
    assert np.array_equal(y, 2 * x.reshape(5, *new))


@pytest.mark.parametrize("target", ["reference", "cpu", "metal-sim"])
def test_a_reduction_over_blocks(target: str) -> None:
    x = np.random.default_rng(0).integers(-50, 50, (6, 84)).astype(np.float32)
    y = np.full((6, 12), np.nan, np.float32)
    with ct.target(target):
        block_sums(x, y, 7)
    assert np.array_equal(y, x.reshape(6, 12, 7).sum(2))


def test_other_counts_and_axes_in_use_are_refused() -> None:
    @ct.tile_kernel
    def onto_itself(x: ct.View, y: ct.View) -> None:
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = ct.reshape(x[r, cols], cols)

    x = np.zeros((2, 6), np.float32)
    with pytest.raises(ct.KernelError, match="6 elements do not fill axes of 8"):
        reshaped(x, np.zeros((2, 2, 4), np.float32), 1, 2)
    with pytest.raises(ct.KernelError, match="spans cols already"):
        onto_itself(x, np.zeros_like(x))
