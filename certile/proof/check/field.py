"""Fractions of polynomials in atoms: one step decides all finite algebra.

A polynomial maps a monomial, a product of powers of atoms, to its coefficient.  An atom is a term
that is no arithmetic, or a monomial m without exponentials, which stands for exp(m): so exp(2m + n)
is exp(m)^2 exp(n), and its powers are rational.  An exponential of anything else is an atom as it
is.  Over finite atoms and nonzero denominators this is the algebra of the reals; the caller checks
that premise.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any, Final, TypeVar

from certile.proof.check.terms import ARITY, Table, require

# Pairs of an atom and its power.
Monomial = frozenset[tuple[Any, int | Fraction]]
Polynomial = dict[Monomial, int | Fraction]
# A numerator and a denominator.
Ratio = tuple[Polynomial, Polynomial]
_Key = TypeVar("_Key", bound=Hashable)

_BITS: Final = 2048
_ARITHMETIC: Final = frozenset({"add", "mul", "div"})
_CLOSED: Final = frozenset(ARITY) - _ARITHMETIC - {"exp"}
_ONE: Final[Polynomial] = {frozenset(): 1}


class Field:
    """Reads terms of one table as fractions; remembers atoms and denominators it met."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._read: dict[int, Ratio] = {}
        self.atoms: set[int] = set()
        self.denominators: set[int] = set()

    def read(self, term: int) -> Ratio:
        """The fraction of a term; raises `Refused` when it grows too large."""
        for each in self._table.reach(term, closed=_CLOSED):
            if each not in self._read:
                self._read[each] = self._fraction(each)
        return self._read[term]

    def equal(self, a: int, b: int) -> bool:
        """Whether two terms are the same fraction."""
        (top, bottom), (other, below) = self.read(a), self.read(b)
        return self._times(top, below) == self._times(other, bottom)

    def _fraction(self, term: int) -> Ratio:
        op, value, args = self._table.rows[term]
        if op in _ARITHMETIC:
            (a, c), (b, d) = (self._read[arg] for arg in args)
            if op == "mul":
                return (self._times(a, b), self._times(c, d))
            if op == "add":
                self._table.spend(len(a) + len(b))
                same = c == d
                a, b = (a, b) if same else (self._times(a, d), self._times(b, c))
                return (_added(dict(a), b), c if same else self._times(c, d))
            self.denominators.add(args[1])
            return (self._times(a, d), self._times(c, b))
        if isinstance(value, Fraction):
            number = value.numerator if value.denominator == 1 else value
            return ({frozenset(): number} if number else {}, _ONE)
        if op == "exp":
            top, bottom = self._read[args[0]]
            pairs = [pair for monomial in (*top, *bottom) for pair in monomial]
            if len(bottom) == 1 and all(type(atom) is int for atom, _ in pairs):
                ((below, whole),) = bottom.items()
                under = frozenset((atom, -power) for atom, power in below)
                factors = {_product(m, under): Fraction(part) / whole for m, part in top.items()}
                return ({frozenset(factors.items()): 1}, _ONE)
        self.atoms.add(term)
        return ({frozenset({(term, 1)}): 1}, _ONE)

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if _ONE in (a, b):
            return a if b == _ONE else b
        out: Polynomial = {}
        for m, p in a.items():
            self._table.spend(8 * len(b))
            for n, q in b.items():
                self._table.spend((len(m) + len(n)) // 2)
                _added(out, {_product(m, n): p * q})
        return out


def _product(m: Monomial, n: Monomial) -> Monomial:
    return frozenset(_added(dict(m), dict(n)).items())


def _added(
    to: dict[_Key, int | Fraction], more: Mapping[_Key, int | Fraction]
) -> dict[_Key, int | Fraction]:
    """A sparse vector with another one added to it, without zeros."""
    for key, value in more.items():
        total = value + to.pop(key, 0)
        size = max(total.numerator.bit_length(), total.denominator.bit_length())
        require(size <= _BITS, "a coefficient or a power grows too large")
        if total:
            to[key] = total
    return to
