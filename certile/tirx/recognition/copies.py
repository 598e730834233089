"""Private copies of arrays that the function only reads, as these arrays.

In: a function in normal form whose buffers do not alias.  Out: a function that does the same, where
a buffer that is a whole copy of a parameter is that parameter, so that loops over other extents
may read it.  Decides that the copy is whole, element by element at its own place, made before the
buffer is read, and that neither is stored again.
"""

from __future__ import annotations

from dataclasses import replace

from certile.tirx.recognition.nodes import (
    Allocate,
    Assign,
    Buffer,
    Element,
    Function,
    Loop,
    Read,
    Stmt,
)
from certile.tirx.recognition.touches import placed, touches, touches_of


def uncopied(function: Function) -> Function:
    """The function without copies of what it only reads."""
    stored = {touch.buffer for touch in touches(*function.body) if touch.stores}
    given = {each for each in function.parameters if isinstance(each, Buffer)} - stored
    body = function.body
    for step in function.body:
        if isinstance(step, Allocate):
            body = _without(body, step, given)
    return replace(function, body=body)


def _without(body: tuple[Stmt, ...], step: Allocate, given: set[Buffer]) -> tuple[Stmt, ...]:
    buffer = step.buffer
    users = [at for at, user in enumerate(body) if touches_of(buffer, user)]
    if not users:
        return body
    source = _source(body[users[0]], buffer)
    if source is None or source not in given:
        return body
    rest = body[users[0] + 1 :]
    if any(touch.stores for touch in touches_of(buffer, *rest)):
        return body
    before = tuple(each for each in body[: users[0]] if each is not step)
    return (
        *before,
        *placed(rest, lambda at: Element(source, at.indices) if at.buffer == buffer else at),
    )


def _source(step: Stmt, copy: Buffer) -> Buffer | None:
    """What a nest of loops copies whole to a buffer, and does nothing else."""
    over: list[Loop] = []
    while isinstance(step, Loop) and len(step.body) == 1 and not step.marks:
        over.append(step)
        (step,) = step.body
    if not isinstance(step, Assign) or step.buffer != copy or not isinstance(step.value, Element):
        return None
    source = step.value.buffer
    alike = source.shape == copy.shape and source.dtype == copy.dtype
    coordinates = {Read(loop.variable): loop.count for loop in over}
    extents = tuple(coordinates.get(index) for index in step.indices if isinstance(index, Read))
    whole = extents == copy.shape and len(set(step.indices)) == len(over) == len(copy.shape)
    return source if alike and whole and step.value.indices == step.indices else None
