"""The choices of a plan: which of the five maps, and its numbers."""

from __future__ import annotations

from typing import Literal

from certile.records import record

Family = Literal["subgroup", "flat", "group", "columns", "reference"]


@record
class Mapping:
    """The choices of one candidate.

    `subgroup`: S subgroups of L lanes cooperate on a program, Q programs share a group, a worker
    owns V consecutive elements a chunk: e = (W * chunk + w) * V + v with W = L * S.
    With a `phase` e = (W * chunk + w) * V + v - a, where a in [0, V) makes the packs of a row that
    is not aligned lie on aligned addresses (`plan.ownership.phases`); what is no element of the row
    is left out.
    `unroll` is the ordered unrolling of a worker's own stripe; `accumulators` (CPU) is how many
    partial results a worker keeps.  `block` is how many elements at hand together become a state by
    the closed forms of a law before they are merged (1: each is merged by itself).  `streaming`
    stores may bypass the cache.  A program asks memory for the row of the program that lies `ahead`
    of it (`plan.subgroup.ahead`; 0: for none); on the columns map, for the row of its own that lies
    as many rows ahead.
    `flat`: the elements of all programs are one row without gaps.  A group of S subgroups takes
    S * L * V * U neighbouring ones, a lane V at a time; programs are not told apart.
    `group`: a program has a group of `group_threads` threads to itself, thread t of T owns the
    elements e = T * chunk + t of a step, and one of the S subgroups makes a result of a reduction.
    Threads that fill the last subgroup up do nothing.
    `columns` (CPU): one program a lane, the lanes being neighbours in memory.  A group has
    `group_vectors` vectors of programs; a leading group takes its neighbours' too, up to a strip of
    `strip_vectors`, and walks the rows of the whole strip, `rows_at_once` in a round, or
    fewer where functions are evaluated (`plan.columns`).  With `part_rows` it walks a part of so
    many rows, a multiple of `rows_at_once`, and later launches merge the parts (`plan.parts`); 0:
    it walks all rows.
    `reference`: the ordered reference map, one program a lane, every loop serial (S = Q = V = 1);
    it serves what the subgroup family declines, and programs without an element domain.
    """

    family: Family
    subgroups_per_program: int = 1
    programs_per_group: int = 1
    lane_elements: int = 1
    unroll: int = 1
    accumulators: int = 1
    block: int = 1
    streaming: bool = False
    group_vectors: int = 1
    strip_vectors: int = 1
    rows_at_once: int = 1
    phase: bool = False
    group_threads: int = 0
    ahead: int = 0
    part_rows: int = 0
