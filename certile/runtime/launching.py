"""What a launch needs besides memory: how many groups, and its scalars.

In: a compiled launch, the arguments it is bound to, the words of a call.  Out: a number of groups,
the scalars of a launch, the element of memory that a scalar parameter of Metal refers to.  Decides
how a number is rounded that its type does not hold.  Leaves limits to each launcher.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from certile.ir.array_types import numpy_dtype
from certile.ir.dtypes import DType
from certile.pipeline import CompiledLaunch
from certile.runtime.bind import Arguments, Words

__all__ = ["Scalar", "groups_of", "scalar_argument", "scalars_of"]

Scalar: TypeAlias = bool | int | float


def groups_of(launch: CompiledLaunch, arguments: Arguments) -> int:
    """Return the number of groups that run a launch, the last perhaps in part."""
    programs = arguments.evaluate(launch.launch.programs)
    return -(-programs // launch.artifact.programs_per_group)


def scalars_of(launch: CompiledLaunch, arguments: Arguments, words: Words) -> list[Scalar]:
    """Return the values of a launch's scalars, in order."""
    return [
        words[arguments.positions[value.view]]
        if value.kind == "argument"
        else arguments.evaluate(value)
        for value in launch.launch.scalars
    ]


def scalar_argument(value: bool | int | float, dtype: DType) -> npt.NDArray[Any]:
    """A scalar as the one element that its reference parameter binds.

    A bool is a byte, bf16 its bits.  A number beyond the greatest finite one of a float dtype is
    infinity.
    """
    narrow = dtype.name == "bf16"
    with np.errstate(over="ignore"):
        if dtype.kind == "bool":
            return np.array([bool(value)], np.uint8)
        made = np.array([value], np.float32 if narrow else numpy_dtype(dtype.name))
    if narrow:
        bits = int(made.view(np.uint32)[0])
        nearest = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        return np.array([nearest if value == value else 0x7FC0], np.uint16)
    return made
