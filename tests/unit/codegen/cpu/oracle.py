"""What each element-wise function means, element by element on exact Python numbers.

Floats are NumPy scalars of the type (f16 and bf16 are computed in f32 and rounded once), integers
are Python's, reduced to the width at the end.
"""

import math

import ml_dtypes
import numpy as np

from certile.ir.functions import FUNCTIONS

NUMPY = {
    "bool": np.bool_,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    **{f"{k}{n}": np.dtype(f"{k}{n // 8}").type for k in "iu" for n in (8, 16, 32, 64)},
}
NARROW = ("f16", "bf16")

_SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 0.1, 10.0, 7.25, -7.25,
    1e-3, 123.456, 255.0, 256.0, -128.5, 127.5, 32768.0, 65504.0, 65520.0, 70000.0, 8388609.0,
    2147483648.0, -2147483648.0, -2147483904.0, 4294967296.0, 9223372036854775808.0,
    18446744073709551616.0, -1e20, 3.4028235e38, -3.4028235e38, 1.1754944e-38, 1e-45, -1e-45,
    1e-40, 6e-8, -3e-8, math.inf, -math.inf, math.nan, 1.00390625, 1.01171875, 0.9999999,
)  # fmt: skip


def samples(dtype):
    """Values of a dtype at which something special happens, and a few that are random."""
    kind = NUMPY[dtype.name]
    rng = np.random.default_rng(7)
    if dtype.kind == "bool":
        return np.array([False, True])
    if dtype.is_float:
        wide = np.array([*_SPECIAL, *rng.standard_normal(16) * 10])
        with np.errstate(all="ignore"):
            return wide.astype(np.float32).astype(kind) if dtype.bits < 64 else wide
    low, high = np.iinfo(kind).min, np.iinfo(kind).max
    some = [0, 1, 2, 3, 5, 7, 8, dtype.bits - 1, dtype.bits, dtype.bits + 1, high, high - 1, low]
    if low < 0:
        some += [-1, -2, -3, -7, -8, low + 1]
    some += [int(v) for v in rng.integers(low, high, 12, dtype=kind, endpoint=True)]
    return np.array(some, kind)


def pairs(dtype):
    """Every pair of samples, as two arrays."""
    values = samples(dtype)
    return np.repeat(values, values.size), np.tile(values, values.size)


def _wrap(value, dtype):
    if dtype.kind == "bool":
        return bool(value)
    value &= (1 << dtype.bits) - 1
    return value - (1 << dtype.bits) if dtype.kind == "int" and value >> (dtype.bits - 1) else value


def _shift_right(a, b, width):
    return a >> b if 0 <= b < width else (-1 if a < 0 else 0)


def _integer(fn, args, dtype):
    if fn == "bit_not" and dtype.kind == "bool":
        return not args[0]
    a = args[0]
    b = args[1] if len(args) > 1 else 0
    width = dtype.bits
    unsigned = a & ((1 << width) - 1)
    match fn:
        case "floordiv" | "mod":
            return 0 if b == 0 else (a // b if fn == "floordiv" else a % b)
        case "shl":
            return a << b if 0 <= b < width else 0
        case "shr":
            return _shift_right(a, b, width)
        case "popcount":
            return unsigned.bit_count()
        case "ctz":
            return (unsigned & -unsigned).bit_length() - 1 if unsigned else width
        case "maximum" | "fmax":
            return max(a, b)
        case "minimum" | "fmin":
            return min(a, b)
        case "sign":
            return (a > 0) - (a < 0)
        case "floor" | "ceil" | "round" | "trunc":
            return a
    table = {
        "neg": -a, "abs": abs(a), "add": a + b, "sub": a - b, "mul": a * b, "bit_and": a & b,
        "bit_or": a | b, "bit_xor": a ^ b, "bit_not": ~a, "eq": a == b, "ne": a != b, "lt": a < b,
        "le": a <= b, "gt": a > b, "ge": a >= b,
    }  # fmt: skip
    return table[fn]


_FLOAT = {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "floor": np.floor, "ceil": np.ceil,
    "round": np.rint, "trunc": np.trunc, "add": np.add, "sub": np.subtract, "mul": np.multiply,
    "div": np.divide, "sqrt": np.sqrt, "floordiv": np.floor_divide, "mod": np.mod,
    "maximum": np.maximum, "minimum": np.minimum, "fmax": np.fmax, "fmin": np.fmin,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
}  # fmt: skip


def exact(fn, args, dtype):
    """The exact functions of the table on arrays of one dtype."""
    function = FUNCTIONS[fn]
    result = NUMPY[function.result((dtype,) * function.arity).name]
    if not dtype.is_float:
        rows = zip(*(arg.tolist() for arg in args), strict=True)
        made = function.result((dtype,) * function.arity)
        return np.array([_wrap(int(_integer(fn, row, dtype)), made) for row in rows], result)
    if dtype.name in NARROW:
        args = [arg.astype(np.float32) for arg in args]
    with np.errstate(all="ignore"):
        return _FLOAT[fn](*args).astype(result)


def same(got, want):
    """Assert equal numbers: all NaNs are one, and the sign of a zero does not count."""
    wide = np.float64 if want.dtype.itemsize < 8 and want.dtype.kind not in "iub" else want.dtype
    got, want = got.astype(wide), want.astype(wide)
    np.testing.assert_array_equal(got, want)
