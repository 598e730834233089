"""The states of a strip: of its reductions and scans, one a program, in arrays of its worker.

In: the machine of a law, and how an array of the strip is made and its vectors are visited.  Out:
folds, started, merged and finished for all programs of the strip.  Decides that a state is one slot
a vector of each of its arrays.  Leaves which rows are folded, and when, to `lowering`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from certile.ir.dtypes import DType
from certile.ir.machine import PrivateArray
from certile.ir.machine.build import Builder
from certile.ir.tile import Reduce, Scan
from certile.lower.columns.strips import ProgramVector
from certile.lower.state import State, StateMachine
from certile.records import record

__all__ = ["Fold", "Folds", "StripStates"]


@record
class Fold:
    """What a sweep folds: its machine, and the arrays that hold one state a vector.

    With `backwards` the rows are walked from the last, so what comes first belongs on the right.
    """

    machine: StateMachine
    arrays: tuple[PrivateArray, ...]
    backwards: bool

    def merge(self, before: State, after: State) -> State:
        """Merge the state of rows walked before with that of rows walked after them."""
        return self.machine.merge(*((after, before) if self.backwards else (before, after)))


Folds = Mapping[Reduce | Scan, Fold]


class StripStates:
    """Folds of one strip; `each` runs an action in the scope of every vector of it."""

    def __init__(
        self,
        builder: Builder,
        allocate: Callable[[DType], PrivateArray],
        each: Callable[[Callable[[ProgramVector], None]], None],
    ) -> None:
        self._builder, self._allocate, self._each = builder, allocate, each

    def fold(self, machine: StateMachine, backwards: bool) -> Fold:
        """A fold with arrays of its own, not yet started."""
        return Fold(machine, tuple(map(self._allocate, machine.dtypes)), backwards)

    def start(self, folds: Folds) -> None:
        """Give every program the state of no rows."""

        def one(vector: ProgramVector) -> None:
            for fold in folds.values():
                self.write(fold, vector, fold.machine.identity())

        if folds:
            self._each(one)

    def merge(self, folds: Folds, parts: Folds) -> None:
        """Merge the states of a block of rows into those of the blocks before it."""

        def one(vector: ProgramVector) -> None:
            for node, fold in folds.items():
                before, block = self.read(fold, vector), self.read(parts[node], vector)
                self.write(fold, vector, fold.merge(before, block))

        self._each(one)

    def finish(self, fold: Fold, dtypes: Sequence[DType]) -> list[PrivateArray]:
        """The results of a fold, an array of each type: one element a program."""
        arrays = [self._allocate(dtype) for dtype in dtypes]

        def one(vector: ProgramVector) -> None:
            results = fold.machine.finish(self.read(fold, vector))
            for array, value in zip(arrays, results, strict=True):
                self._builder.array_store(array, vector.number, value)

        self._each(one)
        return arrays

    def read(self, fold: Fold, vector: ProgramVector) -> State:
        """The states of a vector of programs."""
        return tuple(self._builder.array_load(array, vector.number) for array in fold.arrays)

    def write(self, fold: Fold, vector: ProgramVector, state: State) -> None:
        """Replace the states of a vector of programs."""
        for array, value in zip(fold.arrays, state, strict=True):
            self._builder.array_store(array, vector.number, value)
