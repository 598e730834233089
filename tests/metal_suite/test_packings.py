"""Thirty-six packings of cooperating programs, with rows beside the results that nobody may write.

The last group has one program (P = 2Q + 1): its other slots replay that row and store nothing.
"""

from itertools import product

import numpy as np
import pytest

from tests import kernels
from tests.differential import oracles
from tests.metal_suite.suite import Request, Suite, asked, normal, unconditional

KERNELS = {
    "sum": kernels.sum_rows,
    "softmax": kernels.softmax,
    "layer_norm": lambda: kernels.layer_norm(weight=False, bias=False),
    "min_max": kernels.min_max,
}
COLUMNS = (257, 1000, 1999)
PACKS = ((2, 2), (3, 2), (4, 8))
CASES = tuple(product(KERNELS, COLUMNS, PACKS))
SENTINEL = -12345.0


def cached(case):
    """Half of the cases keep what they read, so that each kernel, length and pack does both."""
    name, columns, packs = case
    return (list(KERNELS).index(name) + COLUMNS.index(columns) + PACKS.index(packs)) % 2 == 1


def outputs(name):
    return ("low", "high") if name == "min_max" else ("y",)


def arguments(name, rows, columns):
    """Random rows; results lie between rows of sentinels, as many as a group has slots."""
    shape = (rows, columns) if name in ("softmax", "layer_norm") else (rows,)
    results = {view: np.full(shape, SENTINEL, np.float32) for view in outputs(name)}
    return {"x": normal(rows, columns, seed=columns), **results}


def guarded(name, columns, packed):
    """The arguments with sentinel rows after the results, and the whole arrays they lie in."""
    rows = 2 * packed + 1
    given = arguments(name, rows, columns)
    whole = {
        view: np.full((rows + 2 * packed, *given[view].shape[1:]), SENTINEL, np.float32)
        for view in outputs(name)
    }
    return given | {view: array[packed:] for view, array in whole.items()}, whole


@pytest.fixture(scope="module")
def suite():
    requests = {}
    for case in CASES:
        name, columns, (subgroups, packed) = case
        options = asked(
            programs_per_group=packed,
            threads=32 * subgroups * packed,
            cache_inputs=cached(case),
        )
        given = arguments(name, 2 * packed + 1, columns)
        requests[case] = Request(KERNELS[name](), given, options)
    for name, packed in product(KERNELS, (2, 4)):
        # No group is asked for: the width is searched for the pack.
        given = arguments(name, 2 * packed + 1, 1999)
        requests[name, "any width", packed] = Request(
            KERNELS[name](), given, asked(programs_per_group=packed)
        )
    return Suite(requests)


def check(name, given, result, depth):
    x = given["x"].astype(np.float64)
    if name == "min_max":
        np.testing.assert_array_equal(result["low"], x.min(axis=1))
        np.testing.assert_array_equal(result["high"], x.max(axis=1))
        return
    plain = {"weight": np.ones(x.shape[1]), "bias": np.zeros(x.shape[1])}
    oracles.check(name, given | plain, result["y"], depth)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_packing(suite, case):
    name, columns, (subgroups, packed) = case
    made = suite[case]
    plan = made.plan
    assert made.mapping == (subgroups, packed)
    assert made.artifact.threads == 32 * subgroups * packed
    assert (plan.blocks, plan.active_programs_last_block) == (3, 1)
    assert plan.cache_inputs == cached(case)
    # A sum reads its row once, so there is nothing to keep.
    assert (len(plan.rows.kept_inputs) == 1) == (cached(case) and name != "sum")
    reductions = len(plan.rows.reductions)
    assert made.machine.shared_bytes == reductions * packed * subgroups * 4
    assert unconditional(made, "threadgroup_barrier(") == reductions
    # Stripes follow from the workers of one program, not from the threads of the group.
    share = -(-columns // (32 * subgroups))
    assert set(made.stripes().values()) <= {share}
    run_between_sentinels(suite, case, name, columns, packed, share)


def run_between_sentinels(suite, key, name, columns, packed, share):
    given, whole = guarded(name, columns, packed)
    before, after = given, {n: a.copy() for n, a in given.items()}
    holders = {view: array.copy() for view, array in whole.items()}
    for view, array in holders.items():
        after[view] = array[packed:]
    report = suite.launch(key, after, seed=columns % 3)
    assert report.ok, report
    rows = 2 * packed + 1
    for array in holders.values():
        assert (array[:packed] == SENTINEL).all()
        assert (array[packed + rows :] == SENTINEL).all()
    results = {view: after[view][:rows] for view in outputs(name)}
    check(name, before, results, share + 14)


@pytest.mark.parametrize(("name", "packed"), list(product(KERNELS, (2, 4))))
def test_the_width_is_searched_for_a_pack(suite, name, packed):
    key = (name, "any width", packed)
    plan = suite[key].plan
    assert plan.mapping.programs_per_group == packed
    assert {c.mapping.programs_per_group for c in plan.candidates} == {packed}
    widths = [c.mapping.subgroups_per_program for c in plan.candidates]
    assert widths[-1] == min(32, 1024 // (32 * packed))
    assert widths == list(range(widths[0], widths[-1] + 1))
    best = min(plan.candidates, key=lambda c: (c.score, c.mapping.subgroups_per_program))
    assert plan.mapping == best.mapping
    share = -(-1999 // plan.workers)
    run_between_sentinels(suite, key, name, 1999, packed, share)


def test_the_cases_are_the_36():
    assert len(CASES) == 36
    assert sum(map(cached, CASES)) == 18
    assert {32 * s * q for _, _, (s, q) in CASES} >= {1024}


def test_a_store_of_an_idle_slot_would_be_seen(suite):
    """The sentinels can show a fault: a launch of one program more than there is writes there."""
    name, columns, packs = case = ("softmax", 257, (2, 2))
    made = suite[case]
    given, _ = guarded(name, columns, packs[1])
    arrays = {n: a.copy() for n, a in given.items()}
    arrays["x"] = np.concatenate([arrays["x"], arrays["x"][:1]])
    more = Request(made.request.kernel, arguments(name, 6, columns), made.request.options)
    wrong = Suite({"more": more})
    assert wrong.launch("more", arrays).ok
    assert not (arrays["y"][5:] == SENTINEL).all()
