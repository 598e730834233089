"""Indices of 32 bits: where they are proved, at the limit, above it, and what never has them."""

from dataclasses import replace

import numpy as np
import pytest

import certile as ct
from certile.codegen import emitter_for
from certile.diagnostics import InternalError
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, f32, i32, i64, u8
from certile.ir.host import NEAR_BYTES, NEAR_PROGRAMS, ViewFacts, is_near, row_major_facts
from certile.ir.machine import Compute, Load, Special, Store, operations
from certile.ir.machine.printer import print_kernel
from certile.ir.machine.verify import check_machine
from certile.ir.walk import parallel_regions, specialise
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.classes import row_class
from certile.plan.record import Options
from certile.reference.machine import run_machine
from certile.runtime import metal_sim
from certile.targets import DEFAULTS
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests import kernels
from tests.groups import programs as group_programs

COLUMNS = 70
# The furthest apart that the rows of three are in a near view of f32.
FURTHEST = (NEAR_BYTES // 4 - (COLUMNS - 1)) // 2


def lowered(kernel, shapes, near=True, sheet=METAL, count=3, **options):
    """The launches of a kernel of row-major views, all of them near or none."""
    made = specialise(kernel, shapes)
    facts = {
        v.name: ViewFacts((*(None for _ in shapes[v.name][1:]), 1), v.dtype.size, near=near)
        for v in made.views
    }
    launches = []
    for number, region in enumerate(parallel_regions(made)):
        plan = choose(made, region, count, sheet, Options(**options), facts=facts)
        launches.append(lower_parallel(f"k{number}", made, region, plan, facts).launches[0])
        check_machine(launches[-1].kernel)
    return launches


def address_types(launch):
    """The types of the addresses by which each buffer is read and written."""
    found = {}
    for operation in operations(launch.kernel.body):
        if isinstance(operation, Load | Store):
            found.setdefault(operation.buffer.name, set()).add(operation.address.dtype)
    return found


def rows_of(*names, count=3, columns=COLUMNS):
    return dict.fromkeys(names, (count, columns))


# What is near.


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_the_limit_is_a_number_of_bytes(size):
    most = NEAR_BYTES // size
    assert is_near((most + 1,), (1,), size)
    assert not is_near((most + 2,), (1,), size)
    assert is_near((most + 1,), (-1,), size)
    assert not is_near((most + 2,), (-1,), size)
    assert is_near((3, 5), ((most - 4) // 2, 1), size)
    assert not is_near((3, 5), ((most - 4) // 2 + 1, 1), size)
    assert not is_near((3, 5), (-((most - 4) // 2 + 1), 1), size)


def test_a_dimension_that_does_not_move_counts_its_elements():
    assert is_near((2**20, 2), (0, 1), 4)
    assert not is_near((2**31, 2), (0, 1), 4)
    assert not is_near((1, 2), (2**31, 1), 4)
    assert is_near((0, 7), (7, 1), 4)
    assert is_near((), (), 4)


def test_launches_of_very_many_programs_are_a_class_of_their_own():
    assert row_class(NEAR_PROGRAMS, 1056).name == "many"
    vast = row_class(NEAR_PROGRAMS + 1, 1056)
    assert vast.name == "vast"
    assert vast.representative > NEAR_PROGRAMS
    (near,) = lowered(kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)}, count=NEAR_PROGRAMS)
    (far,) = lowered(kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)}, count=NEAR_PROGRAMS + 1)
    assert address_types(near) == {"x": {i32}, "y": {i32}}
    assert address_types(far) == {"x": {i64}, "y": {i64}}


# What has 32 bits.


def pairs():
    """A launch over two axes, whose programs are divided by a length that is known at launch."""
    b = Builder("pairs")
    x, y = b.view("x", f32, 3), b.view("y", f32, 2)
    i, j, k = b.axis("i", dim(x, 0)), b.axis("j", dim(x, 1)), b.axis("k", dim(x, 2))
    with b.parallel(i, j):
        b.store(y, (i, j), b.reduce(b.load(x, i, j, k), k, laws.ADD))
    return b.build()


def twice():
    """Two launches, the second of which reads what the first has stored."""
    b = Builder("twice")
    x, y, z = (b.view(name, f32, 2) for name in "xyz")
    r, s, c = b.axis("r", dim(x, 0)), b.axis("s", dim(x, 0)), b.axis("c", dim(x, 1))
    with b.parallel(r):
        b.store(y, (r, c), b.map("mul", b.load(x, r, c), 2.0))
    with b.parallel(s):
        b.store(z, (s, c), b.map("add", b.load(y, s, c), b.reduce(b.load(y, s, c), c, laws.ADD)))
    return b.build()


def ordered(kind):
    """A scan or a sort of each row."""
    b = Builder(kind)
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    r, c = b.axis("r", dim(x, 0)), b.axis("c", dim(x, 1))
    with b.parallel(r):
        v = b.load(x, r, c)
        b.store(y, (r, c), b.scan(v, c, laws.ADD) if kind == "scan" else b.sort(v, c)[0])
    return b.build()


ALL_SHORT = {
    "softmax": (kernels.softmax(), rows_of("x", "y")),
    "narrow softmax": (kernels.softmax(bf16), rows_of("x", "y")),
    "sums": (kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)}),
    "two axes": (pairs(), {"x": (2, 3, COLUMNS), "y": (2, 3)}),
    "two launches": (twice(), rows_of("x", "y", "z")),
    "scan": (ordered("scan"), rows_of("x", "y")),
    "sort": (ordered("sort"), rows_of("x", "y")),
    "group": (
        group_programs.normalised_rows(),
        {"x": (3, 5, 40), "y": (3, 5, 40), "s": (3, 5)},
    ),
    "group, columns": (group_programs.centred_columns(), {"x": (3, 5, 40), "y": (3, 5, 40)}),
}


@pytest.mark.parametrize("sheet", [METAL, CUDA_SM90], ids=["metal", "cuda"])
@pytest.mark.parametrize("lanes", ["auto", "off"], ids=["shared", "a program a lane"])
@pytest.mark.parametrize("name", list(ALL_SHORT))
def test_near_views_are_addressed_in_32_bits(name, sheet, lanes):
    kernel, shapes = ALL_SHORT[name]
    for launch in lowered(kernel, shapes, sheet=sheet, subgroup_reductions=lanes):
        assert all(types == {i32} for types in address_types(launch).values())
        assert emitter_for(sheet)(launch.kernel, sheet).text
    for launch in lowered(kernel, shapes, near=False, sheet=sheet, subgroup_reductions=lanes):
        assert all(i64 in types for types in address_types(launch).values())


def test_a_phase_is_found_in_32_bits():
    # Rows of 71 elements begin at any place of a pack.
    kernel = specialise(kernels.sum_rows(), {"x": (3, 71), "y": (3,)})
    facts = {
        name: replace(row_major_facts(shape, 4), near=True)
        for name, shape in (("x", (3, 71)), ("y", (3,)))
    }
    (region,) = parallel_regions(kernel)
    plan = choose(kernel, region, 3, CUDA_SM90, Options(phase="on"), facts=facts)
    launch = lower_parallel("k", kernel, region, plan, facts).launches[0]
    wide = [line for line in print_kernel(launch.kernel).splitlines() if "i64" in line]
    # The caller's stride is all that has 64 bits.
    assert [line.split()[:2] for line in wide] == [["scalar", "x_stride0:"]]


def test_a_cpu_finds_all_addresses_in_64_bits():
    sheet = DEFAULTS["cpu"]
    (launch,) = lowered(kernels.softmax(), rows_of("x", "y"), sheet=sheet)
    assert address_types(launch) == {"x": {i64}, "y": {i64}}


def test_one_far_view_leaves_the_others_near():
    made = specialise(kernels.softmax(), rows_of("x", "y"))
    (region,) = parallel_regions(made)
    facts = {"x": ViewFacts((None, 1), 4, near=True), "y": ViewFacts((None, 1), 4)}
    plan = choose(made, region, 3, METAL, facts=facts)
    launch = lower_parallel("k", made, region, plan, facts).launches[0]
    check_machine(launch.kernel)
    assert address_types(launch) == {"x": {i32}, "y": {i64}}


def picked(clamped):
    """The row of a table that each program's index names, as written or brought into range."""
    b = Builder("picked")
    t, at, y = b.view("t", f32, 2), b.view("at", i64, 1), b.view("y", f32, 2)
    r, n, c = b.axis("r", dim(at, 0)), b.axis("n", dim(t, 0)), b.axis("c", dim(t, 1))
    with b.parallel(r):
        index = b.load(at, r)
        if clamped:
            index = b.map("minimum", b.map("maximum", index, 0), 7)
        b.store(y, (r, c), b.gather(b.load(t, n, c), index, n, 0.0))
    return b.build()


@pytest.mark.parametrize("clamped", [False, True])
def test_rows_that_data_choose_are_near_where_they_are_brought_into_range(clamped):
    shapes = {"t": (8, COLUMNS), "at": (3,), "y": (3, COLUMNS)}
    (launch,) = lowered(picked(clamped), shapes)
    assert address_types(launch) == {"at": {i32}, "t": {i32 if clamped else i64}, "y": {i32}}
    table = np.arange(8 * COLUMNS, dtype=np.float32)
    at, y = np.array([7, 2**40, 3]), np.zeros(3 * COLUMNS, np.float32)
    scalars = {s.name: COLUMNS for s in launch.kernel.scalars}
    report = run_machine(launch.kernel, {"t": table, "at": at, "y": y}, scalars, 3)
    assert report.ok, report
    rows = table.reshape(8, COLUMNS)
    want = [rows[7], rows[7] if clamped else np.zeros(COLUMNS), rows[3]]
    np.testing.assert_array_equal(y.reshape(3, COLUMNS), want)


# At the limit: memory of which only the rows are touched.


def far_rows(stride):
    """Three rows of small integers that lie a stride apart, and their memory."""
    memory = np.zeros(2 * abs(stride) + COLUMNS, np.float32)
    values = np.random.default_rng(1).integers(-9, 10, (3, COLUMNS)).astype(np.float32)
    for number, row in enumerate(values):
        memory[number * stride : number * stride + COLUMNS] = row
    return values, memory


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lane_elements": 1, "threads": 64},
        {"programs_per_group": 2, "threads": 64},
        {"subgroup_reductions": "off"},
    ],
    ids=["default", "two subgroups", "two programs", "a program a lane"],
)
@pytest.mark.parametrize("stride", [FURTHEST - 1, FURTHEST])
def test_no_index_overflows_as_far_as_a_view_is_near(stride, options):
    (launch,) = lowered(kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)}, **options)
    assert address_types(launch)["x"] == {i32}
    assert is_near((3, COLUMNS), (stride, 1), 4)
    values, memory = far_rows(stride)
    y = np.full(3, np.nan, np.float32)
    report = run_machine(launch.kernel, {"x": memory, "y": y}, {"x_stride0": stride}, 3)
    assert report.ok, report
    np.testing.assert_array_equal(y, values.sum(1))


def test_negative_strides_overflow_no_sooner():
    (launch,) = lowered(kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)})
    buffers = {"x": np.ones(COLUMNS, np.float32), "y": np.zeros(3, np.float32)}
    report = run_machine(launch.kernel, buffers, {"x_stride0": -FURTHEST}, 3)
    # The rows before the first do not lie in this array, but their indices are what they are.
    assert report.out_of_bounds
    assert not report.overflows


@pytest.mark.parametrize("sign", [1, -1])
def test_what_no_near_view_has_is_noticed(sign):
    (launch,) = lowered(kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)})
    stride = sign * (NEAR_BYTES // 4 + 2)
    buffers = {"x": np.ones(COLUMNS, np.float32), "y": np.zeros(3, np.float32)}
    with pytest.raises(InternalError, match="M011"):
        run_machine(launch.kernel, buffers, {"x_stride0": stride}, 3)
    anything = tuple(replace(scalar, known=None) for scalar in launch.kernel.scalars)
    trusting = replace(launch.kernel, scalars=anything)
    assert run_machine(trusting, buffers, {"x_stride0": stride}, 3).overflows
    wrapping = sign * (2**30 + 5)
    assert run_machine(trusting, buffers, {"x_stride0": wrapping}, 3).overflows


def test_a_far_view_is_read_right_beyond_the_limit():
    stride = 2**29 - 1
    assert not is_near((3, COLUMNS), (stride, 1), 4)
    (launch,) = lowered(kernels.sum_rows(), {"x": (3, COLUMNS), "y": (3,)}, near=False)
    values, memory = far_rows(stride)
    y = np.full(3, np.nan, np.float32)
    report = run_machine(launch.kernel, {"x": memory, "y": y}, {"x_stride0": stride}, 3)
    assert report.ok, report
    np.testing.assert_array_equal(y, values.sum(1))


@pytest.mark.parametrize("near", [True, False], ids=["at the limit", "above it"])
def test_rows_are_stored_where_they_belong(near):
    stride = FURTHEST if near else 2**29 - 1
    assert is_near((3, COLUMNS), (stride, 1), 4) == near
    (launch,) = lowered(kernels.gelu(), rows_of("x", "y"), near=near)
    artifact = emitter_for(METAL)(launch.kernel, METAL)
    x = np.linspace(-3, 3, 3 * COLUMNS, dtype=np.float32)
    y = np.zeros(2 * stride + COLUMNS, np.float32)
    sizes = {"x_stride0": COLUMNS, "y_stride0": stride, "programs": 3}
    scalars = [sizes[scalar.name] for scalar in launch.kernel.scalars]
    metal_sim.run(artifact, [x, y], scalars, 3, mode="fast")
    small, sizes["y_stride0"] = np.zeros(3 * COLUMNS, np.float32), COLUMNS
    metal_sim.run(artifact, [x, small], [sizes[s.name] for s in launch.kernel.scalars], 3)
    assert small.any()
    for number in range(3):
        stored = y[number * stride : number * stride + COLUMNS]
        np.testing.assert_array_equal(stored, small[number * COLUMNS : (number + 1) * COLUMNS])


def test_long_rows_of_bytes_leave_room_for_their_length():
    # 2**21 bytes a row are more than the room behind the limit.
    shapes = {"x": (3, 2**21), "y": (3,)}
    (launch,) = lowered(kernels.sum_rows(u8, out=i32, law=laws.MAXIMUM), shapes)
    assert address_types(launch)["x"] <= {i32, i64}
    x = np.random.default_rng(2).integers(0, 200, 3 * 2**21).astype(np.uint8)
    y = np.zeros(3, np.int32)
    stride = {"x_stride0": 2**21}
    report = run_machine(launch.kernel, {"x": x, "y": y}, stride, 3)
    assert report.ok, report
    np.testing.assert_array_equal(y, x.reshape(3, -1).max(1))


# What is written.


def test_the_width_is_part_of_the_printed_kernel():
    (near,) = lowered(kernels.softmax(), rows_of("x", "y"), sheet=CUDA_SM90)
    text = print_kernel(near.kernel)
    assert f"scalar x_stride0: i64 in -{NEAR_BYTES // 4} .. {NEAR_BYTES // 4}" in text
    assert "exactly" in text
    source = emitter_for(CUDA_SM90)(near.kernel, CUDA_SM90).text
    assert "(int)n_x_stride0" in source
    assert "const int group = blockIdx.x;" in source
    (far,) = lowered(kernels.softmax(), rows_of("x", "y"), near=False, sheet=CUDA_SM90)
    source = emitter_for(CUDA_SM90)(far.kernel, CUDA_SM90).text
    assert "= (long long)group;" in source
    assert "(int)n_x_stride0" not in source


@pytest.mark.parametrize("sheet", [CUDA_SM90, METAL], ids=["cuda", "metal"])
def test_the_number_of_a_group_has_32_bits_where_programs_are_few(sheet):
    def kind(programs):
        (launch,) = lowered(kernels.softmax(), rows_of("x", "y"), sheet=sheet, count=programs)
        (group,) = {
            operation.result.dtype
            for operation in operations(launch.kernel.body)
            if isinstance(operation, Special) and operation.kind == "group"
        }
        return group

    assert (kind(NEAR_PROGRAMS), kind(NEAR_PROGRAMS + 1)) == (i32, i64)


def test_only_index_arithmetic_is_exact():
    (launch,) = lowered(kernels.softmax(), rows_of("x", "y"))
    exact = [o for o in operations(launch.kernel.body) if isinstance(o, Compute) and o.exact]
    assert exact
    assert {operation.result.dtype for operation in exact} == {i32}


# Calls.


def test_a_call_with_rows_further_apart_has_a_kernel_of_its_own(monkeypatch):
    @ct.tile_kernel
    def total(x: ct.View, y: ct.View):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, ct.add)

    texts = []
    monkeypatch.setattr(metal_sim, "run", lambda artifact, *_, **__: texts.append(artifact.text))
    memory = np.zeros(2**30 + COLUMNS, np.float32)
    y = np.zeros(3, np.float32)

    def call(stride):
        rows = np.lib.stride_tricks.as_strided(memory, (3, COLUMNS), (4 * stride, 4))
        with ct.target("metal-sim"):
            total(rows, y)

    # Multiples of a line, so that all rows are aligned alike.
    furthest = FURTHEST // 16 * 16
    call(80)
    call(160)
    assert total.compilations == 1
    call(2**29)
    assert total.compilations == 2
    call(furthest)
    call(2**29 - 16)
    assert total.compilations == 2
    assert texts[0] == texts[1] == texts[3]
    assert texts[2] == texts[4] != texts[0]
