"""Shapes, strides, views and frameworks of jitted functions; the oracle is NumPy itself."""

import itertools

import numpy as np
import pytest

import certile as ct

SHAPES = [(), (1,), (4,), (3, 4), (3, 1), (2, 3, 4), (2, 1, 1), (2, 2, 3, 4), (0, 4), (3, 0)]


@ct.jit(target="reference")
def combined(x, y):
    return x * 2 - y


def numbers(shape, dtype="f4", seed=0):
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


@pytest.mark.parametrize(("a", "b"), list(itertools.product(SHAPES, SHAPES)))
def test_shapes_broadcast_as_numpys_do(a, b):
    x, y = numbers(a), numbers(b, seed=1)
    try:
        wanted = combined.function(x, y)
    except ValueError:
        with pytest.raises(ct.KernelError, match="K053"):
            combined(x, y)
        return
    np.testing.assert_array_equal(combined(x, y), wanted, strict=True)


@pytest.mark.parametrize("shape", [(), (1,), (70,), (3, 5), (4, 1, 6), (2, 3, 4, 5), (300, 9)])
def test_compiled_reductions_over_any_axes(shape):
    @ct.jit
    def f(x, y):
        last = (x - x.max(axis=axes, keepdims=True)) * y
        return last, x.sum(axis=axes), (x * y).min(axis=axes), (last + y).sum(axis=axes)

    x, y = numbers(shape), numbers(shape, seed=1)
    for axes in (None, -1, 0, tuple(range(len(shape)))[1:]):
        if not shape and axes in (0, -1):
            continue
        for ours, theirs in zip(f(x, y), f.function(x, y), strict=True):
            np.testing.assert_array_equal(ours, theirs, strict=True)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::-1],
        lambda x: x[:, ::-1],
        lambda x: x.T,
        lambda x: x[1::2, 3:],
        lambda x: x[:, 5],
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x[1:-1, 1:-1],
        lambda x: x.reshape(4, 3, 10).transpose(1, 0, 2),
    ],
)
def test_arguments_of_any_strides(view):
    @ct.jit
    def f(x):
        centred = x - x.mean(axis=-1, keepdims=True) if x.ndim else x
        return centred, x.sum(axis=0), x[..., ::-1] + 1, x.T * 2

    x = view(numbers((12, 10), "f8"))
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15, atol=1e-14)


def test_one_alignment_class_holds_addresses_that_slices_align_differently():
    @ct.jit
    def f(x):
        return x[4:] + x[:-4]

    memory = np.arange(400, dtype="f4")
    first = -memory.ctypes.data % 64 // 4
    for start in range(first, first + 64, 4):
        x = memory[start : start + 200]
        np.testing.assert_array_equal(f(x), x[4:] + x[:-4])


def test_views_share_the_memory_of_what_they_are_views_of():
    @ct.jit
    def f(x):
        t = x * 2
        row, column, number = t[0], t.T[1], t[0, 0]
        t += 1
        row[1:] = -5
        copied = t.copy()
        column *= 10
        return t, row, column, number, copied

    x = numbers((3, 4))
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_functions_of_numpy():
    @ct.jit
    def f(x, y):
        return (
            np.where(x > 0, x, 0.5),
            np.clip(x, -1, y),
            np.expand_dims(x, (0, 3)),
            np.squeeze(x[:, :1]),
            np.swapaxes(x, 0, 2),
            np.moveaxis(x, 0, -1),
            np.flip(x, (0, 2)),
            np.broadcast_to(x[0], x.shape),
            x.reshape(2, 1, 3, 4),
            np.add.reduce(x),
            np.maximum.reduce(x, axis=-1, keepdims=True),
            np.add.accumulate(x, axis=1),
            np.ptp(x, axis=1),
            np.full_like(x, 7),
            np.zeros_like(x, dtype=np.int32),
            np.square(x) + np.fabs(y) - np.rint(x / 3),
            np.add(x, y, out=np.ones_like(x)),
            x.clip(min=0).round().astype(np.int16),
            np.isnan(x) | np.isfinite(y),
            np.prod(x[:2, 0], axis=0),
            x[1, ..., 2],
            x[:, None, -1],
        )

    x, y = numbers((2, 3, 4), "f8"), numbers((3, 4), "f8", 1)
    for at, (ours, theirs) in enumerate(zip(f(x, y), f.function(x, y), strict=True)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15, err_msg=str(at), strict=True)


def test_running_results():
    @ct.jit
    def f(x, i):
        return (
            np.maximum.accumulate(x, axis=1),
            np.minimum.accumulate(x),
            np.multiply.accumulate(x, axis=2),
            np.add.accumulate(i, 1, "f4"),
            np.cumprod(i, axis=1),
            i[0].cumprod(),
            np.maximum.accumulate(i, axis=-1),
            np.minimum.accumulate(i > 0, axis=1),
        )

    x = numbers((4, 5, 6), "f8")
    x[1, 2, 3] = np.nan
    i = np.arange(-7, 8, dtype="i2").reshape(3, 5)
    for at, (ours, theirs) in enumerate(zip(f(x, i), f.function(x, i), strict=True)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-14, err_msg=str(at), strict=True)


def test_an_empty_array_is_written_in_parts():
    @ct.jit
    def turned(x, cos, sin):
        half = x.shape[-1] // 2
        a, b = x[..., :half], x[..., half:]
        made = np.empty_like(x)
        made[..., :half] = a * cos - b * sin
        made[..., half:] = b * cos + a * sin
        return made

    x, angle = numbers((2, 5, 8), "f8"), numbers((5, 4), "f8", 1)
    given = x, np.cos(angle), np.sin(angle)
    np.testing.assert_allclose(turned(*given), turned.function(*given), rtol=1e-14, strict=True)


def test_elements_without_number():
    @ct.jit
    def f(x):
        return x.sum(axis=1), x.prod(axis=1), x.any(axis=1), x.all(axis=1), x.mean(axis=1), x + 1

    x = np.empty((3, 0), "f4")
    with pytest.warns(RuntimeWarning):
        wanted = f.function(x)
    for ours, theirs in zip(f(x), wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_long_chains():
    @ct.jit(target="reference")
    def f(x):
        for at in range(500):
            x = x + at if at % 3 else x * 0.5
        return x

    x = numbers(5, "f8")
    np.testing.assert_allclose(f(x), f.function(x), rtol=1e-14)


def test_one_launch_where_rows_are_shared():
    @ct.jit
    def f(x, scale):
        shifted = np.exp(x - x.max(axis=-1, keepdims=True))
        return shifted / shifted.sum(axis=-1)[:, None] * scale, x.mean(axis=-1)

    text = f.explain(numbers((6, 50)), 2.0)
    assert "f: 1 launch\nlaunch 1: rows 6, columns 50" in text


def test_large_arrays_are_reduced_in_parts():
    @ct.jit
    def f(x):
        return x.sum(), x.max(axis=(0, 2)), (x - x.min()).sum(axis=(1, 2))

    x = numbers((64, 2, 1100), "f8")
    assert "launch 1: rows 64, columns 2200\n" in f.explain(x)
    for ours, theirs in zip(f(x), f.function(x), strict=True):
        np.testing.assert_array_equal(ours, theirs, strict=True)


def test_a_launch_for_each_way_to_go():
    @ct.jit
    def f(x):
        return (x - x.mean(axis=0)) / x.std(axis=1, keepdims=True)

    x = numbers((6, 5), "f8")
    assert f.explain(x).startswith("f: 2 launches")
    np.testing.assert_allclose(f(x), f.function(x), rtol=1e-13)


def test_results_are_of_the_first_arrays_framework():
    import torch

    @ct.jit
    def f(x, y):
        return x + y, x.sum(axis=1), x.var(axis=1)

    x, y = numbers((3, 4)), numbers(4, seed=1)
    ours = f(torch.from_numpy(x), y)
    assert all(isinstance(each, torch.Tensor) for each in ours)
    np.testing.assert_array_equal(ours[0].numpy(), x + y)
    torch.testing.assert_close(ours[2], torch.from_numpy(x).var(dim=1))
    assert isinstance(f(y[None], torch.from_numpy(x))[0], np.ndarray)


def test_gradients_are_refused_and_not_zero():
    import torch

    @ct.jit
    def double(x):
        return x * 2

    x = torch.ones(3, requires_grad=True)
    with pytest.raises(ct.UnsupportedError, match="U503"):
        double(x).sum().backward()


def test_mlx_arrays():
    import mlx.core as mx

    @ct.jit
    def f(x):
        return x - x.mean(axis=-1, keepdims=True), x.argmax(axis=-1)

    centred, place = f(mx.array([[1.0, 2.0, 6.0]]))
    assert centred.tolist() == [[-2, -1, 3]]
    assert place.dtype == mx.uint32
