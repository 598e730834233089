"""Layouts: offsets against plain loops, and `prove` against looking at every coordinate."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.ir import layouts
from certile.ir.layouts import BitLinear, Digit, Layout, MixedRadix, Table, row_major, strided


def brute(layout: Layout) -> tuple[bool, bool]:
    """Whether offsets stay in bounds, and whether all differ; by a loop over coordinates."""
    found = [
        int(layout.offset(at)) for at in itertools.product(*(range(n) for n in layout.extents))
    ]
    return all(0 <= o < layout.cosize for o in found), len(set(found)) == len(found)


def agrees_with_brute_force(layout: Layout) -> None:
    proof = layout.prove()
    bounds, injective = brute(layout)
    assert proof.total.answer == "proved"
    assert proof.in_bounds.answer == ("proved" if bounds else "disproved")
    assert proof.injective.answer == ("proved" if injective else "disproved")
    if not injective:
        first, second = proof.injective.witness
        assert first != second
        assert layout.offset(first) == layout.offset(second)
    if not bounds:
        (at,) = proof.in_bounds.witness
        assert not 0 <= layout.offset(at) < layout.cosize


@given(st.data())
def test_mixed_radix_proofs(data: st.DataObject) -> None:
    axes = data.draw(st.integers(0, 3))
    digits = tuple(
        tuple(
            Digit(data.draw(st.integers(1, 4)), data.draw(st.integers(-6, 24)))
            for _ in range(data.draw(st.integers(1, 3)))
        )
        for _ in range(axes)
    )
    full = [prod(d.extent for d in axis) for axis in digits]
    extents = tuple(max(1, n - data.draw(st.integers(0, 1))) for n in full)
    agrees_with_brute_force(MixedRadix(extents, digits, data.draw(st.integers(1, 120))))


@given(st.data())
def test_bit_linear_proofs(data: st.DataObject) -> None:
    bits = data.draw(st.lists(st.integers(0, 3), max_size=3))
    columns = tuple(tuple(data.draw(st.integers(0, 31)) for _ in range(n)) for n in bits)
    cosize = data.draw(st.integers(1, 40))
    agrees_with_brute_force(BitLinear(tuple(1 << n for n in bits), columns, cosize))


@given(st.lists(st.integers(-1, 9), min_size=6, max_size=6))
def test_table_proofs(offsets: list[int]) -> None:
    agrees_with_brute_force(Table((2, 3), tuple(offsets), 8))


def test_digits_are_written_most_significant_first() -> None:
    layout = MixedRadix((8,), ((Digit(2, 1), Digit(4, 8)),), 26)
    assert [int(layout.offset((k,))) for k in range(8)] == [0, 8, 16, 24, 1, 9, 17, 25]


def test_bits_choose_columns() -> None:
    layout = BitLinear((4, 2), ((1, 2), (5,)), 8)
    offsets = [[int(layout.offset((r, c))) for c in range(2)] for r in range(4)]
    assert offsets == [[0, 5], [1, 4], [2, 7], [3, 6]]


def test_row_major_is_numpys() -> None:
    layout = row_major((3, 4, 5))
    expected = np.arange(60).reshape(3, 4, 5)
    grid = np.indices((3, 4, 5))
    assert np.array_equal(layout.offset(list(grid)), expected)
    assert layout.cosize == 60
    assert layout.prove()


def test_a_swizzle_is_a_permutation() -> None:
    """Row r of 8 x 8 has its columns xor r: the transposed access meets eight banks."""
    columns = ((8 + 1, 16 + 2, 32 + 4), (1, 2, 4))
    layout = BitLinear((8, 8), columns, 64)
    assert layout.prove()
    banks = {int(layout.offset((r, 3))) % 8 for r in range(8)}
    assert banks == set(range(8))


def test_what_is_not_defined_is_not_total() -> None:
    short = MixedRadix((5,), ((Digit(4, 1),),), 8).prove()
    assert short.total.answer == "disproved"
    assert short.total.witness == ((4,),)
    assert short.injective.answer == "unknown"
    assert not short
    hole = Table((2,), (0, None), 2).prove()
    assert hole.total.witness == ((1,),)
    bits = BitLinear((4,), ((1,),), 4).prove()
    assert bits.total.witness == ((2,),)


def test_large_layouts_are_decided_by_algebra_or_not_at_all() -> None:
    n = layouts.MOST_ENUMERATED
    assert strided((n, 3), (3, 1)).prove()
    crowded = strided((n, 4), (1, 1)).prove()
    assert crowded.injective.answer == "disproved"
    # 2 * a + 3 * b can meet, and there are too many elements to look.
    open_question = strided((n, 2), (2, 3)).prove()
    assert open_question.injective.answer == "unknown"
    assert not open_question
    over = strided((n, 3), (3, 1), cosize=3 * n - 1).prove()
    assert over.in_bounds.answer == "disproved"


def test_empty_layouts_hold_everything() -> None:
    assert strided((0, 4), (4, 1), cosize=0).prove()
    assert Table((0,), (), 0).prove()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: BitLinear((3,), ((1, 2),), 4), "powers of two"),
        (lambda: BitLinear((4,), ((1, -2),), 4), "without sign"),
        (lambda: MixedRadix((4,), (), 4), "0 rules for 1 axes"),
        (lambda: MixedRadix((4,), ((Digit(0, 1),),), 4), "at least one value"),
        (lambda: Table((4,), (0, 1), 4), "2 offsets for 4 elements"),
        (lambda: strided((4,), (1,), cosize=-1), "not negative"),
    ],
)
def test_malformed_layouts_are_refused(make: Callable[[], Layout], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()
