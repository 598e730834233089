"""What is proved of a kernel: the laws of its reductions, and what it is rewritten to.

In: a kernel, shapes, a dtype.  Out: documents and text.  Decides what of a derivation is shown: the
reductions as they were written, read as terms; the state and the merge of the law that replaces
them; its obligations; what is computed again.  A chain that is left as written has its refusal.
Leaves finding both to `certile.search.regions`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from certile.cli.proving.laws import Proof, Shown, proof_document
from certile.cli.subject import stand_ins, told
from certile.cli.tables import aligned
from certile.diagnostics import Refusal
from certile.frontend.spec import Shaped
from certile.ir.dtypes import DType
from certile.ir.folds import fold_of
from certile.ir.laws import Law, is_built_in
from certile.ir.loads import merged_loads
from certile.ir.tile import FOLD_POLICIES, Fallback, Kernel, Reduce, ScalarArg, Scan, Tile
from certile.ir.walk import parallel_regions, specialise, values
from certile.proof import render
from certile.proof.check.divided import divided_by
from certile.proof.check.regions import claimed
from certile.proof.outline import outline
from certile.proof.registry import certificate_of
from certile.records import record
from certile.runtime.kernel import TileKernel
from certile.search.regions import Derived, Rewrite, derived

_DIGITS = 12
# What to change where an obligation fails; docs/proofs.md says more.
_HELP = {
    "ratio": "a later sum follows a change of the result that it reads only by a factor without "
    "elements, or as a polynomial in it",
    "bound": "an exponent has to be at most 0, as exp(c*x - c*max) is and exp(c*x - max) is not",
    "finalize": "the results need a value for every row, also one of nothing but -inf",
}
_KEPT = "a plan takes the form that costs less, which may be the one as written: see certile plan"
# An extent for those that are not given, too odd to be one of the kernel's own constants.
_SOME = 4099


@record
class Looked:
    """A kernel as it is written, and what becomes of each of its regions that has a chain."""

    kernel: Kernel
    found: tuple[Derived, ...]

    @property
    def refused(self) -> bool:
        """Whether there are chains of reductions, and none is rewritten."""
        return bool(self.found) and all(each.rewrite is None for each in self.found)


def looked_at(kernel: TileKernel, shape: str, dtype: str) -> Looked:
    """Trace a kernel and look for what its chains of reductions can be rewritten to.

    Extents that `shape` does not tell stay open, as far as annotations give ranks; a rewrite is
    then looked for at extents that no constant of the kernel is made for.
    """
    arguments = stand_ins(kernel, shape, dtype, by_rank=True)
    known = told(kernel, shape)
    ranks = {n: len(v.shape) for n, v in arguments.items() if isinstance(v, Shaped)}
    opened = not shape or any(name not in known for name in ranks)
    traced = kernel.tile_ir(arguments, generic=opened)
    extents = {name: known.get(name, (_SOME,) * rank) for name, rank in ranks.items()}
    return Looked(traced, tuple(_derived(specialise(traced, extents) if opened else traced)))


def kernel_document(looked: Looked, shown: Shown) -> dict[str, object]:
    """Return the laws that a kernel's reductions and scans use, and what is rewritten."""
    return {
        "kernel": looked.kernel.name,
        "rewrites": [_rewrite_document(each, shown) for each in looked.found],
        "laws": list(_uses(looked.kernel)),
    }


def _derived(specialised: Kernel) -> list[Derived]:
    """What becomes of each region that has a chain."""
    merged = merged_loads(specialised)
    found = (derived(merged, region) for region in parallel_regions(merged))
    return [each for each in found if each.rewrite is not None or each.refusals]


def _rewrite_document(found: Derived, shown: Shown) -> dict[str, object]:
    rewrite = found.rewrite
    proofs = () if rewrite is None else _proofs(rewrite)
    return {
        "proved": rewrite is not None,
        "certificate": None if rewrite is None else rewrite.digest,
        "laws": [_law_document(each, shown) for each in proofs],
        "refusals": [refusal.to_json() for refusal in found.refusals],
    }


@record
class _Read:
    """The law of a fallback with what it has to mean, as the checker reads it.

    `columns` are the axes for whose coordinates there is a list each, and `given` what each
    parameter of the law is in the kernel.
    """

    proof: Proof
    columns: tuple[str, ...]
    given: Mapping[str, str]


def _proofs(rewrite: Rewrite) -> Iterator[_Read]:
    """The law of each fallback."""
    fallbacks = (at for at in values(rewrite.kernel) if isinstance(at, Fallback))
    claims: Any = rewrite.certificate["laws"]
    divided = list(divided_by(rewrite.kernel))
    for at, claim in zip(fallbacks, claims, strict=True):
        law, meaning = claimed(at, claim, divided)
        fold = fold_of(at)
        proof = Proof(law, meaning, json.dumps(claim["certificate"]), None)
        columns = () if fold is None else tuple(axis.name for axis in fold.spanned)
        numbers = () if fold is None else tuple(map(_called, fold.given))
        yield _Read(proof, columns, dict(zip(law.parameters, numbers, strict=True)))


def _called(number: Tile) -> str:
    """What a number that all elements share is in the kernel."""
    if isinstance(number, ScalarArg):
        return number.name
    where = f" at line {number.loc.line}" if number.loc.known else ""
    return f"the {number.mnemonic.removeprefix('tile.')}{where}"


def _law_document(read: _Read, shown: Shown) -> dict[str, object]:
    proof = read.proof
    document = proof_document(proof, shown)
    # The certificate of a rewrite holds that of its law.
    del document["certificate"]
    return {
        **document,
        "columns": list(read.columns),
        "given": dict(read.given),
        "before": render.results(proof.law, proof.meaning),
        "after": render.program(proof.law),
        "discharges": proof.content["discharges"],
    }


def _uses(kernel: Kernel) -> Iterator[dict[str, object]]:
    """One entry a reduction or scan, in program order."""
    for node in values(kernel):
        if isinstance(node, Reduce):
            yield _use("reduction", node.law, node.policy, node.accumulate)
        elif isinstance(node, Scan):
            yield _use("scan", node.law, "ordered_tree", node.accumulate)


def _use(kind: str, law: Law, policy: str, accumulate: DType) -> dict[str, object]:
    digest = None if policy in FOLD_POLICIES else certificate_of(law, accumulate)
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
    if policy in FOLD_POLICIES:
        return "order as written, which needs no proof"
    if digest is not None:
        return "certificate"
    return "property tests" if is_built_in(law) else "generated lists"


def kernel_text(looked: Looked, shown: Shown) -> str:
    """Return the laws of a kernel as a table, and each rewrite as a proof to follow."""
    kernel, found = looked.kernel, looked.found
    lines = [f"kernel {kernel.name}", _table(list(_uses(kernel)))]
    for each in found:
        lines += ["", *_region_lines(each, shown)]
    if not shown.latex and any(each.rewrite is not None for each in found):
        lines += ["", _KEPT]
    return "\n".join(lines if found else [*lines, _nothing(kernel)])


def _nothing(kernel: Kernel) -> str:
    if kernel.rewrites == "off":
        return 'nothing is rewritten: the kernel has rewrites="off"'
    return "nothing to rewrite: no reduction reads another"


def _table(uses: list[Mapping[str, Any]]) -> str:
    head = ("kind", "law", "policy", "accumulates in", "proved", "held by")
    rows = [
        (
            *(str(use[key]) for key in ("kind", "law", "policy", "accumulate")),
            "yes" if use["proved"] else "no",
            f"certificate {str(use['certificate'])[:_DIGITS]}"
            if use["proved"]
            else str(use["held_by"]),
        )
        for use in uses
    ]
    return aligned([head, *rows]) if rows else "no reduction and no scan"


def _region_lines(found: Derived, shown: Shown) -> Iterator[str]:
    if found.rewrite is not None:
        for read in _proofs(found.rewrite):
            yield from _law_lines(read, shown)
        yield f"proved; certificate {found.rewrite.digest}"
    for refusal in found.refusals:
        yield from _refusal_lines(refusal)


def _law_lines(read: _Read, shown: Shown) -> Iterator[str]:
    proof, law, meaning = read.proof, read.proof.law, read.proof.meaning
    if shown.latex:
        yield render.latex(law, meaning)
        return
    each = f", one for each of {', '.join(read.columns)}" if read.columns else ""
    yield f"as written, reductions of a list xs{each}:"
    yield from (f"  {name} is {what}" for name, what in read.given.items())
    yield from (f"  {line}" for line in render.results(law, meaning))
    yield "rewritten, one reduction:"
    yield from (f"  {line}" for line in render.program(law))
    steps = outline(law, meaning, proof.content) if shown.steps else None
    yield from render.text(law, meaning, proof.content, steps).splitlines()


def _refusal_lines(refusal: Refusal) -> Iterator[str]:
    where = f" at line {refusal.loc.line}" if refusal.loc.known else ""
    if refusal.obligation in ("read", "near"):
        yield f"left as written{where}: cannot show that {refusal.claim}"
        yield f"  because {refusal.missing}"
        return
    yield f"left as written{where}: {refusal.obligation or refusal.rule} is not proved"
    yield f"  to show: {refusal.claim}"
    yield f"  {refusal.missing}"
    kind = (refusal.obligation or "").partition(".")[0]
    if kind in _HELP:
        yield f"  what helps: {_HELP[kind]}"
