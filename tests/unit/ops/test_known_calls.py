"""A call that is like the one before is known by few questions, and none is known that differs.

Each case makes a call several times, and then one that differs in what those questions could miss.
Expected values are the frameworks' own.
"""

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
import torch

import certile as ct
from certile import ops
from certile.runtime import alike
from certile.settings import call_state

ROWS = np.random.default_rng(5).standard_normal((3, 40)).astype(np.float32)


def softmax(x: Any) -> Any:
    shifted = np.exp(x - x.max(-1, keepdims=True))
    return shifted / shifted.sum(-1, keepdims=True)


def known(call: Any) -> None:
    for _ in range(3):
        call()


def test_the_second_call_asks_few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise nothing here is held."""
    for x in (ROWS, torch.from_numpy(ROWS), mx.array(ROWS)):
        known(lambda x=x: ops.softmax(x))
        monkeypatch.setattr("certile.ops.call.probe_into", None)
        ops.softmax(x)
        monkeypatch.undo()


def count_learnt(call: Any) -> int:
    """How often the call, made again and again, learns arrays."""
    learnt, learn = 0, alike.of

    def of(arrays: Any) -> alike.Again:
        nonlocal learnt
        learnt += 1
        return learn(arrays)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alike, "of", of)
        for _ in range(32):
            call()
    return learnt


def test_calls_in_turn_are_learnt_once_each() -> None:
    """Of one signature: an output that is the input, and a tensor of inference."""
    # Memory of PyTorch's own, all aligned alike.
    x, y = torch.from_numpy(ROWS).clone(), torch.empty(3, 40)
    with torch.inference_mode():
        z = torch.empty(3, 40).zero_()

    def call() -> None:
        ops.softmax(x, out=y)
        ops.softmax(y, out=y)
        ops.log_softmax(z)
        ops.log_softmax(x)

    assert count_learnt(call) == 4
    np.testing.assert_allclose(y.numpy(), softmax(softmax(ROWS)), rtol=1e-5)


def test_arrays_that_nothing_knows_are_learnt_rarely() -> None:
    x, y = np.asfortranarray(ROWS), ROWS.copy()
    y.flags.writeable = False
    for each in (x, y):
        assert count_learnt(lambda each=each: ops.l2_norm(each)) <= 4


@pytest.mark.parametrize("make", [np.array, lambda x: torch.from_numpy(x.copy())])
def test_arrays_at_other_places(make: Any) -> None:
    """What is known holds for an alignment; neither results nor inputs keep to one."""
    for place in (0, 4, 1, 8, 0, 3, 4):
        x, y = make(np.zeros(200, np.float32)), make(np.zeros(200, np.float32))
        a, out = x[place : place + 120].reshape(3, 40), y[7 : 7 + 120].reshape(3, 40)
        a[...] = make(ROWS)
        ops.softmax(a, out=out)
        np.testing.assert_allclose(np.asarray(out), softmax(ROWS), rtol=1e-5)
        np.testing.assert_allclose(np.asarray(ops.softmax(a)), softmax(ROWS), rtol=1e-5)
        assert float(y[:7].sum()) == float(y[127:].sum()) == 0


def test_options_target_and_settings_count(monkeypatch: pytest.MonkeyPatch) -> None:
    known(lambda: ops.layer_norm(ROWS))
    np.testing.assert_allclose(
        ops.layer_norm(ROWS, eps=1.0),
        (ROWS - ROWS.mean(-1, keepdims=True)) / np.sqrt(ROWS.var(-1, keepdims=True) + 1),
        rtol=1e-4,
        atol=1e-5,
    )
    before = call_state()
    monkeypatch.setenv("CERTILE_MATH", "nonsense")
    assert call_state() != before
    with pytest.raises(ct.ArgumentError, match="CERTILE_MATH"):
        ops.layer_norm(ROWS, eps=1.0)
    monkeypatch.undo()
    out = np.full_like(ROWS, 7)
    with ct.target("null"):
        ops.layer_norm(ROWS, out=out)
    assert (out == 7).all()


def test_outputs_are_told_apart() -> None:
    x = ROWS.copy()
    codes, scale = np.empty((3, 40), np.int8), np.empty(3, np.float32)
    known(lambda: ops.quantize_rows(x, out=(codes, scale)))
    with pytest.raises(ct.ArgumentError, match="A306"):
        ops.quantize_rows(x, out=(codes,))
    y, h = np.empty_like(x), np.empty_like(x)
    known(lambda: ops.rms_norm(x, residual=x, out=(y, h)))
    with pytest.raises(ct.ArgumentError, match="A005"):
        ops.rms_norm(x, residual=x, out=(y, y))
    with pytest.raises(ct.ArgumentError, match="A005"):
        ops.softmax(x.reshape(-1)[:80].reshape(2, 40), out=x.reshape(-1)[20:100].reshape(2, 40))


def test_outputs_without_elements_are_not_one() -> None:
    """Tensors without elements all lie at address 0."""
    x = torch.empty(0, 40)
    out = torch.empty(0, 40, dtype=torch.int8), torch.empty(0)
    for _ in range(3):
        assert ops.quantize_rows(x, out=out)[0] is out[0]


def test_a_tensor_in_place_and_a_vector_twice() -> None:
    w = torch.linspace(-1, 1, 40)
    for _ in range(3):
        x = torch.from_numpy(ROWS.copy())
        assert ops.softmax(x, out=x) is x
        np.testing.assert_allclose(x.numpy(), softmax(ROWS), rtol=1e-5)
    x = torch.from_numpy(ROWS.copy())
    known(lambda: ops.layer_norm(x, w, w))
    expected = torch.nn.functional.layer_norm(x, (40,), w, w + 1)
    torch.testing.assert_close(ops.layer_norm(x, w, w + 1), expected)


def test_what_becomes_of_a_tensor_counts() -> None:
    x = torch.from_numpy(ROWS.copy())
    known(lambda: ops.softmax(x))
    with pytest.raises(ct.UnsupportedError, match="negated"):
        ops.softmax(torch._neg_view(x))
    x.requires_grad_()
    assert ops.softmax(x).requires_grad
    x.requires_grad_(False)
    assert not ops.softmax(x).requires_grad
    with torch.inference_mode():
        assert ops.softmax(x).is_inference()
    assert not ops.softmax(x).is_inference()
    x = torch.zeros(3, 40)
    known(lambda: ops.softmax(x))
    x.untyped_storage().resize_(0)
    with pytest.raises(ct.UnsupportedError, match="storage without memory"):
        ops.softmax(x)


def test_more_places_than_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certile.ops.call._MOST_PLACES", 2)
    block = np.zeros(160, np.float32)
    for place in (0, 1, 2, 3, 0, 1):
        x = block[place : place + 120].reshape(3, 40)
        x[...] = ROWS
        np.testing.assert_allclose(ops.softmax(x), softmax(ROWS), rtol=1e-5)


def test_without_the_check_of_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alike, "_checker", lambda torch: None)
    x = torch.from_numpy(ROWS.copy()).double()[:, 1:]
    for _ in range(3):
        torch.testing.assert_close(ops.log_softmax(x), torch.log_softmax(x, -1))
