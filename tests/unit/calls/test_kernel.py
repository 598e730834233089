"""Calling kernels: what is computed, what is compiled, what is refused, and by whom."""

import multiprocessing
import threading
import types

import numpy as np
import pytest

import certile as ct
from certile.diagnostics import (
    ArgumentError,
    InternalError,
    KernelError,
    UnsupportedError,
)
from certile.plan.record import Options
from certile.runtime import metal_sim
from tests.threads import in_threads
from tests.unit.calls.calling import numbers, refused


@ct.tile_kernel
def softmax(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        e = ct.exp(v - ct.reduce(v, cols, ct.maximum))
        y[r, cols] = e / ct.reduce(e, cols, ct.add)


@ct.tile_kernel
def scaled(x: ct.View, y: ct.View, scale=2.0, shift: ct.f32 = 0.0):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] * scale + shift


@ct.tile_kernel
def total(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r] = ct.reduce(x[r, cols], cols, ct.add)


def exact_softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (7, 33), (64, 128), (300, 17)])
@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_softmax(shape, target):
    x = numbers(*shape)
    y = np.full_like(x, np.nan)
    with ct.target(target):
        softmax(x, y)
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-7, rtol=1e-6)


def test_strided_views():
    x, y = numbers(40, 60), np.zeros((60, 40), np.float32)
    softmax(x[::2, ::-3], y.T[::2, ::3])
    np.testing.assert_allclose(y.T[::2, ::3], exact_softmax(x[::2, ::-3]), atol=1e-7, rtol=1e-6)
    assert np.count_nonzero(y) == 20 * 20


def test_a_broadcast_input():
    x, y = np.broadcast_to(numbers(1, 9), (4, 9)), np.zeros((4, 9), np.float32)
    softmax(x, y)
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-7, rtol=1e-6)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_torch_tensors(requires_grad):
    import torch

    x = torch.from_numpy(numbers(5, 9)).to(torch.bfloat16).requires_grad_(requires_grad)
    y = torch.empty(5, 9)
    softmax(x, y)
    exact = torch.softmax(x.detach().double(), -1)
    assert float((y - exact).abs().max()) < 1e-6
    refused("A204", softmax, y, x) if requires_grad else softmax(y, x)


def test_numbers_are_run_time_values():
    x, y = numbers(3, 4), np.empty((3, 4), np.float32)
    for scale, shift in ((2.0, 0.0), (0.5, 1.0), (3, 0.25), (1e300, 0.0)):
        scaled(x, y, scale, shift=shift)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(y, x * np.float32(scale) + np.float32(shift))
    before = scaled.compilations
    scaled(x, y, -1.0, shift=-1.0)
    assert scaled.compilations == before


@pytest.mark.parametrize("dtype", [ct.f16, ct.bf16, ct.f32, ct.f64, ct.i8, ct.u8, ct.i64, ct.u64])
def test_declared_scalars_of_every_dtype(dtype):
    def kernel(y: ct.View, value: dtype):
        rows = ct.axis("rows", y.shape[0])
        for r in ct.parallel(rows):
            y[r] = value

    y = np.zeros(3, np.float64)
    number = 200 if dtype in (ct.u8, ct.i64, ct.u64) else -100 if dtype == ct.i8 else 1.5
    ct.tile_kernel(kernel)(y, number)
    np.testing.assert_array_equal(y, number)


@pytest.mark.parametrize(
    ("declared", "numbers"),
    [
        (bool, (True, np.bool_(True), False)),
        (ct.f32, (1, 2.5, np.float64(3.5), -1e300, np.int8(4))),
        (ct.i16, (5, np.uint8(6), True)),
        (int, (7, np.int64(8), 2**40)),
    ],
)
def test_numbers_of_every_kind(declared, numbers):
    def kernel(y: ct.View, value: declared):
        rows = ct.axis("rows", y.shape[0])
        for r in ct.parallel(rows):
            y[r] = ct.cast(value, ct.f32)

    made, y = ct.tile_kernel(kernel), np.zeros(3, np.float32)
    for number in numbers + numbers:
        made(y, number)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(y, np.float32(number))


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (bool, 1), (bool, 0.0), (bool, np.int64(1)), (bool, np.float32(0)),
        (int, 2.0), (int, np.float32(2)), (int, np.float64(2.5)),
    ],
)  # fmt: skip
def test_a_number_of_a_wider_kind_is_refused(declared, value):
    def kernel(y: ct.View, value: declared):
        rows = ct.axis("rows", y.shape[0])
        for r in ct.parallel(rows):
            y[r] = ct.cast(value, ct.f32)

    y = np.full(3, 7, np.float32)
    with pytest.raises(ct.ArgumentError, match=r"it takes an? (bool|int)") as caught:
        ct.tile_kernel(kernel)(y, value)
    assert caught.value.code == "A007"
    assert (y == 7).all()


@pytest.mark.parametrize("declared", [ct.f32, ct.f64, ct.f16, float])
def test_an_integer_that_no_float_holds_is_named(declared):
    def kernel(y: ct.View, value: declared):
        rows = ct.axis("rows", y.shape[0])
        for r in ct.parallel(rows):
            y[r] = ct.cast(value, ct.f32)

    made, y = ct.tile_kernel(kernel), np.zeros(3, np.float32)
    for fits, beyond in ((10**300, 10**400), (2**1023, -(10**400)), (-(2**1023), 2**1024 - 1)):
        made(y, fits)
        assert np.isinf(y).all()
        y[:] = 7
        with pytest.raises(ct.ArgumentError, match="does not fit") as caught:
            made(y, beyond)
        assert caught.value.code == "A007"
        assert "argument value is" in str(caught.value)
        assert (y == 7).all()


def test_true_one_and_one_point_zero_are_three():
    @ct.tile_kernel
    def kernel(y: ct.View, flag: ct.constexpr):
        rows, kinds = ct.axis("rows", y.shape[0]), {bool: 10, int: 20, float: 30}
        for r in ct.parallel(rows):
            y[r] = flag * 2 + kinds[type(flag)]

    y = np.zeros(2, np.float32)
    for flag, kind in ((True, 10), (1, 20), (1.0, 30), (False, 10), (0, 20), (True, 10)):
        kernel(y, flag)
        assert list(y) == [flag * 2 + kind] * 2
    assert kernel.compilations == 5


def test_a_flag_that_is_no_constexpr_is_no_condition():
    @ct.tile_kernel
    def kernel(y, flag):
        rows = ct.axis("rows", y.shape[0])
        for r in ct.parallel(rows):
            y[r] = 1.0 if flag else 2.0

    assert "ct.constexpr" in str(refused("K002", kernel, np.zeros(2, np.float32), True))


def test_defaults_and_keywords():
    @ct.tile_kernel
    def kernel(x, y, z: ct.constexpr = 3, *, dtype: ct.constexpr = ct.f32):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = ct.cast(x[r] * z, dtype)

    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float32)
    kernel(x, y)
    assert list(y) == [0, 3, 6]
    kernel(y=y, x=x, z=2, dtype=ct.f16)
    assert list(y) == [0, 2, 4]
    for wrong in ((x,), (x, y, 1, 2), ()):
        refused("A001", kernel, *wrong)
    refused("A001", kernel, x, y, unknown=1)


def test_a_global_that_changes_between_calls():
    namespace = {"ct": ct, "__name__": "user", "V": 123}
    exec(
        "@ct.tile_kernel\ndef kernel(y):\n    rows = ct.axis('rows', y.shape[0])\n"
        "    for r in ct.parallel(rows): y[r] = V\n",
        namespace,
    )
    kernel, y = namespace["kernel"], np.zeros(2, np.float32)
    for value in (123, 1234, 123, 1234):
        namespace["V"] = value
        kernel(y)
        assert list(y) == [value, value]
    assert kernel.compilations == 2


def test_closures_of_one_code():
    def make(constant):
        @ct.tile_kernel
        def kernel(y):
            rows = ct.axis("rows", y.shape[0])
            for r in ct.parallel(rows):
                y[r] = constant

        return kernel

    five, six, y = make(5), make(6), np.zeros(1, np.float32)
    for kernel, value in ((five, 5), (six, 6), (five, 5)):
        kernel(y)
        assert y[0] == value


def test_row_classes():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] + 1.0

    for count in range(1, 65):
        x, y = numbers(count, 6), np.zeros((count, 6), np.float32)
        kernel(x, y)
        np.testing.assert_array_equal(y, x + 1)
    assert kernel.compilations <= 4


def test_two_launches_in_order():
    @ct.tile_kernel
    def kernel(x, y, z):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, ct.add)
        for c in ct.parallel(cols):
            z[c] = ct.reduce(x[rows, c] * y[rows], rows, ct.add)

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y, z = np.zeros(3, np.float32), np.zeros(4, np.float32)
    prepared = kernel.prepare(x, y, z)
    for call in (lambda: kernel(x, y, z), prepared):
        y[:] = z[:] = 0
        call()
        np.testing.assert_array_equal(y, x.sum(1))
        np.testing.assert_array_equal(z, (x * x.sum(1)[:, None]).sum(0))
    assert len(prepared.plans) == 2


# Overlaps


def test_in_place():
    x = numbers(9, 20)
    expected = exact_softmax(x)
    softmax(x, x)
    np.testing.assert_allclose(x, expected, atol=1e-7, rtol=1e-6)
    prepared = softmax.prepare(x, x)
    expected = exact_softmax(x)
    prepared()
    np.testing.assert_allclose(x, expected, atol=1e-7, rtol=1e-6)


def test_other_overlaps_are_refused_before_anything_is_written():
    memory = numbers(8, 8)
    before = memory.copy()
    refused("A005", softmax, memory[:-1], memory[1:])
    refused("A005", softmax, memory, memory.T)
    assert "y" in str(refused("A005", softmax, memory[:4].view(np.int32), memory[:4]))
    np.testing.assert_array_equal(memory, before)


def test_overlaps_are_found_on_the_fast_path_too():
    memory = numbers(9, 8)
    softmax(memory[:4], memory[4:8])
    before = memory.copy()
    refused("A005", softmax, memory[1:5], memory[4:8])
    np.testing.assert_array_equal(memory, before)
    softmax(memory[:4], memory[4:8])
    np.testing.assert_allclose(memory[4:8], exact_softmax(memory[:4]), atol=1e-7, rtol=1e-6)


def test_interleaved_memory_is_no_overlap():
    memory = numbers(6, 10)
    expected = exact_softmax(memory[:, ::2])
    for _ in range(2):
        softmax(memory[:, ::2], memory[:, 1::2])
        np.testing.assert_allclose(memory[:, 1::2], expected, atol=1e-7, rtol=1e-6)


# Empty arrays


@pytest.mark.parametrize("shape", [(0, 5), (0, 0)])
def test_no_rows_is_no_launch(shape):
    softmax(np.zeros(shape, np.float32), np.zeros(shape, np.float32))


@pytest.mark.parametrize("target", ["cpu", "reference"])
def test_empty_rows(target):
    y = np.full(5, 7.0, np.float32)
    with ct.target(target):
        total(np.zeros((5, 0), np.float32), y)
    assert list(y) == [0.0] * 5


# Refusals


def test_wrong_arguments():
    x, y = numbers(3, 4), np.zeros((3, 4), np.float32)
    y.flags.writeable = False
    refused("A204", softmax, x, y)
    refused("A002", softmax, [[1.0]], x)
    refused("A002", softmax, "x", x)
    refused("A202", softmax, x.astype(np.complex64), x)
    refused("K015", softmax, x, np.zeros(3, np.float32))


def test_an_index_that_leaves_a_view():
    x, y = numbers(3, 4), np.zeros((2, 4), np.float32)
    with pytest.raises(ArgumentError):
        softmax(x, y)
    assert not y.any()


def test_errors_repeat_and_leave_nothing(cache_folder):
    @ct.tile_kernel
    def broken(x, y):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = 1.0
            y[r] = missing_function(x[r])  # noqa: F821

    x, y = numbers(3), np.zeros(3, np.float32)
    for _ in range(3):
        with pytest.raises(NameError):
            broken(x, y)
    assert not y.any()
    assert broken.compilations == 0
    assert not list(cache_folder.glob("**/*.entry"))


def test_a_kernel_inside_a_kernel():
    @ct.tile_kernel
    def outer(x, y):
        softmax(x, y)

    for _ in range(2):
        error = refused("K031", outer, numbers(2, 3), numbers(2, 3))
        assert error.loc.function.endswith("outer")


def test_options():
    refused("A009", ct.tile_kernel, math="quick")
    refused("A009", ct.tile_kernel, rewrites="some")
    with pytest.raises(ArgumentError, match="A009"), ct.target("gpu"):
        pass
    assert ct.tile_kernel(math="portable")(softmax.function).math == "portable"


def test_a_target_without_a_device():
    with ct.target("metal"), pytest.raises(UnsupportedError):
        softmax(numbers(2, 3), numbers(2, 3))


def test_the_null_target_plans_and_runs_nothing():
    y = np.zeros((2, 3), np.float32)
    with ct.target("null"):
        prepared = softmax.prepare(numbers(2, 3), y)
        prepared()
    assert len(prepared.plans) == 1
    assert not y.any()


def test_targets_belong_to_a_thread():
    seen = []
    with ct.target("null"):
        y = np.zeros((2, 3), np.float32)
        thread = threading.Thread(target=lambda: (softmax(numbers(2, 3), y), seen.append(y.any())))
        thread.start()
        thread.join()
    assert seen == [True]


def test_the_target_setting(monkeypatch):
    x, y = numbers(2, 3), np.zeros((2, 3), np.float32)
    softmax(x, y)
    y[:] = 0
    monkeypatch.setenv("CERTILE_TARGET", "null")
    softmax(x, y)
    assert not y.any()
    monkeypatch.delenv("CERTILE_TARGET")
    softmax(x, y)
    assert y.any()


# Prepared calls


def test_a_prepared_call():
    x, y = numbers(4, 6), np.zeros((4, 6), np.float32)
    prepared = softmax.prepare(x, y)
    assert not y.any()
    prepared()
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-7, rtol=1e-6)
    x[:] = numbers(4, 6, seed=1)
    prepared()
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-7, rtol=1e-6)
    other = np.zeros((4, 6), np.float32)
    prepared(x=x, y=other)
    np.testing.assert_array_equal(other, y)
    prepared(other, other)
    np.testing.assert_allclose(other, exact_softmax(y), atol=1e-7, rtol=1e-6)
    refused("A010", prepared, x[:3], y[:3])
    refused("A010", prepared, x, np.empty((6, 4), np.float32).T)
    refused("A010", prepared, x.astype(np.float64), y)


def test_a_prepared_call_keeps_its_arrays():
    prepared = total.prepare(np.ones((3, 5), np.float32), y := np.zeros(3, np.float32))
    np.ones((3, 5), np.float32) * 9
    prepared()
    assert list(y) == [5, 5, 5]


def test_plan_options():
    x, y = numbers(4, 6), np.zeros((4, 6), np.float32)
    prepared = softmax.prepare(x, y, plan={"subgroup_reductions": "off"})
    prepared()
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-6, rtol=1e-6)
    assert prepared.plans[0].mapping.family == "reference"
    assert softmax.prepare(x, y, plan=Options()).plans[0].mapping.family == "subgroup"
    refused("A009", softmax.prepare, x, y, plan={"speed": 9})
    for plan in (3, {"threads": "many"}, {"threads": True}, {"cache_inputs": 1}, {7: 7}):
        refused("A009", softmax.prepare, x, y, plan=plan)
    for plan in ({"materialization": "some"}, {"alpha": "high"}, {"policy": None}):
        refused("A009", softmax.prepare, x, y, plan=plan)
    softmax.prepare(x, y, plan={"alpha": 1, "threads": None, "materialization": "preserve"})()


# Threads and processes


def test_many_threads_compile_once():
    barrier, wrong = threading.Barrier(8), []

    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r, cols] = x[r, cols] * 3.0

    def work(seed):
        x, y = numbers(9, 31, seed=seed), np.zeros((9, 31), np.float32)
        barrier.wait()
        for _ in range(50):
            y[:] = 0
            kernel(x, y)
            if not np.array_equal(y, x * np.float32(3)):
                wrong.append(seed)

    in_threads(work, range(8))
    assert not wrong
    assert kernel.compilations == 1


def _in_child(queue):
    x, y = numbers(64, 33), np.zeros((64, 33), np.float32)
    softmax(x, y)
    queue.put(float(np.abs(y - exact_softmax(x)).max()))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_fork():
    softmax(numbers(64, 33), np.zeros((64, 33), np.float32))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=10) < 1e-6
    child.join(10)
    assert child.exitcode == 0


def test_kernel_errors_are_value_errors():
    assert issubclass(KernelError, ValueError)


def test_generated_code_that_is_not_clean_is_a_fault_of_the_compiler(monkeypatch):
    @ct.tile_kernel
    def doubled(x: ct.View, y: ct.View):
        rows = ct.axis("rows", x.shape[0])
        for r in ct.parallel(rows):
            y[r] = x[r] * 2

    unclean = types.SimpleNamespace(ok=False, findings=["a race"])
    monkeypatch.setattr(metal_sim, "run", lambda *_, **__: unclean)
    with ct.target("metal-sim"), pytest.raises(InternalError, match="a race") as raised:
        doubled(np.ones(4, np.float32), np.zeros(4, np.float32))
    assert raised.value.code == "M022"


def test_metal_text_on_a_cpu():
    x = numbers(5, 70)
    y = np.zeros((5, 140), np.float32)[:, ::2]
    with ct.target("metal-sim"):
        softmax(x, y)
        scaled(x[:, :8], z := np.zeros((5, 8), np.float32), 3.0, shift=0.5)
    np.testing.assert_allclose(y, exact_softmax(x), atol=1e-6, rtol=1e-5)
    np.testing.assert_array_equal(z, x[:, :8] * np.float32(3) + np.float32(0.5))


def test_a_target_that_does_not_reach_the_arrays():
    with ct.target("cuda"):
        refused("A006", softmax, numbers(2, 3), numbers(2, 3))
