"""Scans of the reference map: one lane walks its program's row and keeps every result.

In: the scans of a launch, and how the map allocates, loops and finds its place.  Out: the results
at the element in scope.  A scan is made where it is first wanted, before the loop that reads it if
there is one, element by element in the order of its axis; its results are kept in private arrays
for as long as the scope is open in which they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from certile.ir.dtypes import DType
from certile.ir.machine import PrivateArray, Value
from certile.ir.node import Node
from certile.ir.tile import Scan, Serial, Tile
from certile.ir.types import Axis
from certile.lower.coordinates import Coordinate
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.reference.folds import Folds
from certile.lower.state import State, StateMachine
from certile.records import record


@record(slots=False)
class Place:
    """What the map decides for its scans.

    `each(axes, action)` runs the action for every element of the axes, `slot(axes)` is the place of
    the element in scope in an array over them, `read(array, axes)` the value there, and
    `hoist(nodes, axes)` evaluates what the nodes read that does not depend on the axes.
    """

    allocate: Callable[[DType, int], PrivateArray]
    each: Callable[[tuple[Axis, ...], Callable[[], None]], None]
    slot: Callable[[tuple[Axis, ...]], Value]
    read: Callable[[PrivateArray, tuple[Axis, ...]], Value]
    hoist: Callable[[Sequence[Tile], tuple[Axis, ...]], None]


@dataclass
class SerialScans:
    """The scans that are kept, and in which scope each was made."""

    evaluator: Evaluator
    place: Place
    arrays: dict[Scan, list[PrivateArray]] = field(default_factory=dict)
    scopes: dict[Scan, Scope] = field(default_factory=dict)

    def prepare(self, nodes: Iterable[Node]) -> None:
        """Make the scans that the nodes read, before a loop that reads element by element."""
        for scan in _scans_below(nodes):
            if not self._is_made(scan):
                self._make(scan)

    def value(self, scan: Scan, index: int) -> Value:
        """A result at the element in scope."""
        if not self._is_made(scan):
            self._make(scan)
        return self.place.read(self.arrays[scan][index], scan.axes)

    def _is_made(self, scan: Scan) -> bool:
        return scan in self.scopes and self.evaluator.is_open(self.scopes[scan])

    def _make(self, scan: Scan) -> None:
        if scan not in self.arrays:
            count = prod(axis.static for axis in scan.axes)
            types = scan.result_types()
            self.arrays[scan] = [self.place.allocate(type_.dtype, count) for type_ in types]
        self.place.hoist(scan.args, scan.axes)
        kept = tuple(axis for axis in scan.axes if axis != scan.over)
        self.place.each(kept, lambda: self._row(scan))
        self.scopes[scan] = self.evaluator.at

    def _row(self, scan: Scan) -> None:
        """Fold one row from its first element on, or from its last one back."""
        builder, count = self.evaluator.builder, scan.over.static
        machine = StateMachine(self.evaluator, scan.total)
        folds = Folds(self.evaluator, machine, self.place.allocate)
        self.place.hoist(scan.args, (scan.over,))

        def step(index: Value, before: State) -> State:
            at = builder.sub(count - 1, index) if scan.reverse else index
            leaf = folds.leaf(at)
            after = machine.merge(*((leaf, before) if scan.reverse else (before, leaf)))
            with self.evaluator.scope({scan.over: Coordinate(at)}):
                slot = self.place.slot(scan.axes)
            found = machine.finalize(after if scan.inclusive else before)
            for array, value in zip(self.arrays[scan], found, strict=True):
                builder.array_store(array, slot, value)
            return after

        builder.for_(0, count, 1, machine.identity(), step, varying=True)


def _scans_below(nodes: Iterable[Node]) -> Iterator[Scan]:
    """The scans that evaluating the nodes reads, each after those that it reads itself."""
    found: dict[Node, bool] = {}
    stack = [(node, False) for node in nodes]
    while stack:
        node, ready = stack.pop()
        if ready and isinstance(node, Scan):
            yield node
        # What a loop carried out of itself is known.
        if ready or node in found or isinstance(node, Serial):
            continue
        found[node] = True
        stack.append((node, True))
        stack.extend((below, False) for below in node.operands())
