"""Each rule of the verifier refuses the smallest kernel that breaks it."""

import dataclasses

import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bool_, f16, f32, f64, i32, i64
from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.ir.tile import (
    Bitcast,
    Broadcast,
    Cast,
    Const,
    Gather,
    Iota,
    Load,
    LoopIndex,
    Map,
    Relabel,
    Result,
    ScalarArg,
    Store,
    View,
)
from certile.ir.types import Axis, Dim, TileType
from certile.ir.verify import verify
from certile.ir.walk import substitute, values

LEFT = Law(
    "left",
    (Component("s"),),
    (Lit(0),),
    (Var("x"),),
    (app("sub", "a.s", "b.s"),),
    (Var("s"),),
    commutative=False,
)


class Case:
    """A kernel y[r] = f(x[r, :]) whose f a test breaks."""

    def __init__(self):
        self.b = Builder("case")
        self.x, self.y = self.b.view("x", f32, 2), self.b.view("y", f32, 1)
        self.rows = self.b.axis("rows", dim(self.x, 0))
        self.cols = self.b.axis("cols", dim(self.x, 1))

    def codes(self, write):
        with self.b.parallel(self.rows):
            value = write(self)
            if value is not None:
                self.b.store(self.y, self.rows, value)
        return [d.code for d in verify(self.b.build())]

    def row(self):
        return self.b.load(self.x, self.rows, self.cols)

    def one(self):
        return self.b.const(1.0, f32)


WIDE = TileType(f64)


def scanned(c, **changes):
    """The last element of a scanned row, whose scan is changed after it is made."""
    made = c.b.scan(c.row(), c.cols, laws.ADD).with_(**changes)
    return c.b.cast(c.b.gather(made, c.b.const(0, i64), c.cols, fill=0), f32)


def summed(c, **changes):
    return c.b.reduce(c.row(), c.cols, laws.ADD).with_(**changes)


BROKEN = {
    "iota type": (
        "V001",
        lambda c: summed(c, args=(Iota(axis=c.cols, type=TileType(i32, (c.cols,))),)),
    ),
    "map type": ("V001", lambda c: Map(fn="neg", args=(c.one(),), type=WIDE)),
    "map arity": ("V002", lambda c: Map(fn="add", args=(c.one(),), type=TileType(f32))),
    "map name": ("V002", lambda c: Map(fn="sine", args=(c.one(),), type=TileType(f32))),
    "map dtypes": (
        "V003",
        lambda c: Map(fn="add", args=(c.one(), c.b.const(1.0, f64)), type=TileType(f32)),
    ),
    "where condition": (
        "V003",
        lambda c: Map(fn="where", args=(c.one(), c.one(), c.one()), type=TileType(f32)),
    ),
    "cast axes": ("V001", lambda c: Cast(value=c.row(), type=TileType(f32))),
    "bitcast width": (
        "V001",
        lambda c: Cast(value=Bitcast(value=c.one(), type=TileType(i64)), type=TileType(f32)),
    ),
    "broadcast": ("V001", lambda c: Broadcast(value=c.row(), type=TileType(f32))),
    "relabel extents": (
        "V001",
        lambda c: Relabel(value=c.one(), old=c.cols, new=Axis.fresh("n", 3), type=TileType(f32)),
    ),
    "reduce type": ("V001", lambda c: c.b.cast(summed(c, type=WIDE), f32)),
    "reduce twice": ("V004", lambda c: summed(c, over=(c.cols, c.cols))),
    "reduce operands": ("V002", lambda c: summed(c, args=())),
    "reduce start values": ("V002", lambda c: summed(c, init=(c.one(), c.one()))),
    "scan type": ("V001", lambda c: scanned(c, type=TileType(f64, (c.cols,)))),
    "scan operands": ("V002", lambda c: scanned(c, args=(c.row(), c.row()))),
    "scan axis": ("V004", lambda c: scanned(c, over=c.rows)),
    "scan accumulate": (
        "V014",
        lambda c: scanned(c, accumulate=f64, type=TileType(f64, (c.cols,))),
    ),
    "scan without identity": (
        "V015",
        lambda c: scanned(c, law=dataclasses.replace(laws.ADD, identity=None)),
    ),
    "gather index": (
        "V003",
        lambda c: Gather(
            value=c.row(), index=c.one(), fill=c.one(), axis=c.cols, type=TileType(f32)
        ),
    ),
    "gather axis": (
        "V001",
        lambda c: Gather(
            value=c.one(), index=c.b.const(0, i64), fill=c.one(), axis=c.cols, type=TileType(f32)
        ),
    ),
    "accumulate": ("V014", lambda c: c.b.cast(summed(c, accumulate=f64, type=WIDE), f32)),
    "start dtype": ("V014", lambda c: summed(c, init=(c.b.const(1.0, f64),))),
    "start axes": ("V004", lambda c: summed(c, init=(c.row(),))),
    "no identity": (
        "V015",
        lambda c: summed(c, law=dataclasses.replace(laws.ADD, identity=None), init=(c.one(),)),
    ),
    "no start value": (
        "V015",
        lambda c: summed(c, law=dataclasses.replace(laws.ADD, identity=None), policy="fold_left"),
    ),
    "permuted": ("V015", lambda c: summed(c, law=LEFT)),
    "permuted tree": ("V015", lambda c: summed(c, law=LEFT, policy="reproducible")),
    "result": ("V011", lambda c: Result(of=summed(c), index=1, type=TileType(f32))),
    "result type": ("V001", lambda c: c.b.cast(Result(of=summed(c), index=0, type=WIDE), f32)),
    "result of a load": (
        "V011",
        lambda c: Result(of=c.b.load(c.y, c.rows), index=0, type=TileType(f32)),
    ),
    "constant kind": ("V012", lambda c: Const(value=1, type=TileType(f32))),
    "constant range": ("V012", lambda c: c.b.cast(Const(value=2**31, type=TileType(i32)), f32)),
    "constant bool": ("V012", lambda c: c.b.cast(Const(value=1, type=TileType(bool_)), f32)),
    "wide constant": (
        "V001",
        lambda c: summed(c, args=(Const(value=1.0, type=TileType(f32, (c.cols,))),)),
    ),
    "scalar": ("V009", lambda c: ScalarArg(name="eps", type=TileType(f32))),
    "load dtype": (
        "V003",
        lambda c: c.b.cast(c.b.load(c.y, c.rows).with_(type=TileType(f16)), f32),
    ),
    "coordinate": ("V007", lambda c: c.b.cast(LoopIndex(axis=c.cols), f32)),
    "not listed": (
        "V006",
        lambda c: Load(
            buffer=c.y, indices=(c.b.index(c.rows),), mask=None, fill=None, type=TileType(f32)
        ),
    ),
    "length of nothing": (
        "V009",
        lambda c: c.b.cast(c.b.extent(Dim("x", 2)), f32),
    ),
    "loop axis in a tile": (
        "V013",
        lambda c: c.b.reduce(
            c.b.cast(Iota(axis=c.rows, type=TileType(i64, (c.rows,))), f32), c.rows, laws.ADD
        ),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_values(name):
    code, write = BROKEN[name]
    assert code in Case().codes(write)


def test_the_case_itself_is_well_formed():
    assert Case().codes(summed) == []
    assert Case().codes(lambda c: summed(c, law=LEFT, policy="ordered_tree")) == []


def loop(c, **changes):
    with c.b.serial(c.cols, carry=[c.one()]) as made:
        made.yields(c.b.map("add", made.carried[0], c.b.load(c.x, c.rows, c.cols)))
    frame = c.b._frames[-1].body
    frame[-1] = frame[-1].with_(**changes)
    return frame[-1]


def result(loop):
    return Result(of=loop, index=0, type=TileType(f32))


def repeated_axis(c):
    inner = c.b.axis("inner", 2)
    with c.b.parallel(inner), c.b.serial(inner):
        pass


def value_of_an_iteration(c):
    made = loop(c)
    return made.body[0]


def carried_outside(c):
    return loop(c).params[0]


def stored_before(c):
    made = loop(c)
    body = c.b._frames[-1].body
    c.b.store(c.y, c.rows, result(made))
    body[-1], body[-2] = body[-2], body[-1]


def listed_twice(c):
    c.b.store(c.y, c.rows, 1.0)
    body = c.b._frames[-1].body
    body.append(body[-1])


def wide_store(c):
    c.b._append(Store(buffer=c.y, indices=(c.b.index(c.rows),), value=c.row(), mask=None))


def store(c, **changes):
    c.b.store(c.y, c.rows, 1.0)
    body = c.b._frames[-1].body
    body[-1] = body[-1].with_(**changes)


EFFECTS = {
    "step": ("V005", lambda c: result(loop(c, step=0))),
    "carried type": ("V003", lambda c: result(loop(c, yields=(c.b.const(1.0, f64),)))),
    "repeated axis": ("V013", repeated_axis),
    "value of an iteration": ("V006", value_of_an_iteration),
    "carried outside": ("V006", carried_outside),
    "stored before": ("V006", stored_before),
    "listed twice": ("V010", listed_twice),
    "wide store": ("V004", wide_store),
    "rank": ("V002", lambda c: store(c, indices=())),
    "index dtype": ("V003", lambda c: store(c, indices=(c.b.cast(c.b.index(c.rows), i32),))),
    "mask dtype": ("V003", lambda c: store(c, mask=c.one())),
    "stored dtype": ("V003", lambda c: store(c, value=c.b.const(1.0, f64))),
    "unknown buffer": ("V009", lambda c: store(c, buffer=View("z", f32, 1))),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_broken_effects(name):
    code, write = EFFECTS[name]
    assert code in Case().codes(write)


def test_two_parameters_of_one_name():
    b = Builder("twice")
    x = b.view("x", f32, 1)
    b.view("x", f32, 1)
    rows = b.axis("rows", dim(x, 0))
    with b.parallel(rows):
        b.store(x, rows, 1.0)
    assert "V009" in [d.code for d in verify(b.build())]


def test_an_effect_outside_every_launch():
    b = Builder("outside")
    x = b.view("x", f32, 1)
    b.store(x, [0], 1.0)
    assert [d.code for d in verify(b.build())] == ["V008"]


def test_an_extent_below_zero():
    b = Builder("negative")
    x = b.view("x", f32, 1)
    with b.parallel(b.axis("rows", -1)):
        b.store(x, [0], 1.0)
    assert "V009" in [d.code for d in verify(b.build())]


def test_a_long_chain_is_no_deep_recursion():
    b = Builder("chain")
    x = b.view("x", f32, 1)
    rows = b.axis("rows", dim(x, 0))
    with b.parallel(rows):
        value = b.load(x, rows)
        for _ in range(3000):
            value = b.map("add", value, 1.0)
        b.store(x, rows, value)
    kernel = b.build()
    assert verify(kernel) == []
    assert len(list(values(substitute(kernel, {})))) == len(list(values(kernel)))
