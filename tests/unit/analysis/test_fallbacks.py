"""What a fallback alone needs is a body of its own: order, storage, counts, fences, reads."""

import dataclasses

import pytest

from certile.analysis.bounds import check_bounds
from certile.analysis.fences import agrees_unasked, second_fences
from certile.analysis.ownership import audit
from certile.analysis.reads import reads
from certile.ir import laws
from certile.ir.dtypes import f32, i64
from certile.ir.rows import Step
from certile.ir.tile import Fallback
from certile.ir.verify import verify
from certile.plan.mapping import Mapping
from certile.plan.subgroup.counts import useful_elements
from certile.plan.subgroup.space import CONDITION_BYTES, packing_refusal, shared_bytes
from tests.unit.analysis.programs import N, Row, rows_of


def shown(steps):
    """The kinds of steps, bodies as lists after their step."""
    found = []
    for step in steps:
        law = getattr(step.node, "law", None)
        found.append(step.kind if law is None else law.name)
        if step.body:
            found.append(shown(step.body))
    return found


def again(b, v, policy="unordered_tree"):
    """The sum of exp(v) with what makes it again, relative to the greatest element."""
    total = b.reduce(b.map("exp", v), b.cols, laws.ADD)
    top = b.reduce(v, b.cols, laws.MAXIMUM, policy=policy)
    shifted = b.reduce(b.map("exp", b.map("sub", v, top)), b.cols, laws.ADD, policy=policy)
    infinite = b.map("bit_not", b.map("isfinite", total))
    return b.fallback((b.const(0.0, f32), total), (top, shifted), infinite)


def kernel_of(b):
    made = b.build()
    assert not verify(made)
    return made


def plain():
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        shift, total = again(b, v)
        b.store(b.y, (b.rows, b.cols), b.map("mul", b.map("sub", v, shift), total))
    return kernel_of(b)


def test_values_come_first_and_the_rest_is_a_body():
    rows = rows_of(plain())
    assert shown(rows.steps) == ["add", "fallback", ["maximum", "add"], "store"]
    assert rows.materialized == ()
    assert audit(rows) is None


def test_what_is_computed_again_counts_apart():
    rows = rows_of(plain())
    assert rows.reduction_extents == (N,)
    assert rows.apart_extents == (N, N)
    assert [node.law.name for node in rows.apart] == ["maximum", "add"]
    assert rows.domains == (N,)
    assert useful_elements(rows) == 2 * N
    assert [t.elements for t in rows.traffic] == [N, N, N]
    assert [t.elements for t in rows.apart_traffic] == [N, N]
    assert len(rows.fallbacks) == 1


def test_partial_results_of_the_body_need_group_memory():
    rows = rows_of(plain())
    mapping = Mapping("subgroup", 4, 1)
    usual = dataclasses.replace(rows, apart=(), apart_extents=())
    assert shared_bytes(usual, mapping, 32) == 4 * 4
    assert shared_bytes(rows, mapping, 32) == 3 * 4 * 4


def test_what_another_reader_needs_is_made_before():
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        shift, total = again(b, v)
        b.store(b.y, (b.rows, b.cols), b.map("mul", b.map("sub", v, shift), total))
        b.store(b.s, b.rows, b.reduce(v, b.cols, laws.MAXIMUM))
    rows = rows_of(kernel_of(b))
    assert shown(rows.steps) == ["add", "maximum", "fallback", ["add"], "store", "store"]
    assert [node.law.name for node in rows.apart] == ["add"]


def test_two_fallbacks_make_what_both_need_each_for_itself():
    b = Row()
    t = b.view("t", rank=1)
    with b.parallel(b.rows):
        v = b.row()
        top = b.reduce(v, b.cols, laws.MAXIMUM)
        one = b.reduce(b.map("exp", v), b.cols, laws.ADD)
        other = b.reduce(b.map("mul", v, v), b.cols, laws.ADD)
        for view, total in ((b.s, one), (t, other)):
            (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
            b.store(view, b.rows, chosen)
    rows = rows_of(kernel_of(b))
    assert shown(rows.steps).count("fallback") == 2
    assert rows.apart == (top, top)


def test_a_fallback_inside_a_fallback():
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        least, most = (b.reduce(v, b.cols, law) for law in (laws.MINIMUM, laws.MAXIMUM))
        (inner,) = b.fallback((most,), (least,), b.map("lt", most, 0.0))
        total = b.reduce(v, b.cols, laws.ADD)
        (outer,) = b.fallback((total,), (inner,), b.map("lt", total, 0.0))
        b.store(b.s, b.rows, outer)
    rows = rows_of(kernel_of(b))
    body = ["maximum", "fallback", ["minimum"]]
    assert shown(rows.steps) == ["add", "fallback", body, "store"]
    (read,) = reads(rows)
    assert (read.usual, read.again) == (1, 2)


def test_readers_in_the_body_make_no_tile_worth_keeping():
    """exp(v) is read by the sum of every row and by one of rows that compute again."""
    b = Row()
    with b.parallel(b.rows):
        e = b.map("exp", b.row())
        total, top = b.reduce(e, b.cols, laws.ADD), b.reduce(e, b.cols, laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 1.0))
        b.store(b.s, b.rows, chosen)
    assert rows_of(kernel_of(b)).materialized == ()


def test_a_tile_kept_for_others_is_read_inside():
    b = Row()
    with b.parallel(b.rows):
        e = b.map("exp", b.row())
        total, top = b.reduce(e, b.cols, laws.ADD), b.reduce(e, b.cols, laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 1.0))
        b.store(b.y, (b.rows, b.cols), b.map("div", e, chosen))
    rows = rows_of(kernel_of(b))
    assert rows.materialized == (e,)
    assert rows.apart_traffic == ()
    assert audit(rows) is None
    assert [(r.view.name, r.usual, r.again) for r in reads(rows)] == [("x", 1, 0)]


def overwritten():
    """x is doubled after the sum and before the fallback, which means the elements before."""
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        total, top = b.reduce(v, b.cols, laws.ADD), b.reduce(v, b.cols, laws.MAXIMUM)
        b.store(b.s, b.rows, total)
        b.store(b.x, (b.rows, b.cols), b.map("mul", v, 2.0))
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
        b.store(b.view("t", rank=1), b.rows, chosen)
    return kernel_of(b)


def test_a_load_that_the_body_reads_too_late_is_kept():
    rows = rows_of(overwritten())
    assert [tile.mnemonic for tile in rows.materialized] == ["tile.load"]
    assert rows.steps[0].kind == "materialize"
    assert rows.apart_traffic == ()


def test_the_audit_refuses_a_reduction_of_the_body_that_is_read_outside():
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        total, top = b.reduce(v, b.cols, laws.ADD), b.reduce(v, b.cols, laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
        b.store(b.s, b.rows, b.map("add", chosen, top))
    rows = rows_of(kernel_of(b))
    assert audit(rows) is None
    *made, fallback, store = rows.steps
    inside = tuple(step for step in made if step.node is top)
    kept = tuple(step for step in made if step.node is not top)
    wrong = (*kept, dataclasses.replace(fallback, body=inside), store)
    assert "inside a fallback" in audit(dataclasses.replace(rows, steps=wrong)).text


def test_the_audit_refuses_a_body_that_keeps_a_tile():
    rows = rows_of(plain())
    first, fallback, store = rows.steps
    tile = store.node.value
    body = (*fallback.body, Step("materialize", tile, tile.axes))
    wrong = (first, dataclasses.replace(fallback, body=body), store)
    found = audit(dataclasses.replace(rows, steps=wrong, materialized=(tile,)))
    assert "keeps and stores nothing" in found.text


def looped(trips, *, both=False):
    """A fallback in a loop, and a reduction that all rounds make."""
    b = Row()
    planes, z = b.axis("planes", trips), b.view("z", rank=3)
    with b.parallel(b.rows):
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            v = b.load(z, planes, b.rows, b.cols)
            total, top = b.reduce(v, b.cols, laws.ADD), b.reduce(v, b.cols, laws.MAXIMUM)
            (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
            if both:
                chosen = b.map("add", chosen, b.reduce(v, b.cols, laws.MINIMUM))
            loop.yields(b.map("add", loop.carried[0], chosen))
        b.store(b.s, b.rows, loop.results[0])
    return rows_of(kernel_of(b))


def test_fences_of_a_body_order_nothing_outside():
    """The lone sum of a loop gets a fence, and this one ends the reading of the body as well."""
    assert [node.law.name for node in second_fences(looped(3).steps)] == ["add"]
    assert second_fences(looped(3, both=True).steps) == ()
    assert second_fences(looped(1).steps) == ()


def test_a_body_that_a_loop_repeats_alone_needs_a_fence():
    b = Row()
    planes, z = b.axis("planes", 3), b.view("z", rank=3)
    with b.parallel(b.rows):
        total = b.reduce(b.row(), b.cols, laws.ADD)
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            top = b.reduce(b.load(z, planes, b.rows, b.cols), b.cols, laws.MAXIMUM)
            (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
            loop.yields(b.map("add", loop.carried[0], chosen))
        b.store(b.s, b.rows, loop.results[0])
    assert second_fences(rows_of(kernel_of(b)).steps) == (top,)


def test_rounds_that_read_planes_of_their_own_read_each_once():
    (read,) = reads(looped(3))
    assert (read.view.name, read.usual, read.again) == ("z", 1, 1)


def test_conditions_that_subgroups_see_alike():
    (fallback,) = rows_of(plain()).fallbacks
    assert agrees_unasked(fallback)
    b = Row()
    with b.parallel(b.rows):
        asked = b.map("lt", b.load(b.s, b.rows), 0.0)
        total = b.reduce(b.row(), b.cols, laws.ADD)
        (chosen,) = b.fallback((b.const(0.0, f32),), (total,), asked)
        b.store(b.view("t", rank=1), b.rows, chosen)
    rows = rows_of(kernel_of(b))
    assert not agrees_unasked(rows.fallbacks[0])
    assert shared_bytes(rows, Mapping("subgroup", 2, 1), 32) == 2 * 4 + CONDITION_BYTES


def test_programs_of_several_subgroups_share_no_group():
    assert packing_refusal(rows_of(plain())).rule == "packing"


def test_an_index_inside_a_fallback_is_proved_too():
    b = Row()
    with b.parallel(b.rows):
        total = b.reduce(b.row(), b.cols, laws.ADD)
        shifted = b.load(b.x, b.rows, b.map("add", b.index(b.cols), 1))
        top = b.reduce(shifted, b.cols, laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
        b.store(b.s, b.rows, chosen)
    shapes = {"x": (8, N), "y": (8, N), "s": (8,)}
    assert [one.code for one in check_bounds(kernel_of(b), shapes)] == ["K090"]


@pytest.mark.parametrize(("usual", "instead"), [(3, 9), (9, 3), (3, 7)])
def test_an_index_that_a_fallback_chooses_has_both_ranges(usual, instead):
    b = Row()
    with b.parallel(b.rows):
        total = b.reduce(b.row(), b.cols, laws.ADD)
        values = b.const(usual, i64), b.const(instead, i64)
        (place,) = b.fallback(values[:1], values[1:], b.map("lt", total, 0.0))
        b.store(b.s, place, total)
    shapes = {"x": (8, N), "y": (8, N), "s": (8,)}
    outside = max(usual, instead) >= 8
    assert bool(check_bounds(kernel_of(b), shapes)) == outside


def test_what_keeps_an_axis_is_computed_again_by_loops_over_it():
    b = Row()
    t = b.view("t", rank=1)
    with b.parallel(b.axis("one", 1)):
        v = b.load(b.x, b.rows, b.cols)
        total = b.reduce(v, (b.rows, b.cols), laws.ADD)
        top = b.reduce(v, (b.rows, b.cols), laws.MAXIMUM)
        (chosen,) = b.fallback((total,), (top,), b.map("lt", total, 0.0))
        b.store(t, 0, chosen)
        b.store(b.s, b.rows, b.reduce(v, b.cols, laws.ADD))
    found = rows_of(kernel_of(b))
    assert [step.kind for step in found.steps] == ["reduce", "fallback", "nest", "store", "nest"]


def test_reads_of_several_views_and_loads():
    """Halves of x are apart; w is read by both sweeps, and by one in which each element recurs."""
    b = Row()
    w, half = b.view("w", rank=1), b.axis("half", N // 2)
    with b.parallel(b.rows):
        halves = [b.load(b.x, b.rows, b.map("add", b.index(half), start)) for start in (0, N // 2)]
        scale = b.load(w, half)
        total = b.reduce(b.map("mul", b.map("mul", *halves), scale), half, laws.ADD)
        b.store(b.y, (b.rows, half), b.map("mul", total, scale))
    found = {one.view.name: (one.usual, one.again) for one in reads(rows_of(kernel_of(b)))}
    assert found == {"x": (1, 0), "w": (2, 0)}


def test_reads_without_a_bound():
    """x[r, c // 2] meets each place twice, and indices from memory meet as they like."""
    b = Row()
    with b.parallel(b.rows):
        paired = b.load(b.x, b.rows, b.map("floordiv", b.index(b.cols), 2))
        b.store(b.s, b.rows, b.reduce(paired, b.cols, laws.ADD))
    assert [one.usual for one in reads(rows_of(kernel_of(b)))] == [None]


def test_single_elements_are_told_from_rows():
    """A row summed, an element of it gathered, and one read at a place of its own."""
    b = Row()
    with b.parallel(b.rows):
        v = b.load(b.x, b.rows, b.cols)
        total = b.reduce(v, b.cols, laws.ADD)
        picked = b.gather(v, b.const(3, i64), b.cols, 0.0)
        b.store(b.s, b.rows, b.map("add", total, picked))
    (read,) = reads(rows_of(kernel_of(b)))
    assert (read.usual, read.rows, read.sweeps) == (2, 1, 1)


def test_a_window_is_read_once_a_round():
    b = Row()
    taps = b.axis("taps", 3)
    with b.parallel(b.rows):
        with b.serial(taps, carry=[b.const(0, f32)]) as loop:
            v = b.load(b.x, b.rows, b.map("add", b.index(b.cols), b.index(taps)), assume=True)
            total = b.reduce(v, b.cols, laws.ADD)
            loop.yields(b.map("add", loop.carried[0], total))
        b.store(b.s, b.rows, loop.results[0])
    assert [one.usual for one in reads(rows_of(kernel_of(b)))] == [3]


def test_the_builder_converts_what_stands_instead():
    b = Row()
    with b.parallel(b.rows):
        total = b.reduce(b.row(), b.cols, laws.ADD)
        (chosen,) = b.fallback((total,), (b.const(1, i64),), b.map("lt", total, 0.0))
        b.store(b.s, b.rows, chosen)
    kernel_of(b)
    assert isinstance(chosen.of, Fallback)
    assert chosen.of.instead[0].dtype == f32
