"""The audit stands alone: it refuses row programs that the choosing analyses would never make."""

import dataclasses

import pytest

from certile.analysis.ownership import Form, audit, element_number
from certile.ir import laws
from certile.ir.dtypes import f32, i64
from certile.ir.rows import Step
from certile.ir.tile import Reduce, Store
from certile.ir.types import Axis
from tests import kernels
from tests.unit.analysis.programs import N, Row, rows_of
from tests.unit.analysis.test_rows import specialised


def keep(rows, tile):
    """The program with one more tile kept, filled first: what a wrong analysis might do."""
    step = Step("materialize", tile, tile.axes)
    return dataclasses.replace(
        rows, steps=(step, *rows.steps), materialized=(tile, *rows.materialized)
    )


@pytest.mark.parametrize(
    "maker", [kernels.softmax, kernels.layer_norm, kernels.cross_entropy, kernels.gelu]
)
def test_programs_as_they_are_made_pass(maker):
    assert audit(rows_of(specialised(maker()))) is None


def test_a_gathered_stripe_is_refused():
    b = Row()
    labels = b.view("labels", i64, 1)
    with b.parallel(b.rows):
        derived = b.map("neg", b.row())
        b.store(b.s, b.rows, b.gather(derived, b.load(labels, b.rows), b.cols, 0.0))
    rows = rows_of(b.build())
    assert audit(rows) is None
    refusal = audit(keep(rows, derived))
    assert refusal.rule == "private_storage"


def test_a_relabelled_stripe_is_the_owners_along_one_axis_and_not_across_two():
    b = Row()
    other = b.axis("other", N)
    with b.parallel(b.rows):
        derived = b.map("neg", b.row())
        b.store(b.y, (b.rows, other), b.relabel(derived, b.cols, other))
    rows = rows_of(b.build())
    assert audit(keep(rows, derived)) is None

    b = Row(width=12)
    other, z = b.axis("other", 12), b.view("z", rank=3)
    with b.parallel(b.rows):
        derived = b.map("neg", b.row())
        product = b.map("mul", derived, b.relabel(derived, b.cols, other))
        b.store(z, (b.rows, b.cols, other), product)
    rows = rows_of(b.build())
    assert audit(keep(rows, derived)).rule == "private_storage"


def test_a_transposed_domain_has_other_owners():
    b = Row(width=12)
    i, j = b.axis("i", 12), b.axis("j", 5)
    source, target = b.view("source", rank=3), b.view("target", rank=3)
    with b.parallel(b.rows):
        derived = b.map("neg", b.load(source, b.rows, i, j))
        b.store(target, (b.rows, j, i), derived)
    rows = rows_of(b.build())
    assert audit(keep(rows, derived)).rule == "private_storage"


def test_a_stripe_read_before_it_is_filled_is_refused():
    rows = rows_of(specialised(kernels.softmax()))
    first, fill, second, store = rows.steps
    late = dataclasses.replace(rows, steps=(first, second, fill, store))
    assert "filled before" in audit(late).claim


def test_a_stripe_is_filled_once():
    rows = rows_of(specialised(kernels.softmax()))
    first, fill, *others = rows.steps
    assert audit(dataclasses.replace(rows, steps=(first, fill, fill, *others))) is not None
    assert audit(dataclasses.replace(rows, steps=(first, *others))) is not None


def test_a_permuted_memory_is_refused_at_the_store_and_at_the_load():
    b = Row()
    held = b.memory("held", f32, (b.cols,))
    with b.parallel(b.rows):
        b.store(held, b.cols, b.row())
        b.store(b.y, (b.rows, b.cols), b.load(held, b.cols))
    rows = rows_of(b.build())
    assert audit(rows) is None
    backwards = b.map("add", b.map("mul", b.index(b.cols), -1), N - 1)
    into, out = rows.steps
    turned = into.node.with_(indices=(backwards,))
    assert audit(dataclasses.replace(rows, steps=(Step("store", turned, into.axes), out)))
    value = out.node.value.with_(indices=(backwards,))
    assert isinstance(out.node, Store)
    read = Step("store", out.node.with_(value=value), out.axes)
    assert audit(dataclasses.replace(rows, steps=(into, read)))


def test_an_offset_of_zero_is_the_owners_own_place():
    b = Row()
    held = b.memory("held", f32, (b.cols,))
    with b.parallel(b.rows):
        b.store(held, b.cols, b.row())
        b.store(b.y, (b.rows, b.cols), b.load(held, b.cols))
    rows = rows_of(b.build())
    into, out = rows.steps
    same = b.map("add", b.map("mul", b.index(b.cols), 1), 0)
    moved = Step("store", into.node.with_(indices=(same,)), into.axes)
    assert audit(dataclasses.replace(rows, steps=(moved, out))) is None


def test_a_reduction_over_kept_tiles_is_by_owners():
    rows = rows_of(specialised(kernels.softmax()))
    reduced = [s.node for s in rows.steps if isinstance(s.node, Reduce)]
    assert [r.law for r in reduced] == [laws.MAXIMUM, laws.ADD]
    # The sum's operand is the stripe: reducing it in another domain loses the owner.
    other = Axis.fresh("other", 2)
    steps = tuple(
        dataclasses.replace(s, axes=(*s.axes, other)) if s.node is reduced[1] else s
        for s in rows.steps
    )
    assert audit(dataclasses.replace(rows, steps=steps)) is not None


def test_row_major_numbers_by_mixed_radix():
    i, one, j = Axis.fresh("i", 3), Axis.fresh("one", 1), Axis.fresh("j", 5)
    place = {i: Form(0, {i: 1}), j: Form(2, {j: 1})}
    assert element_number((i, one, j), place) == Form(2, {i: 5, j: 1})
    assert element_number((i, j), {j: Form(0, {})}) is None
