"""PyTorch's OpenMP threads, as a team that the worker pool may work with.

In: the state of this process.  Out: a `Team`, if PyTorch's own threads can run our tasks.  Decides
whether they fit.  Leaves to the pool's code when to use them.

PyTorch's idle threads spin for milliseconds after each of its operations.  A second team shares the
cores with them meanwhile: kernels between two PyTorch operations ran at the speed of one thread on
two cores.  Handing the same tasks to the same library runs them on the threads that are there.

Only GNU OpenMP, the one of PyTorch's Linux wheels, is understood, and only the copy that PyTorch
itself uses.  Its threads do not survive a fork; the caller must not come here in a forked child.
"""

import ctypes
import functools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from certile.records import record

__all__ = ["Team", "find", "fits"]

_MEMBER: Final = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@record
class Team:
    """How to run a function on every thread of the team of the thread that found it.

    `run` is the address of `GOMP_parallel`.  `witness` is a file descriptor; the file begins with
    the letter r while the team's first helper is running.  Whoever asked for the team closes it.
    """

    run: int
    witness: int


def fits(threads: int) -> bool:
    """Say whether PyTorch is imported, with its own OpenMP library and this number of threads.

    With another number the library would end and start threads at every change of hands.
    """
    torch = sys.modules.get("torch")
    if torch is None or sys.platform != "linux":
        return False
    ask = getattr(torch, "get_num_threads", None)
    # Without the function PyTorch is still being imported.
    return ask is not None and ask() == threads and _library(str(torch.__file__)) is not None


def find(threads: int) -> Team | None:
    """Return PyTorch's team of the calling thread; None where its threads cannot be watched.

    Runs an empty region once to learn which threads belong to it.
    """
    library = _library(str(sys.modules["torch"].__file__))
    helpers = [] if library is None else _helpers(library, threads)
    if library is None or not helpers:
        return None
    try:
        witness = os.open(f"/proc/self/task/{helpers[0]}/syscall", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    run = ctypes.cast(library.GOMP_parallel, ctypes.c_void_p).value
    return None if run is None else Team(run, witness)


def _helpers(library: ctypes.CDLL, threads: int) -> list[int]:
    """Return the kernel's numbers of the team's threads, without the caller's."""
    own = ctypes.CDLL(None).gettid()
    members: list[int] = []
    gettid = ctypes.CDLL(None).gettid
    body = _MEMBER(lambda _: members.append(gettid()))
    library.GOMP_parallel(body, None, threads, 0)
    return [member for member in members if member != own]


@functools.cache
def _library(torch_file: str) -> ctypes.CDLL | None:
    package = Path(torch_file).parent
    for path in _mapped("libgomp"):
        # Another package's copy of the library would be one more team, not PyTorch's.
        if path.is_relative_to(package) or path.is_relative_to(f"{package}.libs"):
            return ctypes.CDLL(str(path), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    return None


def _mapped(stem: str) -> Iterator[Path]:
    """Yield this process's mapped files whose name starts with `stem`, maybe several times."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            path = Path("".join(line.rstrip("\n").split(maxsplit=5)[5:]))
            if path.name.startswith(stem):
                yield path
