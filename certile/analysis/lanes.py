"""Which axes lie across lanes when a program keeps some axes of a reduction.

In: the values of a region and the places where element domains are evaluated.  Out: layouts, the
best first, or a refusal.  Decides one set of lane axes for a whole program: a domain is walked by
uniform loops over its other axes, and lanes share the elements of the lane axes.  So a reduction is
made by the lanes together (its lane axes are all reduced) or by each lane alone (none is), and what
is kept over lane axes is read only where the same lane axes are swept.  Leaves storage to `nests`
and the proof that owners alone read what they keep to `ownership`.

The rule: among the legal sets the one with the fewest rounds.  A round is one step of 32 lanes; it
counts once, and once more for each access of memory: four times where neighbouring lanes do not
touch neighbouring elements along one axis.  A result that lanes make together costs five rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import prod

from certile.analysis.affine import affine, iota
from certile.analysis.layout import Layout, is_held, keeps, wide
from certile.analysis.sharing import Anchors, Place
from certile.analysis.views import Moved
from certile.diagnostics import Refusal
from certile.ir.node import Node
from certile.ir.tile import FOLD_POLICIES, Carried, Load, Memory, Reduce, Scan, Sort, Store, Tile
from certile.ir.types import Axis
from certile.source import UNKNOWN_LOC

__all__ = ["layouts"]

# Above this many axes only sets of one axis, and the set of all, are tried.
_MOST_AXES = 6
_MOST_LAYOUTS = 8
_LANES = 32
_SCATTERED = 4
_TREE = 5
# A lane that makes a reproducible tree alone keeps and merges 128 accumulators.
_ALONE = 8


def layouts(anchors: Anchors, places: Sequence[Place]) -> list[Layout] | Refusal:
    """The layouts of a program that reads `places`, best first, but no more than a few.

    `anchors` stop at reductions alone.
    """
    search = _Search(anchors, places)
    if not search.composed and (not search.carries or search.legal(Layout())):
        return [Layout()]
    if search.ordered:
        return search.refusal()
    legal = [layout for layout in search.candidates() if search.legal(layout)]
    return sorted(legal, key=search.cost)[:_MOST_LAYOUTS] or search.refusal()


class _Search:
    """The candidates of one program, what makes one legal, and what it costs."""

    def __init__(self, anchors: Anchors, places: Sequence[Place]) -> None:
        self._places = [(place, _held_reads(anchors, place)) for place in places]
        self._reductions = [p.anchor for p in places if isinstance(p.anchor, Reduce)]
        self._nodes: Collection[Node] = anchors.values.nodes

    @property
    def composed(self) -> bool:
        """Whether some reduction keeps an axis."""
        return any(map(keeps, self._reductions))

    @property
    def carries(self) -> bool:
        """Whether some loop carries a tile."""
        return any(isinstance(node, Carried) and node.axes for node in self._nodes)

    @property
    def ordered(self) -> bool:
        """Whether something moves elements between lanes that hold all of its domain."""
        return any(isinstance(node, Scan | Sort) for node in self._nodes)

    def candidates(self) -> Iterator[Layout]:
        """Sets of few axes first, and among those of one size the innermost axes first."""
        axes = list(dict.fromkeys(axis for place, _ in self._places for axis in wide(place.axes)))
        axes.reverse()
        every = range(min(1, len(axes)), len(axes) + 1)
        for size in every if len(axes) <= _MOST_AXES else (1, len(axes)):
            for chosen in combinations(axes, size):
                yield Layout(frozenset(chosen))

    def legal(self, layout: Layout) -> bool:
        """Whether every reduction can be made, and all that is held is read by its owner."""
        if any(layout.way(reduction) is None for reduction in self._reductions):
            return False
        return all(
            ways == {"no"} and layout.readable(_axes(node), place.axes)
            for place, reads in self._places
            for node, ways in reads.items()
            if node is not place.anchor and is_held(node)
        )

    def cost(self, layout: Layout) -> int:
        """The rounds of the program under a layout (see above)."""
        return sum(self._place_cost(layout, place, reads) for place, reads in self._places)

    def _place_cost(self, layout: Layout, place: Place, reads: Collection[Node]) -> int:
        own, outside = layout.of(place.axes), layout.outside(place.axes)
        rounds = _count(outside) * -(-_count(own) // _LANES)
        accesses: list[Load | Store] = [node for node in reads if isinstance(node, Load)]
        if isinstance(place.anchor, Store):
            accesses.append(place.anchor)
        cost = rounds * (1 + sum(_weight(access, own) for access in accesses))
        if isinstance(place.anchor, Reduce):
            if layout.way(place.anchor) == "together":
                cost += _TREE * _count(layout.outside(place.anchor.spanned))
            elif place.anchor.policy == "reproducible":
                cost *= _ALONE
        return cost

    def refusal(self) -> Refusal:
        """Say that no layout serves."""
        fold = next((r for r in self._reductions if r.policy in FOLD_POLICIES), None)
        if fold is not None:
            claim = f"{fold.law.name} may be split over workers"
            return Refusal(
                "admission", "reduction_type", claim, f"its policy is {fold.policy}", loc=fold.loc
            )
        if self.composed:
            kept = next(filter(keeps, self._reductions))
            names = ", ".join(axis.name for axis in wide(kept.spanned))
            return Refusal(
                "admission",
                "canonical_state",
                f"results of {kept.law.name} over {names} are read by the lanes that hold them",
                "whichever axes lie across lanes, some result is read elsewhere",
                loc=kept.loc,
            )
        carried = next((node for node in self._nodes if is_held(node)), None)
        return Refusal(
            "admission",
            "private_storage",
            "every read of a carried tile is at the reader's own element",
            "whichever axes lie across lanes, some element is read elsewhere",
            loc=carried.loc if isinstance(carried, Tile) else UNKNOWN_LOC,
        )


def _held_reads(anchors: Anchors, place: Place) -> dict[Node, frozenset[Moved]]:
    """What a place evaluates, but for the reductions that are made where they are read."""
    reads = anchors.reads(place.anchor, place.roots)
    return {node: ways for node, ways in reads.items() if node not in anchors.inline}


def _axes(node: Node) -> tuple[Axis, ...]:
    if isinstance(node, Load) and isinstance(node.buffer, Memory):
        return node.buffer.axes
    return node.axes if isinstance(node, Tile) else ()


def _count(axes: Sequence[Axis]) -> int:
    return prod(axis.static for axis in axes)


def _weight(access: Load | Store, lanes: tuple[Axis, ...]) -> int:
    """What an access costs in a round: one where lanes read one element or a run of neighbours."""
    forms = [affine(index) for index in access.indices]
    if any(form is None for form in forms):
        return _SCATTERED
    moves = [{axis: form.terms.get(iota(axis), 0) for axis in lanes} for form in forms if form]
    if not any(c for move in moves for c in move.values()):
        return 1
    if len(lanes) > 1 or any(c for move in moves[:-1] for c in move.values()):
        return _SCATTERED
    return 1 if moves[-1][lanes[0]] == 1 else _SCATTERED
