"""Loops over the same rows as one loop, and buffers of all rows as buffers of one.

In: a function in normal form whose buffers do not alias.  Out: functions that do the same, in which
neighbouring loops `for i: …` and `for k: …` became one, and a buffer that only one loop touches,
at its own coordinate, is allocated inside it without that dimension.  So a function that makes each
stage for all rows, as TVM's tensor expressions do, reads as programs that make all stages of a row.
Decides that no iteration touches what another iteration of the other loop stores.  Leaves to the
caller which of the functions is read as a kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from certile.tirx.recognition.nodes import (
    Allocate,
    Buffer,
    Element,
    Function,
    Loop,
    Read,
    Stmt,
    rewritten,
    with_bodies,
)
from certile.tirx.recognition.touches import (
    FIRST,
    fresh,
    own_dimensions,
    placed,
    touches,
    touches_of,
)

# So many loops around each other are joined, from the outermost.
_DEEPEST = 3


def by_rows(function: Function) -> Iterator[Function]:
    """The function with the outermost loops over the same rows joined, then those inside too."""
    before = function
    for depth in range(1, _DEEPEST + 1):
        made = replace(function, body=_joined(function.body, depth))
        if made == before:
            return
        yield made
        before = made


def _joined(body: tuple[Stmt, ...], depth: int) -> tuple[Stmt, ...]:
    made: list[Stmt] = []
    for step in body:
        last = made[-1] if made else None
        if isinstance(step, Allocate) and isinstance(last, Loop):
            # A buffer that does not exist yet is touched by nothing that stands before it.
            made.insert(-1, step)
        elif isinstance(step, Loop) and isinstance(last, Loop) and _same_rows(last, step):
            made[-1] = _one(last, step)
        else:
            made.append(step)
    if depth == 1:
        return tuple(made)
    return tuple(
        replace(step, body=_joined(step.body, depth - 1)) if isinstance(step, Loop) else step
        for step in made
    )


def _one(first: Loop, second: Loop) -> Loop:
    by = {second.variable: Read(first.variable)}
    kind = first.kind if first.kind == second.kind else "serial"
    return replace(first, kind=kind, body=(*first.body, *rewritten(second.body, by)))


def _same_rows(first: Loop, second: Loop) -> bool:
    """Whether an iteration of the second may run before later iterations of the first."""
    if first.count != second.count or first.variable.dtype != second.variable.dtype:
        return False
    if first.marks or second.marks:
        return False
    ones, others = list(touches(*first.body)), list(touches(*second.body))
    stored = {touch.buffer for touch in (*ones, *others) if touch.stores}
    shared = stored & {touch.buffer for touch in ones} & {touch.buffer for touch in others}
    return all(
        own_dimensions((t for t in ones if t.buffer == buffer), first)
        & own_dimensions((t for t in others if t.buffer == buffer), second)
        for buffer in shared
    )


def contracted(function: Function) -> Function:
    """The function with each buffer of all iterations of a loop as a buffer of one iteration."""
    return replace(function, body=_Contraction(function).body(function.body))


class _Contraction:
    """Moves allocations into the loops of one function."""

    def __init__(self, function: Function) -> None:
        self._next = fresh(function)

    def body(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """A body and what stands inside it."""
        steps = body
        for step in body:
            if isinstance(step, Allocate):
                steps = self._moved(steps, step)
        return tuple(with_bodies(step, self.body) for step in steps)

    def _moved(self, steps: tuple[Stmt, ...], allocated: Allocate) -> tuple[Stmt, ...]:
        """The steps with a buffer inside the one loop that touches it, if it can stand there."""
        buffer = allocated.buffer
        users = [step for step in steps if touches_of(buffer, step)]
        loop = users[0] if len(users) == 1 else None
        if not isinstance(loop, Loop):
            return steps
        dims = own_dimensions(touches_of(buffer, *loop.body), loop)
        if not dims:
            return steps
        inner = self._without(buffer, min(dims), loop)
        return tuple(inner if step is loop else step for step in steps if step is not allocated)

    def _without(self, buffer: Buffer, dim: int, loop: Loop) -> Loop:
        """The loop with a buffer of its own that lacks a dimension."""
        shape = (*buffer.shape[:dim], *buffer.shape[dim + 1 :])
        made = replace(buffer, uid=self._next, shape=shape or (1,))
        self._next += 1

        def place(at: Element) -> Element:
            if at.buffer != buffer:
                return at
            return Element(made, (*at.indices[:dim], *at.indices[dim + 1 :]) or (FIRST,))

        return replace(loop, body=(Allocate(made), *placed(loop.body, place)))
