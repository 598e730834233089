"""What steps of the columns map read: what is made elsewhere, and what each program has for itself.

In: steps, or a row program and the axis along which programs are neighbours.  Out: sets of nodes.
Decides nothing; `lowering` takes from it where a value is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from certile.analysis.instances import is_coordinate
from certile.ir.dtypes import i64
from certile.ir.node import Node, reach
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Fallback, Gather, Load, Reduce, Scan, Tile
from certile.ir.types import Axis

__all__ = ["differing", "is_index", "read_elsewhere"]


def read_elsewhere(steps: Sequence[Step]) -> frozenset[Node]:
    """What steps read, down to the reductions and fallbacks that are made elsewhere."""
    own = {step.node for step in _all_steps(steps)}

    def below(at: Node) -> Iterable[Node]:
        return () if isinstance(at, Fallback | Reduce) and at not in own else at.operands()

    return frozenset(reach((step.node for step in _all_steps(steps)), below)) - own


def _all_steps(steps: Sequence[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all_steps(step.body)


def differing(rows: RowProgram, strip: Axis) -> set[Node]:
    """The nodes that are kept for each program: coordinates along the strip decide, or reductions.

    What all programs share lies in arrays like any other if a reduction, a scan or a fallback makes
    it, or if it is kept.
    """
    kept = set(rows.materialized)
    found: set[Node] = set()
    for node in reach(step.node for step in rows.steps):
        own = is_coordinate(node, strip) or isinstance(node, Fallback | Reduce | Scan)
        if own or node in kept or not found.isdisjoint(node.operands()):
            found.add(node)
    return found


def is_index(node: Tile) -> bool:
    """Whether a value is made of coordinates and numbers only."""
    read = any(isinstance(below, Gather | Load | Reduce | Scan) for below in reach([node]))
    return node.dtype == i64 and not read
