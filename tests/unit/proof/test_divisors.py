"""What a program divides by: which values are found, and which limits they get."""

import pytest

import certile as ct
from certile.frontend.spec import Shaped
from certile.ir.dtypes import f32
from certile.ir.terms import Lit, app, substituted
from certile.ir.tile import Reduce, Result
from certile.proof.check.divided import divided_by, results_among
from certile.proof.check.limits import Limit, apart
from certile.proof.check.terms import Refused
from tests.rewrites import forms
from tests.rewrites.grammar import parsed
from tests.rewrites.instances import OFF, chain


def uses(use):
    """A kernel that stores what `use` makes of the sum of a row and of an argument."""

    @ct.tile_kernel
    def kernel(x: ct.View, y: ct.View, eps: float):
        rows, cols = ct.axis("rows", x.shape[0]), ct.axis("cols", x.shape[1])
        for r in ct.parallel(rows):
            total = ct.reduce(x[r, cols], cols, ct.add)
            y[r, cols] = use(x[r, cols], total, eps)

    shaped = Shaped(f32, (3, 5))
    return kernel.tile_ir({"x": shaped, "y": shaped, "eps": 0.5})


DIVIDES = {
    "a quotient": lambda v, total, eps: v / total,
    "a product below": lambda v, total, eps: v / (eps * -abs(total)),
    "a quotient below": lambda v, total, eps: v / (total / eps),
    "a root below": lambda v, total, eps: v / ct.sqrt(total),
    "a root": lambda v, total, eps: v * ct.sqrt(total),
    "an argument beside it": lambda v, total, eps: v * ct.rsqrt(total + eps),
    "the greater of it and an argument": lambda v, total, eps: v / ct.maximum(total, eps),
    "the greater of it and no positive number": lambda v, total, eps: v / ct.maximum(total, -1.0),
    "the greater of it and 0": lambda v, total, eps: v / ct.maximum(total, 0.0),
    "a logarithm": lambda v, total, eps: v - ct.log(total),
    "a binary logarithm": lambda v, total, eps: v - ct.log2(total),
    "a power": lambda v, total, eps: v * total**-0.5,
    "a remainder": lambda v, total, eps: v % total,
    "a whole quotient": lambda v, total, eps: v // total,
    "a choice": lambda v, total, eps: v / ct.where(total > 0, total, 1.0),
    "a wider type": lambda v, total, eps: ct.cast(1.0 / ct.cast(total, ct.f64), ct.f32) * v,
}
DOES_NOT = {
    "a factor": lambda v, total, eps: v * total,
    "a summand": lambda v, total, eps: v - total,
    "above an argument": lambda v, total, eps: total / eps,
    "a root of a number beside it": lambda v, total, eps: v * ct.sqrt(total + 1.0),
    "a number beside it": lambda v, total, eps: v * ct.rsqrt(total + 1e-5),
    "the greater of it and a number": lambda v, total, eps: v / ct.maximum(total, 1e-12),
    "an exponent": lambda v, total, eps: v * ct.exp(total),
    "a power of a number": lambda v, total, eps: eps**total,
}


@pytest.mark.parametrize("name", DIVIDES)
def test_what_a_divisor_is_made_of_is_found(name):
    found = list(divided_by(uses(DIVIDES[name])))
    assert any(isinstance(at, Reduce) for at in found)


@pytest.mark.parametrize("name", DOES_NOT)
def test_what_is_no_part_of_a_divisor_is_not(name):
    assert not any(isinstance(at, Reduce) for at in divided_by(uses(DOES_NOT[name])))


def test_results_of_one_fallback_alone():
    squares = chain("sum x", f"sum (mul {OFF} {OFF})", stored=("r0", "(log r1)"))
    made = forms.pair(squares.kernel(), squares.shapes(3, 5))
    (fallback,) = forms.fallbacks(made.after)
    found = list(divided_by(made.after))
    assert results_among(fallback, found) == [1]
    other = fallback.with_(values=fallback.values[::-1])
    assert results_among(other, found) == []
    both = [Result(of=fallback, index=k, type=fallback.type) for k in (1, 0, 1)]
    assert results_among(fallback, both) == [0, 1]


def test_sums_and_products_have_a_limit_and_extremes_and_counts_have_none():
    total, top = app("list.sum", "x"), app("list.max", "x")
    made = apart([app("list.sum", 1.0), top, total, Lit(0.0), app("sub", total, top), total])
    assert made == [
        Limit(app("abs", each), least=Lit(2.0**-80)) for each in (total, app("sub", total, top))
    ]
    assert made[0].test == app("le", 2.0**-80, app("abs", total))
    assert apart([app("list.prod", "x")])


def test_squared_distances_to_a_mean_are_larger_than_what_moves_it():
    count = app("list.sum", 1.0)
    mean = app("div", app("list.sum", "x"), count)
    moved = app("mul", count, app("mul", 2.0**-26, app("mul", mean, mean)))
    for off, least in (
        (app("sub", "x", mean), app("add", moved, 2.0**-80)),
        (app("sub", mean, "x"), app("add", moved, 2.0**-80)),
        (app("sub", "x", app("list.max", "x")), Lit(2.0**-80)),
        (app("mul", "x", mean), Lit(2.0**-80)),
    ):
        squares = app("list.sum", app("mul", off, off))
        assert apart([squares]) == [Limit(app("abs", squares), least=least)]


@pytest.mark.parametrize(
    "term",
    [
        "(mul (sub x m) (sub y q))",
        "(mul (mul (sub x m) (sub x m)) y)",
        "(mul (mul (sub m x) (sub m x)) (mul (sub m x) (sub m x)))",
        "(mul (sub x m) (add x m))",
        "(add (mul x m) y)",
    ],
)
def test_other_distances_to_a_mean_are_no_divisors(term):
    count = app("list.sum", 1.0)
    means = {name: app("div", app("list.sum", key), count) for name, key in ("mx", "qy")}
    moments = app("list.sum", substituted(parsed(term), means))
    for divisor in (moments, app("sqrt", app("div", moments, count))):
        with pytest.raises(Refused, match="nothing tells whether"):
            apart([divisor])


def test_distances_to_an_extreme_are_divisors():
    off = app("sub", app("list.max", "x"), "x")
    for body in (off, app("mul", off, "y"), app("mul", app("exp", app("neg", off)), off)):
        whole = app("list.sum", body)
        assert apart([whole]) == [Limit(app("abs", whole), least=Lit(2.0**-80))]
