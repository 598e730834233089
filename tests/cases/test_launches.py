"""Kernels of several launches, on every target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.host import ViewFacts
from certile.pipeline import compile_program
from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from tests.cases.everywhere import TARGETS, everywhere

Array = np.ndarray[Any, Any]


def whole(*shape: int, seed: int = 0) -> Array:
    """Whole numbers, whose sums are exact in every order."""
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(np.float32)


# Launch 2 reads what launch 1 wrote.


@ct.tile_kernel
def less_column_sums(x: ct.View, sums: ct.View, y: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for c in ct.parallel(cols):
        sums[c] = ct.reduce(x[rows, c], rows, ct.add)
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] - sums[cols]


@pytest.mark.parametrize("shape", [(5, 3), (40, 33), (3, 70)])
def test_a_launch_reads_what_the_one_before_wrote(shape: tuple[int, int]) -> None:
    x = whole(*shape)
    empty = np.full(shape[1], np.nan, np.float32)
    found = everywhere(less_column_sums, x, empty, np.zeros_like(x))
    np.testing.assert_array_equal(found, x - x.sum(axis=0))


@ct.tile_kernel
def twice_in_place(x: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        x[r, cols] = x[r, cols] - ct.reduce(x[r, cols], cols, ct.maximum)
    for c in ct.parallel(cols):
        x[rows, c] = x[rows, c] - ct.reduce(x[rows, c], rows, ct.maximum)


def test_launches_that_write_one_view_in_turn() -> None:
    x = whole(19, 37)
    found = everywhere(twice_in_place, x)
    half = x - x.max(axis=1, keepdims=True)
    np.testing.assert_array_equal(found, half - half.max(axis=0))


@ct.tile_kernel
def three_grids(x: ct.View, first: ct.View, second: ct.View, third: ct.View) -> None:
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    lines = ct.axis("lines", second.shape[0])
    one = ct.axis("one", 1)
    for c in ct.parallel(cols):
        first[c] = ct.reduce(x[rows, c], rows, ct.add)
    for i in ct.parallel(lines):
        second[i] = ct.reduce(first[cols], cols, ct.add) + ct.cast(i, ct.f32)
    for i in ct.parallel(one):
        third[i] = ct.reduce(second[lines], lines, ct.add)


def test_launches_of_different_grids() -> None:
    x = whole(6, 9)
    arguments = (x, np.zeros(9, np.float32), np.zeros(5, np.float32), np.zeros(1, np.float32))
    found = everywhere(three_grids, *arguments)
    assert found.tolist() == [5 * x.sum() + 10]


@ct.tile_kernel
def some_without_programs(x: ct.View, y: ct.View, z: ct.View) -> None:
    rows, lines = ct.axis("rows", x.shape[0]), ct.axis("lines", z.shape[0])
    for r in ct.parallel(rows):
        y[r] = x[r] * 2
    for i in ct.parallel(lines):
        z[i] = z[i] + 1


@pytest.mark.parametrize(("rows", "lines"), [(0, 4), (4, 0), (0, 0)])
def test_a_launch_without_programs_is_none(rows: int, lines: int) -> None:
    for target in TARGETS:
        y, z = np.zeros(rows, np.float32), np.zeros(lines, np.float32)
        with ct.target(target):
            some_without_programs(np.ones(rows, np.float32), y, z)
        assert y.tolist() == [2] * rows
        assert z.tolist() == [1] * lines


def test_launches_see_each_other_call_after_call() -> None:
    sums, y = np.zeros(70, np.float32), np.zeros((200, 70), np.float32)
    prepared = less_column_sums.prepare(x := whole(200, 70), sums, y)
    for seed in range(20):
        x[...] = whole(200, 70, seed=seed)
        prepared()
        np.testing.assert_array_equal(y, x - x.sum(axis=0))


def test_cuda_text_of_several_launches() -> None:
    shapes: dict[str, tuple[int, ...]] = {"x": (40, 33), "sums": (33,), "y": (40, 33)}
    made = less_column_sums.tile_ir({name: Shaped(f32, s) for name, s in shapes.items()})
    facts = {name: ViewFacts((*(None for _ in s[1:]), 1), 4) for name, s in shapes.items()}
    compiled = compile_program(made, facts, [33, 40], CUDA_SM90)
    artifacts = [launch.artifact for launch in compiled.launches]
    assert len({artifact.entry for artifact in artifacts}) == 2
    for artifact in artifacts:
        assert artifact.entry in compile_cuda(artifact, form="ptx").decode()
