"""CUDA on a GPU does what the machine interpreter says, function by function and bit by bit."""

import numpy as np
import pytest

from certile.codegen.cuda.emit import emit
from certile.ir.dtypes import ALL, bool_, f16, f32, f64, i64
from certile.ir.functions import FUNCTIONS
from certile.ir.machine import Buffer, MachineKernel, ScalarParameter, SharedArray
from certile.ir.machine.build import Builder
from certile.ir.machine.verify import check_machine
from certile.reference.machine import run_machine
from certile.reference.machine_numeric import storage
from certile.targets.cuda import CUDA_SM90

pytestmark = pytest.mark.gpu

N = ScalarParameter("n", i64)
NUMBERS = [dtype for dtype in ALL if dtype != bool_]
EXACT = [f for f in FUNCTIONS.values() if f.ulp is None and f.rule in ("same", "float")]
INEXACT = [f for f in FUNCTIONS.values() if f.ulp is not None]


def launch(kernel, arrays, scalars, programs):
    """Run a kernel on the GPU; arrays change in place."""
    import torch

    from certile.runtime.cuda.device import CudaKernel, architecture
    from certile.runtime.cuda.toolchain import compile_cuda

    moved = {k: torch.from_numpy(v.view(np.uint8).copy()).cuda() for k, v in arrays.items()}
    artifact = emit(kernel, CUDA_SM90)
    loaded = CudaKernel(artifact, compile_cuda(artifact, architecture()))
    addresses = [moved[buffer.name].data_ptr() for buffer in kernel.buffers]
    values = [scalars[scalar.name] for scalar in kernel.scalars]
    loaded.launch(addresses, values, programs)
    torch.cuda.synchronize()
    for name, array in arrays.items():
        array.view(np.uint8)[:] = moved[name].cpu().numpy()


def values(dtype, count, seed):
    """Special values, then random ones of every magnitude."""
    rng = np.random.default_rng(seed)
    if not dtype.is_float:
        limits = np.iinfo(storage(dtype))
        special = [0, 1, 2, 3, 7, limits.max, limits.min, limits.max - 1, limits.min + 1]
        special += [-1, -2, -7] if limits.min < 0 else []
        drawn = rng.integers(limits.min, limits.max, count, storage(dtype), endpoint=True)
        small = rng.integers(0, 40, count).astype(storage(dtype))
        drawn = np.where(rng.random(count) < 0.5, drawn, small)
    else:
        tiny = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 2.0**-1074}
        special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5]
        special += [tiny[dtype.name], -3 * tiny[dtype.name], 6e4, 3.0, 88.0, -104.0, 20.0, 1e-3]
        reach = {"f16": 12, "bf16": 40, "f32": 60, "f64": 200}[dtype.name]
        drawn = rng.standard_normal(count) * 2.0 ** rng.integers(-reach, reach // 2, count)
    pairs = [(a, b) for a in special for b in special][:count]
    with np.errstate(all="ignore"):
        drawn[: len(pairs)] = [pair[seed % 2] for pair in pairs]
        return drawn.astype(storage(dtype))


def applied(build, inputs, target):
    """`build(builder, *values)` element by element, on the GPU and interpreted."""
    count = inputs[0][1].size
    views = [Buffer(f"x{i}", dtype, False) for i, (dtype, _) in enumerate(inputs)]
    y = Buffer("y", target, True)
    b = Builder(32)
    base = b.mul(b.group(), 32)
    mask = b.lt(b.add(base, b.convert(b.lane(), i64)), b.parameter(N))
    address = b.address(base, 1)
    loaded = [b.load(view, address, mask, 0.0 if view.dtype.is_float else 0) for view in views]
    b.store(y, address, build(b, *loaded), mask)
    buffers = (*views, y)
    kernel = MachineKernel("k", 32, 1, 1, buffers, (N,), (), (), b.block())
    check_machine(kernel)
    arrays = {view.name: array for view, (_, array) in zip(views, inputs, strict=True)}
    made = np.zeros(count, storage(target))
    meant = np.zeros(count, storage(target))
    programs = -(-count // 32)
    launch(kernel, {**arrays, "y": made}, {"n": count}, programs)
    assert run_machine(kernel, {**arrays, "y": meant}, {"n": count}, programs).ok
    return made, meant


def same(made, meant):
    """Equal, zeros and NaN counting as equal."""
    with np.errstate(all="ignore"):
        equal = (made == meant) | ((made != made) & (meant != meant))
    return np.flatnonzero(~equal)


def has(function, dtype):
    if dtype.is_float:
        return function.rule != "integer"
    return function.rule != "float"


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_exact_functions(dtype):
    wrong = {}
    integer = [f for f in FUNCTIONS.values() if f.rule == "integer"]
    for function in [*EXACT, *integer]:
        if not has(function, dtype):
            continue
        inputs = [(dtype, values(dtype, 1024, seed)) for seed in range(function.arity)]
        if function.name == "scale2":
            powers = np.random.default_rng(5).integers(-160, 160, 1024)
            inputs[1] = (dtype, powers.astype(storage(dtype)))
        made, meant = applied(lambda b, *x, fn=function.name: b.compute(fn, *x), inputs, dtype)
        if (bad := same(made, meant)).size:
            at = bad[0]
            operands = [array[at] for _, array in inputs]
            wrong[function.name] = (bad.size, operands, made[at], meant[at])
    assert not wrong


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_comparisons_and_tests(dtype):
    tests = [f for f in FUNCTIONS.values() if f.rule == "bool"]
    for function in tests:
        if function.name.startswith("is") and not dtype.is_float:
            continue
        inputs = [(dtype, values(dtype, 1024, seed)) for seed in range(function.arity)]
        made, meant = applied(lambda b, *x, fn=function.name: b.compute(fn, *x), inputs, bool_)
        assert not same(made, meant).size, function.name


@pytest.mark.parametrize("dtype", [f32, f64], ids=str)
def test_inexact_functions_keep_their_bound(dtype):
    wrong = {}
    for function in INEXACT:
        inputs = [(dtype, values(dtype, 4096, seed)) for seed in range(function.arity)]
        made, meant = applied(lambda b, *x, fn=function.name: b.compute(fn, *x), inputs, dtype)
        with np.errstate(all="ignore"):
            step = np.spacing(np.abs(meant).astype(storage(dtype)))
            off = np.abs(made.astype(np.float64) - meant) / step
        finite = np.isfinite(meant)
        # The interpreter's own value is within half a unit (f64: one) of the exact one.
        worst = off[finite].max()
        if worst > function.ulp + 1 or same(made[~finite], meant[~finite]).size:
            at = np.flatnonzero(finite)[off[finite].argmax()]
            operands = [array[at] for _, array in inputs]
            wrong[function.name] = (worst, operands, made[at], meant[at])
    assert not wrong


@pytest.mark.parametrize("source", NUMBERS, ids=str)
def test_conversions(source):
    for target in ALL:
        if target == source:
            continue
        inputs = [(source, values(source, 2048, 0))]
        made, meant = applied(lambda b, x, to=target: b.convert(x, to), inputs, target)
        bad = same(made, meant)
        assert not bad.size, (target, inputs[0][1][bad[0]], made[bad[0]], meant[bad[0]])


def test_every_half_is_read_and_written():
    bits = np.arange(2**16, dtype=np.uint16)
    made, meant = applied(lambda b, x: b.convert(x, f32), [(f16, bits.view(np.float16))], f32)
    assert not same(made, meant).size


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
@pytest.mark.parametrize("fn", ["add", "mul", "maximum", "minimum"])
def test_collectives_and_shared_memory(dtype, fn):
    x, y = Buffer("x", dtype, False), Buffer("y", dtype, True)
    part = SharedArray("part", dtype, 4)
    b = Builder(32, 4)
    own = b.mul(b.convert(b.subgroup(), i64), 32)
    first = b.mul(b.group(), 128)
    total = b.collective(fn, b.load(x, b.address(b.add(first, own), 1)))
    b.shared_store(part, b.subgroup(), total)
    b.barrier()
    fill = {"add": 0, "mul": 1}.get(fn)
    partial = b.shared_load(part, b.mod(b.lane(), 4))
    if fill is not None:
        partial = b.select(b.lt(b.lane(), 4), partial, float(fill) if dtype.is_float else fill)
    b.if_(
        b.eq(b.subgroup(), 0),
        lambda: b.store(y, b.address(b.group()), b.collective(fn, partial)),
    )
    kernel = MachineKernel("k", 32, 4, 1, (x, y), (), (), (part,), b.block())
    data = values(dtype, 128 * 8, 0)
    if fn in ("add", "mul") and dtype.is_float:
        # Exact whatever the order.
        data = np.random.default_rng(1).choice([-1.0, 1.0], data.size).astype(storage(dtype))
    made, meant = np.zeros(8, storage(dtype)), np.zeros(8, storage(dtype))
    launch(check_machine(kernel), {"x": data, "y": made}, {}, 8)
    assert run_machine(kernel, {"x": data, "y": meant}, {}, 8).ok
    assert not same(made, meant).size, (made, meant)
