"""How deep a plan's reduction trees are: what the rounding envelope of a result depends on.

In: a plan and a reduction.  Out: the number of merges on the longest path from a leaf to the
result, an upper bound on what lowering builds.
"""

from __future__ import annotations

from math import prod

from certile.ir.tile import (
    REPRODUCIBLE_ACCUMULATORS,
    REPRODUCIBLE_BLOCK,
    REPRODUCIBLE_DISTANCES,
    Reduce,
)
from certile.plan.layout import ORDERED_RUN, slots
from certile.plan.record import GroupPlan, Mapping

__all__ = ["depths", "tree_depth"]


def depths(plan: GroupPlan) -> dict[Reduce, int]:
    """The depth of every reduction of a row program."""
    if plan.rows is None or plan.mapping is None:
        return {}
    return {node: tree_depth(node, plan.mapping, plan.sheet.lanes) for node in plan.rows.reductions}


def tree_depth(node: Reduce, mapping: Mapping, lanes: int) -> int:
    """The longest path in merges; one more when the program gives a start value."""
    count = prod(axis.static for axis in node.over)
    return _depth(node, mapping, lanes, count) + len(node.init[:1])


def _levels(count: int) -> int:
    return (count - 1).bit_length() if count > 1 else 0


def _depth(node: Reduce, mapping: Mapping, lanes: int, count: int) -> int:
    if node.policy == "reproducible":
        blocks = -(-count // REPRODUCIBLE_BLOCK)
        own = -(-min(count, REPRODUCIBLE_BLOCK) // REPRODUCIBLE_ACCUMULATORS)
        return own + len(REPRODUCIBLE_DISTANCES) + _levels(blocks)
    reference = mapping.family == "reference"
    if node.policy == "ordered_tree":
        run = ORDERED_RUN if reference else mapping.lane_elements
        chunk = run if reference else lanes * mapping.subgroups_per_program * mapping.lane_elements
        parts = -(-count // chunk) * (1 if reference else mapping.subgroups_per_program)
        return run + (0 if reference else _levels(lanes)) + _levels(parts) + 1
    if reference or node.policy in ("fold_left", "fold_right"):
        return count
    share = mapping.subgroups_per_program
    own = slots(count, lanes * share, mapping.lane_elements)
    across = _levels(lanes) + (_levels(lanes) if share > 1 else 0)
    return -(-own // mapping.accumulators) + 1 + _levels(mapping.accumulators) + across
