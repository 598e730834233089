"""The checker's own reader: a law and its meaning become goals; a certificate supplies no term.

Of closed forms, for each component `c`: `nil.c` (its closed form of the empty list is the
identity), `one.c` (of one element, the lift), `cat.c` (of two lists joined, the merge of their
closed forms), for each result `finalize.k` (finalize of the closed forms is the specification), and
where the meaning says that exponents are bounded, `bound.k` for each one (it is not positive where
the final state is finite).  By induction every tree of merges, with empty leaves anywhere, gives
the closed form of all its elements.

Components whose obligations are one another's but for the names of fields with one domain, as
columns of values have them, have those of the first of them only; so have such results.  An
obligation speaks of every list, so it does not depend on the names.

Of an action, for each component `k` of the loop's state: `nil.k` (the identity changes nothing),
`one.k` (one element acts as a step of the loop), `cat.k` (a merge acts as its left side, then its
right), and `unordered.k` for a law that says it is commutative.  The kinds claimed for states must
be kept by identity, lift, merge, act and step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Domain, Meaning
from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.elaborate import Reader, read_terms, require_parts, symbol
from certile.proof.check.finite import implied, kinds_of_states, positive_exponents
from certile.proof.check.replay import Goal
from certile.proof.check.terms import JOIN, SINGLE, Table, require

DOMAINS: Final[dict[Domain, int]] = {
    "any": kinds.ANY,
    "finite": kinds.FINITE,
    "natural": kinds.ZERO | kinds.POS,
}
# What the symbols of parameters begin with.
SHARED: Final = "c"
# Name, left side, right side.
_Claims = list[tuple[str, int, int]]


def goals(table: Table, law: Law, meaning: Meaning | Action) -> list[tuple[str, Goal]]:
    """The obligations of a law, named; raises `Refused` for what has no meaning here."""
    require_parts(law)
    require(len(law.results) == len(law.finalize), "a result has no type, or a type no result")
    fields = (*law.lift_variables(), *(("i",) * law.indexed))
    require(set(meaning.domain) == set(fields), f"the domain must speak of {', '.join(fields)}")
    domain = _masks("", meaning.domain) | _masks(f"{SINGLE}.", meaning.domain)
    if isinstance(meaning, Action):
        domain |= _masks("p.", meaning.parts) | _masks("q.", meaning.parts)
        domain |= _masks("s.", meaning.loop)
        context = Context(table, domain)
        return _goals(_acts(table, law, meaning, context), context)
    clash = meaning.parameters.keys() & set(fields)
    require(not clash, "a parameter has the name of a field")
    context = Context(table, domain | _masks(f"{SHARED}.", meaning.parameters))
    return _sums(table, law, meaning, context)


def _goals(claims: _Claims, context: Context) -> list[tuple[str, Goal]]:
    return [(name, Goal(context, left, right)) for name, left, right in claims]


def closed_forms(
    table: Table, law: Law, meaning: Meaning, pieces: tuple[str, ...]
) -> dict[str, int]:
    """The closed form of each component over joined pieces; one may speak of an earlier one."""
    made: dict[str, int] = {}
    for component, term in zip(law.state, meaning.closed, strict=True):
        made[component.name] = _meant(table, meaning, pieces, made).value(term)
    return made


def _masks(before: str, domain: Mapping[str, Domain]) -> dict[str, int]:
    return {f"{before}{name}": DOMAINS[kind] for name, kind in domain.items()}


def _meant(
    table: Table, meaning: Meaning, pieces: tuple[str, ...], states: Mapping[str, int]
) -> Reader:
    """A reader of closed forms and specifications over joined pieces."""
    held = _named("state", states, states.values()) | _shared(table, meaning)
    return Reader(table, held, pieces, tuple(meaning.domain))


def _named(side: str, names: Iterable[str], terms: Iterable[int]) -> dict[str, int]:
    return {f"{side}.{name}": term for name, term in zip(names, terms, strict=True)}


def _shared(table: Table, meaning: Meaning) -> dict[str, int]:
    return {name: table.make("sym", value=f"{SHARED}.{name}") for name in meaning.parameters}


def _element(table: Table, meaning: Meaning | Action) -> dict[str, int]:
    return {name: symbol(table, name) for name in meaning.domain}


def _sums(table: Table, law: Law, meaning: Meaning, context: Context) -> list[tuple[str, Goal]]:
    """The obligations of closed forms."""
    fits = len(meaning.closed) == len(law.state)
    fits = fits and len(meaning.specification) == len(law.finalize)
    require(fits, "a component has no closed form, or a result no specification")
    none, one, left, right, joined = (
        closed_forms(table, law, meaning, pieces)
        for pieces in ((), (SINGLE,), ("xs",), ("ys",), ("xs", "ys"))
    )
    shared = _shared(table, meaning)
    states = _named("a", left, left.values()) | _named("b", right, right.values()) | shared
    lifted = read_terms(table, law, law.lift, _element(table, meaning) | shared)
    merged = read_terms(table, law, law.merge, states)
    sides = (
        ("nil", none, read_terms(table, law, law.identity, {})),
        ("one", one, lifted),
        ("cat", joined, merged),
    )
    components = [
        [(f"{side}.{name}", forms[name], terms[place]) for side, forms, terms in sides]
        for place, name in enumerate(left)
    ]
    specified = map(_meant(table, meaning, ("xs",), left).value, meaning.specification)
    final = zip(read_terms(table, law, law.finalize, left | shared), specified, strict=True)
    results = [[(f"finalize.{place}", *pair)] for place, pair in enumerate(final)]
    some = context.with_kind(table.count("xs"), kinds.POS) if meaning.nonempty else context
    found = _goals(_first_of_each(table, components, meaning), context)
    found += _goals(_first_of_each(table, results, meaning), some)
    if meaning.bounded:
        masks = kinds_of_states(table, law, shared)
        for state in (one, left, right):
            facts = implied(table, zip(state.values(), masks, strict=True))
            for term, mask in facts.items():
                context = context if table.free[term] else context.with_kind(term, mask)
        found += _goals(_bounds(table, list(left.values()), [*lifted, *merged]), context)
    return found


def _first_of_each(table: Table, groups: Iterable[_Claims], meaning: Meaning) -> _Claims:
    """The claims of each group that is no other one before it by a renaming of fields."""
    shapes: dict[object, _Claims] = {}
    for claims in groups:
        sides = [side for _, *pair in claims for side in pair]
        shapes.setdefault(table.shape(sides, meaning.domain), claims)
    return [claim for claims in shapes.values() for claim in claims]


def _bounds(table: Table, forms: list[int], read: list[int]) -> _Claims:
    """That no exponent is positive, of a closed form, a lift or a merge."""
    # What stands below the lists of a state that was put into the merge is a closed form.
    claims = (*positive_exponents(table, forms), *positive_exponents(table, read, closed=JOIN))
    found = enumerate(dict.fromkeys(claims))
    return [(f"bound.{place}", claim, table.num(0)) for place, claim in found]


def _acts(table: Table, law: Law, action: Action, context: Context) -> _Claims:
    """The obligations of an action; raises `Refused` when a claimed kind is not kept."""
    names = [component.name for component in law.state]
    fits = list(action.parts) == names
    fits = fits and len(action.act) == len(action.step) == len(action.start) == len(action.loop)
    require(fits, "parts, act, step and start must give each component of a state")
    require(len(action.result) == len(law.finalize), "a result has no specification")
    p, q, s = (
        [table.make("sym", value=f"{side}.{name}") for name in parts]
        for side, parts in (("p", names), ("q", names), ("s", action.loop))
    )

    def merged(a: list[int], b: list[int]) -> list[int]:
        return read_terms(table, law, law.merge, _named("a", names, a) | _named("b", names, b))

    def acted(state: list[int], loop: list[int]) -> list[int]:
        held = _named("p", names, state) | _named("s", action.loop, loop)
        return read_terms(table, law, action.act, held)

    element = _element(table, action)
    identity, lift = (
        read_terms(table, law, law.identity, {}),
        read_terms(table, law, law.lift, element),
    )
    step = read_terms(table, law, action.step, _named("s", action.loop, s) | element)
    for kept, states in (
        (action.parts, (identity, lift, merged(p, q))),
        (action.loop, (step, acted(p, s))),
    ):
        for state in states:
            for term, kind in zip(state, kept.values(), strict=True):
                holds = kinds.within(context.kind(term), DOMAINS[kind])
                require(holds, "a state may leave the kinds claimed for it")
    begun = _named("s", action.loop, acted(p, read_terms(table, law, action.start, {})))
    ended = read_terms(table, law, action.result, begun)
    results = zip(
        read_terms(table, law, law.finalize, dict(zip(names, p, strict=True))), ended, strict=True
    )
    both = acted(merged(p, q), s)
    sides = [("nil", acted(identity, s), s), ("one", acted(lift, s), step)]
    sides += [("cat", both, acted(q, acted(p, s)))]
    sides += [("unordered", both, acted(merged(q, p), s))] * law.commutative
    return [
        *(
            (f"{side}.{name}", a, b)
            for side, left, right in sides
            for name, a, b in zip(action.loop, left, right, strict=True)
        ),
        *((f"finalize.{place}", a, b) for place, (a, b) in enumerate(results)),
    ]
