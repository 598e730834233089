"""What follows where the final state of a row is finite, and which exponents are bounded there.

A row whose final state is not finite is computed again as the program has it, so a derived law has
to be of use for the others only.  What is known of those is read off the law: where a merged state
is finite, so are the operands of its sums and products, and those of its maxima are finite or -inf;
in turn down the tree of merges, to every state in it and every element.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from operator import or_
from typing import Final

from certile.ir.laws import Law
from certile.proof.check import kinds
from certile.proof.check.elaborate import Reader, read_terms, require_parts
from certile.proof.check.terms import JOIN, Fuel, Table, Value, require

_FUEL: Final = 100_000
_BELOW_INF: Final = kinds.NINF | kinds.FINITE
_ABOVE_NINF: Final = kinds.FINITE | kinds.PINF
# Operation -> the kinds that tell something of operands, what they tell, and of how many of them.
_OPERANDS: Final[dict[str, tuple[int, int, int]]] = {
    **dict.fromkeys(("add", "mul", "sum", "prod"), (kinds.FINITE, kinds.FINITE, 2)),
    "div": (kinds.FINITE, kinds.FINITE, 1),
    "abs": (_BELOW_INF, kinds.FINITE, 1),
    **dict.fromkeys(("max", "top"), (_BELOW_INF, _BELOW_INF, 2)),
    **dict.fromkeys(("min", "bottom"), (_ABOVE_NINF, _ABOVE_NINF, 2)),
}
# Exponent -> whether it is positive somewhere.
_Exponents = dict[int, int]


def finite_fields(law: Law) -> frozenset[str]:
    """The fields that are finite in every element of a list whose final state is.

    Whatever tree merged it, from elements or from blocks of them, and whether or not the law means
    anything for other elements.  Raises `Refused` where a term of the law has no meaning.
    """
    require_parts(law)
    table = Table(Fuel(_FUEL))
    masks = kinds_of_states(table, law, {})
    element = {name: table.make("elem", value=name) for name in law.lift_variables()}
    # A state begins as the lift of one element, or as the closed form of several.
    begun = [read_terms(table, law, law.lift, element)]
    if law.closed is not None:
        begun.append(_states_of_blocks(table, law))
    known = [implied(table, zip(state, masks, strict=True)) for state in begun]

    def is_finite(term: int) -> bool:
        return all(kinds.within(each.get(term, kinds.ANY), kinds.FINITE) for each in known)

    return frozenset(name for name, term in element.items() if is_finite(term))


def _states_of_blocks(table: Table, law: Law) -> list[int]:
    """The state that the closed forms make of a list of elements."""
    fits = len(law.closed or ()) == len(law.state)
    require(fits, "a component has no closed form")
    made: dict[str, int] = {}
    for component, term in zip(law.state, law.closed or (), strict=True):
        reader = Reader(table, dict(made), ("xs",), law.lift_variables())
        made[f"state.{component.name}"] = reader.value(term)
    return list(made.values())


def kinds_of_states(table: Table, law: Law, shared: dict[str, int]) -> list[int]:
    """The kinds of each component of every state that is merged into one that is finite."""
    left, right = (
        {
            f"{side}.{part.name}": table.make("sym", value=f"{side}.{part.name}")
            for part in law.state
        }
        for side in ("a", "b")
    )
    merged = read_terms(table, law, law.merge, left | right | shared)
    masks = [kinds.FINITE for _ in law.state]
    while True:
        known = implied(table, zip(merged, masks, strict=True))
        a, b = ([known.get(term, kinds.ANY) for term in side.values()] for side in (left, right))
        wider = list(map(or_, masks, map(or_, a, b)))
        if wider == masks:
            return masks
        masks = wider


def implied(table: Table, facts: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Kinds of terms, and of what is below them; of a summand, for every element."""
    known: dict[int, int] = {}
    waiting, free = list(facts), table.free
    while waiting:
        term, mask = waiting.pop()
        mask &= known.get(term, kinds.ANY)
        if known.get(term) == mask:
            continue
        table.fuel.spend()
        known[term] = mask
        row = table.rows[term]
        needed, told, count = _OPERANDS.get(row.op, (0, 0, 0))
        if kinds.within(mask, needed):
            # A list without elements tells nothing of what its summand has beside the element.
            inside = free[term] or row.op in JOIN
            waiting += [(arg, told) for arg in row.args[:count] if free[arg] or not inside]
    return known


def positive_exponents(
    table: Table, terms: Sequence[int], closed: Container[str] = ()
) -> list[int]:
    """For each exponent of each term, not below operations of `closed`: whether it is positive.

    It counts where it is evaluated: below a choice in the branch that is taken, below a list
    operation for each element; what speaks of an element without a list, for each one of `xs`.
    """
    found: dict[int, _Exponents] = {}
    for term in table.reach(*terms, closed=closed):
        row = table.rows[term]
        below = [] if row.op in closed else [found[arg] for arg in row.args]
        if row.op == "choose":
            # The condition is evaluated in any case.
            below = [below[0], _chosen(table, row.args[0], *below[1:])]
        here: _Exponents = {}
        for exponent, claim in (pair for each in below for pair in each.items()):
            claim = _for_each(table, claim, row.value) if row.op in JOIN else claim
            other = here.get(exponent, claim)
            here[exponent] = claim if claim == other else table.make("max", other, claim)
        if row.op == "exp":
            here[row.args[0]] = table.make("less", table.num(0), row.args[0])
        table.fuel.spend(1 + len(here))
        found[term] = here
    claims = (_for_each(table, claim, "xs") for term in terms for claim in found[term].values())
    return list(dict.fromkeys(claims))


def _chosen(table: Table, condition: int, first: _Exponents, second: _Exponents) -> _Exponents:
    zero, taken = table.num(0), _Exponents()
    for exponent in first | second:
        sides = first.get(exponent, zero), second.get(exponent, zero)
        one = sides[0] == sides[1]
        taken[exponent] = sides[0] if one else table.make("choose", condition, *sides)
    return taken


def _for_each(table: Table, claim: int, name: Value) -> int:
    return table.make("sum", claim, value=name) if table.free[claim] else claim
