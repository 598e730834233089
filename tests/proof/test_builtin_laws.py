"""The certificates that come with the package: checked, proved again, bound to their laws."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from certile.ir.dtypes import bf16, bool_, f16, f32, f64, i8, i32, u64
from certile.ir.laws import ADD, BUILTIN
from certile.ir.meanings import MEANINGS, meaning_of
from certile.ir.terms import Var
from certile.proof import render
from certile.proof.check import check
from certile.proof.registry import certificate_of, shipped
from certile.search import prove

_REAL = {"mean_var", "sum_var", "logsumexp", "softmax_sum"}


@pytest.mark.parametrize("name", BUILTIN)
def test_the_certificate_is_what_the_search_finds_and_checks(name):
    text = shipped(name)
    law, meaning = BUILTIN[name], meaning_of(BUILTIN[name])
    assert json.loads(text) == prove(law, meaning)
    assert check(text, law, meaning) is None
    for dtype in (f16, bf16, f32, f64):
        assert len(certificate_of(BUILTIN[name], dtype)) == 64


@pytest.mark.parametrize("name", BUILTIN)
@pytest.mark.parametrize("dtype", [i8, i32, u64, bool_], ids=str)
def test_integers_are_covered_where_the_argument_holds(name, dtype):
    covered = certificate_of(BUILTIN[name], dtype) is not None
    # The least signed integer has no absolute value of its type.
    assert covered == (name not in _REAL and (name != "absmax" or dtype == u64))


def test_a_law_that_differs_has_no_certificate():
    assert certificate_of(replace(ADD, finalize=(Var("a"),)), f32) is None
    assert certificate_of(replace(ADD, name="mine"), f32) is None
    with pytest.raises(KeyError):
        shipped("mine")


def test_a_certificate_of_one_law_proves_no_other():
    for name in ("add", "mul", "maximum"):
        for other in ("minimum", "fmax", "absmax"):
            refused = check(shipped(name), BUILTIN[other], MEANINGS[other])
            assert refused == "the certificate is of another law"


def test_the_package_stays_light():
    code = "import sys, certile; sys.exit(any(n.startswith('certile.proof') for n in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_text_names_every_obligation_and_what_stays_open():
    certificate = json.loads(shipped("logsumexp"))
    lines = render.text(BUILTIN["logsumexp"], MEANINGS["logsumexp"], certificate).splitlines()
    names = [line.partition(":")[0] for line in lines if " step" in line]
    assert names == [*("nil.m", "one.m", "cat.m"), *("nil.s", "one.s", "cat.s"), "finalize.0"]
    assert "  x: every number, both infinities and NaN" in lines
    assert "    both sides are max(m(xs), m(ys))" in lines
    assert "  = log(Sum_xs[exp(x)])" in lines
    assert sum(line.startswith("beside exact arithmetic, dynamic: ") for line in lines) == 2


def test_latex_is_balanced():
    for law in BUILTIN.values():
        formula = render.latex(law, meaning_of(law))
        assert formula.count("{") == formula.count("}")
        assert formula.count(r"\left") == formula.count(r"\right")
        assert formula.count("&=") == formula.count(r"\\") + 1


def test_the_document_is_json_and_counts_steps():
    certificate = json.loads(shipped("argmax"))
    made = json.loads(
        json.dumps(render.document(BUILTIN["argmax"], MEANINGS["argmax"], certificate))
    )
    assert made["integers"] == "integers hold"
    steps = {entry["name"]: entry["steps"] for entry in made["obligations"]}
    assert steps == {each["name"]: len(each["steps"]) for each in certificate["obligations"]}
