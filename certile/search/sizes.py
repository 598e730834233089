"""The limits of what a program writes, for laws that a search builds.

In: a law of a chain and what its results are in the program's terms.  Out: the limits that the
checker will ask of it (`proof.check.limits`), and which term of an element is better measured by a
component of the state.  Decides that alone: a size is measured where a factor of it may often be
above one, so that a row would be computed again although nothing overflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from certile.ir.laws import Law
from certile.ir.terms import Apply, Lit, Term
from certile.proof.check.finite import finite_fields
from certile.proof.check.limits import Limit, Unmeasured, limits

__all__ = ["limits_of", "unmeasured"]


def limits_of(law: Law, specification: Sequence[Term]) -> list[Limit]:
    """The limits of a law whose first results are the specification; raises `Refused`."""
    count = len(specification)
    alone = replace(law, finalize=law.finalize[:count], results=law.results[:count])
    return limits(alone, specification, finite_fields(alone))


def unmeasured(law: Law, specification: Sequence[Term]) -> Term | None:
    """A term of an element whose size the state should measure, if there is one."""
    try:
        asked = limits_of(law, specification)
    except Unmeasured as refusal:
        return refusal.own
    far = (limit.factor_of for limit in asked if limit.factor_of and not _at_most_one(limit.size))
    return next(far, None)


def _at_most_one(size: Term) -> bool:
    """Whether a factor is at most one in every ordinary row."""
    match size:
        case Lit(float() as value):
            return value <= 1
        case Apply("abs", (a,)):
            return _at_most_one(a)
        case Apply("mul", (a, b)):
            return _at_most_one(a) and _at_most_one(b)
        case Apply("div", (a, b)):
            return _at_most_one(a) and _at_least_one(b)
        case _:
            return False


def _at_least_one(size: Term) -> bool:
    """Whether a divisor is at least one: a sum of exponentials relative to the greatest is."""
    match size:
        case Lit(float() as value):
            return value >= 1
        case Apply("abs", (a,)):
            return _at_least_one(a)
        case Apply("list.sum", (Apply("exp"),)):
            return True
        case _:
            return False
