"""How far a legal result of an element-wise function may be from the reference's.

In: operands with error bounds and the reference's result.  Out: an error bound for the result, or
None where every target gives the same bits.  The propagation, for operands a ± e and result c:

* sums, products and quotients by first-order arithmetic with the second-order term kept;
* monotone functions by evaluating both ends in float64; sin and cos by their Lipschitz constant;
* comparisons, conversions to integers and selections by what both ends of the operands give;
* then the roundings of both sides, or the stated ulp of the function, relative to |c| + bound.

An element whose operands are exact stays exact under an exact function.  Where an infinity or a NaN
is possible but not certain the bound is infinite: anything is allowed.  Leaves reductions to
`envelope`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field

import numpy as np

from certile.ir.dtypes import DType, bool_, f32, f64
from certile.ir.functions import COMPARISONS, FLOAT_TESTS, FUNCTIONS
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.functions import Overrides
from certile.reference.machine_numeric import Array
from certile.reference.values import LARGEST, LEAST, LEAST_NORMAL, UNIT, Value, wide

_STEPS = frozenset(("floor", "ceil", "round", "trunc", "sign"))
_MONOTONE = _STEPS | {
    *("sqrt", "exp", "exp2", "expm1", "log", "log2", "log1p", "tanh", "sigmoid"),
    *("erf", "erfc", "rsqrt", "recip", "tan"),
}
# Their result is one of the operands, or an integer: no rounding.
_UNROUNDED = _STEPS | {"neg", "abs", "maximum", "minimum", "fmax", "fmin"}
_POLES = frozenset(("recip", "tan"))
# Sums whose terms may cancel state their units at the size of a term: log(exp a + exp b) is
# max + log1p(exp(-|a - b|)), and the second term is at most log 2.
_LEAST_SIZE = {"logaddexp": float(np.log(2.0))}
_BITS = frozenset(("bit_and", "bit_or", "bit_xor", "bit_not", "shl", "shr", "popcount", "ctz"))


@record
class Freedom:
    """What a target may do at each operation.

    `unit` replaces the type whose roundings count, where the reference computes in a wider one;
    `always` adds the roundings even for exact operands (a tree's order is free); `flushed` lets
    subnormal results be zero; functions in `overrides` are exact.
    """

    unit: DType | None = None
    always: bool = False
    flushed: bool = False
    overrides: Overrides = field(default_factory=dict)

    def rounds(self, dtype: DType) -> DType:
        """The format that a result of the reference has on a target."""
        return self.unit if self.unit is not None and dtype == f64 else dtype


EXACT = Freedom()


def bound(
    fn: str,
    args: Sequence[Value],
    dtype: DType,
    data: Array,
    result: DType,
    how: Freedom = EXACT,
    *,
    never_negative: bool = False,
) -> Array | None:
    """The error bound of `fn` of operands of `dtype` whose reference result is `data`.

    `never_negative` says that no legal value of the first operand is below 0.
    """
    inexact = FUNCTIONS[fn].ulp is not None and fn not in how.overrides
    if not (inexact or how.always or how.flushed or any(arg.error is not None for arg in args)):
        return None
    errors = [_error(arg) for arg in args]
    if fn in COMPARISONS or fn in FLOAT_TESTS or (dtype.kind == "bool" and fn in _BITS):
        found = _of_bools(fn, args, errors, data)
    elif fn == "where":
        found = _of_where(args, errors, data)
    else:
        operands = [wide(arg.data) for arg in args]
        if never_negative:
            return _of_root(operands[0], errors[0], data, result, how)
        found = _of_numbers(fn, operands, errors, data, result, how)
    found = np.broadcast_to(found, data.shape)
    return found if found.any() else None


def bound_conversion(
    value: Value, source: DType, target: DType, data: Array, how: Freedom = EXACT
) -> Array | None:
    """The error bound of a conversion whose reference result is `data`."""
    if value.error is None or source == target:
        return value.error
    error, center = _error(value), wide(value.data)
    if target.kind == "bool":
        return np.where((np.abs(center) <= error) & (error > 0), 1.0, 0.0)
    if source.is_float and target.is_integer:
        low = wide(numeric.convert(center - error, f64, target))
        high = wide(numeric.convert(center + error, f64, target))
        spread = np.maximum(np.abs(high - wide(data)), np.abs(wide(data) - low))
        return np.where(np.isinf(error) | np.isnan(error), np.inf, spread)
    if target.is_float:
        found = _finished(error, [center], [error], data, target, _rounding(target, how), how)
        # What overflows, to infinity or NaN, is certain only where the value is far outside.
        far = np.abs(center) - error > LARGEST[target] * (1 + 8 * UNIT[target])
        unsure = np.isfinite(center) & ~np.isfinite(data) & ~far & (error > 0)
        return np.where(unsure, np.inf, found)
    return error


def ulp_size(size: Array, dtype: DType) -> Array:
    """The distance of neighbouring values of a float format at a magnitude."""
    exponent = np.frexp(size)[1]
    return np.asarray(np.maximum(np.ldexp(UNIT[dtype], exponent), LEAST[dtype]))


def _error(value: Value) -> Array:
    return np.zeros((1,) * value.data.ndim) if value.error is None else value.error


def _times(a: Array, b: Array) -> Array:
    """A product of magnitudes in which an exact zero wins over infinity."""
    return np.where((a == 0) | (b == 0), 0.0, a * b)


def _of_root(a: Array, e: Array, data: Array, result: DType, how: Freedom) -> Array:
    """The square root of what no target makes negative: the interval ends at 0."""
    middle = np.sqrt(a)
    low, high = np.sqrt(np.maximum(a - e, 0.0)), np.sqrt(a + e)
    inherited = np.maximum(_gap(low, middle), _gap(high, middle))
    found = _finished(inherited, [a], [e], data, result, _rounding(result, how), how)
    exact = (e == 0) & ~_flushable(data, result, how) & (not how.always)
    return np.where(exact, 0.0, found)


_Rounding = Callable[[Array], Array]

# Comparisons, tests and logic: an error of 1 says that both values are legal.


def _of_bools(fn: str, args: Sequence[Value], errors: list[Array], data: Array) -> Array:
    if fn in FLOAT_TESTS:
        return np.where(np.isinf(errors[0]), 1.0, 0.0)
    if fn in COMPARISONS:
        a, b = (wide(arg.data) for arg in args)
        reach = errors[0] + errors[1]
        unclear = (reach > 0) & ((np.abs(a - b) <= reach) | np.isinf(reach))
        return np.where(unclear, 1.0, 0.0)
    unsure = [error > 0 for error in errors]
    if fn == "bit_not":
        return np.where(unsure[0], 1.0, 0.0)
    if fn == "bit_xor":
        return np.where(unsure[0] | unsure[1], 1.0, 0.0)
    low = numeric.compute(fn, bool_, (args[0].data & ~unsure[0], args[1].data & ~unsure[1]))
    high = numeric.compute(fn, bool_, (args[0].data | unsure[0], args[1].data | unsure[1]))
    return np.where(low != high, 1.0, 0.0)


def _of_where(args: Sequence[Value], errors: list[Array], data: Array) -> Array:
    condition = args[0].data
    chosen = np.where(condition, errors[1], errors[2])
    if not errors[0].any():
        return chosen
    if data.dtype == np.bool_:
        return np.where(errors[0] > 0, 1.0, chosen)
    spread = np.zeros(())
    for arg, error in zip(args[1:], errors[1:], strict=True):
        gap = np.abs(wide(arg.data) - wide(data))
        alike = (wide(arg.data) == wide(data)) | (np.isnan(arg.data) & np.isnan(data))
        gap = np.where(alike, 0.0, np.where(np.isnan(gap), np.inf, gap))
        spread = np.maximum(spread, gap + error)
    return np.where(errors[0] > 0, spread, chosen)


# Numbers.


def _of_numbers(
    fn: str,
    operands: list[Array],
    errors: list[Array],
    data: Array,
    result: DType,
    how: Freedom,
) -> Array:
    inherited = _inherited(fn, operands, errors, wide(data))
    unknown = errors[0]
    for error in errors[1:]:
        unknown = np.maximum(unknown, error)
    inherited = np.where(unknown == 0, 0.0, np.where(np.isnan(inherited), np.inf, inherited))
    if not result.is_float:
        return np.where(np.isinf(unknown), np.inf, inherited)
    ulp = None if fn in how.overrides else FUNCTIONS[fn].ulp
    rounding: _Rounding = _no_rounding
    if fn not in _UNROUNDED:
        least = _LEAST_SIZE.get(fn, 0.0)
        rounding = _rounding(result, how) if ulp is None else _stated(result, ulp, how, least)
    found = _finished(inherited, operands, errors, data, result, rounding, how)
    if ulp is None and not how.always:
        found = np.where((unknown == 0) & ~_flushable(data, result, how), 0.0, found)
    return _overflowing(fn, found, operands, errors, data, result)


def _no_rounding(size: Array) -> Array:
    return np.zeros(())


def _rounding(result: DType, how: Freedom) -> _Rounding:
    """Both sides round once; narrow types round the f32 result again."""
    unit = how.rounds(result)
    through = UNIT[f32] if unit.bits < 32 else 0.0
    relative, absolute = 2.001 * (UNIT[unit] + through), LEAST[unit]
    return lambda size: relative * size + absolute


def _stated(result: DType, ulp: float, how: Freedom, least: float) -> _Rounding:
    """The target is within `ulp`, the reference within one; units are those of `least` or more."""
    unit = how.rounds(result)
    if unit.bits >= 32:
        return lambda size: np.asarray((ulp + 1.0) * ulp_size(np.maximum(size, least), unit))
    narrow = _rounding(result, how)
    return lambda size: narrow(size) + (ulp + 1.0) * ulp_size(np.maximum(size, least), f32)


def _flushable(data: Array, result: DType, how: Freedom) -> Array:
    """Where a target that flushes subnormals may give zero instead."""
    unit = how.rounds(result)
    small = (np.abs(wide(data)) < LEAST_NORMAL[unit]) & (data != 0)
    return np.asarray(small & how.flushed)


def _finished(
    inherited: Array,
    operands: list[Array],
    errors: list[Array],
    data: Array,
    result: DType,
    rounding: _Rounding,
    how: Freedom,
) -> Array:
    """Roundings added, then what cannot be bounded made infinite."""
    center = wide(data)
    size = np.abs(center) + inherited
    found = inherited + rounding(np.where(np.isfinite(size), size, 0.0))
    if how.flushed:
        unit = how.rounds(result)
        close = np.abs(center) <= LEAST_NORMAL[unit] + found
        found = np.where(close & ((center != 0) | (found > 0)), found + LEAST_NORMAL[unit], found)
    found = np.where(np.isfinite(center), found, np.where(np.isinf(inherited), np.inf, 0.0))
    over = np.isfinite(center) & (np.abs(center) + found > LARGEST[how.rounds(result)])
    found = np.where(over & (found > 0), np.inf, found)
    for error in errors:
        found = np.where(np.isinf(error), np.inf, found)
    return found


def _overflowing(
    fn: str,
    found: Array,
    operands: list[Array],
    errors: list[Array],
    data: Array,
    result: DType,
) -> Array:
    """An infinity made of finite operands is certain only where the exact value is far outside."""
    made = np.isinf(data)
    for operand in operands:
        made = made & np.isfinite(operand)
    if not made.any() or (all(not error.any() for error in errors) and FUNCTIONS[fn].ulp is None):
        return found
    exact = np.abs(numeric.compute(fn, f64, tuple(operands)))
    inherited = _inherited(fn, operands, errors, exact)
    low = exact - np.where(np.isnan(inherited), np.inf, inherited)
    certain = low > LARGEST[result] * (1 + 8 * UNIT[result])
    if result == f64:
        certain = certain | np.isinf(exact)
    return np.where(made & ~certain, np.inf, found)


def _inherited(fn: str, a: list[Array], e: list[Array], center: Array) -> Array:
    """The bound that the errors of the operands cause, before roundings; NaN where unknown."""
    if fn in _MONOTONE:
        return _monotone(fn, a[0], e[0])
    if fn in _RULES:
        return _RULES[fn](a, e, center)
    total = e[0]
    for error in e[1:]:
        total = np.maximum(total, error)
    return np.where(total > 0, np.inf, 0.0)


def _monotone(fn: str, a: Array, e: Array) -> Array:
    def at(x: Array) -> Array:
        return numeric.compute(fn, f64, (np.asarray(x, np.float64),))

    low, middle, high = at(a - e), at(a), at(a + e)
    spread = np.maximum(_gap(low, middle), _gap(high, middle))
    if fn in _POLES:
        crosses = (np.abs(a) <= e) if fn == "recip" else (e >= np.pi / 2) | (high < low)
        spread = np.where(crosses & (e > 0), np.inf, spread)
    return spread


def _gap(a: Array, b: Array) -> Array:
    return np.where(a == b, 0.0, np.abs(a - b))


def _mul(a: list[Array], e: list[Array], center: Array) -> Array:
    cross = _times(np.abs(a[0]), e[1]) + _times(np.abs(a[1]), e[0])
    return cross + _times(e[0], e[1])


def _div(a: list[Array], e: list[Array], center: Array) -> Array:
    (x, y), (ex, ey) = a, e
    room = np.abs(y) - ey
    spread = (ex + _times(np.abs(center), ey)) / np.where(room > 0, room, 1.0)
    zero = np.where((ex > 0) & (np.abs(x) <= ex), np.inf, 0.0)
    return np.where(room > 0, spread, np.where(ey == 0, zero, np.inf))


def _floordiv(a: list[Array], e: list[Array], center: Array) -> Array:
    (x, y), (ex, ey) = a, e
    spread = np.zeros(())
    for dx in (-1.0, 1.0):
        for dy in (-1.0, 1.0):
            corner = np.floor((x + dx * ex) / np.where(y == 0, 1.0, y + dy * ey))
            spread = np.maximum(spread, np.abs(corner - np.floor(x / np.where(y == 0, 1.0, y))))
    return np.where((np.abs(y) <= ey) & (ey > 0), np.inf, spread)


def _mod(a: list[Array], e: list[Array], center: Array) -> Array:
    jump = _floordiv(a, e, center)
    whole = np.abs(np.floor(a[0] / np.where(a[1] == 0, 1.0, a[1])))
    near = e[0] + _times(whole, e[1])
    return np.where(jump == 0, near, np.where(np.isinf(jump), jump, np.abs(a[1]) + e[1]))


def _pow(a: list[Array], e: list[Array], center: Array) -> Array:
    (x, y), (ex, ey) = a, e
    spread = np.zeros(())
    for dx in (-1.0, 1.0):
        for dy in (-1.0, 1.0):
            spread = np.maximum(spread, _gap(np.power(x + dx * ex, y + dy * ey), center))
    positive = np.where(x - ex > 0, spread, np.inf)
    # An exact whole exponent: |d x**n| <= n (|x| + e)**(n - 1) e, for either sign of x.
    whole = (ey == 0) & (y >= 1) & (y == np.floor(y))
    slope = np.abs(y) * np.power(np.abs(x) + ex, np.where(whole, y - 1, 0.0))
    return np.where(whole, _times(slope, ex), positive)


def _scale2(a: list[Array], e: list[Array], center: Array) -> Array:
    scaled = np.ldexp(e[0], np.clip(np.where(np.isnan(a[1]), 0, a[1]), -4000, 4000).astype(int))
    return np.where(e[1] == 0, scaled, np.inf)


_RULES: dict[str, Callable[[list[Array], list[Array], Array], Array]] = {
    "neg": lambda a, e, c: e[0],
    "abs": lambda a, e, c: e[0],
    "add": lambda a, e, c: e[0] + e[1],
    "sub": lambda a, e, c: e[0] + e[1],
    "mul": _mul,
    "div": _div,
    "fma": lambda a, e, c: _mul(a[:2], e[:2], c) + e[2],
    "floordiv": _floordiv,
    "mod": _mod,
    "maximum": lambda a, e, c: np.maximum(e[0], e[1]),
    "minimum": lambda a, e, c: np.maximum(e[0], e[1]),
    "fmax": lambda a, e, c: np.maximum(e[0], e[1]),
    "fmin": lambda a, e, c: np.maximum(e[0], e[1]),
    "logaddexp": lambda a, e, c: np.maximum(e[0], e[1]),
    "sin": lambda a, e, c: np.minimum(e[0], 2.0),
    "cos": lambda a, e, c: np.minimum(e[0], 2.0),
    "pow": _pow,
    "scale2": _scale2,
}
