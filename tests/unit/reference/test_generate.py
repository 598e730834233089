"""The generator gives the same varied programs every time."""

from collections import Counter

import numpy as np
from hypothesis import given

from certile.ir.fingerprint import fingerprint
from certile.ir.tile import POLICIES, Reduce
from certile.ir.verify import verify
from certile.ir.walk import values
from certile.reference import run
from certile.reference.generate import corpus
from tests.strategies import programs


def test_the_corpus_is_as_rich_as_tests_need():
    features = [program.features() for program in corpus(200)]
    assert len(features) == 200
    assert sum(f["reductions"] >= 2 for f in features) >= 100
    rich = [f for f in features if f["shared"] or f["gathers"] or f["outputs"] > 1]
    assert len(rich) >= 67
    for feature, least in (("shared", 40), ("gathers", 20), ("loops", 15)):
        assert sum(f[feature] > 0 for f in features) >= least
    assert sum(f["outputs"] > 1 for f in features) >= 40


def test_the_corpus_covers_laws_policies_types_and_shapes():
    counted = Counter()
    for program in corpus(200):
        for at in values(program.kernel):
            if isinstance(at, Reduce):
                counted[at.policy] += 1
                counted[at.law.name] += 1
        counted[program.kernel.views[0].dtype.name] += 1
        counted[f"rank {program.kernel.views[0].rank}"] += 1
    wanted = {*POLICIES, "add", "mul", "maximum", "minimum", "argmax", "mean_var", "logsumexp"}
    wanted |= {
        "dot",
        "minus",
        "largest_size",
        "f16",
        "bf16",
        "f32",
        "f64",
        "i8",
        "i32",
        "i64",
        "u8",
    }
    wanted |= {"rank 2", "rank 3"}
    assert {name for name in wanted if counted[name] < 3} == set()


def test_equal_seeds_give_equal_programs():
    first, second = ([fingerprint(p.kernel) for p in corpus(20, seed=3)] for _ in range(2))
    assert first == second
    assert first != [fingerprint(p.kernel) for p in corpus(20, seed=4)]


def test_arguments_depend_on_their_seed_only():
    (program,) = corpus(1)
    one, two, three = program.arguments(1), program.arguments(1), program.arguments(2)
    np.testing.assert_array_equal(one["x"], two["x"])
    assert not np.array_equal(one["x"], three["x"])


@given(programs())
def test_programs_are_well_formed_and_run(program):
    assert verify(program.kernel) == []
    run(program.kernel, program.arguments())
