"""Which axes lie across lanes, which loops stand around steps, and what outlives them."""

import dataclasses

import pytest

from certile.analysis.ownership import audit
from certile.ir import laws
from certile.ir.dtypes import f32
from certile.ir.rows import Step, Stripe
from certile.ir.tile import Carried, Map, Parallel, Reduce
from certile.plan.choose import choose
from certile.plan.record import Options
from certile.plan.subgroup.space import stripe_scalars
from certile.plan.text import plan_text
from certile.targets.cpu import CPU_AVX512
from certile.targets.metal import METAL
from tests.unit.analysis.programs import N, Row, refusal_of, rows_of


class Matrix(Row):
    """A builder with a matrix z[row, line, column] a program, and outputs for each of its sides."""

    def __init__(self, lines=5, width=N):
        super().__init__(width=width)
        self.lines = self.axis("lines", lines)
        self.z, self.w = self.view("z", rank=3), self.view("w", rank=3)
        self.t = self.view("t", rank=2)

    def matrix(self):
        """Load the instance's matrix."""
        return self.load(self.z, self.rows, self.lines, self.cols)


def shape(steps):
    """The kinds of steps; a loop over an axis is its name and what it holds."""
    return [
        (step.node.over[0].name, shape(step.body))
        if isinstance(step.node, Parallel)
        else shape(step.body)
        if step.kind == "serial"
        else step.kind
        for step in steps
    ]


def names(rows):
    return {axis.name for axis in rows.lanes}


def normalised(*, last, lines=5, width=N, policy="unordered_tree"):
    """Each line, or each column, divided by its sum."""
    b = Matrix(lines, width)
    with b.parallel(b.rows):
        v = b.matrix()
        total = b.reduce(v, b.cols if last else b.lines, laws.ADD, policy=policy)
        b.store(b.t, (b.rows, b.lines if last else b.cols), total)
        b.store(b.w, (b.rows, b.lines, b.cols), b.map("div", v, total))
    return b.build()


def test_lanes_share_a_line_and_a_loop_walks_the_lines():
    rows = rows_of(normalised(last=True))
    assert names(rows) == {"cols"}
    assert shape(rows.steps) == [("lines", ["reduce", "store", "store"])]
    assert (rows.stripes, rows.folds) == ((), ())
    assert (rows.reduction_extents, rows.reduction_trips) == ((N,), (5,))
    assert (rows.domains, rows.domain_trips) == ((1, N), (5, 5))


def test_each_lane_adds_its_own_column():
    rows = rows_of(normalised(last=False))
    assert names(rows) == {"cols"}
    assert shape(rows.steps) == ["fold", "store", ("lines", ["store"])]
    (stripe,) = rows.stripes
    assert (stripe.outer, [axis.name for axis in stripe.axes]) == ((), ["cols"])
    assert (rows.reductions, len(rows.folds)) == ((), 1)
    assert stripe_scalars(rows, 32, 1) == N // 32


def test_short_lines_lie_one_in_each_lane():
    assert names(rows_of(normalised(last=True, lines=512, width=2))) == {"lines"}
    assert names(rows_of(normalised(last=True, lines=2, width=512))) == {"cols"}


def test_a_fixed_order_is_made_by_all_lanes_or_by_one():
    for policy in ("ordered_tree", "reproducible"):
        assert names(rows_of(normalised(last=True, policy=policy))) == {"cols"}
    fold = rows_of(normalised(last=True, policy="fold_left"))
    assert (names(fold), len(fold.folds)) == ({"lines"}, 1)


def two_sides():
    """The sums of lines, their maximum, and the matrix over that maximum."""
    b = Matrix()
    with b.parallel(b.rows):
        v = b.matrix()
        sums = b.reduce(v, b.cols, laws.ADD)
        top = b.reduce(sums, b.lines, laws.MAXIMUM)
        shifted = b.map("sub", v, b.map("exp", b.map("sub", sums, top)))
        again = b.reduce(b.map("exp", b.map("sub", sums, top)), b.lines, laws.ADD)
        b.store(b.w, (b.rows, b.lines, b.cols), b.map("div", shifted, again))
    return b.build()


def test_what_outlives_its_loop_is_kept_for_every_round():
    rows = rows_of(two_sides())
    assert shape(rows.steps) == [
        ("lines", ["reduce"]),
        "fold",
        ("lines", ["materialize"]),
        "fold",
        ("lines", ["store"]),
    ]
    kept = {type(stripe.key): stripe for stripe in rows.stripes}
    assert set(kept) == {Reduce, Map}
    assert all(stripe.axes == () and stripe.copies == 5 for stripe in kept.values())


def test_an_expensive_matrix_is_kept_a_line_at_a_time_or_made_again():
    b = Matrix()
    with b.parallel(b.rows):
        v = b.matrix()
        e = b.map("exp", b.map("sub", v, b.reduce(v, b.cols, laws.MAXIMUM)))
        b.store(b.w, (b.rows, b.lines, b.cols), b.map("div", e, b.reduce(e, b.cols, laws.ADD)))
    rows = rows_of(b.build())
    assert shape(rows.steps) == [("lines", ["reduce", "materialize", "reduce", "store"])]
    assert stripe_scalars(rows, 32, 1) == N // 32

    b = Matrix()
    with b.parallel(b.rows):
        e = b.map("exp", b.matrix())
        total = b.reduce(b.reduce(e, b.cols, laws.ADD), b.lines, laws.ADD)
        b.store(b.w, (b.rows, b.lines, b.cols), b.map("div", e, total))
    rows = rows_of(b.build())
    assert rows.materialized == ()
    assert shape(rows.steps) == [("lines", ["reduce"]), "fold", ("lines", ["store"])]


def test_a_small_budget_asks_for_another_layout():
    kernel = normalised(last=False, lines=4, width=4096)
    wide, tight = rows_of(kernel), rows_of(kernel, budget=64)
    assert (names(wide), stripe_scalars(wide, 32, 1)) == ({"cols"}, 128)
    assert names(tight) == {"lines"}
    assert stripe_scalars(tight, 32, 1) <= 64


def test_no_layout_lets_a_lane_read_what_another_holds():
    b = Matrix(lines=8, width=8)
    with b.parallel(b.rows):
        v = b.matrix()
        sums = b.reduce(v, b.cols, laws.ADD)
        turned = b.relabel(sums, b.lines, b.cols)
        b.store(b.w, (b.rows, b.lines, b.cols), b.map("sub", v, turned))
    assert refusal_of(b.build()).rule == "canonical_state"


def test_what_all_lanes_read_is_not_stored_by_one():
    """A sum over t[r, line] is made by the lanes that own the lines they store, not by all."""
    b = Matrix()
    with b.parallel(b.rows):
        old = b.load(b.t, b.rows, b.lines)
        sums = b.reduce(b.matrix(), b.cols, laws.ADD)
        total = b.reduce(old, b.lines, laws.ADD)
        b.store(b.t, (b.rows, b.lines), b.map("add", sums, total))
    assert names(rows_of(b.build())) == {"lines"}

    b = Matrix()
    with b.parallel(b.rows):
        old = b.load(b.t, b.rows, b.lines)
        b.store(b.t, (b.rows, b.lines), b.map("add", old, b.reduce(b.matrix(), b.cols, laws.ADD)))
    assert names(rows_of(b.build())) == {"cols"}


# Plans.


def test_several_subgroups_are_rejected_with_the_reason():
    kernel = normalised(last=True)
    (region,) = kernel.body
    plan = choose(kernel, region, 8, METAL, Options(policy="analytic"))
    assert plan.mapping.subgroups_per_program == 1
    assert {no.subgroups_per_program for no in plan.rejected} == set(range(2, 33))
    assert {(no.rule, no.limit) for no in plan.rejected} == {("width", 1)}
    asked = choose(kernel, region, 8, METAL, Options(threads=64))
    assert asked.mapping is None
    assert "within one subgroup" in asked.declined.reason


def test_a_plan_says_which_axis_lies_across_lanes():
    for last, line in ((True, "lanes along  cols"), (False, "fold         add over lines")):
        kernel = normalised(last=last)
        assert line in plan_text(choose(kernel, kernel.body[0], 8, CPU_AVX512))


# Loops that carry tiles.


def carried(after):
    """A loop over five rounds that carries rows; `after(builder, rows)` are the next ones."""
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        with b.serial(b.axis("k", 5), carry=[v, b.map("neg", v)]) as loop:
            loop.yields(*after(b, loop.carried))
        b.store(b.y, (b.rows, b.cols), b.map("add", *loop.results))
    return b.build()


def assigned(rows):
    """The carried tiles that the loop's body assigns, spare stripes as None, in order."""
    (loop,) = [step for step in rows.steps if step.kind == "serial"]
    params = loop.node.params
    return [
        params.index(step.node) if step.node in params else None
        for step in loop.body
        if step.kind == "assign"
    ]


def test_rows_are_carried_in_place_where_nobody_reads_them_later():
    alone = rows_of(carried(lambda b, at: (b.map("mul", at[0], 0.5), b.map("exp", at[1]))))
    assert assigned(alone) == [0, 1]
    assert [type(stripe.key) for stripe in alone.stripes] == [Carried, Carried]
    reads = rows_of(carried(lambda b, at: (b.map("add", *at), b.map("exp", at[1]))))
    assert assigned(reads) == [0, 1]
    turned = rows_of(carried(lambda b, at: (b.map("exp", at[0]), b.map("add", *at))))
    assert assigned(turned) == [1, 0]


def test_rows_that_wait_for_each_other_need_one_more_stripe():
    rows = rows_of(carried(lambda b, at: (at[1], b.map("exp", at[0]))))
    assert assigned(rows) == [None, 1, 0]
    assert len(rows.stripes) == 3


def test_a_row_that_stays_is_not_copied():
    rows = rows_of(carried(lambda b, at: (at[0], b.map("add", *at))))
    assert assigned(rows) == [1]


def test_several_subgroups_may_carry_a_row():
    kernel = carried(lambda b, at: (b.map("mul", at[0], 0.5), at[1]))
    plan = choose(kernel, kernel.body[0], 8, METAL, Options(threads=96))
    assert plan.mapping.subgroups_per_program == 3


# The audit refuses what the analyses would never make.


def changed(rows, **fields):
    return audit(dataclasses.replace(rows, **fields))


def test_programs_as_they_are_made_pass():
    for last in (True, False):
        assert audit(rows_of(normalised(last=last))) is None
    assert audit(rows_of(two_sides())) is None


def test_a_result_that_leaves_its_loop_without_a_stripe_is_refused():
    rows = rows_of(two_sides())
    fewer = tuple(stripe for stripe in rows.stripes if not isinstance(stripe.key, Reduce))
    assert "for all its rounds" in changed(rows, stripes=fewer).claim
    narrow = tuple(dataclasses.replace(stripe, outer=()) for stripe in rows.stripes)
    assert changed(rows, stripes=narrow) is not None


def test_a_result_of_a_lane_is_not_read_in_another_sweep_without_a_stripe():
    rows = rows_of(normalised(last=False))
    assert changed(rows, stripes=()) is not None
    (stripe,) = rows.stripes
    everywhere = Stripe(stripe.key, stripe.dtypes, stripe.axes, ())
    assert changed(rows, stripes=(everywhere,)) is not None


def test_a_sweep_over_other_lanes_is_refused():
    rows = rows_of(normalised(last=False))
    fold, small, (nest) = rows.steps
    (store,) = nest.body
    lines = nest.node.over[0]
    loop = Parallel(over=store.axes, body=())
    turned = Step("nest", loop, (), (dataclasses.replace(store, axes=(lines,)),))
    assert changed(rows, steps=(fold, small, turned)) is not None


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_carried_row_is_not_read_once_it_is_overwritten(order):
    rows = rows_of(carried(lambda b, at: (b.map("add", *at), b.map("exp", at[1]))))
    (loop,) = [step for step in rows.steps if step.kind == "serial"]
    body = tuple(loop.body[k] for k in order)
    steps = tuple(
        dataclasses.replace(step, body=body) if step is loop else step for step in rows.steps
    )
    found = changed(rows, steps=steps)
    assert (found is None) == (order == (0, 1))


def test_a_carried_row_is_read_only_once_it_has_started():
    rows = rows_of(carried(lambda b, at: (b.map("add", *at), b.map("exp", at[1]))))
    assert changed(rows, steps=rows.steps[1:]) is not None


def test_carrying_a_row_is_admitted_where_each_lane_reads_its_own():
    b = Row(width=12)
    other, z = b.axis("other", 12), b.view("z", rank=3)
    with b.parallel(b.rows):
        zero = b.broadcast(b.const(0, f32), b.cols)
        with b.serial(b.axis("k", 3), carry=[zero]) as loop:
            loop.yields(b.map("add", loop.carried[0], b.row()))
        product = b.map("mul", loop.results[0], b.relabel(b.row(), b.cols, other))
        b.store(z, (b.rows, b.cols, other), product)
    rows = rows_of(b.build())
    assert len(rows.lanes) == 1
