"""Python functions of states and elements as terms of a law.

In: IR values that such a function computed from stand-ins.  Out: terms, and for a plain function of
two values the `Law` of an ordered fold, which has no identity.  Decides that the function only
combines its arguments and constants.  Leaves regrouping to nobody: a law made here is not known to
be associative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from certile.frontend.elementwise import as_node, lift
from certile.frontend.state import State
from certile.ir.dtypes import DType
from certile.ir.laws import Component, Law, cast
from certile.ir.terms import Apply, Lit, Term, Var, applications
from certile.ir.tile import Cast, Const, Map, ScalarArg
from certile.ir.tile import Tile as IrTile
from certile.ir.types import TileType

# Every type of an index or a count holds these, so a constant among them may take its neighbour's.
_SMALL = 1 << 31
# The greatest term: what reads terms follows every way to a part, and goes down all of them.
_SIZE = 2_000
_DEPTH = 100


def fold_law(state: State, function: Callable[..., object], accumulate: DType) -> Law:
    """Return the law of `function(earlier, later)` on values of `accumulate`.

    Raises `KernelError` K021 when the function does anything but combine its arguments.
    """
    name = getattr(function, "__name__", type(function).__name__)
    writer = TermWriter(state, accumulate, lambda what: _impure(state, name, what))
    pair = [writer.variable(Var(side), accumulate) for side in ("a.s", "b.s")]
    with_tiles = lift(state, function(*map(state.tile, pair)))
    made = as_node(state, with_tiles)
    writer.require_pure()
    if made.dtype != accumulate:
        raise _impure(state, name, f"returns {made.dtype} for {accumulate}")
    return Law(
        name=name.strip("<>"),
        state=(Component("s"),),
        identity=None,
        lift=(Var("x"),),
        merge=(writer.term(made),),
        finalize=(Var("s"),),
        commutative=False,
    )


class TermWriter:
    """Makes the variables that a function is run on, and terms of what it returns.

    `fault(what)` gives the error for a function that does what it may not.
    """

    def __init__(self, state: State, accumulate: DType, fault: Callable[[str], Exception]) -> None:
        self._state = state
        self.accumulate = accumulate
        self._fault = fault
        self._effects = len(state.region.body)
        self._known: dict[IrTile, Term] = {}
        self._sizes: dict[IrTile, int] = {}
        self._depth = 0
        # Conversions that change no number, but for rounding to what is accumulated in.
        self.widening: set[Term] = set()

    def variable(self, term: Term, dtype: DType) -> IrTile:
        """Return the value that stands for a variable, or another term, in a term."""
        # No parameter of a kernel has such a name.
        made = ScalarArg(name=f"law.{term}", type=TileType(dtype), loc=self._state.loc())
        self._known[made] = term
        return made

    def variables(self, side: str, dtypes: Mapping[str, DType]) -> dict[str, IrTile]:
        """Return the values that stand for the components of a state, `side` before each name."""
        return {name: self.variable(Var(side + name), dtype) for name, dtype in dtypes.items()}

    def require_pure(self) -> None:
        """Raise the fault when memory was touched since this writer was made."""
        if len(self._state.region.body) != self._effects:
            raise self._fault("reads or writes memory")

    def term(self, value: IrTile) -> Term:
        """Return the term of a value; raises the fault when it uses what is around the function."""
        if value not in self._known:
            self._depth += 1
            if self._depth > _DEPTH:
                raise self._fault(f"nests more than {_DEPTH} operations")
            self._known[value] = self._made(value)
            self._depth -= 1
        if self._size(value) > _SIZE:
            raise self._fault(f"is a term of more than {_SIZE} operations, written out")
        return self._known[value]

    def _made(self, value: IrTile) -> Term:
        match value:
            case Const():
                return _literal(value, None)
            case Cast():
                target = "acc" if value.dtype == self.accumulate else value.dtype.name
                made: Term = cast(self._operand(value.value, typed=True), target)
                if _widens(value.value.dtype, value.dtype, self.accumulate):
                    self.widening.add(made)
            case Map():
                made = Apply(value.fn, self._operands(value))
            case _:
                raise self._fault("uses something besides its arguments and constants")
        return made

    def _size(self, value: IrTile) -> int:
        """How many operations the term of a value has, each as often as it stands there."""
        if value not in self._sizes:
            below = [each for each in value.operands() if isinstance(each, IrTile)]
            known = self._known.get(value) if isinstance(value, ScalarArg) else None
            inside = 0 if known is None else len(list(applications((known,))))
            self._sizes[value] = 1 + inside + sum(map(self._size, below))
        return self._sizes[value]

    def _operands(self, value: Map) -> tuple[Term, ...]:
        """The operands; where all are constants, one of them has to say its dtype."""
        alike = value.args[1:] if value.fn == "where" else value.args
        alone = all(isinstance(arg, Const) for arg in alike)
        return tuple(self._operand(arg, typed=alone) for arg in value.args)

    def _operand(self, value: IrTile, *, typed: bool) -> Term:
        if not isinstance(value, Const):
            return self.term(value)
        large = value.dtype.is_integer and not -_SMALL <= value.value < _SMALL
        dtype = "acc" if value.dtype == self.accumulate else value.dtype.name
        return _literal(value, dtype if typed or large else None)


def _widens(source: DType, target: DType, accumulate: DType) -> bool:
    """Whether a conversion keeps every number, up to the rounding of the accumulation."""
    if target.is_float:
        return target.size >= (accumulate.size if accumulate.is_float else source.size)
    unsigned_fits = source.kind == target.kind or source.kind in ("uint", "bool")
    return (
        not source.is_float
        and target.is_integer
        and (source.size < target.size or source == target)
        and unsigned_fits
    )


def _literal(value: Const, dtype: str | None) -> Term:
    """The literal of a constant; what JSON and equality have no number for goes by name."""
    number = value.value
    if not isinstance(number, float):
        return Lit(number, dtype)
    is_named = not math.isfinite(number) or str(number) == "-0.0"
    return Lit(str(number) if is_named else number, dtype)


def _impure(state: State, name: str, what: str) -> Exception:
    hint = "let it combine its two arguments by arithmetic in their dtype"
    return state.fault("K021", f"the fold function {name} {what}", hint=hint)
