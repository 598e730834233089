"""The interpreter against plain NumPy in float64, and on the values that break implementations."""

import math

import ml_dtypes
import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import bf16, bool_, f16, f32, f64, i8, i32, i64, u8
from certile.ir.laws import Component, Law
from certile.ir.terms import Var, app
from certile.reference import run
from tests import kernels

NUMPY = {
    bf16: ml_dtypes.bfloat16,
    f16: np.float16,
    f32: np.float32,
    f64: np.float64,
    bool_: np.bool_,
    i8: np.int8,
    i32: np.int32,
    i64: np.int64,
    u8: np.uint8,
}
INF, NAN = math.inf, math.nan
TOLERANCES = [(f32, 1e-6), (f64, 1e-14), (f16, 1e-3), (bf16, 8e-3)]


def rows(*shape, seed=0, dtype=f32):
    return np.random.default_rng(seed).normal(0, 2, shape).astype(NUMPY[dtype])


def call(kernel, out=None, **arguments):
    """Run a kernel whose output is y and return it."""
    dtype = next(v.dtype for v in kernel.views if v.name == "y")
    y = np.zeros(arguments["x"].shape if out is None else out, NUMPY[dtype])
    run(kernel, {**arguments, "y": y})
    return y


def reduced(kernel, values, dtype=f32):
    """Run y[r] = f(x[r, :]) on one row and return a Python number."""
    x = np.array([values]).astype(NUMPY[dtype])
    return call(kernel, (1,), x=x)[0].item()


def soft(x):
    x = x.astype(np.float64)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalised(x, eps=1e-5):
    x = x.astype(np.float64)
    off = x - x.mean(axis=1, keepdims=True)
    return off / np.sqrt((off * off).mean(axis=1, keepdims=True) + eps)


SIZES = [(1, 1), (3, 5), (7, 33), (2, 4097), (700, 3)]


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(f32, 1e-6), (f64, 1e-14), (f16, 1e-3), (bf16, 8e-3)]
)
def test_soft_maximum(shape, dtype, tolerance):
    x = rows(*shape, dtype=dtype)
    y = call(kernels.softmax(dtype), x=x)
    np.testing.assert_allclose(y.astype(np.float64), soft(x), rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("shape", SIZES)
def test_layer_normalisation(shape):
    x, r = rows(*shape), rows(*shape, seed=1)
    w, b = rows(shape[1], seed=2), rows(shape[1], seed=3)
    y = call(kernels.layer_norm(), x=x, weight=w, bias=b)
    np.testing.assert_allclose(y, normalised(x) * w + b, rtol=1e-4, atol=1e-5)
    y = call(kernels.residual_layer_norm(), x=x, residual=r, weight=w, bias=b)
    np.testing.assert_allclose(y, normalised(x + r) * w + b, rtol=1e-4, atol=1e-5)


def test_two_outputs():
    x, r = rows(3, 5), rows(3, 5, seed=1)
    h = np.zeros_like(x)
    kernel = kernels.layer_norm(weight=False, bias=False, residual=True, two_outputs=True)
    y = call(kernel, x=x, residual=r, h=h)
    np.testing.assert_array_equal(h, x + r)
    np.testing.assert_allclose(y, normalised(x + r), rtol=1e-5, atol=1e-6)


def test_root_mean_square():
    x, w = rows(3, 33), rows(33, seed=1)
    wide = x.astype(np.float64)
    expected = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + 1e-6) * w
    y = call(kernels.rms_norm(), x=x, weight=w)
    np.testing.assert_allclose(y, expected, rtol=1e-6)


def test_cross_entropy_and_labels_outside():
    x, labels = rows(5, 9), np.array([0, 8, 4, -1, 9])
    y = call(kernels.cross_entropy(), (5,), x=x, labels=labels)
    expected = -np.log(soft(x)[np.arange(3), labels[:3]])
    np.testing.assert_allclose(y[:3], expected, rtol=1e-6)
    assert np.isnan(y[3:]).all()


def test_minimum_and_maximum():
    x = rows(4, 7)
    low, high = np.zeros(4, np.float32), np.zeros(4, np.float32)
    run(kernels.min_max(), {"x": x, "low": low, "high": high})
    np.testing.assert_array_equal(low, x.min(axis=1))
    np.testing.assert_array_equal(high, x.max(axis=1))


def test_mean_and_variance():
    x = rows(4, 1001) + np.float32(1000)
    mean, var = np.zeros(4, np.float32), np.zeros(4, np.float32)
    for policy in ("unordered_tree", "ordered_tree", "reproducible", "fold_left", "fold_right"):
        run(kernels.mean_var(policy=policy), {"x": x, "mean": mean, "var": var})
        np.testing.assert_allclose(mean, x.mean(axis=1, dtype=np.float64), rtol=1e-6)
        np.testing.assert_allclose(var, x.var(axis=1, dtype=np.float64), rtol=2e-5)


def test_error_function_linear_unit():
    x = rows(3, 65)
    expected = [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in x.ravel().tolist()]
    y = call(kernels.gelu(), x=x)
    np.testing.assert_allclose(y.ravel(), expected, rtol=1e-5, atol=1e-7)


def test_in_place():
    x = rows(3, 5)
    before = x.copy()
    run(kernels.scale_in_place(), {"x": x, "factor": 0.5})
    np.testing.assert_array_equal(x, before * np.float32(0.5))


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_serial_sum_is_a_fold_in_f32(step):
    x = rows(3, 7)
    total = np.zeros(3, np.float32)
    for k in range(0, 7, step):
        total = total + x[:, k]
    np.testing.assert_array_equal(call(kernels.serial_sum(step=step), (3,), x=x), total)


def test_serial_loops_carry_rows_and_hold_reductions():
    x = rows(4, 3, 5)
    total = np.zeros((3, 5), np.float32)
    for plane in x:
        total = total + plane
    np.testing.assert_array_equal(call(kernels.serial_tile(), (3, 5), x=x), total)
    y = call(kernels.serial_reduction(), (3,), x=x)
    np.testing.assert_allclose(y, x.sum(axis=2, dtype=np.float64).max(axis=0), rtol=1e-6)


def test_a_loop_without_iterations_gives_its_start():
    assert (call(kernels.serial_sum(), (3,), x=rows(3, 0)) == 0).all()


def test_strides_of_any_kind():
    base = rows(10, 12)
    for x in (base[::2, ::-1], base.T, np.broadcast_to(base[0], (4, 12)), base[1:, 3:8]):
        y = np.zeros((x.shape[0] * 2, x.shape[1] * 3), np.float32)[::2, ::3]
        run(kernels.softmax(), {"x": x, "y": y})
        np.testing.assert_allclose(y, soft(x), rtol=1e-6)


def test_a_launch_of_no_programs_does_nothing():
    run(kernels.softmax(), {"x": rows(0, 5), "y": rows(0, 5)})


@pytest.mark.parametrize(
    ("law", "expected"),
    [
        (laws.ADD, 0.0),
        (laws.MUL, 1.0),
        (laws.MAXIMUM, -INF),
        (laws.MINIMUM, INF),
        (laws.LOGSUMEXP, -INF),
    ],
)
@pytest.mark.parametrize("policy", ["unordered_tree", "reproducible", "fold_left", "fold_right"])
def test_an_empty_axis_gives_the_identity(law, expected, policy):
    assert (
        call(kernels.sum_rows(policy=policy, law=law), (2,), x=rows(2, 0)).tolist()
        == [expected] * 2
    )


# Policies.

MINUS = Law(
    "minus", (Component("s"),), None, (Var("x"),), (app("sub", "a.s", "b.s"),), (Var("s"),),
    commutative=False,
)  # fmt: skip


def fold(policy, start=0.0, law=MINUS):
    b = Builder("fold")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows_, cols = kernels.matrix(b, x)
    with b.parallel(rows_):
        b.store(y, rows_, b.reduce(b.load(x, rows_, cols), cols, law, policy=policy, init=[start]))
    return b.build()


def test_folds_go_from_their_end():
    assert reduced(fold("fold_left"), [1, 2, 3]) == -6
    assert reduced(fold("fold_right"), [1, 2, 3]) == 2


@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "reproducible", "fold_left"])
def test_start_values_are_merged(policy):
    assert reduced(fold(policy, 10.0, laws.ADD), [1, 2, 3]) == 16
    assert reduced(fold(policy, 10.0, laws.MAXIMUM), [1, 2, 3]) == 10


def tree(leaves):
    """The reproducible tree of a sum, one addition at a time."""
    blocks = []
    for at in range(0, len(leaves), 4096):
        block = leaves[at : at + 4096]
        lanes = [np.float32(0)] * 128
        for k, leaf in enumerate(block):
            lanes[k % 128] = np.float32(lanes[k % 128] + leaf)
        for distance in (16, 8, 4, 2, 1, 64, 32):
            lanes = [np.float32(lanes[k & ~distance] + lanes[k | distance]) for k in range(128)]
        blocks.append(lanes[0])

    def merged(part):
        if len(part) == 1:
            return part[0]
        left = 1
        while 2 * left < len(part):
            left *= 2
        return np.float32(merged(part[:left]) + merged(part[left:]))

    return merged(blocks)


@pytest.mark.parametrize("count", [1, 2, 127, 128, 129, 4095, 4096, 4097, 12289, 20481])
def test_the_reproducible_tree(count):
    x = rows(1, count) * np.float32(1e3)
    y = call(kernels.sum_rows(policy="reproducible"), (1,), x=x)
    assert y[0] == tree(list(x[0]))


def test_the_reproducible_tree_is_not_a_fold():
    x = rows(1, 4096)
    left = call(kernels.sum_rows(policy="fold_left"), (1,), x=x)
    right = call(kernels.sum_rows(policy="fold_right"), (1,), x=x)
    assert left[0] != right[0] != call(kernels.sum_rows(policy="reproducible"), (1,), x=x)[0]
    total = np.float32(0)
    for value in x[0]:
        total = np.float32(total + value)
    assert left[0] == total


@pytest.mark.parametrize(
    "policy", ["unordered_tree", "ordered_tree", "reproducible", "fold_left", "fold_right"]
)
@pytest.mark.parametrize(
    "law", [laws.ARGMAX, laws.ARGMIN, laws.LOGSUMEXP, laws.MUL], ids=lambda law: law.name
)
def test_policies_agree_on_the_law(policy, law):
    x = rows(5, 77)
    y = call(kernels.sum_rows(policy=policy, law=law), (5,), x=x)
    wide = x.astype(np.float64)
    expected = {
        "argmax": wide.argmax(axis=1),
        "argmin": wide.argmin(axis=1),
        "logsumexp": np.log(np.exp(wide).sum(axis=1)),
        "mul": wide.prod(axis=1),
    }[law.name]
    np.testing.assert_allclose(y, expected, rtol=2e-5)


# Values that break implementations.


@pytest.mark.parametrize("width", [4, 64, 8193])
def test_rows_of_infinities(width):
    x = np.zeros((4, width), np.float32)
    x[0] = -INF
    x[1, 0] = -INF
    x[2, 0] = INF
    x[3, 0] = NAN
    y = call(kernels.softmax(), x=x)
    assert np.isnan(y[0]).all()
    np.testing.assert_allclose(y[1], [0] + [1 / (width - 1)] * (width - 1), rtol=1e-6)
    assert np.isnan(y[2, 0])
    assert np.isnan(y[3]).all()


@pytest.mark.parametrize("width", [1, 2, 3, 31, 33])
def test_short_rows_and_rows_that_begin_with_minus_infinity(width):
    x = rows(2, width)
    x[1, : width // 2] = -INF
    np.testing.assert_allclose(call(kernels.softmax(), x=x), soft(x), rtol=1e-6)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([INF, 2, 3], INF),
        ([4, 5, 6], 6.407605964),
        ([-INF, -INF], -INF),
        ([1000, 1000], 1000.693147181),
        ([-1000, -1000.5], -999.525923016),
        ([NAN, 1], NAN),
        ([INF, -INF], INF),
    ],
)
@pytest.mark.parametrize("policy", ["unordered_tree", "reproducible", "fold_left", "fold_right"])
def test_log_sum_exp_with_infinities(values, expected, policy):
    found = reduced(kernels.logsumexp(policy=policy), values)
    assert found == pytest.approx(expected, rel=2e-7, nan_ok=True)


@pytest.mark.parametrize("policy", ["unordered_tree", "reproducible", "fold_left", "fold_right"])
@pytest.mark.parametrize("place", [0, 1, 32])
def test_maximum_keeps_nan(policy, place):
    x = rows(1, 33)
    x[0, place] = NAN
    assert np.isnan(call(kernels.sum_rows(policy=policy, law=laws.MAXIMUM), (1,), x=x)[0])
    assert np.isnan(call(kernels.sum_rows(policy=policy, law=laws.MINIMUM), (1,), x=x)[0])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([NAN, 6, 8], 0),
        ([INF, NAN], 1),
        ([NAN, INF], 0),
        ([NAN, NAN], 0),
        ([INF, INF, 1.2, INF], 0),
        ([2, 9, 9, 1], 1),
        ([-INF, -INF], 0),
    ],
)
@pytest.mark.parametrize(
    "policy", ["unordered_tree", "ordered_tree", "reproducible", "fold_left", "fold_right"]
)
def test_argmax_of_special_values(values, expected, policy):
    assert reduced(kernels.sum_rows(policy=policy, law=laws.ARGMAX), values) == expected


def test_repeated_argmax_finds_every_infinity():
    values, found = [INF, INF, 1.2, INF], []
    for _ in range(4):
        found.append(reduced(kernels.argmax(), values))
        values[found[-1]] = -INF
    assert found == [0, 1, 3, 2]


def test_sums_of_small_types_do_not_wrap():
    assert reduced(kernels.sum_rows(bool_, out=i32), [True] * 256, bool_) == 256
    assert reduced(kernels.sum_rows(bool_, out=bool_), [True] * 256, bool_) is True
    assert reduced(kernels.sum_rows(i8, out=i32), [1] * 200, i8) == 200
    assert reduced(kernels.sum_rows(bool_, out=i32), [True] * 2, bool_) == 2


@pytest.mark.parametrize("dtype", [f16, bf16])
def test_low_precision_sums_do_not_stall(dtype):
    assert reduced(kernels.sum_rows(dtype, out=f32), [1] * 4096, dtype) == 4096


def test_a_long_sum_of_ones():
    x = np.broadcast_to(np.float32(1), (1, 2**24 + 8))
    assert call(kernels.sum_rows(), (1,), x=x)[0] == 16777216 + 8


def test_bf16_is_added_as_numbers():
    assert math.isnan(reduced(kernels.sum_rows(bf16), [NAN, 2, 3, 4, 5, 6, 7, 8], bf16))
    assert reduced(kernels.sum_rows(bf16), [1, 2, 3], bf16) == 6


def test_means_that_are_large_against_the_spread():
    base = np.array([[0], [100], [1000], [10000]], np.float32)
    x = (base + np.arange(16, dtype=np.float32) * np.float32(1e-3)).astype(np.float32)
    y = call(kernels.layer_norm(weight=False, bias=False), x=x)
    expected = [-1.341641, -1.341528, -1.341508, -1.331333]
    # The mean is rounded to f32: half a spacing of the base, against a deviation of 0.0056.
    rounding = np.spacing(base[:, 0]) / 2 / 0.0056
    assert (np.abs(y[:, 0] - expected) <= rounding + 1e-4).all()
    assert y[3, 0] < -1
    x = np.float32(1e6) + np.tile(np.arange(4, dtype=np.float32) * np.float32(0.25), 64)[None]
    mean, var = np.zeros(1, np.float32), np.zeros(1, np.float32)
    run(kernels.mean_var(), {"x": x, "mean": mean, "var": var})
    assert var[0] == np.float32(0.078125)
    y = call(kernels.layer_norm(weight=False, bias=False), x=x)
    np.testing.assert_allclose(y[0, :4], [-1.341555, -0.447185, 0.447185, 1.341555], atol=1e-5)


def test_padding_is_not_counted():
    y = call(kernels.layer_norm(weight=False, bias=False), x=np.array([[1, 2, 3]], np.float32))
    np.testing.assert_allclose(y[0], [-1.224736, 0, 1.224736], atol=1e-6)


def test_variance_of_f16_does_not_overflow():
    x = np.tile(np.array([512, -512], np.float16), 32)[None]
    mean, var = np.zeros(1, np.float32), np.zeros(1, np.float32)
    run(kernels.mean_var(f16), {"x": x, "mean": mean, "var": var})
    assert var[0] == 262144
    for kernel in (
        kernels.layer_norm(f16, weight=False, bias=False),
        kernels.rms_norm(f16, weight=False),
    ):
        np.testing.assert_array_equal(np.abs(call(kernel, x=x)), 1)


def test_variance_of_f32_overflows_to_zero_rows():
    """The squares are infinite in f32, so their mean is, and rsqrt of it is 0."""
    x = np.array([[1e30, -1e30]], np.float32)
    assert call(kernels.layer_norm(weight=False, bias=False), x=x).tolist() == [[0, 0]]
    with np.errstate(over="ignore"):
        assert np.isinf(np.float32(1e30) * np.float32(1e30))


# Element-wise functions through a kernel.


def elementwise(dtype, write, out=None):
    b = Builder("elementwise")
    x, z = b.view("x", dtype, 1), b.view("z", dtype, 1)
    y = b.view("y", out or dtype, 1)
    rows_ = b.axis("rows", dim(x, 0))
    with b.parallel(rows_):
        b.store(y, rows_, write(b, b.load(x, rows_), b.load(z, rows_)))
    return b.build()


def applied(dtype, fn, x, z, out=None):
    kernel = elementwise(dtype, lambda b, p, q: b.map(fn, p, q), out)
    x, z = np.array(x).astype(NUMPY[dtype]), np.array(z).astype(NUMPY[dtype])
    return call(kernel, x.shape, x=x, z=z).tolist()


def test_integer_division_floors_and_zero_divisors_give_zero():
    pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (5, 0), (0, 3)]
    x, z = zip(*pairs, strict=True)
    assert applied(i32, "floordiv", x, z) == [3, -4, -4, 3, 0, 0]
    assert applied(i32, "mod", x, z) == [1, 1, -1, -1, 0, 0]
    assert applied(u8, "floordiv", [7, 7], [2, 0]) == [3, 0]


def test_float_remainder_is_pythons():
    pairs = [(7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1.0, 0.125), (-1e-20, 3.0)]
    x, z = zip(*pairs, strict=True)
    assert applied(f64, "floordiv", x, z) == [a // b for a, b in pairs]
    assert applied(f64, "mod", x, z) == [a % b for a, b in pairs]


def test_shifts_past_the_width():
    assert applied(i32, "shl", [1, 1, 3], [31, 32, 1]) == [-(2**31), 0, 6]
    assert applied(i32, "shr", [-8, -8, 8, 8], [1, 32, 1, 40]) == [-4, -1, 4, 0]
    assert applied(u8, "shr", [200, 200], [1, 8]) == [100, 0]


def test_integers_wrap_and_divide_as_floats():
    assert applied(i32, "add", [2**31 - 1], [1]) == [-(2**31)]
    assert applied(i32, "mul", [65536], [65536]) == [0]
    assert applied(i32, "div", [1, 7], [2, 0], f32) == [0.5, INF]


def test_bools_are_the_integers_zero_and_one():
    x, z = [False, False, True, True], [False, True, False, True]
    assert applied(bool_, "add", x, z) == [False, True, True, True]
    assert applied(bool_, "sub", x, z) == [False, True, True, False]
    assert applied(bool_, "mul", x, z) == [False, False, False, True]
    assert applied(bool_, "div", [True], [True], f32) == [1.0]


def test_maximum_propagates_nan_and_fmax_ignores_it():
    x, z = [NAN, 1, NAN], [1, NAN, NAN]
    assert np.isnan(applied(f32, "maximum", x, z)).all()
    assert applied(f32, "fmax", x, z)[:2] == [1, 1]
    assert np.isnan(applied(f32, "fmin", x, z)[2])


def test_conversions_saturate():
    x = np.array([NAN, INF, -INF, 1e10, -1e10, 2.9, -2.9, 127.5], np.float32)
    for out, expected in (
        (i8, [0, 127, -128, 127, -128, 2, -2, 127]),
        (u8, [0, 255, 0, 255, 0, 2, 0, 127]),
        (i32, [0, 2**31 - 1, -(2**31), 2**31 - 1, -(2**31), 2, -2, 127]),
        (i64, [0, 2**63 - 1, -(2**63), 10**10, -(10**10), 2, -2, 127]),
    ):
        kernel = elementwise(f32, lambda b, p, q, out=out: b.cast(p, out), out)
        assert call(kernel, x.shape, x=x, z=x).tolist() == expected


def test_narrow_floats_round_at_every_operation():
    """In bf16, 256 + 1 is 256 each time; in f32 the same sum is exact."""
    kernel = elementwise(bf16, lambda b, p, q: b.map("add", b.map("add", p, q), q))
    one = np.array([256.0]).astype(ml_dtypes.bfloat16), np.array([1.0]).astype(ml_dtypes.bfloat16)
    assert call(kernel, (1,), x=one[0], z=one[1])[0] == 256
    assert applied(f32, "add", [256], [1]) == [257]


def test_fused_multiply_add_rounds_once():
    kernel = elementwise(f32, lambda b, p, q: b.map("fma", p, p, q))
    x, z = np.float32(1 + 2**-12), np.float32(-(1 + 2**-11))
    assert call(kernel, (1,), x=np.array([x]), z=np.array([z]))[0] == np.float32(2**-24)


def test_portable_functions_replace_the_inexact_ones():
    x = rows(2, 3)
    y = np.zeros_like(x)
    run(kernels.softmax(), {"x": x, "y": y}, functions={"exp": lambda v: np.ones_like(v)})
    np.testing.assert_array_equal(y, np.float32(1) / np.float32(3))
