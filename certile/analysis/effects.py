"""What a parallel region does to memory, in program order, and where each value belongs.

In: a `Parallel` region of a kernel.  Out: its accesses with their loops, the live values with their
consumers, and the loops each value varies with.  Decides nothing: refusals are made by the analyses
that read this one.
"""

from __future__ import annotations

from collections.abc import Iterator

from certile.ir.node import Node, reach
from certile.ir.tile import (
    Buffer,
    Carried,
    Effect,
    Iota,
    Load,
    LoopIndex,
    Parallel,
    Result,
    Serial,
    Store,
    Tile,
    roots,
)
from certile.ir.types import Axis
from certile.ir.walk import at_once
from certile.records import record


@record
class Access:
    """A load or a store, its place in program order and the serial loops around it."""

    effect: Load | Store
    position: int
    loops: tuple[Serial, ...]

    @property
    def buffer(self) -> Buffer:
        return self.effect.buffer


def accesses(parallel: Parallel) -> tuple[Access, ...]:
    """Every load and store of a region in program order."""
    return tuple(
        Access(effect, position, loops)
        for position, (effect, loops) in enumerate(_walk(parallel.body, ()))
        if isinstance(effect, Load | Store)
    )


def serial_loops(parallel: Parallel) -> tuple[Serial, ...]:
    """Every serial loop of a region, outer ones first."""
    return tuple(effect for effect, _ in _walk(parallel.body, ()) if isinstance(effect, Serial))


def _walk(
    body: tuple[Effect, ...], loops: tuple[Serial, ...]
) -> Iterator[tuple[Effect, tuple[Serial, ...]]]:
    for effect in body:
        yield effect, loops
        if isinstance(effect, Serial):
            yield from _walk(effect.body, (*loops, effect))
        elif isinstance(effect, Parallel):
            yield from _walk(effect.body, loops)


def trips(loop: Serial) -> int:
    """How often a loop with a static extent runs its body."""
    return -(-loop.axis.static // loop.step)


class Values:
    """The live values of a region: those that reach a store or a loop's yields.

    `consumers[v]` are the nodes that read v; `home(v)` are the serial loops v varies with.
    `always` are the values that every run computes; `apart` are those that fallbacks alone read.
    """

    def __init__(self, parallel: Parallel) -> None:
        self.parallel = parallel
        live = _live_roots(parallel)
        self.nodes: tuple[Node, ...] = tuple(reach(live))
        self.always = frozenset(at_once(live))
        self.apart = frozenset(self.nodes) - self.always
        self.consumers: dict[Node, dict[Node, None]] = {}
        self._homes: dict[Node, tuple[Serial, ...]] = {}
        self._index_homes: dict[Axis, tuple[Serial, ...]] = {}
        for effect, loops in _walk(parallel.body, ()):
            if isinstance(effect, Serial):
                inside = (*loops, effect)
                self._index_homes[effect.axis] = inside
                self._homes.update(dict.fromkeys(effect.params, inside))
                self._homes[effect] = loops
            elif isinstance(effect, Load):
                self._homes[effect] = loops
        readers = [*self.nodes, *(e for e, _ in _walk(parallel.body, ()) if _reads(e))]
        for reader in dict.fromkeys(readers):
            read = roots(reader) if isinstance(reader, Effect) else reader.operands()
            for operand in read:
                self.consumers.setdefault(operand, {})[reader] = None
        for node in self.nodes:
            if node not in self._homes:
                self._homes[node] = self._home(node)

    def home(self, value: Node) -> tuple[Serial, ...]:
        """The serial loops around the first place where `value` can be computed, outer first."""
        if value not in self._homes:
            for node in reach([value]):
                self._homes.setdefault(node, self._home(node))
        return self._homes[value]

    def _home(self, node: Node) -> tuple[Serial, ...]:
        if isinstance(node, LoopIndex):
            return self._index_homes.get(node.axis, ())
        if isinstance(node, Result) and isinstance(node.of, Serial):
            return self._homes[node.of]
        below = (self._homes.get(operand, ()) for operand in node.operands())
        return max(below, key=len, default=())


def _reads(effect: Effect) -> bool:
    return isinstance(effect, Store | Serial)


def _live_roots(parallel: Parallel) -> list[Node]:
    """What stores and loops read; a load that nothing consumes is dead."""
    return [
        root for effect, _ in _walk(parallel.body, ()) if _reads(effect) for root in roots(effect)
    ]


def depends_on_memory(value: Tile) -> bool:
    """Whether a value is read from memory or carried, so that no range of it is known."""
    return any(isinstance(node, Load | Carried) for node in reach([value]))


def coordinates(value: Tile) -> Iterator[LoopIndex | Iota]:
    """The coordinates a value is computed from."""
    return (node for node in reach([value]) if isinstance(node, LoopIndex | Iota))


def is_own(access: Load | Store, over: frozenset[Axis]) -> bool:
    """Whether programs touch elements of their own: a coordinate of the launch, `over`, says where.

    A weight that all programs read is nobody's own.
    """
    found = (node for node in reach(access.indices) if isinstance(node, LoopIndex))
    return any(at.axis in over for at in found)
