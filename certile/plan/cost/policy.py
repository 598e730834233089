"""What a cost policy is: the facts that it sees of a candidate, and the score that it gives.

In: facts and a policy.  Out: a `Score`.  A policy orders legal candidates and never makes one
legal; a score that is no finite, non-negative number is an error.  Leaves counting to
`subgroup` and `group`, and the policies themselves to `analytic` and `service`.
"""

from __future__ import annotations

import numbers
from dataclasses import field
from math import isfinite
from typing import Protocol

from certile.diagnostics import KernelError
from certile.plan.mapping import Mapping
from certile.plan.ownership.phases import Phases
from certile.plan.work import Work
from certile.records import record


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
