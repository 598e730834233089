"""What an operation returns and refuses, by framework."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import ml_dtypes
import numpy as np
import pytest
import torch

import certile as ct
from certile import ops

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def code_of(work: object) -> str:
    with pytest.raises(ct.CertileError) as found:
        work()
    return found.value.code


def test_results_belong_to_the_framework_of_the_input() -> None:
    assert isinstance(ops.softmax(X), np.ndarray)
    assert isinstance(ops.sum(X), np.float32)
    tensor = torch.from_numpy(X)
    assert isinstance(ops.softmax(tensor), torch.Tensor)
    assert ops.sum(tensor).shape == ()
    assert ops.argmax(tensor, -1).dtype == torch.int64
    assert ops.softmax(tensor.to(torch.bfloat16)).dtype == torch.bfloat16
    assert ops.softmax(X.astype(ml_dtypes.bfloat16)).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64"])
def test_sums_of_integers_have_the_dtype_of_the_framework(dtype: str) -> None:
    x = np.arange(12).reshape(3, 4).astype(dtype)
    for ours, theirs in (
        (ops.sum(x, 1), x.sum(1)),
        (ops.max(x, 1), x.max(1)),
        (ops.argmax(x, 1), x.argmax(1)),
    ):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    tensor = torch.from_numpy(x)
    assert torch.equal(ops.sum(tensor, 1), tensor.sum(1))
    assert torch.equal(ops.max(tensor, 1), tensor.amax(1))


def test_f64_is_reduced_in_f64() -> None:
    x = np.full((2, 1000), 0.1)
    x[:, 0] = 1e8
    np.testing.assert_allclose(ops.sum(x, 1), 1e8 + 99.9, rtol=1e-15)
    np.testing.assert_allclose(ops.mean(x, 1), (1e8 + 99.9) / 1000, rtol=1e-15)
    assert ops.max(x).dtype == np.float64
    assert ops.sum(x, 1, dtype="f32").dtype == np.float32


def test_keepdims_and_negative_axes() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert ops.sum(x, -2, keepdims=True).shape == (2, 1, 4)
    assert ops.mean(x, (0, -1), keepdims=True).shape == (1, 3, 1)
    assert ops.sum(x, keepdims=True).shape == (1, 1, 1)
    low, high = ops.min_max(x, axis=1)
    np.testing.assert_array_equal(low, x.min(1))
    np.testing.assert_array_equal(high, x.max(1))
    np.testing.assert_array_equal(ops.sum(x, [0, 1]), x.sum((0, 1)))


def test_a_result_dtype() -> None:
    narrow = X.astype(np.float16)
    assert ops.sum(narrow, dtype="f32").dtype == np.float32
    assert ops.softmax(X, dtype=np.float16).dtype == np.float16
    assert ops.softmax(torch.from_numpy(X), dtype=torch.bfloat16).dtype == torch.bfloat16
    counts = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(
        ops.softmax(counts, dtype=ct.f32), ops.softmax(counts.astype(np.float32))
    )
    assert ops.sum(counts, dtype="i32").dtype == np.int32


def test_outputs_are_filled_and_returned() -> None:
    out = np.empty_like(X)
    assert ops.softmax(X, out=out) is out
    sums = np.empty(3, np.float32)
    assert ops.sum(X, 1, out=sums) is sums
    y, h = np.empty_like(X), np.empty_like(X)
    found = ops.layer_norm(X, residual=X, out=(y, h))
    assert found[0] is y
    assert found[1] is h
    np.testing.assert_array_equal(h, X + X)
    zero = np.empty((), np.float32)
    assert ops.sum(X, out=zero) is zero
    total = ops.cross_entropy(X, np.zeros(3, np.int64), out=zero)
    assert total == zero


@pytest.mark.parametrize(
    ("work", "code"),
    [
        (lambda: ops.softmax(X, 2), "A301"),
        (lambda: ops.sum(X, (0, -2)), "A301"),
        (lambda: ops.sum(X, 1.0), "A301"),
        (lambda: ops.sum(X, True), "A301"),
        (lambda: ops.softmax(X, (0, 1)), "A301"),
        (lambda: ops.layer_norm(X.reshape(3, 2, 2), axis=(0, 1)), "A301"),
        (lambda: ops.softmax(np.arange(4)), "A302"),
        (lambda: ops.gelu(np.ones(4, np.bool_)), "A302"),
        (lambda: ops.mean(np.arange(4)), "A302"),
        (lambda: ops.softmax(X, dtype="i32"), "A302"),
        (lambda: ops.softmax(X, dtype="float31"), "A302"),
        (lambda: ops.softmax(X.astype(np.float64)), "U501"),
        (lambda: ops.sum(X.astype(np.complex64)), "A202"),
        (lambda: ops.rms_norm(X, np.ones(3, np.float32)), "A303"),
        (lambda: ops.layer_norm(X, residual=X[:2]), "A303"),
        (lambda: ops.cross_entropy(X, np.zeros(4, np.int64)), "A303"),
        (lambda: ops.max(X[:, :0], 1), "A304"),
        (lambda: ops.gelu(X, approximate="fast"), "A305"),
        (lambda: ops.cross_entropy(X, np.zeros(3, np.int64), reduction="avg"), "A305"),
        (lambda: ops.cross_entropy(X, np.zeros(3, np.int64), label_smoothing=2), "A305"),
        (lambda: ops.softmax(X, out=np.empty((4, 3), np.float32)), "A306"),
        (lambda: ops.softmax(X, out=np.empty((3, 4), np.float16)), "A306"),
        (lambda: ops.layer_norm(X, residual=X, out=X.copy()), "A306"),
        (lambda: ops.cross_entropy(X, np.array([0, 9, 0])), "A307"),
        (lambda: ops.softmax(X, guard="check"), "U502"),
        (lambda: ops.softmax([1.0, 2.0]), "A201"),
        (lambda: ops.softmax(torch.zeros(3, device="meta")), "U201"),
    ],
)
def test_refusals(work: object, code: str) -> None:
    # Twice: a failure leaves nothing behind that would change the next answer.
    assert code_of(work) == code
    assert code_of(work) == code


def test_refusals_are_python_errors_too() -> None:
    with pytest.raises(TypeError):
        ops.softmax(np.arange(4))
    with pytest.raises(ValueError, match="has no answer"):
        ops.max(np.empty((5, 0), np.float32), axis=1)
    with pytest.raises(NotImplementedError):
        ops.softmax(np.zeros(4))


def test_read_only_outputs_are_refused() -> None:
    out = np.empty_like(X)
    out.flags.writeable = False
    assert code_of(lambda: ops.softmax(X, out=out)) == "A204"
    shared = torch.empty(1, 4).expand(3, 4)
    assert code_of(lambda: ops.softmax(torch.from_numpy(X), out=shared)) == "A204"


def test_read_only_inputs_are_taken() -> None:
    x = X.copy()
    x.flags.writeable = False
    np.testing.assert_array_equal(ops.softmax(x), ops.softmax(X))


def test_cross_entropy_like_the_framework() -> None:
    random = torch.Generator().manual_seed(5)
    logits = torch.randn(7, 11, generator=random)
    labels = torch.randint(0, 11, (7,), generator=random)
    labels[2] = -100
    weight = torch.rand(11, generator=random)
    for reduction in ("none", "sum", "mean"):
        for smoothing in (0.0, 0.2):
            for weights in (None, weight):
                options = {"reduction": reduction, "label_smoothing": smoothing, "weight": weights}
                torch.testing.assert_close(
                    ops.cross_entropy(logits, labels, **options),
                    torch.nn.functional.cross_entropy(logits, labels, **options),
                )


def test_classes_in_the_middle() -> None:
    logits = torch.randn(3, 5, 2, generator=torch.Generator().manual_seed(1))
    labels = torch.tensor([[0, 4], [1, 1], [2, 3]], dtype=torch.int32)
    torch.testing.assert_close(
        ops.cross_entropy(logits, labels, axis=1, reduction="none"),
        torch.nn.functional.cross_entropy(logits, labels.long(), reduction="none"),
    )


def test_an_ignored_label_that_is_a_class_does_not_count() -> None:
    logits, labels = torch.zeros(4, 3), torch.tensor([0, 1, 1, 2])
    found = ops.cross_entropy(logits, labels, ignore_index=1)
    wanted = torch.nn.functional.cross_entropy(logits, labels, ignore_index=1)
    torch.testing.assert_close(found, wanted)


def test_a_residual_is_rounded_to_the_dtype_of_x() -> None:
    x = torch.tensor([[256.0, 1.0]], dtype=torch.bfloat16)
    y, h = ops.rms_norm(x, residual=torch.ones_like(x))
    assert h.tolist() == [[256.0, 2.0]]
    assert torch.equal(y, ops.rms_norm(h))


def test_an_input_that_changes_layout_is_another_call() -> None:
    x = np.random.default_rng(0).standard_normal((4, 6), dtype=np.float32)
    for each in (x, x.T, x[::2], x[:, ::-1], x.copy()):
        np.testing.assert_allclose(ops.sum(each, 1), each.sum(1), rtol=1e-5)


def test_a_target_is_part_of_a_call() -> None:
    ops.softmax(X)
    with ct.target("null"):
        out = np.full_like(X, 7)
        ops.softmax(X, out=out)
    assert (out == 7).all()
    assert ops.softmax(X).sum() == pytest.approx(3)


def test_operations_from_many_threads() -> None:
    start = threading.Barrier(8)

    def work(seed: int) -> float:
        x = np.random.default_rng(seed).standard_normal((65, 33 + seed), dtype=np.float32)
        start.wait()
        return max(float(np.abs(ops.softmax(x).sum(1) - 1).max()) for _ in range(20))

    with ThreadPoolExecutor(8) as threads:
        assert max(threads.map(work, range(8))) < 1e-5


def test_gradients_are_refused_where_they_are_asked_for() -> None:
    x = torch.from_numpy(X.copy()).requires_grad_()
    y = ops.softmax(x)
    assert y.requires_grad
    assert code_of(lambda: y.sum().backward()) == "U503"
    with torch.no_grad():
        assert not ops.softmax(x).requires_grad
    assert code_of(lambda: ops.softmax(X, out=x)) == "A204"
    assert not ops.argmax(x, -1).requires_grad
