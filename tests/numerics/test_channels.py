"""Groups of channels that adjoin in memory: three launches in place of gathered rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from certile import ops
from certile.ops.channels import Adjoining, adjoining
from certile.runtime.arrays import describe

Array = np.ndarray[Any, Any]

EPS = 1e-5
# Half of the last digit of a result, and what rounding a mean, a variance and a product adds.
RELATIVE = {torch.float64: 2.0**-46, torch.float32: 2.0**-18, torch.bfloat16: 2.0**-8}


def exact(x: Array, groups: int, weight: Array | None = None, bias: Array | None = None) -> Array:
    """The norm of examples by channels by places, in the widest type that NumPy has."""
    v = x.astype(np.longdouble)
    rows = v.reshape(v.shape[0], groups, -1)
    d = rows - rows.mean(axis=-1, keepdims=True)
    y = (d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + EPS)).reshape(v.shape)
    by_channel = (1, -1) + (1,) * (v.ndim - 2)
    if weight is not None:
        y = y * weight.astype(np.longdouble).reshape(by_channel)
    if bias is not None:
        y = y + bias.astype(np.longdouble).reshape(by_channel)
    return y


def made(shape: tuple[int, ...], seed: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    drawn = torch.randn(shape, generator=torch.Generator().manual_seed(seed))
    return drawn.to(dtype)


def last(x: torch.Tensor) -> torch.Tensor:
    """The same elements, the channels of a place side by side."""
    return torch.movedim(torch.movedim(x, 1, -1).contiguous(), -1, 1)


def wide(x: torch.Tensor | None) -> Array | None:
    return None if x is None else x.double().contiguous().numpy()


def cut(x: torch.Tensor, groups: int, y: torch.Tensor) -> Adjoining | None:
    return adjoining(("x", "y"), (describe(x), describe(y)), 1, groups)


def close(found: torch.Tensor, wanted: Array) -> None:
    bound = RELATIVE[found.dtype]
    np.testing.assert_allclose(
        found.double().numpy(), wanted.astype(np.float64), rtol=bound, atol=8 * bound
    )


# Whole vectors and odd ones, one place after another, groups of one and of all channels, widths
# that no number of places makes a whole run of, more than one dimension of places.
SHAPES = [
    ((2, 64, 8, 16), 8),
    ((1, 64, 32, 32), 8),
    ((3, 24, 31, 17), 4),
    ((1, 10, 64, 48), 10),
    ((1, 130, 37, 11), 13),
    ((1, 7, 1201), 1),
    ((2, 512, 5, 4), 1),
    ((1, 40, 8, 9, 10), 5),
]


@pytest.mark.parametrize(("shape", "groups"), SHAPES)
def test_groups_of_neighbouring_channels(shape: tuple[int, ...], groups: int) -> None:
    x, weight, bias = last(made(shape, 1) + 3), made(shape[1:2], 2), made(shape[1:2], 3)
    assert (cut(x, groups, x) is None) == (shape == (2, 512, 5, 4))
    y = ops.group_norm(x, groups, weight, bias)
    assert y.stride() == x.stride()
    close(y, exact(wide(x), groups, wide(weight), wide(bias)))


@pytest.mark.parametrize("dtype", list(RELATIVE))
def test_vectors_and_types(dtype: torch.dtype) -> None:
    x = last(made((3, 24, 31, 17), 1, dtype) + 3)
    weight, bias = made((24,), 2, dtype), made((24,), 3, dtype)
    for w, b in ((None, None), (weight, None), (None, bias), (weight, bias)):
        close(ops.group_norm(x, 4, w, b), exact(wide(x), 4, wide(w), wide(b)))


VIEWS: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda x: x[:, :, :, 1:-1],
    lambda x: x[:, :, ::2],
    lambda x: x[:, 3:21],
    lambda x: x[::2],
    lambda x: x.transpose(2, 3),
]


@pytest.mark.parametrize("view", VIEWS)
def test_places_with_gaps(view: Callable[[torch.Tensor], torch.Tensor]) -> None:
    x = view(last(made((3, 24, 34, 32), 4)))
    assert cut(x, 6, x) is not None
    close(ops.group_norm(x, 6), exact(wide(x), 6))


def test_neither_threads_nor_other_examples_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    x = last(made((4, 64, 32, 32), 6) + 3)
    found = cut(x, 8, x)
    assert found is not None
    assert found.parts > 1
    every = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CERTILE_THREADS", threads)
        every += [ops.group_norm(x, 8), torch.cat([ops.group_norm(each, 8) for each in x.split(1)])]
    for each in every[1:]:
        assert torch.equal(each, every[0])


def test_a_result_in_another_order() -> None:
    x = last(made((2, 32, 12, 16), 5))
    out = torch.empty(x.shape)
    assert cut(x, 4, out) is not None
    assert ops.group_norm(x, 4, out=out) is out
    close(out, exact(wide(x), 4))


def test_a_channel_axis_of_numpy() -> None:
    x = np.random.default_rng(6).standard_normal((2, 12, 16, 32), dtype=np.float32)
    y = ops.group_norm(x, 4, channel_axis=-1)
    assert y.flags.c_contiguous
    close(torch.from_numpy(np.moveaxis(y, -1, 1).copy()), exact(np.moveaxis(x, -1, 1), 4))


@pytest.mark.parametrize("places", [(0, 1), (1, 0), (2, 0), (2, 1), (0, 2)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_sum_in_place(places: tuple[int, int], dtype: torch.dtype) -> None:
    x, residual = last(made((2, 32, 12, 16), 7, dtype)), last(made((2, 32, 12, 16), 8, dtype))
    weight = made((32,), 9, dtype)
    total = x + residual
    wanted = exact(wide(total), 4, wide(weight))
    rooms = [x.clone(), residual.clone(), torch.empty_like(x)]
    y, h = (rooms[at] for at in places)
    ops.group_norm(rooms[0], 4, weight, residual=rooms[1], out=(y, h))
    assert torch.equal(h, total)
    close(y, wanted)


def test_digits_far_from_zero() -> None:
    """A few values far from zero, in steps of the last digit: a rounded mean would lose them."""
    steps = torch.randint(-4, 5, (2, 32, 12, 16), generator=torch.Generator().manual_seed(10))
    x = last(2.0**20 + steps / 8)
    close(ops.group_norm(x, 4), exact(wide(x), 4))


def test_a_first_element_unlike_all_others() -> None:
    """Deviations are counted from it, as with a border of zeros around what lies far from them."""
    x = made((2, 32, 12, 16), 11) / 4 + 100
    x[:, :, 0] = x[:, :, :, 0] = 0
    x = last(x)
    close(ops.group_norm(x, 4), exact(wide(x), 4))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_special_value_stays_in_its_group(value: float) -> None:
    x = last(made((2, 32, 12, 16), 12))
    for place in ((1, 9, 0, 0), (1, 9, 5, 7)):
        spoiled = x.clone(memory_format=torch.preserve_format)
        spoiled[place] = value
        y = ops.group_norm(spoiled, 4)
        assert torch.isnan(y[1, 8:16]).all()
        y[1, 8:16] = 0
        wanted = ops.group_norm(x, 4)
        wanted[1, 8:16] = 0
        assert torch.equal(y, wanted)


def test_a_variance_that_overflows_gives_zeros() -> None:
    x = last(made((2, 32, 12, 16), 13) * 1e20)
    assert torch.equal(ops.group_norm(x, 4), torch.zeros(x.shape))


def test_equal_elements_give_the_bias() -> None:
    x, bias = last(torch.full((2, 32, 12, 16), 0.1)), made((32,), 14)
    y = ops.group_norm(x, 4, made((32,), 15), bias)
    assert torch.equal(y, bias.reshape(1, 32, 1, 1).expand(y.shape))


def test_where_a_group_is_one_row_one_launch_takes_it() -> None:
    plain = made((2, 32, 12, 16), 16)
    few, one = last(made((2, 32, 4, 4), 16)), last(made((2, 1, 96, 96), 16))
    for x in (plain, few, one):
        assert cut(x, 1, x) is None
    apart = plain.expand(2, 32, 12, 16)[:, ::2]
    assert cut(apart, 4, apart) is None
