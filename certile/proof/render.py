"""A law and its proof as text, LaTeX and JSON.

In: a law, its meaning and its certificate, which has been checked.  Decides wording and layout
only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Domain, Meaning
from certile.proof.check import goals, kinds
from certile.proof.check.certificate import FUEL, goal_text
from certile.proof.check.parse import Json
from certile.proof.check.reader import closed_forms
from certile.proof.check.terms import Fuel, Row, Table
from certile.proof.integers import holds_for_integers

_Write = Callable[[Row, Sequence[str]], str]

_DOMAINS: Final[dict[Domain, str]] = {
    "any": "every number, both infinities and NaN",
    "finite": "every finite number",
    "natural": "every finite number from 0 up",
}
_NUMBER: Final = kinds.ANY & ~kinds.NAN
_CALLED: Final = {
    kinds.FINITE: "finite",
    _NUMBER: "a number",
    kinds.NEG | kinds.POS: "finite and not 0",
    kinds.NINF | kinds.PINF: "infinite",
    kinds.ANY: "anything",
}
_WORDS: Final = ("-inf", "negative", "0", "positive", "inf", "NaN")
_INFIX: Final = {"add": " + ", "mul": "·", "div": " / ", "same": " is ", "less": " < "}
_LIST: Final = {"sum": "Sum", "prod": "Prod", "top": "Max", "bottom": "Min"}
_LATEX_LIST: Final = {"sum": r"\sum", "prod": r"\prod", "top": r"\max", "bottom": r"\min"}
_LATEX_INFIX: Final = {"add": " + ", "mul": r" \cdot ", "same": " = ", "less": " < "}
_LATEX_NAMES: Final = {"inf": r"\infty", "-inf": r"-\infty", "nan": r"\mathrm{NaN}"}


def text(
    law: Law,
    meaning: Meaning,
    certificate: Json,
    outlines: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """What is proved of a law, its obligations with the steps they take, and what stays open.

    `outlines` are lines to print below each obligation, by its name.
    """
    return "\n".join(_lines(law, meaning, certificate, outlines or {}))


def goal_texts(law: Law, meaning: Meaning) -> dict[str, str]:
    """Each obligation's goal as an S-expression, by its name."""
    table = Table(Fuel(FUEL))
    return {name: goal_text(table, goal) for name, goal in goals(table, law, meaning)}


def latex(law: Law, meaning: Meaning) -> str:
    """The obligations as a LaTeX `align*` block; `\\mathrm{if}` chooses by a condition."""
    rows = [
        rf"  {left} &= {right} && \text{{({_escaped(name)})}}"
        for name, left, right in _formulas(law, meaning, _latex_row)
    ]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def document(law: Law, meaning: Meaning, certificate: Json) -> Json:
    """The same as JSON: the heading of the certificate, obligations with step counts, formulas."""
    counts = _steps(certificate)
    obligations = [
        {"name": name, "left": left, "right": right, "steps": sum(counts[name].values())}
        for name, left, right in _formulas(law, meaning, _plain_row)
    ]
    return {
        "law": law.name,
        "domain": certificate["domain"],
        "integers": holds_for_integers(law, meaning),
        "before": certificate["before"],
        "after": certificate["after"],
        "obligations": obligations,
        "discharges": certificate["discharges"],
    }


def _lines(
    law: Law, meaning: Meaning, certificate: Json, outlines: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    yield f"law {law.name}"
    for name, kind in meaning.domain.items():
        yield f"  {name}: {_DOMAINS[kind]}"
    also = "hold" if holds_for_integers(law, meaning) else "are not covered"
    yield f"  integers {also}; the sign of a zero is not covered"
    yield from (f"  {line}" for line in _closed(law, meaning))
    counts = _steps(certificate)
    for name, left, right in _formulas(law, meaning, _plain_row):
        used = ", ".join(f"{rule} {count}" for rule, count in counts[name].most_common())
        yield f"{name}: {sum(counts[name].values())} steps ({used})"
        yield f"    {left}"
        yield f"  = {right}"
        yield from (f"  {line}" for line in outlines.get(name, ()))
    for discharge in meaning.discharges:
        yield f"{discharge.kind}: {discharge.intermediate}; bound: {discharge.bound}"


def _closed(law: Law, meaning: Meaning) -> Iterator[str]:
    """The closed form of each component: `s(xs) = Sum_xs[x]`."""
    table = Table(Fuel(FUEL))
    names = closed_names(table, law, meaning)
    for name, term in closed_forms(table, law, meaning, ("xs",)).items():
        yield f"{name}(xs) = {_written(table, term, names, _plain_row)}"


def _steps(certificate: Json) -> dict[str, Counter[str]]:
    """How often each rule is used, by obligation."""
    counts: dict[str, Counter[str]] = {}
    for obligation in certificate["obligations"]:  # type: ignore[attr-defined]
        counts[obligation["name"]] = Counter(step[0] for step in obligation["steps"])
    return counts


def closed_names(table: Table, law: Law, meaning: Meaning) -> dict[int, str]:
    """A name, such as s(xs++ys), for the closed form of each component over each list."""
    names: dict[int, str] = {}
    for pieces in (("xs",), ("ys",), ("xs", "ys")):
        for name, term in closed_forms(table, law, meaning, pieces).items():
            if table.rows[term].args:
                names.setdefault(term, f"{name}({'++'.join(pieces)})")
    return names


class Writer:
    """Writes terms of one table as plain text; terms with a name are written by it."""

    def __init__(self, table: Table, names: Mapping[int, str]) -> None:
        self.table = table
        self._names = names
        self._made: list[str] = []

    def text(self, term: int) -> str:
        """The formula of a term."""
        for at in range(len(self._made), term + 1):
            row = self.table.rows[at]
            args = [self._made[arg] for arg in row.args]
            self._made.append(self._names.get(at) or _plain_row(row, args))
        return self._made[term]


def _formulas(law: Law, meaning: Meaning, write: _Write) -> Iterator[tuple[str, str, str]]:
    """Name, left and right side of each obligation; a closed form inside another has a name."""
    table = Table(Fuel(FUEL))
    obligations = goals(table, law, meaning)
    names = closed_names(table, law, meaning)
    for name, goal in obligations:
        plain = {} if name.startswith("finalize") else names
        left, right = (_written(table, side, plain, write) for side in (goal.left, goal.right))
        yield name, left, right


def _written(table: Table, side: int, names: Mapping[int, str], write: _Write) -> str:
    made: dict[int, str] = {}
    for term in table.reach(side):
        row = table.rows[term]
        named = names.get(term) if term != side and row.args else None
        made[term] = named or write(row, [made[arg] for arg in row.args])
    return made[side]


def _plain_row(row: Row, args: Sequence[str]) -> str:
    match row.op:
        case "num" | "elem" | "sym":
            return str(row.value)
        case "kind":
            return f"{args[0]} is {kind_text(int(row.value))}"  # type: ignore[arg-type]
        case "choose":
            return f"(if {args[0]} then {args[1]} else {args[2]})"
        case "sum" | "prod" | "top" | "bottom":
            return f"{_LIST[row.op]}_{row.value}[{args[0]}]"
        case "mul" if args[0] == "-1":
            return f"-{args[1]}"
        case "add" if args[1].startswith("-"):
            return f"({args[0]} - {args[1][1:]})"
        case op if op in _INFIX:
            return f"({_INFIX[op].join(args)})"
        case op:
            return f"{row.value or op}({', '.join(args)})"


def _latex_row(row: Row, args: Sequence[str]) -> str:
    match row.op:
        case "num" | "elem" | "sym":
            return _latex_value(row.value)
        case "kind":
            names = ", ".join(rf"\mathrm{{{name}}}" for name in _kind_names(row))
            return rf"{args[0]} \in \{{{names}\}}"
        case "choose":
            return rf"\mathrm{{if}}({args[0]};\, {args[1]};\, {args[2]})"
        case "sum" | "prod" | "top" | "bottom":
            return rf"{_LATEX_LIST[row.op]}_{{{row.value}}} \left[{args[0]}\right]"
        case "div":
            return rf"\frac{{{args[0]}}}{{{args[1]}}}"
        case "mul" if args[0] == "-1":
            return f"-{args[1]}"
        case "add" if args[1].startswith("-"):
            return rf"\left({args[0]} - {args[1][1:]}\right)"
        case op if op in _LATEX_INFIX:
            return rf"\left({_LATEX_INFIX[op].join(args)}\right)"
        case op:
            return rf"\{row.value or op}\left({', '.join(args)}\right)"


def _latex_value(value: Fraction | str | int | None) -> str:
    if isinstance(value, Fraction) and value.denominator != 1:
        return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    name = str(value).removeprefix("e.")
    return _LATEX_NAMES.get(name, _escaped(name))


def kind_text(mask: int) -> str:
    """A mask of kinds in words: "finite", "0 or positive"."""
    if mask in _CALLED:
        return _CALLED[mask]
    return " or ".join(_WORDS[kind.bit_length() - 1] for kind in kinds.single(mask))


def _kind_names(row: Row) -> list[str]:
    mask = int(row.value)  # type: ignore[arg-type]
    return [kinds.NAMES[kind.bit_length() - 1] for kind in kinds.single(mask)]


def _escaped(name: str) -> str:
    return name.replace("_", r"\_")
