"""Phases: ownership that follows the alignment of rows, where rows do not begin aligned.

In: the work of a program, whose accesses say where their rows begin (`congruence`).  Out: for each
element domain the access whose rows its packs follow.  A worker then owns e = (W * chunk + w) * V +
v - a: the phase a in [0, V) is how far the row of the followed access begins behind an aligned
place, so every pack of that access is aligned, and so is every pack of an access whose rows begin
as far behind one.  Decides which access is followed: the one that makes the most bytes wide.
Leaves to the policy whether a phase is worth it.
"""

from __future__ import annotations

from collections.abc import Mapping

from certile.analysis.layout import ORDERED_TREES
from certile.ir.rows import RowProgram
from certile.ir.tile import Const, Load, LoopIndex, Map, Store, Tile
from certile.ir.types import Axis
from certile.plan.congruence import Congruence
from certile.plan.work import Access, Work
from certile.records import record

__all__ = ["Lead", "Phases", "common", "phases_of", "unphased"]

# Places of a row are counted in 32 bits.
MOST_ELEMENTS = 1 << 30


@record
class Lead:
    """The access that a domain's packs follow; the phase lies in [0, modulus)."""

    node: Load | Store
    congruence: Congruence
    modulus: int

    def phase(self, coordinates: Mapping[Axis, int]) -> int | None:
        """The phase in the program at these coordinates; None where arguments decide it, too."""
        place, terms = self.congruence.within(self.modulus)
        for index, factor in terms.items():
            at = _number(index, coordinates)
            if at is None:
                return None
            place += at * factor
        return place % self.modulus


# The domains that have a phase, by their axes.
Phases = Mapping[tuple[Axis, ...], Lead]


def _number(index: Tile, coordinates: Mapping[Axis, int]) -> int | None:
    """The value of an index that is arithmetic on coordinates."""
    match index:
        case LoopIndex(axis=axis):
            return coordinates.get(axis)
        case Const(value=value):
            return int(value)
        case Map(fn="add" | "sub" | "mul" as fn, args=(a, b)):
            x, y = _number(a, coordinates), _number(b, coordinates)
            if x is None or y is None:
                return None
            return x + y if fn == "add" else x - y if fn == "sub" else x * y
        case _:
            return None


def common(lead: Lead, other: Congruence | None) -> int:
    """The most elements, a power of two, that the packs of an access take in the lead's phase."""
    if other is None:
        return 1
    width = min(lead.modulus, other.modulus)
    while width > 1 and lead.congruence.within(width) != other.within(width):
        width //= 2
    return width


def phases_of(work: Work, lane_elements: int) -> dict[tuple[Axis, ...], Lead]:
    """The domains of one axis whose packs of V elements a phase aligns, each with its lead."""
    found: dict[tuple[Axis, ...], dict[Access, int]] = {}
    for sweep in work.sweeps:
        if len(sweep.axes) == 1 and 1 < sweep.elements < MOST_ELEMENTS:
            accesses = found.setdefault(sweep.axes, {})
            for access in (*sweep.reads, *sweep.writes):
                moved = access.size * sweep.elements * sweep.trips
                accesses[access] = accesses.get(access, 0) + moved
    leads = ((axes, _lead(accesses, lane_elements)) for axes, accesses in found.items())
    return {axes: lead for axes, lead in leads if lead is not None}


def _lead(accesses: Mapping[Access, int], lane_elements: int) -> Lead | None:
    """The access to follow, None where following it takes no phase."""
    best, most = None, 0
    for access in accesses:
        known = access.congruence
        width = 1 if known is None else min(lane_elements, known.modulus)
        if known is None or access.node is None or width < 2:
            continue
        lead = Lead(access.node, known, width)
        alike = sum(moved for a, moved in accesses.items() if common(lead, a.congruence) > 1)
        if alike > most:
            best, most = lead, alike
    if best is None or best.congruence.within(best.modulus) == (0, {}):
        return None
    return best


def unphased(rows: RowProgram) -> str:
    """Why the worker that owns an element may not depend on an address, or nothing."""
    if rows.lanes is not None:
        return "a reduction keeps axes"
    if rows.scans or rows.sorts:
        return "a scan or a sort fixes which lane has which element"
    if any(node.policy in ORDERED_TREES for node in (*rows.reductions, *rows.apart)):
        return "a reduction's order is fixed by the position of its leaves"
    return ""
