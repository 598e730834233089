"""Which tiles a row program keeps: shared values that are made once and held by their owners.

In: the live values of a region and the materialisation wanted.  Out: the tiles to keep in worker
stripes.  Decides who counts as a consumer and which tiles are worth keeping; drops a tile that some
consumer reads at an element other than its own (it is computed again there), and refuses a derived
row that is gathered.  Leaves the proof that the result is sound to `ownership`, which shares none
of this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

from certile.analysis.effects import Values
from certile.analysis.views import Moved, visit
from certile.diagnostics import Refusal
from certile.ir.functions import FUNCTIONS
from certile.ir.node import Node
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Carried,
    Cast,
    Effect,
    Gather,
    Load,
    Map,
    Reduce,
    Relabel,
    Serial,
    Store,
    Tile,
)
from certile.ir.types import Axis

Materialization = Literal["preserve", "expensive-only"]


def select(values: Values, materialization: Materialization, cache_inputs: bool) -> list[Tile]:
    """The tiles that sharing makes worth keeping, operands before users."""
    kept: list[Tile] = []
    # What rests on distributed data, and what calls an expensive function each time it is made.
    resting: set[Node] = set()
    costly: set[Node] = set()
    for node in values.nodes:
        below = tuple(node.operands())
        is_costly = is_expensive(node) or not costly.isdisjoint(below)
        if _is_data(node) or not resting.isdisjoint(below):
            resting.add(node)
        worth = materialization == "preserve" or is_costly
        if worth and node in resting and _is_work(node) and _shared(values, node):
            assert isinstance(node, Tile)
            kept.append(node)
        elif is_costly and not isinstance(node, Reduce | Serial):
            costly.add(node)
    if not cache_inputs:
        return kept
    loads = [node for node in values.nodes if isinstance(node, Load) and node.axes]
    return [*(load for load in loads if _shared(values, load)), *kept]


def _is_data(node: Node) -> bool:
    """Whether a node makes what rests on it work on distributed data.

    A value of coordinates alone is cheaper to make than to keep, unless it is expensive.
    """
    return isinstance(node, Load | Carried | Reduce) or is_expensive(node)


def _is_work(node: Node) -> bool:
    """Whether a node computes the elements of a tile."""
    if not isinstance(node, Map | Cast | Bitcast | Gather):
        return False
    return bool(node.axes) and not _is_free(node)


def _is_free(node: Node) -> bool:
    """Whether a node only moves elements or widens them.

    A narrow input that is computed with in a wider type is still an input: D, R and M of a program
    do not depend on the dtype of its views.
    """
    widens = isinstance(node, Cast) and node.value.dtype.bits <= node.dtype.bits
    return widens or isinstance(node, Broadcast | Relabel)


def is_expensive(node: Node) -> bool:
    """Whether a node calls a transcendental function for each element."""
    return isinstance(node, Map) and bool(node.axes) and FUNCTIONS[node.fn].expensive


def _shared(values: Values, node: Node) -> bool:
    """Whether two different nodes consume a value; free nodes are seen through."""
    readers: set[Node] = set()
    pending = [node]
    while pending:
        for reader in values.consumers.get(pending.pop(), ()):
            if _is_free(reader):
                pending.append(reader)
            else:
                readers.add(reader)
    return len(readers) >= 2


class Anchors:
    """Where element domains are evaluated, for a set of kept tiles.

    `scalars` are the gathers and index-feeding loads without distributed axes: each is a step.
    """

    def __init__(self, values: Values, kept: Collection[Tile], scalars: Collection[Tile]) -> None:
        self.values = values
        self.kept = frozenset(kept)
        self.scalars = frozenset(scalars)

    def stops(self, node: Node) -> bool:
        """Whether a node has been evaluated by a step of its own."""
        return isinstance(node, Reduce) or node in self.kept or node in self.scalars

    def reads(self, anchor: Tile | Effect, roots: Iterable[Node]) -> dict[Node, frozenset[Moved]]:
        """What is evaluated for an anchor, and how its elements are reached."""
        found: dict[Node, frozenset[Moved]] = {}
        for node, moved in visit(roots, self.stops, enter=anchor):
            found[node] = found.get(node, frozenset()) | {moved}
        return found


def roots_of(anchor: Tile | Effect) -> tuple[Node, ...]:
    """What evaluating an anchor reads: a reduction or a store its operands, a tile itself."""
    if isinstance(anchor, Reduce | Store | Serial):
        return tuple(anchor.operands())
    return (anchor,)


def domain_of(anchor: Tile | Effect) -> tuple[Axis, ...]:
    """The element domain of an anchor in source order."""
    match anchor:
        case Reduce():
            return (*anchor.spanned, *anchor.over)
        case Store() | Tile():
            return anchor.axes
        case _:
            return ()


def settle(
    values: Values,
    kept: Iterable[Tile],
    snapshots: Collection[Tile],
    scalars: Collection[Tile],
    stores: Iterable[Store],
) -> Refusal | frozenset[Tile]:
    """Drop kept tiles until every consumer of each reads its own element.

    `snapshots` are loads that must be kept: one that cannot be is a refusal, and so is a derived
    row that is gathered.
    """
    remaining = {*kept, *snapshots}
    fixed: list[Tile | Effect] = [
        *stores,
        *(node for node in values.nodes if isinstance(node, Reduce)),
        *scalars,
    ]
    while True:
        anchors = Anchors(values, remaining, scalars)
        wrong = _misread(anchors, [*fixed, *remaining])
        if not wrong:
            return frozenset(remaining)
        for tile, ways in wrong.items():
            if tile in snapshots or ("gather" in ways and not isinstance(tile, Load)):
                return _not_owner(tile, ways)
        remaining -= wrong.keys()


def _misread(anchors: Anchors, places: Iterable[Tile | Effect]) -> dict[Tile, frozenset[Moved]]:
    """Kept tiles that some place reads at an element which is not its own."""
    wrong: dict[Tile, frozenset[Moved]] = {}
    for place in places:
        for node, ways in anchors.reads(place, roots_of(place)).items():
            if node not in anchors.kept or node is place:
                continue
            assert isinstance(node, Tile)
            if ways != {"no"} or node.axes != domain_of(place):
                wrong[node] = wrong.get(node, frozenset()) | ways
    return wrong


def _not_owner(tile: Tile, ways: frozenset[Moved]) -> Refusal:
    derived = not isinstance(tile, Load)
    return Refusal(
        "admission",
        "private_storage" if derived else "guarded_views",
        "every read of a kept tile is at the reader's own element",
        "a gather selects any element of a derived row, which its owner alone holds"
        if derived
        else f"the snapshot is read {'through a gather' if 'gather' in ways else 'elsewhere'}",
        loc=tile.loc,
    )
