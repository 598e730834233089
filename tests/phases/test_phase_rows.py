"""Ownership with a phase gives the operation's values for rows that begin anywhere.

Every plan is verified, interpreted lane by lane and judged; memory that no row owns stays as it is.
"""

import itertools

import numpy as np
import pytest

from certile.ir.dtypes import BY_NAME
from certile.reference.machine_numeric import storage
from tests.phases.rows import BETWEEN, KERNELS, OTHERS, Rows

LENGTHS = (5, 31, 33, 127, 257, 1000, 1999, 4099)
WIDTHS = (2, 4, 8)
DTYPES = ("f32", "bf16", "f16", "u8")
# S and Q.
SHARES = ((1, 1), (1, 4), (2, 1), (3, 2), (8, 1))
# How far behind an aligned place a matrix begins, and what lies between its rows.
PLACES = ((0, 0), (1, 0), (3, 1), (1, 2), (0, 3), (2, 5), (7, 4))
FLOATS_ONLY = {"softmax", "layer_norm", "cross_entropy"}


def phased(rows, wide, subgroups, packed=1, **options):
    """A plan with a phase at exactly this mapping."""
    return rows.plan(
        phase="on",
        lane_elements=wide,
        threads=32 * subgroups * packed,
        programs_per_group=packed,
        **options,
    )


def sample():
    """Each operation at each length, with everything else in turn."""
    turns = zip(
        itertools.cycle(WIDTHS), itertools.cycle(DTYPES), itertools.cycle(PLACES), strict=False
    )
    shares = itertools.cycle(SHARES)
    for name, length in itertools.product(KERNELS, LENGTHS):
        for _ in range(2):
            wide, dtype, place = next(turns)
            if dtype == "u8" and name in FLOATS_ONLY:
                dtype = "f32"
            yield name, length, dtype, wide, place, next(shares)


def aligned(dtype, wide, length, place):
    """Whether all rows begin where their packs are aligned."""
    pack = min(wide, 16 // BY_NAME[dtype].size)
    return place[0] % pack == 0 and (length + place[1]) % pack == 0


@pytest.mark.parametrize(("name", "length", "dtype", "wide", "place", "share"), list(sample()))
def test_a_plan_with_a_phase(name, length, dtype, wide, place, share):
    rows = Rows(name, length, dtype, default=place)
    plan = phased(rows, wide, *share)
    if plan.mapping is None:
        # Nothing to align, or more to keep than a worker may.
        assert plan.declined.code == ("phase" if aligned(dtype, wide, length, place) else "budget")
        return
    assert plan.mapping.phase
    assert plan.mapping.lane_elements == wide
    rows.interpret(plan, rows.lower(plan))


@pytest.mark.parametrize("place", [(1, 0), (1, 2), (3, 4)])
@pytest.mark.parametrize("length", [5, 127, 257, 515])
@pytest.mark.parametrize("wide", WIDTHS)
def test_one_hot_rows_at_every_edge_of_a_pack(wide, length, place):
    """The place of a single one is found wherever it lies: by a sum, and by the least index."""
    workers = 64
    spots = {0, 1, length - 1, length - 2}
    for edge in range(0, length + wide, wide):
        near = edge % (workers * wide) in (0, wide) or edge < 3 * wide or edge > length - 3 * wide
        spots |= {edge + step for step in (-1, 0, 1) if near}
    spots = sorted(spot for spot in spots if 0 <= spot < length)
    x = np.zeros((len(spots), length), np.float32)
    x[np.arange(len(spots)), spots] = 1.0
    for name in ("sum", "argmax"):
        rows = Rows(name, length, "f32", count=len(spots), default=place, x=x)
        plan = phased(rows, wide, 2)
        result = rows.interpret(plan, rows.lower(plan))["y"]
        np.testing.assert_array_equal(result, 1.0 if name == "sum" else spots)


@pytest.mark.parametrize("wide", WIDTHS)
def test_the_first_of_equal_maxima_is_found(wide):
    """Lanes hold elements at other places than slots count; the index is the element's own."""
    rng = np.random.default_rng(wide)
    x = rng.integers(0, 4, (7, 333)).astype(np.float32)
    rows = Rows("argmax", 333, "f32", count=7, default=(3, 1), x=x)
    plan = phased(rows, wide, 3)
    result = rows.interpret(plan, rows.lower(plan))["y"]
    np.testing.assert_array_equal(result, x.argmax(axis=1))


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("materialization", ["preserve", "nothing"])
def test_what_a_worker_keeps_is_what_it_reads(materialization, cached):
    """Producers and consumers of a stripe stand at the same elements, in every form."""
    for name in ("softmax", "layer_norm"):
        rows = Rows(name, 1001, "bf16", default=(5, 2))
        options = {"materialization": materialization, "cache_inputs": cached}
        plan = phased(rows, 8, 2, **options)
        rows.interpret(plan, rows.lower(plan))


def test_small_integers_sum_exactly_at_every_place():
    rng = np.random.default_rng(3)
    x = rng.integers(-8, 9, (4, 263)).astype(np.float32)
    for skew, pad, wide in itertools.product(range(4), range(4), WIDTHS):
        rows = Rows("sum", 263, "f32", count=4, places={"x": (skew, pad)}, x=x)
        plan = phased(rows, wide, 1)
        if plan.mapping is None:
            assert aligned("f32", wide, 263, (skew, pad))
            continue
        result = rows.interpret(plan, rows.lower(plan))["y"]
        np.testing.assert_array_equal(result, x.astype(np.float64).sum(axis=1))


def test_views_of_a_program_may_begin_differently():
    """What does not begin like the access that is followed is accessed element by element."""
    for places in ({"x": (1, 0), "y": (2, 0)}, {"x": (0, 2), "y": (0, 3)}, {"y": (1, 1)}):
        rows = Rows("softmax", 259, "f32", places=places)
        plan = phased(rows, 4, 2)
        rows.interpret(plan, rows.lower(plan))


def test_rows_that_a_loop_of_the_program_moves_have_none():
    """A phase holds as long as the program runs, so that what is kept stays where it is."""
    rows = Rows("serial_reduction", 77, "f32", default=(1, 0))
    assert phased(rows, 4, 2).declined.code == "phase"
    rows = Rows("serial_reduction", 77, "f32", count=4, default=(1, 0))
    plan = phased(rows, 4, 2)
    rows.interpret(plan, rows.lower(plan))


@pytest.mark.parametrize("name", sorted(set(OTHERS) - {"serial_reduction"}))
@pytest.mark.parametrize(("length", "dtype", "wide"), [(77, "f32", 4), (1001, "bf16", 8)])
def test_other_programs(name, length, dtype, wide):
    """In place, in loops of the program, and with several results."""
    for place in ((1, 0), (2, 3)):
        rows = Rows(name, length, dtype, default=place)
        plan = phased(rows, wide, 2)
        assert plan.mapping.phase
        rows.interpret(plan, rows.lower(plan))


def test_a_rewritten_program_has_a_phase_too():
    """Its fallback computes a row again in the same ownership: an element of it is infinite."""
    x = np.random.default_rng(5).standard_normal((2, 40001)).astype(np.float32)
    x[1, 17] = np.inf
    rows = Rows("softmax", 40001, "f32", count=2, default=(1, 2), x=x)
    plan = rows.plan("cuda", phase="on", lane_elements=2, threads=512, programs_per_group=1)
    assert plan.derivation is not None
    rows.interpret(plan, rows.lower(plan))


def test_what_lies_between_rows_would_be_noticed():
    """The arrays of these tests hold larger numbers between rows than in them."""
    rows = Rows("min_max", 33, "f32", default=(1, 2))
    between = rows.memory["x"][33:35].astype(np.float64)
    assert (between == BETWEEN["f32"]).all()
    assert np.abs(rows.arrays["x"].astype(np.float64)).max() < BETWEEN["f32"]
    assert storage(BY_NAME["f32"]) == rows.memory["x"].dtype
