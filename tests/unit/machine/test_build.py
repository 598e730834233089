"""The builder shares, folds and hoists, and refuses what cannot be right."""

import itertools
import math

import numpy as np
import pytest

from certile.diagnostics import InternalError
from certile.ir.dtypes import bool_, f32, i8, i32, i64
from certile.ir.machine import Buffer, Compute, Constant, For, If, Load, ScalarParameter, Store
from certile.ir.machine.build import Builder

NUMPY = {
    "maximum": np.maximum,
    "minimum": np.minimum,
    "fmax": np.fmax,
    "fmin": np.fmin,
    "add": np.add,
}
X = Buffer("x", f32, written=False)
Y = Buffer("y", f32, written=True)
N = ScalarParameter("n", i64)


def kinds(block):
    return [type(operation).__name__ for operation in block.operations]


def test_equal_computations_are_one_value():
    b = Builder(32)
    lane = b.convert(b.lane(), i64)
    assert b.add(lane, 3) is b.add(3, lane)
    assert b.mul(lane, 5) is not b.mul(lane, 6)


@pytest.mark.parametrize(
    ("fn", "a", "b", "result"),
    [
        ("add", 2, 3, 5),
        ("floordiv", -7, 2, -4),
        ("mod", -7, 2, 1),
        ("floordiv", 7, 0, 0),
        ("mod", 7, 0, 0),
        ("shl", 1, 31, -(2**31)),
        ("shl", 1, 40, 0),
        ("shr", -1, 99, -1),
        ("add", 2**31 - 1, 1, -(2**31)),
    ],
)
def test_constants_fold_exactly(fn, a, b, result):
    builder = Builder(32)
    folded = builder.compute(fn, builder.const(a, i32), builder.const(b, i32))
    assert builder.facts.constant(folded) == result


def test_identities():
    b = Builder(32)
    n = b.parameter(N)
    for same in (b.add(n, 0), b.mul(n, 1), b.floordiv(n, 1), b.sub(n, 0), b.sub(b.add(n, 2), 2)):
        assert same is n
    for zero in (b.mul(n, 0), b.mod(n, 1), b.sub(n, n)):
        assert b.facts.constant(zero) == 0


@pytest.mark.parametrize(
    ("fn", "infinity", "taken"),
    [
        ("maximum", -math.inf, "other"),
        ("minimum", math.inf, "other"),
        ("fmax", math.inf, "infinity"),
        ("fmin", -math.inf, "infinity"),
        # A NaN is the result of these, or is not.
        ("maximum", math.inf, None),
        ("minimum", -math.inf, None),
        ("fmax", -math.inf, None),
        ("fmin", math.inf, None),
        ("maximum", 0.0, None),
        ("add", -math.inf, None),
    ],
)
def test_extremes_with_an_infinity(fn, infinity, taken):
    """Those that are the same for every float, NaN and both infinities included."""
    b = Builder(32)
    x, bound = b.parameter(ScalarParameter("x", f32)), b.const(infinity, f32)
    for pair in ((x, bound), (bound, x)):
        made = b.compute(fn, *pair)
        assert made is {"other": x, "infinity": bound}.get(taken, made)
        assert (made in (x, bound)) == (taken is not None)
    function = NUMPY[fn]
    values = np.array([-np.inf, -1.0, 0.0, 3e38, np.inf, np.nan], np.float32)
    same = {"other": values, "infinity": np.full_like(values, infinity)}.get(taken)
    if same is not None:
        np.testing.assert_array_equal(function(values, np.float32(infinity)), same)


def test_ranges_decide_masks_and_divisions():
    b = Builder(32)
    lane = b.convert(b.lane(), i64)
    assert b.facts.constant(b.lt(lane, 32)) is True
    assert b.facts.constant(b.lt(lane, 31)) is None
    assert b.facts.constant(b.ge(b.add(lane, 64), 65)) is None
    assert b.facts.constant(b.ge(b.add(lane, 64), 64)) is True
    assert b.facts.constant(b.floordiv(lane, 32)) == 0
    assert b.mod(lane, 32) is lane
    assert b.facts.constant(b.lt(b.parameter(N), 10**9)) is None


def test_a_sum_that_may_wrap_has_no_range():
    b = Builder(32)
    narrow = b.convert(b.lane(), i8)
    assert b.bound(b.mul(narrow, 3)) == (0, 93)
    assert b.bound(b.mul(narrow, 5)) == (-128, 127)


def test_constants_stand_outermost_in_sums():
    b = Builder(32)
    n, lane = b.parameter(N), b.convert(b.lane(), i64)
    core = b.add(n, lane)
    assert b.facts.sum_of(b.add(b.add(n, 1), lane)) == (core, 1)
    assert b.facts.sum_of(b.add(lane, b.add(n, 2))) == (core, 2)
    assert b.add(b.add(n, 1), b.add(lane, 2)) is b.add(core, 3)
    assert b.mul(b.add(n, 3), 4) is b.add(b.mul(n, 4), 12)


def test_one_mask_for_a_pack():
    b = Builder(32)
    first = b.mul(b.convert(b.lane(), i64), 4)
    masks = {b.lt(b.add(first, v), 100) for v in range(4)}
    assert masks == {b.lt(first, 100)}
    # 101 elements: the last pack holds one element, so its first lane differs from the others.
    assert b.lt(first, 101) is b.lt(first, 104)
    assert b.lt(b.add(first, 1), 101) is b.lt(first, 100)
    assert b.compute("le", first, 99) is b.lt(first, 100)
    assert b.compute("gt", first, 99) is b.ge(first, 100)


def test_one_mask_for_a_pack_of_a_row_of_unknown_length():
    b = Builder(32)
    n = b.parameter(ScalarParameter("m", i64, multiple=4))
    first = b.mul(b.convert(b.lane(), i64), 4)
    assert b.lt(b.add(first, 3), n) is b.lt(first, n)
    assert b.lt(b.add(first, 3), b.parameter(N)) is not b.lt(first, b.parameter(N))


def test_a_comparison_that_may_wrap_is_left_alone():
    b = Builder(32)
    n = b.parameter(N)
    moved = b.lt(b.add(n, 1), 10)
    assert b.facts.definitions[moved].args[0] is b.add(n, 1)


@pytest.mark.parametrize("fn", ["lt", "le", "gt", "ge"])
def test_normal_comparisons_mean_the_same(fn):
    compare = {"lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__}[fn]
    for shift, limit in itertools.product(range(-9, 10), range(-20, 150, 3)):
        b = Builder(32)
        x = b.mul(b.convert(b.lane(), i64), 4)
        made = b.compute(fn, b.add(x, shift), limit)
        known = b.facts.constant(made)
        for lane in range(32):
            expected = compare(4 * lane + shift, limit)
            if known is not None:
                assert known is expected
                continue
            operation = b.facts.definitions[made]
            assert operation.fn in ("lt", "ge")
            inner, moved = b.facts.sum_of(operation.args[0])
            assert inner is x
            bound = b.facts.integer(operation.args[1])
            less = 4 * lane + moved < bound
            assert (less if operation.fn == "lt" else not less) is expected


def test_loop_invariants_leave_loops_but_not_branches():
    b = Builder(32)
    n = b.parameter(N)
    x = b.load(X, b.address(0))

    def body(index, params):
        b.store(Y, b.address(index), b.compute("mul", x, x))
        return []

    def then():
        b.store(Y, b.address(0), b.compute("exp", x))

    b.for_(0, n, 1, [], body)
    b.if_(b.lt(n, 5), then)
    block = b.block()
    loop = next(o for o in block.operations if isinstance(o, For))
    assert kinds(loop.body) == ["Store"]
    branch = next(o for o in block.operations if isinstance(o, If))
    assert kinds(branch.then) == ["Compute", "Store"]


def test_loops_of_no_and_one_round_are_no_loops():
    b = Builder(32)
    start = b.const(7.0, f32)
    assert b.for_(3, 3, 1, [start], lambda i, p: [p[0]]) == (start,)
    (result,) = b.for_(4, 5, 2, [start], lambda i, p: [b.convert(i, f32)])
    assert b.facts.constant(result) == 4.0


def test_a_loop_carries_values():
    b = Builder(32)

    def body(index, params):
        x = b.load(X, b.address(index, lane_stride=1))
        return [b.compute("add", params[0], x)]

    zero = b.const(0.0, f32)
    (total,) = b.for_(0, b.parameter(N), 32, [zero], body, varying=True)
    assert total.varying
    b.store(Y, b.address(0), b.collective("add", total))
    (loop,) = [o for o in b.block().operations if isinstance(o, For)]
    assert loop.results == (total,)
    with pytest.raises(InternalError) as caught:
        b.for_(0, b.parameter(N), 32, [zero], body)
    assert caught.value.code == "M010"


def test_masks_that_hold_disappear_and_masks_that_fail_read_nothing():
    b = Builder(32)
    lane = b.convert(b.lane(), i64)
    full = b.load(X, b.address(0, 1), b.lt(lane, 32), 0.0)
    never = b.load(X, b.address(0, 1), b.lt(lane, 0), 0.5)
    assert b.facts.constant(never) == 0.5
    b.store(Y, b.address(0, 1), full, b.lt(lane, 0))
    b.store(Y, b.address(0, 1), full)
    loads = [o for o in b.block().operations if isinstance(o, Load)]
    stores = [o for o in b.block().operations if isinstance(o, Store)]
    assert len(stores) == 1
    assert [load.mask for load in loads] == [None]


def test_what_nothing_reads_is_dropped():
    b = Builder(32)
    x = b.load(X, b.address(0, 1))
    b.compute("exp", x)
    b.store(Y, b.address(0, 1), x)
    assert not [o for o in b.block().operations if isinstance(o, Compute)]
    assert len([o for o in b.block().operations if isinstance(o, Constant)]) == 1


def test_negative_zero_is_not_zero():
    b = Builder(32)
    assert b.const(0.0, f32) is not b.const(-0.0, f32)
    assert b.const(1, i32) is not b.const(True, bool_)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda b: b.add(b.const(1, i32), b.const(1, i64)),
        lambda b: b.const(300, i8),
        lambda b: b.load(X, b.address(0, 1), b.lt(b.lane(), 3)),
        lambda b: b.shuffle(b.lane(), 32),
        lambda b: b.shuffle_up(b.lane(), 0),
        lambda b: b.read_lane(b.lane(), 32),
        lambda b: b.if_(b.lt(b.lane(), 3), lambda: None),
        lambda b: b.compute("frobnicate", b.lane()),
    ],
)
def test_refusals(wrong):
    with pytest.raises(InternalError) as caught:
        wrong(Builder(32))
    assert caught.value.code == "M010"


def test_a_value_of_a_closed_block_is_out_of_scope():
    b = Builder(32)
    leaked = []

    def then():
        leaked.append(b.load(X, b.address(0)))
        b.store(Y, b.address(0), leaked[0])

    b.if_(b.lt(b.parameter(N), 3), then)
    with pytest.raises(InternalError):
        b.compute("exp", leaked[0])
