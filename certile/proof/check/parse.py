"""Values of a certificate's JSON: each function takes anything and answers a value, or refuses.

A bool is no integer here, a negative index none at all, and a constant is written in digits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from fractions import Fraction
from typing import Final

from certile.proof.check import kinds
from certile.proof.check.replay import STEP_NAMES, Step
from certile.proof.check.terms import ARITY, JOIN, SPECIAL, VALUED, Refused, Table, Value, require

_RATIONAL: Final = re.compile(r"-?[0-9]{1,600}(/[0-9]{1,600})?")
Json = dict[str, object]


def document_of(content: object, longest: int, names: Collection[str]) -> Json:
    """A certificate with exactly these fields, as JSON text or what `json.loads` makes of it."""
    if isinstance(content, str):
        require(len(content) <= longest, "the certificate is too long")
        try:
            content = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise Refused("the certificate is no JSON") from error
    return fields_of(content, names, "the certificate")


def fields_of(content: object, names: Collection[str], what: str) -> Json:
    """The object, if it has exactly these fields."""
    if not isinstance(content, dict) or set(content) != set(names):
        raise Refused(f"{what} must have the fields {', '.join(sorted(names))} and no other")
    return content


def list_of(content: object, what: str) -> list[object]:
    """The list, if it is one."""
    if not isinstance(content, list):
        raise Refused(f"{what} must be a list")
    return content


def index_of(value: object, limit: int, what: str) -> int:
    """The integer, if it is one from 0 to below the limit."""
    # A bool is an int in Python, and a negative index reads from the end.
    if type(value) is not int or not 0 <= value < limit:
        raise Refused(f"{what} must be an integer from 0 to {limit - 1}")
    return value


def constant_of(text: object) -> Fraction | str:
    """The rational number or the name of a special value that a text spells."""
    if isinstance(text, str) and text in SPECIAL:
        return text
    if not isinstance(text, str) or not _RATIONAL.fullmatch(text):
        raise Refused("a constant must be an integer, a fraction, -inf, inf or nan")
    top, _, bottom = text.partition("/")
    require(not bottom or int(bottom) != 0, "a constant has denominator zero")
    return Fraction(int(top), int(bottom or 1))


def terms_of(table: Table, content: object, fields: Collection[str]) -> list[int]:
    """The table of terms that steps refer to; a row refers to earlier rows."""
    made: list[int] = []
    for each in list_of(content, "the table of terms"):
        row = list_of(each, "a term")
        op = row[0] if row else None
        if not isinstance(op, str) or op not in ARITY:
            raise Refused("a term has no known operation")
        valued = op in VALUED
        fits = len(row) == 1 + valued + ARITY[op]
        require(fits, f"a term {op} has another number of operands")
        value = _value(op, row[1], fields) if valued else None
        args = [index_of(arg, len(made), "an operand") for arg in row[1 + valued :]]
        made.append(table.make(op, *(made[arg] for arg in args), value=value))
    return made


def _value(op: str, value: object, fields: Collection[str]) -> Value:
    if op == "num":
        return constant_of(value)
    if op == "kind":
        return index_of(value, kinds.ANY + 1, "a mask")
    if not isinstance(value, str) or len(value) > 100:
        raise Refused(f"a term {op} must have a name")
    require(op != "elem" or value in fields, "an element has no such field")
    require(op not in JOIN or value in ("xs", "ys"), "there is no such list")
    return value


def step_of(content: object, terms: list[int]) -> Step:
    """The step, with references resolved to terms."""
    match content:
        case [str(name), list(path), dict(parameters)] if name in STEP_NAMES:
            require(parameters.keys() <= {"terms", "masks"}, "a step has unknown parameters")
        case _:
            raise Refused("a step must be [name, path, parameters]")
    references = list_of(parameters.get("terms", []), "the terms of a step")
    masks = list_of(parameters.get("masks", []), "the masks of a step")
    return Step(
        name,
        tuple(index_of(child, 3, "a path") for child in path),
        tuple(terms[index_of(each, len(terms), "a reference")] for each in references),
        tuple(index_of(mask, kinds.ANY + 1, "a mask") for mask in masks),
    )
