"""The candidates of the subgroup family: every legal one, its score, and the least.

In: the counts of a row program, the plan so far, a cost policy.  Out: the plan with its candidates
and its mapping, or with the reason why there is none.  Decides what is searched, each (S, Q) that
`space` calls legal, for each V and phase that make accesses wider, and the winner: the first with
the least score.  A CPU has one candidate.  Leaves to `choose` whether another map serves where
there is none, and to the policy what a candidate costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from certile.analysis.fences import second_fences
from certile.diagnostics import Refusal
from certile.ir.rows import RowProgram
from certile.plan.blocks import block_of
from certile.plan.cost.policy import CandidateFacts, CostPolicy, Score, checked
from certile.plan.mapping import Mapping
from certile.plan.ownership.phases import phases_of, unphased
from certile.plan.record import Candidate, Declined, GroupPlan, Options
from certile.plan.subgroup import cpu
from certile.plan.subgroup.ahead import rows_ahead
from certile.plan.subgroup.counts import Counts, facts_of
from certile.plan.subgroup.space import (
    LANE_ELEMENTS,
    NothingLegal,
    Space,
    enumerate_space,
    stripe_scalars,
)

__all__ = ["candidate_of", "one_element_a_lane", "only", "searched", "won"]

# Chunks a round where a lane makes blocks and its elements do not lie next to each other.
BLOCK_UNROLL = 4

# How many elements a lane owns in a row, and whether their ownership has a phase.
_Pack: TypeAlias = tuple[int, bool]


def searched(made: GroupPlan, counts: Counts, policy: CostPolicy) -> GroupPlan:
    """The plan with the best of all candidates of a GPU, or declined.

    Raises ArgumentError when more widths are to be searched than the options allow, KernelError for
    a score that is no finite, non-negative number.
    """
    options, rows = made.options, counts.rows
    packs = _packs(counts, options)
    if isinstance(packs, Declined):
        return replace(made, declined=packs)
    spaces = [
        (pack, enumerate_space(rows, made.programs, made.sheet, options, pack[0], phase=pack[1]))
        for pack in packs
    ]
    legal = [(pack, space) for pack, space in spaces if isinstance(space, Space)]
    if not legal:
        _, space = spaces[0]
        assert isinstance(space, Declined)
        if isinstance(space, NothingLegal):
            made = replace(made, rejected=space.rejected, refusals=space.refusals)
        return replace(made, declined=Declined(space.code, space.reason))
    candidates = [
        candidate_of(mapping, checked(policy, facts_of(counts, mapping)))
        for pack, space in legal
        for mapping in _mappings(counts, space, pack, options)
    ]
    made = replace(
        made,
        rejected=tuple(dict.fromkeys(no for _, space in legal for no in space.rejected)),
        refusals=legal[0][1].refusals,
    )
    return _best(made, counts, candidates)


def only(made: GroupPlan, counts: Counts, policy: CostPolicy) -> GroupPlan:
    """The plan with the one mapping of a CPU, or declined by the request or the scratch budget.

    Raises KernelError for a score that is no finite, non-negative number.
    """
    rows, sheet, options = counts.rows, made.sheet, made.options
    limit = sheet.stripe_scalars if options.max_stripe is None else options.max_stripe
    kept = stripe_scalars(rows, sheet.lanes, 1)
    declined = None
    if options.lane_elements not in (None, 1) or options.programs_per_group not in (None, 1):
        declined = Declined("threads", "a CPU program has one vector, V = 1 and Q = 1")
    elif options.threads not in (None, sheet.lanes):
        declined = Declined("threads", f"a CPU group is one vector of {sheet.lanes} lanes")
    elif options.phase == "on":
        declined = Declined("phase", "ownership has no phase here: a CPU has loads at any address")
    elif kept > limit:
        declined = Declined("budget", f"a lane would keep {kept} words; {limit} allowed")
    if declined is not None:
        return replace(made, declined=declined)
    mapping = cpu.mapping_of(rows, sheet, options)
    work = facts_of(counts, mapping).work
    mapping = replace(mapping, ahead=rows_ahead(rows, work, made.programs, sheet))
    made = _best(made, counts, [candidate_of(mapping, checked(policy, facts_of(counts, mapping)))])
    return replace(made, serial_groups=cpu.serial_programs(rows, sheet))


def candidate_of(mapping: Mapping, score: Score) -> Candidate:
    """A mapping with its score."""
    return Candidate(mapping, score.program, score.kernel, score.terms)


def won(
    made: GroupPlan, candidates: Sequence[Candidate], best: Candidate, facts: CandidateFacts
) -> GroupPlan:
    """The plan with its candidates and the best of them, of which `facts` are known."""
    return replace(
        made,
        mapping=best.mapping,
        score=best.score,
        kernel_score=best.kernel_score,
        score_terms=best.terms,
        candidates=tuple(candidates),
        considered=len(candidates),
        shared_bytes=facts.shared_bytes,
        stripe_scalars=facts.stripe_scalars,
        rounds=facts.rounds,
        barriers=facts.barriers,
        useful_elements=facts.useful_elements,
    )


def one_element_a_lane(rows: RowProgram) -> Refusal | None:
    """Why a worker may own one element a chunk only: a sort or a reduction's policy demands it."""
    for reduction in (*rows.reductions, *rows.apart):
        if reduction.policy == "reproducible":
            return Refusal(
                "plan",
                "lane_elements",
                "a worker may own several consecutive elements",
                "the reproducible tree fixes one element a lane",
                loc=reduction.loc,
            )
    for node in rows.sorts:
        return Refusal(
            "plan",
            "lane_elements",
            "a worker may own several consecutive elements",
            "a sort exchanges one element a lane",
            loc=node.loc,
        )
    return None


def _best(made: GroupPlan, counts: Counts, candidates: Sequence[Candidate]) -> GroupPlan:
    """The plan with the first of the candidates that has the least score."""
    best = min(candidates, key=lambda candidate: candidate.score)
    made = won(made, candidates, best, facts_of(counts, best.mapping))
    if best.mapping.subgroups_per_program == 1:
        return made
    return replace(made, second_fences=second_fences(counts.rows.steps))


def _packs(counts: Counts, options: Options) -> list[_Pack] | Declined:
    """The V to search, without a phase and with one where one makes accesses wider."""
    plain = [(wide, False) for wide in _lane_elements(counts, options)]
    if options.policy == "analytic" or options.phase == "off":
        return plain
    reason = unphased(counts.rows)
    asked = options.lane_elements
    widths = () if reason else LANE_ELEMENTS[1:] if asked is None else (asked,)
    phased = [(wide, True) for wide in widths if phases_of(counts.work, wide)]
    if options.phase == "auto":
        return plain + phased
    reason = reason or "no row is known to begin where packs of it are not aligned"
    return phased or Declined("phase", f"ownership has no phase here: {reason}")


def _lane_elements(counts: Counts, options: Options) -> tuple[int, ...]:
    """The V to search: those that make some access wider, unless the caller fixed one."""
    if options.lane_elements is not None or options.policy == "analytic":
        return (options.lane_elements or 1,)
    rows, sweeps = counts.rows, counts.work.sweeps
    if rows.lanes is not None or rows.scans or one_element_a_lane(rows) is not None:
        return (1,)
    widest = max(
        (a.widest for sweep in sweeps if sweep.elements > 1 for a in (*sweep.reads, *sweep.writes)),
        default=1,
    )
    return tuple(wide for wide in LANE_ELEMENTS if wide <= widest)


def _mappings(counts: Counts, space: Space, pack: _Pack, options: Options) -> list[Mapping]:
    """The mappings of legal widths and packs; several chunks a round where they make blocks."""
    rows, sheet, (wide, phase) = counts.rows, counts.sheet, pack
    unrolls = [options.unroll]
    tried = options.policy != "analytic" and options.unroll == 1 and wide < BLOCK_UNROLL
    if tried and block_of(rows, sheet, wide, BLOCK_UNROLL) > 1:
        unrolls.append(BLOCK_UNROLL)
    return [
        Mapping(
            "subgroup",
            width,
            packed,
            wide,
            unroll=unroll,
            block=block_of(rows, sheet, wide, unroll) if options.policy != "analytic" else 1,
            phase=phase,
        )
        for width, packed in space.legal
        for unroll in unrolls
    ]
