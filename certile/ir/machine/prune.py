"""Drop what nothing reads: operations without effects whose results are dead.

In: a block.  Out: the block without them, in the same order.  Decides which operations have no
effect but their result.  Leaves stores, barriers and everything they need.
"""

from dataclasses import replace

from certile.ir.machine import (
    ArrayStore,
    Barrier,
    Block,
    For,
    If,
    Operation,
    SharedStore,
    Store,
    Value,
    operations,
)

__all__ = ["prune"]

_EFFECTS = (Store, SharedStore, ArrayStore, Barrier)


def prune(block: Block) -> Block:
    """The block without pure operations that no kept operation reads."""
    return _prune(block, set())


def _prune(block: Block, live: set[Value]) -> Block:
    """Walk backwards; `live` holds what later operations read, and receives what these read."""
    kept: list[Operation] = []
    for operation in reversed(block.operations):
        if not _needed(operation, live):
            continue
        if isinstance(operation, For):
            live.update(operation.yields)
            operation = replace(operation, body=_prune(operation.body, live))
        elif isinstance(operation, If):
            then, otherwise = (_prune(inner, live) for inner in operation.blocks())
            operation = replace(operation, then=then, otherwise=otherwise)
        live.update(operation.reads())
        kept.append(operation)
    return Block(tuple(reversed(kept)))


def _needed(operation: Operation, live: set[Value]) -> bool:
    if isinstance(operation, _EFFECTS) or any(value in live for value in operation.results_()):
        return True
    return any(isinstance(o, _EFFECTS) for inner in operation.blocks() for o in operations(inner))
