"""Uniform loops over kept axes, and what outlives the place where it is made.

In: the steps of a program in order, each with its whole element domain, and the layout.  Out: the
steps with the loops around them, and the stripes that workers keep.  Decides which neighbouring
steps share a loop: all that walk the same axis, since each reads what others made only at its own
coordinate.  A kept tile that is read in another loop than the one that makes it is reported, so
that it can be computed again there instead.  Leaves what may be kept to `sharing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from certile.analysis.layout import Layout, wide
from certile.analysis.loops import outlasting
from certile.analysis.sharing import Anchors, roots_of
from certile.ir.dtypes import DType
from certile.ir.node import Node
from certile.ir.rows import Step, Stripe
from certile.ir.tile import Carried, Fallback, Memory, Parallel, Reduce, Result, Serial, Store, Tile
from certile.ir.types import Axis
from certile.records import record

__all__ = [
    "advance",
    "escaping",
    "flat",
    "is_step_of_its_own",
    "nested",
    "step_reads",
    "step_roots",
    "stripes",
    "units",
    "words",
]


def step_roots(step: Step) -> tuple[Node, ...]:
    """What evaluating a step reads."""
    return roots_of(step.node) if step.value is None else (step.value,)


def step_reads(step: Step, anchors: Anchors) -> Collection[Node]:
    """The nodes that are evaluated for a step."""
    if isinstance(step.node, Serial):
        return anchors.reads(step.node, (*step.node.inits, *step.node.yields))
    return anchors.reads(None if step.kind == "assign" else step.node, step_roots(step))


def is_step_of_its_own(node: Node) -> bool:
    """Whether a node is a reduction, a fallback or a loop: a step has made it before it is read."""
    return isinstance(node, Fallback | Reduce | Serial)


def flat(steps: Iterable[Step]) -> Iterator[Step]:
    """Every step, those inside a loop after it."""
    for step in steps:
        yield step
        yield from flat(step.body)


def units(steps: Iterable[Step]) -> tuple[Axis, ...]:
    """The axes of extent one of all domains."""
    found = (axis for step in flat(steps) for axis in step.axes if axis.extent == 1)
    return tuple(dict.fromkeys(found))


# Loops.


@record(slots=False)
class _Placed:
    """A step of lane axes, and the axes whose loops are still to be put around it."""

    around: tuple[Axis, ...]
    step: Step


def nested(steps: tuple[Step, ...], layout: Layout) -> tuple[Step, ...]:
    """The steps inside the uniform loops that their domains need."""
    if layout.lanes is None:
        return steps
    wanted = Counter(axis for step in flat(steps) for axis in _place(step, layout).around)
    rank = {axis: (-count, k) for k, (axis, count) in enumerate(wanted.items())}

    def body(inside: tuple[Step, ...]) -> tuple[Step, ...]:
        placed = []
        for step in inside:
            at = _place(step, layout)
            order = tuple(sorted(at.around, key=rank.__getitem__))
            inner = replace(at.step, body=body(step.body)) if step.body else at.step
            placed.append(_Placed(order, inner))
        return _grouped(placed)

    return body(steps)


def _place(step: Step, layout: Layout) -> _Placed:
    lanes, outside = layout.of(step.axes), layout.outside(step.axes)
    if not isinstance(step.node, Reduce):
        return _Placed(outside, replace(step, axes=lanes))
    reduction = step.node
    around = tuple(axis for axis in outside if axis not in reduction.over)
    if layout.way(reduction) == "together":
        inner = tuple(axis for axis in wide(reduction.over) if axis not in lanes)
        return _Placed(around, replace(step, axes=lanes, inner=inner))
    inner = wide(reduction.over)
    return _Placed(around, replace(step, kind="fold", axes=lanes, inner=inner))


def _grouped(placed: Sequence[_Placed]) -> tuple[Step, ...]:
    """Neighbours that walk one axis share its loop."""
    made: list[Step] = []
    at = 0
    while at < len(placed):
        if not placed[at].around:
            made.append(placed[at].step)
            at += 1
            continue
        axis, end = placed[at].around[0], at
        while end < len(placed) and placed[end].around[:1] == (axis,):
            end += 1
        inside = [_Placed(one.around[1:], one.step) for one in placed[at:end]]
        loop = Parallel(over=(axis,), body=(), loc=placed[at].step.node.loc)
        made.append(Step("nest", loop, (), _grouped(inside)))
        at = end
    return tuple(made)


# What loops carry.


def advance(loop: Serial, anchors: Anchors) -> list[Step]:
    """The steps that give each carried tile of a loop its next elements.

    A tile is overwritten in place once no other next value reads it.  Where each waits for another
    one, the elements wait in a stripe of their own.
    """
    waiting = {p: after for p, after in zip(loop.params, loop.yields, strict=True) if p.axes}
    read = {p: frozenset(anchors.reads(None, (after,))) for p, after in waiting.items()}
    made: list[Step] = []
    late: list[Step] = []
    while waiting:
        free = [p for p in waiting if not any(p in read[q] for q in waiting if q is not p)]
        param = free[0] if free else next(iter(waiting))
        after = waiting.pop(param)
        target = param
        if not free:
            target = param.with_(uid=-1 - param.uid)
            late.append(Step("assign", param, param.axes, value=target))
        if after is not param:
            made.append(Step("assign", target, param.axes, value=after))
    return [*made, *late]


# What outlives its loop.


@dataclass
class _Lives:
    """Where values are made, as the loops around, and which are read outside of them."""

    anchors: Anchors
    made: dict[Node, tuple[int, ...]] = field(default_factory=dict)
    escaping: dict[Node, None] = field(default_factory=dict)

    def walk(self, steps: Iterable[Step], around: tuple[int, ...]) -> None:
        for step in steps:
            node = step.node
            if not isinstance(node, Serial | Parallel):
                self._read(step, around)
            if isinstance(node, Reduce) or step.kind == "materialize":
                self.made[node] = around
            inside = (*around, id(step)) if step.kind == "nest" else around
            self.walk(step.body, inside)

    def _read(self, step: Step, around: tuple[int, ...]) -> None:
        for node in step_reads(step, self.anchors):
            place = self.made.get(node, ())
            if node is not step.node and place != around[: len(place)]:
                self.escaping[node] = None


def escaping(steps: tuple[Step, ...], anchors: Anchors) -> tuple[Node, ...]:
    """The kept tiles and reductions that are read outside the loops that make them."""
    lives = _Lives(anchors)
    lives.walk(steps, ())
    return tuple(lives.escaping)


def stripes(
    steps: tuple[Step, ...], layout: Layout, escaped: Collection[Node], anchors: Anchors
) -> tuple[Stripe, ...]:
    """What each worker keeps, in the order in which steps first write it."""
    read = outlasting(steps, lambda step: step_reads(step, anchors))
    found: dict[Tile | Memory, Stripe] = {}
    for step in flat(steps):
        for key in _kept_by(step, escaped, read):
            if key in found:
                continue
            outlives = isinstance(key, Memory | Carried | Result) or key in escaped
            outer = layout.outside(key.axes) if outlives else ()
            found[key] = Stripe(key, _dtypes(key), outer, _lane_axes(key, step, layout))
    return tuple(found.values())


def words(kept: Sequence[Stripe]) -> int:
    """The 4-byte words that one of 32 workers keeps in stripes."""
    return sum(
        -(-stripe.elements // 32) * stripe.copies * max(1, dtype.size // 4)
        for stripe in kept
        for dtype in stripe.dtypes
    )


def _kept_by(
    step: Step, escaped: Collection[Node], read: Collection[Node]
) -> Iterator[Tile | Memory]:
    match step.node:
        case Store(buffer=Memory() as memory):
            yield memory
        case Reduce() as made if made in escaped or (step.kind == "fold" and step.axes):
            if made in escaped or made in read:
                yield made
        case Tile() as tile if step.kind in ("materialize", "assign"):
            yield tile


def _lane_axes(key: Tile | Memory, step: Step, layout: Layout) -> tuple[Axis, ...]:
    return step.axes if layout.lanes is None else layout.of(key.axes)


def _dtypes(key: Tile | Memory) -> tuple[DType, ...]:
    if isinstance(key, Reduce):
        return tuple(type_.dtype for type_ in key.result_types())
    return (key.dtype,)
