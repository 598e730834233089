"""The flat map of a GPU: the elements of all programs as one row, which the whole launch shares.

In: a row program, the layouts of its views, a sheet.  Out: whether the family `flat` suits it, and
its mapping.  Decides from layouts whether a program's elements follow those of the program before
it in every view, and how many elements a thread takes.  Leaves loops to lowering.

An element-wise program that lanes share row by row loses lanes at the end of every row, and wide
accesses where rows are not aligned.  Where no view has gaps, rows mean nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Final

from certile.analysis.affine import axis_of
from certile.ir.host import ViewFacts
from certile.ir.node import Node
from certile.ir.rows import RowProgram
from certile.ir.tile import (
    ELEMENT_WISE,
    Const,
    Load,
    ScalarArg,
    Store,
    Tile,
    View,
)
from certile.plan.classes import MANY_WAVES
from certile.plan.mapping import Mapping as ExecutionMapping
from certile.targets.sheet import Sheet

__all__ = ["accesses", "is_element_wise", "mapping_of", "suits"]

# Subgroups of a group.  Small groups leave a multiprocessor one by one, so it is always full; the
# fewer are for groups that move memory for so many times as long as it takes to start one.
SUBGROUPS: Final = 4
FEW_SUBGROUPS: Final = 2
MOVING: Final = 1.5
# The most consecutive elements of a thread, and packs of them that it loads before it stores one.
MOST_ELEMENTS: Final = 8
MOST_PACKS: Final = 4
# Bytes of its narrowest view that a thread has under way.
UNDER_WAY: Final = 32
# Nodes whose value at an element needs nothing but values at that element.


def is_element_wise(stores: Iterable[Node]) -> bool:
    """Whether stores need nothing but loads and what is made of them at the same element."""
    return all(isinstance(one, Load | Store) for one in accesses(stores))


def suits(rows: RowProgram, facts: Mapping[str, ViewFacts]) -> bool:
    """Whether every access of a row program is to the element of its own place, without gaps."""
    stores = [step.node for step in rows.steps]
    domain = rows.steps[0].axes if rows.steps else ()
    if not domain or any(step.kind != "store" or step.axes != domain for step in rows.steps):
        return False
    inner = (*rows.parallel.over[1:], *domain)
    if not all(isinstance(axis.extent, int) for axis in inner):
        return False
    place = (*rows.parallel.over, *domain)
    row = prod(axis.static for axis in inner)
    return all(
        isinstance(one, Load | Store)
        and isinstance(one.buffer, View)
        and one.mask is None
        and tuple(map(axis_of, one.indices)) == place
        and (dense := facts[one.buffer.name].dense) is not None
        and dense[0] == row
        for one in accesses(stores)
    )


def accesses(stores: Iterable[Node]) -> Iterator[Node]:
    """The stores and the loads that they read, and each node that is not element-wise.

    Nothing is said of what lies below a load or below such a node.
    """
    pending: list[Node] = list(stores)
    seen: set[Node] = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        match node:
            case Store(value=value):
                yield node
                pending.append(value)
            case Load():
                yield node
            case Const() | ScalarArg():
                pass
            case _ if isinstance(node, ELEMENT_WISE):
                pending += [below for below in node.operands() if isinstance(below, Tile)]
            case _:
                yield node


def mapping_of(
    rows: RowProgram, facts: Mapping[str, ViewFacts], sheet: Sheet, programs: int
) -> ExecutionMapping:
    """The flat mapping of a row program that it suits.

    A pack is one access of the view with the widest elements: more would leave gaps between what
    lanes read together.  There are fewer packs where multiprocessors would go without a group; of
    many programs only their class is known, so short rows of theirs say nothing.
    """
    touched = accesses(step.node for step in rows.steps)
    views = {one.buffer for one in touched if isinstance(one, Load | Store)}
    sizes = [view.dtype.size for view in views]
    wide = min(MOST_ELEMENTS, max(1, sheet.vector_bytes // max(sizes)))
    while wide > 1 and any(_alignment(facts, v) % (v.dtype.size * wide) for v in views):
        wide //= 2
    subgroups = min(SUBGROUPS, sheet.max_threads // sheet.lanes)
    chunk = subgroups * sheet.lanes * wide
    chunks = programs * rows.steps[0].elements // (chunk * max(1, sheet.multiprocessors))
    packs = min(MOST_PACKS, max(1, UNDER_WAY // (wide * min(sizes))))
    if programs < MANY_WAVES * sheet.wave:
        packs = min(packs, max(1, chunks))
    if _moves_long(sheet, sheet.lanes * FEW_SUBGROUPS * wide * packs * sum(sizes)):
        subgroups = min(subgroups, FEW_SUBGROUPS)
    return ExecutionMapping("flat", subgroups, 1, wide, unroll=packs)


def _moves_long(sheet: Sheet, group_bytes: int) -> bool:
    """Whether a group's bytes take longer than starting it, where a sheet says how long that is."""
    return 0 < MOVING * sheet.dispatch <= group_bytes / sheet.bandwidth


def _alignment(facts: Mapping[str, ViewFacts], view: object) -> int:
    dense = facts[view.name].dense if isinstance(view, View) else None
    return 1 if dense is None else dense[1]
