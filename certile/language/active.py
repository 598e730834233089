"""The trace that is running on this thread, and how the language reaches it.

In: a call of a language function.  Out: the same call on the active trace.  Decides only which
trace that is, one a thread, and that there is none outside a kernel.  Leaves what a call means to
`certile.frontend.bind`, so that a kernel author's imports hold no compiler.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from certile.diagnostics import KernelError
from certile.source import Loc


class Trace(Protocol):
    """What the language needs of a trace: to be called by name."""

    def call(self, name: str, /, *args: object, **options: object) -> Any:  # noqa: ANN401 - what the function gives
        """Carry out the language function `name`."""


class _Active(threading.local):
    trace: Trace | None = None


_active = _Active()


def current() -> Trace | None:
    """Return the trace of this thread, or None outside a kernel."""
    return _active.trace


def call(name: str, /, *args: object, **options: object) -> Any:  # noqa: ANN401 - what the function gives
    """Pass a language call on to the active trace; its result has the type that the caller states.

    Raises `KernelError` K001 outside a kernel.
    """
    trace = _active.trace
    if trace is None:
        shown = args[0] if name == "elementwise" else name
        raise KernelError("K001", f"ct.{shown} has no meaning outside a kernel", loc=Loc.of_user())
    return trace.call(name, *args, **options)


@contextmanager
def activate(trace: Trace) -> Iterator[None]:
    """Make `trace` this thread's active one; whatever happens inside, it is not afterwards."""
    before = _active.trace
    _active.trace = trace
    try:
        yield
    finally:
        _active.trace = before
