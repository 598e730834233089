"""Ready-made kernels in Tile IR, written with the builder as a user would write them."""

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64

ROWS, COLS = "rows", "cols"


def matrix(b, *views):
    """Return the rows and columns of the first view as axes."""
    return b.axis(ROWS, dim(views[0], 0)), b.axis(COLS, dim(views[0], 1))


def sum_rows(dtype=f32, policy="unordered_tree", law=laws.ADD, out=None, **options):
    """y[r] = the reduction of x[r, :] by a law of one result."""
    b = Builder("sum_rows", **options)
    x = b.view("x", dtype, 2)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        reduced = b.reduce(b.load(x, rows, cols), cols, law, policy=policy)
        stored = out or (reduced.dtype if law.results[0] != "acc" else dtype)
        y = b.view("y", stored, 1)
        b.store(y, rows, reduced)
    return b.build()


def softmax(dtype=f32, policy="unordered_tree", **options):
    """exp(x - max) / sum, a row."""
    b = Builder("softmax", **options)
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        v = b.cast(b.load(x, rows, cols), f32 if dtype.bits < 32 else dtype)
        top = b.reduce(v, cols, laws.MAXIMUM, policy=policy)
        e = b.map("exp", b.map("sub", v, top))
        b.store(y, (rows, cols), b.map("div", e, b.reduce(e, cols, laws.ADD, policy=policy)))
    return b.build()


def layer_norm(dtype=f32, weight=True, bias=True, residual=False, two_outputs=False, eps=1e-5):
    """The mean, then the mean of squared deviations; `residual` is added first."""
    b = Builder("layer_norm")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    w = b.view("weight", dtype, 1) if weight else None
    c = b.view("bias", dtype, 1) if bias else None
    r = b.view("residual", dtype, 2) if residual else None
    h = b.view("h", dtype, 2) if two_outputs else None
    rows, cols = matrix(b, x)
    wide = f32 if dtype.bits < 32 else dtype
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        if r is not None:
            v = b.map("add", v, b.load(r, rows, cols))
        if h is not None:
            b.store(h, (rows, cols), v)
        v = b.cast(v, wide)
        count = b.cast(b.extent(cols.extent), wide)
        mean = b.map("div", b.reduce(v, cols, laws.ADD), count)
        off = b.map("sub", v, mean)
        var = b.map("div", b.reduce(b.map("mul", off, off), cols, laws.ADD), count)
        out = b.map("mul", off, b.map("rsqrt", b.map("add", var, eps)))
        if w is not None:
            out = b.map("mul", out, b.cast(b.load(w, cols), wide))
        if c is not None:
            out = b.map("add", out, b.cast(b.load(c, cols), wide))
        b.store(y, (rows, cols), out)
    return b.build()


def residual_layer_norm(dtype=f32):
    """layer_norm(x + residual) with weight and bias, one output."""
    return layer_norm(dtype, residual=True)


def rms_norm(dtype=f32, weight=True, eps=1e-6):
    """x / sqrt(mean of squares + eps) · weight."""
    b = Builder("rms_norm")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    w = b.view("weight", dtype, 1) if weight else None
    rows, cols = matrix(b, x)
    wide = f32 if dtype.bits < 32 else dtype
    with b.parallel(rows):
        v = b.cast(b.load(x, rows, cols), wide)
        count = b.cast(b.extent(cols.extent), wide)
        square = b.map("div", b.reduce(b.map("mul", v, v), cols, laws.ADD), count)
        out = b.map("mul", v, b.map("rsqrt", b.map("add", square, eps)))
        if w is not None:
            out = b.map("mul", out, b.cast(b.load(w, cols), wide))
        b.store(y, (rows, cols), out)
    return b.build()


def cross_entropy(dtype=f32):
    """log(sum(exp(x - shift))) + shift - x[label], a row; shift is the max where it is finite."""
    b = Builder("cross_entropy")
    x, labels, y = b.view("x", dtype, 2), b.view("labels", i64, 1), b.view("y", f32, 1)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        v = b.cast(b.load(x, rows, cols), f32 if dtype.bits < 32 else dtype)
        top = b.reduce(v, cols, laws.MAXIMUM)
        shift = b.map("where", b.map("isfinite", top), top, 0.0)
        total = b.reduce(b.map("exp", b.map("sub", v, shift)), cols, laws.ADD)
        chosen = b.gather(v, b.load(labels, rows), cols, fill=float("nan"))
        b.store(y, rows, b.map("sub", b.map("add", b.map("log", total), shift), chosen))
    return b.build()


def min_max(dtype=f32):
    """Two reductions of one row, two outputs."""
    b = Builder("min_max")
    x, low, high = b.view("x", dtype, 2), b.view("low", dtype, 1), b.view("high", dtype, 1)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        b.store(low, rows, b.reduce(v, cols, laws.MINIMUM))
        b.store(high, rows, b.reduce(v, cols, laws.MAXIMUM))
    return b.build()


def mean_var(dtype=f32, policy="unordered_tree"):
    """A law of three components and two results."""
    b = Builder("mean_var")
    x, mean, var = b.view("x", dtype, 2), b.view("mean", f32, 1), b.view("var", f32, 1)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        found = b.results(b.reduce(b.load(x, rows, cols), cols, laws.MEAN_VAR, policy=policy))
        b.store(mean, rows, found[0])
        b.store(var, rows, found[1])
    return b.build()


def argmax(dtype=f32):
    """The index of the first maximum of a row; the first NaN wins."""
    return sum_rows(dtype, law=laws.ARGMAX)


def logsumexp(dtype=f32, policy="unordered_tree"):
    """The law of log-sum-exp, a row."""
    return sum_rows(dtype, policy, laws.LOGSUMEXP)


def gelu(dtype=f32):
    """x/2 · (1 + erf(x/sqrt 2)), element-wise over rows."""
    b = Builder("gelu")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        v = b.cast(b.load(x, rows, cols), f32 if dtype.bits < 32 else dtype)
        inner = b.map("add", b.map("erf", b.map("mul", v, 0.7071067811865476)), 1.0)
        b.store(y, (rows, cols), b.map("mul", b.map("mul", v, 0.5), inner))
    return b.build()


def scale_in_place(dtype=f32):
    """x *= factor: one view, read and written."""
    b = Builder("scale_in_place")
    x = b.view("x", dtype, 2)
    factor = b.scalar("factor", dtype)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        b.store(x, (rows, cols), b.map("mul", b.load(x, rows, cols), factor))
    return b.build()


def least_in_order(dtype=f32, k=3):
    """The k least elements of a row in order, and where they were."""
    b = Builder("least_in_order")
    x, y, p = b.view("x", dtype, 2), b.view("y", dtype, 2), b.view("p", i64, 2)
    rows, cols = matrix(b, x)
    top = b.axis("top", k)
    with b.parallel(rows):
        values, positions = b.sort(b.load(x, rows, cols), cols, top)
        b.store(y, (rows, top), values)
        b.store(p, (rows, top), positions)
    return b.build()


def serial_sum(dtype=f32, step=1):
    """A serial loop over columns with one carried scalar."""
    b = Builder("serial_sum")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 1)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        with b.serial(cols, step=step, carry=[b.const(0, dtype)]) as loop:
            loop.yields(b.map("add", loop.carried[0], b.load(x, rows, cols)))
        b.store(y, rows, loop.results[0])
    return b.build()


def serial_tile(steps=4, dtype=f32):
    """A serial loop that carries a row: y = the sum of `steps` planes of x[k, r, :]."""
    b = Builder("serial_tile")
    x, y = b.view("x", dtype, 3), b.view("y", dtype, 2)
    planes, rows = b.axis("planes", dim(x, 0)), b.axis(ROWS, dim(x, 1))
    cols = b.axis(COLS, dim(x, 2))
    with b.parallel(rows):
        zero = b.broadcast(b.const(0, dtype), cols)
        with b.serial(planes, carry=[zero]) as loop:
            loop.yields(b.map("add", loop.carried[0], b.load(x, planes, rows, cols)))
        b.store(y, (rows, cols), loop.results[0])
    return b.build()


def serial_reduction(dtype=f32):
    """A reduction inside a serial loop: y[r] = the maximum over k of the sums of x[k, r, :]."""
    b = Builder("serial_reduction")
    x, y = b.view("x", dtype, 3), b.view("y", dtype, 1)
    planes, rows = b.axis("planes", dim(x, 0)), b.axis(ROWS, dim(x, 1))
    cols = b.axis(COLS, dim(x, 2))
    with b.parallel(rows):
        with b.serial(planes, carry=[b.const(float("-inf"), dtype)]) as loop:
            total = b.reduce(b.load(x, planes, rows, cols), cols, laws.ADD)
            loop.yields(b.map("maximum", loop.carried[0], total))
        b.store(y, rows, loop.results[0])
    return b.build()
