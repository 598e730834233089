"""Which expressions of a jitted function are computed by one launch, in which order.

In: results as graphs, and where each array of the call lies.  Out: launches, and the memory that
they hand results on in.  Decides what is fused: element-wise work with the reductions whose results
it repeats along the reduced axes, as a softmax does; several results over the same rows.  A value
that would have to be computed again for other rows gets memory of its own instead.  Leaves planning
of each launch to the planner, like that of any kernel.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Final

from certile import settings
from certile.frontend.spec import MathMode
from certile.jitting.cuts import cut
from certile.jitting.emission import (
    Emission,
    Place,
    Target,
    operand_places,
    seen_through,
    whole_places,
)
from certile.jitting.graph import (
    Apply,
    Convert,
    Kept,
    Node,
    Number,
    Reduce,
    Scan,
    Source,
    Update,
    View,
    inner,
    reachable,
)
from certile.ops.call import Result
from certile.ops.launch import Launch
from certile.ops.layout import contiguous_strides
from certile.records import record
from certile.runtime.arrays import ArrayInfo

__all__ = ["Schedule", "Scheduler"]

# Rows this few leave cores idle when there is this much to do: a launch of its own is better.
_WORTH_A_LAUNCH: Final = 1 << 17

# A launch of this much takes no further result: each of its arrays is checked against every other,
# and what results share is made again only once in so many.
_MOST_RESULTS: Final = 32
_MOST_STEPS: Final = 1024


@record
class Schedule:
    """Launches in order, and the memory that they need beside the call's arrays."""

    launches: tuple[Launch, ...]
    scratch: tuple[Result, ...]


@record
class _Job:
    """A node on its way into memory; `rows` are the axes that count instances, None for all."""

    node: Node
    target: Target
    rows: frozenset[int] | None


class Scheduler:
    """Launches so far, and which nodes lie in memory already.

    `numbers` are the positions of the call's Python floats, by argument and dtype.
    """

    def __init__(
        self,
        arrays: Sequence[ArrayInfo],
        numbers: Mapping[tuple[int, str], int],
        math: MathMode | None,
    ) -> None:
        self.launches: list[Launch] = []
        self.scratch: list[Result] = []
        self._arrays = arrays
        self._numbers = numbers
        self._math = math
        self._held: dict[Node, int] = {}

    def run(
        self,
        results: Sequence[tuple[Node, int]],
        writes: Sequence[tuple[Node, int]],
        *,
        shared: bool,
    ) -> Schedule:
        """Return what computes `results` and then writes to arguments.

        Both are pairs of a node and the position of the array that it goes to.  `shared` says that
        an argument that is written shares memory with another.  Nothing is written to an argument
        before everything that reads arguments is done.
        """
        asked = (*results, *writes)
        nodes = cut([node for node, _ in asked])
        pairs = [(node, at) for node, (_, at) in zip(nodes, asked, strict=True)]
        wanted, written = (
            [(node, at) for node, at in part if 0 not in node.shape]
            for part in (pairs[: len(results)], pairs[len(results) :])
        )
        # What lies in memory first, so that no chain of it is walked in one go.
        for level in _levels([node for node, _ in (*wanted, *written)]):
            self._hold(level)
        self.compute([(node, self.whole(position)) for node, position in wanted])
        self._write(written, shared)
        return Schedule(tuple(self.launches), tuple(self.scratch))

    # ---- what emission asks

    def strides(self, position: int) -> tuple[int, ...]:
        """Return the strides of an array of the call, or of scratch."""
        known = len(self._arrays)
        if position < known:
            return self._arrays[position].strides
        return contiguous_strides(self.scratch[position - known].shape)

    def number(self, node: Number) -> int:
        """Return where a Python float of the call lies."""
        return self._numbers[node.argument, node.dtype.name]

    def buffer(self, node: Node) -> int:
        """Return where a node lies; it is computed there if it lies nowhere yet."""
        if isinstance(node, Source):
            return node.position
        held = self._held.get(node)
        if held is None:
            held = self._place(node)
            if isinstance(node, Update):
                self._update(node, held)
            else:
                inside = node.operand if isinstance(node, Kept) else node
                self.compute([(inside, self.whole(held))])
        return held

    def _place(self, node: Node) -> int:
        """Give a node memory of its own, and return its position."""
        held = self._held[node] = len(self._arrays) + len(self.scratch)
        self.scratch.append(Result(node.shape, node.dtype.name))
        return held

    def _hold(self, level: Sequence[Kept | Update]) -> None:
        """Compute what lies in memory and is made of nothing else here; launches are shared."""
        for node in level:
            if isinstance(node, Update):
                self.buffer(node)
        kept = [node for node in level if isinstance(node, Kept)]
        self.compute([(node.operand, self.whole(self._place(node))) for node in kept])

    # ---- launches

    def whole(self, position: int) -> Target:
        """Return an array as the target of a result."""
        return Target(position, 0, self.strides(position))

    def compute(self, roots: Sequence[tuple[Node, Target]]) -> None:
        """Add the launches that compute nodes; those over the same rows share one."""
        groups: dict[tuple[object, ...], list[_Job]] = {}
        for node, target in roots:
            rows = self._rows(node)
            key: tuple[object, ...] = ("elements", node.shape)
            if rows is not None:
                key = ("rows", *(node.shape[axis] for axis in sorted(rows)))
            groups.setdefault(key, []).append(_Job(node, target, rows))
        for jobs in groups.values():
            emission = Emission(self, self._math)
            for job in jobs:
                if emission.stores >= _MOST_RESULTS or emission.size >= _MOST_STEPS:
                    self.launches.extend(emission.launches())
                    emission = Emission(self, self._math)
                emission.add(job.node, job.target, job.rows)
            self.launches.extend(emission.launches())

    def _write(self, writes: Sequence[tuple[Node, int]], shared: bool) -> None:
        """Write to arguments; nothing reads one as it was afterwards.

        A value goes through memory of its own, unless it is the only one and its launch reads of
        the argument's memory just the elements that it writes, each before it is written.
        """
        if len(writes) == 1 and not shared and not isinstance(writes[0][0], Source | Kept | Update):
            ((node, position),) = writes
            emission = Emission(self, self._math)
            emission.add(node, self.whole(position), self._rows(node))
            if emission.reads_as_written(position):
                self.launches.extend(emission.launches())
                return
        copies = []
        for node, position in writes:
            held = Source(shape=node.shape, dtype=node.dtype, position=self.buffer(node))
            copies.append((held, self.whole(position)))
        for copy in copies:
            self.compute([copy])

    def _update(self, node: Update, held: int) -> None:
        self.compute([(node.base, self.whole(held))])
        strides = self.strides(held)
        window = node.window
        offset = sum(s * start for s, start in zip(strides, window.starts, strict=True))
        steps = tuple(0 if dim is None else strides[dim] * window.steps[dim] for dim in window.dims)
        if 0 not in window.shape:
            self.compute([(node.value, Target(held, offset, steps))])

    def _rows(self, node: Node) -> frozenset[int] | None:
        """Return the axes whose places count instances; None where all elements are alike."""
        axes = frozenset(dim for dim, n in enumerate(node.shape) if n > 1)
        if isinstance(node, Scan):
            return axes - {node.axis}
        if isinstance(node, Reduce):
            return axes
        found = _kept_axes(node)
        total = prod(node.shape)
        threads = settings.current().threads
        for rows, _ in found.most_common():
            count = prod(node.shape[axis] for axis in rows)
            if rows < axes and (count >= threads or total < _WORTH_A_LAUNCH):
                return rows
        return axes if axes in found else None


def _levels(roots: Sequence[Node]) -> list[list[Kept | Update]]:
    """Return what lies in memory below some nodes: each level is made of those before it."""
    found: list[list[Kept | Update]] = []
    below: dict[Node, int] = {}
    for node in sorted(reachable(roots), key=lambda node: node.order):
        level = max((below[each] for each in inner(node)), default=0)
        if isinstance(node, Kept | Update) and 0 not in node.shape:
            if level == len(found):
                found.append([])
            found[level].append(node)
            level += 1
        below[node] = level
    return found


def _kept_axes(root: Node) -> Counter[frozenset[int]]:
    """Count the reductions and running results in an expression by the axes that they keep."""
    found: Counter[frozenset[int]] = Counter()
    waiting: list[tuple[Node, tuple[Place, ...]]] = [(root, whole_places(root.shape))]
    seen = set(waiting)
    while waiting:
        node, places = waiting.pop()
        within: list[tuple[Node, tuple[Place, ...]]] = []
        match node:
            case Apply():
                within = [(each, operand_places(each, places)) for each in node.operands]
            case Convert():
                within = [(node.operand, places)]
            case View():
                within = [(node.base, seen_through(node.window, places))]
            case Reduce():
                found[frozenset(p.axis for p in places if p.axis is not None)] += 1
            case Scan():
                rest = [p.axis for dim, p in enumerate(places) if dim != node.axis]
                found[frozenset(axis for axis in rest if axis is not None)] += 1
            case _:
                pass
        for each in within:
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return found
