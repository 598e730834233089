"""Fold fusion by derivation: a reduction and sums that use its result become one fold.

In: a `Chain`, one or several outer reductions r of keys and later sums of terms f(x, r).  Out:
`Fused`, a law whose state is merged in one pass, what it means, and a certificate that
`proof.check` accepts; or the `Unproved` of the obligation that failed.  No operation is known by
name: every summand is kept as sums that are closed under change of r (`shifts`), and what special
values need is found by trying guards until the law is proved, for all numbers first and for finite
ones next.

A law that is true of the reals may still overflow where the program it came from does not, so each
exponent of a derived law has to be proved never positive (`Meaning.bounded`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain as joined
from itertools import product as choices
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Domain, Meaning
from certile.ir.terms import Lit, Term, app
from certile.proof.check.certificate import Json
from certile.proof.check.context import Context
from certile.proof.check.kinds import FINITE
from certile.proof.check.limits import Limit
from certile.proof.check.reader import DOMAINS
from certile.proof.check.rules import Goal
from certile.proof.check.terms import Refused
from certile.proof.goal_text import text
from certile.proof.render import Writer
from certile.records import record
from certile.search.assembly import Candidate, Guard, assembled
from certile.search.chain_terms import Beside, Chain, bodies, differ
from certile.search.laws import Unproved, prove, refute
from certile.search.outer import COUNT, PLAIN
from certile.search.shifts import NEW, OLD, Family, Language, Moments, R, cross, families, vanishes
from certile.search.writing import mentions, negative, summands, total

__all__ = ["REACHED", "Beside", "Chain", "Fused", "derive", "rank"]

_GUARDS: Final[tuple[Guard, ...]] = ("none", "element", "term", "weight")
_MEAN: Final = app("div", R, COUNT)
# What may be subtracted from elements: the value of an outer reduction that lies near its keys.
_EXTREME: Final = (PLAIN, app("where", app("isfinite", R), R, 0.0))
_NEAR: Final = {"add": (_MEAN,), "mean": (PLAIN,)}
_FAR: Final = (
    "moments about r lose digits where r of a part of the row may be far from its elements; r has "
    "to be the extreme or the mean of what it is subtracted from"
)
_CANCELS: Final = (
    "a sum of differences is computed as no difference of sums: the digits that are left where one "
    "number is taken from another are lost where one sum is taken from another"
)
# How far a refused candidate came, by the obligation that failed.
REACHED: Final = ("read", "ratio", "near", "limit", "nil", "one", "cat", "finalize", "bound")


@record
class Fused:
    """A law of one pass; its results are the outer ones and the later sums, in order.

    After them come the aggregates that sizes of `limits` speak of and nothing else gives.
    """

    law: Law
    meaning: Meaning
    certificate: Json
    limits: tuple[Limit, ...]


def derive(chain: Chain, name: str = "fused") -> Fused | Unproved:
    """The fused law of a chain with its certificate, or the refusal of the best candidate."""
    options: list[list[tuple[Family, ...]]] = []
    for later in chain.later:
        found = _ways(chain, name, later)
        if isinstance(found, Unproved):
            return found
        options.append(found)
    if _cancels(chain):
        return Unproved(name, "near", _CANCELS, None)
    best: Unproved | None = None
    for candidate in _candidates(chain, options):
        try:
            law, meaning, limits = assembled(chain, candidate, name)
            proved = prove(law, meaning)
        except Refused as refusal:
            proved = Unproved(name, "limit", str(refusal), None)
        if not isinstance(proved, Unproved):
            return Fused(law, meaning, proved, limits)
        if best is None or rank(proved) > rank(best):
            best = proved
    return best or Unproved(name, "read", "there is no later sum", None)


def rank(refusal: Unproved) -> int:
    """How far a candidate came before it was refused."""
    return REACHED.index(refusal.obligation.partition(".")[0])


def _ways(chain: Chain, name: str, later: Term) -> list[tuple[Family, ...]] | Unproved:
    """The families for a later sum: of the whole term, or of the terms whose sum it is."""
    language = chain.language()
    try:
        whole = families(language, later)
        kept = [family for family in whole if _stays_near(chain, language, family)]
        if kept:
            return [(family,) for family in kept]
        options: list[list[Family]] = []
        for summand in summands(later):
            found = families(language, summand)
            if not found:
                return _depends(chain, language, name, summand)
            kept = [family for family in found if _stays_near(chain, language, family)]
            if not kept:
                return Unproved(name, "near", _FAR, None)
            options.append(kept)
        if len(set(map(negative, summands(later)))) > 1:
            return Unproved(name, "near", _CANCELS, None)
    except Refused as refusal:
        return Unproved(name, "read", str(refusal), None)
    return list(choices(*options))


def _stays_near(chain: Chain, language: Language, family: Family) -> bool:
    """Whether no part of a list has an r much further from its elements than r of the list is.

    Moments about a far r are large numbers whose difference is the small sum that is wanted, so its
    digits are lost, although the law is true.  A running extreme only comes nearer to what is
    beyond it, and a mean lies among the elements that it is of; where r is anything else, as a sum
    that grows and falls, or is of other numbers than those it is subtracted from, nothing holds it.
    """
    if not isinstance(family, Moments):
        return True
    outers, keys = chain.outers(), list[tuple[Term, ...]]()
    for each in outers:
        keys.append((each.key, app("abs", each.key)) if each.outer == "absmax" else (each.key,))
    moving = family.moving
    read = [k for k, name in enumerate(language.named()) if any(mentions(m, name) for m in moving)]
    return all(outers[k].value in _NEAR.get(outers[k].outer, _EXTREME) for k in read) and all(
        any(vanishes(language, part, at) for at in choices(*keys)) for part in moving
    )


def _depends(chain: Chain, language: Language, name: str, summand: Term) -> Unproved:
    """The refusal of a summand whose ratio speaks of the element, with two that show it."""
    table, left, right = cross(language, summand)
    ends = (*language.named(OLD), *language.named(NEW))
    names = (*chain.fields(), *(f"{name}'" for name in chain.fields()), *ends)
    domain = {f"s.{each}": FINITE for each in names}
    domain |= {f"s.{each}": DOMAINS[kind] for each, kind in chain.parameters.items()}
    found = refute(table, Goal(Context(table, domain), left, right), domain)
    a, b = text(table, left, right)
    writer = Writer(table, {})
    formula = f"{writer.text(left)} = {writer.text(right)}".replace("s.", "")
    return Unproved(name, "ratio", f"(is {a} {b})", found, (formula,))


def _cancels(chain: Chain) -> bool:
    """Whether a result is a total of sums whose terms of one element may have different signs."""
    together = [places for places in chain.wanted or () if len(places) > 1]
    summed = bodies(chain) if together else []
    for places in together:
        parts = [summed[place - len(chain.outers())] for place in places]
        whole = app("list.sum", app("abs", total(parts)))
        apart = app("list.sum", total(app("abs", part) for part in parts))
        if differ(chain, whole, apart):
            return True
    return False


def _candidates(chain: Chain, options: Sequence[list[tuple[Family, ...]]]) -> Iterator[Candidate]:
    """Every candidate, those that claim most and guard least first."""
    starts = chain.starts()
    guards = _GUARDS if any(start.bad_element for start in starts) else ("none", "term")
    guards = guards if any(start.bad for start in starts) else ("none",)
    means = all(each.outer == "mean" for each in chain.outers())
    domains: tuple[Domain, ...] = ("any", "finite")
    for domain in domains:
        for chosen in choices(*options):
            if domain == "any" and any(map(_is_weighted, joined.from_iterable(chosen))):
                # Where a weight is 0, an infinite distance makes a NaN that no guard is worth.
                continue
            for guard in guards:
                for nan in (False, True)[: 1 + (guard != "none" and not means)]:
                    yield Candidate(tuple(chosen), guard, nan, domain)


def _is_weighted(family: Family) -> bool:
    return isinstance(family, Moments) and family.factor != Lit(1.0)
