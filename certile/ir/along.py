"""Values of one turn of a loop as tiles over all its turns.

In: values that read a loop's coordinate, and the tile of coordinates that takes its place.  Out:
the same values, each with the axes that its operands have.  Decides the type of every node whose
operands span another axis, and refuses what only a scalar can be.  Leaves to others which loop may
be written so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from certile.ir.node import Node, reach
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Cast,
    Fallback,
    Gather,
    Load,
    Map,
    Reduce,
    Relabel,
    Result,
    Scan,
    Sort,
    Tile,
)
from certile.ir.types import Axis, TileType, join_axes


class NotAlongError(Exception):
    """A value has no such form: something that is one scalar for all turns differs between them."""

    def __init__(self, at: Node, what: str) -> None:
        super().__init__(what)
        self.at = at
        self.what = what


def along(values: Iterable[Node], by: Mapping[Node, Node]) -> dict[Node, Node]:
    """Every node the values read, themselves included, with what it is where `by` is put in.

    Loads among them become others, which have no place yet.  Raises `NotAlongError` where a fill, a
    start value of a reduction or a parameter of a law would span an axis.
    """
    made: dict[Node, Node] = dict(by)
    for at in reach(values):
        if at not in made:
            made[at] = _changed(at, made)
    return made


def touched(values: Iterable[Node], by: Mapping[Node, Node]) -> Iterator[Node]:
    """The nodes that `along` changes."""
    found: set[Node] = set()
    for at in reach(values):
        if at in by or not found.isdisjoint(at.operands()):
            found.add(at)
            yield at


def _changed(at: Node, made: Mapping[Node, Node]) -> Node:
    after = at.map_operands(made.__getitem__)
    if after is at:
        return at
    _require_scalars(after)
    typed = after.with_(type=_type(after))
    for loc in at.locations:
        typed.add_location(loc)
    return typed


def _require_scalars(at: Node) -> None:
    """Refuse operands that are one scalar, whatever the others span."""
    parts: tuple[tuple[str, tuple[Tile | None, ...]], ...] = ()
    match at:
        case Load() | Gather():
            parts = (("a fill", (at.fill,)),)
        case Reduce():
            parts = (("a start value of ct.reduce", at.init), ("a parameter of a law", at.given))
        case _:
            pass
    for what, operands in parts:
        if any(operand is not None and operand.axes for operand in operands):
            raise NotAlongError(at, what)


def _type(at: Node) -> TileType:
    """The type of a node by what its operands span."""
    match at:
        case Reduce() | Scan():
            return at.result_types()[0]
        case Result(of=Reduce() | Scan() | Sort() | Fallback() as several):
            return several.result_types()[at.index]
        case Tile():
            return TileType(at.dtype, _axes(at))
        case _:
            raise NotImplementedError(at.mnemonic)


def _axes(at: Tile) -> tuple[Axis, ...]:
    match at:
        case Map():
            return join_axes(*(arg.axes for arg in at.args))
        case Cast() | Bitcast():
            return at.value.axes
        case Broadcast():
            return join_axes(at.axes, at.value.axes)
        case Relabel():
            return _swapped(at.value, at.old, at.new)
        case Sort():
            swapped = _swapped(at.value, at.over, at.into)
            # Elements along an axis of one coordinate may leave it out.
            return tuple(axis for axis in swapped if axis != at.into or axis in at.axes)
        case Gather():
            kept = tuple(axis for axis in at.value.axes if axis != at.axis)
            return join_axes(kept, at.index.axes)
        case Load():
            masks = () if at.mask is None else (at.mask.axes,)
            return join_axes(*(index.axes for index in at.indices), *masks)
        case _:
            raise NotImplementedError(at.mnemonic)


def _swapped(value: Tile, old: Axis, new: Axis) -> tuple[Axis, ...]:
    return tuple(new if axis == old else axis for axis in value.axes)
