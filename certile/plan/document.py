"""The plan as JSON: schema `certile.plan/1`.

In: a `GroupPlan` and what was asked.  Out: plain data, the same keys whether the plan stands or was
declined (then the plan's own fields are null).  Decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.ir.rows import RowProgram
from certile.plan.classes import row_class, wave
from certile.plan.record import Candidate, GroupPlan, Rejection

SCHEMA = "certile.plan/1"
_PLAN_FIELDS = (
    "subgroups_per_program",
    "programs_per_group",
    "lane_elements",
    "unroll",
    "accumulators",
    "threads",
    "workers",
    "blocks",
    "active_programs_last_block",
    "shared_bytes",
    "stripe_scalars",
    "rounds",
    "barriers",
    "independent_subgroups",
    "lane_utilization",
    "waves",
    "score",
    "kernel_score",
    "score_terms",
)


def plan_json(
    plan: GroupPlan, *, op: str, target: str, dtype: str, shape: Sequence[int]
) -> dict[str, object]:
    """The plan of an op as plain data."""
    declined = plan.declined
    return {
        "schema": SCHEMA,
        "op": op,
        "target": target,
        "sheet": plan.sheet.name,
        "policy": plan.options.policy,
        "dtype": dtype,
        "shape": list(shape),
        "programs": plan.programs,
        "row_class": row_class(plan.programs, wave(plan.sheet, plan.options)).name,
        "family": None if plan.mapping is None else plan.mapping.family,
        "materialization": plan.materialization,
        **_rows(plan.rows),
        "declined": None
        if declined is None
        else {"code": declined.code, "reason": declined.reason},
        **(dict.fromkeys(_PLAN_FIELDS) if declined is not None else _fields(plan)),
        "considered": plan.considered,
        "candidates": [_candidate(plan, candidate) for candidate in plan.candidates],
        "rejected": [_rejection(rejection) for rejection in plan.rejected],
        "refusals": [refusal.to_json() for refusal in plan.refusals],
    }


def _rows(rows: RowProgram | None) -> dict[str, object]:
    """D, R and M; empty when admission refused."""
    if rows is None:
        return {"domains": [], "reductions": [], "materialized": []}
    reductions = [
        {
            "law": reduction.law.name,
            "extent": extent,
            "policy": reduction.policy,
            "state_bytes": reduction.law.state_bytes(reduction.accumulate, extent),
        }
        for reduction, extent in zip(rows.reductions, rows.reduction_extents, strict=True)
    ]
    return {
        "domains": list(rows.domains),
        "reductions": reductions,
        "materialized": [tile.type.elements for tile in rows.materialized],
    }


def _fields(plan: GroupPlan) -> dict[str, object]:
    mapping = plan.mapping
    if mapping is None:
        return dict.fromkeys(_PLAN_FIELDS)
    fields: dict[str, object] = {
        name: getattr(mapping if hasattr(mapping, name) else plan, name)
        for name in _PLAN_FIELDS
        if name not in ("waves", "score_terms")
    }
    fields["waves"] = max(1, -(-plan.programs // max(1, wave(plan.sheet, plan.options))))
    fields["score_terms"] = {
        name: plan.score_terms.get(name) for name in ("rounds", "collectives", "setup")
    }
    return fields


def _candidate(plan: GroupPlan, candidate: Candidate) -> dict[str, object]:
    mapping = candidate.mapping
    share = mapping.subgroups_per_program * mapping.programs_per_group
    return {
        "subgroups_per_program": mapping.subgroups_per_program,
        "programs_per_group": mapping.programs_per_group,
        "lane_elements": mapping.lane_elements,
        "threads": plan.sheet.lanes * share,
        "score": candidate.score,
        "kernel_score": candidate.kernel_score,
        "score_terms": dict(candidate.terms),
    }


def _rejection(rejection: Rejection) -> dict[str, object]:
    return {
        "subgroups_per_program": rejection.subgroups_per_program,
        "programs_per_group": rejection.programs_per_group,
        "rule": rejection.rule,
        "value": rejection.value,
        "limit": rejection.limit,
        "reason": rejection.reason,
    }
