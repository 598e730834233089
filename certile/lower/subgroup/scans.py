"""Scans of the subgroup family: a tree within the lanes of a chunk, chunks one after another.

In: the scans of a loop over chunks of one element a lane, in the direction in which they run.  Out:
their results at each element, and the states that pass from chunk to chunk.  In a chunk each lane
meets the lanes 1, 2, 4, … below it (Kogge and Stone 1973: log2 L merges deep); one merge with the
state of the chunks before ends it.  Backwards the lanes are mirrored, so the lane that comes first
is always lane 0; the leaf that comes earlier stays on the left of every merge.
"""

from __future__ import annotations

from collections.abc import Sequence

from certile.ir.machine import Value
from certile.ir.tile import Scan
from certile.lower.evaluate import Evaluator
from certile.lower.reductions import leaf_or_identity
from certile.lower.state import State, StateMachine
from certile.lower.workers import Element
from certile.records import record

Carried = tuple[Value, ...]


@record(slots=False)
class Running:
    """The scans that share a loop; their states are the last values that it carries."""

    nodes: Sequence[Scan]
    machines: Sequence[StateMachine]
    carried_before: int

    @staticmethod
    def of(evaluator: Evaluator, nodes: Sequence[Scan], carried_before: int) -> Running:
        """The scans of a loop that carries `carried_before` values of others in front."""
        machines = [StateMachine(evaluator, node.total) for node in nodes]
        return Running(nodes, machines, carried_before)

    @property
    def backwards(self) -> bool:
        """Whether the loop runs from the last chunk to the first; scans that share it agree."""
        return any(node.reverse for node in self.nodes)

    @property
    def is_long(self) -> bool:
        """Whether the merges are terms of their own, too long to be written out many times."""
        return any(machine.law.builtin is None for machine in self.machines)

    def start(self) -> Carried:
        """The state of no elements, for every scan."""
        return tuple(value for machine in self.machines for value in machine.identity())

    def element(
        self, node: Scan, at: Element, values: tuple[Value, ...], carried: Carried
    ) -> tuple[State, Carried]:
        """The results at one element, and what the loop carries on."""
        number = self.nodes.index(node)
        place = self.carried_before + sum(len(m.dtypes) for m in self.machines[:number])
        chunk = _Chunk(self.machines[number], node.reverse)
        end = place + len(chunk.machine.dtypes)
        state, after = chunk.scan(at, values, carried[place:end], inclusive=node.inclusive)
        return chunk.machine.finalize(state), (*carried[:place], *after, *carried[end:])


@record(slots=False)
class _Chunk:
    """The scan of one chunk."""

    machine: StateMachine
    reverse: bool

    def scan(
        self, at: Element, values: tuple[Value, ...], before: State, *, inclusive: bool
    ) -> tuple[State, State]:
        """The state at each lane, and the one after the chunk; `before` is the same in all lanes.

        A lane without an element holds the identity: it is merged with, and nobody reads it.
        """
        builder, machine = self.machine.builder, self.machine
        last = builder.lanes - 1
        within = self._mirrored(leaf_or_identity(machine, at, values))
        distance = 1
        while distance <= last:
            merged = self._merge(self._moved(within, distance), within)
            has_other = builder.ge(builder.lane(), distance)
            within = builder.select_all(has_other, merged, within)
            distance *= 2
        full = self._merge(before, within)
        if machine.law.builtin is None:
            after = tuple(builder.read_lane(value, last) for value in full)
        else:
            # One cheap merge more; the next chunk waits for it alone and not for the lanes.
            whole = tuple(builder.read_lane(value, last) for value in within)
            after = self._merge(before, whole)
        if not inclusive and last:
            full = builder.select_all(builder.ge(builder.lane(), 1), self._moved(full, 1), before)
        elif not inclusive:
            full = before
        return self._mirrored(full), after

    def _merge(self, first: State, then: State) -> State:
        """What comes first on the way is the earlier one, or the later when going backwards."""
        return self.machine.merge(*((then, first) if self.reverse else (first, then)))

    def _moved(self, state: State, distance: int) -> State:
        return tuple(self.machine.builder.shuffle_up(value, distance) for value in state)

    def _mirrored(self, state: State) -> State:
        """Lane l as lane L - 1 - l when going backwards."""
        builder = self.machine.builder
        if not self.reverse:
            return state
        return tuple(builder.shuffle(value, builder.lanes - 1) for value in state)
