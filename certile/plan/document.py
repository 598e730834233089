"""The plan as JSON: schema `certile.plan/1`.

In: a `GroupPlan` and what was asked.  Out: plain data, the same keys whether the plan stands or was
declined (then the plan's own fields are null).  Decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.analysis.reads import swept
from certile.ir.tile import Reduce
from certile.plan.classes import row_class, wave
from certile.plan.group.text import steps_json
from certile.plan.record import Candidate, Form, GroupPlan, Rejection
from certile.plan.text import not_derived

SCHEMA = "certile.plan/1"
_PLAN_FIELDS = (
    "subgroups_per_program",
    "programs_per_group",
    "lane_elements",
    "unroll",
    "accumulators",
    "block",
    "phase",
    "threads",
    "workers",
    "blocks",
    "launched_groups",
    "part_rows",
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
        "policy": str(plan.options.policy),
        "dtype": dtype,
        "shape": list(shape),
        "programs": plan.programs,
        "row_class": row_class(plan.programs, wave(plan.sheet, plan.options)).name,
        "family": None if plan.mapping is None else plan.mapping.family,
        "materialization": plan.materialization,
        "cache_inputs": plan.cache_inputs,
        "derivation": _derivation(plan),
        "forms": [_form(plan, form) for form in plan.forms],
        "not_derived": list(not_derived(plan)),
        **_rows(plan),
        "steps": steps_json(plan),
        "declined": None
        if declined is None
        else {"code": declined.code, "reason": declined.reason},
        **(dict.fromkeys(_PLAN_FIELDS) if declined is not None else _fields(plan)),
        "considered": plan.considered,
        "candidates": [_candidate(plan, candidate) for candidate in plan.candidates],
        "rejected": [_rejection(rejection) for rejection in plan.rejected],
        "refusals": [refusal.to_json() for refusal in plan.refusals],
    }


def _rows(plan: GroupPlan) -> dict[str, object]:
    """D, R and M; empty when admission refused."""
    rows = plan.rows
    if rows is None:
        return {"domains": [], "reductions": [], "materialized": []}
    reductions = [
        {
            "law": reduction.law.name,
            "extent": extent,
            "policy": reduction.policy,
            "state_bytes": reduction.law.state_bytes(reduction.accumulate, extent),
            "rounding": _rounding(plan, reduction),
        }
        for reduction, extent in zip(rows.reductions, rows.reduction_extents, strict=True)
    ]
    return {
        "domains": list(rows.domains),
        "reductions": reductions,
        "materialized": [tile.type.elements for tile in rows.materialized],
    }


def _rounding(plan: GroupPlan, node: Reduce) -> dict[str, object] | None:
    """The bound of a reduction; null for integers, where none is stated, and without a mapping."""
    # The reference, which states the bounds, is not needed by those who print no plan.
    from certile.plan.rounding.bounds import rounding_of

    found = None if plan.mapping is None else rounding_of(plan, node)
    return None if found is None else found.to_json()


def _fields(plan: GroupPlan) -> dict[str, object]:
    mapping = plan.mapping
    if mapping is None:
        return dict.fromkeys(_PLAN_FIELDS)
    fields: dict[str, object] = {
        name: getattr(mapping if hasattr(mapping, name) else plan, name)
        for name in _PLAN_FIELDS
        if name not in ("launched_groups", "waves", "score_terms")
    }
    fields["launched_groups"] = list(plan.launched_groups)
    fields["waves"] = max(1, -(-plan.programs // max(1, wave(plan.sheet, plan.options))))
    analytic = dict.fromkeys(("rounds", "collectives", "setup"))
    fields["score_terms"] = {
        **(analytic if plan.options.policy == "analytic" else {}),
        **plan.score_terms,
    }
    return fields


def _derivation(plan: GroupPlan) -> dict[str, object] | None:
    """The rewrite that the plan follows, and how often it sweeps the row of each view."""
    if plan.derivation is None:
        return None
    return {
        "laws": [law.name for law in plan.derivation.laws],
        "certificate": plan.derivation.digest,
        "sweeps": {} if plan.rows is None else swept(plan.rows),
    }


def _form(plan: GroupPlan, form: Form) -> dict[str, object]:
    return {
        "materialization": form.materialization,
        "cache_inputs": form.cache_inputs,
        "derived": form.derived,
        "chosen": form.best is not None and form.best.mapping is plan.mapping,
        "considered": form.considered,
        "best": None if form.best is None else _candidate(plan, form.best),
        "reason": form.reason,
    }


def _candidate(plan: GroupPlan, candidate: Candidate) -> dict[str, object]:
    mapping = candidate.mapping
    share = mapping.subgroups_per_program * mapping.programs_per_group
    return {
        "subgroups_per_program": mapping.subgroups_per_program,
        "programs_per_group": mapping.programs_per_group,
        "lane_elements": mapping.lane_elements,
        "phase": mapping.phase,
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
        "lane_elements": rejection.lane_elements,
        "phase": rejection.phase,
    }
