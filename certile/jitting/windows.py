"""How a view of an array walks the array that it is a view of.

In: indices, permutations, axes of one element, shapes to repeat to.  Out: a `Window`, the affine
map from places of the view to places of its base; windows of windows are windows.  Decides which
NumPy views there are: those with strides.  Leaves memory and errors' places to others: what is
wrong raises `ValueError` with a sentence, which the caller puts beside a line of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from certile.records import record

__all__ = [
    "Shape",
    "Window",
    "indexed",
    "permuted",
    "repeated",
    "reshaped",
    "reversed_along",
    "whole",
]

Shape = tuple[int, ...]


@record
class Window:
    """A view of an array of `len(starts)` dimensions.

    Dimension k of the view walks dimension `dims[k]` of the base from `starts` in `steps`, or none
    at all: then it has one element, or repeats what it sees.  A dimension of the base that nothing
    walks is held at its start.
    """

    shape: Shape
    dims: tuple[int | None, ...]
    starts: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def repeats(self) -> bool:
        """Whether several places of the view are one place of the base."""
        return any(dim is None and n > 1 for dim, n in zip(self.dims, self.shape, strict=True))

    def is_whole(self, base: Shape) -> bool:
        """Whether the view is its base, place for place."""
        return self == whole(base)

    def then(self, outer: Window) -> Window:
        """Return the view of this view, as a view of the base."""
        walked = {dim: at for at, dim in enumerate(self.dims) if dim is not None}
        starts, steps = list(self.starts), list(self.steps)
        for dim, at in walked.items():
            starts[dim] += self.steps[dim] * outer.starts[at]
            steps[dim] *= outer.steps[at]
        dims = tuple(None if at is None else self.dims[at] for at in outer.dims)
        return Window(outer.shape, dims, tuple(starts), tuple(steps))

    def inverse(self, base: Shape) -> Window | None:
        """Return the view of this view that is the base; None where this one leaves places out."""
        if 0 in self.shape and 0 not in base:
            return None
        walked = {dim: at for at, dim in enumerate(self.dims) if dim is not None}
        dims: list[int | None] = [walked.get(dim) for dim in range(len(base))]
        starts, steps = [0] * len(self.shape), [1] * len(self.shape)
        for dim, n in enumerate(base):
            at = dims[dim]
            if at is None or self.shape[at] != n:
                if n != 1:
                    return None
                dims[dim] = None
            elif n > 1 and self.steps[dim] == -1:
                starts[at], steps[at] = n - 1, -1
        return None if self.repeats else Window(base, tuple(dims), tuple(starts), tuple(steps))


def whole(shape: Shape) -> Window:
    """Return the view that is its base."""
    rank = len(shape)
    return Window(shape, tuple(range(rank)), (0,) * rank, (1,) * rank)


def indexed(shape: Shape, index: object) -> Window:
    """Return what `x[index]` sees: integers, slices, None and an ellipsis."""
    items = _without_ellipsis(index if isinstance(index, tuple) else (index,), len(shape))
    starts, steps = [0] * len(shape), [1] * len(shape)
    dims: list[int | None] = []
    extents: list[int] = []
    dim = 0
    for item in items:
        if item is None:
            dims.append(None)
            extents.append(1)
            continue
        if isinstance(item, slice):
            first, last, step = item.indices(shape[dim])
            count = len(range(first, last, step))
            # A step along an axis of one element is never taken.
            starts[dim], steps[dim] = (first, step) if count else (0, 1)
            dims.append(dim)
            extents.append(count)
        else:
            starts[dim] = _position(item, shape[dim], dim)
        dim += 1
    return Window(tuple(extents), tuple(dims), tuple(starts), tuple(steps))


def permuted(shape: Shape, axes: Sequence[int]) -> Window:
    """Return the view whose axis k is axis `axes[k]`.

    Raises ValueError for what is no order of the axes.
    """
    if sorted(axes) != list(range(len(shape))):
        raise ValueError(f"axes {tuple(axes)} are no order of {len(shape)} axes")
    base = whole(shape)
    return Window(tuple(shape[axis] for axis in axes), tuple(axes), base.starts, base.steps)


def repeated(shape: Shape, wanted: Shape) -> Window:
    """Return the view that repeats axes of one element, and missing ones, to a shape.

    Raises ValueError for a shape that the view does not broadcast to.
    """
    missing = len(wanted) - len(shape)
    fits = missing >= 0 and all(
        n in (1, m) for n, m in zip(shape, wanted[max(missing, 0) :], strict=True)
    )
    if not fits:
        raise ValueError(f"shape {shape} does not broadcast to {wanted}")
    base = whole(shape)
    dims = tuple(
        None if dim < 0 or shape[dim] != n else dim
        for dim, n in ((at - missing, n) for at, n in enumerate(wanted))
    )
    return Window(wanted, dims, base.starts, base.steps)


def reversed_along(shape: Shape, axes: Sequence[int]) -> Window:
    """Return the view that walks some axes backwards."""
    base = whole(shape)
    starts = tuple(n - 1 if dim in axes and n else 0 for dim, n in enumerate(shape))
    steps = tuple(-1 if dim in axes else 1 for dim in range(len(shape)))
    return Window(shape, base.dims, starts, steps)


def reshaped(shape: Shape, wanted: Shape) -> Window:
    """Return the view with other axes of one element; the others stay as they are.

    Raises ValueError where longer axes change.
    """
    kept = [dim for dim, n in enumerate(shape) if n != 1]
    if [shape[dim] for dim in kept] != [n for n in wanted if n != 1]:
        raise ValueError(f"shape {shape} as {wanted} is more than axes of one element")
    remaining = iter(kept)
    base = whole(shape)
    dims = tuple(None if n == 1 else next(remaining) for n in wanted)
    return Window(wanted, dims, base.starts, base.steps)


def _without_ellipsis(items: tuple[object, ...], rank: int) -> list[object]:
    """Return one item an axis, and None for each axis that is put in."""
    named = sum(item is not None and item is not Ellipsis for item in items)
    if named > rank:
        raise ValueError(f"{named} indices for an array of {rank} axes")
    places = [at for at, item in enumerate(items) if item is Ellipsis]
    if len(places) > 1:
        raise ValueError("an index has one ellipsis")
    at = places[0] if places else len(items)
    rest: list[object] = [slice(None)] * (rank - named)
    return [*items[:at], *rest, *items[at + 1 :]]


def _position(item: object, extent: int, dim: int) -> int:
    assert isinstance(item, SupportsIndex)
    position = item.__index__()
    if not -extent <= position < extent:
        raise ValueError(f"index {position} is outside axis {dim}, which has {extent} elements")
    return position % extent
