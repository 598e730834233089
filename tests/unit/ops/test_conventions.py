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
from certile.ops import checks

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


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_wide_unsigned_integers_keep_their_highest_bit(dtype: str) -> None:
    most = int(np.iinfo(dtype).max)
    x = np.array([[3, most, most - 1], [most // 2, 1, 0]], dtype)
    np.testing.assert_array_equal(ops.sum(x, 1), x.sum(1))
    assert ops.sum(x, 1).dtype == np.uint64
    np.testing.assert_array_equal(ops.cumsum(x), x.cumsum(1))
    assert ops.max(x) == most
    assert ops.argmax(x, 1).tolist() == [1, 0]
    np.testing.assert_array_equal(ops.min_max(x, 1), (x.min(1), x.max(1)))
    np.testing.assert_allclose(ops.mean(x, 1), x.mean(1), rtol=1e-15)
    np.testing.assert_array_equal(ops.cummax(x), np.maximum.accumulate(x, 1))


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "gelu", "cumsum", "swiglu", "l2_norm"])
def test_results_are_not_a_buffer_of_the_operation(name: str) -> None:
    op = getattr(ops, name)
    first = op(X)
    before = first.copy()
    second = op(X * 2 + 1)
    assert not np.shares_memory(first, second)
    np.testing.assert_array_equal(first, before)


def test_operations_in_f64() -> None:
    x = np.random.default_rng(3).standard_normal((5, 37))
    tensor = torch.from_numpy(x)
    functional = torch.nn.functional
    for mine, theirs in (
        (ops.softmax, lambda t: functional.softmax(t, -1)),
        (ops.log_softmax, lambda t: functional.log_softmax(t, -1)),
        (ops.logsumexp, lambda t: torch.logsumexp(t, -1)),
        (ops.gelu, functional.gelu),
        (ops.silu, functional.silu),
        (ops.layer_norm, lambda t: functional.layer_norm(t, (37,))),
        (ops.rms_norm, lambda t: functional.rms_norm(t, (37,), eps=1e-6)),
        (ops.l2_norm, functional.normalize),
    ):
        torch.testing.assert_close(mine(tensor), theirs(tensor), rtol=1e-13, atol=1e-15)
        # The type of the result decides, where the input has another.
        wide = mine(tensor.float(), dtype="f64")
        torch.testing.assert_close(wide, theirs(tensor.float().double()), rtol=1e-13, atol=1e-15)
    labels = torch.arange(5)
    torch.testing.assert_close(
        ops.cross_entropy(tensor, labels),
        functional.cross_entropy(tensor, labels),
        rtol=1e-14,
        atol=0,
    )


def test_long_rows_in_f64() -> None:
    x = np.random.default_rng(4).standard_normal((1, 1 << 17))
    e = np.exp(x)
    np.testing.assert_allclose(ops.softmax(x), e / e.sum(), rtol=1e-13)


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
        (lambda: ops.mean(torch.arange(4)), "A302"),
        (lambda: ops.var(torch.ones(4, dtype=torch.bool)), "A302"),
        (lambda: ops.var(X, correction="1"), "A305"),
        (lambda: ops.std(X, correction=np.nan), "A305"),
        (lambda: ops.swiglu(X[:, :3]), "A303"),
        (lambda: ops.geglu(X, X[:2]), "A303"),
        (lambda: ops.swiglu(np.float32(1)), "A303"),
        (lambda: ops.swiglu(np.arange(4), np.arange(4)), "A302"),
        (lambda: ops.group_norm(X, 3), "A303"),
        (lambda: ops.group_norm(X, 0), "A305"),
        (lambda: ops.group_norm(X, 2, eps=None), "A305"),
        (lambda: ops.rms_norm(X, eps="small"), "A305"),
        (lambda: ops.cross_entropy(X, np.zeros(3, np.int64), label_smoothing="0.1"), "A305"),
        (lambda: ops.group_norm(X, True), "A305"),
        (lambda: ops.group_norm(X, 2, channel_axis=0), "A301"),
        (lambda: ops.group_norm(X[0], 2), "A301"),
        (lambda: ops.group_norm(X, 2, X[0, :2]), "A303"),
        (lambda: ops.group_norm(X, 2, residual=X.T), "A303"),
        (lambda: ops.quantize_rows(np.arange(4)), "A302"),
        (lambda: ops.quantize_rows(X, dtype="i4"), "A302"),
        (lambda: ops.quantize_rows(X, dtype="u8"), "A302"),
        (lambda: ops.quantize_rows(X, axis=(0, 1)), "A301"),
        (lambda: ops.quantize_rows(X, out=np.empty((3, 4), np.int8)), "A306"),
        (lambda: ops.norm_quantize(X, norm="group"), "A305"),
        (lambda: ops.norm_quantize(X, X[0, :3]), "A303"),
        (lambda: ops.norm_quantize(X, out=X), "A306"),
        (lambda: ops.rope(X[:, :3], X[:, :1], X[:, :1]), "A303"),
        (lambda: ops.rope(X, X, X), "A303"),
        (lambda: ops.rope(X, X[:, :2], X[:2, :2]), "A303"),
        (lambda: ops.rope(X, X[:, :1], X[:, :1]), "A303"),
        (lambda: ops.embedding(X, np.array([3])), "A312"),
        (lambda: ops.embedding(X, np.array([-1], np.int8)), "A312"),
        (lambda: ops.embedding(X, np.array([0.0])), "U501"),
        (lambda: ops.embedding(X, np.array([0], np.uint64)), "U501"),
        (lambda: ops.embedding(X[0], np.array([0])), "A303"),
        (lambda: ops.embedding(X, np.array([0]), padding_idx=3), "A305"),
        (lambda: ops.embedding(X, [0]), "A201"),
        (lambda: ops.embedding([[1.0]], np.array([0])), "A201"),
        (lambda: ops.embedding(np.zeros(()), np.array([0])), "A303"),
        (lambda: ops.embedding(X, np.array([0]), padding_idx="0"), "A301"),
        (lambda: ops.topk(X, 2, (0, 1)), "A301"),
        (lambda: ops.cross_entropy(X, np.zeros(4, np.int64), axis=(0,)), "A301"),
        (lambda: ops.cross_entropy(X, np.zeros(4, np.int64), axis=None), "A301"),
        (lambda: ops.cumsum(X, None), "A301"),
        (lambda: ops.cummax(X, dtype="i32"), "A302"),
        (lambda: ops.cumsum(X, dtype="bool"), "A302"),
        (lambda: ops.softmax(X, dtype="i32"), "A302"),
        (lambda: ops.softmax(X, dtype="float31"), "A302"),
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
        (lambda: ops.sum(X, keepdims="no"), "A305"),
        (lambda: ops.cumsum(X, reverse="no"), "A305"),
        (lambda: ops.topk(X, 1, largest=2), "A305"),
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
        ops.softmax(X, guard="check")


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


def test_a_sum_of_losses_beyond_the_result_type_is_infinite() -> None:
    """No warning is given, as by the other operations."""
    logits = np.tile(np.array([6e4, -6e4], np.float16), (2, 1))
    labels, out = np.array([1, 1]), np.zeros((), np.float16)
    assert ops.cross_entropy(logits, labels, reduction="sum") == np.inf
    assert ops.cross_entropy(logits, labels, reduction="sum", out=out) is out
    assert out == np.inf


def test_losses_of_tensors_on_a_device_are_added_on_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such losses are made beside their logits, whatever the reduction."""
    monkeypatch.setattr(checks, "on_a_device", lambda _array: True)
    logits, labels = torch.from_numpy(X), torch.tensor([0, 1, -100])
    weight = torch.rand(X.shape[1])
    for options in ({}, {"reduction": "sum"}, {"weight": weight}):
        found = ops.cross_entropy(logits, labels, **options)
        wanted = torch.nn.functional.cross_entropy(logits, labels, **options)
        assert found.shape == ()
        torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-6)
        out = torch.empty(())
        assert ops.cross_entropy(logits, labels, **options, out=out) is out
        torch.testing.assert_close(out, found)
        with pytest.raises(ct.ArgumentError, match="A307"):
            ops.cross_entropy(logits, torch.tensor([0, 1, -99]), **options)
    with pytest.raises(ct.ArgumentError, match="A312"):
        ops.embedding(logits, torch.tensor([0, 3]))


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


class Lent:
    """What lends memory through DLPack and has nothing else of an array."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options: object) -> object:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_labels_of_lent_logits_are_checked(reduction: str) -> None:
    labels = np.array([0, 3, 1])
    found = ops.cross_entropy(Lent(X), Lent(labels), reduction=reduction)
    wanted = ops.cross_entropy(X, labels, reduction=reduction)
    assert np.isfinite(wanted).all()
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(ct.ArgumentError, match="label 4 at"):
        ops.cross_entropy(Lent(X), np.array([0, 4, 1]), reduction=reduction)


def test_one_row_of_logits() -> None:
    logits, label = torch.tensor([1.0, 2.0, 3.0]), torch.tensor(0)
    for reduction in ("none", "sum", "mean"):
        found = ops.cross_entropy(logits, label, reduction=reduction)
        assert found.shape == ()
        assert float(found) == pytest.approx(2.4076059)
    assert ops.cross_entropy(logits.numpy(), np.int64(2)) == pytest.approx(0.40760597)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32, torch.uint8])
def test_labels_of_any_integer_type(dtype: torch.dtype) -> None:
    logits = torch.randn(4, 7, generator=torch.Generator().manual_seed(8))
    labels = torch.tensor([0, 6, 3, 1])
    assert ops.cross_entropy(logits, labels.to(dtype)) == ops.cross_entropy(logits, labels)


def test_a_given_loss_is_filled_where_gradients_are_recorded() -> None:
    logits, labels = torch.randn(4, 3).requires_grad_(), torch.zeros(4, dtype=torch.int64)
    out = torch.zeros(())
    found = ops.cross_entropy(logits, labels, out=out)
    assert float(out) == float(found.detach()) != 0
    assert found.requires_grad
    assert code_of(lambda: found.backward()) == "U503"


def test_sums_of_a_norm_in_place() -> None:
    x = np.random.default_rng(6).standard_normal((4, 6, 8), dtype=np.float32)
    residual, weight = x[::-1].copy(), np.linspace(1, 2, 6, dtype=np.float32)
    for norm in (
        lambda a, r, out: ops.layer_norm(a, residual=r, out=out),
        lambda a, r, out: ops.rms_norm(a, residual=r, out=out),
        lambda a, r, out: ops.group_norm(a, 2, weight, weight, residual=r, out=out),
        lambda a, r, out: ops.group_norm(a, 3, residual=r, out=out),
        lambda a, r, out: ops.group_norm(
            a.transpose(0, 2, 1),
            3,
            weight,
            channel_axis=2,
            residual=r.transpose(0, 2, 1),
            out=out and tuple(each.transpose(0, 2, 1) for each in out),
        ),
    ):
        y, h = norm(x, residual, None)
        y, h = (each if each.shape == x.shape else each.transpose(0, 2, 1) for each in (y, h))
        for places in ((0, 1), (1, 0), (2, 0), (2, 1), (0, 2)):
            rooms = [x.copy(), residual.copy(), np.empty_like(x)]
            norm(rooms[0], rooms[1], tuple(rooms[at] for at in places))
            np.testing.assert_allclose(rooms[places[0]], y, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(rooms[places[1]], h)


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


IMAGES = torch.linspace(-2, 2, 2 * 4 * 3 * 5).reshape(2, 4, 3, 5)
ORDERS = {
    "C": IMAGES,
    "channels_last": IMAGES.to(memory_format=torch.channels_last),
    "transposed": IMAGES.transpose(1, 3),
    "permuted, with gaps": IMAGES[..., ::2].permute(3, 0, 2, 1),
    "one example": IMAGES[:1].permute(0, 3, 2, 1),
    "repeated": IMAGES[:, :1].expand(2, 4, 3, 5).transpose(1, 2),
    "no elements": IMAGES[:, :0].transpose(1, 3),
}


@pytest.mark.parametrize("order", ORDERS)
def test_results_of_single_elements_lie_in_memory_as_pytorch_has_them(order: str) -> None:
    x = ORDERS[order]
    for ours, theirs in (
        (ops.gelu(x), torch.nn.functional.gelu(x)),
        (ops.swiglu(x, x + 1), torch.nn.functional.silu(x) * (x + 1)),
        (ops.softmax(x), torch.softmax(x, -1)),
    ):
        assert ours.stride() == theirs.stride()
        torch.testing.assert_close(ours, theirs)


def test_results_of_single_elements_lie_in_memory_as_numpy_has_them() -> None:
    x = IMAGES.numpy()
    for view in (x, x.T, x[:, ::-1].transpose(3, 1, 0, 2), np.asfortranarray(x), x[..., ::2].T):
        ours, wanted = ops.silu(view), view / (1 + np.exp(-view))
        assert ours.strides == wanted.strides
        np.testing.assert_allclose(ours, wanted, rtol=1e-6)


def test_group_norm_keeps_channels_last() -> None:
    x = ORDERS["channels_last"]
    y, h = ops.group_norm(x, 2, residual=x)
    theirs = torch.nn.functional.group_norm(x + x, 2)
    assert y.stride() == h.stride() == theirs.stride()
    torch.testing.assert_close(y, theirs)
    torch.testing.assert_close(h, x + x)


@pytest.mark.parametrize(
    ("work", "code", "place"),
    [
        (lambda: ops.rms_norm(X, 2.0), "A201", "array 2 of rms_norm"),
        (lambda: ops.layer_norm(X, X[0], X[0] + 1j), "A202", "array 3 of layer_norm"),
        (lambda: ops.embedding(X, np.ma.array([0, 1])), "U201", "array 2 of embedding"),
        (lambda: ops.softmax(X, out=[0.0]), "A201", "out of softmax"),
        (lambda: ops.min_max(X, 1, out=(X[:, 0].copy(), "x")), "A201", "out[1] of min_max"),
        (lambda: ops.rms_norm(np.float32(1), 2.0), "A201", "array 2 of rms_norm"),
    ],
)
def test_an_array_that_is_none_is_named(work: object, code: str, place: str) -> None:
    with pytest.raises(ct.CertileError) as found:
        work()
    assert found.value.code == code
    assert place in str(found.value)
