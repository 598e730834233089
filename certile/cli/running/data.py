"""The data that a subject is run on: made-up values, special ones, and probes.

In: a subject.  Out: arguments for its parameters, as trials.  Decides the values: normal ones, a
row each of special values, small integers for which every order of summation is exact, and single
elements at the edges of the plan.  Leaves running and judging to others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from certile.cli.subject import Subject
from certile.ir.tile import Scalar
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.probes import exact_probes, index_ranges, one_hot_probes, thresholds

Arguments = dict[str, Any]

# Of arrays with more elements only the ends of a row are probed one element at a time.
MOST_PROBED = 1 << 20


@record
class Trial:
    """Arguments, and whether the result has to match bit for bit."""

    name: str
    arguments: Arguments
    exact: bool


def first_trial(subject: Subject) -> Trial:
    """Return the trial on normal values."""
    return Trial("random", random_arguments(subject, seed=0), exact=False)


def trials(subject: Subject) -> Iterator[Trial]:
    """Return every trial, one at a time: each has arrays of its own."""
    yield first_trial(subject)
    special = random_arguments(subject, seed=1)
    _put_special_rows(subject, special)
    yield Trial("special values", special, exact=False)
    for probe in exact_probes(subject.kernel, subject.shapes):
        yield Trial(probe.name, _with_scalars(subject, probe.arguments), exact=True)
    length = max((shape[-1] for shape in subject.shapes.values() if shape), default=1)
    large = max(map(prod, subject.shapes.values()), default=0) > MOST_PROBED
    places = thresholds(length, *(() if large else (16, 32, 64, 128, 1024)))
    for probe in one_hot_probes(subject.kernel, subject.shapes, places):
        yield Trial(probe.name, _with_scalars(subject, probe.arguments), exact=True)


def random_arguments(subject: Subject, seed: int) -> Arguments:
    """Return normal values, integers that stay inside what they index, and the call's numbers."""
    random = np.random.default_rng(seed)
    ranges = index_ranges(subject.kernel, subject.shapes)
    made: Arguments = {}
    for view in subject.kernel.views:
        shape, storage = subject.shapes[view.name], numeric.storage(view.dtype)
        if view.dtype.is_float:
            # A draw without a shape is a number, and a view of rank 0 an array.
            drawn = np.asarray(random.standard_normal(shape, np.float32))
            made[view.name] = drawn.astype(storage)
        else:
            most = ranges.get(view.name, 2 if view.dtype.kind == "bool" else 100)
            made[view.name] = np.asarray(random.integers(0, max(most, 1), shape)).astype(storage)
    return _with_scalars(subject, made)


def _with_scalars(subject: Subject, arguments: Mapping[str, Any]) -> Arguments:
    """Return the arguments with the call's own numbers in place of a probe's."""
    named = {
        p.name: subject.arguments[p.name] for p in subject.kernel.params if isinstance(p, Scalar)
    }
    return {**arguments, **named}


def _put_special_rows(subject: Subject, arguments: Arguments) -> None:
    """Overwrite the first rows of the first input: NaN, inf, -inf, all -inf, subnormals, zeros."""
    view = next(iter(subject.kernel.inputs), None)
    if view is None or not view.dtype.is_float or not arguments[view.name].size or not view.rank:
        return
    x = arguments[view.name]
    x = x.reshape(len(x), -1)
    for row, value in zip(range(len(x)), (np.nan, np.inf, -np.inf), strict=False):
        x[row, x.shape[1] // 2] = value
    for row, value in zip(range(3, len(x)), (-np.inf, 1e-40, 0.0), strict=False):
        x[row] = value
