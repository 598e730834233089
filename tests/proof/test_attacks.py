"""What an attack on the checker found: a truth taken for a count, and work that no fuel counted."""

import json

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import MEANINGS
from certile.proof.check import check
from certile.proof.check.context import Context
from certile.proof.check.kinds import POS
from certile.proof.check.replay import Goal, Replay, Step
from certile.proof.check.terms import Refused, Table
from certile.proof.registry import shipped


def test_a_truth_of_an_element_is_not_counted_in_another_list():
    table = Table(10_000)
    test = table.make("kind", table.make("elem", value="x"), value=1)
    counted = table.make("sum", test, value="xs")
    known = Context(table, {}).with_kind(table.count("xs"), POS)
    left = table.make("top", table.make("max", test, counted), value="ys")
    replay = Replay(table, [Goal(known, left, table.make("top", counted, value="ys"))])
    with pytest.raises(Refused, match="order of the operands"):
        replay.apply(Step("extreme", (0, 0)))


@pytest.mark.parametrize(("last", "step"), [("add", "ring"), ("max", "extreme")])
def test_long_sums_are_work(last, step):
    content = json.loads(shipped("add"))
    terms = content["terms"]
    first = len(terms)
    terms += [["sym", "z"], ["sym", "a0"]]
    for number in range(1, 9_000):
        whole = len(terms) - 1
        terms += [["sym", f"a{number}"], ["add", whole, whole + 1]]
    terms.append([last, len(terms) - 1, first])
    with_term = {"terms": [first]} if step == "ring" else {}
    steps = [["have", [], {"terms": [len(terms) - 1, first]}], [step, [0], with_term]]
    content["obligations"][0]["steps"] = steps
    found = check(content, BUILTIN["add"], MEANINGS["add"])
    assert found is not None
    assert "more work than it may" in found
