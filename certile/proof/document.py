"""A certificate as JSON, of obligations and the steps that prove them.

In: the table of terms, the obligations of a law, a script for each.  Out: the content that
`proof.check` reads.  Decides the order of terms; whether the steps hold is up to the checker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from certile.proof.check.certificate import Json
from certile.proof.check.rules import Goal, Step
from certile.proof.check.terms import Table
from certile.proof.goal_text import rows


def certificate(
    table: Table,
    head: Json,
    obligations: Sequence[tuple[str, Goal]],
    scripts: Mapping[str, Sequence[Step]],
) -> Json:
    """The certificate with a heading, the goals of its obligations and the steps of each."""
    spoken = {t for steps in scripts.values() for s in steps for t in s.terms}
    sides = {side for _, goal in obligations for side in (goal.left, goal.right)}
    used = table.reach(*spoken, *sides)
    place = {term: number for number, term in enumerate(used)}
    return {
        **head,
        "terms": rows(table, used, place),
        "obligations": [
            {
                "name": name,
                "goal": [place[goal.left], place[goal.right]],
                "assumptions": [],
                "steps": [
                    [step.name, [place[term] for term in step.terms], list(step.masks)]
                    for step in scripts[name]
                ],
            }
            for name, goal in obligations
        ],
    }
