"""Exponents of a program's exponentials: what keeps an overflow in one from changing the result.

In: an exponent that is proved not to be positive.  Out: sizes that have to be finite, so that it is
no NaN, and where it overflows to -inf is so far below 0 that its exponential is 0 either way.  One
operand of it may overflow, in a shift, or in a scale below the shift.  What is done to that
afterwards are scales that make it less than `_FAR` times smaller, or shifts by so much less.
"""

from __future__ import annotations

from collections.abc import Callable
from math import frexp
from typing import Final

from certile.ir.terms import Apply, Lit, Term, app
from certile.proof.check.shown import Shown
from certile.proof.check.sizes import ONE, joined

# An overflow is 2^103 from what may cancel it in f32, and 2^970 in f64.
_FAR: Final = Lit(2.0**64)
# A number that scales by less than two to this below zero may not do so to an overflow.
_BITS: Final = 48
_SHIFTS: Final = frozenset({"add", "sub"})
_SCALES: Final = frozenset({"mul", "div"})


def asked_of(
    term: Term, shown: Shown, size: Callable[[Term], Term]
) -> tuple[list[Term], Term | None]:
    """Sizes that have to be finite, and what is left whose whole size has to be, if anything is.

    `size` gives the size of a term that is the same for all elements.
    """
    asked: list[Term] = []
    # No scale outside the term makes an overflow so much smaller; one below a shift is not scaled.
    far: Term = _FAR
    while not shown.exact(term, "list.max"):
        fn, one, other = _apart(term, shown)
        if fn in _SHIFTS:
            asked.append(joined("mul", _FAR if _is_shift(one) else ONE, size(other)))
            far = ONE
        elif fn in _SCALES and not _is_tiny(fn, other) and (far != ONE or shown.exact(one)):
            asked += _scaled(fn, other, size(other), far)
            far = asked[-1]
        elif fn != "neg":
            return asked, term
        term = one
    return asked, None


def _apart(term: Term, shown: Shown) -> tuple[str, Term, Term]:
    """A function, the operand that differs between elements and the other one, if that is so."""
    match term:
        case Apply("neg", (a,)):
            return "neg", a, a
        case Apply("add" | "sub" | "mul" | "div" as fn, (a, b)) if not shown.reads(b):
            return fn, a, b
        case Apply("add" | "sub" | "mul" as fn, (a, b)) if not shown.reads(a):
            return fn, b, a
        case _:
            return "", term, term


def _is_shift(term: Term) -> bool:
    """Whether a term is a sum or a difference, or the opposite of one."""
    while isinstance(term, Apply) and term.fn == "neg":
        (term,) = term.args
    return isinstance(term, Apply) and term.fn in _SHIFTS


def _scaled(fn: str, scale: Term, size: Term, far: Term) -> list[Term]:
    """What keeps a scale from being infinite, 0 or too small; last, how far it still is.

    Infinity or 0 would make NaN of the other.
    """
    match scale:
        case Lit(float(value)) if value:
            return [joined("mul", Lit(2.0 ** _shrinks(fn, value)), far)]
        case _ if fn == "div":
            return [app("div", 1.0, size), joined("mul", far, size)]
        case _:
            return [size, app("div", far, size)]


def _shrinks(fn: str, scale: float) -> int:
    """The power of two by which a product or quotient is at most smaller: exact in every type."""
    power = frexp(scale)[1]
    return power if fn == "div" else 1 - power


def _is_tiny(fn: str, scale: Term) -> bool:
    """Whether a number scales by so little that what it scales had better not overflow."""
    number = scale.value if isinstance(scale, Lit) else None
    return isinstance(number, float) and _shrinks(fn, number) > _BITS
