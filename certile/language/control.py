"""Axes, loops, reductions and placement: how a kernel is structured.

In: calls inside a kernel.  Out: what the active trace makes of them.  Decides signatures.  Leaves
their meaning to `certile.frontend`.  None of them names threads, warps or caches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from certile.language.active import call
from certile.language.laws import LawName
from certile.language.values import (
    Axis,
    Carry,
    Coord,
    Element,
    Extent,
    Index,
    Memory,
    Shape,
    Tile,
)

Scope = Literal["auto", "device", "group", "subgroup", "worker", "vector"]
Policy = Literal["unordered_tree", "ordered_tree", "fold_left", "fold_right", "reproducible"]
Axes = Axis | tuple[Axis, ...] | Shape
Law = LawName | Callable[..., Tile] | object


def axis(name: str, extent: Extent | int) -> Axis:
    """Return a fresh axis with `extent` coordinates; equal extents do not make axes equal."""
    made: Axis = call("axis", name, extent)
    return made


def parallel(*axes: Axis, scope: Scope = "auto") -> Iterator[Any]:
    """Run the loop's body for every coordinate of `axes`, as independent instances.

    The loop variable is the coordinate, or a tuple of them.  At the top of a kernel a `parallel`
    is one launch.
    """
    loop: Iterator[Any] = call("parallel", *axes, scope=scope)
    return loop


def serial(
    axis: Axis, step: int = 1, *, policy: Policy = "fold_left", scope: Scope = "auto"
) -> Iterator[Tile]:
    """Run the loop's body for 0, step, 2·step, … below the extent of `axis`, in order.

    Values pass from one iteration to the next only through `ct.carry`.

    A `policy` of `ct.reduce` other than the folds lets the turns be regrouped.  Each turn then only
    loads, and merges into each carried value, by one of `+ - *`, `ct.maximum minimum fmax fmin` or
    `| &` of bool, what depends on no carried value (K038 otherwise).  After the loop a carried
    value is its start merged with the `ct.reduce` of what the turns merge, under that policy.
    """
    loop: Iterator[Tile] = call("serial", axis, step, policy=policy, scope=scope)
    return loop


def carry(initial: Element, dtype: object = None) -> Carry:
    """Return a value that serial loops may update: read and assign its `value`."""
    made: Carry = call("carry", initial, dtype)
    return made


def reduce(
    tile: Element | tuple[Element, ...],
    axes: Axes,
    law: Law,
    *,
    policy: Policy = "unordered_tree",
    init: Element | tuple[Element, ...] | None = None,
    dtype: object = None,
    scope: Scope = "auto",
) -> Any:  # noqa: ANN401 - a tile, or a tuple
    """Reduce `tile` over `axes` by `law`; the result is a tile over the axes that are kept.

    Several axes are taken in the order given, the first outermost.  `law` is one of `ct.add mul
    maximum minimum argmax argmin logsumexp mean_var top_values(k)` and others, or a plain function
    of two values with `policy="fold_left"` or `"fold_right"` and `init`.  A tuple of tiles gives
    the arguments of a law with several operands; a law with several results returns a tuple.

    f16 and bf16 accumulate in f32, integers and bool in at least 32 bits, or as `dtype` says; the
    result has that dtype, an index is i64.  An empty axis gives the law's identity.
    """
    return call("reduce", tile, axes, law, policy=policy, init=init, dtype=dtype, scope=scope)


def scan(
    tile: Element | tuple[Element, ...],
    axis: Axis,
    law: Law,
    *,
    inclusive: bool = True,
    reverse: bool = False,
    dtype: object = None,
) -> Any:  # noqa: ANN401 - a tile, or a tuple
    """Return the running results of `law` along `axis`; each spans the axes of `tile`.

    Position k holds the result of the elements 0 .. k, without element k when not `inclusive`; with
    `reverse` those of k and after it.  Position 0 of an exclusive scan (the last one with
    `reverse`) holds what the law gives for no elements.  Elements stay in order, regrouping is
    allowed.  Laws, tuples of tiles and `dtype` are as for `ct.reduce`, plain functions excepted.
    """
    return call("scan", tile, axis, law, inclusive=inclusive, reverse=reverse, dtype=dtype)


def sort(
    tile: Tile,
    axis: Axis,
    *,
    descending: bool = False,
    indices: bool = False,
) -> Any:  # noqa: ANN401 - a tile, or a tuple
    """Return the elements of `tile` in order along `axis`, with `indices` also where they were.

    The order is stable in both directions: of equal elements the one at the lower index comes
    first.  NaN counts as greater than every number, so it comes last, or first when `descending`;
    zeros of both signs are equal and come out as 0.  Indices are i64 and count from 0.
    """
    return call("sort", tile, axis, descending=descending, indices=indices)


def topk(tile: Tile, into: Axis, axis: Axis, *, largest: bool = True) -> tuple[Tile, Tile]:
    """Return the greatest elements along `axis` and their indices, both along `into` instead.

    `into` is another axis: its extent, a known integer of 1 to 64, is how many are selected.  They
    are the first elements of `ct.sort` with `descending=largest`, in that order.
    """
    made: tuple[Tile, Tile] = call("topk", tile, into, axis, largest=largest)
    return made


def gather(tile: Tile, index: Element, axis: Axis, *, fill: Element) -> Tile:
    """Return the elements of `tile` at `index` along `axis`; `fill` where it is out of range."""
    made: Tile = call("gather", tile, index, axis, fill=fill)
    return made


def at(tile: Tile, axis: Axis, position: int) -> Tile:
    """Return the elements of `tile` at a constant `position` of `axis`, counted from 0."""
    made: Tile = call("at", tile, axis, position)
    return made


def memory(
    shape: Axes,
    dtype: object,
    resource: Literal["auto", "group", "worker"] = "auto",
    *,
    layout: object = None,
) -> Memory:
    """Return memory for one array over the axes of `shape`, one an instance of `parallel`.

    `resource` asks for memory of a worker or of its group; its contents are undefined at first.
    `layout`, one of `ct.layouts`, places the elements; its extents are those of the axes.  Given in
    place of `shape` it brings axes of its own.  A layout that is not proved total, in bounds and
    injective is refused.
    """
    made: Memory = call("memory", shape, dtype, resource, layout)
    return made


def coord(*indices: Index) -> Coord:
    """Return the place where a rectangle begins, one index a dimension."""
    return Coord(indices)


def shape(*axes: Axis | Extent | int) -> Shape:
    """Return what a rectangle spans, an axis a dimension; 1 for a dimension of one element."""
    return Shape(axes)


def full(axes: Axes, value: Element, dtype: object = None) -> Tile:
    """Return a tile over `axes` that holds `value` everywhere; a number takes its own dtype."""
    made: Tile = call("full", axes, value, dtype)
    return made


def zeros(axes: Axes, dtype: object) -> Tile:
    """Return a tile of zeros over `axes`."""
    made: Tile = call("full", axes, 0, dtype)
    return made


def iota(axis: Axis, dtype: object = None) -> Tile:
    """Return the coordinates 0, 1, … along `axis`, i64 unless `dtype` says otherwise."""
    made: Tile = call("iota", axis, dtype)
    return made


def reshape(tile: Tile, axes: Axes) -> Tile:
    """Return the same elements, in row-major order, along `axes`; as many as the tile has."""
    made: Tile = call("reshape", tile, axes)
    return made


def relabel(tile: Tile, old: Axis, new: Axis) -> Tile:
    """Return the same elements along `new` instead of `old`; their extents are equal."""
    made: Tile = call("relabel", tile, old, new)
    return made


def broadcast_to(tile: Element, axes: Axes) -> Tile:
    """Return the tile repeated along those of `axes` that it does not span."""
    made: Tile = call("broadcast_to", tile, axes)
    return made
