"""Contexts: what is known about terms at a place of a proof.

A fact is the kinds that a term may have; order and identity are facts on `less` and `same` of two
terms.  A fact on a result tells of its operands, and theirs of it.  Entering a list drops every
fact on the element of the list around it, and adds that the list has an element and what its
*recorded* aggregates say of each one.  Only recorded facts are read there, and for a relation, so
that asking for a kind never asks for itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.kinds import ANY, NAN, POS, ZERO, within
from certile.proof.check.terms import JOIN, LISTS, UNIT, Table, Value

# The kind of a list operation over no element.
_EMPTY: Final = {op: kinds.of_number(UNIT[join]) for op, join in JOIN.items()}


class Context:
    """Facts, and the kinds that follow; a context does not change once made.

    `domain` gives the kinds of element fields and symbols.
    """

    def __init__(self, table: Table, domain: dict[str, int]) -> None:
        self.table, self._domain = table, domain
        self.kinds: dict[int, int] = {}
        self._about: dict[int, tuple[int, ...]] = {}  # the facts on results by their operands
        self._memo: dict[int, int] = {}
        self._simple: dict[int, int] = {}
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
            self.table.spend()
            memo[term] = self._computed(*self.table.rows[term]) & self.kinds.get(term, ANY)
        return memo[term]

    def simple(self, term: int) -> int:
        """The term with constants for what has one value; what is decided is chosen."""
        known = self._simple
        if term not in known:
            self.table.spend()
            made = self._decided(term)
            known[term] = made if made == term else self.simple(made)
        return known[term]

    def inside(self, name: str) -> Context:
        """What is known of an element of the list of that name."""
        if name not in self._inside:
            made = self._copy(entering=True)
            made._record(self.table.count(name), POS)
            for term, mask in self.kinds.items():
                op, of, args = self.table.rows[term]
                if op in JOIN and of == name:
                    made._record(args[0], kinds.operand(JOIN[op], 0, ANY, ANY, mask))
                    if op in ("top", "bottom"):
                        # Also where the extreme is NaN, which nothing is less than.
                        pair = (term, args[0]) if op == "top" else (args[0], term)
                        made._record(self.table.make("less", *pair), ZERO)
            self._inside[name] = made
        return self._inside[name]

    def size(self, name: str) -> int:
        """The mask of the number of elements of a list, by what is recorded of it."""
        return self.kinds.get(self.table.count(name), ANY)

    def _operands(self, term: int) -> tuple[int, ...]:
        """The terms that a fact on a result tells of."""
        row = self.table.rows[term]
        return row.args if row.op in kinds.OPERATIONS else ()

    def _copy(self, *, entering: bool = False) -> Context:
        self.table.spend(1 + len(self.kinds) // 8)
        made, free = Context(self.table, self._domain), self.table.free
        made._about = dict(self._about)
        made.kinds = {t: mask for t, mask in self.kinds.items() if not (entering and free[t])}
        return made

    def _record(self, term: int, mask: int) -> None:
        """Narrow a term by what is recorded, and what facts on it or on its results tell of."""
        waiting = [(term, mask)]
        while waiting:
            term, mask = waiting.pop()
            known = self.kinds.get(term, ANY)
            if within(known, mask):
                continue
            op, name, _ = self.table.rows[term]
            args = self._operands(term)
            if term not in self.kinds:
                for arg in args:
                    self._about[arg] = (*self._about.get(arg, ()), term)
            self.kinds[term] = mask = known & mask
            if op in JOIN and not mask & _EMPTY[op]:
                waiting.append((self.table.count(str(name)), POS))
            facts = (*((term,) if args else ()), *self._about.get(term, ()))
            self.table.spend(1 + len(facts))
            for fact in facts:
                op, _, args = self.table.rows[fact]
                masks = [self.kinds.get(each, ANY) for each in (*args, fact)]
                for place, arg in enumerate(args):
                    told = kinds.operand(op, place, *masks)
                    if told != masks[place]:
                        waiting.append((arg, told))

    def _computed(self, op: str, value: Value, args: tuple[int, ...]) -> int:
        """The mask that follows from the operands."""
        if op == "choose":
            return reduce(or_, map(self.kind, self._branches(*args)))
        if op in kinds.OPERATIONS:
            mask = kinds.result(op, *map(self.kind, args))
            return mask & self._relation(op, *args) if op in ("less", "same") else mask
        if op == "num":
            return kinds.of_number(value)  # type: ignore[arg-type]
        if not args:
            return self._domain.get(str(value), ANY)
        if op == "kind":
            return kinds.tested(self.kind(args[0]), int(value))  # type: ignore[arg-type]
        return self._aggregate(op, str(value), args[0]) if op in JOIN else ANY

    def _branches(self, condition: int, first: int, second: int) -> tuple[int, ...]:
        """What a choice may be."""
        mask = self.kind(condition)
        return (second,) if mask == ZERO else (first, second) if mask & ZERO else (first,)

    def _decided(self, term: int) -> int:
        """The constant, branch, operand or extreme that a term is, or it with simple operands."""
        table, (op, value, args) = self.table, self.table.rows[term]
        if (mask := self.kind(term)) in kinds.ONLY:
            return table.num(kinds.ONLY[mask])
        if op == "choose":
            branches = {*self._branches(*args)}
            if len(branches) == 1:
                return branches.pop()
        elif op in UNIT:
            a, b = args
            if (unit := table.num(UNIT[op])) in args:
                return b if a == unit else a
            if op in ("max", "min") and not (self.kind(a) | self.kind(b)) & NAN:
                for first, second in ((a, b), (b, a)):
                    if self.kind(table.make("less", first, second)) == ZERO:
                        return first if op == "max" else second
        if not args:
            return term
        simple = self.inside(str(value)).simple if op in LISTS else self.simple
        parts = tuple(map(simple, args))
        return term if parts == args else table.make(op, *parts, value=value)

    def _aggregate(self, op: str, name: str, body: int) -> int:
        size = self.size(name)
        mask = kinds.closure(JOIN[op], self.inside(name).kind(body)) if size != ZERO else 0
        return mask | _EMPTY[op] if size & ZERO else mask

    def _relation(self, op: str, a: int, b: int) -> int:
        """The mask of a relation of two terms by what is recorded of their order."""
        if a == b or POS in (self._said("same", a, b), self._said("same", b, a)):
            return POS if op == "same" else ZERO
        below, above = self._said("less", a, b), self._said("less", b, a)
        if op == "less":
            return ZERO if above == POS else below
        if POS in (below, above):
            return ZERO
        numbers = not (self.kind(a) | self.kind(b)) & NAN
        return POS if below == above == ZERO and numbers else ANY

    def _said(self, relation: str, a: int, b: int) -> int:
        """The mask of a relation by a fact, or as that of two constants."""
        x, y = self.table.rows[a].value, self.table.rows[b].value
        if relation == "less" and isinstance(x, Fraction) and isinstance(y, Fraction) and x < y:
            return POS
        return self.kinds.get(self.table.make(relation, a, b), ANY)
