"""Every axiom on every choice of edge values: where its premises hold, both sides are one value."""

import itertools
import math

import pytest

from certile.proof.check import kinds
from certile.proof.check.rules import AXIOMS
from certile.proof.check.terms import Table
from certile.search.evaluate import Unspecified, World, agree, evaluate, kind_of

EDGE = (-math.inf, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan)
LISTS = [
    [dict(zip("ab", pair, strict=True)) for pair in elements]
    for length in range(3)
    for elements in itertools.product(
        itertools.product((-math.inf, -1.0, 0.0, 2.0, math.inf, math.nan), repeat=2), repeat=length
    )
]


def variables(pattern):
    if isinstance(pattern, tuple):
        return set().union(*map(variables, pattern[1:]))
    return {pattern} if isinstance(pattern, str) else set()


def listed(pattern):
    """The variables below a sum, which are fields of an element."""
    if not isinstance(pattern, tuple):
        return set()
    return variables(pattern) if pattern[0] == "sum" else set().union(*map(listed, pattern[1:]))


def worlds(names, fields):
    """Values of the variables that are the same for all elements, and elements."""
    lists = LISTS if fields else [[{}] * length for length in range(4)]
    for values in itertools.product(EDGE, repeat=len(names)):
        for elements in lists:
            yield World({"xs": elements}, dict(zip(names, values, strict=True)))


def holding(axiom):
    """How often all premises hold; wherever they do, the sides agree."""
    parts = (axiom.left, axiom.right, *axiom.kinds)
    names = set().union(*map(variables, parts))
    fields = listed(axiom.left) | listed(axiom.right)
    fields -= {axiom.closed}
    table = Table(10**9)
    named = {each: table.make("elem" if each in fields else "sym", value=each) for each in names}
    left, right, *premises = (table.build(part, named, "xs") for part in parts)
    seen, sums = 0, "sum" in str(axiom.left)
    for world in worlds(sorted(names - fields), fields) if sums else bare(sorted(names)):
        try:
            masks = [kind_of(evaluate(table, world, each)) for each in premises]
            if all(map(kinds.within, masks, axiom.kinds.values())):
                sides = evaluate(table, world, left), evaluate(table, world, right)
                assert agree(*sides), (world, sides)
                seen += 1
        except Unspecified:
            continue
    return seen


def bare(names):
    for values in itertools.product(EDGE, repeat=len(names)):
        yield World({}, dict(zip(names, values, strict=True)))


@pytest.mark.parametrize("name", AXIOMS)
def test_sides_agree_where_the_premises_hold(name):
    assert holding(AXIOMS[name]) > 1


@pytest.mark.parametrize("name", [name for name, axiom in AXIOMS.items() if axiom.kinds])
def test_every_premise_is_needed(name):
    axiom = AXIOMS[name]
    for left_out in axiom.kinds:
        rest = {part: mask for part, mask in axiom.kinds.items() if part != left_out}
        with pytest.raises(AssertionError):
            holding(axiom._replace(kinds=rest))
