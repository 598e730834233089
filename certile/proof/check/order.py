"""Order between terms: what follows from facts, constants, kinds, sums, and two facts in a row.

A chain reads facts only at its second link; so it never asks for the kind of a term that is not
below the one that was asked about, and asking ends.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from certile.proof.check import kinds
from certile.proof.check.terms import Row

if TYPE_CHECKING:
    from certile.proof.check.context import Context

UNKNOWN: Final = 0
AT_MOST: Final = 1
BELOW: Final = 2


def compare(known: Context, a: int, b: int) -> int:
    """`BELOW` if a < b, `AT_MOST` if a <= b or a is b, else `UNKNOWN`."""
    best = max(_fact(known, a, b), _by_kinds(known, a, b), _by_summands(known, a, b))
    known.table.fuel.spend(1 + len(known.order) + len(known.equal))
    for between in {c for x, c in (*known.order, *known.equal) if x == a}:
        second = _fact(known, between, b)
        if second:
            best = max(best, _fact(known, a, between), second)
    return best


def truth(known: Context, row: Row) -> int:
    """The mask of `same` or `less` of two terms by what is known of their order."""
    a, b = row.args
    up, down = compare(known, a, b), compare(known, b, a)
    if row.op == "same":
        if a == b or (a, b) in known.equal:
            return kinds.POS
        return kinds.ZERO if BELOW in (up, down) else kinds.ANY
    if up == BELOW:
        return kinds.POS
    return kinds.ZERO if down else kinds.ANY


def difference(known: Context, row: Row) -> int:
    """The mask of a + (-1) * b by what is known of the order of a and b; it may be NaN."""
    rows, minus = known.table.rows, known.table.num(-1)
    for a, b in (row.args, row.args[::-1]):
        if rows[b].op == "mul" and rows[b].args[0] == minus:
            up, down = compare(known, a, rows[b].args[1]), compare(known, rows[b].args[1], a)
            positive, negative = kinds.POS | kinds.PINF, kinds.NEG | kinds.NINF
            zero = kinds.ZERO if BELOW in (up, down) else 0
            return kinds.ANY & ~(positive * bool(up) | negative * bool(down) | zero)
    return kinds.ANY


def _fact(known: Context, a: int, b: int) -> int:
    """The comparison of two terms by one fact or as constants."""
    if a == b or (a, b) in known.equal:
        return AT_MOST
    x, y = known.table.rows[a].value, known.table.rows[b].value
    if known.table.rows[a].op == known.table.rows[b].op == "num":
        below = isinstance(x, Fraction) and isinstance(y, Fraction) and x < y
        return BELOW if below else UNKNOWN
    return known.order.get((a, b), UNKNOWN)


def _by_kinds(known: Context, a: int, b: int) -> int:
    x, y = known.kind(a), known.kind(b)
    if (x | y) & kinds.NAN or not x or not y:
        return UNKNOWN
    highest, lowest = 1 << (x.bit_length() - 1), y & -y
    if highest < lowest:
        return BELOW
    return AT_MOST if highest == lowest and highest in kinds.ONLY else UNKNOWN


def _by_summands(known: Context, a: int, b: int) -> int:
    """a = p + c, b = q + rest + c with p <= q; c is finite, the rest finite and not negative."""
    if "add" not in (known.table.rows[a].op, known.table.rows[b].op):
        return UNKNOWN
    left, right = Counter(known.table.flat("add", a)), Counter(known.table.flat("add", b))
    common = left & right
    if not all(kinds.within(known.kind(part), kinds.FINITE) for part in common):
        return UNKNOWN
    lower, upper = list((left - common).elements()), list((right - common).elements())
    if len(lower) != 1:
        return UNKNOWN
    for place, part in enumerate(upper):
        rank, rest = _fact(known, lower[0], part), kinds.ZERO
        for other in upper[:place] + upper[place + 1 :] if rank else ():
            rest = kinds.binary("add", rest, known.kind(other))
        if rank and kinds.within(rest, kinds.ZERO | kinds.POS):
            return rank
    return UNKNOWN
