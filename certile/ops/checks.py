"""What the operations ask of their arguments, with one wording for each complaint.

In: described arrays and options.  Out: normalised options, or an `ArgumentError`.  Decides which
axes, dtypes, shapes and outputs are taken.  Leaves the formulas to `certile.ops.kernels`, and what
a framework would return to `certile.ops.native`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from math import inf, isfinite
from typing import Any, SupportsFloat

import numpy as np

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.frontend.dtype_names import NAMES, dtype_of
from certile.language.integers import integer_or_none
from certile.ops import native
from certile.runtime.arrays import ArrayInfo, describe
from certile.runtime.bind import as_numpy

Axis = int | Sequence[int] | None
NumpyArray = np.ndarray[Any, Any]

REAL = ("f32", "f16", "bf16", "f64")
INTEGERS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
# What is added, compared or counted.
REDUCED = (*REAL, *INTEGERS)
# Integers up to here are numbers of f64.
_EXACT = 2**53
# What counts rows or classes: every integer that i64 holds.
INDICES = ("i64", "i32", "i16", "i8", "u8", "u16", "u32")


def plain_axis(axis: Axis) -> int | tuple[int, ...] | None:
    """Return an axis as a key: equal for the same axes only, so True and 1.0 are not 1.

    The operations of `rows` test for a plain int themselves: this call would be 0.13 of the 3.7 µs
    that an operation on four tensors takes beside its kernel.

    Raises `ArgumentError` A301 for what is no axis.
    """
    if axis.__class__ is int or axis is None:
        return axis
    if isinstance(axis, tuple | list):
        return tuple(_integer(each) for each in axis)
    return _integer(axis)


def _integer(number: object) -> int:
    found = integer_or_none(number)
    if found is None:
        raise ArgumentError("A301", f"an axis is an integer, not {_shown(number)}")
    return found


def axes_of(op: str, x: ArrayInfo, axis: Axis) -> tuple[int, ...]:
    """Return the axes as dimensions counted from 0, in ascending order; None means all.

    An array without dimensions takes the axes 0 and -1, as PyTorch has it.  Raises `ArgumentError`
    A301 for an axis that the array lacks or that is named twice, and for none at all.
    """
    rank = len(x.shape)
    if axis is None:
        return tuple(range(rank))
    numbers = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if not numbers:
        # NumPy then reduces nothing, and PyTorch everything.
        hint = "name an axis, or pass axis=None for all"
        raise ArgumentError("A301", f"{op} over no axis is not served", hint=hint)
    bound = max(rank, 1)
    for number in numbers:
        if not -bound <= number < bound:
            raise ArgumentError(
                "A301", f"{op} over axis {_shown(number)} of an array of rank {rank}"
            )
    found = sorted(number % bound for number in numbers)
    if len(set(found)) < len(found):
        raise ArgumentError("A301", f"{op} names an axis twice: {axis!r}")
    return tuple(found) if rank else ()


def one_axis(op: str, x: ArrayInfo, axis: Axis) -> tuple[int, ...]:
    """Return the one axis an operation works along; raises `ArgumentError` A301 for several."""
    if axis is None or isinstance(axis, tuple | list):
        raise ArgumentError("A301", f"{op} works along one axis, not {axis!r}")
    return axes_of(op, x, axis)


def last_axes(op: str, x: ArrayInfo, axis: Axis) -> tuple[int, ...]:
    """Return one axis, or several that are the last; raises `ArgumentError` A301 for others."""
    found = axes_of(op, x, axis)
    if not x.shape:
        raise ArgumentError(
            "A301",
            f"{op} normalises along an axis, and x has none",
            hint="pass x.reshape(1)",
        )
    several = isinstance(axis, tuple)
    if several and found != tuple(range(len(x.shape) - len(found), len(x.shape))):
        raise ArgumentError("A301", f"{op} takes one axis, or the last ones; not {axis!r}")
    return found


def require_dtype(op: str, name: str, x: ArrayInfo, allowed: Sequence[str]) -> None:
    """Check an input's dtype.

    Raises `UnsupportedError` U501 for one that is meaningful but not served, and `ArgumentError`
    A302 for integers where real numbers are meant.
    """
    if x.dtype in allowed:
        return
    if x.dtype not in INTEGERS or "i64" in allowed:
        raise UnsupportedError(
            "U501",
            f"{op} does not serve {name} of {x.dtype}",
            hint=f"convert {name} to one of {', '.join(allowed)} first",
        )
    raise ArgumentError(
        "A302",
        f"{op} takes real numbers; {name} is {x.dtype}",
        hint=f"convert {name} to f32 first, or pass dtype=",
    )


def result_dtype(op: str, dtype: object, default: str, allowed: Sequence[str] = REAL) -> str:
    """Return the name of the result's dtype; raises `ArgumentError` A302 for one not taken."""
    if dtype is None:
        return default
    known = dtype_of(dtype)
    if known is None:
        raise ArgumentError("A302", f"dtype={dtype!r} names no dtype", hint=f"use one of {NAMES}")
    if known.name not in allowed:
        raise ArgumentError(
            "A302",
            f"{op} does not give {known}",
            hint=f"ask for one of {', '.join(allowed)}",
        )
    return known.name


def real_dtype(op: str, name: str, x: ArrayInfo, dtype: object) -> str:
    """Return the dtype of a function of real numbers of x.

    Raises `ArgumentError` A302 for integers where neither `dtype` nor the framework says what
    they give.
    """
    default = native.real_dtype(op, x.framework, x.dtype)
    if dtype is None and default is None:
        require_dtype(op, name, x, REAL)
    return result_dtype(op, dtype, default or x.dtype)


def require_shape(name: str, x: ArrayInfo, shape: Sequence[int], why: str) -> None:
    """Check that an array has a shape that another argument dictates; `ArgumentError` A303."""
    if tuple(x.shape) != tuple(shape):
        raise ArgumentError("A303", f"{name} has shape {tuple(x.shape)}; {why} {tuple(shape)}")


def require_not_empty(op: str, extents: Iterable[int], rows: int) -> None:
    """Refuse to choose an element from none, unless there is no row to choose for.

    Raises `ArgumentError` A304, which is a `ValueError` as NumPy's is.
    """
    if rows and 0 in tuple(extents):
        raise ArgumentError("A304", f"{op} over an axis without elements has no answer")


def require_halves(op: str, name: str, x: ArrayInfo) -> int:
    """Return half the extent of the last axis; raises `ArgumentError` A303 where it is odd."""
    if not x.shape or x.shape[-1] % 2:
        extents = f"{x.shape[-1]} elements" if x.shape else "none"
        raise ArgumentError("A303", f"{op} halves the last axis of {name}, which has {extents}")
    return x.shape[-1] // 2


def require_indices(name: str, numbers: NumpyArray, bound: int, what: str) -> None:
    """Check that all numbers count from 0 to below `bound`; `ArgumentError` A312 for another."""
    wrong = (numbers < 0) | (numbers >= bound)
    if wrong.any():
        index, place = first_of(numbers, wrong)
        raise ArgumentError("A312", f"{name} has {index} at {place}; {what} has {bound} rows")


def require_labels(numbers: NumpyArray, classes: int, ignored: int) -> None:
    """Check that all numbers are classes, or `ignored`; `ArgumentError` A307 for another."""
    wrong = ((numbers < 0) | (numbers >= classes)) & (numbers != ignored)
    if wrong.any():
        label, place = first_of(numbers, wrong)
        raise ArgumentError(
            "A307",
            f"label {label} at {place} is no class: there are {classes}",
            hint=f"labels are 0 to {classes - 1}, or ignore_index={ignored}",
        )


def first_of(numbers: NumpyArray, marked: NumpyArray) -> tuple[int, tuple[int, ...]]:
    """Return the first number that is marked, and where it is."""
    place = tuple(map(int, np.argwhere(np.atleast_1d(marked))[0]))
    return int(np.atleast_1d(numbers)[place]), place


def on_a_device(array: Any) -> bool:  # noqa: ANN401 - an array of any framework
    """Whether an array lies where the host cannot read; only tensors of PyTorch may."""
    return array.__class__ is not np.ndarray and not getattr(array, "is_cpu", True)


def copied_numbers(array: Any) -> NumpyArray:  # noqa: ANN401 - an array of any framework
    """Return what an array holds, wherever it lies; raises as `describe` does."""
    describe(array)
    on_host = array.cpu() if on_a_device(array) else array
    return as_numpy(describe(on_host)).copy()


def positive_integer(op: str, option: str, value: object) -> int:
    """Return an option that counts something; raises `ArgumentError` A305 for anything else."""
    number = integer_or_none(value)
    if number is not None and 0 < number < 2**63:
        return number
    wanted = _whole(number, "an integer above 0")
    raise ArgumentError("A305", f"{op}: {option} is {_shown(value)}; it is {wanted}")


def _whole(number: int | None, wanted: str) -> str:
    """Name what is wanted; to an integer that is too large, that there is a limit."""
    return wanted if number is None or -(2**63) <= number < 2**63 else f"{wanted} of 64 bits"


def integer(op: str, option: str, value: object) -> int:
    """Return an option that is an integer of 64 bits; raises `ArgumentError` A305 for others."""
    number = integer_or_none(value)
    if number is None or not -(2**63) <= number < 2**63:
        wanted = _whole(number, "an integer")
        raise ArgumentError("A305", f"{op}: {option} is {_shown(value)}; it is {wanted}")
    return number


def real_number(op: str, option: str, value: object) -> float:
    """Return an option that is a finite number; raises `ArgumentError` A305 for anything else."""
    # To ask a protocol, as below, takes longer than a small kernel.
    if value.__class__ is float and isfinite(value):
        return value
    if value.__class__ is int and -_EXACT <= value <= _EXACT:
        return float(value)
    whole = integer_or_none(value)
    value = value if whole is None else whole
    if isinstance(value, SupportsFloat) and not isinstance(value, bool | str):
        try:
            number = float(value)
        except (OverflowError, TypeError):  # an integer beyond f64, an array of several elements
            number = inf
        if isfinite(number):
            return number
    raise ArgumentError("A305", f"{op}: {option} is {_shown(value)}; it is a finite number")


def require_flags(op: str, recipe: object) -> None:
    """Refuse options that are neither true nor false, such as "no"; raises `ArgumentError` A305."""
    if not is_dataclass(recipe):
        return
    for option in fields(recipe):
        value = getattr(recipe, option.name)
        if option.type == "bool" and not isinstance(value, bool | np.bool_) and value not in (0, 1):
            message = f"{op}: {option.name} is {_shown(value)}; it is True or False"
            raise ArgumentError("A305", message)


def require_plain(op: str, options: Iterable[object]) -> None:
    """Refuse options that no option is, such as lists and arrays; raises `ArgumentError` A305.

    What follows from options is remembered by them, so each has a hash.
    """
    for value in options:
        try:
            hash(value)
        except TypeError:
            kind = type(value).__name__
            raise ArgumentError("A305", f"{op} has no option that takes a {kind}") from None


def _shown(value: object) -> str:
    """Return how a value is printed; Python refuses to print integers of some thousand digits."""
    try:
        return repr(value)
    except ValueError:
        return f"a {type(value).__name__} of many digits"


def require_choice(op: str, option: str, value: object, allowed: Sequence[str]) -> None:
    """Check a named choice; raises `ArgumentError` A305."""
    if not isinstance(value, str) or value not in allowed:
        shown = ", ".join(repr(each) for each in allowed)
        raise ArgumentError("A305", f"{op} has no {option}={value!r}", hint=f"use one of {shown}")


def require_output(op: str, given: ArrayInfo, shape: Sequence[int], dtype: str) -> None:
    """Check an output that the caller brings; raises `ArgumentError` A306."""
    if tuple(given.shape) != tuple(shape):
        raise ArgumentError(
            "A306", f"{op} gives shape {tuple(shape)}; out has {tuple(given.shape)}"
        )
    if given.dtype != dtype:
        raise ArgumentError(
            "A306",
            f"{op} gives {dtype} here; out is {given.dtype}",
            hint=f"pass dtype={given.dtype!r} as well, if that is meant",
        )


def require_no_guard(guard: object) -> None:
    """Check the option `guard`; raises `UnsupportedError` U502 for a guard that is asked for."""
    if guard is not None and not (isinstance(guard, str) and guard == "off"):
        raise UnsupportedError(
            "U502",
            f"guard={guard!r}: this version compares no result with the framework's",
            hint='leave guard out, or pass guard="off"',
        )
