"""Fits of the tables that f64 arithmetic cannot fit: all of f64, and the pairs of f32.

In: nothing.  Out: ``wide_fits``, which ``scripts/fit_math.py`` prints after its own tables.
Decides: ranges, powers and which coefficients are fixed.  Leaves to others: rounding errors of the
evaluation, which the tests of certile/lower/math measure.

Method: weighted least squares at three times as many Chebyshev nodes as coefficients, in 200-bit
arithmetic; it lies within a small factor of the minimax polynomial.  The lowest coefficient is
rounded, taken out of the target, and the others are fitted again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import mpmath
import numpy as np

# mpmath has no types: a real number of its own.
Real: TypeAlias = Any
Function: TypeAlias = Callable[[Real], Real]

PRECISION = 200
CHECKED_POINTS = 300
ERFC_SHIFT = 2
# Both the factor of erfc here and its slope are nearly numbers of the format.
ERFC_CENTRE = 0.1699972152709961


@dataclass(frozen=True, slots=True)
class WideFit:
    """One table: ``target`` on [low, high] as a sum over ``powers``; errors are relative.

    ``fixed`` coefficients belong to the sum but are given.  ``scale`` is what the error is
    relative to: the target unless given.
    """

    name: str
    form: str
    target: Function
    low: Real
    high: Real
    powers: tuple[int, ...]
    fixed: Mapping[int, Real] = field(default_factory=dict)
    scale: Function | None = None

    def weight(self, x: Real) -> Real:
        """Return what an error at x counts."""
        return 1 / (self.scale or self.target)(x)


def rounded(value: Real, form: str) -> float:
    """Return the number of the format that is nearest to a real one."""
    return float(np.float32(float(value))) if form == "f32" else float(value)


def at_nodes(fit: WideFit) -> list[Real]:
    """Return Chebyshev nodes of the range."""
    count = 3 * len(fit.powers) + 8
    middle, half = (fit.low + fit.high) / 2, (fit.high - fit.low) / 2
    half_step = mpmath.pi / (2 * count)
    return [middle - half * mpmath.cos((2 * k + 1) * half_step) for k in range(count)]


def least_squares(columns: list[list[Real]], goal: list[Real]) -> list[Real]:
    """Return the coefficients of the columns by the normal equations."""
    matrix = mpmath.matrix(columns).T
    return list(mpmath.lu_solve(matrix.T * matrix, matrix.T * mpmath.matrix(goal)))


def solve_wide(fit: WideFit) -> tuple[dict[int, float], float]:
    """Return the coefficients by power, without the fixed ones, and log2 of the largest error."""
    with mpmath.workprec(PRECISION):
        nodes = at_nodes(fit)
        weights = [fit.weight(x) for x in nodes]
        rest = [fit.target(x) - valued(fit.fixed, x) for x in nodes]
        found: dict[int, float] = {}
        free = [power for power in fit.powers if power not in fit.fixed]
        while free:
            columns = [[x**p * w for x, w in zip(nodes, weights, strict=True)] for p in free]
            goal = [r * w for r, w in zip(rest, weights, strict=True)]
            power = free.pop(0)
            found[power] = rounded(least_squares(columns, goal)[0], fit.form)
            rest = [r - found[power] * x**power for r, x in zip(rest, nodes, strict=True)]
        return found, largest_error(fit, {**fit.fixed, **found})


def valued(coefficients: Mapping[int, Real], x: Real) -> Real:
    """Return the sum over the powers at x."""
    return mpmath.fsum(mpmath.mpf(c) * x**power for power, c in coefficients.items())


def largest_error(fit: WideFit, coefficients: Mapping[int, Real]) -> float:
    """Return log2 of the largest weighted error on an even grid."""
    step = (fit.high - fit.low) / CHECKED_POINTS
    grid = [fit.low + step * (k + mpmath.mpf(1) / 2) for k in range(CHECKED_POINTS)]
    errors = [abs((valued(coefficients, x) - fit.target(x)) * fit.weight(x)) for x in grid]
    return float(mpmath.log(max(errors), 2))


def erfc_factor(u: Real) -> Real:
    """Return exp(a**2) * erfc(a) * (a + shift) for 1 / (a + shift) = centre + u."""
    t = u + mpmath.mpf(ERFC_CENTRE)
    a = 1 / t - ERFC_SHIFT
    return mpmath.exp(a * a) * mpmath.erfc(a) / t


def odd(degree: int) -> tuple[int, ...]:
    """Return the powers 1, 3, ... degree."""
    return tuple(range(1, degree + 1, 2))


def even(degree: int) -> tuple[int, ...]:
    """Return the powers 0, 2, ... degree."""
    return tuple(range(0, degree + 1, 2))


def wide_fits() -> list[WideFit]:
    """List every table that is fitted here."""
    with mpmath.workprec(PRECISION):
        return [*exponentials(), *logarithms(), *error_functions(), *trigonometric()]


def exponentials() -> list[WideFit]:
    """List exp, exp2, expm1 and tanh in f64."""
    half = mpmath.log(2) / 2 * mpmath.mpf("1.0001")
    tiny, split = mpmath.mpf("1e-9"), mpmath.mpf(0.625)

    def power(x: Real) -> Real:
        return mpmath.power(2, x)

    return [
        WideFit("EXP", "f64", mpmath.exp, -half, half, tuple(range(12)), {0: 1, 1: 1}),
        WideFit("EXP2", "f64", power, -mpmath.mpf(0.5), mpmath.mpf(0.5), tuple(range(12)), {0: 1}),
        WideFit("EXPM1", "f64", mpmath.expm1, -half, half, tuple(range(1, 13)), {1: 1}),
        WideFit("TANH", "f64", mpmath.tanh, tiny, split, odd(25), {1: 1}),
    ]


def logarithms() -> list[WideFit]:
    """List log in f64, and log2 of a ratio for pow, all in s = (m - 1) / (m + 1)."""
    tiny = mpmath.mpf("1e-9")
    most = (mpmath.sqrt(2) - 1) / (mpmath.sqrt(2) + 1) * mpmath.mpf("1.00001")
    linear = 2 / mpmath.log(2)

    def log(s: Real) -> Real:
        return 2 * mpmath.atanh(s)

    def log2(s: Real) -> Real:
        return linear * mpmath.atanh(s)

    given = {1: linear, 3: linear / 3}
    return [
        WideFit("LOG_OF_RATIO", "f64", log, tiny, most, odd(15), {1: 2}),
        WideFit("LOG2_OF_RATIO", "f32", log2, tiny, most, odd(9), given),
        WideFit("LOG2_OF_RATIO", "f64", log2, tiny, most, odd(19), given),
    ]


def error_functions() -> list[WideFit]:
    """List erf and the factor of erfc in f64."""
    near_one = 1 + mpmath.mpf(float(2 / mpmath.sqrt(mpmath.pi) - 1))
    centre = mpmath.mpf(ERFC_CENTRE)
    slowest, fastest = 1 / (mpmath.mpf(27.25) + ERFC_SHIFT), 1 / (mpmath.mpf(0.5) + ERFC_SHIFT)
    return [
        WideFit(
            "ERF_NEAR", "f64", mpmath.erf, mpmath.mpf("1e-9"), mpmath.mpf(1), odd(23), {1: near_one}
        ),
        WideFit(
            "ERFC_FAR",
            "f64",
            lambda u: erfc_factor(u) - mpmath.mpf(0.5),
            slowest - centre,
            fastest - centre,
            tuple(range(26)),
            scale=erfc_factor,
        ),
    ]


def trigonometric() -> list[WideFit]:
    """List sin and cos in both formats; in f32 the reduction may leave a little more."""
    tiny, zero = mpmath.mpf("1e-9"), mpmath.mpf(0)
    exact, loose = mpmath.pi / 4 * mpmath.mpf("1.0001"), mpmath.mpf("0.79")
    cosine = {0: 1, 2: -0.5}
    return [
        WideFit("SIN", "f32", mpmath.sin, tiny, loose, odd(7), {1: 1}),
        WideFit("SIN", "f64", mpmath.sin, tiny, exact, odd(13), {1: 1}),
        WideFit("COS", "f32", mpmath.cos, zero, loose, even(8), cosine),
        WideFit("COS", "f64", mpmath.cos, zero, exact, even(14), cosine),
    ]
