"""Element-wise functions and conversions through TVM: every one against the interpreter."""

import numpy as np
import pytest

import certile as ct
from certile import tirx
from certile.diagnostics import UnsupportedError
from certile.frontend.spec import Shaped
from certile.ir.dtypes import BY_NAME, f32, i64
from certile.ir.machine import (
    Address,
    Block,
    Buffer,
    Constant,
    Load,
    MachineKernel,
    MType,
    Store,
    Value,
)
from certile.reference import machine_numeric as numeric
from certile.reference.agrees import agrees
from certile.tirx.emitter import Arguments
from certile.tirx.threads import ThreadsEmitter
from tests.tirx.export_data import copied, simulated

COUNT = 83


@ct.tile_kernel
def divided(x: ct.View, z: ct.View, a: ct.View, b: ct.View):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        a[i] = x[i] // z[i]
        b[i] = x[i] % z[i]


@ct.tile_kernel
def shifted(x: ct.View, z: ct.View, a: ct.View, b: ct.View):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        a[i] = (ct.shl(x[i], z[i]) ^ ct.popcount(x[i])) + z[i] * x[i]
        b[i] = ct.shr(x[i], z[i]) - (ct.bit_not(x[i]) | ct.sign(z[i]))


@ct.tile_kernel
def compared(x: ct.View, z: ct.View, a: ct.View, b: ct.View):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        low, high = ct.minimum(x[i], z[i]), ct.maximum(x[i], z[i])
        less = (x[i] < z[i]) ^ (x[i] >= low)
        a[i] = ct.where(less, ct.abs(low), high)
        b[i] = ct.where((x[i] == z[i]) | (low != x[i]), ct.neg(high), low)


@ct.tile_kernel
def rounded(x: ct.View, z: ct.View, a: ct.View, b: ct.View):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        up, down = ct.ceil(x[i]) + ct.round(z[i]), ct.floor(x[i]) - ct.trunc(z[i])
        a[i] = ct.where(ct.isfinite(x[i]), up, ct.sign(x[i])) + ct.fmax(x[i], z[i])
        b[i] = ct.where(ct.isnan(x[i]) | ct.isinf(z[i]), 3.0, down) * ct.fmin(x[i], z[i])


@ct.tile_kernel
def transcendental(x: ct.View, z: ct.View, a: ct.View, b: ct.View):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        size = ct.abs(z[i]) + 0.5
        a[i] = ct.exp(x[i]) + ct.log(size) * ct.tanh(x[i]) + ct.erf(z[i])
        b[i] = ct.sqrt(size) + ct.rsqrt(size) + ct.sigmoid(x[i]) + ct.fma(x[i], z[i], size)


def values(dtype, seed):
    """Numbers of a dtype, special ones among them."""
    random = np.random.default_rng(seed)
    storage = numeric.storage(BY_NAME[dtype])
    if BY_NAME[dtype].is_float:
        made = (random.standard_normal(COUNT) * 8).astype(storage)
        special = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, 0.5, 2.5, -1.5)
        made[: len(special)] = np.roll(special, seed).astype(storage)
        return made
    info = np.iinfo(storage)
    made = random.integers(info.min, info.max, COUNT, dtype=storage, endpoint=True)
    made[1::3] = random.integers(0, 9, made[1::3].shape)
    made[:4] = np.roll(np.array([info.min, info.max, 0, 1], storage), seed)
    return made


def check(kernel, dtype, target):
    names = kernel.signature.names
    given = {name: values(dtype, seed) for seed, name in enumerate(names)}
    before = copied(given)
    exported = tirx.export(kernel, (COUNT,), target, dtypes=dtype, capability=True, noalias=True)
    if target == "llvm":
        exported.compile()(**given)
    else:
        assert simulated(exported, given) == []
    made = kernel.tile_ir({name: Shaped(BY_NAME[dtype], (COUNT,)) for name in names})
    agreement = agrees({name: given[name] for name in "ab"}, made, before)
    assert agreement.ok, agreement.worst


@pytest.mark.parametrize("target", ["llvm", "metal"])
@pytest.mark.parametrize("dtype", ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"])
@pytest.mark.parametrize("kernel", [divided, shifted, compared])
def test_integers(kernel, dtype, target):
    check(kernel, dtype, target)


# Metal has no f64.
FLOATS = [(dtype, target) for dtype in ("f16", "bf16", "f32") for target in ("llvm", "metal")]


@pytest.mark.parametrize(("dtype", "target"), [*FLOATS, ("f64", "llvm")])
@pytest.mark.parametrize("kernel", [compared, rounded, transcendental])
def test_floats(kernel, dtype, target):
    check(kernel, dtype, target)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_floored_division_of_floats(dtype):
    check(divided, dtype, "llvm")


@ct.tile_kernel
def converted(x: ct.View, y: ct.View):
    for i in ct.parallel(ct.axis("n", x.shape[0])):
        y[i] = ct.cast(x[i], y.dtype)


PAIRS = [
    *(("f32", to) for to in ("bool", "i8", "u8", "i32", "u32", "i64", "u64", "f16", "bf16")),
    *((of, to) for of in ("i32", "u32", "i64", "u64") for to in ("f16", "bf16", "f32", "i8")),
    *(("f16", "bf16"), ("bf16", "f16"), ("bf16", "i64"), ("i8", "f16"), ("u16", "bf16")),
]
WIDE = [("f64", to) for to in ("f16", "bf16", "f32", "i32", "u64", "bool")]


@pytest.mark.parametrize(("of", "to"), PAIRS)
def test_conversions_on_metal(of, to):
    convert(of, to, "metal")


@pytest.mark.parametrize(("of", "to"), [*PAIRS, *WIDE, ("i64", "f64"), ("f16", "f64")])
def test_conversions_on_llvm(of, to):
    convert(of, to, "llvm")


def convert(of, to, target):
    x = values(of, 0)
    given = {"x": x, "y": np.zeros(COUNT, numeric.storage(BY_NAME[to]))}
    before = copied(given)
    shapes = {"x": (COUNT,), "y": (COUNT,)}
    dtypes = {"x": of, "y": to}
    exported = tirx.export(converted, shapes, target, dtypes=dtypes, capability=True, noalias=True)
    if target == "llvm":
        exported.compile()(**given)
    else:
        assert simulated(exported, given) == []
    made = converted.tile_ir({n: Shaped(BY_NAME[dtypes[n]], (COUNT,)) for n in "xy"})
    agreement = agrees({"y": given["y"]}, made, before)
    assert agreement.ok, agreement.worst


@ct.tile_kernel
def in_place(x: ct.InOut, y: ct.View):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        x[r, cols] = x[r, cols] * 2.0
        y[r] = ct.reduce(x[r, cols], cols, ct.add)


def test_a_view_that_is_read_back():
    shapes = {"x": (3, 64), "y": (3,)}
    x, y = np.ones((3, 64), np.float32), np.zeros(3, np.float32)
    tirx.export(in_place, shapes, "llvm", noalias=True).compile()(x, y)
    assert (x == 2).all()
    assert (y == 128).all()


def test_the_order_that_metal_text_of_tvm_lacks():
    buffer = Buffer("x", f32, written=True, alignment=64)
    zero, lane = Value(MType(i64)), Value(MType(f32, True))
    body = Block(
        (
            Constant(zero, 0),
            Load(lane, buffer, Address(zero, 1)),
            Store(buffer, Address(zero, 1), lane),
        )
    )
    kernel = MachineKernel("meet", 32, 1, 1, (buffer,), (), (), (), body)
    for target in ("cuda", "metal"):
        arguments = Arguments(kernel, target, {buffer: 32}, {})
        emitter = ThreadsEmitter(kernel, target, arguments, 1)
        if target == "cuda":
            emitter.block(body)
            continue
        with pytest.raises(UnsupportedError) as caught:
            emitter.block(body)
        assert caught.value.diagnostic.code == "U321"
