"""What a candidate costs: the facts a policy sees, and the analytic policy.

In: a row program, a mapping, a sheet and the number of programs.  Out: immutable `CandidateFacts`,
and a `Score` from whatever `CostPolicy` is asked.  A policy orders legal candidates and never makes
one legal; a score that is no finite, non-negative number is an error.  Leaves legality to `space`.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping as Layouts
from dataclasses import field
from math import isfinite
from typing import Protocol

from certile.analysis.fences import agrees_unasked, second_fences
from certile.diagnostics import ArgumentError, KernelError
from certile.ir.host import ViewFacts
from certile.ir.rows import RowProgram
from certile.plan.classes import ANALYTIC_WAVE
from certile.plan.layout import slots
from certile.plan.phases import Phases, phases_of
from certile.plan.record import Mapping, Options
from certile.plan.space import shared_bytes, stripe_scalars
from certile.plan.work import Work, work_of
from certile.records import record
from certile.targets.sheet import Sheet


@record
class CandidateFacts:
    """One legal candidate as a policy sees it; bytes and elements are of one program.

    `useful_elements` sums the separate domains.  `lane_utilization` is useful_elements over
    rounds * W.  `worker_bytes` is what the longest worker moves.  `bytes_known` is false when masks
    or gathers make the bytes an upper bound.  `collectives` counts tree merges a subgroup makes.
    What a fallback computes counts for `shared_bytes` alone.  `work` is what a program does, sweep
    by sweep, and `phases` the domains that have a phase.
    """

    mapping: Mapping
    lanes: int
    programs: int
    workers: int
    threads: int
    groups: int
    active_programs_last_group: int
    rounds: int
    useful_elements: int
    lane_utilization: float
    reductions: int
    collectives: int
    barriers: int
    stripe_scalars: int
    shared_bytes: int
    read_bytes: int
    written_bytes: int
    worker_bytes: int
    bytes_known: bool
    waves: int
    work: Work
    phases: Phases = field(default_factory=dict, hash=False)


@record
class Score:
    """A program's score, the kernel's, and the named terms they are made of."""

    program: float
    kernel: float
    terms: dict[str, float] = field(hash=False)


class CostPolicy(Protocol):
    """Orders legal candidates: the lower score is better, ties keep the earlier candidate.

    A policy sees immutable facts and makes nothing legal.  Equal facts have to have equal scores:
    a kernel is planned once for a policy object, and kept by its identity.
    """

    def score(self, facts: CandidateFacts) -> Score | float:
        """The score of one candidate; a plain number is that of a program and of the kernel."""
        ...


@record
class AnalyticPolicy:
    """alpha * rounds + beta * reductions * S + gamma / Q; the kernel's, times the waves of 64.

    Dimensionless priors, not measured times.  A reduction in a loop counts once a repetition.
    """

    alpha: float = 1.0
    beta: float = 2.0
    gamma: float = 16.0

    def __post_init__(self) -> None:
        for name, value in (("alpha", self.alpha), ("beta", self.beta), ("gamma", self.gamma)):
            if not isfinite(value) or value < 0:
                raise ArgumentError("P001", f"{name} is {value}; a coefficient is finite and >= 0")

    def score(self, facts: CandidateFacts) -> Score:
        """The analytic score of one candidate."""
        mapping = facts.mapping
        terms = {
            "rounds": self.alpha * facts.rounds,
            "collectives": self.beta * facts.reductions * mapping.subgroups_per_program,
            "setup": self.gamma / mapping.programs_per_group,
        }
        program = sum(terms.values())
        return Score(program, program * facts.waves, terms)


def checked(policy: CostPolicy, facts: CandidateFacts) -> Score:
    """The policy's score; raises KernelError P003 for one that cannot order candidates."""
    given = policy.score(facts)
    score = given if isinstance(given, Score) else Score(given, given, {})
    for value in (score.program, score.kernel):
        if not _is_number(value) or not isfinite(value) or value < 0:
            raise KernelError(
                "P003",
                f"the cost policy {type(policy).__name__} scored {value!r} "
                f"for S={facts.mapping.subgroups_per_program}, "
                f"Q={facts.mapping.programs_per_group}",
            )
    return score


def _is_number(value: object) -> bool:
    """Whether a value is a real number, which a truth value is not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def analytic(options: Options) -> AnalyticPolicy:
    """The analytic policy with the coefficients a caller gave."""
    return AnalyticPolicy(options.alpha, options.beta, options.gamma)


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
