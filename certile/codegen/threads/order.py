"""Where threads of a subgroup need a barrier between a load and a store.

In: the accesses of a kernel as an emitter meets them.  Out: calls of `barrier`, each before an
access that must wait.  Memory of a subgroup is ordered as its operations stand; its threads are
not, so between a load and a store of one array that a kernel both loads and stores stands a
barrier.  Leaves the barrier's spelling, and what else it orders, to the target.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from certile.ir.machine import (
    Block,
    Buffer,
    Load,
    MachineKernel,
    SharedArray,
    SharedLoad,
    SharedStore,
    Store,
    operations,
)

__all__ = ["Memory", "MemoryOrder"]

Memory = Buffer | SharedArray


class MemoryOrder:
    """What was loaded and stored since the last barrier, of the memory in which threads meet."""

    def __init__(self, kernel: MachineKernel, barrier: Callable[[Memory], None]) -> None:
        loaded, stored = _touched(kernel.body)
        # Only what a kernel both loads and stores: nowhere else can its threads meet.
        self.exchanged = frozenset(loaded & stored)
        self._barrier = barrier
        self._loaded: set[Memory] = set()
        self._stored: set[Memory] = set()

    def before_load(self, memory: Memory) -> None:
        """Order a load behind the stores of other lanes."""
        if memory in self.exchanged:
            if memory in self._stored:
                self._barrier(memory)
            self._loaded.add(memory)

    def before_store(self, memory: Memory) -> None:
        """Order a store behind the loads of other lanes."""
        if memory in self.exchanged:
            if memory in self._loaded:
                self._barrier(memory)
            self._stored.add(memory)

    def ordered(self, memories: Iterable[Memory] | None = None) -> None:
        """Note that a barrier has ordered `memories`, or all."""
        done = self.exchanged if memories is None else frozenset(memories)
        self._loaded -= done
        self._stored -= done

    @contextmanager
    def unordered(self, *blocks: Block) -> Iterator[None]:
        """Around a region: afterwards, what was unordered before it and what it touched.

        A barrier inside orders nothing for those who pass the region by.
        """
        loaded, stored = _touched(*blocks)
        loaded, stored = loaded & self.exchanged, stored & self.exchanged
        before = set(self._loaded) | loaded, set(self._stored) | stored
        yield
        self._loaded, self._stored = before

    def again(self, block: Block) -> None:
        """At the start of a loop's body: an earlier round may have touched its memory."""
        loaded, stored = _touched(block)
        self._loaded |= loaded & self.exchanged
        self._stored |= stored & self.exchanged


def _touched(*blocks: Block) -> tuple[set[Memory], set[Memory]]:
    """The memory that blocks load, and the memory they store."""
    loaded: set[Memory] = set()
    stored: set[Memory] = set()
    for operation in (op for block in blocks for op in operations(block)):
        match operation:
            case Load():
                loaded.add(operation.buffer)
            case Store():
                stored.add(operation.buffer)
            case SharedLoad():
                loaded.add(operation.array)
            case SharedStore():
                stored.add(operation.array)
            case _:
                pass
    return loaded, stored
