"""What `math="portable"` means, on NumPy arrays: the expansions, run by `NumpyArith`.

In: arrays.  Out: `PORTABLE`, by name the f32 implementation of every function with a portable
form, for the reference interpreter.  Decides nothing: each is the expansion that lowering emits,
and `logaddexp` the composition that lowering makes of two.  Leaves types other than f32 to the
interpreter, which widens f16 and bf16 and computes f64 itself.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.lower.math.arith import Arith
from certile.lower.math.numpy_arith import NumpyArith

__all__ = ["portable_functions"]

_Array: TypeAlias = npt.NDArray[Any]
_ARITH: Arith[_Array] = NumpyArith()


def portable_functions(
    expansions: Mapping[str, Callable[..., Any]],
) -> Mapping[str, Callable[..., _Array]]:
    """Return functions of f32 arrays by name, each with the bits of a portable kernel."""
    functions = {name: partial(_expanded, expansion) for name, expansion in expansions.items()}
    functions["logaddexp"] = partial(_logaddexp, functions["exp"], functions["log1p"])
    return MappingProxyType(functions)


def _expanded(expansion: Callable[..., Any], *args: _Array) -> _Array:
    wide = [np.asarray(arg, np.float32) for arg in args]
    with np.errstate(all="ignore"):
        return np.asarray(expansion(_ARITH, *wide))


def _logaddexp(
    exp: Callable[..., _Array], log1p: Callable[..., _Array], a: _Array, b: _Array
) -> _Array:
    """max + log1p(exp(-|a - b|)); an infinite or NaN maximum is the answer itself."""
    most = np.maximum(np.asarray(a, np.float32), np.asarray(b, np.float32))
    apart = np.abs(np.asarray(a, np.float32) - np.asarray(b, np.float32))
    return np.where(np.isfinite(most), most + log1p(exp(-apart)), most)
