"""Softmax and normalisation: arrays of the input's shape.

In: an array, vectors along its last axes, a residual.  Out: an array of its shape.  Decides which
axes and vectors fit.  Leaves the formulas to `certile.ops.kernels.rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from certile import settings
from certile.diagnostics import ArgumentError
from certile.ops import checks
from certile.ops.call import Operation, Plan, Result
from certile.ops.checks import Axis
from certile.ops.kernels import rows as kernels
from certile.ops.launch import Launch, Seen
from certile.ops.layout import (
    Arrangement,
    Steps,
    Strided,
    arrange,
    contiguous_strides,
    in_chunks,
)
from certile.runtime.arrays import ArrayInfo

__all__ = ["l2_norm", "layer_norm", "log_softmax", "rms_norm", "softmax"]

Array = Any

_KERNELS = {
    "softmax": kernels.softmax_kernel,
    "log_softmax": kernels.log_softmax_kernel,
    "l2_norm": kernels.l2_norm_kernel,
    "rms_norm": kernels.rms_norm_kernel,
    "layer_norm": kernels.layer_norm_kernel,
}


@dataclass(frozen=True, slots=True)
class RowMap(Plan):
    """A call of an operation that gives a row for each row.

    `extras` names the inputs after x: `weight` and `bias` lie along the columns, `residual` is
    like x and brings a second result, the sum.
    """

    op: str
    axis: Axis
    dtype: object
    extras: tuple[str, ...] = ()
    eps: float | None = None

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x = inputs[0]
        if self.dtype is None:
            checks.require_dtype(self.op, "x", x, checks.REAL)
        columns = self._columns(x)
        for name, extra in zip(self.extras, inputs[1:], strict=True):
            checks.require_dtype(self.op, name, extra, checks.REAL)
            if name == "residual":
                checks.require_shape(name, extra, x.shape, "it is added to x, which has")
            else:
                wanted = tuple(x.shape[dim] for dim in columns)
                checks.require_shape(name, extra, wanted, f"the axes of {self.op} have")
        dtype = checks.result_dtype(self.op, self.dtype, x.dtype)
        value = 0.0 if prod(x.shape) == 0 else None
        results = (Result(x.shape, dtype, value),)
        return (*results, Result(x.shape, x.dtype, value)) if "residual" in self.extras else results

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        chunks = self._chunks(arrays)
        if chunks is None:
            return ()
        return (Result(chunks.arrays[0].shape[:-1], "f32"),) * 2

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        chunks = self._chunks(arrays)
        if chunks is not None:
            return self._launches_by_chunks(chunks, arrays)
        arranged = self._arranged(arrays)
        views: dict[str, object] = {
            name: Seen(at, layout)
            for at, (name, layout) in enumerate(zip(self._names(), arranged.arrays, strict=True))
        }
        if self.eps is not None:
            views["eps"] = float(self.eps)
        views["kept"] = arranged.kept
        return (Launch(_KERNELS[self.op], views, arranged.rows_adjoin),)

    def _names(self) -> tuple[str, ...]:
        return ("x", *self.extras, *(("y", "h") if "residual" in self.extras else ("y",)))

    def _arranged(self, arrays: tuple[ArrayInfo, ...]) -> Arrangement:
        columns = tuple(dim + 1 for dim in self._columns(arrays[0])) or (1,)
        rank = max(len(arrays[0].shape), 1) + 1
        extents = (1, *(arrays[0].shape or (1,)))
        steps = [
            self._along_columns(array, rank, columns)
            if name in ("weight", "bias")
            else (0, *(array.strides or (1,)))
            for name, array in zip(self._names(), arrays, strict=False)
        ]
        return arrange(extents, columns, steps)

    def _chunks(self, arrays: tuple[ArrayInfo, ...]) -> Arrangement | None:
        """Return few long rows cut into chunks for all threads; None where that is not needed."""
        if self.op not in ("softmax", "log_softmax"):
            return None
        return in_chunks(self._arranged(arrays), settings.current().threads)

    def _launches_by_chunks(
        self, chunks: Arrangement, arrays: tuple[ArrayInfo, ...]
    ) -> tuple[Launch, ...]:
        shape = chunks.arrays[0].shape[:-1]
        summed = Strided(shape, contiguous_strides(shape))
        x, y = (Seen(at, layout) for at, layout in enumerate(chunks.arrays))
        greatest, total = Seen(len(arrays) - 2, summed), Seen(len(arrays) - 1, summed)
        shared = {"x": x, "greatest": greatest, "total": total, "kept": chunks.kept}
        logarithm = self.op == "log_softmax"
        return (
            Launch(kernels.chunks_kernel, shared),
            Launch(kernels.from_chunks_kernel, {**shared, "y": y, "logarithm": logarithm}),
        )

    @staticmethod
    def _along_columns(array: ArrayInfo, rank: int, columns: tuple[int, ...]) -> Steps:
        """Return the strides of a vector along the columns, which does not span the rows."""
        strides = dict(zip(columns, array.strides, strict=True))
        return tuple(strides.get(dim) for dim in range(rank))

    def _columns(self, x: ArrayInfo) -> tuple[int, ...]:
        """Return the axes a row is made of; normalisations take several, which are the last."""
        if self.op not in ("rms_norm", "layer_norm"):
            return checks.one_axis(self.op, x, self.axis)
        found = checks.axes_of(self.op, x, self.axis)
        if not x.shape:
            raise ArgumentError(
                "A301",
                f"{self.op} normalises along an axis, and x has none",
                hint="pass x.reshape(1)",
            )
        several = isinstance(self.axis, tuple)
        if several and found != tuple(range(len(x.shape) - len(found), len(x.shape))):
            raise ArgumentError(
                "A301", f"{self.op} takes one axis, or the last ones; not {self.axis!r}"
            )
        return found


_softmax = Operation("softmax", RowMap)
_log_softmax = Operation("log_softmax", RowMap)
_l2_norm = Operation("l2_norm", RowMap)
_rms_norm = Operation("rms_norm", RowMap)
_layer_norm = Operation("layer_norm", RowMap)


def softmax(
    x: Array, axis: int = -1, *, out: Array = None, dtype: object = None, guard: object = None
) -> Array:
    """Return exp(x) / sum(exp(x)) along `axis`, without overflow.

    A row of -inf gives NaN, as the definition does; so does a row with inf or NaN.  Raises
    `ArgumentError` A302 for bool and integers unless `dtype` names the result's.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    return _softmax(
        (x,), out, ("softmax", axis if axis.__class__ is int else checks.plain_axis(axis), dtype)
    )


def log_softmax(
    x: Array, axis: int = -1, *, out: Array = None, dtype: object = None, guard: object = None
) -> Array:
    """Return x - log(sum(exp(x))) along `axis`, without overflow; NaN where softmax gives it."""
    if guard is not None:
        checks.require_no_guard(guard)
    return _log_softmax(
        (x,),
        out,
        ("log_softmax", axis if axis.__class__ is int else checks.plain_axis(axis), dtype),
    )


def l2_norm(
    x: Array,
    axis: int = -1,
    *,
    eps: float = 1e-12,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return x scaled to length 1 along `axis`: x / max(sqrt(sum(x²)), eps)."""
    if guard is not None:
        checks.require_no_guard(guard)
    return _l2_norm(
        (x,),
        out,
        ("l2_norm", axis if axis.__class__ is int else checks.plain_axis(axis), dtype, (), eps),
    )


def rms_norm(  # noqa: PLR0913 - as the frameworks have it
    x: Array,
    weight: Array = None,
    *,
    axis: Axis = -1,
    eps: float = 1e-6,
    residual: Array = None,
    out: Any = None,  # noqa: ANN401 - an array, or a pair
    dtype: object = None,
    guard: object = None,
) -> Any:  # noqa: ANN401 - an array, or a pair
    """Return x / sqrt(mean(x²) + eps), times `weight`, over `axis` (one, or a tuple of the last).

    With `residual` it normalises h = x + residual, rounded to x's dtype, and returns (y, h); `out`
    is then a pair.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    extras: tuple[str, ...] = ()
    inputs: tuple[Array, ...] = (x,)
    if weight is not None:
        extras, inputs = ("weight",), (x, weight)
    if residual is not None:
        extras, inputs = (*extras, "residual"), (*inputs, residual)
    return _rms_norm(
        inputs,
        out,
        (
            "rms_norm",
            axis if axis.__class__ is int else checks.plain_axis(axis),
            dtype,
            extras,
            eps,
        ),
    )


def layer_norm(  # noqa: PLR0913 - as the frameworks have it
    x: Array,
    weight: Array = None,
    bias: Array = None,
    *,
    axis: Axis = -1,
    eps: float = 1e-5,
    residual: Array = None,
    out: Any = None,  # noqa: ANN401 - an array, or a pair
    dtype: object = None,
    guard: object = None,
) -> Any:  # noqa: ANN401 - an array, or a pair
    """Return (x - mean) / sqrt(variance + eps), times `weight`, plus `bias`, over `axis`.

    `axis` is one, or a tuple of the last ones, which `weight` and `bias` then span.  The variance
    is the mean of squared deviations, in f32: where it overflows (deviations beyond 1.8e19) the
    result is 0, as PyTorch has it.  With `residual` it normalises h = x + residual, rounded to
    x's dtype, and returns (y, h); `out` is then a pair.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    # The usual call comes first: everything here stands on the path of each call.
    extras: tuple[str, ...] = ("weight", "bias")
    inputs: tuple[Array, ...] = (x, weight, bias)
    if weight is None or bias is None:
        extras, inputs = ((), (x,)) if weight is None else (("weight",), (x, weight))
    if weight is None and bias is not None:
        extras, inputs = (*extras, "bias"), (*inputs, bias)
    if residual is not None:
        extras, inputs = (*extras, "residual"), (*inputs, residual)
    return _layer_norm(
        inputs,
        out,
        (
            "layer_norm",
            axis if axis.__class__ is int else checks.plain_axis(axis),
            dtype,
            extras,
            eps,
        ),
    )
