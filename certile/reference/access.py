"""What the form of a region and of its values says before it runs.

In: a parallel region and a view, or a value.  Out: whether no two instances can touch one element
of the view, the size of the largest tile, whether a value can be negative.  Decides nothing about
a kernel's legality: where an answer is no, the interpreter watches every access or allows more.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from certile.ir.laws import ADD, MAXIMUM, MEAN_VAR, MINIMUM, SUM_VAR
from certile.ir.node import reach
from certile.ir.tile import (
    Broadcast,
    Buffer,
    Cast,
    Const,
    ExtentValue,
    Iota,
    Load,
    LoopIndex,
    Map,
    Parallel,
    Reduce,
    Relabel,
    Result,
    Scan,
    Sort,
    Store,
    Tile,
    effects,
    roots,
)
from certile.ir.types import Axis, join_axes

Length = Callable[[Axis], int]


def is_private(region: Parallel, buffer: Buffer, length: Length) -> bool:
    """Whether every access has each parallel coordinate as an index of its own, always the same.

    Stores must also be one-to-one: every axis they span is an index of its own.
    """
    axes = [axis for axis in region.over if length(axis) > 1]
    dims: dict[Axis, int] = {}
    for step in effects(region.body):
        if isinstance(step, Parallel):
            return False
        if not isinstance(step, Load | Store) or step.buffer != buffer:
            continue
        for axis in axes:
            found = [d for d, index in enumerate(step.indices) if index is LoopIndex(axis=axis)]
            if not found or dims.setdefault(axis, found[0]) != found[0]:
                return False
        if isinstance(step, Store) and not _one_to_one(step):
            return False
    return True


def _one_to_one(store: Store) -> bool:
    spanned = [index for index in store.indices if index.axes]
    axes = {index.axis for index in spanned if isinstance(index, Iota)}
    return len(axes) == len(spanned) and axes == set(store.axes)


def largest_tile(region: Parallel, length: Length) -> int:
    """The number of elements of the largest tile that one instance makes."""
    largest = 1
    for step in effects(region.body):
        for at in reach(roots(step)):
            axes = at.axes if isinstance(at, Tile) else ()
            if isinstance(at, Sort):
                axes = at.value.axes
            if isinstance(at, Reduce):
                axes = join_axes(*(arg.axes for arg in at.args))
            largest = max(largest, prod(map(length, axes)))
    return largest


def is_never_negative(tile: Tile) -> bool:
    """Whether a value is at least 0, or NaN, by how it is made: a square, a sum of squares, …"""
    match tile:
        case Const():
            return tile.value >= 0
        case ExtentValue():
            return True
        case Map(fn="abs" | "exp" | "exp2" | "sqrt" | "sigmoid" | "isnan"):
            return True
        case Map(fn="mul") if tile.args[0] is tile.args[1]:
            return True
        case Map(fn="add" | "mul" | "div" | "minimum"):
            return all(map(is_never_negative, tile.args))
        case Map(fn="maximum"):
            return any(map(is_never_negative, tile.args))
        case Cast() | Broadcast() | Relabel():
            return is_never_negative(tile.value)
        case Reduce() if tile.law in (ADD, MAXIMUM, MINIMUM) and not tile.init:
            return is_never_negative(tile.args[0])
        case Result() if isinstance(tile.of, Sort):
            return tile.index == 1 or is_never_negative(tile.of.value)
        case Scan() if tile.law in (ADD, MAXIMUM, MINIMUM) and tile.inclusive:
            return is_never_negative(tile.args[0])
        case Result(index=1) if isinstance(tile.of, Reduce | Scan):
            return tile.of.law in (MEAN_VAR, SUM_VAR)
        case _:
            return False
