"""Rows of a table and rotations of pairs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import certile as ct
from certile import ops


@pytest.fixture(params=("cpu", "reference"), autouse=True)
def on_target(request: pytest.FixtureRequest):
    with ct.target(request.param):
        yield request.param


TABLE = np.random.default_rng(0).standard_normal((11, 37), dtype=np.float32)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4"])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (4, 1, 2)])
def test_rows_by_index(shape: tuple[int, ...], dtype: str) -> None:
    indices = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 % 11).astype(dtype)
    np.testing.assert_array_equal(ops.embedding(TABLE, indices), TABLE[indices])


def test_elements_are_copied_whatever_they_are() -> None:
    indices = np.array([2, 0, 2])
    for dtype in ("f2", "f8", "i1", "i8", "u2", "?"):
        table = (TABLE * 9).astype(dtype)
        found = ops.embedding(table, indices)
        assert found.dtype == table.dtype
        np.testing.assert_array_equal(found, table[indices])
    special = np.array([[np.nan, np.inf, -0.0, 1e-45]], np.float32)
    found = ops.embedding(special, np.zeros(1, np.int64))
    np.testing.assert_array_equal(found.view(np.uint32), special.view(np.uint32))


def test_tables_of_any_layout() -> None:
    indices = np.array([[3, 1], [0, 3]])
    for table in (TABLE.T, TABLE[::-1, ::2], np.broadcast_to(TABLE[:1], (5, 37))):
        np.testing.assert_array_equal(ops.embedding(table, indices), table[indices])
        np.testing.assert_array_equal(ops.embedding(table, indices.T), table[indices.T])


@pytest.mark.parametrize("wrong", [11, -1, 2**31, -(2**63)])
@pytest.mark.parametrize("place", [0, 1, 6])
def test_an_index_out_of_range_writes_nothing(wrong: int, place: int) -> None:
    indices = np.zeros(7, np.int64)
    indices[place] = wrong
    out = np.full((7, 37), 5, np.float32)
    with pytest.raises(ct.ArgumentError, match=f"{wrong} at \\({place},\\)"):
        ops.embedding(TABLE, indices, out=out)
    assert (out == 5).all()


def test_embedding_like_pytorch() -> None:
    table, indices = torch.from_numpy(TABLE), torch.tensor([[1, 10], [0, 1]])
    for padding in (None, 0, -1):
        wanted = torch.nn.functional.embedding(indices, table, padding_idx=padding)
        assert torch.equal(ops.embedding(table, indices, padding_idx=padding), wanted)
    assert ops.embedding(table, indices[:, :0]).shape == (2, 0, 37)
    assert ops.embedding(table[:0], indices[:0]).shape == (0, 2, 37)
    found = ops.embedding(table.clone().requires_grad_(), indices)
    with pytest.raises(ct.UnsupportedError):
        found.sum().backward()


def turned(x: np.ndarray, cos: np.ndarray, sin: np.ndarray, interleaved: bool) -> np.ndarray:
    """Multiply complex numbers, which is what a rotation is."""
    half = x.shape[-1] // 2
    first = np.s_[..., ::2] if interleaved else np.s_[..., :half]
    second = np.s_[..., 1::2] if interleaved else np.s_[..., half:]
    product = (x[first].astype(np.float64) + 1j * x[second]) * (cos.astype(np.float64) + 1j * sin)
    y = np.empty(x.shape)
    y[first], y[second] = product.real, product.imag
    return y


def angles(*shape: int) -> tuple[np.ndarray, np.ndarray]:
    made = np.random.default_rng(5).uniform(0, 6, shape).astype(np.float32)
    return np.cos(made), np.sin(made)


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize(
    ("shape", "angle_shape"),
    [
        ((2,), (1,)),
        ((6, 8), (6, 4)),
        ((2, 3, 6, 8), (6, 4)),
        ((2, 6, 3, 8), (6, 1, 4)),
        ((2, 6, 3, 10), (2, 6, 1, 5)),
        ((2, 3, 6, 66), (2, 1, 6, 33)),
        ((4, 2), (1, 1)),
    ],
)
def test_rotations(shape: tuple[int, ...], angle_shape: tuple[int, ...], interleaved: bool) -> None:
    x = np.random.default_rng(6).standard_normal(shape, dtype=np.float32)
    cos, sin = angles(*angle_shape)
    wanted = turned(x, cos, sin, interleaved)
    found = ops.rope(x, cos, sin, interleaved=interleaved)
    np.testing.assert_allclose(found, wanted, atol=1e-6)
    in_place = x.copy()
    assert ops.rope(in_place, cos, sin, interleaved=interleaved, out=in_place) is in_place
    np.testing.assert_array_equal(in_place, found)


def test_rotations_of_any_layout() -> None:
    x = np.random.default_rng(7).standard_normal((6, 8, 5), dtype=np.float32)
    cos, sin = angles(5, 3)
    for laid_out in (
        x.transpose(1, 2, 0),
        x.transpose(1, 2, 0)[::-1],
        x.transpose(1, 2, 0)[..., ::-1],
    ):
        out = np.empty(laid_out.shape[::-1], np.float32).T
        ops.rope(laid_out, cos, sin, out=out)
        np.testing.assert_allclose(out, turned(laid_out, cos, sin, False), atol=1e-6)
    half = x.transpose(1, 2, 0).astype(np.float16)
    found = ops.rope(half, cos, sin, interleaved=True)
    assert found.dtype == np.float16
    exact = turned(half, cos, sin, True)
    np.testing.assert_allclose(found, exact, rtol=2**-10, atol=1e-3)


def test_heads_and_positions_are_not_mixed_up() -> None:
    """With as many heads as positions only the place of the angles' axis tells them apart."""
    x = np.random.default_rng(8).standard_normal((3, 3, 4), dtype=np.float32)
    cos, sin = angles(3, 2)
    by_position = ops.rope(x, cos[:, None], sin[:, None])
    np.testing.assert_allclose(by_position[1], ops.rope(x[1], cos[1], sin[1]), atol=1e-7)
    by_last = ops.rope(x, cos, sin)
    np.testing.assert_allclose(by_last[:, 1], ops.rope(x[:, 1], cos[1], sin[1]), atol=1e-7)
