"""How far the result of a tree reduction may be from the reference's float64 one.

In: the leaves with their bounds, the float64 results, the rounding unit u of the accumulation and a
depth d.  Out: a bound a result, sound for every tree of at most d levels over the leaves in any
order the policy allows.  With g(k) = k u / (1 - k u), leaves x ± e, n of them:

* sums:       sum e + g(d) sum(|x| + e), and nothing where every order is exact;
* products:   relative g(n), as each of n - 1 products rounds once whatever the tree, plus the
  spread of the leaves; infinite where some order overflows, wider where some order underflows;
* maximum, minimum and the k-th of either: what the ends of the leaves give; indices: the farthest
  possible winner;
* mean, variance: 7(d+1) u max|x| for the mean; the variance's own rounding and the effect of the
  means' errors on M2 (Chan, Golub, LeVeque), by Cauchy-Schwarz over the merges;
* log-sum-exp: relative 8(d+2) u for the sum plus u times the mean distance to the maximum;
* scans: the form of each position's own leaves;
* other laws with closed forms, as weighted sums: `states`;
* any other law: the bound that first-order propagation finds along one balanced tree, scaled to d
  levels and doubled.  That is an estimate, and the only one here that is not proved.

Each closed form is then rounded once on both sides.  A law is recognised by its terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from certile.ir.dtypes import DType
from certile.ir.laws import (
    ARGMAX,
    ARGMIN,
    BOTTOM_VALUES,
    LOGSUMEXP,
    MEAN_VAR,
    TOP_VALUES,
    Law,
    is_built_in,
)
from certile.ir.terms import Var
from certile.ir.tile import Reduce, Scan
from certile.reference.bounding import Freedom, ulp_size
from certile.reference.machine_numeric import Array
from certile.reference.values import LARGEST, LEAST, LEAST_NORMAL, UNIT, Value, wide

Bounds = Sequence[Array | None]

# What a merge rounds of a mean, in units u max|x|: the mean itself, and a difference of two means,
# at most twice as large, which is rounded three times.
MEAN_STEPS = 7.0
# The lift of the laws whose state is the element; the closed forms read elements as states.
_ITSELF = (Var("x"),)
# How a quantity of the leaves is folded along the last dimension: to one number, or to one for each
# prefix of them.
Fold = Callable[[np.ufunc, Array], Array]


def whole(function: np.ufunc, leaves: Array) -> Array:
    """One number for all leaves."""
    return np.asarray(function.reduce(leaves, axis=-1))


def prefixes(function: np.ufunc, leaves: Array) -> Array:
    """One number for each leaf and those before it."""
    return np.asarray(function.accumulate(leaves, axis=-1))


def ranked(k: int) -> Fold:
    """A fold by `maximum` that gives the k-th greatest leaf, -inf where there are fewer."""

    def fold(function: np.ufunc, leaves: Array) -> Array:
        if function is not np.maximum:
            return whole(function, leaves)
        if leaves.shape[-1] < k:
            return np.full(leaves.shape[:-1], -np.inf)
        return np.asarray(np.sort(leaves, axis=-1)[..., -k])

    return fold


def closed_error(
    node: Reduce,
    args: Sequence[Value],
    init: Sequence[Value],
    found: Sequence[Value],
    how: Freedom,
    depth: int,
) -> list[Array | None] | None:
    """The bound of each result of a tree, by the closed form of the laws that have one here."""
    law, dtype = node.law, node.accumulate
    x, e = wide(args[0].data), args[0].errors()
    if law.builtin is not None and law.lift == _ITSELF:
        for start in init:
            x = np.concatenate([_column(wide(start.data), x), x], axis=-1)
            e = np.concatenate([_column(start.errors(), e), e], axis=-1)
        made = _BUILTIN[law.builtin](x, e, wide(found[0].data), dtype, depth, whole)
        return [_flushed(made, x, dtype, how)]
    if _of_ranks(law) and not init:
        sign = 1.0 if law.name == TOP_VALUES.name else -1.0
        ranks = [(ranked(k), sign * wide(value.data)) for k, value in enumerate(found, 1)]
        return [extreme_error(sign * x, e, center, fold) for fold, center in ranks]
    if x.shape[-1] == 0 or init:
        return None
    if law in (ARGMAX, ARGMIN):
        return [_winner(x if law == ARGMAX else -x, e, found[0].data)]
    if law == MEAN_VAR and dtype.is_float:
        return _mean_var(x, e, [wide(value.data) for value in found], dtype, depth)
    if law == LOGSUMEXP and dtype.is_float:
        return [_logsumexp(x, e, wide(found[0].data), dtype, depth)]
    return None


def estimated_error(balanced: Sequence[Value], count: int, depth: int) -> Bounds:
    """What propagation along one balanced tree of `count` leaves found, scaled to `depth` levels.

    An estimate.
    """
    levels = max(1, math.ceil(math.log2(max(count, 2))))
    factor = 2.0 * max(1.0, depth / levels)
    return [None if value.error is None else factor * value.error for value in balanced]


def order_error(
    node: Reduce,
    args: Sequence[Value],
    init: Sequence[Value],
    found: Sequence[Value],
    how: Freedom,
    depth: int,
    generic: Callable[[], Sequence[Value]],
) -> Bounds:
    """The bound of each result of a fixed order, whose leaves or functions are inexact.

    Both sides go that way in the accumulation dtype, so each is within a tree's bound of the real
    result; `generic` propagates along that order.
    """
    closed = closed_error(node, args, init, found, how, depth)
    if closed is None:
        return [value.error for value in generic()]
    return [None if bound is None else 2.0 * bound for bound in closed]


def scan_error(
    node: Scan,
    args: Sequence[Value],
    found: Sequence[Value],
    how: Freedom,
    depth: int,
    generic: Callable[[], Sequence[Value]],
) -> Bounds:
    """The bound of each result of an inclusive scan, at each position.

    `generic` propagates along the left fold, which is as deep at a position as it has leaves.
    """
    law, count = node.law, args[0].data.shape[-1]
    turn = slice(None, None, -1) if node.reverse else slice(None)
    if law.builtin is not None and law.lift == _ITSELF:
        x, e = wide(args[0].data)[..., turn], args[0].errors()[..., turn]
        center = wide(found[0].data)[..., turn]
        made = _BUILTIN[law.builtin](x, e, center, node.accumulate, depth, prefixes)
        return [_flushed(made, x, node.accumulate, how)[..., turn]]
    at = [_position(node, args, found, how, depth, k) for k in range(count)]
    if at and None not in at:
        return [np.stack(bounds, axis=-1) for bounds in zip(*at, strict=True)]
    leaves = np.arange(1, count + 1)[turn]
    factor = 2.0 * np.maximum(1.0, depth / leaves)
    return [None if value.error is None else factor * value.error for value in generic()]


def _position(
    node: Scan, args: Sequence[Value], found: Sequence[Value], how: Freedom, depth: int, at: int
) -> list[Array | None] | None:
    """The closed form of one position; an index counts from the first leaf that is folded there."""
    first = at if node.reverse else 0
    which = slice(first, None if node.reverse else at + 1)
    own = [arg.full().each(lambda array: array[..., which]) for arg in args]
    shift = [first if kind == "index" else 0 for kind in node.law.results]
    results = [Value(value.data[..., at] - away) for value, away in zip(found, shift, strict=True)]
    return closed_error(node.total, own, (), results, how, depth)


def exact_rows(args: Sequence[Value], init: Sequence[Value]) -> Array:
    """The rows whose leaves and start values are all exact."""
    unsure = np.zeros(args[0].data.shape[:-1], np.bool_)
    for arg in args:
        unsure = unsure | (arg.errors() > 0).any(axis=-1)
    for start in init:
        unsure = unsure | (start.errors() > 0)
    return np.asarray(~unsure)


def extremes_only(law: Law) -> bool:
    """Whether a law only compares elements, so that no order rounds."""
    compared = law.builtin in ("maximum", "minimum", "any", "all")
    return compared or law in (ARGMAX, ARGMIN) or _of_ranks(law)


def _of_ranks(law: Law) -> bool:
    """Whether the results of a law are the first elements in an order."""
    return law.name in (TOP_VALUES.name, BOTTOM_VALUES.name) and is_built_in(law)


def growth(steps: float, unit: float) -> float:
    """k u / (1 - k u), the growth of a relative error over k roundings."""
    share = steps * unit
    return share / (1 - share) if share < 0.5 else math.inf


def _column(start: Array, like: Array) -> Array:
    return np.broadcast_to(start[..., None], (*like.shape[:-1], 1))


def _flushed(made: Array, x: Array, dtype: DType, how: Freedom) -> Array:
    """Each of the additions may lose a subnormal."""
    if not (how.flushed and dtype.is_float):
        return made
    return np.asarray(made + x.shape[-1] * LEAST_NORMAL[dtype])


def settled(
    made: Array,
    center: Array,
    leaves: tuple[Array, Array],
    dtype: DType,
    may_overflow: Array,
    fold: Fold = whole,
) -> Array:
    """The bound with one rounding on both sides, and infinite where anything may happen."""
    x, e = leaves
    rounded = made + 2.001 * UNIT[dtype] * (np.abs(center) + made) + LEAST[dtype]
    rounded = np.where(np.isfinite(center), rounded, 0.0)
    over = np.isfinite(center) & (np.abs(center) + rounded > LARGEST[dtype])
    special = ~fold(np.logical_and, np.isfinite(x))
    certain = np.abs(center) - made > LARGEST[dtype] * (1 + 4 * UNIT[dtype])
    made_inf = np.isfinite(center) & certain & ~may_overflow
    loose = (over & ~made_inf) | (may_overflow & ~np.isnan(center))
    loose = loose | fold(np.logical_or, np.isinf(e))
    # A NaN or an infinity among the leaves decides by itself, and so does a far result.
    rounded = np.where(made_inf | (special & np.isnan(center)), 0.0, rounded)
    return np.where(loose, np.inf, np.where(np.isnan(rounded), np.inf, rounded))


def sum_error(x: Array, e: Array, center: Array, dtype: DType, depth: int, fold: Fold) -> Array:
    """The bound of a sum of leaves x ± e whose exact sum is `center`, `depth` roundings a leaf."""
    inherited = fold(np.add, e)
    if not dtype.is_float:
        return np.asarray(inherited)
    finite = np.isfinite(x)
    size = fold(np.add, np.where(finite, np.abs(x), 0.0) + np.where(np.isfinite(e), e, 0.0))
    # The reference itself sums pairwise in float64, in runs of at most 128 elements.
    steps = depth + (min(x.shape[-1], 160) if UNIT[dtype] < 2.0**-40 else 1)
    made = inherited + growth(steps, UNIT[dtype]) * size
    positive = fold(np.add, np.where(finite, np.where(x > 0, x + e, e), 0.0))
    negative = fold(np.add, np.where(finite, np.where(x < 0, e - x, e), 0.0))
    limit = LARGEST[dtype]
    both = (positive > limit) & (negative > limit)
    against = ((center == np.inf) & (negative > limit)) | ((center == -np.inf) & (positive > limit))
    partial = (np.maximum(positive, negative) > limit) & (np.abs(center) <= limit)
    bound = settled(made, center, (x, e), dtype, both | against | partial, fold)
    held = np.maximum(positive, negative) <= limit
    exact = held & (inherited == 0) & _every_order_exact(x, size, dtype, fold)
    return np.where(exact, 0.0, bound)


def _every_order_exact(x: Array, size: Array, dtype: DType, fold: Fold) -> Array:
    """Whether all leaves are multiples of one power of two that no partial sum outgrows.

    Whether a partial sum overflows is another question, since a power of two may be large.
    """
    known = (size > 0) & np.isfinite(size)
    exponent = np.frexp(np.where(known, size, 1.0))[1]
    digits = round(-math.log2(UNIT[dtype]))
    if x.shape[-1] == 0:
        return np.ones(size.shape, np.bool_)
    grain = fold(np.minimum, _least_bit(np.where(np.isfinite(x), x, 0.5)))
    return np.asarray((size == 0) | (known & (grain >= exponent - digits)))


def _least_bit(x: Array) -> Array:
    """The exponent of the least bit of each number; that of 0 is above all."""
    fraction, exponent = np.frexp(x)
    digits = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    least = np.frexp((digits & -digits).astype(np.float64))[1] - 1
    return np.where(x == 0, 1 << 20, exponent - 53 + least)


def _mul(x: Array, e: Array, center: Array, dtype: DType, depth: int, fold: Fold) -> Array:
    unsure = fold(np.logical_or, e != 0)
    if not dtype.is_float:
        return np.where(unsure, np.inf, 0.0)
    size = np.abs(x) + e
    spread = np.where(unsure, fold(np.multiply, size) - np.abs(center), 0.0)
    count = x.shape[-1]
    finite = np.isfinite(x)
    peak = fold(np.multiply, np.where(finite, np.maximum(size, 1.0), 1.0))
    low = fold(np.multiply, np.where((x != 0) & finite, np.minimum(np.abs(x), 1.0), 1.0))
    lost = np.where(low < LEAST_NORMAL[dtype] * 2, count * LEAST[dtype] * peak, 0.0)
    made = np.maximum(spread, 0.0) + growth(count + 1, UNIT[dtype]) * np.abs(center) + lost
    steady = _integral_product(x, size, dtype, fold) & ~unsure
    overflow = (peak > LARGEST[dtype]) & ~((center == np.inf) | (center == -np.inf))
    vanishing = fold(np.logical_or, np.isinf(x)) & (low < LEAST[dtype])
    bound = settled(made, center, (x, e), dtype, overflow | vanishing, fold)
    return np.where(steady, 0.0, bound)


def _integral_product(x: Array, size: Array, dtype: DType, fold: Fold) -> Array:
    """Whole numbers whose largest product is exact are exact in any order."""
    integral = fold(np.logical_and, np.isfinite(x) & (x == np.floor(x)))
    largest = fold(np.multiply, np.maximum(size, 1.0))
    return np.asarray(integral & (largest * UNIT[dtype] <= 1))


def _maximum(x: Array, e: Array, center: Array, dtype: DType, depth: int, fold: Fold) -> Array:
    return extreme_error(x, e, center, fold)


def _minimum(x: Array, e: Array, center: Array, dtype: DType, depth: int, fold: Fold) -> Array:
    return extreme_error(-x, e, -center, fold)


def extreme_error(x: Array, e: Array, center: Array, fold: Fold) -> Array:
    """The bound of the maximum of leaves x ± e."""
    if x.shape[-1] == 0 or not e.any():
        return np.zeros(center.shape)
    high, low = fold(np.maximum, x + e), fold(np.maximum, x - e)
    made = np.maximum(
        np.where(high == center, 0.0, high - center), np.where(low == center, 0.0, center - low)
    )
    made = np.where(np.isnan(center), 0.0, made)
    return np.where(fold(np.logical_or, np.isinf(e)) | np.isnan(made), np.inf, made)


def _winner(x: Array, e: Array, index: Array) -> Array:
    """The farthest element that may win; exact where no other comes near."""
    if not e.any():
        return np.zeros(index.shape)
    position = np.arange(x.shape[-1])
    best = np.take_along_axis(x, index[..., None], axis=-1)
    reach = np.take_along_axis(e, index[..., None], axis=-1)
    rival = (x + e >= best - reach) & ~(np.isnan(best) & ~np.isnan(x))
    away = np.where(rival, np.abs(position - index[..., None]), 0).max(axis=-1)
    unknown = np.isinf(e).any(axis=-1)
    return np.where(unknown, np.inf, away.astype(np.float64))


def _mean_var(
    x: Array, e: Array, found: Sequence[Array], dtype: DType, depth: int
) -> list[Array | None]:
    unit, levels = UNIT[dtype], depth + 1
    mean, var = found
    top = (np.abs(x) + e).max(axis=-1)
    drift = growth(MEAN_STEPS * levels, unit) * top
    moved = np.sqrt((e * e).mean(axis=-1))
    deviation = np.sqrt(np.maximum(np.where(np.isfinite(var), var, 0.0), 0.0))
    own = growth(8.0 * levels + 2, unit) * deviation * deviation
    # Merges weigh n_a n_b / (n_a + n_b) <= min(n_a, n_b); over any tree these sum to at most
    # n log2(n) / 2.  Both means of a merge may drift, so by Cauchy-Schwarz that costs this much of
    # M2 / n.
    weight = math.log2(max(x.shape[-1], 2)) / 2
    coupled = 4 * math.sqrt(weight) * deviation * drift + 4 * weight * drift * drift
    spread = 2 * deviation * moved + moved * moved
    # The square of a difference, times a count, may be more than the format holds; so may the
    # difference itself.
    wide_gap = (x.max(axis=-1) - x.min(axis=-1) + 2 * e.max(axis=-1)) * 1.001
    count = x.shape[-1]
    var_overflow = ~(wide_gap * wide_gap * count <= LARGEST[dtype])
    mean_overflow = ~(wide_gap <= LARGEST[dtype])
    # Non-finite leaves are certain in the mean unless infinities meet; the variance is then NaN.
    special = ~np.isfinite(x).all(axis=-1)
    mean_error = settled(drift + e.mean(axis=-1), mean, (x, e), dtype, mean_overflow & ~special)
    var_error = settled(own + coupled + spread, var, (x, e), dtype, var_overflow & ~special)
    return [mean_error, var_error]


def _logsumexp(x: Array, e: Array, center: Array, dtype: DType, depth: int) -> Array:
    unit = UNIT[dtype]
    top = x.max(axis=-1)
    finite = np.isfinite(top)
    away = np.where(np.isfinite(x), np.where(finite, top, 0.0)[..., None] - x, 0.0)
    weight = np.exp(-np.maximum(away, 0.0))
    weight = np.where(np.isfinite(x), weight, 0.0)
    distance = (weight * away).sum(axis=-1) / np.maximum(weight.sum(axis=-1), 1e-300)
    relative = growth(8.0 * (depth + 2), unit) + growth(2.0, unit) * distance
    log_part = np.abs(center - np.where(finite, top, 0.0))
    made = relative + 3 * ulp_size(np.where(np.isfinite(log_part), log_part, 0.0), dtype)
    made = made + e.max(axis=-1)
    return settled(made, center, (x, e), dtype, np.zeros(center.shape, np.bool_))


_BUILTIN: dict[str, Callable[[Array, Array, Array, DType, int, Fold], Array]] = {
    "add": sum_error,
    "mul": _mul,
    "maximum": _maximum,
    "minimum": _minimum,
}
