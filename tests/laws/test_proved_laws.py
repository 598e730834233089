"""Laws of authors that say what they mean: read, proved, refused, remembered."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import certile as ct
from certile.frontend.alone import claimed
from certile.ir.dtypes import f32, i32
from certile.ir.laws import LOGSUMEXP, Law
from certile.ir.meanings import MEANINGS, Action, Meaning
from certile.ir.tile import Reduce
from certile.ir.walk import values
from certile.pipeline import plan_program
from certile.plan.options import Options
from certile.plan.text import plan_text
from certile.proof.check import check
from certile.proof.registry import certificate_of
from certile.search import kept
from certile.search.authors import Certified, certify
from certile.search.laws import Unproved
from certile.targets import DEFAULTS
from tests.cases.everywhere import refused
from tests.laws.test_user_laws import law_of, use
from tests.unit.frontend.test_trace import traced

INF = math.inf
LAST = 2**63 - 1


def shift(m):
    return ct.where(ct.isfinite(m), m, 0.0)


def rescaled(side, m):
    return ct.where(side.s == 0, 0.0, side.s * ct.exp(shift(side.m) - shift(m)))


def merged(a, b):
    m = ct.maximum(a.m, b.m)
    return m, rescaled(a, m) + rescaled(b, m)


def first_of(a, b):
    a_nan, b_nan = ct.isnan(a.v), ct.isnan(b.v)
    even = (a.v == b.v) | (a_nan & b_nan)
    take = (b.v > a.v) | (b_nan & ~a_nan) | (even & (b.i < a.i))
    return ct.where(take, b.v, a.v), ct.where(take, b.i, a.i)


STREAMED = {
    "state": {"m": "acc", "s": "acc"},
    "identity": lambda: (-INF, 0.0),
    "lift": lambda x: (x, ct.exp(x - shift(x))),
    "merge": merged,
    "finalize": lambda s: shift(s.m) + ct.log(s.s),
    "spec": lambda xs: ct.log(ct.list.sum(ct.list.map(ct.exp, xs))),
    "closed": lambda xs: {
        "s": ct.list.sum(ct.list.map(lambda x: ct.exp(x - shift(ct.list.max(xs))), xs))
    },
}
AVERAGE = {
    "state": {"total": "acc", "count": ct.i64},
    "identity": lambda: (0.0, 0),
    "lift": lambda x: (x, 1),
    "merge": lambda a, b: (a.total + b.total, a.count + b.count),
    "finalize": lambda s: s.total / s.count,
    "spec": lambda xs: ct.list.sum(xs) / ct.list.len(xs),
}
RECURRENCE = {
    "state": {"k": "acc", "c": "acc"},
    "commutative": False,
    "identity": lambda: (1.0, 0.0),
    "lift": lambda k, c: (k, c),
    "merge": lambda a, b: (b.k * a.k, b.k * a.c + b.c),
    "finalize": lambda s: s.c,
    "step": lambda s, k, c: (k * s.k, k * s.c + c),
}
FLAG = {"state": {"s": ct.bool_}, "finalize": lambda s: s.s}
PROVED = {
    "sum": {"spec": ct.list.sum},
    "product": {
        "identity": lambda: 1.0,
        "merge": lambda a, b: b.s * a.s,
        "spec": ct.list.prod,
    },
    "least": {
        "identity": lambda: INF,
        "merge": lambda a, b: ct.minimum(a.s, b.s),
        "spec": ct.list.min,
    },
    "greatest size": {
        "lift": ct.abs,
        "merge": lambda a, b: ct.maximum(a.s, b.s),
        "spec": lambda xs: ct.maximum(0.0, ct.list.max(ct.list.map(ct.abs, xs))),
    },
    "positive ones": {
        "lift": lambda x: ct.where(x > 0, x, 0.0),
        "spec": lambda xs: ct.list.sum(ct.list.filter(lambda x: x > 0, xs)),
    },
    "how many are large": {
        "lift": lambda x: ct.where((x > 2) & (x < 9), 1.0, 0.0),
        "spec": lambda xs: ct.list.len(
            ct.list.filter(lambda x: x < 9, ct.list.filter(lambda x: x > 2, xs))
        ),
    },
    "how many hold": {
        "lift": lambda x: ct.where(x > 2, 1.0, 0.0),
        "spec": lambda xs: ct.list.sum(ct.list.map(lambda x: x > 2, xs)),
    },
    "some": FLAG
    | {
        "identity": lambda: False,
        "lift": lambda x: x > 2,
        "merge": lambda a, b: a.s | b.s,
        "spec": lambda xs: ct.list.any(ct.list.map(lambda x: x > 2, xs)),
    },
    "every": FLAG
    | {
        "identity": lambda: True,
        "lift": lambda x: x > 2,
        "merge": lambda a, b: a.s & b.s,
        "spec": lambda xs: ct.list.all(ct.list.map(lambda x: x > 2, xs)),
    },
    "average": AVERAGE,
    "streamed": STREAMED,
    # Functions without a meaning over V: alike in a result and in spec, and of an element alone.
    "length": {
        "lift": lambda x: x * x,
        "finalize": lambda s: ct.sqrt(s.s),
        "spec": lambda xs: ct.sqrt(ct.list.sum(ct.list.map(lambda x: x * x, xs))),
    },
    "sum of roots": {
        "lift": ct.sqrt,
        "spec": lambda xs: ct.list.sum(ct.list.map(ct.sqrt, xs)),
    },
    "weighted": {
        "state": {"v": "acc", "w": "acc"},
        "identity": lambda: (0.0, 0.0),
        "lift": lambda v, w: (v * w, w),
        "merge": lambda a, b: (a.v + b.v, a.w + b.w),
        "finalize": lambda s: s.v / s.w,
        "spec": lambda xs: (
            ct.list.sum(ct.list.map(lambda v, w: v * w, xs))
            / ct.list.sum(ct.list.map(lambda v, w: w, xs))
        ),
    },
    "last place": {
        "state": {"s": "index"},
        "identity": lambda: -1,
        "lift": lambda x, *, index: ct.where(x > 0, index, -1),
        "merge": lambda a, b: ct.maximum(a.s, b.s),
        "spec": lambda xs: ct.maximum(
            -1, ct.list.max(ct.list.map(lambda x, *, index: ct.where(x > 0, index, -1), xs))
        ),
    },
    "first greatest": {
        "state": {"v": "acc", "i": "index"},
        "identity": lambda: (-INF, LAST),
        "lift": lambda x, *, index: (x, index),
        "merge": lambda a, b: first_of(a, b),
        "finalize": lambda s: s.i,
        "spec": ct.list.argmax,
        "closed": lambda xs: (ct.list.max(xs), ct.list.argmax(xs)),
    },
    "recurrence": RECURRENCE,
}


def certified(parts, dtype=f32):
    claim = claimed(law_of(**parts), dtype)
    return certify(claim.law, claim.meaning)


@pytest.fixture(autouse=True)
def own_folder(cache_folder):
    """What one test proves is not what another remembers."""


@pytest.mark.parametrize("name", PROVED)
def test_what_is_said_is_proved(name):
    found = certified(PROVED[name])
    assert isinstance(found, Certified), found.text()
    assert check(found.certificate, found.law, found.meaning) is None
    any_number = {field for field, kind in found.meaning.domain.items() if kind == "any"}
    wanted = {"x1"} if name == "recurrence" else set(found.meaning.domain) - {"i"}
    assert any_number == wanted


def test_the_meaning_that_is_read():
    claim = claimed(law_of(**STREAMED), f32)
    assert claim.meaning.closed == MEANINGS["logsumexp"].closed
    assert claim.meaning.specification == MEANINGS["logsumexp"].specification
    assert (claim.law.lift, claim.law.merge) == (LOGSUMEXP.lift, LOGSUMEXP.merge)
    assert isinstance(claimed(law_of(**RECURRENCE), f32).meaning, Action)
    (static,) = claimed(law_of(**AVERAGE), f32).meaning.discharges
    assert (static.kind, static.bound) == ("static", "the range of i64")
    assert claimed(law_of(), f32) is None


WRONG = {
    "finalize": (AVERAGE | {"finalize": lambda s: s.total}, "finalize.0", "on []: 0 against nan"),
    "merge": (
        STREAMED | {"merge": lambda a, b: (ct.maximum(a.m, b.m), a.s + b.s)},
        "cat.s",
        " against ",
    ),
    "unguarded": (
        STREAMED
        | {
            "merge": lambda a, b: (
                ct.maximum(a.m, b.m),
                a.s * ct.exp(a.m - ct.maximum(a.m, b.m)) + b.s * ct.exp(b.m - ct.maximum(a.m, b.m)),
            )
        },
        "cat.s",
        "against nan",
    ),
    "identity": (PROVED["least"] | {"identity": lambda: 1e38}, "finalize.0", "on []"),
    "start of a sum": (
        {"identity": lambda: 1.0, "spec": ct.list.sum},
        "nil.s",
        "on []: 0 against 1",
    ),
    "lift": ({"lift": lambda x: x + 1, "spec": ct.list.sum}, "finalize.0", " against "),
    "difference": (
        {"merge": lambda a, b: a.s - b.s, "spec": ct.list.sum, "closed": ct.list.sum},
        "cat.s",
        " against ",
    ),
    "reckless count": (
        AVERAGE
        | {
            "merge": lambda a, b: (
                a.total + b.total,
                a.count + b.count + (a.count - 1) * (b.count - 1),
            ),
            "closed": lambda xs: {"count": ct.list.len(xs)},
        },
        "cat.count",
        " against ",
    ),
    "kept left": (
        {
            "state": {"v": "acc", "i": "index"},
            "identity": lambda: (-INF, LAST),
            "lift": lambda x, *, index: (x, index),
            "merge": lambda a, b: (
                ct.maximum(a.v, b.v),
                ct.where(b.v > a.v, b.i, a.i),
            ),
            "finalize": lambda s: s.i,
            "spec": ct.list.argmax,
            "closed": lambda xs: {"i": ct.list.argmax(xs)},
        },
        "cat.i",
        " against ",
    ),
    "step": (RECURRENCE | {"step": lambda s, k, c: (k * s.k, s.c + c)}, "one.c", " against "),
    "backwards": (
        RECURRENCE | {"merge": lambda a, b: (b.k * a.k, a.k * b.c + a.c)},
        "one.c",
        " against ",
    ),
    "unordered": (RECURRENCE | {"commutative": True}, "unordered.c", " against "),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_with_the_obligation(name):
    parts, obligation, shown = WRONG[name]
    found = certified(parts)
    assert isinstance(found, Unproved)
    assert found.obligation == obligation
    assert shown in found.shown
    assert found.notes()[0].startswith("to show: ")


def test_a_kernel_that_uses_a_wrong_law_shows_what_was_to_be_shown():
    text = refused("K043", use, law_of(**WRONG["finalize"][0]))
    assert "finalize.0 is not proved" in text
    assert "to show: Sum_xs[x] = Sum_xs[x] / Sum_xs[1]" in text
    assert "on []: 0 against nan" in text
    assert "tested on generated lists" in text


def test_a_fold_as_written_asks_for_no_proof():
    use(law_of(**WRONG["finalize"][0]), policy="fold_left")


def test_without_a_specification_the_law_is_tested_only():
    parts = {name: part for name, part in WRONG["finalize"][0].items() if name != "spec"}
    use(law_of(**parts))
    assert "against" not in refused("K042", use, law_of(merge=lambda a, b: a.s - b.s))


def test_invariants_of_a_proved_law_are_tested():
    broken = {"spec": ct.list.sum, "invariants": lambda s: s.s >= 0}
    assert "invariants" in refused("K042", use, law_of(**broken))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"merge": lambda a, b: a.s - b.s, "spec": ct.list.sum}, "does not give s"),
        ({"spec": lambda xs: ct.list.argmax(xs)}, "lift has to take an index"),
        ({"spec": lambda xs: ct.list.any(xs)}, "holds no conditions"),
        ({"spec": lambda xs: ct.list.sum(ct.list.filter(lambda x: x, xs))}, "no condition"),
        (
            {
                "spec": lambda xs: ct.list.sum(
                    ct.list.map(lambda x: ct.list.sum(ct.list.map(lambda y: x * y, xs)), xs)
                )
            },
            "the element of one list inside another",
        ),
        ({"spec": ct.list.sum, "closed": lambda xs: {"t": ct.list.sum(xs)}}, "component t"),
        ({"spec": ct.list.sum, "closed": lambda xs: (ct.list.sum(xs),) * 2}, "gives 2 value(s)"),
        ({"spec": sum}, "goes through a list"),
        ({"spec": lambda xs: ct.list.sum(3)}, "of the elements that spec or closed"),
        ({"spec": lambda xs: (ct.list.sum(xs), 1.0)}, "gives 2 value(s)"),
    ],
)
def test_a_specification_that_says_nothing(parts, said):
    assert said in refused("K041", use, law_of(**parts))


def test_a_component_without_a_closed_form_is_shown_at_the_law():
    law = law_of(merge=lambda a, b: a.s - b.s, spec=ct.list.sum)
    with pytest.raises(ct.KernelError, match="K041") as caught:
        use(law)
    assert caught.value.loc == law.loc
    assert "add `closed(xs)`" in str(caught.value)


def test_several_fields_are_mapped_to_one_value_first():
    parts = PROVED["weighted"] | {"spec": ct.list.sum}
    with pytest.raises(ct.KernelError, match="several values"):
        claimed(law_of(**parts), f32)


def test_a_conversion_that_rounds_is_not_read():
    parts = {
        "lift": lambda x: x,
        "finalize": lambda s: ct.cast(ct.cast(s.s, ct.f16), ct.f32),
        "spec": ct.list.sum,
    }
    found = certified(parts)
    assert isinstance(found, Unproved)
    assert found.obligation == "read"
    assert "as_f16" in found.notes()[0]


def kernel_with(parts):
    law = law_of(**parts)

    def reducing(x, y):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.cast(ct.reduce(x[r, cols], cols, law), ct.f32)

    return reducing


def reduction_of(parts, dtype=f32):
    made = traced(kernel_with(parts), (dtype, 2), (f32, 1)).kernel
    (found,) = (at for at in values(made) if isinstance(at, Reduce))
    return found


def test_a_plan_shows_the_certificate():
    @ct.tile_kernel
    def kernel(x: ct.View[ct.f32, 2], y: ct.View[ct.f32, 1]):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, law_of(**STREAMED))

    from certile.frontend.spec import Shaped

    made = kernel.tile_ir({"x": Shaped(f32, (4, 64)), "y": Shaped(f32, (4,))})
    (plan,) = plan_program(made, (4,), DEFAULTS["metal"], Options())
    (reduction,) = (at for at in values(made) if isinstance(at, Reduce))
    digest = certificate_of(reduction.law, f32)
    assert digest is not None
    assert f"Mine over 64, unordered_tree; certificate {digest[:12]}" in plan_text(plan)


def test_closed_forms_go_with_the_law_where_they_can_be_evaluated():
    assert reduction_of(STREAMED).law.closed == MEANINGS["logsumexp"].closed
    # A count is of a dtype of its own, and a law that is only tested has no closed form.
    assert reduction_of(AVERAGE).law.closed is None
    assert reduction_of({}).law.closed is None


# Laws whose merges give more than their closed forms do when they are computed.
GUARDED = {
    "state": {"s": "acc", "n": "acc"},
    "spec": ct.list.sum,
    "closed": lambda xs: {"s": ct.list.sum(xs)},
    "identity": lambda: (0.0, 0.0),
    "lift": lambda x: (ct.where(ct.isfinite(x), x, 0.0), 1.0),
    "merge": lambda a, b: (a.s + b.s, a.n + b.n),
    "finalize": lambda s: s.s,
}


def mean_of(xs):
    count = ct.list.len(xs)
    return ct.where(count == 0, 0.0, ct.list.sum(xs) / count)


def merged_means(a, b):
    n = a.n + b.n
    return n, ct.where(n == 0, 0.0, a.m * (a.n / n) + b.m * (b.n / n))


MEANS = {
    "state": {"n": "acc", "m": "acc"},
    "identity": lambda: (0.0, 0.0),
    "lift": lambda x: (1.0, x),
    "merge": merged_means,
    "finalize": lambda s: s.m,
    "spec": mean_of,
    "closed": lambda xs: {"m": mean_of(xs)},
}


@pytest.mark.parametrize("parts", [GUARDED, MEANS], ids=["finite elements", "a mean"])
@pytest.mark.parametrize("target", ["cpu", "metal-sim"])
def test_closed_forms_that_would_lose_what_merges_keep_are_not_evaluated(parts, target):
    """Proved for finite elements alone, or of sums that overflow: what the interpreter merges."""
    law = reduction_of(parts).law
    assert certificate_of(law, f32) is not None
    assert law.closed is None
    x = np.random.default_rng(0).standard_normal((5, 300)).astype(np.float32)
    x[1] = 3e38
    if parts is GUARDED:
        x[1], x[2, 7], x[3, -1], x[4] = 1.0, INF, math.nan, -INF
    kernel, found = ct.tile_kernel(kernel_with(parts)), {}
    for each in ("reference", target):
        found[each] = np.zeros(5, np.float32)
        with ct.target(each):
            kernel(x, found[each])
    assert np.isfinite(found["reference"]).all()
    np.testing.assert_allclose(found[target], found["reference"], rtol=1e-5, atol=1e-4)


def test_a_truth_as_a_number_is_proved_and_no_closed_form_to_evaluate():
    """The conversion is read as no change; beside the truth itself 2.5 would be one too."""
    parts = {
        "lift": lambda x: ct.where(x > 0.0, 2.5, 0.0),
        "closed": lambda xs: {
            "s": ct.list.sum(ct.list.map(lambda x: ct.cast(x > 0.0, ct.f32) * 2.5, xs))
        },
        "spec": lambda xs: ct.list.sum(ct.list.map(lambda x: ct.where(x > 0.0, 2.5, 0.0), xs)),
    }
    law = reduction_of(parts).law
    assert certificate_of(law, f32) is not None
    assert law.closed is None


def test_integers_are_covered_where_the_argument_holds():
    assert certificate_of(reduction_of({"identity": lambda: 0, "spec": ct.list.sum}, i32).law, i32)
    # The size of the least integer is none of its type.
    sized = {
        "identity": lambda: 0,
        "lift": ct.abs,
        "spec": lambda xs: ct.list.sum(ct.list.map(ct.abs, xs)),
    }
    law = reduction_of(sized, i32).law
    assert isinstance(law, Law)
    assert certificate_of(law, i32) is None
    assert certificate_of(reduction_of(sized | {"identity": lambda: 0.0}).law, f32) is not None


def test_what_was_proved_is_remembered_and_checked(monkeypatch):
    found = certified(STREAMED)
    monkeypatch.setattr("certile.search.authors.prove", None)
    assert certified(STREAMED) == found


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: {**kept, "domain": 7},
        lambda kept: {**kept, "domain": True},
        lambda kept: {**kept, "schema": "another"},
        lambda kept: {**kept, "certificate": {}},
        lambda kept: {**kept, "certificate": kept["certificate"] | {"obligations": []}},
        lambda kept: [],
    ],
)
def test_what_does_not_check_is_proved_again(monkeypatch, change):
    held = {}
    monkeypatch.setattr(kept, "keep", held.__setitem__)
    monkeypatch.setattr(kept, "find", held.get)
    found = certified(STREAMED)
    (name,) = held
    held[name] = change(json.loads(json.dumps(held[name])))
    assert certified(STREAMED) == found
    assert held[name]["certificate"] == json.loads(found.certificate)


def test_a_remembered_proof_is_of_its_own_law_only():
    first = certified({"spec": ct.list.sum})
    other = certified({"lift": lambda x: x * 2.0, "spec": lambda xs: 2.0 * ct.list.sum(xs)})
    assert isinstance(first, Certified)
    assert isinstance(other, Certified), other.text()
    assert check(first.certificate, other.law, other.meaning) is not None


def test_lists_are_of_methods_only():
    with pytest.raises(ct.KernelError, match=r"ct\.list\.sum"):
        ct.list.sum([1.0, 2.0])


def test_the_two_greatest_are_read_and_left_unproved():
    """Their merge is right because no two elements have one place, which no term can say."""

    def second(v, i, w, j):
        take = (w > v) | ((w == v) & (j < i))
        return ct.where(take, w, v), ct.where(take, j, i)

    def merge(a, b):
        take = (b.v > a.v) | ((b.v == a.v) & (b.i < a.i))
        loser = ct.where(take, a.v, b.v), ct.where(take, a.i, b.i)
        winner = ct.where(take, b.w, a.w), ct.where(take, b.j, a.j)
        return ct.where(take, b.v, a.v), ct.where(take, b.i, a.i), *second(*loser, *winner)

    def closed(xs):
        (v, w), (i, j) = ct.list.top(2, xs)
        return {"v": v, "i": i, "w": w, "j": j}

    parts = {
        "state": {"v": "acc", "i": "index", "w": "acc", "j": "index"},
        "identity": lambda: (-INF, LAST, -INF, LAST),
        "lift": lambda x, *, index: (x, index, -INF, LAST),
        "merge": merge,
        "finalize": lambda s: (s.v, s.w),
        "spec": lambda xs: ct.list.top(2, xs)[0],
        "closed": closed,
    }
    claim = claimed(law_of(**parts), f32)
    assert isinstance(claim.meaning, Meaning)
    assert claim.meaning.specification[0] == claim.meaning.closed[0]
    again = law_of(**parts | {"spec": lambda xs: ct.list.top(np.int64(2), xs)[0]})
    assert claimed(again, f32).meaning == claim.meaning
    for count in (2.0, True, -1):
        with pytest.raises(ct.KernelError, match=r"K0\d\d.*greatest elements"):
            claimed(law_of(**parts | {"spec": lambda xs, n=count: ct.list.top(n, xs)[0]}), f32)
    found = certify(claim.law, claim.meaning)
    assert isinstance(found, Unproved)
    assert (found.obligation, found.counterexample) == ("cat.w", None)


def test_a_proved_law_computes_what_it_means():
    @ct.tile_kernel
    def kernel(x, y, z):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            y[r] = ct.reduce(x[r, cols], cols, law_of(**STREAMED))
            z[r] = ct.cast(ct.reduce(x[r, cols], cols, law_of(**AVERAGE)), ct.f32)

    x = np.random.default_rng(0).standard_normal((3, 77)).astype(np.float32)
    for target in ("cpu", "reference", "metal-sim"):
        y, z = np.zeros(3, np.float32), np.zeros(3, np.float32)
        with ct.target(target):
            kernel(x, y, z)
        np.testing.assert_allclose(y, np.log(np.exp(x.astype(float)).sum(1)), rtol=1e-6)
        np.testing.assert_allclose(z, x.astype(float).mean(1), rtol=1e-5, atol=1e-7)
