"""The objects a kernel's code holds while it is traced.

In: IR values and the region they were made in.  Out: the language's tiles, views, axes, extents,
memories and carried values, each with what the trace knows about it.  Decides nothing.  Leaves
operators to the language's classes and their meaning to the other modules of this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from certile.diagnostics import KernelError
from certile.frontend.spec import Weak
from certile.ir.dtypes import DType
from certile.ir.tile import Carried, Effect, Policy
from certile.ir.tile import Memory as IrMemory
from certile.ir.tile import Scope as ScopeName
from certile.ir.tile import Tile as IrTile
from certile.ir.tile import View as IrView
from certile.ir.types import Axis as IrAxis
from certile.ir.types import Dim
from certile.language.annotations import View
from certile.language.integers import integer_or_none
from certile.language.values import Axis, Carry, Extent, Memory, Place, Tile
from certile.source import Loc


@dataclass(eq=False)
class Region:
    """A body while it is filled: the kernel's own, or that of a loop.

    `open` turns false when the body ends; a value made in it cannot be used from then on.  `axes`
    are those that the author loops over, `over` those of the loop itself.  `policy` says how the
    turns of a serial loop may be regrouped: `fold_left` for not at all.
    """

    kind: Literal["top", "parallel", "serial"]
    axes: tuple[IrAxis, ...]
    parent: Region | None
    loc: Loc
    step: int = 1
    scope: ScopeName = "auto"
    over: tuple[IrAxis, ...] = ()
    policy: Policy = "fold_left"
    body: list[Effect] = field(default_factory=list)
    carried: dict[CarryHandle, Slot] = field(default_factory=dict)
    open: bool = True

    def outwards(self) -> Sequence[Region]:
        """Return this region and those around it, innermost first."""
        chain = [self]
        while chain[-1].parent is not None:
            chain.append(chain[-1].parent)
        return chain


class TileHandle(Tile):
    """A tile: its IR value, the region it belongs to, and whether it yields to other dtypes."""

    __slots__ = ("node", "region", "weak")

    def __init__(self, node: IrTile, region: Region, weak: Weak | None = None) -> None:
        self.node = node
        self.region = region
        self.weak = weak

    def __repr__(self) -> str:
        return f"<tile {self.node.type}>"


class AxisHandle(Axis):
    """An axis."""

    __slots__ = ("axis",)

    def __init__(self, axis: IrAxis) -> None:
        self.axis = axis

    @property
    def name(self) -> str:
        """The name given to it."""
        return self.axis.name

    @property
    def extent(self) -> Extent | int:
        """Its extent, symbolic when it is a view's."""
        return extent_of(self.axis.extent)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, bool | int | float | Tile | Extent):
            return bool(self._refuse(other))
        return isinstance(other, AxisHandle) and other.axis == self.axis

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.axis)

    def __repr__(self) -> str:
        return f"<axis {self.axis.name} of {self.axis.extent}>"


class ExtentHandle(Extent):
    """The extent of a view's dimension."""

    __slots__ = ("dim",)

    def __init__(self, dim: Dim) -> None:
        self.dim = dim

    def __repr__(self) -> str:
        return f"<{self.dim}>"


class _Extents(tuple[Extent, ...]):
    """The shape of a view; a dimension that it lacks is an error of the kernel."""

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:  # noqa: ANN401 - an extent, or a tuple
        try:
            return super().__getitem__(at)
        except IndexError:
            message = f"the view has rank {len(self)}; it has no dimension {at}"
            raise KernelError("K015", message, loc=Loc.of_user()) from None


class ViewHandle(View):
    """A view argument."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: IrView) -> None:
        self.buffer = buffer

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.buffer.dtype

    @property
    def shape(self) -> tuple[Extent | int, ...]:
        """The extents, symbolic."""
        extents = (ExtentHandle(Dim(self.buffer.name, d)) for d in range(self.buffer.rank))
        return _Extents(extents)

    def __repr__(self) -> str:
        return f"<view {self.buffer.name}: {self.buffer.dtype}, rank {self.buffer.rank}>"


class MemoryHandle(Memory):
    """Placed memory, and the region whose instances own it."""

    __slots__ = ("buffer",)

    def __init__(self, buffer: IrMemory) -> None:
        self.buffer = buffer

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self.buffer.dtype

    @property
    def shape(self) -> tuple[Extent | int, ...]:
        """The extents of its axes."""
        return tuple(extent_of(axis.extent) for axis in self.buffer.axes)

    def __repr__(self) -> str:
        return f"<memory {self.buffer.name}: {self.buffer.dtype}, rank {self.buffer.rank}>"


BufferHandle = ViewHandle | MemoryHandle


class PlaceHandle(Place):
    """A rectangle of a buffer: an i64 tile a dimension, and what to do outside the buffer."""

    __slots__ = ("assume", "buffer", "fill", "indices", "mask", "region")

    def __init__(
        self,
        buffer: BufferHandle,
        indices: tuple[IrTile, ...],
        region: Region,
        mask: IrTile | None = None,
        fill: IrTile | None = None,
        assume: bool = False,
    ) -> None:
        self.buffer = buffer
        self.indices = indices
        self.region = region
        self.mask = mask
        self.fill = fill
        self.assume = assume


class CarryHandle(Carry):
    """A carried value: where it was made and what it holds there."""

    __slots__ = ("held", "loc", "region")

    def __init__(self, held: IrTile, region: Region, loc: Loc) -> None:
        self.held = held
        self.region = region
        self.loc = loc


@dataclass
class Slot:
    """One carried value of one serial loop: its start, its parameter and what it holds now."""

    init: IrTile
    param: Carried
    now: IrTile


def whole_number(value: object) -> int | None:
    """Return a compile-time integer of any kind as Python's, None for anything else.

    The extent of a view gives its number in this call, which the trace depends on from then on.
    """
    return None if isinstance(value, TileHandle) else integer_or_none(value)


def length_of(axis: IrAxis) -> int:
    """Return the extent of an axis as a number; the kernel is then one for that length."""
    return int(extent_of(axis.extent))


def extent_of(extent: int | Dim) -> Extent | int:
    """Return an extent as the language shows it."""
    return ExtentHandle(extent) if isinstance(extent, Dim) else extent
