"""Arrays as rows and columns: fewest dimensions, same elements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.ops.layout import (
    Strided,
    arrange,
    contiguous_strides,
    elementwise,
    in_blocks,
    in_chunks,
    row_length,
)


def view(base: np.ndarray, strided: Strided, offset: int = 0) -> np.ndarray:
    steps = tuple(step * base.itemsize for step in strided.strides)
    return np.lib.stride_tricks.as_strided(base.ravel()[offset:], strided.shape, steps)


def steps_of(x: np.ndarray) -> tuple[int, ...]:
    return tuple(step // x.itemsize for step in x.strides)


def test_a_contiguous_array_has_one_row_dimension() -> None:
    found = arrange((1, 2, 3, 4, 5), (4,), [(0, 60, 20, 5, 1)])
    assert found.kept == 1
    assert found.arrays == (Strided((24, 5), (5, 1)),)


def test_a_gap_keeps_dimensions_apart() -> None:
    found = arrange((1, 2, 3, 4), (3,), [(0, 100, 4, 1)])
    assert found.arrays == (Strided((2, 3, 4), (100, 4, 1)),)
    assert found.kept == 2


def test_all_arrays_have_to_continue() -> None:
    plain, spread = (0, 12, 4, 1), (0, 100, 10, 1)
    together = arrange((1, 2, 3, 4), (3,), [plain, spread])
    assert together.kept == 2
    assert together.arrays[0].shape == (2, 3, 4)


def test_vectors_and_results_span_their_part_only() -> None:
    x, vector, result = (0, 12, 4, 1), (None, None, None, 1), (0, 3, 1, None)
    found = arrange((1, 2, 3, 4), (3,), [x, vector, result])
    assert found.arrays == (Strided((6, 4), (4, 1)), Strided((4,), (1,)), Strided((6,), (1,)))


def test_extents_of_one_leave_one_dimension() -> None:
    found = arrange((1, 1, 1), (2,), [(0, 7, 9), (None, None, 3)])
    assert found.arrays == (Strided((1, 1), (1, 1)), Strided((1,), (1,)))


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.data(),
)
def test_an_arrangement_has_the_same_rows(extents: list[int], data: st.DataObject) -> None:
    rank = len(extents)
    order = data.draw(st.permutations(range(rank)))
    column = data.draw(st.integers(0, rank - 1))
    flat = np.arange(np.prod(extents))
    x = flat.reshape(extents).transpose(order)
    found = arrange((1, *x.shape), (column + 1,), [(0, *steps_of(x))])
    seen = view(flat, found.arrays[0])
    wanted = np.moveaxis(x, column, -1).reshape(-1, x.shape[column])
    np.testing.assert_array_equal(seen.reshape(wanted.shape), wanted)


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.data())
def test_elementwise_pieces_cover_each_element_once(
    extents: list[int], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(extents))))
    flat_x, flat_y = np.arange(np.prod(extents)), np.full(np.prod(extents), -1)
    x, y = (flat.reshape(extents).transpose(order) for flat in (flat_x, flat_y))
    for piece in elementwise(x.shape, (steps_of(x), steps_of(y))):
        source, target = piece.arrangement.arrays
        view(flat_y, target, piece.offsets[1])[...] = view(flat_x, source, piece.offsets[0])
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    ("n", "length"),
    [(1, 1), (256, 256), (1 << 20, 4096), (3 * 4096, 4096), (20000, 4000), (1009, 1009)],
)
def test_row_lengths(n: int, length: int) -> None:
    assert row_length(n) == length


def test_an_awkward_number_is_rows_and_a_rest() -> None:
    n = 10007  # a prime
    main, rest = elementwise((n,), ((1,), (1,)))
    assert main.arrangement.arrays[0].shape == (4, 2048)
    assert rest.arrangement.arrays[0].shape == (1, n - 4 * 2048)
    assert rest.offsets == (4 * 2048, 4 * 2048)
    assert rest.offsets[0] % 64 == 0


def test_few_long_rows_are_cut_into_chunks() -> None:
    long = arrange((1, 1 << 20), (1,), [(0, 1), (0, 1)])
    found = in_chunks(long, threads=2)
    assert found is not None
    assert found.kept == 2
    assert found.arrays == (Strided((1, 64, 1 << 14), (1, 1 << 14, 1)),) * 2
    assert in_chunks(long, threads=1) is None
    assert in_chunks(arrange((2, 1 << 20), (1,), [(1 << 20, 1)]), threads=2) is None
    assert in_chunks(arrange((1, (1 << 20) + 1), (1,), [(0, 1)]), threads=2) is None


def test_rows_that_adjoin_in_memory_are_noticed() -> None:
    across = arrange((1, 4096, 64), (1,), [(0, 64, 1), (0, None, 1)])
    assert across.rows_adjoin
    assert not arrange((1, 64, 4096), (2,), [(0, 4096, 1)]).rows_adjoin
    cut = in_blocks(across)
    assert cut is not None
    assert cut.arrays == (Strided((64, 64, 64), (1, 64 * 64, 64)), Strided((64,), (1,)))
    assert cut.rows_adjoin


def test_contiguous_strides() -> None:
    assert contiguous_strides((2, 3, 4)) == (12, 4, 1)
    assert contiguous_strides(()) == ()
