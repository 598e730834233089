"""Views and instances: strides, overlaps, many rows, broadcasts and masks on every target."""

import itertools

import numpy as np
import pytest

import certile as ct
from tests.cases.everywhere import everywhere, plain, refused


@ct.tile_kernel
def softmax(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        e = ct.exp(x[r, cols] - ct.reduce(x[r, cols], cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def copied(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols]


def test_a_row_that_is_every_row():
    @ct.tile_kernel
    def kernel(x, where, twice):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            where[r] = ct.reduce(x[r, cols], cols, ct.argmax)
            twice[r, cols] = x[r, cols] + x[r, cols]

    row = np.array([1, 0, 2, 1, 3, 0, 4, 0], np.float32)
    x = np.broadcast_to(row, (16, 8))
    for target in ("cpu", "reference", "metal-sim"):
        where, twice, y = np.zeros(16, np.int64), np.zeros((16, 8), np.float32), np.zeros((16, 8))
        y = y.astype(np.float32)
        with ct.target(target):
            kernel(x, where, twice)
            softmax(x, y)
        assert where.tolist() == [6] * 16
        np.testing.assert_array_equal(twice, 2 * x)
        expected = [0.0300, 0.0110, 0.0816, 0.0300, 0.2219, 0.0110, 0.6032, 0.0110]
        np.testing.assert_allclose(y, np.broadcast_to(expected, (16, 8)), atol=6e-5)
    before = row.copy()
    shared = np.lib.stride_tricks.as_strided(row, (16, 8), (0, 4))
    refused("A204", softmax, shared, shared)
    np.testing.assert_array_equal(row, before)


def layouts_of(values):
    yield values.copy()
    yield np.asfortranarray(values)
    yield values.T.copy().T
    padded = np.zeros([2 * n + 1 for n in values.shape], values.dtype)
    inner = padded[tuple(slice(1, None, 2) for _ in values.shape)]
    inner[...] = values
    yield inner
    backwards = tuple(slice(None, None, -1) for _ in values.shape)
    yield values[backwards].copy()[backwards]


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 7), (7, 1)])
def test_transposing_any_layout(shape):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[cols, r] = x[r, cols]

    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    for x, y in itertools.product(layouts_of(values), layouts_of(np.zeros(shape[::-1]))):
        y = y.astype(np.float32, order="K")
        kernel(x, y)
        np.testing.assert_array_equal(y, values.T)
    everywhere(kernel, np.asfortranarray(values), np.zeros(shape[::-1], np.float32))


def test_three_dimensions_in_any_order():
    @ct.tile_kernel
    def kernel(x, y):
        a, b, c = (ct.axis(name, x.shape[d]) for d, name in enumerate("abc"))
        for i in ct.parallel(a):
            y[i, b, c] = x[i, b, c] * 2.0

    values = np.arange(30, dtype=np.float32).reshape(2, 3, 5)
    for order in itertools.permutations(range(3)):
        back = tuple(np.argsort(order))
        x = values.transpose(order).copy().transpose(back)
        y = np.zeros((2, 3, 5), np.float32).transpose(order).copy().transpose(back)
        kernel(x, y)
        np.testing.assert_array_equal(y, values * 2)


@pytest.mark.parametrize("rows", [65535, 65536, 65537, 10923 * 6])
def test_many_rows_of_one_column(rows):
    @ct.tile_kernel
    def kernel(x, y):
        lines, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(lines):
            y[r, cols] = x[r, cols] + 1

    x = np.arange(rows, dtype=np.int32)[:, None]
    targets = ("cpu", "reference", "metal-sim") if rows == 65537 else ("cpu", "reference")
    y = everywhere(kernel, x, np.zeros_like(x), targets=targets)
    np.testing.assert_array_equal(y, x + 1)


def test_an_output_that_is_the_input():
    @ct.tile_kernel
    def flipped(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[(x.shape[0] - 1) - r]

    a = np.arange(1, 6, dtype=np.float32)
    refused("A005", flipped, a, a)
    assert a.tolist() == [1, 2, 3, 4, 5]
    assert everywhere(flipped, a, np.zeros(5, np.float32)).tolist() == [5, 4, 3, 2, 1]
    memory = np.zeros(9, np.float32)
    memory[:5] = a
    refused("A005", flipped, memory[:5], memory[4:])
    assert memory[:5].tolist() == [1, 2, 3, 4, 5]


def test_a_view_that_is_read_again_after_it_was_stored():
    @ct.tile_kernel
    def kernel(a: ct.InOut, y):
        for r in ct.parallel(ct.axis("rows", a.shape[0])):
            b = a[r] + 1.0
            a[r] = b
            y[r] = a[r] * b / (a[r] + 2.0)

    a = np.arange(1, 5, dtype=np.float32)
    y = everywhere(kernel, a, np.zeros(4, np.float32))
    np.testing.assert_allclose(y, [1, 1.8, 2.6666667, 3.5714286], rtol=1e-6)


def test_two_broadcasts_of_one_shape():
    @ct.tile_kernel
    def kernel(x, across, along):
        two, four = ct.axis("two", 2), ct.axis("four", 4)
        for one in ct.parallel(ct.axis("one", 1)):
            across[one, ct.iota(two) * 4 + ct.iota(four)] = x[two]
            along[one, ct.iota(four) * 2 + ct.iota(two)] = x[two]

    x = np.array([0, 1], np.float32)
    for target in ("cpu", "reference", "metal-sim"):
        across, along = np.full((2, 1, 8), -1, np.float32)
        with ct.target(target):
            kernel(x, across, along)
        assert across.tolist() == [[0, 0, 0, 0, 1, 1, 1, 1]]
        assert along.tolist() == [[0, 1, 0, 1, 0, 1, 0, 1]]


def test_a_tile_from_two_sources():
    @ct.tile_kernel
    def kernel(x, half, smallest):
        lanes = ct.axis("lanes", 32)
        for one in ct.parallel(ct.axis("one", 1)):
            inside = x.tile((lanes,), bounds="zero").load()
            tile = ct.where(ct.iota(lanes) < 16, inside, float("inf"))
            half.tile((one, lanes), bounds="zero").store(tile)
            smallest[one] = ct.reduce(tile, lanes, ct.minimum)

    x = np.random.default_rng(0).uniform(1, 2, 16).astype(np.float32)
    for target in ("cpu", "reference", "metal-sim"):
        half, smallest = np.zeros((1, 16), np.float32), np.zeros(1, np.float32)
        with ct.target(target):
            kernel(x, half, smallest)
        np.testing.assert_array_equal(half[0], x)
        assert smallest[0] == x.min()


def test_rows_do_not_depend_on_the_batch():
    @ct.tile_kernel
    def kernel(x, y):
        batch, heads, depth = ct.axis("b", x.shape[0]), ct.axis("h", x.shape[1]), ct.axis("d", 8)
        for b, h in ct.parallel(batch, heads):
            v = x[b, h, 0, depth]
            square = ct.reduce(v * v, depth, ct.add) / x.shape[3]
            y[b, h, 0, depth] = v * ct.rsqrt(square + 1e-6)

    x = np.random.default_rng(1).standard_normal((3, 2, 1, 8)).astype(np.float32)
    order = [2, 0, 1]
    for target in ("cpu", "reference", "metal-sim"):
        y, permuted, alone = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
        with ct.target(target):
            kernel(x, y)
            kernel(x[order], permuted)
            for b in range(3):
                kernel(x[b : b + 1], alone[b : b + 1])
        assert plain(permuted) == plain(y[order])
        assert plain(alone) == plain(y)


def test_row_counts_in_either_order():
    x = np.random.default_rng(2).standard_normal((1024, 48)).astype(np.float32)

    def results(counts):
        kernel, found = ct.tile_kernel(softmax.function), {}
        for count in counts:
            y = np.zeros((count, 48), np.float32)
            kernel(x[:count], y)
            found[count] = y.tobytes()
        return found

    first, second = results((32, 1024)), results((1024, 32))
    assert first == second == {**results((32,)), **results((1024,))}


def test_column_counts_in_any_order():
    x = np.random.default_rng(3).standard_normal((4, 128)).astype(np.float32)
    seen = set()
    for counts in itertools.permutations((35, 64, 128)):
        kernel, found = ct.tile_kernel(softmax.function), {}
        for count in counts:
            y = np.zeros((4, count), np.float32)
            prepared = kernel.prepare(x[:, :count], y)
            prepared()
            plan = prepared.plans[0].mapping
            found[count] = (y.tobytes(), plan)
        seen.add(tuple(found[count] for count in (35, 64, 128)))
    assert len(seen) == 1


def test_views_of_rank_zero():
    @ct.tile_kernel
    def kernel(x, factor, y, total):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r] * factor[()]
        for one in ct.parallel(ct.axis("one", 1)):
            total[()] = ct.reduce(x[rows], rows, ct.add) + 0 * one

    x, factor = np.arange(4, dtype=np.float32), np.array(3, np.float32)
    for target in ("cpu", "reference", "metal-sim"):
        y, total = np.zeros(4, np.float32), np.zeros((), np.float32)
        with ct.target(target):
            kernel(x, factor, y, total)
        assert y.tolist() == [0, 3, 6, 9]
        assert total == 6


def test_one_instance_may_store_anywhere():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[0, cols] = x[r, cols]

    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    y = everywhere(kernel, x[:1].copy(), np.zeros((1, 4), np.float32))
    np.testing.assert_array_equal(y, x[:1])
    refused("K091", kernel, x, np.zeros((1, 4), np.float32))


def test_overlapping_rows_may_be_read():
    x = np.arange(9, dtype=np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x, 4)
    y = np.zeros(windows.shape, np.float32)
    copied(windows, y)
    np.testing.assert_array_equal(y, windows)


def test_overlapping_rows_are_not_stored_to():
    @ct.tile_kernel
    def kernel(x: ct.InOut):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            x[r, cols] = x[r, cols] + 1

    memory = np.zeros(4, np.float32)
    for start, step in ((0, 4), (3, -4)):
        view = np.lib.stride_tricks.as_strided(memory[start:], (3, 2), (step, step))
        assert "share memory" in refused("A204", kernel, view)
    assert memory.tolist() == [0, 0, 0, 0]


def test_an_array_at_any_byte():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for start in range(4):
        memory = np.zeros(x.nbytes + 8, np.uint8)
        y = memory[start : start + x.nbytes].view(np.float32).reshape(3, 4)
        copied(x, y)
        np.testing.assert_array_equal(y, x)
        assert not memory[start + x.nbytes :].any()
