"""Edited certificates and edited kernels: what is accepted is true, and every answer is a sentence.

A certificate speaks of two kernels.  After an edit it may still prove them to be one program (a
harmless step, an unused term); then running both has to show it too.
"""

import json
import math
import random
from dataclasses import replace
from functools import cache
from importlib import resources

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.ir.terms import Lit, app, to_json
from certile.ir.walk import substitute
from certile.proof.check import check, heading
from certile.proof.check.regions import check_rewrite, conjunction
from tests.rewrites import edits, forms, rows
from tests.rewrites.instances import INSTANCES, chain

LENGTH = 12
SUBJECTS = {
    **{name: INSTANCES[name] for name in ("weighted sum", "variance", "covariance", "doubled")},
    "absmax-scaled": INSTANCES["absmax-scaled"],
    "softmax": INSTANCES["softmax"],
    "a number": chain("max x", "sum (exp (mul (sub x r0) (abs s)))", "sum (mul (sub r0 x) s)"),
    "of the other array": chain("max y", "sum (exp (sub y r0))", "sum (mul (exp (sub y r0)) x)"),
}
# Edited certificates of each subject, 2,000 in all, and edited kernels.
CERTIFICATES, QUICK, FULL = 250, 60, 150


@cache
def subject(name):
    """The two kernels, the certificate as plain JSON, and arguments."""
    chosen = SUBJECTS[name]
    made = forms.pair(chosen.kernel(), chosen.shapes(rows.COUNT, LENGTH))
    assert made.rewrite is not None, [refusal.text for refusal in made.refusals]
    certificate = json.loads(json.dumps(made.rewrite.certificate))
    assert check_rewrite(made.before, made.after, certificate) is None
    return made.before, made.after, certificate


@cache
def parts(name):
    return edits.Parts(subject(name)[2])


def answer(before, after, certificate):
    """What the checker says; it says something of everything."""
    found = check_rewrite(before, after, certificate)
    assert found is None or (isinstance(found, str) and found)
    return found


def is_true(name, before, after):
    """Whether both kernels agree on random and on special rows, of which there are some dozen."""
    for seed in range(3):
        given = rows.arguments(SUBJECTS[name], LENGTH, rows.MODERATE, seed)
        outputs = forms.by_interpreter(after, given)
        forms.judge(outputs, before, given, name)
    return True


def tampered(name, count, seed):
    """How many edited certificates of a true rewriting were accepted."""
    choose, accepted = random.Random(f"{name}/{seed}"), 0
    before, after, certificate = subject(name)
    text = json.dumps(certificate)
    others = [parts(other) for other in SUBJECTS if other != name]
    for _ in range(count):
        made = edits.edited(choose, parts(name), others)
        accepted += answer(before, after, made) is None and made != certificate
    assert json.dumps(certificate) == text
    return accepted


def tampered_kernels(name, count, seed):
    """Edited kernels with certificates that fit them: accepted and refused, by kind of edit."""
    choose = random.Random(f"{name}/kernel/{seed}")
    before, after, certificate = subject(name)
    accepted, refused = set(), set()
    for _ in range(count):
        found = edits.edited_kernel(choose, after)
        if found is None:
            continue
        kind, other = found
        made = edits.redressed(before, other, certificate)
        if answer(before, other, made) is None:
            assert is_true(name, before, other), kind
            accepted.add(kind)
        else:
            refused.add(kind)
    return accepted, refused


@pytest.mark.parametrize("name", SUBJECTS)
def test_an_edited_certificate_proves_nothing_false(name):
    """What it speaks of is true as it is, so an edit that changes nothing of note may pass."""
    before, after, _ = subject(name)
    assert is_true(name, before, after)
    assert tampered(name, CERTIFICATES, 0) < CERTIFICATES / 4


def test_so_many_certificates_are_edited():
    assert CERTIFICATES * len(SUBJECTS) >= 2_000


@pytest.mark.parametrize("name", SUBJECTS)
def test_an_edited_kernel_is_refused_or_means_the_same(name):
    accepted, refused = tampered_kernels(name, QUICK, 0)
    assert len(refused) >= 6
    assert accepted <= {"another_law"}


@pytest.mark.full
@pytest.mark.parametrize("name", SUBJECTS)
def test_many_more_edits(name):
    tampered(name, FULL, 1)
    tampered_kernels(name, FULL, 1)


def test_a_certificate_is_of_one_region():
    """A true certificate, dressed up for the kernels of another one."""
    for name in SUBJECTS:
        before, after, _ = subject(name)
        for other in SUBJECTS:
            _, foreign, certificate = subject(other)
            if other == name:
                continue
            assert answer(before, after, certificate) is not None
            assert answer(before, foreign, certificate) is not None
            assert answer(before, after, edits.redressed(before, after, certificate)) is not None
            assert (
                answer(before, foreign, edits.redressed(before, foreign, certificate)) is not None
            )


@pytest.mark.parametrize("place", [0, 1])
def test_a_component_may_not_be_there_twice(place):
    """One name for two components would leave the second one without an obligation."""
    before, after, certificate = subject("softmax")
    (pick,) = forms.fallbacks(after)
    law = forms.folded(pick).law
    wrong = {
        "identity": (*law.identity, Lit(5.0)),
        "lift": (*law.lift, Lit(7.0)),
        "merge": (*law.merge, app("add", *(f"{side}.{law.state[place].name}" for side in "ab"))),
    }
    law = replace(law, state=(*law.state, law.state[place]), **wrong)
    law = replace(law, closed=(*law.closed, law.closed[place]))
    law = replace(law, finalize=(*law.finalize[:-1], conjunction(law)))
    made = substitute(after, {forms.folded(pick): forms.folded(pick).with_(law=law)})
    dressed = edits.redressed(before, made, certificate)
    dressed["laws"][0]["closed"] = list(map(to_json, law.closed))
    assert answer(before, made, edits.redressed(before, made, dressed)) is not None


def test_no_law_is_proved_that_has_two_components_of_one_name():
    law, meaning = BUILTIN["logsumexp"], MEANINGS["logsumexp"]
    text = resources.files("certile.proof").joinpath("certificates/logsumexp.json").read_text()
    assert check(text, law, meaning) is None
    twice = replace(
        law,
        state=(*law.state, law.state[1]),
        identity=(*law.identity, Lit(5.0)),
        lift=(*law.lift, Lit(7.0)),
        merge=(*law.merge, law.merge[0]),
    )
    means = replace(meaning, closed=(*meaning.closed, meaning.closed[1]))
    found = check({**json.loads(text), **heading(twice, means)}, twice, means)
    assert found is not None
    assert "name" in found


def test_laws_of_two_regions_may_not_change_places():
    both = chain(
        "max x", "sum (exp (sub x r0))", "sum y", "sum (mul (sub y (div r2 n)) (sub y (div r2 n)))"
    )
    made = forms.pair(both.kernel(), both.shapes(rows.COUNT, LENGTH))
    assert made.rewrite is not None
    certificate = json.loads(json.dumps(made.rewrite.certificate))
    assert len(certificate["laws"]) == 2
    certificate["laws"].reverse()
    assert answer(made.before, made.after, certificate) is not None
    dressed = edits.redressed(made.before, made.after, certificate)
    assert answer(made.before, made.after, dressed) is not None


def nested(depth, leaf):
    for _ in range(depth):
        leaf = [leaf]
    return leaf


HOSTILE = (
    *(None, 0, True, math.nan, "", "null", "{", "[" * 100_000, '"' * 5, b"{}", object(), set()),
    *([], {}, [[]], {"schema": "certile.rewrite/1"}, {"laws": []}, {1: 2}, nested(50_000, 0)),
)


@pytest.mark.parametrize("k", range(len(HOSTILE)))
def test_anything_is_answered(k):
    before, after, certificate = subject("softmax")
    assert answer(before, after, HOSTILE[k]) is not None
    (law,) = certificate["laws"]
    proof = law["certificate"]
    obligation = proof["obligations"][-1]
    for field, value in certificate.items():
        assert refused_or_same({**certificate, field: HOSTILE[k]}, value, HOSTILE[k])
    for field, value in law.items():
        changed = {**certificate, "laws": [{**law, field: HOSTILE[k]}]}
        assert refused_or_same(changed, value, HOSTILE[k])
    for field, value in proof.items():
        inside = {**law, "certificate": {**proof, field: HOSTILE[k]}}
        assert refused_or_same({**certificate, "laws": [inside]}, value, HOSTILE[k])
    for field, value in obligation.items():
        last = [*proof["obligations"][:-1], {**obligation, field: HOSTILE[k]}]
        inside = {**law, "certificate": {**proof, "obligations": last}}
        assert refused_or_same({**certificate, "laws": [inside]}, value, HOSTILE[k])


def refused_or_same(certificate, value, hostile):
    """A sentence, unless what was put in is what stood there."""
    before, after, _ = subject("softmax")
    same = type(value) is type(hostile) and value == hostile
    return (answer(before, after, certificate) is None) == same


def _with_steps(certificate, steps):
    """The certificate with other steps for its last obligation that has some."""
    made = json.loads(json.dumps(certificate))
    proof = made["laws"][0]["certificate"]
    last = [each for each in proof["obligations"] if each["steps"]][-1]
    last["steps"] = steps(last["steps"], proof)
    return made


def test_a_long_or_a_large_proof_runs_out_of_fuel():
    before, after, certificate = subject("weighted sum")

    def repeated(steps, proof):
        return steps[:1] * 100_000

    def huge(steps, proof):
        # Rows that square each other: a term of 2^200 leaves.
        proof["terms"].append(["num", "3"])
        for _ in range(200):
            last = len(proof["terms"]) - 1
            proof["terms"].append(["mul", last, last])
        return [["have", [len(proof["terms"]) - 1, 0], []], *steps]

    def many(steps, proof):
        return [["split", [k % len(proof["terms"])], [63]] for k in range(15_000)]

    for change in (repeated, huge, many):
        assert answer(before, after, _with_steps(certificate, change)) is not None


def test_numbers_are_not_converted():
    """True is not 1, and 1.0 is no index."""
    before, after, certificate = subject("softmax")
    text = json.dumps(certificate)
    for old, new in (("1", "true"), ("0", "false"), ("0", "0.0")):
        made = text.replace(f", {old}]", f", {new}]")
        assert made != text
        assert answer(before, after, made) is not None


def test_the_checker_changes_nothing_that_it_is_given():
    before, after, certificate = subject("softmax")
    text = json.dumps(certificate)
    assert answer(before, after, certificate) is None
    assert json.dumps(certificate) == text
