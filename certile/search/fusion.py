"""Fold fusion by derivation: a reduction and sums that use its result become one fold.

In: `Chain`, an outer reduction r of a key and later sums of terms f(x, r).  Out: `Fused`, a law
whose state is merged in one pass, what it means, and a certificate that `proof.check` accepts; or
the `Unproved` of the obligation that failed.  No operation is known by name: every summand is kept
as sums that are closed under change of r (`shifts`), and what special values need is found by
trying guards until the law is proved, for all numbers first and for finite ones next.

A law that is true of the reals may still overflow where the program it came from does not, so each
exponent of a derived law has to be proved never positive (`Meaning.bounded`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product as choices
from typing import Final, Literal

from certile.ir.laws import Component, Law, StateType
from certile.ir.meanings import Domain, Meaning
from certile.ir.terms import Lit, Term, Var, app, substituted
from certile.proof.check import finite_fields
from certile.proof.check.certificate import Json
from certile.proof.check.context import Context
from certile.proof.check.elaborate import Reader
from certile.proof.check.finite import SHARED
from certile.proof.check.kinds import FINITE
from certile.proof.check.reader import DOMAINS
from certile.proof.check.regions import DISCHARGES
from certile.proof.check.replay import Goal
from certile.proof.check.terms import Refused
from certile.proof.goal_text import text
from certile.proof.render import Writer
from certile.search.laws import Unproved, prove, refute
from certile.search.outer import COUNT, PLAIN, Outer, Part, begun, counted
from certile.search.prover import search_table
from certile.search.shifts import (
    NEW,
    OLD,
    Family,
    Language,
    Moments,
    R,
    cross,
    families,
    vanishes,
)
from certile.search.writing import (
    factors,
    mentions,
    negative,
    product,
    summands,
    total,
)

Guard = Literal["none", "element", "term", "weight"]
_GUARDS: Final[tuple[Guard, ...]] = ("none", "element", "term", "weight")
_ZERO_TRIALS: Final = 60
_MEAN: Final = app("div", R, COUNT)
_WHERE_FINITE: Final = app("where", app("isfinite", R), R, 0.0)
_FAR: Final = (
    "moments about r lose digits where r of a part of the row may be far from its elements; r has "
    "to be the extreme or the mean of what it is subtracted from"
)
_CANCELS: Final = (
    "a sum of differences is computed as no difference of sums: the digits that are left where one "
    "number is taken from another are lost where one sum is taken from another"
)
# How far a refused candidate came, by the obligation that failed.
REACHED: Final = ("read", "ratio", "near", "nil", "one", "cat", "finalize", "bound")


@dataclass(frozen=True, slots=True)
class Chain:
    """An outer reduction `r` of `key`, and sums of terms over the fields of an element and `r`.

    The fields are `x`, or `x0`, `x1`, … for several operands.  `parameters` are numbers that all
    elements share.  `nonempty`: every list has an element, so no result is claimed of none.
    `value` is the `r` that sums read, over the outer result, `r` too, and the number of elements,
    `outer.COUNT`.  `outside`, where it is given, is a factor of each sum, over the results before
    it: `r0` is the outer one.  `wanted` are the results the law gives, each the total of those at
    some places, all alone unless told otherwise, and `specification` what they are, where a program
    says it in its own terms.
    """

    outer: Outer
    key: Term
    later: tuple[Term, ...]
    operands: int = 1
    parameters: Mapping[str, Domain] = field(default_factory=dict)
    nonempty: bool = False
    value: Term = PLAIN
    outside: tuple[Term, ...] = ()
    wanted: tuple[tuple[int, ...], ...] | None = None
    specification: tuple[Term, ...] | None = None

    def fields(self) -> tuple[str, ...]:
        """The names of the fields of an element."""
        return ("x",) if self.operands == 1 else tuple(f"x{k}" for k in range(self.operands))

    def terms(self) -> tuple[Term, ...]:
        """All that the chain says."""
        said = (self.key, self.value, *self.later, *self.outside)
        return said if self.specification is None else (*said, *self.specification)

    def substituted(self, by: Mapping[str, Term]) -> Chain:
        """The chain with names replaced in all that it says."""

        def renamed(terms: tuple[Term, ...]) -> tuple[Term, ...]:
            return tuple(substituted(term, by) for term in terms)

        return replace(
            self,
            key=substituted(self.key, by),
            value=substituted(self.value, by),
            later=renamed(self.later),
            outside=renamed(self.outside),
            specification=None if self.specification is None else renamed(self.specification),
        )


@dataclass(frozen=True, slots=True)
class Fused:
    """A law of one pass; its results are the outer one and the later sums, in order."""

    law: Law
    meaning: Meaning
    certificate: Json


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to make a chain one law: a family for each summand, and what guards bad values."""

    families: tuple[tuple[Family, ...], ...]
    guard: Guard
    nan_where_bad: bool
    domain: Domain


def derive(chain: Chain, name: str = "fused") -> Fused | Unproved:
    """The fused law of a chain with its certificate, or the refusal of the best candidate."""
    options: list[list[tuple[Family, ...]]] = []
    for later in chain.later:
        found = _ways(chain, name, later)
        if isinstance(found, Unproved):
            return found
        options.append(found)
    if _cancels(chain):
        return Unproved(name, "near", _CANCELS, None)
    best: Unproved | None = None
    for candidate in _candidates(chain, options):
        law, meaning = _Fusion(chain, candidate, name).built()
        proved = prove(law, meaning)
        if not isinstance(proved, Unproved):
            return Fused(law, meaning, proved)
        if best is None or rank(proved) > rank(best):
            best = proved
    return best or Unproved(name, "read", "there is no later sum", None)


def meaning(
    chain: Chain, specification: tuple[Term, ...], closed: tuple[Term, ...], domain: Domain
) -> Meaning:
    """What a law for a chain means, by the closed forms of its state."""
    return Meaning(
        closed=closed,
        specification=specification,
        domain=dict.fromkeys(chain.fields(), domain),
        discharges=DISCHARGES,
        parameters=chain.parameters,
        nonempty=chain.nonempty,
        bounded=True,
    )


def rank(refusal: Unproved) -> int:
    """How far a candidate came before it was refused."""
    return REACHED.index(refusal.obligation.partition(".")[0])


def _ways(chain: Chain, name: str, later: Term) -> list[tuple[Family, ...]] | Unproved:
    """The families for a later sum: of the whole term, or of the terms whose sum it is."""
    language = Language(chain.fields(), tuple(chain.parameters), chain.key)
    try:
        whole = families(language, later)
        kept = [family for family in whole if _stays_near(chain, language, later, family)]
        if kept:
            return [(family,) for family in kept]
        options: list[list[Family]] = []
        for summand in summands(later):
            found = families(language, summand)
            if not found:
                return _depends(chain, language, name, summand)
            kept = [family for family in found if _stays_near(chain, language, summand, family)]
            if not kept:
                return Unproved(name, "near", _FAR, None)
            options.append(kept)
        if len(set(map(negative, summands(later)))) > 1:
            return Unproved(name, "near", _CANCELS, None)
    except Refused as refusal:
        return Unproved(name, "read", str(refusal), None)
    return list(choices(*options))


def _stays_near(chain: Chain, language: Language, summand: Term, family: Family) -> bool:
    """Whether no part of a list has an r much further from its elements than r of the list is.

    Moments about a far r are large numbers whose difference is the small sum that is wanted, so its
    digits are lost, although the law is true.  A running extreme only comes nearer to what is
    beyond it, and a mean lies among the elements that it is of; where r is anything else, as a sum
    that grows and falls, or is of other numbers than those it is subtracted from, nothing holds it.
    """
    if not isinstance(family, Moments):
        return True
    means = {"add": (_MEAN,), "mean": (PLAIN,)}.get(chain.outer, (PLAIN, _WHERE_FINITE))
    keys = [chain.key, app("abs", chain.key)] if chain.outer == "absmax" else [chain.key]
    moving = [each for each in factors(summand) if mentions(each, R)]
    return chain.value in means and all(
        any(vanishes(language, each, key) for key in keys) for each in moving
    )


def _depends(chain: Chain, language: Language, name: str, summand: Term) -> Unproved:
    """The refusal of a summand whose ratio speaks of the element, with two that show it."""
    table, left, right = cross(language, summand)
    names = (*chain.fields(), *(f"{name}'" for name in chain.fields()), OLD, NEW)
    domain = {f"s.{each}": FINITE for each in names}
    domain |= {f"s.{each}": DOMAINS[kind] for each, kind in chain.parameters.items()}
    found = refute(table, Goal(Context(table, domain), left, right), domain)
    a, b = text(table, left, right)
    writer = Writer(table, {})
    formula = f"{writer.text(left)} = {writer.text(right)}".replace("s.", "")
    return Unproved(name, "ratio", f"(is {a} {b})", found, (formula,))


def _bodies(chain: Chain) -> list[Term]:
    """What each later sum adds for an element, in terms of the list."""
    start = begun(chain.outer, chain.key, chain.value)
    r, results, bodies = start.of_list(start.value), [start.of_list(start.result)], list[Term]()
    for place, later in enumerate(chain.later):
        before = {f"{R}{number}": result for number, result in enumerate(results)}
        outside = substituted(chain.outside[place], before) if chain.outside else Lit(1.0)
        bodies.append(product([outside, substituted(later, {R: r})]))
        results.append(app("list.sum", bodies[-1]))
    return bodies


def _cancels(chain: Chain) -> bool:
    """Whether a result is a total of sums whose terms of one element may have different signs."""
    together = [places for places in chain.wanted or () if len(places) > 1]
    bodies = _bodies(chain) if together else []
    table = search_table()
    shared = {name: table.make("sym", value=f"{SHARED}.{name}") for name in chain.parameters}
    reader = Reader(table, shared, ("xs",), chain.fields())
    domain = dict.fromkeys(chain.fields(), FINITE)
    domain |= {f"{SHARED}.{name}": DOMAINS[kind] for name, kind in chain.parameters.items()}
    for places in together:
        parts = [bodies[place - 1] for place in places]
        whole = app("list.sum", app("abs", total(parts)))
        apart = app("list.sum", total(app("abs", part) for part in parts))
        goal = Goal(Context(table, domain), reader.value(whole), reader.value(apart))
        if refute(table, goal, domain, _ZERO_TRIALS) is not None:
            return True
    return False


def _candidates(chain: Chain, options: Sequence[list[tuple[Family, ...]]]) -> Iterator[Candidate]:
    """Every candidate, those that claim most and guard least first."""
    start = begun(chain.outer, chain.key, chain.value)
    guards = _GUARDS if start.bad_element else ("none", "term") if start.bad else ("none",)
    domains: tuple[Domain, ...] = ("any", "finite")
    for domain in domains:
        for chosen in choices(*options):
            for guard in guards:
                for nan in (False, True)[: 1 + (guard != "none" and chain.outer != "mean")]:
                    yield Candidate(tuple(chosen), guard, nan, domain)


class _Fusion:
    """Puts a candidate together; components that have one closed form are one."""

    def __init__(self, chain: Chain, candidate: Candidate, name: str) -> None:
        self._chain, self._candidate, self._name = chain, candidate, name
        self._start = begun(chain.outer, chain.key, chain.value)
        self._parts: dict[str, Part] = dict(self._start.parts)
        self._merges: dict[str, Term] = {
            name: app(part.merge, f"a.{name}", f"b.{name}") for name, part in self._parts.items()
        }

    def built(self) -> tuple[Law, Meaning]:
        """The law and its meaning."""
        results = self._results()
        if self._candidate.domain == "finite":
            self._add_anchors()
        law = self._law(results)
        return replace(law, closed=tuple(self._closed())), self._meaning()

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
        )

    def _closed(self) -> Iterator[Term]:
        return (part.closed for part in self._parts.values())

    def _results(self) -> list[Term]:
        """The wanted results, over the components."""
        chain, results = self._chain, [self._start.result]
        for place, (later, chosen) in enumerate(
            zip(chain.later, self._candidate.families, strict=True)
        ):
            value = total(self._kept(family)[0] for family in chosen)
            if self._candidate.nan_where_bad and mentions(later, R):
                value = app("where", self._bad_list(), Lit("nan"), value)
            outside = chain.outside[place] if chain.outside else Lit(1.0)
            before = {f"{R}{number}": result for number, result in enumerate(results)}
            results.append(product([substituted(outside, before), value]))
        return self._wanted(results)

    def _wanted(self, results: Sequence[Term]) -> list[Term]:
        """The results that are wanted, of one at each place."""
        if self._chain.wanted is None:
            return list(results)
        return [total(results[place] for place in places) for places in self._chain.wanted]

    def _meaning(self) -> Meaning:
        chain = self._chain
        specification = chain.specification or self._specified()
        return meaning(chain, specification, tuple(self._closed()), self._candidate.domain)

    def _specified(self) -> tuple[Term, ...]:
        bodies = _bodies(self._chain)
        sums = [app("list.sum", body) for body in bodies]
        return tuple(self._wanted([self._start.of_list(self._start.result), *sums]))

    def _add_anchors(self) -> None:
        """Sums of the fields of which the state would not show that they are finite."""
        shown = finite_fields(self._law(()))
        for name in self._chain.fields():
            if name not in shown:
                part = Part(app("list.sum", name), Lit(0.0), Var(name), "add")
                held = f"t{len(self._parts)}"
                self._added(held, part, app("add", f"a.{held}", f"b.{held}"))

    def _bad_list(self) -> Term:
        """Whether r of the state is bad; a list without elements is not, having no summand."""
        bad = self._start.bad or Lit(False)
        if self._chain.nonempty:
            return bad
        self._counted()
        return app("bit_and", bad, app("ne", "n", 0.0))

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
        bodies = [self._guarded(family, body) for body in family.bodies]
        held = [self._held(body) for body in bodies]
        names = [each or Var(f"s{len(self._parts) + k}") for k, each in enumerate(held)]
        out: list[Term] = []
        for place, (name, body) in enumerate(zip(names, bodies, strict=True)):
            if held[place] is None:
                merge = total(self._shifted(family, place, names, side) for side in ("a", "b"))
                name = self._added(str(name), self._part(body), merge)
            out.append(name)
        return out

    def _held(self, body: Term) -> Term | None:
        """The number or the component that a sum is already, or None."""
        if body == Lit(1.0):
            return self._counted()
        if mentions(body, R) and self._vanishes(body):
            return Lit(0.0)
        closed = self._part(body).closed
        return next((Var(k) for k, part in self._parts.items() if part.closed == closed), None)

    def _part(self, body: Term) -> Part:
        start = self._start
        state = {R: start.of(start.value, "state")}
        state |= {name: Var(f"state.{name}") for name in start.parts}
        one = {R: start.lifted} | {name: part.lift for name, part in start.parts.items()}
        closed = app("list.sum", substituted(body, state))
        return Part(closed, Lit(0.0), substituted(body, one), "add")

    def _shifted(self, family: Family, place: int, names: Sequence[Term], side: str) -> Term:
        """What one side of a merge adds to a sum."""
        held = [Var(f"{side}.{each.name}") if isinstance(each, Var) else each for each in names]
        bad = None if self._candidate.guard == "none" else self._start.bad
        guard = None if bad is None else self._start.of(bad, side)
        ends = {OLD: self._start.of(self._start.value, side), NEW: self._start.merged()}
        return substituted(family.shifted(place, held, guard), ends)

    def _guarded(self, family: Family, body: Term) -> Term:
        """The summand with 0 where the guard says: for all of it, or for what reads r."""
        guard = self._candidate.guard
        bad = self._start.bad_element if guard == "element" else self._start.bad
        plain = guard == "none" or bad is None or not mentions(body, R)
        if isinstance(family, Moments) or plain or bad is None:
            return body
        if guard == "term":
            return app("where", bad, 0.0, body)
        weight = product(each for each in factors(body) if mentions(each, R))
        others = [each for each in factors(body) if not mentions(each, R)]
        return product([app("where", bad, 0.0, weight), *others])

    def _vanishes(self, body: Term) -> bool:
        """Whether no list of finite numbers was found whose sum is not zero."""
        chain, table = self._chain, search_table()
        shared = {name: table.make("sym", value=f"{SHARED}.{name}") for name in chain.parameters}
        reader = Reader(table, shared, ("xs",), chain.fields())
        start = self._start
        of_list = start.of_list(substituted(body, {R: start.value}))
        value = reader.value(app("list.sum", of_list))
        domain = dict.fromkeys(chain.fields(), FINITE)
        domain |= {f"{SHARED}.{name}": DOMAINS[kind] for name, kind in chain.parameters.items()}
        goal = Goal(Context(table, domain), value, table.num(0))
        return refute(table, goal, domain, _ZERO_TRIALS) is None
