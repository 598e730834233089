"""One run of a jitted function on symbolic arrays: what it writes, and what it may not see.

In: arguments by kind.  Out: cells, each an array's memory as the function sees it, and errors with
the line of the function.  Decides that views share the memory of what they are views of, as in
NumPy, and notes when two arguments must not share memory.  Leaves the arrays' operators to
`certile.jitting.arrays`, and carrying them out to the functions that it is given.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any, Protocol

from certile.diagnostics import KernelError
from certile.frontend.captures import Captures
from certile.ir.dtypes import DType
from certile.jitting.graph import Node
from certile.jitting.windows import Shape
from certile.source import Loc

__all__ = ["Cell", "Functions", "Trace", "current", "fault", "tracing"]


class Functions(Protocol):
    """What carries out operators, methods and functions of NumPy's: `certile.jitting.functions`.

    A run brings it, since functions are made of arrays, which ask for it.
    """

    @property
    def METHODS(self) -> Mapping[str, Callable[..., Any]]:  # noqa: N802 - a constant of the module
        """The methods of arrays by name."""

    def operator(self, name: str, *values: object) -> Any:  # noqa: ANN401 - NotImplemented, too
        """Return what a function of the table gives."""

    def ufunc(
        self, name: str, method: str, inputs: Sequence[object], options: dict[str, Any]
    ) -> Any:  # noqa: ANN401 - an array
        """Carry out a function on single elements."""

    def function(
        self, called: Callable[..., Any], args: Sequence[object], options: dict[str, Any]
    ) -> Any:  # noqa: ANN401 - what it gives
        """Carry out another function."""

    def carry_out(
        self,
        shown: str,
        handler: Callable[..., Any],
        args: Sequence[object],
        options: Mapping[str, object],
    ) -> Any:  # noqa: ANN401 - what it gives
        """Call a method."""


class Trace:
    """One run: the parameters written to, in order, and pairs of them that must be apart."""

    def __init__(self, code: CodeType, framework: str, functions: Functions) -> None:
        self.code = code
        self.framework = framework
        self.functions = functions
        self.written: list[Cell] = []
        self.apart: set[tuple[int, int]] = set()
        # What jitted functions called by this one read from around themselves.
        self.captures: list[Captures] = []

    def read(self, cell: Cell) -> None:
        """Note that an argument is read: one written before must not be the same memory."""
        if cell.parameter is None:
            return
        for other in self.written:
            if other is not cell and other.parameter is not None:
                self.apart.add((other.parameter, cell.parameter))

    def write(self, cell: Cell) -> None:
        """Note that an argument is written to; two that are written must not share memory."""
        if cell.parameter is not None and cell not in self.written:
            self.read(cell)
            self.written.append(cell)


class Cell:
    """The memory of one array: its value so far, and which argument it is, if any."""

    __slots__ = ("dtype", "parameter", "shape", "trace", "value")

    def __init__(self, trace: Trace, value: Node, parameter: int | None = None) -> None:
        self.trace = trace
        self.value = value
        self.parameter = parameter
        self.shape: Shape = value.shape
        self.dtype: DType = value.dtype


class _Running(threading.local):
    trace: Trace | None = None


_running = _Running()


def current() -> Trace | None:
    """Return the run of this thread, or None outside one."""
    return _running.trace


@contextmanager
def tracing(trace: Trace) -> Iterator[None]:
    """Make a run this thread's own; there is none while another is there."""
    _running.trace = trace
    try:
        yield
    finally:
        _running.trace = None


def fault(code: str, message: str, *, hint: str | None = None) -> KernelError:
    """Return an error at the line of the jitted function that runs."""
    trace = _running.trace
    loc = Loc.of_user(None if trace is None else trace.code)
    return KernelError(code, message, loc=loc, hint=hint)
