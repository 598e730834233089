"""CPU text of ready-made kernels: every vector width, many accumulators, tiles kept or not."""

from dataclasses import replace

import numpy as np
import pytest

from certile.plan.mapping import Mapping
from tests.differential import oracles, plans
from tests.differential.harness import HOST_SHEET, Case
from tests.unit.codegen.cpu.native import SHEETS

LENGTHS = (1, 5, 16, 31, 33, 257, 1025, 4097)


def run(name, given, sheet, mapping, kept):
    case = Case(plans.KERNELS[name](), given).copy()
    case.run_cpu(case.lower(sheet, mapping, kept))
    return case.arguments["y"]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", plans.KERNELS)
def test_cpu_text(name, length):
    """Each length meets each width; accumulators and unrolling take turns."""
    rng = np.random.default_rng(length)
    x = rng.standard_normal((plans.ROWS, length)).astype(np.float32)
    given = oracles.arguments(name, x, rng)
    turn = LENGTHS.index(length) + list(plans.KERNELS).index(name)
    for k, sheet in enumerate(SHEETS):
        for j, accumulators in enumerate((1, 2, 8)):
            kept = plans.MATERIALIZATIONS[(turn + k + j) % 2]
            unroll = (1, 2, 16)[(turn + j) % 3]
            mapping = Mapping("subgroup", accumulators=accumulators, unroll=unroll)
            depth = -(-length // sheet.lanes) + 12
            oracles.check(name, given, run(name, given, sheet, mapping, kept), depth)
            places = thresholds(length, sheet.lanes, accumulators * unroll)
            hot = oracles.arguments(name, plans.one_hot(places, length, 1000.0), rng)
            want = oracles.exact(name, hot)
            if want is not None:
                np.testing.assert_array_equal(run(name, hot, sheet, mapping, kept), want)


def thresholds(length, lanes, chunks):
    """Where vectors, rounds and the tail begin and end."""
    places = {0, lanes - 1, lanes, lanes * chunks - 1, lanes * chunks, length - 1}
    places |= {length // lanes * lanes, length // lanes * lanes - 1}
    return sorted(place for place in places if 0 <= place < length)


@pytest.mark.parametrize("name", plans.KERNELS)
def test_groups_of_a_launch_are_independent(name):
    """A launch in pieces, in any order, is the launch."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((7, 100)).astype(np.float32)
    whole = Case(plans.KERNELS[name](), oracles.arguments(name, x, rng))
    pieces = whole.copy()
    whole.run_cpu(whole.lower(HOST_SHEET))
    ((plan, launch),) = pieces.lower(HOST_SHEET)
    for first, last in ((4, 7), (0, 1), (1, 4)):
        pieces.run_cpu([(replace(plan, programs=last), launch)], first=first)
    np.testing.assert_array_equal(pieces.arguments["y"], whole.arguments["y"])
