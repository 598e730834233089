"""Neighbouring loads and stores that one vector access serves.

In: a block and what is known of its integers.  Out: packs, each a run of loads or of stores of
consecutive elements, aligned as a whole.  Decides it from proofs only: the constant parts of the
addresses count up from a place that is aligned, and base, lane stride and the rest are multiples of
the pack.  A pack is read where its first load stands and written where its last store stands, so
nothing between may touch the same buffer against it.  Leaves spelling to the targets.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from certile.ir.dtypes import DType
from certile.ir.machine import Barrier, Block, Buffer, Load, Operation, Store, Value
from certile.ir.machine.fold import Facts, power_of_two
from certile.records import record

__all__ = ["Pack", "packs"]

Access = Load | Store
Limit = Callable[[DType], int]


@record
class Pack:
    """Accesses in element order; `first` and `last` are in program order.

    `core` and `constant` make the base of the first element's address.
    """

    accesses: tuple[Access, ...]
    core: Value
    constant: int
    first: Access
    last: Access


@dataclass(slots=True)
class _Run:
    """Accesses of one base that differ by constants, in program order; no core is a base of 0."""

    core: Value | None
    accesses: dict[int, Access] = field(default_factory=dict)


_Key = tuple[object, ...]


def packs(block: Block, facts: Facts, limit: Limit) -> dict[Operation, Pack]:
    """The pack of each access of a block that is in one; blocks inside it are not looked at.

    `limit` is the most elements of a type, a power of two, that one access of the target takes.
    """
    found: dict[Operation, Pack] = {}
    for run in _runs(block, facts):
        for pack in _cut(run, facts, limit):
            found.update(dict.fromkeys(pack.accesses, pack))
    return found


def _runs(block: Block, facts: Facts) -> Iterator[_Run]:
    """Runs end where an operation touches their buffer against them."""
    live: dict[_Key, _Run] = {}
    for operation in block.operations:
        if not isinstance(operation, Load | Store):
            if operation.blocks() or isinstance(operation, Barrier):
                yield from live.values()
                live.clear()
            continue
        core, constant = _split(operation.address.base, facts)
        key = _key(operation, core)
        ended = [k for k in live if k != key and _against(k, operation)]
        yield from (live.pop(k) for k in ended)
        run = live.setdefault(key, _Run(core))
        if constant in run.accesses:
            yield live.pop(key)
            run = live.setdefault(key, _Run(core))
        run.accesses[constant] = operation
    yield from live.values()


def _split(base: Value, facts: Facts) -> tuple[Value | None, int]:
    known = facts.integer(base)
    return facts.sum_of(base) if known is None else (None, known)


def _key(access: Access, core: Value | None) -> _Key:
    address = access.address
    kind: tuple[object, ...] = (type(access), access.buffer)
    return (*kind, core, address.lane_stride, address.offset, access.mask)


def _against(key: _Key, access: Access) -> bool:
    """Whether an access must keep its place among those of a run; loads pass each other."""
    same = key[1] == access.buffer
    return same and (key[0] is Store or isinstance(access, Store))


def _cut(run: _Run, facts: Facts, limit: Limit) -> Iterator[Pack]:
    """The widest aligned packs of a run, from the left."""
    order = {access: place for place, access in enumerate(run.accesses.values())}
    left = dict(run.accesses)
    for constant in sorted(run.accesses):
        if constant not in left:
            continue
        access = left[constant]
        width = _aligned(access, run.core, constant, facts, limit)
        while width > 1 and any(constant + k not in left for k in range(width)):
            width //= 2
        members = [left.pop(constant + k) for k in range(width)]
        if width > 1:
            first, last = _ends(members, key=order)
            # A constant base is a value of its own, defined before every access.
            at = (members[0].address.base, 0) if run.core is None else (run.core, constant)
            yield Pack(tuple(members), *at, first, last)


def _ends(members: Iterable[Access], key: dict[Access, int]) -> tuple[Access, Access]:
    ordered = sorted(members, key=key.__getitem__)
    return ordered[0], ordered[-1]


def _aligned(access: Access, core: Value | None, constant: int, facts: Facts, limit: Limit) -> int:
    """The most elements, a power of two, that one access at this element may take."""
    buffer: Buffer = access.buffer
    stride, offset = access.address.lane_stride, access.address.offset
    if stride is None:
        # One element for the whole subgroup: there is nothing to gain.
        return 1
    lanes = facts.multiple(stride) if isinstance(stride, Value) else power_of_two(stride)
    multiples = [power_of_two(constant + buffer.skew), lanes]
    multiples.append(1 << 62 if core is None else facts.multiple(core))
    multiples.append(power_of_two(buffer.alignment) // buffer.dtype.size or 1)
    if offset is not None:
        multiples.append(facts.multiple(offset))
    return max(1, min(*multiples, limit(buffer.dtype)))
