"""The kernels that the tests of this folder launch: few, since each is compiled once a mode."""

from contextlib import contextmanager

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import CertileError
from certile.runtime.metal import context, fake


@ct.tile_kernel
def softmax(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def plus(x: ct.View[ct.f32, 1], y: ct.View[ct.f32, 1], number: ct.f32):
    items = ct.axis("items", x.shape[0])
    for i in ct.parallel(items):
        y[i] = x[i] + number


@ct.tile_kernel
def two_launches(x: ct.View[ct.f32, 1], y: ct.View[ct.f32, 1], z: ct.View[ct.f32, 1]):
    few, many = ct.axis("few", x.shape[0]), ct.axis("many", y.shape[0])
    for i in ct.parallel(few):
        x[i] = 1.0
    for i in ct.parallel(many):
        z[i] = y[i] + 1.0


@ct.tile_kernel
def twice(x: ct.View[ct.f32, 1], between: ct.View[ct.f32, 1], y: ct.View[ct.f32, 1]):
    items = ct.axis("items", x.shape[0])
    for i in ct.parallel(items):
        between[i] = x[i] + 1.0
    for i in ct.parallel(items):
        y[i] = between[i] * 2.0


@ct.tile_kernel
def first_half(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 2]):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1] // 2)
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


@ct.tile_kernel(math="fast")
def fast_exp(x: ct.View[ct.f32, 1], y: ct.View[ct.f32, 1]):
    items = ct.axis("items", x.shape[0])
    for i in ct.parallel(items):
        y[i] = ct.exp(x[i])


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def exact_softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def is_softmax(y, x):
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-6, rtol=1e-5)


def at_page(count, dtype=np.float32):
    """An array that starts at a page, as `certile.ops` makes its large results."""
    import mmap

    size = -(-count * np.dtype(dtype).itemsize // mmap.PAGESIZE) * mmap.PAGESIZE
    return np.frombuffer(mmap.mmap(-1, size), dtype)[:count]


def beside_a_page(count, dtype=np.float32):
    """An array that starts one element after a page, which Metal does not lend."""
    return at_page(count + 1, dtype)[1:]


@contextmanager
def on_fake(*faults, offline=None, **figures):
    """Give a device that runs on the CPU, with the target `metal` chosen."""
    device = fake.FakeDevice(faults, **figures)
    with context.use(device, offline), ct.target("metal"):
        yield device


def refused(code, call):
    """Call what is refused with a code; return the error."""
    with pytest.raises(CertileError) as caught:
        call()
    assert caught.value.code == code
    return caught.value
