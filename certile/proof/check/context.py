"""Contexts: what is known about terms at a place of a proof.

A fact is the kinds that a term may have; order and identity are facts on `less` and `same` of two
terms.  A fact on a result tells of its operands, and theirs of it.  Entering a list drops every
fact on the element of the list around it, and adds that the list has an element and what its
*recorded* aggregates say of each one.  Only recorded facts are read there, and for a comparison by
facts, so that asking for a kind never asks for itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.kinds import ANY, NAN, POS, ZERO
from certile.proof.check.terms import JOIN, UNIT, Row, Table

UNKNOWN: Final = 0
AT_MOST: Final = 1
BELOW: Final = 2


class Context:
    """Facts, and the kinds and comparisons that follow; a context does not change once made.

    `domain` gives the kinds of element fields and symbols.  `bound`: it is that of an element.
    """

    def __init__(self, table: Table, domain: dict[str, int]) -> None:
        self.table, self.bound, self._domain = table, False, domain
        self.kinds: dict[int, int] = {}
        self._about: dict[int, tuple[int, ...]] = {}  # the facts on results by their operands
        self._memo: dict[int, int] = {}
        self._inside: dict[str, Context] = {}

    def with_kind(self, term: int, mask: int) -> Context:
        """What is known once the term is of a kind of the mask."""
        return self.with_kinds([term], [mask])

    def with_kinds(self, terms: Iterable[int], masks: Iterable[int]) -> Context:
        """What is known once each of the terms is of a kind of its mask."""
        made = self._copy()
        for term, mask in zip(terms, masks, strict=True):
            for arg in self._operands(term):
                made._record(arg, self.kind(arg))
            made._record(term, self.kind(term) & mask)
        return made

    def kind(self, term: int) -> int:
        """The mask of the kinds the term may have; 0: it has no value, the facts contradict."""
        memo = self._memo
        if term not in memo:
            for each in self.table.reach(term, known=memo, closed=JOIN):
                memo[each] = self._computed(self.table.rows[each]) & self.kinds.get(each, ANY)
        return memo[term]

    def compare(self, a: int, b: int) -> int:
        """`BELOW` if a < b, `AT_MOST` if a <= b or a is b, else `UNKNOWN`."""
        best = max(self._fact(a, b), self._by_kinds(a, b), self._by_summands(a, b))
        facts = [self.table.rows[term] for term in self._about.get(a, ())]
        self.table.spend(1 + len(facts))
        for between in {each for op, _, args in facts if op in ("less", "same") for each in args}:
            links = self._fact(a, between), self._fact(between, b)
            best = max(best, *links) if all(links) else best
        return best

    def inside(self, name: str) -> Context:
        """What is known of an element of the list of that name."""
        if name not in self._inside:
            made = self._copy(entering=True)
            made._record(self.table.count(name), POS)
            for row, mask in self._recorded(name):
                (element,) = row.args
                made._record(element, kinds.operand(JOIN[row.op], 0, ANY, ANY, mask))
                if row.op in ("top", "bottom"):
                    # Also where the extreme is NaN, which nothing is less than.
                    extreme = self.table.apply(row, row.args)
                    pair = (extreme, element) if row.op == "top" else (element, extreme)
                    made._record(self.table.make("less", *pair), ZERO)
            self._inside[name] = made
        return self._inside[name]

    def has_elements(self, name: str) -> bool:
        """Whether a recorded aggregate of the list is not what it is for no element."""
        return any(not mask & _of_none(row.op) for row, mask in self._recorded(name))

    def _operands(self, term: int) -> tuple[int, ...]:
        """The terms that a fact on a result tells of."""
        row = self.table.rows[term]
        return row.args if row.op in kinds.OPERATIONS else ()

    def _copy(self, *, entering: bool = False) -> Context:
        self.table.spend(1 + len(self.kinds) // 8)
        made, free = Context(self.table, self._domain), self.table.free
        made.bound, made._about = self.bound or entering, dict(self._about)
        made.kinds = {t: mask for t, mask in self.kinds.items() if not (entering and free[t])}
        return made

    def _recorded(self, name: str) -> list[tuple[Row, int]]:
        self.table.spend(1 + len(self.kinds) // 8)
        found = ((self.table.rows[term], mask) for term, mask in self.kinds.items())
        return [(row, mask) for row, mask in found if row.op in JOIN and row.value == name]

    def _record(self, term: int, mask: int) -> None:
        """Narrow a term by what is recorded, and what facts on it or on its results tell of."""
        waiting = [(term, mask)]
        while waiting:
            term, mask = waiting.pop()
            known = self.kinds.get(term)
            if known is None:
                for arg in self._operands(term):
                    self._about[arg] = (*self._about.get(arg, ()), term)
            elif known & mask == known:
                continue
            self.kinds[term] = (ANY if known is None else known) & mask
            self._memo.clear()
            self._inside.clear()
            for fact in (term, *self._about.get(term, ())):
                self.table.spend()
                args = self._operands(fact)
                masks = [self.kinds.get(each, ANY) for each in (*args, fact)]
                for place, arg in enumerate(args):
                    told = kinds.operand(self.table.rows[fact].op, place, *masks)
                    if masks[place] & ~told:
                        waiting.append((arg, told))

    def _computed(self, row: Row) -> int:
        """The mask that follows from the operands."""
        op, value, args = row
        if op in JOIN:
            return self._aggregate(op, str(value), args[0])
        masks = [self._memo[arg] for arg in args]
        match op:
            case "num":
                return kinds.of_number(value)  # type: ignore[arg-type]
            case "elem" | "sym":
                return self._domain.get(str(value), ANY)
            case "kind":
                return kinds.tested(masks[0], int(value))  # type: ignore[arg-type]
            case "choose":
                first = masks[1] if masks[0] & ~ZERO else 0
                return first | (masks[2] if masks[0] & ZERO else 0)
            case "less" | "same" if kinds.result(op, *masks) == ZERO | POS:
                told = self._relation(op, *args)
            case "add":
                told = self._difference(*args) & self._difference(*args[::-1])
            case _:
                told = ANY
        return kinds.result(op, *masks) & told

    def _aggregate(self, op: str, name: str, body: int) -> int:
        if self.kinds.get(self.table.count(name)) == ZERO:
            return _of_none(op)
        mask = kinds.closure(JOIN[op], self.inside(name).kind(body))
        return mask if self.has_elements(name) else mask | _of_none(op)

    def _relation(self, op: str, a: int, b: int) -> int:
        """The mask of a relation by the order of the two."""
        up, down = self.compare(a, b), self.compare(b, a)
        if op == "less":
            return POS if up == BELOW else ZERO if down else ANY
        return ZERO if BELOW in (up, down) else POS if up and down else ANY

    def _difference(self, a: int, b: int) -> int:
        """The mask of a + b, where b is (-1) * c, by the order of a and c; it may be NaN."""
        op, _, args = self.table.rows[b]
        if op != "mul" or args[0] != self.table.num(-1):
            return ANY
        up, down = self.compare(a, args[1]), self.compare(args[1], a)
        positive, negative = kinds.PINF | POS, kinds.NINF | kinds.NEG
        zero = ZERO if BELOW in (up, down) else 0
        return ANY & ~(positive * bool(up) | negative * bool(down) | zero)

    def _fact(self, a: int, b: int) -> int:
        """The comparison of two terms by one fact, as constants, or as 1 and a number of elements.

        Nothing but recorded facts is asked for.
        """
        (op, x, _), (other, y, of) = self.table.rows[a], self.table.rows[b]
        if a == b or POS in (self._said("same", a, b), self._said("same", b, a)):
            return AT_MOST
        if op == other == "num":
            return BELOW * (isinstance(x, Fraction) and isinstance(y, Fraction) and x < y)
        if self._said("less", a, b) == POS:
            return BELOW
        if (op, other, x, of) == ("num", "sum", 1, (a,)) and self.has_elements(str(y)):
            return AT_MOST
        numbers = not (self.kinds.get(a, NAN) | self.kinds.get(b, NAN)) & NAN
        return AT_MOST if numbers and self._said("less", b, a) == ZERO else UNKNOWN

    def _said(self, relation: str, a: int, b: int) -> int:
        return self.kinds.get(self.table.find(relation, a, b), ANY)

    def _by_kinds(self, a: int, b: int) -> int:
        x, y = self.kind(a), self.kind(b)
        if kinds.result("less", x, y) == POS:
            return BELOW
        return AT_MOST * (not (x | y) & NAN and kinds.result("less", y, x) == ZERO)

    def _by_summands(self, a: int, b: int) -> int:
        """a = p + c, b = q + rest + c with p <= q; c is finite, the rest finite and at least 0."""
        if "add" not in (self.table.rows[a].op, self.table.rows[b].op):
            return UNKNOWN
        left, right = (Counter(self.table.flat("add", side)) for side in (a, b))
        common = left & right
        lower, upper = list((left - common).elements()), list((right - common).elements())
        finite = all(kinds.within(self.kind(part), kinds.FINITE) for part in common)
        for place, part in enumerate(upper if finite and len(lower) == 1 else ()):
            self.table.spend(len(upper))
            rest = ZERO
            for other in upper[:place] + upper[place + 1 :]:
                rest = kinds.result("add", rest, self.kind(other))
            rank = self._fact(lower[0], part)
            if rank and kinds.within(rest, ZERO | POS):
                return rank
        return UNKNOWN


def _of_none(op: str) -> int:
    """The kind of a list operation over no element."""
    return kinds.of_number(UNIT[JOIN[op]])
