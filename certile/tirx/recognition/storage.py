"""What the private buffers of a program hold while its statements are translated.

In: stores and reads of one-element buffers and of local rows, at indices that are tiles.  Out: the
tile that a read sees.  Decides that a row is stored whole, element by element at its own place,
before any other element of it is read; leaves order among statements to `dependence`.  Raises
`NotShownError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from certile.ir.build import Builder
from certile.ir.tile import Const, Iota, Tile
from certile.ir.types import Axis
from certile.records import record
from certile.tirx.recognition.errors import NotShownError
from certile.tirx.recognition.nodes import Buffer


@record(slots=False)
class Row:
    """The elements of a local buffer: a tile, the axis of each dimension, the loops around it."""

    tile: Tile
    axes: tuple[Axis | None, ...]
    loops: frozenset[int]


class Storage:
    """The private buffers in scope; a text in the place of a value says why there is none."""

    def __init__(self, builder: Builder) -> None:
        self._b = builder
        self._held: dict[Buffer, Tile | Row | str] = {}
        self._outside: dict[Buffer, frozenset[Axis]] = {}

    def allocate(self, buffer: Buffer, around: Iterable[Axis]) -> None:
        """Bring a buffer into scope, inside the element loops over `around`."""
        self._held[buffer] = "it has not been stored"
        self._outside[buffer] = frozenset(around)

    def free(self, buffer: Buffer) -> None:
        """Take a buffer out of scope."""
        self._held.pop(buffer, None)

    def __contains__(self, buffer: Buffer) -> bool:
        return buffer in self._held

    def forget(self, buffers: Iterable[Buffer], why: str) -> None:
        """Take the value from buffers, because of a loop that leaves it unknown."""
        for buffer in buffers:
            if buffer in self._held:
                self._held[buffer] = why

    def scalar(self, buffer: Buffer) -> Tile:
        """The value of a one-element buffer."""
        held = self._known(buffer)
        assert isinstance(held, Tile)
        return held

    def set_scalar(self, buffer: Buffer, value: Tile) -> None:
        """Store a one-element buffer."""
        self._held[buffer] = value

    def set_row(
        self,
        buffer: Buffer,
        indices: Sequence[Tile],
        value: Tile,
        around: Sequence[Axis],
        loops: frozenset[int],
    ) -> None:
        """Store a row: each index is a loop's coordinate, and the loops make all its elements."""
        claim = f"the local buffer {buffer.name} is stored whole, each element by its own iteration"
        places = [
            _place(index, length) for index, length in zip(indices, buffer.shape, strict=True)
        ]
        if any(place is False for place in places):
            raise NotShownError(
                "private_storage", claim, "an index is not a loop over its dimension"
            )
        axes = tuple(place if isinstance(place, Axis) else None for place in places)
        named = [axis for axis in axes if axis is not None]
        expected = [axis for axis in around if axis not in self._outside[buffer]]
        if len(set(named)) != len(named) or set(named) != set(expected):
            missing = "a loop around the store is not one of its indices"
            raise NotShownError("private_storage", claim, missing)
        self._held[buffer] = Row(value, axes, loops)

    def element(self, buffer: Buffer, indices: Sequence[Tile], open_loops: frozenset[int]) -> Tile:
        """The element of a row at some indices, which are inside."""
        row = self._known(buffer)
        assert isinstance(row, Row)
        _untwisted(buffer, indices, row)
        made = row.tile
        for index, axis in zip(indices, row.axes, strict=True):
            if axis is None or (isinstance(index, Iota) and index.axis == axis):
                continue
            if row.loops & open_loops:
                missing = "another element than the iteration's own is read while it is stored"
                raise NotShownError(
                    "private_storage", f"{buffer.name} is complete when read", missing
                )
            if axis not in made.axes:
                continue
            if isinstance(index, Iota) and _replaces(index.axis, axis, made):
                made = self._b.relabel(made, axis, index.axis)
            else:
                made = self._b.gather(made, index, axis, 0.0 if made.dtype.is_float else 0)
        return made

    def _known(self, buffer: Buffer) -> Tile | Row:
        held = self._held[buffer]
        if isinstance(held, str):
            claim = f"{buffer.name} has a value where it is read"
            raise NotShownError("canonical_state", claim, held)
        return held


def _untwisted(buffer: Buffer, indices: Sequence[Tile], row: Row) -> None:
    """Decline indices that have to be replaced at once: dimensions are replaced one by one."""
    for index, own in zip(indices, row.axes, strict=True):
        others = {axis for axis in row.axes if axis is not None and axis != own}
        if own is not None and not others.isdisjoint(index.axes):
            missing = "one of its indices runs over another of its dimensions"
            claim = f"{buffer.name} is read as it is stored"
            raise NotShownError("private_storage", claim, missing)


def _place(index: Tile, length: int) -> Axis | bool | None:
    """The axis an index runs over, None for the one place of a short dimension, False for others.

    A coordinate that a loop adds a constant to is no Iota, so what is one starts at 0.
    """
    if isinstance(index, Iota) and index.axis.static == length:
        return index.axis
    if length == 1 and isinstance(index, Const) and index.value == 0:
        return None
    return False


def _replaces(axis: Axis, old: Axis, tile: Tile) -> bool:
    return axis.static == old.static and axis not in tile.axes
