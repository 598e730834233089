"""Certificates of laws: refute by evaluation first, then prove each obligation, then write JSON.

A refusal names the obligation that failed, prints its goal, and shows lists on which the two sides
differ, or says that none was found.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Meaning
from certile.proof.check.certificate import Json, heading
from certile.proof.check.finite import SHARED
from certile.proof.check.reader import DOMAINS, goals
from certile.proof.check.rules import Goal, Step
from certile.proof.check.terms import Refused, Table
from certile.proof.document import certificate
from certile.proof.goal_text import goal_text
from certile.proof.render import claim_lines
from certile.records import record
from certile.search.evaluate import Unspecified, World, agree, draw_world, evaluate, kind_of
from certile.search.prover import prove_goal, search_table

_TRIALS: Final = 400
_FEW_TRIALS: Final = 60
_SEED: Final = 1


@record
class Counterexample:
    """Lists, or one element, on which the two sides of an obligation differ."""

    world: World
    left: float
    right: float

    def text(self, obligation: str) -> str:
        """One line: the elements that the obligation speaks of, and both values."""
        symbols = self.world.symbols
        if any(name.startswith("s.") for name in symbols):
            where = ", ".join(f"{name} = {value:g}" for name, value in symbols.items())
        elif obligation.startswith("one."):
            where = f"[{_element(symbols)}]"
        elif obligation.startswith("nil."):
            where = "[]"
        else:
            parts = ("xs", "ys") if obligation.startswith("cat.") else ("xs",)
            where = " ++ ".join(_listed(self.world.lists[part]) for part in parts)
        shared = {name: value for name, value in symbols.items() if name.startswith(f"{SHARED}.")}
        where += "".join(f", {name[2:]} = {value:g}" for name, value in shared.items())
        if obligation.startswith("bound."):
            return f"on {where} it is positive"
        return f"on {where}: {self.left:g} against {self.right:g}"


@record
class Unproved:
    """A law that was not proved: the first obligation that failed.

    One that was kept on disk has the words of its counterexample, `said`, in place of it.
    """

    law: str
    obligation: str
    goal: str
    counterexample: Counterexample | None
    formulas: tuple[str, ...] = ()
    said: str = ""

    def text(self) -> str:
        """What failed, and what shows it."""
        return f"{self.law}: {self.obligation} is not proved; {self.shown}\n  {self.goal}"

    @property
    def shown(self) -> str:
        """The lists on which the two sides differ, or that none were found."""
        if self.counterexample is None:
            return self.said or "no counterexample was found"
        return self.counterexample.text(self.obligation)

    def notes(self) -> tuple[str, ...]:
        """Lines for a person: what is to be shown, what its names stand for, what shows it false.

        Where the law was not even read, the reason.
        """
        if not self.formulas:
            return (self.goal,)
        claim, *names = self.formulas
        return (f"to show: {claim}", *(f"where {name}" for name in names), self.shown)


def prove(law: Law, meaning: Meaning | Action) -> Json | Unproved:
    """A certificate of the law, or why there is none."""
    table = search_table()
    try:
        obligations = goals(table, law, meaning)
    except Refused as refusal:
        return Unproved(law.name, "read", str(refusal), None)
    except RecursionError:
        return Unproved(law.name, "read", "a term of the law is nested too deeply", None)
    domain = {name: DOMAINS[kind] for name, kind in meaning.given().items()}
    symbols = _symbols(meaning, domain)
    for name, goal in obligations:
        # A few lists refute most of what is false; many are for what no proof was found of.
        found = refute(table, goal, symbols, _FEW_TRIALS)
        if found is not None:
            return _refused(table, law, meaning, (name, goal), found)
    scripts: dict[str, tuple[Step, ...]] = {}
    for name, goal in obligations:
        steps = prove_goal(goal)
        if steps is None:
            # A search that gives up may have left no fuel to evaluate and print with.
            table.fuel = search_table().fuel
            return _refused(table, law, meaning, (name, goal), refute(table, goal, symbols))
        scripts[name] = steps
    return certificate(table, heading(law, meaning), obligations, scripts)


def _refused(
    table: Table,
    law: Law,
    meaning: Meaning | Action,
    obligation: tuple[str, Goal],
    found: Counterexample | None,
) -> Unproved:
    name, goal = obligation
    formulas = tuple(claim_lines(table, law, meaning, name, goal))
    return Unproved(law.name, name, goal_text(table, goal), found, formulas)


def _symbols(meaning: Meaning | Action, domain: dict[str, int]) -> dict[str, int]:
    """The kinds of everything a goal may speak of."""
    if not isinstance(meaning, Action):
        shared = {f"{SHARED}.{name}": domain[name] for name in meaning.parameters}
        return {name: domain[name] for name in meaning.domain} | shared
    parts = {name: DOMAINS[kind] for name, kind in meaning.parts.items()}
    states = {f"{side}.{name}": mask for side in ("p", "q") for name, mask in parts.items()}
    return domain | states | {f"s.{name}": DOMAINS[kind] for name, kind in meaning.loop.items()}


def refute(
    table: Table, goal: Goal, domain: Mapping[str, int], trials: int = _TRIALS
) -> Counterexample | None:
    """Lists on which the two sides differ, by random evaluation; short ones first."""
    spoken = _spoken(table, goal)
    drawn = tuple((name, mask) for name, mask in domain.items() if name in spoken)
    for world in _worlds(drawn, trials):
        try:
            if not _holds(table, world, goal):
                continue
            left, right = (evaluate(table, world, side) for side in (goal.left, goal.right))
        except Unspecified:
            continue
        if not agree(left, right):
            return Counterexample(_completed(world, domain), left, right)
    return None


@lru_cache(maxsize=64)
def _worlds(domain: tuple[tuple[str, int], ...], trials: int) -> tuple[World, ...]:
    """The worlds that are tried over a domain, those with short lists first."""
    choose, masks = random.Random(_SEED), dict(domain)
    return tuple(
        draw_world(choose, masks, longest=1 + 3 * trial // trials) for trial in range(trials)
    )


def _spoken(table: Table, goal: Goal) -> set[str]:
    """The fields and shared numbers that a goal and what it assumes speak of."""
    rows = (table.rows[t] for t in table.reach(goal.left, goal.right, *goal.context.kinds))
    return {str(row.value).removeprefix("e.") for row in rows if row.op in ("elem", "sym")}


def _completed(world: World, domain: Mapping[str, int]) -> World:
    """The world with a number, alike everywhere, for each field that nothing spoke of."""
    lists = {
        name: [{field: each.get(field, 1.0) for field in domain} for each in elements]
        for name, elements in world.lists.items()
    }
    rest = {name if "." in name else f"e.{name}": 1.0 for name in domain}
    return World(lists, rest | dict(world.symbols))


def _holds(table: Table, world: World, goal: Goal) -> bool:
    """Whether what the goal assumes of kinds is so."""
    assumed = goal.context.kinds.items()
    return all(kind_of(evaluate(table, world, term)) & mask for term, mask in assumed)


def _listed(elements: Sequence[Mapping[str, float]]) -> str:
    return f"[{', '.join(map(_element, elements))}]"


def _element(fields: Mapping[str, float]) -> str:
    # A drawn element also holds what its list shares, under names with a dot.
    values = [f"{value:g}" for name, value in fields.items() if not name.startswith(f"{SHARED}.")]
    return values[0] if len(values) == 1 else f"({', '.join(values)})"
