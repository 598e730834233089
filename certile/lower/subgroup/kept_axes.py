"""Reductions that keep axes: uniform loops over these, and folds that each lane makes alone.

In: the steps of a row program with lane axes, at the place where they stand.  Out: the results, in
the scope of the loop that makes them and in their stripe if they outlive it.  Decides the order in
which one lane folds where the policy leaves it open: blocks of 64 leaves, so that a rounding error
grows with the blocks and not with the leaves.  Leaves the sweeps of lanes to `subgroup`, and the
trees they share to `reductions`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from certile.analysis.layout import ORDERED_TREES
from certile.analysis.nests import is_step_of_its_own
from certile.diagnostics import InternalError
from certile.ir.dtypes import i64
from certile.ir.folds import alike_components, alike_variables
from certile.ir.machine import Value
from certile.ir.node import Node
from certile.ir.rows import Step
from certile.ir.terms import variables
from certile.ir.tile import FOLD_POLICIES, Parallel, Reduce, Result
from certile.ir.types import Axis
from certile.lower.blocks import Member, states_of
from certile.lower.combine import in_blocks
from certile.lower.coordinates import Coordinate, unflatten, value_of
from certile.lower.evaluate import Evaluator, Scope
from certile.lower.reference.folds import Folds
from certile.lower.state import Memo, State, StateMachine
from certile.lower.subgroup.stripes import Stripes
from certile.plan.blocks import LEAVES

Carried = tuple[Value, ...]


class KeptAxes:
    """What the subgroup family does for kept axes, in one kernel."""

    def __init__(self, evaluator: Evaluator, stripes: Stripes) -> None:
        self._evaluator, self._builder, self._stripes = evaluator, evaluator.builder, stripes
        self._allocate = partial(evaluator.interface.array, "tree")

    def nest(self, step: Step, body: Callable[[], None]) -> None:
        """Run `body` for each coordinate of the axis of a nest, the same in all lanes."""
        if not isinstance(step.node, Parallel):
            raise InternalError("M020", "a nest without its axis", loc=step.node.loc)

        def one(carried: Carried) -> Carried:
            body()
            return carried

        self.walk(step.node.over, (), one)

    def walk(
        self, axes: Sequence[Axis], carried: Carried, body: Callable[[Carried], Carried]
    ) -> Carried:
        """Run `body` for every point of the axes, the outermost first, carrying values."""
        if not axes:
            return body(carried)

        def one(index: Value, values: Carried) -> Carried:
            with self._evaluator.scope({axes[0]: Coordinate(index)}):
                return self.walk(axes[1:], values, body)

        return self._builder.for_(0, axes[0].static, 1, carried, one, varying=True)

    def leaf(self, reduction: Reduce) -> Coordinate:
        """The position of the element in scope in the leaf order of a reduction."""
        at = self._builder.const(0, i64)
        for axis in reduction.over:
            here = value_of(self._builder, self._evaluator.at.coordinates[axis])
            at = self._builder.add(self._builder.mul(at, axis.static), here)
        if at.varying:
            return Coordinate(self._builder.const(0, i64), offset=at)
        return Coordinate(at)

    def record(self, reduction: Reduce, values: State) -> None:
        """Make the results known in the scope that stands, and keep them where there is a stripe.

        Results over no lane axis are the same in all lanes.
        """
        memo = self._evaluator.at.memo
        memo[reduction] = values[0]
        for k, (value, type_) in enumerate(zip(values, reduction.result_types(), strict=True)):
            memo[Result(of=reduction, index=k, type=type_)] = value
            if reduction in self._stripes:
                self._stripes.store(reduction, value, k)

    # A lane's own folds.

    def inline(self, reduction: Reduce, *, alike: bool) -> State:
        """The results of a reduction at the element in scope, made there by each lane alone.

        `alike` says that all lanes stand at one element of it.  What lanes read under masks of
        their own differs all the same.
        """
        evaluator = self._evaluator
        alike = alike and evaluator.at.mask is None
        machine = StateMachine(evaluator, reduction)
        evaluator.hoist(reduction.args, reduction.over, is_step_of_its_own)
        results = Folds(evaluator, machine, self._allocate, varying=not alike).results()
        if alike:
            results = tuple(self._builder.first_lane(value) for value in results)
        for k, (value, type_) in enumerate(zip(results, reduction.result_types(), strict=True)):
            evaluator.at.memo[Result(of=reduction, index=k, type=type_)] = value
        return results

    def fold(self, reduction: Reduce, scopes: Sequence[Scope], *, alike: bool) -> None:
        """Make a reduction for the elements of some scopes, each by its lane alone.

        One loop over the leaves serves all the elements, where the policy wants no tree.  `alike`
        says that all lanes stand at one element: then they make one result.
        """
        evaluator, builder = self._evaluator, self._builder
        machine = StateMachine(evaluator, reduction)
        for scope in scopes:
            with evaluator.within(scope):
                evaluator.hoist(reduction.args, reduction.over, is_step_of_its_own)
        if reduction.policy in ORDERED_TREES:
            states = [self._tree(machine, scope, alike=alike) for scope in scopes]
        else:
            leaves = _Leaves(evaluator, machine, scopes, varying=not alike)
            states = leaves.split(leaves.folded())
        for scope, state in zip(scopes, states, strict=True):
            with evaluator.within(scope):
                tree = reduction.policy not in FOLD_POLICIES
                results = machine.finish(state) if tree else machine.finalize(state)
                if alike:
                    results = tuple(builder.first_lane(value) for value in results)
                self.record(reduction, results)

    def _tree(self, machine: StateMachine, scope: Scope, *, alike: bool) -> State:
        reduction = machine.reduction
        varying = not alike or reduction.policy == "reproducible"
        folds = Folds(self._evaluator, machine, self._allocate, varying=varying)
        with self._evaluator.within(scope):
            return folds.ordered() if reduction.policy == "ordered_tree" else folds.reproducible()


class _Together:
    """States of one reduction for several elements at once, with what they share held once.

    Components of a state that do not differ along the axes of the elements come first, then the
    others of each element in turn.
    """

    def __init__(self, machine: StateMachine, axes: Collection[Axis]) -> None:
        self._machine = machine
        fold, parts = machine.reduction, machine.law.state
        alike = alike_components(fold, axes)
        self._alike = [k for k, part in enumerate(parts) if part.name in alike]
        self._own = [k for k, part in enumerate(parts) if part.name not in alike]
        self._shared = alike_variables(fold, axes)

    def joined(self, states: Sequence[State]) -> State:
        """The states as one."""
        own = (state[k] for state in states for k in self._own)
        return (*(states[0][k] for k in self._alike), *own)

    def split(self, state: State, count: int) -> list[State]:
        """The states of that many elements."""
        width, first = len(self._own), len(self._alike)
        alike = dict(zip(self._alike, state[:first], strict=True))
        out = []
        for start in range(first, first + count * width, width) if width else [first] * count:
            own = dict(zip(self._own, state[start : start + width], strict=True))
            out.append(tuple((alike | own)[k] for k in range(first + width)))
        return out

    def merge(self, pairs: Iterable[tuple[State, State]]) -> State:
        """Both states of each element merged."""
        memo: Memo = {}
        made = []
        for a, b in pairs:
            made.append(self._machine.merge(a, b, memo))
            memo = self.kept(memo)
        return self.joined(made)

    def of_blocks(self, blocks: Sequence[Sequence[Member]]) -> list[State]:
        """The state of a block of leaves for each element, by the law's closed forms."""
        return states_of(self._machine, blocks, self._shared)

    def kept(self, memo: Memo) -> Memo:
        """What is the same for the next element."""
        return {term: made for term, made in memo.items() if variables([term]) <= self._shared}


class _Leaves:
    """The leaves of one reduction for several elements at once."""

    def __init__(
        self,
        evaluator: Evaluator,
        machine: StateMachine,
        scopes: Sequence[Scope],
        *,
        varying: bool,
    ) -> None:
        self._evaluator, self._builder = evaluator, evaluator.builder
        self._machine, self._scopes, self._varying = machine, scopes, varying
        self._count = machine.reduction.leaves
        self._together = _Together(machine, scopes[0].domain or ())

    def split(self, state: State) -> list[State]:
        """The states of the elements."""
        return self._together.split(state, len(self._scopes))

    def _merge(self, a: State, b: State) -> State:
        return self._together.merge(zip(self.split(a), self.split(b), strict=True))

    def _block(self, first: Value) -> list[State]:
        """The states of `LEAVES` leaves, one for each element."""
        leaves = [self._values(self._builder.add(first, k)) for k in range(LEAVES)]
        members = zip(*leaves, strict=True)
        return self._together.of_blocks([[(values, None) for values in own] for own in members])

    def _values(self, linear: Value) -> list[tuple[Value, ...]]:
        """The operands of one leaf, for each element."""
        reduction = self._machine.reduction
        coordinates = unflatten(self._builder, Coordinate(linear), reduction.over)
        shared = self._shared(coordinates)
        made = []
        for scope in self._scopes:
            with self._evaluator.within(scope), self._evaluator.scope(coordinates) as own:
                own.memo.update(shared)
                made.append(tuple(self._evaluator.value(arg) for arg in reduction.args))
        return made

    def _leaf(self, linear: Value) -> State:
        made, memo = list[State](), Memo()
        for values in self._values(linear):
            made.append(self._machine.lift(values, linear, memo))
            memo = self._together.kept(memo)
        return self._together.joined(made)

    def _shared(self, coordinates: Mapping[Axis, Coordinate]) -> dict[Node, Value]:
        """What a leaf is made of that is the same for all elements."""
        lanes = self._scopes[0].domain or ()
        with self._evaluator.scope(coordinates) as scope:
            self._evaluator.hoist([self._machine.reduction], lanes, is_step_of_its_own)
            return scope.memo

    def folded(self) -> State:
        """The fold of all leaves, in the order of the policy."""
        machine, count = self._machine, self._count
        none = [machine.identity()] * len(self._scopes) if machine.law.identity else []
        identity, first = self._together.joined(none) if none else (), State()
        if machine.reduction.policy in FOLD_POLICIES:
            begun = []
            for scope in self._scopes:
                with self._evaluator.within(scope):
                    begun.append(machine.start() or machine.identity())
            first = self._together.joined(begun)
        match machine.reduction.policy:
            case "fold_left":
                return self._run(first, self._builder.const(0, i64), count)
            case "fold_right":
                return self._back(first)
            case _:
                run = partial(self._run, identity)
                return in_blocks(
                    self._builder, count, identity, run, self._merge, varying=self._varying
                )

    def _run(self, first: State, start: Value, count: int) -> State:
        builder = self._builder

        def body(index: Value, state: State) -> State:
            return self._merge(state, self._leaf(builder.add(start, index)))

        def block(index: Value, state: State) -> State:
            made = self._block(builder.add(start, index))
            return self._together.merge(zip(self.split(state), made, strict=True))

        whole = 0 if self._machine.forms is None else count - count % LEAVES
        if whole:
            first = builder.for_(0, whole, LEAVES, first, block, varying=self._varying)
        if whole == count:
            return first
        return builder.for_(whole, count, 1, first, body, varying=self._varying)

    def _back(self, last: State) -> State:
        def body(index: Value, state: State) -> State:
            return self._merge(self._leaf(self._builder.sub(self._count - 1, index)), state)

        return self._builder.for_(0, self._count, 1, last, body, varying=self._varying)
