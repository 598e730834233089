"""Reduction laws as data: how a list of elements is summarised, merged and read.

A law has state components, the state of the empty list (`identity`), of one element (`lift`), of a
concatenation (`merge`) and the results read from a state (`finalize`), all as terms.  Which orders
a reduction may use is the policy's business; a law only says whether its merge is commutative.
What the built-in laws mean is in `ir/meanings.py`, and that they do is proved (`certile.proof`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Literal

from certile.ir.dtypes import BY_NAME, DType, bool_, highest, i32, i64, lowest
from certile.ir.functions import FUNCTIONS
from certile.ir.terms import Apply, Lit, Term, Var, app, applications
from certile.records import record

# The dtype of a state component or result: the accumulation dtype, an index, or a fixed one.
StateType = Literal["acc", "index", "bool"] | DType

Builtin = Literal["add", "mul", "maximum", "minimum", "any", "all"]

_CAST = "as_"
# Functions whose results are the same for indices of either width.
_WIDTHLESS = frozenset(
    {"lt", "le", "gt", "ge", "eq", "ne", "where", "bit_and", "bit_or", "bit_not"}
)
_X = Var("x")


@record
class Component:
    """One component of a law's state."""

    name: str
    type: StateType = "acc"


@record
class Law:
    """A reduction law.

    `lift` reads `x` (one operand) or `x0`, `x1`, …, and `i`, the element's linear index in leaf
    order, when `indexed`.  `merge` reads `a.NAME` (earlier elements) and `b.NAME` (later ones).
    `finalize` reads the components by name; `results` types what it returns.
    `builtin` names the merge of one component when hardware collectives and plain vector
    instructions implement it, or is None.  `identity` is None for a plain fold function.
    `closed`, where it is known and proved, is each component as a closed form over a list, in the
    terms of `ir.meanings`: how elements that are at hand together become a state without merges.
    `parameters` name numbers that all elements share, of the accumulation dtype: all terms but
    `identity` may read them, and a reduction gives each a value.
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
    builtin: Builtin | None = None
    closed: tuple[Term, ...] | None = None
    parameters: tuple[str, ...] = ()

    def state_dtypes(self, accumulate: DType, elements: int) -> tuple[DType, ...]:
        """The dtype of each component for a reduction of `elements` elements."""
        indexed = any(component.type == "index" for component in self.state)
        index = self.index_dtype(elements) if indexed else i64
        return tuple(state_dtype(component.type, accumulate, index) for component in self.state)

    def index_dtype(self, elements: int) -> DType:
        """The dtype of an index into `elements` elements: i64 where terms compute with numbers."""
        carried = all(at.fn in _WIDTHLESS for at in self.applications())
        return i32 if carried and elements < 2**31 else i64

    def result_dtypes(self, accumulate: DType) -> tuple[DType, ...]:
        """The dtype of each result; an index is i64."""
        return tuple(state_dtype(kind, accumulate) for kind in self.results)

    def state_bytes(self, accumulate: DType, elements: int) -> int:
        """Bytes of one state in shared memory; a bool takes four, as every slot is a word."""
        return sum(max(4, dtype.size) for dtype in self.state_dtypes(accumulate, elements))

    @property
    def is_real(self) -> bool:
        """Whether a term divides, or uses another function whose values are real numbers."""
        used = (FUNCTIONS.get(at.fn) for at in self.applications())
        return any(function is not None and function.rule == "float" for function in used)

    def applications(self) -> Iterator[Apply]:
        """Every application of a function in the law's terms."""
        return applications((*(self.identity or ()), *self.lift, *self.merge, *self.finalize))

    def lift_variables(self) -> tuple[str, ...]:
        """The names lift gives its operands."""
        return operand_names(self.operands)


def operand_names(count: int) -> tuple[str, ...]:
    """The names that lift gives so many operands."""
    return ("x",) if count == 1 else tuple(f"x{k}" for k in range(count))


def parameter_names(count: int) -> tuple[str, ...]:
    """The names of so many parameters of a derived law."""
    return tuple(f"c{k}" for k in range(count))


def state_dtype(kind: StateType, accumulate: DType, index: DType = i64) -> DType:
    """The dtype of a state component or result."""
    if isinstance(kind, DType):
        return kind
    return {"acc": accumulate, "index": index, "bool": bool_}[kind]


def state_type(name: str) -> StateType:
    """The type of a component or result by the name it prints as; raises `KeyError` for none."""
    match name:
        case "acc" | "index" | "bool":
            return name
        case _:
            return BY_NAME[name]


def cast(term: Term, dtype: str) -> Apply:
    """The term converted to the dtype of that name, or to `acc`."""
    return Apply(f"{_CAST}{dtype}", (term,))


def cast_target(fn: str, accumulate: DType) -> DType | None:
    """The dtype that a function of a term converts to; None when it is no conversion."""
    name = fn.removeprefix(_CAST)
    if name == fn:
        return None
    return accumulate if name == "acc" else BY_NAME[name]


def literal_dtype(literal: Lit, accumulate: DType) -> DType | None:
    """The dtype that a literal has by itself; None when the operands beside it decide."""
    if literal.dtype is None:
        return None
    return accumulate if literal.dtype == "acc" else BY_NAME[literal.dtype]


def literal_value(value: bool | int | float | str, dtype: DType) -> bool | int | float:
    """The number a literal of a term stands for at a dtype.

    Raises ValueError for a literal that has no meaning.
    """
    match value:
        case "lowest":
            return lowest(dtype)
        case "highest":
            return highest(dtype)
        case "inf" | "-inf" | "nan" | "-0.0":
            return float(value)
        case "last_index":
            return highest(dtype)
        case str():
            raise ValueError(f"unknown literal {value}")
        case _:
            return float(value) if dtype.is_float else value


def _simple(name: Builtin, identity: Lit, lift: Term = _X, called: str = "") -> Law:
    """A law whose state is one value and whose merge is the operation `name`."""
    return Law(
        name=called or name,
        state=(Component("s"),),
        identity=(identity,),
        lift=(lift,),
        merge=(app(name, "a.s", "b.s"),),
        finalize=(Var("s"),),
        builtin=name,
    )


def _number_or(worst: str) -> Term:
    """The element, or what never wins where it is a NaN: then no state holds one."""
    return app("where", app("isnan", "x"), Lit(worst), "x")


def _size() -> Term:
    """The absolute value; that of the least integer, which wraps, is the greatest one."""
    size = app("abs", "x")
    return app("where", app("lt", size, 0), Lit("highest"), size)


def _truth(name: Literal["any", "all"], merge: str, identity: bool) -> Law:
    """Whether any or every element is not 0; a NaN is not."""
    return Law(
        name=name,
        state=(Component("s", "bool"),),
        identity=(Lit(identity),),
        lift=(app("ne", "x", 0),),
        merge=(app(merge, "a.s", "b.s"),),
        finalize=(Var("s"),),
        results=("bool",),
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


def _shift(m: Term) -> Term:
    """What exponents are taken relative to: `m` where finite, else 0.

    The merge of two empty states is then empty, and a +inf element gives +inf.
    """
    return app("where", app("isfinite", m), m, 0.0)


def _rescaled(side: str, component: str, m: Term) -> Term:
    """A sum of exponentials of one side, relative to `m`; a sum of nothing stays 0."""
    held = Var(f"{side}.{component}")
    ratio = app("exp", app("sub", _shift(Var(f"{side}.m")), _shift(m)))
    return app("where", app("eq", held, 0.0), 0.0, app("mul", held, ratio))


def _logsumexp() -> Law:
    """(m, s) with m the maximum and s = sum of exp(x - shift(m))."""
    m = app("maximum", "a.m", "b.m")
    return Law(
        name="logsumexp",
        state=(Component("m"), Component("s")),
        identity=(Lit("lowest"), Lit(0.0)),
        lift=(_X, app("exp", app("sub", "x", _shift(_X)))),
        merge=(m, app("add", _rescaled("a", "s", m), _rescaled("b", "s", m))),
        finalize=(app("add", _shift(Var("m")), app("log", "s")),),
    )


def softmax_sums(columns: int) -> Law:
    """Sums of each of `columns` values weighted by exp(x), over the sum of the weights.

    The state is that of logsumexp and n = sum of exp(x - shift(m)) · v for each column; a result is
    n / s (Milakov and Gimelshein, 2018).
    """
    m = app("maximum", "a.m", "b.m")
    weight = app("exp", app("sub", "x0", _shift(Var("x0"))))
    sums = ["n", *(f"n{k}" for k in range(2, columns + 1))]
    merged = [app("add", _rescaled("a", k, m), _rescaled("b", k, m)) for k in ("s", *sums)]
    weighted = [app("mul", weight, f"x{k}") for k in range(1, columns + 1)]
    return Law(
        name="softmax_sum",
        state=tuple(Component(name) for name in ("m", "s", *sums)),
        identity=(Lit("lowest"), *(Lit(0.0) for _ in ("s", *sums))),
        lift=(Var("x0"), weight, *weighted),
        merge=(m, *merged),
        finalize=tuple(app("div", name, "s") for name in sums),
        results=tuple("acc" for _ in range(columns)),
        operands=1 + columns,
    )


def _sum_var() -> Law:
    """(n, s, m2): the merge of Chan, Golub and LeVeque with sums for means; gives s and m2 / n."""
    n = app("add", "a.n", "b.n")
    delta = app("sub", app("div", "b.s", "b.n"), app("div", "a.s", "a.n"))
    share = app("mul", "a.n", app("div", "b.n", n))
    cross = app("mul", app("mul", delta, delta), share)
    merged = app("add", app("add", "a.m2", "b.m2"), cross)
    keep_a = app("where", app("eq", "b.n", 0.0), "a.m2", merged)
    return Law(
        name="sum_var",
        state=(Component("n"), Component("s"), Component("m2")),
        identity=(Lit(0.0), Lit(0.0), Lit(0.0)),
        lift=(Lit(1.0), _X, app("sub", "x", "x")),
        merge=(n, app("add", "a.s", "b.s"), app("where", app("eq", "a.n", 0.0), "b.m2", keep_a)),
        finalize=(Var("s"), app("div", "m2", "n")),
        results=("acc", "acc"),
    )


def _affine() -> Law:
    """The composition of maps h -> x0 · h + x1, the later one applied last, at h = 0."""
    return Law(
        name="affine",
        state=(Component("k"), Component("c")),
        identity=(Lit(1), Lit(0)),
        lift=(Var("x0"), Var("x1")),
        merge=(app("mul", "b.k", "a.k"), app("add", app("mul", "b.k", "a.c"), "b.c")),
        finalize=(Var("c"),),
        operands=2,
        commutative=False,
    )


def top_values(count: int) -> Law:
    """The `count` greatest elements, the greatest first; a NaN is greater than every number."""
    return _first_values("top_values", count, ("maximum", "fmin"), "lowest")


def bottom_values(count: int) -> Law:
    """The `count` least elements, the least first; a NaN is less than every number."""
    return _first_values("bottom_values", count, ("minimum", "fmax"), "highest")


def _first_values(name: str, count: int, order: tuple[str, str], none: str) -> Law:
    """The first elements in an order, whose functions say which of two is first and which later.

    Of two lists together the k-th is the first, over all j, of the later one of the j-th of one and
    the (k - j)-th of the other.  Where there are fewer elements, the rest are what no element
    precedes.
    """
    first, later = order
    names = [f"t{k}" for k in range(1, count + 1)]

    def joined(k: int) -> Term:
        both = [app(later, f"a.t{j}", f"b.t{k - j}") for j in range(k - 1, 0, -1)]
        alone: tuple[Term, Term] = (Var(f"a.t{k}"), Var(f"b.t{k}"))
        return reduce(lambda p, q: app(first, p, q), [alone[0], *both, alone[1]])

    return Law(
        name=name,
        state=tuple(Component(each) for each in names),
        identity=tuple(Lit(none) for _ in names),
        lift=(_X, *(Lit(none) for _ in names[1:])),
        merge=tuple(joined(k) for k in range(1, count + 1)),
        finalize=tuple(Var(each) for each in names),
        results=tuple("acc" for _ in names),
    )


ADD = _simple("add", Lit(0))
MUL = _simple("mul", Lit(1))
MAXIMUM = _simple("maximum", Lit("lowest"))
MINIMUM = _simple("minimum", Lit("highest"))
ARGMAX = _arg("argmax", "gt", "lowest")
ARGMIN = _arg("argmin", "lt", "highest")
MEAN_VAR = _mean_var()
LOGSUMEXP = _logsumexp()
SOFTMAX_SUM = softmax_sums(1)
SUM_VAR = _sum_var()
AFFINE = _affine()
TOP_VALUES = top_values(2)
BOTTOM_VALUES = bottom_values(2)
# A state of more values than these does not stay in registers.
MOST_VALUES = 16
# Without a NaN in any state, the extremum that propagates NaN is the one that ignores it.
FMAX = _simple("maximum", Lit("lowest"), _number_or("lowest"), "fmax")
FMIN = _simple("minimum", Lit("highest"), _number_or("highest"), "fmin")
ABSMAX = _simple("maximum", Lit(0), _size(), "absmax")
ALL = _truth("all", "bit_and", True)
ANY = _truth("any", "bit_or", False)

BUILTIN: dict[str, Law] = {
    law.name: law
    for law in (
        *(ADD, MUL, MAXIMUM, MINIMUM, FMAX, FMIN, ABSMAX, ALL, ANY),
        *(ARGMAX, ARGMIN, MEAN_VAR, SUM_VAR, LOGSUMEXP, SOFTMAX_SUM, AFFINE),
        *(TOP_VALUES, BOTTOM_VALUES),
    )
}


def is_built_in(law: Law) -> bool:
    """Whether a law is one of the language's own, of any number of columns or of values."""
    match law.name:
        case "softmax_sum":
            return law == softmax_sums(max(1, law.operands - 1))
        case "top_values" | "bottom_values" if 1 < len(law.state) <= MOST_VALUES:
            make = top_values if law.name == TOP_VALUES.name else bottom_values
            return law == make(len(law.state))
        case _:
            return law == BUILTIN.get(law.name)
