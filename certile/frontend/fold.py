"""A plain function of two values as the law of an ordered fold.

In: a Python function.  Out: a `Law` without identity whose merge is the function's term.  Decides
that such a function only combines its arguments and constants.  Leaves regrouping to nobody: a law
made here is not known to be associative.
"""

from __future__ import annotations

from collections.abc import Callable

from certile.frontend.elementwise import as_node, lift
from certile.frontend.state import State
from certile.ir.dtypes import DType
from certile.ir.laws import Component, Law
from certile.ir.terms import Apply, Lit, Term, Var
from certile.ir.tile import Const, Map, ScalarArg
from certile.ir.tile import Tile as IrTile
from certile.ir.types import TileType

_EARLIER, _LATER = "a.s", "b.s"


def fold_law(state: State, function: Callable[..., object], accumulate: DType) -> Law:
    """Return the law of `function(earlier, later)` on values of `accumulate`.

    Raises `KernelError` K021 when the function does anything but combine its arguments.
    """
    name = getattr(function, "__name__", type(function).__name__)
    effects = len(state.region.body)
    pair = (
        ScalarArg(name=which, type=TileType(accumulate), loc=state.loc())
        for which in (_EARLIER, _LATER)
    )
    made = as_node(state, lift(state, function(*(state.tile(value) for value in pair))))
    if len(state.region.body) != effects:
        raise _impure(state, name, "reads or writes memory")
    if made.dtype != accumulate:
        raise _impure(state, name, f"returns {made.dtype} for {accumulate}")
    return Law(
        name=name.strip("<>"),
        state=(Component("s"),),
        identity=None,
        lift=(Var("x"),),
        merge=(_term(state, name, made, {}),),
        finalize=(Var("s"),),
        commutative=False,
    )


def _term(state: State, name: str, value: IrTile, known: dict[IrTile, Term]) -> Term:
    if value in known:
        return known[value]
    match value:
        case ScalarArg(name=which) if which in (_EARLIER, _LATER):
            term: Term = Var(which)
        case Const():
            term = Lit(value.value)
        case Map():
            term = Apply(value.fn, tuple(_term(state, name, arg, known) for arg in value.args))
        case _:
            raise _impure(state, name, "uses something besides its arguments and constants")
    known[value] = term
    return term


def _impure(state: State, name: str, what: str) -> Exception:
    hint = "let it combine its two arguments by arithmetic in their dtype"
    return state.fault("K021", f"the fold function {name} {what}", hint=hint)
