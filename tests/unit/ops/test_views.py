"""The parts of a first array that other arrays span."""

from __future__ import annotations

import numpy as np
import pytest

from certile.ops.launch import Seen
from certile.ops.layout import Strided
from certile.ops.views import arranged, broadcast_strides, in_twos, seen
from certile.runtime.arrays import describe


def info(*shape: int) -> object:
    return describe(np.empty(shape, np.float32))


def test_parts_by_name() -> None:
    x, vector, result = info(2, 3, 4), info(4), info(2, 3)
    found = arranged((2, 3, 4), (2,), ("full", "columns", "rows"), (x, vector, result))
    assert found.kept == 1
    assert found.arrays == (
        Strided((6, 4), (4, 1)),
        Strided((4,), (1,)),
        Strided((6,), (1,)),
    )
    views = seen(("x", "weight", "y"), found)
    assert views == {
        "x": Seen(0, Strided((6, 4), (4, 1))),
        "weight": Seen(1, Strided((4,), (1,))),
        "y": Seen(2, Strided((6,), (1,))),
        "kept": 1,
    }


def test_parts_by_strides() -> None:
    x, repeated = info(2, 3, 4), info(3, 4)
    found = arranged((2, 3, 4), (2,), ("full", (0, 4, 1)), (x, repeated))
    # A step of 0 along the first axis keeps it apart from the second.
    assert found.arrays[1] == Strided((2, 3, 4), (0, 4, 1))
    found = arranged((2, 3, 4), (2,), ("full", (3, 1, None)), (x, info(2, 3)))
    assert found.arrays[1] == Strided((6,), (1,))


def test_an_array_without_dimensions_is_a_row_of_one_element() -> None:
    found = arranged((), (), ("full", "rows"), (info(), info()))
    assert found.arrays == (Strided((1, 1), (1, 1)), Strided((1,), (1,)))


@pytest.mark.parametrize("shape", [(4,), (1, 4), (3, 1), (2, 1, 4), (1,), ()])
def test_broadcasting_as_numpy_does(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    wanted = np.broadcast_to(x, (2, 3, 4))
    strides = broadcast_strides(describe(x), (2, 3, 4))
    assert strides is not None
    steps = tuple(step * 4 for step in strides)
    np.testing.assert_array_equal(np.lib.stride_tricks.as_strided(x, (2, 3, 4), steps), wanted)


@pytest.mark.parametrize("shape", [(3,), (2, 4), (1, 2, 3, 4), (4, 1)])
def test_shapes_that_do_not_broadcast(shape: tuple[int, ...]) -> None:
    assert broadcast_strides(info(*shape), (2, 3, 4)) is None


def test_twos() -> None:
    x = np.arange(24).reshape(3, 8)
    halves = in_twos(Strided((3, 4), (8, 1)), 4)
    shown = np.lib.stride_tricks.as_strided(x, halves.shape, [8 * s for s in halves.strides])
    np.testing.assert_array_equal(shown, x.reshape(3, 2, 4))
    neighbours = in_twos(Strided((3, 4), (8, 2)), 1)
    shown = np.lib.stride_tricks.as_strided(
        x, neighbours.shape, [8 * s for s in neighbours.strides]
    )
    np.testing.assert_array_equal(shown, x.reshape(3, 4, 2).swapaxes(1, 2))
