"""The forms of a launch: what is kept of the program as written, and the program as derived.

In: a launch, a sheet, options, and the best plan of the forms as written.  Out: the forms to plan,
the first being what the target does by default.  Decides which forms make a difference, and when a
derivation is worth asking for: where a row is read again and has left every cache by then, or a
reduction is made again that no worker can keep.  Leaves proofs to `search`, scores to the policy,
and the choice among forms to `choose`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from certile.analysis.nests import flat
from certile.ir.node import Node, reach
from certile.ir.tile import Kernel, Parallel, Reduce
from certile.plan.cost.near import fits
from certile.plan.record import Form, GroupPlan, Materialization, Options
from certile.records import record
from certile.targets.sheet import Sheet

if TYPE_CHECKING:
    from certile.search.regions import Derived

__all__ = [
    "Wanted",
    "as_written",
    "default_materialization",
    "derive",
    "derived_forms",
    "leaves_caches",
    "makes_again",
    "summary",
]


@record
class Wanted:
    """A form that is to be planned."""

    materialization: Materialization
    cache_inputs: bool = False


def default_materialization(sheet: Sheet) -> Materialization:
    """Keep shared tiles where registers hold them; on a CPU recompute what is cheap."""
    return "expensive-only" if sheet.kind == "cpu" else "preserve"


def as_written(options: Options, sheet: Sheet) -> tuple[Wanted, ...]:
    """The forms of the program as written, the default first; one where the caller fixed it."""
    first = options.materialization or default_materialization(sheet)
    if options.policy == "analytic":
        return (Wanted(first, bool(options.cache_inputs)),)
    kept: tuple[Materialization, ...] = (first,)
    if options.materialization is None:
        kept = tuple(dict.fromkeys((first, "preserve", "expensive-only", "nothing")))
    cached: tuple[bool, ...] = (bool(options.cache_inputs),)
    if options.cache_inputs is None and not _holds_inputs(sheet):
        cached = (False, True)
    return tuple(Wanted(each, inputs) for each in kept for inputs in cached)


def derived_forms(sheet: Sheet) -> tuple[Wanted, ...]:
    """The forms of a derived program: it keeps nothing, or on a GPU the row as it was read."""
    kept = (False,) if _holds_inputs(sheet) else (False, True)
    return tuple(Wanted("nothing", inputs) for inputs in kept)


def _holds_inputs(sheet: Sheet) -> bool:
    """Whether a row that fits a cache is there anyway, as on a CPU, so that keeping copies it."""
    return sheet.kind == "cpu"


def leaves_caches(plan: GroupPlan) -> bool:
    """Whether a plan reads a row again that is no longer near, as it was longer than caches."""
    work, sheet = plan.work, plan.sheet
    if work is None or not work.again_bytes:
        return False
    if sheet.kind == "cpu":
        return not fits(sheet, work.row_bytes)
    groups = 1 if plan.mapping is None else sheet.resident_threads // plan.threads
    return not fits(sheet, work.row_bytes, max(1, min(groups, sheet.resident_groups)))


def makes_again(plan: GroupPlan) -> bool:
    """Whether a plan makes a reduction for several others, as it cannot keep its results."""
    if plan.rows is None or not plan.rows.inline:
        return False
    made = (step.node for step in flat(plan.rows.steps) if isinstance(step.node, Reduce))
    read = [node for at in made for node in reach(at.operands(), _before_reductions)]
    return any(read.count(node) > 1 for node in plan.rows.inline)


def _before_reductions(node: Node) -> Iterable[Node]:
    return () if isinstance(node, Reduce) else node.operands()


def derive(kernel: Kernel, parallel: Parallel, options: Options) -> Derived | None:
    """What can be derived of a program; None where the caller fixed its form."""
    if options.materialization is not None or options.cache_inputs is not None:
        return None
    if kernel.rewrites == "off":
        return None
    # The search takes longer to import than a program that needs none takes to plan.
    from certile.search.regions import derived

    return derived(kernel, parallel)


def summary(plan: GroupPlan) -> Form:
    """What a planned form came to."""
    best = min(plan.candidates, key=lambda candidate: candidate.score, default=None)
    reason = "" if plan.declined is None else plan.declined.reason
    return Form(
        plan.materialization,
        plan.cache_inputs,
        plan.derivation is not None,
        len(plan.candidates),
        best,
        reason,
    )
