"""Chains of reductions as terms: what fold fusion starts from, and what a law for one means.

In: outer reductions of keys, and later sums of terms f(x, r).  Out: `Chain`, which says them in one
language; the summands of its sums in terms of the list; the `Meaning` of a law for it; whether two
terms over its elements differ.  Decides nothing about laws: `fusion` derives them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Final

from certile.ir.meanings import OF_REWRITES, Domain, Meaning
from certile.ir.terms import Lit, Term, app, substituted
from certile.proof.check.context import Context
from certile.proof.check.elaborate import Reader
from certile.proof.check.finite import SHARED
from certile.proof.check.kinds import FINITE
from certile.proof.check.limits import Limit, divisors
from certile.proof.check.reader import DOMAINS
from certile.proof.check.rules import Goal
from certile.records import record
from certile.search.laws import refute
from certile.search.outer import PLAIN, Outer, Start, begun, together
from certile.search.prover import search_table
from certile.search.shifts import Language, R, centre
from certile.search.writing import product

__all__ = ["Beside", "Chain", "bodies", "differ", "meaning"]

_TRIALS: Final = 60
_NOT_ZERO: Final[dict[Domain, Domain]] = {"finite": "nonzero", "natural": "positive"}


@record
class Beside:
    """One more outer reduction; `value`, over its result `r` and `outer.COUNT`, is what sums read.

    In a later sum that value of the first one of a chain is `r_1`, that of the next one `r_2`.
    """

    outer: Outer
    key: Term
    value: Term = PLAIN


@record
class Chain:
    """An outer reduction `r` of `key`, and sums of terms over the fields of an element and `r`.

    `beside` are more outer reductions, none of which reads another.  The fields are `x`, or `x0`,
    `x1`, … for several operands.  `parameters` are numbers that all elements share.  `nonempty`:
    every list has an element, so no result is claimed of none.  `value` is the `r` that sums read,
    over the outer result, `r` too, and the number of elements, `outer.COUNT`.  `outside`, where it
    is given, is a factor of each sum, over the results before it: `r0` is the first outer one.
    `wanted` are the results the law gives, each the total of those at some places, all alone unless
    told otherwise, and `specification` what they are, where a program says it in its own terms;
    `written` are all reductions in these terms, each with the places of the results it is.
    """

    outer: Outer
    key: Term
    later: tuple[Term, ...]
    operands: int = 1
    parameters: Mapping[str, Domain] = field(default_factory=dict)
    nonempty: bool = False
    value: Term = PLAIN
    outside: tuple[Term, ...] = ()
    wanted: tuple[tuple[int, ...], ...] | None = None
    specification: tuple[Term, ...] | None = None
    beside: tuple[Beside, ...] = ()
    written: tuple[tuple[Term, tuple[int, ...]], ...] = ()

    def fields(self) -> tuple[str, ...]:
        """The names of the fields of an element."""
        return ("x",) if self.operands == 1 else tuple(f"x{k}" for k in range(self.operands))

    def outers(self) -> tuple[Beside, ...]:
        """All outer reductions."""
        return (Beside(self.outer, self.key, self.value), *self.beside)

    def starts(self) -> tuple[Start, ...]:
        """The parts of all outer reductions in one law."""
        return together(begun(each.outer, each.key, each.value) for each in self.outers())

    def language(self) -> Language:
        """What the later sums speak of."""
        return Language(self.fields(), tuple(self.parameters), len(self.outers()))

    def terms(self) -> tuple[Term, ...]:
        """All that the chain says."""
        read = (term for each in self.outers() for term in (each.key, each.value))
        said = (*read, *self.later, *self.outside)
        return said if self.specification is None else (*said, *self.specification)

    def substituted(self, by: Mapping[str, Term]) -> Chain:
        """The chain with names replaced in all that it says."""

        def renamed(terms: tuple[Term, ...]) -> tuple[Term, ...]:
            return tuple(substituted(term, by) for term in terms)

        return replace(
            self,
            key=substituted(self.key, by),
            value=substituted(self.value, by),
            later=renamed(self.later),
            outside=renamed(self.outside),
            specification=None if self.specification is None else renamed(self.specification),
            beside=tuple(
                replace(each, key=substituted(each.key, by), value=substituted(each.value, by))
                for each in self.beside
            ),
            written=tuple((substituted(term, by), places) for term, places in self.written),
        )


def meaning(
    chain: Chain,
    specification: tuple[Term, ...],
    closed: tuple[Term, ...],
    domain: Mapping[str, Domain],
    limits: Iterable[Limit] = (),
) -> Meaning:
    """What a law for a chain means, by the closed forms of its state.

    Where the reciprocal of a parameter is among what has to be finite, that is not 0.
    """
    divide = divisors((limit.size for limit in limits), {*closed, *specification})
    return Meaning(
        closed=closed,
        specification=specification,
        domain=domain,
        discharges=OF_REWRITES,
        parameters={
            name: _NOT_ZERO.get(kind, kind) if name in divide else kind
            for name, kind in chain.parameters.items()
        },
        nonempty=chain.nonempty,
        bounded=True,
    )


def bodies(chain: Chain) -> list[Term]:
    """What each later sum adds for an element, in terms of the list."""
    starts, found = chain.starts(), list[Term]()
    r = {centre(k): start.of_list(start.value) for k, start in enumerate(starts)}
    results = [start.of_list(start.result) for start in starts]
    for place, later in enumerate(chain.later):
        before = {f"{R}{number}": result for number, result in enumerate(results)}
        outside = substituted(chain.outside[place], before) if chain.outside else Lit(1.0)
        found.append(product([outside, substituted(later, r)]))
        results.append(app("list.sum", found[-1]))
    return found


def differ(chain: Chain, left: Term, right: Term) -> bool:
    """Whether some list of finite numbers was found over which two terms are different."""
    table = search_table()
    shared = {name: table.make("sym", value=f"{SHARED}.{name}") for name in chain.parameters}
    reader = Reader(table, shared, ("xs",), chain.fields())
    domain = dict.fromkeys(chain.fields(), FINITE)
    domain |= {f"{SHARED}.{name}": DOMAINS[kind] for name, kind in chain.parameters.items()}
    goal = Goal(Context(table, domain), reader.value(left), reader.value(right))
    return refute(table, goal, domain, _TRIALS) is not None
