"""Arrays of MLX: read where they lie, made for results, and refused where they have no elements."""

import gc
import json
import subprocess
import sys
import threading
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

import certile as ct
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.runtime import arrays, mlx_memory
from certile.runtime.arrays import describe, probe, signature

DTYPES = {
    "bool": mx.bool_, "i8": mx.int8, "i16": mx.int16, "i32": mx.int32, "i64": mx.int64,
    "u8": mx.uint8, "u16": mx.uint16, "u32": mx.uint32, "u64": mx.uint64, "f16": mx.float16,
    "bf16": mx.bfloat16, "f32": mx.float32, "f64": mx.float64,
}  # fmt: skip
MB = 1 << 20


@ct.tile_kernel
def doubled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


def address(array):
    """The address by another way than the code under test: NumPy's view of the buffer."""
    plain = array.view(mx.uint16) if array.dtype == mx.bfloat16 else array
    return np.asarray(plain).__array_interface__["data"][0]


def numbers(*shape, dtype=mx.float32):
    return mx.array(np.random.default_rng(3).standard_normal(shape).astype(np.float32), dtype)


def exact(array):
    return np.asarray(array.astype(mx.float32)).astype(np.float64)


@pytest.mark.parametrize("name", DTYPES)
def test_element_types(name):
    array = mx.zeros((3, 4), DTYPES[name], stream=mx.cpu)
    info = describe(array)
    assert (info.dtype, info.shape, info.strides) == (name, (3, 4), (4, 1))
    assert info.itemsize == array.itemsize
    assert (info.framework, info.device, info.readonly) == ("mlx", "cpu", False)
    assert info.address == address(array) == probe(array)[1]


LAYOUTS = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "steps": lambda a: a[::2, 1::3],
    "backwards": lambda a: a[::-1, ::-1],
    "row": lambda a: a[2],
    "column": lambda a: a[:, 3],
    "scalar": lambda a: a[2, 3],
    "empty": lambda a: a[:0],
    "expanded": lambda a: mx.broadcast_to(a[:1], (5, 8)),
    "moved": lambda a: mx.moveaxis(a.reshape(2, 3, 8), 0, 2),
    "strided": lambda a: mx.as_strided(a, (3, 2), (8, 2), 5),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["f32", "bf16", "u8"])
def test_layouts_are_read_as_they_are(layout, name):
    whole = mx.arange(48).reshape(6, 8).astype(DTYPES[name])
    array = LAYOUTS[layout](whole)
    info = describe(array)
    seen = memoryview(array)
    assert info.shape == tuple(seen.shape)
    if info.size:
        assert tuple(s * info.itemsize for s in info.strides) == seen.strides
        assert info.address == address(array) == probe(array)[1]
    assert signature(array) == signature(array)
    if layout in ("whole", "transposed", "steps", "expanded", "strided"):
        assert arrays.overlap(info, describe(whole)) != "none"


@pytest.mark.parametrize("layout", [k for k in LAYOUTS if k not in ("row", "column", "scalar")])
@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16])
def test_kernels_read_lazy_arrays_of_any_layout(layout, dtype):
    x = LAYOUTS[layout](numbers(6, 8, dtype=dtype) + 1)
    if x.ndim != 2:
        x = x.reshape(x.shape[0], -1)
    y = mx.zeros(x.shape)
    for _ in range(2):
        doubled(x, y)
        np.testing.assert_array_equal(exact(y), exact(x) * 2)
        x = x + 1


def test_nothing_is_copied(monkeypatch):
    """The kernel gets the addresses of the buffers, and MLX allocates nothing meanwhile."""
    x, y = numbers(64, 128), mx.zeros((64, 128))
    mx.eval(x, y)
    where = address(x), address(y)
    doubled(x, y)
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    words = []
    launcher = next(iter(doubled._sites[doubled._last[0]].launchers.values()))
    call = type(launcher).__call__
    monkeypatch.setattr(type(launcher), "__call__", lambda s, w: (words.append(w), call(s, w)))
    doubled(x, y)
    assert tuple(words[0]) == where
    assert mx.get_peak_memory() <= before
    assert (address(x), address(y)) == where
    np.testing.assert_array_equal(exact(y), exact(x) * 2)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
def test_operations_answer_in_mlx(dtype):
    x = numbers(7, 33, dtype=dtype)
    y = ct.ops.softmax(x)
    assert type(y) is mx.array
    assert (y.dtype, y.shape) == (dtype, x.shape)
    e = np.exp(exact(x) - exact(x).max(-1, keepdims=True))
    tolerance = 1e-6 if dtype == mx.float32 else 2.0**-8
    np.testing.assert_allclose(exact(y), e / e.sum(-1, keepdims=True), rtol=tolerance)
    out = mx.zeros((7, 33), dtype)
    assert ct.ops.softmax(x, out=out) is out
    assert mx.array_equal(out, y)
    # The buffers may change hands between results, the results may not change.
    kept = [ct.ops.softmax(x * k) for k in range(4)]
    assert mx.array_equal(kept[1], y)


def test_results_without_dimensions_are_arrays():
    x = numbers(4, 5)
    total = ct.ops.sum(x)
    assert type(total) is mx.array
    assert total.shape == ()
    np.testing.assert_allclose(exact(total), exact(x).sum(), rtol=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_of_mlx(reduction):
    logits, labels = numbers(6, 9), mx.array([0, 8, 3, 3, 1, 7])
    e = exact(logits)
    rows = np.log(np.exp(e).sum(-1)) - e[np.arange(6), [0, 8, 3, 3, 1, 7]]
    loss = ct.ops.cross_entropy(logits, labels, reduction=reduction)
    assert type(loss) is mx.array
    wanted = {"mean": rows.mean(), "sum": rows.sum(), "none": rows}[reduction]
    np.testing.assert_allclose(exact(loss), wanted, rtol=1e-5)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (3, 0), (5, 7), (300, 700), (4, MB + 1)])
def test_empty_results(name, shape):
    result = arrays.empty_like_framework("mlx", shape, name)
    assert (result.shape, result.dtype) == (shape, DTYPES[name])
    info = describe(result)
    assert (info.framework, info.dtype) == ("mlx", name)
    arrays.check_output(info, "y")
    other = arrays.empty_like_framework("mlx", shape, name)
    assert not info.size or arrays.overlap(info, describe(other)) == "none"


def refused(*_arguments, **_more):
    raise ValueError("not in this version")


@pytest.fixture
def without_loading(monkeypatch):
    """Let MLX be a version that reads no array from an object."""
    mlx_memory._reads.cache_clear()
    monkeypatch.setattr(mx, "load", refused)
    yield
    mlx_memory._reads.cache_clear()


def test_versions_without_an_empty_array(monkeypatch, without_loading):
    monkeypatch.delattr(mx, "empty", raising=False)
    result = arrays.empty_like_framework("mlx", (2, MB), "bf16")
    assert (result.shape, result.dtype) == ((2, MB), mx.bfloat16)


def test_versions_that_read_no_array_from_an_object(without_loading):
    assert mlx_memory.unfilled((2, 3), "f32") is None
    x = numbers(1024, 1024)
    np.testing.assert_array_equal(
        exact(ct.ops.silu(x)), exact(ct.ops.silu(x, out=mx.zeros_like(x)))
    )


def test_large_results_are_not_filled(monkeypatch):
    for name in ("empty", "zeros", "full"):
        monkeypatch.setattr(mx, name, refused, raising=False)
    x = numbers(1024, 1024)
    softmax = ct.ops.softmax(x)
    e = np.exp(exact(x))
    np.testing.assert_allclose(exact(softmax), e / e.sum(-1, keepdims=True), rtol=2e-6)
    # Where its memory is MLX's own like any other's, MLX may compute in it.
    again = mx.exp(softmax + 1)
    del softmax
    np.testing.assert_allclose(exact(again), np.exp(e / e.sum(-1, keepdims=True) + 1), rtol=1e-6)


def test_nothing_is_read_of_the_elements_of_a_blank_file():
    file = mlx_memory._Blank((3, 2), 24, "f32")
    held = bytearray(b"\7" * 2 * MB)
    end = file.seek(0, 2)
    file.seek(0)
    assert file.readinto(held) == end
    length = int.from_bytes(held[:8], "little")
    assert json.loads(held[8 : 8 + length]) == {
        "elements": {"dtype": "F32", "shape": [3, 2], "data_offsets": [0, 24]}
    }
    assert end == 8 + length + 24
    assert set(held[8 + length :]) == {7}
    assert file.readinto(held) == 0


def test_results_of_a_thread_and_of_a_gpu(monkeypatch):
    made = []
    thread = threading.Thread(
        target=lambda: made.append(arrays.empty_like_framework("mlx", (2, MB), "f32"))
    )
    thread.start()
    thread.join()
    assert made[0].shape == (2, MB)
    monkeypatch.setattr(mx, "default_device", lambda: mx.gpu)
    assert mlx_memory.unfilled((2, MB), "f32") is None


def test_overlaps_and_outputs():
    whole = numbers(8, 8)
    mx.eval(whole)
    before = exact(whole)
    for x, y, code in (
        (whole[:4], whole[1:5], "A005"),
        (whole, whole.T, "A005"),
        (whole[:1], mx.broadcast_to(whole[:1], (4, 8))[:1, ::-1], "A005"),
        (whole, mx.broadcast_to(numbers(1, 8), (8, 8)), "A204"),
        (np.asarray(whole)[1:5], whole[:4], "A005"),
    ):
        with pytest.raises(ArgumentError) as caught:
            doubled(x, y)
        assert caught.value.code == code
        np.testing.assert_array_equal(exact(whole), before)
    doubled(whole, whole)
    np.testing.assert_array_equal(exact(whole), before * 2)


def test_frameworks_may_be_mixed():
    x, y = numbers(4, 6), np.zeros((4, 6), np.float32)
    doubled(x, y)
    np.testing.assert_array_equal(y, exact(x) * 2)
    z = mx.zeros((4, 6))
    doubled(y, z)
    np.testing.assert_array_equal(exact(z), exact(x) * 4)


def test_a_prepared_call_keeps_the_buffers_it_was_prepared_with():
    x, y = mx.arange(24.0).reshape(4, 6), mx.zeros((4, 6))
    first = exact(x)
    prepared = doubled.prepare(x, y)
    # The name gets another buffer; the one that the call knows must stay.
    x += 1
    mx.eval(x)
    gc.collect()
    others = [mx.full((4, 6), 9.0) for _ in range(50)]
    mx.eval(others)
    prepared()
    np.testing.assert_array_equal(exact(y), first * 2)
    prepared(x, y)
    np.testing.assert_array_equal(exact(y), (first + 1) * 2)


def test_a_prepared_call_lets_go_of_its_buffers():
    x, y = mx.zeros((64, 128)), mx.zeros((64, 128))
    mx.eval(x, y)
    gc.collect()
    prepared = doubled.prepare(x, y)
    held = mx.get_active_memory()
    del x, y
    gc.collect()
    assert mx.get_active_memory() == held
    del prepared
    gc.collect()
    assert mx.get_active_memory() <= held - 2 * 64 * 128 * 4


@pytest.mark.parametrize("transform", [mx.compile, mx.vmap], ids=["compile", "vmap"])
def test_inside_a_transformation_there_is_nothing_to_read(transform):
    def inside(x):
        for ask in (describe, probe):
            with pytest.raises(UnsupportedError, match="cannot be evaluated") as caught:
                ask(x)
            assert caught.value.code == "U201"
        with pytest.raises(UnsupportedError):
            ct.ops.softmax(x)
        return x * 2

    transform(inside)(mx.zeros((2, 3)))


def test_what_is_refused():
    class Marked(mx.array):
        pass

    with pytest.raises(UnsupportedError, match="another meaning"):
        describe(Marked([1.0, 2.0]))
    with pytest.raises(ArgumentError, match="complex64") as caught:
        describe(mx.zeros((2,), mx.complex64))
    assert caught.value.code == "A202"
    with pytest.raises(ArgumentError) as caught:
        doubled(mx.zeros((2, 3), mx.complex64), mx.zeros((2, 3)))
    assert caught.value.code == "A202"


def test_signatures_tell_layouts_apart():
    x = mx.zeros((4, 4))
    different = [x, x.T, x[:, ::-1], x[:2], x.astype(mx.int32), x.view(mx.int32)[:, :3]]
    different += [mx.broadcast_to(x[:1], (4, 4)), np.zeros((4, 4), np.float32)]
    assert len({signature(each) for each in different}) == len(different)


def test_other_threads():
    x, y = numbers(16, 16), mx.zeros((16, 16))
    mx.eval(x, y)
    failures = []

    def work():
        try:
            for _ in range(20):
                doubled(x, y)
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    np.testing.assert_array_equal(exact(y), exact(x) * 2)


def test_mlx_imported_later_is_understood():
    code = """
import sys
import numpy as np
from certile.runtime import arrays
arrays.probe(np.zeros(3))
assert not any(name.startswith("mlx") for name in sys.modules)
import mlx.core as mx
x = mx.zeros((3,))
assert arrays.probe(x)[1] == np.asarray(x).ctypes.data
assert arrays.describe(x).framework == "mlx"
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
