"""The limits of what a program writes, for laws that a search builds.

In: a law of a chain and what its results are in the program's terms.  Out: the limits that the
checker will ask of it (`proof.check.limits`), the fields that a finite state shows to be finite,
and which term of an element is better measured by a component of the state.  Decides that alone: a
size is measured where a factor of it may often be above one, so that a row would be computed again
although nothing overflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from certile.ir.laws import Law
from certile.ir.terms import Apply, Lit, Term
from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.elaborate import SINGLE
from certile.proof.check.finite import Parts, kinds_of_states
from certile.proof.check.limits import Limit, Unmeasured, limits
from certile.proof.check.terms import Refused, Table

__all__ = ["finite_fields", "limits_of", "unmeasured"]

_FUEL: Final = 100_000


def finite_fields(law: Law) -> frozenset[str]:
    """The fields that are finite in every element of a list whose final state is.

    Whatever tree merged it, from elements or from blocks of them, and whether or not the law means
    anything for other elements.  Raises `Refused` where a term of the law has no meaning.
    """
    try:
        return _finite_fields(Parts(Table(_FUEL), law))
    except RecursionError:
        raise Refused("a term of the law is nested too deeply") from None


def _finite_fields(parts: Parts) -> frozenset[str]:
    law = parts.law
    context, masks = Context(parts.table, {}), kinds_of_states(parts)
    # A state begins as the lift of one element, or as the closed form of several.
    single = parts.symbols(SINGLE, law.lift_variables())
    begun = [(context.with_kinds(parts.read(law.lift, single), masks), single)]
    if law.closed is not None:
        each = {name: parts.table.make("elem", value=name) for name in single}
        known = context.with_kinds(parts.closed(law.closed, "xs"), masks)
        begun.append((known.inside("xs"), each))
    finite = {
        name: all(kinds.within(known.kind(terms[name]), kinds.FINITE) for known, terms in begun)
        for name in single
    }
    return frozenset(name for name, holds in finite.items() if holds)


def limits_of(law: Law, specification: Sequence[Term]) -> tuple[list[Limit], frozenset[str]]:
    """The limits of a law, and the fields that have to be finite for them; raises `Refused`."""
    # A claim that is not needed is none: the law then says more.
    try:
        without = limits(law, specification, ())
    except Refused:
        without = None
    shown = finite_fields(law)
    asked = limits(law, specification, shown)
    return asked, frozenset() if asked == without else shown


def unmeasured(law: Law, specification: Sequence[Term]) -> Term | None:
    """A term of an element whose size the state should measure, if there is one."""
    try:
        asked, _ = limits_of(law, specification)
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
