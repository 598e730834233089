"""A plan as a person reads it: what was chosen, what it costs, what else was possible and why.

In: a `GroupPlan`.  Out: `plan_text`, the decision with the first few alternatives, and `why_text`,
every alternative with the reason for and against it.  Decides wording and order only.
"""

from __future__ import annotations

from collections.abc import Iterator

from certile.analysis.nests import flat
from certile.analysis.reads import Reads, reads, swept
from certile.ir.laws import is_built_in
from certile.ir.rows import RowProgram
from certile.ir.tile import Reduce
from certile.plan.forms import leaves_caches
from certile.plan.group.text import step_lines
from certile.plan.mapping import Mapping
from certile.plan.record import Candidate, Form, GroupPlan

__all__ = ["not_derived", "plan_text", "why_text"]

_SHOWN = 12
# So many digits of a certificate's digest name it; the plan's document has all of them.
_DIGITS = 12


def plan_text(plan: GroupPlan) -> str:
    """Several lines, in the terms of the command line's plan document."""
    parts = (_head(plan), _program(plan), _candidates(plan, _SHOWN), _rejections(plan, _SHOWN))
    return "\n".join(line for part in (*parts, _refusals(plan)) for line in part)


def why_text(plan: GroupPlan) -> str:
    """The plan with the reason for its mapping, and every candidate, rejection and refusal."""
    parts = (_head(plan), _program(plan), _reason(plan), _candidates(plan), _rejections(plan))
    return "\n".join(line for part in (*parts, _refusals(plan)) for line in part)


def mapping_text(mapping: Mapping) -> str:
    """Name a mapping with its numbers, in a few words."""
    if mapping.family == "reference":
        return "reference map: one program a lane, loops in the order written"
    if mapping.family == "flat":
        share, packs = mapping.subgroups_per_program, mapping.unroll
        return f"flat: S={share} V={mapping.lane_elements} U={packs}, all programs as one row"
    if mapping.family == "group":
        return (
            f"group map: {mapping.group_threads} threads a program, "
            f"S={mapping.subgroups_per_program} U={mapping.unroll}"
        )
    if mapping.family == "columns":
        return (
            f"columns map: one program a lane, strips of {mapping.group_vectors} to "
            f"{mapping.strip_vectors} vectors, {mapping.rows_at_once} rows at once"
            + (f", ahead={mapping.ahead}" if mapping.ahead else "")
            + (f", in parts of {mapping.part_rows} rows" if mapping.part_rows else "")
        )
    parts = [
        f"S={mapping.subgroups_per_program}",
        f"Q={mapping.programs_per_group}",
        f"V={mapping.lane_elements}",
        f"U={mapping.unroll}",
    ]
    if mapping.accumulators > 1:
        parts.append(f"A={mapping.accumulators}")
    if mapping.block > 1:
        parts.append(f"B={mapping.block}")
    if mapping.phase:
        parts.append("phase")
    if mapping.streaming:
        parts.append("streaming stores")
    if mapping.ahead:
        parts.append(f"ahead={mapping.ahead}")
    return " ".join(parts)


def _head(plan: GroupPlan) -> Iterator[str]:
    programs = _counted(plan.programs, "program")
    yield f"plan for {programs} on {plan.sheet.name}, {plan.options.policy} policy"
    if plan.declined is not None:
        yield f"  declined ({plan.refused_as}): {plan.declined.reason}"
    if plan.mapping is None:
        return
    yield f"  mapping      {mapping_text(plan.mapping)}"
    yield f"  launch       {groups_text(plan)}"
    if plan.mapping.family == "subgroup":
        yield f"  shared       {plan.shared_bytes} bytes, {plan.barriers} barrier sites"
        yield f"  stripe       {plan.stripe_scalars} scalars a worker"
        yield f"  rounds       {plan.rounds}, lane utilisation {plan.lane_utilization:.3f}"
    if plan.group is not None:
        yield f"  shared       {plan.shared_bytes} bytes, {plan.barriers} barrier sites"
        yield f"  rounds       {plan.rounds}, thread utilisation {plan.lane_utilization:.3f}"
    if plan.score is not None and plan.options.policy == "service":
        terms = ", ".join(f"{name} {_time(value)}" for name, value in plan.score_terms.items())
        yield f"  estimate     {_time(plan.kernel_score or 0.0)} a launch ({terms}); uncalibrated"
    elif plan.score is not None:
        terms = ", ".join(f"{name} {value:g}" for name, value in plan.score_terms.items())
        yield f"  score        {plan.score:g} ({terms}), kernel {plan.kernel_score:g}"
    yield from _forms(plan)


def _forms(plan: GroupPlan) -> Iterator[str]:
    """What was derived, or why nothing was looked for, and what each planned form came to."""
    if plan.derivation is not None:
        laws = ", ".join(law.name for law in plan.derivation.laws)
        made = " and ".join(node.law.name for node in _again(plan.rows)) if plan.rows else ""
        sweeps = {} if plan.rows is None else swept(plan.rows)
        said = ", ".join(f"{name} is swept {_often(count)}" for name, count in sweeps.items())
        digest = plan.derivation.digest[:_DIGITS]
        yield f"  derived      {made} as one reduction, law {laws}; certificate {digest}, {said}"
    elif plan.rows is not None and len(plan.rows.reductions) + len(plan.rows.folds) > 1:
        yield from (f"  not derived  {reason}" for reason in not_derived(plan))
    for form in plan.forms:
        if form.best is None:
            yield f"  form         {_form_name(form)}: {form.reason}"
            continue
        chosen = ", chosen" if form.best.mapping is plan.mapping else ""
        cost = _time(form.best.kernel_score)
        best = mapping_text(form.best.mapping)
        yield f"  form         {_form_name(form)}: {cost} with {best}{chosen}"


def not_derived(plan: GroupPlan) -> Iterator[str]:
    """Why no proved rewrite was looked for; nothing where one was."""
    options = plan.options
    if plan.rows is None:
        return
    if plan.rows.kernel.rewrites == "off":
        yield 'the kernel has rewrites="off"'
    elif plan.rows.kernel.math == "fast":
        yield "math is fast, which may not tell what is finite"
    elif options.policy == "analytic":
        yield f"the policy {options.policy} plans the program as it is written"
    elif options.materialization is not None or options.cache_inputs is not None:
        yield "the form was asked for"
    elif plan.work is not None and not plan.work.again_bytes and not plan.rows.materialized:
        yield "not looked for: a row reads nothing again"
    elif not leaves_caches(plan) and not any(no.kind == "rewrite" for no in plan.refusals):
        yield "not looked for: what a row reads again is still in registers or caches"


def _form_name(form: Form) -> str:
    whose = "derived" if form.derived else "as written"
    inputs = ", inputs cached" if form.cache_inputs else ""
    return f"{whose}, {form.materialization}{inputs}"


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds / 1000:.4g} µs"


def _program(plan: GroupPlan) -> Iterator[str]:
    if plan.group is not None:
        yield from (f"  step         {line}" for line in step_lines(plan))
    if plan.rows is None:
        return
    yield f"  domains      {list(plan.rows.domains)}"
    for node, extent in zip(plan.rows.reductions, plan.rows.reduction_extents, strict=True):
        yield f"  reduction    {_reduction(plan, node, extent)}"
        yield from _rounding(plan, node)
    for node, extent in zip(plan.rows.apart, plan.rows.apart_extents, strict=True):
        yield f"  again        where the state is not finite: {_reduction(plan, node, extent)}"
    if plan.rows.lanes is not None:
        axes = sorted(plan.rows.lanes, key=lambda axis: axis.uid)
        across = ", ".join(axis.name for axis in axes) or "no axis"
        yield f"  lanes along  {across}: the fewest rounds; uniform loops walk the other axes"
    again = _again(plan.rows)
    for node in plan.rows.folds:
        names = ", ".join(axis.name for axis in node.over)
        way = f"{node.policy}, by each lane alone"
        when = ", where the state is not finite" if node in again else ""
        yield f"  fold         {node.law.name} over {names}, {way}{when}"
    for node in plan.rows.inline:
        names = ", ".join(axis.name for axis in node.over)
        yield f"  inline       {node.law.name} over {names}, made where an element of it is read"
    for scan in plan.rows.scans:
        kept = sum(result.of is scan for result in plan.rows.kept_scans)
        way = f"{'inclusive' if scan.inclusive else 'exclusive'}{', reverse' * scan.reverse}"
        where = f"{_counted(kept, 'result')} kept" if kept else "read as it is made"
        yield f"  scan         {scan.law.name} over {scan.over.static}, {way}; {where}"
    yield f"  kept tiles   {len(plan.rows.materialized)} ({plan.materialization})"
    yield from _reads(plan.rows)


def _again(rows: RowProgram) -> tuple[Reduce, ...]:
    """The reductions as written that a fallback makes, by all lanes together or by each alone."""
    bodies = (step.body for step in flat(rows.steps) if step.kind == "fallback")
    inside = {step.node for body in bodies for step in flat(body)}
    return (*rows.apart, *(node for node in rows.folds if node in inside))


def _rounding(plan: GroupPlan, node: Reduce) -> Iterator[str]:
    """How far the results of a reduction of floats may be from the exact ones."""
    # The reference, which states the bounds, is not needed by those who print no plan.
    from certile.plan.rounding.bounds import rounding_of

    if node.accumulate.is_float and plan.mapping is not None:
        yield f"  rounding     {rounding_of(plan, node) or 'no bound is stated'}"


def _reduction(plan: GroupPlan, node: Reduce, extent: int) -> str:
    said = f"{node.law.name} over {extent}, {node.policy}; certificate "
    if plan.derivation is not None and node.law in plan.derivation.laws:
        return f"{said}{plan.derivation.digest[:_DIGITS]}"
    # Most processes print no plan, and the checker takes some milliseconds to import.
    from certile.proof.registry import certificate_of

    held = "property tests" if is_built_in(node.law) else "generated lists"
    proof = certificate_of(node.law, node.accumulate)
    return f"{said}{proof[:_DIGITS] if proof else f'none (held by {held})'}"


def _reads(rows: RowProgram) -> Iterator[str]:
    """How often memory is read for a place of each input: by a program, and by a row done again."""
    found = reads(rows)
    usual = ", ".join(f"{one.view.name} {_usual(one)}" for one in found if one.usual != 0)
    more = ", ".join(f"{one.view.name} {_often(one.again)}" for one in found if one.again != 0)
    again = f"; a row computed again reads {more} more" if more else ""
    if found:
        yield f"  reads        {usual or 'nothing'}{again}"


def _usual(read: Reads) -> str:
    """How often a place is read in every run; what single elements add to sweeps is said apart."""
    if read.usual is None or not read.rows or read.rows == read.usual:
        return _often(read.usual)
    return f"{_often(read.rows)} and a single element {_often(read.usual - read.rows)} more"


def groups_text(plan: GroupPlan) -> str:
    """Say how many groups each launch has, and of how many threads."""
    first, *others = plan.launched_groups
    text = f"{_counted(first, 'group')} of {_counted(plan.threads, 'thread')}"
    return text + "".join(f", then {other}" for other in others)


def _often(times: int | None) -> str:
    if times is None:
        return "as often as its indices meet"
    return {1: "once", 2: "twice"}.get(times, f"{times} times")


def _reason(plan: GroupPlan) -> Iterator[str]:
    """Say in a sentence why the mapping is what it is."""
    if plan.mapping is None:
        yield "  because      what was asked for cannot be had, and nothing else may serve"
    elif plan.mapping.family == "subgroup":
        yield f"  because      {_least(plan)}"
    elif plan.mapping.family == "flat":
        yield "  because      no view has gaps, so an element's place is its number in the launch"
    elif plan.mapping.family == "columns":
        yield "  because      neighbouring programs touch neighbouring elements of every row"
        if plan.derivation is not None:
            yield "  derived as   no strip of programs stays in a cache from one sweep to the next"
    elif plan.mapping.family == "group":
        yield "  because      the kernel binds each program to a group"
    elif plan.declined is not None:
        yield f"  because      lanes cannot share a program here: {plan.declined.reason}"
    else:
        yield "  because      a program has no axis of elements that several lanes could share"


def _least(plan: GroupPlan) -> str:
    """Say what a mapping that was chosen by its cost was chosen from."""
    derived = plan.derivation is not None
    other = [form.best.kernel_score for form in plan.forms if form.best and form.derived != derived]
    if other:
        whole = "as it is written" if derived else "as one reduction for several"
        return f"{whole} the program is estimated at {_time(min(other))} or more"
    if plan.considered == 1:
        return "it is the only candidate"
    return "no candidate costs less, and it comes first among equals"


def _candidates(plan: GroupPlan, most: int | None = None) -> Iterator[str]:
    if plan.candidates:
        unit = " (ns a program)" if plan.options.policy == "service" else ""
        yield f"  {_counted(plan.considered, 'candidate')} considered, best first{unit}:"
    best: list[Candidate] = sorted(plan.candidates, key=lambda made: made.score)
    for made in best[:most]:
        yield f"    {made.score:10.4f}  {mapping_text(made.mapping)}"
    yield from _left_out(len(best), most)


def _rejections(plan: GroupPlan, most: int | None = None) -> Iterator[str]:
    for no in plan.rejected[:most]:
        where = f"S={no.subgroups_per_program} Q={no.programs_per_group}"
        wide = "" if no.lane_elements is None else f" V={no.lane_elements}{' phase' * no.phase}"
        yield f"  rejected     {where}{wide} by {no.rule}: {no.reason}"
    yield from _left_out(len(plan.rejected), most)


def _refusals(plan: GroupPlan) -> Iterator[str]:
    for refusal in plan.refusals:
        yield f"  refused      {refusal}"
    if any(refusal.kind == "rewrite" for refusal in plan.refusals):
        yield "  more         `certile prove FILE.py:KERNEL` shows what was to be proved"


def _left_out(count: int, most: int | None) -> Iterator[str]:
    if most is not None and count > most:
        yield f"    and {count - most} more; `certile why` lists all"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
