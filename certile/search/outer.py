"""The outer reductions that fold fusion starts from: their part of a fused law, as terms.

A reduction of a key has components with closed forms, its result as a function of them, and what
later sums read, r, as a function of the result: a mean of a sum, or a maximum where it is finite
and 0 elsewhere.  Where f(x, r) may have no value, as for a maximum of -inf, r is *bad*: `bad` is
that condition on a state, and `bad_element` the one on an element alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, Literal

from certile.ir.terms import Lit, Term, Var, app, applications, replaced, substituted
from certile.records import record

Outer = Literal["max", "min", "absmax", "mean", "add"]
# What later sums read unless they read a function of it: the outer result itself.
PLAIN: Final = Var("r")
# The number of elements of the list.
COUNT: Final = app("list.sum", 1.0)


@record
class Part:
    """One component: what it is for a list, for none, for one element, and how two merge."""

    closed: Term
    identity: Term
    lift: Term
    merge: str


@record
class Start:
    """An outer reduction of a key, as terms over the names of its components.

    `result` is what it gives, `value` the r that later sums read, a function of it; `lifted` is r
    of one element; `bad` are the states for which f(x, r) may have no value.
    """

    parts: Mapping[str, Part]
    result: Term
    value: Term
    lifted: Term
    bad: Term | None = None
    bad_element: Term | None = None

    def of(self, term: Term, side: str) -> Term:
        """A term over component names, read from the state of that name."""
        return substituted(term, {name: Var(f"{side}.{name}") for name in self.parts})

    def merged(self) -> Term:
        """r of two states merged."""
        joined = {
            name: app(part.merge, f"a.{name}", f"b.{name}") for name, part in self.parts.items()
        }
        return substituted(self.value, joined)

    def of_list(self, term: Term) -> Term:
        """A term over component names, for a list and without a state."""
        return substituted(term, {name: part.closed for name, part in self.parts.items()})

    def renamed(self, by: Mapping[str, str]) -> Start:
        """The same over components of other names."""

        def written(term: Term) -> Term:
            return substituted(term, {name: Var(to) for name, to in by.items()})

        return replace(
            self,
            parts={by.get(name, name): part for name, part in self.parts.items()},
            result=written(self.result),
            value=written(self.value),
            bad=None if self.bad is None else written(self.bad),
        )


def together(starts: Iterable[Start]) -> tuple[Start, ...]:
    """The starts of one law: components have one name where they are one, and else different."""
    known: dict[str, Part] = {}
    out: list[Start] = []
    for start in starts:
        by: dict[str, str] = {}
        for name, part in start.parts.items():
            alike = (at for at, other in known.items() if other == part)
            by[name] = next(alike, f"{name}{len(known)}" if name in known else name)
            known[by[name]] = part
        out.append(start.renamed(by))
    return tuple(out)


def counted() -> Part:
    """The number of elements."""
    return Part(COUNT, Lit(0.0), Lit(1.0), "add")


def begun(outer: Outer, key: Term, value: Term = PLAIN) -> Start:
    """The start of a chain; `value` is what later sums call r, over the result `r` and `COUNT`."""
    start = _STARTS[outer](key)
    if value == PLAIN:
        return start
    counts = COUNT in applications((value,))
    parts = {**start.parts, "n": counted()} if counts else start.parts
    one = {name: part.lift for name, part in start.parts.items()}
    counted_value = replaced(value, {COUNT: Var("n")})
    return Start(
        parts,
        start.result,
        substituted(counted_value, {"r": start.result}),
        substituted(counted_value, {"r": substituted(start.result, one), "n": Lit(1.0)}),
        start.bad or (app("eq", "n", 0.0) if counts else None),
        start.bad_element,
    )


def _extreme(key: Term, list_of: str, worst: str, merge: str) -> Start:
    lowest = Lit("-inf" if worst == "lowest" else "inf")
    part, m = Part(app(list_of, key), Lit(worst), key, merge), Var("m")
    return Start({"m": part}, m, m, key, app("eq", m, lowest), app("eq", key, lowest))


def _max(key: Term) -> Start:
    return _extreme(key, "list.max", "lowest", "maximum")


def _min(key: Term) -> Start:
    return _extreme(key, "list.min", "highest", "minimum")


def _absmax(key: Term) -> Start:
    size, m = app("abs", key), Var("m")
    closed = app("maximum", 0.0, app("list.max", size))
    part = Part(closed, Lit(0.0), size, "maximum")
    return Start({"m": part}, m, m, size, app("eq", m, 0.0), app("eq", key, 0.0))


def _add(key: Term) -> Start:
    part, t = Part(app("list.sum", key), Lit(0.0), key, "add"), Var("t")
    return Start({"t": part}, t, t, key)


def _mean(key: Term) -> Start:
    """The sum of the key and the count; both the result and r are their ratio."""
    parts = {"n": counted(), "t": Part(app("list.sum", key), Lit(0.0), key, "add")}
    mean = app("div", "t", "n")
    return Start(parts, mean, mean, key, app("eq", "n", 0.0))


_STARTS: Mapping[Outer, Callable[[Term], Start]] = MappingProxyType(
    {"max": _max, "min": _min, "absmax": _absmax, "mean": _mean, "add": _add}
)
