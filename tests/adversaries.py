"""Rows on which sums, weighted sums and variances round badly, and a search for worse ones."""

import numpy as np

GENERATIONS, OFFSPRING = 25, 8


def rows(length, seed=0):
    """Adversarial rows in float32 by name."""
    rng, k = np.random.default_rng(seed), np.arange(length)
    made = {
        "normal": rng.standard_normal(length),
        "uniform": rng.random(length),
        "offset": 1e4 + rng.standard_normal(length),
        "rising": np.linspace(-20, 20, length),
        "falling": np.linspace(20, -20, length),
        "wide": rng.standard_normal(length) * 10.0 ** rng.uniform(-3, 1.2, length),
        "cancelling": np.where(k % 2, 1.0, -1.0) * (1 + 1e-4 * rng.random(length)),
        "one ulp apart": 1 + k * 2.0**-23,
        "half ulps": np.where(k == 0, 1.0, 2.0**-24),
    }
    return {name: row.astype(np.float32) for name, row in made.items()}


def climb(start, ratio, seed=0):
    """The greatest ratio found by random changes of a row, of 200 tried.

    `ratio` takes rows and gives a number each.  Each generation changes some elements of the best
    row so far: by an ulp, by a factor, or to that of a neighbour.
    """
    rng, best, top = np.random.default_rng(seed), start, 0.0
    for _ in range(GENERATIONS):
        tried = np.repeat(best[None], OFFSPRING, axis=0)
        for row in tried:
            _change(rng, row)
        found = ratio(tried)
        if found.max() >= top:
            top, best = float(found.max()), tried[int(found.argmax())]
    return top


def _change(rng, row):
    some = rng.random(row.size) < rng.choice((0.02, 0.2, 1.0))
    way = rng.integers(3)
    if way == 0:
        towards = np.where(rng.random(row.size) < 0.5, np.inf, -np.inf).astype(np.float32)
        changed = np.nextafter(row, towards)
    elif way == 1:
        changed = row * (1 + 0.1 * rng.standard_normal(row.size)).astype(np.float32)
    else:
        changed = np.roll(row, 1)
    row[some] = changed[some]
