"""Parts of laws as terms, and what follows of states and exponents where a final state is finite.

A row whose final state is not finite is computed again as the program has it, so a derived law has
to be of use for the others only.  What is known of those is read off the law: where a merged state
is finite, what that tells of its operands holds of the states that were merged; in turn down the
tree of merges, to every state in it and every element.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import partial, reduce
from typing import Final

from certile.ir.laws import Law
from certile.ir.terms import Apply, Term
from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.elaborate import SINGLE, Reader
from certile.proof.check.terms import LISTS, Table, require

# What the symbols of parameters begin with.
SHARED: Final = "c"
# Of the terms of a law, or of a meaning, together.
_LONGEST: Final = 100_000


def require_short(terms: Iterable[Term], longest: int = _LONGEST) -> None:
    """That terms are short when written out, where a part counts as often as it occurs."""
    sizes: dict[int, int] = {}

    def size(term: Term) -> int:
        if id(term) not in sizes:
            sizes[id(term)] = 1 + sum(map(size, term.args)) if isinstance(term, Apply) else 1
        return sizes[id(term)]

    require(sum(map(size, [*terms])) <= longest, "terms are too long when written out")


class Parts:
    """The terms of a law over one table; raises `Refused` where a component lacks one."""

    def __init__(self, table: Table, law: Law) -> None:
        self.table, self.law, self._identity = table, law, law.identity or ()
        self.names = tuple(component.name for component in law.state)
        parts = (self.names, self._identity, law.lift, law.merge)
        fits = len({len(set(self.names)), *map(len, parts)}) == 1
        reason = "components share a name, or have another number of identities, lifts or merges"
        require(fits, reason)
        require_short([*self._identity, *law.lift, *law.merge, *law.finalize])
        self.fields = (*law.lift_variables(), *(("i",) * law.indexed))
        # Else a parameter `a.n` would stand for the component n of a state.
        dotted = any("." in name for name in (*self.names, *self.fields, *law.parameters))
        require(not dotted, "a name has a dot")
        self.shared = self.symbols(SHARED, law.parameters)

    def symbols(self, before: str, names: Iterable[str]) -> dict[str, int]:
        """A symbol for each name."""
        return {name: self.table.make("sym", value=f"{before}.{name}") for name in names}

    def state(self, before: str, terms: Iterable[int]) -> dict[str, int]:
        """Terms by the names of the components."""
        return dict(zip((before + name for name in self.names), terms, strict=True))

    def identity(self) -> list[int]:
        """The identity, which sees nothing."""
        return list(map(Reader(self.table, {}, None).value, self._identity))

    def read(self, terms: Sequence[Term], held: dict[str, int]) -> list[int]:
        """Terms of the law: they see states, parameters and one element, but no list."""
        truths = {component.name for component in self.law.state if component.type == "bool"}
        rows = self.table.rows
        # A field of an element, which may have the name of a component, is a number.
        states = (name for name, term in held.items() if rows[term].value != f"{SINGLE}.{name}")
        true = frozenset(name for name in states if name.rpartition(".")[2] in truths)
        return list(map(Reader(self.table, held | self.shared, None, (), true).value, terms))

    def closed(self, closed: Sequence[Term], *pieces: str) -> list[int]:
        """The closed form of each component over joined pieces; one may speak of an earlier one."""
        require(len(closed) == len(self.names), "a component has no closed form")
        made: list[int] = []
        for term in closed:
            earlier = zip((f"state.{name}" for name in self.names), made, strict=False)
            reader = Reader(self.table, dict(earlier) | self.shared, pieces, self.fields)
            made.append(reader.value(term))
        return made


def kinds_of_states(parts: Parts) -> list[int]:
    """The kinds of each component of every state that is merged into one that is finite."""
    a, b = (parts.state(f"{side}.", parts.symbols(side, parts.names).values()) for side in "ab")
    merged = parts.read(parts.law.merge, a | b)
    masks, wider = [0] * len(merged), [kinds.FINITE] * len(merged)
    while masks != wider:
        masks = wider
        known = Context(parts.table, {}).with_kinds(merged, masks)
        sides = zip(masks, a.values(), b.values(), strict=True)
        wider = [mask | known.kind(left) | known.kind(right) for mask, left, right in sides]
    return masks


def positive_exponents(
    table: Table, terms: Sequence[int], closed: Container[str] = ()
) -> list[int]:
    """For each term with exponents, not below operations of `closed`: whether one is positive.

    It counts where it is evaluated: below a choice in the branch that is taken, below a list
    operation for each element; what speaks of an element without a list, for each one of `xs`.
    """
    zero, found = table.num(0), dict[int, int]()

    def for_each(claim: int, name: object) -> int:
        return table.make("sum", claim, value=str(name)) if table.free[claim] else claim

    for term in table.reach(*terms, closed=closed):
        op, value, args = table.rows[term]
        claims = [] if op in closed else [found[arg] for arg in args]
        if op == "choose" and claims[1] != claims[2]:
            claims[1:] = [table.make("choose", args[0], *claims[1:])]
        claims += [table.make("less", zero, args[0])] if op == "exp" else []
        counted = dict.fromkeys(each for each in claims if each != zero)
        claim = reduce(partial(table.make, "max"), counted) if counted else zero
        found[term] = for_each(claim, value) if op in LISTS else claim
    made = (for_each(found[term], "xs") for term in terms)
    return [claim for claim in dict.fromkeys(made) if claim != zero]
