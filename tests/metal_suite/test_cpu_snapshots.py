"""A pair of CPU programs: a row that an index from memory names, without a guard and with one.

Without a guard nothing bounds the index, so lanes do not share the row and it is read in the order
written; with a complete guard every reader reads the view itself, lazily.  A row that a store
overtakes stays a snapshot in both.
"""

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import i64
from certile.ir.machine import (
    ArrayStore,
    Compute,
    Constant,
    Load,
    Parameter,
    operations,
)
from tests.differential.harness import HOST_SHEET, Case

ROWS, SOURCES, COLUMNS = 19, 7, 40


def program(*, guarded, overtaken=False):
    """y[r] = x[label[r]] less its sum; `overtaken`: y is read, and stored before it is used."""
    b = Builder("selected_rows")
    x, labels, y, s = (b.view("x", rank=2), b.view("labels", i64, 1), *_results(b))
    rows, cols = b.axis("rows", dim(y, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        at = b.load(labels, rows)
        inside = b.map("bit_and", b.map("ge", at, 0), b.map("lt", at, b.extent(dim(x, 0))))
        given = {"mask": inside, "fill": 0.0} if guarded else {}
        row = b.load(x, at, cols, **given)
        old = b.load(y, rows, cols) if overtaken else None
        total = b.reduce(row, cols, laws.ADD)
        b.store(y, (rows, cols), b.map("sub", row, total))
        b.store(s, rows, total if old is None else b.reduce(old, cols, laws.MAXIMUM))
    return b.build()


def _results(b):
    return b.view("y", rank=2), b.view("s", rank=1)


def case(**how):
    rng = np.random.default_rng(3)
    return Case(
        program(**how),
        {
            "x": rng.integers(-8, 9, (SOURCES, COLUMNS)).astype(np.float32),
            "labels": rng.integers(0, SOURCES, ROWS),
            "y": rng.integers(-8, 9, (ROWS, COLUMNS)).astype(np.float32),
            "s": np.zeros(ROWS, np.float32),
        },
    )


def lowered(made):
    ((plan, launch),) = made.lower(HOST_SHEET)
    return plan, launch.kernel


def selections(kernel):
    """The loads of x."""
    found = operations(kernel.body)
    return [o for o in found if isinstance(o, Load) and o.buffer.name == "x"]


def ran(made):
    made = made.copy()
    made.run_cpu(made.lower(HOST_SHEET))
    return made.arguments


def check(made):
    rows = made.arguments["x"][made.arguments["labels"]]
    total = rows.sum(axis=1)
    after = ran(made)
    np.testing.assert_array_equal(after["y"], rows - total[:, None])
    return after, total


def test_without_a_guard_lanes_do_not_read_in_the_rows_place():
    plan, kernel = lowered(case(guarded=False))
    assert plan.mapping.family == "reference"
    assert [refusal.rule for refusal in plan.refusals] == ["guarded_views"]
    assert plan.rows is None
    # Only the lanes of programs that there are read, each its own row.
    (active,) = {load.mask for load in selections(kernel)}
    assert comparisons(kernel, active) == {"lt programs"}


def test_with_a_complete_guard_every_reader_reads_the_view():
    plan, kernel = lowered(case(guarded=True))
    assert plan.mapping.family == "subgroup"
    assert plan.rows.materialized == plan.rows.kept_inputs == ()
    assert kernel.arrays == ()
    # Whole vectors and the tail, of the sum and of the difference.
    assert len(selections(kernel)) >= 4
    for load in selections(kernel):
        assert comparisons(kernel, load.mask) >= {"ge 0", "lt x_extent0"}
        assert load.fill is not None


@pytest.mark.parametrize("guarded", [False, True])
def test_the_numbers_are_those_of_the_selected_rows(guarded):
    after, total = check(case(guarded=guarded))
    np.testing.assert_array_equal(after["s"], total)


def test_an_index_outside_reads_nothing():
    made = case(guarded=True)
    made.arguments["labels"][[0, 5, 18]] = -1, SOURCES, 2**40
    after = ran(made)
    assert (after["y"][[0, 5, 18]] == 0).all()
    assert (after["s"][[0, 5, 18]] == 0).all()


@pytest.mark.parametrize("guarded", [False, True])
def test_a_row_that_a_store_overtakes_stays_a_snapshot(guarded):
    made = case(guarded=guarded, overtaken=True)
    plan, kernel = lowered(made)
    kept = -(-COLUMNS // plan.sheet.lanes) if guarded else COLUMNS
    assert [array.slots for array in kernel.arrays] == [kept]
    assert any(isinstance(o, ArrayStore) for o in operations(kernel.body))
    after, _ = check(made)
    np.testing.assert_array_equal(after["s"], made.arguments["y"].max(axis=1))


def comparisons(kernel, mask):
    """What a mask compares, as words: the comparison, and the constant or parameter compared to."""
    made = {o.result: o for o in operations(kernel.body) if hasattr(o, "result")}
    found, pending = set(), [mask]
    while pending:
        operation = made[pending.pop()]
        match operation:
            case Compute(fn="lt" | "ge" as fn, args=(_, limit)):
                found.add(f"{fn} {named(made[limit])}")
            case Compute(args=args):
                pending += args
    return found


def named(operation):
    if isinstance(operation, Parameter):
        return operation.parameter.name
    return operation.value if isinstance(operation, Constant) else type(operation).__name__
