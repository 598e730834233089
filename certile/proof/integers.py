"""Which proofs over the extended reals hold for integers too, whose sums and products wrap.

Three arguments carry a proof over.  Two are read off a goal:

* its sides are one polynomial with integer coefficients in the same atoms: then it holds in every
  commutative ring, as the integers modulo their width are;
* only order and choice occur in it: a map of integers into V that keeps order, identity and the
  constants of the goal pulls it back.  It sends the least integer to -inf, the greatest to +inf and
  each other to itself.  The least unsigned integer is also 0, so their goals may name no number.

One is read off the law: where its terms order and choose, and none names the least integer, the map
that sends the greatest integer to +inf and each other to itself commutes with all it computes, so
what it computes is what the meaning says.  Sizes of signed integers commute with the map that sends
the negative of the greatest to -inf as well; the least integer has no size and is left out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Literal

from certile.ir.dtypes import BY_NAME, DType
from certile.ir.laws import Law
from certile.ir.meanings import Action, Meaning
from certile.ir.terms import Apply, Lit, Term
from certile.proof.check import kinds
from certile.proof.check.certificate import FUEL
from certile.proof.check.field import Field
from certile.proof.check.reader import goals
from certile.proof.check.terms import RANKED, Refused, Row, Table

# For which elements of an integer dtype a proof holds.
Coverage = Literal["all", "but the least", "none"]

_RING: Final = frozenset({"elem", "sym", "sum", "prod", "add", "mul", "num"})
_ORDER: Final = frozenset(
    {"elem", "sym", "max", "min", "same", "less", "choose", "top", "bottom", *RANKED.values()}
)
_ONE_TERM: Final = _RING | _ORDER | {"kind"}
_COMPARED: Final = frozenset(
    (
        *("maximum", "minimum", "where", "isnan", "eq", "ne", "lt", "le", "gt", "ge"),
        *("bit_and", "bit_or", "bit_not"),
    )
)
_EXTREME: Final = ("highest", "inf", "last_index")


def holds_for_integers(law: Law, meaning: Meaning | Action, dtype: DType) -> bool:
    """Whether a certificate of the law also speaks of every integer of a dtype, or of truths."""
    return coverage(law, meaning, dtype) == "all"


def coverage(law: Law, meaning: Meaning | Action, dtype: DType) -> Coverage:
    """The elements of an integer dtype, or truths, of which a certificate of the law speaks."""
    table = Table(FUEL)
    try:
        obligations = goals(table, law, meaning)
    except Refused:
        return "none"
    if all(_carries_over(table, (goal.left, goal.right), dtype) for _, goal in obligations):
        return "all"
    terms = (*(law.identity or ()), *law.lift, *law.merge, *law.finalize)
    sized = [term for term in terms if _has_size(term)]
    if not all(_commutes(term, dtype) for term in terms):
        return "none"
    return "but the least" if sized and dtype.kind == "int" else "all"


def covered(law: Law, meaning: Meaning | Action) -> str:
    """For which integers a certificate of the law holds, in words."""
    found = {dtype: coverage(law, meaning, dtype) for dtype in BY_NAME.values() if dtype.is_integer}
    if "none" in found.values():
        return "integers are not covered"
    least = any(each == "but the least" for each in found.values())
    return f"integers hold{', the least signed one excepted' if least else ''}"


def _carries_over(table: Table, sides: tuple[int, int], dtype: DType) -> bool:
    rows = [table.rows[term] for term in table.reach(*sides)]
    if sides[0] == sides[1] and all(row.op in _ONE_TERM for row in rows):
        return True
    if all(row.op in _RING and _is_integer(row) for row in rows):
        return _is_one_polynomial(table, *sides)
    return all(_keeps_order(row, dtype) for row in rows)


def _is_integer(row: Row) -> bool:
    return row.op != "num" or (isinstance(row.value, Fraction) and row.value.denominator == 1)


def _is_one_polynomial(table: Table, left: int, right: int) -> bool:
    try:
        return Field(table).equal(left, right)
    except Refused:
        return False


def _keeps_order(row: Row, dtype: DType) -> bool:
    if row.op == "num":
        named = row.value in (Fraction(0), Fraction(1)) and dtype.kind == "int"
        return row.value in ("-inf", "inf") or named
    # An integer is no NaN; a test for an infinity would take the bounds for one.
    return row.op in _ORDER or (row.op == "kind" and row.value == kinds.NAN)


def _has_size(term: Term) -> bool:
    return isinstance(term, Apply) and (term.fn == "abs" or any(map(_has_size, term.args)))


def _commutes(term: Term, dtype: DType) -> bool:
    """Whether what a term computes commutes with the map that keeps 0 and moves the greatest."""
    if isinstance(term, Lit):
        # The greatest truth is 1, which has to stay where it is.
        moved = term.value in _EXTREME and dtype.kind != "bool"
        return moved or term.value in (0, 1)
    if isinstance(term, Apply):
        return (term.fn in _COMPARED or term.fn == "abs") and all(
            _commutes(arg, dtype) for arg in term.args
        )
    return True
