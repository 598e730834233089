"""Kernels called with arrays on a GPU: the same call path, launched on the stream in use."""

import pytest

import certile as ct
import certile.ops.kernels.elementwise
from certile import ops

pytestmark = pytest.mark.gpu


@ct.tile_kernel
def softmax(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = ct.cast(x[r, cols], ct.f32)
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = ct.cast(e / ct.reduce(e, cols, ct.add), y.dtype)


@pytest.mark.parametrize("columns", [1, 33, 1000, 4096])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_kernel_runs_on_device_tensors(torch, columns, dtype):
    x = torch.randn(257, columns, device="cuda", dtype=getattr(torch, dtype))
    y = torch.full_like(x, float("nan"))
    with ct.target("cuda"):
        softmax(x, y)
    meant = torch.softmax(x.double(), -1)
    torch.testing.assert_close(
        y.double(), meant, rtol=2e-2 if dtype != "float32" else 1e-5, atol=1e-5
    )


def test_a_launch_follows_the_current_stream(torch):
    x = torch.randn(4096, 4096, device="cuda")
    y = torch.zeros_like(x)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), ct.target("cuda"):
        x.mul_(2.0)
        softmax(x, y)
    stream.synchronize()
    torch.testing.assert_close(y, torch.softmax(x, -1), rtol=1e-5, atol=1e-7)


def test_a_strided_tensor_needs_no_copy(torch):
    x = torch.randn(64, 2000, device="cuda")[:, ::2]
    y = torch.full((64, 1000), float("nan"), device="cuda")
    with ct.target("cuda"):
        softmax(x, y)
    torch.testing.assert_close(y, torch.softmax(x, -1), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("start", [0, 1])
def test_element_wise_work_of_any_number_of_elements(torch, dtype, start):
    kernel = ops.kernels.elementwise.silu_kernel
    before = kernel.compilations
    for count in (1, 3, 1000, 10_007, 65_537, 5_000_011):
        x = torch.randn(count + start, device="cuda", dtype=getattr(torch, dtype))[start:]
        y = torch.full((count + 64,), float("nan"), device="cuda", dtype=x.dtype)
        ops.silu(x, out=y[:count])
        meant = torch.nn.functional.silu(x.double())
        error = 2e-6 if dtype == "float32" else 8e-3
        torch.testing.assert_close(y[:count].double(), meant, rtol=error, atol=1e-6)
        assert torch.isnan(y[count:]).all()
    # One for each class of numbers, whatever the number.
    assert kernel.compilations - before <= 4


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("weighted", [False, True])
def test_losses_of_device_tensors_stay_there(torch, reduction, weighted):
    logits = torch.randn(9, 33, device="cuda")
    labels = torch.tensor([0, 5, 32, -100, 1, 2, 3, 4, 5], device="cuda")
    weight = torch.rand(33, device="cuda") if weighted else None
    found = ops.cross_entropy(logits, labels, weight=weight, reduction=reduction)
    assert found.device == logits.device
    torch.testing.assert_close(
        found,
        torch.nn.functional.cross_entropy(logits, labels, weight, reduction=reduction),
        rtol=1e-5,
        atol=1e-6,
    )
