"""Traversal and rebuilding of whole kernels.

In: a kernel.  Out: its nodes, who reads whom, or a kernel with axes, buffers or values replaced.
Decides how a change travels through regions: a load, a loop or a carried value whose parts change
becomes a new node, and everything that reads it follows.  Leaves to others what to replace, and
why that keeps the meaning.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from certile.ir.node import Node, operands_first, reach
from certile.ir.tile import (
    Buffer,
    Carried,
    Const,
    Effect,
    ExtentValue,
    Fallback,
    Kernel,
    LoopIndex,
    Memory,
    Parallel,
    Result,
    Serial,
    Tile,
    View,
    effects,
    roots,
)
from certile.ir.types import Axis, Dim, TileType

Shapes = Mapping[str, Sequence[int]]


def values(kernel: Kernel) -> Iterator[Node]:
    """Every node of a kernel once: effects in program order, each after the values it reads."""
    done: set[Node] = set()
    for step in effects(kernel.body):
        for root in roots(step):
            yield from operands_first(root, done)
        if step not in done:
            done.add(step)
            yield step


def evaluated(region: Parallel) -> Iterator[Node]:
    """Every value that a region reads once, each after the values it reads."""
    return reach(root for step in effects((region,)) for root in roots(step))


def at_once(roots: Iterable[Node]) -> Iterator[Node]:
    """What is evaluated whenever the roots are, operands first.

    That is all they read but what is reached through the `instead` of a fallback alone.
    """
    return reach(roots, _read_at_once)


def _read_at_once(at: Node) -> Iterable[Node]:
    return at.tried if isinstance(at, Fallback) else at.operands()


def uses(kernel: Kernel) -> dict[Node, tuple[Node, ...]]:
    """Who reads each node: the nodes and effects that list it, in program order, each once."""
    readers: dict[Node, dict[Node, None]] = {}
    for at in values(kernel):
        readers.setdefault(at, {})
        for below in roots(at) if isinstance(at, Effect) else at.operands():
            readers.setdefault(below, {})[at] = None
    return {at: tuple(found) for at, found in readers.items()}


def parallel_regions(kernel: Kernel) -> tuple[Parallel, ...]:
    """The top-level parallel regions, one a launch, in order."""
    return tuple(step for step in kernel.body if isinstance(step, Parallel))


def axes_of(at: Node) -> Iterator[Axis]:
    """Every axis a node names in its own fields, its type included."""
    for name in at.compared():
        yield from _axes_in(getattr(at, name))


def substitute(
    kernel: Kernel, replacements: Mapping[Node, Node], settled: Iterable[Node] = ()
) -> Kernel:
    """The kernel with values replaced wherever they are read.

    A replacement has the type of what it replaces and may read other values of the kernel; those
    are replaced as well.  A load leaves its body that is replaced by a value that is no load, or by
    one that has a place before it.
    Nothing is replaced below `settled`, which may read what is replaced elsewhere.
    Raises `ValueError` for a replacement that reads, however deep, what it replaces.
    """
    return _Rebuild(nodes=replacements, settled=settled).kernel(kernel)


def without_fallbacks(values: Sequence[Tile]) -> tuple[Tile, ...]:
    """Values of a kernel as they are in the one without its fallbacks.

    Each result of a fallback is what stands instead of it.
    """
    return _Rebuild(nodes=erasures(reach(values))).tiles(values)


def erasures(nodes: Iterable[Node]) -> dict[Node, Node]:
    """For each result of a fallback among the nodes, what stands instead of it."""
    return {
        at: at.of.instead[at.index]
        for at in nodes
        if isinstance(at, Result) and isinstance(at.of, Fallback)
    }


def replace_view(kernel: Kernel, old: View, new: View) -> Kernel:
    """The kernel with every access to `old` made to `new`, and `old` no longer a parameter.

    This is what a call with one and the same view for two parameters means.  Raises `ValueError`
    when dtypes or ranks differ.
    """
    if (old.dtype, old.rank) != (new.dtype, new.rank):
        raise ValueError(f"{old.name} and {new.name} differ in dtype or rank")

    def extent(axis: Axis) -> Axis:
        if isinstance(axis.extent, Dim) and axis.extent.view == old.name:
            return dataclasses.replace(axis, extent=Dim(new.name, axis.extent.dim))
        return axis

    nodes: dict[Node, Node] = {}
    for at in values(kernel):
        if (
            isinstance(at, ExtentValue)
            and isinstance(at.extent, Dim)
            and at.extent.view == old.name
        ):
            nodes[at] = at.with_(extent=Dim(new.name, at.extent.dim))
    rebuild = _Rebuild(extent, lambda buffer: new if buffer == old else buffer, nodes)
    made = rebuild.kernel(kernel)
    return dataclasses.replace(made, params=tuple(p for p in made.params if p != old))


def static_dims(kernel: Kernel) -> set[Dim]:
    """The run-time lengths a kernel needs as integers: all but extents of top-level loops alone."""
    found: set[Dim] = set()
    top = set(parallel_regions(kernel))
    for memory in kernel.memories:
        found.update(_dims(memory.axes))
    for at in values(kernel):
        if at not in top and not isinstance(at, LoopIndex):
            found.update(_dims(axes_of(at)))
    return found


def specialise(kernel: Kernel, shapes: Shapes) -> Kernel:
    """The kernel for arguments of these shapes, with every length it computes with an integer.

    Extents used by nothing but top-level `parallel` stay symbolic, so one kernel serves any number
    of programs.  `shapes` has one entry a view; raises `ValueError` for a wrong rank.
    """
    for view in kernel.views:
        if view.name not in shapes or len(shapes[view.name]) != view.rank:
            raise ValueError(f"{view.name} has rank {view.rank}, shape {shapes.get(view.name)}")
    known = {dim: int(shapes[dim.view][dim.dim]) for dim in static_dims(kernel)}

    def extent(axis: Axis) -> Axis:
        if isinstance(axis.extent, Dim) and axis.extent in known:
            return dataclasses.replace(axis, extent=known[axis.extent])
        return axis

    nodes: dict[Node, Node] = {}
    for at in values(kernel):
        if isinstance(at, ExtentValue):
            value = known.get(at.extent) if isinstance(at.extent, Dim) else at.extent
            if value is not None:
                nodes[at] = Const(value=value, type=at.type, loc=at.loc)
    return _Rebuild(extent, lambda buffer: buffer, nodes).kernel(kernel)


def extent_of(axis: Axis, shapes: Shapes) -> int:
    """The length of an axis for arguments of these shapes."""
    if isinstance(axis.extent, Dim):
        return int(shapes[axis.extent.view][axis.extent.dim])
    return axis.extent


def _axes_in(value: object) -> Iterator[Axis]:
    if isinstance(value, Axis):
        yield value
    elif isinstance(value, TileType | Memory):
        yield from value.axes
    elif isinstance(value, tuple) and value and isinstance(value[0], Axis):
        yield from value


def _dims(axes: Iterator[Axis] | tuple[Axis, ...]) -> Iterator[Dim]:
    return (axis.extent for axis in axes if isinstance(axis.extent, Dim))


class _Rebuild:
    """One walk that maps axes, buffers and nodes, keeping what does not change as it is."""

    def __init__(
        self,
        axis: Callable[[Axis], Axis] = lambda axis: axis,
        buffer: Callable[[Buffer], Buffer] = lambda buffer: buffer,
        nodes: Mapping[Node, Node] | None = None,
        settled: Iterable[Node] = (),
    ) -> None:
        self._axis = axis
        self._mapped_buffer = buffer
        self._nodes = nodes or {}
        self._made: dict[Node, Node] = {at: at for at in settled}
        self._open: set[Node] = set()
        self._placed: set[Effect] = set()

    def kernel(self, kernel: Kernel) -> Kernel:
        """Rebuild the memories and the body; parameters stay."""
        memories = tuple(self._memory(memory) for memory in kernel.memories)
        return dataclasses.replace(kernel, memories=memories, body=self._body(kernel.body))

    def tiles(self, values: Iterable[Tile]) -> tuple[Tile, ...]:
        """Rebuild some values."""
        return tuple(self._tile(value) for value in values)

    def _body(self, body: tuple[Effect, ...]) -> tuple[Effect, ...]:
        return tuple(step for step in map(self._effect, body) if self._has_a_place(step))

    def _has_a_place(self, made: Node) -> TypeGuard[Effect]:
        """Whether a rebuilt step stands here: an effect that stands nowhere before."""
        if not isinstance(made, Effect) or made in self._placed:
            return False
        self._placed.add(made)
        return True

    def _effect(self, step: Effect) -> Node:
        """The rebuilt effect, or the plain value that took a load's place."""
        if step in self._made:
            return self._made[step]
        if step in self._nodes:
            self._made[step] = self._value(step)
        elif isinstance(step, Parallel):
            self._made[step] = self._changed(step, body=self._body(step.body))
        elif isinstance(step, Serial):
            self._made[step] = self._serial(step)
        else:
            self._made[step] = self._one(step)
        return self._made[step]

    def _serial(self, loop: Serial) -> Node:
        inits = tuple(self._tile(init) for init in loop.inits)
        params = tuple(self._carried(param) for param in loop.params)
        body = self._body(loop.body)
        yields = tuple(self._tile(after) for after in loop.yields)
        return self._changed(loop, inits=inits, params=params, body=body, yields=yields)

    def _carried(self, param: Carried) -> Carried:
        made = self._changed(param)
        assert isinstance(made, Carried)
        self._made[param] = made
        return made

    def _tile(self, tile: Tile) -> Tile:
        made = self._value(tile)
        assert isinstance(made, Tile)
        return made

    def _value(self, root: Node) -> Node:
        """The new form of a value; iterative, since chains of values may be long."""
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            at, ready = stack.pop()
            if at in self._made:
                continue
            replacement = self._nodes.get(at)
            below = at.operands() if replacement is None else iter((replacement,))
            if ready:
                self._open.discard(at)
                self._made[at] = self._one(at) if replacement is None else self._made[replacement]
                continue
            if at in self._open:
                raise ValueError("a replacement reads the value that it replaces")
            self._open.add(at)
            stack.append((at, True))
            stack.extend((node, False) for node in below if node not in self._made)
        return self._made[root]

    def _one(self, at: Node) -> Node:
        """The new form of a node whose operands are rebuilt."""
        mapped = at.map_operands(self._value)
        return self._changed(mapped)

    def _changed(self, at: Node, **parts: object) -> Node:
        """The node with these fields and its mapped attributes; itself when all are the same."""
        for name in at.compared():
            if name not in parts and name not in at.operand_fields():
                parts[name] = self._attribute(getattr(at, name))
        changes = {name: new for name, new in parts.items() if not _same(new, getattr(at, name))}
        if not changes:
            return at
        made = at.with_(**changes)
        for loc in at.locations:
            made.add_location(loc)
        return made

    def _attribute(self, value: object) -> object:
        if isinstance(value, Axis):
            return self._axis(value)
        if isinstance(value, TileType):
            return TileType(value.dtype, tuple(self._axis(axis) for axis in value.axes))
        if isinstance(value, Memory):
            return self._mapped_buffer(self._memory(value))
        if isinstance(value, View):
            return self._mapped_buffer(value)
        if isinstance(value, tuple) and value and isinstance(value[0], Axis):
            return tuple(self._axis(axis) for axis in value)
        return value

    def _memory(self, memory: Memory) -> Memory:
        return dataclasses.replace(memory, axes=tuple(self._axis(axis) for axis in memory.axes))


def _same(new: object, old: object) -> bool:
    """Equality of field values: nodes by identity (their `==` is identity), data by value."""
    return type(new) is type(old) and new == old
