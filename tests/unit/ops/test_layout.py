"""Arrays as rows and columns: fewest dimensions, same elements."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.ops.layout import (
    Strided,
    arrange,
    contiguous_strides,
    elementwise,
    in_chunks,
    in_parts,
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
    # Rows stand as in memory; each is whole and in its own order.
    rows = seen.reshape(wanted.shape)
    np.testing.assert_array_equal(rows[rows[:, 0].argsort()], wanted[wanted[:, 0].argsort()])


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.data())
def test_elementwise_pieces_cover_each_element_once(
    extents: list[int], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(extents))))
    flat_x, flat_y = np.arange(np.prod(extents)), np.full(np.prod(extents), -1)
    x, y = (flat.reshape(extents).transpose(order) for flat in (flat_x, flat_y))
    on_host = data.draw(st.booleans())
    for piece in elementwise(x.shape, (steps_of(x), steps_of(y)), on_host=on_host):
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


def test_a_run_on_a_device_is_one_piece() -> None:
    (piece,) = elementwise((7, 1429), ((1429, 1), (1429, 1)), on_host=False)
    assert [seen.shape for seen in piece.arrangement.arrays] == [(10003, 1)] * 2
    assert len(elementwise((10007,), ((2,), (1,)), on_host=False)) == 2


def test_few_long_rows_are_cut_into_chunks() -> None:
    long = arrange((1, 1 << 20), (1,), [(0, 1), (0, 1)])
    found = in_chunks(long, threads=2)
    assert found is not None
    assert found.kept == 2
    assert found.arrays == (Strided((1, 64, 1 << 14), (1, 1 << 14, 1)),) * 2
    assert in_chunks(long, threads=1) is None
    assert in_chunks(arrange((2, 1 << 20), (1,), [(1 << 20, 1)]), threads=2) is None
    assert in_chunks(arrange((1, (1 << 20) + 1), (1,), [(0, 1)]), threads=2) is None


def test_rows_stand_as_in_memory() -> None:
    turned = arrange((1, 2, 3, 4), (3,), [(0, 1, 2, 6), (0, 3, 1, None)])
    assert turned.arrays == (Strided((3, 2, 4), (2, 1, 6)), Strided((3, 2), (1, 3)))
    repeated = arrange((5, 7, 4), (2,), [(1, 0, 5)])
    assert repeated.arrays == (Strided((7, 5, 4), (0, 1, 5)),)


def test_columns_stand_as_in_memory_where_their_order_is_free() -> None:
    steps = [(0, 1, 2, 6)]
    assert arrange((1, 2, 3, 4), (1, 2, 3), steps, in_order=False).arrays[0].shape == (1, 24)
    assert arrange((1, 2, 3, 4), (1, 2, 3), steps).arrays[0].shape == (1, 2, 3, 4)


@given(
    st.lists(st.sampled_from([1, 2, 3, 5]), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.booleans(),
)
def test_a_reduction_reads_the_same_elements_in_any_order(
    shape: list[int],
    random: Random,
    in_order: bool,
) -> None:
    base = np.arange(np.prod(shape) + 0.0).reshape(shape)
    x = base.transpose(random.sample(range(len(shape)), len(shape)))
    columns = tuple(sorted(random.sample(range(len(shape)), random.randint(1, len(shape)))))
    lifted = tuple(dim + 1 for dim in columns)
    found = arrange((1, *x.shape), lifted, [(0, *steps_of(x))], in_order=in_order)
    seen = view(base, found.arrays[0]).sum(axis=tuple(range(found.kept, len(found.arrays[0][0]))))
    assert sorted(seen.ravel()) == sorted(x.sum(axis=columns).ravel())


def reduced_in_parts(x: np.ndarray, kept: tuple[int, ...], threads: int = 2) -> np.ndarray | None:
    """Sum by the two launches that `in_parts` describes; None where there is one launch."""
    columns = tuple(dim for dim in range(x.ndim) if dim not in kept)
    extents, lifted = (1, *x.shape), tuple(dim + 1 for dim in columns)
    arranged = arrange(extents, lifted, [(0, *steps_of(x))], in_order=False)
    parts = in_parts(arranged, threads)
    if parts is None:
        return None
    first = view(x, parts.cut)
    made = first.sum(axis=tuple(range(parts.cut_kept, first.ndim)))
    assert made.shape == parts.made.shape
    assert contiguous_strides(made.shape) == parts.made.strides
    read = view(np.ascontiguousarray(made), parts.read)
    return read.sum(axis=tuple(range(parts.kept, read.ndim)))


@pytest.mark.parametrize(
    ("shape", "kept"),
    [
        ((1 << 18,), ()),
        ((1 << 14, 16), (1,)),
        ((10000, 30), (1,)),
        ((2, 70000), (0,)),
        ((2, 20000, 5), (0, 2)),
        ((512, 3, 128), ()),
        ((300, 700, 1), (2,)),
    ],
)
def test_few_long_rows_are_summed_in_parts(shape: tuple[int, ...], kept: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape)).reshape(shape) % 1000
    found = reduced_in_parts(x, kept, threads=4)
    assert found is not None
    expected = x.sum(axis=tuple(dim for dim in range(x.ndim) if dim not in kept))
    np.testing.assert_array_equal(found.ravel(), expected.ravel())


def test_rows_for_all_threads_stay_whole() -> None:
    assert reduced_in_parts(np.zeros((64, 1 << 12)), (0,)) is None
    assert reduced_in_parts(np.zeros((1 << 12, 256)), (1,)) is None
    assert reduced_in_parts(np.zeros(1000), ()) is None
    assert reduced_in_parts(np.zeros(131101), ()) is None  # a prime


def test_contiguous_strides() -> None:
    assert contiguous_strides((2, 3, 4)) == (12, 4, 1)
    assert contiguous_strides(()) == ()
