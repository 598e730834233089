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
from certile.proof.check.sizes import ONE, joined

# An overflow is 2^103 from what may cancel it in f32, and 2^970 in f64.
_FAR: Final = Lit(2.0**64)
# A number that scales by less than two to this below zero may not do so to an overflow.
_BITS: Final = 48
_SHIFTS: Final = frozenset({"add", "sub"})


class Exponent:
    """Reads an exponent; `asked` are the sizes that have to be finite.

    `reads` says whether a term differs between elements, `exact` whether a state shows it as it is
    written (for a fold, perhaps), and `size` gives the size of a term that does not differ.
    """

    def __init__(
        self,
        reads: Callable[[Term], bool],
        exact: Callable[..., bool],
        size: Callable[[Term], Term],
    ) -> None:
        self._reads, self._exact, self._size = reads, exact, size
        self.asked: list[Term] = []

    def rest(self, term: Term, far: Term = _FAR) -> Term | None:
        """What is left of an exponent whose whole size has to be finite, if anything is.

        No scale outside it makes an overflow `far` smaller; `far` is `ONE` below a shift.
        """
        if self._exact(term, "list.max"):
            return None
        apart = self._apart(term)
        match term:
            case Apply("neg", (a,)):
                return self.rest(a, far)
            case Apply("add" | "sub") if apart:
                one, other = apart
                size = self._size(other)
                self.asked.append(joined("mul", _FAR, size) if _is_shift(one) else size)
                return self.rest(one, ONE)
            case Apply("mul" | "div" as fn) if (
                apart and not _is_tiny(fn, apart[1]) and (far != ONE or self._exact(apart[0]))
            ):
                return self.rest(apart[0], self._scaled(fn, apart[1], far))
            case _:
                return term

    def _apart(self, term: Term) -> tuple[Term, Term] | None:
        """The operand that differs between elements and the other one, if that is so."""
        fn, args = (term.fn, term.args) if isinstance(term, Apply) else ("", ())
        if fn in ("add", "sub", "mul", "div"):
            a, b = args
            if self._reads(a) and not self._reads(b):
                return a, b
            if fn != "div" and self._reads(b) and not self._reads(a):
                return b, a
        return None

    def _scaled(self, fn: str, scale: Term, far: Term) -> Term:
        """How far an exponent is below a scale, which is neither infinite, 0 nor too small.

        Infinity or 0 would make NaN of the other.
        """
        size = self._size(scale)
        match scale:
            case Lit(float(value)) if value:
                far = joined("mul", Lit(2.0 ** _shrinks(fn, value)), far)
            case _ if fn == "div":
                far = joined("mul", far, size)
                self.asked.append(app("div", 1.0, size))
            case _:
                far = app("div", far, size)
                self.asked.append(size)
        self.asked.append(far)
        return far


def _is_shift(term: Term) -> bool:
    """Whether a term is a sum or a difference, or the opposite of one."""
    while isinstance(term, Apply) and term.fn == "neg":
        (term,) = term.args
    return isinstance(term, Apply) and term.fn in _SHIFTS


def _shrinks(fn: str, scale: float) -> int:
    """The power of two by which a product or quotient is at most smaller: exact in every type."""
    power = frexp(scale)[1]
    return power if fn == "div" else 1 - power


def _is_tiny(fn: str, scale: Term) -> bool:
    """Whether a number scales by so little that what it scales had better not overflow."""
    number = scale.value if isinstance(scale, Lit) else None
    return isinstance(number, float) and _shrinks(fn, number) > _BITS
