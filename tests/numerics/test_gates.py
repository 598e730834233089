"""Gated activations and groups of channels, beside PyTorch and float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

import certile as ct
from certile import ops

pytestmark = pytest.mark.usefixtures("on_target")

GATES = [(ops.swiglu, functional.silu), (ops.geglu, functional.gelu)]


@pytest.mark.parametrize(("op", "activation"), GATES)
@pytest.mark.parametrize("shape", [(2,), (3, 2), (5, 34), (2, 3, 10), (1, 8200)])
def test_halves_are_the_gate_and_what_it_lets_through(
    op: object, activation: object, shape: tuple[int, ...]
) -> None:
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    gate, up = x.chunk(2, -1)
    wanted = activation(gate) * up
    torch.testing.assert_close(op(x), wanted)
    torch.testing.assert_close(op(gate, up), wanted)
    torch.testing.assert_close(op(x.T.contiguous().T if x.ndim == 2 else x), wanted)


@pytest.mark.parametrize(("op", "activation"), GATES)
def test_a_narrow_product_is_rounded_once(op: object, activation: object) -> None:
    x = torch.randn(4, 64, generator=torch.Generator().manual_seed(2)).to(torch.bfloat16)
    gate, up = (each.double() for each in x.chunk(2, -1))
    assert torch.equal(op(x), (activation(gate) * up).float().to(torch.bfloat16))


def test_special_values_of_gates() -> None:
    gate = np.array([np.inf, -np.inf, np.nan, -np.inf, 0, 200], np.float32)
    up = np.array([2, 2, 2, 0, np.inf, 1], np.float32)
    # -inf times sigmoid(-inf), which is 0, is NaN by the formula.
    np.testing.assert_array_equal(ops.swiglu(gate, up), [np.inf, *[np.nan] * 4, 200])
    assert ops.swiglu(np.empty((3, 0), np.float32)).shape == (3, 0)


def test_a_gate_may_be_written_over() -> None:
    gate, up = np.linspace(-3, 3, 50, dtype=np.float32).reshape(2, 25), np.ones((2, 25), "f4")
    wanted = ops.swiglu(gate, up)
    assert ops.swiglu(gate, up, out=gate) is gate
    np.testing.assert_array_equal(gate, wanted)
    both = np.ones((2, 10), np.float32)
    with pytest.raises(ct.ArgumentError, match="shares memory"):
        ops.swiglu(both, out=both[:, :5])


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
@pytest.mark.parametrize("shape", [(4, 6), (2, 6, 5), (2, 6, 3, 7), (1, 6, 1, 1)])
def test_groups_of_channels(groups: int, shape: tuple[int, ...]) -> None:
    made = torch.Generator().manual_seed(3)
    x = torch.randn(shape, generator=made)
    weight, bias = torch.randn(6, generator=made), torch.randn(6, generator=made)
    if groups == 6 and shape in ((4, 6), (1, 6, 1, 1)):
        # One element a group: it is its own mean.
        assert torch.equal(ops.group_norm(x, groups), torch.zeros(shape))
        return
    wanted = functional.group_norm(x, groups, weight, bias)
    torch.testing.assert_close(ops.group_norm(x, groups, weight, bias), wanted)
    last = torch.movedim(x, 1, -1)
    for laid_out in (last, last.contiguous()):
        found = ops.group_norm(laid_out, groups, weight, bias, channel_axis=-1)
        torch.testing.assert_close(torch.movedim(found, -1, 1), wanted)
    torch.testing.assert_close(
        ops.group_norm(x, groups, bias=bias), functional.group_norm(x, groups, None, bias)
    )


def test_groups_of_a_sum() -> None:
    x = torch.randn(2, 4, 9, generator=torch.Generator().manual_seed(4))
    y, h = ops.group_norm(x, 2, residual=2 * x)
    assert torch.equal(h, x + 2 * x)
    torch.testing.assert_close(y, functional.group_norm(h, 2))


def test_groups_far_from_zero_keep_their_digits() -> None:
    x = (1e4 + np.arange(32) * 0.25).astype(np.float32).reshape(1, 4, 8)
    d = x.astype(np.float64).reshape(2, 16)
    d -= d.mean(axis=1, keepdims=True)
    wanted = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(ops.group_norm(x, 2).reshape(2, 16), wanted, rtol=1e-5)


def test_empty_groups() -> None:
    assert ops.group_norm(np.empty((0, 4, 3), np.float32), 2).shape == (0, 4, 3)
    assert ops.group_norm(np.empty((2, 4, 0), np.float32), 2).shape == (2, 4, 0)
