"""Coordinates: affine in the lane where they can be, and the addresses they give."""

import numpy as np
import pytest

from certile.ir.build import Builder as TileBuilder
from certile.ir.dtypes import i64
from certile.ir.machine import Buffer, MachineKernel, ScalarParameter
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.lower.coordinates import Coordinate, IndexReader, unflatten, value_of
from certile.reference.machine import run_machine

LANES = 8
STRIDE = ScalarParameter("stride", i64)


def values(builder, made, count=1, **scalars):
    """What the given values are in every lane of every group."""
    outs = [Buffer(f"y{k}", i64, True) for k in range(len(made))]
    base = builder.mul(builder.group(), LANES)
    zero = builder.mul(builder.convert(builder.lane(), i64), 1)
    for y, value in zip(outs, made, strict=True):
        spread = builder.add(builder.sub(zero, builder.convert(builder.lane(), i64)), value)
        builder.store(y, builder.address(base, 1), spread)
    parameters = tuple(ScalarParameter(name, i64) for name in scalars)
    kernel = MachineKernel("k", LANES, 1, 1, tuple(outs), parameters, (), (), builder.block())
    arrays = {y.name: np.zeros(LANES * count, np.int64) for y in outs}
    report = run_machine(check_machine(kernel), arrays, scalars, count)
    assert report.ok
    return list(arrays.values())


def test_a_coordinate_is_base_step_and_offset():
    b = Builder(LANES)
    lane = b.convert(b.lane(), i64)
    squares = b.mul(lane, lane)
    made = [
        value_of(b, Coordinate(b.const(5, i64))),
        value_of(b, Coordinate(b.const(5, i64), 3)),
        value_of(b, Coordinate(b.const(5, i64), 3, squares)),
    ]
    k = np.arange(LANES)
    for got, want in zip(values(b, made), (5 + 0 * k, 5 + 3 * k, 5 + 3 * k + k * k), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("extents", [(7,), (3, 5), (2, 3, 4), (1, 6), (6, 1), (0, 4)])
def test_unflatten_is_mixed_radix(extents):
    b, t = Builder(LANES), TileBuilder("k")
    axes = tuple(t.axis(f"a{k}", n) for k, n in enumerate(extents))
    linear = Coordinate(b.mul(b.group(), LANES), 1)
    at = unflatten(b, linear, axes, lambda axis: b.const(axis.extent, i64))
    if 0 in extents:
        return
    got = values(b, [value_of(b, at[axis]) for axis in axes], count=2)
    count = min(2 * LANES, int(np.prod(extents)))
    want = np.unravel_index(np.arange(count), extents)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_array_equal(one[:count], other)


def test_one_axis_keeps_its_affine_form():
    b, t = Builder(LANES), TileBuilder("k")
    axis = t.axis("a", 100)
    linear = Coordinate(b.mul(b.group(), LANES), 1)
    assert unflatten(b, linear, (axis,), lambda _: b.const(100, i64)) == {axis: linear}


def test_affine_index_tiles_stay_affine():
    b, t = Builder(LANES), TileBuilder("k")
    axis = t.axis("a", 100)
    own = t.index(axis)
    reader = IndexReader(b, lambda tile: pytest.fail(f"{tile} was evaluated"))
    at = {axis: Coordinate(b.mul(b.group(), LANES), 1)}
    for tile, step in (
        (own, 1),
        (t.map("add", own, 4), 1),
        (t.map("sub", 9, own), -1),
        (t.map("mul", own, 3), 3),
        (t.map("mul", 3, t.map("add", own, own)), 6),
        (t.map("sub", own, own), 0),
    ):
        read = reader.read(tile, at)
        assert (read.step, read.offset) == (step, None)
    made = reader.read(t.map("sub", 9, t.map("mul", own, 2)), at)
    (got,) = values(b, [value_of(b, made)], count=2)
    np.testing.assert_array_equal(got, 9 - 2 * np.arange(2 * LANES))


def test_an_address_is_a_dot_product():
    b = Builder(LANES)
    reader = IndexReader(b, lambda tile: pytest.fail(f"{tile} was evaluated"))
    lane = b.convert(b.lane(), i64)
    at = [
        Coordinate(b.group()),
        Coordinate(b.const(2, i64), 1),
        Coordinate(b.const(1, i64), 1),
        Coordinate(b.const(0, i64), offset=b.mul(lane, lane)),
    ]
    address = reader.address(at, [100, b.parameter(STRIDE), 1, 10])
    parts = [Coordinate(address.base, 0, address.offset)]
    stride = address.lane_stride
    moved = b.mul(lane, stride)
    (got,) = values(b, [b.add(value_of(b, parts[0]), moved)], count=2, stride=7)
    k = np.arange(2 * LANES) % LANES
    group = np.arange(2 * LANES) // LANES
    np.testing.assert_array_equal(got, 100 * group + 7 * (2 + k) + (1 + k) + 10 * k * k)


def test_a_contiguous_address_has_a_lane_stride_of_one():
    b = Builder(LANES)
    reader = IndexReader(b, lambda tile: pytest.fail(f"{tile} was evaluated"))
    row, column = Coordinate(b.group()), Coordinate(b.const(3, i64), 1)
    address = reader.address([row, column], [b.parameter(STRIDE), 1])
    assert (address.lane_stride, address.offset) == (1, None)
    assert reader.address([row], [b.parameter(STRIDE)]).lane_stride is None
