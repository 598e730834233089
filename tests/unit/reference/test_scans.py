"""Scans in the interpreter: the definition position by position, and what the judge allows."""

from itertools import product

import numpy as np
import pytest

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f16, f32, f64, i32, i64
from certile.ir.laws import Component, Law
from certile.ir.terms import Var, app
from certile.ir.tile import View
from certile.ir.walk import values
from certile.reference import agrees, run
from certile.reference.machine_numeric import storage
from certile.reference.probes import exact_probes

MODES = list(product((True, False), (False, True)))

# Decimal digits one after another: a state is (number, weight), and order shows in every digit.
DIGITS = Law(
    name="digits",
    state=(Component("n"), Component("w")),
    identity=(laws.ADD.identity[0], laws.MUL.identity[0]),
    lift=(Var("x"), app("add", app("mul", "x", 0), 10)),
    merge=(app("add", app("mul", "a.n", "b.w"), "b.n"), app("mul", "a.w", "b.w")),
    finalize=(Var("n"), Var("w")),
    results=("acc", "acc"),
    commutative=False,
)


def scanning(law, dtype=f32, *, rank=2, accumulate=None, **how):
    """y[…] = scan(x[…]) along the last axis, or along the middle one of three."""
    b = Builder("scan")
    x = b.view("x", dtype, rank)
    axes = [b.axis(f"a{k}", dim(x, k)) for k in range(rank)]
    with b.parallel(axes[0]):
        made = b.scan(b.load(x, *axes), axes[1], law, accumulate=accumulate, **how)
        for k, result in enumerate(b.results(made)):
            b.store(b.view(f"y{k}", result.dtype, rank), axes, result)
    return b.build()


def outputs(kernel, x):
    empty = {v.name: np.zeros(x.shape, storage(v.dtype)) for v in kernel.outputs}
    run(kernel, {"x": x, **empty})
    return list(empty.values())


@pytest.mark.parametrize(("inclusive", "reverse"), MODES)
def test_order_is_kept(inclusive, reverse):
    kernel = scanning(DIGITS, i32, inclusive=inclusive, reverse=reverse)
    number, weight = outputs(kernel, np.array([[1, 2, 3, 4]], np.int32))
    wanted = {
        (True, False): [1, 12, 123, 1234],
        (False, False): [0, 1, 12, 123],
        (True, True): [1234, 234, 34, 4],
        (False, True): [234, 34, 4, 0],
    }[inclusive, reverse]
    assert number[0].tolist() == wanted
    assert weight[0].tolist() == [10 ** len(str(n)) if n else 1 for n in wanted]


@pytest.mark.parametrize("reverse", [False, True])
def test_an_index_is_the_position_along_the_axis(reverse):
    x = np.array([[3, 1, 5, 5, 2]], np.float32)
    (found,) = outputs(scanning(laws.ARGMAX, reverse=reverse), x)
    assert found[0].tolist() == ([2, 2, 2, 3, 4] if reverse else [0, 0, 2, 2, 2])


def test_no_elements_give_the_identity():
    x = np.array([[2.0, 3.0]], np.float32)
    first = {
        "add": 0.0,
        "mul": 1.0,
        "maximum": -np.inf,
        "minimum": np.inf,
        "logsumexp": -np.inf,
    }
    for name, wanted in first.items():
        (found,) = outputs(scanning(laws.BUILTIN[name], inclusive=False), x)
        assert found[0, 0] == wanted
    mean, _ = outputs(scanning(laws.MEAN_VAR, inclusive=False), x)
    assert np.isnan(mean[0, 0])
    assert mean[0, 1] == 2.0


def test_an_empty_axis_has_no_result():
    assert outputs(scanning(laws.ADD, inclusive=False), np.zeros((2, 0), np.float32))[0].size == 0


def test_a_scan_along_a_middle_axis():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    (found,) = outputs(scanning(laws.ADD, rank=3, reverse=True), x)
    assert np.array_equal(found, np.cumsum(x[:, ::-1], axis=1)[:, ::-1])


def test_narrow_floats_accumulate_wide_and_integers_wrap():
    (made,) = (v for v in scanning(laws.ADD, f16).outputs if isinstance(v, View))
    assert made.dtype == f32
    (found,) = outputs(scanning(laws.ADD, i32), np.array([[2**31 - 1, 1]], np.int32))
    assert found[0].tolist() == [2**31 - 1, -(2**31)]


# The judge.


def judged(kernel, x, *results, depth=None):
    given = {"x": x, **{f"y{k}": np.zeros_like(y) for k, y in enumerate(results)}}
    made = {f"y{k}": y for k, y in enumerate(results)}
    return agrees(made, kernel, given, depth)


def rows(length, seed=0):
    return np.random.default_rng(seed).normal(0, 2, (3, length)).astype(np.float32)


def blocked(x, width=16):
    """Chunks scanned by themselves, then moved up by what came before, all in f32."""
    made, before = np.empty_like(x), np.zeros((x.shape[0], 1), np.float32)
    for at in range(0, x.shape[1], width):
        part = np.add.accumulate(x[:, at : at + width], axis=1, dtype=np.float32)
        made[:, at : at + width] = before + part
        before = before + part[:, -1:]
    return made


def test_every_grouping_agrees_and_a_shifted_one_does_not():
    x = rows(300)
    kernel = scanning(laws.ADD)
    left = np.add.accumulate(x, axis=1, dtype=np.float32)
    assert judged(kernel, x, left).ok
    assert judged(kernel, x, blocked(x), depth=16 + 19).ok
    assert not judged(kernel, x, left - x).ok
    assert not judged(scanning(laws.ADD, reverse=True), x, left).ok


def test_the_bound_follows_the_depth_and_the_prefix():
    """An early position has few and small leaves, so it may be off by little; depth counts."""
    x = rows(64)
    x[:, 32:] *= 1e6
    exact = np.cumsum(x.astype(np.float64), axis=1)
    size = np.cumsum(np.abs(x.astype(np.float64)), axis=1)
    kernel, unit = scanning(laws.ADD), 2.0**-24
    size[:, 0] = 0  # one leaf is exact
    assert judged(kernel, x, (exact + 8 * unit * size).astype(np.float32), depth=10).ok
    assert not judged(kernel, x, (exact + 40 * unit * size).astype(np.float32), depth=10).ok
    early = exact.astype(np.float32)
    early[:, 3] += np.float32(64 * unit * size[0, 40])
    assert not judged(kernel, x, early, depth=10).ok


@pytest.mark.parametrize("law", [laws.LOGSUMEXP, laws.MEAN_VAR, DIGITS], ids=lambda law: law.name)
@pytest.mark.parametrize("reverse", [False, True])
def test_laws_with_a_state_are_bounded_at_each_position(law, reverse):
    x = np.abs(rows(40)) / 8 if law is DIGITS else rows(40)
    x = x[:, :6] if law is DIGITS else x
    kernel = scanning(law, reverse=reverse)
    found = outputs(kernel, x)
    assert judged(kernel, x, *found, depth=12).ok
    wrong = [y * np.float32(1.001) for y in found]
    verdict = judged(kernel, x, *wrong, depth=12)
    assert not verdict.ok
    assert verdict.unchecked < verdict.elements // 4


def recurrence(**how):
    """y[…] = h of h = k · h + c along the last axis, k and c being the elements of two views."""
    b = Builder("recurrence")
    k, c = (b.view(name, f32, 2) for name in "kc")
    axes = [b.axis("rows", dim(k, 0)), b.axis("cols", dim(k, 1))]
    with b.parallel(axes[0]):
        leaves = (b.load(k, *axes), b.load(c, *axes))
        found = b.scan(leaves, axes[1], laws.AFFINE, **how)
        b.store(b.view("y", f32, 2), axes, found)
    return b.build()


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("at", [0, 2])
def test_what_the_state_of_no_elements_spoils_may_be_nan(at, reverse):
    """0 · inf is NaN: a lane that begins with (1, 0) has one where the recurrence has a number."""
    k, c = np.full((1, 6), 0.5, np.float32), np.ones((1, 6), np.float32)
    turn = slice(None, None, -1) if reverse else slice(None)
    k[:, turn][0, at] = -np.inf
    kernel = recurrence(reverse=reverse)
    given = {"k": k, "c": c, "y": np.zeros_like(k)}
    run(kernel, given)
    exact = given["y"]
    assert not np.isnan(exact).any()
    spoilt = exact.copy()
    spoilt[:, turn][0, at:] = np.nan
    assert agrees({"y": exact}, kernel, given).ok
    assert agrees({"y": spoilt}, kernel, given).ok
    if at:
        spoilt[:, turn][0, at - 1] = np.nan
        assert not agrees({"y": spoilt}, kernel, given).ok


def test_an_inexact_leaf_widens_only_what_it_reaches():
    b = Builder("inexact")
    x, y = b.view("x", f32, 2), b.view("y0", f32, 2)
    first, second = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(first):
        tile = b.load(x, first, second)
        leaf = b.map("where", b.map("gt", tile, 4.0), b.map("exp", tile), tile)
        b.store(y, (first, second), b.scan(leaf, second, laws.MAXIMUM))
    values_ = np.array([[1, 2, 5, 1]], np.float32)
    wanted = np.array([[1, 2, np.exp(5.0), np.exp(5.0)]], np.float32)
    kernel = b.build()
    assert judged(kernel, values_, wanted).ok
    near = wanted.copy()
    near[0, 2:] = np.nextafter(near[0, 2:], np.float32(np.inf))
    assert judged(kernel, values_, near).ok
    near[0, 1] = np.nextafter(near[0, 1], np.float32(np.inf))
    assert not judged(kernel, values_, near).ok


@pytest.mark.parametrize("reverse", [False, True])
def test_an_index_among_inexact_leaves_is_still_checked(reverse):
    b = Builder("winner")
    x = b.view("x", f32, 2)
    first, second = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(first):
        leaf = b.map("exp", b.load(x, first, second))
        found = b.scan(leaf, second, laws.ARGMAX, reverse=reverse)
        b.store(b.view("y0", i64, 2), (first, second), found)
    kernel, far = b.build(), np.array([[1, 3, 2, 4, 3.5]], np.float32)
    wanted = np.array([[3, 3, 3, 3, 4]] if reverse else [[0, 1, 1, 3, 3]])
    assert judged(kernel, far, wanted).ok
    wrong = wanted.copy()
    wrong[0, 2] = 0
    assert not judged(kernel, far, wrong).ok
    # Neighbours that one rounding may exchange: either may win.
    near = np.array([[2, np.nextafter(np.float32(2), np.float32(3)), 1, 0, 0]], np.float32)
    either = np.array([[0, 1, 2, 3, 4]] if reverse else [[0, 0, 0, 0, 0]])
    assert judged(kernel, near, either).ok


def test_probes_of_products_hold_units():
    kernel = scanning(laws.MUL)
    assert any(at.mnemonic == "tile.scan" for at in values(kernel))
    for probe in exact_probes(kernel, {"x": (2, 50), "y0": (2, 50)}):
        assert set(np.unique(probe.arguments["x"])) <= {-1.0, 0.0, 1.0}


def test_a_double_scan_is_judged_with_the_error_of_the_reference():
    x = np.random.default_rng(0).normal(0, 2, (2, 500))
    pairs = np.flip(np.add.accumulate(np.flip(x, 1), axis=1), 1)
    kernel = scanning(laws.ADD, f64, reverse=True)
    assert judged(kernel, x, pairs, depth=9).ok
    assert not judged(kernel, x, pairs + 1e-10, depth=9).ok
