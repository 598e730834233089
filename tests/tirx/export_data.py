"""Arguments of a bare form, and TVM's Metal text in the simulator, for the tests of the export."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from certile import tirx
from certile.ir.tile import Scalar
from certile.metalsim import Library
from certile.ops.kernels import Bare
from certile.reference import machine_numeric as numeric
from certile.reference.agrees import Agreement, agrees
from certile.reference.probes import index_ranges

Arrays = dict[str, Any]


def arguments(subject: Bare, seed: int = 0) -> Arrays:
    """Normal values with special ones among them, and integers that stay inside what they index."""
    random = np.random.default_rng(seed)
    ranges = index_ranges(subject.kernel, subject.shapes)
    made: Arrays = {}
    for view in subject.kernel.views:
        shape, storage = subject.shapes[view.name], numeric.storage(view.dtype)
        if view.dtype.is_float:
            made[view.name] = random.standard_normal(shape, np.float32).astype(storage)
        else:
            most = ranges.get(view.name, 2 if view.dtype.kind == "bool" else 100)
            made[view.name] = random.integers(0, max(most, 1), shape).astype(storage)
    for parameter in subject.kernel.params:
        if isinstance(parameter, Scalar):
            made[parameter.name] = subject.arguments[parameter.name]
    return made


def copied(given: Mapping[str, Any]) -> Arrays:
    """The same values in memory of their own."""
    return {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in given.items()}


def judged(subject: Bare, before: Arrays, after: Arrays) -> Agreement:
    """Compare with the interpreter of Tile IR."""
    results = {view.name: after[view.name] for view in subject.kernel.outputs}
    return agrees(results, subject.kernel, before)


def simulated(exported: tirx.Exported, given: Arrays, *, seed: int = 0) -> list[str]:
    """Run TVM's Metal text on the arrays in checked mode; return what the simulator found."""
    found: list[str] = []
    for number in range(len(exported.launches)):
        artifact = exported.artifact(number)
        kernel = Library(artifact.source, "checked").kernel(artifact.entry)
        bound = {each.index: _bound(each, given[each.name]) for each in artifact.arguments}
        report = kernel.run(bound, artifact.grid, artifact.block, seed=seed)
        found += [] if report is None else [str(finding) for finding in report.findings]
    return found


def _bound(argument: tirx.Argument, value: Any) -> Any:
    if argument.kind == "scalar":
        return np.array([value], {"f32": np.float32, "i32": np.int32}[argument.dtype])
    if argument.dtype == "bf16":
        return value.view(np.uint16).reshape(-1)
    return value.view(np.uint8).reshape(-1) if argument.dtype == "bool" else value.reshape(-1)
