"""Which values are the same in every subgroup of a group.

In: a block.  Out: the values that may differ between subgroups.  Decides it by data flow from the
subgroup's number and from private arrays; a varying value counts as the same when each of its lanes
is.  Values read back from group memory at the same index are the same again: that is how a group
agrees.  Leaves races to the interpreter: this analysis takes memory to be ordered by barriers.
"""

from collections.abc import Iterator

from certile.ir.machine import (
    ArrayLoad,
    Block,
    For,
    Operation,
    Special,
    Value,
)

__all__ = ["subgroup_dependent"]


def subgroup_dependent(block: Block) -> frozenset[Value]:
    """The values of a block, nested ones included, that may differ between subgroups.

    Loops carry dependence backwards, so the walk is repeated until nothing is added.
    """
    differing: set[Value] = set()
    size = -1
    while size != len(differing):
        size = len(differing)
        for operation in _walk(block):
            if _differs(operation, differing):
                differing.update(operation.results_())
            if isinstance(operation, For):
                _carry(operation, differing)
    return frozenset(differing)


def _walk(block: Block) -> Iterator[Operation]:
    for operation in block.operations:
        for inner in operation.blocks():
            yield from _walk(inner)
        yield operation


def _differs(operation: Operation, differing: set[Value]) -> bool:
    if isinstance(operation, Special):
        return operation.kind == "subgroup"
    if isinstance(operation, ArrayLoad):
        return True
    if isinstance(operation, For):
        return False
    return any(value in differing for value in operation.reads())


def _carry(loop: For, differing: set[Value]) -> None:
    bounds_differ = any(value in differing for value in (loop.start, loop.stop, loop.step))
    if bounds_differ:
        differing.add(loop.index)
        differing.update(loop.results)
    carried = zip(loop.inits, loop.params, loop.yields, loop.results, strict=True)
    for init, param, result, after in carried:
        if init in differing or result in differing:
            differing.update((param, after))
