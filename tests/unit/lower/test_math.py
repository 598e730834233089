"""Each expansion keeps its bound and its special values in f32; helpers are exact.

f64 has a file of its own.
"""

import numpy as np
import pytest

from certile.ir.functions import FUNCTIONS
from certile.lower.math import BOUNDS, EXPANSIONS, FORMATS
from certile.lower.math.arith import F32, Arith
from certile.lower.math.exponential import EXP, EXP2
from certile.lower.math.numpy_arith import NumpyArith
from certile.lower.math.portable import PORTABLE
from certile.lower.math.shared import below_two, horner
from tests.unit.lower.math_oracle import (
    BINARY,
    LEAST_SIZE,
    PAIRS,
    distance,
    evaluate,
    expected,
    remainder_pairs,
    samples,
    wrong,
)

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
            (LEAST, LEAST), (4.1875, 1.0), (-5.0, -1.0)],
    "erfc": [(0.0, 1.0), (-0.0, 1.0), (INFINITY, 0.0), (-INFINITY, 2.0), (NAN, NAN),
             (10.0625, 0.0), (-6.0, 2.0), (3.4e38, 0.0)],
    "rsqrt": [(1.0, 1.0), (4.0, 0.5), (0.0, INFINITY), (-0.0, -INFINITY), (INFINITY, 0.0),
              (-1.0, NAN), (-INFINITY, NAN), (NAN, NAN), (2.0**-148, 2.0**74)],
    "recip": [(2.0, 0.5), (0.0, INFINITY), (-0.0, -INFINITY), (INFINITY, 0.0), (-INFINITY, -0.0),
              (NAN, NAN), (2.0**127, 2.0**-127), (LEAST, INFINITY)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (INFINITY, NAN), (-INFINITY, NAN), (NAN, NAN),
            (LEAST, LEAST), (-LEAST, -LEAST), (2.0**-126, 2.0**-126)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (INFINITY, NAN), (-INFINITY, NAN), (NAN, NAN), (LEAST, 1.0)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (INFINITY, NAN), (-INFINITY, NAN), (NAN, NAN),
            (LEAST, LEAST), (-LEAST, -LEAST), (2.0**-126, 2.0**-126)],
}  # fmt: skip

# IEEE 754, 9.2.1: base, exponent, power.
POWERS = [
    *((x, y, 1.0) for x in (0.0, -0.0, 2.5, -3.0, INFINITY, -INFINITY, NAN) for y in (0.0, -0.0)),
    *((1.0, y, 1.0) for y in (2.5, -7.0, INFINITY, -INFINITY, NAN)),
    *((-1.0, y, 1.0) for y in (INFINITY, -INFINITY, 2.0, 3.0e38)),
    (-1.0, 3.0, -1.0), (-1.0, -16777215.0, -1.0), (-1.0, 16777216.0, 1.0),
    (NAN, 2.0, NAN), (2.0, NAN, NAN), (-2.0, 0.5, NAN), (-LEAST, 1.5, NAN), (-0.0, 0.5, 0.0),
    (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (0.0, 2.5, 0.0), (-0.0, 2.0, 0.0), (0.0, INFINITY, 0.0),
    (0.0, -3.0, INFINITY), (-0.0, -3.0, -INFINITY), (-0.0, -2.0, INFINITY), (0.0, -0.5, INFINITY),
    (0.0, -INFINITY, INFINITY), (-0.0, -INFINITY, INFINITY),
    (INFINITY, 0.25, INFINITY), (INFINITY, -LEAST, 0.0), (-INFINITY, 3.0, -INFINITY),
    (-INFINITY, 2.0, INFINITY), (-INFINITY, 0.5, INFINITY), (-INFINITY, -3.0, -0.0),
    (-INFINITY, -2.5, 0.0), (0.5, INFINITY, 0.0), (0.5, -INFINITY, INFINITY),
    (-2.0, INFINITY, INFINITY), (2.0, -INFINITY, 0.0), (-0.25, -INFINITY, INFINITY),
    (2.0, -149.0, LEAST), (-2.0, -149.0, -LEAST), (2.0, -151.0, 0.0), (2.0, 128.0, INFINITY),
    (-2.0, 127.0, -(2.0**127)), (-3.0e38, 3.0, -INFINITY), (LEAST, -0.5, 2.0**74.5),
    (4.0, 0.5, 2.0), (3.0, 1.0, 3.0), (2.0**-126, 1.0, 2.0**-126),
]  # fmt: skip

# C11, F.10.7.1: dividend, divisor, remainder.
REMAINDERS = [
    (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (5.5, INFINITY, 5.5), (-5.5, -INFINITY, -5.5),
    (3.4e38, INFINITY, 3.4e38), (1.0, 0.0, NAN), (1.0, -0.0, NAN), (INFINITY, 2.0, NAN),
    (-INFINITY, INFINITY, NAN), (NAN, 1.0, NAN), (1.0, NAN, NAN), (0.0, 0.0, NAN),
    (6.0, 3.0, 0.0), (-6.0, 3.0, -0.0), (7.0, -4.0, 3.0), (-7.0, 4.0, -3.0),
    (3.0e38, LEAST, 0.0), (2.0**127, 3 * LEAST, LEAST), (5 * LEAST, 3 * LEAST, 2 * LEAST),
]  # fmt: skip


def arguments(name, count):
    return PAIRS[name](count, np.float32) if name in PAIRS else (samples(name, count),)


def test_every_expansion_has_bounds_and_special_values():
    pairs = {(name, form) for name in (*EXPANSIONS, "logaddexp") for form in FORMATS}
    assert pairs == BOUNDS.keys()
    assert EXPANSIONS.keys() == SPECIAL.keys() | set(BINARY)
    assert all(bound <= FUNCTIONS[name].ulp for (name, _), bound in BOUNDS.items())


@pytest.mark.parametrize("name", PORTABLE)
def test_bound(name):
    x = arguments(name, SAMPLES)
    y = evaluate(lambda _, *parts: PORTABLE[name](*parts), x, None)
    truth = expected(name, *x)
    bad = np.flatnonzero(wrong(y, truth, signed=name not in LEAST_SIZE))
    assert not bad.size, [part[bad][:4] for part in (*x, y)]
    ulp = distance(y, truth, least=LEAST_SIZE.get(name, 0.0))
    worst = int(np.argmax(ulp))
    assert ulp[worst] <= BOUNDS[name, "f32"], (ulp[worst], [part[worst] for part in (*x, y)])


@pytest.mark.parametrize(("name", "cases"), [("pow", POWERS), ("fmod", REMAINDERS)])
def test_special_values_of_two_arguments(name, cases):
    x, y, want = np.array(cases, np.float32).T
    found = evaluate(EXPANSIONS[name], (x, y), NumpyArith())
    np.testing.assert_array_equal(found, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(found)[numbers], np.signbit(want)[numbers])


def test_a_lane_does_not_depend_on_its_neighbours():
    """Rounds that other lanes need change nothing in a lane that is done."""
    x, y = remainder_pairs(3000, np.float32)
    together = evaluate(EXPANSIONS["fmod"], (x, y), NumpyArith())
    alone = [evaluate(EXPANSIONS["fmod"], (x[i : i + 1], y[i : i + 1]), NumpyArith())[0]
             for i in range(0, x.size, 7)]  # fmt: skip
    np.testing.assert_array_equal(together[::7], alone)
    angles = np.array([1.5, 1e30, 3.0, -(2.0**17), 0.0], np.float32)
    waves = evaluate(EXPANSIONS["sin"], (angles,), NumpyArith())
    each = [evaluate(EXPANSIONS["sin"], (angles[i : i + 1],), NumpyArith())[0] for i in range(5)]
    np.testing.assert_array_equal(waves, each)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(name):
    x = np.array([case[0] for case in SPECIAL[name]], np.float32)
    want = np.array([case[1] for case in SPECIAL[name]], np.float32)
    y = evaluate(EXPANSIONS[name], (x,), NumpyArith())
    np.testing.assert_array_equal(y, want)
    numbers = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(y)[numbers], np.signbit(want)[numbers])


@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_wide_scaling_changes_no_bit(name):
    """Patterns of every exponent and both signs, all places around the limits, and NaN."""
    patterns = np.random.default_rng(3).integers(0, 1 << 32, 1 << 17, dtype=np.uint32)
    near = np.linspace(-160.0, 160.0, 1 << 16).astype(np.float32)
    special = np.array([case[0] for case in SPECIAL[name]] + [-NAN, -3.4e38, 3.4e38], np.float32)
    x = np.concatenate([patterns.view(np.float32), near, special])
    clamped = evaluate(EXPANSIONS[name], (x,), NumpyArith())
    wide = evaluate(EXPANSIONS[name], (x,), NumpyArith(scales_widely=True))
    numbers = ~np.isnan(clamped)
    np.testing.assert_array_equal(np.isnan(wide), np.isnan(x))
    np.testing.assert_array_equal(numbers, ~np.isnan(x))
    np.testing.assert_array_equal(wide[numbers].view(np.uint32), clamped[numbers].view(np.uint32))


@pytest.mark.parametrize("coefficients", [EXP[F32], EXP2[F32]])
def test_polynomials_are_positive_wherever_wide_scaling_puts_them(coefficients):
    """Below 2 in size an argument gives a number that no exponent beyond the limits outweighs."""
    r = np.linspace(-2.0, 2.0, 1 << 16).astype(np.float32)
    p = evaluate(lambda b, x: horner(b, x, coefficients), (r,), NumpyArith())
    assert p.min() > 0.1
    assert p.max() < 8.0


def test_a_number_below_two_is_kept_and_any_other_becomes_one():
    x = np.random.default_rng(5).integers(0, 1 << 32, 1 << 16, dtype=np.uint32).view(np.float32)
    y = evaluate(below_two, (x,), NumpyArith())
    small = np.abs(x) < 2
    np.testing.assert_array_equal(y[small].view(np.uint32), x[small].view(np.uint32))
    assert (np.abs(y) < 2).all()


def test_powers_of_two_are_exact():
    n = np.arange(-149, 128).astype(np.float32)
    powers = np.ldexp(1.0, n.astype(np.int64)).astype(np.float32)
    np.testing.assert_array_equal(evaluate(EXPANSIONS["exp2"], (n,), NumpyArith()), powers)
    np.testing.assert_array_equal(evaluate(EXPANSIONS["log2"], (powers,), NumpyArith()), n)


@pytest.mark.parametrize("name", ["expm1", "log1p", "tanh"])
def test_subnormal_arguments_keep_their_last_bit(name):
    x = np.arange(1, 2**23, 4093, dtype=np.int32).view(np.float32)
    truth = expected(name, x)
    y = evaluate(EXPANSIONS[name], (x,), NumpyArith())
    nearest = np.abs(y.astype(np.float64) - truth)
    assert nearest.max() <= 0.5 * LEAST


class Counting(NumpyArith):
    """Counts what a target has to execute; a reinterpretation and a constant are free."""

    FREE = frozenset({"const", "iconst", "bits", "float_of", "format", "scales_widely"})

    def __init__(self, **choices):
        super().__init__(**choices)
        self.count = 0

    def __getattribute__(self, name):
        if name in Arith.__dict__ and name not in Counting.FREE and not name.startswith("_"):
            self.count += 1
        return super().__getattribute__(name)


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("exp", 15),
        ("exp2", 14),
        ("tanh", 30),
        ("erf", 23),
        ("sigmoid", 30),
        ("log", 31),
        ("sin", 63),
        ("tan", 78),
        ("pow", 106),
    ],
)
def test_operation_count(name, limit):
    builder = Counting()
    one = np.ones(1, np.float32)
    evaluate(EXPANSIONS[name], (one, one)[: 1 + (name in BINARY)], builder)
    assert builder.count <= limit


@pytest.mark.parametrize(("name", "limit"), [("exp", 12), ("exp2", 11)])
def test_operation_count_where_scaling_is_wide(name, limit):
    builder = Counting(scales_widely=True)
    evaluate(EXPANSIONS[name], (np.ones(1, np.float32),), builder)
    assert builder.count <= limit


def test_builders_spell_every_operation():
    names = {name for name in vars(Arith) if not name.startswith("_")}
    assert len(names) == 34
    builder = NumpyArith()
    properties = {"format", "scales_widely"}
    assert all(callable(getattr(builder, name)) for name in names - properties)


def test_constant_must_be_a_float32():
    with pytest.raises(ValueError, match="not a float32"):
        NumpyArith().const(0.1)
