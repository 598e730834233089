"""Laws that are not what they claim, each next to the obligation that tells, and two true ones."""

from dataclasses import replace

from certile.ir.laws import ARGMAX, LOGSUMEXP, MAXIMUM, MEAN_VAR, SOFTMAX_SUM, Component, Law
from certile.ir.meanings import MEANINGS, Action, Meaning
from certile.ir.terms import Lit, Var, app

X = Var("x")


def with_merge(law, name, term):
    """The law with another merge of one component."""
    merges = [
        term if part.name == name else old for part, old in zip(law.state, law.merge, strict=True)
    ]
    return replace(law, merge=tuple(merges))


def _sum_and_count(count):
    law = Law(
        name="sum_and_count",
        state=(Component("s"), Component("n")),
        identity=(Lit(0.0), Lit(0.0)),
        lift=(X, Lit(1.0)),
        merge=(app("add", "a.s", "b.s"), count),
        finalize=(app("div", "s", "n"),),
    )
    closed = (app("list.sum", "x"), app("list.sum", 1.0))
    return law, Meaning(closed, (app("div", *closed),), {"x": "any"})


def _reckless_count():
    """Right on one element on either side; n + m + (n - 1)(m - 1) is not associative."""
    less = [app("sub", side, 1.0) for side in ("a.n", "b.n")]
    return _sum_and_count(app("add", app("add", "a.n", "b.n"), app("mul", *less)))


def _difference():
    law = Law(
        name="difference",
        state=(Component("s"),),
        identity=(Lit(0.0),),
        lift=(X,),
        merge=(app("sub", "a.s", "b.s"),),
        finalize=(Var("s"),),
    )
    return law, MEANINGS["add"]


def _unguarded(law, keys):
    """Sums rescaled by exp(m_side - m) without a shift: two sides of -inf give NaN."""
    m = app("maximum", "a.m", "b.m")
    made = law
    for key in keys:
        sides = [app("mul", f"{s}.{key}", app("exp", app("sub", f"{s}.m", m))) for s in ("a", "b")]
        made = with_merge(made, key, app("add", *sides))
    return made


def _kept_left():
    """argmax that keeps the left index on a tie: it would need the lists in order."""
    better = app("gt", "b.v", "a.v")
    first_nan = app("bit_and", app("isnan", "b.v"), app("bit_not", app("isnan", "a.v")))
    take = app("bit_or", better, first_nan)
    return with_merge(ARGMAX, "i", app("where", take, "b.i", "a.i")), MEANINGS["argmax"]


def _plain_chan():
    """The merge of Chan without the guards of empty sides and infinite means."""
    n = app("add", "a.n", "b.n")
    delta = app("sub", "b.mean", "a.mean")
    share = app("div", "b.n", app("maximum", n, 1.0))
    mean = app("add", "a.mean", app("mul", delta, share))
    return with_merge(MEAN_VAR, "mean", mean), MEANINGS["mean_var"]


def finite(meaning):
    """The meaning for finite elements only."""
    return replace(meaning, domain=dict.fromkeys(meaning.domain, "finite"))


def moments():
    """Count, sum and squared differences: Chan's merge on sums, true of every element."""
    count, total = app("list.sum", 1.0), app("list.sum", "x")
    centred = app("sub", "x", app("div", total, count))
    squares = app("list.sum", app("mul", centred, centred))
    delta = app("sub", app("div", "b.s", "b.n"), app("div", "a.s", "a.n"))
    n = app("add", "a.n", "b.n")
    cross = app("mul", app("mul", delta, delta), app("div", app("mul", "a.n", "b.n"), n))
    merged = app("add", app("add", "a.m2", "b.m2"), cross)
    keep_a = app("where", app("eq", "b.n", 0.0), "a.m2", merged)
    law = Law(
        name="moments",
        state=(Component("n"), Component("s"), Component("m2")),
        identity=(Lit(0.0), Lit(0.0), Lit(0.0)),
        lift=(Lit(1.0), X, app("sub", "x", "x")),
        merge=(n, app("add", "a.s", "b.s"), app("where", app("eq", "a.n", 0.0), "b.m2", keep_a)),
        finalize=(app("div", "m2", "n"),),
    )
    return law, Meaning((count, total, squares), (app("div", squares, count),), {"x": "any"})


def affine(*, commutative=False, earlier="a", later="b", factor="finite"):
    """h = x0 * h + x1 as a composition of affine maps, the later one applied last."""
    law = Law(
        name="affine",
        state=(Component("k"), Component("c")),
        identity=(Lit(1.0), Lit(0.0)),
        lift=(Var("x0"), Var("x1")),
        merge=(
            app("mul", f"{later}.k", f"{earlier}.k"),
            app("add", app("mul", f"{later}.k", f"{earlier}.c"), f"{later}.c"),
        ),
        finalize=(Var("c"),),
        operands=2,
        commutative=commutative,
    )
    action = Action(
        step=(app("add", app("mul", "x0", "s.h"), "x1"),),
        act=(app("add", app("mul", "p.k", "s.h"), "p.c"),),
        start=(Lit(0.0),),
        result=(Var("s.h"),),
        domain={"x0": factor, "x1": "any"},
        loop={"h": "any"},
        parts={"k": factor, "c": "any"},
    )
    return law, action


def wrong():
    """Name -> (law, meaning, the obligation that fails)."""
    softmax, lse = MEANINGS["softmax_sum"], MEANINGS["logsumexp"]
    return {
        "count": (*_reckless_count(), "cat.n"),
        "difference": (*_difference(), "cat.s"),
        "returns the maximum": (replace(SOFTMAX_SUM, finalize=(Var("m"),)), softmax, "finalize.0"),
        "upside down": (
            replace(SOFTMAX_SUM, finalize=(app("div", "s", "n"),)),
            softmax,
            "finalize.0",
        ),
        "no shift": (_unguarded(LOGSUMEXP, ["s"]), lse, "cat.s"),
        "no shift, weighted": (_unguarded(SOFTMAX_SUM, ["n"]), softmax, "cat.n"),
        "forgets the shift": (
            replace(LOGSUMEXP, finalize=(app("log", "s"),)),
            lse,
            "finalize.0",
        ),
        "not quite -inf": (
            replace(MAXIMUM, identity=(Lit(-1e38),)),
            MEANINGS["maximum"],
            "nil.s",
        ),
        "ties go left": (*_kept_left(), "cat.i"),
        "index of nothing is 0": (
            replace(ARGMAX, identity=(ARGMAX.identity[0], Lit(0))),
            MEANINGS["argmax"],
            "nil.i",
        ),
        "unguarded moments": (*_plain_chan(), "cat.mean"),
        "unordered recurrence": (*affine(commutative=True), "unordered.h"),
        "recurrence backwards": (*affine(earlier="b", later="a"), "cat.h"),
        "infinite factors": (*affine(factor="any"), "cat.h"),
        "result of a recurrence": (
            replace(affine()[0], finalize=(Var("k"),)),
            affine()[1],
            "finalize.0",
        ),
    }
