"""The fused multiply-add of float64 arrays rounds once: compared with exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from certile.reference.fused import fma_f64

MOST = float(np.finfo(np.float64).max)


def exact(a, b, c):
    total = Fraction(a) * Fraction(b) + Fraction(c)
    if total == 0:
        return a * b + c
    try:
        return total.numerator / total.denominator
    except OverflowError:
        return float("inf") if total > 0 else float("-inf")


def check(a, b, c):
    with np.errstate(all="ignore"):
        found = fma_f64(a, b, c)
        wanted = np.array([exact(*map(float, args)) for args in zip(a, b, c, strict=True)])
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))


def numbers(rng, count, low, high):
    signs = rng.choice([-1.0, 1.0], count)
    return signs * np.ldexp(rng.uniform(1, 2, count), rng.integers(low, high, count))


@pytest.mark.parametrize("scale", [(-3, 3), (-30, 30), (-500, 500), (-1074, 1023)], ids=str)
def test_any_sizes(scale):
    rng = np.random.default_rng(2)
    a, b, c = (numbers(rng, 3000, *scale) for _ in range(3))
    check(a, b, c)


def test_sums_that_cancel():
    rng = np.random.default_rng(3)
    a, b = numbers(rng, 3000, -40, 40), numbers(rng, 3000, -40, 40)
    check(a, b, -(a * b))
    check(a, b, np.nextafter(-(a * b), np.inf))


def test_ties():
    """1 + 2**-53 is a tie that the smallest low part decides."""
    half = 2.0**-53
    a = np.array([half, half, half * 3, np.nextafter(half, 1), np.nextafter(half, 0)])
    for sign in (1.0, -1.0):
        check(a, np.ones(5), np.full(5, sign))
    check(np.full(2, 1 + 2.0**-30), np.full(2, 1 - 2.0**-30), np.array([half, -half]))


def test_ends_of_the_range():
    tiny = 2.0**-1074
    a = np.array([MOST, MOST, -MOST, 2.0**1000, tiny, tiny, 2.0**-600, 2.0**-537, -(2.0**-1000)])
    b = np.array([2.0, 1.0, 2.0, 2.0**100, 0.5, tiny, 2.0**-474, 2.0**-537, 2.0**-900])
    c = np.array([-MOST, 2.0**970, MOST, -MOST, tiny, tiny, 2.0**-1022, -0.0, 0.0])
    check(a, b, c)


def test_infinities_and_nan_are_those_of_plain_arithmetic():
    a = np.array([np.inf, np.inf, np.nan, 1.0, np.inf, 0.0, -0.0])
    b = np.array([2.0, 0.0, 1.0, 1.0, 1.0, 5.0, 5.0])
    c = np.array([1.0, 1.0, 1.0, -np.inf, -np.inf, -0.0, -0.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(fma_f64(a, b, c), a * b + c)
        assert np.signbit(fma_f64(a, b, c)[-1])


def test_shapes_broadcast():
    made = fma_f64(np.ones((3, 1)), np.array([2.0, 3.0]), np.float64(1))
    np.testing.assert_array_equal(made, np.full((3, 1), 1.0) * [2.0, 3.0] + 1)
