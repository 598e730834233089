"""What rounding does to the components of a law's state, read from its terms.

In: a law with closed forms.  Out: a `Part` for each component, or None where no bound is stated for
it.  Decides which merges are understood; leaves numbers to `states`.

An *extreme* of a key never rounds.  A *sum* whose two sides are each multiplied by a factor, then
added: each merge rounds what an element contributes by `steps` units.  The factors are such that
those on the path of one element multiply to the factor from its own r to the last one, whatever was
computed in between; arguments of exponentials are differences of extremes, which only move one way,
so what they round adds up to what the exponent of the element's own term rounds.  *Moments* about
centres r, a sum of products of factors linear in each r: the merge is a polynomial in differences
of values of one r each, and subtracts nothing else.  The *mean* of `mean_var` is moved by a share
of such a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

from certile.ir.functions import FUNCTIONS
from certile.ir.laws import MEAN_VAR, Law
from certile.ir.meanings import closed_forms
from certile.ir.terms import Apply, Lit, Term, Var, applications, replaced
from certile.records import record

__all__ = ["Centre", "Part", "expanded", "factors", "parts_of", "replaced", "slopes", "summands"]

Kind = Literal["max", "min", "absmax", "sum", "mean"]
# Of one rounding in units u = 2**-p: half a unit in the last place is at most u of the value, so an
# error stated as one unit in the last place is at most 2 u.
_OF_AN_ULP: Final = 2.0
_STATE: Final = "state."
_ELEMENT: Final = Var("x")
_ROUNDED: Final = frozenset({"add", "sub", "mul", "div"})
_TESTS: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "bit_and", "bit_or", "bit_not"})
_MOMENT_FUNCTIONS: Final = (
    _ROUNDED | _TESTS | {"where", "maximum", "minimum", "neg", "abs", "isfinite"}
)
_ENDS: Final[Mapping[str, Kind]] = {"list.max": "max", "list.min": "min"}


@record
class Centre:
    """What moments are taken about: `term`, over `state.NAME`.

    `key` is what it is an extreme, a sum or a mean of; an extreme of it is exact.
    """

    term: Term
    key: Term
    kind: Literal["max", "min", "absmax", "sum", "mean"]

    @property
    def is_exact(self) -> bool:
        """Whether every partial result is exactly that of its elements."""
        return self.kind not in ("sum", "mean")


@record
class Part:
    """One component: an extreme or a sum of `body`, which reads fields and `state.NAME`.

    `steps` is what a merge rounds of an element's contribution, in units u.  With `centres` these
    are moments, and `steps` counts those of the merge; `squares` says that the body is the
    square of the distance to a mean.
    """

    name: str
    kind: Kind
    body: Term
    steps: float = 0.0
    centres: tuple[Centre, ...] = ()
    squares: bool = False


@lru_cache(maxsize=256)
def parts_of(law: Law) -> tuple[Part, ...] | None:
    """The components of a law's state; None if one of them is not understood."""
    forms = closed_forms(law)
    if forms is None or law.indexed or any(part.type != "acc" for part in law.state):
        return None
    found: dict[str, Part] = {}
    known: dict[Term, Term] = {}
    for component, form, merge in zip(law.state, forms, law.merge, strict=True):
        part = _part(component.name, replaced(form, known), merge, law, found)
        if part is None:
            return None
        found[component.name] = part
        known[form] = Var(_STATE + component.name)
    return tuple(found.values())


def _part(name: str, form: Term, merge: Term, law: Law, before: Mapping[str, Part]) -> Part | None:
    match form:
        case Apply("list.max" | "list.min" as fn, (body,)):
            plain = Apply("maximum" if fn == "list.max" else "minimum", _sides(name))
            return Part(name, _ENDS[fn], body) if merge == plain and _is_plain(body) else None
        case Apply("maximum", (Lit(0.0), Apply("list.max", (Apply("abs"),) as bodies))):
            plain = Apply("maximum", _sides(name))
            known = merge == plain and _is_plain(bodies[0])
            return Part(name, "absmax", bodies[0]) if known else None
        case Apply("list.sum", (body,)) if not _lists(body):
            extremes = {each.name for each in before.values() if each.kind != "sum"}
            sides = {f"{side}.{each}" for side in "ab" for each in extremes}
            steady = _Steady(frozenset(sides), frozenset(law.parameters), _exponent(body))
            steps = _steps(merge, frozenset(map(str, _sides(name))), steady)
            if steps is not None:
                return Part(name, "sum", body, steps)
            return _moments(name, body, merge, law, before)
        case _ if law.merge[:2] == MEAN_VAR.merge[:2] and name == "mean":
            return Part(name, "mean", _ELEMENT)
        case _:
            return None


def _sides(name: str) -> tuple[Var, Var]:
    return Var(f"a.{name}"), Var(f"b.{name}")


def _lists(term: Term) -> bool:
    return any(each.fn.startswith("list.") for each in applications((term,)))


def _is_plain(term: Term) -> bool:
    """Whether a term speaks of one element alone."""
    return not _lists(term) and not any(name.startswith(_STATE) for name in _names(term))


def _names(term: Term) -> Iterator[str]:
    if isinstance(term, Var):
        yield term.name
    elif isinstance(term, Apply):
        for arg in term.args:
            yield from _names(arg)


# Sums whose sides are multiplied by factors.


@record
class _Steady:
    """What arguments of exponentials may read, so that those of one element add up to its own.

    `extremes` of the sides only move one way.  `shared` numbers, which all elements share, may
    scale their differences, by no more operations than an exponent of the body has, `most`.
    """

    extremes: frozenset[str]
    shared: frozenset[str]
    most: int

    def holds(self, argument: Term) -> bool:
        """Whether an argument is one of these."""
        names = set(_names(argument))
        scaled = not names.isdisjoint(self.shared)
        known = names <= self.extremes | self.shared
        return known and not (scaled and _operations(argument) > self.most)


def _operations(term: Term) -> int:
    """How many operations of a term round."""
    return sum(each.fn in _ROUNDED for each in applications((term,)))


def _exponent(body: Term) -> int:
    """The least number of operations that round in an exponent of a body."""
    found = (each.args[0] for each in applications((body,)) if each.fn == "exp")
    return min(map(_operations, found), default=0)


def _steps(term: Term, own: frozenset[str], steady: _Steady) -> float | None:
    """What a term rounds of the component `own` of a side, to which it is proportional."""
    match term:
        case Var(name) if name in own:
            return 0.0
        case Lit(value) if value in (0, -0.0) or value == "-0.0":
            return 0.0
        case Apply("add", (p, q)):
            return _worse(_steps(p, own, steady), _steps(q, own, steady), 1.0)
        case Apply("where", (_, p, q)):
            return _worse(_steps(p, own, steady), _steps(q, own, steady), 0.0)
        case Apply("mul", (p, q)):
            held, factor = (p, q) if own & set(_names(p)) else (q, p)
            return _both(_steps(held, own, steady), _factor(factor, own, steady))
        case Apply("div", (p, q)):
            return _both(_steps(p, own, steady), _factor(q, own, steady))
        case _:
            return None


def _worse(a: float | None, b: float | None, more: float) -> float | None:
    return None if a is None or b is None else max(a, b) + more


def _both(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a + b + 1.0


def _factor(term: Term, own: frozenset[str], steady: _Steady) -> float | None:
    """What the operations of a factor round, relative to it; what it reads is taken as it is."""
    match term:
        case Lit():
            return 0.0
        case Var(name):
            return None if name in own else 0.0
        case Apply("exp", (argument,)):
            known = steady.holds(argument)
            return _OF_AN_ULP * (FUNCTIONS["exp"].ulp or 0.0) if known else None
        case Apply("mul" | "div", (p, q)):
            return _both(_factor(p, own, steady), _factor(q, own, steady))
        case Apply("where", (_, p, q)) | Apply("maximum" | "minimum", (p, q)):
            return _worse(_factor(p, own, steady), _factor(q, own, steady), 0.0)
        case Apply("neg" | "abs", (p,)):
            return _factor(p, own, steady)
        case Apply("add", (p, q)) if not _speaks_of_more(p, q):
            # The component of a merged state, as it is computed there and kept.
            return 0.0
        case _:
            return None


def _speaks_of_more(p: Term, q: Term) -> bool:
    sides = (p, q)
    if not (isinstance(p, Var) and isinstance(q, Var)):
        return True
    return sides != _sides(p.name.partition(".")[2])


# Moments.


def _moments(
    name: str, body: Term, merge: Term, law: Law, before: Mapping[str, Part]
) -> Part | None:
    """Moments about centres, if the merge subtracts nothing but values of one of them."""
    centres = _centres(body, before)
    used = {each.fn for each in applications((merge,))}
    if not centres or not used <= _MOMENT_FUNCTIONS:
        return None
    ends = [frozenset(_values_at_a_merge(centre.term, law)) for centre in centres]
    for each in applications((merge,)):
        if each.fn == "sub" and not any(values.issuperset(each.args) for values in ends):
            return None
    terms = [centre.term for centre in centres]
    if any(slopes(factor, terms) is None for s in summands(body) for factor in factors(s)):
        return None
    steps = _roundings(merge, frozenset().union(*ends))
    return Part(name, "sum", body, steps, centres, _is_square(body, centres))


def _roundings(term: Term, ends: frozenset[Term]) -> float:
    """The most roundings of a product that a term is a sum of; values of the centre have none."""
    if term in ends or not isinstance(term, Apply) or term.fn in _TESTS:
        return 0.0
    inner = [_roundings(arg, ends) for arg in term.args]
    match term.fn:
        case "add" | "sub":
            return max(inner) + 1.0
        case "mul" | "div":
            return sum(inner) + 1.0
        case _:
            return max(inner)


def _values_at_a_merge(centre: Term, law: Law) -> list[Term]:
    """The centre of either side of a merge, and of what they are merged to."""
    held = [(Var(_STATE + part.name), part.name) for part in law.state]
    ends: list[dict[Term, Term]] = [
        {read: Var(f"{side}.{name}") for read, name in held} for side in ("a", "b")
    ]
    ends.append({read: merge for (read, _), merge in zip(held, law.merge, strict=True)})
    return [replaced(centre, by) for by in ends]


def _centres(body: Term, before: Mapping[str, Part]) -> tuple[Centre, ...]:
    """The values of the state that a body reads; none where one of them is not understood."""
    found = [_centre(term, before) for term in dict.fromkeys(_shared(body))]
    known = tuple(centre for centre in found if centre is not None)
    return known if len(known) == len(found) else ()


def _centre(term: Term, before: Mapping[str, Part]) -> Centre | None:
    match term:
        case Var(name):
            part = before[name.removeprefix(_STATE)]
            return Centre(term, part.body, part.kind) if _is_plain(part.body) else None
        case Apply("div", (Var(total), Var(count))):
            sums = [before[name.removeprefix(_STATE)] for name in (total, count)]
            plain = all(part.kind == "sum" and _is_plain(part.body) for part in sums)
            if plain and sums[1].body == Lit(1.0):
                return Centre(term, sums[0].body, "mean")
            return None
        case _:
            return None


def _shared(term: Term) -> Iterator[Term]:
    """The largest parts of a term that read the state and no element."""
    names = list(_names(term))
    if not any(name.startswith(_STATE) for name in names):
        return
    if all(name.startswith(_STATE) for name in names):
        yield term
    elif isinstance(term, Apply):
        for arg in term.args:
            yield from _shared(arg)


def _is_square(body: Term, centres: Sequence[Centre]) -> bool:
    if len(centres) != 1:
        return False
    (centre,), both = centres, factors(body)
    distances = (Apply("sub", (centre.key, centre.term)), Apply("sub", (centre.term, centre.key)))
    return (
        centre.kind == "mean"
        and len(both) == 2
        and all(f == both[0] for f in both)
        and (both[0] in distances)
    )


def expanded(term: Term) -> Term:
    """The term without a guard that makes it zero."""
    match term:
        case Apply("where", (_, Lit(0.0), other)) | Apply("where", (_, other, Lit(0.0))):
            return expanded(other)
        case _:
            return term


def summands(term: Term) -> tuple[Term, ...]:
    """The terms whose sum or difference a term is; signs do not matter to sizes."""
    term = expanded(term)
    if isinstance(term, Apply) and term.fn in ("add", "sub") and _is_product(term):
        return tuple(each for arg in term.args for each in summands(arg))
    return (term,)


def _is_product(term: Apply) -> bool:
    """Whether some operand multiplies, so that the sum is one of products."""
    return any(isinstance(expanded(arg), Apply) and _multiplies(arg) for arg in term.args)


def _multiplies(term: Term) -> bool:
    inner = expanded(term)
    return isinstance(inner, Apply) and (
        inner.fn == "mul" or (inner.fn in ("add", "sub") and _is_product(inner))
    )


def factors(term: Term) -> tuple[Term, ...]:
    """The factors of a product."""
    term = expanded(term)
    if isinstance(term, Apply) and term.fn == "mul":
        return tuple(each for arg in term.args for each in factors(arg))
    return (term,)


def slopes(factor: Term, centres: Sequence[Term]) -> list[float] | None:
    """How a factor changes with each centre, if it is linear in them; 0 with one not read."""
    found = [
        _slope(replaced(factor, {each: Lit(0.0) for each in centres if each != centre}), centre)
        for centre in centres
    ]
    known = [slope for slope in found if slope is not None]
    return known if len(known) == len(found) else None


def _slope(factor: Term, centre: Term) -> float | None:
    if factor == centre:
        return 1.0
    if not any(name.startswith(_STATE) for name in _names(factor)):
        return 0.0
    match factor:
        case Apply("add" | "sub" as fn, (p, q)):
            left, right = _slope(p, centre), _slope(q, centre)
            if left is None or right is None:
                return None
            return left + right if fn == "add" else left - right
        case Apply("neg", (p,)):
            inner = _slope(p, centre)
            return None if inner is None else -inner
        case Apply("mul", (Lit(value), p) | (p, Lit(value))) if isinstance(value, int | float):
            inner = _slope(p, centre)
            return None if inner is None else inner * value
        case _:
            return None
