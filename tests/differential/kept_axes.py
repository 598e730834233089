"""Kernels whose reductions keep axes or whose loops carry tiles, and arguments for them."""

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bool_, f32, i32, i64
from tests.differential.checks import blank, random

LAWS = {
    "add": laws.ADD,
    "mul": laws.MUL,
    "maximum": laws.MAXIMUM,
    "minimum": laws.MINIMUM,
    "argmax": laws.ARGMAX,
    "mean_var": laws.MEAN_VAR,
    "logsumexp": laws.LOGSUMEXP,
}


def reduced(law, *, last, policy="unordered_tree", dtype=f32, shape=(3, 5, 37), centred=False):
    """x[r, a, b] over b (`last`) or over a: every result stored, and x less the first one."""
    b = Builder("reduced")
    x = b.view("x", dtype, 3)
    rows, first, second = (b.axis(name, dim(x, k)) for k, name in enumerate(("r", "a", "b")))
    kept, over = (first, second) if last else (second, first)
    size = shape[1] if last else shape[2]
    arguments = {"x": random(*shape, dtype=dtype)}
    with b.parallel(rows):
        v = b.load(x, rows, first, second)
        found = b.reduce(v, over, law, policy=policy)
        results = b.results(found) if len(law.results) > 1 else (found,)
        for k, result in enumerate(results):
            out = b.view(f"s{k}", result.dtype, 2)
            arguments[f"s{k}"] = blank(shape[0], size, dtype=result.dtype)
            b.store(out, (rows, kept), result)
        if centred:
            y = b.view("y", results[0].dtype, 3)
            arguments["y"] = blank(*shape, dtype=results[0].dtype)
            b.store(y, (rows, first, second), b.map("sub", v, results[0]))
    return b.build(), arguments


def group_norm(*, groups_parallel, n=2, g=3, c=4, s=21):
    """Mean and variance of each group, over channels and places; a weight for each channel."""
    b = Builder("grouped")
    x, y = b.view("x", f32, 4), b.view("y", f32, 4)
    weight = b.view("weight", f32, 2)
    batch, groups, channels, places = (b.axis(name, dim(x, k)) for k, name in enumerate("ngcs"))
    over = (batch, groups) if groups_parallel else (batch,)
    with b.parallel(*over):
        v = b.load(x, batch, groups, channels, places)
        mean, variance = b.results(b.reduce(v, (channels, places), laws.MEAN_VAR))
        scale = b.map("rsqrt", b.map("add", variance, 1e-5))
        w = b.load(weight, groups, channels)
        normal = b.map("mul", b.map("sub", v, mean), scale)
        b.store(y, (batch, groups, channels, places), b.map("mul", normal, w))
    return b.build(), {
        "x": random(n, g, c, s),
        "y": blank(n, g, c, s),
        "weight": random(g, c, seed=1),
    }


def exponentials(*, last, shape=(2, 4, 45)):
    """exp(x - max) over their sum, along either axis of a matrix a program."""
    b = Builder("exponentials")
    x, y = b.view("x", f32, 3), b.view("y", f32, 3)
    rows, first, second = (b.axis(name, dim(x, k)) for k, name in enumerate("rab"))
    over = second if last else first
    with b.parallel(rows):
        v = b.load(x, rows, first, second)
        e = b.map("exp", b.map("sub", v, b.reduce(v, over, laws.MAXIMUM)))
        b.store(y, (rows, first, second), b.map("div", e, b.reduce(e, over, laws.ADD)))
    return b.build(), {"x": random(*shape), "y": blank(*shape)}


def attended(*, keys=7, width=40, rows_count=3):
    """Scores over keys, their exponentials, and the keys' values weighted by these."""
    b = Builder("attended")
    q, k, v = b.view("q", f32, 2), b.view("k", f32, 2), b.view("v", f32, 2)
    y = b.view("y", f32, 2)
    rows, a, d = b.axis("r", dim(q, 0)), b.axis("a", dim(k, 0)), b.axis("d", dim(k, 1))
    with b.parallel(rows):
        score = b.reduce(b.map("mul", b.load(q, rows, d), b.load(k, a, d)), d, laws.ADD)
        e = b.map("exp", b.map("sub", score, b.reduce(score, a, laws.MAXIMUM)))
        share = b.map("div", e, b.reduce(e, a, laws.ADD))
        b.store(y, (rows, d), b.reduce(b.map("mul", share, b.load(v, a, d)), a, laws.ADD))
    return b.build(), {
        "q": random(rows_count, width),
        "k": random(keys, width, seed=1),
        "v": random(keys, width, seed=2),
        "y": blank(rows_count, width),
    }


def folded_stages(policy):
    """x[r, a, b] reduced over b, then what is left over a, under one policy."""
    b = Builder("stages")
    x, s = b.view("x", f32, 3), b.view("s", f32, 1)
    rows, first, second = (b.axis(name, dim(x, k)) for k, name in enumerate("rab"))
    with b.parallel(rows):
        inner = b.reduce(b.load(x, rows, first, second), second, laws.ADD)
        outer = b.reduce(b.map("mul", inner, inner), first, laws.ADD, policy=policy)
        b.store(s, rows, outer)
    return b.build(), {"x": random(3, 50, 33), "s": blank(3)}


def product(*, inner=5, width=70, rows_count=3, dtype=f32):
    """A row of a matrix product: acc[j] += x[r, k] * w[k, j], one k at a time."""
    b = Builder("product")
    x, w, y = b.view("x", dtype, 2), b.view("w", dtype, 2), b.view("y", dtype, 2)
    rows, k, j = b.axis("r", dim(x, 0)), b.axis("k", dim(x, 1)), b.axis("j", dim(w, 1))
    with b.parallel(rows):
        zero = b.broadcast(b.const(0, dtype), j)
        with b.serial(k, carry=[zero]) as loop:
            term = b.map("mul", b.load(x, rows, k), b.load(w, k, j))
            loop.yields(b.map("add", loop.carried[0], term))
        b.store(y, (rows, j), loop.results[0])
    return b.build(), {
        "x": random(rows_count, inner, dtype=dtype),
        "w": random(inner, width, dtype=dtype, seed=1),
        "y": blank(rows_count, width, dtype=dtype),
    }


def online(*, blocks=4, keys=6, width=36, rows_count=2):
    """Attention block by block: a greatest score, a sum and a weighted row, all carried."""
    b = Builder("online")
    q, k, v = b.view("q", f32, 2), b.view("k", f32, 3), b.view("v", f32, 3)
    y = b.view("y", f32, 2)
    rows, block = b.axis("r", dim(q, 0)), b.axis("t", dim(k, 0))
    a, d = b.axis("a", dim(k, 1)), b.axis("d", dim(k, 2))
    with b.parallel(rows):
        start = [b.const(-1e30, f32), b.const(0, f32), b.broadcast(b.const(0, f32), d)]
        with b.serial(block, carry=start) as loop:
            top, total, acc = loop.carried
            query, key = b.load(q, rows, d), b.load(k, block, a, d)
            score = b.reduce(b.map("mul", query, key), d, laws.ADD)
            after = b.map("maximum", top, b.reduce(score, a, laws.MAXIMUM))
            kept = b.map("exp", b.map("sub", top, after))
            e = b.map("exp", b.map("sub", score, after))
            value = b.reduce(b.map("mul", e, b.load(v, block, a, d)), a, laws.ADD)
            loop.yields(
                after,
                b.map("add", b.map("mul", total, kept), b.reduce(e, a, laws.ADD)),
                b.map("add", b.map("mul", acc, kept), value),
            )
        _, total, acc = loop.results
        b.store(y, (rows, d), b.map("div", acc, total))
    return b.build(), {
        "q": random(rows_count, width),
        "k": random(blocks, keys, width, seed=1),
        "v": random(blocks, keys, width, seed=2),
        "y": blank(rows_count, width),
    }


def carried_matrix(*, steps=3, shape=(2, 4, 35)):
    """A greatest value a row and a scaled matrix, both carried: two domains in one loop."""
    b = Builder("carried")
    x, y, t = b.view("x", f32, 4), b.view("y", f32, 3), b.view("t", f32, 2)
    rows, step = b.axis("r", dim(x, 0)), b.axis("k", dim(x, 1))
    first, second = b.axis("a", dim(x, 2)), b.axis("b", dim(x, 3))
    with b.parallel(rows):
        low = b.broadcast(b.const(-1e30, f32), first)
        zero = b.broadcast(b.const(0, f32), first, second)
        with b.serial(step, carry=[low, zero]) as loop:
            top, acc = loop.carried
            v = b.load(x, rows, step, first, second)
            after = b.map("maximum", top, b.reduce(v, second, laws.MAXIMUM))
            scale = b.map("exp", b.map("sub", top, after))
            e = b.map("exp", b.map("sub", v, after))
            loop.yields(after, b.map("add", b.map("mul", acc, scale), e))
        b.store(t, (rows, first), loop.results[0])
        b.store(y, (rows, first, second), loop.results[1])
    n, a, c = shape
    arguments = {"x": random(n, steps, a, c), "y": blank(n, a, c), "t": blank(n, a)}
    return b.build(), arguments


def exchanged(*, steps=3, width=41, rows_count=2):
    """Two carried rows that trade places, a third that reads both."""
    b = Builder("exchanged")
    x, y = b.view("x", f32, 2), b.view("y", f32, 3)
    rows, j = b.axis("r", dim(x, 0)), b.axis("j", dim(x, 1))
    step = b.axis("k", steps)
    with b.parallel(rows):
        v = b.load(x, rows, j)
        with b.serial(step, carry=[v, b.map("neg", v), v]) as loop:
            left, right, both = loop.carried
            moved = b.map("sub", left, right)
            loop.yields(right, b.map("mul", left, 0.5), b.map("add", both, moved))
        for k, row in enumerate(loop.results):
            b.store(y, (rows, b.const(k, i64), j), row)
    return b.build(), {"x": random(rows_count, width), "y": blank(rows_count, 3, width)}


def carried_sums(*, steps=4, width=50, rows_count=3):
    """A carried row that is reduced in each round, and a carried count of what it holds."""
    b = Builder("sums")
    x, s, y = b.view("x", f32, 3), b.view("s", f32, 1), b.view("y", f32, 2)
    rows, step, j = b.axis("r", dim(x, 0)), b.axis("k", dim(x, 1)), b.axis("j", dim(x, 2))
    with b.parallel(rows):
        zero = b.broadcast(b.const(0, f32), j)
        with b.serial(step, carry=[zero, b.const(0, f32)]) as loop:
            row, sum_ = loop.carried
            total = b.reduce(row, j, laws.ADD)
            after = b.map("add", row, b.load(x, rows, step, j))
            loop.yields(b.map("sub", after, b.map("mul", total, 0.01)), b.map("add", sum_, total))
        b.store(y, (rows, j), loop.results[0])
        b.store(s, rows, loop.results[1])
    return b.build(), {
        "x": random(rows_count, steps, width),
        "s": blank(rows_count),
        "y": blank(rows_count, width),
    }


def guarded(*, shape=(2, 6, 33)):
    """A masked load reduced along either axis, integers and bools beside it."""
    b = Builder("guarded")
    x, keep = b.view("x", i32, 3), b.view("keep", bool_, 2)
    s, t = b.view("s", i32, 2), b.view("t", i32, 2)
    rows, first, second = (b.axis(name, dim(x, k)) for k, name in enumerate("rab"))
    with b.parallel(rows):
        kept = b.load(keep, first, second)
        v = b.load(x, rows, first, second, mask=kept, fill=7)
        b.store(s, (rows, first), b.reduce(v, second, laws.ADD))
        b.store(t, (rows, second), b.reduce(v, first, laws.MAXIMUM))
    n, a, c = shape
    return b.build(), {
        "x": random(n, a, c, dtype=i32),
        "keep": random(a, c, dtype=bool_),
        "s": blank(n, a, dtype=i32),
        "t": blank(n, c, dtype=i32),
    }


def in_place(*, last, shape=(2, 5, 37)):
    """A matrix a program, less the sums along one of its axes, stored where it was loaded."""
    b = Builder("in_place")
    x = b.view("x", f32, 3)
    rows, first, second = (b.axis(name, dim(x, k)) for k, name in enumerate("rab"))
    with b.parallel(rows):
        v = b.load(x, rows, first, second)
        total = b.reduce(v, second if last else first, laws.ADD)
        b.store(x, (rows, first, second), b.map("sub", v, total))
    return b.build(), {"x": random(*shape)}


def loops_in_loops(*, outer=3, inner=2, width=37, dtype=f32):
    """A row carried by a loop within a loop, and flags beside it that say where it grew."""
    b = Builder("loops")
    x, y, grew = b.view("x", dtype, 3), b.view("y", dtype, 2), b.view("grew", bool_, 2)
    rows, j = b.axis("r", dim(x, 0)), b.axis("j", dim(x, 2))
    many, few = b.axis("many", outer), b.axis("few", inner)
    with b.parallel(rows):
        zero = b.broadcast(b.const(0, dtype), j)
        never = b.broadcast(b.const(False, bool_), j)
        with b.serial(many, carry=[zero, never]) as around:
            with b.serial(few, carry=[around.carried[0], never]) as loop:
                row, flag = loop.carried
                after = b.map("add", row, b.load(x, rows, few, j))
                loop.yields(after, b.map("bit_or", flag, b.map("gt", after, row)))
            around.yields(*loop.results)
        b.store(grew, (rows, j), around.results[1])
        b.store(y, (rows, j), around.results[0])
    return b.build(), {
        "x": random(2, max(1, inner), width, dtype=dtype),
        "y": blank(2, width, dtype=dtype),
        "grew": blank(2, width, dtype=bool_),
    }


def placed(*, shape=(2, 3, 40)):
    """A matrix in memory that the program places, reduced along its lines."""
    b = Builder("placed")
    x, y, t = b.view("x", f32, 3), b.view("y", f32, 3), b.view("t", f32, 2)
    rows = b.axis("r", dim(x, 0))
    held = b.memory("held", f32, (b.axis("a", shape[1]), b.axis("b", shape[2])))
    with b.parallel(rows):
        b.store(held, held.axes, b.map("exp", b.load(x, rows, *held.axes)))
        v = b.load(held, *held.axes)
        total = b.reduce(v, held.axes[1], laws.ADD)
        b.store(t, (rows, held.axes[0]), total)
        b.store(y, (rows, *held.axes), b.map("div", v, total))
    n, a, c = shape
    return b.build(), {"x": random(n, a, c), "y": blank(n, a, c), "t": blank(n, a)}
