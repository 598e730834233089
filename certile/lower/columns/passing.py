"""What the launches of one plan pass on: values of programs, in memory of the kernel's program.

In: the states of a part of the rows, or the results of reductions and fallbacks.  Out: stores of
them, loads in the launches that follow, and the workspaces that these need.  Decides that a value
lies beside those of the neighbouring programs, and those of a part behind those of the part before.
Leaves who reads what to `lowering`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from certile.ir.dtypes import DType, i64
from certile.ir.host import HostValue
from certile.ir.machine import Address, PrivateArray, Value
from certile.ir.node import Node
from certile.ir.program import Workspace
from certile.ir.tile import Fallback, Reduce
from certile.lower.columns.states import Fold, Folds, StripStates
from certile.lower.columns.strips import ProgramVector
from certile.lower.interface import Interface
from certile.records import record

__all__ = ["Passed", "Passing"]

# A node, and one of its results; of the states of a reduction, the component.
_Key = tuple[Node, str, int]


@record
class _Place:
    """The memory of one value of each program, or of each program and part: `size` bytes."""

    name: str
    dtype: DType
    size: HostValue
    first_launch: int


@dataclass
class Passed:
    """What a plan's launches pass on; `name` is the plan's, `launch` numbers the one being made."""

    name: str
    launch: int = 0
    places: dict[_Key, _Place] = field(default_factory=dict)

    def workspaces(self) -> tuple[Workspace, ...]:
        """The memory that all launches need."""
        return tuple(
            Workspace(place.name, place.size, place.first_launch, self.launch)
            for place in self.places.values()
        )


class Passing:
    """The access of one launch to what is passed on.

    `allocate` makes an array of the strip, `each` runs an action on every vector of it.
    """

    def __init__(
        self,
        interface: Interface,
        passed: Passed,
        allocate: Callable[[DType], PrivateArray],
        each: Callable[[Callable[[ProgramVector], None]], None],
    ) -> None:
        self._interface, self._builder, self._passed = interface, interface.builder, passed
        self._allocate, self._each = allocate, each

    def give_states(
        self, node: Reduce, fold: Fold, states: StripStates, part: Value, parts: int
    ) -> None:
        """Leave the states of a part of the rows to the launch that joins them."""

        def one(vector: ProgramVector) -> None:
            for k, value in enumerate(states.read(fold, vector)):
                self._give((node, "state", k), vector, value, part, parts)

        self._each(one)

    def join(self, folds: Folds, states: StripStates, part: Value) -> None:
        """Merge the states of one part into those of the parts before it."""

        def one(vector: ProgramVector) -> None:
            for node, fold in folds.items():
                numbers = range(len(fold.arrays))
                own = tuple(self._take((node, "state", k), vector, part) for k in numbers)
                states.write(fold, vector, fold.merge(states.read(fold, vector), own))

        self._each(one)

    def give_results(self, node: Fallback | Reduce, arrays: Sequence[PrivateArray]) -> None:
        """Leave the results of a node to later launches."""
        builder = self._builder

        def one(vector: ProgramVector) -> None:
            for k, array in enumerate(arrays):
                value = builder.array_load(array, vector.number)
                self._give((node, "result", k), vector, value, builder.const(0, i64), 1)

        self._each(one)

    def results(self, node: Fallback | Reduce) -> list[PrivateArray]:
        """The results of a node as an earlier launch left them, an array each."""
        builder = self._builder
        arrays = [self._allocate(type_.dtype) for type_ in node.result_types()]

        def one(vector: ProgramVector) -> None:
            for k, array in enumerate(arrays):
                value = self._take((node, "result", k), vector, builder.const(0, i64))
                builder.array_store(array, vector.number, value)

        self._each(one)
        return arrays

    def _give(
        self, key: _Key, vector: ProgramVector, value: Value, part: Value, parts: int
    ) -> None:
        passed = self._passed
        name = f"{passed.name}_passed{len(passed.places)}"
        programs = self._interface.program_count
        size = HostValue("programs", factors=(programs, parts, value.dtype.size))
        place = passed.places.setdefault(key, _Place(name, value.dtype, size, passed.launch))
        buffer = self._interface.workspace(place.name, place.dtype, written=True)
        self._builder.store(buffer, self._address(vector, part), value, vector.mask)

    def _take(self, key: _Key, vector: ProgramVector, part: Value) -> Value:
        place, builder = self._passed.places[key], self._builder
        buffer = self._interface.workspace(place.name, place.dtype, written=False)
        fill = None if vector.mask is None else builder.const(0, place.dtype)
        return builder.load(buffer, self._address(vector, part), vector.mask, fill)

    def _address(self, vector: ProgramVector, part: Value) -> Address:
        builder = self._builder
        before = builder.mul(part, self._interface.programs())
        return builder.address(builder.add(before, vector.first), 1)
