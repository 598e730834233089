"""Views, placed memory and extents: indices, masks, loads and stores.

In: indices and axes.  Out: `Load` and `Store` effects with one i64 tile a dimension.  Decides how
an index is spelled in IR (both spellings of the language give equal IR), which mask conditions hold
by construction, and which conversions a store makes by itself.  Leaves bounds without a mask to
`certile.analysis.bounds`, which knows the shapes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Literal

from certile.diagnostics import with_article
from certile.frontend.elementwise import (
    as_node,
    cast_node,
    constant,
    convert,
    elementwise,
    lift,
    named_dtype,
)
from certile.frontend.handles import (
    AxisHandle,
    BufferHandle,
    ExtentHandle,
    MemoryHandle,
    PlaceHandle,
    TileHandle,
    length_of,
    whole_number,
)
from certile.frontend.state import State
from certile.ir.dtypes import DType, bool_, i64
from certile.ir.layouts import BitLinear, Layout, MixedRadix, Table
from certile.ir.tile import Buffer, Const, ExtentValue, Iota, Load, LoopIndex, Map, Store
from certile.ir.tile import Memory as IrMemory
from certile.ir.tile import Tile as IrTile
from certile.ir.types import Axis as IrAxis
from certile.ir.types import Dim, TileType, join_axes
from certile.language.values import Coord, Shape

# Elements of a layout; the bytes of more would not be counted in 64 bits everywhere.
_MOST_ELEMENTS = 1 << 40

_RESOURCES: tuple[Literal["auto", "group", "worker"], ...] = ("auto", "group", "worker")

_ARITHMETIC: dict[str, Callable[..., object]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def extent_value(state: State, extent: ExtentHandle) -> int:
    """Return the extent's number in this call; the trace depends on it from here on."""
    return state.value_of(extent.dim)


def extent_arithmetic(state: State, function: str, left: object, right: object) -> object:
    """Compute with an extent: symbolically beside a tile, else with its number."""
    if isinstance(left, TileHandle) or isinstance(right, TileHandle):
        return elementwise(state, function, left, right)
    numbers = tuple(
        state.value_of(side.dim) if isinstance(side, ExtentHandle) else side
        for side in (left, right)
    )
    return _ARITHMETIC[function](*numbers)


def memory(
    state: State, shape: object, dtype: object, resource: str, layout: object = None
) -> MemoryHandle:
    """Place memory over the axes of `shape`, or of a layout that is given in its place.

    Raises `KernelError` K022 for a resource that there is not.
    """
    where = next((known for known in _RESOURCES if known == resource), None)
    if where is None:
        message = f"{resource!r} is no resource of ct.memory"
        raise state.fault("K022", message, hint='use "auto", "group" or "worker"')
    number = len(state.memories)
    name = f"memory{number}"
    placed: Layout | None = None
    if isinstance(shape, MixedRadix | BitLinear | Table):
        placed = _proved(state, shape)
        axes = tuple(IrAxis.fresh(f"{name}_{k}", n) for k, n in enumerate(shape.extents))
    elif layout is None:
        axes = tuple(axis for axis in axes_of(state, shape) if axis.extent != 1)
    else:
        axes = axes_of(state, shape)
        placed = _fitting(state, axes, layout)
    made = IrMemory(number, name, named_dtype(state, dtype), axes, where, placed)
    state.memories.append(made)
    return MemoryHandle(made)


def _fitting(state: State, axes: tuple[IrAxis, ...], layout: object) -> Layout:
    """Return a proved layout for these axes; their extents become numbers of this call."""
    if not isinstance(layout, MixedRadix | BitLinear | Table):
        message = f"{layout!r} is no layout"
        raise state.fault("K033", message, hint="make one with ct.layouts, for example strided")
    _proved(state, layout)
    extents = tuple(length_of(axis) for axis in axes)
    if extents != layout.extents:
        message = f"the layout has extents {layout.extents}, the axes {extents}"
        raise state.fault("K033", message)
    return layout


def _proved(state: State, layout: Layout) -> Layout:
    """Refuse a layout of which something is not proved: two elements might share a place."""
    for name, verdict in layout.prove().failures():
        message = f"the layout is not shown to be {name.replace('_', ' ')}: {verdict}"
        raise state.fault("K033", message)
    if layout.cosize > _MOST_ELEMENTS:
        message = f"the layout spreads over {layout.cosize} elements; at most 2**40 are addressed"
        raise state.fault("K033", message)
    return layout


def place(
    state: State,
    memory: BufferHandle,
    coord: object,
    shape: object = None,
    *,
    bounds: str | None = None,
    fill: object = None,
) -> PlaceHandle:
    """Resolve a rectangle of a buffer to indices, mask and fill.

    Raises `KernelError` K022 for an unknown `bounds`, and K023 for a fill without effect.
    """
    if bounds not in (None, "zero", "assume"):
        hint = 'use "zero", "assume", or none'
        raise state.fault("K022", f"{bounds!r} is no bounds option", hint=hint)
    if fill is not None and bounds != "zero":
        raise state.fault("K023", 'fill= has no effect without bounds="zero"')
    indices = _indices(state, memory, coord, shape)
    if bounds != "zero":
        return PlaceHandle(memory, indices, state.region, assume=bounds == "assume")
    mask = _mask(state, memory.buffer, indices)
    filling = None if mask is None else _fill(state, 0 if fill is None else fill, memory.dtype)
    return PlaceHandle(memory, indices, state.region, mask, filling)


def load(state: State, place: PlaceHandle) -> TileHandle:
    """Read a rectangle."""
    _require_parallel(state, "reads")
    state.require_open(place.region, f"a place in {place.buffer!r}")
    masks = () if place.mask is None else (place.mask.axes,)
    axes = join_axes(*(index.axes for index in place.indices), *masks)
    made = Load(
        buffer=place.buffer.buffer,
        indices=place.indices,
        mask=place.mask,
        fill=place.fill,
        assume=place.assume,
        type=TileType(place.buffer.dtype, axes),
        loc=state.loc(),
    )
    state.emit(made)
    return state.tile(made)


def store(state: State, place: PlaceHandle, value: object) -> None:
    """Write a rectangle; raises `KernelError` K014 or K024 when the value does not belong there."""
    _require_parallel(state, "writes")
    state.require_open(place.region, f"a place in {place.buffer!r}")
    stored = _stored(state, value, place.buffer)
    spanned = join_axes(*(index.axes for index in place.indices))
    extra = [axis for axis in stored.axes if axis not in spanned]
    if extra:
        there = ", ".join(axis.name for axis in spanned) or "no axis"
        names = ", ".join(axis.name for axis in extra)
        message = f"the stored value spans {names}, its place in {place.buffer!r} spans {there}"
        hint = "reduce the value over that axis, or ct.relabel it to an axis of the place"
        raise state.fault("K014", message, hint=hint)
    state.emit(
        Store(
            buffer=place.buffer.buffer,
            indices=place.indices,
            value=stored,
            mask=place.mask,
            assume=place.assume,
            loc=state.loc(),
        )
    )


def require_axis(state: State, item: object) -> IrAxis:
    """Return one axis; raises `KernelError` K028 for anything else."""
    if not isinstance(item, AxisHandle):
        raise state.fault(
            "K028", f"{item!r} is not an axis", hint="make one with ct.axis(name, extent)"
        )
    return item.axis


def axes_of(state: State, item: object) -> tuple[IrAxis, ...]:
    """Return the axes that a person listed: one, a tuple or `ct.shape(...)`, without its ones."""
    listed = item.items if isinstance(item, Shape) else item
    if not isinstance(listed, tuple | list):
        listed = (listed,)
    axes = [entry for entry in listed if whole_number(entry) != 1]
    return tuple(require_axis(state, entry) for entry in axes)


def coordinates(state: State, axis: IrAxis) -> IrTile:
    """Return the coordinates along an axis; 0 when its extent is the number 1.

    Raises `KernelError` K016 for an axis that an enclosing loop runs over.
    """
    if any(axis in region.axes for region in state.regions):
        message = f"axis {axis.name} is a loop here; it has one coordinate at a time"
        raise state.fault("K016", message, hint="use the loop's variable")
    if axis.extent == 1:
        return constant(state, 0, i64)
    return Iota(axis=axis, type=TileType(i64, (axis,)), loc=state.loc())


def _indices(
    state: State, buffer: BufferHandle, coord: object, shape: object
) -> tuple[IrTile, ...]:
    items = coord.items if isinstance(coord, Coord) else coord
    if not isinstance(items, tuple):
        items = (items,)
    _require_rank(state, buffer, len(items), "indexed with")
    starts = tuple(_index(state, item) for item in items)
    if shape is None:
        return starts
    spans = shape.items if isinstance(shape, Shape) else shape
    if not isinstance(spans, tuple):
        spans = (spans,)
    _require_rank(state, buffer, len(spans), "given a shape of")
    return tuple(_shift(state, at, span) for at, span in zip(starts, spans, strict=True))


def _require_rank(state: State, buffer: BufferHandle, count: int, verb: str) -> None:
    rank = buffer.buffer.rank
    if count != rank:
        raise state.fault("K015", f"{buffer!r} is {verb} {count} entries; its rank is {rank}")


def _index(state: State, item: object) -> IrTile:
    if isinstance(item, AxisHandle):
        return coordinates(state, item.axis)
    if isinstance(item, bool | float | slice | type(None) | type(...)):
        hint = "an index is an axis, a coordinate, an extent or an integer tile"
        raise state.fault("K016", f"{item!r} is no index", hint=hint)
    known = None if isinstance(item, ExtentHandle) else whole_number(item)
    node = as_node(state, lift(state, item if known is None else known))
    if not node.dtype.is_integer:
        message = f"an index is an integer, not {node.dtype}"
        raise state.fault("K016", message, hint="cast it, for example ct.cast(i, ct.i64)")
    if isinstance(node, Const):
        if node.value < 0:
            message = f"index {node.value} leaves the view"
            raise state.fault("K016", message, hint="count from 0, for example x.shape[0] - 1")
        return constant(state, node.value, i64)
    return cast_node(state, node, i64)


def _shift(state: State, start: IrTile, span: object) -> IrTile:
    """Return start + coordinate; a start of 0 and a span of 1 leave the other as it is."""
    axes = axes_of(state, span)
    if not axes:
        return start
    along = coordinates(state, axes[0])
    if isinstance(start, Const) and start.value == 0:
        return along
    if isinstance(along, Const):
        return start
    joined = join_axes(start.axes, along.axes)
    return Map(fn="add", args=(start, along), type=TileType(i64, joined), loc=state.loc())


def _mask(state: State, buffer: Buffer, indices: tuple[IrTile, ...]) -> IrTile | None:
    """Return the condition that every index is inside; None when all are by construction."""
    condition: IrTile | None = None
    for d, index in enumerate(indices):
        extent = Dim(buffer.name, d) if not isinstance(buffer, IrMemory) else buffer.axes[d].extent
        if isinstance(index, Iota | LoopIndex) and index.axis.extent == extent:
            continue
        tests = [] if _never_negative(index) else [("ge", constant(state, 0, i64))]
        limit = (
            constant(state, extent, i64)
            if isinstance(extent, int)
            else ExtentValue(extent=extent, loc=state.loc())
        )
        for test, bound in (*tests, ("lt", limit)):
            inside = _condition(state, test, index, bound)
            condition = (
                inside if condition is None else _condition(state, "bit_and", condition, inside)
            )
    return condition


def _condition(state: State, function: str, left: IrTile, right: IrTile) -> IrTile:
    spanned = TileType(bool_, join_axes(left.axes, right.axes))
    return Map(fn=function, args=(left, right), type=spanned, loc=state.loc())


def _never_negative(index: IrTile) -> bool:
    if isinstance(index, Const):
        return index.value >= 0
    if isinstance(index, Map) and index.fn == "add":
        return all(_never_negative(arg) for arg in index.args)
    return isinstance(index, Iota | LoopIndex | ExtentValue)


def _fill(state: State, fill: object, dtype: DType) -> IrTile:
    filling = convert(state, lift(state, fill), dtype)
    if filling.axes:
        raise state.fault("K023", f"a fill is one value, not a tile {filling.type}")
    return filling


def _require_parallel(state: State, verb: str) -> None:
    if not state.within_parallel():
        raise state.fault("K006", f"the kernel {verb} memory outside any ct.parallel")


def _stored(state: State, value: object, buffer: BufferHandle) -> IrTile:
    """Convert to the buffer's dtype where that keeps the kind of number."""
    operand = lift(state, value)
    have, want = operand.natural, buffer.dtype
    if operand.node is None:
        return convert(state, operand, want)
    loses_fraction = have.is_float and not want.is_float
    if loses_fraction or (want == bool_ and have != bool_):
        hint = "compare, for example x != 0" if want == bool_ else f"use ct.cast(x, ct.{want})"
        raise state.fault("K024", f"{with_article(have)} tile is stored to {buffer!r}", hint=hint)
    return convert(state, operand, want)
