"""TVM's Metal text in the simulator, checked mode without a report; TVM's CUDA text in NVRTC."""

import ctypes
import re
from types import SimpleNamespace

import numpy as np
import pytest

import certile as ct
from certile import tirx
from certile.diagnostics import UnsupportedError
from certile.ops.kernels import BARE_OPS, bare
from certile.plan.options import Options
from certile.runtime.cuda import device
from certile.runtime.cuda.toolchain import compile_device
from tests.platforms import nvrtc
from tests.tirx.export_data import arguments, copied, judged, simulated

DECLARED = {"capability": True, "noalias": True}


def run(subject, *, seed=0, **more):
    given = arguments(subject)
    before = copied(given)
    exported = tirx.export(subject, {}, "metal", **{**DECLARED, **more})
    assert simulated(exported, given, seed=seed) == []
    agreement = judged(subject, before, given)
    assert agreement.ok, agreement.worst
    return exported


@pytest.mark.parametrize("op", BARE_OPS)
def test_every_operation(op):
    run(bare(op, (3, 130), "f32"))


@pytest.mark.parametrize("op", ["softmax", "argmax", "cross_entropy"])
def test_with_nothing_declared_a_lane_runs_a_program(op):
    exported = run(bare(op, (5, 96), "f32"), capability=False, noalias=False)
    assert exported.launches[0].plan.mapping.family == "reference"
    assert "simd_" not in exported.artifact().source


@pytest.mark.parametrize("op", ["sum", "softmax", "layer_norm", "min_max", "cross_entropy"])
@pytest.mark.parametrize("plan", [(1, 1, 4), (2, 2, 1), (3, 2, 1), (4, 1, 4)])
def test_plans(op, plan):
    subgroups, programs, elements = plan
    options = Options(
        threads=32 * subgroups * programs, programs_per_group=programs, lane_elements=elements
    )
    exported = run(bare(op, (5, 1000), "f32"), plan=options, seed=3)
    launch = exported.launches[0]
    assert exported.artifact().block == (32 * subgroups * programs, 1, 1)
    assert exported.artifact().grid == (-(-5 // programs), 1, 1)
    assert launch.machine.subgroups == subgroups * programs


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8", "u8", "i32", "u32", "i64", "u64"])
def test_dtypes(dtype):
    for op in ("sum", "max", "argmin"):
        run(bare(op, (3, 131), dtype))


def test_the_shape_of_the_text():
    artifact = tirx.export("softmax", (3, 4096), "metal", **DECLARED).artifact()
    text = artifact.source
    assert "simd_max(" in text
    assert "simd_sum(" in text
    assert "threadgroup_barrier(mem_flags::mem_threadgroup)" in text
    assert "#pragma METAL fp contract(off)" in text
    assert "float4*)" in text
    assert artifact.requires_precise_math
    assert not artifact.requires_metal4
    # No lane holds a row of its own.
    assert max(int(n) for n in re.findall(r"thread float4? \w+\[(\d+)\]", text)) < 4096


def test_numbers_that_seven_digits_do_not_say():
    @ct.tile_kernel
    def moved(x: ct.View, y: ct.View):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            y[r] = x[r] * 0.12345678806304932 + 1.00000011920929

    exported = tirx.export(moved, (40,), "metal", **DECLARED)
    x, y = np.linspace(-3, 3, 40, dtype=np.float32), np.zeros(40, np.float32)
    assert simulated(exported, {"x": x, "y": y}) == []
    product = x * np.float32(0.12345678806304932)
    assert np.array_equal(y, product + np.float32(1.00000011920929))


def test_a_nan_is_the_extremum_of_its_row():
    subject = bare("max", (3, 100), "f32")
    x, y = np.zeros((3, 100), np.float32), np.zeros(3, np.float32)
    x[1, 77] = np.nan
    exported = tirx.export(subject, {}, "metal", **DECLARED)
    assert simulated(exported, {"x": x, "y": y}) == []
    assert np.array_equal(np.isnan(y), [False, True, False])


def test_what_metal_lacks_is_refused_by_name():
    with pytest.raises(UnsupportedError) as caught:
        tirx.export("sum", (3, 64), "metal", dtypes="f64", **DECLARED)
    assert caught.value.diagnostic.code == "U310"


def test_the_artifact_is_named_by_its_text():
    first = tirx.export("sum", (3, 64), "metal", **DECLARED)
    assert first.artifact().fingerprint == first.artifact().fingerprint
    other = tirx.export("sum", (4, 64), "metal", **DECLARED).artifact()
    assert other.fingerprint != first.artifact().fingerprint


CUDA = [
    *((op, "f32") for op in ("layer_norm", "argmax", "cross_entropy")),
    *(("softmax", "f16"), ("argmax", "bf16")),
]


@nvrtc
@pytest.mark.parametrize(("op", "dtype"), CUDA)
def test_cuda_text_compiles(op, dtype):
    artifact = tirx.export(op, (3, 1000), "cuda", dtypes=dtype, **DECLARED).artifact()
    assert compile_device(artifact)
    assert "__shfl_xor_sync" in artifact.source or "__reduce_" in artifact.source


@nvrtc
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_neighbours_are_written_at_once_on_cuda(dtype):
    """NVRTC takes `*(float4*)p = make_float4(...)` apart, four stores for one."""
    options = Options(lane_elements=4)
    artifact = tirx.export(
        "softmax", (3, 1024), "cuda", dtypes=dtype, plan=options, **DECLARED
    ).artifact()
    vector = "float4" if dtype == "f32" else "ushort4"
    assert f"__stwb((&(*({vector}*)(p_y_ptr" in artifact.source
    assert not re.search(r"\*\(\w+4\*\)\(p_y_ptr[^;]* = ", artifact.source)
    assert compile_device(artifact)


@ct.tile_kernel
def constants(x: ct.View, y: ct.View, z: ct.View, small: ct.View[ct.f8e4m3, 1]):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        y[i] = ct.cast(ct.where(x[i] > 0, float("-inf"), 2.5), y.dtype) + ct.cast(0.1, y.dtype)
        z[i] = ct.cast(ct.where(x[i] > 0, 0.1, float("inf")), z.dtype)
        small[i] = ct.cast(ct.where(x[i] > 1, float("nan"), 2.5), small.dtype)


@nvrtc
def test_the_bits_of_a_constant_are_a_constant_on_cuda():
    dtypes = {"x": "f32", "y": "f16", "z": "bf16", "small": "f8e4m3"}
    artifact = tirx.export(constants, (40,), "cuda", dtypes=dtypes, **DECLARED).artifact()
    # A number has no address.
    assert not re.search(r"&\((0x|-|\d|__)", artifact.source)
    assert compile_device(artifact)


def test_cuda_products_are_rounded_on_their_own():
    text = tirx.export("layer_norm", (3, 1000), "cuda", **DECLARED).artifact().source
    assert "__fmul_rn(" in text


def test_cuda_in_64_bits():
    exported = tirx.export("softmax", (3, 1000), "cuda", dtypes="f64", **DECLARED)
    assert "__dmul_rn(" in exported.artifact().source


def driver(launched):
    """What the CUDA driver is asked, and the last launch in `launched`."""

    def launch(*arguments):
        launched[:] = arguments
        return (0,)

    return SimpleNamespace(
        CUresult=SimpleNamespace(CUDA_SUCCESS=0),
        cuModuleLoadData=lambda cubin: (0, ("module", cubin)),
        cuModuleGetFunction=lambda module, entry: (0, (module, entry)),
        cuLaunchKernel=launch,
    )


def test_an_artifact_is_launched_as_it_says(monkeypatch):
    launched = []
    monkeypatch.setattr(device, "_driver", lambda: driver(launched))
    exported = tirx.export("layer_norm", (5, 1000), "cuda", **DECLARED)
    artifact = exported.artifact()
    loaded = device.DeviceKernel(artifact, b"cubin")
    loaded.launch({"y": 128, "x": 64, "eps": 1e-5}, stream=7)
    function, *shape = launched[:7]
    assert function == (("module", b"cubin"), artifact.entry.encode())
    assert tuple(shape[:3]) == artifact.grid
    assert tuple(shape[3:]) == artifact.block
    _, stream, (values, types), _ = launched[7:]
    assert stream == 7
    assert dict(zip([each.name for each in artifact.arguments], values, strict=True)) == {
        "x": 64,
        "y": 128,
        "eps": 1e-5,
    }
    expected = {"buffer": ctypes.c_void_p, "scalar": ctypes.c_float}
    assert types == tuple(expected[each.kind] for each in artifact.arguments)
