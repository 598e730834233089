"""Who owns what under a plan, element by element, as a picture needs it.

In: a plan.  Out: rows of cells, the same numbers that lowering follows.  Decides how many rows are
shown, the first and the last of many.  Leaves drawing to `certile.cli.explain.lane_picture`.

In the subgroup family worker w of W = S · L owns the elements (W · chunk + w) · V + v of a row, and
keeps them in slot chunk · V + v; w is lane w mod L of subgroup w div L.  A phase moves the elements
of a program up by a few places.  A row of cells is what one subgroup owns of one chunk.  The flat
map is alike, the first group's elements being one row.  In the other maps a lane has a program of
its own, and walks all elements of its row: there a cell is a program, and a row of cells one vector
of a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Literal

from certile.plan.mapping import Mapping
from certile.plan.ownership.phases import phases_of
from certile.plan.record import GroupPlan
from certile.records import record

__all__ = ["Cell", "CellRow", "LaneMap", "lane_map"]

# A picture of more cells says no more, and makes a page heavy.
_MOST_CELLS = 1024
_FEWEST_ROWS = 4


@record
class Cell:
    """An element of a row, or a program: its lane and slot; `tail` where a chunk is not full.

    The first chunk is not full either where elements have a phase.
    """

    number: int
    lane: int
    slot: int
    tail: bool


@record
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


@record
class LaneMap:
    """The map of a plan: `count` elements or programs, in packs of `pack` that one lane owns."""

    unit: Literal["element", "program"]
    count: int
    pack: int
    rows: tuple[CellRow, ...]


def lane_map(plan: GroupPlan) -> LaneMap | None:
    """Return who owns what; None where nothing is planned or nothing is owned.

    A group's steps differ in what a thread owns, so there is no map of them.  The programs
    shown are the first of a group, two where a group has several.
    """
    mapping = plan.mapping
    if mapping is None or mapping.family == "group":
        return None
    if mapping.family == "flat":
        return _of_a_group(plan, mapping)
    if mapping.family != "subgroup":
        rows = tuple(_of_programs(plan, mapping))
        return LaneMap("program", plan.programs, 1, rows) if rows else None
    elements = _elements(plan)
    programs = min(mapping.programs_per_group, plan.programs, 2)
    most = _MOST_CELLS // max(1, programs)
    phases = [_phase(plan, mapping, q) for q in range(programs)]
    rows = tuple(
        row
        for q, phase in enumerate(phases)
        if phase is not None
        for row in _of_program(plan, mapping, elements, _Shown(q, phase, most))
    )
    return LaneMap("element", elements, mapping.lane_elements, rows) if rows else None


def _of_a_group(plan: GroupPlan, mapping: Mapping) -> LaneMap:
    """Return the first group of a flat map: whole packs, or single elements where it is the last.

    Its elements count on through the rows, so they are those of one program here.
    """
    count = min(plan.group_elements, plan.launched_elements)
    whole = mapping if count == plan.group_elements else replace(mapping, lane_elements=1)
    rows = tuple(_of_program(plan, whole, count, _Shown(0, 0, _MOST_CELLS)))
    return LaneMap("element", count, whole.lane_elements, rows)


def _elements(plan: GroupPlan) -> int:
    """Return the elements of the largest domain that workers share."""
    rows = plan.rows
    if rows is None:
        return 0
    if rows.lanes is not None:
        return prod(axis.static for axis in rows.lanes)
    return max((step.elements for step in rows.steps if step.axes), default=0)


@record
class _Shown:
    """A program of the first group, the phase of its elements, and how many cells are shown."""

    number: int
    phase: int
    most: int


def _phase(plan: GroupPlan, mapping: Mapping, q: int) -> int | None:
    """The phase of the longest domain in the q-th program; None where it takes more to say it."""
    if not mapping.phase or plan.work is None or plan.rows is None:
        return 0
    leads = phases_of(plan.work, mapping.lane_elements)
    longest = max((step for step in plan.rows.steps if step.axes), key=lambda step: step.elements)
    if longest.axes not in leads:
        return 0
    over = plan.rows.parallel.over
    coordinates = dict.fromkeys(over, 0)
    if q:
        coordinates[next(axis for axis in reversed(over) if axis.extent != 1)] = q
    return leads[longest.axes].phase(coordinates)


def _of_program(
    plan: GroupPlan, mapping: Mapping, elements: int, shown: _Shown
) -> Iterator[CellRow]:
    """Give the rows of a program: its elements in order, cut by subgroups."""
    pack, cooperating = mapping.lane_elements, mapping.subgroups_per_program
    width, phase = plan.sheet.lanes * pack, shown.phase
    for number, skipped in _kept(-(-(elements + phase) // width), shown.most // width):
        chunk, subgroup = divmod(number, cooperating)
        tail = (chunk + 1) * cooperating * width > elements + phase or (phase > 0 and chunk == 0)
        places = range(max(phase, number * width), min((number + 1) * width, elements + phase))
        cells = tuple(
            Cell(place - phase, place % width // pack, chunk * pack + place % pack, tail)
            for place in places
        )
        yield CellRow(shown.number, shown.number * cooperating + subgroup, chunk, cells, skipped)


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
