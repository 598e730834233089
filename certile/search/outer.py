"""The outer reductions that fold fusion starts from: their part of a fused law, as terms.

A reduction `r` of a key has components with closed forms, and r as a function of them.  Where f(x,
r) may have no value, as for a maximum of -inf, r is *bad*: `bad` is that condition on a state, and
`bad_element` the one on an element alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from certile.ir.terms import Lit, Term, Var, app
from certile.search.writing import substituted

Outer = Literal["max", "min", "absmax", "mean", "add"]


@dataclass(frozen=True, slots=True)
class Part:
    """One component: what it is for a list, for none, for one element, and how two merge."""

    closed: Term
    identity: Term
    lift: Term
    merge: str


@dataclass(frozen=True, slots=True)
class Start:
    """An outer reduction of a key; `value` is r and `bad` its bad states, over component names."""

    parts: Mapping[str, Part]
    value: Term
    lifted: Term
    bad: Term | None = None
    bad_element: Term | None = None

    def of(self, term: Term, side: str) -> Term:
        """A term over component names, read from the state of that name."""
        return substituted(term, {name: Var(f"{side}.{name}") for name in self.parts})

    def merged(self) -> Term:
        """r of two states merged."""
        joined = {name: app(part.merge, f"a.{name}", f"b.{name}") for name, part in self._parts()}
        return substituted(self.value, joined)

    def specified(self) -> Term:
        """r of a list, without a state."""
        return substituted(self.value, {name: part.closed for name, part in self._parts()})

    def _parts(self) -> list[tuple[str, Part]]:
        return list(self.parts.items())


def counted() -> Part:
    """The number of elements."""
    return Part(app("list.sum", 1.0), Lit(0.0), Lit(1.0), "add")


def _extreme(key: Term, list_of: str, worst: str, merge: str) -> Start:
    lowest = Lit("-inf" if worst == "lowest" else "inf")
    part = Part(app(list_of, key), Lit(worst), key, merge)
    return Start({"r": part}, Var("r"), key, app("eq", Var("r"), lowest), app("eq", key, lowest))


def _max(key: Term) -> Start:
    return _extreme(key, "list.max", "lowest", "maximum")


def _min(key: Term) -> Start:
    return _extreme(key, "list.min", "highest", "minimum")


def _absmax(key: Term) -> Start:
    size = app("abs", key)
    closed = app("maximum", 0.0, app("list.max", size))
    part = Part(closed, Lit(0.0), size, "maximum")
    return Start({"r": part}, Var("r"), size, app("eq", "r", 0.0), app("eq", key, 0.0))


def _add(key: Term) -> Start:
    part = Part(app("list.sum", key), Lit(0.0), key, "add")
    return Start({"r": part}, Var("r"), key)


def _mean(key: Term) -> Start:
    parts = {"n": counted(), "t": Part(app("list.sum", key), Lit(0.0), key, "add")}
    return Start(parts, app("div", "t", "n"), key, app("eq", "n", 0.0))


STARTS: Mapping[Outer, Callable[[Term], Start]] = MappingProxyType(
    {"max": _max, "min": _min, "absmax": _absmax, "mean": _mean, "add": _add}
)
