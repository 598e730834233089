"""What the built-in laws mean: specifications and closed forms over a list, as data.

A `Meaning` says what each component of a state is for a list of elements (its closed form), what
the results are (the specification), and for which elements this is claimed.  Terms are those of
`ir/terms.py` with more heads: `list.sum list.prod list.max list.min` of a term over one element
(`x`, or `x0`, `x1`, …, and its index `i`), `list.largest list.smallest` of k and such a term, the
k-th greatest or least, and `is`, identity, for which a NaN is a NaN.
`state.NAME` is the closed form of another, earlier component.  The list is a multiset of elements:
nothing here can see their order, so a law that has a meaning may permute them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, field
from types import MappingProxyType
from typing import Literal

from certile.ir.laws import Law, is_built_in
from certile.ir.terms import Apply, Lit, Term, Var, app
from certile.records import record

# Kinds of numbers an element may have: every one, the finite ones, or the finite ones from 0 up;
# and for a number that all elements share, the finite ones but 0, or those above 0.
Domain = Literal["any", "finite", "natural", "nonzero", "positive"]


@record
class Discharge:
    """What an equality over the extended reals leaves open in floating point.

    `intermediate` is a value that a tree of merges makes and the plain definition does not; `bound`
    says how large it may be.  `dynamic`: a row whose final state is not finite is computed again as
    written; `contractual`: the caller accepts the domain; `static`: follows from types or ranges.
    """

    kind: Literal["static", "dynamic", "contractual"]
    intermediate: str
    bound: str


@record
class Meaning:
    """Closed forms of the components, specification of the results, domain of the elements.

    `parameters` are numbers that all elements share, read by name.  `nonempty`: the results are
    claimed of lists with elements only.  `bounded`: wherever the final state is finite, no exponent
    that a closed form, a lift, a merge or the specification evaluates is positive.  It is claimed
    of derived laws, whose rows are computed as written where the final state is not finite.
    """

    closed: tuple[Term, ...]
    specification: tuple[Term, ...]
    domain: Mapping[str, Domain]
    discharges: tuple[Discharge, ...] = ()
    parameters: Mapping[str, Domain] = field(default_factory=dict)
    nonempty: bool = False
    bounded: bool = False

    def given(self) -> Mapping[str, Domain]:
        """The domains of the fields of an element and of the parameters."""
        return {**self.domain, **self.parameters}


@record
class Action:
    """What a law whose elements have an order means: its states act on the state of a loop.

    `step` is the body of the loop, reading the loop's state `s.NAME` and an element (`x` …); `act`
    is what a state of the law (`p.NAME`) does to `s.NAME`.  The loop begins with `start`, and
    `result` is what it gives of its state `s.NAME` in the end, one for each result of the law.
    `domain` bounds the elements, `loop` the state of the loop and `parts` the components of the
    law's state, in their orders.
    """

    step: tuple[Term, ...]
    act: tuple[Term, ...]
    start: tuple[Term, ...]
    result: tuple[Term, ...]
    domain: Mapping[str, Domain]
    loop: Mapping[str, Domain]
    parts: Mapping[str, Domain]
    discharges: tuple[Discharge, ...] = ()

    def given(self) -> Mapping[str, Domain]:
        """The domains of the fields of an element."""
        return self.domain


# What floating point adds to a proof over the extended reals, and how every rewrite meets it.
OF_REWRITES = tuple(
    Discharge("dynamic", lost, "the row is computed again as written")
    for lost in (
        "a component of the final state that is not finite",
        "a written term that overflows",
    )
)

_ONE_OPERAND: Mapping[str, Domain] = MappingProxyType({"x": "any"})
_REORDERED_SUM = (
    Discharge("dynamic", "a partial sum of some elements", "the sum of |x| over the list"),
)


def _simple(closed: Term, discharges: tuple[Discharge, ...] = ()) -> Meaning:
    """A state of one component that is also the result."""
    return Meaning((closed,), (closed,), _ONE_OPERAND, discharges)


def _number_or(worst: str) -> Term:
    return app("where", app("isnan", "x"), Lit(worst), "x")


def _in_order(first: str, ranked: str, count: int) -> Meaning:
    """The first elements in an order."""
    rest = (Apply(ranked, (Lit(k), Var("x"))) for k in range(2, count + 1))
    closed = (app(first, "x"), *rest)
    return Meaning(closed, closed, _ONE_OPERAND)


def _top_values(count: int) -> Meaning:
    return _in_order("list.max", "list.largest", count)


def _bottom_values(count: int) -> Meaning:
    return _in_order("list.min", "list.smallest", count)


def _first(best: str) -> Meaning:
    """The least index among the elements that are the extreme one."""
    extreme = app(f"list.{best}", "x")
    is_extreme = app("is", "x", Var("state.v"))
    index = app("list.min", app("where", is_extreme, "i", Lit("inf")))
    return Meaning(
        closed=(extreme, index),
        specification=(index,),
        domain=MappingProxyType({"x": "any", "i": "natural"}),
    )


def _moments() -> Meaning:
    """Count, mean and the sum of squared differences; the mean of nothing is kept as 0."""
    count, total = app("list.sum", 1.0), app("list.sum", "x")
    mean = app("where", app("is", count, 0.0), 0.0, app("div", total, count))
    difference = app("sub", "x", Var("state.mean"))
    squares = app("list.sum", app("mul", difference, difference))
    from_mean = app("sub", "x", app("div", total, count))
    spread = app("list.sum", app("mul", from_mean, from_mean))
    return Meaning(
        closed=(count, mean, squares),
        specification=(app("div", total, count), app("div", spread, count)),
        domain=_ONE_OPERAND,
        discharges=(
            Discharge("dynamic", "the difference of two partial means", "max x - min x"),
            Discharge("dynamic", "its square times a count", "the sum of squared differences"),
        ),
    )


def _shift() -> Term:
    return app("where", app("isfinite", "state.m"), "state.m", 0.0)


def _exponential_sums(key: str, *values: str) -> tuple[Term, ...]:
    """The maximum, and sums of exponentials relative to it, each times a value."""
    weight = app("exp", app("sub", key, _shift()))
    weighted = [app("mul", weight, value) for value in values]
    return (app("list.max", key), *(app("list.sum", each) for each in (weight, *weighted)))


_BOUNDED_WEIGHTS = (
    Discharge("dynamic", "exp of an element less a partial maximum", "1"),
    Discharge("dynamic", "a partial sum of these", "the number of elements"),
)


def _weighted(columns: int) -> Meaning:
    weight, values = app("exp", "x0"), [f"x{k}" for k in range(1, columns + 1)]
    sums = [app("list.sum", app("mul", weight, value)) for value in values]
    bounds = [f"the sum of |{value}| over the list" for value in values]
    return Meaning(
        closed=_exponential_sums("x0", *values),
        specification=tuple(app("div", each, app("list.sum", weight)) for each in sums),
        domain=MappingProxyType(dict.fromkeys(("x0", *values), "any")),
        discharges=(
            *_BOUNDED_WEIGHTS,
            *(Discharge("dynamic", "a partial weighted sum", bound) for bound in bounds),
        ),
    )


def _sum_and_spread() -> Meaning:
    """Count, sum and the sum of squared differences from the mean."""
    count, total = app("list.sum", 1.0), app("list.sum", "x")
    centred = app("sub", "x", app("div", total, count))
    squares = app("list.sum", app("mul", centred, centred))
    return Meaning(
        closed=(count, total, squares),
        specification=(total, app("div", squares, count)),
        domain=_ONE_OPERAND,
        discharges=(*_REORDERED_SUM, *_moments().discharges),
    )


def _recurrence() -> Action:
    """h = x0 · h + x1 from h = 0: a state is the map that its elements make together."""
    return Action(
        step=(app("add", app("mul", "x0", "s.h"), "x1"),),
        act=(app("add", app("mul", "p.k", "s.h"), "p.c"),),
        start=(Lit(0.0),),
        result=(Var("s.h"),),
        domain=MappingProxyType({"x0": "finite", "x1": "any"}),
        loop=MappingProxyType({"h": "any"}),
        parts=MappingProxyType({"k": "finite", "c": "any"}),
        discharges=(
            Discharge("dynamic", "a product of some factors", "none, it may over- or underflow"),
        ),
    )


_TRUE = app("ne", "x", 0.0)

MEANINGS: dict[str, Meaning] = {
    "add": _simple(app("list.sum", "x"), _REORDERED_SUM),
    "mul": _simple(
        app("list.prod", "x"),
        (Discharge("dynamic", "a product of some elements", "none, it may over- or underflow"),),
    ),
    "maximum": _simple(app("list.max", "x")),
    "minimum": _simple(app("list.min", "x")),
    "fmax": _simple(app("list.max", _number_or("-inf"))),
    "fmin": _simple(app("list.min", _number_or("inf"))),
    "absmax": _simple(app("maximum", 0.0, app("list.max", app("abs", "x")))),
    "any": _simple(app("maximum", 0.0, app("list.max", Apply("where", (_TRUE, Lit(1), Lit(0)))))),
    "all": _simple(app("minimum", 1.0, app("list.min", Apply("where", (_TRUE, Lit(1), Lit(0)))))),
    "argmax": _first("max"),
    "argmin": _first("min"),
    "mean_var": _moments(),
    "logsumexp": Meaning(
        closed=_exponential_sums("x"),
        specification=(app("log", app("list.sum", app("exp", "x"))),),
        domain=_ONE_OPERAND,
        discharges=_BOUNDED_WEIGHTS,
    ),
    "sum_var": _sum_and_spread(),
    "softmax_sum": _weighted(1),
    "top_values": _top_values(2),
    "bottom_values": _bottom_values(2),
}
# Of the laws that keep the order of elements.
ACTIONS: dict[str, Action] = {"affine": _recurrence()}


def meaning_of(law: Law) -> Meaning | Action | None:
    """What a built-in law means, whatever its number of columns or values; None for any other."""
    if not is_built_in(law):
        return None
    match law.name:
        case "softmax_sum":
            return _weighted(law.operands - 1)
        case "top_values":
            return _top_values(len(law.state))
        case "bottom_values":
            return _bottom_values(len(law.state))
        case _:
            return ACTIONS.get(law.name) or MEANINGS[law.name]


def closed_forms(law: Law) -> tuple[Term, ...] | None:
    """Each component of a law's state as a proved closed form over a list, or None."""
    if law.closed is not None:
        return law.closed
    meaning = meaning_of(law)
    return meaning.closed if isinstance(meaning, Meaning) else None


def claim(law: Law, meaning: Meaning | Action) -> dict[str, object]:
    """What is claimed of a law, as plain data: digests of its meaning and of its terms, the domain.

    `before` is SHA-256 of what is computed, `after` of the law that computes it.
    """
    return {
        "law": law.name,
        "before": _digest((meaning, ("specification", "loop", "step", "start", "result"))),
        "after": _digest(
            (law, ("state", "identity", "lift", "merge", "finalize", "commutative")),
            (meaning, ("closed", "parts", "act")),
        ),
        "domain": dict(meaning.given()),
        # One is in every domain there is.
        "witness": dict.fromkeys(meaning.given(), "1"),
        "discharges": [asdict(discharge) for discharge in meaning.discharges],
    }


def _digest(*parts: tuple[object, tuple[str, ...]]) -> str:
    content = [(name, getattr(of, name, None)) for of, names in parts for name in names]
    return hashlib.sha256(repr(content).encode()).hexdigest()
