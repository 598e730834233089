"""Laws with one term changed: what evaluation refutes, neither search nor an old script proves."""

import random
from dataclasses import replace

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.proof.check import goals
from certile.proof.check.reader import DOMAINS
from certile.proof.check.rules import RULES, Replay
from certile.proof.check.terms import Refused
from certile.proof.goal_text import text
from certile.search import refute
from certile.search.evaluate import Unspecified, World, agree, draw_world, evaluate, kind_of
from certile.search.prover import prove_goal, search_table
from tests.terms import changed, places

_SWAPS = [
    ("add", "sub", "mul"),
    ("maximum", "minimum", "add"),
    ("fmax", "fmin", "maximum"),
    ("lt", "gt", "eq", "ne"),
]
_LAWS = [
    "absmax",
    "all",
    "any",
    "fmin",
    "argmax",
    "mean_var",
    "logsumexp",
    "softmax_sum",
    "top_values",
]


def _number(choose, value):
    return choose.choice([0.0, 1.0, 2.0]) if value not in (0, 0.0) else 1.0


def _mutant(choose, law):
    part = choose.choice(["lift", "merge", "merge", "merge", "finalize"])
    names = {
        "lift": [*law.lift_variables(), *(["i"] * law.indexed)],
        "merge": [f"{side}.{each.name}" for side in "ab" for each in law.state],
        "finalize": [each.name for each in law.state],
    }[part]
    terms = list(getattr(law, part))
    place = choose.randrange(len(terms))
    path = choose.choice(list(places(terms[place])))
    terms[place] = changed(choose, terms[place], path, names, _SWAPS, _number)
    return replace(law, **{part: tuple(terms)})


def _replays(table, goal, steps):
    replay = Replay(goal)
    try:
        for step in steps:
            replay.apply(step)
    except Refused:
        return False
    return not replay.goals


@pytest.mark.parametrize("name", _LAWS)
def test_no_refuted_mutant_is_proved(name):
    choose, law, meaning = random.Random(7), BUILTIN[name], MEANINGS[name]
    domain = {field: DOMAINS[kind] for field, kind in meaning.domain.items()}
    table = search_table()
    scripts = {n: prove_goal(goal) for n, goal in goals(table, law, meaning)}
    refuted = 0
    for _ in range(50):
        mutant = _mutant(choose, law)
        table = search_table(60_000)
        try:
            obligations = goals(table, mutant, meaning)
        except Refused:
            continue
        for obligation, goal in obligations:
            if refute(table, goal, domain, trials=60) is None:
                continue
            refuted += 1
            fresh = search_table(60_000)
            goal = dict(goals(fresh, mutant, meaning))[obligation]
            assert prove_goal(goal) is None, (obligation, mutant)
            # Terms of the steps are rows of another table; the plain rules need none.
            plain = [step for step in scripts[obligation] if not step.terms]
            assert not _replays(fresh, goal, plain), (obligation, mutant)
    assert refuted >= 15


def _satisfied(table, goal, world):
    """Whether every fact of the goal's context holds in the world."""
    context = goal.context

    def value(term):
        return evaluate(table, world, term)

    return all(mask & kind_of(value(term)) for term, mask in context.kinds.items())


def _worlds(table, goal, world):
    """The world itself, or with each element of its lists for a goal about an element."""
    if not any(table.free[term] for term in (goal.left, goal.right, *goal.context.kinds)):
        yield world
        return
    for elements in world.lists.values():
        for element in elements:
            yield World(world.lists, world.symbols, element)


@pytest.mark.parametrize("name", ["argmax", "mean_var", "logsumexp"])
def test_goals_hold_wherever_their_facts_do(name):
    law, meaning = BUILTIN[name], MEANINGS[name]
    domain = {field: DOMAINS[kind] for field, kind in meaning.domain.items()}
    choose, table = random.Random(11), search_table()
    worlds = [draw_world(choose, domain, longest=2) for _ in range(700)]
    hits = 0
    for _, goal in goals(table, law, meaning):
        replay = Replay(goal)
        steps = prove_goal(goal)
        for step in steps:
            replay.apply(step)
            # Rules are held to evaluation one by one elsewhere; here it is what changes facts.
            if step.name not in RULES and replay.goals:
                hits += _hits(table, replay.goals[-1], worlds)
    assert hits > 2_000


def _hits(table, goal, worlds):
    """The worlds with the facts of the goal's context; in each the sides must agree."""
    return sum(
        _holds(table, goal, each) for world in worlds for each in _worlds(table, goal, world)
    )


def _holds(table, goal, world):
    try:
        if not _satisfied(table, goal, world):
            return 0
        left, right = evaluate(table, world, goal.left), evaluate(table, world, goal.right)
    except Unspecified:
        return 0
    assert agree(left, right), text(table, goal.left, goal.right)
    return 1
