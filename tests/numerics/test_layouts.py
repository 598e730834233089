"""Arrays of unusual layout, rank or size: strides, rows, tails, empty and aliased arrays."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
import torch

import certile as ct
from certile import ops


def test_reversed_arrays() -> None:
    x = np.arange(1, 32769, dtype=np.float32).reshape(2, 1024, 16)[::-1]
    y = ops.sum(x, axis=1)
    assert y[1, :4].tolist() == [8381440, 8382464, 8383488, 8384512]
    assert y[0, :4].tolist() == [25158656, 25159680, 25160704, 25161728]
    flipped = x[..., ::-1]
    np.testing.assert_allclose(ops.silu(flipped), flipped / (1 + np.exp(-flipped)), rtol=1e-6)
    np.testing.assert_array_equal(ops.max(flipped, axis=-1), flipped.max(axis=-1))


def test_broadcast_rows() -> None:
    r = np.broadcast_to(np.array([1, 0, 2, 1, 3, 0, 4, 0], np.float32), (16, 8))
    assert (ops.argmax(r, axis=-1) == 6).all()
    wanted = [0.0300, 0.0110, 0.0816, 0.0300, 0.2219, 0.0110, 0.6032, 0.0110]
    np.testing.assert_allclose(ops.softmax(r), np.tile(wanted, (16, 1)), atol=5e-5)
    with pytest.raises(ct.ArgumentError):
        ops.softmax(r, out=r)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (2, 3, 5)])
def test_every_order_of_dimensions(shape: tuple[int, ...]) -> None:
    plain = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    for x in (plain, plain.T, np.asfortranarray(plain), np.swapaxes(plain, 0, -1)):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        np.testing.assert_allclose(ops.softmax(x), e / e.sum(axis=-1, keepdims=True), rtol=1e-6)
        out = np.empty(x.shape[::-1], np.float32).T
        ops.silu(x, out=out)
        np.testing.assert_allclose(out, x / (1 + np.exp(-x)), rtol=1e-6)


def test_axes_that_do_not_lie_together() -> None:
    x = np.random.default_rng(2).standard_normal((3, 4, 5, 6), dtype=np.float32)
    for axis in ((0, 2), (1, 3), (0, 3), (0, 1, 2, 3)):
        for keepdims in (False, True):
            found = ops.sum(x, axis=axis, keepdims=keepdims)
            np.testing.assert_allclose(found, x.sum(axis=axis, keepdims=keepdims), rtol=2e-5)
    assert ops.argmax(x) == x.argmax()
    np.testing.assert_allclose(
        ops.layer_norm(x, axis=(-2, -1))[1, 2],
        ops.layer_norm(x[1, 2].reshape(1, -1)).reshape(5, 6),
        rtol=1e-6,
    )


@pytest.mark.parametrize(("row", "stride"), [(319, 7864320), (63, 67108864)])
def test_offsets_beyond_32_bits(row: int, stride: int) -> None:
    # Pages that nobody touches cost nothing: 2.5 or 4.2 GB of addresses, a few pages of memory.
    pages = mmap.mmap(-1, row * stride + 64, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    room = np.frombuffer(pages, np.uint8)
    assert row * stride > 2**31
    room[row * stride] = 37
    x = np.lib.stride_tricks.as_strided(room, (row + 1, 8), (stride, 1))
    sums = ops.sum(x, axis=1)
    assert sums[row] == 37
    assert sums.sum() == 37


@pytest.mark.parametrize("rows", [65535, 65536, 65537, 10923 * 6])
def test_many_rows_of_one_element(rows: int) -> None:
    x = np.arange(rows, dtype=np.float32)[:, None]
    np.testing.assert_array_equal(ops.sum(x, axis=1), x[:, 0])
    assert (ops.softmax(x) == 1).all()


@pytest.mark.parametrize(
    "length", [1, 2, 3, 31, 32, 33, 127, 129, 257, 769, 1025, 1536, 4097, 65537]
)
def test_lengths_that_are_no_power_of_two(length: int) -> None:
    for rows in (1, 3, 257):
        x = np.ones((rows, length), np.float32)
        assert (ops.sum(x, axis=1) == length).all()
        np.testing.assert_allclose(ops.softmax(x), 1 / length, rtol=1e-6)
        assert (ops.layer_norm(x) == 0).all()


@pytest.mark.parametrize("length", [*range(1, 129), 131072, 131073])
def test_softmax_of_rows_shorter_and_longer_than_a_block(length: int) -> None:
    x = np.cos(np.arange(length, dtype=np.float32))[None]
    e = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(ops.softmax(x), e / e.sum(), rtol=1e-6)
    if length == 1:
        assert ops.softmax(x)[0, 0] == 1


@ct.tile_kernel
def without_mask_kernel(x: ct.View, y: ct.View) -> None:
    blocks, cols = ct.axis("blocks", y.shape[0]), ct.axis("cols", 4)
    for b in ct.parallel(blocks):
        y[b] = ct.reduce(x.tile(ct.coord(b * 4), ct.shape(cols)).load(), cols, ct.add)


@ct.tile_kernel
def with_mask_kernel(x: ct.View, y: ct.View) -> None:
    blocks, cols = ct.axis("blocks", y.shape[0]), ct.axis("cols", 4)
    for b in ct.parallel(blocks):
        tile = x.tile(ct.coord(b * 4), ct.shape(cols), bounds="zero").load()
        y[b] = ct.reduce(tile, cols, ct.add)


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_a_missing_mask_is_an_error(target: str) -> None:
    x, y = np.arange(5, dtype=np.float32), np.full(2, 7, np.float32)
    with ct.target(target):
        with pytest.raises(ct.CertileError):
            without_mask_kernel(x, y)
        with_mask_kernel(x, y)
    assert y.tolist() == [6, 4]


def test_empty_arrays() -> None:
    def empty(*shape: int) -> np.ndarray:
        return np.empty(shape, np.float32)

    assert ops.softmax(empty(0, 5)).shape == (0, 5)
    assert ops.softmax(empty(5, 0)).shape == (5, 0)
    assert ops.sum(empty(5, 0), axis=1).tolist() == [0] * 5
    assert np.isnan(ops.mean(empty(5, 0), axis=1)).all()
    assert (ops.logsumexp(empty(5, 0)) == -np.inf).all()
    assert ops.argmin(empty(0, 3), axis=1).shape == (0,)
    assert ops.layer_norm(empty(0, 3)).shape == (0, 3)
    assert ops.gelu(empty(0)).shape == (0,)
    assert ops.cross_entropy(empty(0, 3), np.empty(0, np.int64), reduction="none").shape == (0,)
    for op in (ops.max, ops.min, ops.argmax, ops.argmin):
        with pytest.raises(ValueError, match="without elements"):
            op(empty(5, 0), axis=1)


def test_arrays_without_dimensions() -> None:
    scalar = np.array(2.5, np.float32)
    assert ops.softmax(scalar) == 1
    assert ops.softmax(np.float32(2.5)) == 1
    assert ops.sum(ops.sum(scalar)) == scalar
    assert ops.log_softmax(scalar) == 0
    assert ops.sum(scalar) == scalar
    assert ops.silu(torch.tensor(0.0)).shape == ()
    with pytest.raises(ct.ArgumentError, match="normalises along an axis"):
        ops.layer_norm(scalar)


@ct.tile_kernel
def flip_kernel(x: ct.View, y: ct.View) -> None:
    one, cols = ct.axis("one", 1), ct.axis("cols", x.shape[0])
    for _ in ct.parallel(one):
        y[cols] = x[x.shape[0] - 1 - ct.iota(cols)]


@ct.tile_kernel
def in_turn_kernel(a: ct.View, y: ct.View) -> None:
    one, cols = ct.axis("one", 1), ct.axis("cols", a.shape[0])
    for _ in ct.parallel(one):
        b = a[cols] + 1.0
        a[cols] = b
        c = a[cols] + 2.0
        y[cols] = a[cols] * b / c


def test_results_written_into_inputs() -> None:
    a = np.arange(1, 6, dtype=np.float32)
    flip_kernel(a, a)
    assert a.tolist() == [5, 4, 3, 2, 1]
    a = np.arange(1, 5, dtype=np.float32)
    y = np.empty_like(a)
    in_turn_kernel(a, y)
    np.testing.assert_allclose(y, [1, 1.8, 8 / 3, 25 / 7], rtol=1e-6)


def test_an_output_may_be_the_input_but_not_overlap_it() -> None:
    room = np.random.default_rng(3).standard_normal((9, 33), dtype=np.float32)
    x = room[:8].copy()
    wanted = ops.softmax(x)
    ops.softmax(x, out=x)
    np.testing.assert_array_equal(x, wanted)
    flat = room.ravel()
    for op in (ops.softmax, ops.gelu):
        before = flat.copy()
        with pytest.raises(ct.ArgumentError, match="shares memory"):
            op(flat[:-1], out=flat[1:])
        np.testing.assert_array_equal(flat, before)
    long = np.zeros(2 * 10007 + 1, np.float32)
    with pytest.raises(ct.ArgumentError, match="shares memory"):
        ops.gelu(long[:10007], out=long[9000:19007])
    evens, odds = long[::2][:10007], long[1::2][:10007]
    ops.gelu(evens, out=odds)
    assert (odds == 0).all()


@pytest.mark.parametrize("op", [ops.softmax, ops.rms_norm])
def test_batches_of_single_rows(op: object) -> None:
    x = np.random.default_rng(4).standard_normal((3, 2, 1, 8), dtype=np.float32)
    order = [2, 0, 1]
    whole = op(x)
    np.testing.assert_array_equal(op(x[order]), whole[order])
    for at in range(3):
        np.testing.assert_array_equal(op(x[at : at + 1]), whole[at : at + 1])
