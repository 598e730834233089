"""Choose a plan: which map runs a launch, and which form of its program.

In: a specialised kernel, one of its launches, a number of programs, a sheet and options.  Out: a
`GroupPlan` with every candidate, rejection and refusal.  Under the service policy every form of the
program that makes a difference is planned (`forms`), the derived one included, and the best plan is
taken; the analytic policy plans the one form that was asked for.  Decides the family of the
mapping; the reference map serves what is declined, unless the caller asked for a mapping that
cannot be had.  Leaves the candidates of the subgroup family to `candidates`, programs that ask for
a group to `groups`, and target text, loops and storage to lowering.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as Layouts
from dataclasses import replace
from typing import TYPE_CHECKING

from certile.analysis.rows import analyse
from certile.diagnostics import KernelError, Refusal, UnsupportedError
from certile.ir.host import ViewFacts
from certile.ir.rows import RowProgram
from certile.ir.tile import Kernel, Parallel
from certile.plan import columns, flat, forms
from certile.plan.cost.analytic import analytic
from certile.plan.cost.policy import CostPolicy
from certile.plan.cost.service import service
from certile.plan.exactness import unkept_promise
from certile.plan.forms import Wanted, default_materialization
from certile.plan.mapping import Mapping
from certile.plan.options import OwnPolicy
from certile.plan.record import Declined, GroupPlan, Options
from certile.plan.scopes import Level, bound_to, made_alone, scoped
from certile.plan.subgroup import cpu
from certile.plan.subgroup.candidates import one_element_a_lane, only, searched
from certile.plan.subgroup.counts import Counts, counts_of, useful_elements
from certile.plan.subgroup.space import check_options, limits_of
from certile.records import record
from certile.targets.sheet import Sheet

if TYPE_CHECKING:
    from certile.search.regions import Rewrite

__all__ = ["choose", "default_materialization", "required"]

REFERENCE = Mapping("reference")


@record
class _Request:
    """One launch to plan, whatever its form."""

    kernel: Kernel
    parallel: Parallel
    policy: CostPolicy
    facts: Layouts[str, ViewFacts] | None
    made: GroupPlan
    level: Level

    @property
    def bound(self) -> bool:
        """Whether the caller demands the subgroup map."""
        return self.made.options.subgroup_reductions == "on" or self.level == "subgroup"


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
    made = _asked(programs, sheet, options)
    unkept = unkept_promise(kernel, parallel, sheet)
    if unkept is not None:
        made = replace(made, refusals=(unkept,))
        return _declined(made, Declined("target", unkept.text), serve=False)
    level = bound_to(parallel, sheet.kind)
    if isinstance(level, Refusal):
        made = replace(made, refusals=(level,))
        return _declined(made, Declined("scope", level.text), serve=False)
    if level == "group":
        # Few programs ask for a group, and its planner takes time to import.
        from certile.plan.group.planning import plan_group

        return plan_group(made, kernel, parallel, scored_by)
    if options.subgroup_reductions == "off":
        off = Declined("off", "subgroup reductions are switched off")
        return _declined(made, off, serve=level != "subgroup")
    return _map_by_lanes(_Request(kernel, parallel, scored_by, facts, made, level))


def _map_by_lanes(request: _Request) -> GroupPlan:
    """The plan of a launch that asks for no group: of one map or, of the family, the best form."""
    if request.level == "worker":
        return _one_a_worker(request)
    beside = _flat(request)
    if beside is not None:
        return beside
    options = request.made.options
    first, *others = forms.as_written(options, request.made.sheet)
    plan = _planned(request, first, _admitted(request, first))
    return plan if options.policy == "analytic" else _best_form(request, plan, others)


def _asked(programs: int, sheet: Sheet, options: Options) -> GroupPlan:
    """What was asked for, with nothing decided."""
    return GroupPlan(
        rows=None,
        sheet=sheet,
        options=options,
        programs=programs,
        mapping=None,
        declined=None,
        materialization=options.materialization or default_materialization(sheet),
    )


def _best_form(request: _Request, first: GroupPlan, others: list[Wanted]) -> GroupPlan:
    """The best of all forms, of which the first is planned; earlier ones win ties."""
    if first.mapping is not None and first.mapping.family == "columns":
        return _of_fewer_sweeps(request, first)
    if _has_one_form(first):
        return first
    plans = [first]
    _add_forms(request, others, plans)
    best = _least(plans)
    refusals: tuple[Refusal, ...] = ()
    if _is_free(request) and (forms.leaves_caches(best) or forms.makes_again(best)):
        derived = forms.derive(request.kernel, request.parallel, request.made.options)
        if derived is not None:
            refusals = derived.refusals
            made = _derived_plans(request, derived.rewrite)
            plans += [plan for plan in made if plan.score is not None]
            best = _least(plans)
    planned = tuple(map(forms.summary, plans)) if len(plans) > 1 else ()
    return replace(best, forms=planned, refusals=(*best.refusals, *refusals))


def _is_free(request: _Request) -> bool:
    """Whether a program may be derived: its scopes are for the reductions and loops it has."""
    return not any(scoped(request.parallel))


def _of_fewer_sweeps(request: _Request, first: GroupPlan) -> GroupPlan:
    """The derived program under the columns map, where no strip of the other stays in a cache.

    Both take memory's time, and the derived one has fewer sweeps.
    """
    rows, facts, sheet = first.rows, request.facts, first.sheet
    if rows is None or facts is None or not columns.leaves_cache(rows, facts, sheet):
        return first
    derived = None
    if _is_free(request):
        derived = forms.derive(request.kernel, request.parallel, first.options)
    if derived is None:
        return first
    made = _derived_plans(request, derived.rewrite)
    best = next((plan for plan in made if plan.mapping and plan.mapping.family == "columns"), first)
    return replace(best, refusals=(*best.refusals, *derived.refusals))


def _has_one_form(plan: GroupPlan) -> bool:
    """Whether other forms would make no difference, or none that is worth its planning.

    On a CPU what is kept of a row that fits a cache is settled, and so is what admission refuses.
    """
    if plan.declined is None and not plan.candidates:
        return True
    return plan.sheet.kind == "cpu" and (plan.rows is None or not forms.leaves_caches(plan))


def _same_form(rows: RowProgram, plan: GroupPlan) -> bool:
    """Whether a row program keeps what that of a plan keeps."""
    return plan.rows is not None and plan.rows.materialized == rows.materialized


def _least(plans: list[GroupPlan]) -> GroupPlan:
    """The first plan with the least score, or the first where no form has one."""
    scored = [plan for plan in plans if plan.score is not None]
    return min(scored, key=lambda plan: plan.score or 0.0) if scored else plans[0]


def _derived_plans(request: _Request, rewrite: Rewrite | None) -> list[GroupPlan]:
    """The plans of the derived program."""
    if rewrite is None:
        return []
    request = replace(
        request,
        kernel=rewrite.kernel,
        parallel=rewrite.parallel,
        made=replace(request.made, derivation=rewrite),
    )
    plans: list[GroupPlan] = []
    _add_forms(request, forms.derived_forms(request.made.sheet), plans)
    return plans


def _add_forms(request: _Request, wanted: Iterable[Wanted], plans: list[GroupPlan]) -> None:
    """Plan the forms that keep something else than those that are planned."""
    for form in wanted:
        rows = _admitted(request, form)
        if not isinstance(rows, Refusal) and not any(_same_form(rows, plan) for plan in plans):
            plans.append(_planned(request, form, rows))


def _admitted(request: _Request, wanted: Wanted) -> RowProgram | Refusal:
    """The row program of one form, or why lanes cannot share it."""
    sheet, options = request.made.sheet, request.made.options
    rows = analyse(
        request.kernel,
        request.parallel,
        materialization=wanted.materialization,
        cache_inputs=wanted.cache_inputs,
        target_kind=sheet.kind,
        budget=sheet.stripe_scalars if options.max_stripe is None else options.max_stripe,
    )
    if isinstance(rows, Refusal) or options.lane_elements in (None, 1):
        return rows
    return one_element_a_lane(rows) or rows


def _planned(request: _Request, wanted: Wanted, rows: RowProgram | Refusal) -> GroupPlan:
    """The plan of one form."""
    sheet, options = request.made.sheet, request.made.options
    made = replace(
        request.made, materialization=wanted.materialization, cache_inputs=wanted.cache_inputs
    )
    if isinstance(rows, Refusal):
        made = replace(made, refusals=(rows,))
        served = rows.kind == "admission" and not request.bound
        return _declined(made, Declined("admission", rows.text), serve=served)
    made = replace(made, rows=rows)
    alone = made_alone(rows)
    if alone is not None:
        made = replace(made, refusals=(alone,))
        return _declined(made, Declined("scope", alone.text), serve=False)
    if not request.bound and _scalar(rows, sheet, options):
        return _reference(made)
    if sheet.kind == "cpu":
        beside = None if request.bound else _columns(made, rows, request.facts)
        if beside is not None:
            return beside
    counts = counts_of(rows, sheet, made.programs, request.facts)
    made = replace(made, work=counts.work)
    return _subgroup_family(request, made, counts)


def _one_a_worker(request: _Request) -> GroupPlan:
    """The plan of a launch whose programs are bound to one lane each, which is no fallback.

    On a CPU the columns map is such a plan too, where layouts suit it.
    """
    made = request.made
    if _explicit(made.options) or made.options.subgroup_reductions == "on":
        reason = "a program that is bound to a worker has one lane, and no threads to set"
        return _declined(made, Declined("scope", reason), serve=False)
    if made.sheet.kind != "cpu":
        return _reference(made)
    rows = _admitted(request, forms.Wanted(made.materialization, cache_inputs=False))
    if isinstance(rows, Refusal) or _scalar(rows, made.sheet, made.options):
        return _reference(made)
    return _columns(replace(made, rows=rows), rows, request.facts) or _reference(made)


def _subgroup_family(request: _Request, made: GroupPlan, counts: Counts) -> GroupPlan:
    """The plan of the subgroup family; where it is declined the reference map may serve."""
    on_cpu = made.sheet.kind == "cpu"
    plan = (only if on_cpu else searched)(made, counts, request.policy)
    if plan.declined is None:
        return plan
    code = plan.declined.code
    demanded = code != "budget" if on_cpu else code == "phase" or _explicit(made.options)
    return plan if request.bound or demanded else _reference(plan)


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


def _policy(options: Options, sheet: Sheet) -> CostPolicy:
    if isinstance(options.policy, OwnPolicy):
        return options.policy.scorer
    if options.policy == "analytic":
        return analytic(options)
    # Coefficients are no part of this policy, but one that makes no sense is an error all the same.
    analytic(options)
    if sheet.bandwidth <= 0:
        message = f"{sheet.name} does not say how fast its memory is"
        raise UnsupportedError("P005", message, hint="use the analytic policy")
    return service(sheet)


def _scalar(rows: RowProgram, sheet: Sheet, options: Options) -> bool:
    """Whether programs have nothing for several lanes to do, and nobody asked for lanes."""
    asked = options.threads is not None or options.programs_per_group is not None
    if asked or cpu.has_elements(rows):
        return False
    return sheet.kind == "cpu" or not rows.reductions


def _declined(made: GroupPlan, declined: Declined, *, serve: bool) -> GroupPlan:
    """Record why; the reference map serves unless the subgroup map was demanded."""
    made = replace(made, declined=declined)
    return _reference(made) if serve else made


def _reference(made: GroupPlan) -> GroupPlan:
    return replace(made, mapping=REFERENCE)


def _explicit(options: Options) -> bool:
    """Whether the caller fixed a part of the mapping."""
    fixed = options.threads is not None or options.programs_per_group is not None
    return fixed or options.phase == "on"


def _flat(request: _Request) -> GroupPlan | None:
    """The flat map, where layouts are known to suit it and nobody asked for another."""
    made, facts = request.made, request.facts
    asked = made.options.phase == "on" or replace(made.options, phase="auto") != Options()
    if facts is None or made.sheet.kind == "cpu" or asked or request.bound:
        return None
    # What no analysis could make flat is not analysed a second time.
    if not flat.is_element_wise(request.parallel.body):
        return None
    rows = _admitted(request, forms.Wanted("nothing", cache_inputs=False))
    if isinstance(rows, Refusal) or not flat.suits(rows, facts):
        return None
    mapping = flat.mapping_of(rows, facts, made.sheet, made.programs)
    return replace(
        made,
        rows=rows,
        mapping=mapping,
        materialization="nothing",
        rounds=mapping.lane_elements * mapping.unroll,
        useful_elements=rows.steps[0].elements,
    )


def _columns(
    made: GroupPlan, rows: RowProgram, facts: Layouts[str, ViewFacts] | None
) -> GroupPlan | None:
    """The columns map, where layouts are known to suit it and nobody asked for another."""
    if facts is None or _explicit(made.options) or made.options.lane_elements not in (None, 1):
        return None
    if not columns.suits(rows, facts, made.programs):
        return None
    kept = _kept_in_strips(made, rows, facts)
    if kept is None:
        return None
    if kept is not rows:
        rows, made = kept, replace(made, rows=kept, materialization="nothing")
    elements, mapping = useful_elements(rows), columns.mapping_of(rows, facts, made.sheet)
    together = made.sheet.lanes * mapping.group_vectors
    serial = cpu.serial_programs(rows, made.sheet)
    return replace(
        made,
        mapping=mapping,
        rounds=elements,
        useful_elements=elements,
        # A large array is work for all threads, however few its programs.
        serial_groups=1 if mapping.part_rows else max(1, serial // together),
    )


def _kept_in_strips(
    made: GroupPlan, rows: RowProgram, facts: Layouts[str, ViewFacts]
) -> RowProgram | None:
    """The row program whose tiles a strip keeps, as it is or with none; None if that is too much.

    A strip is never narrower than its vectors: values are made again where they are read.
    """
    too_much = columns.keeps_too_much(rows, made.sheet)
    far = made.options.materialization is None and columns.keeps_far(rows, facts, made.sheet)
    if not (too_much or far):
        return rows
    again = analyse(
        rows.kernel, rows.parallel, materialization="nothing", target_kind=made.sheet.kind
    )
    if isinstance(again, Refusal) or columns.keeps_too_much(again, made.sheet):
        return None if too_much else rows
    return again
