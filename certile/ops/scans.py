"""Running sums and maxima along an axis, and the elements that come first in order.

In: an array and an axis.  Out: an array of its shape; for `topk` values and positions.  Decides
dtypes by the framework's convention.  Leaves the formulas to `certile.ops.kernels.scans`.
"""

from __future__ import annotations

from math import prod
from typing import Any

from certile.diagnostics import ArgumentError
from certile.frontend.sorts import MOST_SELECTED
from certile.ir.dtypes import BY_NAME
from certile.ops import checks
from certile.ops.call import Operation, Recipe, Result
from certile.ops.kernels import scans as kernels
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Strided
from certile.ops.native import cumulative_dtype, index_dtype
from certile.ops.reductions import summed_in
from certile.ops.reordered import reordered
from certile.ops.views import across, arranged, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["cummax", "cumsum", "topk"]

Array = Any


@record
class Running(Recipe):
    """A call that gives for each element what it and those before it, or after it, come to."""

    op: str
    axis: int
    reverse: bool
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        checks.require_dtype(self.op, "x", x, checks.REDUCED)
        checks.one_axis(self.op, x, self.axis)
        allowed: tuple[str, ...] = checks.REAL if x.dtype in checks.REAL else (x.dtype,)
        default = x.dtype
        if self.op == "cumsum":
            default = cumulative_dtype(x.framework, x.dtype)
            allowed = tuple(name for name in checks.REDUCED if name != "bool")
        dtype = checks.result_dtype(self.op, self.dtype, default, allowed)
        return (Result(x.shape, dtype),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, y = arrays
        copied = reordered(x, y, checks.one_axis(self.op, x, self.axis))
        # Copied first to where the result will be; read where it lies elsewhere.
        return (self._launch(x, y),) if copied is None else copied.before(self._launch(y, y))

    def _launch(self, x: ArrayInfo, y: ArrayInfo) -> Launch:
        columns = checks.one_axis(self.op, x, self.axis)
        views = seen(("x", "y"), arranged(x.shape, columns, ("full", "full"), (x, y)))
        if self.op == "cummax":
            return Launch(kernels.cummax_kernel, views | {"reverse": self.reverse})
        constants = {"reverse": self.reverse, "accumulate": BY_NAME[summed_in(x, y)]}
        return Launch(kernels.cumsum_kernel, views | constants)


@record
class Top(Recipe):
    """A call that gives the first `count` elements of each row in order, and their positions."""

    count: int
    axis: int
    largest: bool
    dtype: object

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        checks.require_dtype("topk", "x", x, checks.REDUCED)
        columns = checks.one_axis("topk", x, self.axis)
        length = prod(x.shape[dim] for dim in columns)
        if self.count > length:
            raise ArgumentError("A305", f"topk: k is {self.count}; the axis has {length} elements")
        allowed = checks.REAL if x.dtype in checks.REAL else (x.dtype,)
        dtype = checks.result_dtype("topk", self.dtype, x.dtype, allowed)
        shape = tuple(self.count if dim in columns else n for dim, n in enumerate(x.shape))
        return Result(shape, dtype), Result(shape, index_dtype(x.framework))

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, *results = arrays
        columns = checks.one_axis("topk", x, self.axis)
        steps = [across(array.strides, columns) for array in results]
        arrangement = arranged(x.shape, columns, ("full", *steps), arrays)
        views = seen(("x", "values", "indices"), arrangement) | {"largest": self.largest}
        for at, name in ((1, "values"), (2, "indices")):
            shape, strides = arrangement.arrays[at]
            step = arrays[at].strides[columns[0]] if columns else 1
            views[name] = Seen(at, Strided((*shape, self.count), (*strides, step)))
        return (Launch(kernels.topk_kernel, views),)


_cumsum = Operation("cumsum", Running)
_cummax = Operation("cummax", Running)
_topk = Operation("topk", Top)


def cumsum(
    x: Array,
    axis: int = -1,
    *,
    reverse: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return for each element the sum of it and those before it along `axis`.

    With `reverse` it is the sum of it and those after it.  Floats keep their dtype and are added
    in f32, f64 in f64, bool and integers in i64; the result's dtype is that of `sum`, but MLX
    keeps the dtype of integers.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    along = axis if axis.__class__ is int else checks.plain_axis(axis)
    return _cumsum((x,), out, ("cumsum", along, reverse, dtype))


def cummax(
    x: Array,
    axis: int = -1,
    *,
    reverse: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return for each element the greatest of it and those before it along `axis`.

    With `reverse` it is the greatest of it and those after it.  From the first NaN on all are NaN.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    along = axis if axis.__class__ is int else checks.plain_axis(axis)
    return _cummax((x,), out, ("cummax", along, reverse, dtype))


def topk(
    x: Array,
    k: int,
    axis: int = -1,
    *,
    largest: bool = True,
    out: tuple[Array, Array] | None = None,
    dtype: object = None,
    guard: object = None,
) -> tuple[Array, Array]:
    """Return (values, indices): the `k` greatest elements along `axis`, the greatest first.

    Without `largest` they are the least, the least first.  NaN is greater than all numbers; of
    equal elements the first comes first.  Positions have the dtype of `argmax`; `out` is a pair.

    Raises `ArgumentError` A305 for k below 1, above 64, or above the length of the axis.
    """
    if guard is not None:
        checks.require_no_guard(guard)
    if k.__class__ is not int or not 0 < k <= MOST_SELECTED:
        k = checks.positive_integer("topk", "k", k)
        if k > MOST_SELECTED:
            raise ArgumentError("A305", f"topk: k is {k}; it is at most {MOST_SELECTED}")
    along = axis if axis.__class__ is int else checks.plain_axis(axis)
    both: tuple[Array, Array] = _topk((x,), out, (k, along, largest, dtype))
    return both
