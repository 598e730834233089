"""Kernels of embeddings: rows of a table, and positions as rotations.

In: a table and indices that lie in it; pairs of elements with cosines and sines.  Out: rows.
Decides the formulas.  Leaves the check of indices, and which elements make a pair, to
`certile.ops.embeddings`.
"""

from __future__ import annotations

import certile as ct
from certile.ops.kernels.domain import each, rows_and_columns, wide


@ct.tile_kernel
def embedding_kernel(y: ct.View, indices: ct.View, weight: ct.View, kept: ct.constexpr = 1) -> None:
    """The row of `weight` that each index names."""
    rows, (cols,) = rows_and_columns(y, kept)
    for r in each(rows):
        # The caller has compared every index with the length of the table.
        row = weight.tile(ct.coord(indices[*r], 0), ct.shape(1, cols), bounds="assume")
        y[*r, cols] = row.load()


@ct.tile_kernel
def rope_kernel(cos: ct.View, sin: ct.View, x: ct.View, y: ct.View, kept: ct.constexpr = 1) -> None:
    """Each pair (a, b) turned by its angle: (a cos - b sin, b cos + a sin).

    In x and y the two elements of a pair lie along a dimension of two before the last.
    """
    rows, (pairs,) = rows_and_columns(cos, kept)
    for r in each(rows):
        a, b = wide(x[*r, 0, pairs], y), wide(x[*r, 1, pairs], y)
        c, s = wide(cos[*r, pairs], y), wide(sin[*r, pairs], y)
        y[*r, 0, pairs] = a * c - b * s
        y[*r, 1, pairs] = b * c + a * s
