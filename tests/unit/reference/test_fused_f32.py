"""The fused multiply-add of float32 arrays rounds once: compared with exact rational arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.reference.fused import fma_f32

PATTERNS = st.integers(min_value=0, max_value=2**32 - 1)
LARGEST = float(np.finfo(np.float32).max)


def rounded(value):
    """The float32 nearest to a rational, ties to even, as a Python float."""
    if value == 0:
        return 0.0
    exponent = -149
    while abs(value) >= Fraction(2) ** (exponent + 24):
        exponent += 1
    # round() on a Fraction is half to even; a carry to 2**24 stays representable.
    result = Fraction(round(value / Fraction(2) ** exponent)) * Fraction(2) ** exponent
    return (
        float(result) if abs(result) <= Fraction(LARGEST) else float("inf") * (1 - 2 * (value < 0))
    )


def fused(a, b, c):
    arguments = [np.asarray([value], np.float32) for value in (a, b, c)]
    with np.errstate(all="ignore"):
        return float(fma_f32(*arguments)[0])


def check(a, b, c):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    assert fused(a, b, c) == rounded(exact)


def number(pattern):
    return float(np.array([pattern], np.uint32).view(np.float32)[0])


@given(PATTERNS, PATTERNS, PATTERNS)
def test_any_operands(a, b, c):
    a, b, c = number(a), number(b), number(c)
    if np.isfinite([a, b, c]).all():
        check(a, b, c)
    else:
        np.testing.assert_equal(fused(a, b, c), a * b + c)


@given(
    st.integers(2**23, 2**24 - 1),
    st.integers(2**23, 2**24 - 1),
    st.integers(-60, 60),
    st.booleans(),
)
def test_operands_of_like_size(m, k, shift, negative):
    product = m * k
    addend = float(np.float32((-product if negative else product) * 2.0**-shift))
    check(float(m), float(k), addend)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_sum_that_a_plain_f64_rounds_to_a_tie(sign):
    # The product is 2**-24 - 2**-70: just below half of the addend's last place, and f64 loses
    # the part that says so.
    a, b = (1 + 2.0**-23) * 2.0**-24, sign * (1 - 2.0**-23)
    c = sign * (1 + 2.0**-23)
    check(a, b, c)
    assert fused(a, b, c) == c
    assert float(np.float32(a * b + c)) != c


def test_subnormal_result_rounds_once():
    check(2.0**-75 * 1.5, 2.0**-75, 2.0**-149)
    check(-(2.0**-75) * 1.5, 2.0**-75, 2.0**-149 * 3)
