"""The service policy: an estimate of how long a launch takes, in nanoseconds.

In: a sheet.  Out: the policy of its kind of target, which gives a candidate a `Score` whose terms
are times.  Every coefficient is a figure of the sheet or a named constant of `service_gpu` or
`service_cpu`.  What legality leaves open is searched by `forms` and `space`.
"""

from __future__ import annotations

from certile.plan.cost.policy import CostPolicy
from certile.targets.sheet import Sheet

__all__ = ["service"]


def service(sheet: Sheet) -> CostPolicy:
    """The service policy of a target whose sheet has its figures."""
    # A process compiles for one kind of target, mostly.
    if sheet.kind == "cpu":
        from certile.plan.cost.service_cpu import CpuService

        return CpuService(sheet)
    from certile.plan.cost.service_gpu import GpuService

    return GpuService(sheet)
