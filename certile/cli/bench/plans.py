"""The plans under which `certile bench` times a kernel: the planner's own, and the next best.

In: a kernel, the arguments of a call, how many plans.  Out: the options that give them, best first.
Decides what is asked of the planner: which tiles are kept, how far loops are unrolled, and no
vectors; of a GPU's which tiles and rows are kept, and how many elements lie side by side in a lane.
Requests that come to the same plan are one.  Leaves estimates to the planner.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from certile.cli.subject import Subject
from certile.diagnostics import CertileError
from certile.pipeline import plan_program
from certile.plan.record import GroupPlan, Materialization, Options
from certile.plan.subgroup.space import LANE_ELEMENTS
from certile.plan.text import mapping_text
from certile.records import record
from certile.runtime.kernel import TileKernel
from certile.targets.sheet import Sheet

__all__ = ["Asked", "best_device_plans", "best_plans"]

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
    return _best(own, others, count)


def best_device_plans(
    subject: Subject, arguments: Mapping[str, Any], count: int, sheet: Sheet
) -> list[Asked]:
    """Return the same of a GPU, where every request is planned and none is compiled.

    Its arrays are C-ordered and aligned, which is what plans are made for.
    """
    own = _asked(subject.function, arguments, {})
    if count <= 1:
        return [own]
    others: dict[tuple[object, ...], Asked] = {own.identity: own}
    facts, programs = subject.facts(sheet), subject.programs
    for options in _device_requests():
        plans = plan_program(subject.kernel, programs, sheet, Options(**options), facts=facts)
        if all(plan.mapping is not None for plan in plans):
            made = Asked(dict(options), plans)
            others.setdefault(made.identity, made)
    return _best(own, others, count)


def _best(own: Asked, others: dict[tuple[object, ...], Asked], count: int) -> list[Asked]:
    """The plan of a call, which is one of the others, and then these by their estimates."""
    del others[own.identity]
    return [own, *sorted(others.values(), key=lambda each: each.estimate)][:count]


def _device_requests() -> Iterator[dict[str, Any]]:
    """Return what may be asked of a GPU's planner: widths, what is kept, whether rows are."""
    wanted = itertools.product(
        (None, *LANE_ELEMENTS), (None, *get_args(Materialization)), (None, True, False)
    )
    for wide, kept, cached in wanted:
        named = (("lane_elements", wide), ("materialization", kept), ("cache_inputs", cached))
        yield {name: value for name, value in named if value is not None}


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
