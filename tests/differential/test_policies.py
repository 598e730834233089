"""Reduction policies: each gives its own tree, whatever the plan and the target.

The reproducible tree and the folds are bit-equal everywhere; an ordered tree keeps the order of
leaves and stays shallow.
"""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from certile import reference
from certile.ir import laws
from certile.ir.build import Builder, dim
from certile.ir.dtypes import BY_NAME, bf16, f16, f32, i32, i64
from certile.ir.laws import Component, Law
from certile.ir.terms import Lit, Var, app
from certile.plan.mapping import Mapping
from certile.reference.machine_numeric import storage
from certile.targets.cpu import CPU_AVX2, CPU_AVX512, CPU_NEON
from tests import kernels
from tests.differential.harness import HOST_SHEET, REFERENCE, SHEETS, Case

METAL = SHEETS["metal"]
CPUS = tuple(s for s in (CPU_AVX512, CPU_AVX2, CPU_NEON) if s.lanes <= HOST_SHEET.lanes)
LENGTHS = (1, 31, 127, 128, 129, 257, 1025, 4095, 4097, 12289)
ROWS = 3

# Joins texts, as far as numbers can: a state is a value and a power of its base, modulo 2**32.
# Associative and not commutative, so a tree that swaps two leaves gives another number.
HASH = Law(
    name="hash",
    state=(Component("h"), Component("p")),
    identity=(Lit(0), Lit(1)),
    lift=(Var("x"), Lit(31)),
    merge=(app("add", app("mul", "a.h", "b.p"), "b.h"), app("mul", "a.p", "b.p")),
    finalize=(Var("h"),),
    commutative=False,
)
# Counts merges on the longest way from a leaf to the result; one with no leaves (-1) changes
# nothing and does not count.
DEPTH = Law(
    name="depth",
    state=(Component("d"),),
    identity=(Lit(-1),),
    lift=(Lit(0),),
    merge=(
        app(
            "where",
            app("lt", "a.d", 0),
            "b.d",
            app(
                "where",
                app("lt", "b.d", 0),
                "a.d",
                app("add", app("maximum", "a.d", "b.d"), 1),
            ),
        ),
    ),
    finalize=(Var("d"),),
)


def rows_of(x, law, policy, out=f32):
    dtype = next(d for d in BY_NAME.values() if storage(d) == x.dtype)
    kernel = kernels.sum_rows(dtype, policy, law, out)
    y = np.zeros(x.shape[0], storage(out))
    return Case(kernel, {"x": x, "y": y})


def on_machine(case, mapping, sheet=METAL):
    case = case.copy()
    lowered = case.lower(sheet, mapping)
    assert lowered is not None, mapping
    for report in case.run_machine(lowered):
        assert report.ok, report
    return case.outputs()


def on_cpu(case, mapping, sheet):
    case = case.copy()
    case.run_cpu(case.lower(sheet, mapping))
    return case.outputs()


def interpreted(case):
    case = case.copy()
    reference.run(case.kernel, case.arguments)
    return case.outputs()


def equal(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def spread(rows, length, seed=0):
    """Floats of many magnitudes, so that each order rounds in its own way."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, length)) * np.exp2(rng.integers(-12, 12, (rows, length)))
    return x.astype(np.float32)


REPRODUCIBLE = [Mapping("subgroup", s, q) for s, q in product((1, 2, 4), (1, 3))]


def tree_of_the_language(x):
    """The reproducible sum, written down once more: blocks, 128 accumulators, fixed distances."""
    blocks = []
    for start in range(0, len(x), 4096):
        held = [np.float32(0)] * 128
        for k, leaf in enumerate(x[start : start + 4096]):
            held[k % 128] = np.float32(held[k % 128] + leaf)
        lanes = list(range(128))
        for distance in (16, 8, 4, 2, 1, 64, 32):
            lanes = [lane for lane in lanes if not lane & distance]
            for lane in lanes:
                held[lane] = np.float32(held[lane] + held[lane | distance])
        blocks.append(held[0])

    def join(parts):
        if len(parts) == 1:
            return parts[0]
        half = 1 << ((len(parts) - 1).bit_length() - 1)
        return np.float32(join(parts[:half]) + join(parts[half:]))

    return join(blocks)


@pytest.mark.parametrize("length", LENGTHS)
def test_the_reproducible_sum_is_one_tree_everywhere(length):
    case = rows_of(spread(ROWS, length), laws.ADD, "reproducible")
    want = {"y": np.array([tree_of_the_language(row) for row in case.arguments["x"]])}
    equal(interpreted(case), want)
    for mapping in (*REPRODUCIBLE, REFERENCE):
        equal(on_machine(case, mapping), want)
    for sheet in CPUS:
        equal(on_cpu(case, Mapping("subgroup", accumulators=128 // sheet.lanes), sheet), want)
    equal(on_cpu(case, REFERENCE, HOST_SHEET), want)


@pytest.mark.parametrize("length", [33, 1025, 8193])
@pytest.mark.parametrize("name", ["mean_var", "argmax", "mul", "f16", "bf16", "i64", "kept_nan"])
def test_reproducible_laws_and_dtypes(name, length):
    """Whatever the state: bits of the interpreter, in every plan and on every vector width."""
    x = spread(ROWS, length, 1)
    match name:
        case "mean_var":
            both = np.zeros(ROWS, np.float32)
            case = Case(
                kernels.mean_var(policy="reproducible"), {"x": x, "mean": both, "var": both.copy()}
            )
        case "argmax":
            case = rows_of(np.round(x), laws.ARGMAX, "reproducible", i64)
        case "mul":
            case = rows_of(1 + x / 2**20, laws.MUL, "reproducible")
        case "i64":
            case = rows_of((x * 100).astype(np.int64), laws.ADD, "reproducible", i64)
        case "kept_nan":
            x[1, length // 2] = np.nan
            case = rows_of(x, laws.MAXIMUM, "reproducible")
        case _:
            case = rows_of(x.astype(storage(BY_NAME[name])), laws.ADD, "reproducible")
    want = interpreted(case)
    for mapping in (*REPRODUCIBLE, REFERENCE):
        equal(on_machine(case, mapping), want)
    for sheet in CPUS:
        equal(on_cpu(case, Mapping("subgroup", accumulators=128 // sheet.lanes), sheet), want)


def test_the_planner_gives_reproducible_programs_the_same_tree():
    case = rows_of(spread(ROWS, 9000), laws.ADD, "reproducible")
    want = interpreted(case)
    for sheet in (METAL, SHEETS["cuda"], HOST_SHEET):
        equal(on_machine(case, None, sheet), want)


ORDERED = [
    Mapping("subgroup", s, q, v) for s, q, v in product((1, 2, 3, 8, 32), (1, 2), (1, 2, 4, 8))
    if s * q <= 32
]  # fmt: skip


@pytest.mark.parametrize("length", [1, 2, 33, 257, 1025, 5001])
def test_an_ordered_tree_keeps_the_order_of_leaves(length):
    rng = np.random.default_rng(length)
    x = rng.integers(-(2**31), 2**31, (ROWS, length)).astype(np.int32)
    case = rows_of(x, HASH, "ordered_tree", i32)
    want = np.zeros(ROWS, np.int64)
    for column in x.T:
        want = (want * 31 + column) & (2**32 - 1)
    want = {"y": want.astype(np.uint32).view(np.int32)}
    equal(interpreted(case), want)
    for mapping in (*ORDERED, REFERENCE):
        equal(on_machine(case, mapping), want)
    for sheet in CPUS:
        equal(on_cpu(case, Mapping("subgroup"), sheet), want)


@pytest.mark.parametrize("length", [1, 7, 31, 33, 100, 257, 1025, 4097, 9001])
def test_an_ordered_tree_is_shallow(length):
    """At most ceil(log2 n) + 8 merges above a leaf, counted by a law that does nothing else."""
    limit = (length - 1).bit_length() + 8
    case = rows_of(np.zeros((1, length), np.int32), DEPTH, "ordered_tree", i32)
    alone = [mapping for mapping in ORDERED if mapping.programs_per_group == 1]
    plans = [(METAL, mapping) for mapping in (*alone, REFERENCE)]
    plans += [(sheet, mapping) for sheet in CPUS for mapping in (Mapping("subgroup"), REFERENCE)]
    for sheet, mapping in plans:
        depth = int(on_machine(case, mapping, sheet)["y"][0])
        assert (length - 1).bit_length() <= depth <= limit, (sheet.name, mapping, depth)


def test_the_depth_law_sees_a_deep_tree():
    case = rows_of(np.zeros((1, 1000), np.int32), DEPTH, "fold_left", i32)
    assert on_machine(case, REFERENCE)["y"][0] == 999


SUBTRACT = Law(
    name="subtract",
    state=(Component("s"),),
    identity=None,
    lift=(Var("x"),),
    merge=(app("sub", "a.s", "b.s"),),
    finalize=(Var("s"),),
    commutative=False,
)


def fold_case(x, policy, start):
    b = Builder("folded")
    source, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows, cols = b.axis("rows", dim(source, 0)), b.axis("cols", dim(source, 1))
    with b.parallel(rows):
        leaves = b.load(source, rows, cols)
        b.store(y, rows, b.reduce(leaves, cols, SUBTRACT, policy=policy, init=[start]))
    return Case(b.build(), {"x": x, "y": np.zeros(x.shape[0], np.float32)})


@pytest.mark.parametrize("length", [0, 1, 3, 33, 300])
@pytest.mark.parametrize("policy", ["fold_left", "fold_right"])
def test_folds_go_from_their_side(policy, length):
    x = spread(ROWS, length, 4)
    want = []
    for row in x:
        state = np.float32(0.25)
        for leaf in row if policy == "fold_left" else row[::-1]:
            state = state - leaf if policy == "fold_left" else leaf - state
        want.append(state)
    case = fold_case(x, policy, 0.25)
    want = {"y": np.array(want, np.float32)}
    equal(interpreted(case), want)
    equal(on_machine(case, None), want)
    equal(on_cpu(case, None, HOST_SHEET), want)


def test_the_folds_of_one_two_three():
    for policy, want in (("fold_left", -6.0), ("fold_right", 2.0)):
        case = fold_case(np.array([[1, 2, 3]], np.float32), policy, 0.0)
        assert on_cpu(case, None, HOST_SHEET)["y"].tolist() == [want]


@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "reproducible"])
@pytest.mark.parametrize("dtype", [f16, bf16], ids=str)
def test_narrow_leaves_are_widened_first(policy, dtype):
    """2049 ones have an f32 sum that f16 and bf16 cannot count up to."""
    case = rows_of(np.ones((1, 2049), storage(dtype)), laws.ADD, policy)
    for mapping in (Mapping("subgroup"), REFERENCE):
        assert on_machine(case, mapping)["y"][0] == 2049
    assert on_cpu(case, None, HOST_SHEET)["y"][0] == 2049


@pytest.mark.parametrize("policy", ["unordered_tree", "ordered_tree", "reproducible"])
@pytest.mark.parametrize(
    ("law", "empty"),
    [(laws.ADD, 0.0), (laws.MUL, 1.0), (laws.MAXIMUM, -np.inf), (laws.LOGSUMEXP, -np.inf)],
    ids=lambda value: getattr(value, "name", None),
)
def test_an_empty_axis_gives_the_identity(policy, law, empty):
    case = rows_of(np.zeros((ROWS, 0), np.float32), law, policy)
    want = {"y": np.full(ROWS, empty, np.float32)}
    equal(interpreted(case), want)
    equal(on_machine(case, None), want)
    equal(on_cpu(case, None, HOST_SHEET), want)


def test_a_start_value_is_merged_once():
    b = Builder("started")
    x, y = b.view("x", f32, 2), b.view("y", f32, 1)
    rows, cols = b.axis("rows", dim(x, 0)), b.axis("cols", dim(x, 1))
    with b.parallel(rows):
        total = b.reduce(b.load(x, rows, cols), cols, laws.ADD, init=[100.0])
        b.store(y, rows, total)
    x = np.arange(3.0 * 70, dtype=np.float32).reshape(3, 70)
    case = Case(b.build(), {"x": x, "y": np.zeros(3, np.float32)})
    want = {"y": x.sum(1) + 100}
    for sheet in SHEETS.values():
        equal(on_machine(case, None, sheet), want)
    equal(on_cpu(case, None, HOST_SHEET), want)


@pytest.mark.parametrize(
    "name",
    ["add", "maximum", "fmax", "fmin", "absmax", "argmax", "mean_var", "logsumexp"],
)
def test_special_values_under_every_tree(name):
    """NaN and infinities at the ends, in the tail and between; masked lanes never add one."""
    law = laws.BUILTIN[name]
    length = 70
    rows = [np.zeros(length), np.full(length, -np.inf), np.full(length, np.inf)]
    for value, places in (
        (np.nan, (0, 33, 69)),
        (np.inf, (0, 40, 69)),
        (-np.inf, (0, 64, 69)),
    ):
        for place in places:
            row = np.linspace(-2, 2, length)
            row[place] = value
            rows.append(row)
    mixed = np.linspace(-2, 2, length)
    mixed[[3, 68]] = np.inf, -np.inf
    x = np.stack([*rows, mixed]).astype(np.float32)
    out = i64 if name == "argmax" else f32
    case = rows_of(x, law, "unordered_tree", out)
    want = interpreted(case)["y"]
    for policy in ("unordered_tree", "ordered_tree"):
        tried = rows_of(x, law, policy, out)
        for mapping in (Mapping("subgroup", 1), Mapping("subgroup", 3, 2, 2), REFERENCE):
            got = on_machine(tried, mapping)["y"]
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
        got = on_cpu(tried, None, HOST_SHEET)["y"]
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_a_law_that_is_renamed_is_not_another_tree():
    """Nothing in lowering knows a law by its name."""
    x = spread(ROWS, 1000)
    renamed = replace(laws.ADD, name="plus")
    one = on_machine(rows_of(x, laws.ADD, "unordered_tree"), Mapping("subgroup", 2, 1, 2))
    equal(on_machine(rows_of(x, renamed, "unordered_tree"), Mapping("subgroup", 2, 1, 2)), one)
