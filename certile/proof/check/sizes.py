"""Sizes of terms: how a number is written that is at least as large as a term of a program.

In: terms over a list, without an element.  Out: the terms of their sizes, and the operands of which
a finite size says nothing.  What has to be finite is decided in `limits`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from certile.ir.terms import Apply, Lit, Term, app
from certile.proof.check.elaborate import CONNECTIVES, is_truth

ONE: Final = Lit(1.0)
_ORDERED: Final = frozenset({"maximum", "minimum", "fmax", "fmin"})


def hidden(at: Apply) -> Iterable[Term]:
    """The operands that may be infinite where what is made of them is not."""
    asks = at.fn in _ORDERED or (is_truth(at) and at.fn not in CONNECTIVES)
    hidden = at.args[1:] if at.fn == "div" else at.args if asks or at.fn == "exp" else ()
    return (arg for arg in hidden if not (isinstance(arg, Lit) and isinstance(arg.value, str)))


def is_small(size: Term) -> bool:
    """Whether a size is a number that no type of floats finds too large."""
    return isinstance(size, Lit) and isinstance(size.value, float) and abs(size.value) < 2.0**127


def plain_size(term: Term) -> Term:
    """The size of a number, which is the number where that is not negative."""
    number = isinstance(term, Lit) and isinstance(term.value, float) and term.value >= 0
    sized = isinstance(term, Apply) and term.fn == "abs"
    return term if number or sized else app("abs", term)


def joined(fn: str, a: Term, b: Term) -> Term:
    """The sum or product of two sizes, computed where both are numbers and it is in every type."""
    match a, b:
        case Lit(float() as x), Lit(float() as y) if is_small(
            made := Lit(x + y if fn == "add" else x * y)
        ):
            return made
        case _ if fn == "mul" and ONE in (a, b):
            return b if a == ONE else a
        case _:
            return app(fn, a, b)
