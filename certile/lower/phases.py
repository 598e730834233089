"""Ownership with a phase: where the packs of a row lie, and the packs that are not whole.

In: the lead that `plan.ownership.phases` chose for a domain, and the indices of a program.  Out:
the shift of the domain's coordinates, the base of an address of which alignment can be proved, and
the accesses of the packs at the two ends of a row.  Such a pack is accessed as a whole by lanes
that own all of it; the others access what exists of theirs one by one, in a branch that only
subgroups with such a lane take.  Decides nothing: what has a phase is the plan's matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from certile.ir.dtypes import i64
from certile.ir.machine import Address, Buffer, Value
from certile.ir.machine.build import Builder
from certile.ir.tile import Load, Tile
from certile.lower.coordinates import Coordinate, Shift, value_of
from certile.plan.congruence import Congruence
from certile.plan.ownership.phases import Lead, common
from certile.records import record

__all__ = ["EdgePack", "Packed", "packed", "settle", "shift_of"]


@record
class Packed:
    """An access in the phase of its domain: `width` elements of it are aligned together.

    `start` is how far its buffer's aligned place, and the constant of its index, move a row.
    `fixed` says that all rows begin alike, `whole` that the phase is below the width.
    """

    width: int
    start: int
    fixed: bool
    whole: bool

    def row(self, builder: Builder, row: Value, phase: Value) -> Value:
        """The element at which a pack of the row begins: `row - phase`, as a multiple.

        With rows that all begin alike their multiple is known without.
        """
        if self.fixed:
            return builder.sub(row, phase)
        ahead = builder.add(row, self.start)
        if not self.whole:
            ahead = builder.sub(ahead, phase)
        # What the phase takes are the lowest bits, since rows begin as far behind a multiple.
        return builder.sub(builder.compute("bit_and", ahead, -self.width), self.start)


def packed(shift: Shift, known: Congruence | None) -> Packed | None:
    """How an access is packed in the phase of its domain; None where its packs are not aligned."""
    width = common(shift.lead, known)
    if known is None or width < 2:
        return None
    whole = width == shift.lead.modulus
    return Packed(width, known.start % width, not known.within(width)[1], whole)


def shift_of(lead: Lead, builder: Builder, index_of: Callable[[Tile], Coordinate]) -> Shift:
    """The phase of a domain, a uniform value of the program at which `index_of` reads indices."""
    constant, terms = lead.congruence.within(lead.modulus)
    place = builder.const(constant, i64)
    for index, factor in terms.items():
        # The lowest bits of a product follow from those of its factors, and need 32 at most.
        at = builder.compute("bit_and", value_of(builder, index_of(index)), lead.modulus - 1)
        place = builder.add(builder.mul(at, factor), place)
    return Shift(builder.compute("bit_and", place, lead.modulus - 1), lead)


@dataclass(eq=False)
class EdgePack:
    """The accesses of a pack that may not exist as a whole.

    `whole` says which lanes own all elements of theirs, `partial` which own some but not all, and
    `inside` which elements exist.
    """

    builder: Builder
    whole: Value
    partial: Value
    inside: list[Value]
    _loaded: dict[tuple[Load, Value], list[Value]] = field(default_factory=dict)
    _stored: set[Buffer] = field(default_factory=set)
    _pending: list[Callable[[], None]] = field(default_factory=list)

    def may_load(self, buffer: Buffer) -> bool:
        """Whether elements may be read together: none of them was stored in this pack."""
        return buffer not in self._stored

    def load(self, node: Load, buffer: Buffer, address: Address, v: int) -> Value:
        """Element v of the pack: all are read where the first of them is asked for."""
        start = self.builder.sub(address.base, v)
        if (node, start) not in self._loaded:
            self._loaded[node, start] = self._load_all(buffer, replace(address, base=start))
        return self._loaded[node, start][v]

    def _load_all(self, buffer: Buffer, first: Address) -> list[Value]:
        builder = self.builder
        places = [replace(first, base=builder.add(first.base, v)) for v in range(len(self.inside))]
        zero = builder.const(0, buffer.dtype)
        together = [builder.load(buffer, place, self.whole, zero) for place in places]

        # What needs no conversion is read into the registers of what is read together; for the
        # others the pack would have to be there first.
        direct = buffer.dtype.bits >= 32
        masks = self._alone()

        def alone(_: Value, before: tuple[Value, ...]) -> list[Value]:
            return [
                kept if mask is None else builder.load(buffer, at, mask, kept if direct else zero)
                for at, mask, kept in zip(places, masks, before, strict=True)
            ]

        start = together if direct else [zero] * len(places)
        apart = list(builder.for_(0, self._rounds(), 1, start, alone, varying=True))
        if direct:
            return apart
        return [
            a if mask is None else builder.select(self.whole, a, b)
            for mask, a, b in zip(masks, together, apart, strict=True)
        ]

    def store(
        self, buffer: Buffer, address: Address, value: Value, v: int, active: Value | None
    ) -> None:
        """Store element v: at once where packs are whole, with `settle` where they are not.

        `active` is a further condition of the store.
        """
        builder = self.builder
        builder.store(buffer, address, value, builder.and_(self.whole, active))
        self._stored.add(buffer)
        alone = self._alone()[v]
        if alone is not None:
            mask = builder.and_(alone, active)
            self._pending.append(lambda: builder.store(buffer, address, value, mask))

    def read_apart(self, buffer: Buffer) -> None:
        """What waits to be stored goes first, where it may be what is about to be read.

        Stores of whole packs are one access only while nothing stands between them.
        """
        if buffer in self._stored:
            self.settle()

    def pass_by(self, buffer: Buffer) -> None:
        """What waits goes first: an element of the buffer is about to be stored by itself."""
        self.settle()
        self._stored.add(buffer)

    def settle(self) -> None:
        """Store what waits."""
        waiting, self._pending = self._pending, []

        def stores() -> None:
            for store in waiting:
                store()

        if waiting:
            self.builder.if_(self._some(), stores)

    def _alone(self) -> list[Value | None]:
        """Which elements lanes access one by one; None where only whole packs have the element."""
        return [
            None if own is self.whole else self.builder.compute("bit_and", own, self.partial)
            for own in self.inside
        ]

    def _some(self) -> Value:
        """Whether a lane of the subgroup has a pack that is not whole."""
        partial = self.partial
        return self.builder.collective("any", partial) if partial.varying else partial

    def _rounds(self) -> Value:
        return self.builder.convert(self._some(), i64)


def settle(edges: Iterable[tuple[EdgePack, int] | None]) -> None:
    """Store what waits in the packs of some elements."""
    for pack in dict.fromkeys(edge[0] for edge in edges if edge is not None):
        pack.settle()
