"""Phases: ownership that follows the alignment of rows, where rows do not begin aligned.

In: accesses and what is known of their views' layouts.  Out: what an address is congruent to modulo
the widest access, and for each element domain the access whose rows its packs follow.  A worker
then owns e = (W * chunk + w) * V + v - a: the phase a in [0, V) is how far the row of the followed
access begins behind an aligned place, so every pack of that access is aligned, and so is every pack
of an access whose rows begin as far behind one.  Decides which access is followed: the one that
makes the most bytes wide.  Leaves to the policy whether a phase is worth it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from certile.analysis.layout import ORDERED_TREES
from certile.ir.host import RESIDUE_BYTES, ViewFacts
from certile.ir.node import reach
from certile.ir.rows import RowProgram
from certile.ir.tile import (
    Broadcast,
    Cast,
    Const,
    ExtentValue,
    Iota,
    Load,
    LoopIndex,
    Map,
    ScalarArg,
    Store,
    Tile,
    View,
)
from certile.ir.types import Axis

if TYPE_CHECKING:
    from certile.plan.work import Access, Work

__all__ = ["Congruence", "Lead", "Phases", "common", "congruence", "phases_of", "unphased"]

# Places of a row are counted in 32 bits.
MOST_ELEMENTS = 1 << 30

# What an index may consist of that is the same in all lanes for as long as a program runs.
_UNIFORM = (Broadcast, Cast, Const, ExtentValue, LoopIndex, Map, ScalarArg)


@dataclass(frozen=True, slots=True)
class Congruence:
    """Where element 0 of a row lies, in elements: constant + sum of index * factor, modulo.

    `start` is the part of the constant that the base of the view and the index along the row give.
    """

    constant: int
    terms: tuple[tuple[Tile, int], ...]
    modulus: int
    start: int

    def within(self, modulus: int) -> tuple[int, dict[Tile, int]]:
        """The constant and the terms modulo a smaller power of two."""
        kept = {index: factor % modulus for index, factor in self.terms if factor % modulus}
        return self.constant % modulus, kept


@dataclass(frozen=True, slots=True)
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


def congruence(
    node: Load | Store, facts: ViewFacts | None, over: frozenset[Axis]
) -> Congruence | None:
    """Where the rows of an access begin, or None where it is not known or not along a row.

    `over` are the axes of the launch: a row is one access' elements in one program.
    """
    view = node.buffer
    if facts is None or node.mask is not None or not isinstance(view, View):
        return None
    size = view.dtype.size
    residues = _residues(facts, len(node.indices), size)
    if residues is None or residues[0] % size:
        return None
    along = [k for k, index in enumerate(node.indices) if index.axes]
    offset = _offset(node.indices[along[0]]) if len(along) == 1 else None
    if offset is None or facts.strides[along[0]] != 1:
        return None
    start = residues[0] // size + offset
    constant, terms = start, dict[Tile, int]()
    others = zip(node.indices, residues[1:], strict=True)
    for index, step in (other for k, other in enumerate(others) if k != along[0]):
        factor = step // size
        if isinstance(index, Const):
            constant += factor * int(index.value)
        elif factor:
            if not _is_uniform(index, over):
                return None
            terms[index] = terms.get(index, 0) + factor
    modulus = RESIDUE_BYTES // size
    return Congruence(constant % modulus, tuple(terms.items()), modulus, start % modulus)


def _residues(facts: ViewFacts, rank: int, size: int) -> tuple[int, ...] | None:
    """The residues of base and strides; of rows that are aligned only strides of 1 have any."""
    if facts.residues:
        return facts.residues
    if facts.alignment % RESIDUE_BYTES == 0 and 1 in facts.strides:
        return (0, *(size if facts.strides[dim] == 1 else 0 for dim in range(rank)))
    return None


def _offset(index: Tile) -> int | None:
    """c of an index that is the coordinate of an axis plus c."""
    match index:
        case Iota():
            return 0
        case Map(fn="add", args=(Iota(), Const(value=value)) | (Const(value=value), Iota())):
            return int(value)
        case Map(fn="sub", args=(Iota(), Const(value=value))):
            return -int(value)
        case _:
            return None


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


def _is_uniform(index: Tile, over: frozenset[Axis]) -> bool:
    """Whether an index is one number for each program."""
    return all(
        isinstance(node, _UNIFORM) and (not isinstance(node, LoopIndex) or node.axis in over)
        for node in reach((index,))
        if isinstance(node, Tile)
    )


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
