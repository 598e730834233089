"""The bounds of the vector math functions over all 2**32 inputs."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from certile.lower.math import BOUNDS, EXPANSIONS
from scripts.setup import find_clang
from tests.full.math_sweep import build, sweep

PIECE = 2**26


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    compiler = find_clang()
    assert compiler is not None, "the sweep needs a clang: see `make help`"
    return build(compiler, tmp_path_factory.mktemp("sweep"))


@pytest.mark.full
@pytest.mark.parametrize("name", EXPANSIONS)
def test_bound_over_all_inputs(library, name):
    starts = range(0, 2**32, PIECE)
    # The library runs without the interpreter's lock, so threads use every core.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pieces = list(pool.map(lambda low: sweep(library, name, low, low + PIECE), starts))
    assert sum(wrong for _, _, wrong in pieces) == 0, max(pieces, key=lambda piece: piece[2])
    worst = max(pieces)
    assert worst[0] <= BOUNDS[name], worst


@pytest.mark.full
def test_sweep_measures_a_distance(library):
    # 1 / x is correctly rounded and comes close to half a place; so the sweep sees distances.
    worst, _, wrong = sweep(library, "recip", 0x3F800000, 0x3F800000 + 2**20)
    assert wrong == 0
    assert 0.49 < worst <= 0.5
