"""Cross entropy of logits and labels.

In: logits, an integer label a row, optional weights of classes.  Out: a loss a row, or their sum or
mean.  Decides that labels are checked before anything is written, which rows count, and how losses
are averaged: in f64, by the array's own framework, since one number for all rows is left.  Leaves
the loss of a row to `certile.ops.kernels.losses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from certile.diagnostics import ArgumentError, with_article
from certile.ops import checks
from certile.ops.call import Operation, Plan, Result
from certile.ops.kernels.losses import cross_entropy_kernel
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Steps, arrange
from certile.runtime.arrays import ArrayInfo, describe, empty_like_framework

__all__ = ["cross_entropy"]

Array = Any
_LABELS = ("i64", "i32", "u8")


@dataclass(frozen=True, slots=True)
class Losses(Plan):
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
        checks.require_dtype("cross_entropy", "labels", labels, _LABELS)
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
        value = 0.0 if prod(shape) == 0 else None
        results = (Result(shape, dtype, value),)
        return (*results, Result(shape, "f32", value)) if self.counted else results

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        logits = arrays[0]
        (axis,) = checks.one_axis("cross_entropy", logits, self.axis)
        names = ["logits", "labels", *(["weight"] if self.weighted else []), "loss"]
        names += ["counted"] if self.counted else []
        arranged = arrange(
            (1, *logits.shape),
            (axis + 1,),
            [_steps(name, array, axis + 1) for name, array in zip(names, arrays, strict=True)],
        )
        arguments: dict[str, object] = {
            name: Seen(at, layout)
            for at, (name, layout) in enumerate(zip(names, arranged.arrays, strict=True))
        }
        arguments |= {"ignore_index": self.ignore_index, "kept": arranged.kept}
        if self.smoothing:
            arguments["smoothing"] = self.smoothing
        return (Launch(cross_entropy_kernel, arguments, arranged.rows_adjoin),)


def _steps(name: str, array: ArrayInfo, axis: int) -> Steps:
    """Return the strides of an argument along the dimensions of the logits."""
    if name == "logits":
        return (0, *array.strides)
    if name == "weight":
        return (*(None for _ in range(axis)), *array.strides)
    rows = (0, *array.strides)
    return (*rows[:axis], None, *rows[axis:])


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
    if not 0.0 <= label_smoothing <= 1.0:
        raise ArgumentError("A305", f"label_smoothing is {label_smoothing}; it lies in 0 to 1")
    inputs = (logits, labels) if weight is None else (logits, labels, weight)
    shared = (checks.plain_axis(axis), ignore_index, float(label_smoothing), weight is not None)
    rows = check_labels(logits, labels, axis, ignore_index)
    if reduction == "none":
        return _losses(inputs, out, (*shared, False, dtype))
    counted = weight is not None and reduction == "mean"
    found = _losses(inputs, None, (*shared, counted, "f32"))
    total = (found[0] if counted else found).sum(dtype=_float64(logits))
    if reduction == "mean":
        divisor = found[1].sum(dtype=_float64(logits)) if counted else float(rows)
        with np.errstate(invalid="ignore"):
            total = total / divisor
    return _as_result(total, logits, out, dtype)


def check_labels(logits: Array, labels: Array, axis: int, ignore_index: int) -> int:
    """Return how many rows count; raises `ArgumentError` A307 for a label that is no class."""
    if not logits.shape:
        return 0
    classes = logits.shape[axis] if -len(logits.shape) <= axis < len(logits.shape) else 0
    numbers = _as_numpy(labels)
    plain = numbers.dtype == np.int64 and not 0 <= ignore_index < classes
    # As unsigned numbers the negative ones are the greatest, so one reading tests both ends.
    if plain and (numbers.size == 0 or numbers.view(np.uint64).max() < classes):
        return int(numbers.size)
    ignored = numbers == ignore_index
    wrong = ((numbers < 0) | (numbers >= classes)) & ~ignored
    if wrong.any():
        place = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
        label = int(np.atleast_1d(numbers)[place])
        raise ArgumentError(
            "A307",
            f"label {label} at {place} is no class: there are {classes}",
            hint=f"labels are 0 to {classes - 1}, or ignore_index={ignore_index}",
        )
    return int(numbers.size - np.count_nonzero(ignored))


def _as_numpy(labels: Array) -> np.ndarray[Any, Any]:
    if isinstance(labels, np.ndarray):
        return labels
    if hasattr(labels, "numpy") and hasattr(labels, "detach"):
        found: np.ndarray[Any, Any] = labels.detach().numpy()
        return found
    if hasattr(labels, "__dlpack__"):
        return np.from_dlpack(labels)
    raise ArgumentError("A201", f"labels is no array but {with_article(type(labels).__name__)}")


def _float64(like: Array) -> object:
    """Return the framework's own float64."""
    if isinstance(like, np.ndarray) or not hasattr(like, "detach"):
        return np.float64
    import torch  # the array is a tensor, so this is in memory already

    return torch.float64


def _as_result(total: Array, logits: Array, out: Array, dtype: object) -> Array:
    """Return the one number as the framework does: a scalar of NumPy, a tensor of rank 0."""
    info = describe(logits)
    name = checks.result_dtype("cross_entropy", dtype, info.dtype)
    if out is None:
        out = empty_like_framework(info.framework, (), name)
    else:
        checks.require_output("cross_entropy", describe(out), (), name)
    if hasattr(total, "detach") and total.requires_grad:
        return total.to(out.dtype)
    out[...] = total
    return out[()] if isinstance(out, np.ndarray) else out
