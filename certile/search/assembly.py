"""Candidates of fold fusion put together: a chain and how each sum is kept, as one law.

In: a chain, a family of sums that is closed under change of r for each summand (`shifts`), how bad
values are guarded.  Out: the law and what it means, with the components that measure what a program
writes (`sizes`).  Decides which components are one: those that have one closed form.  Whether the
law holds is for a proof to say.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Literal

from certile.ir.laws import Component, Law, StateType
from certile.ir.meanings import Domain, Meaning
from certile.ir.terms import Lit, Term, Var, app, substituted
from certile.proof.check.limits import Limit, measure, unknown
from certile.proof.check.terms import require
from certile.records import record
from certile.search.chain_terms import Chain, bodies, differ, meaning
from certile.search.outer import Part, Start, counted
from certile.search.shifts import NEW, OLD, Family, Moments, R, centre
from certile.search.sizes import finite_fields, limits_of, unmeasured
from certile.search.writing import either, factors, mentions, product, total

__all__ = ["Candidate", "Guard", "assembled"]

Guard = Literal["none", "element", "term", "weight"]


@record
class Candidate:
    """One way to make a chain one law: a family for each summand, and what guards bad values."""

    families: tuple[tuple[Family, ...], ...]
    guard: Guard
    nan_where_bad: bool
    domain: Domain


def assembled(
    chain: Chain, candidate: Candidate, name: str
) -> tuple[Law, Meaning, tuple[Limit, ...]]:
    """The law of that name that a candidate makes of a chain, its meaning and its limits.

    Raises `Refused` where nothing in the state bounds what the program writes.
    """
    return _Assembly(chain, candidate, name).built()


class _Assembly:
    """Puts a candidate together; components that have one closed form are one."""

    def __init__(self, chain: Chain, candidate: Candidate, name: str) -> None:
        self._chain, self._candidate, self._name = chain, candidate, name
        self._starts, self._named = chain.starts(), chain.language().named()
        self._parts = {name: part for each in self._starts for name, part in each.parts.items()}
        self._merges: dict[str, Term] = {
            name: app(part.merge, f"a.{name}", f"b.{name}") for name, part in self._parts.items()
        }

    def built(self) -> tuple[Law, Meaning, tuple[Limit, ...]]:
        """The law, its meaning and its limits."""
        results = self._results()
        wanted = self._wanted(results)
        limits, finite = self._limited(wanted)
        specification = self._chain.specification or self._specified()
        more = unknown(limits, (*self._closed(), *specification))
        given = dict(self._chain.written)
        require(given.keys() >= set(more), "a limit is of what is no reduction of the chain")
        law = self._law([*wanted, *(total(results[k] for k in given[term]) for term in more)])
        return law, self._meaning((*specification, *more), limits, finite), tuple(limits)

    def _law(self, results: Sequence[Term]) -> Law:
        parts = self._parts.values()
        types: tuple[StateType, ...] = tuple("acc" for _ in results)
        return Law(
            name=self._name,
            state=tuple(map(Component, self._parts)),
            identity=tuple(part.identity for part in parts),
            lift=tuple(part.lift for part in parts),
            merge=tuple(self._merges.values()),
            finalize=tuple(results),
            results=types,
            operands=self._chain.operands,
            parameters=tuple(self._chain.parameters),
            closed=tuple(self._closed()),
        )

    def _limited(self, wanted: Sequence[Term]) -> tuple[list[Limit], frozenset[str]]:
        """The limits of what a program writes, with components that measure what they speak of.

        With the fields that have to be finite for them.
        """
        written = self._chain.specification or ()
        while (own := unmeasured(self._law(wanted), written)) is not None:
            part = Part(measure(own), Lit(0.0), app("abs", own), "maximum")
            name = f"a{len(self._parts)}"
            added = self._added(name, part, app("maximum", f"a.{name}", f"b.{name}"))
            require(added == Var(name), f"the size of {own} is kept in another way")
        if self._candidate.domain == "finite":
            self._add_anchors()
        return limits_of(self._law(wanted), written)

    def _closed(self) -> Iterator[Term]:
        return (part.closed for part in self._parts.values())

    def _results(self) -> list[Term]:
        """The results at all places, over the components."""
        chain, results = self._chain, [start.result for start in self._starts]
        for place, (later, chosen) in enumerate(
            zip(chain.later, self._candidate.families, strict=True)
        ):
            value = total(self._kept(family)[0] for family in chosen)
            if self._candidate.nan_where_bad and mentions(later, *self._named):
                value = app("where", self._bad_list(later), Lit("nan"), value)
            outside = chain.outside[place] if chain.outside else Lit(1.0)
            before = {f"{R}{number}": result for number, result in enumerate(results)}
            results.append(product([substituted(outside, before), value]))
        return results

    def _wanted(self, results: Sequence[Term]) -> list[Term]:
        """The results that are wanted, of one at each place."""
        if self._chain.wanted is None:
            return list(results)
        return [total(results[place] for place in places) for places in self._chain.wanted]

    def _meaning(
        self,
        specification: tuple[Term, ...],
        limits: Sequence[Limit],
        finite: Container[str],
    ) -> Meaning:
        every = self._candidate.domain
        domain = {name: "finite" if name in finite else every for name in self._chain.fields()}
        return meaning(self._chain, specification, tuple(self._closed()), domain, limits)

    def _specified(self) -> tuple[Term, ...]:
        sums = [app("list.sum", body) for body in bodies(self._chain)]
        outer = [start.of_list(start.result) for start in self._starts]
        return tuple(self._wanted([*outer, *sums]))

    def _add_anchors(self) -> None:
        """Sums of the fields of which the state would not show that they are finite."""
        shown = finite_fields(self._law(()))
        for name in self._chain.fields():
            if name not in shown:
                part = Part(app("list.sum", name), Lit(0.0), Var(name), "add")
                held = f"t{len(self._parts)}"
                self._added(held, part, app("add", f"a.{held}", f"b.{held}"))

    def _bad_list(self, later: Term) -> Term:
        """Whether an r that a sum reads is bad; a list without elements has no bad summand."""
        bad = either(start.bad for start in self._read(later)) or Lit(False)
        if self._chain.nonempty:
            return bad
        self._counted()
        return app("bit_and", bad, app("ne", "n", 0.0))

    def _read(self, term: Term) -> list[Start]:
        """The outer reductions whose value a term reads."""
        named = zip(self._starts, self._named, strict=True)
        return [start for start, name in named if mentions(term, name)]

    def _counted(self) -> Term:
        return self._added("n", counted(), app("add", "a.n", "b.n"))

    def _added(self, name: str, part: Part, merge: Term) -> Term:
        """The component with this closed form, made unless there is one."""
        for known, each in self._parts.items():
            if each.closed == part.closed:
                return Var(known)
        self._parts[name] = part
        self._merges[name] = merge
        return Var(name)

    def _kept(self, family: Family) -> list[Term]:
        """The components that hold the sums of a family, in order; a sum that is zero is none."""
        summed = list(self._guarded(family))
        known = {body: self._held(body) for body in summed}
        made = [body for body, held in known.items() if held is None]
        fresh = {body: Var(f"s{len(self._parts) + k}") for k, body in enumerate(made)}
        names = [known[body] or fresh[body] for body in summed]
        for body in made:
            at = summed.index(body)
            merge = total(self._shifted(family, at, names, side) for side in ("a", "b"))
            self._added(str(names[at]), self._part(body), merge)
        return names

    def _held(self, body: Term) -> Term | None:
        """The number or the component that a sum is already, or None."""
        if body == Lit(1.0):
            return self._counted()
        if mentions(body, *self._named) and self._vanishes(body):
            return Lit(0.0)
        closed = self._part(body).closed
        return next((Var(k) for k, part in self._parts.items() if part.closed == closed), None)

    def _part(self, body: Term) -> Part:
        state = self._values("state")
        one = {name: start.lifted for name, start in zip(self._named, self._starts, strict=True)}
        for start in self._starts:
            state |= {name: Var(f"state.{name}") for name in start.parts}
            one |= {name: part.lift for name, part in start.parts.items()}
        closed = app("list.sum", substituted(body, state))
        return Part(closed, Lit(0.0), substituted(body, one), "add")

    def _values(self, side: str) -> dict[str, Term]:
        """Each r as the state of that name has it."""
        starts = zip(self._named, self._starts, strict=True)
        return {name: start.of(start.value, side) for name, start in starts}

    def _shifted(self, family: Family, place: int, names: Sequence[Term], side: str) -> Term:
        """What one side of a merge adds to a sum."""
        held = [Var(f"{side}.{each.name}") if isinstance(each, Var) else each for each in names]
        guards: list[Term | None] = []
        for start in self._starts:
            bad = None if self._candidate.guard == "none" else start.bad
            guards.append(None if bad is None else start.of(bad, side))
        old = self._values(side)
        ends = {centre(k, OLD): old[name] for k, name in enumerate(self._named)}
        ends |= {centre(k, NEW): start.merged() for k, start in enumerate(self._starts)}
        return substituted(family.shifted(place, held, guards), ends)

    def _guarded(self, family: Family) -> Iterator[Term]:
        """The summands with 0 where the guard says: for all of one, or for what reads r."""
        if self._candidate.guard == "none":
            yield from family.bodies
        elif isinstance(family, Moments):
            weight = self._guarded_term(family.weight)
            yield from (product([part, weight]) for part in family.parts)
        else:
            yield self._guarded_term(family.body)

    def _guarded_term(self, body: Term) -> Term:
        guard, read = self._candidate.guard, self._read(body)
        bad = either(each.bad_element if guard == "element" else each.bad for each in read)
        if bad is None:
            return body
        if guard == "term":
            return app("where", bad, 0.0, body)
        weight = product(each for each in factors(body) if mentions(each, *self._named))
        others = [each for each in factors(body) if not mentions(each, *self._named)]
        return product([app("where", bad, 0.0, weight), *others])

    def _vanishes(self, body: Term) -> bool:
        """Whether no list of finite numbers was found whose sum is not zero."""
        for name, start in zip(self._named, self._starts, strict=True):
            body = substituted(start.of_list(body), {name: start.of_list(start.value)})
        return not differ(self._chain, app("list.sum", body), Lit(0.0))
