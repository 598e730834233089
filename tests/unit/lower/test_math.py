"""Each expansion keeps its bound and its special values; helpers are exact."""

import numpy as np
import pytest

from certile.lower.math import BOUNDS, EXPANSIONS, NumpyArith
from certile.lower.math.arith import Arith
from tests.unit.lower.math_oracle import distance, evaluate, expected, samples, wrong

SAMPLES = 1 << 20
INFINITY = float("inf")
NAN = float("nan")
LEAST = 2.0**-149

# name -> (input, exact result); both are float32.
SPECIAL = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (-INFINITY, 0.0), (INFINITY, INFINITY), (NAN, NAN),
            (89.0, INFINITY), (-103.9, LEAST), (-104.0, 0.0), (LEAST, 1.0), (-3.4e38, 0.0)],
    "exp2": [(0.0, 1.0), (-INFINITY, 0.0), (INFINITY, INFINITY), (NAN, NAN), (-149.0, LEAST),
             (-150.0, 0.0), (127.0, 2.0**127), (128.0, INFINITY), (-126.0, 2.0**-126), (3.0, 8.0)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (-INFINITY, -1.0), (INFINITY, INFINITY), (NAN, NAN),
              (LEAST, LEAST), (-LEAST, -LEAST), (2.0**-126, 2.0**-126), (89.0, INFINITY)],
    "log": [(1.0, 0.0), (0.0, -INFINITY), (-0.0, -INFINITY), (INFINITY, INFINITY), (-1.0, NAN),
            (-INFINITY, NAN), (NAN, NAN), (-LEAST, NAN)],
    "log2": [(1.0, 0.0), (0.0, -INFINITY), (-0.0, -INFINITY), (INFINITY, INFINITY), (-1.0, NAN),
             (-INFINITY, NAN), (NAN, NAN), (LEAST, -149.0), (2.0**-126, -126.0), (2.0**127, 127.0)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1.0, -INFINITY), (INFINITY, INFINITY), (-1.5, NAN),
              (-INFINITY, NAN), (NAN, NAN), (LEAST, LEAST), (-LEAST, -LEAST)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (INFINITY, 1.0), (-INFINITY, -1.0), (NAN, NAN),
             (LEAST, LEAST), (-LEAST, -LEAST), (20.0, 1.0)],
    "sigmoid": [(0.0, 0.5), (-0.0, 0.5), (INFINITY, 1.0), (-INFINITY, 0.0), (NAN, NAN),
                (-103.9, LEAST), (-104.0, 0.0), (3.4e38, 1.0), (-3.4e38, 0.0)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INFINITY, 1.0), (-INFINITY, -1.0), (NAN, NAN),
            (LEAST, LEAST), (4.0, 1.0)],
    "erfc": [(0.0, 1.0), (-0.0, 1.0), (INFINITY, 0.0), (-INFINITY, 2.0), (NAN, NAN),
             (10.0625, 0.0), (-6.0, 2.0), (3.4e38, 0.0)],
    "rsqrt": [(1.0, 1.0), (4.0, 0.5), (0.0, INFINITY), (-0.0, -INFINITY), (INFINITY, 0.0),
              (-1.0, NAN), (-INFINITY, NAN), (NAN, NAN), (2.0**-148, 2.0**74)],
    "recip": [(2.0, 0.5), (0.0, INFINITY), (-0.0, -INFINITY), (INFINITY, 0.0), (-INFINITY, -0.0),
              (NAN, NAN), (2.0**127, 2.0**-127), (LEAST, INFINITY)],
}  # fmt: skip


def test_every_expansion_has_a_bound_and_special_values():
    assert EXPANSIONS.keys() == BOUNDS.keys() == SPECIAL.keys()
    assert max(BOUNDS.values()) <= 2.0


@pytest.mark.parametrize("name", EXPANSIONS)
def test_bound(name):
    x = samples(name, SAMPLES)
    y = evaluate(EXPANSIONS[name], x, NumpyArith())
    truth = expected(name, x)
    assert not x[wrong(y, truth)].size, x[wrong(y, truth)][:4]
    ulp = distance(y, truth)
    worst = int(np.argmax(ulp))
    assert ulp[worst] <= BOUNDS[name], (ulp[worst], x[worst], y[worst])


@pytest.mark.parametrize("name", EXPANSIONS)
def test_special_values(name):
    x = np.array([case[0] for case in SPECIAL[name]], np.float32)
    want = np.array([case[1] for case in SPECIAL[name]], np.float32)
    y = evaluate(EXPANSIONS[name], x, NumpyArith())
    np.testing.assert_array_equal(y, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(y)[numbers], np.signbit(want)[numbers])


def test_powers_of_two_are_exact():
    n = np.arange(-149, 128).astype(np.float32)
    powers = np.ldexp(1.0, n.astype(np.int64)).astype(np.float32)
    np.testing.assert_array_equal(evaluate(EXPANSIONS["exp2"], n, NumpyArith()), powers)
    np.testing.assert_array_equal(evaluate(EXPANSIONS["log2"], powers, NumpyArith()), n)


@pytest.mark.parametrize("name", ["expm1", "log1p", "tanh"])
def test_subnormal_arguments_keep_their_last_bit(name):
    x = np.arange(1, 2**23, 4093, dtype=np.int32).view(np.float32)
    truth = expected(name, x)
    y = evaluate(EXPANSIONS[name], x, NumpyArith())
    nearest = np.abs(y.astype(np.float64) - truth)
    assert nearest.max() <= 0.5 * LEAST


class Counting(NumpyArith):
    """Counts what a target has to execute; a reinterpretation and a constant are free."""

    FREE = frozenset({"const", "iconst", "bits", "float_of"})

    def __init__(self):
        self.count = 0

    def __getattribute__(self, name):
        if name in Arith.__dict__ and name not in Counting.FREE and not name.startswith("_"):
            self.count += 1
        return super().__getattribute__(name)


@pytest.mark.parametrize(
    ("name", "limit"),
    [("exp", 15), ("exp2", 14), ("tanh", 30), ("erf", 30), ("sigmoid", 30), ("log", 31)],
)
def test_operation_count(name, limit):
    builder = Counting()
    evaluate(EXPANSIONS[name], np.ones(1, np.float32), builder)
    assert builder.count <= limit


def test_builders_spell_every_operation():
    names = [name for name in vars(Arith) if not name.startswith("_")]
    assert len(names) == 29
    assert all(callable(getattr(NumpyArith, name, None)) for name in names)


def test_constant_must_be_a_float32():
    with pytest.raises(ValueError, match="not a float32"):
        NumpyArith().const(0.1)
