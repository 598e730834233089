"""A plan as a person reads it: what was chosen, what it costs, what else was possible and why."""

from __future__ import annotations

from collections.abc import Iterator

from certile.plan.record import Candidate, GroupPlan, Mapping

__all__ = ["plan_text"]

_SHOWN = 12


def plan_text(plan: GroupPlan) -> str:
    """Several lines, in the terms of the command line's plan document."""
    return "\n".join([*_head(plan), *_program(plan), *_alternatives(plan)])


def _name(mapping: Mapping) -> str:
    if mapping.family == "reference":
        return "reference map: one program a lane, loops in the order written"
    parts = [
        f"S={mapping.subgroups_per_program}",
        f"Q={mapping.programs_per_group}",
        f"V={mapping.lane_elements}",
        f"U={mapping.unroll}",
    ]
    if mapping.accumulators > 1:
        parts.append(f"A={mapping.accumulators}")
    if mapping.streaming:
        parts.append("streaming stores")
    return " ".join(parts)


def _head(plan: GroupPlan) -> Iterator[str]:
    yield f"plan for {plan.programs} programs on {plan.sheet.name}, {plan.options.policy} policy"
    if plan.declined is not None:
        yield f"  declined ({plan.declined.code}): {plan.declined.reason}"
    if plan.mapping is None:
        return
    yield f"  mapping      {_name(plan.mapping)}"
    yield f"  launch       {plan.blocks} groups of {plan.threads} threads"
    if plan.mapping.family == "subgroup":
        yield f"  shared       {plan.shared_bytes} bytes, {plan.barriers} barrier sites"
        yield f"  stripe       {plan.stripe_scalars} scalars a worker"
        yield f"  rounds       {plan.rounds}, lane utilisation {plan.lane_utilization:.3f}"
    if plan.score is not None:
        terms = ", ".join(f"{name} {value:g}" for name, value in plan.score_terms.items())
        yield f"  score        {plan.score:g} ({terms}), kernel {plan.kernel_score:g}"


def _program(plan: GroupPlan) -> Iterator[str]:
    if plan.rows is None:
        return
    yield f"  domains      {list(plan.rows.domains)}"
    for node, extent in zip(plan.rows.reductions, plan.rows.reduction_extents, strict=True):
        proof = node.law.certificate or "none (held by property tests)"
        yield f"  reduction    {node.law.name} over {extent}, {node.policy}; certificate {proof}"
    yield f"  kept tiles   {len(plan.rows.materialized)} ({plan.materialization})"


def _alternatives(plan: GroupPlan) -> Iterator[str]:
    if plan.candidates:
        yield f"  {plan.considered} candidates considered, best first:"
    best: list[Candidate] = sorted(plan.candidates, key=lambda made: made.score)
    for made in best[:_SHOWN]:
        yield f"    {made.score:10.4f}  {_name(made.mapping)}"
    for no in plan.rejected[:_SHOWN]:
        where = f"S={no.subgroups_per_program} Q={no.programs_per_group}"
        yield f"  rejected     {where}: {no.reason}"
    for refusal in plan.refusals:
        yield f"  refused      {refusal.rule}: {refusal.claim}; {refusal.missing}"
