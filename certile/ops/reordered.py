"""An array whose elements follow each other in another order than those of its result.

In: an array, its result, and the axes of a row.  Out: a launch that puts the elements where the
result will be, and the operation's own, which then works there in place.  Decides where that pays:
where neither order suits rows, every element is read or written far from the one before it, over
and over.  Leaves the operation to its own recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from certile.ops.kernels.elementwise import copy_kernel
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Steps, Strided, collapsed, contiguous_strides
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["Reordered", "reordered"]

# A smaller array stays in the nearest caches however it is walked.
_FEWEST_ELEMENTS: Final = 1 << 14
# A row of a copy writes this much side by side, whole lines, and reads as many lines, which the
# next rows read as well; a row that no length divides is copied whole if it is not much longer.
_LINE_BYTES: Final = 64
_RUN_BYTES: Final = 128
_LONGEST_BYTES: Final = 512
# Elements this far apart, or a multiple of it, share few sets of a cache.
_SHARING_BYTES: Final = 2048


@record
class Reordered:
    """Elements to be copied in C order, in runs of `length` of those of the last dimension.

    `dims` are extents, each with a stride for the array and one for its result.
    """

    dims: tuple[tuple[int, Steps], ...]
    length: int

    def before(self, launch: Launch) -> tuple[Launch, Launch]:
        """Return the launch that copies, and `launch` with the result in place of the first array.

        The result is the second array of the call.
        """
        arguments = {
            name: replace(value, position=1)
            if isinstance(value, Seen) and value.position == 0
            else value
            for name, value in launch.arguments.items()
        }
        return self._copy(), Launch(launch.kernel, arguments)

    def _copy(self) -> Launch:
        """Return the launch that copies the first array of the call to the second.

        Rows follow each other as x lies in memory, so that several find their elements in one line.
        """
        *dims, (n, (far, near)) = self.dims
        length, far, near = self.length, far or 0, near or 0
        rows = [*dims, (n // length, (far * length, near * length))]
        rows.sort(key=lambda row: -abs(row[1][0] or 0))
        shape = (*(extent for extent, _ in rows), length)
        read = Strided(shape, (*(steps[0] or 0 for _, steps in rows), far))
        written = Strided(shape, (*(steps[1] or 0 for _, steps in rows), near))
        views = {"x": Seen(0, read), "y": Seen(1, written), "kept": len(rows)}
        return Launch(copy_kernel, views)


def reordered(x: ArrayInfo, y: ArrayInfo, columns: Sequence[int]) -> Reordered | None:
    """Return how x is copied to the C-ordered y before rows along `columns` are made of it there.

    None where x is read in place: rows that y holds in one piece are gathered from lines that
    neighbouring rows share, and rows that x holds in one piece are scattered, which only costs
    where what is written shares sets of the cache.
    """
    near, last = _nearest(x), _nearest(y)
    small = x.size < _FEWEST_ELEMENTS
    if x.device != "cpu" or small or x.dtype != y.dtype or not _in_c_order(y):
        return None
    if near is None or last is None or near == last or last in columns:
        return None
    if near in columns and y.strides[near] * y.itemsize % _SHARING_BYTES:
        return None
    dims = collapsed(x.shape, range(len(x.shape)), (x.strides, contiguous_strides(x.shape)))
    length = _run(dims[-1][0], x.itemsize)
    return None if length is None else Reordered(tuple(dims), length)


def _run(n: int, size: int) -> int | None:
    """Return the length of the runs that n elements are copied in; None if no useful one is."""
    longest, shortest = _RUN_BYTES // size, _LINE_BYTES // size
    tried = range(longest, shortest - 1, -1)
    whole = n if n * size <= _LONGEST_BYTES else None
    return next((length for length in tried if n % length == 0), whole)


def _nearest(array: ArrayInfo) -> int | None:
    """Return the dimension whose elements are neighbours in memory; None if there is none."""
    steps = zip(array.shape, array.strides, strict=True)
    return next((dim for dim, (n, step) in enumerate(steps) if n > 1 and step == 1), None)


def _in_c_order(array: ArrayInfo) -> bool:
    """Whether the elements follow each other in C order without a gap."""
    steps = zip(array.shape, array.strides, contiguous_strides(array.shape), strict=True)
    return all(n == 1 or step == plain for n, step, plain in steps)
