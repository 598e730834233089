"""Rows asked for ahead: which loads ask, in which sweep, how far on, and when none does."""

import dataclasses

import numpy as np
import pytest

from certile.cli.subject import facts_of
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.ir.machine import Ask, Compute, Constant, For, Load, Parameter, operations
from certile.ir.walk import parallel_regions, specialise
from certile.lower import lower_parallel
from certile.ops.kernels import bare
from certile.plan.choose import choose
from certile.plan.columns import ROWS_AHEAD
from certile.plan.options import Options
from certile.reference import machine
from certile.targets import SHEETS

AVX512 = dataclasses.replace(SHEETS["cpu-avx512"], cores=2)


def lowered(op, shape, dtype="f32", *, large=True, sheet=AVX512, across=False, **flags):
    """The plan of an operation's launch, its Machine IR, and what that asks for.

    Matrices that lie `across` have neighbouring rows side by side in memory.
    """
    made = bare(op, shape, dtype, **flags)
    facts = facts_of(made.kernel, made.shapes)
    if across:
        facts = {n: dataclasses.replace(f, strides=f.strides[::-1]) for n, f in facts.items()}
    return planned(made.kernel, made.programs[0], facts, sheet, large=large)


def planned(kernel, programs, facts, sheet=AVX512, *, large=True):
    """The plan of a kernel's one launch, its Machine IR, and what that asks for."""
    facts = {name: dataclasses.replace(fact, large=large) for name, fact in facts.items()}
    (region,) = parallel_regions(kernel)
    plan = choose(kernel, region, programs, sheet, Options(), facts=facts)
    made = lower_parallel("k", kernel, region, plan, facts).launches[0].kernel
    return plan, made, [op for op in operations(made.body) if isinstance(op, Ask)]


def rows_asked_for(kernel, asking):
    """By how many strides of which name the places lie ahead: no stride is known."""
    made = {op.result: op for op in operations(kernel.body) if hasattr(op, "result")}
    found, waiting = set(), [ask.place for ask in asking]
    while waiting:
        op = made.get(waiting.pop())
        if isinstance(op, Compute) and op.fn == "add":
            waiting += op.args
        elif isinstance(op, Compute) and op.fn == "mul":
            stride, rows = (made.get(arg) for arg in op.args)
            if isinstance(stride, Parameter) and isinstance(rows, Constant):
                found.add((stride.parameter.name, rows.value))
    return found


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
    """8 rows of 256 elements ahead, whatever lies between the rows."""
    _, kernel, asking = lowered("sum", (4096, 256))
    assert rows_asked_for(kernel, asking) == {("x_stride0", 8)}


@pytest.mark.parametrize(
    ("columns", "near"),
    [(255, True), (256, True), (1500, True), (2048, True), (2050, False), (4096, False)],
)
def test_rows_are_near_while_the_first_cache_holds_what_lies_between(columns, near):
    _, _, asking = lowered("softmax", (4096, columns))
    assert {ask.near for ask in asking} == {near}


@pytest.mark.parametrize(("dtype", "vectors"), [("f32", 1), ("bf16", 2)])
def test_a_line_is_asked_for_once(dtype, vectors):
    _, _, asking = lowered("sum", (4096, 256), dtype)
    assert len(asking) == 16 // vectors


def test_rows_that_all_programs_share_are_not_asked_for():
    _, _, asking = lowered("rms_norm", (4096, 256), weight=True)
    assert {ask.buffer.name for ask in asking} == {"x"}


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


def along_the_first_axis(reverse):
    """The sums of x[over, columns] over its first axis; with a direction, the running ones."""
    b = Builder("along")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1 if reverse is None else 2)
    over, columns = b.axis("over", dim(x, 0)), b.axis("columns", dim(x, 1))
    with b.parallel(columns):
        loaded = b.load(x, over, columns)
        if reverse is None:
            b.store(y, columns, b.reduce(loaded, over, laws.ADD))
        else:
            b.store(y, (over, columns), b.scan(loaded, over, laws.ADD, reverse=reverse))
    return b.build()


@pytest.mark.parametrize(("dtype", "vectors"), [("f32", 1), ("bf16", 2)])
def test_the_columns_map_asks_for_rows_of_its_own_sixteen_ahead(dtype, vectors):
    """As many lines in a step as it reads, in either of two ways: two vectors may share one."""
    plan, kernel, asking = lowered("sum", (256, 4096), dtype, across=True)
    assert plan.mapping.family == "columns"
    assert plan.mapping.ahead == ROWS_AHEAD
    read = [op for op in operations(kernel.body) if isinstance(op, Load) and op.mask is None]
    a_run, a_step = len(read) // vectors, len(read)
    assert len(asking) == a_run + a_step
    assert not any(ask.near for ask in asking)
    assert rows_asked_for(kernel, asking) == {("x_stride1", 16)}


@pytest.mark.parametrize(
    ("programs", "rows", "reverse"),
    [
        (64, 40, None),
        (77, 43, None),
        (200, 9, None),
        (1000, 24, None),
        (256, 5, False),
        (1024, 24, True),
    ],
)
def test_every_line_of_a_strip_is_asked_for_once(monkeypatch, programs, rows, reverse):
    """A round asks for the whole vectors of the rows that many rows on, and no vector twice."""
    shapes = {"x": (rows, programs), "y": (programs,) if reverse is None else (rows, programs)}
    kernel = specialise(along_the_first_axis(reverse), shapes)
    plan, made, _ = planned(kernel, programs, facts_of(kernel, shapes))
    assert plan.mapping.family == "columns"
    found = []

    def record(run, operation, active):
        places, asks = np.broadcast_arrays(
            run.environment[operation.place], True if active is None else active
        )
        found.extend(places[..., 0][asks[..., 0]])

    monkeypatch.setitem(machine._EXECUTE, Ask, record)
    buffers = {name: np.zeros(np.prod(shape), np.float32) for name, shape in shapes.items()}
    known = {"programs": programs, "x_stride0": programs, "y_stride0": programs}
    scalars = {parameter.name: known[parameter.name] for parameter in made.scalars}
    assert machine.run_machine(made, buffers, scalars, programs).ok
    # The rows that fill no round ask for nothing.
    whole = (
        rows
        if reverse is not None
        else rows // plan.mapping.rows_at_once * plan.mapping.rows_at_once
    )
    walked = range(whole)
    read = [rows - 1 - row - ROWS_AHEAD if reverse else row + ROWS_AHEAD for row in walked]
    lines = range(0, programs // AVX512.lanes * AVX512.lanes, 16)
    assert sorted(found) == sorted(row * programs + line for row in read for line in lines)


def test_every_sweep_of_the_columns_map_asks():
    _, kernel, asking = lowered("softmax", (256, 4096), across=True)
    sweeps = [
        loop
        for loop in operations(kernel.body)
        if isinstance(loop, For) and any(isinstance(op, For) for op in operations(loop.body))
    ]
    assert sweeps
    for sweep in sweeps:
        inside = list(operations(sweep.body))
        reads = [op for op in inside if isinstance(op, Load) and op.buffer.name == "x"]
        assert reads != []
        assert [op for op in inside if op in asking] != []


def test_a_scan_from_the_last_row_asks_for_rows_before():
    shapes = {"x": (4096, 256), "y": (4096, 256)}
    kernel = specialise(along_the_first_axis(reverse=True), shapes)
    plan, made, asking = planned(kernel, 256, facts_of(kernel, shapes))
    assert plan.mapping.family == "columns"
    assert rows_asked_for(made, asking) == {("x_stride0", -ROWS_AHEAD)}


def test_the_columns_map_asks_for_nothing_that_a_cache_holds():
    plan, _, asking = lowered("sum", (256, 4096), large=False, across=True)
    assert plan.mapping.family == "columns"
    assert plan.mapping.ahead == 0
    assert asking == []
