"""Random programs with fallbacks, in each other, in loops and around stores, on random shares.

All numbers are small integers, so that sums are exact and every plan gives the same bits.
"""

from random import Random

import numpy as np
import pytest

from certile import reference
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.plan.mapping import Mapping
from certile.plan.record import Options
from tests.differential.harness import REFERENCE, SHEETS, Case

ROWS, WIDTH, TURNS = 7, 70, 3
SHARES = [(1, 1, 1), (1, 3, 1), (1, 2, 4), (2, 1, 1), (3, 1, 2), (8, 1, 1)]
SEEDS = range(24)


class Program:
    """One program: values that were made may be read again by any later one."""

    def __init__(self, seed):
        self.rng = Random(seed)
        self.b = Builder("program")
        self.x, self.w = self.b.view("x", f32, 2), self.b.view("w", f32, 1)
        self.outputs = []
        self.rows = self.b.axis("rows", dim(self.x, 0))
        self.cols = self.b.axis("cols", dim(self.x, 1))

    def small(self, value):
        """Within -8 to 8, so that what is summed of it stays exact."""
        return self.b.map("minimum", self.b.map("maximum", value, -8.0), 8.0)

    def tile(self, depth):
        fn = self.rng.choice(("maximum", "minimum", "add", "sub"))
        return self.b.map(fn, self.rng.choice(self.tiles), self.small(self.scalar(depth - 1)))

    def scalar(self, depth):
        made = self.choose(depth)
        self.scalars.append(made)
        return made

    def choose(self, depth):
        kind = self.rng.choice(("known", "reduce", "reduce", "fallback", "fallback"))
        if depth <= 0 or kind == "known":
            return self.rng.choice(self.scalars)
        if kind == "reduce":
            law = self.rng.choice((laws.ADD, laws.MAXIMUM, laws.MINIMUM))
            return self.b.reduce(self.tile(depth - 1), self.cols, law)
        count = self.rng.choice((1, 2))
        values, instead = ([self.scalar(depth - 1) for _ in range(count)] for _ in range(2))
        limit = float(self.rng.randint(-12, 12))
        when = self.b.map("lt", self.scalar(depth - 1), limit)
        return self.rng.choice(self.b.fallback(values, instead, when))

    def store(self):
        view = self.b.view(f"s{len(self.outputs)}", f32, 1)
        self.outputs.append(view)
        self.b.store(view, self.rows, self.scalar(4))

    def loop(self):
        """A loop that carries a number; what its body makes is not known outside."""
        known = list(self.scalars)
        turns = self.b.axis("turns", TURNS)
        with self.b.serial(turns, carry=(self.small(self.scalar(2)),)) as loop:
            self.scalars += [*loop.carried, self.b.cast(self.b.index(turns), f32)]
            loop.yields(self.small(self.scalar(3)))
        self.scalars = [*known, *loop.results]

    def kernel(self):
        with self.b.parallel(self.rows):
            self.tiles = [self.b.load(self.x, self.rows, self.cols), self.b.load(self.w, self.cols)]
            self.scalars = [self.b.const(1.0, f32)]
            self.store()
            if self.rng.random() < 0.4:
                self.b.store(self.x, (self.rows, self.cols), self.tile(2))
            if self.rng.random() < 0.6:
                self.loop()
            self.store()
            self.store()
        return self.b.build()


def case_of(seed):
    made = Program(seed)
    kernel = made.kernel()
    rng = np.random.default_rng(seed)
    numbers = rng.integers(-6, 7, (ROWS + 1, WIDTH)).astype(np.float32)
    outputs = {view.name: np.zeros(ROWS, np.float32) for view in made.outputs}
    return Case(kernel, {"x": numbers[1:], "w": numbers[0], **outputs})


def bodies(steps):
    return sum((step.kind == "fallback" and bool(step.body)) + bodies(step.body) for step in steps)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_plan_gives_what_the_interpreter_gives(seed):
    case = case_of(seed)
    exact = {name: array.copy() for name, array in case.arguments.items()}
    reference.run(case.specialised, exact)
    rng = Random(seed)
    sheet = SHEETS[rng.choice(("metal", "cuda"))]
    options = Options(policy="analytic", cache_inputs=rng.random() < 0.3)
    for share in (*rng.sample(SHARES, 3), None):
        ran = case.copy()
        mapping = REFERENCE if share is None else Mapping("subgroup", *share)
        lowered = ran.lower(sheet, mapping, None, options)
        if lowered is None:
            continue
        assert all(report.ok for report in ran.run_machine(lowered)), (share, lowered)
        for name, array in exact.items():
            np.testing.assert_array_equal(ran.arguments[name], array, err_msg=f"{name} {share}")


def test_the_programs_compute_again():
    """Most are admitted, and most of those have bodies that rows take or pass over."""
    plans = [case_of(seed).lower(SHEETS["metal"], Mapping("subgroup", 1)) for seed in SEEDS]
    admitted = [made[0][0].rows.steps for made in plans if made]
    assert len(admitted) > len(SEEDS) // 2
    assert sum(bodies(steps) > 0 for steps in admitted) > len(admitted) // 2
