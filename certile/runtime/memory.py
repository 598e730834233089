"""Memory for results that the caller did not bring.

In: a shape and an element type.  Out: an uninitialised array of the caller's framework.  Decides
where its bytes come from.  Leaves to others which shape and type a result has.

Fresh pages are the cost of a large result: the kernel zeroes them, which takes longer than most
row kernels.  Below `POOLED_BYTES` the C library keeps freed memory by itself and the frameworks'
own `empty` is as fast as anything.  From there on it begins to give freed memory back to the
system, so results live in blocks of a pool: anonymous memory, aligned to 2 MB and marked for huge
pages.  A block returns when the last array that looks into it dies, never earlier, and is handed
out again for a result of nearly its size.  It comes back with its old contents, so a kernel must
write every element of its result.

NumPy's own arrays start 16 bytes after a page where they are large, and each store of a whole line
then touches two.  From `ALIGNED_BYTES` on results start at a line.
"""

import collections
import math
import mmap
import os
import sys
import threading
from typing import Any, Final, TypeAlias

import numpy as np

from certile import settings
from certile.runtime.buffers import address_of, from_buffer
from certile.runtime.torch_modes import modes

__all__ = [
    "ALIGNED_BYTES",
    "POOLED_BYTES",
    "BlockPool",
    "clear",
    "empty_numpy",
    "empty_torch",
    "pool",
]

# PyTorch is optional, so its names cannot be imported for their types.
Tensor: TypeAlias = Any
TorchDType: TypeAlias = Any

# From this size on a line that two stores share costs more than finding an aligned start.
ALIGNED_BYTES: Final = 1024 * 1024

# From this size on freed memory may go back to the system: a loop that keeps one result of 31 MB
# of `torch.empty` faulted 5,000 pages a round.  NumPy asks for huge pages from here on.
POOLED_BYTES: Final = 4 * 1024 * 1024

# A line of the caches, and the widest vector.
_LINE: Final = 64

# The size of a huge page on x86-64 and of the usual one on AArch64.
_ALIGNMENT: Final = 2 * 1024 * 1024

# A block serves a request if no more than this share of the block stays unused.
_MOST_WASTE: Final = 0.25


class _Mapping:
    """Anonymous memory with an aligned address; unmapped when collected."""

    __slots__ = ("_memory", "address", "size")

    def __init__(self, size: int) -> None:
        if sys.platform == "win32":
            self._memory = mmap.mmap(-1, size + _ALIGNMENT)
        else:
            # Private on purpose: the default is shared memory, which huge pages do not serve.
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
            try:
                self._memory = mmap.mmap(-1, size + _ALIGNMENT, flags=flags)
            except OSError as error:  # ENOMEM: what NumPy's own allocation says of it
                raise MemoryError(f"no memory for a result of {size} bytes") from error
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self._memory.madvise(mmap.MADV_HUGEPAGE)
        start = address_of(from_buffer(self._memory))
        self.address = -(-start // _ALIGNMENT) * _ALIGNMENT
        self.size = size


class _Lease:
    """Owns a mapping for as long as an array looks into it; arrays keep it as their base."""

    __slots__ = ("__array_interface__", "_home", "_mapping")

    def __init__(self, mapping: _Mapping, home: "BlockPool", size: int) -> None:
        self._mapping = mapping
        self._home = home
        self.__array_interface__ = {
            "version": 3,
            "data": (mapping.address, False),
            "shape": (size,),
            "typestr": "|u1",
        }

    def __del__(self) -> None:
        # Runs on any thread, in the middle of anything, the pool's own code included.
        self._home.give_back(self._mapping)


class BlockPool:
    """Freed blocks, at most `limit_bytes` of them, oldest dropped first.

    Safe to use from any thread.  Nobody ever waits: who finds the pool in use by another thread
    gets a fresh block, and a block that is given back then stays aside until the next request.
    """

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._lock = threading.Lock()
        self._returned: collections.deque[_Mapping] = collections.deque()
        self._free: list[_Mapping] = []

    def take(self, size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return `size` uninitialised bytes as a writable array, aligned to 2 MB."""
        rounded = -(-size // _ALIGNMENT) * _ALIGNMENT
        mapping = self._reuse(rounded) or _Mapping(rounded)
        return np.asarray(_Lease(mapping, self, size))

    def give_back(self, mapping: _Mapping) -> None:
        """Take a mapping that nobody looks into any more."""
        self._returned.append(mapping)
        self.trim()

    def resize(self, limit_bytes: int) -> None:
        """Change how many bytes of freed blocks are kept."""
        if limit_bytes != self._limit_bytes:
            self._limit_bytes = limit_bytes
            self.trim()

    def trim(self) -> None:
        """Unmap freed blocks beyond the limit."""
        if self._lock.acquire(blocking=False):
            try:
                self._settle()
            finally:
                self._lock.release()

    def clear(self) -> None:
        """Unmap every freed block; blocks in use are not touched."""
        limit = self._limit_bytes
        self._limit_bytes = 0
        self.trim()
        self._limit_bytes = limit

    def after_fork(self) -> None:
        """Forget who held the lock: a child of a fork has no thread that could release it."""
        self._lock = threading.Lock()

    @property
    def free_bytes(self) -> int:
        """Bytes of the blocks that are kept for reuse."""
        return sum(mapping.size for mapping in (*self._free, *self._returned))

    def _reuse(self, size: int) -> _Mapping | None:
        if not self._lock.acquire(blocking=False):
            return None
        try:
            self._settle()
            fitting = [m for m in self._free if size <= m.size <= size / (1 - _MOST_WASTE)]
            if not fitting:
                return None
            # Among equal sizes the one freed last: its pages are the likeliest to be in a cache.
            best = min(reversed(fitting), key=lambda mapping: mapping.size)
            self._free.remove(best)
            return best
        finally:
            self._lock.release()

    def _settle(self) -> None:
        """Move what came back to the free list and drop the oldest beyond the limit."""
        while self._returned:
            self._free.append(self._returned.popleft())
        kept = sum(mapping.size for mapping in self._free)
        while kept > self._limit_bytes:
            kept -= self._free.pop(0).size


_pool = BlockPool(0)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.after_fork)


# The text of the setting that the pool's limit was read from; at first none that could be set.
_limit_from: object = _pool


def pool() -> BlockPool:
    """Return the process's pool, with the limit of the current settings."""
    global _limit_from
    state = settings.pool_state()
    if state != _limit_from:
        _pool.resize(settings.current().pool_bytes)
        _limit_from = state
    return _pool


def clear() -> None:
    """Give the memory of freed large results back to the system."""
    _pool.clear()


def empty_numpy(shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return an uninitialised C-ordered array."""
    size = math.prod(shape) * dtype.itemsize
    if size < ALIGNED_BYTES:
        return np.empty(shape, dtype)
    if size >= POOLED_BYTES:
        return pool().take(size).view(dtype).reshape(shape)
    memory = np.empty(size + _LINE, np.uint8)
    start = -address_of(from_buffer(memory)) % _LINE
    return memory[start : start + size].view(dtype).reshape(shape)


def empty_torch(shape: tuple[int, ...], dtype: TorchDType) -> Tensor:
    """Return an uninitialised contiguous CPU tensor."""
    torch = sys.modules["torch"]
    size = math.prod(shape) * dtype.itemsize
    if size < POOLED_BYTES:
        # Said, since PyTorch has a default that may be another.
        return torch.empty(shape, dtype=dtype, device=modes.host)
    return torch.from_numpy(pool().take(size)).view(dtype).view(shape)
