"""What is proved of a law, and of the laws that a kernel uses.

In: the name of a built-in law, `FILE.py:law` or `FILE.py:kernel`.  Out: documents and text.
Decides what of a proof is shown.  A law's certificate is checked each time it is asked for, by
`certile.proof.check`; a law of an author's has none and is refused as unsupported.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from certile.cli.subject import named_in, stand_ins
from certile.cli.tables import aligned
from certile.diagnostics import ArgumentError, UnsupportedError
from certile.ir.dtypes import DType
from certile.ir.laws import BUILTIN, Law
from certile.ir.meanings import MEANINGS
from certile.ir.tile import Kernel, Reduce, Scan
from certile.ir.walk import values
from certile.language.laws import UserLaw
from certile.proof import render
from certile.proof.check import check
from certile.proof.outline import outline
from certile.proof.registry import certificate_of, shipped
from certile.runtime.kernel import TileKernel

_FOLDS = ("fold_left", "fold_right")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the command line asks for beside the result."""

    latex: bool = False
    steps: bool = False


@dataclass(frozen=True, slots=True)
class Proof:
    """A law's certificate and what the checker says of it; `refusal` is None where it holds."""

    law: Law
    certificate: str
    refusal: str | None

    @property
    def content(self) -> dict[str, Any]:
        """The certificate's fields."""
        content: dict[str, Any] = json.loads(self.certificate)
        return content


def subject(what: str) -> Law | TileKernel:
    """Return the law or the kernel that `what` names.

    Raises `ArgumentError` A308 or A309 for a name of neither, `UnsupportedError` U507 for a law
    of an author's.
    """
    path, colon, name = what.rpartition(":")
    if not (colon and path.endswith(".py")):
        return _built_in(what)
    found = named_in(Path(path), name)
    if isinstance(found, UserLaw):
        raise _not_read(found)
    if not isinstance(found, TileKernel):
        raise ArgumentError("A309", f"{path} has no kernel or law called {name}")
    return found


def _built_in(name: str) -> Law:
    if name in BUILTIN:
        return BUILTIN[name]
    near = difflib.get_close_matches(name, BUILTIN, n=1)
    hint = f"did you mean {near[0]}?" if near else f"the laws are {', '.join(BUILTIN)}"
    raise ArgumentError("A308", f"{name} is no law of a reduction", hint=hint)


def _not_read(law: UserLaw) -> UnsupportedError:
    if law.spec is None and law.step is None:
        message = f"law {law.name} says nowhere what it means: it has no spec and no step"
    else:
        method = "spec" if law.spec is not None else "step"
        message = f"the {method} of law {law.name} is not read by this version"
    hint = "its merge is tried on generated lists whenever a kernel that uses it is compiled"
    return UnsupportedError("U507", message, loc=law.loc, hint=hint)


def checked(law: Law, certificate: str | None = None) -> Proof:
    """Check a certificate of a built-in law, the one that comes with the package by default."""
    text = shipped(law.name) if certificate is None else certificate
    return Proof(law, text, check(text, law, MEANINGS[law.name]))


def proof_document(proof: Proof, shown: Shown) -> dict[str, object]:
    """Return the JSON document of a proof: the obligations, and the digest of the certificate.

    What does not hold gives each obligation from the failing one on, or every one, a reason.
    """
    obligations = list(_obligations(proof))
    if shown.steps and proof.refusal is None:
        lines = outline(proof.law, MEANINGS[proof.law.name], proof.content)
        for each in obligations:
            each["steps"] = [line.removeprefix("  ") for line in lines[str(each["name"])]]
    digest = hashlib.sha256(proof.certificate.encode()).hexdigest()
    document: dict[str, object] = {
        "law": proof.law.name,
        "proved": proof.refusal is None,
        "obligations": obligations,
        "certificate": digest if proof.refusal is None else None,
    }
    if shown.latex:
        document["latex"] = render.latex(proof.law, MEANINGS[proof.law.name])
    return document


def _obligations(proof: Proof) -> Iterator[dict[str, object]]:
    goals = render.goal_texts(proof.law, MEANINGS[proof.law.name])
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
    law, meaning = proof.law, MEANINGS[proof.law.name]
    if proof.refusal is not None:
        return f"law {law.name} is not proved: {proof.refusal}"
    if shown.latex:
        return render.latex(law, meaning)
    lines = outline(law, meaning, proof.content) if shown.steps else None
    digest = hashlib.sha256(proof.certificate.encode()).hexdigest()
    return f"{render.text(law, meaning, proof.content, lines)}\nproved; certificate {digest}"


def kernel_document(kernel: TileKernel, shape: str, dtype: str) -> dict[str, object]:
    """Return the laws that a kernel's reductions and scans use; no program is rewritten."""
    traced = kernel.tile_ir(stand_ins(kernel, shape, dtype), generic=not shape)
    uses = list(_uses(traced))
    return {"kernel": kernel.name, "rewrites": [], "laws": uses}


def _uses(kernel: Kernel) -> Iterator[dict[str, object]]:
    """One entry a reduction or scan, in program order."""
    for node in values(kernel):
        if isinstance(node, Reduce):
            yield _use("reduction", node.law, node.policy, node.accumulate)
        elif isinstance(node, Scan):
            yield _use("scan", node.law, "ordered_tree", node.accumulate)


def _use(kind: str, law: Law, policy: str, accumulate: DType) -> dict[str, object]:
    digest = None if policy in _FOLDS else certificate_of(law, accumulate)
    return {
        "kind": kind,
        "law": law.name,
        "policy": policy,
        "accumulate": str(accumulate),
        "proved": digest is not None,
        "certificate": digest,
        "held_by": _held_by(law, policy, digest),
    }


def _held_by(law: Law, policy: str, digest: str | None) -> str:
    """Say what stands behind the order in which a law's elements are joined."""
    if policy in _FOLDS:
        return "order as written, which needs no proof"
    if digest is not None:
        return "certificate"
    return "property tests" if BUILTIN.get(law.name) == law else "generated lists"


def kernel_text(document: Mapping[str, Any]) -> str:
    """Return the laws of a kernel as a table."""
    head = ("kind", "law", "policy", "accumulates in", "proved", "held by")
    rows = [
        (
            *(str(use[key]) for key in ("kind", "law", "policy", "accumulate")),
            "yes" if use["proved"] else "no",
            f"certificate {use['certificate']}" if use["proved"] else str(use["held_by"]),
        )
        for use in document["laws"]
    ]
    uses = aligned([head, *rows]) if rows else "no reduction and no scan"
    return f"kernel {document['kernel']}\n{uses}\nprograms are not rewritten"
