"""Where the rows of an access begin, modulo the widest access.

In: an access and what is known of its view's layout.  Out: a `Congruence`: what the address of
element 0 of a row is congruent to, as a constant and multiples of indices that are one number for
each program.  Decides only what follows from strides and residues; anything else is not known.
Leaves to `plan.ownership.phases` what is done about rows that begin where packs are not aligned.
"""

from __future__ import annotations

from certile.ir.host import RESIDUE_BYTES, ViewFacts
from certile.ir.node import reach
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
from certile.records import record

__all__ = ["Congruence", "congruence"]

# What an index may consist of that is the same in all lanes for as long as a program runs.
_UNIFORM = (Broadcast, Cast, Const, ExtentValue, LoopIndex, Map, ScalarArg)


@record
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


def _is_uniform(index: Tile, over: frozenset[Axis]) -> bool:
    """Whether an index is one number for each program."""
    return all(
        isinstance(node, _UNIFORM) and (not isinstance(node, LoopIndex) or node.axis in over)
        for node in reach((index,))
        if isinstance(node, Tile)
    )
