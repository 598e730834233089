"""Bytes of 8-bit float constants: every code is its own value's, and rounding is that of memory."""

import math

import ml_dtypes
import numpy as np
import pytest

from certile.ir.dtypes import f8e4m3, f8e5m2
from certile.lower.float8 import code

FORMATS = [(f8e4m3, ml_dtypes.float8_e4m3fn), (f8e5m2, ml_dtypes.float8_e5m2)]


@pytest.mark.parametrize(("dtype", "storage"), FORMATS)
def test_every_code_is_that_of_its_value(dtype, storage):
    values = np.arange(256, dtype=np.uint8).view(storage).astype(np.float64)
    for byte, value in enumerate(values.tolist()):
        if math.isnan(value):
            assert math.isnan(float(np.array([code(value, dtype)], np.uint8).view(storage)[0]))
        else:
            assert code(value, dtype) == byte


@pytest.mark.parametrize(("dtype", "storage"), FORMATS)
def test_constants_round_as_memory_does(dtype, storage):
    random = np.random.default_rng(0)
    values = (random.standard_normal(500) * 10.0 ** random.integers(-6, 6, 500)).astype(np.float32)
    with np.errstate(all="ignore"):
        wanted = values.astype(storage)
    found = np.array([code(float(value), dtype) for value in values], np.uint8).view(storage)
    np.testing.assert_array_equal(found.astype(np.float32), wanted.astype(np.float32))


def test_what_is_beyond_the_greatest_number():
    assert code(464.0, f8e4m3) == 0x7E
    assert code(464.1, f8e4m3) == code(math.inf, f8e4m3) == 0x7F
    assert code(-math.inf, f8e5m2) == 0xFC
    assert code(61439.0, f8e5m2) == 0x7B
    assert code(61440.0, f8e5m2) == 0x7C
