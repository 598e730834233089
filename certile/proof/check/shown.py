"""What a final state shows of single elements: which terms of one it takes in as they are written.

A component that folds a term by itself, as a sum or an extreme of it, is NaN or infinite where that
term is, so a finite state shows that no element had such a one.
"""

from __future__ import annotations

from collections.abc import Collection

from certile.ir.laws import Law
from certile.ir.terms import Apply, Lit, Term, Var, app
from certile.proof.check.terms import require


class Shown:
    """The terms of a law's elements that a state shows; `finite` are fields that it shows so.

    Raises `Refused` where a component has no closed form.
    """

    def __init__(self, law: Law, finite: Collection[str]) -> None:
        self.closed = law.closed or ()
        parts = law.state, law.lift, law.merge, self.closed
        require(len(set(map(len, parts))) == 1, "a component has no closed form")
        self.fields = frozenset[Term](map(Var, law.lift_variables()))
        # What the state takes in as it is written, so that it shows a NaN or an overflow; and of
        # that, and of fields, what is finite.
        self.kept, self.finite = {*self.fields}, set[Term](map(Var, finite))
        # What only extremes take in: a greatest number does not show -inf, nor a least one +inf.
        self._extremes: dict[str, set[Term]] = {"list.max": set(), "list.min": set()}
        for part, lift, merge, closed in zip(*parts, strict=True):
            sides, top = (f"a.{part.name}", f"b.{part.name}"), app("list.max", lift)
            if (closed, merge) == (app("list.sum", lift), app("add", *sides)):
                self.kept.add(lift)
                self.finite.add(lift)
            if (closed, merge) == (app("list.min", lift), app("minimum", *sides)):
                self._extremes["list.min"].add(lift)
            if merge == app("maximum", *sides) and closed in (top, app("maximum", 0.0, top)):
                sized = isinstance(lift, Apply) and lift.fn == "abs"
                (self.kept if sized else self._extremes["list.max"]).add(lift)

    def reads(self, term: Term) -> bool:
        """Whether a term differs between elements."""
        if isinstance(term, Apply):
            return not term.fn.startswith("list.") and any(map(self.reads, term.args))
        return term in self.fields

    def exact(self, term: Term, fold: str = "") -> bool:
        """Whether a term of an element is as it is written, or the state shows that it is not.

        For an extreme of it, or an exponent, which may be -inf, it may show less.
        """
        plain = term.args[0] if isinstance(term, Apply) and term.fn in ("abs", "neg") else term
        whole = isinstance(plain, Lit) or not self.kept.isdisjoint((term, plain))
        return whole or term in self._extremes.get(fold, ())
