"""Sums, extremes and positions along axes.

In: an array and axes.  Out: an array of what is left, or a scalar of NumPy.  Decides dtypes by the
framework's convention, and what an axis without elements gives.  Leaves the formulas to
`certile.ops.kernels.reductions`.
"""

from __future__ import annotations

from dataclasses import field
from functools import partial
from math import prod
from typing import Any

from certile import settings
from certile.ir.dtypes import BY_NAME
from certile.ops import checks
from certile.ops.call import Operation, Recipe, Result
from certile.ops.checks import Axis
from certile.ops.kernels import reductions as kernels
from certile.ops.kernels.domain import computed_in
from certile.ops.launch import Launch
from certile.ops.layout import Arrangement, Parts, in_parts
from certile.ops.native import default_correction, index_dtype, mean_dtype, sum_dtype
from certile.ops.parts import Half, in_two
from certile.ops.views import Part, across, arranged, seen
from certile.records import record
from certile.runtime.arrays import ArrayInfo
from certile.runtime.kernel import TileKernel

__all__ = [
    "argmax",
    "argmin",
    "logsumexp",
    "max",
    "mean",
    "min",
    "min_max",
    "std",
    "sum",
    "var",
]

Array = Any


@record
class Reduction(Recipe):
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
        *,
        in_order: bool = False,
        **constants: object,
    ) -> tuple[Launch, ...]:
        """Return the one launch: the first array is reduced, the others are results.

        `in_order` says that elements count in C order, whatever their order in memory.
        """
        views = seen(names, self._arranged(op, arrays, in_order=in_order))
        return (Launch(kernel, {**views, **constants}),)

    def _arranged(
        self, op: str, arrays: tuple[ArrayInfo, ...], *, in_order: bool = False
    ) -> Arrangement:
        x = arrays[0]
        columns = checks.axes_of(op, x, self.axis)
        parts: list[Part] = ["full"]
        parts += [across(a.strides, columns) if self.keepdims else "rows" for a in arrays[1:]]
        return arranged(x.shape, columns, parts, arrays, in_order=in_order)

    def parts(self, op: str, x: ArrayInfo) -> Parts | None:
        """Return few long rows cut into parts for all threads; None where that is not needed."""
        return in_parts(self._arranged(op, (x,)), settings.current().threads)

    def in_two(
        self,
        op: str,
        arrays: tuple[ArrayInfo, ...],
        parts: Parts,
        first: Half,
        then: tuple[Half, ...],
    ) -> tuple[Launch, ...]:
        """Return a launch over the parts, and one for each result over what the parts gave."""
        whole = self._arranged(op, arrays[: 1 + len(then)])
        return in_two(parts, whole.arrays[1:], first, then)


@record
class Sum(Reduction):
    """A sum: floats in f32 or f64, integers and bool in i64."""

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        checks.require_dtype("sum", "x", x, checks.REDUCED)
        default = sum_dtype(x.framework, x.dtype)
        allowed = tuple(name for name in checks.REDUCED if name != "bool")
        dtype = checks.result_dtype("sum", self.dtype, default, allowed)
        return (Result(self.shape("sum", x), dtype, 0 if self.columns("sum", x) == 0 else None),)

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x, y = arrays
        parts = self.parts("sum", x)
        return () if parts is None else (Result(parts.made.shape, summed_in(x, y)),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, y = arrays[:2]
        accumulate = BY_NAME[summed_in(x, y)]
        parts = self.parts("sum", x)
        if parts is None:
            return self.launch("sum", kernels.sum_kernel, arrays, ("x", "y"), accumulate=accumulate)
        half = Half(kernels.sum_kernel, constants={"accumulate": accumulate})
        return self.in_two("sum", arrays, parts, half, (half,))


def summed_in(x: ArrayInfo, y: ArrayInfo) -> str:
    """Return the type that a sum is kept in; i64 and u64 have the same bits of it."""
    return "i64" if y.dtype in checks.INTEGERS else computed_in(x.dtype, y.dtype)


@record
class Moment(Reduction):
    """The arithmetic mean, or a measure of the spread around it."""

    correction: float | None = None
    op: str = field(kw_only=True)

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        default = mean_dtype(x.framework, x.dtype)
        if default is None and self.dtype is None:
            checks.require_dtype(self.op, "x", x, checks.REAL)
        checks.require_dtype(self.op, "x", x, checks.REDUCED)
        dtype = checks.result_dtype(self.op, self.dtype, default or x.dtype)
        empty = self.columns(self.op, x) == 0
        return (Result(self.shape(self.op, x), dtype, float("nan") if empty else None),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        names = ("x", "y")
        if self.op == "mean":
            return self._mean(arrays)
        kernel = kernels.var_kernel if self.op == "var" else kernels.std_kernel
        correction = self.correction
        if correction is None:
            correction = default_correction(arrays[0].framework)
        return self.launch(self.op, kernel, arrays, names, correction=correction)

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x, y = arrays
        parts = self.parts("mean", x) if self.op == "mean" else None
        return () if parts is None else (Result(parts.made.shape, computed_in(x.dtype, y.dtype)),)

    def _mean(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        x, y = arrays[:2]
        parts = self.parts("mean", x)
        if parts is None:
            return self.launch("mean", kernels.mean_kernel, arrays, ("x", "y"))
        sums = Half(
            kernels.sum_kernel, constants={"accumulate": BY_NAME[computed_in(x.dtype, y.dtype)]}
        )
        each = prod(parts.cut.shape[parts.cut_kept :])
        means = Half(kernels.mean_kernel, constants={"parts": each})
        return self.in_two("mean", arrays, parts, sums, (means,))


@record
class LogSumExp(Reduction):
    """log(sum(exp(x))) of real numbers."""

    def results(self, inputs: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        (x,) = inputs
        dtype = checks.real_dtype("logsumexp", "x", x, self.dtype)
        empty = self.columns("logsumexp", x) == 0
        return (Result(self.shape("logsumexp", x), dtype, float("-inf") if empty else None),)

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        x, y = arrays
        parts = self.parts("logsumexp", x)
        return () if parts is None else (Result(parts.made.shape, computed_in(x.dtype, y.dtype)),)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        parts = self.parts("logsumexp", arrays[0])
        if parts is None:
            return self.launch("logsumexp", kernels.logsumexp_kernel, arrays, ("x", "y"))
        half = Half(kernels.logsumexp_kernel)
        return self.in_two("logsumexp", arrays, parts, half, (half,))


@record
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
            dtype = checks.result_dtype(self.op, self.dtype, default, ("i32", "i64", "u32"))
        else:
            allowed = checks.REAL if x.dtype in checks.REAL else (x.dtype,)
            dtype = checks.result_dtype(self.op, self.dtype, x.dtype, allowed)
        return (Result(shape, dtype),) * (len(self.names) - 1)

    def scratch(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Result, ...]:
        parts = None if self.position else self.parts(self.op, arrays[0])
        results = self.names[1:]
        return () if parts is None else (Result(parts.made.shape, arrays[0].dtype),) * len(results)

    def launches(self, arrays: tuple[ArrayInfo, ...]) -> tuple[Launch, ...]:
        parts = None if self.position else self.parts(self.op, arrays[0])
        if parts is None:
            return self.launch(self.op, self.kernel, arrays, self.names, in_order=self.position)
        alone = {"low": kernels.min_kernel, "high": kernels.max_kernel, "y": self.kernel}
        then = tuple(Half(alone[name]) for name in self.names[1:])
        return self.in_two(self.op, arrays, parts, Half(self.kernel, self.names[1:]), then)


def _chosen(
    op: str, kernel: TileKernel, names: tuple[str, ...] = ("x", "y"), *, position: bool = False
) -> Operation:
    return Operation(op, partial(Chosen, op=op, kernel=kernel, names=names, position=position))


_sum = Operation("sum", Sum)
_mean = Operation("mean", partial(Moment, op="mean"))
_var = Operation("var", partial(Moment, op="var"))
_std = Operation("std", partial(Moment, op="std"))
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

    Floats keep their dtype and are summed in f32, f64 in f64.  Bool and integers are summed in i64
    and give the dtype that the framework gives.  The sum of no elements is 0.
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
    """Return the mean over `axis`; of no elements it is NaN.

    Floats keep their dtype and are summed in f32, f64 in f64.  The mean of integers is f64 for
    NumPy and f32 for MLX; for PyTorch it raises `ArgumentError` A302 unless `dtype` names the
    result's.
    """
    checks.require_no_guard(guard)
    return _mean((x,), out, (checks.plain_axis(axis), keepdims, dtype))


def var(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    correction: float | None = None,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the variance over `axis`: squared deviations from the mean, over n - `correction`.

    `correction` is the framework's own if it is not given: 1 for PyTorch, 0 for NumPy and MLX.
    Where n is not above it the divisor is 0: NaN, or inf where the elements differ.  Mean and
    deviations are found together in one reading, in f32, or f64 for f64, by pairwise updates
    (Chan, Golub and LeVeque, 1983) of the differences to a row's first element.  Integers are
    treated as by `mean`.
    """
    checks.require_no_guard(guard)
    number = None if correction is None else checks.real_number("var", "correction", correction)
    return _var((x,), out, (checks.plain_axis(axis), keepdims, dtype, number))


def std(
    x: Array,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    correction: float | None = None,
    out: Array = None,
    dtype: object = None,
    guard: object = None,
) -> Array:
    """Return the standard deviation over `axis`: the square root of `var`."""
    checks.require_no_guard(guard)
    number = None if correction is None else checks.real_number("std", "correction", correction)
    return _std((x,), out, (checks.plain_axis(axis), keepdims, dtype, number))


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
    """Return where the greatest element is first (i64; MLX: u32); the first NaN is the greatest.

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
    """Return where the least element is first (i64; MLX: u32); the first NaN is the least.

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

    inf for a row with inf and no NaN, -inf for a row of -inf and for a row without elements.  Of
    bool and integers PyTorch and MLX give f32; for NumPy they raise `ArgumentError` A302 unless
    `dtype` names the result's.
    """
    checks.require_no_guard(guard)
    return _logsumexp((x,), out, (checks.plain_axis(axis), keepdims, dtype))
