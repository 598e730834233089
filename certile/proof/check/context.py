"""Contexts: what is known about terms at a place of a proof.

Facts are kinds of terms, order between two numbers (neither is NaN), and identities.  A context is
not edited once it is handed out: `with_…` copies.  Entering a list drops every fact on the element
of the list around it and adds that the list has an element, which bounds what its *recorded*
extrema and sums say of each element; only recorded facts are read there, so that asking for a kind
never asks for itself.
"""

from __future__ import annotations

from certile.proof.check import kinds
from certile.proof.check.order import AT_MOST, UNKNOWN, difference, truth
from certile.proof.check.terms import JOIN, UNIT, Row, Table


class Context:
    """Facts, and the kinds and comparisons that follow from them."""

    def __init__(self, table: Table, domain: dict[str, int]) -> None:
        """`domain` gives the kinds of each element field and symbol."""
        self.table = table
        self._domain = domain
        self.kinds: dict[int, int] = {}
        self.order: dict[tuple[int, int], int] = {}
        self.equal: set[tuple[int, int]] = set()
        self._memo: dict[int, int] = {}
        self._inside: dict[str, Context] = {}

    def with_kind(self, term: int, mask: int) -> Context:
        """What is known once the term is of a kind of the mask."""
        made = self._copy()
        made._record(term, mask)
        return made

    def with_order(self, a: int, b: int, rank: int) -> Context:
        """What is known once a <= b, or a < b; then neither is NaN."""
        made = self._copy()
        made.order[a, b] = max(rank, made.order.get((a, b), UNKNOWN))
        for term in (a, b):
            made._record(term, kinds.ANY & ~kinds.NAN)
        return made

    def with_equal(self, a: int, b: int) -> Context:
        """What is known once a is b."""
        made = self._copy()
        made.equal |= {(a, b), (b, a)}
        made._record(a, self.kind(b))
        made._record(b, self.kind(a))
        return made

    def kind(self, term: int) -> int:
        """The mask of the kinds the term may have; 0: it has no value, the facts contradict."""
        memo = self._memo
        if term not in memo:
            for each in self.table.reach(term, known=memo, closed=JOIN):
                known = self.kinds.get(each, kinds.ANY)
                memo[each] = self._computed(self.table.rows[each]) & known
        return memo[term]

    def inside(self, name: str) -> Context:
        """What is known of an element of the list of that name."""
        if name not in self._inside:
            self._inside[name] = self._entered(name)
        return self._inside[name]

    def has_elements(self, name: str) -> bool:
        """Whether a recorded aggregate of the list is not what it is for no element."""
        return any(
            not mask & kinds.of_number(UNIT[JOIN[row.op]]) for row, mask in self._recorded(name)
        )

    def is_empty(self, name: str) -> bool:
        """Whether the list is recorded to have no element."""
        return self.kinds.get(self.table.count(name), kinds.ANY) == kinds.ZERO

    def _copy(self) -> Context:
        self.table.fuel.spend(1 + len(self.kinds) // 8)
        made = Context(self.table, self._domain)
        made.kinds, made.order, made.equal = dict(self.kinds), dict(self.order), set(self.equal)
        return made

    def _recorded(self, name: str) -> list[tuple[Row, int]]:
        rows = self.table.rows
        self.table.fuel.spend(1 + len(self.kinds) // 8)
        found = ((rows[term], mask) for term, mask in self.kinds.items())
        return [(row, mask) for row, mask in found if row.op in JOIN and row.value == name]

    def _record(self, term: int, mask: int) -> None:
        """Narrow a term, and with it what is ordered beside it or identical to it."""
        waiting = [(term, mask)]
        while waiting:
            term, mask = waiting.pop()
            meet = self.kind(term) & mask
            if self.kinds.get(term) == meet:
                continue
            self.kinds[term] = meet
            self._memo.clear()
            self._inside.clear()
            self.table.fuel.spend(1 + len(self.order) + len(self.equal))
            waiting += [(b, kinds.at_least(meet)) for a, b in self.order if a == term]
            waiting += [(a, kinds.at_most(meet)) for a, b in self.order if b == term]
            waiting += [(b, meet) for a, b in self.equal if a == term]

    def _entered(self, name: str) -> Context:
        free = self.table.free
        made = self._copy()
        made.kinds = {term: mask for term, mask in self.kinds.items() if not free[term]}
        made.order = {ab: rank for ab, rank in self.order.items() if not any(free[t] for t in ab)}
        made.equal = {ab for ab in self.equal if not any(free[t] for t in ab)}
        made.kinds[self.table.count(name)] = kinds.POS
        for row, mask in self._recorded(name):
            (element,) = row.args
            bound = kinds.ANY
            if row.op in ("top", "bottom") and not mask & kinds.NAN:
                extreme = self.table.apply(row, row.args)
                bound = kinds.at_most(mask) if row.op == "top" else kinds.at_least(mask)
                pair = (element, extreme) if row.op == "top" else (extreme, element)
                made.order[pair] = max(AT_MOST, made.order.get(pair, UNKNOWN))
            elif not mask & kinds.NAN:
                # A finite sum or product is of finite terms only; one that is a number of numbers.
                bound = kinds.FINITE if kinds.within(mask, kinds.FINITE) else ~kinds.NAN
            made.kinds[element] = made.kinds.get(element, kinds.ANY) & bound
        return made

    def _computed(self, row: Row) -> int:
        """The mask that follows from the operands."""
        if row.op in JOIN:
            return self._aggregate(row)
        masks = [self._memo[arg] for arg in row.args]
        match row.op:
            case "num":
                return kinds.of_number(row.value)  # type: ignore[arg-type]
            case "elem" | "sym":
                return self._domain.get(str(row.value), kinds.ANY)
            case "kind":
                return kinds.tested(masks[0], int(row.value))  # type: ignore[arg-type]
            case "choose":
                first = masks[1] if masks[0] & ~kinds.ZERO else 0
                return first | (masks[2] if masks[0] & kinds.ZERO else 0)
            case "same" | "less":
                return kinds.binary(row.op, *masks) & truth(self, row)
            case "add":
                return kinds.binary("add", *masks) & difference(self, row)
            case "exp" | "log" | "abs":
                return kinds.unary(row.op, masks[0])
            case _:
                return kinds.binary(row.op, *masks)

    def _aggregate(self, row: Row) -> int:
        name, unit = str(row.value), kinds.of_number(UNIT[JOIN[row.op]])
        if self.is_empty(name):
            return unit
        mask = kinds.closure(JOIN[row.op], self.inside(name).kind(row.args[0]))
        return mask if self.has_elements(name) else mask | unit
