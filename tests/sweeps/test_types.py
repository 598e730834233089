"""Every dtype end to end: loads, operators, reductions by every law, numbers, stores.

Oracles are NumPy's operations in the dtype itself, and float64 for laws of real numbers.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import certile as ct
from certile.frontend.signature import KernelSignature
from certile.frontend.spec import KernelSpec
from certile.frontend.trace import trace
from certile.ir.dtypes import ALL, BY_NAME
from certile.ir.host import ViewFacts
from certile.ir.walk import specialise
from certile.pipeline import compile_program
from certile.runtime.cuda.toolchain import compile_cuda
from certile.targets.cuda import CUDA_SM90
from certile.targets.metal import METAL
from tests.cases.everywhere import plain
from tests.sweeps.conversions import STORAGE
from tests.sweeps.promotion import is_float

NAMES = tuple(dtype.name for dtype in ALL)
INTEGERS = tuple(name for name in NAMES if name[0] in "iu")
ROWS, COLS = 3, 37


def targets(name):
    return ("cpu", "reference") if name == "f64" else ("cpu", "reference", "metal-sim")


def numbers(name, seed=0):
    """A few small values of a dtype, with the ends of its range; no zero."""
    random = np.random.default_rng(seed)
    if name == "bool":
        return random.integers(0, 2, (ROWS, COLS)) > 0
    values = random.integers(1, 12, (ROWS, COLS))
    if name[0] != "u":
        values *= random.choice([-1, 1], (ROWS, COLS))
    made = values.astype(STORAGE[name])
    if name in INTEGERS:
        limits = np.iinfo(made.dtype)
        made[0, :4] = [limits.min, limits.max, limits.max - 1, limits.max // 2]
    return made


# Element-wise.

ARITHMETIC = (
    (lambda a, b: a + b, np.add),
    (lambda a, b: a - b, np.subtract),
    (lambda a, b: a * b, np.multiply),
    (lambda a, b: a // b, np.floor_divide),
    (lambda a, b: a % b, np.mod),
    (lambda a, b: -a, lambda a, b: -a),
    (lambda a, b: ct.abs(a), lambda a, b: np.abs(a)),
    (lambda a, b: ct.sign(a), lambda a, b: np.sign(a)),
)
CHOICES = (
    (ct.maximum, np.maximum),
    (ct.minimum, np.minimum),
    (lambda a, b: ct.where(a < b, a, b), lambda a, b: np.where(a < b, a, b)),
)
BITS = (
    (lambda a, b: a & b, np.bitwise_and),
    (lambda a, b: a | b, np.bitwise_or),
    (lambda a, b: a ^ b, np.bitwise_xor),
    (lambda a, b: ~a, lambda a, b: np.invert(a)),
)
FLAGS = (
    (lambda a, b: a < b, np.less),
    (lambda a, b: a <= b, np.less_equal),
    (lambda a, b: a > b, np.greater),
    (lambda a, b: a >= b, np.greater_equal),
    (lambda a, b: a == b, np.equal),
    (lambda a, b: a != b, np.not_equal),
)


def elementwise(name):
    """The functions of a dtype whose results have it."""
    if name == "bool":
        return (*CHOICES, *BITS)
    return (*ARITHMETIC, *CHOICES, *(() if is_float(name) else BITS))


@ct.tile_kernel
def mapped(x, w, y, flags, number):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        a, b = x[r, cols], w[r, cols]
        for k, (function, _) in enumerate(elementwise(x.dtype.name)):
            y[k, r, cols] = function(a, b)
        y[k + 1, r, cols] = ct.maximum(a, number)
        for k, (function, _) in enumerate(FLAGS):
            flags[k, r, cols] = function(a, b)


@pytest.mark.parametrize("name", NAMES)
def test_operators(name):
    x, w = numbers(name), numbers(name, 1)
    number = STORAGE[name].type(1)
    functions = elementwise(name)
    with np.errstate(all="ignore"):
        wanted = np.stack([f(x, w).astype(x.dtype) for _, f in functions] + [np.maximum(x, number)])
    for target in targets(name):
        y = np.zeros((len(functions) + 1, ROWS, COLS), x.dtype)
        flags = np.zeros((len(FLAGS), ROWS, COLS), np.bool_)
        with ct.target(target):
            mapped(x, w, y, flags, number)
        for k in range(len(y)):
            assert plain(y[k].astype(np.float64)) == plain(wanted[k].astype(np.float64)), (
                target,
                k,
            )
        assert (flags == [f(x, w) for _, f in FLAGS]).all(), target


@ct.tile_kernel
def shifted(x, counts, left, right):
    rows, many = ct.axis("rows", x.shape[0]), ct.axis("many", counts.shape[0])
    for r in ct.parallel(rows):
        left[r, many] = x[r] << counts[many]
        right[r, many] = x[r] >> counts[many]


@pytest.mark.parametrize("name", INTEGERS)
def test_shifts_past_the_width_leave_the_sign(name):
    bits, x = STORAGE[name].itemsize * 8, numbers(name).reshape(-1)
    counts = np.array([0, 1, bits - 1, bits, bits + 1, 100], x.dtype)
    for target in targets(name):
        left, right = (np.zeros((len(x), len(counts)), x.dtype) for _ in range(2))
        with ct.target(target):
            shifted(x, counts, left, right)
        for value, lefts, rights in zip(x.tolist(), left, right, strict=True):
            wide = [(value << n) & (2**bits - 1) for n in counts.tolist()]
            assert (lefts == np.array(wide, f"u{bits // 8}").view(x.dtype)).all()
            assert rights.tolist() == [value >> n for n in counts.tolist()]


# Reductions.

TOTALS = (
    (ct.add, np.add.reduce),
    (ct.mul, np.multiply.reduce),
    (ct.maximum, np.maximum.reduce),
    (ct.minimum, np.minimum.reduce),
    (ct.fmax, np.fmax.reduce),
    (ct.fmin, np.fmin.reduce),
    (ct.absmax, lambda x, axis: np.abs(x).max(axis=axis)),
)
INDICES = ((ct.argmax, np.argmax), (ct.argmin, np.argmin))
CONDITIONS = ((ct.all, np.all), (ct.any, np.any))
ACCUMULATORS = {"f64": "f64", "i64": "i64", "u64": "u64", "u8": "u32", "u16": "u32", "u32": "u32"}


@ct.tile_kernel
def reduced(x, totals, indices, conditions, reals):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        v = x[r, cols]
        for k, (law, _) in enumerate(TOTALS):
            totals[k, r] = ct.reduce(v, cols, law)
        for k, (law, _) in enumerate(INDICES):
            indices[k, r] = ct.reduce(v, cols, law)
        for k, (law, _) in enumerate(CONDITIONS):
            conditions[k, r] = ct.reduce(v, cols, law)
        reals[0, r], reals[1, r] = ct.reduce(v, cols, ct.mean_var)
        reals[2, r] = ct.reduce(v, cols, ct.logsumexp)
        reals[3, r] = ct.reduce((v, v), cols, ct.softmax_sum)


def leaves(name):
    """Rows whose product is exact; one has a zero, and one is all zeros."""
    if name == "bool":
        made = np.zeros((ROWS, COLS), np.bool_)
        made[0], made[1, 5] = True, True
        return made
    random = np.random.default_rng(3)
    made = np.ones((ROWS, COLS), np.int64)
    made[:, ::5] = random.integers(1, 4, made[:, ::5].shape)
    made[:, 3::9] *= 1 if name[0] == "u" else -1
    made[1, 7], made[2] = 0, 0
    return made.astype(STORAGE[name])


def assert_reduced(name, target, x, made):
    totals, indices, conditions, reals = made
    acc = STORAGE[ACCUMULATORS.get(name, "f32" if is_float(name) else "i32")]
    for k, (_, law) in enumerate(TOTALS):
        wanted = law(x.astype(acc), axis=1)
        assert plain(totals[k]) == plain(wanted.astype(totals.dtype)), (target, k)
    assert (indices == [f(x.astype(acc), axis=1) for _, f in INDICES]).all(), target
    assert (conditions == [f(x != 0, axis=1) for _, f in CONDITIONS]).all(), target
    wide = x.astype(np.float64)
    weights = np.exp(wide - wide.max(axis=1, keepdims=True))
    lse = np.log(np.exp(wide).sum(axis=1))
    weighted = (weights * wide).sum(axis=1) / weights.sum(axis=1)
    wanted = [wide.mean(axis=1), wide.var(axis=1), lse, weighted]
    tolerance = 1e-14 if name == "f64" else 2e-6
    np.testing.assert_allclose(reals, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", NAMES)
def test_every_law(name):
    x = leaves(name)
    acc = STORAGE[ACCUMULATORS.get(name, "f32" if is_float(name) else "i32")]
    # Simulated texts take a while to compile; these have all kinds and widths.
    simulated = name in ("bool", "i8", "u64", "bf16")
    for target in targets(name) if simulated else ("cpu", "reference"):
        made = (
            np.zeros((len(TOTALS), ROWS), acc),
            np.zeros((len(INDICES), ROWS), np.int64),
            np.zeros((len(CONDITIONS), ROWS), np.bool_),
            np.zeros((4, ROWS), np.float64 if name == "f64" else np.float32),
        )
        with ct.target(target):
            reduced(x, *made)
        assert_reduced(name, target, x, made)


# Texts.


def compiled(kernel, described, shapes, sheet):
    """The launches of a kernel for arguments of these dtypes, contiguous and 4-byte aligned."""
    signature = KernelSignature(kernel)
    values = [np.float32(1) if each is None else object() for each in described]
    named = [None if each is None else (BY_NAME[each[0]], each[1]) for each in described]
    traced = trace(kernel, KernelSpec(signature.specs(values, named)), shapes)
    fixed = specialise(traced.kernel, shapes)
    facts = {v.name: ViewFacts((*(None,) * (v.rank - 1), 1)[: v.rank], 8) for v in fixed.views}
    return compile_program(fixed, facts, [ROWS], sheet).launches


@pytest.mark.parametrize("name", NAMES)
def test_cuda_compiles(name):
    acc = ACCUMULATORS.get(name, "f32" if is_float(name) else "i32")
    real = "f64" if name == "f64" else "f32"
    described = [(name, 2), (acc, 2), ("i64", 2), ("bool", 2), (real, 2)]
    signature = KernelSignature(reduced.function)
    extents = [(ROWS, COLS), (7, ROWS), (2, ROWS), (2, ROWS), (4, ROWS)]
    shapes = dict(zip(signature.names, extents, strict=True))
    for launch in compiled(reduced.function, described, shapes, CUDA_SM90):
        assert b".entry" in compile_cuda(launch.artifact, form="ptx")


@ct.tile_kernel
def stored(x, y):
    rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
    for r in ct.parallel(rows):
        y[r, cols] = ct.cast(x[r, cols], y.dtype)


def text_of(sheet, source, target):
    """The one launch of a conversion of rows."""
    shapes = {"x": (ROWS, COLS), "y": (ROWS, COLS)}
    (launch,) = compiled(stored.function, [(source, 2), (target, 2)], shapes, sheet)
    return launch.artifact


@pytest.mark.parametrize("name", ["f8e4m3", "f8e5m2"])
def test_texts_hold_8_bit_floats_as_bytes(name):
    for source, target in ((name, "f32"), ("f64", name)):
        assert b".entry" in compile_cuda(text_of(CUDA_SM90, source, target), form="ptx")
    assert "uchar* p_x" in text_of(METAL, name, "f32").text
    assert "uchar* p_y" in text_of(METAL, "f16", name).text


@pytest.mark.parametrize(("sheet", "byte"), [(METAL, "uchar"), (CUDA_SM90, "unsigned char")])
def test_texts_read_and_write_bools_as_bytes(sheet, byte):
    text = text_of(sheet, "bool", "bool").text
    assert "bool*" not in text
    assert f"const {byte}*" in text
    assert " != 0)" in text


@pytest.mark.parametrize(("sheet", "index"), [(METAL, "long"), (CUDA_SM90, "long long")])
def test_texts_index_with_64_bits(sheet, index):
    """A row's offset is a product of 64-bit numbers: the group, and a stride that is passed."""
    text = text_of(sheet, "f32", "f32").text
    (group,) = re.findall(rf"const {index} (v\d+) = \({index}\)group;", text)
    assert re.search(rf"const {index} v\d+ = {group} \* n_x_stride0", text)
    assert re.search(rf"{index}&? (?:__restrict__ )?n_x_stride0", text)
