"""Rebuilding kernels: substitution, specialisation, one view for two."""

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f32, i64
from certile.ir.printer import print_kernel
from certile.ir.tile import Const, ExtentValue, Load, Map, Reduce, Serial, Store
from certile.ir.types import Dim
from certile.ir.verify import verify
from certile.ir.walk import (
    parallel_regions,
    replace_view,
    specialise,
    static_dims,
    substitute,
    uses,
    values,
)
from certile.reference import run
from tests import kernels


def only(kernel, kind):
    (found,) = [at for at in values(kernel) if isinstance(at, kind)]
    return found


def test_specialise_keeps_the_number_of_programs_symbolic():
    kernel = specialise(kernels.softmax(), {"x": (3, 5), "y": (3, 5)})
    (region,) = parallel_regions(kernel)
    assert region.over[0].extent == Dim("x", 0)
    assert only(kernel, Load).axes[0].extent == 5
    assert verify(kernel) == []
    assert specialise(kernel, {"x": (7, 5), "y": (7, 5)}) == kernel


def test_specialise_makes_a_length_that_is_computed_with_a_constant():
    kernel = kernels.rms_norm()
    made = specialise(kernel, {"x": (3, 5), "y": (3, 5), "weight": (5,)})
    assert [at for at in values(kernel) if isinstance(at, ExtentValue)]
    assert not [at for at in values(made) if isinstance(at, ExtentValue)]
    assert 5 in [at.value for at in values(made) if isinstance(at, Const)]


def test_a_number_of_programs_that_is_read_as_a_value_stays_a_value():
    b = Builder("share")
    x = b.view("x", f32, 1)
    rows = b.axis("rows", dim(x, 0))
    with b.parallel(rows):
        b.store(x, rows, b.map("div", b.load(x, rows), b.cast(b.extent(dim(x, 0)), f32)))
    kernel = b.build()
    assert static_dims(kernel) == set()
    assert only(specialise(kernel, {"x": (4,)}), ExtentValue).extent == Dim("x", 0)


def test_a_length_used_by_a_launch_and_by_a_tile_is_static():
    b = Builder("square")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 0))
    with b.parallel(rows):
        b.store(y, rows, b.reduce(b.load(x, rows, cols), cols, laws.ADD))
    made = specialise(b.build(), {"x": (4, 4), "y": (4,)})
    assert parallel_regions(made)[0].over[0].extent == 4


def test_a_wrong_rank_is_an_error():
    with pytest.raises(ValueError, match="rank 2"):
        specialise(kernels.softmax(), {"x": (3,), "y": (3, 5)})


def test_specialised_kernels_mean_the_same():
    x = np.random.default_rng(0).normal(size=(4, 3, 5)).astype(np.float32)
    for kernel in (kernels.serial_tile(), kernels.serial_reduction()):
        shape = (3, 5) if kernel.name == "serial_tile" else (3,)
        plain, special = np.zeros(shape, np.float32), np.ones(shape, np.float32)
        run(kernel, {"x": x, "y": plain})
        run(specialise(kernel, {"x": x.shape, "y": shape}), {"x": x, "y": special})
        np.testing.assert_array_equal(plain, special)


def test_nothing_to_replace_gives_the_same_nodes():
    kernel = kernels.serial_reduction()
    assert substitute(kernel, {}).body[0] is kernel.body[0]


def test_substitute_reaches_into_loops_and_their_results():
    kernel = kernels.serial_tile()
    zero = only(kernel, Const)
    made = substitute(kernel, {zero: Const(value=10.0, type=zero.type)})
    assert verify(made) == []
    x = np.ones((2, 3, 4), np.float32)
    y = np.zeros((3, 4), np.float32)
    run(made, {"x": x, "y": y})
    assert (y == 12).all()
    old, new = only(kernel, Serial), only(made, Serial)
    assert old is not new
    assert old.params == new.params  # the carried value's type is the same, so it is the same


def test_a_load_replaced_by_a_value_leaves_its_body():
    kernel = kernels.sum_rows()
    load = only(kernel, Load)
    two = Const(value=2.0, type=load.type.__class__(f32))
    made = substitute(kernel, {load: Map(fn="mul", args=(two, two), type=two.type)})
    assert not [at for at in values(made) if isinstance(at, Load)]


def test_a_load_replaced_by_one_before_it_leaves_its_body():
    b = Builder("twice")
    x, y = b.view("x", f32, 1), b.view("y", f32, 1)
    rows = b.axis("rows", dim(x, 0))
    with b.parallel(rows):
        first, second = b.load(x, rows), b.load(x, rows)
        b.store(y, rows, b.map("add", first, second))
    made = substitute(b.build(), {second: first})
    assert verify(made) == []
    assert only(made, Load) is first
    # One that has no place in the kernel takes that of the load it replaces.
    fresh = second.with_(assume=True)
    assert parallel_regions(substitute(b.build(), {second: fresh}))[0].body[:2] == (first, fresh)


def test_replacements_may_read_what_else_is_replaced():
    kernel = kernels.gelu()
    half, inner = only(kernel, Store).value.args
    (erf,) = [at for at in inner.args if isinstance(at, Map)]
    made = substitute(
        kernel,
        {
            half: Map(fn="neg", args=(inner,), type=half.type),
            erf: Map(fn="abs", args=erf.args, type=erf.type),
        },
    )
    text = print_kernel(made)
    assert '"neg"' in text
    assert '"abs"' in text
    assert '"erf"' not in text


def test_a_replacement_that_reads_what_it_replaces_is_refused():
    kernel = kernels.gelu()
    load = only(kernel, Load)
    with pytest.raises(ValueError, match="reads the value"):
        substitute(kernel, {load: Map(fn="neg", args=(load,), type=load.type)})


def test_one_view_for_two():
    kernel = kernels.softmax()
    x, y = kernel.views
    made = replace_view(kernel, y, x)
    assert made.params == (x,)
    assert made.outputs == made.inputs == (x,)
    assert verify(made) == []
    other = replace_view(kernel, x, y)
    assert static_dims(other) == {Dim("y", 1)}
    assert verify(other) == []


def test_views_of_different_types_are_not_one():
    kernel = kernels.cross_entropy()
    with pytest.raises(ValueError, match="differ"):
        replace_view(kernel, kernel.views[0], kernel.views[1])


def test_uses_lists_every_reader_once():
    kernel = kernels.softmax()
    readers = uses(kernel)
    (exp,) = [at for at in readers if isinstance(at, Map) and at.fn == "exp"]
    assert [type(at) for at in readers[exp]] == [Reduce, Map]
    assert readers[only(kernel, Store)] == ()
    index = next(at for at in readers if at.mnemonic == "tile.index")
    assert index.dtype == i64
    assert len(readers[index]) == 2
