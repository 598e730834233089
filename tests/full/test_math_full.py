"""The bounds of the vector math functions over all 2**32 inputs of f32, and 2**24 of f64.

On 16 cores all functions of f32 take about four minutes, half a minute each for sin, cos and tan;
those of f64 and of two arguments take two.  A function that has passed is remembered by the digest
of the C text in `build/math-sweep`, so that an interrupted run goes on where it stopped; deleting
the folder measures everything again.
"""

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from certile.lower.math import BOUNDS, EXPANSIONS
from certile.lower.math.arith import F32, F64
from scripts.setup import find_clang
from tests.full.math_sweep import (
    FUNCTIONS,
    PROLOGUE,
    TYPES,
    WIDELY,
    build,
    function_text,
    has_wide_form,
    source,
    sweep,
)
from tests.unit.lower.math_oracle import BINARY, PAIRS, samples

PASSED = Path(__file__).resolve().parent.parent.parent / "build" / "math-sweep"
PIECE = 2**22
WIDE_SAMPLES = 2**24
UNARY = [name for name in EXPANSIONS if name not in BINARY]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = find_clang()
    assert compiler is not None, "the sweep needs a clang: see `make help`"
    return build(compiler, tmp_path_factory.mktemp("sweep"))


def mark(name, form, widely=False):
    """The file that says that this text of the function has passed its bound."""
    text = PROLOGUE + TYPES + WIDELY + function_text(name, form, widely)
    text += str(BOUNDS[name, form.name])
    return PASSED / f"{name}-{form.name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def check(library, name, form, pieces, widely=False):
    """Sweep the pieces, each a function that gives the arguments; remember that all passed."""
    passed = mark(name, form, widely)
    if passed.exists():
        return
    # The library runs without the interpreter's lock, so threads use every core.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda piece: measured(library, name, piece(), widely), pieces))
    bad = [place for _, place, wrong in found if wrong]
    assert not bad, bad[:4]
    worst = max(found)
    assert worst[0] <= BOUNDS[name, form.name], worst
    PASSED.mkdir(parents=True, exist_ok=True)
    passed.write_text(f"{worst[0]} at {worst[1]}\n")


def measured(library, name, arguments, widely):
    """The worst distance, the arguments there, and how many results are wrong outright."""
    worst, index, wrong = sweep(library, name, *arguments, widely=widely)
    return worst, [float(x[index]) for x in arguments], wrong


def patterns(start):
    return (np.arange(start, start + PIECE, dtype=np.uint64).astype(np.uint32).view(np.float32),)


def parts(arguments):
    """The arguments in pieces."""
    for start in range(0, arguments[0].size, PIECE):
        yield lambda start=start: tuple(x[start : start + PIECE] for x in arguments)


@pytest.mark.full
@pytest.mark.parametrize("name", UNARY)
def test_bound_over_all_inputs(library, name):
    starts = range(0, 2**32, PIECE)
    check(library, name, F32, (lambda start=start: patterns(start) for start in starts))


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in UNARY if has_wide_form(name)])
def test_bound_over_all_inputs_where_a_target_scales_by_every_power(library, name):
    starts = range(0, 2**32, PIECE)
    check(library, name, F32, (lambda start=start: patterns(start) for start in starts), True)


@pytest.mark.full
@pytest.mark.parametrize("name", UNARY)
def test_bound_over_many_doubles(library, name):
    check(library, name, F64, parts((samples(name, WIDE_SAMPLES, np.float64),)))


@pytest.mark.full
@pytest.mark.parametrize("form", [F32, F64], ids=lambda form: form.name)
@pytest.mark.parametrize("name", PAIRS)
def test_bound_of_two_arguments(library, name, form):
    dtype = np.float32 if form is F32 else np.float64
    check(library, name, form, parts(PAIRS[name](WIDE_SAMPLES, dtype)))


@pytest.mark.full
def test_sweep_measures_a_distance(library):
    # 1 / x is correctly rounded and comes close to half a place; so the sweep sees distances.
    ones = (np.uint32(0x3F800000) + np.arange(2**20, dtype=np.uint32)).view(np.float32)
    worst, _, wrong = sweep(library, "recip", ones)
    assert wrong == 0
    assert 0.49 < worst <= 0.5


def test_c_text_knows_every_operation_of_the_expansions():
    """The sweeps run rarely; what they cannot spell is seen with every change."""
    text = source()
    assert all(f" sweep_{name}_{form}(" in text for name in FUNCTIONS for form in ("f32", "f64"))
    assert {name for name in FUNCTIONS if has_wide_form(name)} >= {"exp", "exp2"}
