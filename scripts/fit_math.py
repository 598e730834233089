"""Derive the polynomial coefficients of certile/lower/math.

In: nothing.  Out, on standard output: for each table its f32 coefficients and the largest error
of the polynomial itself in units of 2**-24, evaluated in f64; then the tables that need more than
f64 (`scripts/fit_math_wide.py`), with log2 of their relative errors.  Decides: ranges, powers and
which coefficients are fixed.  Leaves to others: rounding errors of the evaluation, which the tests
of certile/lower/math measure.

Method: the minimax polynomial on a Chebyshev grid by Lawson's iteration (least squares, weights
multiplied by the residual until the extrema level out).  The lowest coefficient is rounded to
f32, taken out of the target, and the others are fitted again, so that each one makes up for the
rounding of those before it.  The last bit of a coefficient may differ with another LAPACK.
"""

import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.fit_math_wide import solve_wide, wide_fits

Grid: TypeAlias = npt.NDArray[np.float64]
Function: TypeAlias = Callable[[Grid], Grid]

GRID_POINTS = 600
LAWSON_STEPS = 200
UNIT = 2.0**-24
ERFC_CENTRE = 0.384521484375
ERFC_SHIFT = 1.0


@dataclass(frozen=True, slots=True)
class Fit:
    """One table: ``target`` on [low, high] as a sum over ``powers``; errors are weighted.

    ``fixed`` coefficients belong to the sum but are given.
    """

    name: str
    target: Function
    weight: Function
    low: float
    high: float
    powers: tuple[int, ...]
    fixed: Mapping[int, float] = field(default_factory=dict)


def erf(x: Grid) -> Grid:
    """Return erf elementwise in f64."""
    return np.array([math.erf(value) for value in x.tolist()])


def erfc(x: Grid) -> Grid:
    """Return 1 - erf elementwise in f64."""
    return np.array([math.erfc(value) for value in x.tolist()])


def erfcx(x: Grid) -> Grid:
    """Return exp(x**2) * erfc(x) elementwise; the exponential is taken in long double."""
    complement = erfc(x)
    wide = x.astype(np.longdouble)
    return np.asarray(np.exp(wide * wide) * complement, np.float64)


def erfc_factor(u: Grid) -> Grid:
    """Return erfcx(a) * (a + shift) for 1 / (a + shift) = centre + u."""
    t = u + ERFC_CENTRE
    return erfcx(1.0 / t - ERFC_SHIFT) / t


def minimax(x: Grid, y: Grid, weight: Grid, powers: list[int]) -> tuple[Grid, float]:
    """Return the coefficients over ``powers`` and their largest weighted error."""
    columns = x[:, None] ** np.array(powers, np.float64)
    scale = np.abs(columns).max(axis=0)
    columns = columns / scale * weight[:, None]
    goal = y * weight
    density = np.full(len(x), 1.0 / len(x))
    best, best_error = np.zeros(len(powers)), math.inf
    for _ in range(LAWSON_STEPS):
        root = np.sqrt(density)
        solution = np.linalg.lstsq(columns * root[:, None], goal * root, rcond=None)[0]
        residual = np.abs(columns @ solution - goal)
        error = float(residual.max())
        if error < best_error:
            best, best_error = solution, error
        # The small addend keeps a point that once had no error from never counting again.
        density = density * (residual + 1e-3 * error)
        density /= density.sum()
    return best / scale, best_error


def solve(fit: Fit) -> tuple[dict[int, float], float]:
    """Return the f32 coefficients by power, without the fixed ones, and the largest error."""
    angles = np.pi * (np.arange(GRID_POINTS) + 0.5) / GRID_POINTS
    x = (fit.low + fit.high) / 2 - (fit.high - fit.low) / 2 * np.cos(angles)
    weight = fit.weight(x)
    rest = fit.target(x)
    for power, coefficient in fit.fixed.items():
        rest = rest - coefficient * x**power
    found: dict[int, float] = {}
    free = [power for power in fit.powers if power not in fit.fixed]
    while free:
        coefficients, _ = minimax(x, rest, weight, free)
        power = free.pop(0)
        found[power] = float(np.float32(coefficients[0]))
        rest = rest - found[power] * x**power
    return found, float(np.abs(rest * weight).max())


def upto(degree: int) -> tuple[int, ...]:
    """Return the powers 1, 2, ... degree."""
    return tuple(range(1, degree + 1))


def odd(degree: int) -> tuple[int, ...]:
    """Return the powers 1, 3, ... degree."""
    return tuple(range(1, degree + 1, 2))


def fits() -> list[Fit]:
    """List every table of the package."""
    half = math.log(2) / 2 * 1.0001
    low, high = math.sqrt(0.5) - 1, math.sqrt(2) - 1
    log2_e = 1 / math.log(2)
    two_over_root_pi = 2 / math.sqrt(math.pi)
    near_one = 1.0 + float(np.float32(two_over_root_pi - 1))
    slowest, fastest = 1 / (10.0625 + ERFC_SHIFT), 1 / (0.5 + ERFC_SHIFT)
    return [
        Fit("EXP", np.exp, lambda x: 1 / np.exp(x), -half, half, (0, *upto(6)), {0: 1.0}),
        Fit("EXP2", np.exp2, lambda x: 1 / np.exp2(x), -0.5, 0.5, (0, *upto(6)), {0: 1.0}),
        Fit("EXPM1", np.expm1, lambda x: 1 / np.expm1(x), -half, half, upto(7), {1: 1.0}),
        Fit("TANH", np.tanh, lambda x: 1 / np.tanh(x), 1e-4, 0.625, odd(11), {1: 1.0}),
        Fit("LOG", np.log1p, lambda x: 1 / np.log1p(x), low, high, upto(10), {1: 1.0}),
        Fit(
            "LOG2",
            lambda x: np.log1p(x) * log2_e,
            lambda x: 1 / np.log1p(x),
            low,
            high,
            upto(10),
            {1: log2_e},
        ),
        Fit("ERF_NEAR", erf, lambda x: 1 / erf(x), 1e-4, 1.0, odd(11), {1: near_one}),
        Fit("ERFC_NEAR", erf, lambda x: 1 / erf(x), 1e-4, 0.5, odd(9), {1: near_one}),
        # What its fourth power errs by, in place of what it does.
        Fit(
            "ERFC_ROOT",
            lambda x: erfc(x) ** 0.25,
            lambda x: 4 * erfc(x) ** 0.75,
            1.0,
            4.1875,
            (0, *upto(7)),
        ),
        Fit(
            "ERFC_FAR",
            lambda u: erfc_factor(u) - 0.5,
            lambda u: 1 / erfc_factor(u),
            slowest - ERFC_CENTRE,
            fastest - ERFC_CENTRE,
            (0, *upto(10)),
        ),
    ]


def main() -> None:
    """Print every table."""
    for fit in fits():
        coefficients, error = solve(fit)
        sys.stdout.write(f"{fit.name}  # error {error / UNIT:.4f}\n")
        for power, coefficient in coefficients.items():
            sys.stdout.write(f"    {coefficient!r},  # power {power}\n")
    for wide in wide_fits():
        numbers, bits = solve_wide(wide)
        sys.stdout.write(f"{wide.name} {wide.form}  # relative error 2**{bits:.1f}\n")
        for power, coefficient in numbers.items():
            sys.stdout.write(f"    {coefficient!r},  # power {power}\n")


if __name__ == "__main__":
    main()
