"""The methods of a law that an author wrote as a class, run once on symbolic states.

In: a `UserLaw` of the language and the dtype a reduction accumulates in.  Out: the `Law`, and what
its author claims of it, as terms.  Decides what the methods may return.  Leaves what is done with
the claims to `certile.frontend.user_laws`, and what is computed to the terms.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import CodeType

from certile.diagnostics import KernelError, with_article
from certile.frontend.dtype_names import dtype_of
from certile.frontend.elementwise import EXEMPLARS, Operand, convert, lift
from certile.frontend.fold import TermWriter
from certile.frontend.handles import TileHandle
from certile.frontend.lists import ElementsHandle, Lists
from certile.frontend.state import State
from certile.ir.dtypes import DType, bool_, highest, i64, promote, weak
from certile.ir.laws import Component, Law, StateType, state_dtype
from certile.ir.terms import Apply, Lit, Term, Var
from certile.ir.tile import Tile as IrTile
from certile.language.laws import Method, UserLaw
from certile.source import Loc

# What Python does with operands, and with what is taken for a number or a collection.
_OPERATORS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_OTHERS = (
    *("neg", "pos", "abs", "invert", "bool", "int", "float", "index", "len", "iter", "call"),
    *("lt", "le", "gt", "ge", "eq", "ne"),
)


class LawState:
    """A state as a method reads it: `s.total` or `s["total"]`.

    Anything else that is done with it is the author's mistake, and raises what `misused` makes.
    """

    __slots__ = ("_missing", "_misused", "_values")

    def __init__(
        self,
        values: Mapping[str, TileHandle],
        missing: Callable[[str], Exception],
        misused: Callable[[], Exception],
    ) -> None:
        self._values = values
        self._missing = missing
        self._misused = misused

    def __getattr__(self, name: str) -> TileHandle:
        # Libraries and Python itself ask for such names to see what they have before them.
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> TileHandle:
        if name not in self._values:
            raise self._missing(name)
        return self._values[name]


def _misused(state: LawState, *_: object) -> object:
    """Stand for every operation that a state does not have."""
    raise state._misused()


for _name in (*_OTHERS, *_OPERATORS, *(f"r{_each}" for _each in _OPERATORS)):
    setattr(LawState, f"__{_name}__", _misused)


class Methods:
    """Runs the methods of one law.

    What they return is complained of where they return it, and the law itself at `loc`, or at the
    line of the kernel that runs then.
    """

    def __init__(
        self, state: State, written: UserLaw, accumulate: DType, loc: Loc | None = None
    ) -> None:
        self._state = state
        self._written = written
        self._accumulate = accumulate
        self._loc = loc
        self._types = {name: self._state_type(name, at) for name, at in written.state.items()}
        self._dtypes = {n: state_dtype(kind, accumulate) for n, kind in self._types.items()}
        self._widening: set[Term] = set()
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
            identity=self._places(
                self._states("identity", self._written.identity, self._writer("identity"))
            ),
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
            raise self.fault("invariants", "gives something else than conditions")
        return tuple(map(writer.term, nodes))

    def specification(self) -> tuple[Term, ...]:
        """What each result is of a list, by `spec`; () where the law has none."""
        method = self._written.spec
        if method is None:
            return ()
        writer = self._writer("spec")
        nodes = [self._any(writer, "spec", each) for each in _listed(method(self._list(writer)))]
        return tuple(self.plain(writer.term(node)) for node in nodes)

    def closed(self) -> dict[str, Term]:
        """The components of the state as `closed` has them of a list."""
        method = self._written.closed
        if method is None:
            return {}
        writer = self._writer("closed")
        made = method(self._list(writer))
        parts = made if isinstance(made, dict) else self._by_place(_listed(made))
        unknown = sorted(set(parts) - set(self._types))
        if unknown:
            raise self.fault("closed", f"gives an unknown component {unknown[0]}")
        terms = {
            name: writer.term(self._component(writer, "closed", name, value))
            for name, value in parts.items()
        }
        return {name: self.plain(term) for name, term in terms.items()}

    def step(self) -> tuple[Term, ...]:
        """The state after one more element, of `s.NAME` and the element; () where there is none."""
        method = self._written.step
        if method is None:
            return ()
        writer = self._writer("step")
        given, index = self._element(writer)
        return tuple(
            map(
                self.plain,
                self._states("step", method, writer, self._of(writer, "s."), *given, **index),
            )
        )

    def plain(self, term: Term) -> Term:
        """The term without conversions that change no number."""
        if not isinstance(term, Apply):
            return term
        made = Apply(term.fn, tuple(map(self.plain, term.args)))
        return made.args[0] if term in self._widening else made

    def _by_place(self, parts: Sequence[object]) -> dict[str, object]:
        if len(parts) != len(self._types):
            raise self.fault("closed", f"gives {len(parts)} value(s); return a dict of some")
        return dict(zip(self._types, parts, strict=True))

    def _list(self, writer: TermWriter) -> ElementsHandle:
        fields = dict.fromkeys(self._names(), self._accumulate)
        indices = {"i": i64} if self._indexed else {}
        held = {**fields, **indices}
        return Lists(self._state, writer, held, self._in_specification).elements()

    def _in_specification(self, what: str) -> Exception:
        """The error for what `spec` or `closed` does with a list, at the line that does it."""
        return self._state.fault("K041", f"the specification of law {self._written.name} {what}")

    def _names(self) -> list[str]:
        count = len(self._operands)
        return ["x"] if count == 1 else [f"x{k}" for k in range(count)]

    def _element(self, writer: TermWriter) -> tuple[list[TileHandle], dict[str, TileHandle]]:
        """One element, and its place by keyword."""
        given = [self._state.tile(writer.variable(Var(n), self._accumulate)) for n in self._names()]
        at = self._state.tile(writer.variable(Var("i"), i64))
        return given, {"index": at} if self._indexed else {}

    def _lift(self) -> tuple[Term, ...]:
        writer = self._writer("lift")
        given, index = self._element(writer)
        return self._places(self._states("lift", self._written.lift, writer, *given, **index))

    def _places(self, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """A state in which the greatest index is that of every width."""
        return tuple(
            Lit("last_index") if kind == "index" and _is_last(term) else term
            for kind, term in zip(self._types.values(), terms, strict=True)
        )

    def _merge(self) -> tuple[Term, ...]:
        writer = self._writer("merge")
        sides = (self._of(writer, side) for side in ("a.", "b."))
        return self._states("merge", self._written.merge, writer, *sides)

    def _finalize(self) -> tuple[tuple[Term, ...], tuple[StateType, ...]]:
        writer = self._writer("finalize")
        given = self._written.finalize(self._of(writer, ""))
        nodes = [self._any(writer, "finalize", each) for each in _listed(given)]
        if not nodes:
            raise self.fault("finalize", "gives nothing")
        return tuple(map(writer.term, nodes)), tuple(self._kind(node.dtype) for node in nodes)

    def _states(
        self, name: str, method: Method, writer: TermWriter, *given: object, **named: object
    ) -> tuple[Term, ...]:
        """The components that a method returns, in order, each in the dtype of the state."""
        made = method(*given, **named)
        parts = self._in_order(name, made) if isinstance(made, dict) else _listed(made)
        if len(parts) != len(self._types):
            count, wanted = len(parts), ", ".join(self._types)
            raise self.fault(name, f"gives {count} value(s) for the state ({wanted})")
        nodes = [
            self._component(writer, name, component, part)
            for component, part in zip(self._types, parts, strict=True)
        ]
        return tuple(map(writer.term, nodes))

    def _in_order(self, name: str, made: Mapping[str, object]) -> Sequence[object]:
        wrong = sorted(set(made) ^ set(self._types))
        if wrong:
            what = "lacks" if wrong[0] in self._types else "gives an unknown"
            raise self.fault(name, f"{what} component {wrong[0]}")
        return [made[component] for component in self._types]

    def _component(self, writer: TermWriter, name: str, component: str, value: object) -> IrTile:
        """A returned value in the dtype of its component, where that loses nothing."""
        operand, wanted = self._returned(name, value), self._dtypes[component]
        writer.require_pure()
        if operand.weak is None:
            kept = promote(operand.natural, wanted) == wanted
        else:
            kept = weak(wanted, EXEMPLARS[operand.weak]) == wanted
        if not kept:
            raise self.fault(name, f"gives {operand.natural} for {component}, which is {wanted}")
        return convert(self._state, operand, wanted)

    def _any(self, writer: TermWriter, name: str, value: object) -> IrTile:
        """A returned value in its own dtype; a number takes the one that is accumulated in."""
        operand = self._returned(name, value)
        writer.require_pure()
        fits = operand.weak is not None and (
            weak(self._accumulate, EXEMPLARS[operand.weak]) == self._accumulate
        )
        return convert(self._state, operand, self._accumulate if fits else operand.natural)

    def _returned(self, name: str, value: object) -> Operand:
        """A value that a method returned; the method is where one that is none is complained of."""
        if isinstance(value, LawState):
            one = next(iter(self._types))
            what = f"gives a whole state; return its components, such as `s.{one}`"
            raise self.fault(name, what)
        try:
            return lift(self._state, value)
        except KernelError as error:
            if error.code == "K010":
                what = "None" if value is None else with_article(type(value).__name__)
                raise self.fault(name, f"gives {what}, which is no value of a state") from None
            loc = self._place(name)
            raise KernelError(replace(error.diagnostic, loc=loc or error.loc)) from None

    def _of(self, writer: TermWriter, side: str) -> LawState:
        values = writer.variables(side, self._dtypes)
        handles = {name: self._state.tile(value) for name, value in values.items()}

        def missing(name: str) -> Exception:
            message = f"law {self._written.name} has no state component {name}"
            hint = f"its state is {', '.join(self._types)}"
            return self._state.fault("K041", message, hint=hint)

        def misused() -> Exception:
            message = f"a method of law {self._written.name} computes with a whole state"
            hint = f"compute with its components: {', '.join(f'.{n}' for n in self._types)}"
            return self._state.fault("K041", message, hint=hint)

        return LawState(handles, missing, misused)

    def _writer(self, name: str) -> TermWriter:
        writer = TermWriter(self._state, self._accumulate, partial(self.fault, name))
        # The methods of one law share what they find; equal terms of one law have equal types.
        writer.widening = self._widening
        return writer

    def no_form(self, component: str) -> Exception:
        """The error for a component of which nothing says what it is of a list, at the law."""
        law = self._written
        message = (
            f"closed of law {law.name} does not give {component}, whose merge is no plain fold"
        )
        hint = f"add `closed(xs)`, which returns a dict with {component} of the list xs by ct.list"
        return self._state.fault("K041", message, hint=hint, loc=law.loc if law.loc.known else None)

    def fault(self, name: str, what: str) -> Exception:
        """The error for a method that does what it may not."""
        message = f"{name} of law {self._written.name} {what}"
        return self._state.fault("K041", message, loc=self._place(name) or self._loc)

    def _place(self, name: str) -> Loc | None:
        """Where a method returns, called from the line of the kernel that reduces by the law."""
        code = getattr(getattr(self._written, name), "__code__", None)
        if not isinstance(code, CodeType):
            return None
        caller = self._state.loc()
        within = caller if caller.function == self._state.root.co_qualname else None
        return replace(_last_return(code), caller=within)

    def _state_type(self, name: str, at: object) -> StateType:
        if at == "acc" or at == "index":
            return "acc" if at == "acc" else "index"
        dtype = dtype_of(at)
        if dtype is None or dtype.is_storage:
            message = f"component {name} of law {self._written.name} is {at!r}"
            hint = 'use "acc", "index" or a dtype that is computed in'
            raise self._state.fault("K041", message, hint=hint, loc=self._loc)
        return "bool" if dtype == bool_ else dtype

    def _kind(self, dtype: DType) -> StateType:
        """How a result is typed: with the accumulation where it has that dtype."""
        if dtype == self._accumulate:
            return "acc"
        return "bool" if dtype == bool_ else dtype


def _is_last(term: Term) -> bool:
    """Whether a term is the greatest index there is."""
    return isinstance(term, Lit) and term.value == highest(i64)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, tuple | list) else (value,)


def _last_return(code: CodeType) -> Loc:
    """The place of a function's last return, or of its head where its positions are unknown."""
    found, before = Loc.of_code(code), None
    for instruction in dis.get_instructions(code):
        at = instruction.positions
        if instruction.opname.startswith("RETURN"):
            # The return of a lambda has no width; what it returns was made just before.
            wide = at is not None and at.col_offset != at.end_col_offset
            found = _located(found, at if wide else before)
        before = at
    return found


def _located(loc: Loc, at: dis.Positions | None) -> Loc:
    """The place of an instruction of a function that begins at `loc`."""
    if at is None or not at.lineno:
        return loc
    column, end = at.col_offset, at.end_col_offset
    return replace(
        loc,
        line=at.lineno,
        column=0 if column is None else column + 1,
        end_line=at.end_lineno or at.lineno,
        end_column=0 if end is None else end + 1,
    )
