"""Every dtype converted to every other, on each target, at all codes of 16 bits and at edges."""

from __future__ import annotations

import numpy as np
import pytest

import certile as ct
from tests.sweeps.conversions import (
    FORMATS,
    INTEGERS,
    STORAGE,
    converted,
    edges_of_floats,
    edges_of_integers,
    integer,
    nearest_all,
)

TARGETS = tuple(STORAGE)
PARAMETER = {"bool": "truth"}
EVERY_CODE = {
    "f8e4m3": np.arange(256, dtype=np.uint8),
    "f8e5m2": np.arange(256, dtype=np.uint8),
    "f16": np.arange(65536, dtype=np.uint16),
    "bf16": np.arange(65536, dtype=np.uint16),
}


@ct.tile_kernel
def each(
    x,
    truth=None,
    i8=None,
    i16=None,
    i32=None,
    i64=None,
    u8=None,
    u16=None,
    u32=None,
    u64=None,
    f16=None,
    bf16=None,
    f32=None,
    f64=None,
    f8e4m3=None,
    f8e5m2=None,
):
    """Convert to the dtype of every view that is given."""
    views = (truth, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, f8e4m3, f8e5m2)
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        for view in views:
            if view is not None:
                view[r, cols] = ct.cast(x[r, cols], view.dtype)


def as_rows(values):
    """Rows of 37 elements, so that vectors and tails both occur; padded by the first value."""
    rows = -(-len(values) // 37)
    return np.resize(values, (rows, 37))


def run(target, x, names):
    made = {name: np.zeros(x.shape, STORAGE[name]) for name in names}
    with ct.target(target):
        each(x, **{PARAMETER.get(name, name): view for name, view in made.items()})
    return made


def as_float64(array):
    """Every format is exact in f64; a signalling NaN is one like others."""
    with np.errstate(invalid="ignore"):
        return array.astype(np.float64)


def assert_alike(found, wanted, what):
    """Equal values with equal signs of zero; all NaNs are one."""
    found, wanted = as_float64(found), np.asarray(wanted, np.float64)
    same = (found == wanted) & (np.signbit(found) == np.signbit(wanted))
    same |= np.isnan(found) & np.isnan(wanted)
    assert same.all(), (what, found[~same][:4], wanted[~same][:4])


def assert_equal(found, wanted, what):
    assert found.tolist() == wanted, what


def check(source, x, found):
    """Hold the results of one run to the exact oracle, value by value."""
    flat = x.reshape(-1)
    exact = [int(v) for v in flat] if source in INTEGERS else [float(v) for v in flat]
    for name, result in found.items():
        wanted = [converted(value, name) for value in exact]
        held = assert_alike if name in FORMATS else assert_equal
        held(result.reshape(-1), wanted, f"{source} to {name}")


def targets_of(source, names):
    """The targets that have all the dtypes."""
    metal = "f64" not in (source, *names)
    return ("cpu", "reference", *(("metal-sim",) if metal else ()))


@pytest.mark.parametrize("source", EVERY_CODE)
@pytest.mark.parametrize("target", ["cpu", "reference", "metal-sim"])
def test_every_code_of_the_narrow_floats(source, target):
    codes = EVERY_CODE[source].view(STORAGE[source])
    if target != "cpu":
        codes = codes[:: max(1, len(codes) // 1024) | 1]
    x = as_rows(codes)
    names = [name for name in TARGETS if name != "f64" or target != "metal-sim"]
    found = run(target, x, names)
    wide = as_float64(x)
    assert_alike(found["bool"], wide != 0, "bool")
    for name in FORMATS.keys() & set(names):
        assert_alike(found[name], nearest_all(wide, name), name)
    exact = wide.reshape(-1).tolist()
    for name in INTEGERS:
        wanted = [integer(value, name) for value in exact]
        assert found[name].reshape(-1).tolist() == wanted, name


@pytest.mark.parametrize("source", ["f32", "f64", *INTEGERS])
def test_edges(source):
    values = edges_of_integers(source) if source in INTEGERS else edges_of_floats(source)
    x = as_rows(np.array(values, STORAGE[source]))
    assert source in INTEGERS or len(values) > 200
    for names in (TARGETS, [name for name in TARGETS if name != "f64"]):
        for target in targets_of(source, names):
            if target == "metal-sim" or names is TARGETS:
                check(source, x, run(target, x, names))


def test_bools_become_zero_and_one():
    x = np.array([[True, False] * 20])
    for target in ("cpu", "reference"):
        for name, found in run(target, x, TARGETS).items():
            assert found.astype(np.float64).tolist() == [[1.0, 0.0] * 20], name


def test_f32_to_8_bits_over_all_exponents():
    """2**16 leading halves of an f32, each with lower halves around the ties."""
    high = np.arange(65536, dtype=np.uint32) << 16
    low = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    x = (high[:, None] | low).view(np.float32)
    found = run("cpu", x, ["f8e4m3", "f8e5m2"])
    for name, result in found.items():
        assert_alike(result, nearest_all(as_float64(x), name), name)


def test_the_two_oracles_agree():
    values = edges_of_floats("f32")
    for name in FORMATS:
        one = [converted(value, name) for value in values]
        assert_alike(nearest_all(np.array(values), name), np.array(one), name)


def test_conversions_are_those_of_numpy_and_its_extensions():
    values = np.array(edges_of_floats("f32"), np.float32)
    with np.errstate(all="ignore"):
        for name in ("f16", "bf16", "f8e4m3", "f8e5m2"):
            theirs = values.astype(STORAGE[name])
            assert_alike(theirs, [converted(float(v), name) for v in values], name)
