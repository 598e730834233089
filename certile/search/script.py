"""A script being written: the checker's replay, the steps taken, and simplification.

Everything a search does goes through `Script.take`, which is the checker's own step; so a script
that ends without goals replays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.replay import Goal, Replay, Step, place
from certile.proof.check.terms import LISTS, UNIT, Refused, Table

Path = tuple[int, ...]

_ATOMS: Final = frozenset({"elem", "sym", "num", *LISTS})


class Script:
    """The steps of a proof under way; `mark` and `back` undo them."""

    def __init__(self, table: Table, goal: Goal) -> None:
        self.table = table
        self.steps: list[Step] = []
        self._replay = Replay(table, [goal])

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

    def take(
        self, name: str, path: Path = (), terms: Path = (), masks: tuple[int, ...] = ()
    ) -> None:
        """Take a step; raises `Refused` and changes nothing if the checker refuses it."""
        step = Step(name, path, terms, masks)
        self._replay.apply(step)
        self.steps.append(step)

    def attempt(
        self, name: str, path: Path = (), terms: Path = (), masks: tuple[int, ...] = ()
    ) -> bool:
        """Take a step if the checker lets it."""
        try:
            self.take(name, path, terms, masks)
        except Refused:
            return False
        return True

    def at(self, path: Path) -> tuple[Context, int]:
        """The context and the term at the end of a path of the goal."""
        context, along = place(self.goal, path)
        return context, along[-1]

    def reach(self) -> list[int]:
        """Every term of the goal that may be a parameter of a step, lowest first."""
        free, (_, left, right) = self.table.free, self.goal
        terms = self.table.reach(left, right)
        return sorted(term for term in terms if free[left] or free[right] or not free[term])

    def occurrences(self, term: int) -> Iterator[Path]:
        """The paths to a term, each found after the step taken at the one before."""
        stack: list[Path] = [(1,), (0,)]
        while stack:
            path = stack.pop()
            _, here = self.at(path)
            if here == term:
                yield path
                continue
            if term in self.table.reach(here):
                args = self.table.rows[here].args
                stack += [(*path, child) for child in reversed(range(len(args)))]

    def replace(self, term: int, by: int) -> bool:
        """Use a known identity at every occurrence of a term; tell whether there was one."""
        paths = list(self.occurrences(term))
        for path in paths:
            self.take("equality", path, (by,))
        return bool(paths)

    def simplify(self) -> None:
        """Fold constants, units, decided choices and extrema, outermost first."""
        for side in (0, 1):
            self._simplify((side,))

    def _simplify(self, path: Path) -> None:
        while True:
            self._simplify_here(path)
            _, term = self.at(path)
            for child in range(len(self.table.rows[term].args)):
                self._simplify((*path, child))
            if self.at(path)[1] == term:
                return

    def _simplify_here(self, path: Path) -> None:
        while True:
            context, term = self.at(path)
            step = self._simplification(context, term)
            if step is None or not self.attempt(step[0], path, step[1]):
                return

    def _simplification(self, context: Context, term: int) -> tuple[str, Path] | None:
        """The rule that makes the term smaller, if there is one."""
        row = self.table.rows[term]
        if row.op != "num" and context.kind(term) in kinds.ONLY:
            return "equality", (self.table.num(kinds.ONLY[context.kind(term)]),)
        if row.op == "choose":
            return self._chosen(context, *row.args)
        if row.op in ("add", "mul", "max", "min") and self.table.num(UNIT[row.op]) in row.args:
            neutral, (a, b) = self.table.num(UNIT[row.op]), row.args
            return "regroup", (b if a == neutral else a,)
        if row.op in ("max", "min"):
            return self._extreme(context, row.op, *row.args)
        if row.op == "less" and row.args[0] == self.table.num(0):
            return self._sign(context, row.args[1])
        if row.op == "same":
            return self._apart(context, *row.args)
        if row.op == "log":
            return (
                "log_of_exp" if self.table.rows[row.args[0]].op == "exp" else "log_of_product"
            ), ()
        return self._known_identity(context, term)

    def _chosen(
        self, context: Context, condition: int, first: int, second: int
    ) -> tuple[str, Path] | None:
        mask = context.kind(condition)
        if mask == kinds.ZERO:
            return "choose_second", ()
        if not mask & kinds.ZERO:
            return "choose_first", ()
        return ("choose_either", ()) if first == second else None

    def _extreme(self, context: Context, op: str, a: int, b: int) -> tuple[str, Path] | None:
        """The greater or the lesser of two numbers in a known order."""
        if (context.kind(a) | context.kind(b)) & kinds.NAN:
            return None
        if context.kind(self.table.make("less", b, a)) == kinds.ZERO:
            return ("max_second" if op == "max" else "min_first"), ()
        if context.kind(self.table.make("less", a, b)) == kinds.ZERO:
            return ("max_first" if op == "max" else "min_second"), ()
        added = [self.table.rows[each].op for each in (a, b)] == ["add", "add"]
        return ("max_of_sums", ()) if op == "max" and added else None

    def _sign(self, context: Context, term: int) -> tuple[str, Path] | None:
        """Whether a term is positive, as the order of what it is the difference of."""
        op, _, args = self.table.rows[term]
        if op == "mul" and context.kind(args[0]) == kinds.POS:
            return "sign_of_multiple", ()
        beside = minuend_and_subtrahend(self.table, term)
        if beside is None:
            return None
        decided = context.kind(self.table.make("less", *reversed(beside))) in kinds.ONLY
        return ("sign_of_difference", ()) if decided else None

    def _apart(self, context: Context, a: int, b: int) -> tuple[str, Path] | None:
        """What lies between two terms, one end included."""
        facts = (self.table.rows[term] for term in context.kinds)
        for between in sorted({arg for row in facts if row.op == "less" for arg in row.args}):
            above, over = (self.table.make("less", between, each) for each in (a, b))
            if context.kind(above) == kinds.ZERO and context.kind(over) == kinds.POS:
                return "apart_above", (between,)
            below, under = (self.table.make("less", each, between) for each in (a, b))
            if context.kind(below) == kinds.ZERO and context.kind(under) == kinds.POS:
                return "apart_below", (between,)
        return None

    def _known_identity(self, context: Context, term: int) -> tuple[str, Path] | None:
        """An earlier atom that an atom is known to be."""
        if self.table.rows[term].op not in _ATOMS:
            return None
        rows = self.table.rows
        facts = [row.args for fact in context.kinds if (row := rows[fact]).op in ("less", "same")]
        beside = {each for args in facts if term in args for each in args}
        same = [
            each
            for each in sorted(beside)
            if each < term
            and rows[each].op in _ATOMS
            and context.kind(self.table.make("same", term, each)) == kinds.POS
        ]
        return ("equality", (same[0],)) if same else None


def minuend_and_subtrahend(table: Table, term: int) -> tuple[int, int] | None:
    """a and b of a term a + -1·b, as the axiom about its sign writes it."""
    op, _, args = table.rows[term]
    beside = table.rows[args[1]] if op == "add" else None
    if beside is None or beside.op != "mul" or beside.args[0] != table.num(-1):
        return None
    return args[0], beside.args[1]
