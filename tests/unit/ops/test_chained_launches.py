"""An operation of several launches: one foreign call, which looks at its arguments first."""

from __future__ import annotations

import numpy as np
import pytest

import certile as ct
from certile import ops
from certile.runtime.chains import covers, meets, refused
from certile.runtime.inspected import Quick
from tests.threads import in_threads

# Long enough to be cut into chunks that all threads share, in two launches.
COLUMNS = 1 << 18


def row(seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal((1, COLUMNS)).astype(np.float32)


def exact(
    x: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    e = np.exp(x.astype(np.float64) - x.max())
    return e / e.sum()


def test_a_long_row_is_right_in_place_and_again() -> None:
    """The second call finds the scratch of the first, and the same memory on both sides."""
    x, other = row(1), row(2)
    out = np.empty_like(x)
    for each in (x, other, x):
        ops.softmax(each, out=out)
        np.testing.assert_allclose(out, exact(each), rtol=2e-6)
    inside = x.copy()
    ops.softmax(inside, out=inside)
    np.testing.assert_array_equal(inside, out)


def test_nothing_is_written_where_an_output_overlaps_an_input() -> None:
    memory = np.random.default_rng(3).standard_normal(COLUMNS + 16).astype(np.float32)
    before = memory.copy()
    x, out = memory[:COLUMNS].reshape(1, -1), np.empty((1, COLUMNS), np.float32)
    ops.softmax(x, out=out)
    for start in (4, 16):
        with pytest.raises(ct.ArgumentError, match="A005"):
            ops.softmax(x, out=memory[start : start + COLUMNS].reshape(1, -1))
        np.testing.assert_array_equal(memory, before)
    apart = np.empty_like(out)
    ops.softmax(x, out=apart)
    np.testing.assert_array_equal(apart, out)


def test_calls_from_several_threads_share_no_scratch() -> None:
    rows = [row(seed) * (1 + seed) for seed in range(4)]
    wanted = [ops.softmax(x) for x in rows]
    wrong: list[int] = []

    def work(at: int) -> None:
        out = np.empty_like(rows[at])
        for _ in range(25):
            ops.softmax(rows[at], out=out)
            if not np.array_equal(out, wanted[at]):
                wrong.append(at)

    in_threads(work, range(4))
    assert not wrong


@pytest.mark.parametrize(
    ("pairs", "looks"),
    [
        # A pair of the call is about 3's address less 1's, between -8 and 24.
        (((1, 0, -24, 8),), True),
        (((0, 1, -8, 24),), True),
        (((0, 1, -9, 25),), True),
        (((0, 1, -8, 23),), False),
        (((1, 0, -23, 8),), False),
        (((1, 0, -24, 7),), False),
        (((0, 2, -8, 24), (2, 1, -8, 24)), False),
        ((), False),
    ],
)
def test_a_launch_looks_at_a_pair_of_the_call(
    pairs: tuple[tuple[int, int, int, int], ...], looks: bool
) -> None:
    """Slots 0, 1 and 2 of the launch hold the arrays 3, 1 and 2 of the call."""
    quick = Quick(None, (3, 1, 2), tuple, pairs, lambda _: None)  # type: ignore[arg-type]
    assert covers(refused([quick]), (1, 3, -8, 24)) is looks


@pytest.mark.parametrize("seed", range(200))
def test_many_arrays_meet_where_some_pair_does(seed: int) -> None:
    """Sorted spans say what the pairs say, one by one; arrays without elements meet nothing."""
    rng = np.random.default_rng(seed)
    inputs, count = int(rng.integers(0, 6)), 24
    sizes = [int(n) for n in rng.integers(0, 5, count)]
    extents = [(-int(rng.integers(0, 3)) if n else 0, n) for n in sizes]
    addresses = [int(at) for at in rng.integers(0, (20, 200, 2000)[seed % 3], count)]
    spans = [range(at + low, at + high) for at, (low, high) in zip(addresses, extents, strict=True)]
    wanted = False
    pairs = []
    for output in range(inputs, count):
        low, high = extents[output]
        for other in range(output):
            other_low, other_high = extents[other]
            if low != high and other_low != other_high:
                pairs.append((output, other, low - other_high, high - other_low))
                wanted |= not set(spans[output]).isdisjoint(spans[other])
    assert meets(pairs, extents, inputs)(addresses) is wanted
    one_by_one = [meets([pair], extents, inputs)(addresses) for pair in pairs]
    assert any(one_by_one) is wanted
    assert len(pairs) > 64
