"""The persistent worker pool of the CPU target.

In: a `LaunchBlock`, which names a kernel function, its arguments and how many program groups it
has.  Out: the groups, all run, when `launch` returns.  Decides which threads run them.  Leaves to
others how many groups a task holds (`grain` proposes) and what a kernel does.

The pool is machine code (`pool_ir`): its threads never touch Python, and a launch is one foreign
call of one pointer, which releases the interpreter lock.  Work that is one task, or asks for one
thread, runs on the caller without touching the pool, and so does a launch that finds the pool busy:
from another Python thread, or from inside a kernel.

After a fork the child has none of its parent's threads; it starts its own at its first launch.

Where PyTorch's thread team is awake the pool can work with it instead of fighting it for the cores:
`Pool.adopt_torch_team`, and `torch_team` for the reasons.
"""

import ctypes
import os
import platform
import sys
from collections.abc import Callable
from typing import Final

from certile import settings
from certile.runtime.cache import Cache, default_cache
from certile.runtime.cpu import engine, torch_team
from certile.runtime.cpu.pool_ir import MAX_WORKERS, module_text
from certile.runtime.cpu.pool_system_ir import Processor, System

__all__ = ["NO_SCRATCH", "LaunchBlock", "Pool", "grain", "pool"]

# What a `MemoryError` says where a launch finds no memory to work in.
NO_SCRATCH: Final = "no memory for the scratch of a kernel"
# Work is cut into this many tasks, and this many a thread where there are many threads: few enough
# to cost nothing, enough that a core taken away by somebody else delays little.
_LEAST_TASKS: Final = 32
_TASKS_A_THREAD: Final = 8


class LaunchBlock(ctypes.Structure):
    """What a launch reads, 56 bytes in native order; `launch` takes its address.

    `fn` is the kernel, `void (ptr args, i64 first, i64 last, ptr scratch)`, `args` its argument
    slots.  Program groups 0 to `count` - 1 are run, `grain` of them a task, by at most
    `threads` threads.  Thread i, from 0, gets `scratch` + i * `scratch_stride`; both are multiples
    of 64, and the block's owner must not launch it twice at once.  With `scratch` 0, each thread
    gets `scratch_stride` bytes of its own for the call, and the block may be launched concurrently.
    """

    _fields_ = (
        ("fn", ctypes.c_void_p),
        ("args", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("grain", ctypes.c_int64),
        ("scratch", ctypes.c_void_p),
        ("scratch_stride", ctypes.c_int64),
        ("threads", ctypes.c_int64),
    )


class Pool:
    """The loaded pool code and its entry points.

    `launch(address of a LaunchBlock)` runs it and returns 0, or 12 (ENOMEM) when there was no
    memory for scratch; then some groups have not run.  `launch_apart(address of a table)` runs the
    block of a table as `pool_apart_ir` describes it, and returns -1, with nothing run, where two of
    its arguments meet; `launch_chain(address of a chain)` does so for several, one after the other.
    The addresses are those of the same functions, for native callers.
    `threads` is the number of threads a launch should ask for.
    """

    def __init__(self, cache: Cache, threads: int, system: System | None = None) -> None:
        text = module_text(system or _system(), _processor())
        # Level 0 takes 2 ms where level 2 takes 20, which every first call on a machine would wait
        # for, and a launch of its code 0.01 us longer.
        loaded = engine.load_or_compile(text, cache, level=0)
        loaded.keep()
        self.threads = min(threads, MAX_WORKERS + 1)
        self.launch_address = loaded.address("launch")
        self.launch: Callable[[int], int] = _LAUNCH(self.launch_address)
        self.apart_address = loaded.address("launch_apart")
        self.launch_apart: Callable[[int], int] = _LAUNCH(self.apart_address)
        self.launch_chain: Callable[[int], int] = _LAUNCH(loaded.address("launch_chain"))
        self._reset: Callable[[], None] = _RESET(loaded.address("reset"))
        self._set_team: Callable[[int | None, int, int], None] = _SET_TEAM(
            loaded.address("set_team")
        )
        self._workers: Callable[[], int] = _WORKERS(loaded.address("workers"))
        self._forked = False
        self._team: torch_team.Team | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    @property
    def workers(self) -> int:
        """How many threads of its own the pool has started; the launcher is not one of them."""
        return self._workers()

    def adopt_torch_team(self) -> bool:
        """Let launches of this thread run on PyTorch's team while it is awake; say if they may.

        They may when PyTorch is imported, its GNU OpenMP library is mapped, this process is not
        the child of a fork, and PyTorch uses as many threads as this pool.  Otherwise the pool
        keeps to its own workers.  Never imports PyTorch.  Cheap to ask again, so ask whenever a
        kernel is prepared: PyTorch may have been imported or set to other threads meanwhile.
        """
        fits = not self._forked and self.threads > 1 and torch_team.fits(self.threads)
        if not fits:
            if self._team is not None:
                self._set_team(None, 0, -1)
                os.close(self._team.witness)
                self._team = None
        elif self._team is None:
            self._team = torch_team.find(self.threads)
            if self._team is not None:
                self._set_team(self._team.run, self.threads, self._team.witness)
        return self._team is not None

    def _after_fork(self) -> None:
        self._forked = True
        self._team = None
        self._reset()


_LAUNCH: Final = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
_RESET: Final = ctypes.CFUNCTYPE(None)
_SET_TEAM: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)
_WORKERS: Final = ctypes.CFUNCTYPE(ctypes.c_int64)

_pool: Pool | None = None


def pool() -> Pool:
    """Return the process's pool; its code is loaded, or compiled, by the first call."""
    global _pool
    if _pool is None:
        with engine.lock:
            if _pool is None:
                _pool = Pool(default_cache(), settings.current().threads)
    return _pool


def grain(count: int, threads: int) -> int:
    """Return how many of `count` program groups make a good task for `threads` threads."""
    tasks = max(_LEAST_TASKS, _TASKS_A_THREAD * threads)
    return max(1, -(-count // tasks))


def _system() -> System:
    # Through a variable: a comparison with sys.platform makes the other branches unreachable to
    # the type checker of one platform.
    name: str = sys.platform
    return "linux" if name == "linux" else "darwin" if name == "darwin" else "posix"


def _processor() -> Processor:
    match platform.machine().lower():
        case "x86_64" | "amd64":
            return "x86_64"
        case "arm64" | "aarch64":
            return "aarch64"
        case _:
            return "other"
