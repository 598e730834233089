"""Vector math, once for every target: name -> expansion in a few exact operations.

In: an `Arith` builder in f32 or f64, and values.  Out: the result in that format, the same bits
wherever the builder's operations keep their promise (`certile.lower.math.arith`).  Decides: which
functions are expanded (`EXPANSIONS`) and how far each may be from the true value (`BOUNDS`).
Leaves to others: how one operation is spelled, whether a target may use its own faster functions,
and what the expansions give on NumPy arrays (`certile.lower.math.portable`).

Every function takes every number of the format: NaN stays NaN, infinities and zeros give their
limits, subnormal operands and results are kept, and no NaN appears where the true value is a
number.  There are no branches and no table look-ups; sin, cos and tan of large arguments and fmod
of large quotients run rounds that other lanes skip or repeat without effect.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from certile.lower.math.arith import FORMATS, Arith, Format
from certile.lower.math.error_function import erf, erfc
from certile.lower.math.exponential import exp, exp2, expm1, sigmoid, tanh
from certile.lower.math.logarithm import log, log1p, log2
from certile.lower.math.power import pow as power
from certile.lower.math.remainder import fmod
from certile.lower.math.roots import recip, rsqrt
from certile.lower.math.trigonometric import cos, sin, tan

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
        "sin": sin,
        "cos": cos,
        "tan": tan,
        "pow": power,
        "fmod": fmod,
    }
)

# The largest distance from the true value, by function and format, in units of the last place of
# the true value (of the least subnormal where the value is subnormal).  logaddexp, which lowering
# composes of exp and log1p, is measured in the units that `certile.ir.functions` states.
BOUNDS: Mapping[tuple[str, str], float] = MappingProxyType(
    {
        ("exp", "f32"): 1.0,
        ("exp", "f64"): 1.0,
        ("exp2", "f32"): 1.0,
        ("exp2", "f64"): 1.0,
        ("expm1", "f32"): 1.5,
        ("expm1", "f64"): 2.0,
        ("log", "f32"): 1.0,
        ("log", "f64"): 1.0,
        ("log2", "f32"): 1.0,
        ("log2", "f64"): 1.25,
        ("log1p", "f32"): 1.5,
        ("log1p", "f64"): 1.5,
        ("tanh", "f32"): 1.5,
        ("tanh", "f64"): 1.5,
        ("sigmoid", "f32"): 1.75,
        ("sigmoid", "f64"): 1.75,
        ("erf", "f32"): 1.75,
        ("erf", "f64"): 1.25,
        ("erfc", "f32"): 1.75,
        ("erfc", "f64"): 1.75,
        ("rsqrt", "f32"): 1.5,
        ("rsqrt", "f64"): 1.5,
        ("recip", "f32"): 0.5,
        ("recip", "f64"): 0.5,
        ("sin", "f32"): 1.0,
        ("sin", "f64"): 1.0,
        ("cos", "f32"): 1.0,
        ("cos", "f64"): 1.0,
        ("tan", "f32"): 1.25,
        ("tan", "f64"): 1.25,
        ("pow", "f32"): 1.25,
        ("pow", "f64"): 1.25,
        ("fmod", "f32"): 0.0,
        ("fmod", "f64"): 0.0,
        ("logaddexp", "f32"): 1.75,
        ("logaddexp", "f64"): 1.75,
    }
)

__all__ = ["BOUNDS", "EXPANSIONS", "FORMATS", "Arith", "Expansion", "Format"]
