"""What memory holds: 8-bit floats, packed integers, any byte as a bool, far elements, no others."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import torch

import certile as ct
from tests.cases.everywhere import everywhere, refused
from tests.sweeps.conversions import nearest_all

FLOAT8 = {"f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}
TORCH8 = {"f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2}


def small(name, shape=(3, 37), seed=0):
    """Finite codes of an 8-bit float, exact in float64."""
    values = np.random.default_rng(seed).standard_normal(shape) * 8
    return nearest_all(values, name), nearest_all(values, name).astype(FLOAT8[name])


# 8-bit floats.


@ct.tile_kernel
def scaled_rows(x, scale, y, total):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r, cols] = v * scale[r]
        total[r] = ct.reduce(v, cols, ct.add)


@pytest.mark.parametrize("name", FLOAT8)
def test_rows_of_8_bit_floats_are_computed_in_f32(name):
    exact, x = small(name)
    scale = np.array([0.5, 3.0, -7.25], np.float32)
    y, total = np.zeros(x.shape, x.dtype), np.zeros(3, np.float32)
    found = everywhere(scaled_rows, x, scale, y.view(np.uint8).view(x.dtype), total, out=2)
    wanted = nearest_all(exact * scale[:, None], name)
    np.testing.assert_array_equal(found.astype(np.float64), wanted)
    for target in ("cpu", "reference", "metal-sim"):
        with ct.target(target):
            scaled_rows(x, scale, y, total)
        np.testing.assert_allclose(total, exact.sum(axis=1), rtol=1e-6)


@pytest.mark.parametrize("name", FLOAT8)
def test_8_bit_floats_are_selected_kept_and_carried_as_they_are(name):
    _, x = small(name)

    @ct.tile_kernel
    def kernel(x, y, z, w):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            v = x[r, cols]
            y[r, cols] = ct.gather(v, 36 - ct.iota(cols), cols, fill=0.5)
            z[r, cols] = x.tile(
                (r, cols.extent - 3 + ct.iota(cols)), bounds="zero", fill=-1.5
            ).load()
            last = ct.carry(0.25, x.dtype)
            kept = ct.memory(cols, x.dtype)
            for c in ct.serial(cols):
                last.value = x[r, c]
                kept[c] = last.value
            w[r, cols] = kept[cols]

    empty = np.zeros_like(x)
    for target in ("cpu", "reference", "metal-sim"):
        y, z, w = empty.copy(), empty.copy(), empty.copy()
        with ct.target(target):
            kernel(x, y, z, w)
        assert (y.view(np.uint8) == x[:, ::-1].view(np.uint8)).all()
        assert (z[:, :3].view(np.uint8) == x[:, -3:].view(np.uint8)).all()
        assert (z[:, 3:].astype(np.float32) == -1.5).all()
        assert (w.view(np.uint8) == x.view(np.uint8)).all()


def test_bits_of_8_bit_floats():
    codes = np.arange(128, dtype=np.uint8).reshape(2, 64)

    @ct.tile_kernel
    def kernel(x, y, z):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = ct.bitcast(x[r, cols], ct.f8e5m2)
            z[r, cols] = ct.bitcast(ct.bitcast(x[r, cols], ct.f8e5m2), ct.u8)

    y, z = np.zeros(codes.shape, ml_dtypes.float8_e5m2), np.zeros_like(codes)
    with ct.target("cpu"):
        kernel(codes, y, z)
    assert (y.view(np.uint8) == codes).all()
    assert (z == codes).all()


@pytest.mark.parametrize("name", FLOAT8)
def test_comparisons_and_constants_are_those_of_f32(name):
    exact, x = small(name)

    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            assert (x[r, cols] + 1).dtype == (-x[r, cols]).dtype == ct.f32
            assert (x[r, cols] * ct.cast(x[r, cols], ct.f64)).dtype == ct.f64
            # 0.3 is no number of 8 bits: as f32 it lies between two of them.
            y[r, cols] = (x[r, cols] > 0.3) | ct.isnan(x[r, cols])

    y = everywhere(kernel, x, np.zeros(x.shape, np.bool_))
    assert (y == (exact > np.float32(0.3))).all()


@pytest.mark.parametrize("name", FLOAT8)
def test_tensors_of_8_bit_floats(name):
    exact, x = small(name)
    tensor = torch.from_numpy(x.view(np.uint8)).view(TORCH8[name])
    scale, total = torch.tensor([1.0, 2.0, 0.5]), torch.zeros(3)
    y = torch.empty_like(tensor)
    scaled_rows(tensor, scale, y, total)
    wanted = torch.from_numpy(exact * scale.numpy()[:, None].astype(np.float64)).to(TORCH8[name])
    assert torch.equal(y.view(torch.uint8), wanted.view(torch.uint8))


def test_a_format_of_memory_is_not_accumulated_in_nor_passed_as_a_number():
    _, x = small("f8e4m3")

    @ct.tile_kernel
    def summed(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, ct.add, dtype=ct.f8e4m3)

    assert "format of memory" in refused("K011", summed, x, np.zeros(3, np.float32))

    def number(x, by: ct.f8e5m2):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            x[r, 0] = by

    assert "ct.f32" in refused("K026", lambda: ct.tile_kernel(number)(x, 1.0))


# Packed integers.


@pytest.mark.parametrize("bits", [1, 2, 4])
@pytest.mark.parametrize("signed", [True, False])
def test_packed_integers(bits, signed):
    count, sign = 8 // bits, (1 << (bits - 1)) * signed
    data = np.arange(256, dtype=np.uint8).reshape(4, 64)

    @ct.tile_kernel
    def kernel(x, y, z):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        wide = ct.axis("wide", y.shape[1])
        for r in ct.parallel(rows):
            byte = x[r, ct.iota(wide) // count]
            y[r, wide] = ct.unpack(byte, ct.iota(wide) % count, bits=bits, signed=signed)
            parts = [ct.unpack(x[r, cols], k, bits=bits, signed=signed) for k in range(count)]
            z[r, cols] = ct.pack(*parts, bits=bits)

    kind = np.int8 if signed else np.uint8
    fields = (data[..., None] >> (bits * np.arange(count))) & ((1 << bits) - 1)
    wanted = ((fields.astype(np.int64) ^ sign) - sign).reshape(4, -1)
    for typed in (data, data.view(np.int8)):
        y, z = np.zeros(wanted.shape, kind), np.zeros_like(data)
        for target in ("cpu", "reference", "metal-sim"):
            with ct.target(target):
                kernel(typed, y, z)
            assert (y == wanted).all()
            assert (z == data).all()


def test_a_position_that_no_byte_has():
    @ct.tile_kernel
    def kernel(x, at, y):
        for r in ct.parallel(ct.axis("rows", at.shape[0])):
            y[r] = ct.unpack(x[0], at[r])

    at = np.array([-(2**40), -1, 0, 1, 2, 2**40])
    y = everywhere(kernel, np.array([0x9F], np.uint8), at, np.full(6, 9, np.int8))
    assert y.tolist() == [0, 0, -1, -7, 0, 0]


def test_what_cannot_be_unpacked():
    def using(body):
        @ct.tile_kernel
        def kernel(x, y):
            for r in ct.parallel(ct.axis("rows", x.shape[0])):
                y[r] = ct.cast(body(x[r]), ct.f32)

        return kernel, np.zeros(2, np.uint8), np.zeros(2, np.float32)

    assert "position 2" in refused("K016", *using(lambda v: ct.unpack(v, 2)))
    assert "u16" in refused("K011", *using(lambda v: ct.unpack(ct.cast(v, ct.u16), 0)))
    assert "3 bits" in refused("K022", *using(lambda v: ct.unpack(v, 0, bits=3)))
    assert "2 integers of 4 bits" in refused("K011", *using(lambda v: ct.pack(v)))


# Bools.


def test_any_byte_but_0_is_true_and_1_is_written():
    dirty = np.array([[0, 1, 2, 128, 255] * 8], np.uint8).view(np.bool_)

    @ct.tile_kernel
    def kernel(x, number: bool, copied, inverted, counted, total):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            v = x[r, cols]
            copied[r, cols] = v
            inverted[r, cols] = ~v & number
            counted[r, cols] = v + v
            total[r] = ct.reduce(v, cols, ct.add)

    truth = dirty.view(np.uint8) != 0
    for target in ("cpu", "reference", "metal-sim"):
        copied, inverted = (np.full(dirty.shape, 7, np.uint8).view(np.bool_) for _ in range(2))
        counted, total = np.zeros(dirty.shape, np.int32), np.zeros(1, np.int32)
        with ct.target(target):
            kernel(dirty, True, copied, inverted, counted, total)
        assert (copied.view(np.uint8) == truth).all(), target
        assert (inverted.view(np.uint8) == ~truth).all(), target
        assert (counted == 2 * truth).all(), target
        assert total[0] == truth.sum() == 32


# Elements beyond 2**31.


@pytest.fixture(scope="module")
def far():
    """3 GiB of memory, of which hardly a page is touched."""
    return np.empty(3 << 30, np.uint8)


@ct.tile_kernel
def copied(x, y):
    rows = ct.axis("rows", y.shape[0])
    for r in ct.parallel(rows):
        y[r] = x[r]


def test_offsets_beyond_32_bits(far):
    step = 1 << 26
    places = np.arange(0, far.size, step)
    far[places] = np.arange(len(places)) + 1
    wanted = (np.arange(len(places)) + 1).astype(np.uint8)
    with ct.target("cpu"):
        for x in (far[::step], far[places[-1] :: -step]):
            y = np.zeros(len(places), np.uint8)
            copied(x, y)
            assert (y == (wanted if x.strides[0] > 0 else wanted[::-1])).all()
        copied(wanted[::-1].copy(), far[::step])
    assert (far[places] == wanted[::-1]).all()


def test_columns_of_rows_beyond_32_bits(far):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", y.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] + x[r, cols.extent + ct.iota(cols)]

    x = far.reshape(3, 1 << 30)
    x[:, :200] = np.arange(200)
    y = np.zeros((3, 100), np.uint8)
    with ct.target("cpu"):
        kernel(x, y)
    assert (y == (2 * np.arange(100) + 100).astype(np.uint8)).all()


def test_gathers_beyond_32_bits(far):
    @ct.tile_kernel
    def kernel(x, at, y, z):
        rows, all_ = ct.axis("rows", at.shape[0]), ct.axis("all", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = ct.gather(x[all_], at[r], all_, fill=99)
            z[r] = x.tile(at[r], bounds="zero", fill=98).load()

    at = np.array([0, 2**31 - 1, 2**31, 2**31 + 5, far.size - 1, far.size, -1, 2**62])
    far[at[:5]] = [1, 2, 3, 4, 5]
    y, z = np.zeros(8, np.uint8), np.zeros(8, np.uint8)
    with ct.target("cpu"):
        kernel(far, at, y, z)
    assert y.tolist() == [1, 2, 3, 4, 5, 99, 99, 99]
    assert z.tolist() == [1, 2, 3, 4, 5, 98, 98, 98]


# Empty axes.


def test_an_index_of_no_elements_is_the_largest_of_32_bits():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, 0] = ct.reduce(x[r, cols], cols, ct.argmax)
            y[r, 1] = ct.reduce(x[r, cols], cols, ct.argmin)

    y = everywhere(kernel, np.zeros((3, 0), np.float32), np.zeros((3, 2), np.int64))
    assert (y == 2**31 - 1).all()


# Other dtypes.


@pytest.mark.parametrize(
    "dtype",
    [
        *(np.complex64, np.complex128, np.longdouble, "M8[ns]", "m8[s]", object, "S4", "U2", "V8"),
        *(">f4", ">i2", [("a", "i4"), ("b", "f4")]),
        *(ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3b11fnuz),
        *(ml_dtypes.float8_e4m3, ml_dtypes.float8_e3m4, ml_dtypes.float8_e8m0fnu),
        *(ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2),
        *(ml_dtypes.float4_e2m1fn, ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn),
    ],
    ids=str,
)
def test_other_arrays_are_refused_by_name(dtype):
    array = np.zeros(3, dtype)
    assert str(array.dtype) in refused("A202", copied, array, np.zeros(3, np.float32))


@pytest.mark.parametrize(
    "dtype",
    [torch.complex64, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz],
    ids=str,
)
def test_other_tensors_are_refused_by_name(dtype):
    tensor = torch.zeros(3).to(dtype)
    assert str(dtype) in refused("A202", copied, tensor, torch.zeros(3))


@pytest.mark.parametrize(
    "named",
    [
        *("complex64", "float8_e4m3", "f8", "int4", "f128", np.complex64, torch.quint8),
        *(torch.complex64, ml_dtypes.float8_e4m3, ml_dtypes.int4, float, object, None, 3),
    ],
    ids=str,
)
def test_other_dtypes_have_no_name(named):
    @ct.tile_kernel
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = ct.cast(x[r], named)

    refused("K030", kernel, np.zeros(3, np.float32), np.zeros(3, np.float32))


def test_a_double_is_refused_on_metal_by_name():
    text = refused_on_metal(np.zeros(3, np.float64))
    assert "f64" in text
    assert "cpu" in text
    assert "cuda" in text


def refused_on_metal(x):
    with ct.target("metal-sim"):
        return refused("U310", copied, x, np.zeros(3, x.dtype))
