"""The functions of a law on arrays: identity, lift, merge and finalize, in one dtype.

In: a law, an accumulation dtype, states as `Value`s.  Out: states.  Decides the dtypes of terms, as
generated code has them.  Leaves the order of merges to `laws`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as fold

import numpy as np

from certile.ir.dtypes import DType, bool_, promote
from certile.ir.functions import FUNCTIONS
from certile.ir.laws import Law, cast_target, literal_dtype, literal_value
from certile.ir.terms import Lit, Term, evaluate
from certile.records import record
from certile.reference import machine_numeric as numeric
from certile.reference.bounding import Freedom, bound, bound_conversion
from certile.reference.functions import Overrides, apply
from certile.reference.values import Value

State = tuple[Value, ...]


@record
class Typed:
    """A value of a term with its dtype."""

    dtype: DType
    value: Value


class Algebra:
    """The functions of a law on arrays, computed in one accumulation dtype.

    With `how`, error bounds are carried along; otherwise values are only computed, with `overrides`
    for inexact functions.  `given` are the law's parameters, whose last dimension has one element.
    """

    def __init__(
        self,
        law: Law,
        accumulate: DType,
        elements: int,
        how: Freedom | None = None,
        overrides: Overrides | None = None,
        given: Sequence[Value] = (),
    ) -> None:
        self.law = law
        self.accumulate = accumulate
        self.state_dtypes = law.state_dtypes(accumulate, elements)
        self.index_dtype = law.index_dtype(elements)
        pairs = zip(law.parameters, given, strict=True)
        self.shared = {name: Typed(accumulate, value) for name, value in pairs}
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
        names = self.law.lift_variables()
        variables = self.shared | {
            name: Typed(self.accumulate, arg) for name, arg in zip(names, args, strict=True)
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
        variables = dict(self.shared)
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
        variables = self.shared | {
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

    def term(self, term: Term, variables: dict[str, Typed], memo: dict[Term, Typed]) -> Value:
        """A term over typed variables; `memo` gives whole subterms a value."""
        if isinstance(term, Lit):
            return self._literal(term, self.accumulate).value
        return evaluate(term, variables, self._beside, self._apply, memo).value

    @property
    def may_flush(self) -> bool:
        """Whether subnormal results may be zero."""
        return self._how is not None and self._how.flushed

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
