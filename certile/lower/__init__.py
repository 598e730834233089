"""Tile IR and a plan become Machine IR: ownership, storage and order are written out.

In: a `GroupPlan` for one `parallel` and the layout facts of its views.  Out: a `Program` of one
launch, or of several that pass values on.  The plan's family picks the map; nothing here chooses.
Each map is a package, the flat one a module; what several maps share lies beside them.
"""

from __future__ import annotations

from collections.abc import Mapping

from certile.diagnostics import InternalError
from certile.ir.host import ViewFacts
from certile.ir.program import Launch, Program
from certile.ir.tile import Kernel, Parallel
from certile.plan.record import GroupPlan

__all__ = ["lower_parallel"]


def lower_parallel(
    name: str,
    kernel: Kernel,
    parallel: Parallel,
    plan: GroupPlan,
    facts: Mapping[str, ViewFacts],
) -> Program:
    """A `parallel` as Machine IR under its plan; `facts` says what is known of each view's layout.

    A launch is named `name`; of several each has a number behind that.
    """
    if plan.mapping is not None and plan.mapping.family == "columns" and plan.rows is not None:
        from certile.lower.columns.lowering import lower_columns

        return lower_columns(plan, plan.rows, plan.mapping, name, facts)
    return Program(name, (_lower_launch(name, kernel, parallel, plan, facts),))


def _lower_launch(
    name: str,
    kernel: Kernel,
    parallel: Parallel,
    plan: GroupPlan,
    facts: Mapping[str, ViewFacts],
) -> Launch:
    """The one launch of a plan of any other map."""
    if plan.mapping is None:
        raise InternalError("M020", "a plan without a mapping cannot be lowered", loc=parallel.loc)
    # A process compiles few kernels, most of one family; the others take time to import.
    if plan.mapping.family == "reference":
        from certile.lower.reference.lowering import ReferenceLowering

        return ReferenceLowering(kernel, parallel, plan).run(name, facts)
    if plan.mapping.family == "group" and plan.group is not None:
        from certile.lower.group.lowering import GroupLowering

        return GroupLowering(plan, plan.group, plan.mapping).run(name, facts)
    if plan.rows is None:
        raise InternalError("M020", "a plan without its row program", loc=parallel.loc)
    if plan.mapping.family == "flat":
        from certile.lower.flat import FlatLowering

        return FlatLowering(plan, plan.rows, plan.mapping).run(name, facts)
    from certile.lower.subgroup.lowering import SubgroupLowering

    return SubgroupLowering(plan, plan.rows, plan.mapping).run(name, facts)
