"""Instances of one launch that meet in memory: what is certainly wrong, and what is safe in place.

In: a specialised kernel, the shapes of a call.  Out: diagnostics.  Decides that instances which
store to one place are refused where that is certain, and that an output may be the very view of an
input only where every instance is shown to keep to elements of its own.  Leaves what is neither
certain nor shown, in a kernel without such a view, to the reference interpreter, which watches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from certile.diagnostics import Diagnostic
from certile.ir.node import Node, reach
from certile.ir.tile import (
    Carried,
    Effect,
    Kernel,
    Load,
    LoopIndex,
    Parallel,
    Serial,
    Store,
    View,
    effects,
)
from certile.ir.types import Axis
from certile.ir.walk import Shapes, extent_of, parallel_regions


def meeting_stores(kernel: Kernel, shapes: Shapes) -> Iterator[Diagnostic]:
    """Yield K091 for each store whose place is the same for several instances."""
    for region in parallel_regions(kernel):
        axes = [axis for axis in _instance_axes(region) if extent_of(axis, shapes) > 1]
        for step in effects(region.body):
            if isinstance(step, Store) and isinstance(step.buffer, View):
                yield from _same_place(step, axes)


def unsafe_in_place(kernel: Kernel, view: View, shapes: Shapes) -> Diagnostic | None:
    """Return A005 unless no instance reads an element of `view` that another one stores.

    It is shown by dimensions that every access indexes with the coordinate of one instance axis:
    one for each axis, so that two instances never share an element.
    """
    for region in parallel_regions(kernel):
        touching = [
            step
            for step in effects(region.body)
            if isinstance(step, Load | Store) and step.buffer == view
        ]
        if len({type(step) for step in touching}) < 2:
            continue
        for axis in _instance_axes(region):
            if extent_of(axis, shapes) > 1 and not _separates(axis, touching):
                loc = next(step.loc for step in touching if isinstance(step, Load))
                message = (
                    f"{view.name} is input and output at once, and instances along {axis.name} "
                    "may read what others store"
                )
                return Diagnostic("A005", message, loc, hint="pass another array for the output")
    return None


def _instance_axes(region: Parallel) -> list[Axis]:
    """Return the axes whose coordinates tell instances apart, those of inner loops included."""
    inner = [axis for step in effects(region.body) for axis in _over(step)]
    return [*region.over, *inner]


def _over(step: Effect) -> tuple[Axis, ...]:
    return step.over if isinstance(step, Parallel) else ()


def _separates(axis: Axis, touching: Sequence[Load | Store]) -> bool:
    rank = len(touching[0].indices)
    return any(
        all(is_coordinate(step.indices[dim], axis) for step in touching) for dim in range(rank)
    )


def is_coordinate(index: Node, axis: Axis) -> bool:
    """Whether an index is the coordinate of a loop over this axis."""
    return isinstance(index, LoopIndex) and index.axis == axis


def _same_place(store: Store, axes: Sequence[Axis]) -> Iterator[Diagnostic]:
    decides = [*store.indices, *(() if store.mask is None else (store.mask,))]
    nodes = list(reach(decides))
    if any(isinstance(node, Load | Carried | Serial) for node in nodes):
        # Instances may choose their places by data or by what a loop carried.
        return
    named = {node.axis for node in nodes if isinstance(node, LoopIndex)}
    for axis in axes:
        if axis not in named:
            message = f"all instances along {axis.name} store to one place of {store.buffer.name}"
            yield Diagnostic("K091", message, store.loc)
