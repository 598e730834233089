"""Row programs: what is kept, in which order steps stand, and what reading late costs."""

import pytest

from certile.analysis.loops import fused
from certile.analysis.rows import analyse
from certile.ir import laws
from certile.ir.dtypes import bf16, f32, i64
from certile.ir.rows import Traffic
from certile.ir.tile import Load
from certile.ir.walk import parallel_regions, specialise
from certile.plan.subgroup.space import stripe_scalars
from tests import kernels
from tests.unit.analysis.programs import N, Row, kinds, refusal_of, rows_of


def specialised(kernel, programs=8, width=N):
    shapes = {view.name: (programs, width)[: view.rank] for view in kernel.views}
    shapes |= {name: (width,) for name in ("weight", "bias") if name in shapes}
    return specialise(kernel, shapes)


def kept(rows):
    return [getattr(tile, "fn", tile.mnemonic) for tile in rows.materialized]


def test_softmax_keeps_its_exponentials_and_reads_the_input_twice():
    rows = rows_of(specialised(kernels.softmax()))
    assert kinds(rows.steps) == ["reduce", "materialize", "reduce", "store"]
    assert kept(rows) == ["exp"]
    assert rows.domains == (N, N)
    assert rows.reduction_extents == (N, N)
    read, again, written = rows.traffic
    assert (read, again) == (Traffic(0, N, 4, False), Traffic(1, N, 4, False))
    assert written == Traffic(3, N, 4, True)
    assert rows.traffic_known


@pytest.mark.parametrize("dtype", [f32, bf16])
@pytest.mark.parametrize("maker", [kernels.softmax, kernels.layer_norm, kernels.cross_entropy])
def test_a_narrow_input_changes_nothing_but_bytes(maker, dtype):
    wide, narrow = rows_of(specialised(maker())), rows_of(specialised(maker(dtype)))
    assert narrow.domains == wide.domains
    assert narrow.reduction_extents == wide.reduction_extents
    assert [t.type.elements for t in narrow.materialized] == [N for _ in wide.materialized]


def test_expensive_only_recomputes_cheap_tiles_and_keeps_transcendental_ones():
    norm = specialised(kernels.layer_norm(weight=False, bias=False))
    assert kept(rows_of(norm)) == ["sub"]
    assert kept(rows_of(norm, materialization="expensive-only")) == []
    softmax = specialised(kernels.softmax())
    assert kept(rows_of(softmax, materialization="expensive-only")) == ["exp"]


def test_a_cheap_user_of_a_kept_expensive_tile_is_not_expensive():
    b = Row()
    with b.parallel(b.rows):
        e = b.map("exp", b.row())
        shifted = b.map("add", e, 1.0)
        total = b.reduce(e, b.cols, laws.ADD)
        b.store(b.y, (b.rows, b.cols), b.map("mul", shifted, b.map("div", shifted, total)))
    assert kept(rows_of(b.build(), materialization="expensive-only")) == ["exp"]
    assert kept(rows_of(b.build())) == ["exp", "add"]


def test_a_scalar_function_does_not_make_a_tile_expensive():
    b = Row()
    with b.parallel(b.rows):
        v = b.row()
        scale = b.map("rsqrt", b.reduce(v, b.cols, laws.ADD))
        scaled = b.map("mul", v, scale)
        b.store(b.s, b.rows, b.reduce(b.map("mul", scaled, scaled), b.cols, laws.ADD))
        b.store(b.y, (b.rows, b.cols), scaled)
    assert kept(rows_of(b.build())) == ["mul"]
    assert kept(rows_of(b.build(), materialization="expensive-only")) == []


def test_coordinates_are_made_again_and_not_kept():
    b = Row()
    with b.parallel(b.rows):
        at = b.map("mod", b.map("add", b.index(b.cols), 1), N)
        left = b.load(b.x, b.rows, at)
        b.store(b.y, (b.rows, b.cols), b.map("add", left, b.cast(at, f32)))
    assert kept(rows_of(b.build())) == []


def test_one_consumer_that_reads_twice_is_one_consumer():
    b = Row()
    with b.parallel(b.rows):
        doubled = b.map("add", b.row(), 1.0)
        b.store(b.s, b.rows, b.reduce(b.map("mul", doubled, doubled), b.cols, laws.ADD))
    assert kept(rows_of(b.build())) == []


def test_a_tile_read_at_another_element_is_made_again():
    """e over cols is read in the domain (other, cols): its owner there is another worker."""
    b = Row()
    other, z = b.axis("other", 4), b.view("z", rank=3)
    with b.parallel(b.rows):
        e = b.map("exp", b.row())
        scale = b.load(b.y, b.rows, other)
        b.store(z, (b.rows, other, b.cols), b.map("mul", scale, e))
        b.store(b.s, b.rows, b.reduce(e, b.cols, laws.ADD))
    rows = rows_of(b.build())
    assert kept(rows) == []
    assert rows.domains == (4 * N, 1)


def test_a_relabelled_outer_product_recomputes_its_factor():
    b = Row(width=12)
    other, z = b.axis("other", 12), b.view("z", rank=3)
    with b.parallel(b.rows):
        e = b.map("exp", b.row())
        product = b.map("mul", e, b.relabel(e, b.cols, other))
        b.store(z, (b.rows, b.cols, other), product)
        b.store(b.s, b.rows, b.reduce(e, b.cols, laws.ADD))
    assert kept(rows_of(b.build())) == []


def test_a_gather_reads_the_view_and_never_a_private_row():
    rows = rows_of(specialised(kernels.cross_entropy()))
    assert kinds(rows.steps) == ["reduce", "reduce", "load", "gather", "store"]
    assert rows.domains == (1, 1, 1)
    assert kept(rows) == []
    assert not rows.traffic_known
    # Caching the row would keep it private; the gathered row stays a view.
    assert rows_of(specialised(kernels.cross_entropy()), cache_inputs=True).kept_inputs == ()


def test_a_gather_from_a_derived_row_is_admitted_only_when_the_row_is_not_kept():
    def program(function):
        b = Row()
        labels = b.view("labels", i64, 1)
        with b.parallel(b.rows):
            derived = b.map(function, b.row())
            chosen = b.gather(derived, b.load(labels, b.rows), b.cols, 0.0)
            total = b.reduce(derived, b.cols, laws.ADD)
            b.store(b.s, b.rows, b.map("sub", total, chosen))
        return b.build()

    assert refusal_of(program("exp")).rule == "private_storage"
    assert refusal_of(program("neg")).rule == "private_storage"
    assert refusal_of(program("exp"), materialization="expensive-only").rule == "private_storage"
    assert kept(rows_of(program("neg"), materialization="expensive-only")) == []


def test_a_gather_along_a_row_is_counted_and_read_where_it_is_used():
    b = Row()
    order = b.view("order", i64, 1)
    with b.parallel(b.rows):
        moved = b.gather(b.row(), b.load(order, b.cols), b.cols, 0.0)
        b.store(b.y, (b.rows, b.cols), moved)
    rows = rows_of(b.build())
    assert kinds(rows.steps) == ["store"]
    assert sorted(rows.domains) == [N, N, N]


def test_a_store_does_not_part_two_sweeps_over_a_row():
    rows = rows_of(specialised(kernels.min_max()))
    assert kinds(rows.steps) == ["reduce", "reduce", "store", "store"]
    assert rows.domains == (1, 1)


def test_a_loop_holds_what_varies_with_it_and_nothing_else():
    b = Row()
    planes, z = b.axis("planes", 5), b.view("z", rank=3)
    with b.parallel(b.rows):
        fixed = b.reduce(b.row(), b.cols, laws.ADD)
        with b.serial(planes, carry=[b.const(0, f32)]) as loop:
            plane = b.load(z, planes, b.rows, b.cols)
            moving = b.reduce(b.map("mul", plane, fixed), b.cols, laws.ADD)
            loop.yields(b.map("add", loop.carried[0], moving))
        b.store(b.s, b.rows, loop.results[0])
    rows = rows_of(b.build())
    assert kinds(rows.steps) == ["reduce", ["reduce"], "store"]
    assert rows.reduction_trips == (1, 5)
    assert rows.domain_trips == (1,)
    assert [t.trips for t in rows.traffic] == [1, 5, 1]


def test_a_loop_that_steps_counts_its_trips():
    b = Row()
    planes, z = b.axis("planes", 7), b.view("z", rank=3)
    with b.parallel(b.rows), b.serial(planes, step=3):
        b.store(z, (planes, b.rows, b.cols), b.row())
    assert rows_of(b.build()).domain_trips == (3,)


def in_place(*, late):
    """y = f(y), and a reduction of the old row: before the store, or after it."""
    b = Row()
    with b.parallel(b.rows):
        v = b.row(b.y)
        if not late:
            top = b.reduce(v, b.cols, laws.MAXIMUM)
            b.store(b.y, (b.rows, b.cols), b.map("sub", v, top))
        else:
            b.store(b.y, (b.rows, b.cols), b.map("neg", v))
            b.store(b.s, b.rows, b.reduce(v, b.cols, laws.MAXIMUM))
    return b.build()


def test_in_place_work_reads_late_while_the_owner_has_not_stored():
    rows = rows_of(in_place(late=False))
    assert rows.read_and_written
    assert kinds(rows.steps) == ["reduce", "store"]
    assert rows.materialized == ()


def test_a_snapshot_that_a_store_overtakes_is_kept():
    rows = rows_of(in_place(late=True))
    assert kinds(rows.steps) == ["materialize", "store", "reduce", "store"]
    (snapshot,) = rows.kept_inputs
    assert isinstance(snapshot, Load)
    assert rows.materialized == (snapshot,)
    # Whatever is asked for speed: this one is meaning.
    again = rows_of(in_place(late=True), materialization="expensive-only")
    assert len(again.kept_inputs) == 1


def test_a_snapshot_that_is_gathered_cannot_be_kept():
    b = Row()
    labels = b.view("labels", i64, 1)
    with b.parallel(b.rows):
        v = b.row(b.y)
        b.store(b.y, (b.rows, b.cols), b.map("neg", v))
        b.store(b.s, b.rows, b.gather(v, b.load(labels, b.rows), b.cols, 0.0))
    assert refusal_of(b.build()).rule == "guarded_views"


def test_a_value_read_by_all_must_not_be_stored_by_one():
    """Every worker reads s[r] while the first one stores it: no order holds them apart."""
    b = Row()
    with b.parallel(b.rows):
        old = b.load(b.s, b.rows)
        total = b.reduce(b.map("sub", b.row(), old), b.cols, laws.ADD)
        b.store(b.s, b.rows, total)
    assert refusal_of(b.build()).rule == "guarded_views"


def test_a_scalar_updated_by_its_owner_is_admitted():
    b = Row()
    with b.parallel(b.rows):
        total = b.reduce(b.row(), b.cols, laws.ADD)
        b.store(b.s, b.rows, b.map("add", b.load(b.s, b.rows), total))
    assert kinds(rows_of(b.build()).steps) == ["reduce", "store"]


def test_a_memory_of_the_owner_is_a_stripe():
    b = Row()
    held = b.memory("held", f32, (b.cols,))
    with b.parallel(b.rows):
        b.store(held, b.cols, b.map("exp", b.row()))
        b.store(b.y, (b.rows, b.cols), b.load(held, b.cols))
    rows = rows_of(b.build())
    assert rows.memories == (held,)
    assert kinds(rows.steps) == ["store", "store"]
    assert rows.domains == (N, N)


def test_a_memory_that_is_stored_again_gives_a_snapshot():
    b = Row()
    held = b.memory("held", f32, (b.cols,))
    with b.parallel(b.rows):
        b.store(held, b.cols, b.row())
        old = b.load(held, b.cols)
        b.store(held, b.cols, b.map("neg", old))
        b.store(b.s, b.rows, b.reduce(old, b.cols, laws.ADD))
    rows = rows_of(b.build())
    assert kinds(rows.steps) == ["store", "materialize", "store", "reduce", "store"]


# A changed program moves exactly the count it should: (domains, reductions, kept tiles).
def counted(*, second_use=False, second_output=False, third_reduction=False, label=False):
    b = Row()
    labels = b.view("labels", i64, 1)
    extra = b.view("extra", rank=2)
    with b.parallel(b.rows):
        v = b.row()
        shifted = b.map("sub", v, b.reduce(v, b.cols, laws.MAXIMUM))
        if second_use:
            shifted = b.map("mul", shifted, b.reduce(shifted, b.cols, laws.ADD))
        if third_reduction:
            shifted = b.map("add", shifted, b.reduce(v, b.cols, laws.MINIMUM))
        if label:
            chosen = b.gather(v, b.load(labels, b.rows), b.cols, 0.0)
            shifted = b.map("add", shifted, chosen)
        if second_output:
            b.store(extra, (b.rows, b.cols), v)
        b.store(b.y, (b.rows, b.cols), shifted)
    rows = rows_of(b.build())
    return rows.domains, rows.reduction_extents, len(rows.materialized)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, ((N,), (N,), 0)),
        ({"second_use": True}, ((N, N), (N, N), 1)),
        ({"second_output": True}, ((N, N), (N,), 0)),
        ({"third_reduction": True}, ((N,), (N, N), 0)),
        ({"label": True}, ((1, 1, N), (N,), 0)),
    ],
)
def test_a_changed_program_moves_its_counts(change, expected):
    assert counted(**change) == expected


def scans(*directions, normalised=False):
    """Scans of one row, each stored, in these directions; or one divided by its maximum."""
    b = Row()
    outs = [b.view(f"out{k}", rank=2) for k in range(len(directions))]
    with b.parallel(b.rows):
        made = [b.scan(b.row(), b.cols, laws.ADD, reverse=reverse) for reverse in directions]
        for out, tile in zip(outs, made, strict=True):
            top = b.reduce(tile, b.cols, laws.MAXIMUM) if normalised else None
            b.store(out, (b.rows, b.cols), tile if top is None else b.map("div", tile, top))
    return rows_of(b.build())


def test_a_scan_and_its_store_share_a_loop_and_keep_nothing():
    rows = scans(False)
    assert kinds(rows.steps) == ["scan", "store"]
    assert [kinds(group) for group in fused(rows.steps)] == [["scan", "store"]]
    assert (rows.kept_scans, rows.materialized, rows.stripes) == ((), (), ())
    assert rows.domains == (N, N)
    read, written = rows.traffic
    assert (read.elements, written.elements) == (N, N)


def test_a_scan_that_a_later_loop_reads_is_kept():
    rows = scans(False, normalised=True)
    assert [kinds(group) for group in fused(rows.steps)] == [["scan", "reduce"], ["store"]]
    (kept,) = rows.kept_scans
    assert kept.of is rows.scans[0]
    assert stripe_scalars(rows, 32, 1) == N // 32


def test_scans_of_both_directions_have_loops_of_their_own():
    assert len(fused(scans(False, False).steps)) == 1
    assert [kinds(group) for group in fused(scans(False, True).steps)] == [
        ["scan", "store"],
        ["scan", "store"],
    ]


def test_a_kernel_with_two_launches_analyses_each():
    b = Row()
    with b.parallel(b.rows):
        b.store(b.s, b.rows, b.reduce(b.row(), b.cols, laws.ADD))
    with b.parallel(b.rows):
        b.store(b.y, (b.rows, b.cols), b.map("sub", b.row(), b.load(b.s, b.rows)))
    kernel = b.build()
    first, second = parallel_regions(kernel)
    assert kinds(analyse(kernel, first).steps) == ["reduce", "store"]
    assert kinds(analyse(kernel, second).steps) == ["store"]
