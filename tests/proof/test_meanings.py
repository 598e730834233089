"""The checker's reader against the interpreter: what a law computes is what its meaning says.

The interpreter evaluates a law's terms on arrays and knows nothing of the checker; the closed forms
are read by the checker's own reader and evaluated on lists.  On every split of a row the merge of
the two states is the closed form of the whole.
"""

import math
import random

import numpy as np
import pytest

from certile.ir.dtypes import f64
from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.proof.check import goals
from certile.proof.check.finite import Parts
from certile.proof.check.terms import Table
from certile.reference.algebra import Algebra
from certile.reference.values import Value
from certile.search.evaluate import World, evaluate

INF, NAN = math.inf, math.nan
ROWS = [
    [],
    [2.0],
    [-INF],
    [NAN],
    [-INF] * 3,
    [INF, 0.0],
    [NAN, 0.0, 1.0],
    [1.0, -INF, 2.0, -INF],
    [INF, -INF, 1.0],
    [0.0, 0.0],
    [3.0, 3.0, -1.0],
    [-2.0, 5.0, 5.0, NAN, NAN],
    [0.5, -0.5, 0.25, 8.0],
]
WEIGHTS = [[1.0, -2.0, 0.5, 3.0, 0.0], [0.0] * 5, [INF, 1.0, NAN, -1.0, 2.0]]


def elements(law, row, weights):
    """A list of elements as the checker sees them."""
    names = law.lift_variables()
    columns = [row, weights[: len(row)]][: law.operands]
    return [
        dict(zip(names, values, strict=True)) | ({"i": float(k)} if law.indexed else {})
        for k, values in enumerate(zip(*columns, strict=True))
    ]


def meant(law, held):
    """Closed forms and specifications on a list, by the checker's reader."""
    table, meaning = Table(10**6), MEANINGS[law.name]
    world = World({"xs": held, "ys": []}, {})
    forms = Parts(table, law).closed(meaning.closed, "xs")
    specs = [goal.right for name, goal in goals(table, law, meaning) if name.startswith("final")]
    return [[evaluate(table, world, term) for term in each] for each in (forms, specs)]


def computed(law, row, weights):
    """The states of single elements, as the interpreter makes them."""
    algebra = Algebra(law, f64, 16)
    if not row:
        return algebra, []
    columns = [row, weights[: len(row)]][: law.operands]
    lifted = algebra.lift([Value(np.array(column)) for column in columns])
    return algebra, [
        tuple(part.each(lambda a, k=k: a[k : k + 1]) for part in lifted) for k in range(len(row))
    ]


def folded(algebra, states):
    made = algebra.identity(1)
    for state in states:
        made = algebra.merge(made, state)
    return made


def assert_is(state, expected, law):
    for value, number, part in zip(state, expected, law.state, strict=True):
        got = float(value.data[0])
        # The index of nothing is the greatest there is, which V calls +inf.
        if part.type == "index" and number == INF:
            assert got >= 2**31 - 1
        else:
            np.testing.assert_allclose(got, number, rtol=1e-12, atol=1e-12, err_msg=part.name)


@pytest.mark.parametrize("name", MEANINGS)
def test_every_split_of_a_row_has_the_meaning_of_the_row(name):
    law = BUILTIN[name]
    for row in ROWS:
        for weights in WEIGHTS[: 3 if law.operands == 2 else 1]:
            with np.errstate(all="ignore"):
                forms, specs = meant(law, elements(law, row, weights))
                algebra, states = computed(law, row, weights)
                for cut in range(len(row) + 1):
                    halves = folded(algebra, states[:cut]), folded(algebra, states[cut:])
                    assert_is(algebra.merge(*halves), forms, law)
                if law.indexed and not row:
                    continue
                results = algebra.finalize(folded(algebra, states))
                for result, spec in zip(results, specs, strict=True):
                    got = float(result.data[0])
                    np.testing.assert_allclose(got, spec, rtol=1e-12, atol=1e-12)


def test_random_trees_have_the_meaning_of_the_row():
    choose = random.Random(5)
    numbers = [-INF, INF, NAN, 0.0, 1.0, -1.0, 0.5, 2.0, 3.0]
    for law in map(BUILTIN.__getitem__, MEANINGS):
        for _ in range(12):
            row = [choose.choice(numbers) for _ in range(choose.randrange(6))]
            weights = [choose.choice(numbers) for _ in range(6)]
            with np.errstate(all="ignore"):
                forms, _ = meant(law, elements(law, row, weights))
                algebra, states = computed(law, row, weights)
                forest = [algebra.identity(1), *states, algebra.identity(1)]
                # A law that commutes may meet its elements in any order.
                choose.shuffle(forest)
                while len(forest) > 1:
                    place = choose.randrange(len(forest) - 1)
                    forest[place : place + 2] = [algebra.merge(*forest[place : place + 2])]
                assert_is(forest[0], forms, law)
