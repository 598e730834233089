"""Axes, extents and the types of tiles.

An axis is an identity, not a length: two axes of one extent are still two axes.  An extent is an
integer, or a `Dim`: the run-time length of one dimension of a view argument.
"""

from __future__ import annotations

import itertools
from dataclasses import field
from math import prod

from certile.ir.dtypes import DType
from certile.records import record

_fresh = itertools.count(1)


@record
class Dim:
    """The extent of dimension `dim` of the view argument `view`, known at launch."""

    view: str
    dim: int

    def __str__(self) -> str:
        return f"{self.view}.shape[{self.dim}]"


Extent = int | Dim


@record
class Axis:
    """A dimension identity with an extent; the name is for people and outside equality."""

    uid: int
    extent: Extent
    name: str = field(compare=False)

    @staticmethod
    def fresh(name: str, extent: Extent) -> Axis:
        """A new axis, different from every other."""
        return Axis(next(_fresh), extent, name)

    @property
    def static(self) -> int:
        """The extent as an integer; the caller knows that it was specialised.

        Raises TypeError for an extent that is open.
        """
        if not isinstance(self.extent, int):
            raise TypeError(
                f"the extent of axis {self.name} is {self.extent}, known only at launch"
            )
        return self.extent

    def __str__(self) -> str:
        return f"{self.name}#{self.uid}"


@record
class TileType:
    """An element type and the axes a tile spans, outermost first; no axes is a scalar."""

    dtype: DType
    axes: tuple[Axis, ...] = ()

    @property
    def is_scalar(self) -> bool:
        return not self.axes

    @property
    def elements(self) -> int:
        """The number of elements; every axis must have a static extent."""
        return prod(axis.static for axis in self.axes)

    def __str__(self) -> str:
        if not self.axes:
            return self.dtype.name
        return f"{self.dtype.name}[{', '.join(str(axis) for axis in self.axes)}]"


def join_axes(*parts: tuple[Axis, ...]) -> tuple[Axis, ...]:
    """The union of axes in order of first appearance: how tiles broadcast."""
    seen: dict[Axis, None] = {}
    for axes in parts:
        seen.update(dict.fromkeys(axes))
    return tuple(seen)
