"""How large a divisor has to be, so that it is not 0 however it is rounded.

A quotient is infinite or NaN where its divisor is 0, and a sum may be 0 as written and not as
folded, by how it is rounded and by what underflows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Final

from certile.ir.terms import Apply, Lit, Term, app, applications

COUNT: Final = app("list.sum", 1.0)
# What is lost to underflow is less, in f32 and f64, of 2^20 terms that are scaled by up to 2^26.
_LEAST: Final = Lit(2.0**-80)
# The square of what rounding moves a mean by, as a share of it, in trees of up to 2^8 levels.
_MOVED: Final = Lit(2.0**-26)
_SUMS: Final = frozenset({"list.sum", "list.prod"})


def divisors_of(sizes: Iterable[Term], told: Container[Term]) -> Iterator[Term]:
    """What sizes divide by, or take the logarithm of: aggregates, and what else is `told`."""
    waiting, seen = [(size, False) for size in sizes], set[tuple[Term, bool]]()
    while waiting:
        at, divides = waiting.pop()
        if (at, divides) in seen:
            continue
        seen.add((at, divides))
        if at in told or (isinstance(at, Apply) and at.fn.startswith("list.")):
            yield from (at,) if divides else ()
        elif isinstance(at, Apply):
            below = at.args[-1:] if at.fn in ("div", "log") else ()
            waiting += [(arg, divides) for arg in at.args[: len(at.args) - len(below)]]
            waiting += [(arg, True) for arg in below]


def bounds(divisors: Iterable[Term]) -> Iterator[tuple[Term, Term]]:
    """The divisors in which something is added, and what the size of each has to reach."""
    for at in dict.fromkeys(divisors):
        if at != COUNT and any(each.fn in _SUMS for each in applications((at,))):
            yield at, _least(at)


def _least(at: Term) -> Term:
    """What a divisor is surely not 0 beyond."""
    match at:
        case Apply(
            "list.sum", (Apply("mul", (Apply("add" | "sub", (_, mean)) as off, again)),)
        ) if off == again and COUNT in applications((mean,)):
            moved = app("mul", _MOVED, app("mul", mean, mean))
            return app("add", app("mul", COUNT, moved), _LEAST)
        case _:
            return _LEAST
