"""Serial loops with a policy: which reductions they are, that they mean those, what is refused."""

import functools
import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import certile as ct
from certile.diagnostics import KernelError
from certile.frontend.spec import KernelSpec, Shaped, ViewSpec
from certile.frontend.trace import trace
from certile.ir.dtypes import f16, f32, i32
from certile.ir.fingerprint import fingerprint
from certile.ir.tile import Const, Iota, Load, Map, Reduce, Serial, effects
from certile.ir.verify import verify
from certile.ir.walk import values
from certile.reference import run

TREE = "unordered_tree"
LEAST, MOST = -math.inf, math.inf


def traced(function, **views):
    """The Tile IR of a function of views of these dtypes and ranks."""
    arguments = tuple((name, ViewSpec(*each)) for name, each in views.items())
    made = trace(function, KernelSpec(arguments)).kernel
    assert verify(made) == []
    return made


def same(loops, reductions, **views):
    """Whether two functions are one kernel; the first one has no loop in it."""
    first = traced(loops, **views)
    assert not any(isinstance(step, Serial) for step in effects(first.body))
    return fingerprint(first) == fingerprint(traced(reductions, **views))


def rows_of(x):
    return ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])


def one_loop(turn, start, policy=TREE, dtype=f32, **options):
    """A kernel of one loop: `turn(carried, x, r, c)` is what it carries on."""

    def kernel(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            c = ct.carry(start, dtype)
            for k in ct.serial(cols, policy=policy, **options):
                c.value = turn(c.value, x, r, k)
            y[r, 0] = c.value

    return kernel


def reductions(kernel):
    return [at for at in values(kernel) if isinstance(at, Reduce)]


def only(turn, start, dtype=f32, **options):
    """The reduction that a kernel of one loop has."""
    made = traced(one_loop(turn, start, dtype=dtype, **options), x=(dtype, 2), y=(dtype, 2))
    (found,) = reductions(made)
    return found


def test_cascaded_loops_are_the_kernel_that_reductions_are():
    def loops(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            top = ct.carry(LEAST, ct.f32)
            for k in ct.serial(cols, policy=TREE):
                top.value = ct.maximum(top.value, x[r, k])
            total, moment = ct.carry(0.0), ct.carry(0.0)
            for k in ct.serial(cols, policy=TREE):
                weight = ct.exp(x[r, k] - top.value)
                total.value += weight
                moment.value = moment.value + weight * k
            y[r, 0] = moment.value / total.value

    def reduced(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            top = ct.reduce(x[r, cols], cols, ct.maximum)
            weight = ct.exp(x[r, cols] - top)
            moment = ct.reduce(weight * ct.iota(cols), cols, ct.add)
            y[r, 0] = moment / ct.reduce(weight, cols, ct.add)

    assert same(loops, reduced, x=(f32, 2), y=(f32, 2))


def test_loops_inside_loops_with_carried_tiles():
    def loops(q, k, v, y):
        keys, dims, cols = (ct.axis(*each) for each in named(q, k, v))
        for r in ct.parallel(ct.axis("rows", q.shape[0])):
            total = ct.carry(ct.zeros(cols, ct.f32))
            for j in ct.serial(keys, policy=TREE):
                score = ct.carry(0.0)
                for d in ct.serial(dims, policy=TREE):
                    score.value += q[r, d] * k[j, d]
                total.value += score.value * v[j, cols]
            y[r, cols] = total.value

    def reduced(q, k, v, y):
        keys, dims, cols = (ct.axis(*each) for each in named(q, k, v))
        for r in ct.parallel(ct.axis("rows", q.shape[0])):
            score = ct.reduce(q[r, dims] * k[keys, dims], dims, ct.add)
            y[r, cols] = ct.reduce(score * v[keys, cols], keys, ct.add)

    def named(q, k, v):
        return ("keys", k.shape[0]), ("dims", q.shape[1]), ("cols", v.shape[1])

    assert same(loops, reduced, q=(f32, 2), k=(f32, 2), v=(f32, 2), y=(f32, 2))


@pytest.mark.parametrize(
    ("turn", "start", "law"),
    [
        (lambda c, x, r, k: c + x[r, k], 0.0, "add"),
        (lambda c, x, r, k: x[r, k] + c, 0.0, "add"),
        (lambda c, x, r, k: c - x[r, k], 0.0, "add"),
        (lambda c, x, r, k: c * x[r, k], 1.0, "mul"),
        (lambda c, x, r, k: ct.maximum(c, x[r, k]), LEAST, "maximum"),
        (lambda c, x, r, k: ct.minimum(x[r, k], c), MOST, "minimum"),
        (lambda c, x, r, k: ct.fmax(c, x[r, k]), LEAST, "fmax"),
        (lambda c, x, r, k: ct.fmin(c, x[r, k]), MOST, "fmin"),
    ],
)
def test_a_turn_is_a_law_and_a_start_that_is_its_identity_is_none(turn, start, law):
    kernel = traced(one_loop(turn, start), x=(f32, 2), y=(f32, 2))
    (found,) = reductions(kernel)
    assert (found.law.name, found.init, found.policy) == (law, (), TREE)
    stored = next(step for step in kernel.body[0].body if not isinstance(step, Load))
    assert stored.value is found


@pytest.mark.parametrize(
    ("turn", "start", "law"),
    [
        (lambda c, x, r, k: c | (x[r, k] > 0), False, "any"),
        (lambda c, x, r, k: (x[r, k] > 0) & c, True, "all"),
    ],
)
def test_truths_are_laws_of_truths(turn, start, law):
    found = only(turn, start, ct.bool_)
    assert found.law.name == law


def test_integers_begin_with_the_least_of_their_type():
    def turn(c, x, r, k):
        return ct.maximum(c, x[r, k])

    start = np.iinfo(np.int32).min
    kernel = traced(one_loop(turn, int(start), dtype=i32), x=(i32, 2), y=(i32, 2))
    assert not any(isinstance(at, Map) for at in values(kernel))


def test_another_start_is_merged_with_the_reduction():
    kernel = traced(one_loop(lambda c, x, r, k: c - x[r, k], 5.0), x=(f32, 2), y=(f32, 2))
    (merge,) = [at for at in values(kernel) if isinstance(at, Map) and at.fn == "add"]
    start, total = merge.args
    assert isinstance(start, Const)
    assert start.value == 5.0
    assert isinstance(total, Reduce)
    assert total.args[0].fn == "neg"


def test_what_is_carried_says_what_is_accumulated_in():
    assert only(lambda c, x, r, k: c + x[r, k], 0.0, f16).accumulate == f16
    kernel = traced(one_loop(lambda c, x, r, k: c + x[r, k], 0.0), x=(f16, 2), y=(f16, 2))
    assert reductions(kernel)[0].accumulate == f32


@pytest.mark.parametrize("policy", ["ordered_tree", "reproducible"])
def test_policy_and_scope_are_those_of_the_reduction(policy):
    found = only(lambda c, x, r, k: c + x[r, k], 0.0, policy=policy, scope="subgroup")
    assert (found.policy, found.scope) == (policy, "subgroup")


def test_without_a_policy_a_loop_stays_a_loop():
    def turn(c, x, r, k):
        return c + x[r, k]

    made = traced(one_loop(turn, 0.0, policy="fold_left"), x=(f32, 2), y=(f32, 2))
    assert not reductions(made)
    assert any(isinstance(step, Serial) for step in effects(made.body))


def test_turns_lie_along_an_axis_of_their_own_where_the_body_spans_the_loops():
    def kernel(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            row, c = x[r, cols], ct.carry(0.0)
            for k in ct.serial(cols, policy=TREE):
                c.value += ct.reduce(row * x[r, k], cols, ct.add)
            y[r, 0] = c.value

    inner, outer = reductions(traced(kernel, x=(f32, 2), y=(f32, 2)))
    assert inner.over != outer.over
    assert inner.axes == outer.over


def test_a_step_is_an_axis_of_every_so_many_that_loops_share():
    def kernel(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            top, total = ct.carry(LEAST, ct.f32), ct.carry(0.0)
            for k in ct.serial(cols, 3, policy=TREE):
                top.value = ct.maximum(top.value, x[r, k])
            for k in ct.serial(cols, 3, policy=TREE):
                total.value += ct.exp(x[r, k] - top.value)
            y[r, 0] = total.value

    made = ct.tile_kernel(kernel).tile_ir({"x": Shaped(f32, (2, 10)), "y": Shaped(f32, (2, 1))})
    first, second = reductions(made)
    assert first.over == second.over
    assert first.over[0].extent == 4
    assert {at.axis for at in values(made) if isinstance(at, Iota)} == set(first.over)


TERMS = {
    "element": lambda x, w, index, row, r, k: x[r, k],
    "product": lambda x, w, index, row, r, k: x[r, k] * w[k],
    "the same": lambda x, w, index, row, r, k: w[0],
    "coordinate": lambda x, w, index, row, r, k: ct.cast(k, ct.f32) - 2.0,
    "masked": lambda x, w, index, row, r, k: x.tile(
        ct.coord(r, k + 2), ct.shape(1, 1), bounds="zero", fill=3.0
    ).load(),
    "gathered": lambda x, w, index, row, r, k: x[r, index[k]],
    "selected": lambda x, w, index, row, r, k: ct.where(k < 3, x[r, k], w[k]),
    "picked": lambda x, w, index, row, r, k: ct.gather(row, 4 - k, row.axes[0], fill=1.0),
    "counted": lambda x, w, index, row, r, k: ct.reduce(
        ct.where(row < x[r, k], 1.0, 0.0), row.axes[0], ct.add
    ),
}
MERGES = {
    "add": lambda c, f: c + f,
    "sub": lambda c, f: c - f,
    "mul": lambda c, f: f * c,
    "maximum": lambda c, f: ct.maximum(f, c),
    "fmin": ct.fmin,
}
STARTS = {"add": 0.0, "sub": 0.0, "mul": 1.0, "maximum": LEAST, "fmin": MOST}
# Sums and products of these are exact in any order, and so are those with infinities and NaN.
ELEMENTS = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 2.0, 2.0, LEAST, MOST, math.nan])


@st.composite
def loops(draw):
    """Loops of random turns: for each carried value a merge, terms and a start."""
    carried = []
    for merge in draw(st.lists(st.sampled_from(list(MERGES)), min_size=1, max_size=3)):
        terms = draw(st.lists(st.sampled_from(list(TERMS)), min_size=1, max_size=2))
        start = draw(st.sampled_from([STARTS[merge], 3.0]))
        carried.append((merge, tuple(terms), start))
    return tuple(carried), draw(st.sampled_from([1, 1, 2, 3]))


def program(loop, policy):
    carried, step = loop

    def kernel(x, w, index, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            row = x[r, cols]
            held = [ct.carry(start, ct.f32) for _, _, start in carried]
            for k in ct.serial(cols, step, policy=policy):
                for at, (merge, terms, _) in zip(held, carried, strict=True):
                    found = [TERMS[term](x, w, index, row, r, k) for term in terms]
                    at.value = functools.reduce(MERGES[merge], found, at.value)
            for place, at in enumerate(held):
                y[r, place] = at.value

    return ct.tile_kernel(kernel)


@given(loop=loops(), count=st.integers(0, 6), data=st.data())
@settings(max_examples=60, deadline=None)
def test_regrouped_turns_give_what_turns_in_order_give_where_both_are_exact(loop, count, data):
    drawn = data.draw(st.lists(ELEMENTS, min_size=2 * count, max_size=2 * count))
    given = {
        "x": np.asarray(drawn, np.float32).reshape(2, count),
        "w": np.asarray([1.0, -1.0, 2.0, 0.0, 1.0, -2.0, 1.0], np.float32),
        "index": np.arange(count, dtype=np.int32)[::-1].copy(),
    }
    outcomes = []
    for policy in ("fold_left", TREE):
        arrays = {**given, "y": np.zeros((2, 3), np.float32)}
        described = {
            name: Shaped(i32 if name == "index" else f32, array.shape)
            for name, array in arrays.items()
        }
        run(program(loop, policy).tile_ir(described), arrays)
        outcomes.append(arrays["y"])
    np.testing.assert_array_equal(*outcomes)


def test_compiled_loops_of_narrow_types_begin_where_the_author_says():
    @ct.tile_kernel
    def loops(x: ct.View, y: ct.View):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            total, top, many = ct.carry(7, ct.i8), ct.carry(3, ct.i8), ct.carry(False)
            for k in ct.serial(cols, 2, policy=TREE):
                total.value -= x[r, k]
                top.value = ct.maximum(x[r, k], top.value)
                many.value = many.value | (x[r, k] > 100)
            y[r, 0], y[r, 1], y[r, 2] = total.value, top.value, ct.cast(many.value, ct.i8)

    x = np.random.default_rng(2).integers(-128, 128, (9, 53)).astype(np.int8)
    x[0] = -5
    y = np.empty((9, 3), np.int8)
    loops(x, y)
    read = x[:, ::2].astype(np.int64)
    wrapped = (7 - read.sum(axis=1)).astype(np.int8)
    expected = [wrapped, np.maximum(read.max(axis=1), 3), (read > 100).any(axis=1)]
    np.testing.assert_array_equal(y, np.stack(expected, axis=1))


def stored(c, x, r, k):
    x[r, k] = 0.0
    return c + 1.0


def inner_loop(c, x, r, k):
    held = ct.carry(c)
    for d in ct.serial(ct.axis("inner", 3)):
        held.value += x[r, d]
    return held.value


def inner_instances(c, x, r, k):
    for d in ct.parallel(ct.axis("inner", 3)):
        x[r, d] = 0.0
    return c + 1.0


def filled(c, x, r, k):
    return c + x.tile(ct.coord(r, k + 1), ct.shape(1, 1), bounds="zero", fill=x[r, k]).load()


@pytest.mark.parametrize(
    ("turn", "message", "hint"),
    [
        (stored, "it stores", "store what was carried after the loop"),
        (inner_loop, "a loop inside it keeps its order", "give the inner loop a policy"),
        (inner_instances, "it holds a parallel loop", "in order"),
        (filled, "a fill differs from turn to turn", "in order"),
        (lambda c, x, r, k: x[r, k], "ends with load", "c.value + f"),
        (lambda c, x, r, k: x[r, k] + 1.0, "does not merge into", "c.value + f"),
        (lambda c, x, r, k: x[r, k] - c, "does not merge into", "c.value + f"),
        (lambda c, x, r, k: c + c * x[r, k], "reads the carried value", "reads no carried"),
        (lambda c, x, r, k: c * 0.5 + x[r, k], "by mul and by add", "one law"),
        (lambda c, x, r, k: c / x[r, k], "ends with div", "after the loop"),
        (lambda c, x, r, k: ct.where(x[r, k] > c, x[r, k], c), "ends with where", "ct.argmax"),
        (
            lambda c, x, r, k: ct.cast(ct.cast(c, ct.f64) + 1.0, ct.f32),
            "ends with cast",
            "dtype=",
        ),
    ],
)
def test_what_is_no_merge_is_refused_at_the_loop(turn, message, hint):
    with pytest.raises(KernelError, match="K038") as caught:
        traced(one_loop(turn, 0.0), x=(f32, 2), y=(f32, 2))
    assert message in str(caught.value)
    assert hint in str(caught.value)
    assert caught.value.loc.line == one_loop.__code__.co_firstlineno + 7


def test_a_turn_that_reads_another_carried_value_is_refused():
    def running(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            total, sums = ct.carry(0.0), ct.carry(0.0)
            for k in ct.serial(cols, policy=TREE):
                total.value += x[r, k]
                sums.value += total.value
            y[r, 0] = sums.value

    with pytest.raises(KernelError, match="depends on a carried value") as caught:
        traced(running, x=(f32, 2), y=(f32, 2))
    assert caught.value.code == "K038"
    assert "ct.scan" in str(caught.value)


def test_a_place_that_a_carried_value_names_is_refused():
    def chased(x, y):
        rows, cols = rows_of(x)
        for r in ct.parallel(rows):
            at, total = ct.carry(0, ct.i32), ct.carry(0.0)
            for _ in ct.serial(cols, policy=TREE):
                total.value += x[r, at.value]
                at.value += 1
            y[r, 0] = total.value

    with pytest.raises(KernelError, match="loads or merges depends on a carried value"):
        traced(chased, x=(f32, 2), y=(f32, 2))


@pytest.mark.parametrize("policy", ["fold_right", "tree", None])
def test_what_is_no_policy_of_a_loop_is_refused(policy):
    with pytest.raises(KernelError, match="is no policy of a loop") as caught:
        traced(one_loop(lambda c, x, r, k: c, 0.0, policy=policy), x=(f32, 2), y=(f32, 2))
    assert caught.value.code == "K022"
