"""Vector math, once for every target: name -> straight-line f32 expansion.

In: an ``Arith`` builder and f32 values.  Out: the f32 result, the same bits wherever the
builder's operations keep their promise (``certile.lower.math.arith``).  Decides: which functions
are expanded (``EXPANSIONS``) and how far each may be from the true value (``BOUNDS``).  Leaves to
others: how one operation is spelled, and whether a target may use its own faster functions.

Every function takes every f32: NaN stays NaN, infinities and zeros give their limits, subnormal
operands and results are kept, and no NaN appears where the true value is a number.  There are no
branches and no table look-ups.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from certile.lower.math.arith import Arith
from certile.lower.math.error_function import erf, erfc
from certile.lower.math.exponential import exp, exp2, expm1, sigmoid, tanh
from certile.lower.math.logarithm import log, log1p, log2
from certile.lower.math.numpy_arith import NumpyArith
from certile.lower.math.portable import portable_functions
from certile.lower.math.roots import recip, rsqrt

# The value type differs from builder to builder, and a table has one type: hence Any.
Expansion: TypeAlias = Callable[..., Any]

EXPANSIONS: Mapping[str, Expansion] = MappingProxyType(
    {
        "exp": exp,
        "exp2": exp2,
        "expm1": expm1,
        "log": log,
        "log2": log2,
        "log1p": log1p,
        "tanh": tanh,
        "sigmoid": sigmoid,
        "erf": erf,
        "erfc": erfc,
        "rsqrt": rsqrt,
        "recip": recip,
    }
)

# The largest distance from the true value in units of its last place (that of f32; 2**-149
# where the value is subnormal), over all inputs.  tests/full measures every one of the 2**32.
BOUNDS: Mapping[str, float] = MappingProxyType(
    {
        "exp": 1.0,
        "exp2": 1.0,
        "expm1": 1.5,
        "log": 1.0,
        "log2": 1.0,
        "log1p": 1.5,
        "tanh": 1.5,
        "sigmoid": 1.75,
        "erf": 1.25,
        "erfc": 1.75,
        "rsqrt": 1.5,
        "recip": 0.5,
    }
)

# What the expansions give on NumPy arrays, for the reference interpreter under portable math.
PORTABLE: Mapping[str, Expansion] = portable_functions(EXPANSIONS)

__all__ = [
    "BOUNDS",
    "EXPANSIONS",
    "PORTABLE",
    "Arith",
    "Expansion",
    "NumpyArith",
]
