"""Layer norm of 3 rows of 4096, and what keeping or making again a shared tile changes."""

import numpy as np
import pytest

from certile.ir.machine import Barrier, Load
from certile.plan.record import Options
from tests import kernels
from tests.differential.loads import machine_loads
from tests.metal_suite.suite import Request, Suite, asked, blank, normal, times

ROWS, COLUMNS = 3, 4096
MODES = ("preserve", "expensive-only")


def arguments(residual=False):
    made = {
        "x": normal(ROWS, COLUMNS) + 3,
        "y": blank(ROWS, COLUMNS),
        "weight": normal(COLUMNS, seed=1),
        "bias": normal(COLUMNS, seed=2),
    }
    return made | ({"residual": normal(ROWS, COLUMNS, seed=3)} if residual else {})


@pytest.fixture(scope="module")
def suite():
    requests = {}
    for mode in MODES:
        options = asked(materialization=mode)
        requests[mode] = Request(kernels.layer_norm(), arguments(), options)
        requests[mode, "residual"] = Request(
            kernels.residual_layer_norm(), arguments(residual=True), options
        )
        requests[mode, "softmax"] = Request(kernels.softmax(), softmax_arguments(), options)
    nothing = Options(policy="analytic", materialization="nothing")
    requests["nothing", "softmax"] = Request(kernels.softmax(), softmax_arguments(), nothing)
    return Suite(requests)


def softmax_arguments():
    return {"x": normal(ROWS, COLUMNS), "y": blank(ROWS, COLUMNS)}


def loads(made, view):
    """How many elements of a row a lane reads."""
    usual, again = machine_loads(made.machine, view)
    assert again == 0
    return usual


def exponentials(made):
    """How many exponentials a lane makes: each ends with one scaling by a power of two."""
    return times(made.machine, lambda o: getattr(o, "fn", "") == "scale2")


def share(made):
    return -(-COLUMNS // made.plan.workers)


@pytest.mark.parametrize("mode", MODES)
def test_all_12288_outputs_are_those_of_the_formula(suite, mode):
    for key in (mode, (mode, "residual")):
        given = suite[key].request.arguments
        x = given["x"].astype(np.float64)
        if "residual" in given:
            x = (given["x"] + given["residual"]).astype(np.float64)
        off = x - x.mean(axis=1, keepdims=True)
        scale = np.sqrt((off * off).mean(axis=1, keepdims=True) + 1e-5)
        want = off / scale * given["weight"] + given["bias"]
        result = suite.run(key)["y"]
        assert result.size == 12288
        # Of the mean, whose error the division by the deviation carries on; of the other steps.
        depth = share(suite[key]) + 14
        size = np.abs(x).mean(axis=1, keepdims=True) / scale * np.abs(given["weight"])
        bound = 2.0**-24 * (
            2 * depth * size + (depth + 12) * (np.abs(want) + np.abs(given["bias"]))
        )
        assert (np.abs(result - want) <= bound).all()


def test_the_shared_difference_is_kept_in_a_compact_stripe(suite):
    made = suite["preserve"]
    assert len(made.plan.rows.reductions) == 2
    assert made.plan.mapping.subgroups_per_program > 1
    assert times(made.machine, lambda o: isinstance(o, Barrier)) == 2
    assert list(made.stripes().values()) == [share(made)] == [made.plan.stripe_scalars]
    # Once for the mean, once where the stripe is filled.
    assert loads(made, "x") == 2 * share(made)


def test_expensive_only_computes_the_difference_again(suite):
    made = suite["expensive-only"]
    assert made.stripes() == {}
    assert made.plan.stripe_scalars == 0
    assert loads(made, "x") == 3 * share(made)


def test_a_kept_sum_with_a_residual_reads_each_input_once(suite):
    kept = suite["preserve", "residual"]
    assert [loads(kept, view) for view in ("x", "residual")] == [share(kept)] * 2
    assert sorted(kept.stripes().values()) == [share(kept)] * 2
    again = suite["expensive-only", "residual"]
    assert [loads(again, view) for view in ("x", "residual")] == [3 * share(again)] * 2
    assert again.stripes() == {}


def test_expensive_only_still_keeps_exponentials(suite):
    """That mode makes cheap arithmetic again and no transcendental function; `nothing` both."""
    for mode in MODES:
        made = suite[mode, "softmax"]
        assert exponentials(made) == share(made)
        assert list(made.stripes().values()) == [share(made)]
    nothing = suite["nothing", "softmax"]
    assert nothing.stripes() == {}
    assert exponentials(nothing) == 2 * share(nothing)
    np.testing.assert_allclose(
        suite.run(("nothing", "softmax"))["y"], suite.run(("preserve", "softmax"))["y"], rtol=1e-5
    )


def test_loads_are_counted(suite):
    """The count can differ: a kernel reads each element of a weight once."""
    made = suite["preserve"]
    assert loads(made, "weight") == share(made)
    assert times(made.machine, lambda o: isinstance(o, Load)) == 4 * share(made)
