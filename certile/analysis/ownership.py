"""The ownership audit: every element kept by a worker is read and written by that worker alone.

A second look at a finished row program, before anything is emitted from it.  It recomputes, for
each access of a stripe or a memory, which element is meant, as a linear form over the evaluated
domain, and compares it with the element the worker owns there.  It shares no code with the analyses
that chose the stripes.  In: a `RowProgram`.  Out: None, or the first access that is not shown to be
the owner's.  Decides that a form it cannot compute is not shown, so a harmless permutation may be
refused too.  Leaves what to do instead to the planner.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from certile.diagnostics import Refusal
from certile.ir.node import Node
from certile.ir.rows import RowProgram, Step
from certile.ir.tile import (
    Broadcast,
    Cast,
    Const,
    Gather,
    Iota,
    Load,
    Map,
    Memory,
    Reduce,
    Relabel,
    Serial,
    Store,
    Tile,
)
from certile.ir.types import Axis
from certile.source import Loc


@dataclass(frozen=True)
class Form:
    """A constant and integer coefficients of domain axes."""

    constant: int
    of: Mapping[Axis, int]

    def __add__(self, other: Form) -> Form:
        axes = dict.fromkeys([*self.of, *other.of])
        total = {axis: self.of.get(axis, 0) + other.of.get(axis, 0) for axis in axes}
        return Form(self.constant + other.constant, {a: c for a, c in total.items() if c})

    def __mul__(self, factor: int) -> Form:
        return Form(self.constant * factor, {a: c * factor for a, c in self.of.items() if factor})


ZERO = Form(0, {})
Place = Mapping[Axis, Form | None]


def audit(program: RowProgram) -> Refusal | None:
    """None when every access is proved to be the owner's; else why not."""
    return _Audit(program).run()


def row_major(axes: tuple[Axis, ...], place: Place) -> Form | None:
    """The linear element number at `place`, or None where a coordinate is not known."""
    total, stride = ZERO, 1
    for axis in reversed(axes):
        if axis.static != 1:
            at = place.get(axis)
            if at is None:
                return None
            total = total + at * stride
        stride *= axis.static
    return total


class _Audit:
    """One walk over the steps in execution order."""

    def __init__(self, program: RowProgram) -> None:
        self._program = program
        self._stripes = frozenset(program.materialized)
        self._scalars = frozenset(
            step.node for step in _all(program.steps) if step.kind in ("load", "gather")
        )
        self._filled: set[Node] = set()

    def run(self) -> Refusal | None:
        fills = [step.node for step in _all(self._program.steps) if step.kind == "materialize"]
        if len(fills) != len(set(fills)) or set(fills) != self._stripes:
            return _refusal(
                "a stripe is allocated and filled once", "its steps do not", Loc.UNKNOWN
            )
        return self._body(self._program.steps)

    def _body(self, steps: tuple[Step, ...]) -> Refusal | None:
        for step in steps:
            refusal = self._step(step)
            if refusal is not None:
                return refusal
        return None

    def _step(self, step: Step) -> Refusal | None:
        node, own = step.node, _own(step)
        if step.kind == "materialize" and isinstance(node, Tile):
            if row_major(node.axes, own) != row_major(step.axes, own):
                return _refusal("a stripe is filled by its owner", f"{node.type}", node.loc)
            refusal = self._walk([node], step, own, entering=node)
            self._filled.add(node)
            return refusal
        if isinstance(node, Serial):
            return (
                self._walk(node.inits, step, {})
                or self._body(step.body)
                or self._walk(node.yields, step, {})
            )
        if isinstance(node, Store) and isinstance(node.buffer, Memory):
            refusal = self._memory(node, step, own)
            if refusal is not None:
                return refusal
        inside: list[Node] = [node] if step.kind in ("load", "gather") else [*node.operands()]
        return self._walk(inside, step, own, entering=node)

    def _walk(
        self,
        roots: list[Node] | tuple[Node, ...],
        step: Step,
        own: Place,
        entering: Node | None = None,
    ) -> Refusal | None:
        """Check everything evaluated for `roots`, following how coordinates are replaced."""
        owner = row_major(step.axes, own)
        stack: list[tuple[Node, Place]] = [(root, own) for root in roots]
        seen: set[tuple[Node, frozenset[tuple[Axis, str]]]] = set()
        while stack:
            node, place = stack.pop()
            key = (node, frozenset((axis, repr(form)) for axis, form in place.items()))
            if key in seen:
                continue
            seen.add(key)
            if node in self._stripes and node is not entering:
                refusal = self._stripe(node, place, owner)
                if refusal is not None:
                    return refusal
                continue
            if isinstance(node, Load) and isinstance(node.buffer, Memory):
                refusal = self._memory(node, step, place)
                if refusal is not None:
                    return refusal
            stack += self._below(node, place, entering)
        return None

    def _below(self, node: Node, place: Place, entering: Node | None) -> list[tuple[Node, Place]]:
        """What a node reads, and at which coordinates."""
        known = isinstance(node, Reduce | Serial) or node in self._scalars
        if known and node is not entering:
            return []
        match node:
            case Relabel(value=value, old=old, new=new):
                return [(value, {**place, old: place.get(new)})]
            case Gather(value=value, index=index, fill=fill, axis=axis):
                at = _form(index, place)
                return [(index, place), (fill, place), (value, {**place, axis: at})]
            case _:
                return [(operand, place) for operand in node.operands()]

    def _stripe(self, node: Node, place: Place, owner: Form | None) -> Refusal | None:
        assert isinstance(node, Tile)
        if node not in self._filled:
            return _refusal("a stripe is filled before it is read", "it is not", node.loc)
        at = row_major(node.axes, place)
        if at is None or at != owner:
            return _refusal(
                "every read of a kept tile is at the reader's own element",
                f"an element of {node.type} is read that is not shown to be the owner's",
                node.loc,
            )
        return None

    def _memory(self, access: Load | Store, step: Step, place: Place) -> Refusal | None:
        memory = access.buffer
        assert isinstance(memory, Memory)
        forms = {
            axis: _form(index, place)
            for axis, index in zip(memory.axes, access.indices, strict=True)
        }
        at, owner = row_major(memory.axes, forms), row_major(step.axes, _own(step))
        if at is None or at != owner:
            return _refusal(
                f"every access of {memory.name} is by the owner of the element",
                "an index is not shown to be the worker's own coordinate",
                access.loc,
            )
        return None


def _own(step: Step) -> Place:
    """The element that a worker owns in a step's domain."""
    return {axis: Form(0, {axis: 1}) for axis in step.axes}


def _form(index: Tile, place: Place) -> Form | None:
    """The linear form of an index; None when it is not one."""
    match index:
        case Const(value=int(value)):
            return Form(int(value), {})
        case Iota(axis=axis):
            return ZERO if axis.static == 1 else place.get(axis)
        case Broadcast(value=value) | Cast(value=value) if index.dtype.is_integer:
            return _form(value, place)
        case Map(fn="add", args=(a, b)):
            left, right = _form(a, place), _form(b, place)
            return None if left is None or right is None else left + right
        case Map(fn="mul", args=(a, Const(value=int(factor)))):
            inner = _form(a, place)
            return None if inner is None else inner * int(factor)
        case _:
            return None


def _all(steps: tuple[Step, ...]) -> Iterator[Step]:
    for step in steps:
        yield step
        yield from _all(step.body)


def _refusal(claim: str, missing: str, loc: Loc) -> Refusal:
    return Refusal("admission", "private_storage", claim, missing, loc=loc)
