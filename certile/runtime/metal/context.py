"""The Metal device of this process, and what is made once for it.

In: nothing, or a device to use instead.  Out: a `Context`.  Decides that the device is looked for
when the first launch needs it, and which sheet kernels are planned with.  Leaves which launcher a
call gets to `certile.runtime.metal.launcher`.
"""

from __future__ import annotations

import os
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from certile.diagnostics import UnsupportedError
from certile.runtime.metal import frameworks, pyobjc, toolchain
from certile.runtime.metal.batch import Batch
from certile.runtime.metal.errors import lacking
from certile.runtime.metal.pipelines import Pipelines
from certile.runtime.metal.protocol import Device
from certile.runtime.metal.sheet import sheet_of
from certile.runtime.metal.toolchain import Offline
from certile.targets import DEFAULTS, Sheet

__all__ = ["Context", "current", "planning_sheet", "use"]


class Context:
    """A device with its sheet, its queue and its pipelines."""

    def __init__(self, device: Device, offline: Offline | None = None) -> None:
        self.process = os.getpid()
        self.device = device
        self.offline = offline
        self.sheet = sheet_of(device.facts)
        self.pipelines = Pipelines(device, offline)
        queue = device.queue()
        if queue is None:
            raise lacking("command queue")
        self._queue = queue

    def batch(self) -> Batch:
        """Return a batch of its own."""
        return Batch(self.device, self._queue)


_current: Context | None = None
_lock = threading.Lock()


def _after_fork() -> None:
    """Forget who held the lock: a child of a fork has no thread that could release it."""
    global _lock
    _lock = threading.Lock()


with suppress(AttributeError):  # Windows has no fork
    os.register_at_fork(after_in_child=_after_fork)


def current() -> Context:
    """Return the process's context.

    Raises `UnsupportedError` U402 without PyObjC or without a device, U403 for a device that cannot
    run kernels, U404 in a child of a fork: Metal's queues and pipelines are the parent's.
    """
    global _current
    with _lock:
        if _current is None:
            if platform.system() != "Darwin":
                raise UnsupportedError("U402", "Metal devices are driven on macOS only")
            _current = Context(pyobjc.default_device(), toolchain.find())
        if _current.process != os.getpid():
            message = "this process was forked from one that uses a Metal device already"
            hint = "start processes by multiprocessing's method spawn"
            raise UnsupportedError("U404", message, hint=hint)
        return _current


@contextmanager
def use(device: Device, offline: Offline | None = None) -> Iterator[Context]:
    """Let this process launch on a device of the caller's, a `fake.FakeDevice` for one."""
    global _current
    before = _current
    _current = Context(device, offline)
    try:
        yield _current
    finally:
        _current = before


def planning_sheet() -> Sheet:
    """Return the sheet that a call on Metal is planned with.

    Where PyObjC is missing and MLX or PyTorch drives a device, it is the shipped one.  Raises as
    `current` does where nothing drives one.
    """
    try:
        return current().sheet
    except UnsupportedError:
        if frameworks.mlx_drives_metal() or frameworks.torch_drives_metal():
            return DEFAULTS["metal"]
        raise
