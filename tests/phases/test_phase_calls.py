"""Calls whose arrays begin at different places share no code that follows where rows begin."""

import numpy as np
import pytest

import certile as ct
from certile.ir.host import HostValue
from certile.ops.launch import _moved, describe_scratch
from certile.runtime.array_info import PLACES
from certile.runtime.bind import Arguments
from certile.runtime.dispatch import view_facts
from certile.runtime.numpy_arrays import describe, probe
from tests.phases.rows import at_place


def matrix(skew, pad=0):
    return at_place(np.zeros((3, 257), np.float32), skew, pad)[0]


def test_a_signature_says_where_an_array_begins():
    """Places 4 and 12 bytes behind an aligned one are alike to a power of two, and not the same."""
    signatures = {skew: probe(matrix(skew))[0] for skew in range(4)}
    assert len(set(signatures.values())) == 4
    assert all(probe(matrix(skew))[0] == signatures[skew] for skew in range(4))
    assert probe(matrix(5))[0] == signatures[1]


@pytest.mark.parametrize("skew", range(8))
@pytest.mark.parametrize("pad", [0, 3])
def test_facts_say_where_rows_begin_where_they_are_not_aligned(skew, pad):
    facts = view_facts(describe(matrix(skew, pad)), aligned=True)
    if skew % 4 == 0 and (257 + pad) % 4 == 0:
        assert facts.residues == ()
        assert facts.alignment % 16 == 0
    else:
        assert facts.residues == (4 * skew % 16, 4 * (257 + pad) % 16, 4)
    assert view_facts(describe(matrix(skew, pad)), aligned=False).residues == ()


@pytest.mark.parametrize("count", [1, 2])
def test_a_stride_that_moves_nothing_is_a_multiple_of_all_it_may_be_taken_for(count):
    """The strides of one row say nothing, whatever they are, so code may be told anything."""
    info = describe(matrix(1)[:count])
    residues = view_facts(info, aligned=True).residues
    passed = Arguments({"x": info}, {}, {"x": 0}).evaluate(HostValue("stride", "x", 0))
    assert passed == (0 if count == 1 else 257)
    assert passed * 4 % 16 == residues[1]


def test_of_memory_that_is_not_there_yet_nothing_is_known():
    assert view_facts(describe_scratch((3, 257), "f32"), aligned=True).residues == ()


def test_a_moved_array_lies_where_all_of_its_signature_lie():
    for address in range(64):
        for other in (place for place in range(64) if PLACES[place] == PLACES[address]):
            for distance in range(0, 130, 2):
                shown, real = _moved(address, distance), other + distance
                assert shown % 16 == real % 16
                assert real % min(16, shown & -shown or 16) == 0


@ct.tile_kernel
def less_greatest(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        y[r, cols] = v - ct.reduce(v, cols, ct.maximum)


def whole_numbers(shape, dtype):
    return np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)


PHASED = {"phase": "on", "lane_elements": 4}


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_one_kernel_is_called_on_arrays_that_begin_anywhere(dtype):
    """Each place has code of its own, and memory around the arrays stays as it is."""
    values = whole_numbers((3, 131), dtype)
    expected = values - values.max(axis=1, keepdims=True)
    for skew, other in ((0, 0), (1, 3), (3, 3), (2, 1), (1, 1)):
        x, _ = at_place(values, skew, 0)
        y, memory = at_place(np.zeros_like(values), other, 2)
        with ct.target("metal-sim"):
            less_greatest.prepare(x, y, plan=PHASED)()
        np.testing.assert_array_equal(y, expected)
        y[...] = 0
        np.testing.assert_array_equal(memory, at_place(y, other, 2)[1])


def test_a_prepared_call_takes_arrays_of_its_place_and_no_others():
    values = whole_numbers((3, 131), np.float32)
    expected = values - values.max(axis=1, keepdims=True)
    x, y = at_place(values, 1, 0)[0], at_place(np.zeros_like(values), 1, 0)[0]
    with ct.target("metal-sim"):
        prepared = less_greatest.prepare(x, y, plan=PHASED)
        again = at_place(np.zeros_like(values), 5, 0)[0]
        prepared(x, again)
        np.testing.assert_array_equal(again, expected)
        for skew in (0, 2, 3):
            elsewhere = at_place(np.zeros_like(values), skew, 0)[0]
            with pytest.raises(ct.ArgumentError, match="A010"):
                prepared(x, elsewhere)


def test_interleaved_views_keep_their_places_in_the_simulator():
    """Their memory is copied there, and the copy begins as the views do."""
    both = whole_numbers((3, 400), np.float32)
    memory = at_place(both, 0, 0)[0]
    x, y = memory[:, 1:132], memory[:, 203:334]
    with ct.target("metal-sim"):
        less_greatest.prepare(x, y, plan=PHASED)()
    np.testing.assert_array_equal(y, x - x.max(axis=1, keepdims=True))
    np.testing.assert_array_equal(memory[:, 132:203], both[:, 132:203])
    np.testing.assert_array_equal(memory[:, :132], both[:, :132])
