"""Which tiles of a group's program are worth a place in group memory: those it would make again.

In: a region, and the work that a place is worth.  Out: the tiles to keep.  A tile that several
steps read is computed again in each of them, with all that it rests on; without a limit a chain
of reductions costs the square of its length.  Decides by counting: a tile is kept where its values
part into several steps and where making one element takes `least` plain operations or more,
counted from what is kept already.  Leaves the bytes of all places to the planner.
"""

from __future__ import annotations

from collections.abc import Container

from certile.analysis.region import Region
from certile.ir.functions import FUNCTIONS
from certile.ir.node import Node
from certile.ir.tile import (
    Bitcast,
    Carried,
    Cast,
    Effect,
    Gather,
    Load,
    Map,
    Reduce,
    Result,
    Tile,
)

__all__ = ["CALL_WORK", "PLACE_WORTH", "shared_tiles"]

# Plain operations that a call of a transcendental function counts for.
CALL_WORK = 8
# What a place is worth: it costs a store, loads, and most often two fences.
PLACE_WORTH = 64


def shared_tiles(region: Region, least: int, snapshots: Container[Node]) -> frozenset[Tile]:
    """The tiles to keep; `snapshots` are the loads that are kept whatever is chosen."""
    kept: set[Tile] = set()
    below: dict[Node, frozenset[Node]] = {}
    parting = _parting(region)
    for node in region.values.nodes:
        below[node] = _made_with(node, below, snapshots)
        parts = isinstance(node, Map | Cast | Gather) and node in parting
        if parts and isinstance(node, Tile) and _work(below[node]) >= least:
            kept.add(node)
            below[node] = frozenset()
    return frozenset(kept)


def _parting(region: Region) -> frozenset[Node]:
    """The tiles that are read in several expressions, which end in several steps."""
    ends: dict[Node, frozenset[Node]] = {}
    found: set[Node] = set()
    for node in reversed(region.values.nodes):
        consumers = tuple(region.values.consumers.get(node, ()))
        each = [
            frozenset({one}) if one not in ends or isinstance(one, Reduce) else ends[one]
            for one in consumers
        ]
        ends[node] = frozenset().union(*each)
        if isinstance(node, Tile) and node.axes and len(consumers) > 1 and len(ends[node]) > 1:
            found.add(node)
    return frozenset(found)


def _made_with(
    node: Node, below: dict[Node, frozenset[Node]], snapshots: Container[Node]
) -> frozenset[Node]:
    """The nodes that are computed for one element of a node; `below` has none for what is kept."""
    if isinstance(node, Reduce | Result | Carried | Effect) and not isinstance(node, Load):
        return frozenset()
    if node in snapshots or not isinstance(node, Tile) or not node.axes:
        return frozenset()
    parts = [below.get(part, frozenset()) for part in node.operands()]
    return frozenset({node}).union(*parts)


def _work(nodes: frozenset[Node]) -> int:
    """Plain operations of one element."""
    return sum(
        CALL_WORK if isinstance(node, Map) and FUNCTIONS[node.fn].expensive else 1
        for node in nodes
        if isinstance(node, Map | Cast | Bitcast | Gather)
    )
