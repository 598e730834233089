"""Random terms with a world they are evaluated in, and contexts whose facts hold there.

The world comes first and facts are read off it, so every context met here is satisfied.  Worlds in
which rounding could pass for a fact (a tiny number for zero, two close ones for different) are not
used.
"""

import math

from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.terms import Table
from certile.search.evaluate import Unspecified, World, draw_element, evaluate, kind_of
from tests.unit.proof.builder import AT_MOST, BELOW, identical, in_order

DOMAIN = {"x": kinds.ANY, "v": kinds.ANY, "i": kinds.ZERO | kinds.POS}
_CONSTANTS = (0, 1, -1, 2, "inf", "-inf", "nan")
_BINARY = ("add", "add", "mul", "mul", "div", "max", "min", "same", "less")
_UNARY = ("exp", "log", "abs", "kind")
_LISTS = ("sum", "sum", "prod", "top", "bottom")
_RANKS = ("largest", "smallest")


class Sample:
    """A table of random terms, the world, and the value of each term there."""

    def __init__(self, choose):
        self.choose = choose
        self.table = Table(10**9)
        self.world = World(
            {
                name: [draw_element(choose, DOMAIN) for _ in range(choose.choice((0, 1, 1, 2, 3)))]
                for name in ("xs", "ys")
            },
            {"e.x": draw_element(choose, DOMAIN)["x"], "e.i": 1.0},
        )
        self.domain = DOMAIN | {f"e.{name}": mask for name, mask in DOMAIN.items()}
        self.closed, self.free = [], []
        self._grow()

    def value(self, term, element=None):
        """The value of a term, or None where it has none that is safe to compare."""
        try:
            value = evaluate(self.table, World(self.world.lists, self.world.symbols, element), term)
        except Unspecified:
            return None
        safe = not math.isfinite(value) or value == 0 or 1e-6 < abs(value) < 1e9
        return value if safe else None

    def context(self, facts):
        """A context with some facts of the world about closed terms."""
        context = Context(self.table, self.domain)
        for _ in range(facts):
            a, b = self.choose.choice(self.closed), self.choose.choice(self.closed)
            context = self.learn(context, a, b)
        return context

    def learn(self, context, a, b, element=None):
        """The context with one more fact about a, or about a and b."""
        x, y = self.value(a, element), self.value(b, element)
        if x is None or y is None:
            return context
        pick = self.choose.randrange(3)
        if pick == 0:
            return context.with_kind(a, kind_of(x) | self.choose.choice((0, 0, 1, 8, 32, 62)))
        if x == y or (math.isnan(x) and math.isnan(y)):
            return identical(context, a, b)
        if not math.isnan(x + y) and (math.isinf(x - y) or abs(x - y) > 1e-6):
            rank = self.choose.choice((BELOW, AT_MOST))
            return in_order(context, *((a, b) if x < y else (b, a)), rank)
        return context

    def elements(self, name):
        """The elements of a list."""
        return self.world.lists[name]

    def _grow(self):
        table, choose = self.table, self.choose
        constants = [table.num(value) for value in _CONSTANTS]
        self.closed = [*constants, table.make("sym", value="e.x")]
        self.free = [table.make("elem", value=name) for name in DOMAIN]
        for _ in range(40):
            self.free.append(self._combined([*self.free, *self.free, *self.closed]))
            self.closed.append(self._combined(self.closed))
            name = choose.choice(("xs", "ys"))
            op = choose.choice(_LISTS)
            body = choose.choice([*self.free, *constants[:2]])
            self.closed.append(table.make(op, body, value=name))
            if choose.random() < 0.2:
                # Also a rank that differs from element to element.
                rank = choose.choice((table.num(2), table.num(2), table.num(1), self.free[0]))
                ranked = choose.choice(_RANKS)
                self.closed.append(table.make(ranked, body, rank, value=name))
        self.closed = [term for term in self.closed if self.value(term) is not None]
        self.free = [term for term in self.free if table.free[term]]

    def _combined(self, pool):
        table, choose = self.table, self.choose
        kind = choose.random()
        if kind < 0.15:
            return table.make("choose", *(choose.choice(pool) for _ in range(3)))
        if kind < 0.35:
            op = choose.choice(_UNARY)
            value = choose.randrange(64) if op == "kind" else None
            return table.make(op, choose.choice(pool), value=value)
        return table.make(choose.choice(_BINARY), choose.choice(pool), choose.choice(pool))
