"""Whether a target can keep the promise of reproducible reductions.

In: a kernel, one of its launches, a sheet.  Out: a refusal, or None.  Decides that a target whose
division or square root is not correctly rounded has no such reduction where one of the two makes a
leaf or a merge: its bits would be this target's own on every execution map.  Leaves the tree
itself, and with it all other legality, to the planner.
"""

from __future__ import annotations

from collections.abc import Iterator

from certile.diagnostics import Refusal
from certile.ir.functions import FUNCTIONS
from certile.ir.node import reach
from certile.ir.tile import Kernel, Map, Parallel, Reduce
from certile.ir.walk import evaluated
from certile.targets.sheet import Sheet

__all__ = ["unkept_promise"]

_DIVIDES = frozenset({"div", "sqrt"})


def unkept_promise(kernel: Kernel, parallel: Parallel, sheet: Sheet) -> Refusal | None:
    """Return why a reproducible reduction of the launch has other bits on this target."""
    if sheet.exact_division:
        return None
    # Portable forms of inexact functions divide.
    portable = kernel.math == "portable"
    inexact = {name for name, function in FUNCTIONS.items() if function.ulp is not None}
    forbidden = _DIVIDES | inexact if portable else _DIVIDES
    for reduction in _reproducible(parallel):
        found = forbidden & set(_functions(reduction))
        if found:
            return Refusal(
                "target",
                "exact_division",
                "a reproducible reduction has the same bits on every target",
                f"{min(found)} is not correctly rounded on {sheet.name}",
                loc=reduction.loc,
            )
    return None


def _reproducible(parallel: Parallel) -> Iterator[Reduce]:
    for at in evaluated(parallel):
        if isinstance(at, Reduce) and at.policy == "reproducible":
            yield at


def _functions(reduction: Reduce) -> Iterator[str]:
    """The functions that make leaves, and those of the law."""
    for at in reach(reduction.operands()):
        if isinstance(at, Map) and at.dtype.is_float:
            yield at.fn
    yield from (at.fn for at in reduction.law.applications())
