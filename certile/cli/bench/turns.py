"""Contestants that take turns: how they are timed beside one another, and what comes of it.

In: contestants that compute from numbered buffer sets, and an array of each set to copy.  Out: a
figure for each contestant.  Decides how is measured: buffers rotate through more memory than the
caches hold, from one contestant on to the next, rounds run in reversed order every other time, and
two copies of the same run, PyTorch's and our own kernel, are the yardsticks for bandwidth.  Leaves
to the caller what is computed, and whether it is right.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from certile.cli.bench.own_copy import own_copy
from certile.cli.operations.forms import Case
from certile.records import record

__all__ = ["Contestant", "Figure", "Turns", "buffer_sets", "pause"]

Array = Any

# Buffers of a case together take at least this much, several times the usual last cache.
_ROTATED_BYTES = 96 << 20
_MOST_SETS = 8
# A measurement runs the call until it took this long, or once.
_LEAST_SECONDS = 4e-4
# PyTorch's workers keep spinning for some milliseconds after a call; others wait for them.
_PAUSE_SECONDS = 0.012


def buffer_sets(size: int) -> int:
    """Return how many sets of `size` bytes a measurement rotates through: 2 or more."""
    return max(2, min(_MOST_SETS, math.ceil(_ROTATED_BYTES / size)))


@dataclass
class Contestant:
    """One way to compute the case; `run` takes the number of a buffer set and gives results."""

    name: str
    run: Callable[[int], Any]
    seconds: list[float] = field(default_factory=list)
    wrong: str = ""
    note: str = ""


@record
class Figure:
    """What a contestant reached; `bytes` are read and written at least.

    `note` says what else there is to know of its time.  `to_first` is its time over that of the
    first contestant, the median over the rounds in which both ran one after the other: a slow
    moment of the machine falls on both.
    """

    case: Case
    contestant: str
    median: float
    least: float
    spread: float
    bytes: int
    ratio_to_copy: float | None
    wrong: str = ""
    own_copy_speed: float = math.nan
    to_first: float = math.nan
    note: str = ""

    @property
    def speed(self) -> float:
        """The bytes moved in a second, at the median."""
        return self.bytes / self.median

    @property
    def copy_speed(self) -> float | None:
        """The bytes that PyTorch's copy moved in a second of the same run."""
        return None if self.ratio_to_copy is None else self.speed / self.ratio_to_copy

    @property
    def ceiling(self) -> float:
        """This time over that of our own copy of the same bytes: no kernel can gain more on it."""
        return self.own_copy_speed / self.speed

    def to_json(self) -> dict[str, object]:
        """Return the row of `certile bench --json`."""
        return {
            "op": self.case.op,
            "shape": self.case.written_shape,
            "dtype": self.case.dtype,
            "contestant": self.contestant,
            "median_s": self.median,
            "min_s": self.least,
            "spread": self.spread,
            "bytes": self.bytes,
            "ratio_to_copy": self.ratio_to_copy,
            "ceiling": self.ceiling,
            **({"wrong": self.wrong} if self.wrong else {}),
            **({"note": self.note} if self.note else {}),
        }


def pause(torch: Any) -> None:  # noqa: ANN401 - a module, or None
    """Wait until the workers of PyTorch have fallen asleep, where there is PyTorch."""
    time.sleep(_PAUSE_SECONDS if torch is not None else 0.0)


class Turns:
    """The turns of some contestants, with the copies that are measured in between.

    `sources` are arrays of NumPy or PyTorch, one a buffer set.
    """

    def __init__(self, sources: Sequence[Array], torch: Any) -> None:  # noqa: ANN401 - a module, or None
        self._sets = len(sources)
        self._torch = torch
        # The set that was least lately used.
        self._next = 0
        self._copied: int = 2 * math.prod(sources[0].shape) * sources[0].itemsize
        self._own, self._theirs = self._copiers(sources)

    def race(
        self, contestants: Sequence[Contestant], case: Case, size: int, seconds: float
    ) -> list[Figure]:
        """Race for about `seconds`; return each contestant's figures, as it moved `size` bytes."""
        racers = [*contestants, self._own, *([] if self._theirs is None else [self._theirs])]
        self.prepare(racers)
        started, round_number = time.perf_counter(), 0
        while round_number < 3 or time.perf_counter() - started < seconds:
            self.round(racers if round_number % 2 else racers[::-1])
            round_number += 1
        return [self._figure(racer, contestants[0], case, size) for racer in contestants]

    def prepare(self, racers: Sequence[Contestant]) -> None:
        """Find out how often each calls in one measurement."""
        self._repeats = {id(racer): _repeats(racer) for racer in racers}

    def round(self, racers: Sequence[Contestant]) -> None:
        """Measure each once, in this order."""
        for racer in racers:
            self._measure(racer, self._repeats[id(racer)])

    def _measure(self, racer: Contestant, repeats: int) -> None:
        count = self._sets
        pause(self._torch)
        # Whoever began with the set of the one before would find in the caches what that has read
        # and written, and the order of contestants would decide who does.
        run, first = racer.run, self._next + 1
        self._next = (first + repeats) % count
        # After the pause threads are asleep; waking them is no part of the work.  It is done with
        # other buffers, or a call that is measured once would find its own in the caches.
        run((first - 1) % count)
        started = time.perf_counter()
        for step in range(repeats):
            run((first + step) % count)
        racer.seconds.append((time.perf_counter() - started) / repeats)

    def _copiers(self, sources: Sequence[Array]) -> tuple[Contestant, Contestant | None]:
        """Return copies of the sources, which say what memory allows in this very run.

        The first is our own kernel, the second PyTorch's, where there is PyTorch.
        """
        empty_like = np.empty_like if self._torch is None else self._torch.empty_like
        targets = [empty_like(source) for source in sources]
        prepared = list(map(own_copy, sources, targets))
        own = Contestant("own copy", lambda at: prepared[at]())
        if self._torch is None:
            return own, None
        return own, Contestant("copy", lambda at: targets[at].copy_(sources[at]))

    def _figure(self, racer: Contestant, first: Contestant, case: Case, size: int) -> Figure:
        ordered = sorted(racer.seconds)
        median = statistics.median(ordered)
        quarter = len(ordered) // 4
        spread = (ordered[-1 - quarter] - ordered[quarter]) / median
        ratio = None if self._theirs is None else size / median / self._copy_speed(self._theirs)
        rounds = zip(racer.seconds, first.seconds, strict=True)
        return Figure(
            case,
            racer.name,
            median,
            ordered[0],
            spread,
            size,
            ratio,
            racer.wrong,
            self._copy_speed(self._own),
            statistics.median(own / of_first for own, of_first in rounds),
            racer.note,
        )

    def _copy_speed(self, copy: Contestant) -> float:
        """Return the bytes that a copy read and wrote in a second."""
        return self._copied / statistics.median(copy.seconds)


def _repeats(racer: Contestant) -> int:
    """Return how often a call is made in one measurement."""
    racer.run(0)
    started = time.perf_counter()
    racer.run(1)
    once = time.perf_counter() - started
    return max(1, int(_LEAST_SECONDS / max(once, 1e-7)))
