"""Programs rewritten: chains of reductions of a region become one reduction of a derived law.

In: a specialised kernel and one of its top-level regions.  Out: the rewritten kernel with the
certificate that `proof.check.regions` accepts, and a refusal for each chain, or part of one, that
is left as written.  Nothing is known of any operation: what is a chain follows from which reduction
reads the result of which, and its law from their terms.

A rewritten region computes the chain twice over: by the law, and, where the final state of a row is
not finite, as written (`ir.tile.Fallback`).  Whether that pays is not decided here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import replace

from certile.diagnostics import Refusal
from certile.ir.fingerprint import fingerprint
from certile.ir.folds import fold_of, unproved, value_of_fold
from certile.ir.laws import Law
from certile.ir.node import Node
from certile.ir.terms import to_json
from certile.ir.tile import (
    Fallback,
    Kernel,
    Parallel,
    Reduce,
    Result,
    Serial,
    Tile,
)
from certile.ir.types import Axis, TileType, join_axes
from certile.ir.verify import verify
from certile.ir.walk import parallel_regions, substitute, values
from certile.proof.check.certificate import Json
from certile.proof.check.divided import divided_by, results_among
from certile.proof.check.limits import apart
from certile.proof.check.region_terms import require_regrouped
from certile.proof.check.regions import SCHEMA, check_rewrite, conjunction
from certile.proof.check.terms import Refused
from certile.records import record
from certile.search.chain_terms import Chain
from certile.search.chains import Found, Reading, readings
from certile.search.derivations import remembered
from certile.search.fusion import Fused, rank
from certile.search.laws import Unproved
from certile.search.region_reductions import Region, beside_reductions, cascades
from certile.source import Loc

_RULE = "rewrite"
_CLAIMS = {
    "ratio": "another r changes the summand by a factor that no element is in",
    "bound": "no exponent is positive",
}
_IN_ORDER = (
    'a loop runs in the order that it is written in; policy="unordered_tree" lets its turns be '
    "regrouped, where each merges into what it carries"
)
_ONE_FOLD = "these reductions are one fold"
_OTHER_AXES = "it is over other axes than the reduction whose result it reads"
Derive = Callable[[Chain], Fused | Unproved]


@record
class Rewrite:
    """A rewritten kernel, its region, its laws, and the certificate that it may run instead.

    `digest` is the SHA-256 of the certificate as JSON text.
    """

    kernel: Kernel
    parallel: Parallel
    laws: tuple[Law, ...]
    certificate: Json
    digest: str


@record
class Derived:
    """What became of the chains of a region."""

    rewrite: Rewrite | None
    refusals: tuple[Refusal, ...]


def derived(kernel: Kernel, parallel: Parallel, derive: Derive = remembered) -> Derived:
    """The kernel with the chains of a region rewritten, as far as that is proved.

    The extents of the region are integers.  A kernel whose rewrites are off gives nothing.
    `derive` finds laws.
    """
    if kernel.rewrites == "off":
        return Derived(None, ())
    return _Deriver(kernel, parallel_regions(kernel).index(parallel), derive).derived()


def certificate_text(certificate: Json) -> str:
    """The JSON text of a certificate."""
    return json.dumps(certificate, separators=(",", ":"))


@record
class _Applied:
    """A kernel with one more chain fused, and by which law."""

    kernel: Kernel
    law: Law
    fused: Fused


class _Deriver:
    """Rewrites one chain after the other; a chain may read the results of one before it."""

    def __init__(self, kernel: Kernel, place: int, derive: Derive) -> None:
        self._before = self._kernel = kernel
        self._place = place
        self._derive = derive
        self._proved: dict[Law, Fused] = {}
        self._refusals: dict[Refusal, None] = {}
        self._tried: set[Reduce] = set()
        # What would be said of reductions that no chain takes in.
        self._apart: dict[Reduce, Refusal] = {}

    def derived(self) -> Derived:
        while self._step():
            pass
        for loop in cascades(parallel_regions(self._before)[self._place]):
            self._refuse(loop, "these loops are one fold", _IN_ORDER)
        for loop in beside_reductions(parallel_regions(self._before)[self._place]):
            self._refuse(loop, "this loop and a reduction are one fold", _IN_ORDER)
        self._refusals |= dict.fromkeys(self._apart.values())
        rewrite = self._rewrite() if self._proved else None
        return Derived(rewrite, tuple(self._refusals))

    def _step(self) -> bool:
        """Take the next outer reduction; whether there was one."""
        region = Region(parallel_regions(self._kernel)[self._place])
        for outer in region.reductions:
            later = region.later(outer)
            made = outer.law in self._proved or outer in region.made
            if not later or outer in self._tried or made:
                continue
            self._tried.add(outer)
            self._take(region, outer, later)
            return True
        return False

    def _take(self, region: Region, outer: Reduce, later: list[Reduce]) -> None:
        faults = {each: self._fault(region, outer, each) for each in (outer, *later)}
        fit = [each for each in later if faults[each] is None]
        for each in (outer, *later):
            fault = faults[each]
            if fault == _OTHER_AXES:
                self._apart[each] = Refusal("rewrite", _RULE, _ONE_FOLD, fault, "read", each.loc)
            elif fault is not None and (each is not outer or fit):
                self._refuse(each, _ONE_FOLD, fault)
        if faults[outer] is not None:
            return
        if not self._fuse_beside(region, outer):
            self._fuse(region, outer, fit)

    def _fuse_beside(self, region: Region, outer: Reduce) -> bool:
        """Fuse what reads an outer reduction and others, as far as they and it are one fold."""

        def fits(each: Reduce) -> bool:
            made = each.law in self._proved or each in region.made
            return not made and self._fault(region, outer, each) is None

        outers, later = region.beside(outer, fits)
        if len(outers) == 1:
            return False

        def attempt(some: list[Reduce], *, report: bool = False, apply: bool = True) -> bool:
            read = frozenset().union(*(region.depends[each] for each in some))
            needed = [each for each in outers if each in read]
            return self._attempt(region, needed, some, report=report, apply=apply)

        if attempt(later):
            return True
        kept: list[Reduce] = []
        for each in later:
            if attempt([*kept, each], apply=False):
                kept.append(each)
        if not any(outer in region.depends[each] for each in kept):
            return False
        for each in later:
            if each not in kept:
                attempt([*kept, each], report=True, apply=False)
        return attempt(kept)

    def _fault(self, region: Region, outer: Reduce, at: Reduce) -> str | None:
        """What keeps a reduction out of every chain, whatever its terms are."""
        if self._kernel.math == "fast":
            return "fast math may not tell whether a state is finite"
        if at in region.repeated:
            return "it stands in a loop, where the condition of a fallback would differ by turns"
        if at.over != outer.over:
            return _OTHER_AXES
        if at.accumulate != outer.accumulate:
            return f"it accumulates in {at.accumulate} and not in {outer.accumulate}"
        try:
            require_regrouped(at)
        except Refused as refusal:
            return str(refusal)
        return None

    def _fuse(self, region: Region, outer: Reduce, later: list[Reduce]) -> None:
        """Fuse all later reductions, or those that can be fused one by one."""
        if not later or self._attempt(region, [outer], later, report=len(later) == 1):
            return
        if len(later) > 1:
            kept: list[Reduce] = []
            for each in later:
                if self._attempt(region, [outer], [*kept, each], report=True, apply=False):
                    kept.append(each)
            if kept:
                self._attempt(region, [outer], kept, report=True)

    def _attempt(
        self,
        region: Region,
        outers: list[Reduce],
        later: list[Reduce],
        *,
        report: bool,
        apply: bool = True,
    ) -> bool:
        """Whether the chain was fused, or could be."""
        members = (*outers, *later)
        refused: list[Refused | Unproved] = []
        found = Found(members, region.wanted(members), region.depends, len(outers))
        for reading in readings(found):
            if isinstance(reading, Refused):
                refused.append(reading)
                continue
            made = self._made(reading, members)
            if isinstance(made, _Applied):
                if apply:
                    self._apply(made, members)
                return True
            refused.append(made)
        if report:
            self._report(later[-1], refused)
        return False

    def _made(self, reading: Reading, members: tuple[Reduce, ...]) -> _Applied | Refused | Unproved:
        """The kernel with a chain fused, or why it is not."""
        unlike = _columns(reading)
        if unlike is not None:
            return Refused(unlike)
        fused = self._derive(reading.chain)
        if isinstance(fused, Unproved):
            return fused
        # What a program divides by is told by what reads the results that stand in it.
        by, apart_from = _replacements(reading, members, _discharged(fused))
        divided = divided_by(substitute(self._kernel, by, apart_from))
        try:
            law = _discharged(fused, _places(divided, by.values()))
        except Refused as refusal:
            return Unproved(fused.law.name, "limit", str(refusal), None)
        kernel = substitute(self._kernel, *_replacements(reading, members, law))
        if verify(kernel):
            return Refused("a result is stored before all that the fold of them reads is loaded")
        return _Applied(kernel, law, fused)

    def _apply(self, made: _Applied, members: tuple[Reduce, ...]) -> None:
        self._kernel = made.kernel
        self._proved[made.law] = made.fused
        self._apart = {at: kept for at, kept in self._apart.items() if at not in members}

    def _rewrite(self) -> Rewrite | None:
        folds = (fold_of(at) for at in values(self._kernel) if isinstance(at, Fallback))
        laws = [fold.law for fold in folds if fold is not None]
        certificate: Json = {
            "schema": SCHEMA,
            "before": fingerprint(self._before),
            "after": fingerprint(self._kernel),
            "laws": [_claim(law, self._proved[law]) for law in laws],
        }
        text = certificate_text(certificate)
        fault = check_rewrite(self._before, self._kernel, text)
        if fault is not None:
            claim = "the checker accepts the certificate of the rewrite"
            self._refusals[Refusal("rewrite", _RULE, claim, fault)] = None
            return None
        region = parallel_regions(self._kernel)[self._place]
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Rewrite(self._kernel, region, tuple(laws), certificate, digest)

    def _refuse(
        self, at: Reduce | Serial, claim: str, missing: str, obligation: str = "read"
    ) -> None:
        made = Refusal("rewrite", _RULE, claim, missing, obligation, at.loc)
        self._refusals[made] = None

    def _report(self, at: Reduce, refused: list[Refused | Unproved]) -> None:
        """Record the refusal that came furthest."""
        unproved = [each for each in refused if isinstance(each, Unproved)]
        if unproved:
            # Of those that came as far, the one whose terms are read the deepest says most.
            best = max(reversed(unproved), key=rank)
            self._refuse(at, *_in_words(best), best.obligation)
        elif refused:
            self._refuse(at, _ONE_FOLD, str(refused[-1]))


def _in_words(refusal: Unproved) -> tuple[str, str]:
    """What would have to hold, with its formula, and what shows that it does not."""
    if not refusal.formulas:
        return "the sum can be kept in one pass", refusal.goal
    formula, *names = refusal.formulas
    kind = refusal.obligation.partition(".")[0]
    said = f"{_CLAIMS[kind]}: {formula}" if kind in _CLAIMS else formula
    shown = refusal.shown.replace("s.", "") if kind == "ratio" else refusal.shown
    return "; ".join([said, *(f"where {name}" for name in names)]), shown


def _replacements(
    reading: Reading, members: tuple[Reduce, ...], law: Law
) -> tuple[dict[Node, Node], tuple[Node, ...]]:
    """What stands for each member of a chain that is read, and below what nothing is replaced."""
    one = _fold(law, members[0], reading, members[-1].loc)
    given = tuple(value_of_fold(one, k, at.spanned) for k, at in enumerate(reading.wanted))
    fallback = Fallback(
        values=given, instead=reading.wanted, when=unproved(one), type=given[0].type, loc=one.loc
    )
    by: dict[Node, Node] = {
        member: Result(of=fallback, index=k, type=member.type, loc=member.loc)
        for k, member in enumerate(reading.wanted)
    }
    return by, tuple(by.values())


def _fold(law: Law, outer: Reduce, reading: Reading, loc: Loc) -> Reduce:
    """The reduction by a law in place of the chain that begins with `outer`."""
    return Reduce(
        args=reading.operands,
        init=(),
        given=reading.given,
        over=outer.over,
        law=law,
        policy="unordered_tree",
        accumulate=outer.accumulate,
        type=TileType(outer.accumulate, _spanned(reading.operands, outer)),
        loc=loc,
    )


def _spanned(operands: tuple[Tile, ...], outer: Reduce) -> tuple[Axis, ...]:
    joined = join_axes(*(operand.axes for operand in operands))
    return tuple(axis for axis in joined if axis not in outer.over)


def _columns(reading: Reading) -> str | None:
    """Why results over axes that a fold keeps are not those of the reductions, if they are not."""
    columns = _spanned(reading.operands, reading.wanted[0])
    for member in reading.wanted:
        if member.spanned != tuple(axis for axis in columns if axis in member.spanned):
            return "the reductions keep their axes in different orders"
        if any(axis.extent == 0 for axis in columns if axis not in member.spanned):
            return "an axis that one of the reductions keeps has no element"
    return None


def _places(divided: Iterable[Tile], results: Iterable[Node]) -> list[int]:
    """Which results of a fallback, all that stand in a kernel, something is divided by."""
    (fallback,) = {at.of for at in results if isinstance(at, Result)}
    return results_among(fallback, divided) if isinstance(fallback, Fallback) else []


def _discharged(fused: Fused, divided: Iterable[int] = ()) -> Law:
    """The law with one more result: whether the state shows that the others hold.

    `divided` are the results that the program divides by.
    """
    law, specification = fused.law, fused.meaning.specification
    limits = [*fused.limits, *apart(specification[k] for k in divided)]
    tested = conjunction(law, specification, limits)
    return replace(law, finalize=(*law.finalize, tested), results=(*law.results, "bool"))


def _claim(law: Law, fused: Fused) -> Json:
    return {
        "closed": list(map(to_json, law.closed or ())),
        "domain": dict(fused.meaning.domain),
        "certificate": fused.certificate,
    }
