"""What the vector math functions should give, and how far a result is from it.

In: float32 inputs and results.  Out: f64 values, whose own error does not count beside f32, and
distances in units of the last f32 place.  Decides: what is wrong outright (`wrong`) and what is
only inexact (`distance`).
"""

import math

import numpy as np

BLOCK = 1 << 14


def _each(function):
    return lambda x: np.fromiter(map(function, x.tolist()), np.float64, x.size)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


ORACLES = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "erf": _each(math.erf),
    "erfc": _each(math.erfc),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "recip": lambda x: 1 / x,
}

# Where a function does not only give its limits or its argument: half of the samples.
LIVE = {
    "exp": (-104.5, 89.5),
    "exp2": (-151.0, 129.0),
    "expm1": (-20.0, 89.0),
    "log": (0.25, 4.0),
    "log2": (0.25, 4.0),
    "log1p": (-1.0, 3.0),
    "tanh": (-9.5, 9.5),
    "sigmoid": (-104.5, 18.0),
    "erf": (-4.0, 4.0),
    "erfc": (-4.0, 10.25),
    "rsqrt": (0.25, 4.0),
    "recip": (0.25, 4.0),
}


def samples(name, count):
    """`count` float32 inputs: evenly over all bit patterns, and evenly over the live range."""
    half = count // 2
    patterns = np.arange(half, dtype=np.uint64) * np.uint64(2**32 // half + 1) % np.uint64(2**32)
    low, high = LIVE[name]
    live = np.linspace(low, high, count - half).astype(np.float32)
    return np.concatenate([patterns.astype(np.uint32).view(np.float32), live])


def evaluate(function, x, builder):
    """Run an expansion over `x` block by block, so that the temporaries stay in cache."""
    y = np.empty_like(x)
    with np.errstate(all="ignore"):
        for start in range(0, x.size, BLOCK):
            part = slice(start, start + BLOCK)
            y[part] = function(builder, x[part])
    return y


def expected(name, x):
    """The f64 value of the function at each float32."""
    with np.errstate(all="ignore"):
        return ORACLES[name](x.astype(np.float64))


def wrong(y, truth):
    """Where NaN, an infinity, a zero's sign or a sign is not as it must be.

    A result may be infinite where the value rounds to infinity or lies one rounding below.
    """
    with np.errstate(all="ignore"):
        nearest = truth.astype(np.float32)
    nan = np.isnan(y) != np.isnan(truth)
    limits = np.isinf(truth) & (y != nearest)
    overflow = np.isinf(y) & ~np.isinf(nearest) & (np.abs(truth) < np.finfo(np.float32).max)
    sign = ~np.isnan(y) & ~np.isnan(truth) & (np.signbit(y) != np.signbit(truth))
    return nan | limits | overflow | sign


def distance(y, truth):
    """abs(y - truth) in units of the last f32 place of `truth`; 0 where either is not finite."""
    with np.errstate(all="ignore"):
        exponent = np.frexp(truth)[1]
        unit = np.ldexp(1.0, np.maximum(exponent - 1, -126) - 23)
        ulp = np.abs(y.astype(np.float64) - truth) / unit
    return np.where(np.isfinite(y) & np.isfinite(truth), ulp, 0.0)
