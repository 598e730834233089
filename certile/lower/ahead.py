"""Which elements of a sweep ask memory for a later program's, and how far ahead those lie.

In: the loads that ask, the axis along which rows follow each other, how many rows ahead.  Out: for
a vector of elements, the distance of each of its loads that asks.  Decides that one access a line
of memory asks.  Leaves the choice of loads to the plan; a distance only says where reading may be
worth while, so it is right wherever it points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from certile.analysis.affine import affine
from certile.analysis.instances import is_coordinate
from certile.ir.dtypes import i64
from certile.ir.machine import Value
from certile.ir.machine.build import Builder
from certile.ir.node import Node
from certile.ir.tile import Iota, Load, View
from certile.ir.types import Axis
from certile.records import record

__all__ = ["Ahead", "Asked", "ahead_of"]

LINE_BYTES = 64


@record
class Asked:
    """How many elements from what a load reads lies what it asks for; whether that is near."""

    distance: Value
    near: bool


@record
class Ahead:
    """The distances of a sweep's loads, in elements; none by default."""

    lanes: int = 1
    distances: Mapping[Load, Value] = field(default_factory=dict)
    near: bool = False

    def at(self, position: int, mask: Value | None) -> Mapping[Load, Asked]:
        """What the loads of a round's vector `position` ask for, if it is the first of a line.

        A vector with a mask asks for nothing.
        """
        if mask is not None or not self.distances:
            return {}
        place = position * self.lanes
        return {
            load: Asked(distance, self.near)
            for load, distance in self.distances.items()
            if place * load.buffer.dtype.size % LINE_BYTES == 0
        }


def ahead_of(
    loads: Iterable[Load],
    axis: Axis,
    rows: int,
    builder: Builder,
    stride: Callable[[View, int], int | Value],
    *,
    near: bool = False,
) -> Ahead:
    """The distances between what loads read at a coordinate of `axis` and `rows` coordinates on.

    The axis is one of the launch or one that a tile spans.  A load whose index does not move with
    it asks for nothing.
    """
    distances: dict[Load, Value] = {}
    for load in loads:
        step = _step(load, axis, builder, stride)
        if step is not None:
            distances[load] = builder.mul(step, rows)
    return Ahead(builder.lanes, distances, near)


def _step(
    load: Load, axis: Axis, builder: Builder, stride: Callable[[View, int], int | Value]
) -> Value | None:
    """The elements between the places that a load reads at two neighbouring coordinates."""
    view, total = load.buffer, None
    if not isinstance(view, View):
        return None
    for dim, index in enumerate(load.indices):
        form = affine(index)
        terms = {} if form is None else form.terms
        moved = sum(c for at, c in terms.items() if _counts(at, axis))
        if moved:
            known = stride(view, dim)
            value = builder.const(known, i64) if isinstance(known, int) else known
            step = builder.mul(value, moved)
            total = step if total is None else builder.add(total, step)
    return total


def _counts(index: Node, axis: Axis) -> bool:
    """Whether an index is the coordinate along an axis."""
    return is_coordinate(index, axis) or (isinstance(index, Iota) and index.axis == axis)
