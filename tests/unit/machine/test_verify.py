"""Each rule of Machine IR: a kernel that keeps it, and one that breaks exactly it."""

from dataclasses import replace

import pytest

from certile.diagnostics import InternalError
from certile.ir.dtypes import bool_, f32, i32, i64
from certile.ir.machine import (
    Address,
    ArrayStore,
    Ask,
    Block,
    Buffer,
    Collective,
    Compute,
    Constant,
    Convert,
    For,
    If,
    Load,
    MachineKernel,
    MType,
    PrivateArray,
    ReadLane,
    ScalarParameter,
    SharedArray,
    Shuffle,
    ShuffleUp,
    Special,
    Store,
    Value,
)
from certile.ir.machine.build import Builder
from certile.ir.machine.printer import print_kernel
from certile.ir.machine.verify import check_machine, verify_machine

X = Buffer("x", f32, written=False)
Y = Buffer("y", f32, written=True)
N = ScalarParameter("n", i64)
PART = SharedArray("part", f32, 2)
STRIPE = PrivateArray("stripe", f32, 4)


def kernel(block):
    return MachineKernel("k", 32, 2, 1, (X, Y), (N,), (STRIPE,), (PART,), block, precise_math=False)


def reduction():
    """A sum of one row by two subgroups, with a barrier between their partial sums."""
    b = Builder(32, 2)
    n = b.parameter(N)
    worker = b.mul(b.convert(b.subgroup(), i64), 32)

    def body(index, params):
        address = b.address(b.add(index, worker), 1)
        place = b.add(b.add(index, worker), b.convert(b.lane(), i64))
        x = b.load(X, address, b.lt(place, n), 0.0)
        return [b.compute("add", params[0], x)]

    (total,) = b.for_(0, n, 64, [b.const(0.0, f32)], body, varying=True)
    b.shared_store(PART, b.subgroup(), b.collective("add", total))
    b.barrier()
    lane = b.lane()
    partial = b.shared_load(PART, lane, b.lt(lane, 2), 0.0)
    b.store(Y, b.address(b.group()), b.collective("add", partial))
    return kernel(b.block())


def codes(block, **changes):
    return [d.code for d in verify_machine(replace(kernel(block), **changes))]


def value(dtype=f32, varying=False):
    return Value(MType(dtype, varying))


def const(number, dtype):
    result = value(dtype)
    return result, Constant(result, number)


def test_a_sound_kernel_keeps_every_rule():
    sound = reduction()
    assert list(verify_machine(sound)) == []
    assert check_machine(sound) is sound


def test_text_is_deterministic_and_reads_well():
    text = print_kernel(reduction())
    assert text == print_kernel(reduction())
    assert "for %3 in 0 .. n step 64 carrying %4: ~f32 = 0.0:" in text
    assert "shared part[subgroup] = %" in text
    assert "  barrier\n" in text


def test_use_before_definition_and_out_of_scope():
    x = value()
    zero, define = const(0, i64)
    use = Store(Y, Address(zero), x)
    load = Load(x, X, Address(zero))
    assert codes(Block((define, use))) == ["M001"]
    condition, true = const(True, bool_)
    leak = If(condition, Block((load,)))
    assert codes(Block((define, true, leak, use))) == ["M001"]
    assert codes(Block((define, load, use))) == []
    assert codes(Block((define, load, load))) == ["M001"]


@pytest.mark.parametrize("number", [1.5, 2**31, True])
def test_constants_fit_their_type(number):
    assert codes(Block((Constant(value(i32), number),))) == ["M002"]


def test_operand_types():
    a, da = const(1.0, f32)
    b, db = const(1, i32)
    assert codes(Block((da, db, Compute(value(), "add", (a, b))))) == ["M002"]
    assert codes(Block((da, db, Compute(value(i32), "exp", (b,))))) == ["M002", "M002"]
    assert codes(Block((da, Compute(value(i32), "add", (a, a))))) == ["M002"]
    assert codes(Block((da, Compute(value(), "unheard", (a,))))) == ["M002"]
    assert codes(Block((da, Compute(value(), "add", (a, a))))) == []


def test_uniformity_of_results():
    lane = value(i32, varying=True)
    special = Special(lane, "lane")
    assert codes(Block((special, Compute(value(i32), "neg", (lane,))))) == ["M003"]
    assert codes(Block((special, Collective(value(i32, varying=True), "add", lane)))) == ["M003"]
    assert codes(Block((special, Collective(value(i32), "add", lane)))) == []
    assert codes(Block((Special(value(i32), "lane"),))) == ["M003"]


def test_lanes_do_not_store_different_values_to_one_element():
    zero, define = const(0, i64)
    x = value(varying=True)
    load = Load(x, X, Address(zero, 1))
    assert codes(Block((define, load, Store(Y, Address(zero), x)))) == ["M003"]
    assert codes(Block((define, load, Store(Y, Address(zero, 1), x)))) == []


def test_slots_are_uniform_and_in_range():
    lane = value(i32, varying=True)
    slot, define = const(4, i32)
    one, define_one = const(1.0, f32)
    head = (Special(lane, "lane"), define, define_one)
    assert codes(Block((*head, ArrayStore(STRIPE, lane, one)))) == ["M003"]
    assert codes(Block((*head, ArrayStore(STRIPE, slot, one)))) == ["M007"]


def test_barriers_only_where_the_whole_group_goes():
    def build(condition):
        b = Builder(32, 2)
        b.if_(condition(b), b.barrier)
        return codes(b.block())

    assert build(lambda b: b.lt(b.group(), b.parameter(N))) == []
    assert build(lambda b: b.lt(b.subgroup(), 1)) == ["M004"]
    reduced = build(lambda b: b.lt(b.collective("add", b.add(b.lane(), b.subgroup())), 1))
    assert reduced == ["M004"]
    agreed = build(lambda b: b.lt(b.shared_load(PART, 0), 1.0))
    assert agreed == []


def test_a_loop_carries_dependence_on_the_subgroup_back():
    b = Builder(32, 2)
    flag = b.const(0, i64)

    def body(index, params):
        b.if_(b.lt(params[0], 3), b.barrier)
        return [b.convert(b.subgroup(), i64)]

    b.for_(0, b.parameter(N), 1, [flag], body)
    assert codes(b.block()) == ["M004"]


def test_masked_reads_have_fills():
    zero, define = const(0, i64)
    true, define_true = const(True, bool_)
    load = Load(value(), X, Address(zero), true)
    assert codes(Block((define, define_true, load))) == ["M005"]


@pytest.mark.parametrize(
    ("dtype", "varying", "found"),
    [(i64, False, []), (i32, False, ["M002"]), (i64, True, ["M003"])],
    ids=str,
)
def test_the_place_of_a_later_read_is_a_uniform_i64(dtype, varying, found):
    lane = value(i32, varying=True)
    place, define = const(8, dtype)
    if varying:
        place = value(dtype, varying=True)
        define = Convert(place, lane)
    assert codes(Block((Special(lane, "lane"), define, Ask(X, place)))) == found


def test_shuffles_stay_in_the_subgroup():
    lane = value(i32, varying=True)
    wide = Shuffle(value(i32, varying=True), lane, 32)
    assert codes(Block((Special(lane, "lane"), wide))) == ["M006"]
    assert codes(Block((Special(lane, "lane"), replace(wide, mask=16)))) == []


@pytest.mark.parametrize(("distance", "found"), [(0, ["M006"]), (32, ["M006"]), (31, [])])
def test_shifts_stay_in_the_subgroup(distance, found):
    lane = value(i32, varying=True)
    shift = ShuffleUp(value(i32, varying=True), lane, distance)
    assert codes(Block((Special(lane, "lane"), shift))) == found


@pytest.mark.parametrize(("number", "found"), [(-1, ["M006"]), (32, ["M006"]), (31, [])])
def test_a_lane_that_is_read_exists(number, found):
    lane = value(i32, varying=True)
    read = ReadLane(value(i32), lane, number)
    assert codes(Block((Special(lane, "lane"), read))) == found


def test_the_value_of_one_lane_is_uniform():
    lane = value(i32, varying=True)
    read = ReadLane(value(i32, varying=True), lane, 3)
    assert codes(Block((Special(lane, "lane"), read))) == ["M003"]


def test_what_is_named_is_declared():
    zero, define = const(0, i64)
    one, define_one = const(1.0, f32)
    head = (define, define_one)
    assert codes(Block((*head, Store(X, Address(zero), one)))) == ["M008"]
    other = Buffer("z", f32, written=True)
    assert codes(Block((*head, Store(other, Address(zero), one)))) == ["M008"]
    assert codes(Block((*head, ArrayStore(replace(STRIPE, name="t"), zero, one)))) == ["M008"]


def test_loop_rules():
    zero, a = const(0, i64)
    ten, b = const(10, i64)
    back, c = const(-1, i64)
    head = (a, b, c)
    index = value(i64)
    assert codes(Block((*head, For(index, zero, ten, back, (), (), Block(()), (), ())))) == ["M002"]
    lane = value(i32, varying=True)
    loop = For(
        index, zero, ten, ten, (zero,), (value(i64),), Block(()), (zero,), (value(i64, True),)
    )
    assert codes(Block((Special(lane, "lane"), *head, loop))) == ["M003"]


def test_kernel_rules():
    assert codes(Block(()), lanes=12) == ["M009"]
    assert codes(Block(()), subgroups=0) == ["M009"]
    assert codes(Block(()), buffers=(X, X)) == ["M009"]


def test_a_broken_kernel_is_our_fault_and_shows_the_line():
    x = value()
    zero, define = const(0, i64)
    with pytest.raises(InternalError) as caught:
        check_machine(kernel(Block((define, Store(Y, Address(zero), x)))))
    assert "store y[0] = %0" in str(caught.value)


def test_the_parts_of_an_address_have_one_type():
    long, define = const(0, i64)
    short, define_short = const(0, i32)
    lane = value(i32, varying=True)
    wide = value(i64, varying=True)
    head = (define, define_short, Special(lane, "lane"), Convert(wide, lane))
    loaded = value(varying=True)
    for base, offset, expected in (
        (long, wide, []),
        (short, lane, []),
        (long, lane, ["M002"]),
        (short, wide, ["M002"]),
    ):
        load = Load(loaded, X, Address(base, offset=offset))
        assert codes(Block((*head, load))) == expected
    assert codes(Block((*head, Load(loaded, X, Address(short, 2**26))))) == []
    assert codes(Block((*head, Load(loaded, X, Address(short, 2**27))))) == ["M002"]
    assert codes(Block((*head, Load(loaded, X, Address(long, 2**27))))) == []


def test_only_integers_are_exact():
    a, define = const(1.0, f32)
    n, define_n = const(1, i32)
    total = Compute(value(), "add", (a, a), exact=True)
    assert codes(Block((define, total))) == ["M002"]
    assert codes(Block((define_n, Compute(value(i32), "add", (n, n), exact=True)))) == []
    assert codes(Block((define, Convert(value(i32), a, exact=True)))) == ["M002"]
    assert codes(Block((define_n, Convert(value(i64), n, exact=True)))) == []
