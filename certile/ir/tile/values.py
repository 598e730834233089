"""The values of Tile IR that are made element by element, and what every value is.

In: operands that are values too.  Out: nodes (`Tile`), each with a type that names the axes it
spans; `verify` yields what is wrong with one.  Decides the rules of their types.  Leaves values
that many elements make together to `aggregates`, and loads to `effects`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from certile.diagnostics import Diagnostic
from certile.ir.dtypes import DType, bool_, i64
from certile.ir.functions import FUNCTIONS
from certile.ir.node import Node, node, operand
from certile.ir.types import Axis, Extent, TileType, join_axes
from certile.source import UNKNOWN_LOC, Loc

Scope = Literal["auto", "device", "group", "subgroup", "worker", "vector"]


class Tile(Node):
    """A value: every element exists once, whoever computes it."""

    type: TileType

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.type.axes

    @property
    def dtype(self) -> DType:
        return self.type.dtype


@node("tile.const")
class Const(Tile):
    """A constant of the type's dtype; the frontend has already rounded it to that type."""

    value: bool | int | float
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.scalar")
class ScalarArg(Tile):
    """The value of a run-time scalar argument."""

    name: str
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.extent")
class ExtentValue(Tile):
    """An extent as an i64 scalar.  A `Dim` is replaced by its integer when it is specialised."""

    extent: Extent
    type: TileType = TileType(i64)
    loc: Loc = UNKNOWN_LOC


@node("tile.index")
class LoopIndex(Tile):
    """The coordinate along `axis` of the enclosing `Parallel` or `Serial` region, an i64 scalar."""

    axis: Axis
    type: TileType = TileType(i64)
    loc: Loc = UNKNOWN_LOC


@node("tile.iota")
class Iota(Tile):
    """The coordinate along an axis of the tile itself: 0, 1, … as i64."""

    axis: Axis
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.type != TileType(i64, (self.axis,)):
            yield Diagnostic("V001", f"iota over {self.axis} has type {self.type}", self.loc)


@node("tile.map")
class Map(Tile):
    """An element-wise function of the table in `functions`; operands broadcast by axis identity.

    The frontend promotes, so operands have one dtype (`where`: operands 1 and 2; the first is
    bool).
    """

    fn: str
    args: tuple[Tile, ...] = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        function = FUNCTIONS.get(self.fn)
        if function is None or function.arity != len(self.args):
            yield Diagnostic("V002", f"{self.fn} with {len(self.args)} operands", self.loc)
            return
        dtypes = tuple(arg.dtype for arg in self.args)
        alike = dtypes[1:] if self.fn == "where" else dtypes
        stored = any(dtype.is_storage for dtype in alike)
        if len(set(alike)) > 1 or stored or (self.fn == "where" and dtypes[0] != bool_):
            yield Diagnostic("V003", f"{self.fn} of {', '.join(map(str, dtypes))}", self.loc)
        expected = TileType(function.result(dtypes), join_axes(*(arg.axes for arg in self.args)))
        if self.type != expected:
            yield Diagnostic("V001", f"{self.fn} is {expected}, declared {self.type}", self.loc)


@node("tile.cast")
class Cast(Tile):
    """Conversion: float to integer truncates, saturates, NaN -> 0; narrowing rounds to even."""

    value: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.type.axes != self.value.axes:
            yield Diagnostic("V001", f"cast of {self.value.type} to {self.type}", self.loc)


@node("tile.bitcast")
class Bitcast(Tile):
    """The same bits read as another dtype of the same width."""

    value: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if self.type.axes != self.value.axes or self.type.dtype.bits != self.value.dtype.bits:
            yield Diagnostic("V001", f"bitcast of {self.value.type} to {self.type}", self.loc)


@node("tile.broadcast")
class Broadcast(Tile):
    """The same value along axes it did not span, in the order the type says."""

    value: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        if not set(self.value.axes) <= set(self.axes) or self.dtype != self.value.dtype:
            yield Diagnostic("V001", f"broadcast of {self.value.type} to {self.type}", self.loc)


@node("tile.relabel")
class Relabel(Tile):
    """The same elements along `new` instead of `old`; the extents are equal."""

    value: Tile = operand()
    old: Axis
    new: Axis
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        swapped = tuple(self.new if axis == self.old else axis for axis in self.value.axes)
        if self.old.extent != self.new.extent or self.type != TileType(self.value.dtype, swapped):
            yield Diagnostic("V001", f"relabel of {self.value.type} to {self.type}", self.loc)


@node("tile.gather")
class Gather(Tile):
    """`value` at `index` along `axis`; `fill` (a scalar) where the index is out of range.

    Lazy: an element that is not selected is not read.
    """

    value: Tile = operand()
    index: Tile = operand()
    fill: Tile = operand()
    axis: Axis
    type: TileType
    loc: Loc = UNKNOWN_LOC

    def verify(self) -> Iterator[Diagnostic]:
        kept = tuple(axis for axis in self.value.axes if axis != self.axis)
        expected = TileType(self.value.dtype, join_axes(kept, self.index.axes))
        if self.axis not in self.value.axes or self.type != expected:
            yield Diagnostic("V001", f"gather declared {self.type}, is {expected}", self.loc)
        if not self.index.dtype.is_integer or self.fill.dtype != self.dtype:
            yield Diagnostic("V003", "gather index or fill of a wrong type", self.loc)


@node("tile.fallback")
class Fallback(Tile):
    """`values`, or `instead` of them where `when` holds: each is read through `Result`.

    The condition is one scalar: where it holds, all elements of all values are replaced.  What only
    `instead` reads is computed where `when` holds and nowhere else.  The type is that of the first
    value.
    """

    values: tuple[Tile, ...] = operand()
    instead: tuple[Tile, ...] = operand()
    when: Tile = operand()
    type: TileType
    loc: Loc = UNKNOWN_LOC

    @property
    def tried(self) -> tuple[Tile, ...]:
        """What is computed whether or not the condition holds: the values and the condition."""
        return (*self.values, self.when)

    def result_types(self) -> tuple[TileType, ...]:
        """The type of each value."""
        return tuple(value.type for value in self.values)

    def verify(self) -> Iterator[Diagnostic]:
        if not self.values or self.type != self.values[0].type:
            yield Diagnostic("V001", f"fallback declared {self.type}", self.loc)
        if self.result_types() != tuple(value.type for value in self.instead):
            yield Diagnostic(
                "V003", "a fallback's values differ in type from their stead", self.loc
            )
        if self.when.type != TileType(bool_):
            yield Diagnostic("V003", f"a fallback's condition is {self.when.type}", self.loc)


@node("tile.result")
class Result(Tile):
    """Result `index` of a `Reduce`, `Scan`, `Sort` or `Fallback`, or of a `Serial` loop."""

    of: Node = operand()
    index: int
    type: TileType
    loc: Loc = UNKNOWN_LOC


@node("tile.carried", pure=False)
class Carried(Tile):
    """A value a `Serial` loop carries, as its body sees it at the start of an iteration."""

    uid: int
    type: TileType
    loc: Loc = UNKNOWN_LOC


# Nodes whose operands are read at the same element.
ELEMENT_WISE = (Map, Cast, Bitcast, Broadcast)
