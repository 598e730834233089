"""Each expansion keeps its bound and its special values in f64."""

from fractions import Fraction

import numpy as np
import pytest

from certile.lower.math import BOUNDS, EXPANSIONS, FORMATS
from certile.lower.math.arith import F64
from certile.lower.math.numpy_arith import NumpyArith
from certile.lower.math.portable import PORTABLE
from certile.lower.math.reduction import _modulo_four
from tests.unit.lower.math_oracle import (
    BINARY,
    LEAST_SIZE,
    NEAR_QUARTERS,
    distance,
    evaluate,
    expected,
    expected_wide,
    power_pairs,
    remainder_pairs,
    samples,
    sum_pairs,
    wrong,
)
from tests.unit.lower.test_math import POWERS, REMAINDERS, SPECIAL

SAMPLES = 1 << 14
REMAINDER_SAMPLES = 1 << 16
LEAST = 2.0**-1074
LEAST_NARROW = 2.0**-149
INFINITY = float("inf")

# Inputs whose results are limits of f32 alone, and what f64 gives there or at its own limits.
OWN_LIMITS = {
    "exp": [(710.0, INFINITY), (-746.0, 0.0), (-745.0, LEAST)],
    "exp2": [(-1074.0, LEAST), (-1076.0, 0.0), (1023.0, 2.0**1023), (1024.0, INFINITY)],
    "expm1": [(710.0, INFINITY), (LEAST, LEAST), (-LEAST, -LEAST), (-60.0, -1.0)],
    "log2": [(LEAST, -1074.0), (2.0**-1022, -1022.0), (2.0**1023, 1023.0)],
    "log1p": [(LEAST, LEAST), (-LEAST, -LEAST)],
    "tanh": [(LEAST, LEAST), (20.0, 1.0), (-20.0, -1.0)],
    "sigmoid": [(-745.0, LEAST), (-746.0, 0.0), (1.7e308, 1.0)],
    "erf": [(LEAST, LEAST), (6.0, 1.0), (-1.7e308, -1.0)],
    "erfc": [(27.25, 0.0), (1.7e308, 0.0), (-6.0, 2.0)],
    "rsqrt": [(LEAST, 2.0**537), (2.0**-1022, 2.0**511)],
    "recip": [(2.0**1023, 2.0**-1023), (LEAST, INFINITY)],
    "sin": [(LEAST, LEAST), (-LEAST, -LEAST)],
    "tan": [(LEAST, LEAST), (-LEAST, -LEAST)],
}


def found(name, *x):
    return evaluate(EXPANSIONS[name], x, NumpyArith(F64))


def check(name, arguments, truth, rest):
    y = PORTABLE[name](*arguments)
    bad = np.flatnonzero(wrong(y, truth, signed=name not in LEAST_SIZE))
    assert not bad.size, [part[bad][:4] for part in (*arguments, y)]
    ulp = distance(y, truth, rest, LEAST_SIZE.get(name, 0.0))
    worst = int(np.argmax(ulp))
    place = (ulp[worst], [part[worst] for part in (*arguments, y)])
    assert ulp[worst] <= BOUNDS[name, "f64"], place


@pytest.mark.parametrize("name", [name for name in EXPANSIONS if name not in BINARY])
def test_bound(name):
    x = samples(name, SAMPLES, np.float64)
    check(name, (x,), *expected_wide(name, x))


def test_bound_of_pow():
    x, y = power_pairs(SAMPLES, np.float64)
    check("pow", (x, y), *expected_wide("pow", x, y))


def test_bound_of_logaddexp():
    x, y = sum_pairs(SAMPLES, np.float64)
    check("logaddexp", (x, y), *expected_wide("logaddexp", x, y))


def test_fmod_is_exact():
    x, y = remainder_pairs(REMAINDER_SAMPLES, np.float64)
    check("fmod", (x, y), expected("fmod", x, y), 0.0)


def same(y, want):
    np.testing.assert_array_equal(y, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(y)[numbers], np.signbit(want)[numbers])


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    """Zeros, infinities, NaN and exact results are those of f32; limits are the format's own."""
    tiny = (LEAST_NARROW, -LEAST_NARROW)
    kept = (0.0, 0.5, 1.0, 2.0, -1.0)
    shared = [(x, y) for x, y in SPECIAL[name] if x not in tiny and (y in kept or y != y)]
    shared = [(x, y) for x, y in shared if abs(x) <= 2 or not np.isfinite(x)]
    cases = np.array(shared + OWN_LIMITS.get(name, []))
    assert len(cases) >= 4
    same(found(name, cases[:, 0]), cases[:, 1])


@pytest.mark.parametrize(("name", "cases"), [("pow", POWERS), ("fmod", REMAINDERS)])
def test_special_values_of_two_arguments(name, cases):
    own = {
        "pow": [(2.0, -1074.0, LEAST), (-2.0, -1073.0, -2 * LEAST), (2.0, 1024.0, INFINITY)],
        "fmod": [(2.0**1023, 3 * LEAST, 2 * LEAST), (1.7e308, LEAST, 0.0)],
    }[name]
    narrow = (LEAST_NARROW, -LEAST_NARROW, 2.0**128)
    limits = {"pow": (-151.0, 128.0, 3.0), "fmod": ()}[name]
    shared = [
        case
        for case in cases
        if not {abs(case[0]), abs(case[2])} & set(narrow) and case[1] not in limits
    ]
    x, y, want = np.array([*shared, *own]).T
    same(found(name, x, y), want)


def test_an_angle_that_reduces_to_almost_nothing():
    """Its cosine is what is left of it: all digits of 2/pi down to there must be right."""
    x = np.array([NEAR_QUARTERS[np.float64], -NEAR_QUARTERS[np.float64]])
    truth, rest = expected_wide("cos", x)
    assert 0 < np.abs(truth).max() < 2.0**-60
    check("cos", (x,), truth, rest)


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_multiples_of_four_are_taken_exactly(form):
    """Beside every half of a multiple, where a rounded quotient names the wrong one."""
    builder = NumpyArith(form)
    dtype = builder.const(1.0).dtype.type
    halves = np.concatenate([np.arange(-64, 65), 2.0 ** np.arange(7, 60)]).astype(dtype)
    x = np.concatenate([halves, *(np.nextafter(halves, dtype(end)) for end in (-np.inf, np.inf))])
    left = _modulo_four(builder, x)
    assert np.abs(left).max() <= 4
    turns = [(Fraction(float(a)) - Fraction(float(b))) / 4 for a, b in zip(x, left, strict=True)]
    assert all(turn.denominator == 1 for turn in turns)


def test_portable_functions_choose_the_format_of_their_operands():
    x = np.array([0.3, 2.5])
    assert PORTABLE["exp"](x).dtype == np.float64
    assert PORTABLE["exp"](x.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(PORTABLE["sin"](x), found("sin", x))
