"""What nothing reads goes, stores to private arrays included, and nothing else does."""

import numpy as np
import pytest

from certile.ir.build import Builder as Tiles
from certile.ir.dtypes import f32, i64
from certile.ir.machine import (
    ArrayStore,
    Buffer,
    Compute,
    If,
    PrivateArray,
    ScalarParameter,
    Store,
    operations,
)
from certile.ir.machine.build import Builder
from certile.ir.machine.prune import arrays_of
from tests.differential.harness import HOST_SHEET, Case
from tests.kernels import matrix

X = Buffer("x", f32, written=False)
Y = Buffer("y", f32, written=True)
N = ScalarParameter("n", i64)
KEPT, OTHER = (PrivateArray(name, f32, 8) for name in ("kept", "other"))


def of_kind(block, kind):
    return [operation for operation in operations(block) if isinstance(operation, kind)]


def loop(builder, body):
    """Run `body` for 8 rounds, which nothing knows before."""

    def one(number, _):
        body(number)
        return ()

    builder.for_(0, builder.parameter(N), 1, (), one)


def stored(builder, array, number):
    value = builder.compute("exp", builder.load(X, builder.address(base=number), None, None))
    builder.array_store(array, number, value)


def test_stores_to_an_array_that_nothing_loads_go_with_what_they_need():
    b = Builder(8)

    def body(number):
        stored(b, OTHER, number)
        b.store(Y, b.address(number), b.load(X, b.address(number)))

    loop(b, body)
    block = b.block()
    assert not of_kind(block, ArrayStore)
    assert not of_kind(block, Compute)
    assert len(of_kind(block, Store)) == 1


def test_a_loop_that_only_fills_such_an_array_goes():
    b = Builder(8)
    loop(b, lambda number: stored(b, OTHER, number))
    assert b.block().operations == ()


@pytest.mark.parametrize("first", [True, False])
def test_stores_stay_where_a_load_is_read(first):
    """Wherever the load stands: a round may read what an earlier one wrote."""
    b = Builder(8)

    def body(number):
        if first:
            stored(b, KEPT, number)
        b.store(Y, b.address(number), b.array_load(KEPT, number))
        if not first:
            stored(b, KEPT, number)

    loop(b, body)
    block = b.block()
    assert len(of_kind(block, ArrayStore)) == 1
    assert len(of_kind(block, Compute)) == 1
    assert arrays_of(block) == {KEPT}


def test_a_load_that_only_a_dead_store_reads_takes_its_own_array_with_it():
    b = Builder(8)

    def body(number):
        stored(b, KEPT, number)
        b.array_store(OTHER, number, b.array_load(KEPT, number))

    loop(b, body)
    assert b.block().operations == ()


def test_a_branch_that_only_fills_such_an_array_goes():
    b = Builder(8)
    many = b.lt(3, b.parameter(N))
    b.if_(many, lambda: stored(b, OTHER, 2), lambda: stored(b, OTHER, 3))
    assert not of_kind(b.block(), If)


def test_a_kernel_declares_no_array_that_it_does_not_use():
    """What two readers share in one loop is kept in a stripe that nobody reads afterwards."""
    b = Tiles("shared_once")
    x, y = b.view("x", f32, 2), b.view("y", f32, 2)
    rows, cols = matrix(b, x)
    with b.parallel(rows):
        e = b.map("exp", b.load(x, rows, cols))
        b.store(y, (rows, cols), b.map("div", e, b.map("add", e, 1.0)))
    arrays = {name: np.ones((4, 64), np.float32) for name in "xy"}
    ((plan, launch),) = Case(b.build(), arrays).lower(HOST_SHEET)
    assert plan.rows.materialized
    assert launch.kernel.arrays == ()
    assert not of_kind(launch.kernel.body, ArrayStore)
