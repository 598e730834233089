"""What the operations ask of their arguments, with one wording for each complaint.

In: described arrays and options.  Out: normalised options, or an `ArgumentError`.  Decides which
axes, dtypes, shapes and outputs are taken.  Leaves the formulas to `certile.ops.kernels`, and what
a framework would return to `certile.ops.native`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import SupportsIndex

from certile.diagnostics import ArgumentError, UnsupportedError
from certile.frontend.dtype_names import NAMES, dtype_of
from certile.runtime.arrays import ArrayInfo

Axis = int | Sequence[int] | None

REAL = ("f32", "f16", "bf16")
INTEGERS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
# What is added, compared or counted; functions of real numbers have no f64 form.
REDUCED = (*REAL, "f64", *INTEGERS)


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
    if isinstance(number, bool) or not isinstance(number, SupportsIndex):
        raise ArgumentError("A301", f"an axis is an integer, not {number!r}")
    return number.__index__()


def axes_of(op: str, x: ArrayInfo, axis: Axis) -> tuple[int, ...]:
    """Return the axes as dimensions counted from 0, in ascending order; None means all.

    An array without dimensions takes the axes 0 and -1, as PyTorch has it.  Raises `ArgumentError`
    A301 for an axis that the array lacks or that is named twice.
    """
    rank = len(x.shape)
    if axis is None:
        return tuple(range(rank))
    numbers = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    bound = max(rank, 1)
    for number in numbers:
        if not -bound <= number < bound:
            raise ArgumentError("A301", f"{op} over axis {number} of an array of rank {rank}")
    found = sorted(number % bound for number in numbers)
    if len(set(found)) < len(found):
        raise ArgumentError("A301", f"{op} names an axis twice: {axis!r}")
    return tuple(found) if rank else ()


def one_axis(op: str, x: ArrayInfo, axis: Axis) -> tuple[int, ...]:
    """Return the one axis an operation works along; raises `ArgumentError` A301 for several."""
    if axis is None or isinstance(axis, tuple | list):
        raise ArgumentError("A301", f"{op} works along one axis, not {axis!r}")
    return axes_of(op, x, axis)


def require_dtype(op: str, name: str, x: ArrayInfo, allowed: Sequence[str]) -> None:
    """Check an input's dtype.

    Raises `UnsupportedError` U501 for one that is meaningful but not served, and `ArgumentError`
    A302 for integers where real numbers are meant.
    """
    if x.dtype in allowed:
        return
    if x.dtype not in INTEGERS or "bool" in allowed:
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


def require_choice(op: str, option: str, value: object, allowed: Sequence[str]) -> None:
    """Check a named choice; raises `ArgumentError` A305."""
    if value not in allowed:
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
    if guard not in (None, "off"):
        raise UnsupportedError(
            "U502",
            f"guard={guard!r}: this version compares no result with the framework's",
            hint='leave guard out, or pass guard="off"',
        )
