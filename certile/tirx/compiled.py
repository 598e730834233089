"""What TVM compiled: functions on NumPy arrays, or text.

In: built launches and what each takes.  Out: a `Compiled`.  Decides what an array must be before
TVM sees it: dtype, shape, C order, writable where it is written, apart from the others where the
export was told so.  Nothing is copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from certile.diagnostics import ArgumentError, UnsupportedError, shown_number
from certile.ir.array_types import BEYOND_NUMPY, numpy_dtype, plain_dtype
from certile.ir.dtypes import DType
from certile.ir.machine.fold import bounds
from certile.records import record
from certile.tirx import tvm
from certile.tirx.conversions import stored_type
from certile.tirx.externs import TirxTarget
from certile.tirx.tvm_building import Built

__all__ = ["Compiled", "Parameter", "Ready"]

_MOST_SIGNED = (1 << 63) - 1


@record
class Parameter:
    """What a launch takes: an array of a shape, or (None) a number."""

    name: str
    dtype: DType
    shape: tuple[int, ...] | None
    written: bool


@record
class Ready:
    """A launch that TVM built."""

    built: Built
    parameters: tuple[Parameter, ...]
    requires_precise_math: bool


class Compiled:
    """The launches of a kernel, compiled.

    For LLVM it is a function of the kernel's parameters, by position or by name: NumPy arrays (bf16
    and 8-bit floats as types of `ml_dtypes` or as their bits) and numbers.  It has run when the
    call returns.  With `noalias` no array that is written may share memory with another.
    """

    def __init__(
        self,
        target: TirxTarget,
        names: tuple[str, ...],
        launches: tuple[Ready, ...],
        *,
        noalias: bool,
    ) -> None:
        self.target: TirxTarget = target
        self.names = names
        self.launches = launches
        self.noalias = noalias
        arrays = [p for launch in launches for p in launch.parameters if p.shape is not None]
        written = {parameter.name for parameter in arrays if parameter.written}
        read = {parameter.name for parameter in arrays} - written
        # Arrays that may not meet: each that is written beside those that are read, or come later.
        self._apart = [*combinations(sorted(written), 2), *product(sorted(written), sorted(read))]
        # Looking a function up costs more than most calls.
        on_cpu = launches if target == "llvm" else ()
        self._functions = [launch.built.module[launch.built.entry] for launch in on_cpu]

    def source(self) -> str:
        """TVM's text of all launches: LLVM IR, MSL or CUDA C++."""
        return "\n".join(launch.built.text for launch in self.launches)

    def __call__(self, *args: object, **keywords: object) -> None:
        """Run all launches.

        Raises `ArgumentError` A001 for arguments that are missing or too many, A002, A003 and A004
        for arrays of another kind, dtype or shape, A005 for one that is written and shares memory
        with another as the export rules out, A007 for a number that its type does not hold, and
        `UnsupportedError` U401 for a target whose device TVM does not drive here.
        """
        if self.target != "llvm":
            message = f"TVM makes text for {self.target} here and drives no device"
            raise UnsupportedError("U401", message, hint="launch the artifact")
        given = self._bind(args, keywords)
        calls = [self._values(launch, given) for launch in self.launches]
        self._require_apart(given)
        for function, values in zip(self._functions, calls, strict=True):
            function(*values)

    def _bind(self, args: tuple[object, ...], keywords: Mapping[str, object]) -> dict[str, object]:
        given = dict(zip(self.names, args, strict=False))
        wrong = [name for name in keywords if name not in self.names or name in given]
        if len(args) > len(self.names) or wrong:
            raise ArgumentError("A001", f"the function takes {', '.join(self.names)}")
        given.update(keywords)
        for name in self.names:
            if name not in given:
                raise ArgumentError("A001", f"missing a required argument: {name!r}")
        return given

    def _require_apart(self, given: Mapping[str, object]) -> None:
        """Refuse arrays that meet; each is C-ordered, so that it fills all bytes of its range."""
        if not self._apart:
            return
        ranges = {
            name: (value.ctypes.data, value.nbytes)
            for name, value in given.items()
            if isinstance(value, np.ndarray)
        }
        for written, other in self._apart:
            (a, a_bytes), (b, b_bytes) = ranges[written], ranges[other]
            if a >= b + b_bytes or b >= a + a_bytes or not a_bytes or not b_bytes:
                continue
            same = ranges[written] == ranges[other]
            if self.noalias or not same:
                message = f"{written} is written and shares memory with {other}"
                hint = "export without noalias for arrays that are one" if same else "pass a copy"
                raise ArgumentError("A005", message, hint=hint)

    def _values(self, launch: Ready, given: Mapping[str, object]) -> list[object]:
        values: list[object] = []
        for parameter in launch.parameters:
            value = given[parameter.name]
            values.append(
                _number(parameter, value) if parameter.shape is None else _array(parameter, value)
            )
        return values


def _number(parameter: Parameter, value: object) -> object:
    """The number as TVM takes it: narrow floats rounded once, bf16 as bits, integers of 64 bits."""
    name, dtype = parameter.name, parameter.dtype
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, bool | int | float):
        raise ArgumentError("A002", f"{name} is {type(value).__name__}, not a number")
    if dtype.is_float:
        return _float(dtype, number)
    low, high = bounds(dtype)
    whole = not isinstance(number, float) and low <= number <= high
    if not whole or (dtype.kind == "bool" and not isinstance(number, bool)):
        raise ArgumentError("A007", f"{name} is {shown_number(number)}, which does not fit {dtype}")
    # TVM takes a signed number and reads the bits as the type says.
    return int(number) - (1 << 64) * (number > _MOST_SIGNED)


def _float(dtype: DType, number: bool | int | float) -> float | int:
    with np.errstate(over="ignore"):
        if dtype.name == "bf16":
            return int(np.asarray(number).astype(numpy_dtype("bf16")).view(np.uint16))
        return float(np.asarray(number).astype(numpy_dtype(dtype.name)))


def _array(parameter: Parameter, value: object) -> object:
    """The array as TVM takes it, flat and without a copy."""
    assert parameter.shape is not None
    name, shape = parameter.name, parameter.shape
    if not isinstance(value, np.ndarray):
        message = f"{name} is {type(value).__name__}, not an array of NumPy"
        raise ArgumentError("A002", message)
    wanted, held = _arrays(parameter.dtype)
    if value.dtype not in wanted:
        raise ArgumentError("A003", f"{name} is {value.dtype}, not {parameter.dtype}")
    if value.shape != shape:
        message = f"{name} has shape {value.shape}, not {shape}"
        hint = "an export has the shapes it was made for; export once more for others"
        raise ArgumentError("A004", message, hint=hint)
    if not value.flags.c_contiguous:
        message = f"{name} is not contiguous in C order"
        raise ArgumentError("A002", message, hint="pass np.ascontiguousarray(…)")
    if not value.flags.aligned:
        raise ArgumentError("A002", f"{name} is not aligned to its elements", hint="pass a copy")
    if parameter.written and not value.flags.writeable:
        raise ArgumentError("A002", f"{name} is written and read-only")
    flat = _writable(value) if prod(shape) else np.zeros(1, value.dtype)
    return tvm.tensor(flat.view(held))


@lru_cache
def _arrays(dtype: DType) -> tuple[tuple[np.dtype[Any], ...], np.dtype[Any]]:
    """The dtypes of arrays that hold a dtype of ours, and the one by which TVM knows them."""
    own = numpy_dtype(dtype.name)
    if dtype.name in BEYOND_NUMPY:
        held = plain_dtype(dtype.name)
        return (held, own), held
    return (own,), numpy_dtype(stored_type(dtype, "llvm").name)


class _Alias:
    """The memory of an array that is only read, for a protocol that refuses read-only memory."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        described = dict(array.__array_interface__)
        described["data"] = (described["data"][0], False)
        self.__array_interface__ = described
        self.kept = array


def _writable(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    # Types of other packages have no exchange format of their own.
    flat = array.view(np.uint8) if array.dtype.kind == "V" else array
    flat = flat if flat.flags.writeable else np.asarray(_Alias(flat))
    return flat.reshape(-1)
