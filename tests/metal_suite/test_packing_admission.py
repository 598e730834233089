"""Six programs and what a pack of cooperating programs says to each.

Packed programs share barriers, and a slot without a program replays the last one.  So what stands
around a reduction must come exactly once, and what is read must not be what others write.
"""

import pytest

from certile.diagnostics import KernelError
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32
from certile.ir.machine import Barrier, If, SharedStore
from certile.plan.choose import required
from tests import kernels
from tests.metal_suite.suite import (
    Request,
    Suite,
    asked,
    blank,
    normal,
    places,
    unconditional,
)
from tests.unit.analysis.programs import refusal_of

ROWS, COLUMNS, STEPS = 5, 257, 4
PACKED = asked(programs_per_group=2, threads=128)


def looped(steps, *, step=1):
    """The maximum over a loop of the sums of a row; `steps` None: as many rounds as x has rows."""
    b = Builder("looped")
    x, y = b.view("x", rank=2), b.view("y", rank=1)
    rows, cols = b.axis("rows", dim(y, 0)), b.axis("cols", dim(x, 1))
    rounds = b.axis("rounds", dim(x, 0) if steps is None else steps)
    with b.parallel(rows):
        with b.serial(rounds, step=step, carry=[b.const(float("-inf"), f32)]) as loop:
            total = b.reduce(b.load(x, rows, cols), cols, laws.ADD)
            loop.yields(b.map("maximum", loop.carried[0], total))
        b.store(y, rows, loop.results[0])
    return b.build()


def in_place():
    """Each row less its mean: one view, read and written."""
    b = Builder("in_place")
    x = b.view("x", rank=2)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        v = b.load(x, rows, cols)
        mean = b.map("div", b.reduce(v, cols, laws.ADD), b.cast(b.extent(dim(x, 1)), f32))
        b.store(x, (rows, cols), b.map("sub", v, mean))
    return b.build()


def row_varying():
    """A reduction in a loop whose bound nobody knows when the program is analysed.

    A bound that differs from row to row cannot be written: extents are of shapes.  What TIRx brings
    of that kind is refused where it is read, in tests/tirx.
    """
    b = Builder("row_varying")
    x, y, lengths = b.view("x", rank=2), b.view("y", rank=1), b.view("lengths", rank=1)
    rows, cols = b.axis("rows", dim(y, 0)), b.axis("cols", COLUMNS)
    with b.parallel(rows):
        with b.serial(b.axis("rounds", dim(lengths, 0)), carry=[b.const(0, f32)]) as loop:
            total = b.reduce(b.load(x, rows, cols), cols, laws.ADD)
            loop.yields(b.map("add", loop.carried[0], total))
        b.store(y, rows, loop.results[0])
    return b.build()


def sums(kernel, options=PACKED, rows=ROWS):
    return Request(kernel, {"x": normal(rows, COLUMNS), "y": blank(rows)}, options)


@pytest.fixture(scope="module")
def suite():
    unpacked = asked(threads=128)
    return Suite(
        {
            "direct": sums(kernels.sum_rows()),
            "a unit wrapper": sums(looped(1)),
            "repeated": sums(looped(STEPS), unpacked),
            "in place": Request(in_place(), {"x": normal(ROWS, COLUMNS)}, unpacked),
        }
    )


@pytest.mark.parametrize("name", ["direct", "a unit wrapper"])
def test_one_reduction_is_packed(suite, name):
    made = suite[name]
    assert made.mapping == (2, 2)
    assert made.plan.active_programs_last_block == 1
    check_sums(suite, name)


def check_sums(suite, name):
    x = suite[name].request.arguments["x"].astype("f8")
    error = abs(suite.run(name)["y"] - x.sum(axis=1))
    assert (error <= 20 * 2.0**-24 * abs(x).sum(axis=1)).all()


@pytest.mark.parametrize("name", ["direct", "a unit wrapper"])
def test_the_fence_of_the_group_is_under_no_condition(suite, name):
    """In the typed program, and in the text; storing a partial result is each subgroup's own."""
    made = suite[name]
    fences = [p for p in places(made.machine.body) if isinstance(p.operation, Barrier)]
    assert [fence.conditional for fence in fences] == [False]
    assert unconditional(made, "threadgroup_barrier(") == 1
    at = [p.operation for p in places(made.machine.body)]
    fence = next(n for n, o in enumerate(at) if isinstance(o, Barrier))
    assert [n for n, o in enumerate(at) if isinstance(o, SharedStore)] == [fence - 1]
    # The only condition is the one of the store of a result, which idle slots leave out.
    assert all(n > fence for n, o in enumerate(at) if isinstance(o, If))


def refused(request):
    """The plan of a request that cannot be had, and the refusal of packing or of admission."""
    plan = request.plan()
    with pytest.raises(KernelError, match="P004"):
        required(plan)
    assert plan.mapping is None
    (refusal,) = plan.refusals
    return refusal


def test_a_repeated_loop_is_refused(suite):
    refusal = refused(sums(looped(STEPS)))
    assert (refusal.kind, refusal.rule) == ("plan", "packing")
    assert refusal.missing == "a reduction stands in a loop that repeats"
    # The same loop runs with a group to itself, where a second fence keeps its rounds apart.
    assert suite["repeated"].mapping == (4, 1)
    assert len(suite["repeated"].plan.second_fences) == 1
    check_sums(suite, "repeated")


def test_a_loop_that_steps_is_refused_though_it_comes_once():
    assert refused(sums(looped(2, step=2))).rule == "packing"


def test_a_bound_that_is_known_only_at_launch_is_refused():
    refusal = refusal_of(row_varying())
    assert (refusal.kind, refusal.rule) == ("admission", "control")
    assert refusal.claim == "a serial loop has a static extent and a positive step"
    # For shapes that are known it is a loop that repeats.
    arguments = {"x": normal(ROWS, COLUMNS), "y": blank(ROWS), "lengths": normal(3)}
    assert refused(Request(row_varying(), arguments, PACKED)).rule == "packing"


def test_a_view_that_is_read_and_written_is_refused(suite):
    request = Request(in_place(), {"x": normal(ROWS, COLUMNS)}, PACKED)
    refusal = refused(request)
    assert (refusal.kind, refusal.rule) == ("plan", "packing")
    assert refusal.missing == "a view is both read and written"
    full = Request(in_place(), {"x": normal(4, COLUMNS)}, PACKED)
    assert refused(full).rule == "packing"
    made = suite["in place"]
    assert made.mapping == (4, 1)
    x = made.request.arguments["x"].astype("f8")
    error = abs(suite.run("in place")["x"] - (x - x.mean(axis=1, keepdims=True)))
    assert error.max() < 1e-5


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (asked(programs_per_group=2, threads=2048), "threads"),
        (asked(programs_per_group=33), "threads"),
        (asked(programs_per_group=2, threads=96), "threads"),
        (asked(programs_per_group=8, threads=1024, shared_bytes=64), "budget"),
        (asked(programs_per_group=2, threads=128, max_stripe=0), "budget"),
    ],
)
def test_what_is_over_a_limit_is_refused(options, code):
    plan = sums(kernels.sum_rows(), options).plan()
    assert (plan.mapping, plan.declined.code) == (None, code)
    assert not plan.candidates
    with pytest.raises(KernelError, match="P004"):
        required(plan)
