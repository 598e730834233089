"""The checker's own reader: a law and its meaning become goals; a certificate supplies no term.

Of closed forms, for each component `c`: `nil.c` (its closed form of the empty list is the
identity), `one.c` (of one element, the lift), `cat.c` (of two lists joined, the merge of their
closed forms), for each result `finalize.k` (finalize of the closed forms is the specification), and
where the meaning says that exponents are bounded, `bound.k` for each one (it is not positive where
the final state is finite).  By induction every tree of merges, with empty leaves anywhere, gives
the closed form of all its elements.  Components whose obligations are one another's but for the
names of fields with one domain, as columns of values have them, have those of the first of them
only; so have such results.  An obligation speaks of every list, so the names do not matter.

Of an action, for each component `k` of the loop's state: `nil.k` (the identity changes nothing),
`one.k` (one element acts as a step of the loop), `cat.k` (a merge acts as its left side, then its
right), and `unordered.k` for a law that says it is commutative.  The kinds claimed for states must
be kept by identity, lift, merge, act and step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Domain, Meaning
from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.elaborate import SINGLE, Reader
from certile.proof.check.finite import (
    SHARED,
    Parts,
    kinds_of_states,
    positive_exponents,
    require_short,
)
from certile.proof.check.rules import Goal
from certile.proof.check.terms import LISTS, Table, require

# Each has 1, so no domain is empty.
DOMAINS: Final[Mapping[Domain, int]] = {
    "any": kinds.ANY,
    "finite": kinds.FINITE,
    "nonzero": kinds.NEG | kinds.POS,
    "positive": kinds.POS,
    "natural": kinds.ZERO | kinds.POS,
}
# Name, left side, right side.
_Claim = tuple[str, int, int]


def goals(table: Table, law: Law, meaning: Meaning | Action) -> list[tuple[str, Goal]]:
    """The obligations of a law, named; raises `Refused` for what has no meaning here."""
    parts = Parts(table, law)
    require(len(law.results) == len(law.finalize), "a result has no type, or a type no result")
    fields = {*parts.fields}
    require({*meaning.domain} == fields, f"the domain must speak of {', '.join(parts.fields)}")
    groups: dict[str, Mapping[str, Domain]] = {"": meaning.domain, f"{SINGLE}.": meaning.domain}
    if isinstance(meaning, Action):
        said = [*meaning.start, *meaning.step, *meaning.act, *meaning.result]
        groups |= {"p.": meaning.parts, "q.": meaning.parts, "s.": meaning.loop}
    else:
        said = [*meaning.closed, *meaning.specification]
        groups[f"{SHARED}."] = meaning.parameters
        clash = {*meaning.parameters} & {*fields, *parts.names}
        require(not clash, "a parameter has the name of a field or of a component")
        same = tuple(meaning.parameters) == law.parameters
        require(same, "the law has other parameters than its meaning")
    require_short(said)
    domain = {f"{of}{name}": DOMAINS[group[name]] for of, group in groups.items() for name in group}
    context = Context(table, domain)
    if isinstance(meaning, Action):
        return _goals(_acts(parts, meaning, context), context)
    return _sums(parts, meaning, context)


def _goals(claims: Iterable[_Claim], context: Context) -> list[tuple[str, Goal]]:
    return [(name, Goal(context, left, right)) for name, left, right in claims]


def _paired(name: str, left: Sequence[int], right: Sequence[int]) -> list[_Claim]:
    require(len(left) == len(right), "a result has no specification")
    return [(f"{name}.{place}", *pair) for place, pair in enumerate(zip(left, right, strict=True))]


def _sums(parts: Parts, meaning: Meaning, context: Context) -> list[tuple[str, Goal]]:
    """The obligations of closed forms."""
    table, law = parts.table, parts.law
    none, one, left, right, joined = (
        parts.closed(meaning.closed, *pieces)
        for pieces in ((), (SINGLE,), ("xs",), ("ys",), ("xs", "ys"))
    )
    lifted = parts.read(law.lift, parts.symbols(SINGLE, parts.fields))
    merged = parts.read(law.merge, parts.state("a.", left) | parts.state("b.", right))
    sides = (("nil", none, parts.identity()), ("one", one, lifted), ("cat", joined, merged))
    components = [
        [(f"{side}.{name}", forms[place], terms[place]) for side, forms, terms in sides]
        for place, name in enumerate(parts.names)
    ]
    some = context.with_kind(table.count("xs"), kinds.POS) if meaning.nonempty else context
    held = parts.state("state.", left) | parts.shared
    wanted = list(map(Reader(table, held, ("xs",), parts.fields).value, meaning.specification))
    results = _paired("finalize", parts.read(law.finalize, parts.state("", left)), wanted)
    found = _goals(_first_of_each(table, components, meaning), context)
    found += _goals(_first_of_each(table, ([each] for each in results), meaning), some)
    if meaning.bounded:
        masks = kinds_of_states(parts)
        # A state begins as the lift of one element, or as the closed form of several.
        free = Context(table, {})
        _require_shown(free.with_kinds(lifted, masks), "sym", f"{SINGLE}.", meaning)
        _require_shown(free.with_kinds(left, masks).inside("xs"), "elem", "", meaning)
        context = context.with_kinds([*one, *left, *right], masks * 3)
        # What stands below the lists of a state that was put into the merge is a closed form.
        claims = positive_exponents(table, left)
        claims += positive_exponents(table, [*lifted, *merged], closed=LISTS)
        claims += positive_exponents(table, wanted)
        claims = list(dict.fromkeys(claims))
        found += _goals(_paired("bound", claims, [table.num(0)] * len(claims)), context)
    return found


def _require_shown(state: Context, op: str, before: str, meaning: Meaning) -> None:
    """Refuse where a state does not show that the elements in it are of their domains."""
    for name, kind in meaning.domain.items():
        shown = state.kind(state.table.make(op, value=before + name))
        holds = kinds.within(shown, DOMAINS[kind])
        require(holds, f"a finite state does not show that {name} is {kind}")


def _first_of_each(
    table: Table, groups: Iterable[list[_Claim]], meaning: Meaning
) -> Iterable[_Claim]:
    """The claims of each group that is no other one before it by a renaming of fields."""
    shapes: dict[object, list[_Claim]] = {}
    for claims in groups:
        sides = [side for _, *pair in claims for side in pair]
        shapes.setdefault(shape(table, sides, meaning.domain), claims)
    return chain.from_iterable(shapes.values())


def shape(table: Table, terms: Sequence[int], fields: Mapping[str, object]) -> tuple[int, ...]:
    """The terms with a number for the name of each field, and what it is.

    Where two are equal, terms become the others by a renaming of fields, alike everywhere.
    """
    numbers, made = dict[str, int](), dict[int, int]()
    for term in table.reach(*terms):
        op, value, args = table.rows[term]
        name = str(value).removeprefix(f"{SINGLE}.")
        if op == "elem" or (op == "sym" and name != value):
            value = f"{numbers.setdefault(name, len(numbers))} {fields[name]}"
        made[term] = table.make(op, *(made[arg] for arg in args), value=value)
    return tuple(made[term] for term in terms)


def _acts(parts: Parts, action: Action, context: Context) -> list[_Claim]:
    """The obligations of an action; raises `Refused` when a claimed kind is not kept."""
    law, loop = parts.law, tuple(action.loop)
    fits = len(action.act) == len(action.step) == len(action.start) == len(loop)
    fits = fits and tuple(action.parts) == parts.names
    require(fits, "parts, act, step and start must give each component of a state")
    p, q, s = (
        list(parts.symbols(side, names).values())
        for side, names in (("p", parts.names), ("q", parts.names), ("s", loop))
    )

    def looped(state: list[int]) -> dict[str, int]:
        return dict(zip((f"s.{name}" for name in loop), state, strict=True))

    def merged(a: list[int], b: list[int]) -> list[int]:
        return parts.read(law.merge, parts.state("a.", a) | parts.state("b.", b))

    def acted(state: list[int], on: list[int]) -> list[int]:
        return parts.read(action.act, parts.state("p.", state) | looped(on))

    element = parts.symbols(SINGLE, parts.fields)
    identity, lift, both = parts.identity(), parts.read(law.lift, element), merged(p, q)
    step = parts.read(action.step, looped(s) | element)
    claimed = [*action.parts.values()] * 3 + [*action.loop.values()] * 2
    states = [*identity, *lift, *both, *step, *acted(p, s)]
    for term, kind in zip(states, claimed, strict=True):
        holds = kinds.within(context.kind(term), DOMAINS[kind])
        require(holds, "a state may leave the kinds claimed for it")
    sides = [("nil", acted(identity, s), s), ("one", acted(lift, s), step)]
    sides += [("cat", acted(both, s), acted(q, acted(p, s)))]
    sides += [("unordered", acted(both, s), acted(merged(q, p), s))] * law.commutative
    ended = parts.read(action.result, looped(acted(p, parts.read(action.start, {}))))
    claims = [
        (f"{side}.{name}", one, other)
        for side, left, right in sides
        for name, one, other in zip(loop, left, right, strict=True)
    ]
    return claims + _paired("finalize", parts.read(law.finalize, parts.state("", p)), ended)
