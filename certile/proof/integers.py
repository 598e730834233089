"""Which proofs over the extended reals hold for integers too, whose sums and products wrap.

Two arguments carry a proof over, and both are read off the goals:

* the sides of a goal are one term: then it holds wherever list sums and products are those of a
  commutative monoid, as they are modulo the width, and the extrema have their bounds as units;
* only order and choice occur: the map that sends the least integer to -inf, the greatest to +inf
  and each other to itself keeps order, identity, and the constants zero and one, so a goal true of
  all numbers but NaN is true of integers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Meaning
from certile.proof.check import kinds
from certile.proof.check.certificate import FUEL
from certile.proof.check.reader import goals
from certile.proof.check.terms import Fuel, Refused, Row, Table

_ORDER: Final = frozenset({"elem", "sym", "max", "min", "same", "less", "choose", "top", "bottom"})
_MONOID: Final = _ORDER | {"sum", "prod", "add", "mul", "num", "kind"}


def holds_for_integers(law: Law, meaning: Meaning) -> bool:
    """Whether a certificate of the law also speaks of integers of any width, and of truths."""
    table = Table(Fuel(FUEL))
    try:
        obligations = goals(table, law, meaning)
    except Refused:
        return False
    return all(
        _is_one_term(table, goal.left, goal.right) or _is_order(table, goal.left, goal.right)
        for _, goal in obligations
    )


def _is_one_term(table: Table, left: int, right: int) -> bool:
    rows = (table.rows[term] for term in table.reach(left))
    return left == right and all(row.op in _MONOID for row in rows)


def _is_order(table: Table, *sides: int) -> bool:
    return all(_keeps_order(table.rows[term]) for term in table.reach(*sides))


def _keeps_order(row: Row) -> bool:
    if row.op == "num":
        return row.value in ("-inf", "inf") or row.value in (Fraction(0), Fraction(1))
    # An integer is no NaN; a test for an infinity would take the bounds for one.
    return row.op in _ORDER or (row.op == "kind" and row.value == kinds.NAN)
