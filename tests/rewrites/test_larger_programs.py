"""Random programs with chains of reductions inside: what is rewritten gives what was written."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certile.ir.build import Builder
from certile.ir.dtypes import bf16, f16, f32
from certile.reference.generate import Generated, folds, parts, steps
from certile.reference.generate.pool import Pool
from tests.rewrites import forms, grammar


def cascade(pool):
    """A chain over a row of the pool and the last one; what it gives joins the pool."""
    b, chain = pool.b, grammar.draw(pool.random, 0)
    known = {"x": pool.last, "y": b.cast(pool.one(pool.wide), f32)}
    writer = grammar.Writer(b, {**known, "s": b.const(0.5, f32)})
    for result in writer.folds(chain, pool.cols)[-2:]:
        pool.join(b.cast(result, f32))
    if chain.row:
        pool.wide.append(writer.tile(chain.row))


def program(random):
    """A program like those of `generate`, with one or two chains in it."""
    b = Builder(f"cascades_{random.getrandbits(16):04x}")
    pool = Pool.start(random, b, random.choice((f32, f32, f16, bf16)))
    with b.parallel(*pool.rows):
        parts.inputs(pool)
        pool.wide.append(b.cast(pool.last, f32))
        if pool.often(0.5):
            steps.step(pool)
        cascade(pool)
        if pool.often(0.3):
            parts.gather(pool)
        for _ in range(random.randint(0, 2)):
            pool.one((cascade, folds.reduction, steps.step))(pool)
        parts.stores(pool, random.choice((1, 2, 3)))
    return Generated(b.build(), pool.shapes, pool.ranges)


def programs():
    return st.randoms(use_true_random=False).map(program)


def check(made, seed, unusual, run):
    """Whether it was rewritten; if so, both programs agree."""
    given = made.arguments(seed, unusual=unusual)
    found = forms.pair(made.kernel, made.shapes)
    if found.rewrite is None:
        return False
    forms.judge(run(found.after, given), found.before, given, found.rewrite.digest)
    return True


@settings(max_examples=15)
@given(programs(), st.integers(0, 99))
def test_the_interpreter_gives_the_same(made, seed):
    # It folds in float64, so what overflows in f32 is for the other tests.
    check(made, seed, False, forms.by_interpreter)


@settings(max_examples=8)
@given(programs(), st.integers(0, 99), st.booleans(), st.sampled_from(forms.WAYS))
def test_a_mapping_of_the_subgroup_family_gives_the_same(made, seed, unusual, way):
    def run(kernel, given):
        found = forms.on_machine(kernel, given, way)
        return forms.by_interpreter(kernel, given) if found is None else found

    check(made, seed, unusual, run)


def test_some_of_them_are_rewritten():
    made = [program(Random(f"larger/{number}")) for number in range(16)]
    assert sum(check(each, 3, True, forms.on_cpu) for each in made) >= 5


@pytest.mark.fuzz
@given(programs(), st.integers(0, 10**6), st.booleans())
def test_many(made, seed, unusual):
    check(made, seed, unusual, forms.on_cpu)


def test_the_programs_are_larger_than_their_chains():
    found = [program(Random(f"larger/{number}")).features() for number in range(24)]
    assert np.mean([features["reductions"] for features in found]) > 3
    assert any(features["gathers"] for features in found)
