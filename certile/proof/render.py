"""A law and its proof as text, LaTeX and JSON.

In: a law, its meaning and its certificate, which has been checked.  Decides wording and layout
only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import OF_REWRITES, Action, Domain, Meaning
from certile.ir.terms import Term
from certile.proof.alike import alike
from certile.proof.check import goals
from certile.proof.check.certificate import FUEL, Json
from certile.proof.check.elaborate import Reader
from certile.proof.check.finite import Parts
from certile.proof.check.rules import Goal
from certile.proof.check.terms import Table
from certile.proof.formulas import Formula, Latex, Plain, choice_of, decided, formulas
from certile.proof.goal_text import goal_text
from certile.proof.integers import covered

_DOMAINS: Final[dict[Domain, str]] = {
    "any": "every number, both infinities and NaN",
    "finite": "every finite number",
    "nonzero": "every finite number but 0",
    "positive": "every finite number above 0",
    "natural": "every finite number from 0 up",
}
_SAID: Final = {
    "nil": "no elements; ",
    "one": "one element; ",
    "cat": "two lists, one after the other; ",
    "finalize": "a result; ",
    "bound": "no exponent is positive; ",
}
_PLAIN: Final = Plain()
_UNDERSCORE: Final = r"\_"


def text(
    law: Law,
    meaning: Meaning | Action,
    certificate: Json,
    outlines: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """What is proved of a law, its obligations with the steps they take, and what stays open.

    `outlines` are lines to print below each obligation, by its name.
    """
    return "\n".join(_lines(law, meaning, certificate, outlines or {}))


def goal_texts(law: Law, meaning: Meaning | Action) -> dict[str, str]:
    """Each obligation's goal as an S-expression, by its name."""
    table = Table(FUEL)
    return {name: goal_text(table, goal) for name, goal in goals(table, law, meaning)}


def latex(law: Law, meaning: Meaning | Action) -> str:
    """The obligations as a LaTeX `align*` block; `\\mathrm{if}` chooses by a condition."""
    rows = [
        rf"  {left} &= {right} && \text{{({name.replace('_', _UNDERSCORE)})}}"
        for name, left, right in _formulas(law, meaning, Latex())
    ]
    said = [each.text().replace("_", _UNDERSCORE) for each in alike(law, meaning)]
    rows += [rf"  & && \text{{{each}}}" for each in said]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def document(law: Law, meaning: Meaning | Action, certificate: Json) -> Json:
    """The same as JSON: the heading of the certificate, obligations with step counts, formulas."""
    counts = _steps(certificate)
    obligations = [
        {"name": name, "left": left, "right": right, "steps": sum(counts[name].values())}
        for name, left, right in _formulas(law, meaning, _PLAIN)
    ]
    return {
        "law": law.name,
        "domain": certificate["domain"],
        "integers": covered(law, meaning),
        "before": certificate["before"],
        "after": certificate["after"],
        "obligations": obligations,
        "alike": [each.to_json() for each in alike(law, meaning)],
        "discharges": certificate["discharges"],
    }


def results(law: Law, meaning: Meaning | Action) -> list[str]:
    """What each result has to be, by its name in the obligations."""
    if isinstance(meaning, Action):
        return [
            f"result {name.partition('.')[2]} = {right}"
            for name, _, right in _formulas(law, meaning, _PLAIN)
            if name.startswith("finalize.")
        ]
    table = Table(FUEL)
    parts = Parts(table, law)
    known = parts.state("state.", parts.closed(meaning.closed, "xs")) | parts.shared
    read = Reader(table, known, ("xs",), tuple(meaning.domain)).value
    written = [_written(table, read(term), {}, _PLAIN) for term in meaning.specification]
    return [f"result {place} = {term}" for place, term in enumerate(written)]


def program(law: Law) -> list[str]:
    """What a law computes: of nothing, of an element, of two parts a and b, and its results."""
    names = [component.name for component in law.state]
    sides = [f"{side}.{name}" for side in "ab" for name in names]
    variables = [*law.lift_variables(), *law.parameters, "i", *names, *sides]
    truths = {component.name for component in law.state if component.type == "bool"}
    held = frozenset(name for name in variables if name.rpartition(".")[2] in truths)
    written = _term_writer(variables, held)
    parts = (("nothing", law.identity or ()), ("element", law.lift), ("merge", law.merge))
    state = [
        f"{what}: {', '.join(f'{n} = {written(t)}' for n, t in zip(names, terms, strict=True))}"
        for what, terms in parts
    ]
    return [*state, f"results: {', '.join(map(written, law.finalize))}"]


def _term_writer(names: Iterable[str], held: frozenset[str]) -> Callable[[Term], str]:
    """What writes terms over these names; those of `held` are truths."""
    table = Table(FUEL)
    reader = Reader(table, {name: table.make("sym", value=name) for name in names}, None, (), held)

    def written(term: Term) -> str:
        return _written(table, reader.value(term), {}, _PLAIN)

    return written


def claim_lines(
    table: Table, law: Law, meaning: Meaning | Action, name: str, goal: Goal
) -> Iterator[str]:
    """A goal as an equation, or that of an exponent as a sentence; then what each name means."""
    names = {} if name.startswith("finalize") else closed_names(table, law, meaning)
    claim = " = ".join(_sides(table, name, goal, names))
    yield claim
    for term, called in names.items():
        if called in claim:
            yield f"{called} = {_written(table, term, names, _PLAIN)}"


def _lines(
    law: Law,
    meaning: Meaning | Action,
    certificate: Json,
    outlines: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    yield f"law {law.name}"
    for name, kind in meaning.given().items():
        yield f"  {name}: {_DOMAINS[kind]}"
    yield f"  {covered(law, meaning)}; the sign of a zero is not covered"
    if isinstance(meaning, Action):
        yield from (f"  {line}" for line in _acting(meaning))
    else:
        yield "  xs and ys: any two lists; xs++ys: one after the other; e: one element"
        yield from (f"  {line}" for line in _closed(law, meaning))
    yield from _obligations(law, meaning, certificate, outlines)
    for discharge in meaning.discharges:
        if discharge in OF_REWRITES:
            also = " or a number that all elements share" * (len(law.parameters) > 0)
            yield f"left to run time: {discharge.intermediate}{also}; then {discharge.bound}"
        else:
            said = f"{discharge.intermediate}; bound: {discharge.bound}"
            yield f"beside exact arithmetic, {discharge.kind}: {said}"


def _obligations(
    law: Law,
    meaning: Meaning | Action,
    certificate: Json,
    outlines: Mapping[str, Sequence[str]],
) -> Iterator[str]:
    table = Table(FUEL)
    obligations = goals(table, law, meaning)
    names, counts = closed_names(table, law, meaning), _steps(certificate)
    for name, goal in obligations:
        used = ", ".join(f"{rule} {count}" for rule, count in counts[name].most_common())
        steps = sum(counts[name].values())
        what = _SAID.get(name.partition(".")[0], "")
        yield f"{name}: {what}{steps} {'step' if steps == 1 else 'steps'} ({used})"
        left, *right = _sides(table, name, goal, {} if name.startswith("finalize") else names)
        if right == [left]:
            yield f"    both sides are {left}"
        else:
            yield f"    {left}"
            yield from (f"  = {each}" for each in right)
        yield from (f"  {line}" for line in outlines.get(name, ()))
    yield from (each.text() for each in alike(law, meaning))


def _sides(table: Table, name: str, goal: Goal, names: Mapping[int, str]) -> list[str]:
    """Both sides of an equation, or the sentence that it says of an exponent."""
    if name.startswith("bound."):
        said = _not_positive(table, goal, names)
        if said is not None:
            return [said]
    left, right = (_written(table, side, names, _PLAIN) for side in (goal.left, goal.right))
    if left == right and goal.left != goal.right:
        # What makes them one is decided by their choices alone; it is what the steps are about.
        return [formulas(table, side, names, _PLAIN)[side].text for side in (goal.left, goal.right)]
    return [left, right]


def _not_positive(table: Table, goal: Goal, names: Mapping[int, str]) -> str | None:
    """A goal that counts where exponents are above 0, and has none, as sentences."""
    made = formulas(table, goal.left, names, _PLAIN)
    if _written(table, goal.right, names, _PLAIN) != "0":
        return None
    said = [_exponent(table, made, part) for part in table.flat("max", goal.left)]
    sentences = [each for each in said if each is not None]
    return "; ".join(sentences) if len(sentences) == len(said) else None


def _exponent(table: Table, made: Mapping[int, Formula], term: int) -> str | None:
    """Where one exponent is above 0, as the sentence that it is nowhere."""
    where, unless = "", ""
    if table.rows[term].op == "sum":
        where = f"for each element of {table.rows[term].value}"
        (term,) = table.rows[term].args
    if table.rows[term].op == "choose":
        condition, then, term = choice_of(table, table.rows[term])
        if made[then].text != "0":
            return None
        unless = f"unless {made[condition].text}"
    row = table.rows[term]
    if row.op != "less" or made[row.args[0]].text != "0":
        return None
    begin = ", ".join(part for part in (where, unless) if part)
    return f"{begin}{': ' * bool(begin)}{made[row.args[1]].text} is not positive"


def _closed(law: Law, meaning: Meaning) -> Iterator[str]:
    """The closed form of each component: `s(xs) = Sum_xs[x]`."""
    table = Table(FUEL)
    names = closed_names(table, law, meaning)
    forms = Parts(table, law).closed(meaning.closed, "xs")
    for component, term in zip(law.state, forms, strict=True):
        yield f"{component.name}(xs) = {_written(table, term, names, _PLAIN)}"


def _acting(action: Action) -> Iterator[str]:
    """What the loop does, and what a state of the law does to that of the loop."""
    names = list(action.loop)
    states = (*(f"s.{name}" for name in names), *(f"p.{name}" for name in action.parts))
    written = _term_writer((*action.domain, *states), frozenset())
    for name, start, step in zip(names, action.start, action.step, strict=True):
        yield f"loop: s.{name} = {written(start)}, then {written(step)} for each element"
    for name, act in zip(names, action.act, strict=True):
        yield f"state p: s.{name} becomes {written(act)}"
    for result in action.result:
        yield f"result: {written(result)}"
    parts = ", ".join(f"p.{name}: {_DOMAINS[kind]}" for name, kind in action.parts.items())
    yield f"states hold {parts}"


def _steps(certificate: Json) -> dict[str, Counter[str]]:
    """How often each rule is used, by obligation."""
    counts: dict[str, Counter[str]] = {}
    for obligation in certificate["obligations"]:  # type: ignore[attr-defined]
        counts[obligation["name"]] = Counter(step[0] for step in obligation["steps"])
    return counts


def closed_names(table: Table, law: Law, meaning: Meaning | Action) -> dict[int, str]:
    """A name, such as s(xs++ys), for the closed form of each component over each list."""
    names: dict[int, str] = {}
    if isinstance(meaning, Action):
        return names
    for pieces in (("xs",), ("ys",), ("xs", "ys")):
        forms = Parts(table, law).closed(meaning.closed, *pieces)
        for component, term in zip(law.state, forms, strict=True):
            if table.rows[term].args:
                names.setdefault(term, f"{component.name}({'++'.join(pieces)})")
    return names


class Writer:
    """Writes terms of one table as plain text; terms with a name are written by it."""

    def __init__(self, table: Table, names: Mapping[int, str], notation: Plain = _PLAIN) -> None:
        self.table = table
        self._names = names
        self._notation = notation
        self._made: list[Formula] = []

    def text(self, term: int) -> str:
        """The formula of a term."""
        for at in range(len(self._made), term + 1):
            called = self._names.get(at)
            made = self._notation.formula(self.table, at, self._made.__getitem__)
            self._made.append(made if called is None else self._notation.named(called))
        return self._made[term].text


def _formulas(
    law: Law, meaning: Meaning | Action, notation: Plain
) -> Iterator[tuple[str, str, str]]:
    """Name, left and right side of each obligation; a closed form inside another has a name."""
    table = Table(FUEL)
    obligations = goals(table, law, meaning)
    names = closed_names(table, law, meaning)
    for name, goal in obligations:
        plain = {} if name.startswith("finalize") else names
        left, right = (_written(table, side, plain, notation) for side in (goal.left, goal.right))
        yield name, left, right


def _written(table: Table, side: int, names: Mapping[int, str], notation: Plain) -> str:
    term = decided(table, side, names)
    return formulas(table, term, names, notation)[term].text
