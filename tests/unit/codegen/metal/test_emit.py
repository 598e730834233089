"""Metal text: every operation is printed, what Metal lacks is refused, and memory is ordered."""

import re
from dataclasses import replace

import numpy as np
import pytest

from certile.codegen.metal.emit import TABLE
from certile.codegen.metal.emit import emit as emit_for
from certile.codegen.metal.prelude import HELPERS, prelude
from certile.diagnostics import UnsupportedError
from certile.ir.dtypes import bf16, bool_, f16, f32, f64, i32, i64
from certile.ir.machine import Buffer, MachineKernel, PrivateArray, ScalarParameter, SharedArray
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.metalsim import Library, check
from certile.targets.metal import METAL

N = ScalarParameter("n", i64)
X, Y = Buffer("x", f32, False, 16), Buffer("y", f32, True, 16)


def finish(b, buffers=(X, Y), scalars=(), arrays=(), shared=(), **options):
    places = (tuple(buffers), tuple(scalars), tuple(arrays), tuple(shared))
    kernel = MachineKernel("k", b.lanes, b.subgroups, 1, *places, b.block(), **options)
    return check_machine(kernel)


def emit(kernel):
    return emit_for(kernel, METAL)


def mapped(fn, dtype=f32, **options):
    """y = fn(x), a lane."""
    b = Builder(32)
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    b.store(y, b.address(0, 1), b.compute(fn, b.load(x, b.address(0, 1))))
    return finish(b, (x, y), **options)


def test_every_operation_is_printed():
    assert TABLE.missing() == frozenset()


def test_arguments_are_bound_in_order():
    b = Builder(32, 2)
    scale = ScalarParameter("scale", bf16)
    place = b.add(b.add(b.mul(b.group(), b.parameter(N)), b.convert(b.subgroup(), i64)), 1)
    value = b.compute("mul", b.load(X, b.address(place, 1)), b.convert(b.parameter(scale), f32))
    b.store(Y, b.address(place, 1), value)
    artifact = emit(finish(b, scalars=(N, scale)))
    parameters = re.findall(r"^    (.*\]\])[,)]", artifact.text, re.MULTILINE)
    assert parameters[:7] == [
        "device const float* p_x [[buffer(0)]]",
        "device float* p_y [[buffer(1)]]",
        "constant long& n_n [[buffer(2)]]",
        "constant bfloat& n_scale [[buffer(3)]]",
        "uint lane_ [[thread_index_in_simdgroup]]",
        "uint subgroup_ [[simdgroup_index_in_threadgroup]]",
        "uint group_ [[threadgroup_position_in_grid]]",
    ]
    assert "[[max_total_threads_per_threadgroup(64)]]\nkernel void k(" in artifact.text
    assert (artifact.format, artifact.threads, artifact.entry) == ("msl", 64, "k")
    assert check(artifact.text) == []


def test_nothing_is_contracted():
    assert "#pragma METAL fp contract(off)\n" in emit(mapped("neg")).text


@pytest.mark.parametrize(
    ("math", "precise", "space"),
    [("precise", False, "precise"), ("fast", False, "fast"), ("fast", True, "precise")],
)
def test_only_fast_kernels_take_approximations(math, precise, space):
    artifact = emit(mapped("exp", math=math, precise_math=precise))
    assert f"= {space}::exp(" in artifact.text
    assert artifact.requires_precise_math == (space == "precise")


def test_narrow_floats_round_at_each_operation():
    assert "= (float)bfloat(precise::sqrt(v" in emit(mapped("sqrt", bf16)).text
    assert "= half(v" in emit(mapped("neg", f16)).text
    assert "(float)half" not in emit(mapped("neg", f16)).text


def streams(dtype, alignment, *, masked=False):
    """Each lane doubles four consecutive elements."""
    x, y = Buffer("x", dtype, False, alignment), Buffer("y", dtype, True, alignment)
    b = Builder(32)
    mask = b.lt(b.convert(b.lane(), i64), b.parameter(N)) if masked else None
    for v in range(4):
        address = b.address(v, 4)
        leaf = b.load(x, address, mask, b.const(0, dtype) if masked else None)
        b.store(y, address, b.compute("add", leaf, leaf), mask)
    return emit(finish(b, (x, y), (N,)))


def test_consecutive_elements_make_vector_accesses():
    text = streams(f32, 16).text
    assert "const float4 pack0 = *(device const float4*)(p_x + lane * 4L);" in text
    assert "*(device float4*)(p_y + lane * 4L) = float4(" in text
    assert "bfloat4(bfloat(" in streams(bf16, 16).text
    assert "long2" in streams(i64, 16).text


def test_no_vector_without_a_proof_of_alignment():
    text = streams(f32, 4).text
    assert "float4" not in text
    assert "float2" not in text


@pytest.mark.parametrize("dtype", [f32, bf16, f16, i64, i32], ids=str)
def test_vector_accesses_are_metal(dtype):
    assert check(streams(dtype, 16, masked=True).text) == []


def test_vectors_under_a_mask_touch_nothing_outside():
    text = streams(f32, 16, masked=True).text
    x = np.arange(40, dtype=np.float32)
    y = np.full(40, np.nan, np.float32)
    report = Library(text).kernel("k").run({0: x, 1: y, 2: 10}, (1, 1, 1), (32, 1, 1))
    assert report.ok, report
    assert np.array_equal(y, 2 * x)


def exchanging(buffer, subgroups=1, between=None):
    """A lane writes an element that another lane reads."""
    b = Builder(32, subgroups)
    b.store(buffer, b.address(0, 1), b.load(X, b.address(0, 1)))
    if between is not None:
        between(b)
    b.store(Y, b.address(0, 1), b.load(buffer, b.address(31, -1)))
    return emit(finish(b, (X, Y, buffer)))


def test_lanes_are_ordered_where_they_meet():
    text = exchanging(Buffer("z", f32, True)).text
    assert text.count("simdgroup_barrier(mem_flags::mem_device);") == 1
    assert text.index("p_z[lane] =") < text.index("simdgroup_barrier") < text.index("p_z[31L")


def test_a_collective_orders_no_memory():
    def between(b):
        b.store(Y, b.address(40), b.collective("add", b.load(X, b.address(0, 1))))

    text = exchanging(Buffer("z", f32, True), between=between).text
    assert text.index("simd_sum(") < text.index("simdgroup_barrier(mem_flags::mem_device);")


def test_a_group_barrier_orders_what_is_exchanged():
    text = exchanging(Buffer("z", f32, True), 2, Builder.barrier).text
    assert "threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);" in text
    assert "simdgroup_barrier" not in text
    b = Builder(32, 2)
    part = SharedArray("part", f32, 2)
    total = b.collective("add", b.load(X, b.address(0, 1)))
    b.shared_store(part, b.subgroup(), total)
    b.barrier()
    value = b.shared_load(part, b.lane(), b.lt(b.lane(), 2), 0.0)
    b.store(Y, b.address(0), b.collective("add", value))
    artifact = emit(finish(b, shared=(part,)))
    assert "threadgroup_barrier(mem_flags::mem_threadgroup);" in artifact.text
    assert "threadgroup float shared_part[2];" in artifact.text
    assert "if (lane == 0) shared_part[subgroup] = " in artifact.text
    assert artifact.shared_bytes == 8


def test_short_private_arrays_stay_in_registers():
    def filled(slots):
        own = PrivateArray("own", f32, slots)
        b = Builder(32)
        b.for_(0, slots, 1, [], lambda i, p: b.array_store(own, i, b.const(1.0, f32)) or [])
        b.store(Y, b.address(0, 1), b.array_load(own, slots - 1))
        return emit(finish(b, arrays=(own,))).text

    assert "#pragma unroll\n  for" in filled(64)
    assert "#pragma unroll" not in filled(1024)


def test_masked_reads_are_lazy():
    b = Builder(32)
    mask = b.lt(b.convert(b.lane(), i64), b.parameter(N))
    b.store(Y, b.address(0, 1), b.load(X, b.address(0, 1), mask, 0.0), mask)
    text = emit(finish(b, scalars=(N,))).text
    assert re.search(r"= v\d+ \? p_x\[lane\] : 0\.0f;", text)
    assert re.search(r"if \(v\d+\) p_y\[lane\] = v\d+;", text)


def test_only_helpers_in_use_are_printed():
    text = emit(mapped("sign")).text
    assert [name for name in HELPERS if re.search(rf"\b{name}\b", text)] == ["sign_float"]


def test_every_helper_is_metal():
    text = "#include <metal_stdlib>\nusing namespace metal;\n\n" + prelude(HELPERS)
    assert check(text) == []


def test_text_is_deterministic():
    assert emit(mapped("exp")) == emit(mapped("exp"))
    assert emit(mapped("exp")).fingerprint != emit(mapped("log")).fingerprint


@pytest.mark.parametrize("fn", ["erf", "erfc", "expm1", "log1p", "sigmoid"])
def test_functions_that_metal_lacks_are_refused(fn):
    with pytest.raises(UnsupportedError, match="U311"):
        emit(mapped(fn))


def test_doubles_are_refused_wherever_they_stand():
    with pytest.raises(UnsupportedError, match="U310"):
        emit(mapped("neg", f64))
    b = Builder(32)
    wide = b.convert(b.load(X, b.address(0, 1)), f64)
    b.store(Y, b.address(0, 1), b.convert(wide, f32))
    with pytest.raises(UnsupportedError, match="U310"):
        emit(finish(b))
    with pytest.raises(UnsupportedError, match="U310"):
        emit_for(mapped("neg", bf16), replace(METAL, dtypes=METAL.dtypes - {bf16}))


def test_more_arguments_than_indices_are_refused():
    def with_scalars(count):
        scalars = [ScalarParameter(f"s{k}", i64) for k in range(count)]
        b = Builder(32)
        b.store(Y, b.address(0), b.const(1.0, f32))
        return finish(b, scalars=scalars)

    assert check(emit(with_scalars(29)).text) == []
    with pytest.raises(UnsupportedError, match="U312"):
        emit(with_scalars(30))


def test_a_subgroup_is_a_simd_group():
    with pytest.raises(UnsupportedError, match="U301"):
        emit(MachineKernel("k", 16, 1, 1, (), (), (), (), Builder(16).block()))


def test_flags_are_bools_in_memory():
    flags = Buffer("flags", bool_, True)
    b = Builder(32)
    some = b.compute("gt", b.load(X, b.address(0, 1)), b.const(0.0, f32))
    b.store(flags, b.address(0, 1), b.shuffle(some, 1))
    text = emit(finish(b, (X, flags))).text
    assert re.search(r"simd_shuffle_xor\(\(ushort\)v\d+, 1\) != 0;", text)
    assert check(text) == []


def test_values_move_up_the_lanes():
    flags, y = Buffer("flags", bool_, True), Buffer("y", f32, True)
    b = Builder(32)
    value = b.load(X, b.address(0, 1))
    some = b.compute("gt", value, b.const(0.0, f32))
    b.store(flags, b.address(0, 1), b.shuffle_up(some, 4))
    b.store(y, b.address(0, 1), b.shuffle_up(value, 16))
    b.store(y, b.address(32), b.read_lane(value, 31))
    text = emit(finish(b, (X, flags, y))).text
    assert re.search(r"simd_shuffle_up\(\(ushort\)v\d+, 4\) != 0;", text)
    assert re.search(r"simd_shuffle_up\(v\d+, 16\);", text)
    assert re.search(r"simd_broadcast\(v\d+, 31\);", text)
    assert check(text) == []
