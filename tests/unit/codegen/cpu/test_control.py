"""Loops, branches, parameters and groups of the CPU text."""

import numpy as np
import pytest

from certile.codegen.cpu.emit import emit
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import BY_NAME, bool_, f32, f64, i32, i64
from certile.ir.machine import Buffer, MachineKernel, ScalarParameter
from certile.ir.machine.build import Builder
from certile.targets.cpu import CPU_AVX512
from tests.unit.codegen.cpu import oracle
from tests.unit.codegen.cpu.native import COUNT, WIDTHS, finish, native


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_a_loop_carries_what_varies_and_what_does_not(lanes, count):
    b = Builder(lanes)
    x, y, z = Buffer("x", f32, False), Buffer("y", f32, True), Buffer("z", i64, True)

    def body(index, carried):
        total, steps = carried
        return [
            b.compute("add", total, b.load(x, b.address(b.mul(index, lanes), 1))),
            b.add(b.mul(steps, 3), index),
        ]

    total, steps = b.for_(
        0, b.parameter(COUNT), 1, (b.const(0.0, f32), b.const(1, i64)), body, [True, False]
    )
    b.store(y, b.address(0, 1), total)
    b.store(z, b.address(0), steps)
    made = native(finish(b, (x, y, z), (COUNT,)))
    x = np.arange(8 * lanes, dtype=np.float32)
    y, z = np.full(lanes, np.nan, np.float32), np.zeros(1, np.int64)
    made([x, y, z], [np.int64(count)])
    np.testing.assert_array_equal(y, x.reshape(8, lanes)[:count].sum(0))
    want = 1
    for k in range(count):
        want = want * 3 + k
    assert z[0] == want


@pytest.mark.parametrize("lanes", WIDTHS)
def test_carried_values_may_trade_places(lanes):
    """All yields are read before any carried value changes."""
    b = Builder(lanes)
    y = Buffer("y", i64, True)
    one, two = b.for_(
        0, b.parameter(COUNT), 2, (b.const(1, i64), b.const(2, i64)), lambda _, p: (p[1], p[0])
    )
    b.store(y, b.address(0), one)
    b.store(y, b.address(1), two)
    made = native(finish(b, (y,), (COUNT,)))
    for count in range(6):
        y = np.zeros(2, np.int64)
        made([y], [np.int64(count)])
        assert y.tolist() == ([2, 1] if -(-count // 2) % 2 else [1, 2])


@pytest.mark.parametrize("lanes", WIDTHS)
def test_nested_loops_and_branches(lanes):
    b = Builder(lanes)
    y = Buffer("y", i64, True)
    n = b.parameter(COUNT)

    def outer(i, carried):
        def inner(j, sums):
            at = b.add(b.mul(i, 4), j)
            b.if_(
                b.lt(j, i),
                lambda: b.store(y, b.address(at), b.mul(at, 10)),
                lambda: b.store(y, b.address(at), b.const(-1, i64)),
            )
            return [b.add(sums[0], at)]

        return b.for_(0, 4, 1, carried, inner)

    (total,) = b.for_(0, n, 1, (b.const(0, i64),), outer)
    b.store(y, b.address(16), total)
    made = native(finish(b, (y,), (COUNT,)))
    y = np.zeros(17, np.int64)
    made([y], [np.int64(4)])
    grid = np.arange(16).reshape(4, 4)
    below = np.arange(4)[None, :] < np.arange(4)[:, None]
    np.testing.assert_array_equal(y[:16].reshape(4, 4), np.where(below, grid * 10, -1))
    assert y[16] == grid.sum()


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("name", ["bool", "i32", "i64", "u32", "u64", "f32", "f64"])
def test_scalar_parameters(lanes, name):
    """A parameter takes the low bytes of its slot, in order after the buffers."""
    dtype = BY_NAME[name]
    b = Builder(lanes)
    y, wide = Buffer("y", dtype, True), Buffer("wide", dtype, True)
    first, second = (b.parameter(ScalarParameter(f"p{k}", dtype)) for k in range(2))
    b.store(y, b.address(0), second)
    b.store(wide, b.address(0, 1), first)
    kernel = finish(b, (y, wide), tuple(ScalarParameter(f"p{k}", dtype) for k in range(2)))
    kind = oracle.NUMPY[name]
    values = [kind(1), kind(0 if name == "bool" else 100)]
    y, wide = np.zeros(1, kind), np.zeros(lanes, kind)
    native(kernel)([y, wide], values)
    assert y[0] == values[1]
    np.testing.assert_array_equal(wide, values[0])


@pytest.mark.parametrize("lanes", WIDTHS)
def test_a_call_runs_its_groups_and_no_others(lanes):
    b = Builder(lanes)
    y = Buffer("y", i64, True)
    b.store(y, b.address(b.group()), b.add(b.group(), 1))
    made = native(finish(b, (y,)))
    y = np.zeros(9, np.int64)
    made([y], groups=6, first=2)
    assert y.tolist() == [0, 0, 3, 4, 5, 6, 0, 0, 0]
    made([y], groups=2, first=2)
    assert y.tolist() == [0, 0, 3, 4, 5, 6, 0, 0, 0]


@pytest.mark.parametrize("lanes", WIDTHS)
def test_a_value_of_a_loop_is_read_as_a_vector(lanes):
    """A uniform index, a carried uniform and a loop's result stand beside varying operands."""
    b = Builder(lanes)
    y = Buffer("y", f64, True)
    lane = b.convert(b.lane(), f64)

    def body(index, carried):
        mixed = b.compute("add", lane, b.convert(index, f64))
        return [
            b.compute("add", carried[0], 2.0),
            b.compute("mul", b.compute("add", carried[1], mixed), carried[0]),
        ]

    uniform, varying = b.for_(
        0, b.parameter(COUNT), 1, (b.const(1.0, f64), b.const(0.0, f64)), body, [False, True]
    )
    b.store(y, b.address(0, 1), b.compute("add", varying, uniform))
    made = native(finish(b, (y,), (COUNT,)))
    y = np.zeros(lanes)
    made([y], [np.int64(3)])
    total, scale = np.zeros(lanes), 1.0
    for k in range(3):
        total, scale = (total + np.arange(lanes) + k) * scale, scale + 2
    np.testing.assert_array_equal(y, total + scale)


@pytest.mark.parametrize("lanes", WIDTHS)
def test_uniform_booleans_become_masks(lanes):
    b = Builder(lanes)
    y = Buffer("y", i32, True)
    flag = b.parameter(ScalarParameter("flag", bool_))
    mask = b.compute("bit_and", b.lt(b.lane(), 3), flag)
    b.store(y, b.address(0, 1), b.lane(), mask)
    b.store(y, b.address(lanes, 1), b.const(7, i32), flag)
    made = native(finish(b, (y,), (ScalarParameter("flag", bool_),)))
    for flag in (False, True):
        y = np.full(2 * lanes, -1, np.int32)
        made([y], [np.bool_(flag)])
        wanted = [0, 1, 2, *[-1] * (lanes - 3), *[7] * lanes] if flag else [-1] * 2 * lanes
        assert y.tolist() == wanted


def test_several_subgroups_are_refused():
    b = Builder(16, 2)
    kernel = MachineKernel("k", 16, 2, 1, (), (), (), (), b.block())
    with pytest.raises(UnsupportedError) as caught:
        emit(kernel, CPU_AVX512)
    assert caught.value.diagnostic.code == "U031"
