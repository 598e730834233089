"""Sorts and selections on every map and target against Python's own stable sort.

The oracle sorts pairs of Python numbers and positions: it shares nothing with the code under test.
Values are compared as numbers, positions exactly.
"""

from dataclasses import dataclass, replace

import ml_dtypes
import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, bool_, f16, f32, f64, i8, i32, i64, u8, u32
from certile.plan.mapping import Mapping
from certile.reference import run
from certile.reference.agrees import agrees
from certile.reference.machine_numeric import storage
from certile.runtime.cuda.toolchain import compile_cuda
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case
from tests.metal_units import Unit

LANES = HOST_SHEET.lanes
DTYPES = (f32, f16, bf16, f64, i8, i32, i64, u8, u32, bool_)
NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True)
class Order:
    """What is asked for: all elements of `length`, or the first `k`."""

    length: int
    k: int | None = None
    descending: bool = False

    @property
    def kept(self):
        return self.length if self.k is None else self.k


def kernel(dtype, order, name="order"):
    b = Builder(name)
    x, y, p = b.view("x", dtype, 2), b.view("y", dtype, 2), b.view("p", i64, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    into = cols if order.k is None else b.axis("top", order.k)
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        values, positions = b.sort(row, cols, into, descending=order.descending)
        b.store(y, (rows, into), values)
        b.store(p, (rows, into), positions)
    return b.build()


def elements(dtype, rows, length, seed=0):
    """Few different values, so many ties, and all that is special to the dtype."""
    rng = np.random.default_rng((seed, length))
    if dtype.kind == "bool":
        return rng.integers(0, 2, (rows, length)).astype(np.bool_)
    if dtype.is_float:
        x = rng.standard_normal((rows, length)).round(1).astype(storage(dtype))
        special = np.array([NAN, -0.0, 0.0, INF, -INF], storage(dtype))
        places = rng.random(x.shape) < 0.4
        x[places] = special[rng.integers(0, 5, np.count_nonzero(places))]
        return x
    limits = np.iinfo(storage(dtype))
    x = rng.integers(limits.min, limits.max, (rows, length), storage(dtype), endpoint=True)
    places = rng.random(x.shape) < 0.4
    x[places] = rng.choice(np.array([limits.min, limits.max, 7], x.dtype), np.count_nonzero(places))
    return x


def wanted_positions(x, order):
    """The positions of each row's elements in order: (is NaN, number, position), negated."""
    sign = -1 if order.descending else 1

    def key(pair):
        position, element = pair
        number = element if isinstance(element, int) else float(element)
        nan = number != number
        return (sign * nan, 0 if nan else sign * number, position)

    exact = x if x.dtype.kind in "iub" else x.astype(np.float64)
    rows = [sorted(enumerate(row), key=key) for row in exact.tolist()]
    return np.array([[position for position, _ in row] for row in rows], np.int64)


def arguments(x, kept):
    shape = (len(x), kept)
    return {"x": x, "y": np.zeros(shape, x.dtype), "p": np.full(shape, -1, np.int64)}


def check(case, x, order, what):
    positions = wanted_positions(x, order)[:, : order.kept]
    values = np.take_along_axis(x, positions, 1)
    found = case.arguments["y"]
    if x.dtype.kind == "f" or x.dtype == ml_dtypes.bfloat16:
        values, found = values.astype(np.float64), found.astype(np.float64)
        assert np.array_equal(found, values, equal_nan=True), what
    else:
        assert np.array_equal(found, values), what
    assert np.array_equal(case.arguments["p"], positions), what


def on_cpu(case, mapping=None):
    ran = case.copy()
    lowered = ran.lower(HOST_SHEET, mapping)
    ran.run_cpu(lowered)
    return ran, lowered[0][0]


def interpreted(case, sheet, mapping=None):
    ran = case.copy()
    for report in ran.run_machine(ran.lower(SHEETS[sheet], mapping)):
        assert report.ok, (sheet, report)
    return ran


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_on_every_map(dtype):
    for order in (Order(2 * LANES + 5, None), Order(70, 5, True)):
        x = elements(dtype, 3, order.length)
        case = Case(kernel(dtype, order), arguments(x, order.kept))
        ours = case.copy()
        run(ours.specialised, ours.arguments)
        check(ours, x, order, "reference interpreter")
        assert agrees(ours.outputs(), case.specialised, case.arguments)
        ran, plan = on_cpu(case)
        assert plan.mapping.family == "subgroup"
        check(ran, x, order, "cpu text")
        for sheet in ("metal", "cuda", "cpu"):
            if sheet == "metal" and dtype == f64:
                continue
            check(interpreted(case, sheet), x, order, sheet)


@pytest.mark.parametrize("length", [1, 2, 3, LANES, LANES + 1, 100, 1000, 4097])
@pytest.mark.parametrize("descending", [False, True])
def test_lengths_on_a_cpu(length, descending):
    rows = {1: 40, 1000: 1}.get(length, 3)
    order = Order(length, None, descending)
    x = elements(f32, rows, length)
    ran, _ = on_cpu(Case(kernel(f32, order), arguments(x, order.kept)))
    check(ran, x, order, length)


@pytest.mark.parametrize("k", [1, 2, 5, 16, 33, 64])
def test_selections_on_a_cpu(k):
    for length, descending in ((4097, True), (100, False), (64, True)):
        order = Order(length, k, descending)
        x = elements(f32, 3, length)
        ran, _ = on_cpu(Case(kernel(f32, order), arguments(x, k)))
        check(ran, x, order, (k, length))


def rows_that_break_things(length):
    """All equal, all NaN, zeros of both signs, one number among NaNs, sorted both ways."""
    made = np.zeros((6, length), np.float32)
    made[0] = 3.5
    made[1] = NAN
    made[2, ::2] = -0.0
    made[3] = NAN
    made[3, length // 2] = -INF
    made[4] = np.arange(length)
    made[5] = -np.arange(length)
    return made


@pytest.mark.parametrize("order", [Order(75), Order(75, None, True), Order(150, 33), Order(150, 3)])
def test_rows_that_break_things(order):
    x = rows_that_break_things(order.length)
    case = Case(kernel(f32, order), arguments(x, order.kept))
    ran, _ = on_cpu(case)
    check(ran, x, order, "cpu text")
    # Zeros come out as +0, wherever they were.
    assert not np.signbit(ran.arguments["y"][2]).any()
    check(interpreted(case, "metal"), x, order, "metal")


@pytest.mark.parametrize(
    ("dtype", "order"), [(f32, Order(19)), (i64, Order(19, None, True)), (f16, Order(40, 3, True))]
)
def test_the_reference_map_sorts_a_row_a_lane(dtype, order):
    x = elements(dtype, 40, order.length)
    case = Case(kernel(dtype, order), arguments(x, order.kept))
    ran, plan = on_cpu(case, REFERENCE)
    assert plan.mapping.family == "reference"
    check(ran, x, order, "cpu text")
    check(interpreted(case, "metal", REFERENCE), x, order, "metal")


def test_programs_that_share_a_group():
    order = Order(45, None, True)
    x = elements(i32, 7, 45)
    case = Case(kernel(i32, order), arguments(x, 45))
    check(interpreted(case, "metal", Mapping("subgroup", 1, 3, 1)), x, order, "three a group")


METAL_CASES = (
    (f32, Order(100)),
    (f32, Order(33, None, True)),
    (bf16, Order(70)),
    (u32, Order(70, None, True)),
    (i64, Order(40)),
    (bool_, Order(40, None, True)),
    (f32, Order(200, 5, True)),
    (f16, Order(100, 33)),
    (i64, Order(130, 2, True)),
)


def bits(array):
    """The array as the simulator binds it: it has no bool and no bfloat16 of its own."""
    if array.dtype == np.bool_:
        return array.view(np.uint8)
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array


def test_metal_text_in_the_simulator():
    """All cases as one text, on both maps, so that clang starts once."""
    made = {}
    for number, (dtype, order) in enumerate(METAL_CASES):
        for mapping in (None, REFERENCE) if number % 4 == 0 else (None,):
            x = elements(dtype, 3, order.length)
            case = Case(kernel(dtype, order), arguments(x, order.kept)).copy()
            ((plan, launch),) = case.lower(SHEETS["metal"], mapping)
            name = f"case{len(made)}"
            made[name] = (replace(launch.kernel, name=name), plan, launch, case, x, order)
    unit = Unit([entry[0] for entry in made.values()])
    for name, (lowered, plan, launch, case, x, order) in made.items():
        buffers = {view: bits(case.arguments[view].reshape(-1)) for view in launch.buffers}
        names = [scalar.name for scalar in lowered.scalars]
        scalars = dict(zip(names, case.scalars(launch), strict=True))
        report = unit.run(name, buffers, scalars, plan.programs)
        assert report.ok, f"{name}\n{report}"
        check(case, x, order, (name, str(x.dtype), order))


@pytest.mark.parametrize(("dtype", "order"), [(f32, Order(300)), (f64, Order(900, 5, True))])
@pytest.mark.parametrize("mapping", [None, REFERENCE], ids=["chosen", "reference"])
def test_cuda_text_compiles_and_is_short(dtype, order, mapping):
    x = elements(dtype, 2, order.length)
    case = Case(kernel(dtype, order), arguments(x, order.kept))
    ((plan, launch),) = case.lower(SHEETS["cuda"], mapping)
    artifact = emitter_for(plan.sheet)(launch.kernel, plan.sheet)
    # Loops over vectors stay loops: the length of a row does not make the text longer.
    assert len(artifact.text) < 30_000
    assert len(compile_cuda(artifact, form="ptx")) < 250_000
