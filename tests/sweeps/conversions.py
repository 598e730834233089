"""What a conversion between dtypes gives, by exact rational arithmetic and by scaled rounding.

Two oracles of floats: `nearest`, of one exact number, and `nearest_all`, of an array of float64.
Neither uses NumPy's conversions or the package's.
"""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np

# Digits, the exponent of the least subnormal, the greatest finite value.
FORMATS = {
    "f64": (53, -1074, (2 - 2.0**-52) * 2.0**1023),
    "f32": (24, -149, (2 - 2.0**-23) * 2.0**127),
    "f16": (11, -24, 65504.0),
    "bf16": (8, -133, (2 - 2.0**-7) * 2.0**127),
    "f8e4m3": (4, -9, 448.0),
    "f8e5m2": (3, -16, 57344.0),
}
STORAGE = {
    "bool": np.dtype(np.bool_),
    **{f"i{n}": np.dtype(f"i{n // 8}") for n in (8, 16, 32, 64)},
    **{f"u{n}": np.dtype(f"u{n // 8}") for n in (8, 16, 32, 64)},
    **{f"f{n}": np.dtype(f"f{n // 8}") for n in (16, 32, 64)},
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
}
INTEGERS = {
    **{f"i{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)},
    **{f"u{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)},
}


def beyond(name: str) -> float:
    """What is too large for a format."""
    return math.nan if name == "f8e4m3" else math.inf


def nearest(value: float | int | Fraction, name: str) -> float:
    """The value of a format nearest to an exact number, ties to even."""
    if isinstance(value, float) and not math.isfinite(value):
        return math.copysign(beyond(name), value) if math.isinf(value) else value
    digits, least, largest = FORMATS[name]
    exact = abs(Fraction(value))
    if exact == 0:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    # `round` of a fraction is to the nearest, half to even.
    made = round(exact / unit) * unit
    sign = 1 if value > 0 else -1
    return sign * (beyond(name) if made > Fraction(largest) else float(made))


def nearest_all(values: np.ndarray, name: str) -> np.ndarray:
    """The same for an array of float64, by scaling the unit of each value to 1."""
    digits, least, largest = FORMATS[name]
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(values)[1] - digits, least)
        made = np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent)
        made = np.where(np.isfinite(values), made, values)
        return np.where(np.abs(made) > largest, np.copysign(beyond(name), made), made)


def integer(value: float | int, name: str) -> int:
    """A number as an integer: floats truncate and saturate, integers wrap."""
    low, high = INTEGERS[name]
    if isinstance(value, float):
        if math.isnan(value):
            return 0
        return (
            min(max(low, math.trunc(value)), high)
            if math.isfinite(value)
            else (high if value > 0 else low)
        )
    wrapped = value & (high - low)
    return wrapped - (high - low + 1) if wrapped > high else wrapped


def converted(value: float | int | bool, name: str) -> float | int | bool:
    """One value as another dtype."""
    if name == "bool":
        return value != 0
    return nearest(value, name) if name in FORMATS else integer(value, name)


def edges_of_floats(source: str) -> list[float]:
    """Values of a format at which a conversion to another dtype may go wrong."""
    found = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5]
    for digits, least, largest in FORMATS.values():
        for exponent in (least, least + 1, least + digits - 1, -1, 0, 1, 7):
            for units in (0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 2.0 ** (digits - 1) + 0.5):
                found += [units * 2.0**exponent]
        step = largest - nearest(largest * (1 - 2.0 ** -(digits - 1)), "f64")
        found += [largest, largest + step / 4, largest + step / 2, largest + step]
    for low, high in INTEGERS.values():
        for bound in (low, high, high + 1):
            found += [bound - 1.0, bound - 0.5, float(bound), bound + 0.5, bound + 1.0]
    around = {nearest(v, source) for v in found if math.isfinite(v)}
    near = {math.nextafter(v, way) for v in around for way in (math.inf, -math.inf)}
    kept = {v for v in around | {nearest(v, source) for v in near} if math.isfinite(v)}
    kept |= {-v for v in kept}
    return [*sorted(kept), math.inf, -math.inf, math.nan]


def edges_of_integers(source: str) -> list[int]:
    """Powers of two, what is beside them, and ties of every float format."""
    low, high = INTEGERS[source]
    found = {0, 1, 2, 3, low, high, low + 1, high - 1}
    for k in range(64):
        found |= {2**k - 1, 2**k, 2**k + 1, 3 * 2**k}
        for digits in (3, 4, 8, 11, 24, 53):
            if k >= digits:
                half = 2 ** (k - digits)
                found |= {2**k + half, 2**k + half + 1, 2**k + half - 1, 2**k + 3 * half}
    found |= {-value for value in found}
    return sorted(value for value in found if low <= value <= high)
