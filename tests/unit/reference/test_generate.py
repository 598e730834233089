"""The generator gives the same varied programs every time."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given

from certile.ir.dtypes import BY_NAME
from certile.ir.fingerprint import fingerprint
from certile.ir.functions import FUNCTIONS
from certile.ir.laws import BUILTIN
from certile.ir.tile import POLICIES, Map, Reduce, Scan, Sort
from certile.ir.verify import verify
from certile.ir.walk import values
from certile.reference import run
from certile.reference.generate import corpus
from tests.strategies import programs


def test_the_corpus_is_as_rich_as_tests_need():
    features = [program.features() for program in corpus(500)]
    assert len(features) == 500
    assert sum(f["reductions"] >= 2 for f in features) >= 250
    rich = [f for f in features if f["shared"] or f["gathers"] or f["outputs"] > 1]
    assert len(rich) >= 167
    least_of = {"shared": 100, "gathers": 50, "loops": 40, "scans": 35, "kept": 50, "carried": 20}
    for feature, least in (least_of | {"sorts": 30, "memories": 30}).items():
        assert sum(f[feature] > 0 for f in features) >= least, feature
    assert sum(f["outputs"] > 1 for f in features) >= 100
    assert sum(f["launches"] > 1 for f in features) >= 30


@cache
def occurrences():
    """In how many programs of the corpus each name of a construct occurs."""
    counted = Counter()
    for program in corpus(500):
        met = {program.kernel.math, f"rank {program.kernel.views[0].rank}"}
        met |= {view.dtype.name for view in program.kernel.views}
        met |= {f"placed by {type(held.layout).__name__}" for held in program.kernel.memories}
        for at in values(program.kernel):
            if isinstance(at, Map):
                met.add(at.fn)
            elif isinstance(at, Reduce):
                met |= {at.policy, f"{at.law.name} of rows"}
            elif isinstance(at, Scan):
                met |= {f"{at.law.name} along rows", "reverse" if at.reverse else "forward"}
            elif isinstance(at, Sort):
                met |= {"descending" if at.descending else "ascending"}
                met |= {"all" if at.into == at.over else "first"}
        counted.update(met)
    return counted


CONSTRUCTS = {
    "element-wise functions": FUNCTIONS,
    "types": BY_NAME,
    "policies": POLICIES,
    "built-in laws": [f"{law} of rows" for law in BUILTIN],
    "laws of authors": [
        f"{law} of rows" for law in ("largest_size", "dot", "extremes", "recurrence", "minus")
    ],
    "scans": [f"{law} along rows" for law in ("add", "maximum", "mul", "logsumexp", "recurrence")],
    "directions": ["reverse", "forward", "descending", "ascending", "all", "first"],
    "layouts": [f"placed by {name}" for name in ("MixedRadix", "BitLinear", "NoneType")],
    "modes and ranks": ["precise", "portable", "rank 2", "rank 3"],
}


@pytest.mark.parametrize("kind", CONSTRUCTS)
def test_the_corpus_covers_the_language(kind):
    assert {name for name in CONSTRUCTS[kind] if occurrences()[name] < 2} == set()


def test_equal_seeds_give_equal_programs():
    first, second = ([fingerprint(p.kernel) for p in corpus(20, seed=3)] for _ in range(2))
    assert first == second
    assert first != [fingerprint(p.kernel) for p in corpus(20, seed=4)]


def test_arguments_depend_on_their_seed_only():
    (program,) = corpus(1)
    one, two, three = program.arguments(1), program.arguments(1), program.arguments(2)
    np.testing.assert_array_equal(one["x"], two["x"])
    assert not np.array_equal(one["x"], three["x"])


def test_special_values_are_mixed_in_where_they_may_be():
    met = set()
    for program in corpus(60):
        given = program.arguments(0, unusual=True)
        x = given["x"]
        if program.kernel.views[0].dtype.is_float:
            wide = x.astype(np.float64)
            met |= {"nan"} if np.isnan(wide).any() else {"finite or infinite"}
            met |= {"infinite"} if np.isinf(wide).any() else set()
            assert np.isfinite(program.arguments(0)["x"].astype(np.float64)).all()
        elif x.dtype != np.bool_ and (x == np.iinfo(x.dtype).max).any():
            met.add("end of a type")
        for name, (low, high) in program.ranges.items():
            assert ((given[name] >= low) & (given[name] <= high)).all()
    assert met == {"nan", "finite or infinite", "infinite", "end of a type"}


@given(programs())
def test_programs_are_well_formed_and_run(program):
    assert verify(program.kernel) == []
    run(program.kernel, program.arguments())
