"""Instances that meet are found by a witness, and nothing else is reported."""

import numpy as np
import pytest

from certile.analysis.meetings import certain_meetings
from certile.diagnostics import KernelError
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64
from certile.ir.walk import specialise
from certile.reference import run

N = 24


def sums(b, *parts):
    total = parts[0]
    for part in parts[1:]:
        total = b.map("add", total, part)
    return total


def kernel(load, store, *, rows=None, mask=None, scalar=False):
    """x[store(r)] = x[load(r)] for `rows` instances; places are made by `(b, r, n)`."""
    b = Builder("case")
    x, places = b.view("x", f32, 1), b.view("places", i64, 1)
    number = b.scalar("number", i64) if scalar else None
    axis = b.axis("rows", dim(x, 0) if rows is None else rows)
    with b.parallel(axis):
        r = b.index(axis)
        n = number if scalar else b.load(places, axis)
        value = b.load(x, load(b, r, n))
        on = None if mask is None else mask(b, r)
        b.store(x, store(b, r, n), value, mask=on)
    return b.build()


def witnesses(made, length=N):
    shapes = {"x": (length,), "places": (length,)}
    return list(certain_meetings(specialise(made, shapes), shapes))


def times(k):
    return lambda b, r, n: b.map("mul", r, k)


def plus(k, factor=1):
    return lambda b, r, n: sums(b, b.map("mul", r, factor), k)


# The place that is read, the place that is stored to, how many instances.
CASES = {
    "its own": (plus(0), plus(0), N),
    "the next": (plus(1), plus(0), N - 1),
    "the one before": (plus(0), plus(1), N - 1),
    "far": (plus(17), plus(0), N - 17),
    "beyond all": (plus(12), plus(0), 12),
    "even from odd": (plus(1, 2), times(2), N // 2),
    "even from all": (plus(0), times(2), N // 2),
    "reversed": (lambda b, r, n: b.map("sub", N - 1, r), plus(0), N),
    "first half reversed": (lambda b, r, n: b.map("sub", N - 1, r), plus(0), N // 2),
    "half": (plus(0), lambda b, r, n: b.map("floordiv", r, 2), N),
    "remainder": (lambda b, r, n: b.map("mod", r, 8), plus(0), N),
    "one": (lambda b, r, n: b.const(5, i64), plus(0), N),
    "selected": (lambda b, r, n: b.map("where", b.map("lt", r, 20), r, 3), plus(0), N),
    "clamped": (lambda b, r, n: b.map("minimum", sums(b, r, 1), N - 1), plus(0), N),
    "negated": (lambda b, r, n: sums(b, b.map("neg", r), N - 1), plus(0), N // 2),
}


def fails(made, **arguments):
    """Whether the interpreter finds that instances meet."""
    try:
        run(made, arguments)
    except KernelError as error:
        return error.code == "K091"
    return False


@pytest.mark.parametrize("name", CASES)
def test_the_interpreter_agrees(name):
    load, store, rows = CASES[name]
    made = kernel(load, store, rows=rows)
    found = witnesses(made)
    assert [each.code for each in found] == ["K091"] * len(found)
    x = np.zeros(N, np.float32)
    assert bool(found) == fails(made, x=x, places=np.arange(N))


@pytest.mark.parametrize("distance", [1, 5, 1000, 99_999])
def test_far_instances_of_many(distance):
    made = kernel(plus(distance), plus(0), rows=200_000 - distance)
    (found,) = witnesses(made, 200_000)
    assert f"rows={distance} and loaded by instance rows=0" in found.message
    assert found.hint


def test_a_mask_that_keeps_instances_apart():
    def only(threshold):
        return lambda b, r: b.map("lt", r, threshold)

    apart, meeting = (
        kernel(plus(12), plus(0), rows=N - 12, mask=None),
        kernel(plus(4), plus(0), rows=N - 4, mask=only(5)),
    )
    assert not witnesses(apart)
    assert witnesses(meeting)
    assert not witnesses(kernel(plus(4), plus(0), rows=N - 4, mask=only(4)))


def test_what_data_and_scalars_decide_is_left_open():
    by_data = kernel(plus(0), lambda b, r, n: n)
    assert not witnesses(by_data)
    assert fails(by_data, x=np.zeros(N, np.float32), places=np.zeros(N, np.int64))
    by_scalar = kernel(lambda b, r, n: sums(b, r, n), plus(0), rows=4, scalar=True)
    assert not witnesses(by_scalar)


def nested(inside_serial):
    """x[k + 1, j] = x[k, j], where k is a loop around the instances j, or an instance itself."""
    b = Builder("case")
    x = b.view("x", f32, 2)
    outer, inner = b.axis("outer", 3), b.axis("inner", dim(x, 1))
    if inside_serial:
        with b.parallel(b.axis("one", 1)), b.serial(outer), b.parallel(inner):
            k = b.index(outer)
            b.store(x, [sums(b, k, 1), inner], b.load(x, k, inner))
    else:
        with b.parallel(outer), b.parallel(inner):
            k = b.index(outer)
            b.store(x, [sums(b, k, 1), inner], b.load(x, k, inner))
    return b.build()


@pytest.mark.parametrize("inside_serial", [True, False])
def test_iterations_are_in_order_and_instances_are_not(inside_serial):
    made, shapes = nested(inside_serial), {"x": (4, 5)}
    found = list(certain_meetings(specialise(made, shapes), shapes))
    assert bool(found) is not inside_serial
    assert fails(made, x=np.zeros((4, 5), np.float32)) is not inside_serial
