"""Kernels through TVM's LLVM: every operation, the dtypes, the plans, and what arrays must be."""

import subprocess
import sys
from dataclasses import replace

import ml_dtypes
import numpy as np
import pytest

import certile as ct
from certile import tirx
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ops.kernels import BARE_OPS, bare
from certile.plan.options import Options
from certile.runtime.cpu.device import machine_sheet
from certile.targets import CPU_AVX2
from tests.tirx.export_data import arguments, copied, judged

# Rows with a tail, and some whose length is a number of whole vectors.
SHAPES = [
    *((op, (3, 130)) for op in BARE_OPS),
    *((op, (5, 96)) for op in ("sum", "argmax", "softmax", "cross_entropy", "cumsum", "topk")),
]


def checked(subject, **declared):
    """Export, run and compare; returns what was exported."""
    given = arguments(subject)
    before = copied(given)
    exported = tirx.export(subject, {}, "llvm", **{"noalias": True, **declared})
    exported.compile()(**given)
    agreement = judged(subject, before, given)
    assert agreement.ok, agreement.worst
    return exported


@pytest.mark.parametrize(("op", "shape"), SHAPES)
def test_every_operation(op, shape):
    checked(bare(op, shape, "f32"))


@pytest.mark.parametrize("op", BARE_OPS)
def test_every_operation_with_nothing_declared(op):
    exported = checked(bare(op, (5, 96), "f32"), noalias=False)
    assert {launch.plan.mapping.family for launch in exported.launches} == {"reference"}
    assert "noalias" not in exported.script()


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i8", "u8", "i32", "u32", "i64", "u64"])
@pytest.mark.parametrize("op", ["sum", "argmin", "cumsum"])
def test_dtypes(op, dtype):
    checked(bare(op, (3, 131), dtype))


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("op", ["softmax", "layer_norm", "quantize_rows"])
def test_float_types(op, dtype):
    checked(bare(op, (3, 131), dtype))


def test_softmax_against_float64():
    random = np.random.default_rng(3)
    x = random.standard_normal((3, 4096)).astype(np.float32)
    y = np.empty_like(x)
    tirx.export("softmax", (3, 4096), "llvm", noalias=True).compile()(x, y)
    wide = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    wide /= wide.sum(axis=1, keepdims=True)
    assert np.abs(y / wide - 1).max() < 1e-6


def test_lanes_are_vectors_and_math_is_our_own():
    exported = tirx.export("softmax", (3, 4096), "llvm", noalias=True)
    script, compiled = exported.script(), exported.compile()
    assert "float32x8" in script
    assert "llvm.fma" in script
    assert "expf" not in compiled.source()
    # What TVM would contract stands behind a fence.
    assert "llvm.fmuladd" not in compiled.source()


def test_the_result_is_that_of_native_code():
    random = np.random.default_rng(4)
    x = random.standard_normal((7, 1000)).astype(np.float32)
    subject = bare("softmax", x.shape, "f32")
    ours, theirs = np.empty_like(x), np.empty_like(x)
    options = Options(policy="analytic")
    sheet = machine_sheet()
    exported = tirx.export(subject, {}, "llvm", noalias=True, plan=options, sheet=sheet)
    exported.compile()(x, theirs)
    subject.function.prepare(x, ours, plan=options)()
    # Where the processor scales by powers of two in one instruction, ours rounds the same.
    assert np.array_equal(ours, theirs)


def test_a_row_that_no_stack_holds():
    random = np.random.default_rng(5)
    x = random.standard_normal((2, 400_000)).astype(np.float32)
    y = np.empty_like(x)
    options = Options(cache_inputs=True, policy="analytic")
    tirx.export("softmax", x.shape, "llvm", noalias=True, plan=options).compile()(x, y)
    assert np.allclose(y.sum(axis=1), 1.0, atol=1e-4)


def test_many_rows_run_in_parallel():
    random = np.random.default_rng(6)
    x = random.standard_normal((512, 2048)).astype(np.float32)
    y = np.empty(512, np.float32)
    sheet = replace(CPU_AVX2, cores=4)
    exported = tirx.export("sum", x.shape, "llvm", noalias=True, sheet=sheet)
    assert "T.parallel" in exported.script()
    exported.compile()(x, y)
    assert np.allclose(y, x.sum(axis=1, dtype=np.float64), rtol=1e-3, atol=1e-3)


@ct.tile_kernel
def scaled(x: ct.View, y: ct.View, scale: ct.f32, most: ct.constexpr = 4):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = ct.minimum(x[r, cols] * scale, float(most))


def test_numbers_stay_arguments_and_compile_time_values_do_not():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    shapes = {"x": (3, 4), "y": (3, 4)}
    exported = tirx.export(scaled, shapes, "llvm", scalars={"scale": 1.0, "most": 7}, noalias=True)
    compiled = exported.compile()
    for scale in (0.5, 2.0):
        y = np.empty_like(x)
        compiled(x, y, scale)
        assert np.array_equal(y, np.minimum(x * np.float32(scale), 7))


def test_an_op_is_exported_as_its_kernel():
    op = ct.op(scaled, outputs={"y": ct.like("x")})
    exported = tirx.export(op, (3, 4), "llvm", scalars={"scale": 2.0}, noalias=True)
    x, y = np.ones((3, 4), np.float32), np.zeros((3, 4), np.float32)
    exported.compile()(x=x, y=y, scale=3.0)
    assert (y == 3).all()


def test_arrays_without_elements_have_no_launch():
    exported = tirx.export("softmax", (0, 16), "llvm", noalias=True)
    assert exported.launches == ()
    compiled = exported.compile()
    compiled(np.empty((0, 16), np.float32), np.empty((0, 16), np.float32))
    with pytest.raises(ArgumentError) as caught:
        compiled(np.empty((0, 16), np.float32))
    assert caught.value.diagnostic.code == "A001"


def test_arrays_of_any_alignment():
    x = np.arange(131 * 3 + 1, dtype=np.float32)[1:].reshape(3, 131)
    y = np.zeros(131 * 3 + 3, np.float32)[3:].reshape(3, 131)
    tirx.export("softmax", (3, 131), "llvm", noalias=True).compile()(x, y)
    assert np.allclose(y.sum(axis=1), 1.0)


def test_nothing_outside_an_array_is_written():
    guarded = np.full(3 * 131 + 32, 7.0, np.float32)
    y = guarded[16:-16].reshape(3, 131)
    x = np.zeros((3, 131), np.float32)
    tirx.export("softmax", (3, 131), "llvm", noalias=True).compile()(x, y)
    assert (guarded[:16] == 7).all()
    assert (guarded[-16:] == 7).all()


def test_an_array_that_is_only_read_may_be_read_only():
    x = np.ones((3, 8), np.float32)
    x.flags.writeable = False
    y = np.zeros(3, np.float32)
    tirx.export("sum", (3, 8), "llvm", noalias=True).compile()(x, y)
    assert (y == 8).all()


def test_bf16_arrays_are_their_bits():
    x = np.ones((3, 8), ml_dtypes.bfloat16)
    y = np.zeros(3, ml_dtypes.bfloat16)
    compiled = tirx.export("sum", (3, 8), "llvm", dtypes="bf16", noalias=True).compile()
    compiled(x, y)
    assert (y.astype(np.float32) == 8).all()
    compiled(x.view(np.uint16), y.view(np.uint16))


@ct.tile_kernel
def small(x: ct.View, y: ct.View[ct.f8e4m3 | ct.f8e5m2, 1]):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        y[i] = ct.cast(x[i], y.dtype)


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_8_bit_floats_are_their_bits(name):
    storage = np.dtype(getattr(ml_dtypes, name))
    x, y, bits = (
        np.linspace(-3, 400, 13, dtype=np.float32),
        np.zeros(13, storage),
        np.zeros(13, "u1"),
    )
    dtypes = {"x": "f32", "y": storage}
    compiled = tirx.export(small, (13,), "llvm", dtypes=dtypes, noalias=True).compile()
    compiled(x, y)
    compiled(x, bits)
    assert np.array_equal(y.view("u1"), x.astype(storage).view("u1"))
    assert np.array_equal(bits, y.view("u1"))
    with pytest.raises(ArgumentError) as caught:
        compiled(x, bits.view("i1"))
    assert caught.value.diagnostic.code == "A003"


def passed(dtype, result, taken):
    """Compile a kernel that stores its number; gives what arrives for a number."""

    @ct.tile_kernel
    def told(y: ct.View, number: dtype):
        for i in ct.parallel(ct.axis("n", y.shape[0])):
            y[i] = ct.cast(number, y.dtype)

    scalars = {"number": taken}
    exported = tirx.export(told, (2,), "llvm", dtypes=result, scalars=scalars, noalias=True)
    compiled, y = exported.compile(), np.zeros(2, result)

    def arrived(number):
        compiled(y, number)
        return y[1]

    return arrived


NUMBERS = [
    (ct.u64, "uint64", [0, 1 << 63, (1 << 64) - 1, np.uint64(7)], [-1, 1 << 64, 1.5]),
    (ct.i64, "int64", [-(1 << 63), (1 << 63) - 1], [1 << 63]),
    (ct.i8, "int64", [-128, 127, np.int64(5), True], [128, -129, 3.0]),
    (ct.bool_, "int64", [True, False, np.bool_(True)], [2, 1]),
    (ct.bf16, "float64", [1.5, -0.0, 3, np.float32(2.5)], []),
    (ct.f32, "float64", [0.25, np.inf, 7], []),
]


@pytest.mark.parametrize(("dtype", "result", "fitting", "others"), NUMBERS)
def test_numbers_arrive_as_they_are_or_not_at_all(dtype, result, fitting, others):
    arrived = passed(dtype, result, fitting[0])
    for number in fitting:
        assert arrived(number) == number
    for number in others:
        with pytest.raises(ArgumentError) as caught:
            arrived(number)
        assert caught.value.diagnostic.code == "A007"


@pytest.mark.parametrize("dtype", [ct.f16, ct.bf16, ct.f32])
def test_a_number_beyond_a_type_of_floats_is_infinite(dtype):
    assert passed(dtype, "float64", 1.0)(-1e300) == -np.inf


def test_narrow_numbers_are_rounded_once():
    # By way of f32 it would be a tie, and go down.
    number = 1 + 2**-11 + 2**-40
    assert passed(ct.f16, "float64", 1.0)(number) == np.float16(number)
    number = 1 + 2**-8 + 2**-40
    assert passed(ct.bf16, "float64", 1.0)(number) == np.float64(ml_dtypes.bfloat16(number))


@pytest.fixture(scope="module")
def summed():
    return tirx.export("sum", (3, 8), "llvm", noalias=True).compile()


def test_arrays_that_do_not_fit(summed):
    x, y = np.ones((3, 8), np.float32), np.zeros(3, np.float32)
    closed = y.copy()
    closed.flags.writeable = False
    for arguments_, code in [
        ((x,), "A001"),
        ((x, y, y), "A001"),
        ((x.tolist(), y), "A002"),
        ((x.astype(np.float64), y), "A003"),
        ((x[:2], y), "A004"),
        ((np.ones((8, 3), np.float32).T, y), "A002"),
        ((x, closed), "A002"),
        ((np.zeros(97, "u1")[1:].view(np.float32).reshape(3, 8), y), "A002"),
    ]:
        with pytest.raises(ArgumentError) as caught:
            summed(*arguments_)
        assert caught.value.diagnostic.code == code
    with pytest.raises(ArgumentError, match="export once more for others"):
        summed(x[:2], y)
    with pytest.raises(ArgumentError):
        summed(x, x=x, y=y)
    assert (y == 0).all()


@ct.tile_kernel
def added(x: ct.View, z: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, cols] + z[r, cols]


def refused_as_overlapping(compiled, *arguments_):
    before = copied(dict(enumerate(arguments_)))
    with pytest.raises(ArgumentError) as caught:
        compiled(*arguments_)
    assert caught.value.diagnostic.code == "A005"
    assert all((arguments_[k] == kept).all() for k, kept in before.items())
    return str(caught.value)


@pytest.mark.parametrize("noalias", [True, False])
def test_an_array_that_is_written_shares_no_part_of_its_memory(noalias):
    compiled = tirx.export(added, (3, 8), "llvm", noalias=noalias).compile()
    flat = np.arange(60, dtype=np.float32)
    low, mid, high = (flat[k : k + 24].reshape(3, 8) for k in (0, 12, 24))
    apart = np.ones((3, 8), np.float32)
    said = refused_as_overlapping(compiled, low, apart, mid)
    assert "y is written and shares memory with x" in said
    assert "with z" in refused_as_overlapping(compiled, apart, high, mid)
    # Neighbours meet nowhere, and what is only read may be one array.
    compiled(low, low, high)
    assert (high == 2 * low).all()


def test_one_array_for_input_and_output_needs_an_export_that_allows_it():
    x, z = np.ones((3, 8), np.float32), np.full((3, 8), 2, np.float32)
    told = tirx.export(added, (3, 8), "llvm", noalias=True).compile()
    assert "export without noalias" in refused_as_overlapping(told, x, z, x)
    tirx.export(added, (3, 8), "llvm").compile()(x, z, x)
    assert (x == 3).all()


def test_a_plan_is_options_or_their_names():
    declared = {"capability": True, "noalias": True}
    for target, plan in [("metal", {"threads": 64}), ("cuda", {"threads": 128})]:
        named = tirx.export("softmax", (3, 4096), target, plan=plan, **declared)
        record = tirx.export("softmax", (3, 4096), target, plan=Options(**plan), **declared)
        assert named.launches[0].threads == plan["threads"]
        assert named.script() == record.script()
    for plan in ({"speed": 9}, {"threads": "many"}, 64):
        with pytest.raises(ArgumentError) as caught:
            tirx.export("softmax", (3, 4096), "llvm", plan=plan)
        assert caught.value.diagnostic.code == "A009"


def test_what_names_nothing_to_export():
    for what, shapes, more in [
        (object(), (3, 4), {}),
        ("softmax", "3x4", {}),
        ("softmax", {"x": (3, 4)}, {}),
        (scaled, {"x": (3, 4)}, {}),
        (scaled, (3, 4), {}),
        (scaled, (3, -1), {"scalars": {"scale": 1.0}}),
        ("softmax", (3, 4), {"dtypes": "float31"}),
    ]:
        with pytest.raises(ArgumentError) as caught:
            tirx.export(what, shapes, "llvm", **more)
        assert caught.value.diagnostic.code == "A320"
    with pytest.raises(ArgumentError) as caught:
        tirx.export("softmax", (3, 4), "vulkan")
    assert caught.value.diagnostic.code == "A320"
    with pytest.raises(ArgumentError):
        tirx.export("softmax", (3, 4), "llvm").artifact(1)


def test_a_plan_that_was_asked_for_is_not_weakened():
    asked = Options(subgroup_reductions="on")
    for target, declared in [
        ("llvm", {}),
        ("metal", {}),
        ("metal", {"noalias": True}),
        ("cuda", {"capability": True}),
    ]:
        with pytest.raises(ArgumentError) as caught:
            tirx.export("softmax", (3, 64), target, plan=asked, **declared)
        assert caught.value.diagnostic.code == "A321"


def test_text_for_a_gpu_does_not_run_here():
    compiled = tirx.export("sum", (3, 64), "metal").compile()
    with pytest.raises(UnsupportedError) as caught:
        compiled(np.ones((3, 64), np.float32), np.ones(3, np.float32))
    assert caught.value.diagnostic.code == "U401"


def test_tvm_is_imported_when_it_is_needed():
    code = "import sys, certile, certile.tirx; assert 'tvm' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@ct.tile_kernel
def shifted(x: ct.View, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", y.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = x[r, ct.iota(cols) + 1]


def test_an_access_outside_a_view_is_refused_for_these_shapes():
    with pytest.raises(ArgumentError) as caught:
        tirx.export(shifted, {"x": (3, 8), "y": (3, 8)}, "llvm", noalias=True)
    assert caught.value.diagnostic.code == "K090"
    tirx.export(shifted, {"x": (3, 9), "y": (3, 8)}, "llvm", noalias=True)


def test_more_groups_than_a_launch_has(monkeypatch):
    # The function of the same name hides the module.
    monkeypatch.setattr(sys.modules["certile.tirx.export"], "_MOST_GROUPS", 8)
    options = Options(programs_per_group=1)
    declared = {"capability": True, "noalias": True}
    tirx.export("sum", (7, 64), "metal", plan=options, **declared)
    with pytest.raises(UnsupportedError) as caught:
        tirx.export("sum", (8, 64), "metal", plan=options, **declared)
    assert caught.value.diagnostic.code == "U321"
