"""Launches of one call that follow each other, as one foreign call.

In: launchers of addresses alone, what memory they pass to each other, and which arrays of the call
may not meet.  Out: what runs all of them on addresses.  Decides that nothing is written where
arrays meet, and that a little memory is kept from call to call.  Leaves the machine code to
`certile.runtime.cpu.pool`, and what overlaps mean to the caller.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from certile.runtime.cpu.pool import NO_SCRATCH, pool
from certile.runtime.inspected import MOST_KEPT, Addresses, Quick, Run, Take

__all__ = ["Chain", "looks_at"]

# Positions of two arrays, and between which distances of the second from the first they overlap.
Pair: TypeAlias = tuple[int, int, int, int]


class Chain:
    """Launches that follow each other, as one foreign call; `pairs` are those of the whole call.

    `take` makes the scratch of one call, of `size` bytes; a little is kept from call to call.
    """

    def __init__(
        self,
        quicks: Sequence[Quick],
        pairs: Sequence[Pair],
        take: Take,
        size: int,
    ) -> None:
        self._quicks = quicks
        self._take = take
        self._keeps = size <= MOST_KEPT
        # Two arrays that one launch takes are looked at in the foreign call.
        self._others = [pair for pair in pairs if not any(looks_at(q, pair) for q in quicks)]

    def run(self, require_apart: Callable[[Addresses], None]) -> Run:
        """Return what runs all launches; `require_apart` raises for arrays that overlap."""
        quicks, take, keeps, others = self._quicks, self._take, self._keeps, self._others
        steps = tuple((each.launcher.pack, each.order) for each in quicks)
        launch, fresh = pool().launch_chain, self._fresh
        spare: list[tuple[tuple[Any, ...], int, list[int], object]] = []

        def run(addresses: list[int]) -> None:
            for first, second, low, high in others:
                if low < addresses[second] - addresses[first] < high:
                    require_apart(addresses)
                    break
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


def looks_at(quick: Quick, pair: Pair) -> bool:
    """Whether a launch refuses arguments that lie as near as those of a pair of the call."""
    first, second, low, high = pair
    for a, b, least, most in quick.pairs:
        found = quick.places[a], quick.places[b]
        if found == (second, first):
            found, least, most = (first, second), -most, -least
        # A pair of the call looks at second - first, one of a launch at first - second.
        if found == (first, second) and -most <= low and high <= -least:
            return True
    return False
