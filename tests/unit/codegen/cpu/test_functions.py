"""Element-wise functions and conversions of the CPU text: every dtype, every width, special values.

Each kernel applies one function to all pairs of samples, once with vectors and a masked tail, once
one element a group.
"""

import functools
import math
from fractions import Fraction

import numpy as np
import pytest

from certile.codegen.cpu.emit import TABLE
from certile.codegen.cpu.functions import Functions
from certile.codegen.cpu.writer import Writer
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import ALL, bf16, bool_, f16, f32, f64, i32, i64
from certile.ir.functions import FUNCTIONS
from certile.ir.machine import Buffer
from certile.ir.machine.build import Builder
from certile.targets.cpu import CPU_AVX512
from tests.unit.codegen.cpu import oracle
from tests.unit.codegen.cpu.native import COUNT, WIDEST, WIDTHS, finish, native, sheet_of

EXACT = [
    name
    for name, function in FUNCTIONS.items()
    if function.ulp is None and name not in ("where", "fma", "scale2")
]


def applies(name, dtype):
    rule = FUNCTIONS[name].rule
    if dtype.kind == "bool":
        return name in ("eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "fmax", "fmin",
                        "bit_and", "bit_or", "bit_xor", "bit_not")  # fmt: skip
    if name.startswith("is") or rule == "float":
        return dtype.is_float
    return not (rule == "integer" and dtype.is_float)


def outputs(names, dtype):
    return [
        Buffer(f"y_{name}", FUNCTIONS[name].result((dtype,) * FUNCTIONS[name].arity), True)
        for name in names
    ]


@functools.cache
def kernel(names, dtype, lanes, operands=2):
    """All functions of `names`, a function a buffer, element by element; lanes 1: uniform."""
    wide = lanes > 1
    b = Builder(lanes if wide else WIDTHS[0])
    ins = [Buffer(f"x{k}", dtype, False) for k in range(operands)]
    outs = outputs(names, dtype)
    base = b.mul(b.group(), lanes)
    lane = b.convert(b.lane(), i64)
    mask = b.lt(b.add(base, lane), b.parameter(COUNT)) if wide else None
    address = b.address(base, 1 if wide else None)
    args = [b.load(x, address, mask, 0) for x in ins]
    for name, y in zip(names, outs, strict=True):
        made = b.compute(name, *args[: FUNCTIONS[name].arity])
        b.store(y, address, made, mask)
    return native(finish(b, (*ins, *outs), (COUNT,)))


def run(made, args, names, dtype, lanes):
    count = args[0].size
    results = [np.zeros(count, oracle.NUMPY[y.dtype.name]) for y in outputs(names, dtype)]
    groups = -(-count // lanes)
    made([*args, *results], [np.int64(count)], groups)
    return dict(zip(names, results, strict=True))


def test_every_operation_is_printed():
    assert TABLE.missing() == frozenset()


@pytest.mark.parametrize("lanes", [*WIDTHS, 1])
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_exact_functions(dtype, lanes):
    names = tuple(name for name in EXACT if applies(name, dtype))
    args = oracle.pairs(dtype)
    results = run(kernel(names, dtype, lanes), args, names, dtype, lanes)
    for name in names:
        want = oracle.exact(name, args[: FUNCTIONS[name].arity], dtype)
        try:
            oracle.same(results[name], want)
        except AssertionError as error:
            raise AssertionError(f"{name} of {dtype}") from error


@pytest.mark.parametrize("lanes", [*WIDTHS, 1])
@pytest.mark.parametrize("dtype", [f32, f64], ids=str)
def test_fma_rounds_once(dtype, lanes):
    kind = oracle.NUMPY[dtype.name]
    eps = np.finfo(kind).eps
    a = np.array([1 + eps, 1 + eps, 3.0, np.inf, np.nan, 0.0, -2.0, 1.5], kind)
    b = np.array([1 + eps, 1 - eps, 1 / 3, 0.0, 1.0, -1.0, 0.5, 2.5], kind)
    c = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 0.0, 1.0, 1e-8], kind)
    result = run(kernel(("fma",), dtype, lanes, 3), (a, b, c), ("fma",), dtype, lanes)["fma"]
    exact = np.array(
        [_fma(*row) for row in zip(a.tolist(), b.tolist(), c.tolist(), strict=True)], kind
    )
    oracle.same(result, exact)


def _fma(a, b, c):
    if not all(map(math.isfinite, (a, b, c))):
        return a * b + c
    return float(Fraction(a) * Fraction(b) + Fraction(c))


LIBRARY = {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log1p": np.log1p, "tanh": np.tanh, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "pow": np.power, "fmod": np.fmod, "rsqrt": lambda x: 1 / np.sqrt(x), "recip": lambda x: 1 / x,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "erf": np.frompyfunc(math.erf, 1, 1),
    "erfc": np.frompyfunc(math.erfc, 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("lanes", [*WIDTHS, 1])
@pytest.mark.parametrize("dtype", [f64, f32, f16, bf16], ids=str)
def test_inexact_functions_without_an_expansion(dtype, lanes):
    names = tuple(LIBRARY)
    rng = np.random.default_rng(3)
    kind = oracle.NUMPY[dtype.name]
    x = np.concatenate([[0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], rng.uniform(-4, 4, 60)])
    y = np.concatenate([[2.0, 3.0, 2.0, 1.0, 1.0, np.inf, -2.0], rng.uniform(-3, 3, 60)])
    args = (x.astype(kind), y.astype(kind))
    results = run(kernel(names, dtype, lanes), args, names, dtype, lanes)
    digits, least = {"f64": (53, -1074), "f32": (24, -149), "f16": (11, -24), "bf16": (8, -133)}[
        dtype.name
    ]
    for name in names:
        with np.errstate(all="ignore"):
            wide = (arg.astype(np.float64) for arg in args[: FUNCTIONS[name].arity])
            want = LIBRARY[name](*wide).astype(np.float64)
            overflow = np.isinf(want.astype(kind))
        got = results[name].astype(np.float64)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want), err_msg=name)
        finite = np.isfinite(want) & ~overflow
        infinite = np.copysign(np.inf, want[overflow])
        np.testing.assert_array_equal(got[overflow], infinite, err_msg=name)
        # The bound of the function table, in units of the last place, and the oracle's own error.
        unit = np.exp2(np.frexp(want[finite])[1] - float(digits))
        ulp = np.abs(got[finite] - want[finite]) / np.maximum(unit, 2.0**least)
        assert ulp.max() <= FUNCTIONS[name].ulp + (0.5 if dtype == f64 else 0), name


@pytest.mark.skipif(16 not in WIDTHS, reason="the instruction is one of AVX-512")
@pytest.mark.parametrize("lanes", [16, 1])
def test_scaling_takes_any_exponent_where_the_sheet_says_so(lanes):
    """Numbers of every size by exponents in and far beyond the format, rounded once."""
    assert sheet_of(16).scales_widely
    inf, nan = np.inf, np.nan
    exponents = [-inf, -3.4e38, -1e9, -4000.0, *np.arange(-155.0, 135.0), 1e9, 3.4e38, inf, nan]
    numbers = np.concatenate([[0.0, 2.0, 0.154, nan], np.random.default_rng(1).uniform(0.2, 7, 9)])
    n, x = (part.ravel() for part in np.meshgrid(exponents, numbers.astype(np.float32)))
    n, x = n[(x != 0) | np.isfinite(n)], x[(x != 0) | np.isfinite(n)]
    args = (x, n.astype(np.float32))
    got = run(kernel(("scale2",), f32, lanes), args, ("scale2",), f32, lanes)["scale2"]
    # Python's own rounding of an exact product; NaN by an infinity is an infinity or 0 on x86.
    inside = ~np.isnan(n) & ~np.isnan(x)
    whole = np.clip(np.where(np.isnan(n), 0, n), -9999, 9999).astype(int)
    with np.errstate(all="ignore"):
        want = np.ldexp(x.astype(np.float64), whole).astype(np.float32)
    np.testing.assert_array_equal(got[inside].view(np.uint32), want[inside].view(np.uint32))
    assert np.isnan(got[np.isnan(n)]).all()


def test_a_function_without_a_form_is_refused_by_name():
    functions = Functions(Writer(WIDTHS[0]), i32, None)
    with pytest.raises(UnsupportedError, match="sqrt of i32"):
        functions.emit("sqrt", ("%x",))


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_where_moves_bits(dtype, lanes):
    b = Builder(lanes)
    flags, x, y = Buffer("c", bool_, False), Buffer("x", dtype, False), Buffer("y", dtype, False)
    out, uniform = Buffer("out", dtype, True), Buffer("uniform", dtype, True)
    at = b.address(0, 1)
    left, right = b.load(x, at), b.load(y, at)
    b.store(out, at, b.select(b.load(flags, at), left, right))
    one = b.load(flags, b.address(1))
    b.store(uniform, at, b.select(one, left, b.load(y, b.address(0))))
    made = native(finish(b, (flags, x, y, out, uniform)))
    rng = np.random.default_rng(1)
    c = rng.integers(0, 2, lanes).astype(np.uint8) * 7
    kind = oracle.NUMPY[dtype.name]
    xs, ys = (np.resize(v, lanes) for v in (oracle.samples(dtype), oracle.samples(dtype)[::-1]))
    results = [np.zeros(lanes, kind), np.zeros(lanes, kind)]
    made([c, np.ascontiguousarray(xs), np.ascontiguousarray(ys), *results])
    oracle.same(results[0], np.where(c, xs, ys))
    oracle.same(results[1], xs if c[1] else np.full(lanes, ys[0]))


def converted(values, source, target):
    """The conversion of the language, on exact Python numbers."""
    kind = oracle.NUMPY[target.name]
    if target.kind == "bool":
        return values != 0
    if target.is_float:
        return _to_float(values, source, target)
    limits = np.iinfo(kind)
    made = []
    for value in values.tolist():
        if source.is_float and math.isnan(value):
            made.append(0)
        elif source.is_float and math.isinf(value):
            made.append(limits.max if value > 0 else limits.min)
        elif source.is_float:
            made.append(min(max(math.trunc(value), limits.min), limits.max))
        else:
            made.append(oracle._wrap(int(value), target))
    return np.array(made, kind)


def _to_float(values, source, target):
    """Rounded once, to nearest even: through exact fractions of the neighbours."""
    kind = oracle.NUMPY[target.name]
    with np.errstate(all="ignore"):
        if target.bits == 64 or (source.is_float and source.bits <= target.bits):
            return values.astype(np.float64).astype(kind)
        return np.array([_nearest(v, target) for v in values.tolist()]).astype(kind)


def _nearest(value, target):
    digits, least, largest = {
        "f32": (24, -149, (2 - 2**-23) * 2.0**127),
        "f16": (11, -24, 65504.0),
        "bf16": (8, -133, (2 - 2**-7) * 2.0**127),
    }[target.name]
    if isinstance(value, float) and not math.isfinite(value):
        return value
    exact = abs(Fraction(value))
    if exact == 0:
        return math.copysign(0.0, value)
    exponent = max(_floor_log2(exact) + 1 - digits, least)
    rounded = round(exact / Fraction(2) ** exponent) * Fraction(2) ** exponent
    made = math.inf if rounded > Fraction(largest) else float(rounded)
    return math.copysign(made, value)


def _floor_log2(exact):
    power = exact.numerator.bit_length() - exact.denominator.bit_length()
    return power if Fraction(2) ** power <= exact else power - 1


TIES = [2**24 + 2**16 + 1, 2**24 + 2**16, 2**31 - 1, 2**53 + 1, 2**62 + 2**54 + 1, 65519, 65520,
        65521, 2**40 + 2**28 + 1, 2**24 + 1, 2049, 2051, 257, 259]  # fmt: skip


@functools.cache
def converter(source, lanes):
    wide = lanes > 1
    b = Builder(lanes if wide else WIDTHS[0])
    x = Buffer("x", source, False)
    outs = [Buffer(f"y_{target}", target, True) for target in ALL if target != source]
    base = b.mul(b.group(), lanes)
    mask = b.lt(b.add(base, b.convert(b.lane(), i64)), b.parameter(COUNT)) if wide else None
    address = b.address(base, 1 if wide else None)
    value = b.load(x, address, mask, 0)
    for y in outs:
        b.store(y, address, b.convert(value, y.dtype), mask)
    return native(finish(b, (x, *outs), (COUNT,)))


@pytest.mark.parametrize("lanes", [WIDTHS[0], WIDTHS[-1], 1])
@pytest.mark.parametrize("source", ALL, ids=str)
def test_conversions(source, lanes):
    values = oracle.samples(source)
    kind = oracle.NUMPY[source.name]
    if source.is_integer:
        limits = np.iinfo(kind)
        ties = [v for v in TIES if v <= limits.max] + [-v for v in TIES if -v >= limits.min]
        values = np.concatenate([values, np.array(ties, kind)])
    elif source == f64:
        ties = [float(v) for v in TIES] + [1 + 2**-8 + 2**-40, 1 + 2**-11 + 2**-45, 3e-8, 1e-40]
        values = np.concatenate([values, np.array([*ties, *(-v for v in ties)])])
    targets = [target for target in ALL if target != source]
    results = [np.zeros(values.size, oracle.NUMPY[target.name]) for target in targets]
    made = converter(source, lanes)
    made([values, *results], [np.int64(values.size)], -(-values.size // lanes))
    for target, result in zip(targets, results, strict=True):
        try:
            oracle.same(result, converted(values, source, target))
        except AssertionError as error:
            raise AssertionError(f"{source} to {target}") from error


@pytest.mark.skipif(not WIDEST.narrows_bf16, reason="no instruction that rounds to bf16")
def test_the_instruction_rounds_to_bf16_as_the_bits_do():
    # Every sign, exponent and upper mantissa, with lower halves at and beside ties; vectors with
    # one subnormal, with some and with none.
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    bits = np.random.default_rng(0).permutation((upper[:, None] | lower).ravel())
    values = np.concatenate([np.sort(bits), bits]).view(np.float32)
    results = []
    for sheet in (WIDEST, CPU_AVX512):
        b = Builder(sheet.lanes)
        x, y = Buffer("x", f32, False), Buffer("y", bf16, True)
        address = b.address(b.mul(b.group(), sheet.lanes), 1)
        b.store(y, address, b.convert(b.load(x, address), bf16))
        results.append(np.zeros(values.size, np.uint16))
        native(finish(b, (x, y)), sheet)([values, results[-1]], (), values.size // sheet.lanes)
    np.testing.assert_array_equal(*results)
    numbers = ~np.isnan(values)
    expected = values[numbers].astype(oracle.NUMPY["bf16"]).view(np.uint16)
    np.testing.assert_array_equal(results[0][numbers], expected)


@pytest.mark.parametrize("lanes", WIDTHS)
def test_reinterpretations_keep_bits(lanes):
    b = Builder(lanes)
    pairs = [(f32, i32), (f64, i64), (f16, bf16)]
    buffers = []
    for k, (one, other) in enumerate(pairs):
        x, y, z = (
            Buffer(f"x{k}", one, False),
            Buffer(f"y{k}", other, True),
            Buffer(f"z{k}", one, True),
        )
        value = b.reinterpret(b.load(x, b.address(0, 1)), other)
        b.store(y, b.address(0, 1), value)
        b.store(z, b.address(0), b.reinterpret(b.load(y, b.address(1)), one))
        buffers += [x, y, z]
    made = native(finish(b, buffers))
    arrays = []
    for one, other in pairs:
        values = np.resize(oracle.samples(one), lanes)
        arrays += [values, np.zeros(lanes, oracle.NUMPY[other.name]), values[:1] * 0]
    made(arrays)
    for x, y, z in zip(*[iter(arrays)] * 3, strict=True):
        np.testing.assert_array_equal(x.view(np.uint8), y.view(np.uint8))
        np.testing.assert_array_equal(x[1:2].view(np.uint8), z.view(np.uint8))
