"""Arrays of MLX through its custom kernels: text, what they have room for, and what is not copied.

`certile.runtime.metal.fake_frameworks` plays MLX's side of the contract.
"""

import mlx.core as mx
import numpy as np
import pytest

import certile as ct
from certile import ops
from certile.diagnostics import CertileError
from certile.ir.array_types import MLX_NAMES
from certile.runtime import mlx_arrays
from certile.runtime.metal import context, fake, fake_frameworks, frameworks, mlx_route
from tests.metal_launch.kernels import (
    fast_exp,
    first_half,
    is_softmax,
    numbers,
    plus,
    softmax,
    twice,
)


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    """Let MLX have a GPU, whose kernels run on the CPU; give the kernels that were made."""
    made = []

    def metal_kernel(**arguments):
        made.append(arguments)
        return fake_frameworks.metal_kernel(**arguments)

    monkeypatch.setattr(mx.fast, "metal_kernel", metal_kernel)
    monkeypatch.setattr(frameworks, "mlx_drives_metal", lambda: True)
    monkeypatch.setattr(mlx_arrays, "drives_metal", lambda: True)
    monkeypatch.setattr(context, "_current", None)
    with ct.target("metal"):
        yield made


def test_a_kernel_writes_into_the_callers_array(gpu):
    x = numbers(5, 70)
    y = mx.zeros((5, 70))
    softmax(mx.array(x), y)
    is_softmax(np.array(y), x)
    assert gpu[0]["compile_options"] == {"math_mode": "safe"}
    assert gpu[0]["input_names"][0] == "argument0"
    assert gpu[0]["output_names"] == ["argument1"]
    assert "kernel" not in gpu[0]["source"]


def test_the_result_has_its_buffer_and_no_copy(monkeypatch):
    results = []
    run = fake_frameworks._MlxKernel.__call__

    def recorded(self, **arguments):
        results.extend(run(self, **arguments))
        return results

    monkeypatch.setattr(fake_frameworks._MlxKernel, "__call__", recorded)
    x, y = mx.array(numbers(64)), mx.zeros(64)
    plus(x, y, 1.0)
    assert [mlx_arrays.describe(y).address] == [mlx_arrays.describe(r).address for r in results]
    np.testing.assert_array_equal(np.array(y), np.array(x) + np.float32(1))


def test_fast_math_where_the_kernel_allows_it(gpu):
    x, y = mx.array(numbers(32)), mx.zeros(32)
    fast_exp(x, y)
    assert gpu[0]["compile_options"] == {"math_mode": "fast"}


def test_inputs_keep_their_strides():
    x = numbers(70, 6)
    y = mx.zeros((6, 70))
    softmax(mx.array(x).T, y)
    is_softmax(np.array(y), x.T)


def test_inputs_that_mlx_puts_into_constant_memory():
    x, y = mx.array(numbers(3)), mx.zeros(3)
    plus(x, y, 2.0)
    np.testing.assert_array_equal(np.array(y), np.array(x) + np.float32(2))


def test_launches_hand_results_on():
    x, between, y = mx.array(numbers(40)), mx.zeros(40), mx.zeros(40)
    twice(x, between, y)
    np.testing.assert_array_equal(np.array(y), (np.array(x) + np.float32(1)) * 2)
    np.testing.assert_array_equal(np.array(between), np.array(x) + np.float32(1))


def test_a_prepared_call_gives_the_array_a_fresh_result_each_time():
    x, y = mx.array(numbers(20)), mx.zeros(20)
    call = plus.prepare(x, y, 1.0)
    call()
    call()
    np.testing.assert_array_equal(np.array(y), np.array(x) + np.float32(1))


def test_operations_take_arrays_of_mlx():
    x = numbers(4, 33)
    y = ops.softmax(mx.array(x))
    assert isinstance(y, mx.array)
    is_softmax(np.array(y), x)


@pytest.mark.parametrize(
    ("op", "count"), [("silu", 512), ("silu", 521), ("silu", 4096 + 1024 + 9), ("gelu", 3 * 4099)]
)
def test_operations_that_see_an_array_in_pieces(op, count):
    """Each launch stores to a whole view, and the view is a part of the array."""
    x = numbers(count)
    with context.use(fake.FakeDevice()):
        y = getattr(ops, op)(mx.array(x))
        given = mx.full(count, 9.0)
        getattr(ops, op)(mx.array(x), out=given)
    with ct.target("reference"):
        exact = getattr(ops, op)(x)
    np.testing.assert_allclose(np.array(y), exact, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(np.array(given), np.array(y))


def test_a_launch_on_the_device_follows_what_mlx_made_before():
    """The first launch gives y another buffer, and the second was given its address before."""
    x, y = mx.array(numbers(40)), mx.zeros(40)
    words = [mlx_arrays.probe(each)[1] for each in (x, y)]
    before = int(words[1])
    first = fresh(plus).bind({"x": x, "y": y, "number": 1.0})
    second = fresh(plus).bind({"x": y, "y": y, "number": 2.0})
    with context.use(fake.FakeDevice()) as on:
        first([*words, 1.0])
        assert mlx_arrays.describe(y).address != before
        second([words[1], words[1], 2.0])
    assert on.device.done["commit"] == 1
    np.testing.assert_array_equal(np.array(y), np.array(x) + np.float32(1) + np.float32(2))


def test_no_groups_are_no_kernel(gpu):
    @ct.tile_kernel
    def both(x: ct.View[ct.f32, 1], y: ct.View[ct.f32, 1], z: ct.View[ct.f32, 1], u: ct.View):
        few, many = ct.axis("few", x.shape[0]), ct.axis("many", y.shape[0])
        for i in ct.parallel(few):
            u[i] = x[i]
        for i in ct.parallel(many):
            z[i] = y[i] + 1.0

    y, z = mx.array(numbers(9)), mx.zeros(9)
    both(mx.zeros(0), y, z, mx.zeros(0))
    np.testing.assert_array_equal(np.array(z), np.array(y) + np.float32(1))


def fresh(kernel):
    """A kernel that remembers no call."""
    return ct.tile_kernel(math=kernel.math)(kernel.function)


def served_by_a_device(kernel, *arguments):
    device = fake.FakeDevice()
    with context.use(device):
        fresh(kernel)(*arguments)
    return device.done.get("commit", 0) > 0


def test_what_mlx_has_no_room_for_runs_on_the_device(gpu):
    x = numbers(4, 32)
    y = mx.full((4, 32), 9.0)
    assert served_by_a_device(first_half, mx.array(x), y)
    np.testing.assert_array_equal(np.array(y)[:, :16], x[:, :16] * 2)
    assert (np.array(y)[:, 16:] == 9).all()
    z = mx.array(x[0])
    assert served_by_a_device(plus, z, z, 1.0)
    np.testing.assert_array_equal(np.array(z), x[0] + np.float32(1))
    columns = mx.array(numbers(6, 4)).T
    assert served_by_a_device(softmax, mx.array(numbers(4, 6)), columns)
    plain = np.zeros(8, np.float32)
    assert served_by_a_device(plus, mx.array(numbers(8)), plain, 1.0)
    assert not gpu


@ct.tile_kernel
def last_of(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
    times, cols = ct.axis("times", x.shape[0]), ct.axis("cols", x.shape[1])
    for i in ct.parallel(cols):
        for t in ct.serial(times):
            y[i] = x[t, i]


def test_a_loop_that_may_not_run_fills_nothing(gpu):
    kept = mx.full(16, 9.0)
    assert served_by_a_device(last_of, mx.zeros((0, 16)), kept)
    assert (np.array(kept) == 9).all()
    assert not gpu
    x, y = mx.array(numbers(3, 16)), mx.full(16, 9.0)
    fresh(last_of)(x, y)
    np.testing.assert_array_equal(np.array(y), np.array(x)[2])
    assert len(gpu) == 1


def test_the_device_waits_for_what_mlx_has_not_finished(monkeypatch):
    waited = []
    monkeypatch.setattr(mx, "synchronize", lambda: waited.append(True))
    x, y = mx.array(numbers(4, 32)), mx.full((4, 32), 9.0)
    assert served_by_a_device(first_half, x, y)
    assert waited == [True]
    plain = np.zeros((4, 32), np.float32)
    assert served_by_a_device(first_half, np.array(x), plain)
    assert waited == [True]


def test_without_a_device_the_refusal_says_why_mlx_does_not_serve():
    x, y = mx.array(numbers(4, 32)), mx.zeros((4, 32))
    with pytest.raises(CertileError) as caught:
        fresh(first_half)(x, y)
    assert caught.value.code == "U402"
    assert "y may keep elements" in str(caught.value)


def test_a_small_array_with_gaps_runs_on_the_device():
    x = mx.array(numbers(2, 3))
    y = mx.zeros((3, 2))
    kernel = fresh(softmax)
    with context.use(fake.FakeDevice()) as on:
        for _ in range(2):
            kernel(x.T, y)
    is_softmax(np.array(y), np.array(x).T)
    assert on.device.done["commit"] == 2


def test_a_prepared_call_on_an_array_that_lies_otherwise_by_now():
    x, y = mx.array(numbers(6, 8)), mx.zeros((6, 8))
    before = np.array(x)
    call = fresh(softmax).prepare(x, y)
    call()
    is_softmax(np.array(y), before)
    with context.use(fake.FakeDevice()) as on:
        call()
        assert "commit" not in on.device.done
        x[...] = mx.array(numbers(8, 6)).T
        mx.eval(x)
        call()
    assert on.device.done.get("commit", 0) == (mlx_arrays.describe(x).strides != (8, 1))


def test_a_prepared_call_on_the_device_keeps_its_memory():
    """Too small to be handed over, and assigned to later: what it held when it was prepared."""
    x, y = mx.array(numbers(2, 3)), mx.zeros((3, 2))
    before = np.array(x).T
    with context.use(fake.FakeDevice()):
        call = fresh(softmax).prepare(x.T, y)
        x[...] = mx.zeros((2, 3))
        call()
    is_softmax(np.array(y), before)


def test_an_address_further_on_in_an_array_runs_on_the_device():
    x, y = mx.array(numbers(40)), mx.zeros(40)
    bound = fresh(plus).bind({"x": x[:24], "y": y[:24], "number": 1.0})
    words = [mlx_arrays.probe(each)[1] for each in (x, y)]
    with context.use(fake.FakeDevice()) as on:
        bound([words[0] + 16, words[1] + 16, 1.0])
    np.testing.assert_array_equal(np.array(y)[4:28], np.array(x)[4:28] + np.float32(1))
    assert on.device.done["commit"] == 1


def test_an_address_alone_runs_on_the_device():
    x, y = numbers(24), np.zeros(24, np.float32)
    described = {"x": mx.array(x), "y": mx.zeros(24), "number": 1.0}
    with context.use(fake.FakeDevice()) as on:
        bound = plus.bind(described)
        bound([x.ctypes.data, y.ctypes.data, 1.0])
    np.testing.assert_array_equal(y, x + np.float32(1))
    assert on.device.done["commit"] == 1


def test_a_version_without_compile_options(monkeypatch):
    def old(name, input_names, output_names, source, header, ensure_row_contiguous):
        return fake_frameworks.metal_kernel(
            name, input_names, output_names, source, header, ensure_row_contiguous, {}
        )

    monkeypatch.setattr(mx.fast, "metal_kernel", old)
    x, y = mx.array(numbers(32)), mx.zeros(32)
    fresh(fast_exp)(x, y)
    np.testing.assert_allclose(np.array(y), np.exp(np.array(x)), rtol=1e-5)
    fresh(plus)(x, y, 1.0)
    np.testing.assert_array_equal(np.array(y), np.array(x) + np.float32(1))


@pytest.mark.parametrize(
    ("dtype", "number"),
    [
        *(("u64", 2**63 + 5), ("u64", 2**64 - 1), ("i64", -(2**63)), ("u32", 2**32 - 1)),
        *(("i8", -128), ("u8", 255), ("f32", 1e300), ("f32", -0.0), ("bf16", 1.0039062500009095)),
        # Rounded by way of f32 this would be 1.
        ("f16", 1 + 2**-11 + 2**-30),
    ],
)
def test_numbers_are_rounded_as_on_every_other_route(dtype, number):
    def kernel(x, y, value):
        items = ct.axis("items", x.shape[0])
        for i in ct.parallel(items):
            y[i] = x[i] * 0 + value

    kernel.__annotations__["value"] = getattr(ct, dtype)
    kind = getattr(mx, MLX_NAMES[dtype])
    made = []
    for target in ("metal", "reference"):
        x, y = mx.zeros(9, kind), mx.zeros(9, kind)
        with ct.target(target):
            ct.tile_kernel(kernel)(x, y, number)
        made.append(bytes(memoryview(y.view(mx.uint8))))
    assert made[0] == made[1]


def test_a_grid_of_more_threads_than_mlx_counts_runs_on_the_device(monkeypatch, gpu):
    monkeypatch.setattr(mlx_route, "_MOST_THREADS", 31)
    x, y = mx.array(numbers(8)), mx.zeros(8)
    assert served_by_a_device(plus, x, y, 1.0)
    assert not gpu


def test_what_mlx_says_is_told(monkeypatch):
    class Refuses:
        def __call__(self, **arguments):
            raise ValueError("Thread group size is greater\nthan allowed")

    monkeypatch.setattr(mx.fast, "metal_kernel", lambda **arguments: Refuses())
    with pytest.raises(CertileError) as caught:
        fresh(plus)(mx.array(numbers(8)), mx.zeros(8), 1.0)
    assert caught.value.code == "U407"
    assert caught.value.diagnostic.notes[0] == "Thread group size is greater"
