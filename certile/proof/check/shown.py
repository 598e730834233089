"""What a final state shows of single elements: which terms of one it takes in as they are written.

A component that folds a term by itself, as a sum or an extreme of it, is NaN or infinite where that
term is, so a finite state shows that no element had such a one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from certile.ir.laws import Law
from certile.ir.terms import Apply, Lit, Term, Var
from certile.proof.check.terms import require

_ZERO: Final = Lit(0.0)
_MERGES: Final = {
    "list.sum": "add",
    "list.prod": "mul",
    "list.max": "maximum",
    "list.min": "minimum",
}


class Shown:
    """The terms of a law's elements that a state shows; `finite` are fields that it shows so.

    Raises `Refused` where a component has no closed form.
    """

    def __init__(self, law: Law, finite: Collection[str]) -> None:
        closed_forms = law.closed or ()
        parts = law.state, law.lift, law.merge, closed_forms
        require(len(set(map(len, parts))) == 1, "a component has no closed form")
        # What the state takes in as it is written, so that it shows a NaN or an overflow; and of
        # that, and of fields, what is finite.
        self.kept = set[Term](map(Var, law.lift_variables()))
        self.finite = set[Term](map(Var, finite))
        # What only extremes take in: a greatest number does not show -inf, nor a least one +inf.
        self._extremes: dict[str, set[Term]] = {"list.max": set(), "list.min": set()}
        for part, lift, merge, closed in zip(*parts, strict=True):
            plain = isinstance(closed, Apply) and closed.fn == "maximum" and closed.args[0] == _ZERO
            fold = closed.args[1] if isinstance(closed, Apply) and plain else closed
            sides = (Var(f"a.{part.name}"), Var(f"b.{part.name}"))
            folded = isinstance(fold, Apply) and fold.args == (lift,) and fold.fn in _MERGES
            if isinstance(fold, Apply) and folded and merge == Apply(_MERGES[fold.fn], sides):
                sized = isinstance(lift, Apply) and lift.fn == "abs" and fold.fn == "list.max"
                (self.kept if sized else self._extremes.get(fold.fn, self.kept)).add(lift)
                self.finite |= {lift} if fold.fn == "list.sum" else set()

    def exact(self, term: Term, fold: str = "") -> bool:
        """Whether a term of an element is as it is written, or the state shows that it is not.

        For an extreme of it, or an exponent, which may be -inf, it may show less.
        """
        plain = term.args[0] if isinstance(term, Apply) and term.fn in ("abs", "neg") else term
        whole = isinstance(plain, Lit) or term in self.kept or plain in self.kept
        return whole or term in self._extremes.get(fold, ())
