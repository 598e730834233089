"""Arrays lent through DLPack: both versions, other devices, and when the memory is released."""

import gc
import weakref

import numpy as np
import pytest
import torch

import certile as ct
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.runtime import arrays
from certile.runtime.arrays import HeldAddress, describe, probe
from tests.unit.runtime.exporter import Exporter

VERSIONS = [(0, 8), (1, 0), (1, 3)]


@ct.tile_kernel
def doubled(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * 2.0


def numbers(*shape):
    return np.random.default_rng(5).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("target", ["cpu", "reference", "metal-sim"])
def test_the_memory_is_released_once_and_after_the_call(version, target):
    x, y = Exporter(numbers(5, 9), version=version), np.zeros((5, 9), np.float32)
    with ct.target(target):
        for _ in range(3):
            y[:] = 0
            doubled(x, y)
            np.testing.assert_array_equal(y, x.array * 2)
            gc.collect()
            assert 0 < x.exports == x.deletions


@pytest.mark.parametrize("version", VERSIONS)
def test_a_later_call_exports_once(version):
    x, y = Exporter(numbers(4, 8), version=version), np.zeros((4, 8), np.float32)
    doubled(x, y)
    before = x.exports
    doubled(x, y)
    assert x.exports == before + 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_prepared_call_holds_the_memory(version):
    x, y = Exporter(numbers(4, 8), version=version), np.zeros((4, 8), np.float32)
    prepared = doubled.prepare(x, y)
    gc.collect()
    assert x.deletions == x.exports - 1
    for _ in range(2):
        y[:] = 0
        prepared()
        np.testing.assert_array_equal(y, x.array * 2)
    del prepared
    gc.collect()
    assert x.deletions == x.exports


def test_an_operation_holds_the_memory():
    x = Exporter(numbers(6, 7))
    for _ in range(3):
        y = ct.ops.softmax(x)
        exact = np.exp(x.array.astype(np.float64))
        np.testing.assert_allclose(y, exact / exact.sum(-1, keepdims=True), rtol=1e-6, atol=1e-7)
        assert type(y) is np.ndarray
        assert 0 < x.exports == x.deletions


def test_a_failed_call_releases_the_memory():
    x = Exporter(numbers(4, 8))
    with pytest.raises(ArgumentError):
        doubled(x, np.zeros((3, 8), np.float32))
    gc.collect()
    assert 0 < x.exports == x.deletions


def test_what_is_asked_and_read():
    array = numbers(6, 8)[::2, ::-3]
    x = Exporter(array, shared=True, byte_offset=64)
    info = describe(x)
    assert x.asked == [{"max_version": (1, 0)}]
    assert (info.address, info.shape, info.strides) == (array.ctypes.data, (3, 3), (16, -3))
    assert (info.framework, info.device, info.readonly) == ("dlpack", "cpu", False)
    found, address = probe(x)
    assert address == info.address
    assert isinstance(address, HeldAddress)
    assert probe(x)[0] == found
    old = Exporter(array, shared=True, version=(0, 8))
    assert describe(old)[:5] == info[:5]


@pytest.mark.parametrize("shape", [(), (5,), (2, 3, 4), (0, 3), (3, 0)])
@pytest.mark.parametrize("version", [(0, 8), (1, 0)])
def test_without_strides_the_order_is_c(shape, version):
    array = np.zeros(shape, np.int16)
    info = describe(Exporter(array, shared=True, version=version, no_strides=True))
    plain = describe(array)
    if array.size:
        assert info[:5] == plain[:5]
    assert (info.shape, info.dtype, info.size) == (shape, "i16", array.size)


def test_arrays_without_elements_or_dimensions():
    empty = Exporter(np.zeros((0, 3), np.float32), shared=True)
    doubled(empty, np.zeros((0, 3), np.float32))
    assert ct.ops.softmax(empty).shape == (0, 3)
    one = Exporter(np.array(3.0, np.float32), shared=True)
    assert float(ct.ops.softmax(one)) == 1.0


def test_what_may_be_stored_to():
    x, memory = numbers(3, 5), np.zeros((3, 5), np.float32)
    doubled(x, Exporter(memory, shared=True))
    np.testing.assert_array_equal(memory, x * 2)
    memory[:] = 0
    read_only, copied = 1, 2
    for refused in (
        Exporter(memory, shared=True, flags=read_only),
        Exporter(memory, shared=True, flags=copied),
        # Without flags nothing says that it may be written.
        Exporter(memory, shared=True, version=(0, 8)),
    ):
        with pytest.raises(ArgumentError) as caught:
            doubled(x, refused)
        assert caught.value.code == "A204"
        doubled(refused, np.zeros((3, 5), np.float32))
    assert not memory.any()


def test_overlap_is_seen_through_it():
    memory = numbers(4, 8)
    before = memory.copy()
    with pytest.raises(ArgumentError) as caught:
        doubled(Exporter(memory[:3], shared=True), memory[1:])
    assert caught.value.code == "A005"
    np.testing.assert_array_equal(memory, before)
    doubled(Exporter(memory, shared=True), memory)
    np.testing.assert_array_equal(memory, before * 2)


@pytest.mark.parametrize(
    ("device", "named"),
    [(2, "CUDA 1"), (8, "Metal 1"), (10, "ROCm 1"), (13, "managed CUDA 1"), (99, "type 99 1")],
)
def test_other_devices_are_refused_by_name_and_not_asked(device, named):
    x = Exporter(numbers(2, 2), device_type=device, device_id=1)
    for ask in (describe, probe, lambda x: doubled(x, np.zeros((2, 2), np.float32))):
        with pytest.raises(ArgumentError, match=named) as caught:
            ask(x)
        assert caught.value.code == "A205"
    assert x.exports == 0


@pytest.mark.parametrize("device", [1, 3, 11])
def test_memory_that_the_host_can_address_is_taken(device):
    assert describe(Exporter(numbers(2, 2), device_type=device)).device == "cpu"


def test_an_unknown_version_is_not_read():
    x = Exporter(numbers(2, 2), version=(2, 0))
    with pytest.raises(UnsupportedError, match=r"DLPack 2\.0") as caught:
        describe(x)
    assert caught.value.code == "U201"
    del caught
    gc.collect()
    assert x.exports == x.deletions == 1


@pytest.mark.parametrize(
    "fields",
    [{"code": 5, "bits": 64}, {"code": 2, "bits": 128}, {"lanes": 4}, {"code": 3}, {"bits": 4}],
    ids=["complex", "f128", "lanes", "opaque", "4 bits"],
)
def test_other_element_types_are_named(fields):
    with pytest.raises(ArgumentError, match="DLPack type code") as caught:
        describe(Exporter(numbers(2, 2), **fields))
    assert caught.value.code == "A202"


@pytest.mark.parametrize(
    ("code", "bits", "name"),
    [(4, 16, "bf16"), (6, 8, "bool"), (10, 8, "f8e4m3"), (12, 8, "f8e5m2")],
)
def test_element_types_that_numpy_cannot_lend(code, bits, name):
    array = np.zeros((2, 4), f"u{bits // 8}")
    info = describe(Exporter(array, shared=True, code=code, bits=bits))
    assert (info.dtype, info.itemsize, info.strides) == (name, bits // 8, (4, 1))


class Broken:
    def __init__(self, result):
        self._result = result

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **options):
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


def test_exporters_that_give_nothing():
    for error in (BufferError("no memory here"), RuntimeError("tracing"), ValueError("lazy")):
        with pytest.raises(UnsupportedError, match=str(error)) as caught:
            describe(Broken(error))
        assert caught.value.code == "U201"
    taken = torch.zeros(3).__dlpack__()
    torch.utils.dlpack.from_dlpack(taken)
    for result in (None, 7, taken):
        with pytest.raises(ArgumentError, match="__dlpack__ returned") as caught:
            describe(Broken(result))
        assert caught.value.code == "A201"


class Memory:
    """Hands out the first of its blocks that nobody has, as allocators do with freed memory."""

    def __init__(self, shape):
        self.blocks = [np.empty(shape, np.float32) for _ in range(8)]
        self.holders = [lambda: None for _ in self.blocks]

    def take(self, *_):
        free = next(at for at, holder in enumerate(self.holders) if holder() is None)
        taken = self.blocks[free].view()
        self.holders[free] = weakref.ref(taken)
        return taken


class Source(np.ndarray):
    """Elements whose copies lie in a `Memory`."""

    def copy(self, order="C"):
        made = self.memory.take()
        made[...] = self
        return made


def test_a_result_in_memory_that_was_lent_before_is_no_overlap(monkeypatch):
    source = numbers(3, 4).view(Source)
    source.memory = Memory((3, 4))
    monkeypatch.setattr(arrays, "maker", lambda *_: source.memory.take)
    made = ct.jit(lambda x: x + 1)(Exporter(source))
    assert any(np.shares_memory(made, block) for block in source.memory.blocks)
    np.testing.assert_array_equal(made, np.asarray(source) + 1)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("fields", "error", "code"),
    [
        ({"extents": (-3, 4)}, ArgumentError, "A201"),
        ({"ndim": -1}, ArgumentError, "A201"),
        ({"no_shape": True}, ArgumentError, "A201"),
        ({"data": 0, "byte_offset": 0}, UnsupportedError, "U201"),
        ({"device_type": "cpu"}, ArgumentError, "A201"),
    ],
)
def test_what_describes_no_memory_is_refused(fields, error, code, version):
    for read in (describe, probe):
        with pytest.raises(error) as caught:
            read(Exporter(numbers(3, 4), version=version, shared=True, **fields))
        assert caught.value.code == code


def test_no_elements_need_no_address():
    assert describe(Exporter(np.zeros((0, 4), np.float32), shared=True, data=0)).shape == (0, 4)


def test_a_kernel_called_while_another_reads_its_arguments():
    inner_x, inner_y = numbers(3, 3), np.zeros((3, 3), np.float32)
    x, y = Exporter(numbers(4, 6)), np.zeros((4, 6), np.float32)
    x.on_export = lambda: doubled(inner_x, inner_y)
    for _ in range(2):
        y[:] = inner_y[:] = 0
        doubled(x, y)
        np.testing.assert_array_equal(y, x.array * 2)
        np.testing.assert_array_equal(inner_y, inner_x * 2)
