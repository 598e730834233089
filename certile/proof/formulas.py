"""Terms of the checker as formulas, in plain text and in LaTeX.

In: a table of terms and names for some of them.  Decides signs, brackets, how a constant is
written, and shorter readings that say the same: a square, a choice that asks after NaN first and
treats it as every other number, and `fmax` and `fmin`, which leave it out.  Leaves what the
formulas are about to `proof.render`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Container, Iterable, Mapping
from fractions import Fraction
from typing import ClassVar, Final, NamedTuple

from certile.proof.check import kinds
from certile.proof.check.finite import SHARED
from certile.proof.check.terms import LISTS, Row, Table

# How tightly the outermost sign of a formula binds, the loosest first.
_CHOICE, _RELATION, _SUM, _QUOTIENT, _PRODUCT, _POWER, _ATOM = range(7)
_SIGNS: Final = {"add": _SUM, "mul": _PRODUCT, "same": _RELATION, "less": _RELATION}
# The k-th of an order, and the extremes of what is no NaN.
_RANKS: Final = {"largest": "Max", "smallest": "Min"}
_OF_NUMBERS: Final = {"max": "fmax", "min": "fmin"}
_EXACT_INTEGERS: Final = 10**16
_NUMBER: Final = kinds.ANY & ~kinds.NAN
_CALLED: Final = {
    kinds.FINITE: "finite",
    _NUMBER: "a number",
    kinds.NEG | kinds.POS: "finite and not 0",
    kinds.NINF | kinds.PINF: "infinite",
    kinds.ANY: "anything",
}
_WORDS: Final = ("-inf", "negative", "0", "positive", "inf", "NaN")


class Formula(NamedTuple):
    """A formula, and how tightly its outermost sign binds."""

    text: str
    binds: int


_Made = Callable[[int], Formula]


class Plain:
    """Formulas for a terminal: `Sum_xs[exp(x - m(xs))]`, `if x is -inf then 0 else x`."""

    _INFIX: ClassVar[Mapping[str, str]] = {"add": " + ", "mul": "·", "same": " is ", "less": " < "}
    _LIST: ClassVar[Mapping[str, str]] = {
        "sum": "Sum",
        "prod": "Prod",
        "top": "Max",
        "bottom": "Min",
    }

    def formula(self, table: Table, term: int, made: _Made) -> Formula:
        """The formula of a term from those of its operands, which `made` gives."""
        row = table.rows[term]
        match row.op:
            case "num":
                return self.number(row.value)
            case "elem" | "sym":
                return self.named(str(row.value).removeprefix(f"{SHARED}."))
            case "kind":
                return self.kind(made(row.args[0]), int(row.value))  # type: ignore[arg-type]
            case "choose" if (numbers := of_numbers(table, row)) is not None:
                called, pair = numbers
                return Formula(self.call(called, [made(arg).text for arg in pair]), _ATOM)
            case "choose":
                return self.choice(*map(made, self.parts(table, row)))
            case "sum" | "prod" | "top" | "bottom":
                return Formula(self.listed(row.op, str(row.value), made(row.args[0])), _ATOM)
            case "largest" | "smallest":
                body, rank = map(made, row.args)
                return Formula(self.ranked(row.op, str(row.value), body, rank), _ATOM)
            case "div":
                return self.quotient(*map(made, row.args))
            case "mul" if row.args[0] == row.args[1]:
                return Formula(self.square(self._within(made(row.args[0]), _ATOM)), _POWER)
            case "mul" if made(row.args[0]).text == "-1":
                of = made(row.args[1])
                binds = _QUOTIENT if of.binds == _QUOTIENT else _PRODUCT
                return Formula(f"-{self._within(of, _QUOTIENT)}", binds)
            case op if op in _SIGNS:
                return self._signed(op, *map(made, row.args))
            case op:
                return Formula(self.call(op, [made(arg).text for arg in row.args]), _ATOM)

    def _signed(self, op: str, first: Formula, second: Formula) -> Formula:
        """Two operands beside a sign; the first groups without brackets, as one reads them."""
        binds = _SIGNS[op]
        left = self._within(first, binds + (binds == _RELATION))
        right = self._within(second, binds + 1)
        if op == "add" and right.startswith("-"):
            return Formula(f"{left} - {right[1:]}", binds)
        return Formula(f"{left}{self._INFIX[op]}{right}", binds)

    def _within(self, formula: Formula, binds: int) -> str:
        return formula.text if formula.binds >= binds else self.bracketed(formula.text)

    def bracketed(self, text: str) -> str:
        """A formula in brackets."""
        return f"({text})"

    def name(self, name: str) -> str:
        """A field, a component, or the closed form of one over a list, such as `s(xs++ys)`."""
        return name

    def named(self, name: str) -> Formula:
        """What a name stands for, by the name."""
        return Formula(self.name(name), _ATOM)

    def number(self, value: Fraction | str | int | None) -> Formula:
        """A constant."""
        text = decimal(value) if isinstance(value, Fraction) else str(value)
        return Formula(text, _QUOTIENT if "/" in text else _ATOM)

    def kind(self, of: Formula, mask: int) -> Formula:
        """That a value is of one of some kinds."""
        return Formula(f"{self._within(of, _SUM)} is {kind_text(mask)}", _RELATION)

    def parts(self, table: Table, row: Row) -> tuple[int, int, int]:
        """The condition and the values of a choice, as they are shown."""
        return choice_of(table, row)

    def choice(self, condition: Formula, then: Formula, otherwise: Formula) -> Formula:
        """One value or another."""
        first = self._within(then, _RELATION)
        return Formula(f"if {condition.text} then {first} else {otherwise.text}", _CHOICE)

    def listed(self, op: str, name: str, body: Formula) -> str:
        """A sum, a product or an extremum over a list."""
        return f"{self._LIST[op]}_{name}[{body.text}]"

    def ranked(self, op: str, name: str, body: Formula, rank: Formula) -> str:
        """The element of a list at a place in an order."""
        return f"{_RANKS[op]}({rank.text})_{name}[{body.text}]"

    def quotient(self, above: Formula, below: Formula) -> Formula:
        """A fraction."""
        text = f"{self._within(above, _PRODUCT)} / {self._within(below, _POWER)}"
        return Formula(text, _QUOTIENT)

    def square(self, base: str) -> str:
        """A product of a value with itself."""
        return f"{base}²"

    def call(self, function: str, operands: Iterable[str]) -> str:
        """A function of operands."""
        return f"{function}({', '.join(operands)})"


class Whole(Plain):
    """Plain formulas in which every choice stands as it is, also one that asks after NaN first."""

    def parts(self, table: Table, row: Row) -> tuple[int, int, int]:
        condition, then, otherwise = row.args
        return condition, then, otherwise


class Latex(Plain):
    """Formulas for a page, in the mathematics mode of LaTeX."""

    _INFIX: ClassVar[Mapping[str, str]] = {
        "add": " + ",
        "mul": r" \cdot ",
        "same": " = ",
        "less": " < ",
    }
    _LIST: ClassVar[Mapping[str, str]] = {
        "sum": r"\sum",
        "prod": r"\prod",
        "top": r"\max",
        "bottom": r"\min",
    }
    _CONSTANTS: ClassVar[Mapping[str, str]] = {
        "inf": r"\infty",
        "-inf": r"-\infty",
        "nan": r"\mathrm{NaN}",
    }

    def bracketed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def name(self, name: str) -> str:
        called, bracket, lists = name.removeprefix("e.").partition("(")
        shown = called.replace("_", r"\_")
        upright = shown if len(called) == 1 else rf"\mathit{{{shown}}}"
        return upright + bracket + lists.replace("++", r" \mathbin{+\!+} ")

    def number(self, value: Fraction | str | int | None) -> Formula:
        text, binds = super().number(value)
        above, slash, below = text.partition("/")
        if slash:
            return self.quotient(Formula(above, _ATOM), Formula(below, _ATOM))
        digits, exponent, power = text.partition("e")
        if exponent and text not in self._CONSTANTS and digits:
            factor = "" if digits == "1" else rf"{digits} \cdot "
            return Formula(rf"{factor}10^{{{power}}}", _PRODUCT)
        return Formula(self._CONSTANTS.get(text, text), binds)

    def kind(self, of: Formula, mask: int) -> Formula:
        said = rf"{self._within(of, _SUM)} \text{{ is {kind_text(mask)}}}"
        return Formula(said, _RELATION)

    def choice(self, condition: Formula, then: Formula, otherwise: Formula) -> Formula:
        parts = r";\, ".join((condition.text, then.text, otherwise.text))
        return Formula(rf"\mathrm{{if}}\left({parts}\right)", _ATOM)

    def listed(self, op: str, name: str, body: Formula) -> str:
        return rf"{self._LIST[op]}_{{{name}}} \left[{body.text}\right]"

    def ranked(self, op: str, name: str, body: Formula, rank: Formula) -> str:
        return rf"\{_RANKS[op].lower()}^{{({rank.text})}}_{{{name}}} \left[{body.text}\right]"

    def quotient(self, above: Formula, below: Formula) -> Formula:
        return Formula(rf"\frac{{{above.text}}}{{{below.text}}}", _POWER)

    def square(self, base: str) -> str:
        return f"{base}^2"

    def call(self, function: str, operands: Iterable[str]) -> str:
        if function == "abs":
            return rf"\left|{', '.join(operands)}\right|"
        called = rf"\mathrm{{{function}}}" if function in _OF_NUMBERS.values() else rf"\{function}"
        return rf"{called}\left({', '.join(operands)}\right)"


def formulas(
    table: Table, term: int, names: Mapping[int, str], notation: Plain
) -> dict[int, Formula]:
    """The formula of a term and of all below it; those below that have a name are written by it."""
    made: dict[int, Formula] = {}
    for at in table.reach(term):
        if at in names and at != term and table.rows[at].args:
            made[at] = notation.named(names[at])
        else:
            made[at] = notation.formula(table, at, made.__getitem__)
    return made


def choice_of(table: Table, row: Row) -> tuple[int, int, int]:
    """The condition, the value where it holds and the other value, of a choice.

    `if x is NaN then a else if x is -inf then b else a` is read as `if x is -inf then b else a`,
    as no value is both.
    """
    condition, then, otherwise = row.args
    inner = table.rows[otherwise]
    if inner.op == "choose" and inner.args[2] == then:
        test, value, rest = inner.args
        if _exclude(table, table.rows[condition], table.rows[test]):
            return test, value, rest
    return condition, then, otherwise


def _exclude(table: Table, first: Row, second: Row) -> bool:
    """Whether the first says that a value is NaN, and the second that it is some number."""
    if first.op != "kind" or first.value != kinds.NAN or first.args[0] not in second.args:
        return False
    if second.op == "kind":
        return not int(second.value) & kinds.NAN  # type: ignore[arg-type]
    constant = [table.rows[arg] for arg in second.args if arg != first.args[0]]
    return second.op == "same" and len(constant) == 1 and _is_number(constant[0])


def of_numbers(table: Table, row: Row) -> tuple[str, tuple[int, ...]] | None:
    """`fmax` or `fmin` and its operands, for a choice of the extreme of those that are no NaN.

    That is `if a is NaN then b else if b is NaN then a else max(a, b)`.
    """
    test, otherwise = table.rows[row.args[0]], table.rows[row.args[2]]
    if test[:2] != ("kind", kinds.NAN) or otherwise.op != "choose":
        return None
    pair = (test.args[0], row.args[1])
    inner = table.rows[otherwise.args[2]]
    second = table.rows[otherwise.args[0]][:2], table.rows[otherwise.args[0]].args
    told = second == (("kind", kinds.NAN), pair[1:]) and otherwise.args[1] == pair[0]
    known = told and inner.op in _OF_NUMBERS and inner.args == pair
    return (_OF_NUMBERS[inner.op], pair) if known else None


def _is_number(row: Row) -> bool:
    return row.op == "num" and row.value != "nan"


_Facts = frozenset[tuple[int, bool]]


def decided(table: Table, term: int, names: Container[int]) -> int:
    """The term without choices that those around them decide, as the last in `if c then if c …`.

    That `x is x` and that nothing is less than NaN are decided too.  It has the same value.  What
    is below a term with a name stays as it is.
    """
    return _Decided(table, names).walked(term, frozenset())


class _Decided:
    """Walks down with the conditions that the choices on the way have decided."""

    def __init__(self, table: Table, names: Container[int]) -> None:
        self._table = table
        self._names = names
        self._made: dict[tuple[int, _Facts], int] = {}

    def term(self, term: int, facts: _Facts) -> int:
        """A term where all facts hold."""
        if term in self._names:
            return term
        found = self._made.get((term, facts))
        if found is None:
            found = self._made[term, facts] = self.walked(term, facts)
        return found

    def walked(self, term: int, facts: _Facts) -> int:
        """The same of a term whose own name does not count."""
        row = self._table.rows[term]
        if row.op == "choose":
            return self._choice(row, facts)
        # Below a list operation an element is another one.
        inside: _Facts = frozenset() if row.op in LISTS else facts
        args = tuple(self.term(arg, inside) for arg in row.args)
        return term if args == row.args else self._table.make(row.op, *args, value=row.value)

    def _choice(self, row: Row, facts: _Facts) -> int:
        condition, then, otherwise = choice_of(self._table, row)
        known = self._known(condition, facts)
        if known is not None:
            return self.term(then if known else otherwise, facts)
        first = self.term(then, facts | {(condition, True)})
        second = self.term(otherwise, facts | {(condition, False)})
        if first == second:
            return first
        return self._table.make("choose", self.term(condition, facts), first, second)

    def _known(self, condition: int, facts: _Facts) -> bool | None:
        for truth in (True, False):
            if (condition, truth) in facts:
                return truth
        row = self._table.rows[condition]
        if row.op == "same" and row.args[0] == row.args[1]:
            return True
        if row.op == "less" and any(self._is_nan(arg, facts) for arg in row.args):
            return False
        return None

    def _is_nan(self, term: int, facts: _Facts) -> bool:
        held = (self._table.rows[condition] for condition, truth in facts if truth)
        return Row("kind", kinds.NAN, (term,)) in held


def decimal(value: Fraction) -> str:
    """A constant as the shortest decimal that f32 reads as it, or else f64; or as a fraction."""
    if value.denominator == 1 and abs(value) < _EXACT_INTEGERS:
        return str(value)
    try:
        number = float(value)
    except OverflowError:
        return str(value)
    if Fraction(number) != value:
        return str(value)
    shortest = (f"{number:.{digits}g}" for digits in range(1, 10))
    text = next((each for each in shortest if _in_f32(float(each)) == number), repr(number))
    return text.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def _in_f32(number: float) -> float | None:
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return None
    return float(rounded)


def kind_text(mask: int) -> str:
    """A mask of kinds in words: "finite", "0 or positive"."""
    if mask in _CALLED:
        return _CALLED[mask]
    return " or ".join(_WORDS[kind.bit_length() - 1] for kind in kinds.single(mask))
