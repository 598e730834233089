"""Fractions of polynomials in atoms and exponentials: one step decides all finite algebra.

A term is read as numerator / denominator.  A polynomial maps a monomial to its coefficient; a
monomial is powers of atoms and the argument of one exponential, itself a polynomial in atoms
(exp(a)*exp(b) = exp(a + b)).  An exponential of anything else, like every term that is no
arithmetic, is an atom.  Over finite atoms and nonzero denominators this is the algebra of the
reals; the caller checks that premise.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

from certile.proof.check.terms import ARITY, Fuel, Table, require

Powers = tuple[tuple[int, int], ...]
Exponent = tuple[tuple[Powers, Fraction], ...]
Monomial = tuple[Powers, Exponent]
Polynomial = dict[Monomial, Fraction]
Key = TypeVar("Key")

_DEGREE: Final = 64
_BITS: Final = 2048
_ARITHMETIC: Final = frozenset({"add", "mul", "div"})
_CLOSED: Final = frozenset(ARITY) - _ARITHMETIC - {"exp"}
_ONE: Final[Polynomial] = {((), ()): Fraction(1)}


class Ratio(NamedTuple):
    """A numerator and a denominator."""

    top: Polynomial
    bottom: Polynomial


class Field:
    """Reads terms of one table as fractions; remembers atoms and denominators it met."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._read: dict[int, Ratio] = {}
        self.atoms: set[int] = set()
        self.denominators: set[int] = set()

    def read(self, term: int) -> Ratio:
        """The fraction of a term; raises `Refused` when it grows too large."""
        for each in self._table.reach(term, known=self._read, closed=_CLOSED):
            if each not in self._read:
                self._read[each] = self._fraction(each)
        return self._read[term]

    def equal(self, a: int, b: int) -> bool:
        """Whether two terms are the same fraction."""
        x, y = self.read(a), self.read(b)
        fuel = self._table.fuel
        return _times(fuel, x.top, y.bottom) == _times(fuel, y.top, x.bottom)

    def _fraction(self, term: int) -> Ratio:
        row, fuel = self._table.rows[term], self._table.fuel
        parts = [self._read[arg] for arg in row.args] if row.op in _ARITHMETIC else []
        match row.op:
            case "num" if isinstance(row.value, Fraction):
                return Ratio({((), ()): row.value} if row.value else {}, _ONE)
            case "add":
                (a, c), (b, d) = parts
                if c == d:
                    return Ratio(_plus(fuel, a, b), c)
                crossed = _plus(fuel, _times(fuel, a, d), _times(fuel, b, c))
                return Ratio(crossed, _times(fuel, c, d))
            case "mul":
                (a, c), (b, d) = parts
                return Ratio(_times(fuel, a, b), _times(fuel, c, d))
            case "div":
                (a, c), (b, d) = parts
                self.denominators.add(row.args[1])
                return Ratio(_times(fuel, a, d), _times(fuel, c, b))
            case "exp":
                return self._exponential(term)
            case _:
                return self._atom(term)

    def _exponential(self, term: int) -> Ratio:
        (argument,) = self._table.rows[term].args
        inner = self._read[argument]
        if inner.bottom != _ONE or any(exponent for _, exponent in inner.top):
            return self._atom(term)
        exponent = tuple(sorted((powers, value) for (powers, _), value in inner.top.items()))
        return Ratio({((), exponent): Fraction(1)}, _ONE)

    def _atom(self, term: int) -> Ratio:
        self.atoms.add(term)
        return Ratio({(((term, 1),), ()): Fraction(1)}, _ONE)


def _plus(fuel: Fuel, a: Polynomial, b: Polynomial) -> Polynomial:
    fuel.spend(len(a) + len(b))
    out = dict(a)
    for monomial, value in b.items():
        _accumulate(out, monomial, value)
    return out


def _times(fuel: Fuel, a: Polynomial, b: Polynomial) -> Polynomial:
    if b == _ONE or a == _ONE:
        return a if b == _ONE else b
    out: Polynomial = {}
    for x, p in a.items():
        fuel.spend(8 * len(b))
        for y, q in b.items():
            fuel.spend((len(x[0]) + len(x[1]) + len(y[0]) + len(y[1])) // 2)
            _accumulate(out, (_powers(x[0], y[0]), _sum(x[1], y[1])), p * q)
    return out


def _accumulate(out: dict[Key, Fraction], key: Key, value: Fraction) -> None:
    value += out.pop(key, 0)
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    require(bits <= _BITS, "a coefficient grows too large")
    if value:
        out[key] = value


def _powers(a: Powers, b: Powers) -> Powers:
    out = Counter(dict(a)) + Counter(dict(b))
    require(out.total() <= _DEGREE, "a degree grows too large")
    return tuple(sorted(out.items()))


def _sum(a: Exponent, b: Exponent) -> Exponent:
    out = dict(a)
    for powers, value in b:
        _accumulate(out, powers, value)
    return tuple(sorted(out.items()))
