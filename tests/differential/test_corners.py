"""Kernels written to go wrong: memory that is read and written, scopes, empty and odd extents."""

from dataclasses import replace

import numpy as np
import pytest

from certile.codegen import emitter_for
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bool_, f16, f32, i32, i64
from certile.ir.walk import replace_view
from certile.lower import lower_parallel
from certile.plan.choose import choose
from certile.plan.options import Options
from certile.reference.machine_numeric import storage
from tests import kernels
from tests.differential.checks import blank, check, matrix_kernel, random
from tests.differential.harness import HOST_SHEET, Case

# Memory that is read and written.


@pytest.mark.parametrize("columns", [1, 31, 40, 300])
def test_softmax_of_a_view_onto_itself(columns):
    kernel = kernels.softmax()
    x, y = kernel.views
    check(replace_view(kernel, y, x), {"x": random(4, columns)})


def test_a_scalar_that_is_overwritten_before_it_is_used():
    b, (x, y), rows, cols = matrix_kernel("first", ("x", f32, 2), ("y", f32, 1))
    with b.parallel(rows):
        first = b.load(x, rows, 0)
        row = b.load(x, rows, cols)
        b.store(x, (rows, cols), b.map("mul", row, 2.0))
        b.store(y, rows, first)
    check(b.build(), {"x": random(5, 37), "y": blank(5)})


def test_the_same_view_before_and_after_a_store():
    b, (x, y), rows, cols = matrix_kernel("before_after", ("x", f32, 2), ("y", f32, 2))
    with b.parallel(rows):
        before = b.load(x, rows, cols)
        b.store(x, (rows, cols), b.map("add", before, 1.0))
        after = b.load(x, rows, cols)
        b.store(x, (rows, cols), b.map("mul", after, after))
        b.store(y, (rows, cols), b.map("sub", before, after))
    check(b.build(), {"x": random(3, 70), "y": blank(3, 70)})


def test_a_row_that_is_reversed_in_place():
    b, (x,), rows, cols = matrix_kernel("reverse", ("x", f32, 2))
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        last = b.map("sub", b.extent(cols.extent), 1)
        b.store(x, (rows, b.map("sub", last, b.index(cols))), row)
    check(b.build(), {"x": random(3, 45)}, admitted=False)


def test_a_gather_of_a_row_that_was_overwritten():
    b, (x, labels, y), rows, cols = matrix_kernel(
        "late_gather", ("x", f32, 2), ("labels", i64, 1), ("y", f32, 1)
    )
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        b.store(x, (rows, cols), b.map("mul", row, 2.0))
        b.store(y, rows, b.gather(row, b.load(labels, rows), cols, fill=-1.0))
    labels = np.array([0, 39, 40, -1, 7])
    check(b.build(), {"x": random(5, 40), "labels": labels, "y": blank(5)}, admitted=False)


def test_a_reduction_after_a_store_of_what_it_reads():
    b, (x, y), rows, cols = matrix_kernel("sum_after", ("x", f32, 2), ("y", f32, 1))
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        b.store(x, (rows, cols), b.map("sub", row, 3.0))
        b.store(y, rows, b.reduce(row, cols, laws.ADD))
    check(b.build(), {"x": random(4, 100), "y": blank(4)})


# Launches, places and masks.


def test_a_second_launch_reads_what_the_first_wrote():
    b, (x, y, z), rows, cols = matrix_kernel(
        "two_launches", ("x", f32, 2), ("y", f32, 1), ("z", f32, 2)
    )
    with b.parallel(rows):
        b.store(y, rows, b.reduce(b.load(x, rows, cols), cols, laws.ADD))
    other = b.axis("other", dim(x, 1))
    down = b.axis("down", dim(x, 0))
    with b.parallel(other):
        column = b.load(x, down, other)
        b.store(z, (down, other), b.map("sub", column, b.load(y, down)))
    check(b.build(), {"x": random(6, 35), "y": blank(6), "z": blank(6, 35)})


def test_one_program_of_many_stores_to_one_place():
    b, (x, y), rows, _ = matrix_kernel("chosen", ("x", f32, 2), ("y", f32, 1))
    with b.parallel(rows):
        chosen = b.map("eq", b.index(rows), 3)
        b.store(y, 1, 5.0, mask=chosen)
        b.store(y, 2, b.load(x, rows, 0), mask=chosen)
    check(b.build(), {"x": random(6, 2), "y": blank(4)})


def test_masks_and_fills_of_loads():
    b, (x, y, z), rows, cols = matrix_kernel("masked", ("x", f32, 2), ("y", f32, 2), ("z", f32, 1))
    with b.parallel(rows):
        shifted = b.map("add", b.index(cols), 5)
        inside = b.map("lt", shifted, b.extent(cols.extent))
        row = b.load(x, rows, shifted, mask=inside, fill=-7.0)
        b.store(y, (rows, cols), row)
        b.store(z, rows, b.reduce(row, cols, laws.MINIMUM))
    check(b.build(), {"x": random(4, 50), "y": blank(4, 50), "z": blank(4)})


def test_masked_loads_without_a_fill_are_not_read_where_off():
    b, (x, y), rows, cols = matrix_kernel("poison", ("x", f32, 2), ("y", f32, 2))
    with b.parallel(rows):
        shifted = b.map("sub", b.index(cols), 3)
        inside = b.map("ge", shifted, 0)
        row = b.load(x, rows, shifted, mask=inside)
        b.store(y, (rows, cols), b.map("where", inside, row, 1.0))
    check(b.build(), {"x": random(4, 33), "y": blank(4, 33)})


def test_masked_stores():
    b, (x, y), rows, cols = matrix_kernel("masked_store", ("x", f32, 2), ("y", f32, 2))
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        b.store(y, (rows, cols), row, mask=b.map("gt", row, 0.0))
    check(b.build(), {"x": random(4, 70), "y": random(4, 70, seed=1)})


def test_coordinates_as_values():
    b, (y, z), rows, cols = matrix_kernel("coordinates", ("y", i64, 2), ("z", f32, 2))
    n = b.scalar("n", i32)
    with b.parallel(rows):
        at = b.map("add", b.map("mul", b.index(rows), b.extent(cols.extent)), b.index(cols))
        b.store(y, (rows, cols), b.map("add", at, n))
        b.store(z, (rows, cols), b.cast(b.map("mod", at, 7), f32))
    check(b.build(), {"y": blank(4, 65, dtype=i64), "z": blank(4, 65), "n": np.int32(-9)})


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0), (1, 1), (5, 1)])
def test_empty_and_single_extents(shape):
    for make in (kernels.gelu, kernels.softmax, kernels.scale_in_place):
        kernel = make()
        arguments = {view.name: random(*shape) for view in kernel.views}
        check(kernel, {**arguments, "factor": np.float32(3)})
    if shape[1]:
        check(kernels.layer_norm(), {
            "x": random(*shape), "y": blank(*shape), "weight": random(shape[1]),
            "bias": random(shape[1]),
        })  # fmt: skip
    for law in (laws.ADD, laws.MAXIMUM, laws.MEAN_VAR):
        if law != laws.MEAN_VAR:
            check(kernels.sum_rows(law=law), {"x": random(*shape), "y": blank(shape[0])})
        else:
            both = {"mean": blank(shape[0]), "var": blank(shape[0])}
            check(kernels.mean_var(), {"x": random(*shape), **both})


# Axes.


def three(name, *more, reduce_over="ab", law=laws.ADD, policy="unordered_tree"):
    b = Builder(name)
    x, y = b.view("x", f32, 3), b.view("y", f32, 3)
    rows, a, c = (b.axis(n, dim(x, k)) for k, n in enumerate("rab"))
    with b.parallel(rows):
        v = b.load(x, rows, a, c)
        over = {"ab": (a, c), "ba": (c, a), "a": (a,), "b": (c,)}[reduce_over]
        total = b.reduce(v, over, law, policy=policy)
        b.store(y, (rows, a, c), b.map("sub", v, b.cast(total, f32)))
    return b.build()


@pytest.mark.parametrize("over", ["ab", "ba", "a", "b"])
@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "fold_left", "reproducible"])
def test_domains_of_several_axes(over, policy):
    kernel = three("three", reduce_over=over, policy=policy)
    shape = (2, 3, 2) if policy == "reproducible" and len(over) == 1 else (3, 7, 11)
    check(kernel, {"x": random(*shape), "y": blank(*shape)})


@pytest.mark.parametrize("over", ["ab", "ba", "a", "b"])
def test_the_place_of_a_maximum_counts_in_leaf_order(over):
    x = np.round(random(4, 6, 9) * 2).astype(np.float32)
    kernel = three("places", reduce_over=over, law=laws.ARGMAX)
    check(kernel, {"x": x, "y": blank(4, 6, 9)})


def test_axes_in_another_order():
    b = Builder("transposed")
    x, y, z = b.view("x", f32, 3), b.view("y", f32, 3), b.view("z", f32, 2)
    rows, a, c = (b.axis(n, dim(x, k)) for k, n in enumerate("rab"))
    with b.parallel(rows):
        v = b.load(x, rows, a, c)
        b.store(y, (rows, c, a), b.map("mul", v, 2.0))
        b.store(z, (rows, a), b.reduce(b.map("exp", v), c, laws.ADD))
    check(b.build(), {"x": random(3, 5, 8), "y": blank(3, 8, 5), "z": blank(3, 5)})


def test_two_parallel_axes():
    b = Builder("two_axes")
    x, y = b.view("x", f32, 3), b.view("y", f32, 2)
    rows, a, c = (b.axis(n, dim(x, k)) for k, n in enumerate("rab"))
    with b.parallel(rows, a):
        b.store(y, (rows, a), b.reduce(b.load(x, rows, a, c), c, laws.LOGSUMEXP))
    check(b.build(), {"x": random(3, 5, 40), "y": blank(3, 5)}, admitted=True)


def test_relabelled_axes_and_results_of_several():
    """var[i] and mean[j] of one reduction, in both orders: results do not leak between scopes."""
    b = Builder("relabelled")
    x, y = b.view("x", f32, 3), b.view("y", f32, 3)
    rows, a, c = (b.axis(n, dim(x, k)) for k, n in enumerate("rab"))
    twin = b.axis("twin", dim(x, 1))
    with b.parallel(rows):
        mean, var = b.results(b.reduce(b.load(x, rows, a, c), c, laws.MEAN_VAR))
        other = b.relabel(mean, a, twin)
        first = b.map("add", mean, b.map("mul", b.relabel(var, a, twin), 10.0))
        b.store(y, (rows, a, twin), b.map("add", b.map("sub", first, var), other))
    check(b.build(), {"x": random(3, 4, 20), "y": blank(3, 4, 4)})


def test_differences_of_all_pairs():
    b, (x, y), rows, cols = matrix_kernel("pairs", ("x", f32, 2), ("y", f32, 3))
    twin = b.axis("twin", dim(x, 1))
    with b.parallel(rows):
        row = b.load(x, rows, cols)
        e = b.map("exp", row)
        b.store(y, (rows, cols, twin), b.map("sub", e, b.relabel(e, cols, twin)))
    check(b.build(), {"x": random(3, 9), "y": blank(3, 9, 9)})


def test_a_reduction_of_reductions():
    b = Builder("nested")
    x, y = b.view("x", f32, 3), b.view("y", f32, 1)
    rows, a, c = (b.axis(n, dim(x, k)) for k, n in enumerate("rab"))
    with b.parallel(rows):
        v = b.load(x, rows, a, c)
        inner = b.reduce(v, c, laws.MAXIMUM)
        scaled = b.map("mul", inner, b.reduce(v, (a, c), laws.MINIMUM))
        b.store(y, rows, b.reduce(scaled, a, laws.ADD))
    check(b.build(), {"x": random(4, 6, 10), "y": blank(4)})


def test_a_reduction_that_no_program_changes():
    b, (x, w, y), rows, cols = matrix_kernel(
        "shared_weight", ("x", f32, 2), ("w", f32, 1), ("y", f32, 2)
    )
    with b.parallel(rows):
        total = b.reduce(b.load(w, cols), cols, laws.ADD, policy="ordered_tree")
        b.store(y, (rows, cols), b.map("mul", b.load(x, rows, cols), total))
    check(b.build(), {"x": random(5, 90), "w": random(90), "y": blank(5, 90)})


# Stores past the cache.


@pytest.mark.parametrize("start", [0, 1, 16])
@pytest.mark.parametrize("dtype", [f32, f16, bool_], ids=str)
def test_streamed_rows_that_do_not_start_at_their_first_element(start, dtype):
    """A vector that is stored past the cache must be aligned; the processor faults otherwise."""
    b = Builder("streamed")
    x, y = b.view("x", dtype, 2), b.view("y", dtype, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        place = b.map("add", b.index(cols), start) if start else b.index(cols)
        b.store(y, (rows, place), b.load(x, rows, cols))
    raw = np.zeros(3 * 128 * 4 + 64, np.uint8)
    first = -raw.ctypes.data % 64
    size = storage(dtype).itemsize
    y = raw[first : first + 3 * 128 * size].view(storage(dtype)).reshape(3, 128)
    case = Case(b.build(), {"x": random(3, 64, dtype=dtype), "y": y})
    (region,) = case.regions
    plan = case.plan(region, HOST_SHEET)
    plan = replace(plan, mapping=replace(plan.mapping, streaming=True))
    facts = {name: replace(fact, alignment=64) for name, fact in case.facts().items()}
    launch = lower_parallel("k0", case.specialised, region, plan, facts).launches[0]
    streamed = "nontemporal" in emitter_for(HOST_SHEET)(launch.kernel, HOST_SHEET).text
    assert streamed == (start == 0)
    case.run_cpu([(plan, launch)])
    np.testing.assert_array_equal(y[:, start : start + 64], case.arguments["x"])


@pytest.mark.parametrize("width", [64, 192, 200])
@pytest.mark.parametrize("outer", [1, 3])
def test_streamed_columns(outer, width):
    """Strips of columns begin where lines do, unless an axis of the launch lies outside them."""
    b = Builder("columns")
    x, y = b.view("x", f32, 3), b.view("y", f32, 3)
    batch, cols = b.axis("batch", dim(x, 0)), b.axis("cols", dim(x, 2))
    rows = b.axis("rows", dim(x, 1))
    over = (batch, cols) if outer > 1 else (cols,)
    with b.parallel(*over):
        first = batch if outer > 1 else 0
        column = b.load(x, first, rows, cols)
        total = b.reduce(column, rows, laws.ADD)
        b.store(y, (first, rows, cols), b.map("sub", column, total))
    raw = np.zeros(outer * 5 * 256 + 16, np.float32)
    begin = -raw.ctypes.data % 64 // 4
    y = raw[begin : begin + outer * 5 * 256].reshape(outer, 5, 256)[:, :, :width]
    case = Case(b.build(), {"x": random(outer, 5, width), "y": y})
    (region,) = case.regions
    facts = {name: replace(fact, alignment=64) for name, fact in case.facts().items()}
    plan = choose(case.specialised, region, outer * width, HOST_SHEET, Options(), facts=facts)
    assert plan.mapping.family == "columns"
    assert plan.mapping.streaming == (outer == 1)
    facts["x"] = replace(facts["x"], alignment=4)
    launch = lower_parallel("k0", case.specialised, region, plan, facts).launches[0]
    streamed = "nontemporal" in emitter_for(HOST_SHEET)(launch.kernel, HOST_SHEET).text
    assert streamed == (outer == 1)
    case.run_cpu([(plan, launch)])
    x = case.arguments["x"]
    np.testing.assert_allclose(y, x - x.astype(np.float64).sum(1, keepdims=True), atol=1e-5)
