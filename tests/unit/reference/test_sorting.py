"""The order that sorts mean, and what inexact elements leave certain of it."""

import numpy as np
import pytest

from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64
from certile.reference import agrees
from certile.reference.sorting import order
from certile.reference.values import Value

INF, NAN = np.inf, np.nan


def ordered(elements, descending=False, error=None):
    given = Value(np.array(elements), 0, None, None if error is None else np.array(error))
    return order(given, descending=descending)


@pytest.mark.parametrize(
    ("elements", "descending", "positions"),
    [
        ([3, 1, 2, 1], False, [1, 3, 2, 0]),
        ([3, 1, 2, 1], True, [0, 2, 1, 3]),
        ([NAN, 1.0, INF, NAN, -INF], False, [4, 1, 2, 0, 3]),
        ([NAN, 1.0, INF, NAN, -INF], True, [0, 3, 2, 1, 4]),
        ([0.0, -0.0, 0.0], False, [0, 1, 2]),
        ([0.0, -0.0, 0.0], True, [0, 1, 2]),
        ([True, False, True], True, [0, 2, 1]),
    ],
)
def test_ties_keep_their_order_and_nan_is_the_greatest(elements, descending, positions):
    values, places = ordered(elements, descending)
    assert places.data.tolist() == positions
    np.testing.assert_array_equal(values.data, np.array(elements)[positions])
    assert values.error is None
    assert places.error is None


def test_zeros_come_out_positive():
    values, _ = ordered([-0.0, 1.0, 0.0])
    assert not np.signbit(values.data).any()


def test_a_bound_is_that_of_the_farthest_and_near_neighbours_may_trade_places():
    values, places = ordered([1.0, 5.0, 1.1, 9.0], error=[0.1, 0.0, 0.0, 0.0])
    assert values.data.tolist() == [1.0, 1.1, 5.0, 9.0]
    assert values.error.tolist() == [0.1, 0.1, 0.1, 0.1]
    assert places.error.tolist() == [INF, INF, 0.0, 0.0]


def exponentials_in_order():
    b = Builder("k")
    x, y, p = b.view("x", f32, 2), b.view("y", f32, 2), b.view("p", i64, 2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        values, positions = b.sort(b.map("exp", b.load(x, rows, cols)), cols)
        b.store(y, (rows, cols), values)
        b.store(p, (rows, cols), positions)
    return b.build()


def test_the_judge_allows_what_rounding_may_change_and_no_more():
    x = np.array([[0.5, np.nextafter(np.float32(0.5), np.float32(1)), 2.0]], np.float32)
    y, p = np.sort(np.exp(x)), np.array([[0, 1, 2]])
    inputs = {"x": x, "y": np.zeros_like(y), "p": np.zeros_like(p)}

    def judged(values, positions):
        return bool(agrees({"y": values, "p": positions}, exponentials_in_order(), inputs))

    assert judged(y, p)
    assert judged(y, np.array([[1, 0, 2]]))
    assert not judged(y, np.array([[0, 1, 1]]))
    assert not judged(y * np.float32(1.01), p)
