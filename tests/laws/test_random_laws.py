"""Laws of authors drawn at random, of every type: what compiled reductions and scans give of them.

A law is one to three parts.  Each has components of its own, some of a type other than what is
accumulated in, and a meaning where one can be said.  Elements are of all types, with their ends,
NaN, infinities, zeros of both signs and ties.
"""

import math
from dataclasses import dataclass, field
from random import Random

import numpy as np
import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME
from certile.ir.tile import Reduce, Scan
from certile.ir.walk import values
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from tests.differential.harness import HOST_SHEET, SHEETS, Case

FLOATS = ("f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2")
KINDS = (*FLOATS, "f32", "i8", "u8", "i16", "i32", "u32", "i64", "u64", "bool")
ACCUMULATED = {"f64": "f64", "i64": "i64", "u64": "u64", "u8": "u32", "u32": "u32"}
LAST = 2**63 - 1
ROWS = 6


def accumulated(kind):
    return ACCUMULATED.get(kind, "f32" if kind in FLOATS else "i32")


@dataclass
class Part:
    """Components with their methods; `spec` says what the result is of a list, if anything does."""

    state: dict
    identity: tuple
    lift: object
    merge: object
    result: object
    spec: object = None
    closed: dict = field(default_factory=dict)
    ordered: bool = False
    indexed: bool = False


def shift(m):
    return ct.where(ct.isfinite(m), m, 0.0)


def plain(name, kind, identity, of, merge, spec=None):
    """One component that is merged by an operation of both sides."""
    return Part(
        {name: kind},
        (identity,),
        lambda x, index: (of(x),),
        lambda a, b: (merge(a[name], b[name]),),
        lambda s: s[name],
        spec,
    )


def streamed(name):
    """A sum of exponentials relative to the greatest element."""
    m, s = f"m{name}", f"s{name}"

    def weight(x, top):
        return ct.exp(x - shift(top))

    def rescaled(side, top):
        return ct.where(side[s] == 0, 0.0, side[s] * ct.exp(shift(side[m]) - shift(top)))

    def merge(a, b):
        top = ct.maximum(a[m], b[m])
        return top, rescaled(a, top) + rescaled(b, top)

    def closed(xs):
        return ct.list.sum(ct.list.map(lambda x: weight(x, ct.list.max(xs)), xs))

    return Part(
        {m: "acc", s: "acc"},
        (-math.inf, 0.0),
        lambda x, index: (x, weight(x, x)),
        merge,
        lambda state: shift(state[m]) + ct.log(state[s]),
        lambda xs: ct.log(ct.list.sum(ct.list.map(ct.exp, xs))),
        {s: closed},
    )


def latest(name, of, asked):
    """The last element that fulfils a condition: order matters."""
    held = f"h{name}"
    return Part(
        {name: "acc", held: ct.bool_},
        (0, False),
        lambda x, index: (ct.where(asked(x), of(x), 0), asked(x)),
        lambda a, b: (ct.where(b[held], b[name], a[name]), a[held] | b[held]),
        lambda s: ct.where(s[held], s[name], 1),
        ordered=True,
    )


def foremost(name, of, least):
    """The place of the first greatest element; the first NaN wins."""
    v = f"v{name}"

    def merge(a, b):
        even = (a[v] == b[v]) | (ct.isnan(a[v]) & ct.isnan(b[v]))
        nan = ct.isnan(b[v]) & ~ct.isnan(a[v])
        take = (b[v] > a[v]) | nan | (even & (b[name] < a[name]))
        return ct.where(take, b[v], a[v]), ct.where(take, b[name], a[name])

    return Part(
        {v: "acc", name: "index"},
        (least, LAST),
        lambda x, index: (of(x), index),
        merge,
        lambda s: s[name],
        indexed=True,
    )


def second(name, of, least):
    """The second greatest element, where no NaN is."""
    top = f"t{name}"

    def merge(a, b):
        lesser = ct.minimum(a[top], b[top])
        return ct.maximum(a[top], b[top]), ct.maximum(lesser, ct.maximum(a[name], b[name]))

    return Part(
        {top: "acc", name: "acc"},
        (least, least),
        lambda x, index: (ct.where(ct.isnan(of(x)), 1, of(x)), least),
        merge,
        lambda s: s[name],
    )


def drawn_part(draw, place, kind):
    """A part of a law that accumulates in `kind`."""
    name, real = f"c{place}", kind in FLOATS
    least = -math.inf if real else int(np.iinfo(storage(BY_NAME[kind])).min)
    whole = [lambda x: x * 3, lambda x: ct.where(x > 2, x, 0)]
    shown = [lambda x: ct.where(ct.isfinite(x), x, -1.0), lambda x: ct.where(x > 0, x, 0.0), ct.abs]
    of = draw.choice([lambda x: x, lambda x: -x, lambda x: x * x, *(shown if real else whole)])
    asked = draw.choice([lambda x: x > 1, lambda x: x != 0, lambda x: ~(x < 2)])
    narrow = draw.choice((ct.i8, ct.u8, ct.i16, ct.u16))
    zero, one = (0.0, 1.0) if real else (0, 1)

    def mapped(fold, function):
        return lambda xs: fold(ct.list.map(function, xs))

    makers = [
        lambda: plain(name, "acc", zero, of, lambda a, b: a + b, mapped(ct.list.sum, of)),
        lambda: plain(name, "acc", one, of, lambda a, b: a * b, mapped(ct.list.prod, of)),
        lambda: plain(
            name, "acc", least, of, ct.maximum, mapped(ct.list.max, of) if real else None
        ),
        lambda: plain(name, ct.bool_, False, asked, lambda a, b: a | b, mapped(ct.list.any, asked)),
        lambda: plain(name, ct.bool_, True, asked, lambda a, b: a & b, mapped(ct.list.all, asked)),
        lambda: plain(
            name,
            narrow,
            0,
            lambda x: ct.cast(of(x), narrow),
            lambda a, b: ct.cast(a + b, narrow),
        ),
        lambda: latest(name, of, asked),
        lambda: foremost(name, of, least),
        lambda: second(name, of, least),
        *([lambda: streamed(name)] * 2 if real else ()),
    ]
    return draw.choice(makers)()


def drawn_law(draw, kind):
    """A law of parts; it says what it means where all of them do, by a toss."""
    parts = [drawn_part(draw, place, kind) for place in range(draw.choice((1, 2, 3)))]

    def each(method):
        return lambda *given: tuple(value for part in parts for value in method(part)(*given))

    merge, lift = each(lambda part: part.merge), each(lambda part: part.lift)
    methods = {
        "identity": lambda: tuple(value for part in parts for value in part.identity),
        "merge": lambda a, b: merge(a, b),
        "finalize": lambda s: tuple(part.result(s) for part in parts),
    }
    indexed = any(part.indexed for part in parts)
    methods["lift"] = (lambda x, *, index: lift(x, index)) if indexed else lambda x: lift(x, None)
    if all(part.spec for part in parts) and draw.random() < 0.8:
        closed = {name: form for part in parts for name, form in part.closed.items()}
        methods["spec"] = lambda xs: tuple(part.spec(xs) for part in parts)
        methods["closed"] = lambda xs: {name: form(xs) for name, form in closed.items()}
    fields = {name: staticmethod(method) for name, method in methods.items()}
    fields["state"] = {name: type_ for part in parts for name, type_ in part.state.items()}
    ordered = any(part.ordered for part in parts)
    if ordered:
        fields["commutative"] = False
    return ct.law(type("Mine", (), fields)), ordered, len(parts)


def elements(kind, length, rng):
    """Rows of a type: its ends and ties; of floats halves, whose sums are exact, and no numbers."""
    dtype, shape = np.dtype(storage(BY_NAME[kind])), (ROWS, length)
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind not in FLOATS:
        ends = np.iinfo(dtype)
        made = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        made[1::2] = rng.choice(np.array([ends.min, ends.max, 0, 1, 2], dtype), made[1::2].shape)
        return made
    made = rng.integers(-4, 5, shape) / 2
    special = (np.nan, np.inf, -np.inf, -0.0)
    for row in range(1, ROWS):
        places = [0, length - 1, *rng.integers(0, length, 2)][: row % 4 + 1]
        made[row, places] = rng.choice(special)
    made[-1] = rng.choice(special)
    return made.astype(dtype)


def kernel_of(law, scan, options):
    """A kernel that stores each result, one behind another."""

    def kernel(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            made = (ct.scan if scan else ct.reduce)(x[r, cols], cols, law, **options)
            for k, each in enumerate(made if type(made) is tuple else (made,)):
                if scan:
                    y[k, r, cols] = ct.cast(each, y.dtype)
                else:
                    y[k, r] = ct.cast(each, y.dtype)

    return ct.tile_kernel(kernel)


@pytest.mark.parametrize(
    "number", [*range(40), *(pytest.param(k, marks=pytest.mark.fuzz) for k in range(40, 1000))]
)
def test_a_law_gives_what_the_reference_gives(number):
    draw, rng = Random(number), np.random.default_rng(number)
    kind, scan = draw.choice(KINDS), draw.random() < 0.4
    law, ordered, count = drawn_law(draw, accumulated(kind))
    policies = ("ordered_tree", "fold_left", "fold_right")
    policies += () if ordered else ("unordered_tree", "unordered_tree", "reproducible")
    options = {"inclusive": draw.random() < 0.5, "reverse": draw.random() < 0.5}
    options = options if scan else {"policy": draw.choice(policies)}
    length = draw.choice((1, 2, 7, 8, 9, 16, 17, 33, 64, 200))
    shape = (count, ROWS, length) if scan else (count, ROWS)
    out = "f64" if kind == "f64" else "f32" if kind in FLOATS else "i64"
    traced = kernel_of(law, scan, options).tile_ir(
        {"x": Shaped(BY_NAME[kind], (ROWS, length)), "y": Shaped(BY_NAME[out], shape)}
    )
    assert any(isinstance(at, Reduce | Scan) for at in values(traced))
    given = {"x": elements(kind, length, rng), "y": np.zeros(shape, storage(BY_NAME[out]))}
    for sheet in (HOST_SHEET, SHEETS["metal"]):
        case = Case(traced, given).copy()
        if sheet is not HOST_SHEET and out == "f64":
            continue
        lowered = case.lower(sheet)
        if sheet is HOST_SHEET:
            case.run_cpu(lowered)
        else:
            assert all(report.ok for report in case.run_machine(lowered))
        found = agrees(case.outputs(), traced, given)
        assert found, (sheet.name, found.worst)
