"""A certificate's steps as an argument that a person can follow.

In: a law, its meaning and its certificate.  Out: the lines of each obligation: what is to be shown,
the cases it is split into, and the equation and the rule of every step.  Decides wording only: the
steps are replayed by the checker's own code, so what it refuses ends the outline with `Refused`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Meaning
from certile.proof.check import kinds
from certile.proof.check.certificate import Json, list_of, step_of, terms_of
from certile.proof.check.reader import goals
from certile.proof.check.rules import RULES, STEPS, Goal, Replay, Step
from certile.proof.check.terms import LISTS, Table
from certile.proof.formulas import Whole, kind_text
from certile.proof.render import Writer, closed_names

_FUEL: Final = 30_000_000
_INDENT: Final = "  "


def outline(law: Law, meaning: Meaning | Action, certificate: Json) -> dict[str, list[str]]:
    """The lines of each obligation, by its name; raises `Refused` for a step that does not hold."""
    table = Table(_FUEL)
    obligations = goals(table, law, meaning)
    names = closed_names(table, law, meaning)
    writer, whole = Writer(table, names), Writer(table, names, Whole())
    terms = terms_of(table, certificate["terms"], frozenset(meaning.given()))
    scripts: dict[str, list[Step]] = {}
    for each in list_of(certificate["obligations"], "the obligations"):
        assert isinstance(each, dict)
        scripts[each["name"]] = [step_of(step, terms) for step in each["steps"]]
    return {
        name: list(_Outline(writer, whole, Replay(goal), [_Open(1, goal)]).lines(scripts[name]))
        for name, goal in obligations
    }


@dataclass(slots=True)
class _Open:
    """A goal that waits, as a step made it: how deep it stands, and the line that introduces it."""

    depth: int
    goal: Goal
    caption: str = ""


@dataclass(slots=True)
class _Outline:
    """One obligation under way; those of `waiting` that are not shown are the replay's goals."""

    writer: Writer
    whole: Writer
    replay: Replay
    waiting: list[_Open]

    def lines(self, steps: Sequence[Step]) -> Iterator[str]:
        """The lines of all steps; an equation that a case uses at several places stands once."""
        yield from self._opened()
        for step in steps:
            goal = self.replay.goals[-1] if self.replay.goals else None
            self.replay.apply(step)
            assert goal is not None
            here, made = self.waiting.pop(), STEPS[step.name][1](goal, step)
            yield f"{_INDENT * here.depth}{self._said(goal, step, made)} [{step.name}]"
            captions = _CAPTIONS[step.name](self, goal, step) if step.name in _CAPTIONS else [""]
            follow = zip(made, captions, strict=False)
            self.waiting += reversed(
                [_Open(here.depth + bool(text), each, text) for each, text in follow]
            )
            yield from self._opened()

    def _opened(self) -> Iterator[str]:
        """The goal on top as it is simplified, and those above it that are shown by that."""
        shown = True
        while self.waiting and shown:
            here = self.waiting[-1]
            indent, (context, left, right) = _INDENT * here.depth, here.goal
            sides = context.simple(left), context.simple(right)
            shown = sides[0] == sides[1]
            if here.caption:
                yield _INDENT * (here.depth - 1) + here.caption
            if shown:
                self.waiting.pop()
                yield f"{indent}both sides are {self.writer.text(sides[0])} [simplify]"
            elif sides != (left, right):
                yield f"{indent}what is left is {self._equation(*sides)} [simplify]"

    def _said(self, goal: Goal, step: Step, made: list[Goal]) -> str:
        if step.name in _SAID:
            return _SAID[step.name](self, goal, step, made)
        return self._equation(step.terms[0], RULES[step.name][1](goal.context, *step.terms))

    def _equation(self, left: int, right: int) -> str:
        sides = self.writer.text(left), self.writer.text(right)
        if sides[0] == sides[1] and left != right:
            # A step on what the short formulas leave out.
            sides = self.whole.text(left), self.whole.text(right)
        return " = ".join(sides)

    def _kind(self, term: int, mask: int) -> str:
        row = self.writer.table.rows[term]
        if row.op in ("less", "same") and mask in (kinds.ZERO, kinds.POS):
            said = self.writer.text(term)
            return said if mask == kinds.POS else f"not {said}"
        return f"{self.writer.text(term)} is {kind_text(mask)}"

    def _split(self, goal: Goal, step: Step, made: list[Goal]) -> str:
        (term,) = step.terms
        if not step.masks:
            return f"this cannot be: no value is left for {self.writer.text(term)}"
        if len(step.masks) == 1:
            return self._kind(term, step.masks[0])
        return f"by cases on {self.writer.text(term)}"

    def _split_captions(self, goal: Goal, step: Step) -> list[str]:
        if len(step.masks) == 1:
            return [""]
        return [f"case {self._kind(step.terms[0], mask)}:" for mask in step.masks]

    def _attain(self, goal: Goal, step: Step, made: list[Goal]) -> str:
        (extreme,), known = step.terms, made[0].context
        terms = self.writer.table.reach(goal.left, goal.right)
        sums = [term for term in terms if self.writer.table.rows[term].op == "sum"]
        narrower = [term for term in sums if known.kind(term) != goal.context.kind(term)]
        found = " and ".join(self._kind(term, known.kind(term)) for term in narrower)
        value = f"some element has the value {self.writer.text(extreme)}"
        return f"{value}, so {found}" if found else value

    def _operands(self, goal: Goal, step: Step, made: list[Goal]) -> str:
        row = self.writer.table.rows[goal.left]
        if row.op not in LISTS:
            return "it is enough to show it operand by operand"
        shown = self._equation(made[0].left, made[0].right)
        return f"it is enough to show, for each element of {row.value}: {shown}"

    def _operands_captions(self, goal: Goal, step: Step) -> list[str]:
        rows = self.writer.table.rows
        if rows[goal.left].op in LISTS:
            return [""]
        pairs = zip(rows[goal.left].args, rows[goal.right].args, strict=True)
        return [f"operand {place}: {self._equation(*pair)}" for place, pair in enumerate(pairs, 1)]

    def _have(self, goal: Goal, step: Step, made: list[Goal]) -> str:
        return f"first it is shown that {self._equation(*step.terms)}"

    def _have_captions(self, goal: Goal, step: Step) -> list[str]:
        return [f"to show: {self._equation(*step.terms)}", "with that:"]


_Said = Callable[[_Outline, Goal, Step, list[Goal]], str]
_SAID: Final[Mapping[str, _Said]] = {
    "split": _Outline._split,
    "attain": _Outline._attain,
    "operands": _Outline._operands,
    "have": _Outline._have,
}
_CAPTIONS: Final[Mapping[str, Callable[[_Outline, Goal, Step], list[str]]]] = {
    "split": _Outline._split_captions,
    "operands": _Outline._operands_captions,
    "have": _Outline._have_captions,
}
