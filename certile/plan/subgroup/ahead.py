"""Rows that a CPU program asks memory for before the program that needs them runs.

In: a row program, its work, the programs of the launch and a sheet.  Out: how many rows ahead, and
in which sweep each load asks.  Decides that a row is asked for where the program's own row is read
for the last time: of arrays that come from memory in any such sweep, of others in one that reads
the row again and computes functions.  Leaves addresses to lowering.

What a cache holds is there soon enough for a sweep that only moves and adds, and asking takes it
the time of a load (a sum of 4 MB lost 10 %).  Functions take so much longer that asking is free: a
softmax whose array lay in the cores' caches lost or gained 2 %, and one whose array of any size had
left them took 10 to 25 % less.

Between two rows a program with reductions waits: their trees are chains, and what it reads a second
time comes from a cache, so that memory has nothing to do meanwhile.  Asking for the row of a later
program in the last sweep gives it that time.  Asked for earlier, the row would compete with the one
that is read; element-wise programs read without a break, which processors foresee themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certile.ir.rows import RowProgram, Step
from certile.ir.tile import Load
from certile.plan.cost.near import fits
from certile.plan.work import Sweep, Work
from certile.targets.sheet import Sheet

__all__ = ["asking", "rows_ahead", "rows_are_near"]

# What is asked for lies at least this far ahead: nearer it would come too late.  Beyond, nothing
# was gained in rows of 1 KB; whole rows of up to half the second cache served as well.
AHEAD_BYTES: Final = 8192
# A core that runs no more programs than this has hardly a next row.
_FEW_A_CORE: Final = 8


def rows_ahead(rows: RowProgram, work: Work, programs: int, sheet: Sheet) -> int:
    """How many rows ahead of its own a program asks for; 0: it asks for none."""
    if not (rows.reductions or rows.scans) or programs <= _FEW_A_CORE * sheet.cores:
        return 0
    if not asking(work) or not fits(sheet, work.row_bytes + work.kept_bytes):
        return 0
    return -(-AHEAD_BYTES // work.row_bytes)


def rows_are_near(work: Work) -> bool:
    """Whether so little is read until a row that is asked for that the nearest cache holds it.

    That is less than two such distances.  Rows of 1 KB, asked for from the second cache alone, took
    a layer norm a quarter longer; rows of 16 KB in the first took it, and a softmax, an eighth
    longer.
    """
    return work.row_bytes <= AHEAD_BYTES


def asking(work: Work) -> Mapping[Step, frozenset[Load]]:
    """The loads of rows that ask ahead in a sweep, by the first step of that sweep.

    That is the last sweep that makes the load; one that a loop repeats does not ask.
    """
    last: dict[Load, tuple[Step, bool]] = {}
    repeated: set[Load] = set()
    for sweep in work.sweeps:
        for access in sweep.reads:
            if not (access.own and isinstance(access.node, Load)) or sweep.head is None:
                continue
            again = not access.first and _computes(sweep)
            last[access.node] = sweep.head, access.large or again
            if sweep.trips > 1 or sweep.head.inner:
                repeated.add(access.node)
    found: dict[Step, frozenset[Load]] = {}
    for load, (step, worth) in last.items():
        if worth and load not in repeated and step.elements > 1:
            found[step] = found.get(step, frozenset()) | {load}
    return found


def _computes(sweep: Sweep) -> bool:
    """Whether a sweep computes functions of its elements, which takes longer than to read them."""
    made = (work for m in sweep.merges for work in (m.lift, m.merge, m.closed) if work is not None)
    return any(work.calls for work in (sweep.arithmetic, *made))
