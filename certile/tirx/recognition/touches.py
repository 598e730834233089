"""Where statements touch buffers, for the steps that move accesses or give them another place.

In: statements in normal form.  Out: their accesses, read or stored, with indices as written; the
statements with other places.  Decides nothing.  Two indices that are written alike are equal where
the names in them are in scope, for a name has one meaning, unless they read memory (`is_fixed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from certile.records import record
from certile.tirx.recognition.nodes import (
    Allocate,
    Apply,
    Assign,
    Bind,
    Branch,
    Buffer,
    Choice,
    Convert,
    Element,
    Expr,
    Function,
    Loop,
    Number,
    Read,
    Stmt,
    expressions,
    parts,
    statements,
)

# The index of the one element of a buffer.
FIRST = Number(0, "int32")

Placing = Callable[[Element], Element]


@record
class Touch:
    """One access of an element."""

    buffer: Buffer
    indices: tuple[Expr, ...]
    stores: bool


def touches(*steps: Stmt) -> Iterator[Touch]:
    """Every access of some statements and of what stands inside them."""
    for step in statements(steps):
        if isinstance(step, Assign):
            yield Touch(step.buffer, step.indices, stores=True)
        for expr in expressions(step):
            for part in parts(expr):
                if isinstance(part, Element):
                    yield Touch(part.buffer, part.indices, stores=False)


def touches_of(buffer: Buffer, *steps: Stmt) -> list[Touch]:
    """The accesses of one buffer."""
    return [touch for touch in touches(*steps) if touch.buffer == buffer]


def is_fixed(indices: Iterable[Expr]) -> bool:
    """Whether indices read no memory, so that they are the same as long as their names are."""
    return not any(isinstance(part, Element) for index in indices for part in parts(index))


def own_dimensions(found: Iterable[Touch], loop: Loop) -> frozenset[int]:
    """The dimensions in which every access is at the coordinate of a loop, inside the buffer.

    Where there is one, iterations touch different elements.
    """
    coordinate = Read(loop.variable)
    dims: frozenset[int] | None = None
    for touch in found:
        shape = touch.buffer.shape
        if len(touch.indices) != len(shape):
            return frozenset()
        here = frozenset(
            dim
            for dim, index in enumerate(touch.indices)
            if index == coordinate and loop.count <= shape[dim]
        )
        dims = here if dims is None else dims & here
    return dims or frozenset()


def fresh(function: Function) -> int:
    """A number that no buffer of the function has, nor does any above it."""
    buffers = [each for each in function.parameters if isinstance(each, Buffer)]
    buffers += [s.buffer for s in statements(function.body) if isinstance(s, Allocate)]
    return 1 + max((buffer.uid for buffer in buffers), default=0)


def placed(body: tuple[Stmt, ...], place: Placing) -> tuple[Stmt, ...]:
    """A body in which each access is of the element that `place` gives for the one as written."""
    return tuple(_placed(step, place) for step in body)


def _placed(step: Stmt, place: Placing) -> Stmt:
    match step:
        case Assign():
            at = _read(Element(step.buffer, step.indices), place)
            assert isinstance(at, Element)
            return Assign(at.buffer, at.indices, _read(step.value, place))
        case Bind():
            return replace(step, value=_read(step.value, place))
        case Branch():
            condition = _read(step.condition, place)
            return Branch(condition, placed(step.yes, place), placed(step.no, place))
        case Loop():
            return replace(step, body=placed(step.body, place))
        case _:
            return step


def _read(expr: Expr, place: Placing) -> Expr:
    match expr:
        case Element():
            return place(Element(expr.buffer, tuple(_read(i, place) for i in expr.indices)))
        case Apply():
            return replace(expr, args=tuple(_read(arg, place) for arg in expr.args))
        case Convert():
            return replace(expr, value=_read(expr.value, place))
        case Choice():
            return replace(
                expr,
                condition=_read(expr.condition, place),
                yes=_read(expr.yes, place),
                no=_read(expr.no, place),
            )
        case _:
            return expr
