"""Only a fence orders accesses of group memory."""

from certile.analysis.fences import FENCE, Event, second_fences, unfenced
from certile.ir import laws
from certile.ir.dtypes import f32
from tests.unit.analysis.programs import Row, rows_of

WRITE_A, READ_A = Event("write", "A"), Event("read", "A")
WRITE_B, READ_B = Event("write", "B"), Event("read", "B")


def test_other_traffic_is_no_fence():
    assert unfenced([WRITE_A, WRITE_B, READ_B, READ_A]) is not None
    assert unfenced([WRITE_A, READ_B, READ_A]) == (WRITE_A, READ_A)
    assert unfenced([WRITE_A, FENCE, READ_A]) is None


def test_reading_must_end_before_the_next_write():
    assert unfenced([WRITE_A, FENCE, READ_A, WRITE_A]) == (READ_A, WRITE_A)
    assert unfenced([WRITE_A, FENCE, READ_A, FENCE, WRITE_A, FENCE, READ_A]) is None


def test_two_writes_conflict_and_two_reads_do_not():
    assert unfenced([WRITE_A, WRITE_A]) == (WRITE_A, WRITE_A)
    assert unfenced([READ_A, READ_A]) is None


def looped(reductions, trips, inner=None):
    b = Row()
    planes, z = b.axis("planes", trips), b.view("z", rank=3)
    with b.parallel(b.rows):
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            total = loop.carried[0]
            for law in reductions:
                v = b.load(z, planes, b.rows, b.cols)
                total = b.map("add", total, b.reduce(v, b.cols, law))
            loop.yields(total)
        b.store(b.s, b.rows, loop.results[0])
    return rows_of(b.build())


def test_a_lone_reduction_in_a_loop_needs_a_second_fence():
    rows = looped([laws.ADD], 3)
    assert second_fences(rows.steps) == rows.reductions


def test_two_reductions_in_a_loop_fence_each_other():
    assert second_fences(looped([laws.ADD, laws.MAXIMUM], 3).steps) == ()


def test_a_loop_that_runs_once_repeats_nothing():
    assert second_fences(looped([laws.ADD], 1).steps) == ()


def test_straight_reductions_have_scratch_of_their_own():
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        b.store(b.s, b.rows, b.reduce(v, b.cols, laws.ADD))
        b.store(b.s, b.rows, b.reduce(v, b.cols, laws.MAXIMUM))
    assert second_fences(rows_of(b.build()).steps) == ()
