"""One launch: expressions over common rows, as a program and the arrays that it works on.

In: expressions, where each result goes, which of its axes are rows.  Out: launches.  Decides which
axes of different expressions are one axis, which dimensions are stepped through as one, and how
element-wise work is cut into rows.  Leaves to `certile.jitting.schedule` which expressions belong
together, and asks it for memory where a value cannot be computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from certile.frontend.spec import MathMode
from certile.jitting import program
from certile.jitting.graph import (
    Apply,
    Constant,
    Convert,
    Node,
    Number,
    Reduce,
    Scan,
    View,
)
from certile.jitting.windows import Shape, Window
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Strided, elementwise
from certile.records import record

__all__ = [
    "Emission",
    "Memory",
    "Place",
    "Target",
    "operand_places",
    "seen_through",
    "whole_places",
]


class Place(NamedTuple):
    """Where along a dimension: `start` and `step` times the coordinate of an axis, if any."""

    axis: int | None
    start: int
    step: int


_HERE = Place(None, 0, 1)


@record
class Target:
    """Where a result goes: an array, its first element, strides along the result's dimensions."""

    position: int
    offset: int
    strides: tuple[int, ...]


class Memory(Protocol):
    """What emission asks of the schedule."""

    def strides(self, position: int) -> tuple[int, ...]:
        """Return the strides of an array."""

    def number(self, node: Number) -> int:
        """Return where a Python float of the call lies."""

    def buffer(self, node: Node) -> int:
        """Return where a node lies, computed by an earlier launch."""


class _Argument(NamedTuple):
    """An array of the launch: its first element, and a stride for each axis that it spans."""

    position: int
    offset: int
    strides: tuple[tuple[int, int], ...]


def whole_places(shape: Shape) -> tuple[Place, ...]:
    """Return the places of an array whose dimension k is axis k."""
    return tuple(Place(dim, 0, 1) if n > 1 else _HERE for dim, n in enumerate(shape))


def operand_places(operand: Node, places: Sequence[Place]) -> tuple[Place, ...]:
    """Return where an operand is, which NumPy's rule repeats along missing and short dimensions."""
    rank = len(operand.shape)
    own = places[len(places) - rank :]
    return tuple(p if n > 1 else _HERE for n, p in zip(operand.shape, own, strict=True))


def seen_through(window: Window, places: Sequence[Place]) -> tuple[Place, ...]:
    """Return where the elements of a view lie in its base."""
    walked = {dim: at for at, dim in enumerate(window.dims) if dim is not None}
    found = []
    for dim, (start, step) in enumerate(zip(window.starts, window.steps, strict=True)):
        place = places[walked[dim]] if dim in walked else _HERE
        found.append(Place(place.axis, start + step * place.start, step * place.step))
    return tuple(found)


class Emission:
    """A launch in the making."""

    def __init__(self, memory: Memory, math: MathMode | None) -> None:
        self._memory = memory
        self._math = math
        self._rows: list[int] = []
        self._elements = True
        # The extents of all axes: rows first, then those that a launch makes for columns.
        self._extents: list[int] = []
        self._arguments: dict[_Argument, int] = {}
        self._steps: dict[program.Step, int] = {}
        self._known: dict[tuple[Node, tuple[Place, ...]], int] = {}
        self._stores: list[tuple[_Argument, int]] = []

    def add(self, node: Node, target: Target, rows: frozenset[int] | None) -> None:
        """Compute one more expression in this launch, whose rows are those of the others."""
        shape = node.shape
        spanned = [dim for dim, n in enumerate(shape) if n > 1]
        counted = [dim for dim in spanned if rows is None or dim in rows]
        if not self._extents:
            self._elements = rows is None
            self._extents = [shape[dim] for dim in counted]
            self._rows = list(range(len(counted)))
        axes = dict(zip(counted, self._rows, strict=True))
        others = [dim for dim in spanned if dim not in axes]
        axes |= dict(zip(others, self._columns([shape[dim] for dim in others]), strict=True))
        places = tuple(
            Place(axes[dim], 0, 1) if dim in axes else _HERE for dim in range(len(shape))
        )
        value = self._value(node, places)
        self._stores.append((self._argument(target, places), value))

    @property
    def stores(self) -> int:
        """How many results the launch has."""
        return len(self._stores)

    @property
    def size(self) -> int:
        """How many steps compute them."""
        return len(self._steps)

    def reads_as_written(self, position: int) -> bool:
        """Whether what is read of an array is, element for element, what is written to it."""
        written = {argument for argument, _ in self._stores}
        return all(each in written for each in self._arguments if each.position == position)

    # ---- expressions

    def _value(self, node: Node, places: tuple[Place, ...]) -> int:
        """Return the step that computes a node at places."""
        key = (node, places)
        if key not in self._known:
            self._known[key] = self._step(node, places)
        return self._known[key]

    def _step(self, node: Node, places: tuple[Place, ...]) -> int:
        match node:
            case Constant():
                return self._put(_written(node))
            case Number():
                return self._load(Target(self._memory.number(node), 0, ()), ())
            case Apply():
                operands = [
                    self._value(each, operand_places(each, places)) for each in node.operands
                ]
                return self._put(program.Call(node.function, tuple(operands)))
            case Convert():
                return self._put(program.Cast(self._value(node.operand, places), node.dtype.name))
            case View():
                return self._value(node.base, seen_through(node.window, places))
            case Reduce() if self._are_rows(places):
                return self._reduce(node, places)
            case Scan() if self._can_scan(node, places):
                axis = places[node.axis].axis
                assert axis is not None
                return self._put(program.Scan(node.law, self._value(node.operand, places), axis))
            case _:
                position = self._memory.buffer(node)
                return self._load(Target(position, 0, self._memory.strides(position)), places)

    def _reduce(self, node: Reduce, places: tuple[Place, ...]) -> int:
        extents = [node.operand.shape[dim] for dim in node.axes]
        columns = self._columns(extents)
        inside = list(places)
        for dim, axis in zip(node.axes, columns, strict=True):
            inside[dim] = Place(axis, 0, 1)
        value = self._value(node.operand, tuple(inside))
        return self._put(program.Reduce(node.law, value, tuple(columns)))

    def _are_rows(self, places: Sequence[Place]) -> bool:
        """Whether places differ from row to row, for all rows, and not within one."""
        return not self._elements and {
            place.axis for place in places if place.axis is not None
        } == set(self._rows)

    def _can_scan(self, node: Scan, places: Sequence[Place]) -> bool:
        """Whether running results can be made here: along one whole column of each row."""
        along = places[node.axis]
        others = [place for dim, place in enumerate(places) if dim != node.axis]
        if along.axis is None or along[1:] != (0, 1) or not self._are_rows(others):
            return False
        return self._extents[along.axis] == node.shape[node.axis]

    def _columns(self, extents: Sequence[int]) -> list[int]:
        """Return an axis for each extent, the same ones for the same extents."""
        found: list[int] = []
        for extent in extents:
            free = (
                axis
                for axis in range(len(self._rows), len(self._extents))
                if self._extents[axis] == extent and axis not in found
            )
            axis = next(free, len(self._extents))
            if axis == len(self._extents):
                self._extents.append(extent)
            found.append(axis)
        return found

    def _load(self, target: Target, places: Sequence[Place]) -> int:
        argument = self._argument(target, places)
        return self._put(program.Load(self._arguments.setdefault(argument, len(self._arguments))))

    def _argument(self, target: Target, places: Sequence[Place]) -> _Argument:
        offset = target.offset
        strides: dict[int, int] = {}
        for place, stride in zip(places, target.strides, strict=True):
            offset += stride * place.start
            if place.axis is not None and stride * place.step:
                strides[place.axis] = stride * place.step
        return _Argument(target.position, offset, tuple(sorted(strides.items())))

    def _put(self, step: program.Step) -> int:
        return self._steps.setdefault(step, len(self._steps))

    # ---- launches

    def launches(self) -> list[Launch]:
        """Return the launch, or those of the pieces of element-wise work."""
        arguments = [*self._arguments, *(argument for argument, _ in self._stores)]
        if self._elements:
            return self._pieces(arguments)
        axes = _joined(self._extents, len(self._rows), arguments, self._groups())
        return [self._launch(arguments, axes)]

    def _groups(self) -> list[tuple[int, ...]]:
        """Return the columns that steps name together: axes are joined in all of them or none."""
        found: list[tuple[int, ...]] = []
        for step in self._steps:
            if isinstance(step, program.Reduce):
                found.append(step.axes)
            elif isinstance(step, program.Scan):
                found.append((step.axis,))
        return found

    def _pieces(self, arguments: Sequence[_Argument]) -> list[Launch]:
        """Return element-wise work cut into rows, in the order of the memory written to."""
        extents = self._extents or [1]
        steps = [
            tuple(dict(argument.strides).get(axis, 0) for axis in range(len(extents)))
            for argument in arguments
        ]
        made = []
        for piece in elementwise(extents, steps):
            kept, seen = piece.arrangement.kept, piece.arrangement.arrays
            moved = [
                _Argument(
                    argument.position,
                    argument.offset + shift,
                    tuple((axis, step) for axis, step in enumerate(each.strides) if step),
                )
                for argument, shift, each in zip(arguments, piece.offsets, seen, strict=True)
            ]
            shape = seen[0].shape
            axes = _Axes(shape, kept, {axis: axis for axis in range(len(shape))})
            made.append(self._launch(moved, axes))
        return made

    def _launch(self, arguments: Sequence[_Argument], axes: _Axes) -> Launch:
        seen: list[Seen] = []
        spans: list[tuple[int, ...]] = []
        for argument in arguments:
            strides = {axes.number[axis]: step for axis, step in argument.strides}
            # Joined axes are stepped through as the innermost of them is, which comes last.
            spanned = sorted(strides)
            shape = tuple(axes.extents[axis] for axis in spanned) or (1,)
            layout = Strided(shape, tuple(strides[axis] for axis in spanned) or (1,))
            seen.append(Seen(argument.position, layout, argument.offset))
            spans.append(tuple(spanned))
        loads = len(self._arguments)
        stores = tuple((loads + at, value) for at, (_, value) in enumerate(self._stores))
        made = program.Program(
            rows=axes.rows,
            extents=_sources(axes.extents, spans),
            spans=tuple(spans),
            steps=tuple(_renamed(step, axes.number) for step in self._steps),
            stores=stores,
        )
        named: dict[str, object] = {program.name(at): each for at, each in enumerate(seen)}
        kernel = program.kernel(len(seen), self._math)
        return Launch(kernel, {**named, "program": made})


class _Axes(NamedTuple):
    """The axes of a launch, the first of them rows, and the number that each had before."""

    extents: Sequence[int]
    rows: int
    number: Mapping[int, int]


def _joined(
    extents: Sequence[int],
    rows: int,
    arguments: Sequence[_Argument],
    groups: Sequence[tuple[int, ...]],
) -> _Axes:
    """Join neighbouring axes that every array steps through as one; there is at least one row."""
    strides = [dict(argument.strides) for argument in arguments]
    made: list[int] = [] if rows else [1]
    number: dict[int, int] = {}
    kept = 0
    for axis, extent in enumerate(extents):
        if axis == rows:
            kept = len(made)
        together = axis not in (0, rows) and all(_adjoin(group, axis) for group in groups)
        if together and all(s.get(axis - 1, 0) == s.get(axis, 0) * extent for s in strides):
            made[-1] *= extent
        else:
            made.append(extent)
        number[axis] = len(made) - 1
    return _Axes(made, kept if len(extents) > rows else len(made), number)


def _adjoin(group: tuple[int, ...], axis: int) -> bool:
    """Whether an axis follows the one before it in a group, or neither is there."""
    if axis not in group or axis - 1 not in group:
        return (axis in group) == (axis - 1 in group)
    return group.index(axis) == group.index(axis - 1) + 1


def _sources(
    extents: Sequence[int], spans: Sequence[tuple[int, ...]]
) -> tuple[program.ExtentOf, ...]:
    """Return where each extent is read: from a dimension of an argument, where one has it."""
    found: list[program.ExtentOf] = []
    for axis, extent in enumerate(extents):
        places = ((at, span.index(axis)) for at, span in enumerate(spans) if axis in span)
        found.append(next(places, extent))
    return tuple(found)


def _renamed(step: program.Step, number: Mapping[int, int]) -> program.Step:
    match step:
        case program.Reduce():
            axes = tuple(dict.fromkeys(number[axis] for axis in step.axes))
            return program.Reduce(step.law, step.step, axes)
        case program.Scan():
            return program.Scan(step.law, step.step, number[step.axis])
        case _:
            return step


def _written(node: Constant) -> program.Write:
    text = float(node.value).hex() if node.dtype.is_float else str(int(node.value))
    return program.Write(text, node.dtype.name)
