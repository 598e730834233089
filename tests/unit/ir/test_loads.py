"""Equal loads with no store between them are one: which are merged, and which never."""

import pytest

from certile.frontend.spec import Shaped
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bool_, f32, i64
from certile.ir.fingerprint import fingerprint
from certile.ir.loads import merged_loads
from certile.ir.tile import Load, Store, effects
from certile.ir.verify import verify
from certile.ir.walk import replace_view
from certile.source import Loc
from tests import kernels
from tests.unit.ir import repeated_loads


class Rows:
    """A kernel over the rows of x that is being written, with an output and another input."""

    def __init__(self):
        self.b = Builder("rows")
        self.x = self.b.view("x", f32, 2)
        self.z = self.b.view("z", f32, 2)
        self.y = self.b.view("y", f32, 1)
        self.rows, self.cols = kernels.matrix(self.b, self.x)

    def read(self, view=None, **options):
        return self.b.load(view or self.x, self.rows, self.cols, **options)

    def write(self, view, value):
        self.b.store(view, (self.rows, self.cols), value)

    def total(self, *tiles):
        sums = [self.b.reduce(tile, self.cols, laws.ADD) for tile in tiles]
        value = sums[0]
        for each in sums[1:]:
            value = self.b.map("sub", self.b.map("mul", value, 0.5), each)
        self.b.store(self.y, self.rows, value)


def loads(kernel):
    return [step for step in effects(kernel.body) if isinstance(step, Load)]


def merged(kernel):
    made = merged_loads(kernel)
    assert verify(kernel) == []
    assert verify(made) == []
    assert merged_loads(made) is made
    return made


def counts(k):
    """The number of loads as written and merged."""
    kernel = k.b.build()
    return len(loads(kernel)), len(loads(merged(kernel)))


def test_two_equal_loads_are_one():
    k = Rows()
    with k.b.parallel(k.rows):
        k.total(k.read(), k.read(), k.read())
    kernel = k.b.build()
    (load,) = loads(merged(kernel))
    assert load.buffer == k.x
    once = Rows()
    with once.b.parallel(once.rows):
        x = once.read()
        once.total(x, x, x)
    assert fingerprint(merged(kernel)) == fingerprint(once.b.build())


def test_a_kernel_without_repeated_loads_is_the_same_object():
    for kernel in (kernels.softmax(), kernels.layer_norm(), kernels.serial_tile()):
        assert merged_loads(kernel) is kernel


@pytest.mark.parametrize(
    ("stored", "kept"), [("x", 2), ("z", 1), (None, 1)], ids=["same", "other", "none"]
)
def test_a_store_to_the_view_keeps_them_apart_and_one_to_another_does_not(stored, kept):
    k = Rows()
    with k.b.parallel(k.rows):
        first = k.read()
        if stored:
            k.write(getattr(k, stored), k.b.map("mul", first, 2.0))
        k.total(first, k.read())
    assert counts(k) == (2, kept)


def test_one_view_for_two_keeps_apart_what_a_store_to_the_other_is_between():
    k = Rows()
    with k.b.parallel(k.rows):
        first = k.read()
        k.write(k.z, k.b.map("mul", first, 2.0))
        k.total(first, k.read())
    kernel = k.b.build()
    assert len(loads(merged(kernel))) == 1
    assert len(loads(merged(replace_view(kernel, k.z, k.x)))) == 2


def test_a_load_after_a_store_is_one_with_later_ones():
    k = Rows()
    with k.b.parallel(k.rows):
        k.write(k.x, k.b.map("add", k.read(), 1.0))
        k.total(k.read(), k.read())
    assert counts(k) == (3, 2)


def test_masks_fills_and_the_word_of_the_author_belong_to_a_load():
    k = Rows()
    keep = k.b.view("keep", bool_, 1)
    with k.b.parallel(k.rows):
        mask = k.b.load(keep, k.cols)
        differ = [
            k.read(),
            k.read(assume=True),
            k.read(mask=mask, fill=0.0),
            k.read(mask=k.b.load(keep, k.cols), fill=0.0),
            k.read(mask=mask, fill=1.0),
        ]
        k.total(*differ)
    # The masks are one load, so two of the masked loads are equal.
    assert counts(k) == (7, 5)


def test_indices_that_read_merged_loads_are_equal():
    k = Rows()
    order = k.b.view("order", i64, 1)
    with k.b.parallel(k.rows):
        tiles = [
            k.b.load(k.x, k.rows, k.b.load(order, k.cols), assume=True),
            k.b.load(k.x, k.rows, k.b.load(order, k.cols), assume=True),
        ]
        k.total(*tiles)
    assert counts(k) == (4, 2)


@pytest.mark.parametrize("stored", [False, True])
def test_a_loop_reads_what_was_read_before_it_unless_a_turn_stores_it(stored):
    k = Rows()
    turn = k.b.axis("turn", 3)
    with k.b.parallel(k.rows):
        first = k.read()
        with k.b.serial(turn, carry=[k.b.const(0.0, f32)]) as loop:
            inside = k.read()
            loop.yields(k.b.map("add", loop.carried[0], k.b.reduce(inside, k.cols, laws.ADD)))
            if stored:
                k.write(k.x, k.b.map("mul", inside, 0.5))
        k.b.store(k.y, k.rows, k.b.map("add", loop.results[0], k.b.reduce(first, k.cols, laws.ADD)))
    assert counts(k) == ((2, 2) if stored else (2, 1))


def test_what_a_loop_reads_is_no_value_after_it():
    k = Rows()
    turn = k.b.axis("turn", 3)
    with k.b.parallel(k.rows):
        with k.b.serial(turn, carry=[k.b.const(0.0, f32)]) as loop:
            loop.yields(k.b.map("add", loop.carried[0], k.b.reduce(k.read(), k.cols, laws.ADD)))
        k.b.store(
            k.y, k.rows, k.b.map("add", loop.results[0], k.b.reduce(k.read(), k.cols, laws.ADD))
        )
    assert counts(k) == (2, 2)


def test_a_region_inside_reads_what_was_read_before_it():
    k = Rows()
    inner = k.b.axis("inner", dim(k.x, 1))
    with k.b.parallel(k.rows):
        first = k.b.load(k.y, k.rows)
        with k.b.parallel(inner):
            k.b.store(k.z, (k.rows, inner), k.b.map("add", k.b.load(k.y, k.rows), 1.0))
        k.b.store(k.y, k.rows, k.b.map("mul", first, k.b.load(k.y, k.rows)))
    assert counts(k) == (3, 1)


def test_launches_share_no_values():
    k = Rows()
    again = k.b.axis("again", dim(k.x, 0))
    with k.b.parallel(k.rows):
        k.total(k.read())
    with k.b.parallel(again):
        k.b.store(k.y, again, k.b.load(k.z, again, k.b.const(0, i64)))
    with k.b.parallel(again):
        k.b.store(k.y, again, k.b.load(k.z, again, k.b.const(0, i64)))
    assert counts(k) == (3, 3)


def test_a_memory_is_a_buffer_like_a_view():
    k = Rows()
    part = k.b.axis("part", 4)
    held = k.b.memory("held", f32, (part,), "worker")
    with k.b.parallel(k.rows):
        k.b.store(held, part, k.b.cast(k.b.index(part), f32))
        first, second = k.b.load(held, part), k.b.load(held, part)
        k.b.store(held, part, k.b.map("add", first, second))
        third = k.b.load(held, part)
        sums = [k.b.reduce(tile, part, laws.ADD) for tile in (first, second, third)]
        k.b.store(k.y, k.rows, k.b.map("sub", k.b.map("sub", sums[0], sums[1]), sums[2]))
    assert counts(k) == (3, 2)


def test_all_places_are_kept_and_the_kernel_that_was_given_does_not_change():
    shapes = {"x": Shaped(f32, (4, 8)), "y": Shaped(f32, (4,))}
    kernel = repeated_loads.shifted.tile_ir(shapes)
    first, second = loads(kernel)
    before = [load.locations for load in (first, second)]
    (load,) = loads(merged(kernel))
    assert load.locations == (first.loc, second.loc)
    assert isinstance(load.loc, Loc)
    assert load.loc == first.loc != second.loc
    assert [each.locations for each in loads(kernel)] == before
    assert len([step for step in effects(kernel.body) if isinstance(step, Store)]) == 1
