"""Two instances of one launch that certainly meet in one element of a view.

In: a specialised kernel, the shapes of a call.  Out: diagnostics K091, each with two instances as
its witness.  Decides by trial: the places of accesses are evaluated exactly at some coordinates of
every loop and tile, those near the ends and those that constants of the indices name, and two
instances of which one stores where the other one loads or stores are such a witness.  So what is
reported is what a run would do; what is not reported is not shown to be free of it.  Accesses whose
place or mask rests on data, on a scalar argument or on what a loop carries are left to the
interpreter, which watches them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from certile.analysis.affine import iota
from certile.diagnostics import Diagnostic
from certile.ir.dtypes import bool_, i64
from certile.ir.node import reach
from certile.ir.tile import (
    Broadcast,
    Cast,
    Const,
    Effect,
    ExtentValue,
    Iota,
    Kernel,
    Load,
    LoopIndex,
    Map,
    Parallel,
    Relabel,
    Serial,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis, Dim
from certile.ir.walk import Shapes, extent_of
from certile.records import record

Array = npt.NDArray[Any]

# How many points of one access are tried.
_MOST_POINTS = 1 << 13
_FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    "abs": np.abs,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "where": np.where,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "bit_and": np.bitwise_and,
    "bit_or": np.bitwise_or,
    "bit_not": np.invert,
}


@record
class _Touch:
    """An access of a view and the coordinates that tell its points apart.

    `loops` are the coordinates of the open loops, outermost first, with their steps.
    """

    at: Load | Store
    view: View
    loops: tuple[tuple[LoopIndex, int], ...]

    def coordinates(self) -> dict[Tile, int]:
        """Every coordinate with its step: those of the loops, then those of the elements."""
        return dict(self.loops) | {iota(axis): 1 for axis in self.at.axes}

    def decides(self) -> tuple[Tile, ...]:
        """What decides which elements are touched."""
        return (*self.at.indices, *(() if self.at.mask is None else (self.at.mask,)))


@record
class _Region:
    """A parallel region: the loops it stands in, its own coordinates, what is touched inside."""

    outer: tuple[LoopIndex, ...]
    over: tuple[LoopIndex, ...]
    touches: tuple[_Touch, ...]


class _Points(NamedTuple):
    """Points of one access: where they lie, which instance each belongs to, its coordinates."""

    keys: Array
    instances: Array
    elements: Array


def certain_meetings(kernel: Kernel, shapes: Shapes) -> Iterator[Diagnostic]:
    """Yield K091 for each view in which two instances are found that meet, one of them storing."""
    reported: set[View] = set()
    for region in _regions(kernel.body, ()):
        stored = {touch.view for touch in region.touches if isinstance(touch.at, Store)}
        for view in kernel.views:
            if view in stored and view not in reported:
                touches = [touch for touch in region.touches if touch.view == view]
                found = _witness(region, touches, shapes)
                if found is not None:
                    reported.add(view)
                    yield found


def _regions(body: Iterable[Effect], loops: tuple[tuple[LoopIndex, int], ...]) -> Iterator[_Region]:
    """Every parallel region of a body, nested ones included."""
    for step in body:
        if isinstance(step, Parallel):
            own = tuple(LoopIndex(axis=axis) for axis in step.over)
            inside = (*loops, *((index, 1) for index in own))
            outer = tuple(index for index, _ in loops)
            yield _Region(outer, own, tuple(_touches(step.body, inside)))
            yield from _regions(step.body, inside)
        elif isinstance(step, Serial):
            yield from _regions(step.body, (*loops, (LoopIndex(axis=step.axis), step.step)))


def _touches(body: Iterable[Effect], loops: tuple[tuple[LoopIndex, int], ...]) -> Iterator[_Touch]:
    for step in body:
        match step:
            case Load(buffer=View() as view) | Store(buffer=View() as view):
                yield _Touch(step, view, loops)
            case Parallel():
                own = tuple((LoopIndex(axis=axis), 1) for axis in step.over)
                yield from _touches(step.body, (*loops, *own))
            case Serial():
                inside = (*loops, (LoopIndex(axis=step.axis), step.step))
                yield from _touches(step.body, inside)
            case _:
                pass


def _witness(region: _Region, touches: Sequence[_Touch], shapes: Shapes) -> Diagnostic | None:
    """Two instances that meet, as a diagnostic; None where none are found."""
    alone = [index for index in region.over if _separates(index, touches)]
    if all(index in alone or extent_of(index.axis, shapes) == 1 for index in region.over):
        return None
    trial = _Trial(region, touches, shapes)
    tried = [(touch, points) for touch in touches if (points := trial.points(touch)) is not None]
    if not any(isinstance(touch.at, Store) for touch, _ in tried):
        return None
    pair = _meeting(tried)
    return None if pair is None else trial.described(*pair)


def _separates(coordinate: Tile, touches: Iterable[_Touch]) -> bool:
    """Whether every access has the coordinate alone for one and the same dimension."""
    places = [touch.at.indices for touch in touches]
    return any(all(index is coordinate for index in dim) for dim in zip(*places, strict=True))


class _Trial:
    """The coordinates that are tried, and what accesses do there."""

    def __init__(self, region: _Region, touches: Sequence[_Touch], shapes: Shapes) -> None:
        self._region, self._shapes = region, shapes
        steps = {key: step for touch in touches for key, step in touch.coordinates().items()}
        lengths = {key: extent_of(_axis(key), shapes) for key in steps}
        alone = {key for key in steps if _separates(key, touches)}
        free = max(
            sum(lengths[key] > 1 and key not in alone for key in touch.coordinates())
            for touch in touches
        )
        share = int(_MOST_POINTS ** (1 / max(1, free)))
        constants = self._constants(touches)
        self._tried: dict[Tile, Array] = {
            key: _chosen(lengths[key], step, 2 if key in alone else share, constants)
            for key, step in steps.items()
        }

    def _constants(self, touches: Iterable[_Touch]) -> list[int]:
        """The numbers that indices and masks are computed with."""
        decides = [tile for touch in touches for tile in touch.decides()]
        scalars = [node for node in reach(decides) if isinstance(node, Tile) and not node.axes]
        values = [_Evaluation({}, self._shapes).of(node) for node in scalars]
        return sorted({abs(int(value)) for value in values if value is not None} - {0})

    def points(self, touch: _Touch) -> _Points | None:
        """What an access touches, or None where that is not known."""
        coordinates = tuple(touch.coordinates())
        shape = tuple(len(self._tried[key]) for key in coordinates)
        if not prod(shape):
            return None
        spread = {
            key: self._tried[key].reshape([-1 if key is own else 1 for own in coordinates])
            for key in coordinates
        }
        evaluation = _Evaluation(spread, self._shapes)
        values = [evaluation.of(tile) for tile in touch.decides()]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return None
        extents = tuple(self._shapes[touch.view.name])
        indices, masks = known[: len(extents)], known[len(extents) :]
        on = np.ones(shape, np.bool_)
        for index, extent in zip(indices, extents, strict=True):
            on &= (index >= 0) & (index < extent)
        for mask in masks:
            on &= mask
        elements = np.broadcast_to(_number(indices, extents), shape)[on]
        outer = np.broadcast_to(self._position(self._region.outer, coordinates), shape)[on]
        instances = np.broadcast_to(self._position(self._region.over, coordinates), shape)[on]
        return _Points(outer * prod(extents) + elements, instances, elements)

    def _position(self, of: Sequence[Tile], coordinates: Sequence[Tile]) -> Array:
        """Which of the tried combinations of some coordinates each point has, as one number."""
        ranks = [
            np.arange(len(self._tried[key])).reshape(
                [-1 if key is own else 1 for own in coordinates]
            )
            for key in of
        ]
        return _number(ranks, [len(self._tried[key]) for key in of])

    def described(self, first: _Touch, one: int, second: _Touch, two: int, at: int) -> Diagnostic:
        """The diagnostic for two accesses of two instances that touch element `at`."""
        view = first.view
        place = np.unravel_index(at, tuple(self._shapes[view.name]))
        element = ", ".join(str(int(index)) for index in place)
        what = f"{view.name}[{element}]"
        if isinstance(second.at, Load):
            message = (
                f"{what} is stored by instance {self._named(one)} and loaded by instance "
                f"{self._named(two)}"
            )
            hint = "store to another view than the one that is loaded, or make the loop serial"
        else:
            message = f"{what} is stored by instances {self._named(one)} and {self._named(two)}"
            hint = "give each instance elements of its own, or make the loop serial"
        notes = (f"the first store is at {first.at.loc}",) if first.at is not second.at else ()
        return Diagnostic("K091", message, second.at.loc, notes=notes, hint=hint)

    def _named(self, instance: int) -> str:
        over = self._region.over
        ranks = np.unravel_index(instance, [len(self._tried[index]) for index in over])
        values = [self._tried[key][rank] for key, rank in zip(over, ranks, strict=True)]
        pairs = zip(over, values, strict=True)
        return ", ".join(f"{key.axis.name}={int(value)}" for key, value in pairs)


def _axis(coordinate: Tile) -> Axis:
    assert isinstance(coordinate, LoopIndex | Iota)
    return coordinate.axis


def _chosen(length: int, step: int, most: int, constants: Sequence[int]) -> Array:
    """At most `most` of the values 0, step, … below the length, in order."""
    count = -(-length // step)
    if count <= most:
        return np.arange(count) * step
    named = [near for c in constants for near in (c // step, count - 1 - c // step)]
    wanted = [0, count - 1, 1, *named, *(near + 1 for near in named), *range(2, most)]
    inside = dict.fromkeys(place for place in wanted if 0 <= place < count)
    return np.array(sorted(list(inside)[:most])) * step


def _number(indices: Sequence[Array], extents: Sequence[int]) -> Array:
    """The row-major number of a place."""
    number: Array = np.zeros((), np.int64)
    for index, extent in zip(indices, extents, strict=True):
        number = number * extent + index
    return number


@record
class _Evaluation:
    """Exact values of integer tiles at many points; None for what is not known before a run."""

    coordinates: Mapping[Tile, Array]
    shapes: Shapes

    def of(self, tile: Tile) -> Array | None:
        """The value of a tile at every point."""
        match tile:
            case Const(value=int() as value) if abs(value) < 1 << 62:
                return np.asarray(value)
            case ExtentValue(extent=Dim() as dim):
                return np.asarray(self.shapes[dim.view][dim.dim])
            case ExtentValue(extent=int() as extent):
                return np.asarray(extent)
            case Iota() | LoopIndex():
                return self.coordinates.get(tile)
            case Broadcast(value=value):
                return self.of(value)
            case Cast(value=value) if tile.dtype == i64 and value.dtype in (bool_, i64):
                found = self.of(value)
                return None if found is None else found.astype(np.int64)
            case Relabel(value=value, old=old, new=new):
                moved = self.coordinates.get(iota(new))
                renamed = dict(self.coordinates)
                if moved is not None:
                    renamed[iota(old)] = moved
                return _Evaluation(renamed, self.shapes).of(value)
            case Map(fn=fn) if tile.dtype in (bool_, i64) and fn in _FUNCTIONS:
                return self._map(tile)
            case _:
                return None

    def _map(self, tile: Map) -> Array | None:
        if any(arg.dtype not in (bool_, i64) for arg in tile.args):
            return None
        values = [value for arg in tile.args if (value := self.of(arg)) is not None]
        if len(values) < len(tile.args):
            return None
        if tile.fn in ("floordiv", "mod") and not np.all(values[1]):
            return None
        return np.asarray(_FUNCTIONS[tile.fn](*values))


def _meeting(
    tried: Sequence[tuple[_Touch, _Points]],
) -> tuple[_Touch, int, _Touch, int, int] | None:
    """A store and another instance's access of the same element, the first that there is.

    The result is the store and its instance, the other access and its instance, and the element.
    """
    keys = np.concatenate([points.keys for _, points in tried])
    instances = np.concatenate([points.instances for _, points in tried])
    if not len(keys):
        return None
    who = np.repeat(np.arange(len(tried)), [len(points.keys) for _, points in tried])
    stores = np.array([isinstance(touch.at, Store) for touch, _ in tried])[who]
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    low = np.minimum.reduceat(instances[order], starts)
    high = np.maximum.reduceat(instances[order], starts)
    stored = np.logical_or.reduceat(stores[order], starts)
    met = np.flatnonzero(stored & (low < high))
    if not len(met):
        return None
    group = order[keys[order] == keys[order[starts[met[0]]]]]
    # A load says more about a mistake than a second store does.
    pairs = ((a, b) for a in group[stores[group]] for b in sorted(group, key=lambda k: stores[k]))
    one, two = next((a, b) for a, b in pairs if instances[a] != instances[b])
    elements = np.concatenate([points.elements for _, points in tried])
    return (
        tried[who[one]][0],
        int(instances[one]),
        tried[who[two]][0],
        int(instances[two]),
        int(elements[one]),
    )
