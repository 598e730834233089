"""Operations on arrays of MLX beside MLX's own."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest

from certile import ops
from certile.ops.native import native


def made(*shape: int, seed: int = 0) -> object:
    return mx.array(np.random.default_rng(seed).standard_normal(shape, dtype=np.float32))


def same(found: object, wanted: object) -> None:
    assert isinstance(found, mx.array)
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=2e-5, atol=2e-6)


REDUCED = ("sum", "mean", "max", "min", "argmax", "argmin", "logsumexp", "var", "std")
ALONG = ("softmax", "log_softmax", "l2_norm", "rms_norm", "layer_norm", "silu", "gelu", "cumsum")


@pytest.mark.parametrize("op", [*REDUCED, *ALONG, "cummax"])
def test_one_array(op: str) -> None:
    x = made(5, 33)
    options = {"axis": -1} if op in REDUCED else {}
    same(getattr(ops, op)(x, **options), native(op, "mlx").usual(x))


def test_several_arrays() -> None:
    x, up, weight, labels = made(4, 32), made(4, 32, seed=1), made(32), mx.array([0, 31, 5, 7])
    same(ops.swiglu(x, up), native("swiglu", "mlx").usual(x, up))
    same(ops.rms_norm(x, weight), native("rms_norm", "mlx").usual(x, weight))
    same(ops.embedding(x, labels % 4), x[labels % 4])
    losses = native("cross_entropy", "mlx").usual(x, labels)
    same(ops.cross_entropy(x, labels, reduction="none"), losses)
    same(ops.cross_entropy(x, labels), mx.mean(losses))
    same(ops.cross_entropy(x, labels, reduction="sum"), mx.sum(losses))
    same(ops.group_norm(x, 4), native("group_norm", "mlx").usual(x, 4))
    cos, sin = mx.cos(up[:, :16]), mx.sin(up[:, :16])
    same(ops.rope(x, cos, sin), native("rope", "mlx").usual(x, cos, sin))


def test_rope_turns_the_pairs_that_mlx_turns() -> None:
    x = made(2, 3, 6, 8)
    angles = np.arange(6)[:, None] * 10000.0 ** (-np.arange(4) / 4)
    cos, sin = (mx.array(f(angles).astype(np.float32)) for f in (np.cos, np.sin))
    for interleaved in (False, True):
        wanted = mx.fast.rope(x, 8, traditional=interleaved, base=10000.0, scale=1.0, offset=0)
        found = ops.rope(x, cos, sin, interleaved=interleaved)
        np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), atol=1e-5)


def test_lazy_and_strided_arrays() -> None:
    x = made(6, 8)
    same(ops.sum((x * 2)[1:].T, 0), mx.sum((x * 2)[1:].T, 0))
    narrow = x.astype(mx.bfloat16)
    assert ops.softmax(narrow).dtype == mx.bfloat16
    codes, scales = ops.quantize_rows(x)
    wanted, scale = native("quantize_rows", "mlx").usual(x)
    np.testing.assert_array_equal(np.asarray(codes), np.asarray(wanted))
    same(scales, scale)
