"""The shape of a tree of merges, as far as rounding depends on it.

In: figures of a plan's trees, or a depth alone.  Out: `Tree`, and `Fused` for a reduction that is
computed by another one.  Decides what holds for every tree of a depth.  Leaves the trees of a plan
to `certile.plan.rounding.trees`, and what a tree rounds to `states` and `envelope`.
"""

from __future__ import annotations

import math

from certile.ir.tile import Reduce
from certile.records import record

__all__ = ["Fused", "Tree"]


@record
class Tree:
    """A tree of merges of single elements.

    `depth` is the longest path in merges.  `drift` bounds how far a partial mean may be off, in
    units of u max|x|, and `coupling` is the sum over merges of n_a n_b / (n_a + n_b) times the
    square of what the means of both sides may be off together.  `weight` is the sum without that
    square.
    """

    depth: int
    drift: float
    coupling: float
    weight: float

    @staticmethod
    def any_of(depth: int, count: int) -> Tree:
        """What holds for every tree of some depth.

        A merge rounds a mean by at most 8 units.  n_a n_b / (n_a + n_b) is at most the smaller of
        n_a and n_b, and those of a tree add up to at most n log2(n) / 2.
        """
        drift = 8.0 * depth
        weight = count * math.log2(max(count, 2)) / 2
        return Tree(depth, drift, weight * (2 * drift) ** 2, weight)


@record
class Fused:
    """A reduction that a program computes by another one, `node`.

    `results` says for each of its results which result of `node` it is, or None where nothing is
    read.  `tree` is that of `node`; `written` the depth of the reduction where it is computed as
    written, for rows whose state is not finite.
    """

    node: Reduce
    results: tuple[int | None, ...]
    tree: Tree
    written: int
