"""Reductions on arrays: what a law and a policy mean, and in which order the exact ones go.

In: a `Reduce` node and its operands with the reduced elements flattened, in leaf order, along the
last dimension.  Out: its results.  Decides the evaluation: tree policies in float64 (any order is
legal, so the reference takes the most accurate), folds and the reproducible tree operation by
operation in the accumulation dtype.  Leaves how far a tree may be from the reference to `envelope`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce as fold

import numpy as np

from certile.ir.dtypes import DType, bool_, f64, promote
from certile.ir.functions import FUNCTIONS
from certile.ir.laws import ARGMAX, ARGMIN, Law, cast_target, literal_dtype, literal_value
from certile.ir.terms import Lit, Term, Var, evaluate
from certile.ir.tile import Reduce
from certile.reference import machine_numeric as numeric
from certile.reference.bounding import Freedom, bound, bound_conversion
from certile.reference.envelope import exact_rows, order_error, tree_error
from certile.reference.functions import Overrides, apply
from certile.reference.machine_numeric import Array
from certile.reference.values import Value

State = tuple[Value, ...]

# Stated here again, as in the language reference: the judge takes no number from the judged.
_BLOCK, _LANES = 4096, 128
# The lanes of a block meet at these distances, in this order.
_DISTANCES = (16, 8, 4, 2, 1, 64, 32)


@dataclass(frozen=True, slots=True)
class Typed:
    """A value of a term with its dtype."""

    dtype: DType
    value: Value


class Algebra:
    """The functions of a law on arrays, computed in one accumulation dtype.

    With `how`, error bounds are carried along; otherwise values are only computed, with `overrides`
    for inexact functions.
    """

    def __init__(
        self,
        law: Law,
        accumulate: DType,
        elements: int,
        how: Freedom | None = None,
        overrides: Overrides | None = None,
    ) -> None:
        self.law = law
        self.accumulate = accumulate
        self.state_dtypes = law.state_dtypes(accumulate, elements)
        self.index_dtype = law.index_dtype(elements)
        self._how = how
        self._overrides = overrides

    def identity(self, rank: int) -> State:
        """The state of no elements, with `rank` dimensions of length 1."""
        assert self.law.identity is not None
        shape = (1,) * rank
        made = self._terms(self.law.identity, {}, self.state_dtypes)
        return tuple(value.each(lambda array: np.broadcast_to(array, shape)) for value in made)

    def lift(self, args: Sequence[Value]) -> State:
        """The states of single elements; the last dimension is the element's index."""
        variables = {
            name: Typed(self.accumulate, arg)
            for name, arg in zip(self.law.lift_variables(), args, strict=True)
        }
        shape = args[0].data.shape
        if self.law.indexed:
            index = self.index_dtype
            positions = np.arange(shape[-1]).astype(numeric.carrier(index))
            variables["i"] = Typed(index, Value(positions.reshape((1,) * (len(shape) - 1) + (-1,))))
        made = self._terms(self.law.lift, variables, self.state_dtypes)
        return tuple(
            value.each(lambda array: np.broadcast_to(array, shape)).full() for value in made
        )

    def merge(self, a: State, b: State) -> State:
        """The state of the elements of `a` followed by those of `b`."""
        variables = {}
        for component, dtype, left, right in zip(
            self.law.state, self.state_dtypes, a, b, strict=True
        ):
            variables[f"a.{component.name}"] = Typed(dtype, left)
            variables[f"b.{component.name}"] = Typed(dtype, right)
        made = self._terms(self.law.merge, variables, self.state_dtypes)
        shape = np.broadcast_shapes(a[0].data.shape, b[0].data.shape)
        return tuple(
            value.each(lambda array: np.broadcast_to(array, shape)).full() for value in made
        )

    def finalize(self, state: State) -> State:
        """The results of a state, in the dtypes of the accumulation."""
        variables = {
            component.name: Typed(dtype, value)
            for component, dtype, value in zip(
                self.law.state, self.state_dtypes, state, strict=True
            )
        }
        dtypes = self.law.result_dtypes(self.accumulate)
        made = self._terms(self.law.finalize, variables, dtypes)
        shape = state[0].data.shape
        return tuple(value.each(lambda array: np.broadcast_to(array, shape)) for value in made)

    def conditions(self, terms: tuple[Term, ...], state: State) -> State:
        """Conditions on a state, as terms over its components."""
        variables = {
            component.name: Typed(dtype, value)
            for component, dtype, value in zip(
                self.law.state, self.state_dtypes, state, strict=True
            )
        }
        return self._terms(terms, variables, (bool_,) * len(terms))

    def _terms(
        self, terms: tuple[Term, ...], variables: dict[str, Typed], dtypes: tuple[DType, ...]
    ) -> State:
        memo: dict[Term, Typed] = {}
        made = []
        for term, dtype in zip(terms, dtypes, strict=True):
            if isinstance(term, Lit):
                typed = self._literal(term, dtype)
            else:
                typed = evaluate(term, variables, self._beside, self._apply, memo)
            made.append(self._converted(typed, dtype).value)
        return tuple(made)

    def _beside(self, literal: Lit, beside: Typed | None) -> Typed:
        return self._literal(literal, self.accumulate if beside is None else beside.dtype)

    def _literal(self, literal: Lit, dtype: DType) -> Typed:
        dtype = literal_dtype(literal, self.accumulate) or dtype
        number = literal_value(literal.value, dtype)
        return Typed(dtype, Value(np.array(number).astype(numeric.carrier(dtype))))

    def _converted(self, typed: Typed, dtype: DType) -> Typed:
        if typed.dtype == dtype:
            return typed
        data = numeric.convert(typed.value.data, typed.dtype, dtype)
        error = (
            None
            if self._how is None
            else bound_conversion(typed.value, typed.dtype, dtype, data, self._how)
        )
        return Typed(dtype, Value(data, error=error))

    def _apply(self, fn: str, args: tuple[Typed, ...]) -> Typed:
        target = cast_target(fn, self.accumulate)
        if target is not None:
            return self._converted(args[0], target)
        alike = args[1:] if fn == "where" else args
        dtype = fold(promote, (arg.dtype for arg in alike))
        values = [self._converted(arg, dtype).value for arg in alike]
        if fn == "where":
            values.insert(0, args[0].value)
        made = apply(fn, [v.data for v in values], dtype, self._overrides)
        result = FUNCTIONS[fn].result((dtype,) * FUNCTIONS[fn].arity)
        error = None if self._how is None else bound(fn, values, dtype, made, result, self._how)
        return Typed(result, Value(made, error=error))


def reduce(
    node: Reduce, args: Sequence[Value], init: Sequence[Value], how: Freedom | None, depth: int
) -> tuple[Value, ...]:
    """The results of a reduction, one value a result, without the last dimension.

    `args` are broadcast to one shape whose last dimension is the leaves in order; `init` has that
    shape without it.  With `how` the results carry error bounds, for
    trees of at most `depth` levels.
    """
    if node.policy in ("unordered_tree", "ordered_tree"):
        return _tree(node, args, init, how, depth)
    count = args[0].data.shape[-1]
    overrides = None if how is None else how.overrides
    exact = Algebra(node.law, node.accumulate, count, overrides=overrides)
    found = _in_order(node, exact, stripped(args), stripped(init))
    if how is None or not (inexact(node.law, how) or any(v.error is not None for v in args)):
        return found
    tracked = Algebra(node.law, node.accumulate, count, how, overrides)
    errors = order_error(
        node,
        args,
        init,
        found,
        how,
        _levels(node, count),
        lambda: _in_order(node, tracked, args, init),
    )
    if not inexact(node.law, how):
        # The same order of the same leaves gives the same bits.
        exact_row = exact_rows(args, init)
        errors = [None if e is None else np.where(exact_row, 0.0, e) for e in errors]
    return tuple(replace(value, error=e) for value, e in zip(found, errors, strict=True))


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
    wide = f64 if node.accumulate.is_float else node.accumulate
    widened = [replace(arg, data=numeric.convert(arg.data, node.accumulate, wide)) for arg in args]
    starts = list(init)
    how_wide = None if how is None else replace(how, unit=node.accumulate, always=True)
    found = _quick(node.law, wide, widened) if not init else None
    if found is None or (how is not None and node.law.builtin is None):
        exact = Algebra(node.law, wide, args[0].data.shape[-1])
        found = _evaluated(exact, stripped(widened), stripped(starts))
    errors: Sequence[Array | None] = (None,) * len(found)
    if how_wide is not None:
        tracked = Algebra(node.law, wide, args[0].data.shape[-1], how_wide)

        def generic() -> Sequence[Value]:
            return _evaluated(tracked, widened, starts)

        errors = tree_error(node, widened, starts, found, how_wide, depth, generic)
    results = node.law.result_dtypes(node.accumulate)
    wides = node.law.result_dtypes(wide)
    return tuple(
        Value(numeric.convert(value.data, source, target), error=error)
        for value, source, target, error in zip(found, wides, results, errors, strict=True)
    )


def stripped(values: Sequence[Value]) -> list[Value]:
    """The values without what is known of their errors."""
    return [Value(value.data) for value in values]


def _evaluated(algebra: Algebra, args: Sequence[Value], init: Sequence[Value]) -> tuple[Value, ...]:
    """A balanced tree over neighbours, start values merged on the left."""
    state = algebra.lift(args)
    lead = state[0].data.shape[:-1]
    if _count(state) == 0:
        state = spread(algebra.identity(len(lead) + 1), (*lead, 1))
    while (count := _count(state)) > 1:
        even = count - count % 2
        merged = algebra.merge(part(state, slice(0, even, 2)), part(state, slice(1, even, 2)))
        state = joined([merged, part(state, slice(even, None))]) if count % 2 else merged
    if init:
        start = tuple(value.each(lambda array: array[..., None]) for value in init)
        state = algebra.merge(_as_state(algebra, start), state)
    return tuple(value.each(lambda array: array[..., 0]) for value in algebra.finalize(state))


def _quick(law: Law, dtype: DType, args: Sequence[Value]) -> tuple[Value, ...] | None:
    """NumPy's own reduction, where it means the same."""
    data = args[0].data
    if data.shape[-1] == 0:
        return None
    if law.builtin is not None and dtype.kind != "bool" and law.lift == (Var("x"),):
        reduction: Callable[..., Array] = _UFUNCS[law.builtin].reduce
        return (Value(np.asarray(reduction(data, axis=-1, dtype=data.dtype))),)
    if law in (ARGMAX, ARGMIN):
        found = np.argmax(data, axis=-1) if law == ARGMAX else np.argmin(data, axis=-1)
        return (Value(np.asarray(found).astype(np.int64)),)
    return None


_UFUNCS = {
    "add": np.add,
    "mul": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
