"""A small set of cases in which every pair of choices occurs together.

In: the choices of each factor.  Out: combinations.  Greedy and without chance: each new case takes,
factor by factor, the choice that completes most pairs not yet seen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

Case = dict[str, object]
Pair = tuple[tuple[str, object], tuple[str, object]]


def pairwise(
    factors: Mapping[str, Sequence[object]], allowed: Callable[[Case], bool]
) -> list[Case]:
    """Return cases that cover every pair which some allowed case has.

    `allowed` also judges cases whose later factors are missing.
    """
    names = list(factors)
    missing = dict.fromkeys(
        ((a, x), (b, y))
        for a, b in combinations(names, 2)
        for x in factors[a]
        for y in factors[b]
        if allowed({a: x, b: y})
    )
    cases: list[Case] = []
    while missing:
        case = _complete(dict(next(iter(missing))), factors, missing, allowed)
        before = len(missing)
        for pair in combinations([(name, case[name]) for name in names], 2):
            missing.pop(pair, None)
        if len(missing) == before:
            raise AssertionError("a case covers nothing: `allowed` is not consistent")
        cases.append(case)
    return cases


def _complete(
    case: Case,
    factors: Mapping[str, Sequence[object]],
    missing: Mapping[Pair, None],
    allowed: Callable[[Case], bool],
) -> Case:
    for name in factors:
        if name in case:
            continue
        choices = [c for c in factors[name] if allowed({**case, name: c})]
        case[name] = max(choices, key=lambda choice: _gain(case, name, choice, factors, missing))
    return case


def _gain(
    case: Case,
    name: str,
    choice: object,
    factors: Mapping[str, Sequence[object]],
    missing: Mapping[Pair, None],
) -> int:
    order = list(factors)
    gain = 0
    for other, value in case.items():
        pair = ((other, value), (name, choice))
        if order.index(other) > order.index(name):
            pair = (pair[1], pair[0])
        gain += pair in missing
    return gain
