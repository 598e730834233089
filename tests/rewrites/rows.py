"""Rows that tell a program from its rewriting: random ones, and special values at every place.

A pair of arrays (x, y), one row each.  `SPECIAL` names each kind; a row of length n is made of it.
"""

import numpy as np

INF, NAN = np.inf, np.nan
GREATEST = float(np.finfo(np.float32).max)


def _with(value, *places, scale=1.0):
    """Random elements with one value at the places, each a share of the row's length."""

    def made(rng, n):
        row = rng.standard_normal(n) * scale
        for place in places if n else ():
            row[min(int(place * n), n - 1)] = value
        return row

    return made


def _all(value):
    return lambda rng, n: np.full(n, value)


def _half(value):
    """Every other element the value, the rest random."""

    def made(rng, n):
        row = rng.standard_normal(n)
        row[::2] = value
        return row

    return made


def _alternating(value):
    """+value and -value in turn: one order of a sum overflows, another does not."""
    return lambda rng, n: value * np.where(np.arange(n) % 2, -1.0, 1.0)


def _halves(value):
    """First +value, then -value."""
    return lambda rng, n: value * np.where(2 * np.arange(n) < n, 1.0, -1.0)


ORDINARY = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "wide": lambda rng, n: rng.standard_normal(n) * 30,
    "small": lambda rng, n: rng.standard_normal(n) * 1e-3,
    "offset": lambda rng, n: rng.standard_normal(n) + 100,
    "rising": lambda rng, n: np.linspace(-40, 40, n),
    "falling": lambda rng, n: np.linspace(40, -40, n),
    "same": _all(1.5),
    "positive": lambda rng, n: np.abs(rng.standard_normal(n)),
    "negative": lambda rng, n: -np.abs(rng.standard_normal(n)),
}
SPECIAL = {
    "zeros": _all(0.0),
    "all -inf": _all(-INF),
    "all +inf": _all(INF),
    "all nan": _all(NAN),
    "half -inf": _half(-INF),
    "-inf first": _with(-INF, 0.0),
    "-inf last": _with(-INF, 1.0),
    "+inf first": _with(INF, 0.0),
    "+inf inside": _with(INF, 0.4),
    "+inf last": _with(INF, 1.0),
    "+inf twice": _with(INF, 0.2, 0.7),
    "nan first": _with(NAN, 0.0),
    "nan inside": _with(NAN, 0.6),
    "nan last": _with(NAN, 1.0),
    "greatest inside": _with(GREATEST, 0.3),
    "greatest twice": _with(GREATEST, 0.3, 0.9),
    "least inside": _with(-GREATEST, 0.7),
    "all 3e38": _all(3e38),
    "all -3e38": _all(-3e38),
    "in turn 3e38": _alternating(3e38),
    "halves 3e38": _halves(3e38),
    "in turn 1.2e19": _alternating(1.2e19),
    "outlier 1e30": _with(1e30, 0.5, scale=1e25),
    "subnormal": lambda rng, n: rng.standard_normal(n) * 1e-40,
}


KINDS = (*ORDINARY, *SPECIAL)
COUNT = len(KINDS)
# The interpreter folds in float64: what overflows or vanishes in a fold of f32 does not there.
MODERATE = tuple(
    kind
    for kind in KINDS
    if not any(size in kind for size in ("e38", "e19", "e30", "greatest", "least", "subnormal"))
)


def pairs(length, kinds, seed=0):
    """x and y of a row each kind; in every third row y is of a special kind too."""
    rng = np.random.default_rng((seed, length))
    every = {**ORDINARY, **SPECIAL}
    x, y = (np.empty((len(kinds), length), np.float32) for _ in range(2))
    beside = list(SPECIAL.values())
    for k, kind in enumerate(kinds):
        x[k] = every[kind](rng, length)
        y[k] = (
            beside[(k + seed) % len(beside)](rng, length) if k % 3 == 2 else rng.normal(size=length)
        )
    return x, y


def arguments(chain, length, kinds=KINDS, seed=0, scale=None):
    """Arguments of a chain's kernel: rows of these kinds; outputs are zeros."""
    x, y = pairs(length, kinds, seed)
    known = {"x": x, "y": y}
    made = {
        name: known.get(name, np.zeros(shape, np.float32))
        for name, shape in chain.shapes(len(kinds), length).items()
    }
    if "s" in chain.inputs:
        made["s"] = scale if scale is not None else 0.75
    return made
