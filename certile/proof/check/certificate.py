"""Certificates: the JSON of `certile.certificate/1`, and `check`, which says whether one holds.

The terms, goals, domain and discharges come from the law and its meaning; a certificate supplies
only steps, and repeats the rest so that it speaks of nothing else by accident.  `check` is total:
it answers None, or one sentence that says what does not hold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

from certile.ir.laws import Law
from certile.ir.meanings import Action, Domain, Meaning
from certile.ir.terms import to_json
from certile.proof.check import kinds
from certile.proof.check.parse import (
    Json,
    constant_of,
    document_of,
    fields_of,
    list_of,
    step_of,
    terms_of,
)
from certile.proof.check.reader import DOMAINS, goals
from certile.proof.check.replay import Goal, Replay, Step
from certile.proof.check.terms import Fuel, Refused, Table, require

SCHEMA: Final = "certile.certificate/1"
FUEL: Final = 400_000
_LENGTH: Final = 1_000_000
_STEPS: Final = 20_000
_FIELDS: Final = (
    *("schema", "law", "before", "after", "domain", "witness", "discharges"),
    *("terms", "obligations", "rounding"),
)
_PROOF: Final = ("name", "goal", "assumptions", "steps")


def heading(law: Law, meaning: Meaning | Action) -> Json:
    """What a certificate of this law repeats: digests of specification and law, the domain."""
    state = [[component.name, str(component.type)] for component in law.state]
    return {
        "schema": SCHEMA,
        "law": law.name,
        "before": _digest(
            None, (meaning, ("domain", "specification", "loop", "step", "start", "result"))
        ),
        "after": _digest(
            state,
            (law, ("identity", "lift", "merge", "finalize", "commutative")),
            (meaning, ("closed", "parts", "act")),
        ),
        "domain": {
            name: [kinds.NAMES[mask.bit_length() - 1] for mask in kinds.single(DOMAINS[kind])]
            for name, kind in meaning.given().items()
        },
        "discharges": [asdict(discharge) for discharge in meaning.discharges],
        "rounding": None,
    }


def _digest(state: object, *parts: tuple[object, tuple[str, ...]]) -> str:
    """SHA-256 of some fields of a law and its meaning, where they are there, as JSON."""
    given = {name: getattr(of, name, None) for of, names in parts for name in names}
    content = {name: _plain(value) for name, value in given.items()}
    return hashlib.sha256(_text({"state": state, **content}).encode()).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    return list(map(to_json, value)) if isinstance(value, tuple) else value


def check(certificate: object, law: Law, meaning: Meaning | Action, fuel: int = FUEL) -> str | None:
    """None if the certificate proves that the law means this; else a sentence that says why not.

    `certificate` is JSON text, or what `json.loads` makes of it.
    """
    try:
        content = document_of(certificate, _LENGTH, _FIELDS)
        table = Table(Fuel(fuel))
        obligations = goals(table, law, meaning)
        _match_heading(content, heading(law, meaning))
        _check_witness(content["witness"], meaning.given())
        terms = terms_of(table, content["terms"], meaning.domain)
        _check_proofs(table, obligations, terms, content["obligations"])
    except Refused as refusal:
        return str(refusal)
    except RecursionError:
        return "a term of the law is nested too deeply"
    return None


def _match_heading(content: Json, expected: Json) -> None:
    for name, value in expected.items():
        # Compared as text: == of nested data is deep, and takes True for 1.
        same = _text(content[name]) == _text(value)
        require(same, f"the certificate is of another {name}")


def _text(content: object) -> str:
    try:
        return json.dumps(content, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("the heading is no JSON") from error


def _check_witness(witness: object, domain: Mapping[str, Domain]) -> None:
    """The domain is not empty: each field of an element has a value of its kinds."""
    values = fields_of(witness, domain, "the witness")
    for name, kind in domain.items():
        inside = kinds.of_number(constant_of(values[name])) & DOMAINS[kind]
        require(bool(inside), f"the witness of {name} is outside its domain")


def _check_proofs(
    table: Table, obligations: list[tuple[str, Goal]], terms: list[int], content: object
) -> None:
    proofs = list_of(content, "the obligations")
    require(len(proofs) == len(obligations), f"there must be {len(obligations)} obligations")
    steps = 0
    for proof, (name, goal) in zip(proofs, obligations, strict=True):
        each = fields_of(proof, _PROOF, f"obligation {name}")
        same = each["name"] == name and each["goal"] == goal_text(table, goal)
        require(same, f"obligation {name} is missing, or has another goal")
        require(each["assumptions"] == [], f"{name}: only the domain may be assumed")
        script = list_of(each["steps"], "the steps")
        steps += len(script)
        require(steps <= _STEPS, "the certificate has too many steps")
        _replay(table, name, goal, [step_of(step, terms) for step in script])


def goal_text(table: Table, goal: Goal) -> str:
    """The goal as an S-expression."""
    left, right = table.text(goal.left, goal.right)
    return f"(is {left} {right})"


def _replay(table: Table, name: str, goal: Goal, script: list[Step]) -> None:
    replay = Replay(table, [goal])
    for number, step in enumerate(script):
        try:
            replay.apply(step)
        except Refused as refusal:
            raise Refused(f"{name}, step {number} {step.name}: {refusal}") from refusal
    require(not replay.goals, f"{name}: {len(replay.goals)} goals are left")
