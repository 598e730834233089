"""How deep a plan's reduction trees are: what the rounding envelope of a result depends on.

In: a plan and a reduction.  Out: the number of merges on the longest path from a leaf to the
result, an upper bound on what lowering builds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from certile.analysis.loops import fused
from certile.ir.folds import fold_of
from certile.ir.groups import all_steps
from certile.ir.node import Node
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import (
    REPRODUCIBLE_ACCUMULATORS,
    REPRODUCIBLE_BLOCK,
    REPRODUCIBLE_DISTANCES,
    Reduce,
    Result,
    Scan,
    Tile,
)
from certile.ir.walk import without_fallbacks
from certile.plan.blocks import forms_of, merges_of_blocks
from certile.plan.columns import row_block, rows_of_round
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import ORDERED_RUN, fold_block, slots
from certile.plan.parts import in_parts
from certile.plan.record import GroupPlan
from certile.plan.rounding.trees import walked
from certile.reference.trees import Fused, Tree

__all__ = ["depths", "levels_of", "scan_depth", "tree_depth", "tree_of"]


def depths(plan: GroupPlan) -> dict[Reduce | Scan, int | Fused]:
    """The depth of every reduction and scan of a row program.

    Reductions that are computed as results of another one, and as written only for some rows, say
    so: results are to be judged by the program as written, whose reductions these are.
    """
    levels = levels_of(plan)
    return levels | _fused(plan, levels)


def levels_of(plan: GroupPlan) -> dict[Reduce | Scan, int]:
    """The depth of every reduction and scan, each as the plan's mapping makes it."""
    if plan.group is not None:
        return {node: _in_group(plan, node) for node in _group_reductions(plan)}
    if plan.rows is None or plan.mapping is None:
        return {}
    mapping, lanes = plan.mapping, plan.sheet.lanes
    if mapping.family == "columns":
        return _in_sweeps(plan.rows, mapping, lanes)
    shared = zip(plan.rows.reductions, plan.rows.reduction_extents, strict=True)
    found: dict[Reduce | Scan, int] = {
        node: tree_depth(node, mapping, lanes, swept=extent) for node, extent in shared
    }
    # A row that is computed again goes through the same workers.
    again = zip(plan.rows.apart, plan.rows.apart_extents, strict=True)
    found |= {node: tree_depth(node, mapping, lanes, swept=extent) for node, extent in again}
    found |= {node: fold_depth(node) for node in (*plan.rows.folds, *plan.rows.inline)}
    return found | {node: scan_depth(node, mapping, lanes) for node in plan.rows.scans}


def _fused(plan: GroupPlan, levels: dict[Reduce | Scan, int]) -> dict[Reduce, Fused]:
    """The reductions that a fallback computes again, by what computes them first.

    Both are given as the program has them without its fallbacks.
    """
    found: dict[Reduce, Fused] = {}
    for fallback in () if plan.rows is None else plan.rows.fallbacks:
        fold = fold_of(fallback)
        pairs = zip(fallback.values, fallback.instead, strict=True)
        for number, (value, written) in enumerate(pairs):
            first = (fold, number) if fold is not None else _result(value)
            second = _result(written)
            if first is None or second is None:
                continue
            (node, index), (again, which) = first, second
            plain_node, plain = without_fallbacks((node, again))
            assert isinstance(plain_node, Reduce)
            assert isinstance(plain, Reduce)
            known = found[plain].results if plain in found else (None,) * len(plain.law.results)
            results = (*known[:which], index, *known[which + 1 :])
            depth = levels.get(again, again.leaves)
            found[plain] = Fused(plain_node, results, tree_of(plan, node), depth)
    return found


def _result(tile: Tile) -> tuple[Reduce, int] | None:
    """The reduction that a tile is a result of, and which one."""
    if isinstance(tile, Reduce):
        return tile, 0
    return (
        (tile.of, tile.index) if isinstance(tile, Result) and isinstance(tile.of, Reduce) else None
    )


def tree_of(plan: GroupPlan, node: Reduce) -> Tree:
    """The tree that a plan merges a reduction in."""
    rows, mapping = plan.rows, plan.mapping
    if plan.group is not None:
        together, lanes = _group_reductions(plan)[node], plan.sheet.lanes
        depth, count = _in_group(plan, node), node.leaves
        return walked(node, _SUBGROUP, lanes, depth, swept=count, alone=not together)
    if rows is None or mapping is None:
        return Tree.any_of(node.leaves, node.leaves)
    depth = levels_of(plan)[node]
    extents = dict(zip(rows.reductions, rows.reduction_extents, strict=True))
    extents |= zip(rows.apart, rows.apart_extents, strict=True)
    if mapping.family == "columns":
        mapping = _swept_mapping(rows, mapping, node)
    alone = node in rows.folds or node in rows.inline
    swept = extents.get(node, node.leaves)
    return walked(node, mapping, plan.sheet.lanes, depth, swept=swept, alone=alone)


# A subgroup of a group makes a result as one that has a program to itself does.
_SUBGROUP = Mapping("subgroup")


def _group_reductions(plan: GroupPlan) -> dict[Reduce, bool]:
    """The reductions of a group's steps, and whether a subgroup makes a result together."""
    steps = () if plan.group is None else all_steps(plan.group.steps)
    return {node: step.collective for step in steps for node in step.reductions}


def _in_group(plan: GroupPlan, node: Reduce) -> int:
    """The depth of a reduction of a group, made by a subgroup or by one thread."""
    if _group_reductions(plan)[node]:
        return tree_depth(node, _SUBGROUP, plan.sheet.lanes)
    return fold_depth(node)


def _swept_mapping(rows: RowProgram, mapping: Mapping, node: Reduce) -> Mapping:
    for nodes in _sweeps(rows.steps):
        if node in nodes:
            return _mapping_of(nodes, rows, mapping)
    return mapping


def _mapping_of(nodes: Sequence[Node], rows: RowProgram, mapping: Mapping) -> Mapping:
    """The mapping with how a sweep that makes these nodes takes its rows."""
    parted = not in_parts(rows, mapping).isdisjoint(nodes)
    at_once, part = rows_of_round(nodes, mapping), mapping.part_rows if parted else 0
    return replace(mapping, rows_at_once=at_once, part_rows=part)


def _sweeps(steps: Sequence[Step]) -> Iterator[list[Node]]:
    """What steps that share a loop make, and then what a fallback's own make."""
    for group in fused(steps):
        yield [step.node for step in group]
        for step in group:
            yield from _sweeps(step.body)


def _in_sweeps(rows: RowProgram, mapping: Mapping, lanes: int) -> dict[Reduce | Scan, int]:
    """The depths under the columns map, where what shares a sweep decides how rows meet."""
    found: dict[Reduce | Scan, int] = {}
    for nodes in _sweeps(rows.steps):
        swept = _mapping_of(nodes, rows, mapping)
        for node in nodes:
            if isinstance(node, Reduce):
                found[node] = tree_depth(node, swept, lanes)
            elif isinstance(node, Scan):
                found[node] = scan_depth(node, swept, lanes)
    return found


def tree_depth(node: Reduce, mapping: Mapping, lanes: int, *, swept: int | None = None) -> int:
    """The longest path in merges; one more when the program gives a start value.

    `swept` are the leaves of one sweep, where a uniform loop makes several into the same partials.
    """
    count = node.leaves
    made = _depth(node, mapping, lanes, count)
    if swept is not None and swept != count and mapping.family == "subgroup":
        sweeps = count // max(1, swept)
        own = _own_merges(node, mapping, _owned(swept, lanes, mapping), sweeps)
        made = own + 1 + _levels(mapping.accumulators) + _levels(lanes)
    return made + len(node.init[:1])


def fold_depth(node: Reduce) -> int:
    """The longest path in merges of a reduction that a lane makes alone."""
    return _depth(node, Mapping("reference"), 1, node.leaves) + len(node.init[:1])


def scan_depth(node: Scan, mapping: Mapping, lanes: int) -> int:
    """The longest path in merges: within a chunk of lanes, then through the chunks after it.

    Where rows are walked, within a block of rows, and through the blocks before it.
    """
    count = node.over.static
    if mapping.family == "columns":
        return _columns_depth(count, 1)
    return count if mapping.family != "subgroup" else _levels(lanes) + -(-count // lanes) + 1


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
    if node.policy in ("fold_left", "fold_right"):
        return count
    if reference:
        return _blocks_depth(count)
    if mapping.family == "columns":
        part = min(count, mapping.part_rows or count)
        joined = -(-count // part) if part < count else 0
        return _columns_depth(part, mapping.rows_at_once) + joined
    share = mapping.subgroups_per_program
    own = _owned(count, lanes * share, mapping)
    across = _levels(lanes) + (_levels(lanes) if share > 1 else 0)
    made = _own_merges(node, mapping, own)
    return made + 1 + _levels(mapping.accumulators) + across


def _owned(count: int, workers: int, mapping: Mapping) -> int:
    """The most elements of so many that one worker owns."""
    return slots(count, workers, mapping.lane_elements, phase=mapping.phase)


def _blocks_depth(count: int) -> int:
    """A block, the blocks, and what fills none; or all leaves in sequence."""
    size = fold_block(count)
    return count if count < 2 * size else size + count // size + 1


def _own_merges(node: Reduce, mapping: Mapping, own: int, sweeps: int = 1) -> int:
    """The longest path from a leaf into an accumulator of a worker that owns so many of a sweep.

    A block is a tree of its elements, in which each sum counts as a merge.
    """
    if mapping.block == 1 or forms_of(node) is None:
        return -(-own // mapping.accumulators) * sweeps
    # A phase leaves the first chunk to itself, which may fill one block less.
    apart = sweeps if mapping.phase else 0
    return merges_of_blocks(own, mapping) * sweeps + apart + _levels(mapping.block)


def _columns_depth(count: int, rows_at_once: int) -> int:
    """Rows of a round meet in a tree; rounds of a block, blocks and the last rows in sequence."""
    whole = count // rows_at_once * rows_at_once
    block = min(row_block(count, rows_at_once), whole)
    own = block // rows_at_once + -(-whole // block) if block else 0
    return own + _levels(rows_at_once) + 2
