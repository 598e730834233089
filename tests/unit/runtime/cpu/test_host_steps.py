"""What the host's machine code reads and adds, beside Python's integers and exact sums."""

import ctypes
import math
from collections.abc import Sequence

import numpy as np
import pytest

from certile.runtime.cpu.host_steps import TYPES, WRONG, Record, host_steps

_NUMPY = {name: np.dtype(("uint" if name[0] == "u" else "int") + name[1:]) for name in TYPES}


def _read(numbers: np.ndarray, bound: int, ignored: int) -> int:
    """Read evenly spaced integers, with nothing to launch."""
    word = ctypes.c_int64(numbers.ctypes.data)
    step = numbers.strides[0] // numbers.itemsize
    made = Record(
        integers_slot=ctypes.addressof(word),
        count=numbers.size,
        stride=step,
        bound=bound,
        ignored=ignored,
    )
    name = next(name for name, dtype in _NUMPY.items() if dtype == numbers.dtype)
    return host_steps(name).run(ctypes.addressof(made))


@pytest.mark.parametrize("name", TYPES)
def test_integers_are_compared_as_the_numbers_they_are(name: str) -> None:
    limits = np.iinfo(_NUMPY[name])
    generator = np.random.default_rng(7)
    answers = set()
    for count in (0, 1, 7, 8, 9, 16, 37):
        for step in (1, 2, -1):
            memory = generator.integers(0, 100, 2 * count + 1).astype(_NUMPY[name])
            numbers = memory[: 2 * count : 2] if step == 2 else memory[:count][::step]
            for value in (None, limits.min, limits.max, 100, 3):
                if value is not None and count:
                    numbers[generator.integers(count)] = value
                for ignored in (-100, 3, int(limits.max)):
                    values = [int(number) for number in numbers]
                    right = all(0 <= each < 100 or each == ignored for each in values)
                    wanted = sum(each != ignored for each in values) if right else WRONG
                    assert _read(numbers, 100, ignored) == wanted
                    answers.add(wanted)
    assert WRONG in answers
    assert len(answers) > 7


def _total(
    losses: Sequence[float],
    dtype: type,
    weights: Sequence[float] | None = None,
    counted: int | None = None,
) -> float:
    """Return the sum of losses, or their mean over the weights or the rows that count."""
    arrays = [np.array(losses, dtype), np.array(weights or [], dtype), np.zeros(1)]
    words = (ctypes.c_int64 * 3)(*(array.ctypes.data for array in arrays))
    at = ctypes.addressof(words)
    made = Record(
        losses_slot=at,
        weights_slot=at + 8 if weights else 0,
        rows=len(losses),
        wide=dtype is np.float64,
        mean=weights is not None or counted is not None,
        out_slot=at + 16,
        out_bytes=8,
    )
    host_steps("i64").add_up(ctypes.addressof(made), counted or 0)
    np.testing.assert_equal(arrays[2][0], made.total)
    return made.total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100, 4099])
def test_sums_are_right_to_the_last_bit(dtype: type, count: int) -> None:
    generator = np.random.default_rng(count)
    spread = generator.uniform(-30, 30, count)
    losses = (generator.standard_normal(count) * np.exp2(spread)).astype(dtype)
    exact = math.fsum(map(float, losses))
    assert abs(_total(losses.tolist(), dtype) - exact) <= math.ulp(exact)
    if count:
        mean = _total(losses.tolist(), dtype, counted=count)
        assert abs(mean - exact / count) <= 2 * math.ulp(exact / count)


def test_what_cancels_leaves_what_was_small() -> None:
    # Added in order, or in pairs, f64 loses every one of the ones.
    losses = [1e16, *[1.0] * 14, -1e16]
    assert _total(losses, np.float64) == 14.0
    assert float(np.add.reduce(np.array(losses))) != 14.0


def test_what_is_no_number_is_what_it_is_without_compensation() -> None:
    for count in (3, 30):
        ones = [1.0] * count
        assert _total([*ones, math.inf], np.float32) == math.inf
        assert _total([-math.inf, *ones], np.float64) == -math.inf
        assert math.isnan(_total([-math.inf, *ones, math.inf], np.float64))
        assert math.isnan(_total([math.nan, *ones], np.float32))
        assert _total([1e308] * (count + 7), np.float64) == math.inf


def test_a_mean_of_nothing_is_nan_and_of_no_weight_infinite() -> None:
    assert math.isnan(_total([], np.float32, counted=0))
    assert _total([2.0, 1.0], np.float32, [0.0, 0.0]) == math.inf
    assert _total([2.0, 1.0], np.float32, [0.5, 0.25]) == 4.0
