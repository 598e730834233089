"""Fractions of polynomials in atoms and exponentials: one step decides all finite algebra.

A polynomial maps a monomial to its coefficient; a monomial is powers of atoms and the argument of
one exponential, itself a polynomial in atoms (exp(a)*exp(b) = exp(a + b)) or that over one product
of atoms, whose powers are then negative.  An exponential of anything else, like every term that is
no arithmetic, is an atom.  Over finite atoms and nonzero
denominators this is the algebra of the reals; the caller checks that premise.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, NamedTuple, TypeVar

from certile.proof.check.terms import ARITY, Table, require

Powers = tuple[tuple[int, int], ...]
Exponent = tuple[tuple[Powers, Fraction], ...]
Monomial = tuple[Powers, Exponent]
Polynomial = dict[Monomial, Fraction]
_Key = TypeVar("_Key", int, Powers, Monomial)
_Number = TypeVar("_Number", int, Fraction)

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
            self._read[each] = self._fraction(each)
        return self._read[term]

    def equal(self, a: int, b: int) -> bool:
        """Whether two terms are the same fraction."""
        x, y = self.read(a), self.read(b)
        return self._times(x.top, y.bottom) == self._times(y.top, x.bottom)

    def _fraction(self, term: int) -> Ratio:
        op, value, args = self._table.rows[term]
        if op in _ARITHMETIC:
            (a, c), (b, d) = (self._read[arg] for arg in args)
            if op == "mul":
                return Ratio(self._times(a, b), self._times(c, d))
            if op == "add":
                self._table.spend(len(a) + len(b))
                same = c == d
                a, b = (a, b) if same else (self._times(a, d), self._times(b, c))
                return Ratio(_added(dict(a), b), c if same else self._times(c, d))
            self.denominators.add(args[1])
            return Ratio(self._times(a, d), self._times(c, b))
        if isinstance(value, Fraction):
            return Ratio({((), ()): value} if value else {}, _ONE)
        if op == "exp":
            top, bottom = self._read[args[0]]
            if len(bottom) == 1 and not any(exponent for _, exponent in (*top, *bottom)):
                (((below, _), whole),) = bottom.items()
                under = {atom: -power for atom, power in below}
                argument = {
                    _sorted(_added(dict(powers), under)): share / whole
                    for (powers, _), share in top.items()
                }
                return Ratio({((), _sorted(argument)): Fraction(1)}, _ONE)
        self.atoms.add(term)
        return Ratio({(((term, 1),), ()): Fraction(1)}, _ONE)

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if _ONE in (a, b):
            return a if b == _ONE else b
        out: Polynomial = {}
        for (powers, exponent), p in a.items():
            self._table.spend(8 * len(b))
            for (others, argument), q in b.items():
                self._table.spend((len(powers) + len(exponent) + len(others) + len(argument)) // 2)
                product = _added(dict(powers), dict(others))
                key = (_sorted(product), _sorted(_added(dict(exponent), dict(argument))))
                _added(out, {key: p * q})
        return out


def _added(to: dict[_Key, _Number], more: Mapping[_Key, _Number]) -> dict[_Key, _Number]:
    """A sparse vector with another one added to it, without zeros."""
    for key, value in more.items():
        total = value + to.pop(key, 0)
        size = max(total.numerator.bit_length(), total.denominator.bit_length())
        require(size <= _BITS, "a coefficient or a power grows too large")
        if total:
            to[key] = total
    return to


def _sorted(vector: Mapping[_Key, _Number]) -> tuple[tuple[_Key, _Number], ...]:
    return tuple(sorted(vector.items()))
