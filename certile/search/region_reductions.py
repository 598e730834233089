"""The reductions of a region: their order, what each is computed from, and loops like them.

In: a parallel region.  Out: its reductions, which of them read which, and which of their results
are read by more than each other; the serial loops that would be part of a chain of reductions if
they had no order.  Decides nothing: `regions` takes chains out of this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from certile.ir.laws import BUILTIN
from certile.ir.node import Node, reach
from certile.ir.tile import (
    Carried,
    Fallback,
    LoopIndex,
    Map,
    Parallel,
    Reduce,
    Result,
    Serial,
    effects,
    roots,
)

__all__ = ["Region", "beside_reductions", "cascades"]


class Region:
    """A region's reductions in order of evaluation, and what each value is computed from."""

    def __init__(self, parallel: Parallel) -> None:
        self._roots = [root for step in effects((parallel,)) for root in roots(step)]
        loops = [step for step in effects(parallel.body) if isinstance(step, Serial)]
        again = {step for loop in loops for step in effects(loop.body)}
        axes = {loop.axis for loop in loops}
        self.depends: dict[Node, frozenset[Reduce]] = {}
        self.reductions: list[Reduce] = []
        self.repeated: set[Node] = set()
        # What a fold and its condition are read through.
        self.made: set[Node] = set()
        for at in reach(self._roots, _below):
            below = list(_below(at))
            found = frozenset().union(*(self.depends[each] for each in below))
            if isinstance(at, Reduce):
                self.reductions.append(at)
                found |= {at}
            if isinstance(at, Fallback):
                self.made.update(at.tried)
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

    def beside(
        self, outer: Reduce, fits: Callable[[Reduce], bool]
    ) -> tuple[list[Reduce], list[Reduce]]:
        """One reduction with those that are read beside it, and all that read one of them.

        Of reductions that fit; none of the former reads another.
        """
        outers, later = [outer], list[Reduce]()
        while True:
            later = [at for at in self.reductions if fits(at) and self._reads(at, outers)]
            below = frozenset().union(*(self.depends[at] for at in later))
            more = [at for at in self.reductions if at in below and fits(at)]
            more = [at for at in more if at not in outers and at not in later]
            apart = [at for at in more if not self._reads(at, more)]
            apart = [at for at in apart if not any(at in self.depends[each] for each in outers)]
            if not apart:
                return outers, later
            outers += apart

    def _reads(self, at: Reduce, others: list[Reduce]) -> bool:
        """Whether a reduction is computed from one of others."""
        return any(other is not at and other in self.depends[at] for other in others)

    def wanted(self, members: tuple[Reduce, ...]) -> tuple[int, ...]:
        """The places of those members that are read by more than other members."""

        def below(at: Node) -> Iterable[Node]:
            return () if at in members else _below(at)

        read = set(reach(self._roots, below))
        return tuple(place for place, member in enumerate(members) if member in read)


def cascades(parallel: Parallel) -> Iterator[Serial]:
    """The loops in which every turn reads what another loop of as many turns gave.

    Each loop has an axis of its own.
    """
    loops = [step for step in effects(parallel.body) if isinstance(step, Serial)]
    for loop in loops:
        read = {at.of for at in reach(_turns(loop), _below) if isinstance(at, Result)}
        alike = [other for other in loops if other.axis.extent == loop.axis.extent]
        if any(other is not loop and other in read for other in alike):
            yield loop


def beside_reductions(parallel: Parallel) -> Iterator[Serial]:
    """The loops that merge elements, and read a reduction over as many or are read by one."""
    every = list(reach((root for step in effects((parallel,)) for root in roots(step)), _below))
    for loop in effects(parallel.body):
        if not isinstance(loop, Serial) or not _merges(loop):
            continue
        alike = [
            at
            for at in every
            if isinstance(at, Reduce) and [axis.extent for axis in at.over] == [loop.axis.extent]
        ]
        inside = set(reach(_turns(loop), _below))
        index = LoopIndex(axis=loop.axis)
        before = any(at in inside and index not in reach((at,), _below) for at in alike)
        if before or any(loop in reach((at,), _below) for at in alike if at not in inside):
            yield loop


def _merges(loop: Serial) -> bool:
    """Whether a turn merges an element into something that it carries."""
    carried = zip(loop.params, loop.yields, strict=True)
    return any(
        isinstance(after, Map)
        and param in after.args
        and (after.fn == "sub" or after.fn in BUILTIN)
        for param, after in carried
    )


def _turns(loop: Serial) -> list[Node]:
    """What the turns of a loop read: by effects, by what they carry on, and as they found it."""
    turns = [*loop.yields, *(root for step in effects(loop.body) for root in roots(step))]
    carried = zip(loop.inits, loop.params, loop.yields, strict=True)
    return turns + [init for init, param, after in carried if param is after]


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
