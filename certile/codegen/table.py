"""From operation class to the function that prints it: one table a target.

In: functions, registered by the class they print.  Out: `emit`.  Decides that nothing is printed by
accident: an operation without an entry is a fault, and `missing` lets a test compare the table with
Machine IR.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from certile.diagnostics import InternalError
from certile.ir.machine import Operation, definitions

__all__ = ["Table"]

E = TypeVar("E")
O = TypeVar("O", bound=Operation)  # noqa: E741 - a type variable, read as "operation"


class Table(Generic[E]):
    """Emit functions of one target; `E` is the state they share."""

    def __init__(self, target: str) -> None:
        self.target = target
        self._functions: dict[type[Operation], Callable[[E, Operation], None]] = {}

    def on(self, kind: type[O]) -> Callable[[Callable[[E, O], None]], Callable[[E, O], None]]:
        """Register the decorated function for one operation class."""

        def register(function: Callable[[E, O], None]) -> Callable[[E, O], None]:
            if kind in self._functions:
                raise InternalError("M010", f"{self.target} emits {kind.__name__} twice")

            def call(emitter: E, operation: Operation) -> None:
                assert isinstance(operation, kind)
                function(emitter, operation)

            self._functions[kind] = call
            return function

        return register

    def emit(self, emitter: E, operation: Operation) -> None:
        """Print one operation."""
        function = self._functions.get(type(operation))
        if function is None:
            raise InternalError("M010", f"{self.target} does not emit {type(operation).__name__}")
        function(emitter, operation)

    def missing(self) -> frozenset[type[Operation]]:
        """The operation classes of Machine IR that have no entry."""
        # Not `__subclasses__`: a dataclass with slots leaves the class it was made from behind.
        defined = (kind for kind in vars(definitions).values() if isinstance(kind, type))
        kinds = {kind for kind in defined if issubclass(kind, Operation) and kind is not Operation}
        return frozenset(kinds - set(self._functions))
