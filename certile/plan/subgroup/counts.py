"""What policies see of a candidate, counted: once for the row program, and for each mapping.

In: a row program, a sheet, the number of programs, a mapping.  Out: `CandidateFacts` of the
subgroup family.  Decides nothing; what is legal is the matter of `subgroup.space`.
"""

from __future__ import annotations

from collections.abc import Mapping as Layouts

from certile.analysis.fences import agrees_unasked, second_fences
from certile.ir.host import ViewFacts
from certile.ir.rows import RowProgram
from certile.plan.classes import ANALYTIC_WAVE
from certile.plan.cost.policy import CandidateFacts
from certile.plan.mapping import Mapping
from certile.plan.ownership.layout import slots
from certile.plan.ownership.phases import phases_of
from certile.plan.subgroup.space import shared_bytes, stripe_scalars
from certile.plan.work import Work, work_of
from certile.records import record
from certile.targets.sheet import Sheet


def rounds(rows: RowProgram, workers: int, lane_elements: int, *, phase: bool = False) -> int:
    """The rounds of the longest worker: every domain and reduction rounded on its own."""
    domains = zip(rows.domains, rows.domain_trips, strict=True)
    reduced = zip(rows.reduction_extents, rows.reduction_trips, strict=True)
    return sum(
        slots(count, workers, lane_elements, phase=phase) * trips
        for count, trips in (*domains, *reduced)
    )


def useful_elements(rows: RowProgram) -> int:
    """The elements of all domains and reductions of one program."""
    domains = zip(rows.domains, rows.domain_trips, strict=True)
    reduced = zip(rows.reduction_extents, rows.reduction_trips, strict=True)
    return sum(count * trips for count, trips in (*domains, *reduced))


@record
class Counts:
    """What is counted once for all mappings of a row program; bytes are of one program."""

    rows: RowProgram
    sheet: Sheet
    programs: int
    work: Work
    useful_elements: int
    reductions: int
    fences: int
    read_bytes: int
    written_bytes: int


def counts_of(
    rows: RowProgram, sheet: Sheet, programs: int, facts: Layouts[str, ViewFacts] | None = None
) -> Counts:
    """The counts of a row program; `facts` are the layouts of its views, where they are known."""
    # A loop without rounds is left out, and its fences with it.
    reached = sum(trips > 0 for trips in rows.reduction_trips)
    again = [node for node in second_fences(rows.steps) if node not in rows.apart]
    # Telling all subgroups a condition takes one barrier before the word is written, one after it.
    asked = 2 * sum(not agrees_unasked(fallback) for fallback in rows.fallbacks)
    moved = [(t, t.elements * t.size * t.trips) for t in rows.traffic]
    return Counts(
        rows=rows,
        sheet=sheet,
        programs=programs,
        work=work_of(rows, facts, sheet.vector_bytes),
        useful_elements=useful_elements(rows),
        reductions=sum(rows.reduction_trips),
        fences=reached + len(again) + asked,
        read_bytes=sum(count for t, count in moved if not t.written),
        written_bytes=sum(count for t, count in moved if t.written),
    )


def facts_of(counts: Counts, mapping: Mapping) -> CandidateFacts:
    """The facts of one candidate of the subgroup family."""
    rows, sheet, programs = counts.rows, counts.sheet, counts.programs
    subgroups, packed = mapping.subgroups_per_program, mapping.programs_per_group
    workers = sheet.lanes * subgroups
    walked = rounds(rows, workers, mapping.lane_elements, phase=mapping.phase)
    useful = counts.useful_elements
    groups = -(-programs // packed)
    cooperating = subgroups > 1
    return CandidateFacts(
        mapping=mapping,
        lanes=sheet.lanes,
        programs=programs,
        workers=workers,
        threads=workers * packed,
        groups=groups,
        active_programs_last_group=programs - max(0, groups - 1) * packed,
        rounds=walked,
        useful_elements=useful,
        lane_utilization=useful / (walked * workers) if walked else 0.0,
        reductions=counts.reductions,
        collectives=counts.reductions * (2 if cooperating else 1),
        barriers=counts.fences if cooperating else 0,
        stripe_scalars=stripe_scalars(rows, workers, mapping.lane_elements, phase=mapping.phase),
        shared_bytes=shared_bytes(rows, mapping, sheet.lanes),
        read_bytes=counts.read_bytes,
        written_bytes=counts.written_bytes,
        worker_bytes=sum(
            slots(t.elements, workers, mapping.lane_elements, phase=mapping.phase)
            * t.size
            * t.trips
            for t in rows.traffic
        ),
        bytes_known=rows.traffic_known,
        waves=max(1, -(-programs // ANALYTIC_WAVE)),
        work=counts.work,
        phases=phases_of(counts.work, mapping.lane_elements) if mapping.phase else {},
    )
