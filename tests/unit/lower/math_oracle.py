"""What the vector math functions should give, and how far a result is from it.

In: inputs and results of one float type.  Out: true values as pairs of f64 whose own error does
not count, and distances in units of the last place.  Decides: what is wrong outright (`wrong`) and
what is only inexact (`distance`).  The values of f32 come from f64 functions, those of f64 from
mpmath.
"""

import math

import mpmath
import numpy as np

BLOCK = 1 << 14
BINARY = ("pow", "fmod")
# Where a result cancels near zero: the size in whose units it is measured, at least.
LEAST_SIZE = {"logaddexp": math.log(2)}


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
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "pow": np.power,
    "fmod": np.fmod,
    "logaddexp": np.logaddexp,
}

# For finite arguments inside the domain only: `expected_wide` takes the others from `ORACLES`.
EXACT = {
    **{name: getattr(mpmath, name) for name in ("exp", "expm1", "log", "log1p", "tanh")},
    **{name: getattr(mpmath, name) for name in ("erf", "erfc", "sin", "cos", "tan")},
    "exp2": lambda x: mpmath.power(2, x),
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "recip": lambda x: 1 / x,
    "pow": mpmath.power,
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
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
    "sin": (-30.0, 30.0),
    "cos": (-30.0, 30.0),
    "tan": (-30.0, 30.0),
}
LIVE_WIDE = {
    **LIVE,
    "exp": (-746.0, 710.0),
    "exp2": (-1076.0, 1025.0),
    "expm1": (-40.0, 710.0),
    "tanh": (-20.0, 20.0),
    "sigmoid": (-746.0, 40.0),
    "erf": (-6.0, 6.0),
    "erfc": (-6.0, 27.5),
}

# The numbers of each format that are nearest to a multiple of pi/2.
NEAR_QUARTERS = {
    np.float32: math.ldexp(16367173, 72),
    np.float64: float.fromhex("0x1.6ac5b262ca1ffp+849"),
}


def patterns(dtype, count):
    """Numbers of every sign and exponent, evenly over all bit patterns."""
    bits = 8 * np.dtype(dtype).itemsize
    step = 2**64 // count | 1
    wide = np.arange(count, dtype=np.uint64) * np.uint64(step)
    return (wide >> np.uint64(64 - bits)).astype(f"u{bits // 8}").view(dtype)


# Angles in whose products with the digits of 2/pi a part lies just below half of a whole turn.
NEAR_HALF_TURNS = ("0x1.a0708ep+75", "0x1.831284p+52", "0x1.53d10cp+121")


def around_quarters(dtype):
    """Numbers next to multiples of pi/2, and the worst that are known, with their neighbours."""
    whole = np.concatenate([np.arange(1, 3000), 2 ** np.arange(12, 50)]).astype(np.float64)
    known = [NEAR_QUARTERS[dtype], *map(float.fromhex, NEAR_HALF_TURNS)]
    near = np.concatenate([whole * (np.pi / 2), known]).astype(dtype)
    beside = [near, np.nextafter(near, dtype(0)), np.nextafter(near, dtype(np.inf))]
    return np.concatenate([*beside, *(-x for x in beside)])


def samples(name, count, dtype=np.float32):
    """`count` inputs or a few more: over all bit patterns, over the live range, and worst cases."""
    half = count // 2
    low, high = (LIVE if dtype == np.float32 else LIVE_WIDE)[name]
    live = np.linspace(low, high, count - half).astype(dtype)
    worst = around_quarters(dtype) if name in ("sin", "cos", "tan") else np.zeros(0, dtype)
    return np.concatenate([patterns(dtype, half), live, worst])


def power_pairs(count, dtype):
    """Bases and exponents: powers over the whole range, bases near 1, whole exponents, patterns."""
    rng = np.random.default_rng(11)
    size = count // 4
    most = 150.0 if dtype == np.float32 else 1075.0
    goal = rng.uniform(-most, most, (3, size))
    log = [rng.uniform(-126, 127, size), rng.normal(0, 1e-3, size), rng.uniform(-2, 2, size)]
    bases = [np.exp2(part) for part in log]
    exponents = list(goal / np.array(log))
    # A negative base has a power where the exponent is whole.
    bases[2] = np.where(rng.random(size) < 0.5, -bases[2], bases[2])
    exponents[2] = np.round(exponents[2])
    any_base, any_exponent = patterns(dtype, size), rng.permutation(patterns(dtype, size))
    return (
        np.concatenate([*(part.astype(dtype) for part in bases), any_base]),
        np.concatenate([*(part.astype(dtype) for part in exponents), any_exponent]),
    )


def remainder_pairs(count, dtype):
    """Dividends and divisors: any two patterns, near quotients, whole quotients."""
    rng = np.random.default_rng(12)
    size = count // 3
    x, y = patterns(dtype, size), rng.permutation(patterns(dtype, size))
    with np.errstate(all="ignore"):
        near = (x * rng.uniform(0.1, 40, size)).astype(dtype)
        whole = (np.round(rng.uniform(0, 5000, size)) * y.astype(np.float64)).astype(dtype)
    return np.concatenate([x, near, whole]), np.concatenate([y, x, y])


def sum_pairs(count, dtype):
    """Exponents to add: around zero, sums that cancel, other sizes, whole ranges, any patterns."""
    rng = np.random.default_rng(13)
    size = count // 5
    x = [rng.uniform(-1, 1, size), -rng.uniform(1e-3, 3, size), rng.uniform(-100, 100, size)]
    y = [x[0] - rng.uniform(0, 3, size), np.log(-np.expm1(x[1])), x[2] + rng.normal(0, 5, size)]
    x.append(rng.standard_normal(size) * np.exp2(rng.integers(-20, 20, size)))
    y.append(x[3] - np.exp2(rng.uniform(-30, 6, size)))
    x.append(patterns(dtype, size))
    y.append(rng.permutation(x[4]))
    swapped = rng.random(5 * size) < 0.5
    a, b = (np.concatenate([part.astype(dtype) for part in parts]) for parts in (x, y))
    return np.where(swapped, b, a), np.where(swapped, a, b)


PAIRS = {"pow": power_pairs, "fmod": remainder_pairs, "logaddexp": sum_pairs}


def evaluate(function, arguments, builder):
    """Run an expansion block by block, so that the temporaries stay in cache."""
    y = np.empty_like(arguments[0])
    with np.errstate(all="ignore"):
        for start in range(0, y.size, BLOCK):
            part = slice(start, start + BLOCK)
            y[part] = function(builder, *(x[part] for x in arguments))
    return y


def expected(name, *arguments):
    """The f64 value of the function at each float32."""
    with np.errstate(all="ignore"):
        return ORACLES[name](*(x.astype(np.float64) for x in arguments))


def expected_wide(name, *arguments):
    """The value at each float64 as a pair: the nearest f64, and the nearest to what is left.

    Where the f64 function gives a NaN, an infinity or a zero of a special case, that is the value.
    """
    nearest = expected(name, *arguments)
    rest = np.zeros_like(nearest)
    finite = np.logical_and.reduce([np.isfinite(x) for x in arguments]) & np.isfinite(nearest)
    finite &= (nearest != 0) & np.logical_and.reduce([x != 0 for x in arguments])
    with mpmath.workprec(120):
        for i in np.flatnonzero(finite):
            exact = EXACT[name](*(mpmath.mpf(float(x[i])) for x in arguments))
            value = float(exact.real)
            if math.isfinite(value):
                nearest[i], rest[i] = value, float(exact.real - value)
    return nearest, rest


def wrong(y, truth, *, signed=True):
    """Where NaN, an infinity, a zero's sign or a sign is not as it must be.

    A result may be infinite where the value rounds to infinity or lies one rounding below.  One
    that cancels near zero is not `signed`: its sign is a matter of distance.
    """
    with np.errstate(all="ignore"):
        nearest = truth.astype(y.dtype)
    nan = np.isnan(y) != np.isnan(truth)
    limits = np.isinf(truth) & (y != nearest)
    overflow = np.isinf(y) & ~np.isinf(nearest) & (np.abs(truth) < np.finfo(y.dtype).max)
    sign = ~np.isnan(y) & ~np.isnan(truth) & (np.signbit(y) != np.signbit(truth))
    return nan | limits | overflow | (sign & signed)


def distance(y, truth, rest=0.0, least=0.0):
    """abs(y - truth - rest) in units of the last place of `truth`; 0 where one is not finite.

    Where `truth` is smaller than `least`, in units of that.
    """
    info = np.finfo(y.dtype)
    with np.errstate(all="ignore"):
        exponent = np.frexp(np.maximum(np.abs(truth), least))[1]
        last = np.maximum(exponent - 1, info.minexp) - info.nmant
        # All three near 1: neither the units nor the differences of f64 leave its range.
        mine, true, low = (
            np.ldexp(part, -exponent) for part in (y.astype(np.float64), truth, rest)
        )
        ulp = np.abs(np.ldexp((mine - true) - low, exponent - last))
    return np.where(np.isfinite(y) & np.isfinite(truth), ulp, 0.0)
