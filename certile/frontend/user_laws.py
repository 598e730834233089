"""Laws that an author wrote as a class: their methods, run once on symbolic states.

In: a `UserLaw` of the language and the dtype a reduction accumulates in.  Out: an ordinary `Law`.
Decides what the methods may return, and that a law is tested on generated lists before elements are
regrouped by it, which proves nothing.  Leaves the test to `certile.reference.counterexample` and
what is computed to the terms.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from certile.frontend.dtype_names import dtype_of
from certile.frontend.elementwise import Operand, convert, lift
from certile.frontend.fold import TermWriter
from certile.frontend.handles import TileHandle
from certile.frontend.state import State
from certile.ir.dtypes import DType, bool_, i64, promote, weak
from certile.ir.laws import Component, Law, StateType, state_dtype
from certile.ir.terms import Term, Var
from certile.ir.tile import Policy
from certile.ir.tile import Tile as IrTile
from certile.language.laws import Method, UserLaw

_ORDERED = ("ordered_tree", "fold_left", "fold_right")
_FOLDS = ("fold_left", "fold_right")
_EXEMPLARS: dict[str, bool | int | float] = {"bool": True, "int": 0, "float": 0.0}


def user_law(state: State, written: UserLaw, policy: Policy, accumulate: DType) -> Law:
    """Return the law for values of `accumulate`, tested if the policy is a tree.

    Raises `KernelError` K020 for a policy that does not keep the order that the law needs, K041 for
    a method that does not fit, K042 for a law that its own elements contradict.
    """
    if not written.commutative and policy not in _ORDERED:
        message = f"{policy} permutes the elements, and law {written.name} is not commutative"
        hint = 'use policy="ordered_tree"'
        raise state.fault("K020", message, hint=hint)
    methods = _Methods(state, written, accumulate)
    law, invariants = methods.law(), methods.invariants()
    if policy not in _FOLDS:
        # Laws of authors are few, and the interpreter takes longer to import than a kernel to load.
        from certile.reference.counterexample import counterexample

        found = counterexample(law, accumulate, invariants)
        if found is not None:
            message = f"law {law.name} is contradicted by a test: {found.claim}"
            raise state.fault("K042", message, notes=found.values, hint=found.hint)
    return law


class _StateHandle:
    """A state as a method reads it: `s.total` or `s["total"]`."""

    __slots__ = ("_missing", "_values")

    def __init__(
        self, values: Mapping[str, TileHandle], missing: Callable[[str], Exception]
    ) -> None:
        self._values = values
        self._missing = missing

    def __getattr__(self, name: str) -> TileHandle:
        # Libraries and Python itself ask for such names to see what they have before them.
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> TileHandle:
        if name not in self._values:
            raise self._missing(name)
        return self._values[name]


class _Methods:
    """Runs the methods of one law."""

    def __init__(self, state: State, written: UserLaw, accumulate: DType) -> None:
        self._state = state
        self._written = written
        self._accumulate = accumulate
        self._types = {name: self._state_type(name, at) for name, at in written.state.items()}
        self._dtypes = {n: state_dtype(kind, accumulate) for n, kind in self._types.items()}
        parameters = inspect.signature(written.lift).parameters.values()
        plain = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self._operands = [each.name for each in parameters if each.kind is plain]
        self._indexed = any(each.name == "index" and each.kind is not plain for each in parameters)

    def law(self) -> Law:
        """The law that the methods give."""
        finalized, results = self._finalize()
        return Law(
            name=self._written.name,
            state=tuple(Component(name, kind) for name, kind in self._types.items()),
            identity=self._states("identity", self._written.identity, self._writer("identity")),
            lift=self._lift(),
            merge=self._merge(),
            finalize=finalized,
            results=results,
            operands=len(self._operands),
            indexed=self._indexed,
            commutative=self._written.commutative,
        )

    def invariants(self) -> tuple[Term, ...]:
        """The conditions that every state fulfils."""
        method = self._written.invariants
        if method is None:
            return ()
        writer = self._writer("invariants")
        given = method(self._of(writer, ""))
        nodes = [self._any(writer, "invariants", each) for each in _listed(given)]
        if any(node.dtype != bool_ for node in nodes):
            raise self._fault("invariants", "gives something else than conditions")
        return tuple(map(writer.term, nodes))

    def _lift(self) -> tuple[Term, ...]:
        writer = self._writer("lift")
        names = ["x"] if len(self._operands) == 1 else [f"x{k}" for k in range(len(self._operands))]
        given = [self._state.tile(writer.variable(Var(n), self._accumulate)) for n in names]
        index: dict[str, Any] = {}
        if self._indexed:
            index["index"] = self._state.tile(writer.variable(Var("i"), i64))
        return self._states("lift", self._written.lift, writer, *given, **index)

    def _merge(self) -> tuple[Term, ...]:
        writer = self._writer("merge")
        sides = (self._of(writer, side) for side in ("a.", "b."))
        return self._states("merge", self._written.merge, writer, *sides)

    def _finalize(self) -> tuple[tuple[Term, ...], tuple[StateType, ...]]:
        writer = self._writer("finalize")
        given = self._written.finalize(self._of(writer, ""))
        nodes = [self._any(writer, "finalize", each) for each in _listed(given)]
        if not nodes:
            raise self._fault("finalize", "gives nothing")
        return tuple(map(writer.term, nodes)), tuple(self._kind(node.dtype) for node in nodes)

    def _states(
        self, name: str, method: Method, writer: TermWriter, *given: object, **named: object
    ) -> tuple[Term, ...]:
        """The components that a method returns, in order, each in the dtype of the state."""
        made = method(*given, **named)
        parts = self._in_order(name, made) if isinstance(made, dict) else _listed(made)
        if len(parts) != len(self._types):
            count, wanted = len(parts), ", ".join(self._types)
            raise self._fault(name, f"gives {count} value(s) for the state ({wanted})")
        nodes = [
            self._component(writer, name, component, part)
            for component, part in zip(self._types, parts, strict=True)
        ]
        return tuple(map(writer.term, nodes))

    def _in_order(self, name: str, made: Mapping[str, object]) -> Sequence[object]:
        wrong = sorted(set(made) ^ set(self._types))
        if wrong:
            what = "lacks" if wrong[0] in self._types else "gives an unknown"
            raise self._fault(name, f"{what} component {wrong[0]}")
        return [made[component] for component in self._types]

    def _component(self, writer: TermWriter, name: str, component: str, value: object) -> IrTile:
        """A returned value in the dtype of its component, where that loses nothing."""
        operand, wanted = lift(self._state, value), self._dtypes[component]
        writer.require_pure()
        if operand.weak is None:
            kept = promote(operand.natural, wanted) == wanted
        else:
            kept = weak(wanted, _EXEMPLARS[operand.weak]) == wanted
        if not kept:
            raise self._fault(name, f"gives {operand.natural} for {component}, which is {wanted}")
        return convert(self._state, operand, wanted)

    def _any(self, writer: TermWriter, name: str, value: object) -> IrTile:
        """A returned value in its own dtype; a number takes the one that is accumulated in."""
        operand: Operand = lift(self._state, value)
        writer.require_pure()
        fits = operand.weak is not None and (
            weak(self._accumulate, _EXEMPLARS[operand.weak]) == self._accumulate
        )
        return convert(self._state, operand, self._accumulate if fits else operand.natural)

    def _of(self, writer: TermWriter, side: str) -> _StateHandle:
        values = writer.variables(side, self._dtypes)
        handles = {name: self._state.tile(value) for name, value in values.items()}

        def missing(name: str) -> Exception:
            message = f"law {self._written.name} has no state component {name}"
            hint = f"its state is {', '.join(self._types)}"
            return self._state.fault("K041", message, hint=hint)

        return _StateHandle(handles, missing)

    def _writer(self, name: str) -> TermWriter:
        return TermWriter(self._state, self._accumulate, lambda what: self._fault(name, what))

    def _fault(self, name: str, what: str) -> Exception:
        return self._state.fault("K041", f"{name} of law {self._written.name} {what}")

    def _state_type(self, name: str, at: object) -> StateType:
        if at == "acc" or at == "index":
            return "acc" if at == "acc" else "index"
        dtype = dtype_of(at)
        if dtype is None or dtype.is_storage:
            message = f"component {name} of law {self._written.name} is {at!r}"
            hint = 'use "acc", "index" or a dtype that is computed in'
            raise self._state.fault("K041", message, hint=hint)
        return "bool" if dtype == bool_ else dtype

    def _kind(self, dtype: DType) -> StateType:
        """How a result is typed: with the accumulation where it has that dtype."""
        if dtype == self._accumulate:
            return "acc"
        return "bool" if dtype == bool_ else dtype


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, tuple | list) else (value,)
