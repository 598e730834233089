"""What `check` answers to certificates that are malformed, hostile, or of something else."""

import copy
import json
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.ir.terms import Var, app
from certile.proof.check import check, heading, kinds
from certile.proof.check.certificate import terms_of
from certile.proof.check.reader import DOMAINS
from certile.proof.check.terms import Refused, Table
from certile.proof.registry import shipped

NAME = "absmax"
LAW, MEANING = BUILTIN[NAME], MEANINGS[NAME]


@pytest.fixture
def good():
    return json.loads(shipped(NAME))


def answer(certificate, **limits):
    return check(certificate, LAW, MEANING, **limits)


def script(certificate, name):
    return next(each for each in certificate["obligations"] if each["name"] == name)


def scripted(good, steps, terms=()):
    """The certificate with other steps for `one.s`, over these terms before its own."""
    script(good, "one.s")["steps"] = steps
    moved = [
        [each + len(terms) if type(each) is int and place > (row[0] == "kind") else each
         for place, each in enumerate(row)]
        for row in good["terms"]
    ]  # fmt: skip
    for each in good["obligations"]:
        each["goal"] = [side + len(terms) for side in each["goal"]]
        for step in each["steps"] if each["name"] != "one.s" else ():
            step[1] = [term + len(terms) for term in step[1]]
    good["terms"] = [*terms, *moved]
    return answer(good)


def test_the_certificate_holds(good):
    assert answer(good) is None
    assert answer(json.dumps(good)) is None


@pytest.mark.parametrize(
    "certificate",
    [
        None,
        True,
        3,
        "",
        "[]",
        "{}",
        "[" * 100_000,
        "9" * 10_000,
        '{"schema": NaN}',
        [],
        {},
        {"schema": 1},
        b"{}",
    ],
    ids=lambda value: str(value)[:12],
)
def test_what_is_no_certificate(certificate):
    assert answer(certificate).startswith("the certificate ")


def test_the_length_is_bounded(good):
    text = json.dumps(good)
    assert answer(text.ljust(1_000_000)) is None
    assert answer(text.ljust(1_000_001)) == "the certificate is too long"


def test_fields_are_neither_missing_nor_unknown(good):
    for name in list(good):
        less = {key: value for key, value in good.items() if key != name}
        assert "must have the fields" in answer(less)
    assert "must have the fields" in answer(good | {"assume": []})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", "certile.certificate/1"),
        ("law", "add"),
        ("before", "0" * 64),
        ("after", "0" * 64),
        ("domain", {"x": ["zero"]}),
        ("domain", {"x": "finite"}),
        ("discharges", [{"kind": "static"}]),
        ("discharges", None),
        ("rounding", {"depth": 1}),
        ("rounding", float("nan")),
    ],
)
def test_the_heading_is_that_of_the_law(good, field, value):
    assert answer(good | {field: value}) == f"the certificate is of another {field}"


def test_a_heading_of_anything_is_answered(good):
    loop = []
    loop.append(loop)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for value in (loop, deep, {1, 2}, {"depth": True}):
        assert answer(good | {"rounding": value}) == "the certificate is of another rounding"
        assert answer(good | {"discharges": value}) == "the certificate is of another discharges"


def test_the_witness_is_in_every_domain():
    assert all(kinds.of_number(Fraction(1)) & mask for mask in DOMAINS.values())
    assert heading(LAW, MEANING)["witness"] == {"x": "1"}


@pytest.mark.parametrize("witness", [{}, {"x": "1", "y": "1"}, None, {"x": 1}, {"x": "nan"}])
def test_the_witness_is_repeated(good, witness):
    assert answer(good | {"witness": witness}) == "the certificate is of another witness"


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        (None, "must be a list"),
        ([None], "no known operation"),
        ([[]], "no known operation"),
        ([[3]], "no known operation"),
        ([["pow", 0, 0]], "no known operation"),
        ([["num"]], "no known operation, or another number of operands"),
        ([["call", "f"]], "no known operation"),
        ([["sym"]], "another number of operands"),
        ([["sym", 3]], "must have a name that there is"),
        ([["num", "1", 0]], "another number of operands"),
        ([["num", 1]], "a constant must be"),
        ([["num", "nan"], ["exp"]], "another number of operands"),
        ([["num", "nan"], ["exp", 1]], "operands must be"),
        ([["exp", 0]], "operands must be"),
        ([["num", "1"], ["exp", -1]], "operands must be"),
        ([["num", "1"], ["exp", True]], "operands must be"),
        ([["num", "1"], ["exp", 0.0]], "operands must be"),
        ([["num", "1"], ["kind", 64, 0]], "a mask must be"),
        ([["num", "1"], ["kind", True, 0]], "a mask must be"),
        ([["elem", "y"]], "must have a name that there is"),
        ([["elem", ["x"]]], "must have a name"),
        ([["sym", "s" * 101]], "must have a name"),
        ([["num", "1"], ["sum", "zs", 0]], "must have a name that there is"),
    ],
)
def test_terms(good, terms, reason):
    assert reason in answer(good | {"terms": terms})


def test_a_name_has_at_most_a_hundred_letters(good):
    assert answer(good | {"terms": [["sym", "s" * 100]]}) != answer(
        good | {"terms": [["sym", "s" * 101]]}
    )


def test_fuel_bounds_the_number_of_steps(good):
    terms, same = [["sym", "e.x"]], ["split", [0], [63]]
    few, many = (scripted(copy.deepcopy(good), [same] * n, terms) for n in (1_000, 20_000))
    assert few == "one.s: 1 goals are left"
    assert "more work than it may" in many


@pytest.mark.parametrize("text", ["-1/3", "12", "-inf", "inf", "nan", "0", "9" * 600])
def test_constants_are_rationals_in_digits(text):
    table = Table(10)
    (term,) = terms_of(table, [["num", text]], ())
    assert table.rows[term].value == (text if "n" in text else Fraction(text))


@pytest.mark.parametrize(
    "text",
    [1, "1e3", "1e999999999", "1/0", "1/01", " 1", "9" * 601, "Infinity", "\u0661", "1/", "-"],
)
def test_what_is_no_constant(text):
    with pytest.raises(Refused, match="a constant must be"):
        terms_of(Table(10), [["num", text]], ())


def test_lists_that_nest_too_deeply_to_walk_are_answered(good):
    terms = [["elem", "x"], *(["sum", "xs", k] for k in range(20_000))]
    deep = ["split", [20_000], [63]]
    assert "nested too deeply" in scripted(good, [deep], terms)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda o: o.pop(), "there must be 4 obligations"),
        (lambda o: o.append(o[0]), "there must be 4 obligations"),
        (lambda o: o.reverse(), "obligation nil.s is missing"),
        (lambda o: o[0].update(goal=o[1]["goal"]), "obligation nil.s is missing"),
        (lambda o: o[3].update(goal=[*o[3]["goal"][::-1], 0]), "finalize.0 is missing"),
        (lambda o: o[0].update(goal="(is 0 0)"), "the sides of a goal must be a list"),
        (lambda o: o[0].update(goal=[0, 10**6]), "the sides of a goal must be integers"),
        (lambda o: o[1].update(assumptions=["(is x 0)"]), "one.s: only the domain may be assumed"),
        (lambda o: o[1].update(assumptions=None), "only the domain"),
        (lambda o: o[0].update(hint=1), "obligation nil.s must have the fields"),
        (lambda o: o[0].pop("steps"), "obligation nil.s must have the fields"),
        (lambda o: o[0].update(steps=None), "the steps must be a list"),
        (lambda o: o[1].update(steps=[]), "one.s: 1 goals are left"),
        (
            lambda o: o[0]["steps"].append(["operands", [], []]),
            "nil.s, step 0 operands: there is no goal",
        ),
    ],
)
def test_obligations(good, change, reason):
    change(good["obligations"])
    assert reason in answer(good)


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (None, "a step must be"),
        ([], "a step must be"),
        (["split", [0]], "a step must be"),
        (["trust", [], []], "trust: there is no such step"),
        (["close", [], []], "close: there is no such step"),
        ([["split"], [0], []], "a step must be"),
        (["split", [0], [], []], "a step must be"),
        (["ring", {}, []], "the terms of a step must be a list"),
        (["ring", [0, 99], []], "the terms of a step must be integers"),
        (["ring", [0, -1], []], "the terms of a step must be integers"),
        (["ring", [0, True], []], "the terms of a step must be integers"),
        (["ring", [0, 0.0], []], "the terms of a step must be integers"),
        (["ring", 0, []], "must be a list"),
        (["split", [0], [64]], "the masks of a step must be"),
        (["split", [0], [-1]], "the masks of a step must be"),
        (["split", [0], [True]], "the masks of a step must be"),
        (["split", [0], None], "the masks of a step must be a list"),
    ],
)
def test_steps(good, step, reason):
    assert reason in scripted(good, [step], [["num", "1"]])


def _chain(op, length, start=("elem", "x")):
    return [["sym", "e.x"], *([op, *([k] * (1 if op == "exp" else 2))] for k in range(length))]


_HOSTILE = {
    "a tower of exponentials": (_chain("exp", 20_000), ["have", [0, 20_000], []]),
    "x doubled sixty times": (_chain("add", 60), ["have", [0, 60], []]),
    "a power of two": ([["num", "3"], *_chain("mul", 40)[1:]], ["have", [0, 40], []]),
    "forty squared": (
        [
            *[["sym", f"y{k}"] for k in range(40)],
            *[["add", k and 39 + k, k + 1 if k else 1] for k in range(39)],
            *[["mul", 78 + k, 78 + k] for k in range(10)],
        ],
        ["have", [0, 88], []],
    ),
}


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_terms_are_answered(good, name):
    terms, step = _HOSTILE[name]
    for rule in ("ring", "regroup", "operands"):
        given = [] if rule == "operands" else step[1]
        refused = scripted(copy.deepcopy(good), [step, [rule, given, []]], terms)
        assert isinstance(refused, str)


@pytest.mark.parametrize("part", ["lift", "merge", "closed"])
def test_a_term_too_deep_to_walk_is_answered(good, part):
    deep = Var("x")
    for _ in range(100_000):
        deep = app("exp", deep)
    law, meaning = BUILTIN["logsumexp"], MEANINGS["logsumexp"]
    if part == "closed":
        meaning = replace(meaning, closed=(deep, deep))
    else:
        law = replace(law, **{part: (deep, deep)})
    assert "nested too deeply" in check(good, law, meaning)


def test_fuel_bounds_a_script_whose_steps_are_all_allowed(good):
    wide = [["sym", "e.x"], ["num", "2"], ["num", "0"]]
    wide += [["add", 0, 1], *(["mul", 3 + k, 3 + k] for k in range(5))]
    split = ["split", [0], [14, 49]]
    ring = ["ring", [0, len(wide) - 1], []]
    refused = scripted(copy.deepcopy(good), [split, *[ring] * 19_000], wide)
    assert refused.startswith("one.s, step ")
    splits = [["split", [0], [63, 63, 63]]] * 5_000
    assert scripted(good, splits, wide) == "one.s: 10001 goals are left"


def test_fuel_is_tested_at_the_limit(good):
    low, high = 1, 10_000
    while low < high:
        middle = (low + high) // 2
        if answer(good, fuel=middle) is None:
            high = middle
        else:
            low = middle + 1
    assert answer(good, fuel=low) is None
    assert answer(good, fuel=low - 1).endswith("more work than it may")


def test_answers_do_not_depend_on_what_was_checked_before(good):
    bad = copy.deepcopy(good)
    script(bad, "cat.s")["steps"].pop()
    assert [answer(each) is None for each in (good, bad, good)] == [True, False, True]


def _tampered(choose, value):
    """The JSON value with one random place changed."""
    if isinstance(value, dict) and value and choose.random() < 0.95:
        key = choose.choice(list(value))
        return value | {key: _tampered(choose, value[key])}
    if isinstance(value, list) and value and choose.random() < 0.9:
        place = choose.randrange(len(value))
        pick = choose.random()
        if pick < 0.1:
            return value[:place] + value[place + 1 :]
        if pick < 0.2:
            return [*value[:place], value[place], *value[place:]]
        return [*value[:place], _tampered(choose, value[place]), *value[place + 1 :]]
    if type(value) is int:
        return choose.choice([value + 1, value - 1, choose.randrange(64), -1, True, None])
    others = ["nan", "0", "1", "-inf", "constant", "unit", "factor_in", "regroup", "split"]
    return choose.choice([*others, None, [], {}, 0])


@pytest.mark.parametrize("name", ["absmax", "all", "fmin", "logsumexp"])
def test_tampered_certificates_prove_nothing_else(name):
    """Accepted are only changes of how the same obligations of the same law are proved."""
    choose, good = random.Random(3), json.loads(shipped(name))
    accepted = 0
    for _ in range(500):
        bad = _tampered(choose, good)
        if check(bad, BUILTIN[name], MEANINGS[name]) is not None:
            continue
        accepted += 1
        assert {k: bad[k] for k in good if k not in ("terms", "obligations", "witness")} == {
            k: good[k] for k in good if k not in ("terms", "obligations", "witness")
        }
        for each, original in zip(bad["obligations"], good["obligations"], strict=True):
            assert each | {"steps": []} == original | {"steps": []}
    assert accepted < 250
