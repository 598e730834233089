"""Reductions and running sums of jitted functions, with NumPy's names and options.

In: arrays, axes, options.  Out: arrays.  Decides dtypes by the conventions of the ready-made
operations: those of the framework whose array comes first.  Leaves the order of additions, which
is not promised, to the planner.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

from certile.ir.dtypes import BY_NAME, DType, accumulator, bool_, i32, i64
from certile.jitting import windows
from certile.jitting.arrays import SymbolicArray, apply, checked, converted, named_dtype, of_node
from certile.jitting.graph import Law, Node, convert, reduce, scan, view
from certile.jitting.trace import fault
from certile.language.integers import integer_or_none
from certile.ops.native import (
    cumulative_dtype,
    default_correction,
    index_dtype,
    mean_dtype,
    sum_dtype,
)

__all__ = [
    "all_",
    "any_",
    "argmax",
    "argmin",
    "axes_of",
    "count_nonzero",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "mean",
    "prod_",
    "ptp",
    "std",
    "sum_",
    "var",
]

Axis = int | Sequence[int] | None


def axes_of(array: SymbolicArray, axis: object) -> tuple[int, ...]:
    """Return axes counted from 0 in ascending order; None means all.

    Raises `KernelError` K053 for an axis that is named twice.
    """
    if axis is None:
        return tuple(range(array.ndim))
    found = [
        _axis(each, array.ndim) for each in (axis if isinstance(axis, tuple | list) else (axis,))
    ]
    if len(set(found)) < len(found):
        raise fault("K053", f"an axis is named twice: {axis!r}")
    return tuple(sorted(found))


def one_axis(array: SymbolicArray, axis: object) -> int:
    """Return one axis counted from 0."""
    return _axis(axis, array.ndim)


def _axis(axis: object, rank: int) -> int:
    number = None if isinstance(axis, SymbolicArray) else integer_or_none(axis)
    if number is None:
        raise fault("K053", f"an axis is an integer, not {axis!r}")
    if not -rank <= number < rank:
        raise fault("K053", f"axis {number} of an array of {rank} axes")
    return number % rank


def _reduced(
    law: Law, x: SymbolicArray, axis: object, keepdims: object, accumulate: DType
) -> SymbolicArray:
    """Return a reduction whose elements are first converted to `accumulate`."""
    axes = axes_of(x, axis)
    made: Node = checked(reduce, law, convert(x.node(), accumulate), axes)
    if not keepdims:
        shape = tuple(n for dim, n in enumerate(made.shape) if dim not in axes)
        dims = [dim for dim in range(len(made.shape)) if dim not in axes]
        base = windows.whole(made.shape)
        made = view(made, windows.Window(shape, tuple(dims), base.starts, base.steps))
    return of_node(made)


def _framework(x: SymbolicArray) -> str:
    return x.trace.framework


def _wide(dtype: DType) -> DType:
    """Return the dtype that results of a dtype are added and compared in."""
    return i32 if dtype == bool_ else accumulator(dtype)


def _total(
    law: Law, x: SymbolicArray, axis: object, dtype: object, keepdims: object
) -> SymbolicArray:
    default = BY_NAME[sum_dtype(_framework(x), x.kind.name)]
    wanted = default if dtype is None else named_dtype(dtype)
    return converted(_reduced(law, x, axis, keepdims, _wide(wanted)), wanted)


def sum_(
    a: SymbolicArray, axis: Axis = None, dtype: object = None, *, keepdims: object = False
) -> SymbolicArray:
    """Return the sum; integers are added in 64 bits, floats in f32 or f64."""
    return _total("add", a, axis, dtype, keepdims)


def prod_(
    a: SymbolicArray, axis: Axis = None, dtype: object = None, *, keepdims: object = False
) -> SymbolicArray:
    """Return the product, in the dtype of the sum."""
    return _total("mul", a, axis, dtype, keepdims)


def mean(
    a: SymbolicArray, axis: Axis = None, dtype: object = None, *, keepdims: object = False
) -> SymbolicArray:
    """Return the arithmetic mean; of integers in f64, as NumPy does."""
    wanted = _real(a, dtype)
    return converted(_mean(a, axis, keepdims, _wide(wanted)), wanted)


def _mean(a: SymbolicArray, axis: object, keepdims: object, wide: DType) -> SymbolicArray:
    total = _reduced("add", a, axis, keepdims, wide)
    return apply("div", total, float(_count(a, axis)))


def _count(a: SymbolicArray, axis: object) -> int:
    return prod(a.shape[dim] for dim in axes_of(a, axis))


def _real(a: SymbolicArray, dtype: object) -> DType:
    if dtype is not None:
        wanted = named_dtype(dtype)
    else:
        found = mean_dtype(_framework(a), a.kind.name)
        wanted = a.kind if found is None else BY_NAME[found]
    if not wanted.is_float:
        hint = "convert the array first, or pass dtype=np.float32"
        raise fault("K011", f"the mean or the spread of {wanted} elements", hint=hint)
    return wanted


def var(
    a: SymbolicArray,
    axis: Axis = None,
    dtype: object = None,
    *,
    ddof: float | None = None,
    keepdims: object = False,
) -> SymbolicArray:
    """Return the squared deviations from the mean, summed, over their number less `ddof`."""
    wanted = _real(a, dtype)
    return converted(_variance(a, axis, ddof, keepdims, _wide(wanted)), wanted)


def std(
    a: SymbolicArray,
    axis: Axis = None,
    dtype: object = None,
    *,
    ddof: float | None = None,
    keepdims: object = False,
) -> SymbolicArray:
    """Return the square root of `var`, rounded once."""
    wanted = _real(a, dtype)
    variance = _variance(a, axis, ddof, keepdims, _wide(wanted))
    return converted(apply("sqrt", variance), wanted)


def _variance(
    a: SymbolicArray, axis: object, ddof: float | None, keepdims: object, wide: DType
) -> SymbolicArray:
    values = converted(a, wide)
    deviation = apply("sub", values, _mean(values, axis, True, wide))
    total = _reduced("add", apply("mul", deviation, deviation), axis, keepdims, wide)
    correction = default_correction(_framework(a)) if ddof is None else ddof
    divisor = float(_count(a, axis) - correction)
    # As in NumPy, too few elements divide by 0: the result is NaN or infinite.
    return (
        apply("div", total, divisor) if divisor > 0 else apply("mul", apply("div", total, 0.0), inf)
    )


def _extreme(law: Law, a: SymbolicArray, axis: object, keepdims: object) -> SymbolicArray:
    return converted(_reduced(law, a, axis, keepdims, _wide(a.kind)), a.kind)


def max_(a: SymbolicArray, axis: Axis = None, *, keepdims: object = False) -> SymbolicArray:
    """Return the greatest element; NaN where there is one."""
    return _extreme("maximum", a, axis, keepdims)


def min_(a: SymbolicArray, axis: Axis = None, *, keepdims: object = False) -> SymbolicArray:
    """Return the least element; NaN where there is one."""
    return _extreme("minimum", a, axis, keepdims)


def ptp(a: SymbolicArray, axis: Axis = None, *, keepdims: object = False) -> SymbolicArray:
    """Return the greatest element less the least."""
    high, low = (_extreme(law, a, axis, keepdims) for law in ("maximum", "minimum"))
    return apply("sub", high, low)


def any_(a: SymbolicArray, axis: Axis = None, *, keepdims: object = False) -> SymbolicArray:
    """Return whether some element is not 0."""
    # A count instead of a maximum: of no elements it is 0.
    return apply("ne", count_nonzero(a, axis, keepdims=keepdims), 0)


def all_(a: SymbolicArray, axis: Axis = None, *, keepdims: object = False) -> SymbolicArray:
    """Return whether no element is 0."""
    zeros = _reduced("add", apply("eq", a, 0), axis, keepdims, i64)
    return apply("eq", zeros, 0)


def count_nonzero(
    a: SymbolicArray, axis: Axis = None, *, keepdims: object = False
) -> SymbolicArray:
    """Return how many elements are not 0."""
    return _reduced("add", converted(a, bool_), axis, keepdims, i64)


def _place(law: Law, a: SymbolicArray, axis: int | None, keepdims: object) -> SymbolicArray:
    if axis is not None:
        axis = one_axis(a, axis)
    found = _reduced(law, a, axis, keepdims, _wide(a.kind))
    return converted(found, BY_NAME[index_dtype(_framework(a))])


def argmax(a: SymbolicArray, axis: int | None = None, *, keepdims: object = False) -> SymbolicArray:
    """Return where the greatest element is first; the first NaN is the greatest."""
    return _place("argmax", a, axis, keepdims)


def argmin(a: SymbolicArray, axis: int | None = None, *, keepdims: object = False) -> SymbolicArray:
    """Return where the least element is first; the first NaN is the least."""
    return _place("argmin", a, axis, keepdims)


def cumsum(a: SymbolicArray, axis: int | None = None, dtype: object = None) -> SymbolicArray:
    """Return the running sums along an axis; without one the array has one axis.

    Raises `KernelError` K053 for several axes as one.
    """
    return _cumulative("add", a, axis, dtype)


def cumprod(a: SymbolicArray, axis: int | None = None, dtype: object = None) -> SymbolicArray:
    """Return the running products, as `cumsum` does sums."""
    return _cumulative("mul", a, axis, dtype)


def _cumulative(law: Law, a: SymbolicArray, axis: int | None, dtype: object) -> SymbolicArray:
    if axis is None and a.ndim != 1:
        raise fault("K053", f"running results over {a.ndim} axes as one", hint="name an axis")
    default = BY_NAME[cumulative_dtype(_framework(a), a.kind.name)]
    along = 0 if axis is None else axis
    return _running(law, a, along, default if dtype is None else named_dtype(dtype))


def cummax(a: SymbolicArray, axis: int = 0) -> SymbolicArray:
    """Return the greatest element so far along an axis; NaN from the first one on."""
    return _running("maximum", a, axis, a.kind)


def cummin(a: SymbolicArray, axis: int = 0) -> SymbolicArray:
    """Return the least element so far along an axis; NaN from the first one on."""
    return _running("minimum", a, axis, a.kind)


def _running(law: Law, a: SymbolicArray, axis: object, wanted: DType) -> SymbolicArray:
    made = scan(law, convert(a.node(), _wide(wanted)), one_axis(a, axis))
    return converted(of_node(made), wanted)
