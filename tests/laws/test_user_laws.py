"""Laws that an author writes: what they compute, how they are tested, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import certile as ct
from certile.ir.dtypes import f32, i32
from certile.ir.laws import MEAN_VAR, Component, Law
from certile.ir.parser import parse_kernel
from certile.ir.printer import print_kernel
from certile.ir.terms import Var, app
from certile.reference.counterexample import counterexample
from tests.cases.everywhere import refused
from tests.unit.frontend.test_trace import traced

POLICIES = ("unordered_tree", "ordered_tree", "fold_left", "fold_right", "reproducible")
TARGETS = ("cpu", "reference", "metal-sim")


@ct.law
class Moments:
    """The number of elements, their sum, and the sum of squares in f32 whatever is accumulated."""

    state = {"count": ct.i64, "total": "acc", "squares": ct.f32}  # noqa: RUF012 - as authors write

    @staticmethod
    def identity():
        return 0, 0, 0.0

    @staticmethod
    def lift(x):
        return {"total": x, "count": 1, "squares": ct.cast(x, ct.f32) * ct.cast(x, ct.f32)}

    @staticmethod
    def merge(a, b):
        return a.count + b.count, a.total + b.total, a["squares"] + b["squares"]

    @staticmethod
    def finalize(s):
        return s.count, s.total, s.squares / s.count

    @staticmethod
    def invariants(s):
        return s.count >= 0, s.squares >= 0


@ct.law
class Affine:
    """The composition of maps x -> scale · x + shift, first to last."""

    state = {"scale": "acc", "shift": "acc"}  # noqa: RUF012 - as authors write
    commutative = False

    @staticmethod
    def identity():
        return 1.0, 0.0

    @staticmethod
    def lift(scale, shift):
        return scale, shift

    @staticmethod
    def merge(a, b):
        return a.scale * b.scale, a.shift * b.scale + b.shift

    @staticmethod
    def finalize(s):
        return s.scale, s.shift


@ct.law
class LastPositive:
    """Where the last positive element stands, or -1."""

    state = {"at": "index", "found": ct.bool_}  # noqa: RUF012 - as authors write

    @staticmethod
    def identity():
        return -1, False

    @staticmethod
    def lift(x, *, index):
        return ct.where(x > 0, index, -1), x > 0

    @staticmethod
    def merge(a, b):
        return ct.maximum(a.at, b.at), a.found | b.found

    @staticmethod
    def finalize(s):
        return ct.where(s.found, s.at, -1)


def reducing(law, count, **options):
    """A kernel that reduces the rows of x (and w) and stores each result."""

    @ct.tile_kernel
    def kernel(x, w, y0, y1, y2):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            given = (x[r, cols], w[r, cols]) if count == 2 else x[r, cols]
            made = ct.reduce(given, cols, law, **options)
            results = made if type(made) is tuple else (made,)
            for view, value in zip((y0, y1, y2), results, strict=False):
                view[r] = value

    return kernel


@pytest.mark.parametrize("policy", POLICIES)
def test_a_state_of_several_dtypes(policy):
    x = np.random.default_rng(0).integers(-9, 9, (3, 150)).astype(np.int32)
    kernel = reducing(Moments, 1, policy=policy)
    for target in TARGETS:
        counts, totals = np.zeros(3, np.int64), np.zeros(3, np.int32)
        squares = np.zeros(3, np.float32)
        with ct.target(target):
            kernel(x, x, counts, totals, squares)
        assert (counts == 150).all()
        assert (totals == x.sum(axis=1)).all()
        np.testing.assert_allclose(squares, (x * x).mean(axis=1), rtol=1e-6)


@pytest.mark.parametrize("policy", ["ordered_tree", "fold_left"])
def test_a_law_that_keeps_order(policy):
    random = np.random.default_rng(1)
    scale = random.choice([0.5, 1.0, -1.0], (3, 70)).astype(np.float32)
    shift = random.integers(-3, 4, (3, 70)).astype(np.float32)
    wanted = np.zeros(3)
    for k in range(70):
        wanted = wanted * scale[:, k] + shift[:, k]
    kernel = reducing(Affine, 2, policy=policy)
    for target in TARGETS:
        scales, shifts = np.zeros(3, np.float32), np.zeros(3, np.float32)
        with ct.target(target):
            kernel(scale, shift, scales, shifts, np.zeros(3, np.float32))
        np.testing.assert_allclose(scales, scale.astype(float).prod(axis=1), rtol=1e-6)
        np.testing.assert_allclose(shifts, wanted, rtol=1e-5)


def test_a_law_that_knows_places_and_conditions():
    x = np.full((3, 90), -1.0, np.float32)
    x[0, [3, 71, 89]], x[1, 0] = 1.0, 2.0
    kernel = reducing(LastPositive, 1)
    for target in TARGETS:
        y = np.zeros(3, np.int64)
        with ct.target(target):
            kernel(x, x, y, y.copy(), y.copy())
        assert y.tolist() == [89, 0, -1]


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32])
def test_a_condition_that_a_type_decides(dtype):
    """No integer is a NaN: the condition is a literal then, and no number."""
    law = law_of(lift=lambda x: ct.where(ct.isnan(x), 7, x), identity=lambda: 0)
    x = np.arange(3 * 90).reshape(3, 90).astype(dtype)
    wanted = x.sum(axis=1, dtype=np.int64)
    if dtype == np.float32:
        x[0, 5], wanted[0] = np.nan, wanted[0] + 2
    kernel = reducing(law, 1)
    for target in TARGETS:
        y = np.zeros(3, np.float32 if dtype == np.float32 else np.int64)
        with ct.target(target):
            kernel(x, x, y, y.copy(), y.copy())
        assert (y == wanted).all(), target


def test_a_scan_by_a_law():
    scale, shift = np.full((1, 6), 2.0, np.float32), np.arange(6, dtype=np.float32)[None]

    @ct.tile_kernel
    def kernel(x, w, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            _, y[r, cols] = ct.scan((x[r, cols], w[r, cols]), cols, Affine)

    y = np.zeros((1, 6), np.float32)
    with ct.target("cpu"):
        kernel(scale, shift, y)
    assert y.tolist() == [[0, 1, 4, 11, 26, 57]]


def test_a_law_is_printed_and_parsed():
    def kernel(x, y):
        for r in ct.parallel(ct.axis("rows", x.shape[0])):
            cols = ct.axis("cols", x.shape[1])
            y[r] = ct.reduce(x[r, cols], cols, Moments)[2]

    made = traced(kernel, (i32, 2), (f32, 1)).kernel
    text = print_kernel(made)
    assert '["squares", "f32"]' in text
    assert print_kernel(parse_kernel(text)) == text


def test_a_law_that_reads_a_global_is_traced_again_when_it_changes():
    @ct.law
    class Scaled:
        state = {"s": "acc"}  # noqa: RUF012 - as authors write

        @staticmethod
        def identity():
            return 0.0

        @staticmethod
        def lift(x):
            return x * SCALE[0]

        @staticmethod
        def merge(a, b):
            return a.s + b.s

        @staticmethod
        def finalize(s):
            return s.s

    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, Scaled)

    x, y = np.ones((2, 8), np.float32), np.zeros(2, np.float32)
    for scale in (2.0, 3.0):
        SCALE[0] = scale
        kernel(x, y)
        assert (y == 8 * scale).all()


SCALE = [1.0]


# What is refused.


def law_of(**parts):
    """A law of one component `s` whose parts are replaced."""
    plain = {
        "state": {"s": "acc"},
        "identity": lambda: 0.0,
        "lift": lambda x: x,
        "merge": lambda a, b: a.s + b.s,
        "finalize": lambda s: s.s,
    }
    kept = {name: part for name, part in (plain | parts).items() if part is not None}
    wrapped = {k: staticmethod(p) if callable(p) else p for k, p in kept.items()}
    return ct.law(type("Mine", (), wrapped))


def use(law, dtype=np.float32, **options):
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.cast(ct.reduce(x[r, cols], cols, law, **options), ct.f32)

    with ct.target("null"):
        kernel(np.zeros((2, 5), dtype), np.zeros(2, np.float32))


@pytest.mark.parametrize("part", ["state", "identity", "lift", "merge", "finalize"])
def test_a_law_lacks_a_part(part):
    assert part in refused("K040", law_of, **{part: None})


@pytest.mark.parametrize(
    "parts",
    [
        {"state": {}},
        {"state": {"_s": "acc"}},
        {"state": ["s"]},
        {"merge": lambda self, a, b: a.s},
        {"lift": lambda *xs: xs[0]},
        {"identity": lambda s: s},
        {"finalize": 3},
        {"invariants": True},
        {"commutative": 1},
    ],
    ids=lambda parts: next(iter(parts)),
)
def test_a_law_whose_parts_are_no_parts(parts):
    refused("K040", law_of, **parts)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"merge": lambda a, b: a.t + b.s}, "no state component t"),
        ({"merge": lambda a, b: (a.s, b.s)}, "gives 2 value(s) for the state (s)"),
        ({"merge": lambda a, b: {"t": a.s}}, "component"),
        ({"merge": lambda a, b: ct.cast(a.s, ct.f64)}, "gives f64 for s, which is f32"),
        ({"state": {"s": "f128"}}, "'f128'"),
        ({"state": {"s": ct.f8e4m3}}, "f8e4m3"),
        ({"state": {"s": ct.i32}, "lift": lambda x: x}, "gives f32 for s, which is i32"),
        ({"invariants": lambda s: s.s}, "conditions"),
        ({"finalize": lambda s: ()}, "gives nothing"),
        ({"merge": lambda a, b: ct.bitcast(a.s, ct.i32)}, "uses something besides"),
    ],
    ids=lambda item: item if isinstance(item, str) else "law",
)
def test_a_method_does_not_fit_the_state(parts, said):
    assert said in refused("K041", use, law_of(**parts))


def test_a_method_whose_term_is_too_large():
    def squared(times):
        def lift(x):
            for _ in range(times):
                x = x * x - x
            return x

        return lift

    # Every step doubles what a reader of the term goes through.
    assert "more than 2000 operations" in refused("K041", use, law_of(lift=squared(40)))
    assert "nests more than 100" in refused("K041", use, law_of(lift=squared(3_000)))


def test_a_condition_on_a_state_is_no_python_condition():
    law = law_of(merge=lambda a, b: a.s if a.s > b.s else b.s)
    assert "ct.where" in refused("K002", use, law)


def test_a_law_that_reads_what_is_around_it():
    @ct.tile_kernel
    def kernel(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            first = y[r]
            law = law_of(lift=lambda x: x + first)  # noqa: B023 - used in this round only
            y[r] = ct.reduce(x[r, cols], cols, law)

    text = refused("K041", kernel, np.zeros((2, 5), np.float32), np.zeros(2, np.float32))
    assert "besides its arguments" in text


def test_order_is_not_given_up():
    law = law_of(merge=lambda a, b: b.s, commutative=False)
    for policy in ("unordered_tree", "reproducible"):
        assert "ordered_tree" in refused("K020", use, law, policy=policy)


# The test of a law.


@pytest.mark.parametrize(
    ("parts", "claim"),
    [
        ({"identity": lambda: 1.0}, "merge(identity, a) is a"),
        ({"merge": lambda a, b: (a.s + b.s) / 2}, "merge(identity, a) is a"),
        ({"merge": lambda a, b: a.s - b.s}, "merge(identity, a) is a"),
        ({"merge": lambda a, b: b.s - a.s * 0}, "merge(a, identity) is a"),
        ({"merge": lambda a, b: ct.sqrt(a.s * a.s + b.s * b.s) * ct.sign(a.s + b.s)}, "merge"),
        ({"merge": lambda a, b: ct.where(a.s == 0, b.s, a.s)}, "merge(a, b) is merge(b, a)"),
        ({"invariants": lambda s: s.s > 0}, "the invariants hold"),
    ],
)
def test_a_wrong_law_is_refused_with_the_lists(parts, claim):
    text = refused("K042", use, law_of(**parts))
    assert claim in text
    assert "a is the state of [" in text
    assert "the sides are (" in text


def test_rounding_differences_are_none_and_integers_are_exact():
    use(law_of(merge=lambda a, b: (a.s * 3 + b.s * 3) / 3))
    half = law_of(
        identity=lambda: 0, merge=lambda a, b: (a.s // 2 + b.s // 2) * 2 + a.s % 2 + b.s % 2
    )
    use(half, np.int32)
    truncating = law_of(identity=lambda: 0, merge=lambda a, b: (a.s + b.s) // 2 * 2)
    assert "not always" in refused("K042", use, truncating, np.int32)


def test_a_fold_needs_no_test():
    use(law_of(merge=lambda a, b: a.s - b.s), policy="fold_left")


def test_a_law_of_integers_is_tried_with_unsigned_ones():
    use(law_of(identity=lambda: 0), np.uint8)


def test_the_test_has_no_objection_to_a_law_that_is_proved_by_others():
    assert counterexample(MEAN_VAR, f32) is None
    wrong = Law(
        "wrong", (Component("s"),), (app("neg", 1.0),), (Var("x"),), (Var("a.s"),), (Var("s"),)
    )
    assert counterexample(wrong, f32) is not None
