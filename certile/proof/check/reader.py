"""The checker's own reader: a law and its meaning become goals; a certificate supplies no term.

Of closed forms, for each component `c`: `nil.c` (its closed form of the empty list is the
identity), `one.c` (of one element, the lift), `cat.c` (of two lists joined, the merge of their
closed forms), for each result `finalize.k` (finalize of the closed forms is the specification), and
where the meaning says that exponents are bounded, `bound.k` for each one (it is never positive).
By induction every tree of merges, with empty leaves anywhere, gives the closed form of all its
elements.

Of an action, for each component `k` of the loop's state: `nil.k` (the identity changes nothing),
`one.k` (one element acts as a step of the loop), `cat.k` (a merge acts as its left side, then its
right), and `unordered.k` for a law that says it is commutative.  The kinds claimed for states must
be kept by identity, lift, merge, act and step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Domain, Meaning
from certile.ir.terms import Term
from certile.proof.check import kinds
from certile.proof.check.context import Context
from certile.proof.check.elaborate import SINGLE, Reader, symbol
from certile.proof.check.replay import Goal
from certile.proof.check.terms import JOIN, Table, require

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
    require(law.identity is not None, "a fold without an identity has no state of no elements")
    fields = (*law.lift_variables(), *(("i",) * law.indexed))
    require(set(meaning.domain) == set(fields), f"the domain must speak of {', '.join(fields)}")
    domain = _masks("", meaning.domain) | _masks(f"{SINGLE}.", meaning.domain)
    if isinstance(meaning, Meaning):
        clash = meaning.parameters.keys() & set(fields)
        require(not clash, "a parameter has the name of a field")
        domain |= _masks(f"{SHARED}.", meaning.parameters)
    if isinstance(meaning, Action):
        domain |= _masks("p.", meaning.parts) | _masks("q.", meaning.parts)
        domain |= _masks("s.", meaning.loop)
        context = Context(table, domain)
        claims = _acts(table, law, meaning, context)
    else:
        context, claims = Context(table, domain), _sums(table, law, meaning)
    some = context.with_kind(table.count("xs"), kinds.POS)
    given = isinstance(meaning, Meaning) and meaning.nonempty
    return [
        (name, Goal(some if given and name.startswith("finalize.") else context, left, right))
        for name, left, right in claims
    ]


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


def _read(
    table: Table, law: Law, terms: Sequence[Term] | None, variables: Mapping[str, int]
) -> list[int]:
    """Terms of the law itself: they see states and one element, but no list."""
    truths = {component.name for component in law.state if component.type == "bool"}
    held = frozenset(name for name in variables if name.rpartition(".")[2] in truths)
    return list(map(Reader(table, variables, None, (), held).value, terms or ()))


def _element(table: Table, meaning: Meaning | Action) -> dict[str, int]:
    return {name: symbol(table, name) for name in meaning.domain}


def _sums(table: Table, law: Law, meaning: Meaning) -> _Claims:
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
    lifted = _read(table, law, law.lift, _element(table, meaning) | shared)
    merged = _read(table, law, law.merge, states)
    sides = (
        ("nil", none, _read(table, law, law.identity, {})),
        ("one", one, lifted),
        ("cat", joined, merged),
    )
    results = map(_meant(table, meaning, ("xs",), left).value, meaning.specification)
    pairs = zip(_read(table, law, law.finalize, left | shared), results, strict=True)
    return [
        *(
            (f"{side}.{name}", form, term)
            for side, forms, terms in sides
            for (name, form), term in zip(forms.items(), terms, strict=True)
        ),
        *((f"finalize.{place}", *pair) for place, pair in enumerate(pairs)),
        *(_bounds(table, left.values(), [*lifted, *merged]) if meaning.bounded else ()),
    ]


def _bounds(table: Table, forms: Iterable[int], read: Sequence[int]) -> _Claims:
    """That no exponent is positive: of no element of the list, where it speaks of one."""
    zero, claims = table.num(0), dict[int, None]()
    # What stands below the lists of a state that was put into the merge is a closed form.
    for term in (*table.reach(*forms), *table.reach(*read, closed=JOIN)):
        row = table.rows[term]
        if row.op == "exp":
            positive = table.make("less", zero, row.args[0])
            free = table.free[positive]
            claims[table.make("sum", positive, value="xs") if free else positive] = None
    return [(f"bound.{place}", claim, zero) for place, claim in enumerate(claims)]


def _acts(table: Table, law: Law, action: Action, context: Context) -> _Claims:
    """The obligations of an action; raises `Refused` when a claimed kind is not kept."""
    names = [component.name for component in law.state]
    fits = list(action.parts) == names
    fits = fits and len(action.act) == len(action.step) == len(action.loop)
    require(fits, "parts, act and step must give each component of the law's and the loop's state")
    p, q, s = (
        [table.make("sym", value=f"{side}.{name}") for name in parts]
        for side, parts in (("p", names), ("q", names), ("s", action.loop))
    )

    def merged(a: list[int], b: list[int]) -> list[int]:
        return _read(table, law, law.merge, _named("a", names, a) | _named("b", names, b))

    def acted(state: list[int], loop: list[int]) -> list[int]:
        held = _named("p", names, state) | _named("s", action.loop, loop)
        return _read(table, law, action.act, held)

    element = _element(table, action)
    identity, lift = _read(table, law, law.identity, {}), _read(table, law, law.lift, element)
    step = _read(table, law, action.step, _named("s", action.loop, s) | element)
    for kept, states in (
        (action.parts, (identity, lift, merged(p, q))),
        (action.loop, (step, acted(p, s))),
    ):
        for state in states:
            for term, kind in zip(state, kept.values(), strict=True):
                holds = kinds.within(context.kind(term), DOMAINS[kind])
                require(holds, "a state may leave the kinds claimed for it")
    both = acted(merged(p, q), s)
    sides = [("nil", acted(identity, s), s), ("one", acted(lift, s), step)]
    sides += [("cat", both, acted(q, acted(p, s)))]
    sides += [("unordered", both, acted(merged(q, p), s))] * law.commutative
    return [
        (f"{side}.{name}", a, b)
        for side, left, right in sides
        for name, a, b in zip(action.loop, left, right, strict=True)
    ]
