"""Plan a launch with `scope="group"`: how many threads a program's group has.

In: a launch, a sheet, options and a cost policy.  Out: a `GroupPlan` of the family `group` with
its steps and fences, or one without a mapping and the reason.  A scope that is asked for is an
order, so nothing else may serve.  Decides the number of threads: the caller's if there is one,
which may leave the last subgroup part empty; else the whole number of subgroups with the least
score, of those that the work can use.  Where lanes of a subgroup may not or cannot make a result
together, a thread makes it alone, in the order of the policy.  Legality comes before cost.
"""

from __future__ import annotations

from dataclasses import replace

from certile.analysis.group_fences import fenced
from certile.analysis.group_tiles import CALL_WORK, PLACE_WORTH
from certile.analysis.groups import group_program
from certile.diagnostics import Refusal
from certile.ir.groups import GroupProgram, GroupStep, all_steps
from certile.ir.tile import Kernel, Parallel
from certile.plan.cost.policy import CandidateFacts, CostPolicy, checked
from certile.plan.group.counts import facts_of_group, private_words, useful_threads
from certile.plan.mapping import Mapping
from certile.plan.record import Candidate, Declined, GroupPlan, Materialization, Rejection
from certile.plan.scopes import bound_to_one_subgroup
from certile.plan.subgroup.candidates import candidate_of, won
from certile.plan.subgroup.space import SERVICE_WIDTHS, Limits, limits_of, require_few
from certile.records import record

__all__ = ["plan_group"]

# The work that a shared tile must save a step to be kept: less is kept until what is kept fits.
_WORTH = (PLACE_WORTH, 8 * PLACE_WORTH, None)
# And by request; an expensive function counts for several plain ones.
_KEPT: dict[Materialization, int | None] = {
    "preserve": 1,
    "expensive-only": CALL_WORK,
    "nothing": None,
}


def plan_group(
    made: GroupPlan, kernel: Kernel, parallel: Parallel, policy: CostPolicy
) -> GroupPlan:
    """The plan of a launch that is bound to groups; `made` says what was asked, of what sheet.

    Raises ArgumentError when more widths are to be searched than the options allow.
    """
    options, sheet = made.options, made.sheet
    limits = limits_of(sheet, options)
    program = _smallest(made, kernel, parallel, limits)
    if isinstance(program, Refusal):
        made = replace(made, refusals=(program,))
        return replace(made, declined=Declined("admission", program.text))
    for name, value in (("V", options.lane_elements), ("Q", options.programs_per_group)):
        if value not in (None, 1):
            reason = f"a program that is bound to a group has {name} = 1, not {value}"
            return replace(made, declined=Declined("threads", reason))
    threads = _threads(made, program, limits)
    if isinstance(threads, Declined):
        return replace(made, declined=threads)
    if bound_to_one_subgroup(parallel):
        apart = [count for count in threads if count % limits.lanes]
        if apart or options.subgroup_reductions == "off":
            reason = "a result is bound to a subgroup, and single threads would make it"
            return replace(made, declined=Declined("scope", reason))
    return _search(made, program, limits, threads, policy)


def _smallest(
    made: GroupPlan, kernel: Kernel, parallel: Parallel, limits: Limits
) -> GroupProgram | Refusal:
    """The program that keeps the most shared tiles of those that fit, or what was asked for."""
    asked = made.options.materialization
    worth = _WORTH if asked is None else (_KEPT[asked],)
    for least in worth:
        program = group_program(kernel, parallel, made.sheet.kind, least)
        if isinstance(program, Refusal) or program.shared_bytes <= limits.shared_bytes:
            break
    return program


def _threads(made: GroupPlan, program: GroupProgram, limits: Limits) -> list[int] | Declined:
    """The numbers of threads to search: whole subgroups, or the one that was asked for."""
    options, lanes = made.options, limits.lanes
    asked = options.threads
    if asked is not None:
        launched = -(-asked // lanes) * lanes
        if launched > limits.threads:
            reason = f"{asked} threads take {launched} lanes; {limits.threads} allowed"
            return Declined("threads", reason)
        if asked % lanes and options.subgroup_reductions == "on":
            reason = f"{asked} threads are no whole number of subgroups of {lanes}"
            return Declined("threads", reason)
        return [asked]
    if limits.threads < lanes:
        return Declined("threads", f"a group needs {lanes} threads; {limits.threads} allowed")
    useful = max((_useful(made, each, limits) for each in all_steps(program.steps)), default=1)
    widest = min(limits.threads // lanes, -(-useful // lanes))
    family = SERVICE_WIDTHS if options.policy != "analytic" else range(1, widest + 1)
    found = [lanes * width for width in family if width <= max(1, widest)]
    require_few(found, options)
    return found


def _useful(made: GroupPlan, step: GroupStep, limits: Limits) -> int:
    """The threads that a step has work for: a subgroup a result where lanes work together."""
    together = step.collective and made.options.subgroup_reductions != "off"
    return useful_threads(step.elements, limits.threads, limits.lanes if together else 1)


@record
class _Realised:
    """A candidate with what is known of it."""

    candidate: Candidate
    facts: CandidateFacts
    program: GroupProgram


def _search(
    made: GroupPlan,
    program: GroupProgram,
    limits: Limits,
    threads: list[int],
    policy: CostPolicy,
) -> GroupPlan:
    """Score every legal number of threads and keep the first with the least score."""
    on = made.options.subgroup_reductions != "off"
    # Fences depend on how reductions are made, and not on how many threads there are.
    ways = {
        together: _realised(program, together=together)
        for together in {on and count % limits.lanes == 0 for count in threads}
    }
    legal: list[_Realised] = []
    rejected: list[Rejection] = []
    for count in threads:
        way = ways[on and count % limits.lanes == 0]
        mapping = Mapping(
            "group",
            -(-count // limits.lanes),
            unroll=made.options.unroll,
            group_threads=count,
        )
        broken = _rejection(way, mapping, limits)
        if broken is not None:
            rejected.append(broken)
            continue
        facts = facts_of_group(way, mapping, made.sheet, made.programs)
        score = checked(policy, facts)
        legal.append(_Realised(candidate_of(mapping, score), facts, way))
    made = replace(made, rejected=tuple(rejected))
    if not legal:
        return replace(made, declined=Declined("budget", rejected[-1].reason))
    return _chosen(made, legal)


def _chosen(made: GroupPlan, legal: list[_Realised]) -> GroupPlan:
    """The plan with the first candidate that has the least score."""
    best = min(legal, key=lambda each: each.candidate.score)
    made = won(made, [each.candidate for each in legal], best.candidate, best.facts)
    return replace(made, group=best.program, work=best.facts.work)


def _realised(program: GroupProgram, *, together: bool) -> GroupProgram:
    """The program with its fences, where subgroups make results `together`, or threads alone."""
    steps = program.steps if together else _alone(program.steps)
    return replace(program, steps=fenced(steps))


def _alone(steps: tuple[GroupStep, ...]) -> tuple[GroupStep, ...]:
    return tuple(replace(each, collective=False, body=_alone(each.body)) for each in steps)


def _rejection(program: GroupProgram, mapping: Mapping, limits: Limits) -> Rejection | None:
    """The limit that a candidate breaks, if any."""
    width = mapping.subgroups_per_program
    words, shared = private_words(program), program.shared_bytes
    if shared > limits.shared_bytes:
        reason = f"what a group keeps takes {shared} bytes; {limits.shared_bytes} allowed"
        return Rejection(width, 1, "shared", shared, limits.shared_bytes, reason)
    if words > limits.stripe:
        reason = f"a thread's own trees take {words} words; {limits.stripe} allowed"
        return Rejection(width, 1, "stripe", words, limits.stripe, reason)
    return None
