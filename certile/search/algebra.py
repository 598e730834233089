"""Polynomials written as terms again, ratios of sums, and sums spread over their monomials.

In: terms of the checker's table, read as fractions by its `Field`; a monomial is here powers of
atoms and the argument of one exponential.  Out: terms, or None where a term has no such form.
Decides how a polynomial is written.  Proves nothing: what comes out is a
proposal, whose equality with what went in the steps of a proof have to show.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, TypeVar

from certile.proof.check import field as checked
from certile.proof.check.field import Field
from certile.proof.check.terms import Refused, Table

Powers = tuple[tuple[int, int], ...]
Exponent = tuple[tuple[Powers, Fraction], ...]
Monomial = tuple[Powers, Exponent]
Polynomial = dict[Monomial, Fraction]

_ONE: Polynomial = {((), ()): Fraction(1)}
Key = TypeVar("Key", int, Powers)
Number = TypeVar("Number", int, Fraction)


class Ratio(NamedTuple):
    """A numerator and a denominator."""

    top: Polynomial
    bottom: Polynomial


def fraction(table: Table, term: int) -> Ratio:
    """The fraction that a term is; raises `Refused` when it grows too large."""
    top, bottom = Field(table).read(term)
    return Ratio(_apart(top), _apart(bottom))


def _apart(content: checked.Polynomial) -> Polynomial:
    """A polynomial with the exponentials of a monomial as one."""
    out: Polynomial = {}
    for monomial, value in content.items():
        powers = [(each, int(power)) for each, power in monomial if isinstance(each, int)]
        exponent = [
            (tuple(sorted(each)), Fraction(power))
            for each, power in monomial
            if not isinstance(each, int)
        ]
        out[tuple(sorted(powers)), tuple(sorted(exponent))] = Fraction(value)
    return out


def product(table: Table, factors: Iterable[int]) -> int:
    """The product of terms from left to right; 1 for none."""
    out: int | None = None
    for each in factors:
        out = each if out is None else table.make("mul", out, each)
    return table.num(1) if out is None else out


def total(table: Table, summands: Iterable[int]) -> int:
    """The sum of terms from left to right; 0 for none."""
    out: int | None = None
    for each in summands:
        out = each if out is None else table.make("add", out, each)
    return table.num(0) if out is None else out


def polynomial(table: Table, content: Polynomial) -> int:
    """A polynomial as a term."""
    return total(table, (_monomial(table, each, value) for each, value in content.items()))


def _monomial(table: Table, monomial: Monomial, value: Fraction) -> int:
    powers, exponent = monomial
    above = [table.num(value)] if value != 1 else []
    above += [atom for atom, power in powers for _ in range(power)]
    below = [atom for atom, power in powers for _ in range(-power)]
    if exponent:
        argument = total(table, (_monomial(table, (p, ()), v) for p, v in exponent))
        above.append(table.make("exp", argument))
    term = product(table, above)
    return table.make("div", term, product(table, below)) if below else term


def ratio(table: Table, over: int, under: int) -> int | None:
    """A term without an element that the first body is times the second, if there is one."""
    try:
        a, b = fraction(table, over), fraction(table, under)
        if not all((*a, *b)):
            return None  # A sum of zeros, or a quotient by 0, is no multiple of anything.
        # (a/c) / (b/d) by the first monomials of each.
        powers: Powers = ()
        exponent: Exponent = ()
        value = Fraction(1)
        for part, sign in ((a.top, 1), (a.bottom, -1), (b.bottom, 1), (b.top, -1)):
            (there, of), number = next(iter(part.items()))
            powers = _combined(powers, there, sign)
            exponent = _combined(exponent, of, sign)
            value *= number**sign
        atoms = {atom for atom, _ in powers} | {t for each, _ in exponent for t, _ in each}
        if any(table.free[atom] for atom in atoms):
            return None
        factor = _monomial(table, (powers, exponent), value)
        return factor if Field(table).equal(table.make("mul", factor, under), over) else None
    except Refused:
        return None


def _combined(
    a: tuple[tuple[Key, Number], ...], b: tuple[tuple[Key, Number], ...], sign: int
) -> tuple[tuple[Key, Number], ...]:
    """Two sparse vectors added, or subtracted."""
    out = dict(a)
    for key, value in b:
        out[key] = out[key] + sign * value if key in out else sign * value
    return tuple(sorted((key, value) for key, value in out.items() if value))


def difference(table: Table, term: int) -> int | None:
    """A positive number times a - b times or by common atoms, if that is what a term is."""
    try:
        read = fraction(table, term)
    except Refused:
        return None
    if len(read.bottom) != 1 or len(read.top) != 2:
        return None
    (((below, exponent), whole),) = read.bottom.items()
    if exponent or any(each for (_, each) in read.top):
        return None
    ((first, _), value), ((second, _), other) = sorted(
        read.top.items(), key=lambda item: item[1], reverse=True
    )
    common = tuple(sorted(set(first) & set(second)))
    a, b = (tuple(each for each in powers if each not in common) for powers in (first, second))
    if value != -other or not a or not b or whole < 0:
        return None
    minus = _monomial(table, (b, ()), Fraction(-1))
    between = table.make("add", _monomial(table, (a, ()), Fraction(1)), minus)
    factor = _monomial(table, (_combined(common, below, -1), ()), value / whole)
    return between if factor == table.num(1) else table.make("mul", factor, between)


def spread(table: Table, body: int) -> list[tuple[int, int]] | None:
    """The body as (coefficient without an element, monomial of the element) pairs."""
    try:
        read = fraction(table, body)
    except Refused:
        return None
    if any(table.free[atom] for powers, _ in read.bottom for atom, _ in powers):
        return None
    groups: dict[Monomial, Polynomial] = {}
    for (powers, exponent), value in read.top.items():
        moves = any(table.free[atom] for each, _ in exponent for atom, _ in each)
        inner = tuple((atom, power) for atom, power in powers if table.free[atom])
        outer = tuple((atom, power) for atom, power in powers if not table.free[atom])
        key: Monomial = (inner, exponent if moves else ())
        groups.setdefault(key, {})[outer, () if moves else exponent] = value
    below = None if read.bottom == _ONE else polynomial(table, read.bottom)
    pairs = []
    for key, content in groups.items():
        factor = polynomial(table, content)
        factor = factor if below is None else table.make("div", factor, below)
        pairs.append((factor, _monomial(table, key, Fraction(1))))
    return pairs
