"""The promotion table, written out; weak scalars; accumulation types; rounding of constants."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.ir.build import rounded
from certile.ir.dtypes import (
    ALL,
    BY_NAME,
    STORAGE,
    accumulator,
    arithmetic,
    bf16,
    bool_,
    f16,
    f32,
    f64,
    highest,
    i8,
    i32,
    i64,
    lowest,
    machine,
    of_scalar,
    promote,
    u8,
    u64,
    weak,
)

TABLE = """
     bool   i8  i16  i32  i64   u8  u16  u32  u64  f16 bf16  f32  f64
bool bool   i8  i16  i32  i64   u8  u16  u32  u64  f16 bf16  f32  f64
  i8   i8   i8  i16  i32  i64  i16  i32  i64  u64  f16 bf16  f32  f64
 i16  i16  i16  i16  i32  i64  i16  i32  i64  u64  f16 bf16  f32  f64
 i32  i32  i32  i32  i32  i64  i32  i32  i64  u64  f16 bf16  f32  f64
 i64  i64  i64  i64  i64  i64  i64  i64  i64  u64  f16 bf16  f32  f64
  u8   u8  i16  i16  i32  i64   u8  u16  u32  u64  f16 bf16  f32  f64
 u16  u16  i32  i32  i32  i64  u16  u16  u32  u64  f16 bf16  f32  f64
 u32  u32  i64  i64  i64  i64  u32  u32  u32  u64  f16 bf16  f32  f64
 u64  u64  u64  u64  u64  u64  u64  u64  u64  u64  f16 bf16  f32  f64
 f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f32  f64
bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16  f32 bf16  f32  f64
 f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f64
 f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64
"""


def test_every_pair_promotes_as_the_table_says():
    head, *lines = [line.split() for line in TABLE.strip().splitlines()]
    assert head == [dtype.name for dtype in ALL]
    for row, *cells in lines:
        for column, cell in zip(head, cells, strict=True):
            assert promote(BY_NAME[row], BY_NAME[column]) == BY_NAME[cell], (row, column)
    assert [line[0] for line in lines] == head


@pytest.mark.parametrize(
    ("dtype", "scalar", "expected"),
    [
        (i32, 0.5, f32),
        (i8, 2, i8),
        (u8, 1000, u8),
        (bool_, 2, i32),
        (bool_, True, bool_),
        (bool_, 0.5, f32),
        (f16, 2, f16),
        (bf16, 0.5, bf16),
        (f64, 1, f64),
        (i64, 0.5, f32),
    ],
)
def test_python_scalars_are_weak(dtype, scalar, expected):
    assert weak(dtype, scalar) == expected


def test_formats_of_memory_count_as_f32():
    for dtype in STORAGE:
        assert dtype.is_storage
        assert arithmetic(dtype) == promote(dtype, dtype) == weak(dtype, 2) == f32
        assert promote(dtype, i64) == promote(f16, dtype) == accumulator(dtype) == f32
        assert machine(dtype) == u8
    for dtype in ALL:
        assert not dtype.is_storage
        assert arithmetic(dtype) == machine(dtype) == dtype


def test_scalars_alone():
    alone = [of_scalar(s) for s in (True, 1, 2**31, -(2**31), 0.5)]
    assert alone == [bool_, i32, i64, i32, f32]


def test_accumulation_types():
    found = {dtype.name: accumulator(dtype).name for dtype in ALL}
    assert found == {
        "bool": "i32", "i8": "i32", "i16": "i32", "i32": "i32", "i64": "i64",
        "u8": "u32", "u16": "u32", "u32": "u32", "u64": "u64",
        "f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64",
    }  # fmt: skip


@pytest.mark.parametrize("dtype", [d for d in ALL if d.is_integer], ids=str)
def test_limits_are_those_of_numpy(dtype):
    limits = np.iinfo(f"{'u' if dtype == u64 or dtype.kind == 'uint' else 'i'}{dtype.size}")
    assert (lowest(dtype), highest(dtype)) == (limits.min, limits.max)


@pytest.mark.parametrize(
    ("dtype", "storage"), [(f16, np.float16), (f32, np.float32), (bf16, ml_dtypes.bfloat16)]
)
@given(value=st.floats(width=32))
def test_constants_round_once(dtype, storage, value):
    with np.errstate(over="ignore"):
        expected = float(np.float32(value).astype(storage))
    found = rounded(value, dtype)
    assert np.float64(found).tobytes() == np.float64(expected).tobytes() or (
        np.isnan(found) and np.isnan(expected)
    )
