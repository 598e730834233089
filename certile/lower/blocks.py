"""A block of elements as one state of a law: closed forms over a list as trees of values.

In: the state machine of a reduction, and the operands of elements that lie in registers together.
Out: their state, or an accumulator that has taken them.  A list operation is a balanced tree of a
term of each element; an element that does not exist adds what the operation makes of none.  Which
laws have such forms, and how large a block is, `plan.blocks` decides.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import reduce
from math import nan

from certile.ir.dtypes import DType
from certile.ir.laws import literal_value
from certile.ir.machine import Value
from certile.ir.terms import Apply, Lit, Term, Var, variables
from certile.lower.state import BEATS, State, StateMachine

# One element of a block: the values of its operands, and the mask if it may not exist.
Member = tuple[tuple[Value, ...], Value | None]

# What a list operation merges two terms with, and what it makes of no elements.
_LISTS = {
    "list.sum": ("add", 0.0),
    "list.prod": ("mul", 1.0),
    "list.max": ("maximum", float("-inf")),
    "list.min": ("minimum", float("inf")),
}


def state_of(machine: StateMachine, members: Sequence[Member]) -> State:
    """The state of some elements, of which at least one exists; ValueError without closed forms."""
    if machine.forms is None:
        raise ValueError(f"{machine.law.name} has no closed form over a list")
    return _Block(machine, members).state(machine.forms)


def states_of(
    machine: StateMachine, blocks: Sequence[Sequence[Member]], alike: Collection[str]
) -> list[State]:
    """The states of blocks that differ only in what `alike` does not name; made as `state_of`.

    What terms read of these names alone is made once.

    Raises ValueError for a law without closed forms.
    """
    if machine.forms is None:
        raise ValueError(f"{machine.law.name} has no closed form over a list")
    made, before = list[State](), None
    for members in blocks:
        block = _Block(machine, members)
        if before is not None:
            block.take(before, alike)
        made.append(block.state(machine.forms))
        before = block
    return made


def fold_block(machine: StateMachine, before: State, members: Sequence[Member]) -> State:
    """`before` with the elements of a block; `before` where none of them exists."""
    builder = machine.builder
    alone = machine.lift(members[0][0], None) if len(members) == 1 else None
    after = machine.merge(before, alone or state_of(machine, members))
    masks = [mask for _, mask in members if mask is not None]
    if len(masks) < len(members):
        return after
    some = reduce(lambda a, b: builder.compute("bit_or", a, b), masks)
    return builder.select_all(some, after, before)


class _Block:
    """The terms of closed forms over the elements of one block.

    `shared` are the values that all elements read: components made before, and list operations.
    """

    def __init__(self, machine: StateMachine, members: Sequence[Member]) -> None:
        self._machine = machine
        self._masks = [mask for _, mask in members]
        names = machine.law.lift_variables()
        self._own = [dict(zip(names, values, strict=True)) for values, _ in members]
        self._memos: list[dict[Term, Value]] = [{} for _ in members]
        self.shared = machine.given
        # The list operations among these, by their names.
        self.lists: dict[str, Apply] = {}

    def state(self, forms: Sequence[Term]) -> State:
        """The state of the elements, by the closed form of each component."""
        machine = self._machine
        names = [f"state.{part.name}" for part in machine.law.state]
        for name, dtype, form in zip(names, machine.dtypes, forms, strict=True):
            if name not in self.shared:
                self.define(name, form, dtype)
        return tuple(self.shared[name] for name in names)

    def take(self, other: _Block, alike: Collection[str]) -> None:
        """Take from a block of as many elements what reads nothing but `alike`."""
        known = set(alike)
        for name, value in other.shared.items():
            if variables([other.lists[name]] if name in other.lists else [Var(name)]) <= known:
                known.add(name)
                self.shared[name] = value
        for own, theirs in zip(self._memos, other._memos, strict=True):
            own |= {term: made for term, made in theirs.items() if variables([term]) <= known}

    def define(self, name: str, form: Term, dtype: DType) -> None:
        """Make the value of a closed form, which later ones read by its name."""
        self.shared[name] = self._machine.term(
            self._without_lists(form, dtype), dtype, self.shared, {}
        )

    def _without_lists(self, term: Term, dtype: DType) -> Term:
        """The term with each list operation made, and a name in its place."""
        if not isinstance(term, Apply):
            return term
        match term:
            case Apply("div", (Apply("list.sum", (of,)), Apply("list.sum", (Lit() as one,)))):
                return self._without_lists(self._mean(of, one, dtype), dtype)
            case _:
                pass
        args = tuple(self._without_lists(arg, dtype) for arg in term.args)
        if term.fn not in _LISTS:
            return Apply(term.fn, args)
        name = str(Apply(term.fn, args))
        if name not in self.shared:
            self.lists[name] = Apply(term.fn, args)
            self.shared[name] = self._list(term.fn, args[0], dtype)
        return Var(name)

    def _mean(self, of: Term, one: Lit, dtype: DType) -> Term:
        """The sum of some terms over their number, neither of which outgrows the terms.

        The merge of two means does not overflow, so neither may the mean of a block: both are
        scaled by a power of two, which rounds no normal number.
        """
        total = Apply("list.sum", (of,))
        if str(total) in self.shared:
            # The state holds the sum itself.
            return Apply("div", (Var(str(total)), Apply("list.sum", (one,))))
        scale = Lit(1.0 / (1 << (len(self._own) - 1).bit_length()))
        scaled = Apply("list.sum", (Apply("mul", (of, scale)),))
        if not self._is_whole:
            # The number with another operation on top is none that this rule would meet again.
            return Apply("div", (scaled, Apply("mul", (Apply("list.sum", (one,)), scale))))
        number = self._number(one, dtype) * float(scale.value)
        return scaled if number == 1 else Apply("div", (scaled, Lit(number)))

    @property
    def _is_whole(self) -> bool:
        """Whether every element exists."""
        return all(mask is None for mask in self._masks)

    def _number(self, one: Lit, dtype: DType) -> float:
        """A literal, summed over all elements."""
        return len(self._own) * float(literal_value(one.value, dtype))

    def _list(self, operation: str, term: Term, dtype: DType) -> Value:
        merge, unit = _LISTS[operation]
        machine, builder = self._machine, self._machine.builder
        if isinstance(term, Lit) and operation == "list.sum" and self._is_whole:
            return builder.const(self._number(term, dtype), dtype)
        none = builder.const(unit, dtype)

        def terms() -> Iterable[Value]:
            for own, memo, mask in zip(self._own, self._memos, self._masks, strict=True):
                made = machine.term(term, dtype, {**self.shared, **own}, memo)
                yield made if mask is None else builder.select(mask, made, none)

        if merge in BEATS and dtype.is_float and machine.compares_nan:
            return self._extreme(list(terms()), BEATS[merge])
        return _tree(terms(), lambda a, b: machine.apply(merge, (a, b)))

    def _extreme(self, values: Sequence[Value], beats: str) -> Value:
        """The greatest or least value, or NaN if there is one.

        A NaN is looked for beside the comparisons, and once: each of them alone would take two
        instructions more, in a row.
        """
        builder = self._machine.builder
        best = _tree(values, lambda a, b: builder.select(builder.compute(beats, a, b), a, b))
        missing = _tree(
            (builder.compute("isnan", value) for value in values),
            lambda a, b: builder.compute("bit_or", a, b),
        )
        return builder.select(missing, builder.const(nan, best.dtype), best)


def _tree(values: Iterable[Value], merge: Callable[[Value, Value], Value]) -> Value:
    """Merge neighbours in a balanced tree, each as soon as it is there, so that few values live."""
    held: list[tuple[int, Value]] = []
    for value in values:
        level = 0
        while held and held[-1][0] == level:
            value, level = merge(held.pop()[1], value), level + 1
        held.append((level, value))
    result = held.pop()[1]
    while held:
        result = merge(held.pop()[1], result)
    return result
