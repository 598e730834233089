"""Extremes whose NaN nobody misses: which these are, and that strict functions are strict."""

import itertools

import numpy as np
import pytest

from certile.analysis.nans import STRICT, missed_by_none
from certile.ir import laws
from certile.ir.build import Builder
from certile.ir.dtypes import f32, i64
from certile.ir.functions import FUNCTIONS
from certile.reference.functions import apply
from tests import kernels
from tests.unit.analysis.programs import Row, rows_of
from tests.unit.analysis.test_rows import specialised


def row_program(write):
    """The row program of what `write` puts into one `parallel` over rows."""
    b = Row()
    with b.parallel(b.rows):
        write(b)
    return rows_of(b.build())


def parts(b, x=None):
    """A row, its maximum, and the sum of exponentials of their difference."""
    x = x or b.row()
    top = b.reduce(x, b.cols, laws.MAXIMUM)
    return x, top, b.reduce(b.map("exp", b.map("sub", x, top)), b.cols, laws.ADD)


def log_of_sum(b):
    _, top, total = parts(b)
    b.store(b.s, b.rows, b.map("add", b.map("log", total), top))


def log_of_sum_or_nothing(b):
    # Whether it is wanted does not depend on the row.
    _, top, total = parts(b)
    even = b.map("eq", b.map("bit_and", b.index(b.rows), 1), 0)
    b.store(b.s, b.rows, b.map("where", even, b.map("add", b.map("log", total), top), 0.0))


def of_minimum(b):
    x = b.row()
    low = b.reduce(x, b.cols, laws.MINIMUM)
    b.store(b.s, b.rows, b.reduce(b.map("sub", x, low), b.cols, laws.ADD))


@pytest.mark.parametrize(
    "kernel", [kernels.softmax(), kernels.cross_entropy()], ids=lambda kernel: kernel.name
)
def test_rows_that_add_exponentials_miss_no_maximum(kernel):
    rows = rows_of(specialised(kernel))
    assert {node.law.name for node in missed_by_none(rows)} == {"maximum"}


@pytest.mark.parametrize("write", [log_of_sum, log_of_sum_or_nothing, of_minimum])
def test_an_extreme_is_missed_by_none_where_a_sum_beside_it_carries_the_nan(write):
    assert len(missed_by_none(row_program(write))) == 1


def stored(b):
    _, top, _ = parts(b)
    b.store(b.s, b.rows, top)


def stored_beside(b):
    x, top, total = parts(b)
    b.store(b.s, b.rows, top)
    b.store(b.y, (b.rows, b.cols), b.map("div", x, total))


def compared(b):
    _, top, total = parts(b)
    b.store(b.s, b.rows, b.map("where", b.map("gt", top, 0.0), total, 1.0))


def of_another_array(b):
    _, top, total = parts(b)
    other = b.reduce(b.row(b.y), b.cols, laws.MAXIMUM)
    b.store(b.s, b.rows, b.map("add", b.map("add", total, top), other))


def of_some_elements(b):
    # A NaN is not greater than 0, and so it is not added.
    x = b.row()
    top = b.reduce(x, b.cols, laws.MAXIMUM)
    some = b.map("where", b.map("gt", x, 0.0), b.map("sub", x, top), 0.0)
    b.store(b.s, b.rows, b.reduce(some, b.cols, laws.ADD))


def of_a_power(b):
    # pow(x, 0) is 1 for a NaN too.
    x = b.row()
    top = b.reduce(x, b.cols, laws.MAXIMUM)
    total = b.reduce(b.map("pow", b.map("sub", x, top), 0.0), b.cols, laws.ADD)
    b.store(b.s, b.rows, b.map("mul", total, 2.0))


def counted(b):
    # An integer is no NaN.
    x = b.row()
    top = b.reduce(x, b.cols, laws.MAXIMUM)
    total = b.reduce(b.cast(b.map("sub", x, top), i64), b.cols, laws.ADD)
    b.store(b.s, b.rows, b.cast(total, f32))


def of_a_maximum_alone(b):
    x = b.row()
    top = b.reduce(x, b.cols, laws.MAXIMUM)
    b.store(b.s, b.rows, b.reduce(b.map("sub", x, top), b.cols, laws.MAXIMUM))


def with_a_start(b):
    # A start might be a NaN itself, so that the program is left alone.
    x = b.row()
    top = b.reduce(x, b.cols, laws.MAXIMUM, init=(float("-inf"),))
    b.store(b.s, b.rows, b.reduce(b.map("sub", x, top), b.cols, laws.ADD))


SEEN = [stored, stored_beside, compared, of_some_elements, of_a_power, counted, with_a_start]


@pytest.mark.parametrize("write", [*SEEN, of_a_maximum_alone])
def test_an_extreme_is_missed_where_its_nan_would_be_seen(write):
    assert not missed_by_none(row_program(write))


def test_a_fold_along_a_kept_axis_takes_a_nan_to_other_rows():
    # Where one row of an instance has a NaN, the sums of maxima are NaN for all rows of it.
    b = Builder("kept")
    x, y = b.view("x", rank=3), b.view("y", rank=2)
    p, h, w = b.axis("p", 8), b.axis("h", 4), b.axis("w", 32)
    with b.parallel(p):
        v = b.load(x, p, h, w)
        top = b.reduce(v, w, laws.MAXIMUM)
        total = b.reduce(b.map("exp", b.map("sub", v, top)), w, laws.ADD)
        b.store(y, (p, h), b.map("add", total, b.reduce(top, h, laws.ADD)))
    assert not missed_by_none(rows_of(b.build()))


def test_only_the_sum_over_the_same_elements_carries_a_nan():
    # `s` is NaN where x has one; the maximum of y is missed there, and that of x is not.
    rows = row_program(of_another_array)
    (found,) = missed_by_none(rows)
    other = next(node for node in rows.reductions if node.law.name == "maximum" and node != found)
    assert [node.buffer.name for node in (*found.args, *other.args)] == ["x", "y"]


@pytest.mark.parametrize("name", sorted(STRICT))
def test_strict_functions_are_nan_where_an_operand_is(name):
    arity = FUNCTIONS[name].arity
    numbers = [0.0, 1.0, -1.0, 2.5, np.inf, -np.inf]
    for place in range(arity):
        for others in itertools.product(numbers, repeat=arity - 1):
            args = [np.array(v, np.float32) for v in (*others[:place], np.nan, *others[place:])]
            with np.errstate(invalid="ignore"):
                assert np.isnan(apply(name, args, f32)), (name, args)
