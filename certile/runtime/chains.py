"""Launches of one call that follow each other, as one foreign call.

In: launchers of addresses alone, what memory they pass to each other, and which arrays of the call
may not meet.  Out: what runs all of them on addresses.  Decides that nothing is written where
arrays meet, and that a little memory is kept from call to call.  Leaves the machine code to
`certile.runtime.cpu.pool`, and what overlaps mean to the caller.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final, TypeAlias

from certile.runtime.cpu.pool import NO_SCRATCH, pool
from certile.runtime.inspected import MOST_KEPT, Addresses, Quick, Run, Take

__all__ = ["Chain", "covers", "meets", "refused"]

# Positions of two arrays, and between which distances of the second from the first they overlap.
Pair: TypeAlias = tuple[int, int, int, int]
# By positions of two arrays, the distances of the second from the first between which some launch
# refuses them.
Refused: TypeAlias = dict[tuple[int, int], list[tuple[int, int]]]

# So many pairs are compared in less time than their arrays are sorted in.
_FEW_PAIRS: Final = 64


class Chain:
    """Launches that follow each other, as one foreign call.

    `pairs` are those of the whole call, whose first `inputs` arrays are read; `extents` are the
    bytes that each array spans from its address on.
    `take` makes the scratch of one call, of `size` bytes; a little is kept from call to call.
    """

    def __init__(
        self,
        quicks: Sequence[Quick],
        pairs: Sequence[Pair],
        extents: Sequence[tuple[int, int]],
        inputs: int,
        take: Take,
        size: int,
    ) -> None:
        self._quicks = quicks
        self._take = take
        self._keeps = size <= MOST_KEPT
        # Two arrays that one launch takes are looked at in the foreign call.
        known = refused(quicks)
        others = [pair for pair in pairs if not covers(known, pair)]
        self._meet = meets(others, extents, inputs)

    def run(self, require_apart: Callable[[Addresses], None]) -> Run:
        """Return what runs all launches; `require_apart` raises for arrays that overlap."""
        quicks, take, keeps, meet = self._quicks, self._take, self._keeps, self._meet
        steps = tuple((each.launcher.pack, each.order) for each in quicks)
        launch, fresh = pool().launch_chain, self._fresh
        spare: list[tuple[tuple[Any, ...], int, list[int], object]] = []

        def run(addresses: list[int]) -> None:
            if meet(addresses):
                require_apart(addresses)
            try:
                entry = spare.pop()
            except IndexError:
                entry = fresh()
            whole, held = addresses + entry[2], None
            if not keeps:
                held = take(whole)
            for slots, (pack, order) in zip(entry[0], steps, strict=True):
                pack(slots, 0, *order(whole))
            if failed := launch(entry[1]):
                if failed > 0:
                    raise MemoryError(NO_SCRATCH)
                require_apart(addresses)
                for each in quicks:
                    each.slow(whole)
            spare.append(entry)
            del held

        return run

    def _fresh(self) -> tuple[tuple[Any, ...], int, list[int], object]:
        """Return the slots of each launch, the address of a chain, that of kept scratch."""
        readies = [each.launcher.ready(each.pairs) for each in self._quicks]
        tables = [ready.table for ready in readies]
        chain = (ctypes.c_int64 * (1 + len(tables)))(len(tables), *tables)
        kept: list[int] = []
        memory = self._take(kept) if self._keeps else None
        slots = tuple(ready.slots for ready in readies)
        return slots, ctypes.addressof(chain), kept, (readies, chain, memory)


def refused(quicks: Sequence[Quick]) -> Refused:
    """Return between which distances launches refuse arrays of the call."""
    found: Refused = {}
    for quick in quicks:
        for a, b, low, high in quick.pairs:
            first, second = quick.places[a], quick.places[b]
            # A pair of the call looks at second - first, one of a launch at first - second.
            found.setdefault((first, second), []).append((-high, -low))
            found.setdefault((second, first), []).append((low, high))
    return found


def covers(known: Refused, pair: Pair) -> bool:
    """Whether some launch refuses arrays that lie as near as those of a pair of the call."""
    first, second, low, high = pair
    return any(least <= low and high <= most for least, most in known.get((first, second), ()))


def meets(
    pairs: Sequence[Pair], extents: Sequence[tuple[int, int]], inputs: int
) -> Callable[[Addresses], bool]:
    """Return what says whether some pair of arrays may meet, given where each array begins.

    `extents` are the bytes that each spans, from its address on; those behind `inputs` are written,
    and meet what is read and what is written.  Few pairs are looked at one by one; of many the
    arrays are sorted, which also finds those that no pair names: a call of such looks at them again
    each time.
    """

    def few(addresses: Addresses) -> bool:
        for first, second, low, high in pairs:
            if low < addresses[second] - addresses[first] < high:
                return True
        return False

    def many(addresses: Addresses) -> bool:
        spans = sorted(
            (address + low, address + high, at >= inputs)
            for at, (address, (low, high)) in enumerate(zip(addresses, extents, strict=True))
            if low != high
        )
        read_to = written_to = -inf
        for low, high, written in spans:
            if low < written_to or (written and low < read_to):
                return True
            if written:
                written_to = max(written_to, high)
            else:
                read_to = max(read_to, high)
        return False

    return few if len(pairs) <= _FEW_PAIRS else many
