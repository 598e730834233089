"""What a sort keeps, and which plans it permits."""

import pytest

from certile.diagnostics import KernelError
from certile.ir.build import Builder
from certile.ir.dtypes import bf16, bool_, f32, f64, i8, i32, i64, u8, u16
from certile.ir.walk import parallel_regions
from certile.plan.choose import choose, required
from certile.plan.record import Options
from certile.plan.subgroup.sorting import sort_layout
from certile.plan.subgroup.space import stripe_scalars
from certile.targets.metal import METAL


def sorting(length=100, k=None, dtype=f32, rows=8):
    b = Builder("s")
    over, cols = b.axis("rows", rows), b.axis("cols", length)
    into = cols if k is None else b.axis("top", k)
    x, y, p = b.view("x", dtype, 2), b.view("y", dtype, 2), b.view("p", i64, 2)
    with b.parallel(over):
        values, positions = b.sort(b.load(x, over, cols), cols, into)
        b.store(y, (over, into), values)
        b.store(p, (over, into), positions)
    return b.build(), values.of


def chosen(kernel, **options):
    options = {"policy": "analytic", **options}
    return choose(kernel, parallel_regions(kernel)[0], 8, METAL, Options(**options))


@pytest.mark.parametrize(
    ("dtype", "length", "components", "shift"),
    [
        (f32, 100, (i64,), 32),
        (f64, 100, (i64, i32), 0),
        (bf16, 65536, (i32,), 16),
        (bf16, 65537, (i64,), 32),
        (i8, 1 << 24, (i32,), 24),
        (u8, 1 << 23, (i32,), 23),
        (u8, (1 << 23) + 1, (i64,), 32),
        (u16, 1 << 15, (i32,), 15),
        (bool_, 1 << 20, (i32,), 30),
    ],
)
def test_a_rank_and_a_position_share_an_integer_where_they_fit(dtype, length, components, shift):
    _, node = sorting(length, dtype=dtype)
    layout = sort_layout(node, 16)
    assert (layout.components, layout.shift) == (components, shift)
    alone = sort_layout(node.with_(positions=False), 16)
    assert (alone.components, alone.shift) == ((i64,) if dtype == f64 else (i32,), 0)


@pytest.mark.parametrize(
    ("length", "k", "vectors", "streamed"),
    [(100, None, 7, False), (100, 5, 1, True), (100, 33, 4, True), (64, 33, 4, False)],
)
def test_a_selection_keeps_the_vectors_that_hold_it(length, k, vectors, streamed):
    layout = sort_layout(sorting(length, k)[1], 16)
    assert (layout.vectors, layout.streamed) == (vectors, streamed)


def test_other_numbers_of_subgroups_are_rejected_with_a_reason():
    plan = chosen(sorting()[0])
    assert plan.mapping.family == "subgroup"
    assert plan.mapping.subgroups_per_program == 1
    rejected = {r.subgroups_per_program for r in plan.rejected if r.rule == "width"}
    assert rejected == set(range(2, 33))
    assert "one subgroup" in plan.rejected[0].reason


def test_several_elements_a_lane_are_refused():
    plan = chosen(sorting()[0], lane_elements=2)
    assert plan.mapping is None
    with pytest.raises(KernelError, match="a sort exchanges one element a lane"):
        required(plan)


def test_a_row_beyond_the_budget_goes_to_the_reference_map():
    short, long = chosen(sorting(1024)[0]), chosen(sorting(1056)[0])
    assert stripe_scalars(short.rows, 32, 1) == 64
    assert short.mapping.family == "subgroup"
    assert long.mapping.family == "reference"
    assert long.declined.code == "budget"


def test_a_long_row_of_which_few_are_selected_fits():
    plan = chosen(sorting(100_000, 16)[0])
    assert plan.mapping.family == "subgroup"
    # Two vectors of 8-byte states, and the limit.
    assert stripe_scalars(plan.rows, 32, 1) == 5
