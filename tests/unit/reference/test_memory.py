"""What a kernel must not do: leave a view, use what does not exist, meet another instance."""

import numpy as np
import pytest

from certile.diagnostics import ArgumentError, KernelError
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64
from certile.reference import run
from tests import kernels


def refused(kernel, code, **arguments):
    with pytest.raises(KernelError) as caught:
        run(kernel, arguments)
    assert caught.value.code == code
    return str(caught.value)


def array(*shape, start=1):
    return np.arange(start, start + np.prod(shape), dtype=np.float32).reshape(shape)


def kernel(write, *, x_rank=2, y_rank=2, scratch=False, labels=False):
    """One launch over the rows of x; `write(b, x, y, rows, cols, …)` fills it."""
    b = Builder("case")
    x, y = b.view("x", f32, x_rank), b.view("y", f32, y_rank)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1) if x_rank > 1 else 4)
    more = [b.memory("scratch", f32, [cols])] if scratch else []
    more += [b.view("labels", i64, 1)] if labels else []
    with b.parallel(rows):
        write(b, x, y, rows, cols, *more)
    return b.build()


# Bounds and masks.


@pytest.mark.parametrize(("offset", "shown"), [(1, "index 5"), (-1, "index -1")])
def test_an_index_outside_is_refused(offset, shown):
    made = kernel(
        lambda b, x, y, rows, cols: b.store(
            y, [rows, cols], b.load(x, rows, b.map("add", b.index(cols), offset))
        )
    )
    assert shown in refused(made, "K090", x=array(2, 5), y=array(2, 5))


def test_a_store_outside_is_refused():
    made = kernel(
        lambda b, x, y, rows, cols: b.store(
            y, [rows, b.map("mul", b.index(cols), 2)], b.load(x, rows, cols)
        )
    )
    refused(made, "K090", x=array(2, 5), y=array(2, 5))


def shifted(fill):
    def write(b, x, y, rows, cols):
        at = b.map("add", b.index(cols), 1)
        inside = b.map("lt", at, b.extent(dim(x, 1)))
        b.store(y, [rows, cols], b.load(x, rows, at, mask=inside, fill=fill))

    return kernel(write)


def test_a_fill_stands_where_the_mask_is_off():
    x, y = array(2, 3), array(2, 3)
    run(shifted(7.0), {"x": x, "y": y})
    assert y.tolist() == [[2, 3, 7], [5, 6, 7]]


def test_without_a_fill_the_element_does_not_exist():
    assert "a store" in refused(shifted(None), "K092", x=array(2, 3), y=array(2, 3))


def test_a_masked_store_leaves_the_rest_as_it_was():
    def write(b, x, y, rows, cols):
        v = b.load(x, rows, cols)
        b.store(y, [rows, cols], v, mask=b.map("gt", v, 2.0))

    x, y = array(2, 2), np.full((2, 2), -1, np.float32)
    run(kernel(write), {"x": x, "y": y})
    assert y.tolist() == [[-1, -1], [3, 4]]


def poisoned(b, x, rows, cols):
    at = b.index(cols)
    return b.load(x, rows, cols, mask=b.map("gt", at, 0))


def test_poison_that_is_not_selected_is_harmless():
    def write(b, x, y, rows, cols):
        some = poisoned(b, x, rows, cols)
        kept = b.map("where", b.map("gt", b.index(cols), 0), b.map("mul", some, 2.0), 9.0)
        b.store(y, [rows, cols], kept)

    y = array(2, 3)
    run(kernel(write), {"x": array(2, 3), "y": y})
    assert y.tolist() == [[9, 4, 6], [9, 10, 12]]


@pytest.mark.parametrize(
    ("what", "write"),
    [
        (
            "a reduction",
            lambda b, x, y, rows, cols: b.store(
                y, [rows, cols], b.broadcast(
                    b.reduce(poisoned(b, x, rows, cols), cols, laws.ADD), cols)
            ),
        ),
        (
            "a condition",
            lambda b, x, y, rows, cols: b.store(
                y, [rows, cols],
                b.map("where", b.map("gt", poisoned(b, x, rows, cols), 0.0), 1.0, 2.0),
            ),
        ),
        (
            "an index",
            lambda b, x, y, rows, cols: b.store(
                y, [rows, cols],
                b.load(x, rows, b.cast(b.map("mul", poisoned(b, x, rows, cols), 0.0), i64)),
            ),
        ),
        (
            "an index",
            lambda b, x, y, rows, cols: b.store(
                y, [rows, cols],
                b.gather(b.load(x, rows, cols), b.cast(poisoned(b, x, rows, cols), i64), cols, 0.0),
            ),
        ),
        (
            "a mask",
            lambda b, x, y, rows, cols: b.store(
                y, [rows, cols], 1.0, mask=b.map("gt", poisoned(b, x, rows, cols), 0.0)
            ),
        ),
    ],
)  # fmt: skip
def test_poison_is_refused_where_it_matters(what, write):
    assert what in refused(kernel(write), "K092", x=array(2, 3), y=array(2, 3))


def test_memory_starts_without_values():
    def write(b, x, y, rows, cols, scratch):
        b.store(y, [rows, cols], b.load(scratch, cols))

    refused(kernel(write, scratch=True), "K092", x=array(2, 3), y=array(2, 3))


def test_memory_is_private_to_an_instance():
    def write(b, x, y, rows, cols, scratch):
        b.store(scratch, cols, b.load(x, rows, cols))
        at = b.map("sub", b.map("sub", b.extent(dim(x, 1)), 1), b.index(cols))
        b.store(y, [rows, cols], b.load(scratch, at))

    x, y = array(3, 4), array(3, 4)
    run(kernel(write, scratch=True), {"x": x, "y": y})
    np.testing.assert_array_equal(y, x[:, ::-1])


# Instances.


def test_all_instances_storing_one_place_is_refused():
    made = kernel(lambda b, x, y, rows, cols: b.store(y, [0], 1.0), x_rank=1, y_rank=1)
    refused(made, "K091", x=array(3), y=array(3))
    run(made, {"x": array(1), "y": array(1)})


def test_reading_what_a_neighbour_stores_is_refused():
    def write(b, x, y, rows, cols):
        at = b.map("mod", b.map("add", b.index(rows), 1), b.extent(dim(x, 0)))
        b.store(y, rows, b.load(y, at))

    made = kernel(write, x_rank=1, y_rank=1)
    refused(made, "K091", x=array(4), y=array(4))
    run(made, {"x": array(1), "y": array(1)})


def test_a_permutation_of_places_is_no_conflict():
    def write(b, x, y, rows, cols):
        at = b.map("sub", b.map("sub", b.extent(dim(x, 0)), 1), b.index(rows))
        b.store(y, at, b.load(x, rows))

    y = array(4)
    run(kernel(write, x_rank=1, y_rank=1), {"x": array(4), "y": y})
    assert y.tolist() == [4, 3, 2, 1]


def test_a_conflict_between_distant_instances_is_found():
    """More instances than are worked on at once."""

    def write(b, x, y, rows, cols):
        b.store(y, b.map("floordiv", b.index(rows), 2**19), b.load(x, rows))

    refused(
        kernel(write, x_rank=1, y_rank=1), "K091", x=np.zeros(2**19 + 2, np.float32), y=array(4)
    )


def scattered(b, x, y, rows, cols, labels):
    at = b.load(labels, cols)
    b.store(y, [rows, at], b.load(x, rows, cols))


def test_a_store_that_writes_a_place_twice_is_refused():
    made = kernel(scattered, labels=True)
    x, y = array(2, 3), array(2, 3)
    refused(made, "K093", x=x, y=y, labels=np.array([0, 1, 1]))
    run(made, {"x": x, "y": y, "labels": np.array([2, 0, 1])})
    assert y.tolist() == [[2, 3, 1], [5, 6, 4]]


def nested(at):
    b = Builder("nested")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    rows, cols = kernels.matrix(b, x)
    with b.parallel(rows), b.parallel(cols):
        b.store(y, [rows, at(b, cols)], b.map("add", b.load(x, rows, cols), 1.0))
    return b.build()


def test_regions_nest():
    x, y = array(3, 4), array(3, 4)
    run(nested(lambda b, cols: cols), {"x": x, "y": y})
    np.testing.assert_array_equal(y, x + 1)


def test_instances_of_a_nested_region_conflict():
    refused(nested(lambda b, cols: 0), "K091", x=array(3, 4), y=array(3, 4))


def test_program_order_within_an_instance():
    def write(b, x, y, rows, cols):
        before = b.load(y, rows, cols)
        b.store(y, [rows, cols], b.map("add", before, 1.0))
        after = b.load(y, rows, cols)
        b.store(y, [rows, cols], b.map("sub", b.map("mul", after, 10.0), before))

    y = array(2, 2)
    run(kernel(write), {"x": array(2, 2), "y": y})
    assert y.tolist() == [[19, 28], [37, 46]]


def test_launches_run_in_order():
    b = Builder("two")
    x = b.view("x", f32, 1)
    rows = b.axis("rows", dim(x, 0))
    with b.parallel(rows):
        b.store(x, rows, b.map("add", b.load(x, rows), 1.0))
    again, cols = b.axis("again", 1), b.axis("cols", dim(x, 0))
    y = b.view("y", f32, 1)
    with b.parallel(again):
        b.store(y, [0], b.reduce(b.load(x, cols), cols, laws.ADD))
    out = np.zeros(1, np.float32)
    run(b.build(), {"x": array(3), "y": out})
    assert out[0] == 9


# Arguments.


def test_one_array_for_two_views_is_one_view():
    x = np.random.default_rng(0).normal(size=(3, 5)).astype(np.float32)
    y = np.zeros_like(x)
    run(kernels.softmax(), {"x": x, "y": y})
    run(kernels.softmax(), {"x": x, "y": x})
    np.testing.assert_array_equal(x, y)


def test_overlapping_arrays_are_refused_before_anything_is_written():
    base = array(4, 5)
    before = base.copy()
    with pytest.raises(ArgumentError) as caught:
        run(kernels.softmax(), {"x": base[:3], "y": base[1:]})
    assert caught.value.code == "A005"
    np.testing.assert_array_equal(base, before)


def test_inputs_may_overlap():
    base = np.ones((3, 5), np.float32)
    y = np.zeros_like(base)
    run(kernels.layer_norm(), {"x": base, "weight": base[0], "bias": base[1], "y": y})
    assert (y == 1).all()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"x": array(2, 3)}, "A001"),
        ({"x": array(2, 3), "y": array(2, 3).astype(np.float64)}, "A003"),
        ({"x": array(2, 3), "y": [1, 2]}, "A003"),
        ({"x": array(2, 3), "y": array(6)}, "A004"),
    ],
)
def test_wrong_arguments(arguments, code):
    with pytest.raises(ArgumentError) as caught:
        run(kernels.softmax(), arguments)
    assert caught.value.code == code
