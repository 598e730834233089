"""The element-wise functions of Tile IR on arrays: what each of `ir.functions` gives, bit for bit.

In: a function's name and arrays of one dtype, in carrier types.  Out: an array of the result's
dtype.  Decides what integers and bools mean to functions of floats, and which implementation of an
inexact function counts.  Leaves arithmetic and rounding to `machine_numeric`, which Machine IR
shares, and how far a target may be from an inexact function to `bounding`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from certile.ir.dtypes import DType, f32, f64, i32
from certile.ir.functions import FUNCTIONS, LOGICAL
from certile.reference import machine_numeric as numeric
from certile.reference.machine_numeric import Array

# Implementations of inexact functions, as portable targets compute them, by name: in f64 of f64
# operands, in f32 of others.
Overrides = Mapping[str, Callable[..., Array]]


# Functions that mean the same for bools as for bits; the others are arithmetic of 0 and 1.
def apply(
    fn: str, args: Sequence[Array], dtype: DType, overrides: Overrides | None = None
) -> Array:
    """The function of operands that have one dtype (`where`: operands 1 and 2 have it).

    Integers reach functions of floats as f32.  Arithmetic of bools is that of the integers 0 and
    1, where nonzero is true.
    """
    function = FUNCTIONS[fn]
    if function.rule == "float" and not dtype.is_float:
        args = [numeric.convert(arg, dtype, f32) for arg in args]
        dtype = f32
    if dtype.kind == "bool" and fn not in LOGICAL:
        made = apply(fn, [arg.astype(np.int32) for arg in args], i32)
        return np.asarray(made != 0)
    if overrides and fn in overrides:
        wide = f64 if dtype == f64 else f32
        made = np.asarray(overrides[fn](*args), numeric.storage(wide))
        return numeric.convert(made, wide, dtype)
    return numeric.compute(fn, dtype, tuple(args))
