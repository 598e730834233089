"""NumPy's functions in jitted functions: which there are, and what they are made of.

In: what NumPy's protocols hand over.  Out: arrays.  Decides which functions, methods and options
are taken; anything else is refused by its name.  Leaves reductions to
`certile.jitting.reductions`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from math import pi
from typing import Any, Final

import numpy as np

from certile.diagnostics import shown_number
from certile.frontend.elementwise import NUMPY_OPERATORS
from certile.ir.dtypes import bool_, f32, i32, u8
from certile.jitting import reductions, windows
from certile.jitting.arrays import (
    PRODUCTS,
    SymbolicArray,
    apply,
    checked,
    converted,
    named_dtype,
    of_node,
    operand_of,
    require_same_kind,
)
from certile.jitting.graph import view
from certile.jitting.promotion import as_dtype, common
from certile.jitting.reductions import axes_of, one_axis
from certile.jitting.trace import fault

__all__ = ["METHODS", "carry_out", "function", "operator", "ufunc"]

Array = SymbolicArray
Handler = Callable[..., Any]

# A power by multiplication takes two of them for each bit of the exponent.
_GREATEST_EXPONENT: Final = 64

_SAME_NAME: Final = (
    *("sign", "floor", "ceil", "trunc", "sqrt", "maximum", "minimum", "fmax", "fmin"),
    *("exp", "exp2", "expm1", "log", "log2", "log1p", "logaddexp", "fmod"),
    *("sin", "cos", "tan", "tanh", "isnan", "isinf", "isfinite"),
)
_PLAIN: Final[Mapping[str, str]] = {
    **{name: name for name in _SAME_NAME},
    **NUMPY_OPERATORS,
    "negative": "neg",
    "absolute": "abs",
    "invert": "bit_not",
}

_STACKING = "store the parts to slices of np.empty_like(…), or of an argument of the function"


def operator(name: str, *values: object) -> Array:
    """Return a function of the table; powers of integers are multiplications."""
    return _power(*values) if name == "pow" else apply(name, *values)


def ufunc(name: str, method: str, inputs: Sequence[object], options: dict[str, Any]) -> Any:  # noqa: ANN401 - an array
    """Carry out a function on single elements, or its reduction or accumulation."""
    shown = f"np.{name}" if method == "__call__" else f"np.{name}.{method}"
    outputs = options.pop("out", None)
    if method == "__call__" and name in _PLAIN and not options:
        made = operator(_PLAIN[name], *inputs)
    else:
        handlers = {"__call__": _COMPOSED, "reduce": _REDUCED, "accumulate": _ACCUMULATED}
        handler = handlers.get(method, {}).get(name)
        if handler is None:
            # A plain function is known, so what is not is an option.
            known = method == "__call__" and name in _PLAIN
            asked = "".join(f", {option}=" for option in options if known)
            raise _unknown(shown + asked, name)
        made = carry_out(shown, handler, inputs, options)
    return made if outputs is None else _into(outputs, made)


def function(called: Callable[..., Any], args: Sequence[object], options: dict[str, Any]) -> Any:  # noqa: ANN401 - what it gives
    """Carry out one of NumPy's other functions."""
    module = getattr(called, "__module__", "numpy").removeprefix("numpy")
    shown = f"np{module}.{called.__name__}"
    handler = _FUNCTIONS.get(called)
    if handler is None:
        raise _unknown(shown, called.__name__)
    outputs = options.pop("out", None)
    made = carry_out(shown, handler, args, options)
    return made if outputs is None else _into((outputs,), made)


def carry_out(
    shown: str, handler: Handler, args: Sequence[object], options: Mapping[str, object]
) -> Any:  # noqa: ANN401 - what it gives
    """Call a function of this module; raises `KernelError` K050 for options that it lacks."""
    try:
        bound = inspect.signature(handler).bind(*args, **options)
    except TypeError as error:
        raise fault("K050", f"{shown} in a jitted function: {error}") from None
    first = next(iter(bound.arguments.values()), None)
    if handler not in _OF_ANY and not isinstance(first, SymbolicArray):
        raise fault("K010", f"{shown} of {type(first).__name__}", hint="pass it one array")
    return checked(handler, *bound.args, **bound.kwargs)


def _into(outputs: object, made: Array) -> Array:
    targets = outputs if isinstance(outputs, tuple) else (outputs,)
    target = targets[0] if len(targets) == 1 else None
    if not isinstance(target, SymbolicArray):
        raise fault("K050", "out= is an array of the jitted function")
    if made.shape != target.shape:
        raise fault("K053", f"out has shape {target.shape}; the result has {made.shape}")
    require_same_kind(made, target.kind)
    target.write(made)
    return target


def _unknown(shown: str, name: str) -> Exception:
    hint = None
    if name in ("matmul", "dot", "einsum", "tensordot", "inner", "outer", "vdot", "matvec"):
        hint = PRODUCTS
    elif name in ("stack", "concatenate", "vstack", "hstack", "dstack", "append", "tile", "block"):
        hint = _STACKING
    return fault("K050", f"{shown} in a jitted function", hint=hint)


# ---- functions of single elements that the table does not have as they are


def _power(x: object, exponent: object) -> Array:
    """Return x to a power; of integers only to a number, which wraps as NumPy's does."""
    both = common([operand_of(x), operand_of(exponent)])
    if both.is_float:
        squared = type(exponent) is int and exponent == 2
        return apply("mul", x, x) if squared else apply("pow", x, exponent)
    number = exponent.item() if isinstance(exponent, np.generic) else exponent
    if not isinstance(number, int) or not 0 <= number <= _GREATEST_EXPONENT:
        hint = f"convert one to a float, or use a number of 0 to {_GREATEST_EXPONENT}"
        known = isinstance(number, int)
        power = f"the power of {shown_number(number)}" if known else "a power that is no number"
        raise fault("K011", f"an integer to {power}", hint=hint)
    base = of_node(as_dtype(operand_of(x), i32 if both == bool_ else both))
    result: Array = apply("add", apply("mul", base, 0), 1)
    for bit in bin(number)[2:]:
        result = apply("mul", result, result)
        if bit == "1":
            result = apply("mul", result, base)
    return result


def _square(x: Array) -> Array:
    return apply("mul", x, x)


def _positive(x: Array) -> Array:
    return +x


def _floats(x: Array) -> Array:
    return x if x.kind.is_float else converted(x, f32)


def _rint(x: Array) -> Array:
    # Unlike `round`, it gives floats of integers.
    return apply("round", _floats(x))


def _fabs(x: Array) -> Array:
    # Unlike `abs`, it gives floats of integers, so that the least one has an absolute value.
    return apply("abs", _floats(x))


def _reciprocal(x: Array) -> Array:
    if not x.kind.is_float:
        raise fault("K011", "the reciprocal of integers", hint="convert them to a float first")
    return apply("recip", x)


def _radians(x: Array) -> Array:
    return apply("mul", x, pi / 180)


def _degrees(x: Array) -> Array:
    return apply("mul", x, 180 / pi)


def _truth(x: object) -> Array:
    return apply("ne", x, 0)


def _logical_and(x: object, y: object) -> Array:
    return apply("bit_and", _truth(x), _truth(y))


def _logical_or(x: object, y: object) -> Array:
    return apply("bit_or", _truth(x), _truth(y))


def _logical_xor(x: object, y: object) -> Array:
    return apply("bit_xor", _truth(x), _truth(y))


def _logical_not(x: object) -> Array:
    return apply("eq", x, 0)


def _bitwise_count(x: Array) -> Array:
    size = apply("abs", x) if x.kind.is_signed else x
    return converted(apply("popcount", size), u8)


def _where(condition: object, x: object, y: object, /) -> Array:
    return apply("where", condition, x, y)


def _clip(
    a: object,
    a_min: object = None,
    a_max: object = None,
    *,
    min: object = None,  # noqa: A002 - NumPy's name
    max: object = None,  # noqa: A002 - NumPy's name
) -> Array:
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    result = a
    if low is not None:
        result = apply("maximum", result, low)
    if high is not None:
        result = apply("minimum", result, high)
    return +result if isinstance(result, SymbolicArray) else apply("add", result, 0)


def _round(a: Array, decimals: int = 0) -> Array:
    if decimals != 0:
        raise fault("K050", f"rounding to {decimals} decimals", hint="np.rint(x * scale) / scale")
    return apply("round", a)


# ---- views


def transpose(a: Array, axes: Any = None) -> Array:  # noqa: ANN401 - as NumPy takes them
    """Return a view with its axes in another order, reversed by default."""
    order = range(a.ndim)[::-1] if axes is None else [one_axis(a, axis) for axis in axes]
    return a.seen(checked(windows.permuted, a.shape, tuple(order)))


def _swapaxes(a: Array, axis1: int, axis2: int) -> Array:
    order = list(range(a.ndim))
    first, second = one_axis(a, axis1), one_axis(a, axis2)
    order[first], order[second] = order[second], order[first]
    return a.seen(windows.permuted(a.shape, order))


def _moveaxis(a: Array, source: int, destination: int) -> Array:
    moved, place = one_axis(a, source), one_axis(a, destination)
    order = [axis for axis in range(a.ndim) if axis != moved]
    order.insert(place, moved)
    return a.seen(windows.permuted(a.shape, order))


def _flip(m: Array, axis: object = None) -> Array:
    return m.seen(windows.reversed_along(m.shape, axes_of(m, axis)))


def _expand_dims(a: Array, axis: Any) -> Array:  # noqa: ANN401 - as NumPy takes it
    wanted = axis if isinstance(axis, tuple | list) else (axis,)
    rank = a.ndim + len(wanted)
    if any(not -rank <= each < rank for each in wanted):
        raise fault("K053", f"axis {axis} of an array of {rank} axes")
    added = {each % rank for each in wanted}
    remaining = iter(a.shape)
    shape = tuple(1 if at in added else next(remaining) for at in range(a.ndim + len(added)))
    return a.seen(windows.reshaped(a.shape, shape))


def _squeeze(a: Array, axis: object = None) -> Array:
    ones = [dim for dim, n in enumerate(a.shape) if n == 1]
    dropped = ones if axis is None else axes_of(a, axis)
    if any(a.shape[dim] != 1 for dim in dropped):
        raise fault("K053", f"axis {axis} has {a.shape} elements; only axes of one are dropped")
    shape = tuple(n for dim, n in enumerate(a.shape) if dim not in dropped)
    return a.seen(windows.reshaped(a.shape, shape))


def _reshape(a: Array, *shape: Any) -> Array:  # noqa: ANN401 - as NumPy takes it
    wanted = list(shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape)
    if wanted.count(-1) == 1:
        others = int(np.prod([n for n in wanted if n != -1], dtype=np.int64))
        wanted[wanted.index(-1)] = a.size // others if others else 0
    return a.seen(checked(windows.reshaped, a.shape, tuple(int(n) for n in wanted)))


def _ravel(a: Array) -> Array:
    return _reshape(a, -1)


def _flatten(a: Array) -> Array:
    return +_reshape(a, -1)


def _broadcast_to(array: Array, shape: Any) -> Array:  # noqa: ANN401 - as NumPy takes it
    wanted = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    return array.seen(checked(windows.repeated, array.shape, wanted))


# ---- copies, and arrays like others


def _astype(x: Array, dtype: object, copy: bool = True) -> Array:
    return converted(x, named_dtype(dtype))


def _copy(a: Array) -> Array:
    return +a


def _full_like(a: Array, fill_value: object, dtype: object = None) -> Array:
    wanted = a.kind if dtype is None else named_dtype(dtype)
    filled = checked(as_dtype, operand_of(fill_value), wanted)
    return of_node(view(filled, checked(windows.repeated, filled.shape, a.shape)))


def _zeros_like(a: Array, dtype: object = None) -> Array:
    return _full_like(a, 0, dtype)


def _ones_like(a: Array, dtype: object = None) -> Array:
    return _full_like(a, 1, dtype)


def _shape(a: Array) -> tuple[int, ...]:
    return a.shape


def _ndim(a: Array) -> int:
    return a.ndim


def _size(a: Array, axis: int | None = None) -> int:
    return a.size if axis is None else a.shape[one_axis(a, axis)]


_REDUCTIONS: Final[Mapping[str, Handler]] = {
    "sum": reductions.sum_,
    "prod": reductions.prod_,
    "mean": reductions.mean,
    "max": reductions.max_,
    "min": reductions.min_,
    "ptp": reductions.ptp,
    "var": reductions.var,
    "std": reductions.std,
    "any": reductions.any_,
    "all": reductions.all_,
    "argmax": reductions.argmax,
    "argmin": reductions.argmin,
    "cumsum": reductions.cumsum,
    "cumprod": reductions.cumprod,
}

_VIEWS: Final[Mapping[str, Handler]] = {
    "transpose": transpose,
    "swapaxes": _swapaxes,
    "squeeze": _squeeze,
    "reshape": _reshape,
    "ravel": _ravel,
    "astype": _astype,
    "copy": _copy,
    "round": _round,
    "clip": _clip,
}

METHODS: Final[Mapping[str, Handler]] = {
    **{name: handler for name, handler in _REDUCTIONS.items() if name != "ptp"},
    **_VIEWS,
    "flatten": _flatten,
}

_COMPOSED: Final[Mapping[str, Handler]] = {
    "square": _square,
    "rint": _rint,
    "fabs": _fabs,
    "positive": _positive,
    "reciprocal": _reciprocal,
    "radians": _radians,
    "deg2rad": _radians,
    "degrees": _degrees,
    "rad2deg": _degrees,
    "logical_and": _logical_and,
    "logical_or": _logical_or,
    "logical_xor": _logical_xor,
    "logical_not": _logical_not,
    "bitwise_count": _bitwise_count,
    "clip": _clip,
}


def _as_reduce(handler: Handler) -> Handler:
    """Return a reduction as `ufunc.reduce` has it: over the first axis where none is named."""

    def reduce(a: Array, axis: object = 0, *, keepdims: object = False) -> Array:
        made: Array = handler(a, axis, keepdims=keepdims)
        return made

    return reduce


_REDUCED: Final[Mapping[str, Handler]] = {
    "add": _as_reduce(reductions.sum_),
    "multiply": _as_reduce(reductions.prod_),
    "maximum": _as_reduce(reductions.max_),
    "minimum": _as_reduce(reductions.min_),
    "logical_and": _as_reduce(reductions.all_),
    "logical_or": _as_reduce(reductions.any_),
}


def _as_accumulate(handler: Handler) -> Handler:
    """Return running results as `ufunc.accumulate` has them: over the first axis by default."""

    def accumulate(a: Array, axis: int = 0, dtype: object = None) -> Array:
        made: Array = handler(a, axis, dtype)
        return made

    return accumulate


_ACCUMULATED: Final[Mapping[str, Handler]] = {
    "add": _as_accumulate(reductions.cumsum),
    "multiply": _as_accumulate(reductions.cumprod),
    "maximum": reductions.cummax,
    "minimum": reductions.cummin,
}

_FUNCTIONS: Final[Mapping[object, Handler]] = {
    **{
        getattr(np, name): handler
        for name, handler in (*_REDUCTIONS.items(), *_VIEWS.items())
        if hasattr(np, name)
    },
    np.amax: reductions.max_,
    np.amin: reductions.min_,
    np.count_nonzero: reductions.count_nonzero,
    np.around: _round,
    np.where: _where,
    np.moveaxis: _moveaxis,
    np.flip: _flip,
    np.expand_dims: _expand_dims,
    np.broadcast_to: _broadcast_to,
    np.full_like: _full_like,
    np.zeros_like: _zeros_like,
    # What is never written is 0 in place of anything.
    np.empty_like: _zeros_like,
    np.ones_like: _ones_like,
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
}

# Whose first argument may be a number.
_OF_ANY: Final = frozenset((_where, _clip, _logical_and, _logical_or, _logical_xor, _logical_not))
