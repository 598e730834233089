"""Obligations that are others but for names: which, and by which renaming.

In: a law and its meaning.  Out: for each component and each result whose obligations the checker
does not ask for, since those of another one say the same of every list, that other one and what is
renamed.  A proof that is shown names them all.  Decides nothing: what is asked for is up to
`proof.check.reader`, and what is said here is shown to a person only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Meaning
from certile.ir.terms import Apply, Term, Var, substituted

_SIDES: Final = ("nil", "one", "cat")


@dataclass(frozen=True, slots=True)
class Alike:
    """Obligations `names`, which are those of the names `of` with fields renamed."""

    names: tuple[str, ...]
    of: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]

    def text(self) -> str:
        """`nil.n2, one.n2, cat.n2: as nil.n1, one.n1, cat.n1, with x2 for x1`."""
        said = ", ".join(f"{new} for {old}" for new, old in self.renamed)
        shown = f", with {said}" if said else ""
        return f"{', '.join(self.names)}: as {', '.join(self.of)}{shown}"

    def to_json(self) -> dict[str, object]:
        """The same as plain data."""
        renamed = {old: new for new, old in self.renamed}
        return {"names": list(self.names), "as": list(self.of), "renamed": renamed}


def alike(law: Law, meaning: Meaning | Action) -> list[Alike]:
    """What is left out of a law's obligations, in their order."""
    if isinstance(meaning, Action):
        return []
    # The first of the components that are one another but for names, for each of them.
    firsts: dict[str, str] = {}

    def component(place: int) -> list[Term]:
        name = law.state[place].name
        own = {f"{side}.{name}": Var(f"{side}.") for side in ("a", "b", "state")}
        terms = [meaning.closed[place], law.lift[place], law.merge[place]]
        terms += (law.identity or ())[place : place + 1]
        return [substituted(term, own) for term in terms]

    def result(place: int) -> list[Term]:
        of = {name: Var(first) for name, first in firsts.items()}
        return [substituted(law.finalize[place], of), meaning.specification[place]]

    found = []
    for place, first, renamed in _groups(len(law.state), component, meaning.domain):
        names = (law.state[place].name, law.state[first].name)
        firsts[names[0]] = names[1]
        if place != first:
            new, old = (tuple(f"{side}.{name}" for side in _SIDES) for name in names)
            found.append(Alike(new, old, renamed))
    for place, first, renamed in _groups(len(law.finalize), result, meaning.domain):
        if place != first:
            found.append(Alike((f"finalize.{place}",), (f"finalize.{first}",), renamed))
    return found


def _groups(
    count: int, terms: Callable[[int], list[Term]], fields: Mapping[str, object]
) -> list[tuple[int, int, tuple[tuple[str, str], ...]]]:
    """Each place with the first one whose terms are the same but for fields, and the renaming."""
    known: dict[tuple[Term, ...], tuple[int, Sequence[str]]] = {}
    out = []
    for place in range(count):
        here = terms(place)
        order = _in_order(here, fields)
        numbers = {name: Var(f"{k} {fields[name]}") for k, name in enumerate(order)}
        shape = tuple(substituted(term, numbers) for term in here)
        first, before = known.setdefault(shape, (place, order))
        pairs = zip(order, before, strict=True)
        out.append((place, first, tuple(pair for pair in pairs if pair[0] != pair[1])))
    return out


def _in_order(terms: Sequence[Term], fields: Mapping[str, object]) -> list[str]:
    """The fields that terms read, each where it comes first."""
    found: dict[str, None] = {}
    stack = list(reversed(terms))
    while stack:
        match stack.pop():
            case Var(name) if name in fields:
                found[name] = None
            case Apply(_, args):
                stack += reversed(args)
            case _:
                pass
    return list(found)
