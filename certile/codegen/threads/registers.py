"""Which private arrays are registers of a thread.

In: a kernel and what is known of its integers.  Out: the arrays whose slots all become numbers when
loops of known bounds are unrolled.  Decides from the slots alone; registers have no run-time index,
so any other array lies in memory, and unrolling for its sake would only make text.
"""

from certile.ir.machine import (
    ArrayLoad,
    ArrayStore,
    Block,
    For,
    MachineKernel,
    PrivateArray,
    operations,
)
from certile.ir.machine.fold import Facts

__all__ = ["arrays_in_registers", "has_known_bounds", "indexed_arrays"]

# A longer array lies in memory whatever its index.
_REGISTER_SLOTS = 128


def arrays_in_registers(kernel: MachineKernel, facts: Facts) -> frozenset[PrivateArray]:
    """The short arrays that no loop of unknown bounds indexes."""
    inside = [
        operation.body
        for operation in operations(kernel.body)
        if isinstance(operation, For) and not has_known_bounds(operation, facts)
    ]
    in_memory = {array for body in inside for array in indexed_arrays(body, facts)}
    short = (array for array in kernel.arrays if array.slots <= _REGISTER_SLOTS)
    return frozenset(array for array in short if array not in in_memory)


def has_known_bounds(loop: For, facts: Facts) -> bool:
    """Whether a loop can be unrolled."""
    return all(facts.integer(value) is not None for value in (loop.start, loop.stop, loop.step))


def indexed_arrays(body: Block, facts: Facts) -> set[PrivateArray]:
    """The arrays that a block reads or writes at slots that are no constants."""
    return {
        operation.array
        for operation in operations(body)
        if isinstance(operation, ArrayLoad | ArrayStore) and facts.integer(operation.slot) is None
    }
