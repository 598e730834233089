"""What the author of a law claims of it, as the meaning that is to be proved.

In: the methods of the law, run.  Out: the law without conversions that change no number, and a
`Meaning` (of `spec`) or an `Action` (of `step`).  Decides the closed form of a component whose
merge is one operation of both sides; `closed` gives the others.  Leaves for which elements it holds
to `certile.search.authors`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from certile.frontend.law_methods import Methods
from certile.ir.dtypes import DType
from certile.ir.laws import Law
from certile.ir.meanings import Action, Discharge, Domain, Meaning
from certile.ir.terms import Apply, Lit, Term, Var, app
from certile.records import record

# The operation of a merge -> what it is over a list, and the identities that are no elements.
_FOLDS: Final[Mapping[str, tuple[str, frozenset[object]]]] = {
    "add": ("list.sum", frozenset()),
    "mul": ("list.prod", frozenset()),
    "maximum": ("list.max", frozenset({"-inf", "lowest"})),
    "minimum": ("list.min", frozenset({"inf", "highest", "last_index"})),
}
_TRUTHS: Final = {"bit_or": ("maximum", "list.max", 0.0), "bit_and": ("minimum", "list.min", 1.0)}


@record
class Claim:
    """A law as its author wrote it and as a proof reads it, and what it is claimed to mean."""

    original: Law
    law: Law
    meaning: Meaning | Action


def claim(methods: Methods, law: Law) -> Claim | None:
    """What the author says that the law means; None where nothing is said.

    Raises `KernelError` K041 for a component whose closed form is neither given nor plain.
    """
    specification, step = methods.specification(), methods.step()
    read = replace(
        law,
        identity=tuple(map(methods.plain, law.identity or ())),
        lift=tuple(map(methods.plain, law.lift)),
        merge=tuple(map(methods.plain, law.merge)),
        finalize=tuple(map(methods.plain, law.finalize)),
    )
    if step:
        return Claim(law, read, _action(read, step))
    if not specification:
        return None
    if len(specification) != len(law.finalize):
        counts = f"{len(specification)} value(s), and finalize {len(law.finalize)}"
        raise methods.fault("spec", f"gives {counts}")
    given = methods.closed()
    closed: dict[str, Term] = {}
    for place, component in enumerate(read.state):
        name = component.name
        form = given[name] if name in given else _plain_form(read, place)
        if form is None:
            raise methods.no_form(name)
        closed[name] = _by_name(form, closed)
    return Claim(
        law,
        read,
        Meaning(
            closed=tuple(closed.values()),
            specification=specification,
            domain=_fields(read),
            discharges=_widths(read),
        ),
    )


def _fields(law: Law) -> dict[str, Domain]:
    indices: dict[str, Domain] = {"i": "natural"} if law.indexed else {}
    return {**dict.fromkeys(law.lift_variables(), "any"), **indices}


def _plain_form(law: Law, place: int) -> Term | None:
    """The closed form of a component that is merged by one operation of its two sides."""
    name, merged, lifted = law.state[place].name, law.merge[place], law.lift[place]
    sides = {Var(f"a.{name}"), Var(f"b.{name}")}
    if not isinstance(merged, Apply) or set(merged.args) != sides:
        return None
    start = law.identity[place] if law.identity else Lit(0.0)
    if merged.fn in _TRUTHS and law.state[place].type == "bool":
        outer, over, least = _TRUTHS[merged.fn]
        return app(outer, least, app(over, app("where", lifted, 1.0, 0.0)))
    if merged.fn not in _FOLDS:
        return None
    over, units = _FOLDS[merged.fn]
    form = app(over, lifted)
    plain = merged.fn in ("add", "mul") or (isinstance(start, Lit) and start.value in units)
    return form if plain else app(merged.fn, start, form)


def _by_name(form: Term, earlier: Mapping[str, Term]) -> Term:
    """A closed form that speaks of earlier components by their names."""
    for name, known in earlier.items():
        if form == known:
            return Var(f"state.{name}")
    if isinstance(form, Apply):
        return Apply(form.fn, tuple(_by_name(arg, earlier) for arg in form.args))
    return form


def _widths(law: Law) -> tuple[Discharge, ...]:
    """A component that is an integer is one of V as long as it does not wrap."""
    return tuple(
        Discharge("static", f"component {component.name}, an integer", f"the range of {kind}")
        for component in law.state
        if isinstance(kind := component.type, DType) and kind.is_integer
    )


def _action(law: Law, step: tuple[Term, ...]) -> Action:
    """The law's states as what they do to a state: what is merged behind it."""
    names = [component.name for component in law.state]
    behind = {f"a.{name}": f"s.{name}" for name in names} | {f"b.{n}": f"p.{n}" for n in names}
    held: dict[str, Domain] = dict.fromkeys(names, "any")
    return Action(
        step=step,
        act=tuple(_renamed(term, behind) for term in law.merge),
        start=law.identity or (),
        result=tuple(_renamed(term, {n: f"s.{n}" for n in names}) for term in law.finalize),
        domain=_fields(law),
        loop=held,
        parts=held,
        discharges=_widths(law),
    )


def _renamed(term: Term, names: Mapping[str, str]) -> Term:
    if isinstance(term, Var):
        return Var(names.get(term.name, term.name))
    if isinstance(term, Apply):
        return Apply(term.fn, tuple(_renamed(arg, names) for arg in term.args))
    return term
