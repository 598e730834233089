"""How the elements of a domain are spread over the lanes of a subgroup.

In: the lane axes that `lanes` chose for a program, or none.  Out: `Layout`, which says for any
domain what lies across lanes and what uniform loops walk, how a reduction is made, and what a
worker can read where it stands.  Decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from certile.ir.node import Node
from certile.ir.tile import FOLD_POLICIES, Carried, Fallback, Load, Memory, Reduce, Result, Serial
from certile.ir.types import Axis
from certile.records import record

__all__ = ["ORDERED_TREES", "Layout", "Way", "is_held", "keeps", "wide"]

# The trees whose order the language fixes: a sweep of its own serves each.
ORDERED_TREES = ("ordered_tree", "reproducible")
Way = Literal["together", "alone"]


def wide(axes: Sequence[Axis]) -> tuple[Axis, ...]:
    """The axes that hold more than one element, or none."""
    return tuple(axis for axis in axes if axis.extent != 1)


def keeps(reduction: Reduce) -> bool:
    """Whether a reduction has more than one result a program."""
    return bool(wide(reduction.spanned))


def is_held(node: Node) -> bool:
    """Whether a node is storage that exists whatever is chosen: it cannot be computed again."""
    match node:
        case Reduce():
            return keeps(node)
        case Carried() | Result(of=Fallback() | Serial()):
            return bool(node.axes)
        case Load(buffer=Memory()):
            return True
        case _:
            return False


@record(slots=False)
class Layout:
    """The lane axes of a program; None where every domain is spread over the lanes as a whole."""

    lanes: frozenset[Axis] | None = None

    def of(self, axes: Sequence[Axis]) -> tuple[Axis, ...]:
        """The axes of a domain that lie across lanes."""
        if self.lanes is None:
            return tuple(axes)
        return tuple(axis for axis in wide(axes) if axis in self.lanes)

    def outside(self, axes: Sequence[Axis]) -> tuple[Axis, ...]:
        """The axes of a domain that uniform loops walk."""
        if self.lanes is None:
            return ()
        return tuple(axis for axis in wide(axes) if axis not in self.lanes)

    def readable(self, kept: Sequence[Axis], at: Sequence[Axis]) -> bool:
        """Whether a worker holds its element of `kept` when it stands at its element of `at`."""
        if self.lanes is None:
            return tuple(kept) == tuple(at)
        own = self.of(kept)
        return not own or own == self.of(at)

    def way(self, reduction: Reduce) -> Way | None:
        """How a reduction is made; None where lanes keep some of its axes and reduce others."""
        if self.lanes is None:
            return "together"
        own = set(self.of((*reduction.spanned, *reduction.over)))
        reduced = own & set(reduction.over)
        if not reduced:
            return "alone"
        if own != reduced or reduction.policy in FOLD_POLICIES:
            return None
        whole = reduced == set(wide(reduction.over))
        return "together" if whole or reduction.policy == "unordered_tree" else None
