"""What is proved of a law, built in or an author's.

In: the name of a built-in law or `FILE.py:law`.  Out: documents and text.  Decides what of a proof
is shown.  A certificate is checked each time it is asked for, by `certile.proof.check`; that of an
author's law is searched for where none is kept.  Leaves kernels to `certile.cli.proving.kernels`.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

from certile.cli.subject import file_and_name, imported, not_in
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.dtypes import BY_NAME, f32
from certile.ir.laws import BUILTIN, MOST_VALUES, Law, bottom_values, top_values
from certile.ir.meanings import Action, Meaning, meaning_of
from certile.language.laws import UserLaw
from certile.proof import render
from certile.proof.check import check
from certile.proof.outline import outline
from certile.proof.registry import certificate_text, digest_of
from certile.records import record
from certile.runtime.kernel import TileKernel
from certile.search.laws import Unproved


@record
class Shown:
    """What the command line asks for beside the result."""

    latex: bool = False
    steps: bool = False


@record
class Proof:
    """A law with its meaning and certificate; `refusal` says why it does not hold, None: it does.

    `notes` are lines for a person on what was not proved.
    """

    law: Law
    meaning: Meaning | Action
    certificate: str
    refusal: str | None
    notes: tuple[str, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """The certificate's fields."""
        content: dict[str, Any] = json.loads(self.certificate)
        return content


def subject(what: str) -> Law | UserLaw | TileKernel:
    """Return the law or the kernel that `what` names.

    Raises `ArgumentError` A308 or A309 for a name of neither.
    """
    of_file = file_and_name(what)
    if of_file is None:
        return _built_in(what)
    path, name = of_file
    module = imported(path)
    found = getattr(module, name, None)
    if not isinstance(found, UserLaw | TileKernel):
        raise not_in(module, path, name, {"kernel": TileKernel, "law": UserLaw})
    return found


def _built_in(name: str) -> Law:
    if name in BUILTIN:
        return BUILTIN[name]
    of_ranks = re.fullmatch(r"(top|bottom)_values\((\d{1,2})\)", name)
    if of_ranks is not None and 1 < int(of_ranks[2]) <= MOST_VALUES:
        return (top_values if of_ranks[1] == "top" else bottom_values)(int(of_ranks[2]))
    near = difflib.get_close_matches(name, BUILTIN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the laws are {', '.join(BUILTIN)}"
    raise ArgumentError("A308", f"{name} is no law of a reduction", hint=hint)


def of_author(written: UserLaw, dtype: str) -> Proof:
    """Prove a law of an author's for values of a dtype.

    Raises `UnsupportedError` U507 for one that says nowhere what it means.
    """
    from certile.frontend.alone import claimed
    from certile.search.authors import certify

    found = claimed(written, BY_NAME.get(dtype, f32))
    if found is None:
        message = f"law {written.name} says nowhere what it means: it has no spec and no step"
        hint = "its merge is tried on generated lists whenever a kernel that uses it is compiled"
        raise UnsupportedError("U507", message, loc=written.loc, hint=hint)
    proved = certify(found.law, found.meaning)
    if isinstance(proved, Unproved):
        reason = f"{proved.obligation}: {proved.shown if proved.formulas else proved.goal}"
        return Proof(found.law, found.meaning, "", reason, proved.notes())
    return Proof(proved.law, proved.meaning, proved.certificate, None)


def checked(law: Law, certificate: str | None = None) -> Proof:
    """Check a certificate of a built-in law, the one that comes with the package by default."""
    text = certificate_text(law) if certificate is None else certificate
    meaning = meaning_of(law)
    assert meaning is not None
    return Proof(law, meaning, text, check(text, law, meaning))


def proof_document(proof: Proof, shown: Shown) -> dict[str, object]:
    """Return the JSON document of a proof: the obligations, and the digest of the certificate.

    What does not hold gives each obligation from the failing one on, or every one, a reason.
    """
    obligations = list(_obligations(proof))
    if shown.steps and proof.refusal is None:
        lines = outline(proof.law, proof.meaning, proof.content)
        for each in obligations:
            each["steps"] = [line.removeprefix("  ") for line in lines[str(each["name"])]]
    document: dict[str, object] = {
        "law": proof.law.name,
        "proved": proof.refusal is None,
        "obligations": obligations,
        "certificate": digest_of(proof.certificate) if proof.refusal is None else None,
    }
    if shown.latex:
        document["latex"] = render.latex(proof.law, proof.meaning)
    return document


def _obligations(proof: Proof) -> Iterator[dict[str, object]]:
    goals = render.goal_texts(proof.law, proof.meaning)
    failed = next((name for name in goals if _speaks_of(proof.refusal, name)), None)
    reached = proof.refusal is None or failed is not None
    for name, goal in goals.items():
        missing = None if reached else proof.refusal
        if name == failed:
            reached, missing = False, proof.refusal
        elif failed is not None and not reached:
            missing = f"the checker stopped at {failed}"
        yield {"name": name, "goal": goal, "proved": missing is None, "missing": missing}


def _speaks_of(refusal: str | None, name: str) -> bool:
    return refusal is not None and refusal.startswith((f"{name}:", f"{name}, "))


def proof_text(proof: Proof, shown: Shown) -> str:
    """Return a proof as a person reads it; with steps, the argument of each obligation."""
    law, meaning = proof.law, proof.meaning
    if proof.refusal is not None:
        return "\n  ".join([f"law {law.name} is not proved: {proof.refusal}", *proof.notes])
    if shown.latex:
        return render.latex(law, meaning)
    lines = outline(law, meaning, proof.content) if shown.steps else None
    written = render.text(law, meaning, proof.content, lines)
    return f"{written}\nproved; certificate {digest_of(proof.certificate)}"
