"""Tensors of PyTorch on `mps`, through its compiler of Metal text; tensors of the CPU play them."""

import numpy as np
import pytest
import torch

import certile as ct
from certile import ops
from certile.diagnostics import CertileError
from certile.runtime import torch_arrays
from certile.runtime.array_info import HeldAddress
from certile.runtime.metal import context, fake_frameworks, frameworks, torch_route
from tests.metal_launch.kernels import (
    exact_softmax,
    numbers,
    plus,
    refused,
    softmax,
    two_launches,
)


@pytest.fixture(autouse=True)
def mps(monkeypatch):
    """Let tensors of the CPU count as tensors on `mps`; give the texts that were compiled."""
    texts = []

    def compile_shader(text):
        texts.append(text)
        return fake_frameworks.compile_shader(text)

    described, probed = torch_arrays.describe, torch_arrays.probe

    def describe(tensor):
        address = torch_arrays.address_on_device(tensor)
        return described(tensor)._replace(device="mps:0", address=address)

    def probe(tensor):
        signature, _ = probed(tensor)
        # Of its own: what is remembered of these is not true of tensors of the CPU.
        return ("mps", signature), HeldAddress.of(torch_arrays.address_on_device(tensor), tensor)

    from certile.runtime import alike, arrays

    monkeypatch.setattr(alike, "of", lambda tensors: alike.never)
    monkeypatch.setitem(arrays._PROBES, torch.Tensor, probe)
    monkeypatch.setitem(arrays._FRAMEWORKS, "torch", arrays._Reader(describe, probe))
    monkeypatch.setattr("certile.runtime.kernel._PROBERS", _probers(probe))
    monkeypatch.setattr(torch.mps, "compile_shader", compile_shader)
    monkeypatch.setattr(frameworks, "torch_drives_metal", lambda: True)
    monkeypatch.setattr(context, "_current", None)
    return texts


@pytest.fixture
def allocated(monkeypatch):
    """Where tensors were asked for, which the CPU makes."""
    places = []
    empty = torch_arrays.empty

    def recorded(shape, dtype, device="cpu"):
        places.append(device)
        return empty(shape, dtype)

    monkeypatch.setattr(torch_arrays, "empty", recorded)
    return places


def _probers(probe):
    from certile.runtime import kernel

    return type(kernel._PROBERS)({**kernel._FOR_NUMBERS, torch.Tensor: probe})


def fresh(kernel):
    """A kernel that remembers no call."""
    return ct.tile_kernel(kernel.function)


def test_a_kernel_on_tensors(mps):
    x = numbers(5, 70)
    y = torch.zeros(5, 70)
    fresh(softmax)(torch.from_numpy(x), y)
    np.testing.assert_allclose(y.numpy(), exact_softmax(x), atol=1e-6, rtol=1e-5)
    assert "[[buffer(0)]]" in mps[0]


def test_tensors_are_bound_at_their_own_offsets():
    held = torch.from_numpy(numbers(80).copy())
    before = held.clone()
    fresh(plus)(held[8:40], held[44:76], 1.5)
    np.testing.assert_array_equal(held[44:76].numpy(), before[8:40].numpy() + np.float32(1.5))
    np.testing.assert_array_equal(held[:44].numpy(), before[:44].numpy())


def test_overlaps_are_seen_and_neighbours_are_none():
    held = torch.from_numpy(numbers(80).copy())
    with pytest.raises(CertileError) as caught:
        fresh(plus)(held[:40], held[20:60], 1.0)
    assert caught.value.code == "A005"


def test_calls_with_other_numbers_and_a_prepared_one():
    kernel = fresh(plus)
    x, y = torch.from_numpy(numbers(20)), torch.zeros(20)
    for number in (1.0, 2.0, 1.0):
        kernel(x, y, number)
        np.testing.assert_array_equal(y.numpy(), x.numpy() + np.float32(number))
    kernel.prepare(x, y, 3.0)()
    np.testing.assert_array_equal(y.numpy(), x.numpy() + np.float32(3))


def test_only_some_numbers_are_kept(monkeypatch):
    monkeypatch.setattr(torch_route, "_MOST_NUMBERS", 1)
    kernel = fresh(plus)
    x, y = torch.from_numpy(numbers(20)), torch.zeros(20)
    for number in (1.0, 2.0):
        kernel(x, y, number)
        np.testing.assert_array_equal(y.numpy(), x.numpy() + np.float32(number))


def test_operations_allocate_where_their_input_lives(allocated):
    x = torch.from_numpy(numbers(3, 40))
    y = ops.softmax(x)
    np.testing.assert_allclose(y.numpy(), exact_softmax(x.numpy()), atol=1e-6, rtol=1e-5)
    assert allocated == ["mps:0"]


def test_results_without_a_launch_are_filled_where_they_live(allocated):
    x = torch.zeros(3, 0)
    np.testing.assert_array_equal(ops.sum(x, axis=1).numpy(), [0, 0, 0])
    assert allocated == ["mps:0"]
    out = torch.full((3,), 7.0)
    assert ops.sum(x, axis=1, out=out) is out
    assert not out.any()


@pytest.mark.parametrize("op", ["sum", "softmax"])
def test_what_launches_hand_on_lives_where_the_input_does(monkeypatch, allocated, op):
    monkeypatch.setenv("CERTILE_THREADS", "2")
    x = torch.from_numpy(numbers(1, 1 << 20))
    y = getattr(ops, op)(x)
    exact = x.numpy().astype(np.float64).sum() if op == "sum" else exact_softmax(x.numpy())
    np.testing.assert_allclose(y.numpy(), exact, rtol=2e-4)
    assert len(allocated) > 1
    assert set(allocated) == {"mps:0"}


def test_a_jitted_function_on_tensors(allocated):
    @ct.jit
    def shifted(x):
        return x - x.max(axis=1, keepdims=True)

    x = torch.from_numpy(numbers(4, 33))
    np.testing.assert_array_equal(
        shifted(x).numpy(), x.numpy() - x.numpy().max(axis=1, keepdims=True)
    )
    assert set(allocated) == {"mps:0"}


def test_a_launch_without_groups():
    y, z = torch.from_numpy(numbers(9)), torch.zeros(9)
    two_launches(torch.zeros(0), y, z)
    np.testing.assert_array_equal(z.numpy(), y.numpy() + np.float32(1))


def call():
    fresh(plus)(torch.ones(20), torch.zeros(20), 1.0)


def test_a_version_that_takes_no_text(monkeypatch):
    monkeypatch.delattr(torch.mps, "compile_shader")
    assert "2.7" in str(refused("U407", call))


def test_fast_math_that_somebody_asked_pytorch_for(monkeypatch):
    monkeypatch.setenv("PYTORCH_MPS_FAST_MATH", "1")
    assert "PYTORCH_MPS_FAST_MATH" in str(refused("U407", call))


def test_a_text_that_pytorch_refuses(monkeypatch):
    def refuses(text):
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(torch.mps, "compile_shader", refuses)
    assert "first" in str(refused("M012", call))


def test_a_device_that_allows_fewer_threads(monkeypatch):
    monkeypatch.setattr(fake_frameworks._Shader, "max_threads_per_threadgroup", 16)
    assert "at most 16 threads" in str(refused("U403", call))


def test_more_threads_than_a_grid_has(monkeypatch):
    monkeypatch.setattr(torch_route, "_MOST_THREADS", 31)
    assert "pass the tensor in parts" in str(refused("U403", call))


def test_an_address_alone():
    x, y = torch.ones(20), torch.zeros(20)
    bound = fresh(plus).bind({"x": x, "y": y, "number": 1.0})
    words = [torch_arrays.address_on_device(each) for each in (x, y)]
    assert "pass the tensor itself" in str(refused("U407", lambda: bound([*words, 1.0])))


def test_an_address_further_on_in_a_tensor():
    x, y = torch.from_numpy(numbers(40)), torch.zeros(40)
    bound = fresh(plus).bind({"x": x[:20], "y": y[:20], "number": 1.0})
    words = [HeldAddress.of(torch_arrays.address_on_device(each), each) for each in (x, y)]
    bound([words[0] + 32, words[1] + 64, 1.0])
    np.testing.assert_array_equal(y[16:36].numpy(), x[8:28].numpy() + np.float32(1))
    assert not y[:16].any()
    assert not y[36:].any()


def test_a_real_tensor_of_the_cpu_is_probed_as_before(monkeypatch):
    tensor = torch.ones(4)
    _, address = torch_arrays.probe(tensor)
    assert address == tensor.data_ptr()
    monkeypatch.setattr(torch_arrays, "_on_mps", lambda tensor: True)
    assert torch_arrays.describe(tensor).address == torch_arrays.address_on_device(tensor)


def test_the_stand_in_refuses_what_is_not_there_and_reports_what_goes_wrong():
    text = (
        "#include <metal_stdlib>\nusing namespace metal;\n"
        "kernel void f(device float* x [[buffer(0)]]) { x[4096] = 1.0f; }\n"
    )
    library = fake_frameworks.compile_shader(text)
    with pytest.raises(AttributeError, match="no function g"):
        _ = library.g
    with pytest.raises(RuntimeError, match="out_of_bounds"):
        library.f(torch.zeros(4), threads=(1, 1, 1), group_size=(1, 1, 1))
