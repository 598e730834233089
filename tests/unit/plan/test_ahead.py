"""Rows asked for ahead: which loads ask, in which sweep, how far on, and when none does."""

import dataclasses

import pytest

from certile.cli.subject import facts_of
from certile.ir.machine import Compute, Constant, For, Load, Parameter, operations
from certile.ir.walk import parallel_regions
from certile.lower import lower_launch
from certile.ops.kernels import bare
from certile.plan.choose import choose
from certile.plan.options import Options
from certile.targets import SHEETS

AVX512 = dataclasses.replace(SHEETS["cpu-avx512"], cores=2)


def lowered(op, shape, dtype="f32", *, large=True, sheet=AVX512, **flags):
    """The plan of an operation's launch, and the loads of its kernel that ask."""
    made = bare(op, shape, dtype, **flags)
    known = facts_of(made.kernel, made.shapes)
    facts = {name: dataclasses.replace(fact, large=large) for name, fact in known.items()}
    (region,) = parallel_regions(made.kernel)
    plan = choose(made.kernel, region, made.programs[0], sheet, Options(), facts=facts)
    kernel = lower_launch("k", made.kernel, region, plan, facts).kernel
    loads = [op for op in operations(kernel.body) if isinstance(op, Load)]
    return plan, kernel, [load for load in loads if load.ahead is not None]


@pytest.mark.parametrize(
    ("op", "columns", "rows"),
    [("softmax", 256, 8), ("sum", 256, 8), ("softmax", 4096, 1), ("softmax", 1500, 2)],
)
def test_what_is_asked_for_lies_some_kilobytes_ahead(op, columns, rows):
    plan, _, asking = lowered(op, (4096, columns))
    assert plan.mapping.ahead == rows
    assert asking


def test_the_last_sweep_asks_and_the_first_does_not():
    _, kernel, asking = lowered("rms_norm", (4096, 4096))
    first, second = [op for op in operations(kernel.body) if isinstance(op, For)]
    assert not [op for op in operations(first.body) if op in asking]
    assert [op for op in operations(second.body) if op in asking] == asking != []


def test_the_distance_is_that_of_rows():
    """8 rows of 256 elements ahead, whatever lies between the rows: the stride is not known."""
    _, kernel, asking = lowered("sum", (4096, 256))
    (distance,) = {load.ahead for load in asking}
    made = {op.result: op for op in operations(kernel.body) if hasattr(op, "result")}
    product = made[distance]
    assert isinstance(product, Compute)
    assert product.fn == "mul"
    stride, rows = (made[arg] for arg in product.args)
    assert isinstance(stride, Parameter)
    assert stride.parameter.name == "x_stride0"
    assert isinstance(rows, Constant)
    assert rows.value == 8


@pytest.mark.parametrize(("dtype", "vectors"), [("f32", 1), ("bf16", 2)])
def test_a_line_is_asked_for_once(dtype, vectors):
    _, _, asking = lowered("sum", (4096, 256), dtype)
    assert len(asking) == 16 // vectors


def test_rows_that_all_programs_share_are_not_asked_for():
    _, _, asking = lowered("rms_norm", (4096, 256), weight=True)
    assert {load.buffer.name for load in asking} == {"x"}


@pytest.mark.parametrize(
    ("op", "shape", "large"),
    [
        ("sum", (4096, 256), False),  # a cache holds the array
        ("silu", (4096, 256), True),  # nothing is reduced
        ("sum", (16, 256), True),  # hardly a next row
        ("sum", (4096, 1 << 20), True),  # the second cache does not hold a row
    ],
)
def test_nobody_asks_where_nothing_is_gained(op, shape, large):
    plan, _, asking = lowered(op, shape, large=large)
    assert plan.mapping.ahead == 0
    assert asking == []


def test_a_gpu_asks_for_nothing():
    assert lowered("softmax", (4096, 256), sheet=SHEETS["metal"])[2] == []
