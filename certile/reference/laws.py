"""Reductions on arrays: what a law and a policy mean, and in which order the exact ones go.

In: a `Reduce` node and its operands with the reduced elements flattened, in leaf order, along the
last dimension.  Out: its results.  Decides the evaluation: tree policies in float64 (any order is
legal, so the reference takes the most accurate), folds and the reproducible tree operation by
operation in the accumulation dtype.  Leaves how far a tree may be from the reference to `envelope`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from certile.ir.dtypes import DType, f64
from certile.ir.functions import FUNCTIONS
from certile.ir.laws import ARGMAX, ARGMIN, Law
from certile.ir.terms import Var
from certile.ir.tile import Reduce
from certile.reference import machine_numeric as numeric
from certile.reference.algebra import Algebra, State
from certile.reference.bounding import Freedom
from certile.reference.envelope import closed_error, estimated_error, exact_rows, order_error
from certile.reference.machine_numeric import Array
from certile.reference.states import apart, state_results
from certile.reference.trees import Fused, Tree
from certile.reference.values import LARGEST, Value

# Stated here again, as in the language reference: the judge takes no number from the judged.
_BLOCK, _LANES = 4096, 128
# The lanes of a block meet at these distances, in this order.
_DISTANCES = (16, 8, 4, 2, 1, 64, 32)
# The laws that NumPy has as functions of two arrays.
UFUNCS = {
    "add": np.add,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}


def reduce(
    node: Reduce, args: Sequence[Value], init: Sequence[Value], how: Freedom | None, depth: int
) -> tuple[Value, ...]:
    """The results of a reduction, one value a result, without the last dimension.

    `args` are broadcast to one shape whose last dimension is the leaves in order; behind them are
    the parameters of the law, whose last dimension has one element.  `init` has the shape without
    the last dimension.  With `how` the results carry error bounds, for
    trees of at most `depth` levels.
    """
    if node.policy in ("unordered_tree", "ordered_tree"):
        return _tree(node, args, init, how, depth)
    count = args[0].data.shape[-1]
    overrides = None if how is None else how.overrides
    leaves, given = apart(node, stripped(args))
    exact = Algebra(node.law, node.accumulate, count, overrides=overrides, given=given)
    found = _in_order(node, exact, leaves, stripped(init))
    if how is None or not (inexact(node.law, how) or any(v.error is not None for v in args)):
        return found
    leaves, given = apart(node, args)
    tracked = Algebra(node.law, node.accumulate, count, how, overrides, given)
    errors = order_error(
        node,
        leaves,
        init,
        found,
        how,
        _levels(node, count),
        lambda: _in_order(node, tracked, leaves, init),
    )
    if not inexact(node.law, how):
        # The same order of the same leaves gives the same bits.
        exact_row = exact_rows(args, init)
        errors = [None if e is None else np.where(exact_row, 0.0, e) for e in errors]
    return tuple(replace(value, error=e) for value, e in zip(found, errors, strict=True))


def made_by(
    made: Fused,
    args: Sequence[Value],
    found: Sequence[Value],
    how: Freedom,
    beyond: tuple[int, ...] = (),
) -> tuple[Value, ...]:
    """Results, with room for a program that computes them as results of another reduction.

    `found` are the results as written and `args` the leaves of the other one.  What is computed
    lies within the bound of that reduction around the exact result, and `found` within its own.  A
    row whose state is not finite is computed as written.  Without a stated bound, anything goes.
    Along the dimensions `beyond` those of `found` the other one has a result for each place, any of
    which may be taken.
    """
    state = state_results(made.node, args, how, made.tree)

    def roomy(value: Value, index: int | None) -> Value:
        if index is None:
            return value
        own = np.zeros(value.data.shape) if value.error is None else value.error
        if state is None:
            return replace(value, error=np.full(own.shape, np.inf))
        more = state.values[index].error
        room = np.where(state.lost, 0.0, 0.0 if more is None else more)
        return replace(value, error=own + room.max(axis=beyond, initial=0.0))

    return tuple(map(roomy, found, made.results))


def _in_order(
    node: Reduce, algebra: Algebra, args: Sequence[Value], init: Sequence[Value]
) -> tuple[Value, ...]:
    """A fold or the reproducible tree, operation by operation."""
    state = algebra.lift(args)
    start = tuple(value.each(lambda array: array[..., None]) for value in _as_state(algebra, init))
    if node.policy == "reproducible":
        made = _reproducible(algebra, state)
        made = algebra.merge(start, made) if start else made
    else:
        made = _fold(algebra, state, start, node.policy == "fold_right")
    return tuple(value.each(lambda array: array[..., 0]) for value in algebra.finalize(made))


def _levels(node: Reduce, count: int) -> int:
    """How many merges are between a leaf and the result of an exact order."""
    if node.policy != "reproducible":
        return count
    blocks = max(1, -(-count // _BLOCK))
    return -(-min(count, _BLOCK) // _LANES) + len(_DISTANCES) + (blocks - 1).bit_length()


def inexact(law: Law, how: Freedom) -> bool:
    """Whether results may differ along one and the same order of exact leaves."""
    used = {at.fn for at in law.applications()}
    functions = [FUNCTIONS[fn] for fn in used - set(how.overrides) if fn in FUNCTIONS]
    return how.flushed or any(function.ulp is not None for function in functions)


def _as_state(algebra: Algebra, init: Sequence[Value]) -> State:
    """Start values in the dtypes of the state; an index may be given wider."""
    return tuple(
        replace(value, data=value.data.astype(numeric.carrier(dtype)))
        for value, dtype in zip(init, algebra.state_dtypes, strict=False)
    )


def part(state: State, which: slice | Array) -> State:
    """The states at some places of the last dimension."""
    return tuple(value.each(lambda array: array[..., which]) for value in state)


def joined(parts: Sequence[State]) -> State:
    """States one after another along the last dimension."""

    def join(values: tuple[Value, ...]) -> Value:
        error = None
        if any(value.error is not None for value in values):
            zeros = [np.zeros_like(value.data, np.float64) for value in values]
            errors = [
                zero if value.error is None else value.error
                for value, zero in zip(values, zeros, strict=True)
            ]
            error = np.concatenate(errors, axis=-1)
        return Value(np.concatenate([value.data for value in values], axis=-1), error=error)

    return tuple(join(values) for values in zip(*parts, strict=True))


def spread(state: State, shape: tuple[int, ...]) -> State:
    """A state repeated up to a shape."""
    return tuple(value.each(lambda array: np.broadcast_to(array, shape)) for value in state)


def _count(state: State) -> int:
    return int(state[0].data.shape[-1])


# Orders.


def _fold(algebra: Algebra, state: State, start: State, from_right: bool) -> State:
    lead = state[0].data.shape[:-1]
    running = start or algebra.identity(len(lead) + 1)
    if algebra.law.builtin == "add" and state[0].error is None and running[0].error is None:
        return _running_sum(state[0], running[0], from_right)
    running = spread(running, (*lead, 1))
    count = _count(state)
    for k in range(count - 1, -1, -1) if from_right else range(count):
        leaf = part(state, slice(k, k + 1))
        running = algebra.merge(leaf, running) if from_right else algebra.merge(running, leaf)
    return running


def _running_sum(leaves: Value, start: Value, from_right: bool) -> State:
    """A fold by addition: `accumulate` adds one element after another, from either end."""
    data = leaves.data[..., ::-1] if from_right else leaves.data
    first = np.broadcast_to(start.data, (*data.shape[:-1], 1))
    sums = np.add.accumulate(np.concatenate([first, data], axis=-1), axis=-1, dtype=data.dtype)
    return (Value(sums[..., -1:]),)


def _reproducible(algebra: Algebra, state: State) -> State:
    """The tree that the extent alone decides."""
    count = _count(state)
    lead = state[0].data.shape[:-1]
    if count == 0:
        return spread(algebra.identity(len(lead) + 1), (*lead, 1))
    blocks = [
        _block(algebra, part(state, slice(at, min(at + _BLOCK, count))))
        for at in range(0, count, _BLOCK)
    ]
    return _balanced(algebra, blocks)


def _balanced(algebra: Algebra, blocks: Sequence[State]) -> State:
    """Merge in order: the largest power of two below the count against the rest."""
    if len(blocks) == 1:
        return blocks[0]
    left = 1 << ((len(blocks) - 1).bit_length() - 1)
    return algebra.merge(_balanced(algebra, blocks[:left]), _balanced(algebra, blocks[left:]))


def _block(algebra: Algebra, state: State) -> State:
    """128 accumulators fold left from the identity and meet by fixed distances."""
    lead = state[0].data.shape[:-1]
    running = spread(algebra.identity(len(lead) + 1), (*lead, _LANES))
    for at in range(0, _count(state), _LANES):
        leaves = part(state, slice(at, at + _LANES))
        present = _count(leaves)
        merged = algebra.merge(part(running, slice(0, present)), leaves)
        running = (
            merged
            if present == _LANES
            else joined([merged, tuple(v.full() for v in part(running, slice(present, None)))])
        )
    for distance in _DISTANCES:
        lower = np.array([lane for lane in range(_LANES) if not lane & distance])
        running = algebra.merge(part(running, lower), part(running, lower | distance))
        # Both partners hold the merged state; the next distance reads either.
        both = np.zeros(_LANES, np.int64)
        both[lower] = both[lower | distance] = np.arange(len(lower))
        running = part(running, both)
    return part(running, slice(0, 1))


# Trees.


def _tree(
    node: Reduce, args: Sequence[Value], init: Sequence[Value], how: Freedom | None, depth: int
) -> tuple[Value, ...]:
    """Any tree: in float64, and with bounds for every tree of that depth."""
    wide = _evaluation_dtype(node)
    widened = [replace(arg, data=numeric.convert(arg.data, node.accumulate, wide)) for arg in args]
    starts = list(init)
    how_wide = None if how is None else replace(how, unit=node.accumulate, always=True)
    found = _quick(node.law, wide, widened) if not init else None
    if found is None or (how is not None and node.law.builtin is None):
        leaves, given = apart(node, stripped(widened))
        exact = Algebra(node.law, wide, args[0].data.shape[-1], given=given)
        found = _evaluated(exact, leaves, stripped(starts))
    errors: Sequence[Array | None] = (None,) * len(found)
    if how_wide is not None:
        errors = _tree_error(node, widened, starts, found, how_wide, depth)
    results = node.law.result_dtypes(node.accumulate)
    wides = node.law.result_dtypes(wide)
    return tuple(
        Value(numeric.convert(value.data, source, target), error=error)
        for value, source, target, error in zip(found, wides, results, errors, strict=True)
    )


def _tree_error(
    node: Reduce,
    args: Sequence[Value],
    init: Sequence[Value],
    found: Sequence[Value],
    how: Freedom,
    depth: int,
) -> Sequence[Array | None]:
    """The bound of each result: by a closed form, by those of the state, or an estimate."""
    closed = closed_error(node, args, init, found, how, depth)
    if closed is not None:
        return closed
    count = args[0].data.shape[-1]
    made = None if init else state_results(node, args, how, Tree.any_of(depth, count))
    if made is not None:
        return [value.error for value in made.values]
    leaves, given = apart(node, args)
    dtype = _evaluation_dtype(node)
    tracked = Algebra(node.law, dtype, count, how, given=given)
    errors = estimated_error(_evaluated(tracked, leaves, init), count, depth)
    leaves, given = stripped(leaves), stripped(given)
    free = _free(
        Algebra(node.law, dtype, count, given=given), leaves, stripped(init), found, node.accumulate
    )
    return [loosened(error, where) for error, where in zip(errors, free, strict=True)]


def _free(
    algebra: Algebra,
    leaves: Sequence[Value],
    init: Sequence[Value],
    found: Sequence[Value],
    dtype: DType,
) -> list[Array]:
    """Where no bound holds for each result of a law without closed forms.

    Compiled reductions start from the state of no elements and idle lanes contribute it; a law may
    leave it without effect beside finite states alone, and merges with it then give a NaN instead
    of a number.  In `dtype` some trees may overflow where others do not.
    """
    padded = _evaluated(algebra, leaves, init, padded=True)
    over = overflows(algebra, leaves, dtype, lambda join, windows, _: join.reduce(windows, axis=-1))
    return [np.isnan(a.data) & ~np.isnan(b.data) | over for a, b in zip(padded, found, strict=True)]


def overflows(
    algebra: Algebra,
    leaves: Sequence[Value],
    dtype: DType,
    over: Callable[[np.ufunc, Array, int], Array],
) -> Array:
    """Whether finite leaves make a state that `dtype` cannot hold: of 1, 2, 4, ... neighbours.

    `over` joins what is known of each window of so many leaves.
    """
    state, reach = algebra.lift(leaves), 1
    finite = over(np.logical_and, np.logical_and.reduce([np.isfinite(v.data) for v in state]), 1)
    found = np.zeros(finite.shape, np.bool_)
    while dtype.is_float and _count(state) > 0:
        for size in (np.abs(v.data) for v in state if v.data.dtype.kind == "f"):
            beyond = size > LARGEST[dtype]
            found |= over(np.logical_or, beyond & np.isfinite(size), reach)
            found |= over(np.logical_or, beyond, reach) & finite
        state = algebra.merge(part(state, slice(0, -reach)), part(state, slice(reach, None)))
        reach *= 2
    return found


def loosened(error: Array | None, where: Array) -> Array | None:
    """No bound at some places."""
    return np.where(where, np.inf, 0.0 if error is None else error) if where.any() else error


def _evaluation_dtype(node: Reduce) -> DType:
    """The dtype in which a tree is evaluated."""
    return f64 if node.accumulate.is_float else node.accumulate


def exact_results(node: Reduce, args: Sequence[Value]) -> tuple[Value, ...]:
    """The results of a reduction without a start value, evaluated in float64 where it is of floats.

    `args` have the leaves along the last dimension, and parameters behind them.
    """
    wide = _evaluation_dtype(node)
    widened = [Value(numeric.convert(arg.data, node.accumulate, wide)) for arg in args]
    leaves, given = apart(node, widened)
    exact = Algebra(node.law, wide, args[0].data.shape[-1], given=given)
    return _quick(node.law, wide, leaves) or _evaluated(exact, leaves, ())


def stripped(values: Sequence[Value]) -> list[Value]:
    """The values without what is known of their errors."""
    return [Value(value.data) for value in values]


def _evaluated(
    algebra: Algebra, args: Sequence[Value], init: Sequence[Value], *, padded: bool = False
) -> tuple[Value, ...]:
    """A balanced tree over neighbours, start values merged on the left.

    Where it is `padded`, each state is merged with the state of no elements on both sides.
    """
    state = algebra.lift(args)
    lead = state[0].data.shape[:-1]
    nothing = algebra.identity(len(lead) + 1)

    def beside(made: State) -> State:
        return algebra.merge(nothing, algebra.merge(made, nothing)) if padded else made

    if _count(state) == 0:
        state = spread(nothing, (*lead, 1))
    state = beside(state)
    while (count := _count(state)) > 1:
        even = count - count % 2
        merged = algebra.merge(part(state, slice(0, even, 2)), part(state, slice(1, even, 2)))
        state = beside(joined([merged, part(state, slice(even, None))]) if count % 2 else merged)
    if init:
        start = tuple(value.each(lambda array: array[..., None]) for value in init)
        state = beside(algebra.merge(_as_state(algebra, start), state))
    return tuple(value.each(lambda array: array[..., 0]) for value in algebra.finalize(state))


def _quick(law: Law, dtype: DType, args: Sequence[Value]) -> tuple[Value, ...] | None:
    """NumPy's own reduction, where it means the same."""
    data = args[0].data
    if data.shape[-1] == 0:
        return None
    if law.builtin is not None and dtype.kind != "bool" and law.lift == (Var("x"),):
        reduction: Callable[..., Array] = UFUNCS[law.builtin].reduce
        return (Value(np.asarray(reduction(data, axis=-1, dtype=data.dtype))),)
    if law in (ARGMAX, ARGMIN):
        found = np.argmax(data, axis=-1) if law == ARGMAX else np.argmin(data, axis=-1)
        return (Value(np.asarray(found).astype(np.int64)),)
    return None
