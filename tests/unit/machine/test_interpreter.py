"""The machine interpreter: right numbers for right kernels, a finding for each fault."""

import ml_dtypes
import numpy as np
import pytest

from certile.diagnostics import InternalError
from certile.ir.dtypes import BY_NAME, bf16, f16, f32, f64, i32, i64, u8
from certile.ir.machine import (
    Address,
    Buffer,
    Compute,
    Convert,
    MachineKernel,
    MType,
    PrivateArray,
    ScalarParameter,
    SharedArray,
    Value,
)
from certile.ir.machine.build import Builder
from certile.ir.machine.printer import print_kernel
from certile.ir.machine.verify import check_machine
from certile.reference.machine import run_machine
from certile.reference.machine_numeric import storage

N = ScalarParameter("n", i64)
PROGRAMS = ScalarParameter("programs", i64)


def finish(b, buffers, arrays=(), shared=(), programs_per_group=1, scalars=(N, PROGRAMS)):
    kernel = MachineKernel(
        "k",
        b.lanes,
        b.subgroups,
        programs_per_group,
        tuple(buffers),
        tuple(scalars),
        tuple(arrays),
        tuple(shared),
        b.block(),
    )
    return check_machine(kernel)


def row_sum(subgroups, dtype=f32, *, barrier=True):
    """Sums of the rows of a matrix of n columns, one row a group."""
    x, y = Buffer("x", dtype, False), Buffer("y", f32, True)
    part = SharedArray("part", f32, subgroups)
    b = Builder(32, subgroups)
    n, row = b.parameter(N), b.group()
    own = b.mul(b.convert(b.subgroup(), i64), 32)
    lane = b.convert(b.lane(), i64)

    def body(index, params):
        start = b.add(index, own)
        mask = b.lt(b.add(start, lane), n)
        leaf = b.load(x, b.address(b.add(b.mul(row, n), start), 1), mask, 0.0)
        return [b.compute("add", params[0], b.convert(leaf, f32))]

    zero = b.const(0.0, f32)
    (total,) = b.for_(0, n, 32 * subgroups, [zero], body, varying=True)
    total = b.collective("add", total)
    if subgroups > 1:
        b.shared_store(part, b.subgroup(), total)
        if barrier:
            b.barrier()
        mask = b.lt(b.lane(), subgroups)
        total = b.collective("add", b.shared_load(part, b.lane(), mask, 0.0))
    b.if_(b.eq(b.subgroup(), 0), lambda: b.store(y, b.address(row), total))
    return finish(b, (x, y), shared=(part,))


@pytest.mark.parametrize("subgroups", [1, 3, 32])
@pytest.mark.parametrize("dtype", [f32, f16, bf16])
@pytest.mark.parametrize("columns", [1, 31, 33, 1000])
def test_sums_of_small_integers_are_exact(subgroups, dtype, columns):
    x = np.random.default_rng(0).integers(-4, 5, (3, columns)).astype(storage(dtype))
    y = np.full(3, np.nan, np.float32)
    kernel = row_sum(subgroups, dtype)
    report = run_machine(kernel, {"x": x.reshape(-1), "y": y}, {"n": columns}, 3)
    assert report.ok
    assert report.barriers == (subgroups > 1)
    np.testing.assert_array_equal(y, x.astype(np.float32).sum(1))


def test_a_missing_barrier_is_a_race():
    x, y = np.ones(64, np.float32), np.zeros(1, np.float32)
    report = run_machine(row_sum(2, barrier=False), {"x": x, "y": y}, {"n": 64}, 1)
    assert report.races
    assert "shared part" in report.races[0]
    assert not report.out_of_bounds


def test_groups_that_write_one_element_race():
    y = Buffer("y", f32, True)
    b = Builder(32)
    b.store(y, b.address(b.floordiv(b.group(), 2)), b.const(1.0, f32))
    kernel = finish(b, (y,))
    memory = np.zeros(4, np.float32)
    assert run_machine(kernel, {"y": memory}, {"n": 0}, 4).races
    assert run_machine(kernel, {"y": memory}, {"n": 0}, 1).ok


def test_a_group_that_reads_what_another_writes_races():
    y = Buffer("y", f32, True)
    b = Builder(32)
    x = b.load(y, b.address(0, 1))
    b.store(y, b.address(b.mul(b.group(), 32), 1), x)
    kernel = finish(b, (y,))
    assert run_machine(kernel, {"y": np.zeros(64, np.float32)}, {"n": 0}, 2).races
    assert run_machine(kernel, {"y": np.zeros(64, np.float32)}, {"n": 0}, 1).ok


def test_lanes_that_store_to_one_element_race():
    y = Buffer("y", i64, True)
    b = Builder(32)
    lane = b.convert(b.lane(), i64)
    b.store(y, b.address(0, None, b.floordiv(lane, 2)), lane)
    assert run_machine(finish(b, (y,)), {"y": np.zeros(16, np.int64)}, {"n": 0}, 1).races


def test_out_of_bounds_reads_and_writes():
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    b = Builder(32)
    b.store(y, b.address(b.parameter(N), 1), b.load(x, b.address(0, 1)))
    kernel = finish(b, (x, y))
    memory = {"x": np.ones(31, np.float32), "y": np.zeros(40, np.float32)}
    report = run_machine(kernel, memory, {"n": 10}, 1)
    assert len(report.out_of_bounds) == 2
    assert report.out_of_bounds[0].endswith("(1 times)")
    assert report.out_of_bounds[1].endswith("(2 times)")
    assert memory["y"][10:].sum() >= 29
    assert not memory["y"][:10].any()


def test_uninitialised_memory():
    y = Buffer("y", f32, True)
    stripe, part = PrivateArray("stripe", f32, 2), SharedArray("part", f32, 32)
    b = Builder(32)
    b.array_store(stripe, 0, b.const(1.0, f32))
    x = b.array_load(stripe, 1)
    b.store(y, b.address(0, 1), b.compute("add", x, b.shared_load(part, b.lane())))
    kernel = finish(b, (y,), (stripe,), (part,))
    report = run_machine(kernel, {"y": np.zeros(32, np.float32)}, {"n": 0}, 1)
    assert len(report.uninitialised) == 2


def test_slots_may_differ_between_subgroups():
    y = Buffer("y", i64, True)
    stripe = PrivateArray("stripe", i64, 2)
    b = Builder(32, 2)
    own = b.convert(b.subgroup(), i64)
    b.array_store(stripe, own, b.add(b.convert(b.lane(), i64), b.mul(own, 100)))
    b.store(y, b.address(b.mul(own, 32), 1), b.array_load(stripe, own))
    memory = np.zeros(64, np.int64)
    assert run_machine(finish(b, (y,), (stripe,)), {"y": memory}, {"n": 0}, 1).ok
    assert memory[33] == 101


def test_divergent_barriers_are_counted():
    b = Builder(32, 2)
    flag = Buffer("flag", i32, False)
    # Uniform in the group by its type, different by its contents would need a race; here the
    # verifier is bypassed to see that the interpreter notices by itself.
    condition = b.eq(b.load(flag, b.address(b.convert(b.subgroup(), i64))), 1)
    b.if_(condition, b.barrier)
    kernel = MachineKernel("k", 32, 2, 1, (flag,), (), (), (), b.block())
    split = run_machine(kernel, {"flag": np.array([1, 0], np.int32)}, {}, 1)
    assert split.divergence
    assert run_machine(kernel, {"flag": np.array([1, 1], np.int32)}, {}, 1).ok


def test_loops_may_end_at_different_rounds():
    y, counts = Buffer("y", i64, True), Buffer("counts", i64, False)
    b = Builder(4, 2)
    own = b.convert(b.subgroup(), i64)
    stop = b.load(counts, b.address(own))
    zero = b.const(0, i64)
    (total,) = b.for_(0, stop, 1, [zero], lambda i, p: [b.add(p[0], i)])
    b.store(y, b.address(own), total)
    memory = np.zeros(2, np.int64)
    kernel = finish(b, (y, counts))
    report = run_machine(kernel, {"y": memory, "counts": np.array([3, 5])}, {"n": 0}, 1)
    assert report.ok
    assert memory.tolist() == [3, 10]


def test_lanes_exchange():
    y = Buffer("y", i32, True)
    b = Builder(8)
    b.store(y, b.address(0, 1), b.shuffle(b.lane(), 3))
    b.store(y, b.address(8), b.first_lane(b.add(b.lane(), 5)))
    memory = np.zeros(9, np.int32)
    assert run_machine(finish(b, (y,)), {"y": memory}, {"n": 0}, 1).ok
    assert memory.tolist() == [3, 2, 1, 0, 7, 6, 5, 4, 5]


@pytest.mark.parametrize("distance", [1, 3, 7])
def test_lanes_shift(distance):
    """Values move up; the first lanes keep their own; one lane's value is everybody's."""
    y = Buffer("y", i32, True)
    b = Builder(8)
    tens = b.mul(b.lane(), 10)
    b.store(y, b.address(0, 1), b.shuffle_up(tens, distance))
    b.store(y, b.address(8), b.read_lane(tens, distance))
    memory = np.zeros(9, np.int32)
    kernel = finish(b, (y,))
    assert run_machine(kernel, {"y": memory}, {"n": 0}, 1).ok
    moved = [10 * (k - distance if k >= distance else k) for k in range(8)]
    assert memory.tolist() == [*moved, 10 * distance]
    text = print_kernel(kernel)
    assert f"lane minus {distance} of " in text
    assert f"lane {distance} of " in text


def test_what_is_the_same_in_all_lanes_stays_itself():
    b = Builder(8)
    one = b.const(1, i32)
    assert b.shuffle_up(one, 3) is one
    assert b.read_lane(one, 5) is one


def test_what_does_not_fit_is_refused():
    kernel = row_sum(1)
    y = np.zeros(1, np.float32)
    with pytest.raises(InternalError, match="M011"):
        run_machine(kernel, {"y": y}, {"n": 1}, 1)
    with pytest.raises(InternalError, match="M011"):
        run_machine(kernel, {"x": y.astype(np.float64), "y": y}, {"n": 1}, 1)
    with pytest.raises(InternalError, match="M011"):
        run_machine(kernel, {"x": y, "y": y}, {}, 1)


def unary(build, source, target, values):
    """Apply `build(b, x)` to each value of a type and return an array of another."""
    x, y = Buffer("x", source, False), Buffer("y", target, True)
    b = Builder(32)
    n = b.parameter(N)
    place = b.add(b.mul(b.group(), 32), b.convert(b.lane(), i64))
    mask = b.lt(place, n)
    address = b.address(b.mul(b.group(), 32), 1)
    fill = 0.0 if source.is_float else 0
    b.store(y, address, build(b, b.load(x, address, mask, fill)), mask)
    data = np.asarray(values).astype(storage(source))
    result = np.zeros(data.size, storage(target))
    memory = {"x": data, "y": result}
    assert run_machine(finish(b, (x, y)), memory, {"n": data.size}, -(-data.size // 32)).ok
    return result


@pytest.mark.parametrize("target", ["i8", "u8", "i32", "u32", "i64", "u64"])
def test_floats_saturate_and_nan_is_zero(target):
    dtype = BY_NAME[target]
    limits = np.iinfo(storage(dtype))
    values = [np.nan, np.inf, -np.inf, 1e30, -1e30, 2.9, -2.9, 255.5]
    got = unary(lambda b, x: b.convert(x, dtype), f32, dtype, values).tolist()
    low = int(limits.min)
    assert got[:5] == [0, limits.max, low, limits.max, low]
    assert got[5:7] == [2, max(-2, low)]
    assert got[7] == min(255, limits.max)


def test_narrow_floats_round_once_from_wide_integers():
    # 2**24 + 2**16 is the middle of two bf16; one more must go up, and f32 would lose the one.
    values = [2**24 + 2**16, 2**24 + 2**16 + 1, -(2**24 + 2**16 + 1), 2**60 + 2**52 + 1]
    got = unary(lambda b, x: b.convert(x, bf16), i64, bf16, values).astype(np.float64)
    assert got.tolist() == [2.0**24, 2.0**24 + 2**17, -(2.0**24 + 2**17), 2.0**60 + 2**53]


def test_narrow_floats_round_once_from_f64():
    values = np.array([1 + 2**-8 + 2**-40, 1 + 2**-8, -(1 + 2**-8 + 2**-40)])
    got = unary(lambda b, x: b.convert(x, bf16), f64, bf16, values).astype(np.float64)
    assert got.tolist() == [1 + 2**-7, 1.0, -(1 + 2**-7)]


def test_fma_rounds_once():
    a = np.float32(1 + 2**-12)
    got = unary(lambda b, x: b.compute("fma", x, x, -1.0), f32, f32, [a])
    assert float(got[0]) == float(a) * float(a) - 1.0
    wide = unary(lambda b, x: b.compute("fma", x, x, -1.0), f64, f64, [1 + 2.0**-30])
    assert wide[0] == 2.0**-29 + 2.0**-60


@pytest.mark.parametrize("dtype", [f16, bf16])
def test_narrow_arithmetic_is_rounded_at_each_operation(dtype):
    values = np.arange(1, 65).astype(storage(dtype)) / storage(dtype).type(7)
    third = 1 / 3

    def build(b, x):
        return b.compute("mul", b.compute("add", x, third_of(b)), x)

    def third_of(b):
        return b.convert(b.const(third, f32), dtype)

    narrow = values.astype(storage(dtype))
    expected = (narrow + storage(dtype).type(np.float32(third))) * narrow
    got = unary(build, dtype, dtype, narrow)
    np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16))


def test_integers_wrap_and_shift_past_their_width():
    values = [0, 1, 127, 128, 255]
    assert unary(lambda b, x: b.add(x, 1), u8, u8, values).tolist() == [1, 2, 128, 129, 0]
    assert unary(lambda b, x: b.compute("shl", x, 9), u8, u8, values).tolist() == [0] * 5
    assert unary(lambda b, x: b.compute("popcount", x), u8, u8, values).tolist() == [0, 1, 7, 1, 8]
    assert unary(lambda b, x: b.compute("ctz", x), u8, u8, values).tolist() == [8, 0, 0, 7, 0]
    shifted = unary(lambda b, x: b.compute("shr", x, 40), i32, i32, [-5, 5])
    assert shifted.tolist() == [-1, 0]


def test_floor_division_by_a_varying_divisor():
    got = unary(lambda b, x: b.floordiv(b.const(-7, i64), x), i64, i64, [2, -2, 0, 7])
    assert got.tolist() == [-4, 3, 0, -1]
    got = unary(lambda b, x: b.mod(b.const(-7, i64), x), i64, i64, [2, -2, 0, 7])
    assert got.tolist() == [1, -1, 0, 0]


@pytest.mark.parametrize("fn", ["maximum", "minimum"])
def test_collectives_propagate_nan(fn):
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    b = Builder(32)
    b.store(y, b.address(b.group()), b.collective(fn, b.load(x, b.address(0, 1))))
    values = np.arange(32, dtype=np.float32)
    values[7] = np.nan
    memory = {"x": values, "y": np.zeros(1, np.float32)}
    run_machine(finish(b, (x, y)), memory, {"n": 0}, 1)
    assert np.isnan(memory["y"][0])


def test_bf16_arrays_may_come_as_their_bits():
    y = Buffer("y", bf16, True)
    b = Builder(32)
    b.store(y, b.address(0, 1), b.const(1.5, bf16))
    bits = np.zeros(32, np.uint16)
    run_machine(finish(b, (y,)), {"y": bits}, {"n": 0}, 1)
    assert (bits.view(ml_dtypes.bfloat16) == 1.5).all()


def short_index(factor, mask=None):
    """A load at i32 group * factor, exactly; under a mask where one is given."""
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    b = Builder(32, groups=4)
    group = b.convert(b.group(), i32)
    product = Value(MType(i32))
    by = b.const(factor, i32)
    b.emit(Compute(product, "mul", (group, by), exact=True))
    condition = None if mask is None else mask(b)
    read = b.load(x, Address(product), condition, None if mask is None else 0.0)
    b.store(y, b.address(b.group()), read)
    return finish(b, (x, y))


def test_an_exact_product_that_wraps_is_an_overflow():
    memory = {"x": np.ones(4, np.float32), "y": np.zeros(4, np.float32)}
    assert run_machine(short_index(1), memory, {"n": 0}, 4).ok
    fine = run_machine(short_index(2**28), memory, {"n": 0}, 2)
    assert not fine.overflows
    # 3 * 2**29 fits as a number of elements and not as one of bytes; 3 * 2**30 does not at all.
    (bytes_alone,) = run_machine(short_index(2**29 - 1), memory, {"n": 0}, 4).overflows
    assert "load x" in bytes_alone
    wrapped = run_machine(short_index(2**30), memory, {"n": 0}, 4).overflows
    assert any("*" in place and "exactly" in place for place in wrapped)


def test_an_address_fits_in_masked_lanes_too():
    memory = {"x": np.ones(4, np.float32), "y": np.zeros(4, np.float32)}
    report = run_machine(short_index(2**30, lambda b: b.lt(b.group(), 1)), memory, {"n": 0}, 4)
    assert report.overflows
    assert not report.out_of_bounds


def test_lanes_that_do_not_run_overflow_nothing():
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    b = Builder(32, groups=4)

    def read():
        group, product = b.convert(b.group(), i32), Value(MType(i32))
        b.emit(Compute(product, "mul", (group, b.const(2**30, i32)), exact=True))
        b.store(y, b.address(b.group()), b.load(x, Address(product)))

    b.if_(b.lt(b.group(), 1), read)
    kernel = finish(b, (x, y))
    memory = {"x": np.ones(4, np.float32), "y": np.zeros(4, np.float32)}
    assert run_machine(kernel, memory, {"n": 0}, 4).ok


def test_an_exact_conversion_that_loses_bits_is_an_overflow():
    y = Buffer("y", i32, True)
    b = Builder(32)
    n, short = b.parameter(N), Value(MType(i32))
    b.emit(Convert(short, n, exact=True))
    b.store(y, b.address(b.group()), short)
    kernel = finish(b, (y,))
    memory = {"y": np.zeros(1, np.int32)}
    assert run_machine(kernel, memory, {"n": 2**31 - 1}, 1).ok
    assert run_machine(kernel, memory, {"n": 2**31}, 1).overflows


def test_a_scalar_outside_of_what_a_kernel_is_made_for_is_refused():
    y = Buffer("y", i64, True)
    known = ScalarParameter("few", i64, known=(1, 7))
    b = Builder(32)
    b.store(y, b.address(b.group()), b.parameter(known))
    kernel = finish(b, (y,), scalars=(known,))
    memory = {"y": np.zeros(1, np.int64)}
    for value in (1, 7):
        assert run_machine(kernel, memory, {"few": value}, 1).ok
    for value in (0, 8):
        with pytest.raises(InternalError, match="M011"):
            run_machine(kernel, memory, {"few": value}, 1)
