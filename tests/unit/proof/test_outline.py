"""Outlines: every certificate becomes an argument with its cases, equations and rules."""

import json
import re

import pytest

from certile.ir.laws import BUILTIN
from certile.ir.meanings import meaning_of
from certile.proof.check import kinds
from certile.proof.check.rules import STEPS
from certile.proof.check.terms import Refused
from certile.proof.formulas import kind_text
from certile.proof.outline import outline
from certile.proof.registry import shipped


def outlined(name, change=None):
    certificate = json.loads(shipped(name))
    if change is not None:
        change(certificate["obligations"])
    return outline(BUILTIN[name], meaning_of(BUILTIN[name]), certificate)


def test_cases_stand_below_their_split():
    assert outlined("absmax")["one.s"] == [
        "  what is left is max(0, abs(e.x)) = abs(e.x) [simplify]",
        "  by cases on e.x [split]",
        "  case e.x is -inf:",
        "    both sides are inf [simplify]",
        "  case e.x is finite:",
        "    both sides are abs(e.x) [simplify]",
        "  case e.x is inf:",
        "    both sides are inf [simplify]",
        "  case e.x is NaN:",
        "    both sides are nan [simplify]",
    ]


def test_what_is_shown_first_stands_below_and_what_uses_it_after():
    lines = outlined("logsumexp")["finalize.0"]
    first = next(place for place, line in enumerate(lines) if line.endswith("[have]"))
    shown = "Sum_xs[exp(x - m(xs))] = exp(-m(xs))·Sum_xs[exp(x)]"
    assert lines[first].strip() == f"first it is shown that {shown} [have]"
    assert lines[first + 1].strip() == f"to show: {shown}"
    used = lines.index("    with that:")
    assert lines[used + 1].strip() == f"{shown} [equality]"
    assert any("it is enough to show, for each element of xs: " in line for line in lines)
    assert any("some element has the value m(xs), so " in line for line in lines)


def test_other_ways_to_split_a_goal_are_said():
    said = "\n".join(
        line for name in BUILTIN for lines in outlined(name).values() for line in lines
    )
    assert "by cases on v(xs) < v(ys) [split]" in said
    assert "case v(xs) < v(ys):" in said
    assert "case not v(xs) < v(ys):" in said
    assert "it is enough to show it operand by operand [operands]" in said
    assert "it is enough to show, for each element of xs: " in said
    assert "operand 1: " in said


@pytest.mark.parametrize("name", BUILTIN)
def test_every_line_is_a_case_or_names_a_rule(name):
    rules = set()
    for lines in outlined(name).values():
        assert lines
        for line in lines:
            found = re.search(r" \[(\w+)\]$", line)
            assert found or line.endswith(":") or line.strip().startswith(("operand ", "to show"))
            rules |= {found[1]} if found else set()
    assert rules <= {*STEPS, "simplify"}
    assert "simplify" in rules


@pytest.mark.parametrize("name", BUILTIN)
def test_no_step_seems_to_do_nothing(name):
    for lines in outlined(name).values():
        for line in lines:
            left, equals, right = line.rpartition(" [")[0].partition(" = ")
            assert not equals or left.rpartition(": ")[2].strip() != right


def test_a_step_that_does_not_hold_ends_the_outline():
    with pytest.raises(Refused, match="the operations differ"):
        outlined("absmax", lambda proofs: proofs[1]["steps"].insert(0, ["operands", [], []]))
    with pytest.raises(Refused, match="there is no goal left"):
        outlined("absmax", lambda proofs: proofs[1]["steps"].append(["operands", [], []]))


def test_kinds_in_words():
    assert kind_text(kinds.FINITE) == "finite"
    assert kind_text(kinds.ZERO | kinds.POS) == "0 or positive"
    assert kind_text(kinds.NAN) == "NaN"
    assert kind_text(kinds.ANY & ~kinds.NAN) == "a number"
