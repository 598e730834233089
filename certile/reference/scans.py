"""Scans on arrays: what a law means at every position of an axis.

In: a `Scan` node and its operands with the scanned elements, in leaf order, along the last
dimension.  Out: its results, one at each position of it.  Decides the evaluation: a left fold for
each position in float64, of which the next position's is one merge more.  Leaves laws to `laws` and
how far another grouping may be from this one to `envelope`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from certile.ir.dtypes import f64
from certile.ir.tile import Scan
from certile.reference import machine_numeric as numeric
from certile.reference.algebra import Algebra, State
from certile.reference.bounding import Freedom
from certile.reference.envelope import scan_error
from certile.reference.laws import UFUNCS, joined, loosened, overflows, part, spread, stripped
from certile.reference.machine_numeric import Array
from certile.reference.values import UNIT, Value


def scan(node: Scan, args: Sequence[Value], how: Freedom | None, depth: int) -> tuple[Value, ...]:
    """The results of a scan, each of the shape of the operands.

    With `how` the results carry error bounds, for groupings in which no leaf passes more than
    `depth` merges.
    """
    law, accumulate, count = node.law, node.accumulate, args[0].data.shape[-1]
    wide = f64 if accumulate.is_float else accumulate
    widened = [replace(arg, data=numeric.convert(arg.data, accumulate, wide)) for arg in args]
    exact = Algebra(law, wide, count)
    running = _running(node, exact, stripped(widened))
    found = _positions(node, exact, running)
    errors: Sequence[Array | None] = (None,) * len(found)
    if how is not None and count:
        here = exact.finalize(running)
        errors = _errors(node, widened, here, replace(how, unit=accumulate, always=True), depth)
    results, wides = law.result_dtypes(accumulate), law.result_dtypes(wide)
    return tuple(
        Value(numeric.convert(value.data, source, target), error=error)
        for value, source, target, error in zip(found, wides, results, errors, strict=True)
    )


def _errors(
    node: Scan, widened: Sequence[Value], found: Sequence[Value], how: Freedom, depth: int
) -> Sequence[Array | None]:
    """The bound of each result; the value of no elements is the same on every target.

    `found` are the results with each position's own element.
    """
    count = widened[0].data.shape[-1]

    def generic() -> Sequence[Value]:
        tracked = Algebra(
            node.law, f64 if node.accumulate.is_float else node.accumulate, count, how
        )
        made = tracked.finalize(_running(node, tracked, widened))
        free = _free(node, stripped(widened), found)
        errors = [loosened(value.error, where) for value, where in zip(made, free, strict=True)]
        return [replace(value, error=e) for value, e in zip(made, errors, strict=True)]

    if node.accumulate.is_float and UNIT[node.accumulate] <= UNIT[f64]:
        # The reference folds in the same format, and its last position is `count` merges deep.
        depth += count
    errors = scan_error(node, widened, found, how, depth, generic)
    if node.inclusive:
        return errors
    return [None if error is None else _shifted(error, node.reverse) for error in errors]


def _free(node: Scan, args: Sequence[Value], found: Sequence[Value]) -> list[Array]:
    """Where no bound holds for each result: as in a tree over the leaves of each position.

    Lanes begin with the state of no elements, which a law may leave without effect beside finite
    states alone; and in the accumulation dtype some groupings may overflow where others do not.
    """
    count = args[0].data.shape[-1]
    exact = Algebra(node.law, f64 if node.accumulate.is_float else node.accumulate, count)
    turn = slice(None, None, -1) if node.reverse else slice(None)

    def over(join: np.ufunc, windows: Array, reach: int) -> Array:
        """Of all windows that end at each position or before it."""
        made = join.accumulate(windows[..., turn], axis=-1)
        before = np.zeros((*made.shape[:-1], min(reach - 1, count)), np.bool_)
        return np.concatenate((before, made), axis=-1)[..., turn]

    padded = exact.finalize(_running(node, exact, args, padded=True))
    loose = overflows(exact, args, node.accumulate, over)
    return [
        np.isnan(a.data) & ~np.isnan(b.data) | loose for a, b in zip(padded, found, strict=True)
    ]


def _shifted(errors: Array, reverse: bool) -> Array:
    nothing = np.zeros_like(errors[..., :1])
    parts = (errors[..., 1:], nothing) if reverse else (nothing, errors[..., :-1])
    return np.concatenate(parts, axis=-1)


def _running(node: Scan, algebra: Algebra, args: Sequence[Value], *, padded: bool = False) -> State:
    """The state at each position, its own element included.

    Where it is `padded`, each state is merged with the state of no elements on both sides.
    """
    leaves = algebra.lift(args)
    builtin, data = node.law.builtin, leaves[0].data
    if builtin is not None and leaves[0].error is None and data.dtype != np.bool_:
        turn = slice(None, None, -1) if node.reverse else slice(None)
        made = UFUNCS[builtin].accumulate(data[..., turn], axis=-1, dtype=data.dtype)
        return (Value(made[..., turn]),)
    count = data.shape[-1]
    order = range(count - 1, -1, -1) if node.reverse else range(count)

    def beside(state: State) -> State:
        if not padded:
            return state
        nothing = algebra.identity(data.ndim)
        return algebra.merge(nothing, algebra.merge(state, nothing))

    states: list[State] = []
    for k in order:
        state = beside(part(leaves, slice(k, k + 1)))
        if states:
            pair = (state, states[-1]) if node.reverse else (states[-1], state)
            state = beside(algebra.merge(*pair))
        states.append(state)
    return joined(states[::-1] if node.reverse else states) if states else leaves


def _positions(node: Scan, algebra: Algebra, states: State) -> State:
    """The results at each position, moved on by one when its own element does not count."""
    shape = states[0].data.shape
    if not node.inclusive and shape[-1]:
        nothing = spread(algebra.identity(len(shape)), (*shape[:-1], 1))
        rest = part(states, slice(1, None) if node.reverse else slice(None, -1))
        states = joined((rest, nothing) if node.reverse else (nothing, rest))
    return algebra.finalize(states)
