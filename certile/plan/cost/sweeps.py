"""What a sweep's reductions cost, at the price that a target has for arithmetic.

In: a sweep, a function that prices arithmetic, how many elements become one state at once.  Out: a
price for an element, or for a leaf, and how many leaves a worker makes.  Decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from certile.plan.blocks import LEAVES
from certile.plan.ownership.layout import slots
from certile.plan.work import Arithmetic, Merge, Sweep

__all__ = ["leaf_cost", "reduction_cost", "rounds"]


def rounds(sweep: Sweep, workers: int, wide: int) -> int:
    """How many loops over the leaves a worker makes for all its elements of a sweep."""
    owned = slots(sweep.elements, workers, wide)
    return -(-owned // max(wide, min(owned, sweep.together)))


def reduction_cost(merge: Merge, block: int, cost: Callable[[Arithmetic], float]) -> float:
    """What a reduction costs for an element: by closed forms where blocks are made of them."""
    if block > 1 and merge.closed is not None:
        return cost(merge.closed) + cost(merge.merge) / block
    return cost(merge.lift + merge.merge)


def leaf_cost(sweep: Sweep, cost: Callable[[Arithmetic], float]) -> float:
    """What a leaf costs once for all elements that a lane folds together."""
    merges = (merge.alike for merge in sweep.merges if merge.alike is not None)
    return cost(sweep.alike) + sum(reduction_cost(merge, LEAVES, cost) for merge in merges)
