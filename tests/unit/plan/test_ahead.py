"""Rows asked for ahead: which loads ask, in which sweep, how far on, and when none does."""

import dataclasses

import pytest

from certile.cli.subject import facts_of
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.ir.machine import Compute, Constant, For, Load, Parameter, operations
from certile.ir.walk import parallel_regions, specialise
from certile.lower import lower_launch
from certile.ops.kernels import bare
from certile.plan.choose import choose
from certile.plan.columns import ROWS_AHEAD
from certile.plan.options import Options
from certile.targets import SHEETS

AVX512 = dataclasses.replace(SHEETS["cpu-avx512"], cores=2)


def lowered(op, shape, dtype="f32", *, large=True, sheet=AVX512, across=False, **flags):
    """The plan of an operation's launch, and the loads of its kernel that ask.

    Matrices that lie `across` have neighbouring rows side by side in memory.
    """
    made = bare(op, shape, dtype, **flags)
    facts = facts_of(made.kernel, made.shapes)
    if across:
        facts = {n: dataclasses.replace(f, strides=f.strides[::-1]) for n, f in facts.items()}
    return planned(made.kernel, made.programs[0], facts, sheet, large=large)


def planned(kernel, programs, facts, sheet=AVX512, *, large=True):
    """The plan of a kernel's one launch, its Machine IR, and the loads of it that ask."""
    facts = {name: dataclasses.replace(fact, large=large) for name, fact in facts.items()}
    (region,) = parallel_regions(kernel)
    plan = choose(kernel, region, programs, sheet, Options(), facts=facts)
    made = lower_launch("k", kernel, region, plan, facts).kernel
    loads = [op for op in operations(made.body) if isinstance(op, Load)]
    return plan, made, [load for load in loads if load.ahead is not None]


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


def test_a_sweep_that_reads_again_and_computes_asks_wherever_the_array_lies():
    _, kernel, asking = lowered("softmax", (4096, 256), large=False)
    loops = [op for op in operations(kernel.body) if isinstance(op, For)]
    assert asking
    assert not [op for loop in loops[:-1] for op in operations(loop.body) if op in asking]
    assert lowered("rms_norm", (4096, 256), large=False)[2] == []


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


@pytest.mark.parametrize("large", [False, True])
def test_one_sweep_that_computes_asks_only_of_memory(large):
    """Nothing is read again between two rows, so that memory is never left without a request."""
    b = Builder("powers")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows, columns = b.axis("rows", dim(x, 0)), b.axis("columns", dim(x, 1))
    with b.parallel(rows):
        b.store(y, (rows,), b.reduce(b.map("exp", b.load(x, rows, columns)), columns, laws.ADD))
    shapes = {"x": (4096, 256), "y": (4096,)}
    kernel = specialise(b.build(), shapes)
    _, _, asking = planned(kernel, 4096, facts_of(kernel, shapes), large=large)
    assert bool(asking) == large


def test_a_gpu_asks_for_nothing():
    assert lowered("softmax", (4096, 256), sheet=SHEETS["metal"])[2] == []


@pytest.mark.parametrize(("dtype", "vectors"), [("f32", 1), ("bf16", 2)])
def test_the_columns_map_asks_for_rows_of_its_own_sixteen_ahead(dtype, vectors):
    """Each line of a row once: where two vectors share one, every other load asks."""
    plan, kernel, asking = lowered("sum", (256, 4096), dtype, across=True)
    assert plan.mapping.family == "columns"
    assert plan.mapping.ahead == ROWS_AHEAD
    read = [op for op in operations(kernel.body) if isinstance(op, Load) and op.mask is None]
    assert len(asking) * vectors == len(read)
    made = {op.result: op for op in operations(kernel.body) if hasattr(op, "result")}
    (distance,) = {load.ahead for load in asking}
    stride, rows = (made[arg] for arg in made[distance].args)
    assert stride.parameter.name == "x_stride1"
    assert rows.value == 16


def test_every_sweep_of_the_columns_map_asks():
    _, kernel, asking = lowered("softmax", (256, 4096), across=True)
    loads = [op for op in operations(kernel.body) if isinstance(op, Load) and op.mask is None]
    assert [load for load in loads if load.buffer.name == "x"] == asking != []


def test_a_scan_from_the_last_row_asks_for_rows_before():
    b = Builder("suffix")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    over, columns = b.axis("over", dim(x, 0)), b.axis("columns", dim(x, 1))
    with b.parallel(columns):
        b.store(y, (over, columns), b.scan(b.load(x, over, columns), over, laws.ADD, reverse=True))
    shapes = {"x": (4096, 256), "y": (4096, 256)}
    kernel = specialise(b.build(), shapes)
    plan, made, asking = planned(kernel, 256, facts_of(kernel, shapes))
    assert plan.mapping.family == "columns"
    defined = {op.result: op for op in operations(made.body) if hasattr(op, "result")}
    (distance,) = {load.ahead for load in asking}
    assert defined[defined[distance].args[1]].value == -ROWS_AHEAD


def test_the_columns_map_asks_for_nothing_that_a_cache_holds():
    plan, _, asking = lowered("sum", (256, 4096), large=False, across=True)
    assert plan.mapping.family == "columns"
    assert plan.mapping.ahead == 0
    assert asking == []
