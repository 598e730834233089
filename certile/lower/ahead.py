"""Which elements of a sweep ask memory for a later program's, and how far ahead those lie.

In: the loads that ask, the axes of the launch, how many rows ahead.  Out: for an element, the
distance of each of its loads that asks.  Decides that one access a line of memory asks.  Leaves the
choice of loads to the plan; a distance only says where reading may be worth while, so it is right
wherever it points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from certile.analysis.affine import affine
from certile.analysis.instances import is_coordinate
from certile.ir.dtypes import i64
from certile.ir.machine import Value
from certile.ir.machine_build import Builder
from certile.ir.tile import Load, View
from certile.ir.types import Axis
from certile.lower.workers import Element

__all__ = ["Ahead", "ahead_of"]

LINE_BYTES = 64


@dataclass(frozen=True, slots=True)
class Ahead:
    """The distances of a sweep's loads, in elements; none by default."""

    lanes: int = 1
    distances: Mapping[Load, Value] = field(default_factory=dict)

    def at(self, element: Element) -> Mapping[Load, Value]:
        """The distances for the loads of an element that is the first of a line of its row."""
        if element.mask is not None or not self.distances:
            return {}
        place = element.position * self.lanes
        return {
            load: distance
            for load, distance in self.distances.items()
            if place * load.buffer.dtype.size % LINE_BYTES == 0
        }


def ahead_of(
    loads: Iterable[Load],
    over: Sequence[Axis],
    rows: int,
    builder: Builder,
    stride: Callable[[View, int], int | Value],
) -> Ahead:
    """The distances between a program's row and the one `rows` ahead along the last axis.

    A load whose index does not move with that axis alone asks for nothing.
    """
    distances: dict[Load, Value] = {}
    for load in loads:
        step = _step(load, over[-1], builder, stride)
        if step is not None:
            distances[load] = builder.mul(step, rows)
    return Ahead(builder.lanes, distances)


def _step(
    load: Load, axis: Axis, builder: Builder, stride: Callable[[View, int], int | Value]
) -> Value | None:
    """The elements between the places that a load reads in two neighbouring programs."""
    view, total = load.buffer, None
    if not isinstance(view, View):
        return None
    for dim, index in enumerate(load.indices):
        form = affine(index)
        terms = {} if form is None else form.terms
        moved = sum(c for at, c in terms.items() if is_coordinate(at, axis))
        if moved:
            known = stride(view, dim)
            value = builder.const(known, i64) if isinstance(known, int) else known
            step = builder.mul(value, moved)
            total = step if total is None else builder.add(total, step)
    return total
