"""Choose a plan: admit, enumerate, score, take the first strict minimum.

In: a specialised kernel, one of its launches, a number of programs, a sheet and options.  Out: a
`GroupPlan` with every candidate, rejection and refusal.  Decides the mapping; the reference map
serves what is declined, unless the caller asked for a mapping that cannot be had.  Leaves target
text, loops and storage to lowering.
"""

from __future__ import annotations

from collections.abc import Mapping as Layouts
from dataclasses import replace

from certile.analysis.fences import second_fences
from certile.analysis.rows import analyse
from certile.diagnostics import KernelError, Refusal, UnsupportedError
from certile.ir.host import ViewFacts
from certile.ir.rows import RowProgram
from certile.ir.tile import Kernel, Parallel
from certile.plan import columns, cpu
from certile.plan.cost import CostPolicy, Score, analytic, checked, facts_of, useful_elements
from certile.plan.exactness import unkept_promise
from certile.plan.record import (
    Candidate,
    Declined,
    GroupPlan,
    Mapping,
    Materialization,
    Options,
)
from certile.plan.space import (
    NothingLegal,
    Space,
    check_options,
    enumerate_space,
    limits_of,
    stripe_scalars,
)
from certile.targets.sheet import Sheet

REFERENCE = Mapping("reference")


def choose(
    kernel: Kernel,
    parallel: Parallel,
    programs: int,
    sheet: Sheet,
    options: Options | None = None,
    *,
    policy: CostPolicy | None = None,
    facts: Layouts[str, ViewFacts] | None = None,
) -> GroupPlan:
    """The plan of one launch for `programs` programs; `facts` are the layouts of its views.

    Raises ArgumentError for options outside their domain, UnsupportedError for a policy the target
    does not have, KernelError when a policy's score is no finite, non-negative number.
    """
    options = Options() if options is None else options
    check_options(options)
    limits_of(sheet, options)
    scored_by = policy if policy is not None else _policy(options, sheet)
    made = GroupPlan(
        rows=None,
        sheet=sheet,
        options=options,
        programs=programs,
        mapping=None,
        declined=None,
        materialization=options.materialization or default_materialization(sheet),
    )
    unkept = unkept_promise(kernel, parallel, sheet)
    if unkept is not None:
        made = replace(made, refusals=(unkept,))
        return _declined(made, Declined("target", unkept.text), serve=False)
    bound = options.subgroup_reductions == "on" or parallel.scope == "subgroup"
    if options.subgroup_reductions == "off":
        off = Declined("off", "subgroup reductions are switched off")
        return _declined(made, off, serve=parallel.scope == "auto")
    rows = analyse(
        kernel,
        parallel,
        materialization=made.materialization,
        cache_inputs=options.cache_inputs,
        target_kind=sheet.kind,
        budget=sheet.stripe_scalars if options.max_stripe is None else options.max_stripe,
    )
    rows = _permitted(rows, options)
    if isinstance(rows, Refusal):
        made = replace(made, refusals=(rows,))
        served = rows.kind == "admission" and not bound
        return _declined(made, Declined("admission", rows.text), serve=served)
    made = replace(made, rows=rows)
    if _scalar(rows, sheet, options):
        return _reference(made)
    if sheet.kind == "cpu":
        beside = None if bound else _columns(made, rows, facts)
        return beside or _on_cpu(made, rows, scored_by, bound)
    return _search(made, rows, scored_by, bound)


def required(plan: GroupPlan) -> Mapping:
    """The plan's mapping; KernelError when an explicit request has none."""
    if plan.mapping is not None:
        return plan.mapping
    loc = plan.refusals[0].loc if plan.refusals else None
    reason = "nothing can run it" if plan.declined is None else plan.declined.reason
    error = KernelError("P004", f"the mapping that was asked for cannot be had: {reason}")
    if loc is not None:
        error = KernelError(replace(error.diagnostic, loc=loc))
    raise error


def default_materialization(sheet: Sheet) -> Materialization:
    """Keep shared tiles where registers hold them; on a CPU recompute what is cheap."""
    return "expensive-only" if sheet.kind == "cpu" else "preserve"


def _policy(options: Options, sheet: Sheet) -> CostPolicy:
    if options.policy == "service":
        raise UnsupportedError(
            "P005", f"{sheet.name} has no calibrated service policy", hint="use the analytic policy"
        )
    return analytic(options)


def _permitted(rows: RowProgram | Refusal, options: Options) -> RowProgram | Refusal:
    """Refuse lane elements that a sort or a reduction's policy does not permit."""
    if isinstance(rows, Refusal) or options.lane_elements == 1:
        return rows
    for reduction in rows.reductions:
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
    return rows


def _scalar(rows: RowProgram, sheet: Sheet, options: Options) -> bool:
    """Whether programs have nothing for several lanes to do, and nobody asked for lanes."""
    asked = options.threads is not None or options.programs_per_group is not None
    if asked or options.subgroup_reductions == "on" or cpu.has_elements(rows):
        return False
    return sheet.kind == "cpu" or not rows.reductions


def _declined(made: GroupPlan, declined: Declined, *, serve: bool) -> GroupPlan:
    """Record why; the reference map serves unless the subgroup map was demanded."""
    made = replace(made, declined=declined)
    return _reference(made) if serve else made


def _reference(made: GroupPlan) -> GroupPlan:
    made = replace(made, mapping=REFERENCE)
    if made.sheet.kind != "cpu":
        return made
    work = cpu.reference_work(made.blocks, made.sheet)
    return replace(made, task_groups=work.task_groups, pool_threads=work.pool_threads)


def _explicit(options: Options) -> bool:
    """Whether the caller fixed a part of the mapping."""
    return options.threads is not None or options.programs_per_group is not None


def _search(made: GroupPlan, rows: RowProgram, policy: CostPolicy, bound: bool) -> GroupPlan:
    """Score every legal candidate and keep the first strict minimum."""
    options = made.options
    space = enumerate_space(rows, made.programs, made.sheet, options)
    if isinstance(space, Declined):
        if isinstance(space, NothingLegal):
            made = replace(made, rejected=space.rejected, refusals=space.refusals)
        declined = Declined(space.code, space.reason)
        return _declined(made, declined, serve=not (bound or _explicit(options)))
    candidates = _candidates(made, rows, space, policy)
    best = min(candidates, key=lambda candidate: candidate.score)
    made = replace(made, candidates=candidates, rejected=space.rejected, refusals=space.refusals)
    return _chosen(made, rows, best)


def _candidates(
    made: GroupPlan, rows: RowProgram, space: Space, policy: CostPolicy
) -> tuple[Candidate, ...]:
    options = made.options
    found = []
    for width, packed in space.legal:
        mapping = Mapping("subgroup", width, packed, options.lane_elements, unroll=options.unroll)
        facts = facts_of(rows, mapping, made.sheet, made.programs)
        found.append(_candidate(mapping, checked(policy, facts)))
    return tuple(found)


def _candidate(mapping: Mapping, score: Score) -> Candidate:
    return Candidate(mapping, score.program, score.kernel, score.terms)


def _chosen(made: GroupPlan, rows: RowProgram, best: Candidate) -> GroupPlan:
    """The plan with its winner and the facts about it."""
    facts = facts_of(rows, best.mapping, made.sheet, made.programs)
    cooperating = best.mapping.subgroups_per_program > 1
    return replace(
        made,
        mapping=best.mapping,
        score=best.score,
        kernel_score=best.kernel_score,
        score_terms=best.terms,
        considered=len(made.candidates),
        shared_bytes=facts.shared_bytes,
        stripe_scalars=facts.stripe_scalars,
        rounds=facts.rounds,
        barriers=facts.barriers,
        useful_elements=useful_elements(rows),
        second_fences=second_fences(rows.steps) if cooperating else (),
    )


def _columns(
    made: GroupPlan, rows: RowProgram, facts: Layouts[str, ViewFacts] | None
) -> GroupPlan | None:
    """The columns map, where layouts are known to suit it and nobody asked for another."""
    if facts is None or _explicit(made.options) or made.options.lane_elements != 1:
        return None
    if not columns.suits(rows, facts, made.programs):
        return None
    if columns.keeps_too_much(rows, made.sheet):
        # A strip is never narrower than its vectors: values are made again where they are read.
        again = analyse(
            rows.kernel, rows.parallel, materialization="nothing", target_kind=made.sheet.kind
        )
        if isinstance(again, Refusal) or columns.keeps_too_much(again, made.sheet):
            return None
        rows, made = again, replace(made, rows=again, materialization="nothing")
    elements = useful_elements(rows)
    return replace(
        made,
        mapping=columns.mapping_of(rows, facts, made.sheet),
        rounds=elements,
        useful_elements=elements,
        pool_threads=cpu.work_of(rows, made.programs, made.sheet).pool_threads,
    )


def _on_cpu(made: GroupPlan, rows: RowProgram, policy: CostPolicy, bound: bool) -> GroupPlan:
    """The one CPU mapping, unless the request or the scratch budget forbids it."""
    sheet, options = made.sheet, made.options
    limit = sheet.stripe_scalars if options.max_stripe is None else options.max_stripe
    kept = stripe_scalars(rows, sheet.lanes, 1)
    declined = None
    if options.lane_elements != 1 or options.programs_per_group not in (None, 1):
        declined = Declined("threads", "a CPU program has one vector, V = 1 and Q = 1")
    elif options.threads not in (None, sheet.lanes):
        declined = Declined("threads", f"a CPU group is one vector of {sheet.lanes} lanes")
    elif kept > limit:
        declined = Declined("budget", f"a lane would keep {kept} words; {limit} allowed")
    if declined is not None:
        serve = declined.code == "budget" and not bound
        return _declined(made, declined, serve=serve)
    mapping = cpu.mapping_of(rows, sheet, options)
    facts = facts_of(rows, mapping, sheet, made.programs)
    best = _candidate(mapping, checked(policy, facts))
    work = cpu.work_of(rows, made.programs, sheet)
    made = _chosen(replace(made, candidates=(best,)), rows, best)
    return replace(made, task_groups=work.task_groups, pool_threads=work.pool_threads)
