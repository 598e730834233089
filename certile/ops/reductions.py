"""Sums, extremes and positions along axes.

In: an array and axes.  Out: an array of what is left, or a scalar of NumPy.  Decides dtypes by the
framework's convention, and what an axis without elements gives.  Leaves the formulas to
`certile.ops.kernels.reductions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

from certile.ir.dtypes import BY_NAME
from certile.ops import checks
from certile.ops.call import Operation, Plan, Result
from certile.ops.checks import Axis
from certile.ops.kernels import reductions as kernels
from certile.ops.launch import Launch, Seen
from certile.ops.layout import Steps, arrange, in_blocks
from certile.ops.native import index_dtype, sum_dtype
from certile.runtime.arrays import ArrayInfo
from certile.runtime.kernel import TileKernel

__all__ = ["argmax", "argmin", "logsumexp", "max", "mean", "min", "min_max", "sum"]

Array = Any


@dataclass(frozen=True, slots=True)
class Reduction(Plan):
    """A call of an operation that reduces axes: what all of them share."""

    axis: Axis
    keepdims: bool
    dtype: object

    def shape(self, op: str, x: ArrayInfo) -> tuple[int, ...]:
        """Return the shape of the result."""
        reduced = checks.axes_of(op, x, self.axis)
        if self.keepdims:
            return tuple(1 if dim in reduced else n for dim, n in enumerate(x.shape))
        return tuple(n for dim, n in enumerate(x.shape) if dim not in reduced)

    def columns(self, op: str, x: ArrayInfo) -> int:
        """Return how many elements each result is made of."""
        return prod(x.shape[dim] for dim in checks.axes_of(op, x, self.axis))

    def launch(
        self,
        op: str,
        kernel: TileKernel,
        arrays: tuple[ArrayInfo, ...],
        names: tuple[str, ...],
        **constants: object,
    ) -> tuple[Launch, ...]:
        """Return the one launch: the first array is reduced, the others are results."""
        x = arrays[0]
        reduced = checks.axes_of(op, x, self.axis)
        extents = (1, *(x.shape or (1,)))
        columns = tuple(dim + 1 for dim in reduced) or (1,)
        steps: list[Steps] = [(0, *(x.strides or (1,)))]
        steps += [self._steps(array, len(extents), columns) for array in arrays[1:]]
        arranged = arrange(extents, columns, steps)
        blocks = in_blocks(arranged) if op in ("sum", "mean") and arranged.rows_adjoin else None
        if blocks is not None:
            arranged, constants = blocks, {**constants, "blocked": True}
        views = {
            name: Seen(at, layout, dtype=arrays[at].dtype)
            for at, (name, layout) in enumerate(zip(names, arranged.arrays, strict=True))
        }
        adjoin = arranged.rows_adjoin
        arguments = {**views, "kept": arranged.kept, **constants}
        return (Launch(kernel, arguments, adjoin),)

    def _steps(self, result: ArrayInfo, rank: int, columns: tuple[int, ...]) -> Steps:
        """Return a result's strides along the dimensions of the array that is reduced."""
        remaining = iter(result.strides)
        steps: list[int | None] = [0]
        for dim in range(1, rank):
            if dim in columns:
                steps.append(None)
                if self.keepdims:
                    next(remaining, None)
            else:
                steps.append(next(remaining))
        return tuple(steps)


@dataclass(frozen=True, slots=True)
class Sum(Reduction):
    """A sum: floats in f32, integers and bool in i64."""

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        checks.require_dtype("sum", "x", x, checks.REDUCED)
        default = sum_dtype(x.framework, x.dtype)
        allowed = (*checks.REAL, "f64", "i32", "i64", "u64")
        dtype = checks.result_dtype("sum", self.dtype, default, allowed)
        return (Result(self.shape("sum", x), dtype, 0 if self.columns("sum", x) == 0 else None),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, y = arrays
        wide = "f64" if "f64" in (x.dtype, y.dtype) else "f32"
        accumulate = BY_NAME["i64" if y.dtype in ("i32", "i64", "u64") else wide]
        # Positive sums of i64 and of u64 are the same bits, and no kernel needs to know u64.
        shown = (x, y._replace(dtype="i64") if y.dtype == "u64" else y)
        return self.launch("sum", kernels.sum_kernel, shown, ("x", "y"), accumulate=accumulate)


@dataclass(frozen=True, slots=True)
class Mean(Reduction):
    """The arithmetic mean of real numbers."""

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        if self.dtype is None:
            checks.require_dtype("mean", "x", x, (*checks.REAL, "f64"))
        dtype = checks.result_dtype("mean", self.dtype, x.dtype, (*checks.REAL, "f64"))
        empty = self.columns("mean", x) == 0
        return (Result(self.shape("mean", x), dtype, float("nan") if empty else None),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        return self.launch("mean", kernels.mean_kernel, arrays, ("x", "y"))


@dataclass(frozen=True, slots=True)
class LogSumExp(Reduction):
    """log(sum(exp(x))) of real numbers."""

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        if self.dtype is None:
            checks.require_dtype("logsumexp", "x", x, checks.REAL)
        dtype = checks.result_dtype("logsumexp", self.dtype, x.dtype)
        empty = self.columns("logsumexp", x) == 0
        return (Result(self.shape("logsumexp", x), dtype, float("-inf") if empty else None),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        return self.launch("logsumexp", kernels.logsumexp_kernel, arrays, ("x", "y"))


@dataclass(frozen=True, slots=True)
class Chosen(Reduction):
    """One or two elements of each row, or where one is: an axis without elements has none."""

    op: str
    kernel: TileKernel
    names: tuple[str, ...]
    position: bool = False

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        checks.require_dtype(self.op, "x", x, checks.REDUCED)
        shape = self.shape(self.op, x)
        checks.require_not_empty(self.op, (self.columns(self.op, x),), prod(shape))
        if self.position:
            default = index_dtype(x.framework)
            dtype = checks.result_dtype(self.op, self.dtype, default, ("i32", "i64"))
        else:
            allowed = checks.REAL if x.dtype in checks.REAL else (x.dtype,)
            dtype = checks.result_dtype(self.op, self.dtype, x.dtype, allowed)
        return (Result(shape, dtype),) * (len(self.names) - 1)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        return self.launch(self.op, self.kernel, arrays, self.names)


def _chosen(
    op: str, kernel: TileKernel, names: tuple[str, ...] = ("x", "y"), *, position: bool = False
) -> Operation:
    return Operation(op, partial(Chosen, op=op, kernel=kernel, names=names, position=position))


_sum = Operation("sum", Sum)
_mean = Operation("mean", Mean)
_logsumexp = Operation("logsumexp", LogSumExp)
_max = _chosen("max", kernels.max_kernel)
_min = _chosen("min", kernels.min_kernel)
_argmax = _chosen("argmax", kernels.argmax_kernel, position=True)
_argmin = _chosen("argmin", kernels.argmin_kernel, position=True)
_min_max = _chosen("min_max", kernels.min_max_kernel, ("x", "low", "high"))


def sum(  # noqa: A001 - NumPy's name
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the sum over `axis` (an axis, a tuple of axes, None for all).

    Floats keep their dtype and are summed in f32, f64 in f64; bool and integers are summed in i64
    and give i64 (u64 for NumPy's unsigned integers).  The sum of no elements is 0.
    """
    checks.require_no_guard(guard)
    return _sum((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def mean(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the mean over `axis` of real numbers, computed in f32; of no elements it is NaN.

    Raises `ArgumentError` A302 for integers unless `dtype` names the result's.
    """
    checks.require_no_guard(guard)
    return _mean((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def max(  # noqa: A001 - NumPy's name
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the greatest element along `axis`; NaN where there is one.

    Raises `ArgumentError` A304 (a `ValueError`) for an axis without elements.
    """
    checks.require_no_guard(guard)
    return _max((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def min(  # noqa: A001 - NumPy's name
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the least element along `axis`; NaN where there is one.

    Raises `ArgumentError` A304 (a `ValueError`) for an axis without elements.
    """
    checks.require_no_guard(guard)
    return _min((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def min_max(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: tuple[Array, Array] | None = None,
    dtype: object = None,
    guard: object = None,
) -> tuple[Array, Array]:
    """Return the least and the greatest element along `axis`, from one reading.

    Raises `ArgumentError` A304 (a `ValueError`) for an axis without elements.
    """
    checks.require_no_guard(guard)
    both: tuple[Array, Array] = _min_max((x,), out, (checks.plain_axis(axis), keepdims, dtype))
    return both


def argmax(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return where the greatest element is first, as i64; the first NaN is the greatest.

    Over several axes, or None for all, it is the position among their elements in C order.  Raises
    `ArgumentError` A304 (a `ValueError`) for an axis without elements.
    """
    checks.require_no_guard(guard)
    return _argmax((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def argmin(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return where the least element is first, as i64; the first NaN is the least.

    Over several axes, or None for all, it is the position among their elements in C order.  Raises
    `ArgumentError` A304 (a `ValueError`) for an axis without elements.
    """
    checks.require_no_guard(guard)
    return _argmin((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def logsumexp(
    x: Array,
    axis: Axis = -1,
    *,
    keepdims: bool = False,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return log(sum(exp(x))) along `axis`, without overflow.

    inf for a row with inf and no NaN, -inf for a row of -inf and for a row without elements.
    """
    checks.require_no_guard(guard)
    return _logsumexp((x,), out, (checks.plain_axis(axis), keepdims, dtype))
