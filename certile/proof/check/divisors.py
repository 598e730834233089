"""How large a divisor has to be, so that it is not 0 however it is rounded.

A quotient is infinite or NaN where its divisor is 0, and a sum may be 0 as written and not as
folded, by how it is rounded and by what underflows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Final

from certile.ir.terms import Apply, Lit, Term, Var, app, applications
from certile.proof.check.terms import require

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
    """The divisors in which something is added, and what the size of each has to reach.

    Raises `Refused` for moments that may cancel: no number says that such a one is not 0.
    """
    for at in dict.fromkeys(divisors):
        if at != COUNT and _adds(at):
            yield at, _least(at)


def _adds(term: Term) -> bool:
    return any(each.fn in _SUMS for each in applications((term,)))


def _least(at: Term) -> Term:
    """What a divisor is surely not 0 beyond."""
    match at:
        case Apply("list.sum", (Apply("mul", (Apply("add" | "sub", pair) as off, again)),)) if (
            off == again and (means := [each for each in pair if COUNT in applications((each,))])
        ):
            # With two of them the mean is one of what differs from it, which `near` refuses.
            moved = app("mul", _MOVED, app("mul", means[-1], means[-1]))
            return app("add", app("mul", COUNT, moved), _LEAST)
        case _:
            cancels = any(map(_is_distance, applications((at,))))
            require(not cancels, f"nothing tells whether {at} is 0, of distances to a sum")
            return _LEAST


def _is_distance(at: Apply) -> bool:
    """Whether a sum or difference joins what differs between elements and what adds them up.

    Where that is taken to another mean its powers cancel, unless their sum is that of squares.
    """
    return at.fn in ("add", "sub") and _differs(at) and _adds(at)


def _differs(term: Term) -> bool:
    """Whether a term differs between elements, or may: a parameter is taken for a field."""
    if isinstance(term, Apply):
        return not term.fn.startswith("list.") and any(map(_differs, term.args))
    return isinstance(term, Var)
