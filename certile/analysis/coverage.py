"""Whether a launch stores to every element of a view.

In: a top-level parallel region of a specialised kernel, a view, the shapes of a call.  Out: yes, or
"not shown".  Decides it from one store that nothing masks, in loops that certainly run: each of its
indices is the coordinate of a loop or of the tile's own axis, no two are of one axis, and each runs
over the whole dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from certile.analysis.affine import axis_of
from certile.ir.tile import Effect, Parallel, Serial, Store, View
from certile.ir.walk import Shapes, extent_of

__all__ = ["fills"]


def fills(region: Parallel, view: View, shapes: Shapes) -> bool:
    """Whether every element of `view` is certainly stored by the region's instances, if any."""
    return any(
        store.buffer == view and store.mask is None and _whole(store, shapes)
        for store in _always(region.body, shapes)
    )


def _always(body: Sequence[Effect], shapes: Shapes) -> Iterator[Store]:
    """The stores that happen for every coordinate of all loops around them, at least once."""
    for step in body:
        if isinstance(step, Store):
            yield step
        elif isinstance(step, Parallel | Serial) and _every(step, shapes):
            yield from _always(step.body, shapes)


def _every(loop: Parallel | Serial, shapes: Shapes) -> bool:
    """Whether a loop runs, and for every coordinate."""
    if isinstance(loop, Serial):
        return loop.step == 1 and extent_of(loop.axis, shapes) > 0
    return all(extent_of(axis, shapes) > 0 for axis in loop.over)


def _whole(store: Store, shapes: Shapes) -> bool:
    """Whether the indices of a store take every value of every dimension, in all combinations."""
    assert isinstance(store.buffer, View)
    axes = [axis_of(index) for index in store.indices]
    known = [axis for axis in axes if axis is not None]
    if len(known) < len(axes) or len(set(known)) < len(known):
        return False
    extents = tuple(extent_of(axis, shapes) for axis in known)
    return extents == tuple(shapes[store.buffer.name])
