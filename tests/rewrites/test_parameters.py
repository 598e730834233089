"""Chains that read a number given when the kernel runs: it is a parameter of the fold's law.

A certificate speaks of every finite value of the number.  Whatever else is passed, a NaN or an
infinity, the rows are computed as written.
"""

import copy
from dataclasses import replace
from functools import partial, reduce

import numpy as np
import pytest

from certile.ir.dtypes import f32, f64
from certile.ir.fingerprint import fingerprint
from certile.ir.folds import unproved, value_of_fold
from certile.ir.node import reach
from certile.ir.parser import parse_kernel
from certile.ir.printer import print_kernel
from certile.ir.terms import app
from certile.ir.tile import Const, Fallback, Load, Map, Reduce, Result
from certile.ir.types import TileType
from certile.ir.verify import verify
from certile.ir.walk import substitute, values
from certile.plan.mapping import Mapping
from certile.proof.check import check as check_law
from certile.proof.check.divided import divided_by
from certile.proof.check.regions import check_rewrite, claimed
from tests.rewrites import forms, rows
from tests.rewrites.instances import OFF, chain
from tests.rewrites.test_discharge import check

KINDS = rows.KINDS
LENGTH = 77

# Every number may be given: its sign does not matter, or is known.
FREE = {
    "a factor": chain("max x", "sum (mul (mul (exp (sub x r0)) s) y)", "sum (mul (sub r0 x) s)"),
    "a size": chain("max x", "sum (exp (mul (sub x r0) (abs s)))", stored=("r0", "(log r1)")),
    "in the key": chain("max (mul x s)", "sum (exp (sub (mul x s) r0))"),
    "a quotient by its size": chain("max x", "sum (exp (div (sub x r0) (abs s)))"),
    "a quotient by a root": chain("max x", "sum (exp (div (sub x r0) (sqrt (mul s s))))"),
    "an exponential of it": chain("max x", "sum (exp (mul (exp s) (sub x r0)))"),
    "a scaled variance": chain("sum x", f"sum (mul (mul {OFF} {OFF}) s)"),
    "a share for all": chain(
        "max x",
        "sum (exp (sub x r0))",
        "sum (mul (add (sub r0 x) (log r1)) s)",
        stored=("r0", "r1", "r2"),
    ),
}
# The parameter is not the number itself.
MADE_OF_IT = ("a quotient by a root", "an exponential of it")
# Where a sum of exponentials would grow with the number's sign, or its digits be lost.
BOUND = {
    "an unknown sign": (chain("max x", "sum (exp (mul s (sub x r0)))"), "bound"),
    "a quotient of unknown sign": (chain("max x", "sum (exp (div (sub x r0) s))"), "bound"),
    "a scaled maximum": (chain("max x", "sum (exp (sub (mul x s) (mul r0 s)))"), "bound"),
    "a maximum less scaled elements": (chain("max x", "sum (exp (sub (mul x s) r0))"), "bound"),
    "a scaled centre": (chain("sum x", "sum (mul (sub x (mul r0 s)) (sub x (mul r0 s)))"), "ratio"),
}
# Each with a way to run.
NUMBERS = ((-1.25, 0), (0.0, 3), (np.nan, 3), (-np.inf, 0))


def made_of(written):
    made = forms.pair(written.kernel(), written.shapes(len(KINDS), LENGTH))
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    return made


def fold_of(made):
    return forms.folded(forms.fallbacks(made.after)[0])


@pytest.mark.parametrize("name", FREE)
def test_a_number_is_a_parameter_of_the_law(name):
    made = made_of(FREE[name])
    fold = fold_of(made)
    if name != "in the key":
        assert fold.law.parameters == ("c0",)
        (given,) = fold.given
        assert name in MADE_OF_IT or given.name == "s"
    assert not verify(made.after)
    assert print_kernel(parse_kernel(print_kernel(made.after))) == print_kernel(made.after)


@pytest.mark.parametrize("name", BOUND)
def test_a_number_whose_value_matters_is_refused(name):
    written, obligation = BOUND[name]
    made = forms.pair(written.kernel(), written.shapes(3, LENGTH))
    assert made.rewrite is None
    assert obligation in {each.obligation.partition(".")[0] for each in made.refusals}


@pytest.mark.parametrize("name", FREE)
def test_every_number_gives_what_is_written(name):
    written = FREE[name]
    made = made_of(written)
    for number, way in NUMBERS:
        given = rows.arguments(written, LENGTH, KINDS, scale=number)

        def run(kernel, at, way=way):
            return forms.on_machine(kernel, at, forms.WAYS[way])

        again, _ = check(made, given, run, name)
        # A key may stay finite, or not, whatever the number is.
        if not np.isfinite(number) and name != "in the key":
            assert again.all()


@pytest.mark.parametrize("name", FREE)
def test_compiled_code_gives_what_is_written(name):
    made = made_of(FREE[name])
    way = Mapping("subgroup", 1, 1, 1, accumulators=2)
    for number in (-1.25, np.nan):
        given = rows.arguments(FREE[name], LENGTH, KINDS, seed=1, scale=number)
        check(made, given, lambda kernel, at: forms.on_cpu(kernel, at, way), name)


@pytest.mark.parametrize("name", FREE)
def test_the_reference_map_reads_the_number(name):
    made = made_of(FREE[name])
    given = rows.arguments(FREE[name], LENGTH, KINDS, seed=2, scale=-0.5)
    kernel = forms.watched(made.after)
    arguments = forms.with_flags(kernel, given)
    serial = forms.on_machine(kernel, arguments, Mapping("reference"))
    forms.judge(serial, made.before, given, name)


# What the checker reads.


def refused(made, edited):
    """What the checker says of another kernel, with a certificate that names it."""
    certificate = copy.deepcopy(made.rewrite.certificate)
    certificate["after"] = fingerprint(edited)
    return check_rewrite(made.before, edited, certificate)


def with_fold(made, fold, **changes):
    """The kernel with another fold in place of its own."""
    return substitute(made.after, {fold_of(made): fold.with_(**changes)})


def test_a_state_says_whether_the_number_is_finite():
    made = made_of(FREE["a size"])
    fold = fold_of(made)
    *results, _ = fold.law.finalize
    tests = forms.tests(fold.law)
    assert app("isfinite", "c0") in tests
    others = [test for test in tests if test != app("isfinite", "c0")]
    less = replace(fold.law, finalize=(*results, reduce(partial(app, "bit_and"), others)))
    assert refused(made, made.after) is None
    answer = refused(made, with_fold(made, fold, law=less))
    assert answer.startswith("the last result does not say whether the state is finite")


def test_another_number_is_not_the_one_of_the_program():
    made = made_of(FREE["a size"])
    fold = fold_of(made)
    (number,) = fold.given
    for other in (
        Map(fn="neg", args=(number,), type=number.type),
        Const(value=1.0, type=TileType(f32, ())),
    ):
        assert refused(made, with_fold(made, fold, given=(other,))) is not None


def test_what_differs_from_element_to_element_is_no_parameter():
    """The same law and certificate, for a program that scales each element by one of `y`."""
    made = made_of(FREE["a size"])
    theirs = chain("max x", "sum (exp (mul (sub x r0) (abs y)))", stored=("r0", "(log r1)"))
    before = forms.pair(theirs.kernel(), theirs.shapes(len(KINDS), LENGTH)).before
    loads = {at.buffer.name: at for at in values(before) if isinstance(at, Load)}
    top, total = sorted((at for at in values(before) if isinstance(at, Reduce)), key=depth_of)
    fold = fold_of(made).with_(args=(loads["x"],), given=(loads["y"],), over=top.over)
    fallback = Fallback(
        values=tuple(value_of_fold(fold, k, ()) for k in range(2)),
        instead=(top, total),
        when=unproved(fold),
        type=top.type,
    )
    results = [Result(of=fallback, index=k, type=top.type) for k in range(2)]
    after = substitute(before, {top: results[0], total: results[1]}, tuple(results))
    certificate = made.rewrite.certificate
    certificate = {**certificate, "before": fingerprint(before), "after": fingerprint(after)}
    assert check_rewrite(before, after, certificate) == "the kernel after is not well formed"


def depth_of(reduction):
    """How many reductions lie below one."""
    return sum(isinstance(at, Reduce) for at in reach([reduction]))


def test_a_parameter_has_the_type_that_the_law_computes_in():
    made = made_of(FREE["a size"])
    fold = fold_of(made)
    wide = Const(value=1.0, type=TileType(f64, ()))
    found = verify(with_fold(made, fold, given=(wide,)))
    assert [each.code for each in found] == ["V014"]
    found = verify(with_fold(made, fold, given=()))
    assert [each.code for each in found] == ["V002"]


def claim_of(made):
    """The law of the one fallback, and what the checker says that it has to mean."""
    (claim,) = made.rewrite.certificate["laws"]
    (fallback,) = forms.fallbacks(made.after)
    return claim["certificate"], *claimed(fallback, claim, list(divided_by(made.after)))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a factor", "finite"),
        ("a size", "nonzero"),
        ("an exponential of it", "positive"),
        ("a quotient by its size", "nonzero"),
        ("a quotient by a root", "positive"),
    ],
)
def test_what_a_number_may_be_is_read_off_the_program(name, kind):
    certificate, law, meaning = claim_of(made_of(FREE[name]))
    assert dict(meaning.parameters) == {"c0": kind}
    assert check_law(certificate, law, meaning) is None


@pytest.mark.parametrize("name", ["a quotient by its size", "a quotient by a root"])
def test_what_divides_is_tested_where_the_kernel_runs(name):
    """With 0 every row is computed again, whatever the elements are."""
    written = FREE[name]
    made = made_of(written)
    given = rows.arguments(written, LENGTH, rows.MODERATE, scale=0.0)
    again, _ = check(made, given, lambda kernel, at: forms.on_cpu(kernel, at), name)
    assert again.all()


def test_a_law_for_numbers_above_0_is_none_for_others():
    certificate, law, meaning = claim_of(made_of(FREE["a quotient by a root"]))
    for kind in ("finite", "natural", "nonzero"):
        wider = replace(meaning, parameters={"c0": kind})
        assert check_law(certificate, law, wider) is not None
