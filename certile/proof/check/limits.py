"""What a program makes of single elements, bounded by a state: so that a rewrite hides no overflow.

A proof over V says nothing of a term that a program writes and a law does not make: it can overflow
while the final state is finite.  `limits` gives numbers, as terms over the list, by which a row
shows that no such term does.  They are the terms as written with sizes in place of elements; as
rounding is monotone, a size that is finite bounds all that the term is made of.  A size that is
measured is a component of the state; any other is that of a finite number, and its factors must be
at most one.  An exponential is at most one, since its exponent is proved not to be positive.

Whether a sum is 0 may be a matter of rounding: what is divided by is not near it (`divisors`).
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from typing import Final, NamedTuple

from certile.ir.laws import Law
from certile.ir.terms import Apply, Lit, Term, Var, app, applications
from certile.proof.check.divisors import COUNT, bounds, divisors_of
from certile.proof.check.elaborate import CONNECTIVES, is_truth
from certile.proof.check.exponents import asked_of
from certile.proof.check.shown import Shown
from certile.proof.check.sizes import ONE, hidden, is_small, joined, plain_size
from certile.proof.check.terms import Refused

_NORMAL: Final = Lit(2.0**-126)


class Limit(NamedTuple):
    """A number, over the list, that has to be finite; at most one where it scales `factor_of`.

    It is that of a divisor, and no less than `least`, where that is given.
    """

    size: Term
    factor_of: Term | None = None
    least: Term | None = None

    @property
    def test(self) -> Term:
        """What a row has to meet."""
        if self.least is not None:
            return app("le", self.least, self.size)
        return app("isfinite", self.size) if self.factor_of is None else app("le", self.size, ONE)


class Unmeasured(Refused):
    """A refusal that a component `measure(own)` would mend."""

    def __init__(self, own: Term) -> None:
        super().__init__(f"nothing bounds {own}, of which a term may overflow")
        self.own = own


def measure(own: Term) -> Term:
    """The largest size that a term of an element has in a list, 0 of nothing."""
    return app("maximum", 0.0, app("list.max", app("abs", own)))


def limits(law: Law, specification: Sequence[Term], finite: Collection[str]) -> list[Limit]:
    """What a row has to meet, so that nothing that was written overflows unseen.

    `finite` are the fields that are finite wherever the final state is.  Raises `Refused` where
    nothing of the state would tell.
    """
    made = _Limits(law, specification, finite)
    for at in dict.fromkeys(applications(specification)):
        if at.fn.startswith("list."):
            made.aggregate(at)
    sizes = (limit.size for limit in made.found)
    return [*made.found, *apart(divisors_of(sizes, made.tested))]


def apart(divisors: Iterable[Term]) -> list[Limit]:
    """That divisors are not 0, whichever way they are rounded."""
    return [Limit(app("abs", at), least=least) for at, least in bounds(divisors)]


def unknown(asked: Iterable[Limit], told: Container[Term]) -> tuple[Term, ...]:
    """The aggregates that sizes speak of beside what is `told`; a law gives each as a result."""
    found = dict[Term, None]()
    waiting = [each for limit in asked for each in (limit.size, limit.least)]
    while waiting:
        size = waiting.pop()
        if isinstance(size, Apply) and size not in told:
            if size.fn.startswith("list."):
                found[size] = None
            else:
                waiting += size.args
    return tuple(found)


def divisors(sizes: Iterable[Term], told: Container[Term] = ()) -> set[str]:
    """The parameters that are not 0 where quotients among some sizes are finite.

    What a law gives for a term that is `told` is proved for such parameters only.
    """
    found, below = set[str](), list[Term]()
    waiting = [*sizes]
    for at in waiting:
        match at:
            case Apply("div", (above, divisor)) if at not in told:
                waiting.append(above)
                below.append(divisor)
    for at in below:
        match at:
            case Var(name):
                found.add(name)
            case Apply("abs" | "mul", args) if at not in told:
                below += args
    return found


class _Limits:
    def __init__(self, law: Law, specification: Sequence[Term], finite: Collection[str]) -> None:
        self.found: dict[Limit, None] = {}
        self._shown = Shown(law, finite)
        # What is tested without a limit: components, results and parameters.
        self.tested = {*self._shown.closed, *specification, *map(Var, law.parameters), COUNT}
        # What was taken as a finite number in the product that is read; one term at most.
        self._scaled: list[Term] = []

    def aggregate(self, at: Apply) -> None:
        """The limits of what is written below an aggregate."""
        if all(self._shown.exact(arg, at.fn) for arg in at.args):
            return
        (body, *_) = at.args
        if at.fn != "list.sum":
            raise Refused(f"{at.fn} is of a term that the state does not keep")
        match body:
            case Apply("mul", (Apply("add" | "sub", (a, b)) as off, again)) if (
                off == again and a in self._shown.fields and not self._shown.reads(b)
            ):
                # A square is at most the sum of all; the other limit is for what rounds in b.
                self._ask(at)
                self._ask(joined("mul", self._shared(b), self._shared(b)))
            case _:
                size = self._size(body)
                # Twice as large, as the results of a fold differ by rounding from those written.
                own = self._scaled.pop() if self._scaled else None
                self._ask(size if own else joined("mul", Lit(2.0), size), own)

    def _ask(self, size: Term, factor_of: Term | None = None) -> None:
        """Ask for a limit, unless it is met by every row or by what is tested anyway."""
        plain = size.args[0] if isinstance(size, Apply) and size.fn == "abs" else size
        met = is_small(plain) if factor_of is None else size == ONE
        if not met and not (factor_of is None and plain in self.tested):
            self.found[Limit(size, factor_of)] = None

    def _size(self, term: Term) -> Term:
        """At least the size of a term in each element, and not finite where a part of it is not."""
        if not self._shown.reads(term):
            return self._shared(term)
        if not any(at.fn.startswith("list.") for at in applications((term,))):
            return self._own(term)
        match term:
            case Apply("neg" | "abs", (a,)):
                return self._size(a)
            case Apply("add" | "sub" | "maximum" | "minimum", (a, b)) | Apply("where", (_, a, b)):
                self._decided(*term.args[:-2])
                made = joined("add", self._size(a), self._size(b))
                self._measured()
                return made
            case Apply("mul", (a, b)):
                return self._factor(joined("mul", self._size(a), self._size(b)))
            case Apply("div", (a, b)) if not self._shown.reads(b):
                self._ask(self._shared(b))
                return self._factor(app("div", self._size(a), plain_size(b)))
            case Apply("div", (a, b)) if a != ONE:
                # A target may take 0 for a reciprocal that is less than the least normal number.
                reciprocal = joined("add", self._size(app("div", 1.0, b)), _NORMAL)
                return self._factor(joined("mul", self._size(a), reciprocal))
            case Apply("exp", (a,)):
                self._exponent(a)
                return ONE
            case _:
                raise Refused(f"nothing bounds {term} of an element")

    def _exponent(self, term: Term) -> None:
        """Ask for what keeps an exponent from being NaN, and from overflowing unseen."""
        sizes, rest = asked_of(term, self._shown, self._size)
        for size in sizes:
            self._ask(size)
        if rest is not None:
            self._ask(self._size(rest))
            self._measured()

    def _decided(self, *conditions: Term) -> None:
        """Ask for all that a condition compares: where that overflows it may say something else."""
        for at in applications(conditions):
            for arg in at.args if is_truth(at) and at.fn not in CONNECTIVES else ():
                if not self._shown.exact(arg):
                    self._ask(self._size(arg))
                    self._measured()

    def _factor(self, size: Term) -> Term:
        """A product of sizes, which is at most one where a finite number is among its factors.

        A later factor may be small, and hide that the product overflows before it.
        """
        for own in self._scaled:
            self._ask(size, own)
        return size

    def _measured(self) -> None:
        """Refuse a term that is taken as a finite number where more than a factor is done to it."""
        for own in self._scaled:
            raise Unmeasured(own)

    def _shared(self, term: Term) -> Term:
        """The size of what is the same for all elements; nothing in it hides an infinity."""
        waiting = [term]
        for at in waiting:
            aggregate = isinstance(at, Apply) and at.fn.startswith("list.")
            if isinstance(at, Apply) and not aggregate and at not in self.tested:
                for arg in hidden(at):
                    self._ask(plain_size(arg))
                waiting += at.args
        return plain_size(term)

    def _own(self, term: Term) -> Term:
        """The size of what is made of an element alone, measured or as a finite number."""
        if measure(term) in self._shown.closed and app("abs", term) in self._shown.kept:
            return measure(term)
        if term not in self._shown.finite or self._scaled:
            raise Unmeasured(term)
        self._scaled.append(term)
        return ONE
