"""Rows in parts: how sweeps of the columns map are shared by threads, and the launches they make.

In: a row program and its columns mapping.  Out: how many rows make a part, and the launches, each
with the steps it takes.  Decides by the order of steps and the number of rows alone: the number of
threads changes no tree in which rows are merged.  Leaves whether memory makes it worth while, which
the bytes of arrays and caches say, to `columns`, and how values pass on to lowering.

Where columns are shared out, every thread walks all rows and reads a few lines of each: where rows
are short, threads take turns in every page.  A part of the rows is memory in one piece.  Its states
are merged with those of the other parts, in order, by a launch of its own; what reads the results
row by row is taken in parts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from certile.analysis.loops import fused
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Fallback, Reduce, Store
from certile.plan.mapping import Mapping
from certile.records import record

__all__ = ["StripLaunch", "in_parts", "launches_of", "part_rows", "parts_of"]

# A part has so many rows at least, so that merging its states is little beside making them; a power
# of two, which rounds of rows divide.
LEAST_ROWS: Final = 1024
# Enough parts for the threads of any one socket, few enough to merge one after another.
MOST_PARTS: Final = 64

Group = Sequence[Step]


@record
class StripLaunch:
    """One launch of a plan: what it takes of the groups of steps that share a loop.

    `before` were taken by earlier launches; `merged` is the sweep that the launch before this one
    left in parts.  `own` are taken here, once for each of `parts`: one sweep, or, where `parts` is
    1, any groups, of all rows.
    """

    before: tuple[Group, ...]
    merged: Group
    own: tuple[Group, ...]
    parts: int = 1

    @property
    def steps(self) -> list[Step]:
        """The steps that are taken here, those that made the parts among them."""
        return [step for group in (self.merged, *self.own) for step in group]


def part_rows(rows: RowProgram) -> int:
    """The rows of a part; 0 where a program's rows cannot be taken in parts, or are too few.

    What a strip keeps from sweep to sweep, and scans, need the rows of a strip in one place.  A
    program that writes what it reads might read it again when it has been written.
    """
    if rows.materialized or rows.scans or rows.read_and_written:
        return 0
    most = max((group[0].elements for group in fused(rows.steps) if _sweeps(group)), default=0)
    if most < 2 * LEAST_ROWS:
        return 0
    return LEAST_ROWS * -(-most // (MOST_PARTS * LEAST_ROWS))


def parts_of(group: Group, mapping: Mapping) -> int:
    """In how many parts a mapping takes the rows of a sweep; 1 for other groups."""
    if not mapping.part_rows or not _sweeps(group):
        return 1
    return max(1, -(-group[0].elements // mapping.part_rows))


def in_parts(rows: RowProgram, mapping: Mapping) -> frozenset[Reduce]:
    """The reductions whose rows a mapping takes in parts; a fallback's own are taken as a whole."""
    groups = (group for group in fused(rows.steps) if parts_of(group, mapping) > 1)
    return frozenset(
        step.node for group in groups for step in group if isinstance(step.node, Reduce)
    )


def launches_of(rows: RowProgram, mapping: Mapping) -> tuple[StripLaunch, ...]:
    """The launches of a plan, in order: sweeps in parts, and between them what all rows decide."""
    made: list[StripLaunch] = []
    before: list[Group] = []
    merged: Group = ()
    whole: list[Group] = []
    for group in fused(rows.steps):
        parts = parts_of(group, mapping)
        if parts == 1:
            whole.append(group)
            continue
        if merged or any(map(_acts, whole)):
            made.append(StripLaunch(tuple(before), merged, tuple(whole)))
        before += [merged, *whole] if merged else whole
        made.append(StripLaunch(tuple(before), (), (group,), parts))
        merges = any(isinstance(step.node, Reduce) for step in group)
        merged, whole = (group if merges else ()), []
        before += [] if merges else [group]
    if merged or any(map(_acts, whole)) or not made:
        made.append(StripLaunch(tuple(before), merged, tuple(whole)))
    return tuple(made)


def _sweeps(group: Group) -> bool:
    """Whether a group is a loop over rows."""
    head = group[0]
    return bool(head.axes) and head.kind not in ("load", "gather", "fallback")


def _acts(group: Group) -> bool:
    """Whether a group does more than make values that any launch can make again."""
    return _sweeps(group) or any(isinstance(s.node, Fallback | Reduce | Store) for s in group)
