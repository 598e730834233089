"""Elements that a loop accumulates in, as scalars of the program.

In: a function in normal form whose buffers do not alias.  Out: a function that does the same, where
`B[i] = start; for j: B[i] = B[i] + …` works on a scalar that `B[i]` takes afterwards, so that what
proves the reduction of a scalar proves this one.  Decides which element: one that is stored right
in the body where the loop stands, before it, and that is the only element of its buffer which is
touched from there to the end of the loop.  Nobody sees then that the element itself is stored once,
at the end.  Whether the loop is a reduction is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from certile.tirx.recognition.nodes import (
    Allocate,
    Assign,
    Branch,
    Buffer,
    Element,
    Function,
    Loop,
    Stmt,
    statements,
    with_bodies,
)
from certile.tirx.recognition.touches import FIRST, fresh, is_fixed, placed, touches_of


def promoted(function: Function) -> Function:
    """The function with a scalar for each element that a loop accumulates in."""
    return replace(function, body=_Promotion(function).body(function.body))


class _Promotion:
    """Gives scalars to the bodies of one function."""

    def __init__(self, function: Function) -> None:
        held = {step.buffer for step in statements(function.body) if isinstance(step, Allocate)}
        self._scalars = {buffer for buffer in held if buffer.is_scalar}
        self._next = fresh(function)

    def body(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """A body and what stands inside it."""
        steps = body
        start = 0
        while start < len(steps):
            steps = self._from(steps, start)
            start += 1
        return tuple(with_bodies(step, self.body) for step in steps)

    def _from(self, steps: tuple[Stmt, ...], start: int) -> tuple[Stmt, ...]:
        """The steps with a scalar for the element that one of them stores, if that is one."""
        first = steps[start]
        if not isinstance(first, Assign) or first.buffer in self._scalars:
            return steps
        end = _end(steps, start, first)
        if end is None or not is_fixed(first.indices):
            return steps
        scalar = Buffer(self._next, first.buffer.name, first.buffer.dtype, (1,), "local")
        self._next += 1
        self._scalars.add(scalar)
        element, held = Element(first.buffer, first.indices), Element(scalar, (FIRST,))
        return (
            *steps[:start],
            Allocate(scalar),
            Assign(scalar, (FIRST,), first.value),
            *placed(steps[start + 1 : end], lambda at: held if at == element else at),
            Assign(first.buffer, first.indices, held),
            *steps[end:],
        )


def _end(steps: Sequence[Stmt], start: int, first: Assign) -> int | None:
    """Where the scalar ends: behind the last step that it serves, or None if no loop needs it."""
    found: int | None = None
    for at in range(start + 1, len(steps)):
        step = steps[at]
        touched = touches_of(first.buffer, step)
        if any(touch.indices != first.indices for touch in touched):
            break
        if found is not None and _stores_sometimes(step, first.buffer):
            break
        accumulates = isinstance(step, Loop) and any(touch.stores for touch in touched)
        if accumulates or (found is not None and touched):
            found = at + 1
    return found


def _stores_sometimes(step: Stmt, buffer: Buffer) -> bool:
    """Whether a step stores a buffer under a condition, which no scalar of a program is."""
    branches = (inner for inner in statements((step,)) if isinstance(inner, Branch))
    return any(touch.stores for branch in branches for touch in touches_of(buffer, branch))
