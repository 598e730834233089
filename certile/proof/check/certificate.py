"""Certificates: the JSON of `certile.certificate/4`, and `check`, which says whether one holds.

The goals, domain and discharges come from the law and its meaning; a certificate supplies only
terms and steps, and repeats the rest so that it speaks of nothing else by accident.  What reads
JSON takes anything, and answers a value or refuses: a bool is no integer here, a negative index
none at all, and a constant is written in digits.  `check` is total: it answers None, or one
sentence that says what does not hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from fractions import Fraction
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Meaning, claim
from certile.proof.check.kinds import ANY
from certile.proof.check.reader import goals
from certile.proof.check.rules import Goal, Replay, Step
from certile.proof.check.terms import ARITY, LISTS, VALUED, Refused, Table, Value, require

Json = dict[str, object]

SCHEMA: Final = "certile.certificate/4"
FUEL: Final = 400_000
_LENGTH: Final = 1_000_000
_CONSTANT: Final = re.compile(r"-inf|inf|nan|-?[0-9]{1,600}(/[1-9][0-9]{0,599})?")


def heading(law: Law, meaning: Meaning | Action) -> Json:
    """What a certificate of this law repeats; it says nothing of rounding, which a plan has."""
    return {"schema": SCHEMA, **claim(law, meaning), "rounding": None}


def check(certificate: object, law: Law, meaning: Meaning | Action, fuel: int = FUEL) -> str | None:
    """None if the certificate proves that the law means this; else a sentence that says why not.

    `certificate` is JSON text, or what `json.loads` makes of it.
    """
    try:
        table = Table(fuel)
        obligations = goals(table, law, meaning)
        told = heading(law, meaning)
        content = document_of(certificate, _LENGTH, (*told, "terms", "obligations"))
        for name, value in told.items():
            require(content[name] == value, f"the certificate is of another {name}")
        terms = terms_of(table, content["terms"], meaning.domain)
        proofs = list_of(content["obligations"], "the obligations")
        require(len(proofs) == len(obligations), f"there must be {len(obligations)} obligations")
        for proof, (name, goal) in zip(proofs, obligations, strict=True):
            _check_proof(proof, name, goal, terms)
    except Refused as refusal:
        return str(refusal)
    except RecursionError:
        return "a term of the law is nested too deeply"
    return None


def _check_proof(proof: object, name: str, goal: Goal, terms: list[int]) -> None:
    each = fields_of(proof, ("name", "goal", "assumptions", "steps"), f"obligation {name}")
    replay = Replay(goal)
    sides = [terms[side] for side in naturals(each["goal"], len(terms), "the sides of a goal")]
    same = each["name"] == name and sides == [goal.left, goal.right]
    require(same, f"obligation {name} is missing, or has another goal")
    require(each["assumptions"] == [], f"{name}: only the domain may be assumed")
    for number, content in enumerate(list_of(each["steps"], "the steps")):
        step = step_of(content, terms)
        try:
            replay.apply(step)
        except Refused as refusal:
            raise Refused(f"{name}, step {number} {step.name}: {refusal}") from refusal
    require(not replay.goals, f"{name}: {len(replay.goals)} goals are left")


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


def naturals(content: object, limit: int, what: str) -> tuple[int, ...]:
    """Integers from 0 to below the limit, if it is a list of these."""
    found = list_of(content, what)
    # A bool is an int in Python, and a negative index reads from the end.
    inside = all(type(each) is int and 0 <= each < limit for each in found)
    require(inside, f"{what} must be integers from 0 to {limit - 1}")
    return tuple(found)  # type: ignore[arg-type]


def terms_of(table: Table, content: object, fields: Collection[str]) -> list[int]:
    """The table of terms that steps refer to; a row refers to earlier rows."""
    made: list[int] = []
    for row in list_of(content, "the table of terms"):
        match row:
            case [str(op), *rest] if op in ARITY and len(rest) == ARITY[op] + (op in VALUED):
                value = _value(op, rest.pop(0), fields) if op in VALUED else None
                args = naturals(rest, len(made), "operands")
                made.append(table.make(op, *(made[arg] for arg in args), value=value))
            case _:
                raise Refused("a term has no known operation, or another number of operands")
    return made


def _value(op: str, value: object, fields: Collection[str]) -> Value:
    """The value of a term: a constant, a mask, a field of the domain, a list or a symbol."""
    if op == "num":
        text = value if isinstance(value, str) and _CONSTANT.fullmatch(value) else None
        require(text is not None, "a constant must be an integer, a fraction, -inf, inf or nan")
        return str(text) if text in ("-inf", "inf", "nan") else Fraction(str(text))
    if op == "kind":
        return naturals([value], ANY + 1, "a mask")[0]
    names = fields if op == "elem" else ("xs", "ys") if op in LISTS else (value,)
    if not isinstance(value, str) or len(value) > 100 or value not in names:
        raise Refused(f"a term {op} must have a name that there is")
    return value


def step_of(content: object, terms: list[int]) -> Step:
    """The step, with references resolved to terms."""
    match content:
        case [str(name), references, masks]:
            found = naturals(references, len(terms), "the terms of a step")
            among = naturals(masks, ANY + 1, "the masks of a step")
            return Step(name, tuple(terms[each] for each in found), among)
        case _:
            raise Refused("a step must be [name, terms, masks]")
