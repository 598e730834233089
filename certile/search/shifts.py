"""How a sum of f(x, r) over a list changes when r does: by a factor, as moments, or by both.

In: a summand f, a term over the fields of an element, parameters and `r`; where it reads several
reductions, they are `r`, `r_1`, … (`centre`).  Out: families of sums that are closed under change
of all of them.

*Factor*: f(x, new) / f(x, old) is one monomial, with an exponential or without, that does not speak
of the element.  One sum is kept, and times that monomial it is the sum for the new r.

*Moments*: f is a product of n factors linear in each r, with slopes that are numbers, of others
without r, and of one that changes by a factor.  Without that one, with T_k the derivative of f
divided by k!, for k = (k0, k1, …) that in r k0 times, in r_1 k1 times, and so on, Taylor's formula
in d = new - old is finite and exact: T_k(new) = Sum_j binomial(k + j, k) d^j T_(k+j)(old), powers
and binomials taken place by place, and every T_k is a number times a sum that can be kept.  Chan's
variance is the case f = (x - mean)² without its middle sum, which is zero; a covariance,
(x - mean x)(y - mean y), is that of two r.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product as choices

from certile.ir.terms import Lit, Term, Var, app, applications, substituted
from certile.proof.check.elaborate import Reader
from certile.proof.check.field import Field
from certile.proof.check.terms import Refused, Table
from certile.records import record
from certile.search.algebra import Exponent, Monomial, Polynomial, Powers, fraction
from certile.search.prover import search_table
from certile.search.writing import either, factors, mentions, numbers, product, scaled, total

R, OLD, NEW = "r", "old", "new"
Order = tuple[int, ...]


@record
class Scale:
    """One sum; `factor`, over `old` and `new`, is what a change of r multiplies it by."""

    body: Term
    factor: Term

    @property
    def bodies(self) -> tuple[Term, ...]:
        """What is summed."""
        return (self.body,)

    def shifted(self, place: int, held: Sequence[Term], guards: Sequence[Term | None]) -> Term:
        """The sum at `new` by what was held at `old`; a state that a guard marks weighs nothing."""
        return product([_guarded(self.factor, guards), held[place]])


@record
class Moments:
    """Sums of `parts` times `weight`; that of one place times its coefficient is T_k.

    `moving` are the factors that are linear in r, `orders` the k of all places; `factor` is what
    a change of r multiplies the weight by, `known` the numbers of the program.
    """

    moving: tuple[Term, ...]
    parts: tuple[Term, ...]
    coefficients: tuple[Fraction, ...]
    orders: tuple[Order, ...]
    weight: Term
    factor: Term
    known: tuple[Fraction, ...]

    @property
    def bodies(self) -> tuple[Term, ...]:
        """What is summed."""
        return tuple(product([part, self.weight]) for part in self.parts)

    def shifted(self, place: int, held: Sequence[Term], guards: Sequence[Term | None]) -> Term:
        """The sum at `new` by the sums held at `old`; an r that its guard marks does not move."""
        moved = [_moved(number, guard) for number, guard in enumerate(guards)]
        here, terms = self.orders[place], list[Term]()
        for other, order in enumerate(self.orders):
            by = [there - place for there, place in zip(order, here, strict=True)]
            if min(by) < 0 or held[other] == Lit(0.0):
                continue
            number = self.coefficients[other] / self.coefficients[place]
            number *= math.prod(map(math.comb, order, here))
            powers = [each for each, power in zip(moved, by, strict=True) for _ in range(power)]
            terms.append(scaled(number, product([*powers, held[other]]), self.known))
        return product([_guarded(self.factor, guards), total(terms)])


Family = Scale | Moments


def centre(number: int, name: str = R) -> str:
    """The name of one of several r, or of what it is before or after a change."""
    return f"{name}_{number}" if number else name


def _guarded(factor: Term, guards: Sequence[Term | None]) -> Term:
    """The factor of a change, 0 where the state is marked by the guard of an r that it reads."""
    mark = either(
        guard for number, guard in enumerate(guards) if mentions(factor, centre(number, OLD))
    )
    return factor if mark is None else app("where", mark, 0.0, factor)


def _moved(number: int, guard: Term | None) -> Term:
    """By how much an r moves; not at all where its guard marks the state."""
    moved = app("sub", centre(number, NEW), centre(number, OLD))
    return moved if guard is None else app("where", guard, 0.0, moved)


@record
class Language:
    """What summands speak of: fields of an element, parameters, and some number of r."""

    fields: tuple[str, ...]
    parameters: tuple[str, ...]
    centres: int = 1

    def named(self, name: str = R) -> tuple[str, ...]:
        """The names of all r, or of what they are before or after a change."""
        return tuple(centre(number, name) for number in range(self.centres))

    def at(self, term: Term, name: str) -> Term:
        """A term with every r as it is before or after a change."""
        return substituted(term, dict(zip(self.named(), map(Var, self.named(name)), strict=True)))

    def reader(self, table: Table) -> Reader:
        """Reads terms; fields become elements, the rest symbols."""
        moving = (each for name in (R, OLD, NEW) for each in self.named(name))
        element = {name: table.make("elem", value=name) for name in self.fields}
        shared = {name: table.make("sym", value=name) for name in (*self.parameters, *moving)}
        return Reader(table, element | shared, None)


def families(language: Language, summand: Term) -> list[Family]:
    """The ways to keep the sum of a summand; `Refused` if it has no meaning here."""
    if not mentions(summand, *language.named()):
        return [Scale(summand, Lit(1.0))]
    language.reader(search_table()).value(summand)
    found = (_scale(language, summand), _moments(language, summand))
    return [family for family in found if family is not None]


def cross(language: Language, summand: Term) -> tuple[Table, int, int]:
    """f(x, new) · f(y, old) and f(x, old) · f(y, new): equal if the ratio has no element in it."""
    table = search_table()
    names = (*language.fields, *language.parameters, *language.named(OLD), *language.named(NEW))
    symbols = {name: table.make("sym", value=f"s.{name}") for name in names}
    others = {name: table.make("sym", value=f"s.{name}'") for name in language.fields}

    def value(r: str, element: Mapping[str, int]) -> int:
        return Reader(table, {**symbols, **element}, None).value(language.at(summand, r))

    left = table.make("mul", value(NEW, {}), value(OLD, others))
    return table, left, table.make("mul", value(OLD, {}), value(NEW, others))


def vanishes(language: Language, factor: Term, keys: Sequence[Term]) -> bool:
    """Whether a factor is zero where each r is its key."""
    table = search_table()
    at = substituted(factor, dict(zip(language.named(), keys, strict=True)))
    return Field(table).equal(language.reader(table).value(at), table.num(0))


def _scale(language: Language, summand: Term) -> Scale | None:
    """The family of one sum, if the ratio of two bodies is a monomial without an element."""
    table = search_table()
    reader = language.reader(table)
    old, new = (reader.value(language.at(summand, name)) for name in (OLD, NEW))
    moving = (*language.named(), *language.fields)
    try:
        over, under = fraction(table, new), fraction(table, old)
        found = _quotient([(over.top, 1), (over.bottom, -1), (under.bottom, 1), (under.top, -1)])
        if found is None or _speaks(table, found[0]):
            return None
        alone = (each for each in applications((summand,)) if not mentions(each, *moving))
        known = {reader.value(each): each for each in alone}
        writer = _Writer(table, known, language.centres, numbers([summand]))
        factor = writer.monomial(*found)
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

    `known` are terms that stand for no symbol, and speak of no element; `said` are the numbers of
    the program.
    """

    def __init__(
        self, table: Table, known: Mapping[int, Term], centres: int, said: tuple[Fraction, ...]
    ) -> None:
        self._table, self._known, self._said = table, known, said
        # What each r is before a change and after it.
        self._ends = [
            [
                (table.make("sym", value=name), Var(name))
                for name in (centre(k, OLD), centre(k, NEW))
            ]
            for k in range(centres)
        ]

    def monomial(self, monomial: Monomial, value: Fraction) -> Term:
        powers, exponent = monomial
        left = Counter(dict(powers))
        written: list[Term] = []
        for (old, before), (new, after) in self._ends:
            while left[old] * left[new] < 0:
                sign = 1 if left[old] > 0 else -1
                written.append(app("div", *((before, after) if sign > 0 else (after, before))))
                left[old] -= sign
                left[new] += sign
        above = [self._atom(atom) for atom, power in left.items() for _ in range(power)]
        below = [self._atom(atom) for atom, power in left.items() for _ in range(-power)]
        above += [app("exp", each) for each in self._exponents(exponent)]
        out = scaled(value, product([*written, *above]), self._said)
        return app("div", out, product(below)) if below else out

    def _atom(self, atom: int) -> Term:
        row = self._table.rows[atom]
        if atom in self._known:
            return self._known[atom]
        if row.op not in ("sym", "elem"):
            raise Refused("a factor holds more than symbols")
        return Var(str(row.value))

    def _exponents(self, exponent: Exponent) -> list[Term]:
        """A sum in which each pair of a term of old and one of new is a number times a difference.

        The number is positive, so that the sign of the difference is that of the pair.  Pairs of
        different r are exponents of their own: sums of one r alone have the same exponential.
        """
        content, terms = dict(exponent), dict[int, list[Term]]()
        for powers, value in exponent:
            for number, ((old, before), (new, after)) in enumerate(self._ends):
                partner = tuple(sorted((new if a == old else a, p) for a, p in powers))
                if (old, 1) in powers and content.get(partner) == -value:
                    pair = (before, after) if value > 0 else (after, before)
                    others = tuple((a, p) for a, p in powers if a != old)
                    moved = self._times(abs(value), others, app("sub", *pair))
                    terms.setdefault(number, []).append(moved)
                    del content[powers], content[partner]
                    break
        rest = [self._times(value, powers, Lit(1.0)) for powers, value in content.items()]
        if rest:
            return [total([*(each for some in terms.values() for each in some), *rest])]
        return list(map(total, terms.values()))

    def _times(self, value: Fraction, powers: Powers, term: Term) -> Term:
        """A term times a number and powers of atoms, of which those below 0 divide it."""
        above = [self._atom(atom) for atom, power in powers for _ in range(power)]
        below = [self._atom(atom) for atom, power in powers for _ in range(-power)]
        out = scaled(value, product([*above, term]), self._said)
        return app("div", out, product(below)) if below else out


def _moments(language: Language, summand: Term) -> Moments | None:
    """The moments of a product of factors that are linear in r, and of others by a factor."""
    moving, slopes, rest = list[Term](), list[tuple[Fraction, ...]](), list[Term]()
    for each in factors(summand):
        slope = _slope(language, each) if mentions(each, *language.named()) else None
        if slope is None:
            rest.append(each)
        else:
            moving.append(each)
            slopes.append(slope)
    weight = product(rest)
    scale = _scale(language, weight) if mentions(weight, *language.named()) else None
    if not moving or (scale is None and mentions(weight, *language.named())):
        return None
    known = numbers([summand])
    parts, coefficients, orders = list[Term](), list[Fraction](), list[Order]()
    for order, content in _derivatives(moving, slopes):
        alone = next(iter(content.values())) if len(content) == 1 else Fraction(1)
        terms = [scaled(value / alone, product(kept), known) for kept, value in content.items()]
        parts.append(total(terms))
        coefficients.append(alone)
        orders.append(order)
    factor = Lit(1.0) if scale is None else scale.factor
    return Moments(
        tuple(moving), tuple(parts), tuple(coefficients), tuple(orders), weight, factor, known
    )


def _derivatives(
    moving: Sequence[Term], slopes: Sequence[tuple[Fraction, ...]]
) -> Iterator[tuple[Order, dict[tuple[Term, ...], Fraction]]]:
    """For each order the derivative of a product: numbers times what is left of the factors."""
    centres = len(slopes[0])
    found: dict[Order, dict[tuple[Term, ...], Fraction]] = {}
    # Each factor stays, or is derived by one r; an order divided by its factorials counts a choice
    # of factors once.
    for chosen in choices((*range(centres), -1), repeat=len(moving)):
        by = [(slope, number) for slope, number in zip(slopes, chosen, strict=True) if number >= 0]
        value = math.prod((slope[number] for slope, number in by), start=Fraction(1))
        if value:
            kept = tuple(each for each, number in zip(moving, chosen, strict=True) if number < 0)
            content = found.setdefault(tuple(map(chosen.count, range(centres))), {})
            content[kept] = content.get(kept, Fraction(0)) + value
    yield from sorted(found.items(), key=lambda item: (sum(item[0]), [-k for k in item[0]]))


def _slope(language: Language, factor: Term) -> tuple[Fraction, ...] | None:
    """The numbers that a factor changes by with each r, if it is linear in them."""
    table = search_table()
    read = fraction(table, language.reader(table).value(factor))
    moving = [table.make("sym", value=name) for name in language.named()]
    linear = {(((r, 1),), ()): read.top.get((((r, 1),), ()), Fraction(0)) for r in moving}
    others = {key: value for key, value in read.top.items() if key not in linear}
    atoms = {atom for (powers, _), _ in others.items() for atom, _ in powers}
    # An atom of which an r is a part would hide it.
    hidden = not set(moving).isdisjoint(table.reach(*atoms)) or any(each for (_, each) in others)
    below = read.bottom.get(((), ()))
    if hidden or below is None or len(read.bottom) > 1:
        return None
    return tuple(value / below for value in linear.values())
