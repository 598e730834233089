"""Labels and indices that are read before a launch, and losses that are added up behind it."""

from typing import Any

import numpy as np
import pytest
import torch

import certile as ct
from certile import ops
from certile.ops import checks, losses
from certile.ops.call import Operation
from tests.threads import in_threads

_MAKERS = (np.asarray, torch.from_numpy)


def _losses(x: np.ndarray, labels: np.ndarray, ignored: int = -100) -> np.ndarray:
    """Return the loss of each row in f64, of what the row's elements are."""
    wide = x.astype(np.float64)
    shift = wide.max(1, keepdims=True)
    spread = np.log(np.exp(wide - shift).sum(1)) + shift[:, 0]
    own = wide[np.arange(len(x)), np.where(labels == ignored, 0, labels)]
    return np.where(labels == ignored, 0.0, spread - own)


def _rows(count: int, classes: int = 12, dtype: type = np.float32) -> tuple[Any, Any]:
    generator = np.random.default_rng(count)
    x = generator.standard_normal((count, classes)).astype(dtype)
    return x, generator.integers(0, classes, count)


@pytest.mark.parametrize("make", _MAKERS)
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("count", [1, 3, 40])
def test_a_wrong_label_is_refused_before_anything_is_written(
    make: Any, reduction: str, count: int
) -> None:
    x, labels = _rows(count)
    out = np.empty(count if reduction == "none" else (), np.float32)
    ops.cross_entropy(make(x), make(labels), reduction=reduction, out=make(out))
    for wrong in (12, -1, -100 + 1, 2**62):
        # The same signature: the call is one that is known.
        again = labels.copy()
        again[-1] = wrong
        out[...] = 5
        with pytest.raises(ct.ArgumentError, match=f"label {wrong} at .{count - 1},") as found:
            ops.cross_entropy(make(x), make(again), reduction=reduction, out=make(out))
        assert found.value.code == "A307"
        assert (out == 5).all()
    ops.cross_entropy(make(x), make(labels), reduction=reduction, out=make(out))
    wanted = _losses(x, labels)
    wanted = {"none": wanted, "sum": wanted.sum(), "mean": wanted.mean()}[reduction]
    np.testing.assert_allclose(out, wanted, rtol=2e-6)


@pytest.mark.parametrize("make", _MAKERS)
def test_a_wrong_index_is_refused_before_anything_is_written(make: Any) -> None:
    table = np.arange(20, dtype=np.float32).reshape(5, 4)
    y = np.empty((2, 3, 4), np.float32)
    memory = np.array([[0, 1], [4, 3], [2, 2]])
    indices = memory.T
    ops.embedding(make(table), make(indices), out=make(y))
    np.testing.assert_array_equal(y, table[indices])
    for wrong in (5, -1):
        memory[1, 1] = wrong
        y[...] = 7
        with pytest.raises(ct.ArgumentError, match=rf"indices has {wrong} at \(1, 1\)") as found:
            ops.embedding(make(table), make(indices), out=make(y))
        assert found.value.code == "A312"
        assert (y == 7).all()
    with pytest.raises(ct.ArgumentError, match="A312"):
        ops.embedding(make(table[:0]), make(np.zeros(3, np.int64)))
    with pytest.raises(ct.ArgumentError, match="A312"):
        ops.embedding(make(table[:, :0]), make(np.full(3, 5)))
    assert ops.embedding(make(table[:, :0]), make(np.full(3, 4))).shape == (3, 0)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32"])
def test_every_type_of_labels_is_read(dtype: str) -> None:
    x, labels = _rows(21)
    narrow = labels.astype(dtype)
    found = ops.cross_entropy(x, narrow)
    np.testing.assert_allclose(found, _losses(x, labels).mean(), rtol=2e-6)
    narrow[20] = np.iinfo(dtype).max
    with pytest.raises(ct.ArgumentError, match="A307"):
        ops.cross_entropy(x, narrow)


def test_labels_that_are_not_evenly_spaced_are_read() -> None:
    generator = np.random.default_rng(3)
    x = generator.standard_normal((3, 12, 4)).astype(np.float32)
    memory = generator.integers(0, 12, (4, 6))
    labels = memory[:, ::2].T
    rows = x.transpose(0, 2, 1).reshape(12, 12)
    wanted = _losses(rows, labels.ravel())
    np.testing.assert_allclose(ops.cross_entropy(x, labels, axis=1), wanted.mean(), rtol=2e-6)
    labels[2, 1] = 3
    kept = wanted[labels.ravel() != 3].sum() / (labels != 3).sum()
    found = ops.cross_entropy(x, labels, axis=1, ignore_index=3)
    np.testing.assert_allclose(found, kept, rtol=2e-6)
    labels[2, 1] = 12
    with pytest.raises(ct.ArgumentError, match=r"label 12 at \(2, 1\)"):
        ops.cross_entropy(x, labels, axis=1)


@pytest.mark.parametrize("make", _MAKERS)
@pytest.mark.parametrize("count", [5, 1000, 3000])
@pytest.mark.parametrize("ignored", [-100, 4])
def test_totals_are_those_of_the_losses(make: Any, count: int, ignored: int) -> None:
    x, labels = _rows(count)
    weight = np.linspace(0.5, 2, 12).astype(np.float32)
    rows, shares = _losses(x, labels, ignored), weight[labels] * (labels != ignored)
    totals = {
        "sum": (rows.sum(), (rows * shares).sum()),
        "mean": (rows.sum() / (labels != ignored).sum(), (rows * shares).sum() / shares.sum()),
    }
    for reduction, wanted in totals.items():
        for given, number in zip((None, make(weight)), wanted, strict=True):
            out = make(np.empty((), np.float32))
            found = ops.cross_entropy(
                make(x),
                make(labels),
                reduction=reduction,
                weight=given,
                ignore_index=ignored,
                out=out,
            )
            assert found is out
            np.testing.assert_allclose(float(out), number, rtol=2e-6)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
def test_a_total_is_rounded_once_to_its_dtype(dtype: str) -> None:
    x, labels = _rows(50)
    wanted = _losses(x, labels).mean()
    found = ops.cross_entropy(x, labels, dtype=dtype)
    assert isinstance(found, np.generic)
    narrow = {"f16": 2.0**-11, "bf16": 2.0**-8, "f64": 1e-6}[dtype]
    assert abs(float(found) - wanted) <= narrow * wanted * 1.01


def test_a_total_may_lie_in_an_input() -> None:
    x, labels = _rows(6)
    wanted = _losses(x, labels).mean()
    out = x[2:3, 4].reshape(())
    assert np.shares_memory(out, x)
    ops.cross_entropy(x, labels, out=out)
    np.testing.assert_allclose(x[2, 4], wanted, rtol=2e-6)


def test_losses_over_the_labels_are_refused() -> None:
    x, labels = _rows(6)
    out = np.empty(6, np.float32)
    ops.cross_entropy(x, labels, reduction="none", out=out)
    before = labels.copy()
    with pytest.raises(ct.ArgumentError, match="A005"):
        ops.cross_entropy(x, labels, reduction="none", out=labels.view(np.float32)[:6])
    np.testing.assert_array_equal(labels, before)


def test_threads_have_records_of_their_own() -> None:
    x, labels = _rows(64)
    wrong: list[tuple[int, float]] = []

    def work(shift: int) -> None:
        mine = (labels + shift) % 12
        wanted = _losses(x, mine).mean()
        for _ in range(100):
            found = float(ops.cross_entropy(x, mine))
            if abs(found - wanted) > 2e-6 * wanted:
                wrong.append((shift, found))

    in_threads(work, range(4))
    assert not wrong


@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_the_interpreter_is_given_the_same(reduction: str) -> None:
    x, labels = _rows(5)
    usual = ops.cross_entropy(x, labels, reduction=reduction)
    with ct.target("reference"):
        found = ops.cross_entropy(x, labels, reduction=reduction)
        np.testing.assert_allclose(found, usual, rtol=1e-6)
        labels[1] = 99
        with pytest.raises(ct.ArgumentError, match="A307"):
            ops.cross_entropy(x, labels, reduction=reduction)


def test_outputs_that_meet_an_input_are_found_in_a_known_call() -> None:
    memory = np.arange(64, dtype=np.float32)
    x, y = memory[:16].reshape(1, 16), memory[32:48].reshape(1, 16)
    ops.softmax(x, out=y)
    y[...] = 3
    with pytest.raises(ct.ArgumentError, match="A005"):
        ops.softmax(memory[:16].reshape(1, 16), out=memory[4:20].reshape(1, 16))
    np.testing.assert_array_equal(memory[:32], np.arange(32))
    wanted = ops.softmax(x)
    ops.softmax(x, out=x)  # in place
    np.testing.assert_array_equal(x, wanted)


@pytest.mark.parametrize("make", _MAKERS)
def test_arrays_on_several_devices_are_added_on_the_host(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, labels = _rows(9)

    def elsewhere(recipe: object, arrays: object) -> None:
        raise losses._ElsewhereError

    monkeypatch.setattr(losses.Added, "inspection", elsewhere)
    monkeypatch.setattr(losses, "_totals", Operation("cross_entropy", losses._added))
    for out in (None, make(np.empty((), np.float32))):
        found = ops.cross_entropy(make(x), make(labels), out=out)
        np.testing.assert_allclose(float(found), _losses(x, labels).mean(), rtol=2e-6)
    labels[3] = 12
    with pytest.raises(ct.ArgumentError, match="A307"):
        ops.cross_entropy(make(x), make(labels))


def test_tensors_without_memory_are_refused_as_labels() -> None:
    x, labels = _rows(5)
    assert not checks.on_a_device(labels)
    assert not checks.on_a_device(torch.from_numpy(labels))
    nothing = torch.from_numpy(labels).to("meta")
    assert checks.on_a_device(nothing)
    for work in (ops.cross_entropy, ops.embedding):
        with pytest.raises(ct.UnsupportedError, match="U201"):
            work(torch.from_numpy(x), nothing)
