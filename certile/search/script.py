"""A script being written: the checker's replay, the steps taken, and what is known put to use.

Everything a search does goes through `Script.take`, which is the checker's own step; so a script
that ends without goals replays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.rules import RULES, Goal, Replay, Step
from certile.proof.check.terms import LISTS, Refused, Table

Terms = tuple[int, ...]

# What one may be known to be another of; a sum is only known to be one it was written as.
_ATOMS: Final = frozenset({"elem", "sym", "num", *LISTS} - {"sum", "prod"})


class Script:
    """The steps of a proof under way; `mark` and `back` undo them."""

    def __init__(self, goal: Goal) -> None:
        self.table: Table = goal.context.table
        self.steps: list[Step] = []
        self._replay = Replay(goal)

    @property
    def open(self) -> int:
        """The number of goals left."""
        return len(self._replay.goals)

    @property
    def goal(self) -> Goal:
        """The goal that the next step works on."""
        return self._replay.goals[-1]

    def mark(self) -> tuple[list[Goal], int]:
        """The state of the script."""
        return list(self._replay.goals), len(self.steps)

    def back(self, mark: tuple[list[Goal], int]) -> None:
        """Undo every step since the mark."""
        self._replay.goals[:] = mark[0]
        del self.steps[mark[1] :]

    def take(self, name: str, terms: Terms = (), masks: tuple[int, ...] = ()) -> None:
        """Take a step; raises `Refused` and changes nothing if the checker refuses it."""
        step = Step(name, terms, masks)
        self._replay.apply(step)
        self.steps.append(step)

    def attempt(self, name: str, terms: Terms = (), masks: tuple[int, ...] = ()) -> bool:
        """Take a step if the checker lets it."""
        try:
            self.take(name, terms, masks)
        except Refused:
            return False
        return True

    def rewrite(self, name: str, term: int, *given: int) -> int:
        """What a rule makes of a term of the goal, simplified; the term if the rule refuses."""
        context = self.goal.context
        if not self.attempt(name, (term, *given)):
            return term
        return context.simple(RULES[name][1](context, term, *given))

    def have(self, term: int, value: int, prove: Callable[[], bool]) -> bool:
        """Use that a term has a value once it is proved; else the script is as it was.

        `prove` works on that goal, and may leave goals of it for later steps.
        """
        mark, context = self.mark(), self.goal.context
        if not self.attempt("have", (term, value)):
            return False
        pending = self.open >= len(mark[0]) and self.goal.context is context
        if pending and not prove():
            self.back(mark)
            return False
        return True

    def reach(self) -> list[int]:
        """Every term of the goal that may be a parameter of a step, lowest first."""
        free, (_, left, right) = self.table.free, self.goal
        terms = self.table.reach(left, right)
        return sorted(term for term in terms if free[left] or free[right] or not free[term])

    def settle(self) -> None:
        """Use what is known of order and identity, as long as the goal is open."""
        count = self.open
        while self.open == count and (
            any(self.attempt(*step) for step in self._known(self.goal.context, self.reach()))
            or any(map(self._settled_inside, self.reach()))
        ):
            pass

    def _settled_inside(self, over: int) -> bool:
        """Use what is known of each element in the body of a list."""
        row, table = self.table.rows[over], self.table
        if row.op not in LISTS:
            return False
        inner, body = self.goal.context.inside(str(row.value)), row.args[0]
        for name, terms in self._known(inner, table.reach(body, closed=LISTS)):
            try:
                made = table.replaced(body, terms[0], RULES[name][1](inner, *terms))
            except Refused:
                continue
            written = table.apply(row, (inner.simple(made), *row.args[1:]))
            prove = partial(self._taken, (("operands", ()), (name, terms)))
            if written != over and self.replace(over, written, prove):
                return True
        return False

    def _taken(self, steps: Iterable[tuple[str, Terms]]) -> bool:
        return all(self.attempt(*step) for step in steps)

    def replace(self, term: int, value: int, prove: Callable[[], bool]) -> bool:
        """Write a term of the goal as another one that is proved to be the same."""
        mark, count = self.mark(), self.open
        if self.have(term, value, prove):
            if self.open < count or self.attempt("equality", (term, value)):
                return True
            self.back(mark)
        return False

    def _known(self, context: Context, terms: list[int]) -> Iterator[tuple[str, Terms]]:
        """Rules that may make one of the terms smaller, the outermost first."""
        for term in reversed(terms):
            op, _, args = self.table.rows[term]
            if op == "max" and all(self.table.rows[arg].op == "add" for arg in args):
                yield "max_of_sums", (term,)
            if op == "less" and args[0] == self.table.num(0):
                yield from self._sign(context, term, args[1])
            if op == "same":
                yield from self._apart(context, term, *args)
            if op == "log":
                of_exp = self.table.rows[args[0]].op == "exp"
                yield "log_of_exp" if of_exp else "log_of_product", (term,)
            if op in _ATOMS:
                yield from self._identity(context, term)

    def _sign(self, context: Context, term: int, of: int) -> Iterator[tuple[str, Terms]]:
        """Whether a term is positive, as the order of what it is the difference of."""
        op, _, args = self.table.rows[of]
        if op == "mul" and context.kind(args[0]) == kinds.POS:
            yield "sign_of_multiple", (term,)
        beside = minuend_and_subtrahend(self.table, of)
        order = beside and context.kind(self.table.make("less", *reversed(beside)))
        if order in kinds.ONLY:
            yield "sign_of_difference", (term,)

    def _apart(self, context: Context, term: int, a: int, b: int) -> Iterator[tuple[str, Terms]]:
        """What lies between two terms, one end included."""
        facts = (self.table.rows[each] for each in context.kinds)
        for between in sorted({arg for row in facts if row.op == "less" for arg in row.args}):
            above, over = (self.table.make("less", between, each) for each in (a, b))
            if context.kind(above) == kinds.ZERO and context.kind(over) == kinds.POS:
                yield "apart_above", (term, between)
            below, under = (self.table.make("less", each, between) for each in (a, b))
            if context.kind(below) == kinds.ZERO and context.kind(under) == kinds.POS:
                yield "apart_below", (term, between)

    def _identity(self, context: Context, term: int) -> Iterator[tuple[str, Terms]]:
        """An earlier atom that an atom is known to be."""
        rows = self.table.rows
        facts = [row.args for fact in context.kinds if (row := rows[fact]).op in ("less", "same")]
        beside = {each for args in facts if term in args for each in args}
        for each in sorted(each for each in beside if each < term and rows[each].op in _ATOMS):
            if context.kind(self.table.make("same", term, each)) == kinds.POS:
                yield "equality", (term, each)


def minuend_and_subtrahend(table: Table, term: int) -> tuple[int, int] | None:
    """a and b of a term a + -1·b, as the axiom about its sign writes it."""
    op, _, args = table.rows[term]
    beside = table.rows[args[1]] if op == "add" else None
    if beside is None or beside.op != "mul" or beside.args[0] != table.num(-1):
        return None
    return args[0], beside.args[1]
