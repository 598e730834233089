"""What is known of an array's layout, beside a walk over the places of its elements."""

from itertools import product

import pytest

from certile.ir.host import (
    ALIGNMENT_BYTES,
    RESIDUE_BYTES,
    layout_facts,
    row_major_facts,
    stride_class,
)

LAYOUTS = [
    ((3, 4), (4, 1)),
    ((3, 5), (5, 1)),
    ((3, 5), (8, 1)),
    ((1, 5), (5, 1)),
    ((4, 1), (1, 7)),
    ((6,), (1,)),
    ((6,), (2,)),
    ((2, 3, 8), (24, 8, 1)),
    ((2, 3, 8), (32, 8, 1)),
    ((3, 8), (0, 1)),
    ((3, 8), (-8, 1)),
    ((3, 0), (0, 1)),
    ((), ()),
]


@pytest.mark.parametrize(
    ("shape", "strides", "told_apart"),
    [
        ((), (), ()),
        ((4, 8), (8, 1), (None, 1)),
        ((4, 8), (0, 0), (0, 0)),
        ((4, 8), (16, 2), (None, 2)),
        ((4, 8), (2, 8), (None, None)),
        ((4, 8), (-1, -1), (None, -1)),
        ((4, 8), (-16, -2), (None, None)),
        ((4, 8), (1, 4), (1, 4)),
        ((4, 8), (40, 5), (None, None)),
        ((4, 1), (1, 7), (1, 1)),
    ],
)
def test_code_is_made_for_small_strides_of_the_last_axis(shape, strides, told_apart):
    assert stride_class(shape, strides) == told_apart


@pytest.mark.parametrize("step", [-1, 2, 3, 4, 5])
def test_where_no_vector_holds_several_elements_steps_are_one_class(step):
    assert stride_class((4, 8), (64, step), steps=False) == (None, None)
    assert layout_facts((4, 8), (64, step), 4, steps=False).strides == (None, None)
    assert stride_class((4, 8), (64, 1), steps=False) == (None, 1)
    assert stride_class((4, 8), (1, 0), steps=False) == (1, 0)


def places(shape, strides, address, size):
    """The byte addresses of an array's elements, in C order."""
    indices = product(*map(range, shape))
    return [address + size * sum(map(int.__mul__, index, strides)) for index in indices]


def starts(shape, strides, address, size):
    """The byte addresses at which walks along the dimensions of stride 1 begin."""
    stepped = [1 if stride == 1 else n for n, stride in zip(shape, strides, strict=True)]
    return places(stepped, strides, address, size)


@pytest.mark.parametrize(("shape", "strides"), LAYOUTS)
@pytest.mark.parametrize("address", [0, 64, 4096 + 32, 16, 8, 4])
@pytest.mark.parametrize("size", [2, 4])
def test_alignment_holds_for_every_row(shape, strides, address, size):
    facts = layout_facts(shape, strides, size, address)
    begun = starts(shape, strides, address, size)
    assert all(place % facts.alignment == 0 for place in begun)
    # Twice as much would be wrong of one of them, or more than anybody asks for.
    wider = 2 * facts.alignment
    assert wider > ALIGNMENT_BYTES or any(place % wider for place in begun)
    assert bool(facts.residues) == (facts.alignment < RESIDUE_BYTES)


@pytest.mark.parametrize(("shape", "strides"), LAYOUTS)
def test_a_dense_array_is_one_run_of_elements(shape, strides):
    found = places(shape, strides, 32, 4)
    run = len(shape) > 1 and found and found == list(range(32, 32 + 4 * len(found), 4))
    facts = layout_facts(shape, strides, 4, 32)
    assert facts.dense == ((len(found) // shape[0], 32) if run else None)


def test_strides_that_mean_nothing_are_no_case_of_their_own():
    assert layout_facts((4, 1), (9, 9), 4).strides == (None, 1)
    assert layout_facts((4, 3), (3, 1), 4).strides == (None, 1)
    assert layout_facts((4, 3), (0, 1), 4).strides == (0, 1)


@pytest.mark.parametrize("shape", [(3, 5), (7, 64), (2, 3, 8), (6,), ()])
def test_an_array_in_c_order_has_the_facts_of_its_steps(shape):
    steps = [1] * len(shape)
    for dim in reversed(range(len(shape) - 1)):
        steps[dim] = steps[dim + 1] * shape[dim + 1]
    assert row_major_facts(shape, 4) == layout_facts(shape, steps, 4)
