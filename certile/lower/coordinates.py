"""Coordinates as lanes see them, and the addresses they give.

A coordinate is base + lane * step (+ offset): affine in the lane where possible, because that is
what becomes a contiguous vector access.  In: index tiles and the coordinates of the axes in scope.
Out: Machine IR addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from certile.ir.dtypes import i64
from certile.ir.host import RESIDUE_BYTES
from certile.ir.machine import Address, Value
from certile.ir.machine.build import Builder
from certile.ir.machine.fold import Range
from certile.ir.tile import Const, ExtentValue, Iota, LoopIndex, Map, Tile
from certile.ir.types import Axis
from certile.lower.spans import Reach
from certile.plan.ownership.phases import Lead
from certile.records import record

RowStart = Callable[[Value], Value]


@record
class Shift:
    """The phase of a domain: a uniform i64, and the access whose packs it aligns."""

    value: Value
    lead: Lead


@record
class Coordinate:
    """base (uniform i64) + lane * step + offset (varying i64, or None), less the shift if any.

    `exists` says that it is a coordinate of its axis in every lane, whatever masks say.
    """

    base: Value
    step: int = 0
    offset: Value | None = None
    shift: Shift | None = None
    exists: bool = False

    @property
    def uniform(self) -> bool:
        return self.step == 0 and self.offset is None


def value_of(builder: Builder, at: Coordinate) -> Value:
    """The coordinate as an i64 value."""
    at = settled(builder, at)
    value = at.base
    if at.step:
        lane = builder.convert(builder.lane(), i64)
        value = builder.add(value, builder.mul(lane, builder.const(at.step, i64)))
    return value if at.offset is None else builder.add(value, at.offset)


def range_of(builder: Builder, at: Coordinate) -> Range:
    """The bounds of a coordinate over all lanes, without its shift."""
    ends = [builder.bound(at.base), (0, 0) if at.offset is None else builder.bound(at.offset)]
    step = at.step * (builder.lanes - 1)
    return sum(low for low, _ in ends) + min(0, step), sum(high for _, high in ends) + max(0, step)


def settled(builder: Builder, at: Coordinate) -> Coordinate:
    """The coordinate with its shift taken from its base."""
    if at.shift is None:
        return at
    return Coordinate(builder.sub(at.base, at.shift.value), at.step, at.offset)


def _sum(builder: Builder, a: Coordinate, b: Coordinate) -> Coordinate:
    if a.shift is not None and b.shift is not None:
        b = settled(builder, b)
    offset = a.offset if b.offset is None else b.offset
    if a.offset is not None and b.offset is not None:
        offset = builder.add(a.offset, b.offset)
    shift = a.shift or b.shift
    return Coordinate(builder.add(a.base, b.base), a.step + b.step, offset, shift)


def _scaled(builder: Builder, at: Coordinate, factor: int) -> Coordinate:
    at = settled(builder, at)
    by = builder.const(factor, i64)
    offset = None if at.offset is None else builder.mul(at.offset, by)
    return Coordinate(builder.mul(at.base, by), at.step * factor, offset)


class IndexReader:
    """Turns index tiles into coordinates; `value` evaluates what is not affine."""

    def __init__(self, builder: Builder, value: Callable[[Tile], Value]) -> None:
        self._builder = builder
        self._value = value

    def read(self, index: Tile, coordinates: Mapping[Axis, Coordinate]) -> Coordinate:
        """The coordinate an index tile stands for, affine in the lane where it can be."""
        builder = self._builder
        match index:
            case LoopIndex(axis=axis) | Iota(axis=axis):
                return coordinates[axis]
            case Const(value=value):
                return Coordinate(builder.const(int(value), i64))
            case ExtentValue(extent=int() as extent):
                return Coordinate(builder.const(extent, i64))
            case Map(fn="add", args=(a, b)):
                return _sum(builder, self.read(a, coordinates), self.read(b, coordinates))
            case Map(fn="sub", args=(a, b)):
                negative = _scaled(builder, self.read(b, coordinates), -1)
                return _sum(builder, self.read(a, coordinates), negative)
            case Map(fn="mul", args=(Const(value=factor), a) | (a, Const(value=factor))):
                return _scaled(builder, self.read(a, coordinates), int(factor))
            case _:
                return self.plain(self._value(index))

    def plain(self, value: Value) -> Coordinate:
        """The coordinate a computed i64 value stands for."""
        if value.varying:
            return Coordinate(self._builder.const(0, i64), offset=value)
        return Coordinate(value)

    def address(
        self,
        at: list[Coordinate],
        strides: list[int | Value],
        row: RowStart | None = None,
        reach: Reach | None = None,
    ) -> Address:
        """The element index of coordinates under strides.

        `row` makes, of where the row begins, where its packs begin: the phase is taken there.
        `reach` follows how far the index goes where the view is near.
        """
        builder, reach = self._builder, reach or Reach(self._builder, None)
        if row is None:
            return self._address([settled(builder, one) for one in at], strides, reach)
        (along,) = (one for one in at if one.shift is not None)
        others = [replace(one, base=builder.const(0, i64)) if one is along else one for one in at]
        made = self._address(others, strides, reach)
        start = row(made.base)
        low, high = builder.bound(made.base)
        # A pack begins less than a pack before its row.
        builder.facts.meet(start, (low - RESIDUE_BYTES, high))
        return replace(made, base=builder.add(start, along.base))

    def _address(self, at: list[Coordinate], strides: list[int | Value], reach: Reach) -> Address:
        builder = self._builder
        base = builder.const(0, i64)
        lane_constant, lane_value, offset = 0, None, None
        for dim, (coordinate, stride) in enumerate(zip(at, strides, strict=True)):
            by = builder.const(stride, i64) if isinstance(stride, int) else stride
            reach.add(dim, range_of(builder, coordinate), stride)
            term = builder.mul(coordinate.base, by)
            base = builder.add(base, term)
            reach.bound(term, base)
            if coordinate.offset is not None:
                term = builder.mul(coordinate.offset, by)
                offset = term if offset is None else builder.add(offset, term)
                reach.bound(term, offset)
            if not coordinate.step:
                continue
            if isinstance(stride, int):
                lane_constant += coordinate.step * stride
            else:
                term = builder.mul(by, builder.const(coordinate.step, i64))
                lane_value = term if lane_value is None else builder.add(lane_value, term)
                reach.bound(term, lane_value)
        if lane_value is None:
            return Address(base, lane_constant or None, offset)
        if lane_constant:
            lane_value = builder.add(lane_value, builder.const(lane_constant, i64))
        return Address(base, lane_value, offset)


def unflatten(
    builder: Builder,
    linear: Coordinate,
    axes: tuple[Axis, ...],
    extent: Callable[[Axis], Value] | None = None,
) -> dict[Axis, Coordinate]:
    """The coordinates of a linear index over `axes`, outermost first (mixed radix).

    `extent` gives the extents; without it they are numbers.  A single axis keeps the affine form;
    with several the lane-dependent ones are divided out.  They exist where the linear index does.
    """
    length = extent or (lambda axis: builder.const(axis.static, i64))
    if len(axes) == 1:
        return {axes[0]: linear}
    rest = value_of(builder, linear)
    zero = builder.const(0, i64)
    made: dict[Axis, Coordinate] = {}
    for position in range(len(axes) - 1, -1, -1):
        axis = axes[position]
        value = rest if position == 0 else builder.mod(rest, length(axis))
        rest = rest if position == 0 else builder.floordiv(rest, length(axis))
        offset = value if value.varying else None
        base = value if offset is None else zero
        made[axis] = Coordinate(base, offset=offset, exists=linear.exists)
    return made
