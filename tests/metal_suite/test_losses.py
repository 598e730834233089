"""Cross entropy of 7 rows of 4096, and the program whose gather crosses the owners of a row."""

import numpy as np
import pytest

from certile.diagnostics import KernelError
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import i64
from certile.ir.machine import Barrier, Collective, Load
from certile.plan.choose import required
from certile.plan.record import Options
from tests import kernels
from tests.metal_suite.suite import Request, Suite, asked, blank, normal, times

ROWS, COLUMNS = 7, 4096


def arguments():
    labels = np.random.default_rng(5).integers(0, COLUMNS, ROWS)
    # The first and the last element, and one that a lane of the last subgroup owns.
    labels[:3] = 0, COLUMNS - 1, COLUMNS - 33
    return {"x": 3 * normal(ROWS, COLUMNS), "labels": labels, "y": blank(ROWS)}


def derived_logits():
    """The same loss of doubled logits, which are one kept row that the label selects from."""
    b = Builder("derived_logits")
    x, labels, y = b.view("x", rank=2), b.view("labels", i64, 1), b.view("y", rank=1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        doubled = b.map("mul", b.load(x, rows, cols), 2.0)
        top = b.reduce(doubled, cols, laws.MAXIMUM)
        total = b.reduce(b.map("exp", b.map("sub", doubled, top)), cols, laws.ADD)
        chosen = b.gather(doubled, b.load(labels, rows), cols, fill=0.0)
        b.store(y, rows, b.map("sub", b.map("add", b.map("log", total), top), chosen))
    return b.build()


def loss(x, labels):
    """The stable formula in float64."""
    x = x.astype(np.float64)
    top = x.max(axis=1)
    total = np.log(np.exp(x - top[:, None]).sum(axis=1))
    return total + top - x[np.arange(len(x)), labels]


def bound(x):
    """A tree of 16 + 14 levels, exp and its argument under a logarithm; then three roundings."""
    return 2.0**-24 * (16 + 14 + 24 + 4 * (2 * np.abs(x).max() + np.log(COLUMNS)))


@pytest.fixture(scope="module")
def suite():
    return Suite(
        {
            "plain": Request(kernels.cross_entropy(), arguments()),
            "derived": Request(derived_logits(), arguments()),
            "again": Request(derived_logits(), arguments(), asked(materialization="nothing")),
        }
    )


def test_two_collectives_and_a_guarded_gather(suite):
    made = suite["plain"]
    assert made.plan.mapping.subgroups_per_program > 1
    assert len(made.plan.rows.reductions) == 2
    assert times(made.machine, lambda o: isinstance(o, Collective)) == 4
    assert times(made.machine, lambda o: isinstance(o, Barrier)) == 2
    gathers = [
        operation
        for operation in made.machine.body.operations
        if isinstance(operation, Load)
        and operation.buffer.name == "x"
        and not operation.address.varying
    ]
    assert [operation.mask is not None for operation in gathers] == [True]


def test_no_lane_keeps_the_row(suite):
    made = suite["plain"]
    assert made.stripes() == {}
    assert f"[{COLUMNS}]" not in made.artifact.text


def test_every_loss_is_right(suite):
    given = suite["plain"].request.arguments
    want = loss(given["x"], given["labels"])
    for seed in (0, 1):
        result = suite.run("plain", seed=seed)["y"]
        assert (np.abs(result - want) <= bound(given["x"])).all()


def test_a_label_outside_the_row_reads_nothing(suite):
    given = suite["plain"].request.arguments
    outside = given["labels"].copy()
    outside[[0, 3]] = -1, COLUMNS
    result = suite.run("plain", given | {"labels": outside})["y"]
    assert np.isnan(result[[0, 3]]).all()
    assert not np.isnan(np.delete(result, [0, 3])).any()


def test_a_gather_from_a_kept_row_is_declined(suite):
    made = suite["derived"]
    assert made.plan.mapping.family == "reference"
    assert made.plan.declined.code == "admission"
    (refusal,) = made.plan.refusals
    assert (refusal.kind, refusal.rule) == ("admission", "private_storage")
    assert not made.plan.candidates


def test_an_explicit_request_for_it_is_an_error():
    asking = Request(derived_logits(), arguments(), asked(subgroup_reductions="on"))
    plan = asking.plan()
    assert plan.mapping is None
    with pytest.raises(KernelError, match=r"P004.*private_storage"):
        required(plan)


@pytest.mark.parametrize("how", ["derived", "again"])
def test_the_derived_loss_is_right_where_it_runs(suite, how):
    """One row a lane, or the selected element made again by the lane that reads it."""
    made = suite[how]
    assert (made.plan.mapping.family == "subgroup") == (how == "again")
    given = made.request.arguments
    want = loss(2 * given["x"], given["labels"])
    depth = COLUMNS if how == "derived" else 30
    error = np.abs(suite.run(how)["y"] - want)
    assert (error <= bound(2 * given["x"]) + depth * 2.0**-24).all()


def test_the_default_policy_declines_it_as_well_or_keeps_nothing():
    plan = Request(derived_logits(), arguments(), Options()).plan()
    assert plan.mapping.family == "reference" or plan.stripe_scalars == 0
