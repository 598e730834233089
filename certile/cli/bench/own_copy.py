"""A plain copy, written in the tile language: what this machine's memory allows a kernel.

In: two arrays of one shape.  Out: a prepared call that copies one to the other.  Decides that
elements are moved as integers, and in rows long enough to be streamed.  It is the yardstick for
bars: no operation can be quicker than a copy of the bytes that it has to move.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from certile import View, axis, parallel, tile_kernel
from certile.cli.bench.arrays import bits_of

# Rows of at most so many elements: many, for all threads, and long, for whole lines of memory.
_ROW = 1 << 14
_SHORTEST_ROW = 256


@tile_kernel
def copy_kernel(x: View, y: View) -> None:
    """Store x to y, row by row."""
    rows, cols = axis("rows", x.shape[0]), axis("cols", x.shape[1])
    for r in parallel(rows):
        y[r, cols] = x[r, cols]


def own_copy(source: object, target: object) -> Callable[[], object]:
    """Return a prepared copy between C-ordered arrays of NumPy or PyTorch."""
    return copy_kernel.prepare(_rows(source), _rows(target))


def _rows(array: Any) -> Any:  # noqa: ANN401 - arrays of any framework
    """Return the elements of an array as rows of integers of their size, in the same memory."""
    integers = bits_of(array)
    width = math.gcd(math.prod(integers.shape), _ROW)
    return integers.reshape(-1, width if width >= _SHORTEST_ROW else integers.shape[-1])
