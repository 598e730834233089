"""CUDA text: every operation is printed, everything printed compiles, and vectors form."""

import re
from dataclasses import replace
from itertools import product

import pytest

from certile.codegen.cuda.emit import TABLE
from certile.codegen.cuda.emit import emit as emit_for
from certile.codegen.cuda.prelude import HELPERS
from certile.codegen.cuda.types import literal
from certile.codegen.table import Table
from certile.diagnostics import InternalError, UnsupportedError
from certile.ir.dtypes import ALL, BY_NAME, bf16, bool_, f16, f32, i8, i32, i64
from certile.ir.functions import FUNCTIONS
from certile.ir.machine import (
    Barrier,
    Buffer,
    Load,
    MachineKernel,
    Operation,
    PrivateArray,
    ScalarParameter,
    SharedArray,
)
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90

N = ScalarParameter("n", i64)


def finish(b, buffers, arrays=(), shared=(), scalars=(N,), **options):
    kernel = MachineKernel(
        "k",
        b.lanes,
        b.subgroups,
        1,
        tuple(buffers),
        tuple(scalars),
        tuple(arrays),
        tuple(shared),
        b.block(),
        **options,
    )
    return check_machine(kernel)


def emit(kernel):
    return emit_for(kernel, CUDA_SM90)


def ptx(kernel):
    return compile_cuda(emit(kernel), form="ptx").decode()


def test_every_operation_is_printed():
    assert TABLE.missing() == frozenset()


def test_an_operation_without_an_entry_is_a_fault():
    partial = Table("partial")
    partial.on(Barrier)(lambda emitter, operation: None)
    assert Barrier not in partial.missing()
    assert Load in partial.missing()
    with pytest.raises(InternalError):
        partial.emit(None, Operation())


def every_function(dtype):
    """A kernel that applies each function of the table that `dtype` has."""
    y = Buffer("y", dtype, True)
    flags = Buffer("flags", bool_, True)
    b = Builder(32)
    x = b.load(y, b.address(0, 1))
    other = b.load(y, b.address(32, 1))
    place = 64
    for function in FUNCTIONS.values():
        if function.rule == "float" and not dtype.is_float:
            continue
        if function.name.startswith("is") and not dtype.is_float:
            continue
        if function.rule == "integer" and dtype.is_float:
            continue
        args = [x, other, x][: function.arity]
        if function.rule == "select":
            args = [b.lt(x, other), x, other]
        result = b.compute(function.name, *args)
        target = flags if function.rule == "bool" else y
        b.store(target, b.address(place, 1), result)
        place += 32
    return finish(b, (y, flags))


@pytest.mark.parametrize("dtype", [t for t in ALL if t != bool_], ids=str)
def test_every_function_of_every_type_compiles(dtype):
    assert ".entry k(" in ptx(every_function(dtype))


def test_fast_math_takes_the_approximations_and_precise_math_does_not():
    precise, fast = every_function(f32), replace(every_function(f32), math="fast")
    assert "__expf(" in emit(fast).text
    assert "__expf(" not in emit(precise).text
    assert "__expf(" not in emit(replace(fast, precise_math=True)).text
    assert ".entry k(" in ptx(fast)
    assert not emit(fast).requires_precise_math


def test_every_conversion_compiles():
    pairs = [(a, c) for a, c in product(ALL, ALL) if a != c]
    buffers = {dtype: Buffer(str(dtype), dtype, True) for dtype in ALL}
    b = Builder(32)
    for count, (source, target) in enumerate(pairs):
        x = b.load(buffers[source], b.address(0, 1))
        b.store(buffers[target], b.address(32 * (count + 1), 1), b.convert(x, target))
    assert ".entry k(" in ptx(finish(b, buffers.values()))


def test_every_reinterpretation_compiles():
    buffers = {dtype: Buffer(str(dtype), dtype, True) for dtype in ALL}
    b = Builder(32)
    place = 0
    for source, target in product(ALL, ALL):
        if source == target or source.bits != target.bits or bool_ in (source, target):
            continue
        place += 32
        x = b.load(buffers[source], b.address(0, 1))
        b.store(buffers[target], b.address(place, 1), b.reinterpret(x, target))
    assert ".entry k(" in ptx(finish(b, buffers.values()))


@pytest.mark.parametrize("dtype", [t for t in ALL if t != bool_], ids=str)
def test_every_collective_compiles(dtype):
    y = Buffer("y", dtype, True)
    b = Builder(32)
    x = b.load(y, b.address(0, 1))
    for place, fn in enumerate(("add", "mul", "maximum", "minimum")):
        b.store(y, b.address(32 + place), b.collective(fn, x))
    b.store(y, b.address(64, 1), b.shuffle(x, 5))
    b.store(y, b.address(96), b.first_lane(x))
    b.store(y, b.address(128, 1), b.shuffle_up(x, 3))
    b.store(y, b.address(98), b.read_lane(x, 31))
    some = b.collective("any", b.lt(x, b.shuffle(x, 1)))
    b.if_(some, lambda: b.store(y, b.address(97), b.first_lane(x)))
    assert ".entry k(" in ptx(finish(b, (y,)))


def streams(dtype, width, alignment, *, streaming=False):
    """Each lane doubles `width` consecutive elements of four chunks."""
    x, y = Buffer("x", dtype, False, alignment), Buffer("y", dtype, True, alignment)
    b = Builder(32)
    row = b.mul(b.group(), 4096)

    def body(chunk, params):
        for v in range(width):
            base = b.add(b.add(row, b.mul(chunk, 32 * width)), v)
            address = b.address(base, width)
            leaf = b.load(x, address)
            b.store(y, address, b.compute("add", leaf, leaf), streaming=streaming)
        return []

    b.for_(0, 4, 1, [], body)
    return ptx(finish(b, (x, y)))


def accesses(text):
    """The kinds of global accesses in PTX, caching included."""
    return set(re.findall(r"(?:ld|st)\.global\S*", text))


@pytest.mark.parametrize(
    ("dtype", "width", "vector"),
    [(f32, 4, r"v4\.\w32"), (f32, 2, r"v2\.\w32"), (bf16, 8, r"v4\.u32"), (i8, 4, "u32")],
)
@pytest.mark.parametrize("streaming", [False, True])
def test_consecutive_elements_make_vector_accesses(dtype, width, vector, streaming):
    used = accesses(streams(dtype, width, 16, streaming=streaming))
    assert len(used) == 2
    assert all(
        re.search(rf"(ld\.global|ld\.global\.nc|st\.global\.\w\w)\.{vector}", u) for u in used
    )
    assert any(".cs." in access for access in used) is streaming


def test_an_upper_half_of_a_word_is_a_float_by_one_instruction():
    text = streams(bf16, 4, 16)
    upper = re.findall(r"and\.b32\s+%r\d+, %r\d+, -65536;", text)
    # Four chunks, each of two words.
    assert len(upper) == 8


def test_no_vector_without_a_proof_of_alignment():
    assert not [access for access in accesses(streams(f32, 4, 4)) if ".v" in access]


def test_a_masked_pack_has_one_mask():
    x, y = Buffer("x", f32, False, 16), Buffer("y", f32, True, 16)
    b = Builder(32)
    first = b.mul(b.convert(b.lane(), i64), 4)
    for v in range(4):
        mask = b.lt(b.add(first, v), 100)
        b.store(y, b.address(v, 4), b.load(x, b.address(v, 4), mask, -1.0), mask)
    text = ptx(finish(b, (x, y)))
    assert all(".v4." in access for access in accesses(text))
    assert len(re.findall(r"setp", text)) == 1


def test_a_store_between_keeps_loads_apart():
    y = Buffer("y", f32, True, 16)
    b = Builder(32)
    for v in range(4):
        b.store(y, b.address(v, 4), b.compute("neg", b.load(y, b.address(v, 4))))
    assert not [access for access in accesses(ptx(finish(b, (y,)))) if ".v" in access]


def test_nothing_is_contracted():
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    b = Builder(32)
    a = b.load(x, b.address(0, 1))
    product_ = b.compute("mul", a, a)
    b.store(y, b.address(0, 1), b.compute("add", product_, a))
    assert "fma" not in ptx(finish(b, (x, y)))


def test_slots_stay_in_registers():
    x, y = Buffer("x", f32, False), Buffer("y", f32, True)
    stripe = PrivateArray("stripe", f32, 16)
    b = Builder(32)

    def fill(slot, params):
        value = b.load(x, b.address(b.mul(slot, 32), 1))
        b.array_store(stripe, slot, value)
        return [b.compute("add", params[0], value)]

    (total,) = b.for_(0, 16, 1, [b.const(0.0, f32)], fill, varying=True)
    total = b.collective("add", total)

    def drain(slot, params):
        scaled = b.compute("div", b.array_load(stripe, slot), total)
        b.store(y, b.address(b.mul(slot, 32), 1), scaled)
        return []

    b.for_(0, 16, 1, [], drain)
    assert ".local" not in ptx(finish(b, (x, y), (stripe,)))


def test_carried_values_swap():
    y = Buffer("y", f32, True)
    b = Builder(32)
    inits = [b.const(1.0, f32), b.const(2.0, f32)]
    n = b.parameter(N)
    first, second = b.for_(0, n, 1, inits, lambda i, p: [p[1], p[0]])
    b.store(y, b.address(0), first)
    b.store(y, b.address(1), second)
    text = emit(finish(b, (y,))).text
    saved = re.search(r"const float (\w+_before_1) = (v\d+);\n\s+\2 = (v\d+);\n\s+\3 = \1;", text)
    assert saved, text


def test_threads_of_a_warp_are_ordered_where_they_meet():
    y = Buffer("y", f32, True)
    b = Builder(32)
    x = b.load(y, b.address(0))
    b.store(y, b.address(0), b.compute("add", x, x))
    text = emit(finish(b, (y,))).text
    assert text.index("__syncwarp();") < text.index("if (lane == 0) p_y[0]")
    alone = Builder(32)
    alone.store(y, alone.address(0), alone.const(1.0, f32))
    assert "__syncwarp" not in emit(finish(alone, (y,))).text


def test_masked_reads_are_lazy():
    x, y = Buffer("x", bf16, False), Buffer("y", f32, True)
    b = Builder(32, 2)
    mask = b.lt(b.convert(b.lane(), i64), b.parameter(N))
    value = b.load(x, b.address(0, 1), mask, 0.0)
    b.store(y, b.address(0, 1), b.convert(value, f32), mask)
    text = emit(finish(b, (x, y))).text
    assert re.search(r"= v\d+ \? bf16_load\(p_x\[lane\]\) : 0\.0f;", text)
    assert re.search(r"if \(v\d+\) p_y\[lane\] = v\d+;", text)


def test_only_helpers_in_use_are_printed():
    y = Buffer("y", f32, True)
    b = Builder(32)
    b.store(y, b.address(0), b.const(1.0, f32))
    text = emit(finish(b, (y,))).text
    assert not [name for name in HELPERS if name in text]
    assert text.startswith('extern "C" __global__ void __launch_bounds__(32) k(')


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (0.1, "f64", "0.1"),
        (-0.0, "f32", "(-0.0f)"),
        (float("inf"), "f32", "__uint_as_float(0x7f800000U)"),
        (float("-inf"), "f64", "__longlong_as_double(-4503599627370496LL)"),
        (-(2**63), "i64", "(-9223372036854775807LL - 1)"),
        (2**64 - 1, "u64", "18446744073709551615ULL"),
        (-5, "i8", "(signed char)-5"),
        (True, "bool", "true"),
        (1e20, "f32", "1e+20f"),
    ],
)
def test_constants(value, dtype, text):
    assert literal(value, BY_NAME[dtype]) == text


def test_text_is_deterministic():
    assert emit(every_function(f16)) == emit(every_function(f16))
    assert emit(every_function(f16)).fingerprint != emit(every_function(bf16)).fingerprint


def test_a_subgroup_is_a_warp():
    with pytest.raises(UnsupportedError, match="U301"):
        emit(MachineKernel("k", 16, 1, 1, (), (), (), (), Builder(16).block()))


def test_text_that_does_not_compile_is_our_fault():
    artifact = replace(emit(every_function(i32)), text="void k( {")
    with pytest.raises(InternalError, match="M012"):
        compile_cuda(artifact)


def test_shared_memory_and_barriers():
    y = Buffer("y", i8, True)
    part = SharedArray("part", i8, 2)
    b = Builder(32, 2)
    x = b.load(y, b.address(b.mul(b.convert(b.subgroup(), i64), 32), 1))
    b.shared_store(part, b.subgroup(), b.collective("add", x))
    b.barrier()
    total = b.shared_load(part, b.lane(), b.lt(b.lane(), 2), 0)
    b.store(y, b.address(100), b.collective("add", total))
    kernel = finish(b, (y,), shared=(part,))
    artifact = emit(kernel)
    assert artifact.threads == 64
    assert artifact.shared_bytes == 2
    assert "bar.sync" in ptx(kernel)
