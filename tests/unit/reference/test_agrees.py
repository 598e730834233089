"""The judge accepts every legal evaluation and refuses wrong ones."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import f16, f32, f64, i32, i64
from certile.ir.laws import Component, Law, literal_value
from certile.ir.terms import Lit, app
from certile.reference import agrees, run
from certile.reference import machine_numeric as numeric
from certile.reference.algebra import Algebra
from certile.reference.probes import exact_probes, one_hot_probes
from certile.reference.values import Value
from tests import kernels
from tests.strategies import programs

INF, NAN = math.inf, math.nan
ONE = np.float32(1)


def rows(*shape, seed=0):
    return np.random.default_rng(seed).normal(0, 2, shape).astype(np.float32)


def judge(kernel, x, y, **more):
    """Judge y as the result of a kernel with one output y."""
    start = np.zeros_like(y)
    return agrees({"y": y}, kernel, {"x": x, "y": start, **more})


# Evaluations in f32, each in an order of its own.


def left_sum(x):
    return np.add.accumulate(x, axis=1, dtype=np.float32)[:, -1:]


def striped_sum(x):
    parts = [x[:, k::7].sum(axis=1, dtype=np.float32, keepdims=True) for k in range(7)]
    return left_sum(np.concatenate(parts, axis=1))


def soft(x, add=left_sum, exp=np.exp, top=lambda x: x.max(axis=1, keepdims=True)):
    e = exp(x - top(x)).astype(np.float32)
    return e / add(e)


EPSILON = np.float32(1e-5)


def normalised(x, add=left_sum, eps=EPSILON):
    n = np.float32(x.shape[1])
    off = x - add(x) / n
    return off * (ONE / np.sqrt(add(off * off) / n + eps))


@pytest.mark.parametrize("add", [left_sum, striped_sum, lambda x: left_sum(x[:, ::-1])])
@pytest.mark.parametrize("shape", [(1, 1), (5, 33), (3, 4097)])
@pytest.mark.parametrize(
    ("make", "evaluate"),
    [
        (kernels.softmax, soft),
        (lambda: kernels.layer_norm(weight=False, bias=False), normalised),
        (lambda: kernels.sum_rows(), lambda x, add: add(x)[:, 0]),
    ],
)
def test_every_order_agrees(make, evaluate, shape, add):
    x = rows(*shape)
    found = judge(make(), x, evaluate(x, add))
    assert found, found.worst
    assert found.unchecked == 0
    assert found.nan_mask_equal


def test_ill_conditioned_rows_agree():
    x = (np.float32(1e4) + rows(4, 257) * np.float32(1e-2)).astype(np.float32)
    found = judge(kernels.layer_norm(weight=False, bias=False), x, normalised(x, striped_sum))
    assert found, found.worst


WRONG = {
    "dropped element": lambda x: soft(x, add=lambda e: left_sum(e[:, :-1])),
    "doubled element": lambda x: soft(x, add=lambda e: left_sum(e) + e[:, -1:]),
    "identity 0 of the maximum": lambda x: soft(
        x - 9, top=lambda x: np.maximum(x.max(axis=1, keepdims=True), 0), exp=lambda v: np.exp2(v)
    ),
    "f16 accumulator": lambda x: soft(x, add=lambda e: left_sum(e).astype(np.float16)),
    "exp of another base": lambda x: soft(x, exp=lambda v: np.exp(v * np.float32(1.00001))),
    "next row": lambda x: np.roll(soft(x), 1, axis=0),
    "NaN for a tail": lambda x: np.where(np.arange(x.shape[1]) < 32, soft(x), NAN),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_rows_are_refused(name):
    x = rows(5, 33)
    y = WRONG[name](x).astype(np.float32)
    found = judge(kernels.softmax(), x, y)
    assert not found
    assert found.worst.view == "y"
    assert "wanted" in str(found.worst)


@pytest.mark.parametrize("count", [3, 33, 1000, 4097])
@pytest.mark.parametrize("place", [0, -1])
def test_one_element_of_a_sum_is_noticed(count, place):
    x = rows(1, count)
    good = x.sum(axis=1, dtype=np.float64)
    inputs = {"x": x, "y": np.zeros(1, np.float32)}
    for change in (-x[:, place], x[:, place], x[:, place] / 10):
        wrong = (good + change).astype(np.float32)
        assert not agrees({"y": wrong}, kernels.sum_rows(), inputs, depth=14)
    assert agrees({"y": good.astype(np.float32)}, kernels.sum_rows(), inputs, depth=14)


def test_the_depth_of_the_tree_narrows_the_bound():
    x = rows(1, 4096)
    y = left_sum(x)[:, 0]
    inputs = {"x": x, "y": np.zeros_like(y)}
    off = {"y": (y + np.float32(0.01)).astype(np.float32)}
    assert agrees({"y": y}, kernels.sum_rows(), inputs)
    assert agrees(off, kernels.sum_rows(), inputs)
    assert not agrees(off, kernels.sum_rows(), inputs, depth=12)


def test_layer_normalisation_without_epsilon_is_refused():
    x = rows(3, 65) * np.float32(0.05)
    kernel = kernels.layer_norm(weight=False, bias=False)
    assert judge(kernel, x, normalised(x))
    assert not judge(kernel, x, normalised(x, eps=np.float32(0)))
    biased = normalised(x) * np.float32(math.sqrt(64 / 65))
    assert not judge(kernel, x, biased.astype(np.float32))


def test_exact_operations_have_one_result():
    x = rows(3, 5)
    kernel = kernels.scale_in_place()
    y = x * np.float32(0.3)
    arguments = {"x": x, "factor": 0.3}
    assert agrees({"x": y}, kernel, arguments)
    found = agrees({"x": np.nextafter(y, np.float32(9))}, kernel, arguments)
    assert not found
    assert found.max_ulp == 1
    assert found.worst.bound == 0


@pytest.mark.parametrize("policy", ["fold_left", "fold_right", "reproducible"])
def test_folds_and_reproducible_trees_have_one_result(policy):
    x = rows(3, 300)
    y = np.zeros(3, np.float32)
    kernel = kernels.sum_rows(policy=policy)
    run(kernel, {"x": x, "y": y})
    assert judge(kernel, x, y)
    assert not judge(kernel, x, np.nextafter(y, np.float32(INF)))


def test_infinities_and_nans_must_be_where_they_are():
    x = np.array([[INF, 1], [-INF, 1], [NAN, 1], [INF, -INF], [2, 1]], np.float32)
    y = np.array([INF, -INF, NAN, NAN, 3], np.float32)
    kernel = kernels.sum_rows()
    assert judge(kernel, x, y)
    for row, wrong in ((0, NAN), (0, -INF), (0, 3e38), (1, INF), (2, 1.0), (3, INF), (4, NAN)):
        bad = y.copy()
        bad[row] = wrong
        assert not judge(kernel, x, bad)
    assert not judge(kernel, x, np.nan_to_num(y)).nan_mask_equal


def test_zero_of_either_sign_is_zero():
    x = np.zeros((2, 3), np.float32)
    assert judge(kernels.sum_rows(), x, np.array([0.0, -0.0], np.float32))


def test_an_overflow_that_depends_on_the_order_is_not_checked():
    x = np.array([[3e38, 3e38, -3e38], [3e38, 3e38, 3e38]], np.float32)
    kernel = kernels.sum_rows()
    for first in (INF, 3e38):
        found = judge(kernel, x, np.array([first, INF], np.float32))
        assert found
        assert found.unchecked == 1
    assert not judge(kernel, x, np.array([INF, 3e38], np.float32))


def test_multiples_of_a_large_power_of_two_may_overflow_by_the_order_too():
    """Sums of these are exact while they are numbers; the first row may leave f32 on its way."""
    great = np.float32(2.0**127)
    x = great * np.array([[1, 1, -1, -1], [0.5, 0.5, -1, 0.5], [1, 1, -1, INF]], np.float32)
    kernel = kernels.sum_rows()
    for first in (0, INF, NAN):
        found = judge(kernel, x, np.array([first, great / 2, INF], np.float32))
        assert found
        assert found.unchecked == 1
    assert not judge(kernel, x, np.array([0, 0, INF], np.float32))
    assert not judge(kernel, x, np.array([0, great / 2, NAN], np.float32))


def recurrence():
    """h = k h + c along a row of k, c from 0."""
    b = Builder("recurrence")
    k, c, y = b.view("k", f32, 2), b.view("c", f32, 2), b.view("y", f32, 1)
    r, cols = b.axis("r", dim(k, 0)), b.axis("cols", dim(k, 1))
    with b.parallel(r):
        pair = (b.load(k, r, cols), b.load(c, r, cols))
        b.store(y, r, b.reduce(pair, cols, laws.AFFINE, policy="ordered_tree"))
    return b.build()


def test_lanes_without_elements_may_make_a_nan_where_their_state_is_not_neutral():
    """-inf times the 0 of no elements is NaN; beside finite factors there is none."""
    k = np.array([[-INF, 2, 3], [4, 2, 3], [4, 2, INF]], np.float32)
    given = {"k": k, "c": np.ones((3, 3), np.float32)}
    plain = np.array([10, 10, INF], np.float32)
    for first in (10, NAN):
        results = plain.copy()
        results[0] = first
        found = agrees({"y": results}, recurrence(), given | {"y": np.zeros_like(plain)})
        assert found
        assert found.unchecked == 2
    results = plain.copy()
    results[1] = NAN
    assert not agrees({"y": results}, recurrence(), given | {"y": np.zeros_like(plain)})


def test_an_overflow_of_some_order_of_another_law_is_not_checked():
    """Two factors of 1e30 are beyond f32 unless a small one comes between."""
    k = np.array([[1, 1e30, 1e30, 1e-30], [1, 1e-30, 1e30, 1e8]], np.float32)
    given = {"k": k, "c": np.ones((2, 4), np.float32), "y": np.zeros(2, np.float32)}
    wanted = np.array([1e30, 1e38], np.float32)
    for first in (1e30, INF, NAN):
        found = agrees({"y": np.array([first, wanted[1]], np.float32)}, recurrence(), given)
        assert found
        assert found.unchecked == 1
    assert not agrees({"y": np.array([wanted[0], INF], np.float32)}, recurrence(), given)


def test_subnormals_may_be_flushed_when_the_target_says_so():
    x = np.full((1, 4), 1e-39, np.float32)
    y = np.zeros_like(x)
    arguments = {"x": x, "factor": 0.5}
    assert not agrees({"x": y}, kernels.scale_in_place(), arguments)
    assert agrees({"x": y}, kernels.scale_in_place(), arguments, flushed=True)
    assert not agrees({"x": y + ONE}, kernels.scale_in_place(), arguments, flushed=True)


def test_the_wrong_winner_is_refused_and_a_near_one_is_not():
    b = Builder("near")
    x, y = b.view("x", f32, 2), b.view("y", i64, 1)
    rows_, cols = kernels.matrix(b, x)
    with b.parallel(rows_):
        b.store(y, rows_, b.reduce(b.map("exp", b.load(x, rows_, cols)), cols, laws.ARGMAX))
    kernel = b.build()
    x = np.array([[0, 1, 1 + 1e-7, -5, 0.5]], np.float32)
    for index, fine in ((1, True), (2, True), (0, False), (4, False)):
        assert bool(judge(kernel, x, np.array([index]))) is fine
    assert not judge(kernels.argmax(), x, np.array([1]))


def test_untouched_elements_must_stay():
    b = Builder("half")
    x = b.view("x", f32, 1)
    half = b.axis("half", 2)
    with b.parallel(half):
        b.store(x, half, b.map("neg", b.load(x, half)))
    before = rows(4)
    after = before * np.array([-1, -1, 1, 1], np.float32)
    assert agrees({"x": after}, b.build(), {"x": before})
    assert not agrees({"x": -before}, b.build(), {"x": before})


def test_one_array_for_two_views():
    x = rows(3, 5)
    assert agrees({"y": soft(x)}, kernels.softmax(), {"x": x, "y": x})


def test_integers_are_exact_beyond_doubles():
    x = np.array([[2**60, 1, 2**60]])
    kernel = kernels.sum_rows(i64)
    assert judge(kernel, x, np.array([2**61 + 1]))
    assert not judge(kernel, x, np.array([2**61]))
    wide = np.array([[2**31 - 1, 1]], np.int32)
    assert judge(kernels.sum_rows(i32), wide, np.array([-(2**31)], np.int32))


def test_a_value_that_no_axis_and_no_loop_changes():
    b = Builder("alone")
    factor, y = b.scalar("factor"), b.view("y")
    row = b.axis("row", dim(y, 0))
    near = b.map("exp", factor)
    picked = b.map("where", b.map("gt", near, 1.0), b.map("minimum", near, 2.0), factor)
    with b.parallel(row):
        b.store(y, row, b.map("pow", b.map("floordiv", near, 0.5), picked))
    kernel = b.build()
    for factor in (0.5, -1.0):
        exact = min(math.exp(factor), 2.0) if factor > 0 else factor
        y = np.full(2, (math.exp(factor) // 0.5) ** exact if factor > 0 else INF, np.float32)
        given = {"factor": factor, "y": np.zeros(2, np.float32)}
        assert agrees({"y": y}, kernel, given)
        assert not agrees({"y": y - 1}, kernel, given) or math.isinf(y[0])


def test_portable_functions_leave_no_freedom():
    x = rows(1, 4)
    kernel = kernels.softmax(policy="reproducible")
    y = np.zeros_like(x)
    exp = {"exp": np.exp}
    run(kernel, {"x": x, "y": y}, functions=exp)
    inputs = {"x": x, "y": np.zeros_like(x)}
    assert agrees({"y": y}, kernel, inputs, functions=exp)
    assert not agrees({"y": np.nextafter(y, ONE)}, kernel, inputs, functions=exp)
    assert agrees({"y": np.nextafter(y, ONE)}, kernel, inputs)


# The bounds are sound: any tree, in the accumulation dtype, over any order of the leaves.


def any_tree(algebra, leaves, choose):
    """Merge random neighbours (or, for lack of order, random pairs) until one state is left."""
    states = list(leaves)
    while len(states) > 1:
        k = choose(0, len(states) - 2)
        states[k : k + 2] = [algebra.merge(states[k], states[k + 1])]
    return states[0]


def evaluated(law, x, random, ordered):
    """One legal evaluation of a law in f32, operation by operation."""
    algebra = Algebra(law, f32, x.shape[1])
    lifted = algebra.lift([Value(x)])
    leaves = [
        tuple(v.each(lambda a, k=k: a[:, k : k + 1]) for v in lifted) for k in range(x.shape[1])
    ]
    if not ordered:
        random.shuffle(leaves)
    made = any_tree(algebra, leaves, random.randint)
    return [v.data[:, 0] for v in algebra.finalize(made)]


SIZE = Law(
    "size",
    (Component("scale"), Component("s")),
    (Lit(0), Lit(0)),
    (app("abs", "x"), app("where", app("eq", "x", 0.0), 0.0, 1.0)),
    (
        app("maximum", "a.scale", "b.scale"),
        app(
            "add",
            *(
                app(
                    "mul",
                    f"{side}.s",
                    app(
                        "where",
                        app("eq", f"{side}.scale", 0.0),
                        0.0,
                        app(
                            "mul",
                            app("div", f"{side}.scale", app("maximum", "a.scale", "b.scale")),
                            app("div", f"{side}.scale", app("maximum", "a.scale", "b.scale")),
                        ),
                    ),
                )
                for side in "ab"
            ),
        ),
    ),
    (app("mul", "scale", app("sqrt", "s")),),
)


@pytest.mark.parametrize(
    "law",
    [laws.ADD, laws.MUL, laws.MAXIMUM, laws.ARGMAX, laws.LOGSUMEXP, laws.MEAN_VAR, SIZE],
    ids=lambda law: law.name,
)
@pytest.mark.parametrize("ordered", [False, True])
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 24),
    base=st.sampled_from([0.0, 1.0, 100.0, -1000.0]),
    scale=st.sampled_from([1e-3, 1.0, 1e3]),
    random=st.randoms(use_true_random=False),
)
def test_any_tree_is_within_the_bound(law, ordered, seed, count, base, scale, random):
    x = (base + np.random.default_rng(seed).normal(0, scale, (2, count))).astype(np.float32)
    policy = "ordered_tree" if ordered else "unordered_tree"
    with np.errstate(all="ignore"):
        found = evaluated(law, x, random, ordered)
    if law is laws.MEAN_VAR:
        kernel, names = kernels.mean_var(policy=policy), ("mean", "var")
    else:
        kernel, names = kernels.sum_rows(policy=policy, law=law), ("y",)
    results = dict(zip(names, found, strict=True))
    if law is laws.ARGMAX:
        results["y"] = results["y"].astype(np.int64)
    inputs = {"x": x, **{name: np.zeros_like(array) for name, array in results.items()}}
    verdict = agrees(results, kernel, inputs)
    assert verdict, verdict.worst


@given(programs(), st.integers(0, 2**32 - 1))
def test_generated_programs_agree_with_themselves(program, seed):
    arguments = program.arguments(seed)
    after = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    run(program.kernel, after)
    verdict = agrees(after, program.kernel, arguments)
    assert verdict, verdict.worst


def two_off(fn):
    """A function of the table as a target has it, in f64 of f64 and in f32 of others: two ulp off.

    It is not correctly rounded either.
    """

    def apply(*args):
        exact = numeric.compute(fn, f64, tuple(np.asarray(a, np.float64) for a in args))
        made = exact if args[0].dtype == np.float64 else exact.astype(np.float32)
        above = made.dtype.type(INF)
        return np.nextafter(np.nextafter(made, above), above)

    return apply


@given(programs(), st.integers(0, 2**32 - 1))
def test_functions_two_ulp_off_agree(program, seed):
    """The propagation of bounds covers a target whose functions are as bad as they may be."""
    arguments = program.arguments(seed)
    after = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
    functions = {fn: two_off(fn) for fn in ("exp", "tanh", "sigmoid", "log", "rsqrt")}
    run(program.kernel, after, functions=functions)
    verdict = agrees(after, program.kernel, arguments)
    assert verdict, verdict.worst


# Probes.


def wrong_sum(x, place):
    """A sum that forgets one place."""
    kept = np.delete(x, place, axis=1)
    return kept.sum(axis=1, dtype=np.float32)


def test_one_hot_probes_find_a_forgotten_element_exactly():
    kernel, shapes = kernels.sum_rows(), {"x": (3, 70), "y": (3,)}
    probes = list(one_hot_probes(kernel, shapes, [0, 31, 32, 69, -1]))
    assert [p.name for p in probes] == [f"one-hot x[{k}]" for k in (0, 31, 32, 69)]
    for place in (0, 31, 32, 69):
        verdicts = [
            bool(agrees({"y": wrong_sum(p.arguments["x"], place)}, kernel, p.arguments))
            for p in probes
        ]
        assert verdicts == [k != place for k in (0, 31, 32, 69)]


@pytest.mark.parametrize("make", [kernels.sum_rows, kernels.mean_var, kernels.min_max])
def test_exact_probes_of_sums_leave_no_freedom(make):
    kernel = make()
    shapes = {"x": (3, 257), **{v.name: (3,) for v in kernel.outputs}}
    for probe in exact_probes(kernel, shapes):
        after = {k: np.array(v) for k, v in probe.arguments.items()}
        run(kernel, after)
        assert agrees(after, kernel, probe.arguments)
        if make is not kernels.mean_var:
            name = kernel.outputs[0].name
            after[name] = np.nextafter(after[name], np.float32(INF))
            assert not agrees(after, kernel, probe.arguments)


def test_probes_keep_labels_inside():
    kernel = kernels.cross_entropy(f16)
    shapes = {"x": (50, 7), "labels": (50,), "y": (50,)}
    for probe in exact_probes(kernel, shapes):
        labels = probe.arguments["labels"]
        assert labels.min() >= 0
        assert labels.max() < 7
        assert probe.arguments["x"].dtype == np.float16
    assert {p.name.split("[")[0] for p in one_hot_probes(kernel, shapes, [0])} == {"one-hot x"}


def test_products_are_probed_with_units():
    kernel, shapes = kernels.sum_rows(law=laws.MUL), {"x": (2, 300), "y": (2,)}
    for probe in exact_probes(kernel, shapes):
        assert set(np.unique(probe.arguments["x"])) <= {-1, 0, 1}


def test_scalars_are_probed_too():
    b = Builder("scaled")
    x, y = b.view("x", f32, 1), b.view("y", f32, 1)
    rows_ = b.axis("rows", dim(x, 0))
    factor = b.scalar("factor", f32)
    with b.parallel(rows_):
        b.store(y, rows_, b.map("mul", b.load(x, rows_), factor))
    (probe,) = exact_probes(b.build(), {"x": (3,), "y": (3,)}, count=1)
    assert probe.arguments["factor"] == 2


@pytest.mark.parametrize("law", [laws.ADD, laws.MUL, laws.MAXIMUM], ids=lambda law: law.name)
def test_no_leaves_give_the_identity_and_nothing_else(law):
    kernel, x = kernels.sum_rows(law=law), np.zeros((3, 0), np.float32)
    y = np.full(3, literal_value(law.identity[0].value, f32), np.float32)
    assert judge(kernel, x, y)
    assert not judge(kernel, x, y + ONE if law != laws.MAXIMUM else -y)
