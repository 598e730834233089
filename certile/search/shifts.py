"""How a sum of f(x, r) over a list changes when r does: by a factor, or as moments.

In: a summand f, a term over the fields of an element, parameters and `r`.  Out: a family of sums
that is closed under change of r, or None.

*Factor*: f(x, new) / f(x, old) is one monomial, with an exponential or without, that does not speak
of the element.  One sum is kept, and times that monomial it is the sum for the new r.

*Moments*: f is a product of n factors linear in r, with slopes that are numbers, and of others
without r.  With T_k = (d/dr)^k f / k!, Taylor's formula in d = new - old is finite and exact:
T_k(new) = Sum_j binomial(k + j, k) d^j T_(k+j)(old), and every T_k is a number times a sum that can
be kept.  Chan's variance is the case f = (x - mean)² without its middle sum, which is zero.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from certile.ir.terms import Lit, Term, Var, app, applications, substituted
from certile.proof.check.elaborate import Reader
from certile.proof.check.field import Exponent, Field, Monomial, Polynomial, Powers
from certile.proof.check.terms import Refused, Table
from certile.search.prover import search_table
from certile.search.writing import factors, mentions, product, scaled, total

R, OLD, NEW = "r", "old", "new"
_ONE: Polynomial = {((), ()): Fraction(1)}


@dataclass(frozen=True, slots=True)
class Scale:
    """One sum; `factor`, over `old` and `new`, is what a change of r multiplies it by."""

    body: Term
    factor: Term

    @property
    def bodies(self) -> tuple[Term, ...]:
        """What is summed."""
        return (self.body,)

    def shifted(self, place: int, held: Sequence[Term], guard: Term | None) -> Term:
        """The sum at `new` by what was held at `old`; a state that `guard` marks weighs nothing."""
        factor = self.factor
        if guard is not None and factor != Lit(1.0):
            factor = app("where", guard, 0.0, factor)
        return product([factor, held[place]])


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums of `bodies`; the one at place k times its coefficient is T_k."""

    bodies: tuple[Term, ...]
    coefficients: tuple[Fraction, ...]

    def shifted(self, place: int, held: Sequence[Term], guard: Term | None) -> Term:
        """The sum at `new` by the sums held at `old`; a state that `guard` marks does not move."""
        moved: Term = app("sub", NEW, OLD)
        if guard is not None:
            moved = app("where", guard, 0.0, moved)
        terms = []
        for by in range(len(self.bodies) - place):
            if held[place + by] == Lit(0.0):
                continue
            share = self.coefficients[place + by] / self.coefficients[place]
            number = share * math.comb(place + by, place)
            terms.append(scaled(float(number), product([*[moved] * by, held[place + by]])))
        return total(terms)


Family = Scale | Moments


@dataclass(frozen=True, slots=True)
class Language:
    """What summands speak of: fields of an element and parameters; `key` is what r reduces."""

    fields: tuple[str, ...]
    parameters: tuple[str, ...]
    key: Term

    def reader(self, table: Table) -> Reader:
        """Reads terms; fields become elements, the rest symbols."""
        shared = (*self.parameters, R, OLD, NEW)
        element = {name: table.make("elem", value=name) for name in self.fields}
        return Reader(
            table, element | {name: table.make("sym", value=name) for name in shared}, None
        )


def families(language: Language, summand: Term) -> list[Family]:
    """The ways to keep the sum of a summand; `Refused` if it has no meaning here."""
    if not mentions(summand, R):
        return [Scale(summand, Lit(1.0))]
    language.reader(search_table()).value(summand)
    found = (_scale(language, summand), _moments(language, summand))
    return [family for family in found if family is not None]


def cross(language: Language, summand: Term) -> tuple[Table, int, int]:
    """f(x, new) · f(y, old) and f(x, old) · f(y, new): equal if the ratio has no element in it."""
    table = search_table()
    names = (*language.fields, *language.parameters, OLD, NEW)
    symbols = {name: table.make("sym", value=f"s.{name}") for name in names}
    others = {name: table.make("sym", value=f"s.{name}'") for name in language.fields}

    def value(r: str, element: Mapping[str, int]) -> int:
        return Reader(table, {**symbols, **element, R: symbols[r]}, None).value(summand)

    left = table.make("mul", value(NEW, {}), value(OLD, others))
    return table, left, table.make("mul", value(OLD, {}), value(NEW, others))


def vanishes(language: Language, factor: Term, key: Term) -> bool:
    """Whether a factor is zero where r is the key."""
    table = search_table()
    value = language.reader(table).value(substituted(factor, {R: key}))
    return Field(table).equal(value, table.num(0))


def _scale(language: Language, summand: Term) -> Scale | None:
    """The family of one sum, if the ratio of two bodies is a monomial without an element."""
    table = search_table()
    reader = language.reader(table)
    old, new = (reader.value(substituted(summand, {R: Var(name)})) for name in (OLD, NEW))
    field, moving = Field(table), (R, *language.fields)
    try:
        over, under = field.read(new), field.read(old)
        found = _quotient([(over.top, 1), (over.bottom, -1), (under.bottom, 1), (under.top, -1)])
        if found is None or _speaks(table, found[0]):
            return None
        alone = (each for each in applications((summand,)) if not mentions(each, *moving))
        factor = _Writer(table, {reader.value(each): each for each in alone}).monomial(*found)
        same = Field(table).equal(table.make("mul", reader.value(factor), old), new)
    except Refused:
        return None
    return Scale(summand, factor) if same else None


def _quotient(parts: Iterable[tuple[Polynomial, int]]) -> tuple[Monomial, Fraction] | None:
    """The product of the first monomials, each to a power of 1 or -1."""
    powers, exponent, value = Counter[int](), dict[Powers, Fraction](), Fraction(1)
    for part, sign in parts:
        if not part:
            return None
        (atoms, argument), number = next(iter(part.items()))
        for atom, power in atoms:
            powers[atom] += sign * power
        for term, times in argument:
            exponent[term] = exponent.get(term, Fraction(0)) + sign * times
        value *= number**sign
    left = tuple(sorted((atom, power) for atom, power in powers.items() if power))
    return (left, tuple(sorted((term, times) for term, times in exponent.items() if times))), value


def _speaks(table: Table, monomial: Monomial) -> bool:
    powers, exponent = monomial
    atoms = {atom for atom, _ in powers} | {atom for term, _ in exponent for atom, _ in term}
    return any(table.free[atom] for atom in atoms)


class _Writer:
    """Writes monomials of symbols as terms, with differences of old and new where there are.

    `known` are terms that stand for no symbol, and speak of no element.
    """

    def __init__(self, table: Table, known: Mapping[int, Term]) -> None:
        self._table, self._known = table, known

    def monomial(self, monomial: Monomial, value: Fraction) -> Term:
        powers, exponent = monomial
        left = Counter(dict(powers))
        old, new = (self._table.make("sym", value=name) for name in (OLD, NEW))
        written: list[Term] = []
        while left[old] * left[new] < 0:
            sign = 1 if left[old] > 0 else -1
            written.append(app("div", *((OLD, NEW) if sign > 0 else (NEW, OLD))))
            left[old] -= sign
            left[new] += sign
        above = [self._atom(atom) for atom, power in left.items() for _ in range(power)]
        below = [self._atom(atom) for atom, power in left.items() for _ in range(-power)]
        if exponent:
            above.append(app("exp", self._exponent(exponent, old, new)))
        out = scaled(float(value), product([*written, *above]))
        return app("div", out, product(below)) if below else out

    def _atom(self, atom: int) -> Term:
        row = self._table.rows[atom]
        if atom in self._known:
            return self._known[atom]
        if row.op not in ("sym", "elem"):
            raise Refused("a factor holds more than symbols")
        return Var(str(row.value))

    def _exponent(self, exponent: Exponent, old: int, new: int) -> Term:
        """A sum in which each pair of a term of old and one of new is a number times a difference.

        The number is positive, so that the sign of the difference is that of the pair.
        """
        content, terms = dict(exponent), list[Term]()
        for powers, value in exponent:
            partner = tuple(sorted((new if a == old else a, p) for a, p in powers))
            if (old, 1) in powers and content.get(partner) == -value:
                pair = (OLD, NEW) if value > 0 else (NEW, OLD)
                others = [self._atom(a) for a, p in powers for _ in range(p) if a != old]
                terms.append(scaled(abs(float(value)), product([*others, app("sub", *pair)])))
                del content[powers], content[partner]
        for powers, value in content.items():
            atoms = [self._atom(atom) for atom, power in powers for _ in range(power)]
            terms.append(scaled(float(value), product(atoms)))
        return total(terms)


def _moments(language: Language, summand: Term) -> Moments | None:
    """The moments of a product of factors that are linear in r."""
    moving = [each for each in factors(summand) if mentions(each, R)]
    still = [each for each in factors(summand) if not mentions(each, R)]
    slopes = [_slope(language, each) for each in moving]
    known = [slope for slope in slopes if slope is not None]
    if len(known) != len(slopes):
        return None
    bodies, coefficients = list[Term](), list[Fraction]()
    for order in range(len(moving) + 1):
        content: dict[tuple[Term, ...], Fraction] = {}
        for chosen in combinations(range(len(moving)), order):
            rest = tuple(each for place, each in enumerate(moving) if place not in chosen)
            value = math.prod((known[place] for place in chosen), start=Fraction(1))
            content[rest] = content.get(rest, Fraction(0)) + value
        alone = next(iter(content.values())) if len(content) == 1 else Fraction(1)
        terms = [
            scaled(float(value / alone), product([*rest, *still]))
            for rest, value in content.items()
        ]
        bodies.append(total(terms))
        coefficients.append(alone)
    return Moments(tuple(bodies), tuple(coefficients))


def _slope(language: Language, factor: Term) -> Fraction | None:
    """The number that a factor changes by with r, if it is linear in r and that is a number."""
    table = search_table()
    read = Field(table).read(language.reader(table).value(factor))
    r = table.make("sym", value=R)
    slope = read.top.get((((r, 1),), ()))
    others = {key: value for key, value in read.top.items() if key != (((r, 1),), ())}
    atoms = {atom for (powers, _), _ in others.items() for atom, _ in powers}
    # An atom of which r is a part would hide it.
    hidden = r in table.reach(*atoms) or any(exponent for (_, exponent) in others)
    return slope if read.bottom == _ONE and not hidden else None
