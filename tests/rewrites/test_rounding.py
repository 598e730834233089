"""Rewritten programs judged by the program as written: within its bound, and no wide one."""

import numpy as np
import pytest

from certile.plan.rounding.depth import depths
from certile.reference.agrees import agrees, expected_outputs
from certile.reference.bounding import Freedom
from certile.reference.trees import Fused
from tests import adversaries
from tests.differential.harness import HOST_SHEET, SHEETS, Case
from tests.rewrites.forms import AS_WRITTEN, WAYS, pair
from tests.rewrites.instances import INSTANCES

LENGTH = 257
# The widest bound of a median element, as a share of it; moments of higher order have a wide one.
WIDEST = {
    "softmax": 1e-4,
    "weighted sum": 1e-2,
    "variance": 1e-2,
    "standardised": 1e-2,
    "absmax-scaled": 1e-2,
    "third moment": None,
    "covariance of both": None,
}


class Judged:
    """A rewritten program with the row of x of each name, and y beside it."""

    def __init__(self, name, rows):
        self.rows = np.stack(list(rows.values())).astype(np.float32)
        kernel = INSTANCES[name].kernel()
        values = np.random.default_rng(3).standard_normal(self.rows.shape).astype(np.float32)
        self.given = {
            view.name: np.zeros(self.rows.shape[: view.rank], np.float32) for view in kernel.views
        }
        self.given |= {"x": self.rows} | ({"y": values} if "y" in self.given else {})
        shapes = {each: array.shape for each, array in self.given.items()}
        self.pair = pair(kernel, shapes)

    def run(self, mapping=None):
        """The outputs and depths: of compiled code, or under a mapping in the interpreter."""
        case = Case(self.pair.after, self.given).copy()
        sheet = HOST_SHEET if mapping is None else SHEETS["metal"]
        lowered = case.lower(sheet, mapping, options=AS_WRITTEN)
        if lowered is None:
            return None
        if mapping is None:
            case.run_cpu(lowered)
        else:
            assert all(report.ok for report in case.run_machine(lowered))
        ((plan, _),) = lowered
        return case.outputs(), depths(plan)


@pytest.fixture(scope="module", params=WIDEST)
def judged(request):
    return request.param, Judged(request.param, adversaries.rows(LENGTH))


@pytest.mark.parametrize("way", [None, *WAYS], ids=str)
def test_adversarial_rows_agree_with_the_program_as_written(judged, way):
    name, program = judged
    ran = program.run(way)
    if ran is None:
        pytest.skip("not a legal mapping")
    outputs, trees = ran
    assert any(isinstance(tree, Fused) for tree in trees.values())
    found = agrees(outputs, program.pair.before, program.given, trees)
    assert found, (name, found.worst)
    assert found.unchecked == 0


def test_the_bound_is_not_wide(judged):
    name, program = judged
    _, trees = program.run()
    expected = expected_outputs(program.pair.before, program.given, trees, Freedom())
    # The first row is random; on rows that cancel any bound is wide.
    for view in program.pair.before.outputs:
        found = expected[view.name]
        if found.error is None or WIDEST[name] is None:
            continue
        share = found.error[0] / np.maximum(np.abs(found.data[0]), 1e-30)
        assert np.median(share) < WIDEST[name], view.name


def test_a_wrong_result_does_not_agree(judged):
    name, program = judged
    if WIDEST[name] is None:
        return
    outputs, trees = program.run()
    last = list(outputs)[-1]
    wrong = {**outputs, last: outputs[last] * np.float32(1.1)}
    assert not agrees(wrong, program.pair.before, program.given, trees)


def test_rows_that_are_computed_again_are_held_to_the_program_as_written():
    """Rows whose state is not finite have the bound of the program as written."""
    rows = adversaries.rows(LENGTH)
    special = {name: rows[name].copy() for name in ("normal", "uniform", "wide", "rising")}
    special["normal"][5] = np.nan
    special["uniform"][:] = -np.inf
    special["wide"][7] = np.inf
    special["rising"][9] = -np.inf
    program = Judged("softmax", special)
    outputs, trees = program.run()
    found = agrees(outputs, program.pair.before, program.given, trees)
    assert found, found.worst
    assert found.unchecked == agrees(outputs, program.pair.before, program.given).unchecked


def test_a_law_without_a_stated_bound_allows_anything():
    """Depths say honestly that nothing is known: every element counts as unchecked."""
    program = Judged("variance", {"normal": adversaries.rows(LENGTH)["normal"]})
    outputs, trees = program.run()
    unknown = {}
    for node, tree in trees.items():
        if isinstance(tree, Fused):
            law = tree.node.law
            opaque = tree.node.with_(law=type(law)(**{**_fields(law), "closed": None}))
            unknown[node] = Fused(opaque, tree.results, tree.tree, tree.written)
    found = agrees(outputs, program.pair.before, program.given, trees | unknown)
    assert found.unchecked == found.elements


def _fields(law):
    return {name: getattr(law, name) for name in type(law).__dataclass_fields__}
