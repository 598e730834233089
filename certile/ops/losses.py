"""Cross entropy of logits and labels.

In: logits, an integer label a row, optional weights of classes.  Out: a loss a row, or their sum or
mean.  Decides that labels are checked before anything is written, which rows count, and that losses
are added in f64.  Leaves the loss of a row to `certile.ops.kernels.losses`, reading labels and
adding losses to `certile.runtime.inspected`.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from certile.diagnostics import ArgumentError
from certile.ops import checks, gradients
from certile.ops.call import Operation, Recipe, Result
from certile.ops.kernels.losses import cross_entropy_kernel
from certile.ops.launch import Launch
from certile.ops.views import Part, arranged, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo, check_output, describe, empty_like_framework
from certile.runtime.inspected import Inspection, Integers, Total

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

    def inspection(self, arrays: tuple[ArrayInfo, ...]) -> Inspection:
        logits = arrays[0]
        (axis,) = checks.one_axis("cross_entropy", logits, self.axis)
        classes = logits.shape[axis]
        complain = partial(checks.require_labels, classes=classes, ignored=self.ignore_index)
        return Inspection(Integers(1, classes, complain, self.ignore_index))


class _ElsewhereError(Exception):
    """Some array of a total is a tensor on a device."""


@record
class Added(Recipe):
    """A call that gives the sum or the mean of the losses: of arrays that the host can read."""

    losses: Losses
    mean: bool
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        self.losses.results(inputs)
        dtype = checks.result_dtype("cross_entropy", self.dtype, inputs[0].dtype)
        return (Result((), dtype),)

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        wide = "f64" if arrays[0].dtype == "f64" else "f32"
        shape = arrays[1].shape
        return (Result(shape, wide),) * (1 + self.losses.counted)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        count = 2 + self.losses.weighted
        # Losses, and what rows count with, follow the result.
        (launch,) = self.losses.launches((*arrays[:count], *arrays[count + 1 :]))
        return (launch.moved(count, 1),)

    def inspection(self, arrays: tuple[ArrayInfo, ...]) -> Inspection:
        if any(array.device != "cpu" for array in arrays):
            raise _ElsewhereError
        out = len(arrays) - 1
        total = Total(out + 1, out + 2 if self.losses.counted else None, out, self.mean)
        return Inspection(self.losses.inspection(arrays).integers, total)


def _added(
    axis: int, ignore_index: int, smoothing: float, weighted: bool, mean: bool, dtype: object
) -> Added:
    counted = weighted and mean
    return Added(Losses(axis, ignore_index, smoothing, weighted, counted, None), mean, dtype)


_losses = Operation("cross_entropy", Losses)
_totals = Operation("cross_entropy", _added)
_REDUCTIONS = ("none", "sum", "mean")


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
    Infinite logits count as `logsumexp` has them: beside an inf every other label has loss inf.

    Raises `ArgumentError` A307 for a label that is no class, before anything is written.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    # Each option is tested for the usual case first: this stands on the path of every call.
    if reduction.__class__ is not str or reduction not in _REDUCTIONS:
        checks.require_choice("cross_entropy", "reduction", reduction, _REDUCTIONS)
    if label_smoothing.__class__ is not float or not 0.0 <= label_smoothing <= 1.0:
        label_smoothing = _share(label_smoothing)
    if axis.__class__ is not int:
        axis = _one_axis(axis)
    if ignore_index.__class__ is not int or not -(2**63) <= ignore_index < 2**63:
        ignore_index = checks.integer("cross_entropy", "ignore_index", ignore_index)
    inputs = (logits, labels) if weight is None else (logits, labels, weight)
    shared = (axis, ignore_index, label_smoothing, weight is not None)
    if labels.__class__ is not np.ndarray and checks.on_a_device(labels):
        return _on_a_device(inputs, shared, reduction, out, dtype)
    if reduction == "none":
        return _losses(inputs, out, (*shared, False, dtype))
    try:
        return _totals(inputs, out, (*shared, reduction == "mean", dtype))
    except _ElsewhereError:
        return _on_a_device(inputs, shared, reduction, out, dtype)


def _share(smoothing: object) -> float:
    share = checks.real_number("cross_entropy", "label_smoothing", smoothing)
    if not 0.0 <= share <= 1.0:
        raise ArgumentError("A305", f"label_smoothing is {share}; it lies in 0 to 1")
    return share


def _one_axis(axis: object) -> int:
    along = checks.plain_axis(axis)  # type: ignore[arg-type]  # whatever it is
    if not isinstance(along, int):
        raise ArgumentError("A301", f"cross_entropy works along one axis, not {axis!r}")
    return along


def _on_a_device(
    inputs: tuple[Array, ...],
    shared: tuple[Any, ...],
    reduction: str,
    out: Array,
    dtype: object,
) -> Array:
    """Return the losses, or their sum or mean, where the host cannot read some array."""
    numbers, logits = checks.copied_numbers(inputs[1]), describe(inputs[0])
    extents, axis = logits.shape, shared[0]
    if numbers.dtype.kind in "iu" and -len(extents) <= axis < len(extents):
        checks.require_labels(numbers, extents[axis], shared[1])
    if reduction == "none":
        return _losses(inputs, out, (*shared, False, dtype))
    counted = len(inputs) > 2 and reduction == "mean"
    wide = "f64" if logits.dtype == "f64" else "f32"
    made = _losses(gradients.detached(inputs), None, (*shared, counted, wide))
    found = [_sum(each) for each in (made if isinstance(made, tuple) else (made,))]
    total = found[0]
    if reduction == "mean":
        rows = int(numbers.size - np.count_nonzero(numbers == shared[1]))
        divisor = found[1] if counted else rows
        # No row counts: 0 / 0, and what is not 0 is infinite.
        total = total / divisor if divisor else total * math.inf
    return _as_result(total, inputs, out, dtype)


def _sum(losses: Array) -> float:
    return float(np.add.reduce(checks.copied_numbers(losses), axis=None, dtype=np.float64))


def _as_result(total: float, inputs: tuple[Array, ...], out: Array, dtype: object) -> Array:
    """Return one number as a tensor of rank 0, beside the logits or in `out`."""
    info = describe(inputs[0])
    name = checks.result_dtype("cross_entropy", dtype, info.dtype)
    if out is None:
        result = empty_like_framework(info.framework, (), name, info.device)
    else:
        checks.require_output("cross_entropy", describe(out), (), name)
        check_output(describe(out), "out")
        result = out
    result[...] = total
    return gradients.recorded("certile.ops.cross_entropy", (result,), inputs)[0]
