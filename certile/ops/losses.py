"""Cross entropy of logits and labels.

In: logits, an integer label a row, optional weights of classes.  Out: a loss a row, or their sum or
mean.  Decides that labels are checked before anything is written, which rows count, and how losses
are averaged: in f64, by NumPy, since one number for all rows is left.  Leaves the loss of a row to
`certile.ops.kernels.losses`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certile.diagnostics import ArgumentError
from certile.ir.array_types import numpy_dtype
from certile.ops import checks, gradients
from certile.ops.call import Operation, Recipe, Result
from certile.ops.kernels.losses import cross_entropy_kernel
from certile.ops.launch import Launch
from certile.ops.views import Part, arranged, seen
from certile.records import record
from certile.runtime.arrays import (
    ArrayInfo,
    check_output,
    describe,
    empty_like_framework,
)

__all__ = ["cross_entropy"]

Array = Any


@record
class Losses(Recipe):
    """A call that gives each row's loss, and with `counted` the weight that the row counts with."""

    axis: int
    ignore_index: int
    smoothing: float
    weighted: bool
    counted: bool
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        logits, labels = inputs[:2]
        checks.require_dtype("cross_entropy", "logits", logits, checks.REAL)
        checks.require_dtype("cross_entropy", "labels", labels, checks.INDICES)
        (axis,) = checks.one_axis("cross_entropy", logits, self.axis) or (None,)
        if axis is None:
            raise ArgumentError("A301", "cross_entropy needs an axis of classes; logits has none")
        shape = tuple(n for dim, n in enumerate(logits.shape) if dim != axis)
        checks.require_shape("labels", labels, shape, "logits less the axis of classes has")
        if self.weighted:
            checks.require_dtype("cross_entropy", "weight", inputs[2], checks.REAL)
            classes = (logits.shape[axis],)
            checks.require_shape("weight", inputs[2], classes, "there is one a class:")
        dtype = checks.result_dtype("cross_entropy", self.dtype, logits.dtype)
        return (Result(shape, dtype),) * (1 + self.counted)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        logits = arrays[0]
        (axis,) = checks.one_axis("cross_entropy", logits, self.axis)
        names = ["logits", "labels", *(["weight"] if self.weighted else []), "loss"]
        names += ["counted"] if self.counted else []
        special: dict[str, Part] = {"logits": "full", "weight": "columns"}
        parts: list[Part] = [special.get(name, "rows") for name in names]
        arrangement = arranged(logits.shape, (axis,), parts, arrays)
        arguments = {**seen(names, arrangement), "ignore_index": self.ignore_index}
        if self.smoothing:
            arguments["smoothing"] = self.smoothing
        return (Launch(cross_entropy_kernel, arguments),)


_losses = Operation("cross_entropy", Losses)


def cross_entropy(  # noqa: PLR0913 - as the frameworks have it
    logits: Array,
    labels: Array,
    *,
    axis: int = -1,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
    weight: Array = None,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return -log(softmax(logits)[label]): a loss a row, or the "sum" or "mean" over rows.

    `axis` is that of the classes; `labels` has the shape of the other axes.  A row whose label is
    `ignore_index` has loss 0 and does not count for the mean; the mean of no rows is NaN.
    `weight` scales each row by its label's weight, and the mean divides by the weights' sum.
    `label_smoothing` spreads that share of the target evenly over the classes.

    Raises `ArgumentError` A307 for a label that is no class, before anything is written.
    """
    checks.require_no_guard(guard)
    checks.require_choice("cross_entropy", "reduction", reduction, ("none", "sum", "mean"))
    label_smoothing = checks.real_number("cross_entropy", "label_smoothing", label_smoothing)
    if not 0.0 <= label_smoothing <= 1.0:
        raise ArgumentError("A305", f"label_smoothing is {label_smoothing}; it lies in 0 to 1")
    inputs = (logits, labels) if weight is None else (logits, labels, weight)
    along = checks.plain_axis(axis)
    if not isinstance(along, int):
        raise ArgumentError("A301", f"cross_entropy works along one axis, not {axis!r}")
    ignored = checks.integer("cross_entropy", "ignore_index", ignore_index)
    shared = (along, ignored, label_smoothing, weight is not None)
    rows = check_labels(logits, labels, along, ignored)
    if reduction == "none":
        return _losses(inputs, out, (*shared, False, dtype))
    total = _total(inputs, shared, rows, reduction)
    return _as_result(total, inputs, out, dtype)


def _total(inputs: tuple[Array, ...], shared: tuple[Any, ...], rows: int, reduction: str) -> float:
    """Return the sum or mean of the losses, added in f64."""
    logits = describe(inputs[0])
    (axis,) = checks.one_axis("cross_entropy", logits, shared[0]) or (0,)
    shape = tuple(n for dim, n in enumerate(logits.shape) if dim != axis)
    counted = len(inputs) > 2 and reduction == "mean"
    wide = "f64" if logits.dtype == "f64" else "f32"
    found = tuple(np.empty(shape, numpy_dtype(wide)) for _ in range(1 + counted))
    _losses(gradients.detached(inputs), found, (*shared, counted, wide))
    total = np.sum(found[0], dtype=np.float64)
    if reduction == "mean":
        divisor = np.sum(found[1], dtype=np.float64) if counted else np.float64(rows)
        with np.errstate(invalid="ignore", divide="ignore"):
            total = total / divisor
    return float(total)


def check_labels(logits: Array, labels: Array, axis: int, ignore_index: int) -> int:
    """Return how many rows count; raises `ArgumentError` A307 for a label that is no class."""
    known = getattr(logits, "shape", None)
    extents = known if isinstance(known, tuple) else describe(logits).shape
    if not extents:
        return 0
    classes = extents[axis] if -len(extents) <= axis < len(extents) else 0
    numbers = checks.plain_numbers(labels)
    if numbers.dtype.kind not in "iu":
        checks.require_dtype("cross_entropy", "labels", describe(labels), checks.INDICES)
    if not 0 <= ignore_index < classes and checks.count_below(numbers, classes):
        return int(numbers.size)
    ignored = numbers == ignore_index
    wrong = ((numbers < 0) | (numbers >= classes)) & ~ignored
    if wrong.any():
        label, place = checks.first_of(numbers, wrong)
        raise ArgumentError(
            "A307",
            f"label {label} at {place} is no class: there are {classes}",
            hint=f"labels are 0 to {classes - 1}, or ignore_index={ignore_index}",
        )
    return int(numbers.size - np.count_nonzero(ignored))


def _as_result(total: float, inputs: tuple[Array, ...], out: Array, dtype: object) -> Array:
    """Return the one number as the framework does: a scalar of NumPy, a tensor of rank 0."""
    info = describe(inputs[0])
    name = checks.result_dtype("cross_entropy", dtype, info.dtype)
    result = empty_like_framework(info.framework, (), name) if out is None else out
    if out is not None:
        checks.require_output("cross_entropy", describe(out), (), name)
        check_output(describe(out), "out")
    result[...] = total
    (result,) = gradients.recorded("certile.ops.cross_entropy", (result,), inputs)
    return result[()] if out is None and isinstance(result, np.ndarray) else result
