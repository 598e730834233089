"""Drop what nothing reads: operations without effects, and stores to private arrays never loaded.

In: a block, which is all that is done with its private arrays.  Out: the block without them, in the
same order.  Decides which operations have no effect but their result.  Leaves other stores,
barriers and everything they need.
"""

from collections.abc import Set as AbstractSet
from dataclasses import replace

from certile.ir.machine import (
    ArrayLoad,
    ArrayStore,
    Ask,
    Barrier,
    Block,
    For,
    If,
    Operation,
    PrivateArray,
    SharedStore,
    Store,
    Value,
    operations,
)

__all__ = ["arrays_of", "prune"]

_EFFECTS = (Ask, Store, SharedStore, Barrier)


def prune(block: Block) -> Block:
    """The block without pure operations that no kept operation reads.

    A load that goes may have been the last of its array, whose stores then go as well.
    """
    loaded = _loaded(block)
    while True:
        block = _Pruning(loaded).block(block, set())
        remaining = _loaded(block)
        if remaining == loaded:
            return block
        loaded = remaining


def arrays_of(block: Block) -> set[PrivateArray]:
    """The private arrays that a block reads or writes."""
    return {o.array for o in operations(block) if isinstance(o, ArrayLoad | ArrayStore)}


def _loaded(block: Block) -> set[PrivateArray]:
    return {o.array for o in operations(block) if isinstance(o, ArrayLoad)}


class _Pruning:
    """One walk over a block whose loads are of the arrays `loaded`."""

    def __init__(self, loaded: AbstractSet[PrivateArray]) -> None:
        self._loaded = loaded

    def block(self, block: Block, live: set[Value]) -> Block:
        """Walk backwards; `live` holds what later operations read, and receives these' reads."""
        kept: list[Operation] = []
        for operation in reversed(block.operations):
            if not self._needed(operation, live):
                continue
            if isinstance(operation, For):
                live.update(operation.yields)
                operation = replace(operation, body=self.block(operation.body, live))
            elif isinstance(operation, If):
                then, otherwise = (self.block(inner, live) for inner in operation.blocks())
                operation = replace(operation, then=then, otherwise=otherwise)
            live.update(operation.reads())
            kept.append(operation)
        return Block(tuple(reversed(kept)))

    def _needed(self, operation: Operation, live: set[Value]) -> bool:
        if self._has_effect(operation) or any(value in live for value in operation.results_()):
            return True
        return any(self._has_effect(o) for inner in operation.blocks() for o in operations(inner))

    def _has_effect(self, operation: Operation) -> bool:
        if isinstance(operation, ArrayStore):
            return operation.array in self._loaded
        return isinstance(operation, _EFFECTS)
