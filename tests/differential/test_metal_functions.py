"""Every function, conversion and collective of every type: Metal text against the interpreter."""

from itertools import product

import ml_dtypes
import numpy as np
import pytest

from certile.ir.dtypes import ALL, bool_, f32, f64, i32
from certile.ir.functions import FUNCTIONS
from certile.ir.machine import Buffer, MachineKernel
from certile.ir.machine.build import Builder
from certile.reference.machine_numeric import storage
from certile.targets.metal import METAL
from tests.metal_units import Unit, ulps

TYPES = [dtype for dtype in ALL if dtype not in (bool_, f64)]
NUMBERS = {
    "float": (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.25, 1e-3, -31.0, 1000.0, 3e4),
    "special": (np.inf, -np.inf, np.nan, 6e-8),
}
# The standard library here is the host's; a device's own accuracy is the device's to show.
LIBRARY_ULP = 2
GROUPS = 8
LANES = 32


def kernel(name, b, buffers):
    return MachineKernel(name, b.lanes, b.subgroups, 1, tuple(buffers), (), (), (), b.block())


def pairs(dtype):
    """256 pairs: every two of sixteen numbers that are hard for the type."""
    if dtype.is_float:
        numbers = np.array(NUMBERS["float"] + NUMBERS["special"])
    else:
        info = np.iinfo(storage(dtype))
        low, high = int(info.min), int(info.max)
        signed = (-1, -2, -7, -9, low + 1) if low < 0 else (high - 1, 6, 8, 11, high // 2)
        numbers = np.array((low, high, 0, 1, 2, 3, 5, 7, 13, 31, 64, *signed), dtype=object)
    left, right = np.repeat(numbers, 16), np.tile(numbers, 16)
    if len(numbers) < 16:
        left, right = np.resize(left, 256), np.resize(right, 256)
    return left.astype(storage(dtype)), right.astype(storage(dtype))


class Places:
    """Where each result lies: a row of 256 elements a function, in a buffer a type."""

    def __init__(self, b):
        self.b = b
        self.rows = {}
        self.counts = {}
        self.buffers = {}
        self.start = b.mul(b.group(), LANES)

    def read(self, buffer):
        return self.b.load(buffer, self.b.address(self.start, 1))

    def keep(self, label, value):
        dtype = value.dtype
        buffer = self.buffers.setdefault(dtype, Buffer(f"y_{dtype}", dtype, True))
        row = self.counts[dtype] = self.counts.get(dtype, -1) + 1
        self.rows[label] = (buffer.name, row)
        base = self.b.add(self.start, 256 * row)
        self.b.store(buffer, self.b.address(base, 1), value)

    def arrays(self):
        return {
            buffer.name: np.zeros(256 * (self.counts[dtype] + 1), storage(dtype))
            for dtype, buffer in self.buffers.items()
        }

    def row(self, arrays, label):
        name, row = self.rows[label]
        return arrays[name][256 * row : 256 * (row + 1)]


def functions_of(dtype):
    for function in FUNCTIONS.values():
        only_floats = function.rule == "float" or function.name.startswith("is")
        if (only_floats and not dtype.is_float) or (function.rule == "integer" and dtype.is_float):
            continue
        if function.ulp is None or function.name in METAL.native_functions:
            yield function


def every_function(dtype):
    b = Builder(LANES)
    x, z = Buffer("x", dtype, False), Buffer("z", dtype, False)
    places = Places(b)
    left, right = places.read(x), places.read(z)
    for function in functions_of(dtype):
        args = [left, right, left][: function.arity]
        if function.rule == "select":
            args = [b.lt(left, right), left, right]
        if function.name == "scale2":
            finite = b.compute("isfinite", right)
            args[1] = b.compute("round", b.select(finite, right, b.const(0.0, dtype)))
        places.keep(function.name, b.compute(function.name, *args))
    return kernel(f"functions_{dtype}", b, (x, z, *places.buffers.values())), places


def every_conversion(source):
    b = Builder(LANES)
    x = Buffer("x", source, False)
    places = Places(b)
    value = places.read(x)
    for target in ALL:
        if target in (source, f64):
            continue
        places.keep(f"to {target}", b.convert(value, target))
        if target.bits == source.bits and bool_ not in (source, target):
            places.keep(f"as {target}", b.reinterpret(value, target))
    return kernel(f"conversions_{source}", b, (x, *places.buffers.values())), places


def every_exchange(dtype):
    b = Builder(LANES)
    x = Buffer("x", dtype, False)
    places = Places(b)
    value = places.read(x)
    for fn in ("add", "mul", "maximum", "minimum"):
        places.keep(fn, b.collective(fn, value))
    for mask in (1, 5, 16):
        places.keep(f"shuffle {mask}", b.shuffle(value, mask))
    places.keep("first", b.first_lane(value))
    for distance in (1, 7, 31):
        places.keep(f"shift {distance}", b.shuffle_up(value, distance))
    places.keep("last", b.read_lane(value, 31))
    positive = b.compute("gt", value, b.const(0, dtype))
    places.keep("any", b.collective("any", positive))
    places.keep("all", b.collective("all", positive))
    places.keep("first bool", b.first_lane(positive))
    places.keep("shuffled bool", b.shuffle(positive, 3))
    places.keep("shifted bool", b.shuffle_up(positive, 2))
    return kernel(f"exchanges_{dtype}", b, (x, *places.buffers.values())), places


def unit_of(make, types):
    made = {dtype: make(dtype) for dtype in types}
    return Unit([kernel for kernel, _ in made.values()]), made


@pytest.fixture(scope="module")
def functions():
    return unit_of(every_function, TYPES)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_functions(functions, dtype):
    unit, made = functions
    kernel, places = made[dtype]
    left, right = pairs(dtype)
    buffers = {"x": left, "z": right, **places.arrays()}
    ours, theirs = unit.both(kernel.name, buffers, {}, GROUPS)
    for function in functions_of(dtype):
        got, wanted = places.row(ours, function.name), places.row(theirs, function.name)
        if function.name in ("maximum", "minimum", "fmax", "fmin", "sign", "mod", "floordiv"):
            # Which zero is the greater one is open.
            got, wanted = got + got.dtype.type(0), wanted + wanted.dtype.type(0)
        limit = 0 if function.ulp is None else LIBRARY_ULP
        assert ulps(got, wanted) <= limit, function.name


@pytest.fixture(scope="module")
def conversions():
    return unit_of(every_conversion, [*TYPES, bool_])


@pytest.mark.parametrize("source", [*TYPES, bool_], ids=str)
def test_conversions(conversions, source):
    unit, made = conversions
    kernel, places = made[source]
    if source == bool_:
        x = np.arange(256) % 3 == 0
    elif source.is_float:
        x = np.concatenate([pairs(source)[0][::2], wide_floats(source)])
    else:
        x = np.concatenate([pairs(source)[0][::2], roundings(source)])
    ours, theirs = unit.both(kernel.name, {"x": x, **places.arrays()}, {}, GROUPS)
    for label in places.rows:
        assert ulps(places.row(ours, label), places.row(theirs, label)) == 0, label


def wide_floats(dtype):
    """128 values around the limits of the integer types."""
    powers = np.array([2.0**k for k in (7, 8, 15, 16, 31, 32, 63, 64)])
    near = np.concatenate([powers * f for f in (1, -1, 0.999, -0.999, 1.001, -1.001, 0.5, -0.5)])
    with np.errstate(over="ignore"):
        return np.tile(near, 2).astype(storage(dtype))


def roundings(dtype):
    """128 integers at and beside the ties of f32, f16 and bf16, at every magnitude."""
    rng = np.random.default_rng(5)
    exact = [
        sign * ((kept << 1 | 1) << shift) + off
        for shift in range(0, dtype.bits - 13, 5)
        for kept in (0x80, 0x81, 0x400, 0x7FF)
        for off in (-1, 0, 1)
        for sign in (1, -1)
    ]
    info = np.iinfo(storage(dtype))
    fitting = [v for v in exact if info.min <= v <= info.max] or [0]
    drawn = rng.integers(info.min, info.max, 128, storage(dtype), endpoint=True)
    chosen = fitting[:: max(1, len(fitting) // 64)][:64]
    drawn[: len(chosen)] = chosen
    return drawn


@pytest.fixture(scope="module")
def exchanges():
    return unit_of(every_exchange, TYPES)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_exchanges(exchanges, dtype):
    unit, made = exchanges
    kernel, places = made[dtype]
    rng = np.random.default_rng(3)
    if dtype.is_float:
        # Small integers: sums and products are exact in any order, and one group holds a NaN.
        x = rng.choice([1.0, -1.0, 2.0, 0.5], 256).astype(storage(dtype))
        x[70] = np.nan
    else:
        info = np.iinfo(storage(dtype))
        x = rng.integers(info.min, info.max, 256, storage(dtype), endpoint=True)
        x[5] = 0
    ours, theirs = unit.both(kernel.name, {"x": x, **places.arrays()}, {}, GROUPS)
    for label in places.rows:
        assert ulps(places.row(ours, label), places.row(theirs, label)) == 0, label
    assert places.row(ours, "any").any()
    assert not places.row(ours, "all").all()


def test_an_exchange_that_is_wrong_is_seen(exchanges):
    """The comparison above can fail: another mask gives other numbers."""
    unit, made = exchanges
    kernel, places = made[i32]
    x = np.arange(256, dtype=np.int32)
    ours, theirs = unit.both(kernel.name, {"x": x, **places.arrays()}, {}, GROUPS)
    assert ulps(places.row(ours, "shuffle 1"), places.row(theirs, "shuffle 5")) == np.inf


def test_ulps_count_steps_between_floats():
    one = np.array([1.0, -0.0, np.nan], np.float32)
    assert ulps(one, one) == 0
    assert ulps(one, np.array([1.0000002, -0.0, np.nan], np.float32)) == 2
    assert ulps(one, np.array([1.0, -0.0, 1.0], np.float32)) == np.inf
    half = np.array([1.0], ml_dtypes.bfloat16)
    assert ulps(half, half + half.dtype.type(0.0078125)) == 1


def test_pairs_hold_every_two_numbers():
    for dtype in (f32, i32):
        left, right = pairs(dtype)
        assert len({(a.tobytes(), b.tobytes()) for a, b in product(left, right)}) >= 256
