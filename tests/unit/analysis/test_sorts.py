"""Sorts in row programs: where they stand, who may read them, what is refused."""

import dataclasses

import pytest

from certile.analysis.ownership import audit
from certile.ir import laws
from certile.ir.dtypes import f32, i64
from tests.unit.analysis.programs import N, Row, kinds, refusal_of, rows_of


def test_a_sort_is_a_step_of_its_own_between_what_it_reads_and_what_reads_it():
    b = Row()
    top = b.axis("top", 4)
    z = b.view("z", rank=2)
    with b.parallel(b.rows):
        row = b.row()
        centred = b.map("sub", row, b.reduce(row, b.cols, laws.ADD))
        values, _ = b.sort(centred, b.cols, top)
        shares = b.map("div", values, b.reduce(values, top, laws.ADD))
        b.store(z, (b.rows, top), shares)
    rows = rows_of(b.build())
    assert kinds(rows.steps) == ["reduce", "sort", "reduce", "store"]
    assert [step.elements for step in rows.steps] == [N, N, 4, 4]
    assert rows.sorts == (values.of,)
    assert rows.materialized == ()


def test_a_sort_of_a_loops_values_stands_in_the_loop():
    b = Row()
    three = b.axis("three", 3)
    with b.parallel(b.rows):
        once, _ = b.sort(b.row(), b.cols)
        with b.serial(three, carry=[b.const(0, f32)]) as loop:
            moved = b.map("mul", once, b.cast(b.index(three), f32))
            values, _ = b.sort(moved, b.cols)
            loop.yields(b.map("add", loop.carried[0], b.reduce(values, b.cols, laws.ADD)))
        b.store(b.s, b.rows, loop.results[0])
    rows = rows_of(b.build())
    assert kinds(rows.steps) == ["sort", ["sort", "reduce"], "store"]


def gathered(b):
    values, _ = b.sort(b.row(), b.cols)
    labels = b.view("labels", i64, 1)
    b.store(b.s, b.rows, b.gather(values, b.load(labels, b.rows), b.cols, 0.0))


def relabelled(b):
    other = b.axis("other", N)
    values, _ = b.sort(b.row(), b.cols)
    b.store(b.y, (b.rows, other), b.relabel(values, b.cols, other))


@pytest.mark.parametrize("read", [gathered, relabelled])
def test_a_sorted_row_that_is_read_elsewhere_is_refused(read):
    b = Row()
    with b.parallel(b.rows):
        read(b)
    assert refusal_of(b.build()).rule == "private_storage"


def test_a_sort_that_keeps_an_axis_is_refused():
    b = Row(width=12)
    i, j = b.axis("i", 12), b.axis("j", 5)
    source, target = b.view("source", rank=3), b.view("target", rank=3)
    with b.parallel(b.rows):
        values, _ = b.sort(b.load(source, b.rows, i, j), j)
        b.store(target, (b.rows, i, j), values)
    refusal = refusal_of(b.build())
    assert refusal.rule == "element_order"
    assert "it keeps i" in refusal.text


def test_the_audit_sees_a_sort_that_is_read_before_it_is_done():
    b = Row()
    with b.parallel(b.rows):
        values, _ = b.sort(b.row(), b.cols)
        b.store(b.y, (b.rows, b.cols), values)
    rows = rows_of(b.build())
    assert audit(rows) is None
    sort, store = rows.steps
    wrong = dataclasses.replace(rows, steps=(store, sort))
    assert audit(wrong).rule == "private_storage"
