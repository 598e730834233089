"""What `math="portable"` means, on NumPy arrays: the expansions, run by `NumpyArith`.

In: arrays.  Out: `PORTABLE`, by name the implementation of every function with a portable form, in
f64 where an operand is f64 and in f32 otherwise, for the reference interpreter.  Decides nothing:
each is the expansion that lowering emits, and `logaddexp` the composition that lowering makes of
two.  Leaves f16 and bf16 to the interpreter, which widens them.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.lower.math import EXPANSIONS, Expansion
from certile.lower.math.arith import F32, F64, Arith
from certile.lower.math.numpy_arith import NumpyArith

__all__ = ["PORTABLE"]

_Array: TypeAlias = npt.NDArray[Any]
_NARROW: Arith[_Array] = NumpyArith(F32)
_WIDE: Arith[_Array] = NumpyArith(F64)


def _operands(args: tuple[_Array, ...]) -> list[_Array]:
    """The operands in f64 where one of them is, else in f32."""
    wide = any(np.asarray(arg).dtype == np.float64 for arg in args)
    return [np.asarray(arg, np.float64 if wide else np.float32) for arg in args]


def _expanded(expansion: Expansion, *args: _Array) -> _Array:
    operands = _operands(args)
    arith = _WIDE if operands[0].dtype == np.float64 else _NARROW
    with np.errstate(all="ignore"):
        return np.asarray(expansion(arith, *operands))


def _logaddexp(*args: _Array) -> _Array:
    """max + log1p(exp(-|a - b|)); an infinite or NaN maximum is the answer itself."""
    a, b = _operands(args)
    most = np.maximum(a, b)
    with np.errstate(all="ignore"):
        apart = np.abs(a - b)
        decayed = _expanded(EXPANSIONS["log1p"], _expanded(EXPANSIONS["exp"], -apart))
        return np.where(np.isfinite(most), most + decayed, most)


# What the expansions give on NumPy arrays, for the reference interpreter under portable math.
PORTABLE: Mapping[str, Callable[..., _Array]] = MappingProxyType(
    {
        **{name: partial(_expanded, expansion) for name, expansion in EXPANSIONS.items()},
        "logaddexp": _logaddexp,
    }
)
