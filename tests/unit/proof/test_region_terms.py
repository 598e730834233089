"""Values of a region as terms: what is read of it, and what has no term."""

from dataclasses import replace

import pytest

from certile.ir.dtypes import BY_NAME, f16, f32, f64, i32, i64
from certile.ir.terms import Lit, Var, app
from certile.ir.tile import Cast, Const, Map, Reduce, Result
from certile.ir.types import Axis, TileType
from certile.proof.check.regions import (
    RegionReader,
)
from certile.proof.check.terms import Refused
from tests.unit.proof.rewrites import SCALAR, law_named

COLS = Axis.fresh("cols", 8)
ROW = TileType(f32, (COLS,))
ELEMENT = Const(value=0.25, type=ROW)
FIELD = Map(fn="neg", args=(ELEMENT,), type=ROW)


def _reader():
    return RegionReader((COLS,), (FIELD,))


def _reduced(arg, law="add", **changes):
    made = Reduce(
        args=(arg,),
        init=(),
        over=(COLS,),
        law=law_named(law),
        policy="unordered_tree",
        accumulate=f32,
        type=SCALAR,
    )
    return made.with_(**changes)


def test_reductions_read_as_lists():
    assert _reader().term(_reduced(FIELD)) == app("list.sum", "x")
    assert _reader().term(_reduced(FIELD, "maximum")) == app("list.max", "x")
    both = _reduced(FIELD, "mean_var")
    mean = app("div", app("list.sum", "x"), app("list.sum", 1.0))
    assert _reader().term(Result(of=both, index=0, type=SCALAR)) == mean


@pytest.mark.parametrize("law", ["any", "argmax"])
def test_reductions_to_other_than_numbers_have_no_term(law):
    with pytest.raises(Refused, match=f"a reduction by {law} has no term over numbers"):
        _reader().term(_reduced(FIELD, law))


def test_a_difference_may_be_written_as_fma():
    one, m = Const(value=1.0, type=SCALAR), _reduced(FIELD)
    less = Map(fn="neg", args=(m,), type=SCALAR)
    fused = Map(fn="fma", args=(FIELD, one, less), type=ROW)
    assert _reader().term(fused) == app("sub", "x", app("list.sum", "x"))
    general = Map(fn="fma", args=(FIELD, FIELD, FIELD), type=ROW)
    assert _reader().term(general) == app("add", app("mul", "x", "x"), "x")


def test_the_count_is_read_only_below_a_list():
    eight = Cast(value=Const(value=8, type=TileType(i64)), type=SCALAR)
    total = Map(fn="div", args=(_reduced(FIELD), eight), type=SCALAR)
    assert _reader().term(total) == app("div", app("list.sum", "x"), app("list.sum", 1.0))
    more = Map(fn="add", args=(_reduced(FIELD), eight), type=SCALAR)
    total = Map(fn="div", args=(more, eight), type=SCALAR)
    wanted = app("div", app("add", app("list.sum", "x"), 8.0), app("list.sum", 1.0))
    assert _reader().term(total) == wanted
    each = Map(fn="div", args=(FIELD, eight), type=ROW)
    assert _reader().term(each) == app("div", "x", 8.0)
    nine = Cast(value=Const(value=9, type=TileType(i64)), type=SCALAR)
    other = Map(fn="div", args=(_reduced(FIELD), nine), type=SCALAR)
    assert _reader().term(other) == app("div", app("list.sum", "x"), 9.0)


def test_integers_read_as_constants_only_where_they_are_exact():
    for value, dtype, holds in (
        (2**24 - 1, f32, True),
        (-(2**24) + 1, f32, True),
        (5 * 2**30, f32, True),
        (0, f32, True),
        (2**24 + 1, f32, False),
        (2**53 - 1, f64, True),
        (2**53 + 1, f64, False),
        (2**11 - 1, f16, True),
        (2**11 + 1, f16, False),
        (2**16, f16, False),
        (1, i32, False),
    ):
        tile = Cast(value=Const(value=value, type=TileType(i64)), type=TileType(dtype))
        if holds:
            assert _reader().term(tile) == Lit(float(value))
        else:
            with pytest.raises(Refused, match="a constant is rounded"):
                _reader().term(tile)


def test_infinite_constants_have_names():
    for value, name in ((float("inf"), "inf"), (float("-inf"), "-inf"), (float("nan"), "nan")):
        assert _reader().term(Const(value=value, type=SCALAR)) == Lit(name)


def _nested(times):
    deep = FIELD
    for _ in range(times):
        deep = Map(fn="exp", args=(deep,), type=ROW)
    return deep


def _sized(size):
    """A tile whose term has this many parts."""
    if size == 1:
        return FIELD
    below = _sized(size // 2 if size % 2 else size - 1)
    args = (below, below) if size % 2 else (below,)
    return Map(fn="add" if size % 2 else "exp", args=args, type=ROW)


def test_terms_are_bounded_in_depth_and_size():
    assert _reader().term(_nested(59)) is not None
    with pytest.raises(Refused, match="nested too deeply"):
        _reader().term(_nested(60))
    assert _reader().term(_sized(2_000)) is not None
    with pytest.raises(Refused, match="too long when written out"):
        _reader().term(_sized(2_001))


@pytest.mark.parametrize(
    ("given", "made"), [("i16", "f32"), ("f16", "i32"), ("f16", "bf16"), ("f32", "f32")]
)
def test_only_a_wider_float_holds_every_value(given, made):
    given, made = BY_NAME[given], BY_NAME[made]
    operand = Cast(value=ELEMENT, type=TileType(given, ROW.axes))
    tile = Cast(value=operand, type=TileType(made, ROW.axes))
    with pytest.raises(Refused, match=f"a conversion of {given} to {made} rounds"):
        RegionReader((COLS,), (operand,)).term(tile)
    wide = Cast(value=operand, type=TileType(f64, ROW.axes))
    if given.is_float:
        assert RegionReader((COLS,), (operand,)).term(wide) == Var("x")


def test_a_law_that_is_not_built_in_has_no_term():
    mine = replace(law_named("add"), name="mine")
    with pytest.raises(Refused, match="a reduction by mine has no term over numbers"):
        _reader().term(_reduced(FIELD, law="add").with_(law=mine))


def test_no_reduction_is_of_integers():
    whole = Cast(value=FIELD, type=TileType(i32, ROW.axes))
    with pytest.raises(Refused, match="is of integers"):
        RegionReader((COLS,), (whole,)).term(_reduced(whole, accumulate=i32))
