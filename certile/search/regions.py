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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from certile.diagnostics import Refusal
from certile.ir.dtypes import bool_
from certile.ir.fingerprint import fingerprint
from certile.ir.laws import Law
from certile.ir.node import Node, reach
from certile.ir.terms import to_json
from certile.ir.tile import (
    Carried,
    Fallback,
    Kernel,
    LoopIndex,
    Map,
    Parallel,
    Reduce,
    Result,
    Serial,
    effects,
    roots,
)
from certile.ir.types import TileType
from certile.ir.walk import parallel_regions, substitute, values
from certile.proof.check.parse import Json
from certile.proof.check.region_terms import require_regrouped
from certile.proof.check.regions import SCHEMA, check_rewrite, conjunction
from certile.proof.check.terms import Refused
from certile.search.chains import Found, Reading, readings
from certile.search.derivations import remembered
from certile.search.fusion import Chain, Fused, rank
from certile.search.laws import Refusal as Unproved

_RULE = "rewrite"
_CLAIMS = {
    "ratio": "another r changes the summand by a factor that no element is in",
    "bound": "no exponent is positive",
}
_IN_ORDER = "a loop runs in the order that it is written in; what reduces a tile may be regrouped"
Derive = Callable[[Chain], Fused | Unproved]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A rewritten kernel, its region, its laws, and the certificate that it may run instead.

    `digest` is the SHA-256 of the certificate as JSON text.
    """

    kernel: Kernel
    parallel: Parallel
    laws: tuple[Law, ...]
    certificate: Json
    digest: str


@dataclass(frozen=True, slots=True)
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


class _Deriver:
    """Rewrites one chain after the other; a chain may read the results of one before it."""

    def __init__(self, kernel: Kernel, place: int, derive: Derive) -> None:
        self._before = self._kernel = kernel
        self._place = place
        self._derive = derive
        self._proved: dict[Law, Fused] = {}
        self._refusals: dict[Refusal, None] = {}
        self._tried: set[Reduce] = set()

    def derived(self) -> Derived:
        while self._step():
            pass
        for loop in _cascades(parallel_regions(self._before)[self._place]):
            self._refuse(loop, "these loops are one fold", _IN_ORDER)
        rewrite = self._rewrite() if self._proved else None
        return Derived(rewrite, tuple(self._refusals))

    def _step(self) -> bool:
        """Take the next outer reduction; whether there was one."""
        region = _Region(parallel_regions(self._kernel)[self._place])
        for outer in region.reductions:
            later = region.later(outer)
            if not later or outer in self._tried or outer.law in self._proved:
                continue
            self._tried.add(outer)
            self._take(region, outer, later)
            return True
        return False

    def _take(self, region: _Region, outer: Reduce, later: list[Reduce]) -> None:
        faults = {each: self._fault(region, outer, each) for each in (outer, *later)}
        fit = [each for each in later if faults[each] is None]
        for each in (outer, *later):
            fault = faults[each]
            if fault is not None and (each is not outer or fit):
                self._refuse(each, "these reductions are one fold", fault)
        if faults[outer] is not None:
            return
        self._fuse(region, outer, fit)

    def _fault(self, region: _Region, outer: Reduce, at: Reduce) -> str | None:
        """What keeps a reduction out of every chain, whatever its terms are."""
        if self._kernel.math == "fast":
            return "fast math may not tell whether a state is finite"
        if at in region.repeated:
            return "it stands in a loop, where the condition of a fallback would differ by turns"
        if at.over != outer.over:
            return "it is over other axes than the reduction whose result it reads"
        if at.accumulate != outer.accumulate:
            return f"it accumulates in {at.accumulate} and not in {outer.accumulate}"
        try:
            require_regrouped(at)
        except Refused as refusal:
            return str(refusal)
        return None

    def _fuse(self, region: _Region, outer: Reduce, later: list[Reduce]) -> None:
        """Fuse all later reductions, or those that can be fused one by one."""
        if not later or self._attempt(region, outer, later, report=len(later) == 1):
            return
        if len(later) > 1:
            kept: list[Reduce] = []
            for each in later:
                if self._attempt(region, outer, [*kept, each], report=True, apply=False):
                    kept.append(each)
            if kept:
                self._attempt(region, outer, kept, report=True)

    def _attempt(
        self,
        region: _Region,
        outer: Reduce,
        later: list[Reduce],
        *,
        report: bool,
        apply: bool = True,
    ) -> bool:
        """Whether the chain was fused, or could be."""
        members = (outer, *later)
        refused: list[Refused | Unproved] = []
        for reading in readings(Found(members, region.wanted(members), region.depends)):
            if isinstance(reading, Refused):
                refused.append(reading)
                continue
            fused = self._derive(reading.chain)
            if isinstance(fused, Fused) and not reading.chain.parameters:
                if apply:
                    self._apply(reading, members, fused)
                return True
            refused.append(
                fused
                if isinstance(fused, Unproved)
                else Refused("a number that is no constant stands in a sum")
            )
        if report:
            self._report(later[-1], refused)
        return False

    def _apply(self, reading: Reading, members: tuple[Reduce, ...], fused: Fused) -> None:
        law = _discharged(fused.law)
        outer = members[0]
        kind = TileType(outer.accumulate)
        one = Reduce(
            args=reading.operands,
            init=(),
            over=outer.over,
            law=law,
            policy="unordered_tree",
            accumulate=outer.accumulate,
            type=kind,
            loc=members[-1].loc,
        )
        results = tuple(
            Result(of=one, index=k, type=kind, loc=one.loc) for k in range(len(reading.wanted))
        )
        finite = Result(of=one, index=len(results), type=TileType(bool_), loc=one.loc)
        when = Map(fn="bit_not", args=(finite,), type=TileType(bool_), loc=one.loc)
        fallback = Fallback(
            values=results, instead=reading.wanted, when=when, type=kind, loc=one.loc
        )
        by: dict[Node, Node] = {
            member: Result(of=fallback, index=k, type=kind, loc=member.loc)
            for k, member in enumerate(reading.wanted)
        }
        self._kernel = substitute(self._kernel, by, settled=tuple(by.values()))
        self._proved[law] = fused

    def _rewrite(self) -> Rewrite | None:
        laws = [
            at.values[0].of.law
            for at in values(self._kernel)
            if isinstance(at, Fallback)
            and isinstance(at.values[0], Result)
            and isinstance(at.values[0].of, Reduce)
        ]
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
            self._refuse(at, "these reductions are one fold", str(refused[-1]))


def _in_words(refusal: Unproved) -> tuple[str, str]:
    """What would have to hold, with its formula, and what shows that it does not."""
    if not refusal.formulas:
        return "the sum can be kept in one pass", refusal.goal
    formula, *names = refusal.formulas
    kind = refusal.obligation.partition(".")[0]
    said = f"{_CLAIMS[kind]}: {formula}" if kind in _CLAIMS else formula
    shown = refusal.shown.replace("s.", "") if kind == "ratio" else refusal.shown
    return "; ".join([said, *(f"where {name}" for name in names)]), shown


def _discharged(law: Law) -> Law:
    """The law with one more result: whether every component of the state is finite."""
    return replace(law, finalize=(*law.finalize, conjunction(law)), results=(*law.results, "bool"))


def _claim(law: Law, fused: Fused) -> Json:
    return {
        "closed": list(map(to_json, law.closed or ())),
        "domain": dict(fused.meaning.domain),
        "certificate": fused.certificate,
    }


class _Region:
    """A region's reductions in order of evaluation, and what each value is computed from."""

    def __init__(self, parallel: Parallel) -> None:
        self._roots = [root for step in effects((parallel,)) for root in roots(step)]
        loops = [step for step in effects(parallel.body) if isinstance(step, Serial)]
        again = {step for loop in loops for step in effects(loop.body)}
        axes = {loop.axis for loop in loops}
        self.depends: dict[Node, frozenset[Reduce]] = {}
        self.reductions: list[Reduce] = []
        self.repeated: set[Node] = set()
        for at in reach(self._roots, _below):
            below = list(_below(at))
            found = frozenset().union(*(self.depends[each] for each in below))
            if isinstance(at, Reduce):
                self.reductions.append(at)
                found |= {at}
            self.depends[at] = found
            turns = isinstance(at, LoopIndex) and at.axis in axes
            inside = isinstance(at, Carried) or at in again or turns
            after = isinstance(at, Result) and isinstance(at.of, Serial)
            if inside or (not after and not self.repeated.isdisjoint(below)):
                self.repeated.add(at)

    def later(self, outer: Reduce) -> list[Reduce]:
        """The reductions that are computed from one."""
        return [
            each for each in self.reductions if each is not outer and outer in self.depends[each]
        ]

    def wanted(self, members: tuple[Reduce, ...]) -> tuple[int, ...]:
        """The places of those members that are read by more than other members."""

        def below(at: Node) -> Iterable[Node]:
            return () if at in members else _below(at)

        read = set(reach(self._roots, below))
        return tuple(place for place, member in enumerate(members) if member in read)


def _cascades(parallel: Parallel) -> Iterator[Serial]:
    """The loops in which every turn reads what another loop of as many turns gave.

    Each loop has an axis of its own.
    """
    loops = [step for step in effects(parallel.body) if isinstance(step, Serial)]
    for loop in loops:
        turns = [*loop.yields, *(root for step in effects(loop.body) for root in roots(step))]
        carried = zip(loop.inits, loop.params, loop.yields, strict=True)
        turns += [init for init, param, after in carried if param is after]
        read = {at.of for at in reach(turns, _below) if isinstance(at, Result)}
        alike = [other for other in loops if other.axis.extent == loop.axis.extent]
        if any(other is not loop and other in read for other in alike):
            yield loop


def _below(at: Node) -> Iterator[Node]:
    """What a value is computed from; a fallback's stead is a matter of its own."""
    if isinstance(at, Fallback):
        yield from at.tried
        return
    yield from at.operands()
    if isinstance(at, Serial):
        yield from at.yields
        for step in effects(at.body):
            yield from roots(step)
