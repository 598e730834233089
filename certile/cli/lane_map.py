"""Who owns what under a plan, element by element, as a picture needs it.

In: a plan.  Out: rows of cells, the same numbers that lowering follows.  Decides how many rows are
shown, the first and the last of many.  Leaves drawing to `certile.cli.lane_picture`.

In the subgroup family worker w of W = S · L owns the elements (W · chunk + w) · V + v of a row, and
keeps them in slot chunk · V + v; w is lane w mod L of subgroup w div L.  A row of cells is what one
subgroup owns of one chunk.  In the other two maps a lane has a program of its own, and walks all
elements of its row: there a cell is a program, and a row of cells one vector of a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Literal

from certile.plan.record import GroupPlan, Mapping

__all__ = ["Cell", "CellRow", "LaneMap", "lane_map"]

# A picture of more cells says no more, and makes a page heavy.
_MOST_CELLS = 1024
_FEWEST_ROWS = 4


@dataclass(frozen=True, slots=True)
class Cell:
    """An element of a row, or a program: its lane and slot; `tail` where a chunk is not full."""

    number: int
    lane: int
    slot: int
    tail: bool


@dataclass(frozen=True, slots=True)
class CellRow:
    """The cells of a subgroup in a chunk, or of a vector of programs in a group.

    `program` is the program's number in its group, or the first of a vector; `skipped` rows before
    this one are left out.
    """

    program: int
    subgroup: int
    chunk: int
    cells: tuple[Cell, ...]
    skipped: int


@dataclass(frozen=True, slots=True)
class LaneMap:
    """The map of a plan: `count` elements or programs, in packs of `pack` that one lane owns."""

    unit: Literal["element", "program"]
    count: int
    pack: int
    rows: tuple[CellRow, ...]


def lane_map(plan: GroupPlan) -> LaneMap | None:
    """Return who owns what; None where nothing is planned or nothing is owned.

    The programs shown are the first of a group, two where a group has several.
    """
    mapping = plan.mapping
    if mapping is None:
        return None
    if mapping.family != "subgroup":
        rows = tuple(_of_programs(plan, mapping))
        return LaneMap("program", plan.programs, 1, rows) if rows else None
    elements = _elements(plan)
    programs = min(mapping.programs_per_group, plan.programs, 2)
    most = _MOST_CELLS // max(1, programs)
    rows = tuple(
        row for q in range(programs) for row in _of_program(plan, mapping, elements, q, most)
    )
    return LaneMap("element", elements, mapping.lane_elements, rows) if rows else None


def _elements(plan: GroupPlan) -> int:
    """Return the elements of the largest domain that workers share."""
    rows = plan.rows
    if rows is None:
        return 0
    if rows.lanes is not None:
        return prod(axis.static for axis in rows.lanes)
    return max((step.elements for step in rows.steps if step.axes), default=0)


def _of_program(
    plan: GroupPlan, mapping: Mapping, elements: int, q: int, most: int
) -> Iterator[CellRow]:
    """Give the rows of the q-th program of a group: its elements in order, cut by subgroups."""
    pack, cooperating = mapping.lane_elements, mapping.subgroups_per_program
    width = plan.sheet.lanes * pack
    for number, skipped in _kept(-(-elements // width), most // width):
        chunk, subgroup = divmod(number, cooperating)
        tail = (chunk + 1) * cooperating * width > elements
        owned = range(number * width, min((number + 1) * width, elements))
        cells = tuple(
            Cell(element, element % width // pack, chunk * pack + element % pack, tail)
            for element in owned
        )
        yield CellRow(q, q * cooperating + subgroup, chunk, cells, skipped)


def _of_programs(plan: GroupPlan, mapping: Mapping) -> Iterator[CellRow]:
    """Give the vectors of programs of a plan in which each lane has a program of its own."""
    lanes, vectors, count = plan.sheet.lanes, mapping.group_vectors, plan.programs
    for number, skipped in _kept(-(-count // lanes), _MOST_CELLS // lanes):
        group, vector = divmod(number, vectors)
        first = number * lanes
        tail = first + lanes > count
        cells = tuple(
            Cell(program, program - first, vector, tail)
            for program in range(first, min(first + lanes, count))
        )
        yield CellRow(first, vector, group, cells, skipped)


def _kept(count: int, most: int) -> Iterator[tuple[int, int]]:
    """Give the numbers of the rows shown, and how many are left out before each.

    The first and the last rows are shown: the last ones hold the tail.
    """
    most = max(_FEWEST_ROWS, most)
    last = min(count, most // 4)
    first = min(count - last, most - last)
    yield from ((number, 0) for number in range(first))
    for number in range(count - last, count):
        yield number, count - last - first if number == count - last else 0
