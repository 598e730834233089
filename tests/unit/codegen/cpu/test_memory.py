"""Memory of the CPU text: vectors, gathers and masks that touch nothing they may not."""

import numpy as np
import pytest

from certile.ir.dtypes import ALL, bool_, f32, f64, i32, i64
from certile.ir.machine import Buffer, PrivateArray, ScalarParameter
from certile.ir.machine.build import Builder
from tests.unit.codegen.cpu import oracle
from tests.unit.codegen.cpu.native import COUNT, WIDTHS, Guarded, finish, native

STRIDE = ScalarParameter("stride", i64)


def copier(dtype, lanes, stride=1, out_stride=1):
    """out[e] = x[e] for e below `count`, one vector a group; a stride of None is a parameter."""
    b = Builder(lanes)
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    base = b.mul(b.group(), lanes)
    mask = b.lt(b.add(base, b.convert(b.lane(), i64)), b.parameter(COUNT))

    def at(step):
        by = b.parameter(STRIDE) if step is None else step
        return b.address(b.mul(base, by), by)

    b.store(y, at(out_stride), b.load(x, at(stride), mask, 0), mask)
    scalars = (COUNT, STRIDE) if None in (stride, out_stride) else (COUNT,)
    return native(finish(b, (x, y), scalars))


def some(dtype, count):
    kind = oracle.NUMPY[dtype.name]
    rng = np.random.default_rng(count)
    if dtype.kind == "bool":
        return rng.integers(0, 2, count).astype(np.bool_)
    return rng.integers(0, 100, count).astype(kind)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_masked_tails_stay_in_their_page(dtype, lanes):
    made = copier(dtype, lanes)
    for count in (1, lanes - 1, lanes, lanes + 1, 3 * lanes + 2):
        values = some(dtype, count)
        x, y = Guarded.holding(values), Guarded(values.nbytes)
        made([x.address, y.address], [np.int64(count)], -(-count // lanes))
        np.testing.assert_array_equal(y.array(values.dtype), values)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_masks_that_are_known_write_their_elements_and_no_more(dtype, lanes):
    """Tails of a known length, of values converted from each wider type.

    A compiler that knows the mask may choose another instruction for it.
    """
    for source in (f32, f64, i32, i64):
        if source == dtype:
            continue
        for active in {1, 2, lanes - 1}:
            b = Builder(lanes)
            x, y = Buffer("x", source, False), Buffer("y", dtype, True)
            mask = b.lt(b.lane(), active)
            value = b.convert(b.load(x, b.address(0, 1), mask, 0), dtype)
            b.store(y, b.address(0, 1), value, mask)
            made = native(finish(b, (x, y)))
            values = some(dtype, active)
            x = Guarded.holding(values.astype(oracle.NUMPY[source.name]))
            y = Guarded(values.nbytes)
            made([x.address, y.address])
            np.testing.assert_array_equal(y.array(values.dtype), values)
            row = np.full(lanes * values.itemsize, 0x5A, np.uint8)
            made([x.address, row])
            assert (row[values.nbytes :] == 0x5A).all()


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_gathers_and_scatters_stay_in_their_page(dtype, lanes):
    """Stride 3 as a parameter: the last element is the last of the page."""
    made = copier(dtype, lanes, None, None)
    count = lanes + 3
    values = some(dtype, 3 * (count - 1) + 1)
    x, y = Guarded.holding(values), Guarded.holding(np.zeros_like(values))
    made([x.address, y.address], [np.int64(count), np.int64(3)], 2)
    want = np.zeros_like(values)
    want[::3] = values[::3]
    np.testing.assert_array_equal(y.array(values.dtype), want)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("step", [-1, 0, 1, 2, -3])
def test_strides_of_any_sign(lanes, step):
    """The base is the address of element 0, wherever in memory that is."""
    count = 2 * lanes + 1
    store = np.arange(8.0 * count, dtype=np.float32)
    x = np.lib.stride_tricks.as_strided(store[4 * count :], (count,), (4 * step,))
    y = np.zeros(count, np.float32)
    copier(f32, lanes, None, 1)([x, y], [np.int64(count), np.int64(step)], 3)
    np.testing.assert_array_equal(y, x)
    if step:
        y[:] = 0
        copier(f32, lanes, step, 1)([x, y], [np.int64(count)], 3)
        np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("step", [-7, -4, -3, -2, -1, 2, 3, 4, 5])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_whole_vectors_of_strided_elements_stay_in_their_pages(dtype, known, step, lanes):
    """Two vectors that begin and end where memory does; what lies between is not asked for."""
    b = Builder(lanes)
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    first = b.mul(b.group(), lanes)
    stride = step if known else b.parameter(STRIDE)
    value = b.load(x, b.address(b.mul(first, step), stride))
    b.store(y, b.address(first, 1), value)
    made = native(finish(b, (x, y), () if known else (STRIDE,)))
    values = some(dtype, (2 * lanes - 1) * abs(step) + 1)
    results = np.zeros(2 * lanes, values.dtype)
    for begins in (True, False):
        memory = Guarded.holding(values, begins=begins)
        base = memory.address + (0 if step > 0 else values.nbytes - values.itemsize)
        made([base, results], () if known else [np.int64(step)], 2)
        np.testing.assert_array_equal(results, values[::step])


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", [f32, i64, bool_], ids=str)
def test_unaligned_memory(dtype, lanes):
    """Element alignment is enough for a vector."""
    values = some(dtype, lanes * 3)
    size = values.itemsize
    raw = np.zeros(values.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64 + size
    x = raw[start : start + values.nbytes].view(values.dtype)
    x[:] = values
    y = np.zeros_like(values)
    copier(dtype, lanes)([x, y], [np.int64(values.size)], 3)
    np.testing.assert_array_equal(y, values)


@pytest.mark.parametrize("lanes", WIDTHS)
def test_an_offset_that_depends_on_data(lanes):
    """x[index[e]], guarded: an index outside is not read."""
    b = Builder(lanes)
    x, index, y = Buffer("x", f32, False), Buffer("i", i32, False), Buffer("y", f32, True)
    at = b.convert(b.load(index, b.address(0, 1)), i64)
    n = b.parameter(COUNT)
    inside = b.and_(b.ge(at, 0), b.lt(at, n))
    b.store(y, b.address(0, 1), b.load(x, b.address(0, None, at), inside, -1.0))
    made = native(finish(b, (x, index, y), (COUNT,)))
    x = Guarded.holding(np.arange(5, dtype=np.float32))
    where = np.resize(np.array([4, -1, 0, 5, 2**31 - 1, -(2**31), 3], np.int32), lanes)
    y = np.zeros(lanes, np.float32)
    made([x.address, where, y], [np.int64(5)])
    np.testing.assert_array_equal(y, np.where((where >= 0) & (where < 5), where, -1))


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_uniform_loads_and_stores_under_a_mask(dtype, lanes):
    """A uniform mask that is false touches nothing, not even an unreadable page."""
    b = Builder(lanes)
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    mask = b.lt(b.group(), b.parameter(COUNT))
    b.store(y, b.address(b.group()), b.load(x, b.address(b.group()), mask, 1), mask)
    made = native(finish(b, (x, y), (COUNT,)))
    values = some(dtype, 3)
    x, y = Guarded.holding(values), Guarded(values.nbytes)
    made([x.address, y.address], [np.int64(3)], 9)
    np.testing.assert_array_equal(y.array(values.dtype), values)


@pytest.mark.parametrize("lanes", WIDTHS)
def test_a_uniform_address_under_a_varying_mask(lanes):
    b = Builder(lanes)
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    mask = b.lt(b.convert(b.lane(), i64), b.parameter(COUNT))
    b.store(y, b.address(0, 1), b.load(x, b.address(0), mask, -2.0))
    made = native(finish(b, (x, y), (COUNT,)))
    one, nothing = Guarded.holding(np.array([5.0], np.float32)), Guarded(0)
    y = np.zeros(lanes, np.float32)
    made([one.address, y], [np.int64(2)])
    np.testing.assert_array_equal(y, [5.0, 5.0, *[-2.0] * (lanes - 2)])
    made([nothing.address, y], [np.int64(0)])
    np.testing.assert_array_equal(y, -2.0)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("looped", [False, True])
def test_private_arrays(dtype, lanes, looped):
    """Constant slots become registers, slots of a loop live in scratch; both keep every bit."""
    slots = 5
    b = Builder(lanes)
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    array = PrivateArray("kept", dtype, slots)

    def fill(slot, _=()):
        b.array_store(array, slot, b.load(x, b.address(b.mul(slot, lanes), 1)))
        return ()

    def drain(slot, _=()):
        last = b.sub(slots - 1, slot)
        b.store(y, b.address(b.mul(slot, lanes), 1), b.array_load(array, last))
        return ()

    for action in (fill, drain):
        if looped:
            b.for_(0, b.parameter(COUNT), 1, (), action)
        else:
            for slot in range(slots):
                action(b.const(slot, i64))
    made = native(finish(b, (x, y), (COUNT,) if looped else (), (array,)))
    assert (made.artifact.scratch_bytes > 0) == looped
    values = np.resize(oracle.samples(dtype), slots * lanes)
    result = np.zeros_like(values)
    made([values, result], [np.int64(slots)] if looped else [])
    want = values.reshape(slots, lanes)[::-1].reshape(-1)
    np.testing.assert_array_equal(result.view(np.uint8), want.copy().view(np.uint8))


def test_two_arrays_of_odd_sizes_do_not_overlap():
    lanes = WIDTHS[-1]
    b = Builder(lanes)
    arrays = [PrivateArray(f"a{k}", t, 3) for k, t in enumerate((bool_, f32, i64))]
    buffers = [Buffer(f"y{k}", a.dtype, True) for k, a in enumerate(arrays)]

    def fill(slot, _):
        for k, array in enumerate(arrays):
            b.array_store(array, slot, b.convert(b.add(slot, k), array.dtype))
        return ()

    def drain(slot, _):
        for array, y in zip(arrays, buffers, strict=True):
            b.store(y, b.address(b.mul(slot, lanes), 1), b.array_load(array, slot))
        return ()

    b.for_(0, b.parameter(COUNT), 1, (), fill)
    b.for_(0, b.parameter(COUNT), 1, (), drain)
    made = native(finish(b, buffers, (COUNT,), arrays))
    results = [np.zeros(3 * lanes, oracle.NUMPY[y.dtype.name]) for y in buffers]
    made(results, [np.int64(3)])
    for k, result in enumerate(results):
        want = (np.arange(3) + k).repeat(lanes).astype(result.dtype)
        np.testing.assert_array_equal(result, want)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("alignment", [4, 16, 32, 64])
def test_streaming_stores(lanes, alignment):
    """Memory that starts at 16 bytes is streamed in parts; the values arrive either way."""
    b = Builder(lanes)
    x, y = Buffer("x", f32, False), Buffer("y", f32, True, alignment)
    at = b.address(b.mul(b.group(), lanes), 1)
    b.store(y, at, b.load(x, at), streaming=True)
    made = native(finish(b, (x, y)))
    assert ("nontemporal" in made.artifact.text) == (alignment >= 16)
    raw = np.zeros(4 * lanes + 96, np.float32)
    start = -raw.ctypes.data % 64 // 4 + alignment % 64 // 4
    y = raw[start : start + 4 * lanes]
    x = np.arange(4 * lanes, dtype=np.float32)
    made([x, y], groups=4)
    np.testing.assert_array_equal(y, x)
    assert not raw[:start].any()
    assert not raw[start + 4 * lanes :].any()


@pytest.mark.parametrize(("near", "kept"), [(True, 0), (False, 2)])
@pytest.mark.parametrize("far", [16, 1 << 40, -(1 << 40)])
def test_what_is_asked_for_need_not_exist(far, near, kept):
    lanes = WIDTHS[-1]
    b = Builder(lanes)
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    first = b.mul(b.group(), lanes)
    at = b.address(first, 1)
    b.ask(x, b.add(first, far), near=near)
    b.store(y, at, b.load(x, at))
    made = native(finish(b, (x, y)))
    (asked,) = [line for line in made.artifact.text.splitlines() if "call void @llvm.pre" in line]
    assert f"i32 0, i32 {kept}, i32 1" in asked
    source, target = np.arange(4 * lanes, dtype=np.float32), np.zeros(4 * lanes, np.float32)
    made([source, target], groups=4)
    np.testing.assert_array_equal(target, source)


@pytest.mark.parametrize("lanes", WIDTHS)
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_lanes_meet(dtype, lanes):
    """Collectives, shuffles, shifts and single lanes."""
    b = Builder(lanes)
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    value = b.load(x, b.address(0, 1))
    place = 0
    masks = [1 << k for k in range(lanes.bit_length() - 1)] + [lanes - 1]
    for mask in masks:
        b.store(y, b.address(place, 1), b.shuffle(value, mask))
        place += lanes
    shifted = place
    for distance in range(1, lanes):
        b.store(y, b.address(place, 1), b.shuffle_up(value, distance))
        place += lanes
    folded = place
    names = () if dtype.kind == "bool" else ("add", "mul", "maximum", "minimum")
    for name in names:
        b.store(y, b.address(place), b.collective(name, value))
        place += 1
    for lane in (lanes - 1, 0):
        b.store(y, b.address(place), b.read_lane(value, lane))
        place += 1
    made = native(finish(b, (x, y)))
    kind = oracle.NUMPY[dtype.name]
    x = some(dtype, lanes) if dtype.kind == "bool" else (np.arange(lanes) % 3 + 1).astype(kind)
    y = np.zeros(place, kind)
    made([x, y])
    for k, mask in enumerate(masks):
        oracle.same(y[k * lanes : (k + 1) * lanes], x[np.arange(lanes) ^ mask])
    table = {"add": np.add, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum}
    wide = x.astype(np.int64)
    for k, name in enumerate(names):
        want = np.array([table[name].reduce(wide)]).astype(kind)
        oracle.same(y[folded + k :][:1], want)
    for distance in range(1, lanes):
        moved = np.concatenate([x[:distance], x[: lanes - distance]])
        oracle.same(y[shifted + (distance - 1) * lanes :][:lanes], moved)
    oracle.same(y[-2:], x[[-1, 0]])


@pytest.mark.parametrize("lanes", WIDTHS)
def test_votes_and_nans(lanes):
    b = Builder(lanes)
    x, flags, y = Buffer("x", f32, False), Buffer("f", bool_, True), Buffer("y", f32, True)
    value = b.load(x, b.address(b.mul(b.group(), lanes), 1))
    vote = b.compute("gt", value, 0.0)
    base = b.mul(b.group(), 2)
    b.store(flags, b.address(base), b.collective("any", vote))
    b.store(flags, b.address(b.add(base, 1)), b.collective("all", vote))
    b.store(y, b.address(base), b.collective("maximum", value))
    b.store(y, b.address(b.add(base, 1)), b.collective("minimum", value))
    made = native(finish(b, (x, flags, y)))
    ones = np.ones(lanes, np.float32)
    rows = [ones, -ones, np.where(np.arange(lanes) == lanes - 1, 1, -1), ones * np.inf]
    for k in range(lanes):
        row = np.arange(lanes, dtype=np.float32)
        row[k] = np.nan
        rows.append(row)
    x = np.stack(rows).astype(np.float32)
    flags, y = np.zeros(2 * len(rows), np.bool_), np.zeros(2 * len(rows), np.float32)
    made([x, flags, y], groups=len(rows))
    np.testing.assert_array_equal(flags[::2], (x > 0).any(1))
    np.testing.assert_array_equal(flags[1::2], (x > 0).all(1))
    np.testing.assert_array_equal(y[::2], np.max(x, 1))
    np.testing.assert_array_equal(y[1::2], np.min(x, 1))
