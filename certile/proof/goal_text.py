"""Terms and goals of the checker as S-expressions, and terms as the rows of a certificate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from certile.proof.check.rules import Goal
from certile.proof.check.terms import VALUED, Table


def text(table: Table, *terms: int) -> list[str]:
    """The S-expression of each term; the table's fuel bounds their length."""
    made: dict[int, str] = {}
    for term in table.reach(*terms):
        op, value, args = table.rows[term]
        words = [op] * (op not in ("num", "elem", "sym"))
        words += [str(value)] * (value is not None)
        words += [made[arg] for arg in args]
        table.spend(1 + sum(map(len, words)) // 64)
        made[term] = words[0] if len(words) == 1 else f"({' '.join(words)})"
    return [made[term] for term in terms]


def goal_text(table: Table, goal: Goal) -> str:
    """The goal as an S-expression."""
    left, right = text(table, goal.left, goal.right)
    return f"(is {left} {right})"


def rows(table: Table, terms: Sequence[int], place: Mapping[int, int]) -> list[list[object]]:
    """Terms as the rows of a certificate; `place` is where each of them and its operands stands."""
    written: list[list[object]] = []
    for term in terms:
        op, value, args = table.rows[term]
        shown = str(value) if isinstance(value, Fraction) else value
        written.append([op, *([shown] if op in VALUED else []), *(place[arg] for arg in args)])
    return written
