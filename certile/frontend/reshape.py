"""Reshaping a tile: the same elements in row-major order along other axes.

In: a tile and axes.  Out: the tile along those axes, as relabels where axes only change their names
and as gathers at computed coordinates elsewhere.  Decides which axes those are.  A gather reads
lazily, so no row is copied; its coordinates are in range by construction.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from certile.frontend.access import axes_of, coordinates
from certile.frontend.elementwise import as_node, constant, elementwise, lift, spread
from certile.frontend.handles import AxisHandle, TileHandle, length_of
from certile.frontend.reductions import gather, relabel
from certile.frontend.state import State
from certile.ir.dtypes import i64
from certile.ir.types import Axis


def reshape(state: State, tile: object, axes: object) -> TileHandle:
    """Lay the elements of `tile` out along `axes`, row by row; the extents become numbers."""
    value = as_node(state, lift(state, tile))
    before = value.axes
    after = tuple(axis for axis in axes_of(state, axes) if axis.extent != 1)
    _check(state, before, after)
    same = _agreeing(before, after)
    same_end = _agreeing(before[same:][::-1], after[same:][::-1])
    made = state.tile(value)
    pairs = [*zip(before[:same], after[:same], strict=True)]
    if same_end:
        pairs += zip(before[-same_end:], after[-same_end:], strict=True)
    for old, new in pairs:
        made = relabel(state, made, AxisHandle(old), AxisHandle(new))
    old_axes = before[same : len(before) - same_end]
    new_axes = after[same : len(after) - same_end]
    linear = _linear(state, new_axes)
    below = prod(map(length_of, old_axes))
    for axis in old_axes:
        below //= max(1, length_of(axis))
        place = elementwise(state, "floordiv", linear, max(1, below))
        inside = elementwise(state, "mod", place, max(1, length_of(axis)))
        made = gather(state, made, inside, AxisHandle(axis), fill=0)
    # Axes of one element are not there yet, and the order is the one asked for.
    return state.tile(spread(state, made.node, after))


def _check(state: State, before: tuple[Axis, ...], after: tuple[Axis, ...]) -> None:
    if len(set(after)) != len(after):
        raise state.fault("K013", "an axis is named twice")
    reused = [axis.name for axis in after if axis in before]
    if reused:
        message = f"the tile spans {', '.join(reused)} already"
        raise state.fault("K018", message, hint="reshape to fresh axes")
    counts = tuple(prod(map(length_of, axes)) for axes in (before, after))
    if counts[0] != counts[1]:
        message = f"{counts[0]} elements do not fill axes of {counts[1]}"
        raise state.fault("K018", message)


def _agreeing(before: Sequence[Axis], after: Sequence[Axis]) -> int:
    """How many axes agree in extent before two differ."""
    count = 0
    for old, new in zip(before, after, strict=False):
        if length_of(old) != length_of(new):
            break
        count += 1
    return count


def _linear(state: State, axes: Sequence[Axis]) -> object:
    """The row-major number of an element along the axes."""
    number: object = state.tile(constant(state, 0, i64))
    for axis in axes:
        rows = elementwise(state, "mul", number, length_of(axis))
        number = elementwise(state, "add", rows, state.tile(coordinates(state, axis)))
    return number
