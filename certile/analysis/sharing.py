"""Which tiles a row program keeps: shared values that are made once and held by their owners.

In: the live values of a region and the materialisation wanted.  Out: the tiles to keep in worker
stripes.  Decides who counts as a consumer and which tiles are worth keeping; drops a tile that some
consumer reads at an element other than its own (it is computed again there), and refuses a derived
row that is gathered.  Leaves the proof that the result is sound to `ownership`, which shares none
of this.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import prod
from typing import Literal

from certile.analysis.effects import Values
from certile.analysis.layout import Layout
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
    Fallback,
    Gather,
    Load,
    Map,
    Reduce,
    Relabel,
    Scan,
    Serial,
    Sort,
    Store,
    Tile,
)
from certile.ir.types import Axis
from certile.records import record

Materialization = Literal["preserve", "expensive-only", "nothing"]


def select(values: Values, materialization: Materialization, cache_inputs: bool) -> list[Tile]:
    """The tiles that sharing makes worth keeping, operands before users.

    What a fallback alone reads is not kept, and its readers count for nothing: most rows need none.
    """
    kept: list[Tile] = []
    # What rests on distributed data, and what calls an expensive function each time it is made.
    resting: set[Node] = set()
    costly: set[Node] = set()
    for node in values.nodes:
        below = tuple(node.operands())
        is_costly = is_expensive(node) or not costly.isdisjoint(below)
        if _is_data(node) or not resting.isdisjoint(below):
            resting.add(node)
        worth = materialization == "preserve" or (is_costly and materialization != "nothing")
        kept_for_all = worth and node in values.always
        if kept_for_all and node in resting and _is_work(node) and _shared(values, node):
            assert isinstance(node, Tile)
            kept.append(node)
        elif is_costly and not isinstance(node, Fallback | Reduce | Scan | Serial | Sort):
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
    """Whether two different nodes consume a value in every run; free nodes are seen through."""
    readers: set[Node] = set()
    pending = [node]
    while pending:
        for reader in values.consumers.get(pending.pop(), ()):
            if reader in values.apart:
                continue
            if _is_free(reader):
                pending.append(reader)
            else:
                readers.add(reader)
    return len(readers) >= 2


class Anchors:
    """Where element domains are evaluated, for a set of kept tiles.

    `scalars` are the gathers and index-feeding loads without distributed axes: each is a step.
    `inline` are reductions that are made where they are read.
    """

    def __init__(
        self,
        values: Values,
        kept: Collection[Tile],
        scalars: Collection[Tile],
        inline: Collection[Reduce] = (),
    ) -> None:
        self.values = values
        self.kept = frozenset(kept)
        self.scalars = frozenset(scalars)
        self.inline = frozenset(inline)

    def stops(self, node: Node) -> bool:
        """Whether a node has been evaluated by a step of its own."""
        made = isinstance(node, Fallback | Reduce | Scan | Sort) and node not in self.inline
        return made or node in self.kept or node in self.scalars

    def turns(self, node: Tile) -> int:
        """How often a node is evaluated for one element of what reads it, by inline reductions."""
        own = {axis for reduction in self.inline for axis in reduction.over}
        return prod(axis.static for axis in node.axes if axis in own)

    def reads(self, anchor: Node | None, roots: Iterable[Node]) -> dict[Node, frozenset[Moved]]:
        """What is evaluated for an anchor, and how its elements are reached."""
        found: dict[Node, frozenset[Moved]] = {}
        for node, moved in visit(roots, self.stops, enter=anchor):
            found[node] = found.get(node, frozenset()) | {moved}
        return found


def roots_of(anchor: Tile | Effect) -> tuple[Node, ...]:
    """What evaluating an anchor reads: a kept tile itself, anything else its operands.

    The tiles that a fallback chooses between are read by the steps that keep them.
    """
    if isinstance(anchor, Fallback):
        scalars = (*anchor.values, *anchor.instead, anchor.when)
        return tuple(value for value in scalars if not value.axes)
    if isinstance(anchor, Reduce | Scan | Sort | Store | Serial):
        return tuple(anchor.operands())
    return (anchor,)


def domain_of(anchor: Tile | Effect) -> tuple[Axis, ...]:
    """The element domain of an anchor in source order."""
    match anchor:
        case Reduce():
            return (*anchor.spanned, *anchor.over)
        case Sort():
            return anchor.value.axes
        case Fallback():
            return ()
        case Store() | Tile():
            return anchor.axes
        case _:
            return ()


@record
class Place:
    """Where an element domain is evaluated: for a step's node, or for a tile that is assigned.

    `anchor` is the node whose evaluation it is; what becomes a carried tile, or that of a fallback,
    has none.
    """

    anchor: Tile | Effect | None
    roots: tuple[Node, ...]
    axes: tuple[Axis, ...]


def place_of(anchor: Tile | Effect) -> Place:
    """The place of a step's node."""
    return Place(anchor, roots_of(anchor), domain_of(anchor))


def places(
    values: Values,
    stores: Iterable[Store],
    scalars: Iterable[Tile],
    loops: Iterable[Serial],
    inline: Collection[Reduce] = (),
) -> list[Place]:
    """Every place of a region but those of kept tiles."""
    made = (n for n in values.nodes if isinstance(n, Fallback | Reduce) and n not in inline)
    carried = [t for loop in loops for t in (*loop.inits, *loop.yields) if t.axes]
    fallbacks = (node for node in values.nodes if isinstance(node, Fallback))
    carried += [t for at in fallbacks for t in (*at.values, *at.instead) if t.axes]
    return [
        *(place_of(store) for store in stores),
        *(place_of(tile) for tile in (*made, *scalars)),
        *(Place(None, (tile,), tile.axes) for tile in carried),
    ]


def settle(
    values: Values,
    kept: Iterable[Tile],
    snapshots: Collection[Tile],
    scalars: Collection[Tile],
    fixed: Sequence[Place],
    layout: Layout,
    inline: Collection[Reduce] = (),
) -> Refusal | frozenset[Tile]:
    """Drop kept tiles until every consumer of each reads its own element.

    `fixed` are the places that stand whatever is kept.
    `snapshots` are loads, scans and sorts, which must be kept: one that cannot be is a refusal, and
    so is a derived row that is gathered.
    """
    # What lies along no lane axis is one value for all lanes: cheap to make again.
    worth = (tile for tile in kept if layout.of(tile.axes) or is_expensive(tile))
    remaining = {*worth, *snapshots}
    while True:
        anchors = Anchors(values, remaining, scalars, inline)
        wrong = _misread(anchors, [*fixed, *map(place_of, remaining)], layout)
        if not wrong:
            return frozenset(remaining)
        for tile, ways in wrong.items():
            if tile in snapshots or ("gather" in ways and not isinstance(tile, Load)):
                return _not_owner(tile, ways)
        remaining -= wrong.keys()


def _misread(
    anchors: Anchors, places: Iterable[Place], layout: Layout
) -> dict[Tile, frozenset[Moved]]:
    """Kept tiles that some place reads at an element which is not its own."""
    wrong: dict[Tile, frozenset[Moved]] = {}
    for place in places:
        for node, ways in anchors.reads(place.anchor, place.roots).items():
            if node not in anchors.kept or node is place.anchor:
                continue
            assert isinstance(node, Tile)
            if ways != {"no"} or not layout.readable(node.axes, place.axes):
                wrong[node] = wrong.get(node, frozenset()) | ways
    return wrong


def _not_owner(tile: Tile, ways: frozenset[Moved]) -> Refusal:
    derived = not isinstance(tile, Load)
    kinds = {Scan: "scanned row", Sort: "sorted row"}
    elsewhere = kinds.get(type(tile), "snapshot")
    return Refusal(
        "admission",
        "private_storage" if derived else "guarded_views",
        "every read of a kept tile is at the reader's own element",
        "a gather selects any element of a derived row, which its owner alone holds"
        if derived and "gather" in ways
        else f"the {elsewhere} is read {'through a gather' if 'gather' in ways else 'elsewhere'}",
        loc=tile.loc,
    )
