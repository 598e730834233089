"""Certificates of laws that authors wrote: what is claimed, for which elements, and remembered.

In: a law and what its author says that it means.  Out: a `Certified` that the checker accepts, or
a refusal.  Decides for which elements a law is proved (all numbers, else finite ones), how a
function without a meaning over the extended reals is read, and that a proof found once is kept in
the cache folder and checked each time it is read.  Leaves the methods to `certile.frontend`, and
searching to `certile.search.laws`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Domain, Meaning
from certile.ir.terms import Apply, Term, Var, applications, replaced, variables
from certile.proof.check import check, heading
from certile.proof.check.certificate import Json
from certile.records import record
from certile.search import kept
from certile.search.laws import Unproved, prove

_SCHEMA: Final = "certile.author/1"
# The functions that have a meaning over the extended reals.
_READ: Final = frozenset(
    (
        *("add", "sub", "mul", "div", "neg", "exp", "log", "abs", "where"),
        *("maximum", "minimum", "fmax", "fmin"),
        *("isnan", "isinf", "isfinite", "eq", "ne", "lt", "le", "gt", "ge", "is"),
        *("bit_and", "bit_or", "bit_not", "list.sum", "list.prod", "list.max", "list.min"),
    )
)


@record
class Certified:
    """A law and a meaning as the certificate has them, and the certificate as text.

    They are the author's, but for functions without a meaning over the extended reals: one of an
    element alone is a field of its own there, and where a result and its specification apply one
    alike, what it is applied to are results of their own.
    """

    law: Law
    meaning: Meaning | Action
    certificate: str

    @property
    def content(self) -> Json:
        """The certificate's fields."""
        content: Json = json.loads(self.certificate)
        return content


def certify(law: Law, meaning: Meaning | Action) -> Certified | Unproved:
    """A certificate of the law for all numbers or for finite ones, or why there is none.

    The meaning speaks of any number; the one that is returned says what was proved.
    """
    if isinstance(meaning, Meaning):
        law, meaning = _opened(law, meaning)
    candidates = list(_domains(meaning))
    name = f"law-{heading(law, meaning)['before']}-{heading(law, meaning)['after']}"
    known = _remembered(name, law, candidates)
    if known is not None:
        return known
    refused: Unproved | None = None
    for place, candidate in enumerate(candidates):
        found = prove(law, candidate)
        if not isinstance(found, Unproved):
            kept.keep(name, {"schema": _SCHEMA, "domain": place, "certificate": found})
            return Certified(law, candidate, _text(found))
        # What fails for finite numbers says more than that a NaN was not thought of.
        refused = found
    assert refused is not None
    return refused


def _text(certificate: object) -> str:
    return json.dumps(certificate, separators=(",", ":")) + "\n"


def _remembered(name: str, law: Law, candidates: list[Meaning | Action]) -> Certified | None:
    """What an earlier process proved, if it is whole and the checker accepts it."""
    found = kept.find(name)
    if not isinstance(found, dict) or found.get("schema") != _SCHEMA:
        return None
    place, certificate = found.get("domain"), found.get("certificate")
    if type(place) is not int or not 0 <= place < len(candidates):
        return None
    if check(certificate, law, candidates[place]) is not None:
        return None
    return Certified(law, candidates[place], _text(certificate))


def _domains(meaning: Meaning | Action) -> Iterator[Meaning | Action]:
    """The meaning for all elements and for finite ones; of an action, for what states keep too."""
    if isinstance(meaning, Meaning):
        yield meaning
        yield replace(meaning, domain=_narrowed(meaning.domain))
        return
    fields, parts = (list(_kinds(each)) for each in (meaning.domain, meaning.parts))
    pairs = sorted(itertools.product(fields, parts), key=lambda p: sum(map(_finite, p)))
    for domain, held in pairs:
        yield replace(meaning, domain=domain, parts=held, loop=held)


def _kinds(names: Mapping[str, Domain]) -> Iterator[dict[str, Domain]]:
    """Each way to say of some names that they are finite."""
    loose = [name for name, kind in names.items() if kind == "any"]
    for chosen in itertools.product((False, True), repeat=len(loose)):
        finite = {name for name, is_finite in zip(loose, chosen, strict=True) if is_finite}
        yield {name: "finite" if name in finite else kind for name, kind in names.items()}


def _finite(names: Mapping[str, Domain]) -> int:
    return sum(kind == "finite" for kind in names.values())


def _narrowed(domain: Mapping[str, Domain]) -> dict[str, Domain]:
    return {name: "finite" if kind == "any" else kind for name, kind in domain.items()}


def _opened(law: Law, meaning: Meaning) -> tuple[Law, Meaning]:
    """The law and its meaning without functions that the checker does not read, where it can be."""
    pairs = [
        pair
        for result in zip(law.finalize, meaning.specification, strict=True)
        for pair in _pieces(*result)
    ]
    finalize, specification = (tuple(side) for side in zip(*pairs, strict=True))
    fields = set(law.lift_variables())
    roots = (*law.lift, *meaning.closed, *specification)
    opaque = dict.fromkeys(each for each in applications(roots) if each.fn not in _READ)
    alone = [each for each in opaque if variables([each]) <= fields]
    names = {each: f"x{law.operands + k}" for k, each in enumerate(alone)}
    # With a second operand the first is called x0.
    first: dict[Term, Term] = {Var("x"): Var("x0")} if law.operands == 1 and alone else {}
    swap: dict[Term, Term] = {**{each: Var(name) for each, name in names.items()}, **first}

    def opened(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(replaced(term, swap) for term in terms)

    domain: dict[str, Domain] = {**meaning.domain, **dict.fromkeys(names.values(), "any")}
    if first:
        domain["x0"] = domain.pop("x")
    read = replace(
        law,
        lift=opened(law.lift),
        finalize=finalize,
        results=tuple("acc" for _ in finalize),
        operands=law.operands + len(alone),
    )
    claimed = replace(
        meaning,
        closed=opened(meaning.closed),
        specification=opened(specification),
        domain=domain,
    )
    return read, claimed


def _pieces(result: Term, claimed: Term) -> Iterator[tuple[Term, Term]]:
    """Pairs of terms that make two results equal when they are; the results where both are read."""
    known = all(each.fn in _READ for each in applications((result, claimed)))
    match result, claimed:
        case (Apply(fn, args), Apply(other, others)) if (fn, len(args)) == (other, len(others)):
            pairs = [] if known else list(zip(args, others, strict=True))
        case _:
            pairs = []
    if not pairs:
        yield result, claimed
    for pair in pairs:
        yield from _pieces(*pair)
