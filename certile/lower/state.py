"""A law's state as Machine IR values: identity, lift, merge and finalize.

In: a `Reduce` node and an evaluator for the functions its terms name.  Out: tuples of values, one a
state component.  Decides only how a term's literals are typed.
"""

from __future__ import annotations

from typing import Final

from certile.ir.dtypes import DType
from certile.ir.laws import cast_target, literal_dtype, literal_value
from certile.ir.machine import Value
from certile.ir.terms import Lit, Term, evaluate
from certile.ir.tile import Reduce
from certile.lower.evaluate import Evaluator
from certile.plan.blocks import forms_of

State = tuple[Value, ...]
# What makes an element the one of two that an extremum takes.
BEATS: Final = {"maximum": "gt", "minimum": "lt"}
# Terms over some variables, with their values.
Memo = dict[Term, Value]


class StateMachine:
    """The operations of one reduction's law; of a scan, `reduction` is its total.

    With `drops_nan` the result may be any number where an element is NaN (`analysis.nans`).
    """

    def __init__(self, evaluator: Evaluator, reduction: Reduce, *, drops_nan: bool = False) -> None:
        self._evaluator = evaluator
        self._drops_nan = drops_nan
        self.builder = evaluator.builder
        self.reduction = reduction
        self.law = reduction.law
        self.dtypes = self.law.state_dtypes(reduction.accumulate, reduction.leaves)
        self._index_dtype = self.law.index_dtype(reduction.leaves)
        # By which several elements become a state without merges; None where they do not.
        self.forms = forms_of(reduction)

    def _terms(
        self,
        terms: tuple[Term, ...],
        dtypes: tuple[DType, ...],
        variables: dict[str, Value],
        memo: Memo | None = None,
    ) -> State:
        memo = {} if memo is None else memo
        return tuple(
            self.term(term, dtype, variables, memo)
            for term, dtype in zip(terms, dtypes, strict=True)
        )

    def term(
        self, term: Term, dtype: DType, variables: dict[str, Value], memo: dict[Term, Value]
    ) -> Value:
        """One term as a value of a dtype, which its literals have where nothing stands beside."""

        def literal(lit: Lit, beside: Value | None) -> Value:
            own = literal_dtype(lit, self.reduction.accumulate)
            at = own or (dtype if beside is None else beside.dtype)
            return self.builder.const(literal_value(lit.value, at), at)

        made = evaluate(term, variables, literal, self.apply, memo)
        return self.builder.convert(made, dtype)

    def apply(self, fn: str, args: tuple[Value, ...]) -> Value:
        """A function of terms, as values."""
        if fn == "is":
            return self._same(*args)
        if fn in BEATS and self._drops_nan and self.compares_nan:
            return self.builder.select(self.builder.compute(BEATS[fn], *args), *args)
        target = cast_target(fn, self.reduction.accumulate)
        if target is not None:
            return self.builder.convert(args[0], target)
        return self._evaluator.promoted(fn, args)

    def _same(self, a: Value, b: Value) -> Value:
        """Whether two numbers are equal, or both are NaN."""
        equal, known = self._evaluator.promoted("eq", (a, b)), self.builder.facts.constants
        if any(at in known and known[at] == known[at] for at in (a, b)):
            return equal
        nans = [self._evaluator.promoted("ne", (at, at)) for at in (a, b)]
        return self.builder.compute("bit_or", equal, self.builder.compute("bit_and", *nans))

    @property
    def compares_nan(self) -> bool:
        """Whether the target's greater of two values takes more than one instruction for NaN."""
        return self._evaluator.sheet.kind == "cpu"

    @property
    def given(self) -> dict[str, Value]:
        """The parameters of the law, by name, at the element in scope."""
        pairs = zip(self.law.parameters, self.reduction.given, strict=True)
        return {name: self._evaluator.value(tile) for name, tile in pairs}

    def identity(self) -> State:
        """The state of the empty list; a fold function without one has none and must have init.

        Raises ValueError for a law without one.
        """
        if self.law.identity is None:
            raise ValueError(f"{self.law.name} has no identity")
        return self._terms(self.law.identity, self.dtypes, {})

    def lift(
        self, values: tuple[Value, ...], index: Value | None, memo: Memo | None = None
    ) -> State:
        """The state of one element; `index` is its linear index in leaf order.

        `memo` holds terms that are made already, and takes those that are made here.
        """
        variables = self.given | dict(zip(self.law.lift_variables(), values, strict=True))
        if self.law.indexed and index is not None:
            variables["i"] = self.builder.convert(index, self._index_dtype)
        return self._terms(self.law.lift, self.dtypes, variables, memo)

    def merge(self, a: State, b: State, memo: Memo | None = None) -> State:
        """The state of `a`'s elements followed by `b`'s; `memo` as for `lift`."""
        variables = self.given
        variables |= zip(self._components("a."), a, strict=True)
        variables |= zip(self._components("b."), b, strict=True)
        return self._terms(self.law.merge, self.dtypes, variables, memo)

    def finalize(self, state: State) -> State:
        """The results, in the law's order and types."""
        variables = self.given | dict(zip(self._components(), state, strict=True))
        results = self.law.result_dtypes(self.reduction.accumulate)
        return self._terms(self.law.finalize, results, variables)

    def _components(self, side: str = "") -> list[str]:
        return [side + part.name for part in self.law.state]

    def start(self) -> State | None:
        """The start value the program wrote, or None."""
        if not self.reduction.init:
            return None
        return tuple(
            self.builder.convert(self._evaluator.value(init), dtype)
            for init, dtype in zip(self.reduction.init, self.dtypes, strict=True)
        )

    def finish(self, state: State) -> State:
        """Merge the start value in front and finalize; for tree policies."""
        start = self.start()
        return self.finalize(state if start is None else self.merge(start, state))
