"""Reduction laws as data: how a list of elements is summarised, merged and read.

A law has state components, the state of the empty list (`identity`), of one element (`lift`), of a
concatenation (`merge`) and the results read from a state (`finalize`), all as terms.  Which orders
a reduction may use is the policy's business; a law only says whether its merge is commutative.
`certificate` is the digest of a checked proof; a built-in law without one is held by generated
property tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from certile.ir.dtypes import DType, bool_, highest, i32, i64, lowest
from certile.ir.terms import Lit, Term, Var, app

# The dtype of a state component or result: the accumulation dtype, an index, or a fixed one.
StateType = Literal["acc", "index", "bool"]


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a law's state."""

    name: str
    type: StateType = "acc"


@dataclass(frozen=True, slots=True)
class Law:
    """A reduction law.

    `lift` reads `x` (one operand) or `x0`, `x1`, …, and `i`, the element's linear index in leaf
    order, when `indexed`.  `merge` reads `a.NAME` (earlier elements) and `b.NAME` (later ones).
    `finalize` reads the components by name; `results` types what it returns.
    `builtin` names the one-component operation (add, mul, maximum, minimum) that hardware
    collectives and plain vector instructions implement, or is None.  `identity` is None for a
    plain fold function.
    """

    name: str
    state: tuple[Component, ...]
    identity: tuple[Term, ...] | None
    lift: tuple[Term, ...]
    merge: tuple[Term, ...]
    finalize: tuple[Term, ...]
    results: tuple[StateType, ...] = ("acc",)
    operands: int = 1
    indexed: bool = False
    commutative: bool = True
    builtin: Literal["add", "mul", "maximum", "minimum"] | None = None
    certificate: str | None = None

    def state_dtypes(self, accumulate: DType, elements: int) -> tuple[DType, ...]:
        """The dtype of each component for a reduction of `elements` elements."""
        index = i32 if elements < 2**31 else i64
        table = {"acc": accumulate, "index": index, "bool": bool_}
        return tuple(table[component.type] for component in self.state)

    def result_dtypes(self, accumulate: DType) -> tuple[DType, ...]:
        """The dtype of each result; an index is i64."""
        table = {"acc": accumulate, "index": i64, "bool": bool_}
        return tuple(table[kind] for kind in self.results)

    def state_bytes(self, accumulate: DType, elements: int) -> int:
        """Bytes of one state in shared memory; a bool takes four, as every slot is a word."""
        return sum(max(4, dtype.size) for dtype in self.state_dtypes(accumulate, elements))

    def lift_variables(self) -> tuple[str, ...]:
        """The names lift gives its operands."""
        return ("x",) if self.operands == 1 else tuple(f"x{k}" for k in range(self.operands))


def literal_value(value: bool | int | float | str, dtype: DType) -> bool | int | float:
    """The number a literal of a term stands for at a dtype."""
    match value:
        case "lowest":
            return lowest(dtype)
        case "highest":
            return highest(dtype)
        case "inf":
            return float("inf")
        case "nan":
            return float("nan")
        case "last_index":
            return highest(dtype)
        case str():
            raise ValueError(f"unknown literal {value}")
        case _:
            return float(value) if dtype.is_float else value


def _simple(name: Literal["add", "mul", "maximum", "minimum"], identity: Lit) -> Law:
    return Law(
        name=name,
        state=(Component("s"),),
        identity=(identity,),
        lift=(Var("x"),),
        merge=(app(name, "a.s", "b.s"),),
        finalize=(Var("s"),),
        builtin=name,
    )


def _arg(name: str, beats: str, worst: str) -> Law:
    """argmax or argmin: the first NaN wins, else the best value, ties to the smaller index.

    An integer is its own not-a-NaN, so one merge serves all dtypes (`ne x x` is false for them).
    """
    a, b = Var("a.v"), Var("b.v")
    a_nan, b_nan = app("ne", a, a), app("ne", b, b)
    better = app(beats, b, a)
    first_nan = app("bit_and", b_nan, app("bit_not", a_nan))
    even = app("bit_or", app("eq", a, b), app("bit_and", a_nan, b_nan))
    earlier = app("bit_and", even, app("lt", "b.i", "a.i"))
    # A number never beats a NaN: `beats` is false when either is NaN.
    take_b = app("bit_or", app("bit_or", better, first_nan), earlier)
    return Law(
        name=name,
        state=(Component("v"), Component("i", "index")),
        identity=(Lit(worst), Lit("last_index")),
        lift=(Var("x"), Var("i")),
        merge=(app("where", take_b, b, a), app("where", take_b, "b.i", "a.i")),
        finalize=(Var("i"),),
        results=("index",),
        indexed=True,
    )


def _mean_var() -> Law:
    """(n, mean, M2), merged by Chan, Golub and LeVeque (1979); finalize gives mean and M2 / n."""
    n = app("add", "a.n", "b.n")
    delta = app("sub", "b.mean", "a.mean")
    # n is 0 only when both sides are empty; dividing by 1 then leaves the identity as it is.
    share = app("div", "b.n", app("maximum", n, 1.0))
    # A difference that is not finite would make the infinite mean of one side NaN, or not, by the
    # order of the two; the plain sum does not.
    moved = app("add", "a.mean", app("mul", delta, share))
    mean = app("where", app("isfinite", delta), moved, app("add", "a.mean", "b.mean"))
    cross = app("mul", app("mul", delta, delta), app("mul", "a.n", share))
    # A side without elements contributes nothing, even when the other side's mean is not finite.
    a_empty, b_empty = app("eq", "a.n", 0.0), app("eq", "b.n", 0.0)

    def guarded(component: str, merged: Term) -> Term:
        keep_a = app("where", b_empty, f"a.{component}", merged)
        return app("where", a_empty, f"b.{component}", keep_a)

    m2 = app("add", app("add", "a.m2", "b.m2"), cross)
    return Law(
        name="mean_var",
        state=(Component("n"), Component("mean"), Component("m2")),
        identity=(Lit(0.0), Lit(0.0), Lit(0.0)),
        lift=(Lit(1.0), Var("x"), app("sub", "x", "x")),
        merge=(n, guarded("mean", mean), guarded("m2", m2)),
        finalize=(
            app("where", app("eq", "n", 0.0), Lit("nan"), "mean"),
            app("div", "m2", "n"),
        ),
        results=("acc", "acc"),
    )


def _logsumexp() -> Law:
    """(m, s) with s = sum of exp(x - shift(m)), shift(m) = m where finite, else 0.

    The shift keeps the merge of two empty states empty and lets a +inf element give +inf.
    """

    def shift(m: Term) -> Term:
        return app("where", app("isfinite", m), m, 0.0)

    m = app("maximum", "a.m", "b.m")

    def part(side: str) -> Term:
        kept = app("mul", f"{side}.s", app("exp", app("sub", app_shift(side), shift(m))))
        return app("where", app("eq", f"{side}.s", 0.0), 0.0, kept)

    def app_shift(side: str) -> Term:
        return shift(Var(f"{side}.m"))

    return Law(
        name="logsumexp",
        state=(Component("m"), Component("s")),
        identity=(Lit("lowest"), Lit(0.0)),
        lift=(Var("x"), app("exp", app("sub", "x", shift(Var("x"))))),
        merge=(m, app("add", part("a"), part("b"))),
        finalize=(app("add", shift(Var("m")), app("log", "s")),),
    )


ADD = _simple("add", Lit(0))
MUL = _simple("mul", Lit(1))
MAXIMUM = _simple("maximum", Lit("lowest"))
MINIMUM = _simple("minimum", Lit("highest"))
ARGMAX = _arg("argmax", "gt", "lowest")
ARGMIN = _arg("argmin", "lt", "highest")
MEAN_VAR = _mean_var()
LOGSUMEXP = _logsumexp()

BUILTIN: dict[str, Law] = {
    law.name: law for law in (ADD, MUL, MAXIMUM, MINIMUM, ARGMAX, ARGMIN, MEAN_VAR, LOGSUMEXP)
}
