"""What a caller may ask of the planner, by the names of the command line's flags.

In: options as a record or by name.  Out: an `Options`.  Decides which names and types there are;
leaves to the planner whether what is asked for can be had.  Apart from the plan's record, because
every call names its options and few calls plan anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, get_args, get_origin, get_type_hints

from certile.diagnostics import ArgumentError
from certile.language.integers import integer_or_none
from certile.records import record

if TYPE_CHECKING:
    from certile.plan.cost.policy import CostPolicy

Materialization = Literal["preserve", "expensive-only", "nothing"]


class OwnPolicy:
    """A cost policy of the caller's; two are equal when they hold the very same object."""

    __slots__ = ("scorer",)

    def __init__(self, scorer: CostPolicy) -> None:
        self.scorer = scorer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnPolicy) and self.scorer is other.scorer

    def __hash__(self) -> int:
        return id(self.scorer)

    def __str__(self) -> str:
        return type(self.scorer).__name__

    __repr__ = __str__


@record
class Options:
    """What a caller may ask of the planner; None leaves the choice to it.

    `policy` "service" estimates times and searches every form of the program.  "analytic" counts
    rounds; it plans the program as written, with V = 1 and no cached inputs where nothing is asked.
    An object with a method `score` is a policy of the caller's: it scores what "service" would.
    `phase` "on" asks for an ownership that follows the alignment of each row, "off" forbids it; the
    analytic policy has none.
    """

    max_threads: int | None = None
    shared_bytes: int | None = None
    lane_elements: int | None = None
    programs_per_group: int | None = None
    threads: int | None = None
    max_stripe: int | None = None
    max_thread_candidates: int = 32
    unroll: int = 1
    materialization: Materialization | None = None
    cache_inputs: bool | None = None
    subgroup_reductions: Literal["auto", "on", "off"] = "auto"
    phase: Literal["auto", "on", "off"] = "auto"
    policy: Literal["analytic", "service"] | OwnPolicy = "service"
    alpha: float = 1.0
    beta: float = 2.0
    gamma: float = 16.0

    def __post_init__(self) -> None:
        if is_scorer(self.policy):
            object.__setattr__(self, "policy", OwnPolicy(self.policy))


def is_scorer(value: object) -> TypeGuard[CostPolicy]:
    """Whether a value is a policy of the caller's: an object that scores, and no class of one."""
    return not isinstance(value, type) and callable(getattr(value, "score", None))


def options_of(plan: Options | Mapping[str, Any] | None, otherwise: Options) -> Options:
    """The options that a plan says, by name or as they are; `otherwise` where it says nothing.

    Raises `ArgumentError` A009 for what is no option, and for a value of another type.
    """
    if plan is None:
        return otherwise
    if isinstance(plan, Options):
        return plan
    if not isinstance(plan, Mapping):
        raise ArgumentError("A009", f"a plan is options by name, not {plan!r}")
    known = get_type_hints(Options)
    unknown = [str(name) for name in plan if name not in known]
    if unknown:
        message = f"the planner has no option {', '.join(unknown)}"
        raise ArgumentError("A009", message, hint=f"use {', '.join(known)}")
    plain = {name: _plain(value) for name, value in plan.items()}
    for name, value in plain.items():
        scorer = name == "policy" and is_scorer(value)
        if not scorer and not _fits(value, known[name]):
            raise ArgumentError("A009", f"the planner's {name} is not {value!r}")
    return replace(otherwise, **plain)


def _plain(value: object) -> Any:  # noqa: ANN401 - whatever it is
    """An integer of any kind as Python's, anything else as it is."""
    number = integer_or_none(value)
    return value if number is None else number


def _fits(value: object, hint: Any) -> bool:  # noqa: ANN401 - a type, a union or a literal
    """Whether a value is of an option's type; an integer serves as a float."""
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_args(hint):
        return any(_fits(value, each) for each in get_args(hint))
    if isinstance(value, bool):
        return hint is bool
    return isinstance(value, int | float if hint is float else hint)
