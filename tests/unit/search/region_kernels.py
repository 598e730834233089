"""Kernels with chains of reductions: those that become one fold, and those that are refused.

Each is a function of rows of `x`, of value columns `v`, and of what else it names; the width of a
row is the extent of the axis `cols`.
"""

import math

import certile as ct


def _rows(x):
    return ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])


@ct.tile_kernel
def softmax(x: ct.View, y: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def log_softmax(x: ct.View, y: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        y[r, cols] = d - ct.log(ct.reduce(ct.exp(d), cols, ct.add))


@ct.tile_kernel
def logsumexp(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.log(ct.reduce(ct.exp(v - top), cols, ct.add)) + top


@ct.tile_kernel
def scaled_softmax(x: ct.View, y: ct.View, scale: float):
    """The scale has any sign: it is a part of the key."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols] * scale
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def masked_softmax(x: ct.View, y: ct.View, length: int):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = ct.where(ct.iota(cols) < length, x[r, cols] * 0.125, -math.inf)
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def weighted(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        s = x[r, cols]
        e = ct.exp(s - ct.reduce(s, cols, ct.maximum))
        p = e / ct.reduce(e, cols, ct.add)
        out[r] = ct.reduce(p * v[r, cols], cols, ct.add)


@ct.tile_kernel
def three_columns(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        s = x[r, cols]
        e = ct.exp(s - ct.reduce(s, cols, ct.maximum))
        total = ct.reduce(e, cols, ct.add)
        first = ct.reduce(e * v[r, cols], cols, ct.add)
        second = ct.reduce(e * (v[r, cols] + 1.0), cols, ct.add)
        third = ct.reduce(e * (v[r, cols] * v[r, cols]), cols, ct.add)
        out[r] = (first + second * 2.0 + third * 4.0) / total


@ct.tile_kernel
def mean_and_variance(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        mean = ct.reduce(v, cols, ct.add) / cols.extent
        d = v - mean
        out[r] = mean + 8.0 * ct.reduce(d * d, cols, ct.add) / cols.extent


@ct.tile_kernel
def both_moments(x: ct.View, out: ct.View):
    """One reduction by a law of two results: no chain."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        mean, variance = ct.reduce(x[r, cols], cols, ct.mean_var)
        out[r] = mean + variance


@ct.tile_kernel
def covariance(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a = x[r, cols]
        mean = ct.reduce(a, cols, ct.add) / cols.extent
        out[r] = ct.reduce((a - mean) * v[r, cols], cols, ct.add) / cols.extent


@ct.tile_kernel
def third_moment(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.add) / cols.extent
        out[r] = ct.reduce(d * d * d, cols, ct.add) / cols.extent


@ct.tile_kernel
def by_the_size(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        size = ct.reduce(abs(v), cols, ct.maximum)
        out[r] = ct.reduce(v / size, cols, ct.add)


@ct.tile_kernel
def squares_by_the_size(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        size = ct.reduce(abs(v), cols, ct.maximum)
        q = v / size
        out[r] = ct.sqrt(ct.reduce(q * q, cols, ct.add)) * size


@ct.tile_kernel
def doubled(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(2.0 * v - 2.0 * top), cols, ct.add)


@ct.tile_kernel
def from_the_least(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        least = ct.reduce(v, cols, ct.minimum)
        out[r] = ct.reduce(ct.exp(least - v), cols, ct.add)


@ct.tile_kernel
def from_the_greatest(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(d * d, cols, ct.add)


@ct.tile_kernel
def entropy(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        e = ct.exp(v - top)
        total = ct.reduce(e, cols, ct.add)
        out[r] = ct.log(total) + top - ct.reduce(e * v, cols, ct.add) / total


@ct.tile_kernel
def covariance_of_both(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a, b = x[r, cols], v[r, cols]
        da = a - ct.reduce(a, cols, ct.add) / cols.extent
        db = b - ct.reduce(b, cols, ct.add) / cols.extent
        out[r] = ct.reduce(da * db, cols, ct.add) / cols.extent


@ct.tile_kernel
def correlation(x: ct.View, v: ct.View, out: ct.View):
    """Two variances and a covariance of the same two means."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a, b = x[r, cols], v[r, cols]
        da = a - ct.reduce(a, cols, ct.add) / cols.extent
        db = b - ct.reduce(b, cols, ct.add) / cols.extent
        spreads = ct.reduce(da * da, cols, ct.add) * ct.reduce(db * db, cols, ct.add)
        out[r] = ct.reduce(da * db, cols, ct.add) / (1e-3 + ct.sqrt(spreads))


@ct.tile_kernel
def divergence(x: ct.View, v: ct.View, out: ct.View):
    """How one softmax differs from another: a sum that reads the maxima of both."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a, b = x[r, cols], v[r, cols]
        da, db = a - ct.reduce(a, cols, ct.maximum), b - ct.reduce(b, cols, ct.maximum)
        sa, sb = ct.reduce(ct.exp(da), cols, ct.add), ct.reduce(ct.exp(db), cols, ct.add)
        out[r] = ct.reduce(ct.exp(da) * (da - db), cols, ct.add) / sa + ct.log(sb) - ct.log(sa)


@ct.tile_kernel
def entropy_from_the_greatest(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        total = ct.reduce(ct.exp(d), cols, ct.add)
        out[r] = -ct.reduce(ct.exp(d) / total * (d - ct.log(total)), cols, ct.add)


@ct.tile_kernel
def weighted_distances(x: ct.View, v: ct.View, out: ct.View):
    """Distances from a mean, weighted by distances from a maximum."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a, b = x[r, cols], v[r, cols]
        e = ct.exp(a - ct.reduce(a, cols, ct.maximum))
        d = b - ct.reduce(b, cols, ct.add) / cols.extent
        out[r] = ct.reduce(e * d, cols, ct.add) / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def by_both_sizes(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a, b = x[r, cols], v[r, cols]
        p, q = a / ct.reduce(a, cols, ct.absmax), b / ct.reduce(b, cols, ct.absmax)
        out[r] = ct.reduce(p * q, cols, ct.add)


@ct.tile_kernel
def cooled(x: ct.View, out: ct.View):
    """The temperature is a number whose reciprocal is no literal, and so is the last factor."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        warm, cold = ct.exp(d / 0.7), ct.exp(d * 0.1 * 127.0)
        out[r] = ct.reduce(warm, cols, ct.add) + ct.reduce(cold, cols, ct.add)


@ct.tile_kernel
def warmed(x: ct.View, out: ct.View, scale: float):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(d / ct.maximum(scale, 0.25)), cols, ct.add)


@ct.tile_kernel
def two_chains(x: ct.View, out: ct.View):
    """A softmax, and the variance of what it gives: the second chain reads the first."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        p = e / ct.reduce(e, cols, ct.add)
        d = p - ct.reduce(p, cols, ct.add) / cols.extent
        out[r] = ct.reduce(d * d, cols, ct.add)


@ct.tile_kernel
def partly(x: ct.View, out: ct.View):
    """One of two sums is closed under change of the maximum."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        good = ct.reduce(ct.exp(v - top), cols, ct.add)
        out[r] = good + ct.reduce(ct.maximum(v * 0.5, top * 0.25), cols, ct.add)


@ct.tile_kernel
def weighted_plainly(x: ct.View, v: ct.View, out: ct.View):
    """The weighted sum, divided by the sum of the weights outside of the fold."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        s = x[r, cols]
        e = ct.exp(s - ct.reduce(s, cols, ct.maximum))
        total = ct.reduce(e, cols, ct.add)
        out[r] = ct.reduce(e * v[r, cols], cols, ct.add) / total


@ct.tile_kernel
def two_axes(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    halves = ct.axis("halves", 2)
    for r in ct.parallel(rows):
        v = x[r, cols] * (ct.cast(ct.iota(halves), ct.f32) + 1.0)
        top = ct.reduce(v, (cols, halves), ct.maximum)
        out[r] = ct.log(ct.reduce(ct.exp(v - top), (cols, halves), ct.add)) + top


PROVED = {
    each.name: each
    for each in (
        *(softmax, log_softmax, logsumexp, scaled_softmax, masked_softmax, weighted),
        *(three_columns, mean_and_variance, covariance, third_moment, by_the_size),
        *(
            weighted_plainly,
            squares_by_the_size,
            doubled,
            from_the_least,
            from_the_greatest,
            entropy,
            two_chains,
        ),
        partly,
        *(covariance_of_both, correlation, divergence, entropy_from_the_greatest),
        *(weighted_distances, by_both_sizes, cooled, warmed),
    )
}


@ct.tile_kernel
def exponent_times_r(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        out[r] = ct.reduce(ct.exp(v * ct.reduce(v, cols, ct.maximum)), cols, ct.add)


@ct.tile_kernel
def bell(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.add) / cols.extent
        out[r] = ct.reduce(ct.exp(-(d * d)), cols, ct.add)


@ct.tile_kernel
def clipped(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.maximum(v, top), cols, ct.add)


@ct.tile_kernel
def rounded(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        size = ct.reduce(abs(v), cols, ct.maximum)
        out[r] = ct.reduce(ct.round(v * 127.0 / size), cols, ct.add)


@ct.tile_kernel
def narrowed(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = ct.cast(v - ct.reduce(v, cols, ct.maximum), ct.f16)
        out[r] = ct.reduce(ct.cast(d, ct.f32), cols, ct.add)


@ct.tile_kernel
def too_steep(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        out[r] = ct.reduce(ct.exp(2.0 * v - ct.reduce(v, cols, ct.maximum)), cols, ct.add)


@ct.tile_kernel
def another_array(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(v[r, cols] - top), cols, ct.add)


@ct.tile_kernel
def doubled_of_another(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(2.0 * v[r, cols] - 2.0 * top), cols, ct.add)


@ct.tile_kernel
def unknown_sign(x: ct.View, out: ct.View, scale: float):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(scale * v - scale * top), cols, ct.add)


@ct.tile_kernel
def another_axis(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    other = ct.axis("other", v.shape[1])
    for r in ct.parallel(rows):
        top = ct.reduce(x[r, cols], cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(v[r, other] - top), other, ct.add)


@ct.tile_kernel
def gathered(x: ct.View, v: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        a = x[r, cols]
        top = ct.reduce(a, cols, ct.maximum)
        chosen = ct.gather(a, ct.cast(v[r, cols], ct.i64), cols, fill=0.0)
        out[r] = ct.reduce(ct.exp(a - top) * chosen, cols, ct.add)


@ct.tile_kernel
def ordered(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(v - top), cols, ct.add, policy="ordered_tree")


@ct.tile_kernel
def started(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp(v - top), cols, ct.add, init=1.0)


@ct.tile_kernel
def other_orders(x: ct.View, y: ct.View):
    """One sum keeps a, then b, the other one b, then a."""
    rows, cols = _rows(x)
    a, b = ct.axis("a", 2), ct.axis("b", 3)
    for r in ct.parallel(rows):
        v, s, t = x[r, cols], ct.cast(ct.iota(a), ct.f32), ct.cast(ct.iota(b), ct.f32)
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[a, b] = ct.reduce(e * s * t, cols, ct.add) + ct.reduce(e * t * s, cols, ct.add)


@ct.tile_kernel
def stored_early(x: ct.View, v: ct.View, y: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        s = x[r, cols]
        top = ct.reduce(s, cols, ct.maximum)
        out[r] = top
        y[r, 0] = ct.reduce(ct.exp(s - top) * v[r, cols], cols, ct.add)


@ct.tile_kernel
def repeated(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(ct.axis("one", 1)):
        total = ct.carry(0.0, ct.f32)
        for k in ct.serial(rows):
            v = x[k, cols]
            top = ct.reduce(v, cols, ct.maximum)
            total.value = total.value + ct.reduce(ct.exp(v - top), cols, ct.add)
        out[r] = total.value


@ct.tile_kernel
def not_linear(x: ct.View, out: ct.View):
    """The second sum reads the first other than by a factor; the first is still fused."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        s = ct.reduce(e, cols, ct.add)
        out[r] = ct.reduce(ct.exp(-e * s), cols, ct.add)


@ct.tile_kernel
def no_sum(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(v - top, cols, ct.minimum)


@ct.tile_kernel
def integers(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = ct.cast(x[r, cols], ct.i32)
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.cast(ct.reduce(v - top, cols, ct.add), ct.f32)


@ct.tile_kernel
def cascaded(x: ct.View, out: ct.View):
    """Two loops over one axis, the second of which reads what the first one gave."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        top, total = ct.carry(-math.inf, ct.f32), ct.carry(0.0, ct.f32)
        for k in ct.serial(cols):
            top.value = ct.maximum(top.value, x[r, k])
        for k in ct.serial(cols):
            total.value = total.value + ct.exp(x[r, k] - top.value)
        out[r] = total.value


@ct.tile_kernel
def mean_by_a_factor(x: ct.View, out: ct.View):
    """The factor is the reciprocal of a length; no part of a row has this mean."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        d = v - ct.reduce(v, cols, ct.add) * 0.0625
        out[r] = ct.reduce(d * d, cols, ct.add)


@ct.tile_kernel
def less_than_all(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        out[r] = ct.reduce(v / ct.reduce(v, cols, ct.absmax) - 1.0, cols, ct.add)


@ct.tile_kernel
def many_ways(x: ct.View, out: ct.View):
    """Forty steps from the sum to the maximum, and two ways to take each."""
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        for step in range(40):
            e = ct.where(v > step, e, e * 0.5)
        out[r] = ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def deeply_nested(x: ct.View, out: ct.View):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        for _ in range(2000):
            e = e * 0.5 + v
        out[r] = ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def unknown_temperature(x: ct.View, out: ct.View, scale: float):
    rows, cols = _rows(x)
    for r in ct.parallel(rows):
        v = x[r, cols]
        top = ct.reduce(v, cols, ct.maximum)
        out[r] = ct.reduce(ct.exp((v - top) / scale), cols, ct.add)


# What is left, whose first refusal names an obligation and says these words.
REFUSED = {
    "exponent times r": (exponent_times_r, "ratio", "against"),
    "bell": (bell, "ratio", "against"),
    "clipped": (clipped, "ratio", "against"),
    "mean by a factor": (mean_by_a_factor, "near", "far from its elements"),
    "many ways": (many_ways, "read", "too long when written out"),
    "deeply nested": (deeply_nested, "read", "nested too deeply"),
    "less than all": (less_than_all, "near", "computed as no difference of sums"),
    "rounded": (rounded, "read", "round has no meaning"),
    "narrowed": (narrowed, "read", "f32 to f16 rounds"),
    "too steep": (too_steep, "bound.0", "it is positive"),
    "another array": (another_array, "bound.0", "it is positive"),
    "unknown sign": (unknown_sign, "bound.0", "c0 ="),
    "unknown temperature": (unknown_temperature, "bound.0", "c0 ="),
    "another axis": (another_axis, "read", "other axes"),
    "gathered": (gathered, "read", "gather"),
    "ordered": (ordered, "read", "ordered_tree"),
    "started": (started, "read", "start value"),
    "other orders": (other_orders, "read", "different orders"),
    "stored early": (stored_early, "read", "stored before"),
    "repeated": (repeated, "read", "in a loop"),
    "not linear": (not_linear, "read", "other than by a factor"),
    "cascaded loops": (cascaded, "read", "in the order"),
    "no sum": (no_sum, "read", "no sum"),
    "integers": (integers, "read", "integers"),
}
# Those that are rewritten as far as a part of them is proved.
PARTLY = ("partly", "two_chains", "not linear", "other orders")
