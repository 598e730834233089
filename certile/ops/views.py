"""The arrays of a call as views of one kernel, each spanning its part of the first input.

In: a shape, which of its axes are columns, and for each array the part that it spans.  Out: an
arrangement, and the launch arguments of a kernel that takes such views.  Decides nothing about
values.  Leaves the joining of dimensions to `certile.ops.layout`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from certile.ops.launch import Seen
from certile.ops.layout import Arrangement, Steps, Strided, arrange
from certile.runtime.arrays import ArrayInfo

__all__ = ["Part", "across", "arranged", "broadcast_strides", "in_twos", "seen"]

# What an array spans: all axes, those that count rows, those that are columns; or its strides
# along every axis, 0 where it is repeated, None where it does not span.
Part = Literal["full", "rows", "columns"] | tuple[int | None, ...]


def arranged(
    shape: Sequence[int],
    columns: Sequence[int],
    parts: Sequence[Part],
    arrays: Sequence[ArrayInfo],
    *,
    in_order: bool = True,
) -> Arrangement:
    """Return the arrays as rows and columns; a shape without axes is one row of one element.

    Without `in_order` the columns may be taken in any order.
    """
    spanned = tuple(dim + 1 for dim in columns) or (1,)
    extents = (1, *(shape or (1,)))
    steps = [
        _steps(part, array.strides, len(extents), spanned)
        for part, array in zip(parts, arrays, strict=True)
    ]
    return arrange(extents, spanned, steps, in_order=in_order)


def seen(names: Sequence[str], arrangement: Arrangement) -> dict[str, object]:
    """Return the views by parameter name, the first array of the call first, and `kept`."""
    views: dict[str, object] = {
        name: Seen(at, layout)
        for at, (name, layout) in enumerate(zip(names, arrangement.arrays, strict=True))
    }
    return {**views, "kept": arrangement.kept}


def across(strides: Sequence[int], columns: Sequence[int]) -> Part:
    """Return the strides of an array of the same rank that does not span the columns."""
    return tuple(None if dim in columns else step for dim, step in enumerate(strides)) or (None,)


def broadcast_strides(array: ArrayInfo, shape: Sequence[int]) -> tuple[int, ...] | None:
    """Return the strides of an array repeated to `shape` by NumPy's rule; None if it does not fit.

    Axes are matched from the last; one that is missing, or has one element, is repeated.
    """
    missing = len(shape) - len(array.shape)
    if missing < 0:
        return None
    strides = [0] * missing
    for extent, step, wanted in zip(array.shape, array.strides, shape[missing:], strict=True):
        if extent not in (1, wanted):
            return None
        strides.append(0 if extent == 1 else step)
    return tuple(strides)


def in_twos(layout: Strided, apart: int) -> Strided:
    """Return a view with a dimension of two before its last, whose elements lie `apart`."""
    shape, strides = layout
    return Strided((*shape[:-1], 2, shape[-1]), (*strides[:-1], apart, strides[-1]))


def _steps(part: Part, strides: tuple[int, ...], rank: int, columns: Sequence[int]) -> Steps:
    """Return strides along a leading axis of one element and the axes of the shape."""
    if isinstance(part, tuple):
        return (0, *(part or (1,)))
    if part == "full":
        return (0, *(strides or (1,)))
    rows = tuple(dim for dim in range(1, rank) if dim not in columns)
    known = dict(zip(columns if part == "columns" else rows, strides, strict=True))
    if part == "rows":
        known[0] = 0
    return tuple(known.get(dim) for dim in range(rank))
