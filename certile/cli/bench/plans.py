"""The plans under which `certile bench` times a kernel: the planner's own, and the next best.

In: a kernel, the arguments of a call, how many plans.  Out: the options that give them, best first.
Decides what is asked of the planner: which tiles are kept, how far loops are unrolled, and no
vectors; requests that come to the same plan are one.  Leaves estimates to the planner.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from certile.diagnostics import CertileError
from certile.plan.record import GroupPlan, Materialization
from certile.plan.text import mapping_text
from certile.records import record
from certile.runtime.kernel import TileKernel

__all__ = ["Asked", "best_plans"]

_UNROLLS = (1, 2, 4)


@record(slots=False)
class Asked:
    """What the planner was asked for, by option, and the plans of the launches that it gave."""

    options: dict[str, object]
    plans: tuple[GroupPlan, ...]

    @property
    def estimate(self) -> float:
        """The estimated cost of all launches; infinite where the planner has no figure."""
        scores = [plan.kernel_score for plan in self.plans]
        return sum(math.inf if score is None else score for score in scores)

    @property
    def identity(self) -> tuple[object, ...]:
        """What two requests have to share to be one: mappings, kept tiles, the program followed.

        Materialisations nest, so that the number of kept tiles says which they are.
        """
        return tuple(
            (
                plan.mapping,
                0 if plan.rows is None else len(plan.rows.materialized),
                plan.derivation is not None,
            )
            for plan in self.plans
        )

    def __str__(self) -> str:
        said = "; ".join(_described(plan) for plan in self.plans)
        asked = ", ".join(f"{name}={value}" for name, value in self.options.items())
        return f"{said} ({asked})" if asked else said


def best_plans(kernel: TileKernel, arguments: Mapping[str, Any], count: int) -> list[Asked]:
    """Return the plan that a call takes, then those of the least estimates, `count` in all.

    There are fewer where the planner has no more.  Raises what a call does.
    """
    own = _asked(kernel, arguments, {})
    if count <= 1:
        return [own]
    others: dict[tuple[object, ...], Asked] = {own.identity: own}
    for options in _requests():
        try:
            made = _asked(kernel, arguments, options)
        except CertileError as error:
            # What this kernel cannot have is no plan; any other error is the caller's to see.
            if error.code != "P004":
                raise
            continue
        others.setdefault(made.identity, made)
    del others[own.identity]
    return [own, *sorted(others.values(), key=lambda each: each.estimate)][:count]


def _requests() -> Iterator[dict[str, object]]:
    """Return what may be asked; of equal plans the first counts, which asks for the least."""
    for unroll, kept in itertools.product(_UNROLLS, (None, *get_args(Materialization))):
        named: Sequence[tuple[str, object]] = (("materialization", kept), ("unroll", unroll))
        yield {name: value for name, value in named if value not in (None, 1)}
    yield {"subgroup_reductions": "off"}


def _asked(kernel: TileKernel, arguments: Mapping[str, Any], options: dict[str, object]) -> Asked:
    return Asked(options, kernel.prepare(**arguments, plan=options).plans)


def _described(plan: GroupPlan) -> str:
    """Name a plan in a few words."""
    mapping = "declined" if plan.mapping is None else mapping_text(plan.mapping)
    kept = 0 if plan.rows is None else len(plan.rows.materialized)
    parts = [
        mapping,
        *([f"{kept} tile{'s' if kept > 1 else ''} kept"] if kept else []),
        *(["as one reduction for several"] if plan.derivation is not None else []),
    ]
    return ", ".join(parts)
