"""What one Machine IR operation computes on arrays, bit for bit.

In: NumPy arrays in carrier types.  Out: the same.  A carrier holds a dtype exactly: narrow
floats are carried as float32, every other dtype as itself.  Decides rounding (once, to nearest
even, in the operation's type; narrow floats through f32), saturation, division by zero and shifts.
Leaves memory and control to `certile.reference.machine`.  Transcendental functions of f32 are
computed in float64 and rounded: within the bound of the function table, not a target's own bits.

Callers ignore floating-point warnings: infinities and NaN are values here.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.ir.array_types import numpy_dtype
from certile.ir.dtypes import DType
from certile.reference.fused import fma_f32, fma_f64

__all__ = ["Array", "carrier", "combine", "compute", "convert", "reinterpret", "storage"]

Array: TypeAlias = npt.NDArray[Any]

_NARROW = ("f16", "bf16", "f8e4m3", "f8e5m2")


def storage(dtype: DType) -> np.dtype[Any]:
    """The NumPy dtype of an element in memory."""
    return numpy_dtype(dtype.name)


def carrier(dtype: DType) -> np.dtype[Any]:
    """The NumPy dtype that carries a value between operations."""
    return np.dtype(np.float32) if dtype.name in _NARROW else numpy_dtype(dtype.name)


def _rounded(value: Array, dtype: DType) -> Array:
    """A float32 or float64 array rounded to a float type, in its carrier."""
    if dtype.name not in _NARROW:
        return np.asarray(value, numpy_dtype(dtype.name))
    if value.dtype == np.float64:
        value = _odd_f32(value)
    return np.asarray(value).astype(numpy_dtype(dtype.name)).astype(np.float32)


def _odd_f32(value: Array) -> Array:
    """Float64 to float32, rounded to odd where bits are lost.

    A value rounded to odd rounds on to a type at least two bits narrower as the exact one would.
    """
    nearest = value.astype(np.float32)
    back = nearest.astype(np.float64)
    pattern = nearest.view(np.int32)
    even = (back != value) & np.isfinite(value) & ((pattern & 1) == 0)
    outward = np.abs(value) > np.abs(back)
    odd: Array = (pattern + np.where(even, np.where(outward, 1, -1), 0).astype(np.int32)).view(
        np.float32
    )
    return odd


def _elementwise(fn: Callable[..., float]) -> Callable[..., Array]:
    wrapped = np.frompyfunc(fn, fn.__code__.co_argcount if hasattr(fn, "__code__") else 1, 1)

    def apply(*args: Array) -> Array:
        return np.asarray(wrapped(*args), np.float64)

    return apply


def _floor_mod(a: Array, b: Array) -> Array:
    return np.asarray(np.where(b == 0, np.zeros_like(a), np.mod(a, np.where(b == 0, 1, b))))


def _floor_div(a: Array, b: Array) -> Array:
    return np.asarray(
        np.where(b == 0, np.zeros_like(a), np.floor_divide(a, np.where(b == 0, 1, b)))
    )


def _ldexp(x: Array, n: Array) -> Array:
    whole = np.clip(np.where(np.isnan(n), 0, n), -4000, 4000).astype(np.int32)
    return np.asarray(np.where(np.isnan(n), np.nan, np.ldexp(x.astype(np.float64), whole)))


# Functions of one float type, correctly rounded in the operands' own array type.
_EXACT: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "trunc": np.trunc,
    "sqrt": np.sqrt,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "fmod": np.fmod,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
}

_ANY_TYPE: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "where": np.where,
}

# Computed in float64 whatever the type, and rounded once from there.
_IN_F64: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log1p": np.log1p,
    "tanh": np.tanh,
    # Through exp(-|x|), which never overflows, so that small results are kept.
    "sigmoid": lambda x: np.where(x < 0, np.exp(-np.abs(x)), 1.0) / (1.0 + np.exp(-np.abs(x))),
    "erf": _elementwise(math.erf),
    "erfc": _elementwise(math.erfc),
    "rsqrt": lambda x: 1.0 / np.sqrt(x),
    "recip": lambda x: 1.0 / x,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "pow": np.power,
    "logaddexp": np.logaddexp,
    "scale2": _ldexp,
}


def _popcount(x: Array) -> Array:
    bits = x.astype(np.uint64) & np.uint64((1 << (8 * x.dtype.itemsize)) - 1)
    count = np.zeros(bits.shape, np.uint64)
    for shift in range(8 * x.dtype.itemsize):
        count += (bits >> np.uint64(shift)) & np.uint64(1)
    return count.astype(x.dtype)


def _shl(a: Array, b: Array) -> Array:
    width = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < width)
    return np.asarray(np.where(inside, np.left_shift(a, np.where(inside, b, 0)), 0)).astype(a.dtype)


def _shr(a: Array, b: Array) -> Array:
    width = 8 * a.dtype.itemsize
    inside = (b >= 0) & (b < width)
    # In the operand's own type: u64 with i64 would meet in float64 and round.
    beyond = np.where(a < 0, -1, 0).astype(a.dtype)
    return np.where(inside, np.right_shift(a, np.where(inside, b, 0)), beyond).astype(a.dtype)


_INTEGER: dict[str, Callable[..., Any]] = {
    **{name: _EXACT[name] for name in ("add", "sub", "mul", "neg", "abs", "sign")},
    **{name: _EXACT[name] for name in ("maximum", "minimum", "fmax", "fmin")},
    **dict.fromkeys(("floor", "ceil", "round", "trunc"), np.positive),
    "floordiv": _floor_div,
    "mod": _floor_mod,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_xor": np.bitwise_xor,
    "bit_not": np.invert,
    "shl": _shl,
    "shr": _shr,
    "popcount": _popcount,
    "ctz": lambda x: _popcount(~x & (x - np.ones_like(x))),
}


def compute(fn: str, dtype: DType, args: tuple[Array, ...]) -> Array:
    """`fn` of operands whose common type is `dtype` (of `where`: that of its branches)."""
    if fn in _ANY_TYPE:
        return np.asarray(_ANY_TYPE[fn](*args))
    if not dtype.is_float:
        return np.asarray(_INTEGER[fn](*args))
    if fn == "fma":
        fused = fma_f64(*args) if dtype.name == "f64" else fma_f32(*args)
        return _rounded(fused, dtype)
    if fn in _EXACT:
        return _rounded(np.asarray(_EXACT[fn](*args)), dtype)
    wide = np.asarray(_IN_F64[fn](*(value.astype(np.float64) for value in args)), np.float64)
    # A narrow result is rounded from the f32 one, as on every target.
    return _rounded(wide if dtype.name == "f64" else wide.astype(np.float32), dtype)


def convert(value: Array, source: DType, target: DType) -> Array:
    """Another type: saturating from float to integer (NaN to 0), wrapping between integers."""
    if target.kind == "bool":
        return np.asarray(value != 0)
    if target.is_float:
        if not source.is_float and target.name in _NARROW:
            return _rounded(_sticky(value), target)
        return _rounded(value.astype(np.float64) if target.name == "f64" else value, target)
    if not source.is_float:
        return value.astype(numpy_dtype(target.name))
    whole = np.trunc(value.astype(np.float64))
    low = -(2 ** (target.bits - 1)) if target.kind == "int" else 0
    high = 2 ** (target.bits - (target.kind == "int")) - 1
    # low and high + 1 are powers of two, exact in float64 where high itself may not be.
    inside = (whole >= low) & (whole < float(high + 1))
    exact = np.where(inside, whole, 0).astype(numpy_dtype(target.name))
    limits = np.array([low, high], numpy_dtype(target.name))
    saturated = np.where(whole >= float(high + 1), limits[1], limits[0])
    kept = inside | np.isnan(whole)
    return np.where(kept, exact, saturated).astype(numpy_dtype(target.name))


def _sticky(value: Array) -> Array:
    """An integer as float64 without rounding that a narrow float could notice."""
    if value.dtype.itemsize < 8:
        return value.astype(np.float64)
    high = value >> value.dtype.type(20)
    lost = (value & value.dtype.type(2**20 - 1)) != 0
    odd = (high | lost.astype(value.dtype)).astype(np.float64) * 2.0**20
    small = np.abs(value.astype(np.float64)) < 2.0**52
    return np.where(small, value.astype(np.float64), odd)


def reinterpret(value: Array, source: DType, target: DType) -> Array:
    """The bits of `value` as another type of equal width."""
    stored = np.ascontiguousarray(value.astype(numpy_dtype(source.name)))
    return stored.view(numpy_dtype(target.name)).reshape(value.shape).astype(carrier(target))


def combine(fn: str, dtype: DType, value: Array) -> Array:
    """Combine the last axis by a butterfly: lane l meets lane l xor 16, 8, 4, 2, 1."""
    if fn in ("any", "all"):
        return np.asarray((np.any if fn == "any" else np.all)(value, axis=-1, keepdims=True))
    while (width := value.shape[-1]) > 1:
        half = width // 2
        value = compute(fn, dtype, (value[..., :half], value[..., half:]))
    return value
