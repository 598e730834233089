"""Ownership as arithmetic: which worker owns element e, and in which slot.

W workers own V consecutive elements each a chunk: e = (W * chunk + w) * V + v, kept in slot = chunk
* V + v.  With a phase a in [0, V) all of it holds of e + a in place of e.  In: integers.  Out:
integers.  Decides only the runs of ordered trees; leaves W, V and a to the planner.
"""

from __future__ import annotations

import math

from certile.records import record

# Leaves that an ordered tree of the reference map folds in sequence before it branches: its depth
# is at most 8 + log2(n / 8) + 1.
ORDERED_RUN = 8
# The fewest leaves that a lane which folds in any order alone merges before the next block.
FOLD_BLOCK = 64


@record
class Owner:
    """Where an element lives."""

    chunk: int
    worker: int
    v: int
    slot: int


@record
class Tail:
    """The last, partial chunk: `full` workers own V elements, one more the `partial` rest."""

    remainder: int
    full: int
    partial: int


def owner(element: int, workers: int, lane_elements: int = 1, phase: int = 0) -> Owner:
    """The worker and slot of an element."""
    pack, v = divmod(element + phase, lane_elements)
    chunk, worker = divmod(pack, workers)
    return Owner(chunk, worker, v, chunk * lane_elements + v)


def element(
    chunk: int, worker: int, v: int, workers: int, lane_elements: int = 1, phase: int = 0
) -> int:
    """The element of a worker in a chunk: the inverse of `owner`; below 0 there is none."""
    return (workers * chunk + worker) * lane_elements + v - phase


def slots(count: int, workers: int, lane_elements: int = 1, *, phase: bool = False) -> int:
    """The most elements one worker owns of `count`: a domain's rounds, a stripe's size.

    With a `phase` it is the most for any a in [0, V).
    """
    if phase and count:
        count += lane_elements - 1
    full, rest = divmod(count, workers * lane_elements)
    return full * lane_elements + min(rest, lane_elements)


def fold_block(count: int) -> int:
    """The leaves of a block where one lane folds `count` of them in any order.

    A block as long as there are blocks makes the longest path, and the rounding, least.
    """
    return max(FOLD_BLOCK, math.isqrt(count))


def tail(count: int, workers: int, lane_elements: int = 1) -> Tail:
    """How the elements after the last full chunk are spread."""
    remainder = count % (workers * lane_elements)
    return Tail(remainder, remainder // lane_elements, remainder % lane_elements)
